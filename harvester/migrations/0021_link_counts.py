"""How many records each provider has, its brand, the address of its report, and causes of rejects that are nothing to do."""

import uuid

import django.contrib.postgres.functions
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("harvester", "0020_centres")]

    operations = [
        migrations.AddField(
            model_name="link",
            name="live_there",
            field=models.PositiveIntegerField(
                editable=False,
                help_text="live records of the provider, by its last headers; none: not counted yet",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="link",
            name="counted_there",
            field=models.DateTimeField(editable=False, help_text="when they were counted", null=True),
        ),
        migrations.AddField(
            model_name="link",
            name="brand",
            field=models.JSONField(
                db_default={},
                default=dict,
                editable=False,
                help_text="`title` and `link` of the branding container in its Identify, as strangers wrote them",
            ),
        ),
        migrations.AddField(
            model_name="link",
            name="report_key",
            field=models.UUIDField(
                db_default=django.contrib.postgres.functions.RandomUUID(),
                default=uuid.uuid4,
                editable=False,
                help_text="in the address of the report for the provider, which cannot be guessed",
                unique=True,
            ),
        ),
        migrations.CreateModel(
            name="QuietCause",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.TextField(help_text="of the reason: docs/codes.md", verbose_name="code")),
                ("up_to", models.PositiveIntegerField()),
                (
                    "link",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quiet_causes",
                        to="harvester.link",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("link", "reason"), name="one_quiet_cause_of_a_link"),
                ],
            },
        ),
    ]
