"""Change the help of fields: plain words, without the numbers of rules. Only texts; the database stays as it is."""

import django.contrib.postgres.fields
from django.db import migrations, models

from catalogue.migration_operations import ChangeTexts


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0010_failing_chores"),
    ]

    operations = [
        ChangeTexts(
            state_operations=[
                migrations.AlterField(
                    model_name="claim",
                    name="spelling",
                    field=models.TextField(
                        db_collation="C",
                        db_default="",
                        default="",
                        help_text="the OAI identifier as this source spells it, where only its case differs from the record's",
                    ),
                ),
                migrations.AlterField(
                    model_name="membership",
                    name="departed",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="deleted because the record left the set: the header there names this set alone",
                    ),
                ),
                migrations.AlterField(
                    model_name="metadataset",
                    name="fed_here",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="records of this shared set are uploaded at this node, so it is not harvested from a co-owner",
                        verbose_name="fed by uploads",
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="datestamp",
                    field=models.DateTimeField(help_text="when it last changed in this node; whole seconds, UTC"),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="key",
                    field=models.TextField(
                        db_collation="C",
                        help_text="the OAI identifier: gmd:fileIdentifier, percent-encoded where that is no URI",
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="metadata_date",
                    field=models.DateTimeField(help_text="gmd:dateStamp; never the datestamp", null=True),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="set_specs",
                    field=django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(),
                        default=list,
                        help_text="memberships for the header; kept by a tombstone",
                        size=None,
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="spelling",
                    field=models.TextField(
                        db_collation="C",
                        db_default="",
                        default="",
                        help_text="the OAI identifier for the gmd:fileIdentifier in the metadata, where only its case differs from the key",
                    ),
                ),
            ]
        )
    ]
