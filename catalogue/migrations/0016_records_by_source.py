"""Index the live records by where they came from, for the list of records in the administration."""

from django.db import migrations, models
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0015_visibility"),)
    operations = (
        migrations.AddIndex(
            model_name="record",
            index=models.Index(
                Coalesce(KeyTextTransform("link", "provenance"), models.Value("", output_field=models.TextField())),
                models.F("datestamp"),
                models.F("id"),
                condition=models.Q(deleted=False),
                name="live_records_by_source",
            ),
        ),
    )
