"""Say for each link what counts as identifier, and find headers by what their provider calls them."""

import django.contrib.postgres.indexes
from django.db import migrations, models

from catalogue.migration_operations import LockTables


class Migration(migrations.Migration):
    dependencies = (("harvester", "0009_skipped_window"),)
    operations = (
        LockTables("harvester_link", readable=("harvester_remoteheader",)),
        migrations.AddField(
            "link",
            "identifiers",
            models.CharField(
                choices=[
                    (
                        "same",
                        "must be the same: a record whose header differs from its gmd:fileIdentifier is rejected (W3)",
                    ),
                    ("file", "gmd:fileIdentifier counts: the header has only the provider's own name for the record"),
                    ("header", "the header counts: it is the OAI identifier here, whatever gmd:fileIdentifier is"),
                ],
                max_length=10,
                default="same",
                db_default="same",
                help_text="“Retrieve info” says what this provider needs. Between GISCs they must be the same (H38)",
            ),
        ),
        migrations.AlterField(
            "remoteheader", "identifier", models.TextField(help_text="as the provider spells it, or names it")
        ),
        migrations.AddIndex(
            "remoteheader",
            django.contrib.postgres.indexes.HashIndex(
                condition=~models.Q(identifier=models.F("key")), fields=["identifier"], name="headers_by_name"
            ),
        ),
    )
