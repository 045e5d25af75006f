"""Keep the former states of records, and refuse to remove a dictionary that they need."""

import django.db.models.deletion
from django.db import migrations, models

from catalogue import sql


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0016_records_by_source"),)

    operations = (
        migrations.CreateModel(
            name="RecordVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(help_text="counts the states of a record, from 1")),
                ("datestamp", models.DateTimeField(help_text="the last that the record had in this state")),
                ("deleted", models.BooleanField()),
                ("owner", models.TextField(help_text="setSpec")),
                (
                    "link",
                    models.TextField(
                        blank=True, help_text="the link that the content came by; empty: this node itself"
                    ),
                ),
                ("payload", models.BinaryField(help_text="packed as in Record", null=True)),
                ("digest", models.BinaryField(null=True)),
                ("metadata_date", models.DateTimeField(null=True)),
                ("ended", models.DateTimeField(help_text="the datestamp of the change")),
                (
                    "ended_by",
                    models.TextField(blank=True, help_text="the link that brought the change; empty: this node itself"),
                ),
                ("who", models.TextField(blank=True, help_text="the account, or the user of the operating system")),
                (
                    "act",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("withdraw", "withdrawn"),
                            ("move", "moved to another set"),
                            ("replace", "replaced"),
                            ("restore", "restored from a former version"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True, help_text="as it was typed")),
                (
                    "record",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="catalogue.record",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["ended"], name="versions_by_age")],
                "constraints": [models.UniqueConstraint(fields=("record", "number"), name="one_version_a_number")],
            },
        ),
        # As those of records: they are compressed already.
        migrations.RunSQL(
            "ALTER TABLE catalogue_recordversion ALTER COLUMN payload SET STORAGE EXTERNAL", migrations.RunSQL.noop
        ),
        migrations.RunSQL(sql.read("catalogue", "dictionaries.0002"), sql.read("catalogue", "dictionaries.0001")),
    )
