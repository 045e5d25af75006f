"""Index the languages of records, so that all ways to write one are found without reading the records."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0027_tick_times"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="description",
            index=models.Index(fields=["language"], name="descriptions_by_language"),
        ),
    ]
