"""Index the languages of records, so that all ways to write one are found without reading the records; read long times again.

The end of a time extent was taken for the first instant of the year or month that is written there. Which those are, only the
records tell: the ticks read those again whose end is the begin of a month (`writing.search_index`).
"""

from django.db import migrations, models

_READ_AGAIN = """
    UPDATE catalogue_description SET terms = NULL
    WHERE ends = date_trunc('month', ends AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AND terms IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0027_tick_times"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="description",
            index=models.Index(fields=["language"], name="descriptions_by_language"),
        ),
        migrations.RunSQL(_READ_AGAIN, migrations.RunSQL.noop),
    ]
