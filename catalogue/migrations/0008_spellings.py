"""Find live records whose identifier differs in its case alone, and store how claims spell it (F74, W47)."""

from django.db import migrations, models
from django.db.models.functions import Lower

from catalogue.migration_operations import LockTables


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0007_journal_numbers"),)
    operations = (
        LockTables("catalogue_claim", "catalogue_record", readable=("catalogue_metadataset",)),
        migrations.CreateModel(
            "SpellingChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("folded", models.TextField(db_collation="C", help_text="what all spellings share: `oai.folded`")),
                ("old", models.TextField(help_text="the OAI identifier of the record that became a tombstone")),
                (
                    "new",
                    models.TextField(
                        help_text="that of the record in its place; empty: the owner deleted it, and others claim it"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        "catalogue.MetadataSet", on_delete=models.CASCADE, db_index=False, related_name="+"
                    ),
                ),
                ("datestamp", models.DateTimeField(help_text="of both; rows are deleted after a week")),
            ],
            options={
                "indexes": (
                    models.Index(fields=("folded", "datestamp"), name="changes_of_a_spelling"),
                    models.Index(fields=("datestamp",), name="spelling_changes_by_age"),
                )
            },
        ),
        migrations.AddField(
            "claim",
            "spelling",
            models.TextField(
                db_collation="C",
                db_default="",
                default="",
                help_text="the OAI identifier as this source spells it, where only its case differs from the record's (W47)",
            ),
        ),
        migrations.AlterField(
            "claim", "first_seen", models.DateTimeField(help_text="on this record, with this spelling")
        ),
        migrations.AddIndex(
            "claim",
            models.Index(condition=~models.Q(spelling=""), fields=("spelling",), name="claims_spelled_otherwise"),
        ),
        migrations.AddField(
            "record",
            "spelling",
            models.TextField(
                db_collation="C",
                db_default="",
                default="",
                help_text=(
                    "the OAI identifier for the gmd:fileIdentifier in the metadata, where only its case differs from the key (F74)"
                ),
            ),
        ),
        migrations.AddIndex(
            "record",
            models.Index(Lower("key"), name="records_by_folded_key"),
        ),
        migrations.AddIndex(
            "record",
            models.Index(condition=~models.Q(spelling=""), fields=("spelling",), name="records_spelled_otherwise"),
        ),
    )
