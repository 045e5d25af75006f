"""Links keep how late their provider lists records, the clocks at the last list, and what is in doubt.

The policy `response` of earlier versions, which took the responseDate alone, becomes a lateness of nothing.
"""

from django.core.validators import MaxValueValidator
from django.db import migrations, models

from catalogue.migration_operations import LockTables


def keep_policies(apps, schema_editor):
    apps.get_model("harvester", "Link").objects.filter(from_policy="response").update(lateness_h=0)


def write_policies(apps, schema_editor):
    apps.get_model("harvester", "Link").objects.filter(lateness_h=0).update(from_policy="response")


class Migration(migrations.Migration):
    dependencies = (("harvester", "0003_reasons"),)
    operations = (
        LockTables("harvester_link", "harvester_run", "harvester_standby"),
        migrations.AddField(
            "link",
            "clean_comparisons",
            models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="after a list that was too short: those that found nothing missing",
            ),
        ),
        migrations.AddField(
            "link",
            "doubts",
            models.JSONField(
                db_default=[],
                default=list,
                editable=False,
                help_text="remarks, with code and facts, that stay until all headers are compared",
            ),
        ),
        migrations.AddField(
            "link",
            "first_asked",
            models.DateTimeField(
                editable=False, help_text="when that page was asked for, on our clock (H48, O)", null=True
            ),
        ),
        migrations.AddField(
            "link",
            "is_promised",
            models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="the provider is a node of this software, which lists every record from its datestamp on (promise 1)",
            ),
        ),
        migrations.AddField(
            "link",
            "lateness_h",
            models.PositiveIntegerField(
                db_default=72,
                default=72,
                help_text="a record may be listed so long after its datestamp; doubled where one came late (H8)",
                validators=[MaxValueValidator(8784)],
                verbose_name="provider's lateness, hours",
            ),
        ),
        migrations.AddField(
            "link",
            "relisted_to",
            models.DateTimeField(
                editable=False, help_text="what is stamped up to here was listed twice (H50)", null=True
            ),
        ),
        migrations.AddField(
            "link",
            "shortfall",
            models.PositiveIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="so many entries of the last list were announced and not listed; the next list may explain them",
            ),
        ),
        migrations.AddField(
            "link",
            "shortfall_from",
            models.DateTimeField(
                editable=False,
                help_text="`from` of the list that was too short; none: it was the whole list",
                null=True,
            ),
        ),
        migrations.AddField(
            "link",
            "size_is_estimate",
            models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="two comparisons after lists that were too short have found nothing missing",
                verbose_name="its completeListSize is an estimate",
            ),
        ),
        migrations.AddField(
            "run",
            "came_late",
            models.PositiveIntegerField(
                db_default=0, default=0, help_text="stamped within what a list before should have had (H8)"
            ),
        ),
        migrations.AddField(
            "run",
            "explained",
            models.PositiveIntegerField(
                db_default=0, default=0, help_text="of what the list before announced and did not list (H49)"
            ),
        ),
        migrations.AddField(
            "run",
            "first_asked",
            models.DateTimeField(help_text="when that page was asked for, on our clock (H48)", null=True),
        ),
        migrations.AddField(
            "run",
            "is_promised",
            models.BooleanField(
                db_default=False, default=False, help_text="Identify names this software and promise 1 (P147)"
            ),
        ),
        migrations.AddField(
            "run",
            "stepped_back_s",
            models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="seconds by which the provider's clock was set back before this list (H48)",
            ),
        ),
        migrations.AddField("standby", "first_asked", models.DateTimeField(null=True)),
        migrations.AddField("standby", "is_promised", models.BooleanField(db_default=False, default=False)),
        migrations.AddField("standby", "relisted_to", models.DateTimeField(null=True)),
        migrations.AddField(
            "run",
            "asked_before",
            models.DateTimeField(
                help_text="what is stamped before this was in a list before, or came late; none: not known (H8)",
                null=True,
            ),
        ),
        migrations.RunPython(keep_policies, write_policies),
        # The column stays while nodes of version 0.9.0 may still write it; this version neither reads nor writes it.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField("link", "from_policy")],
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE harvester_link ALTER COLUMN from_policy SET DEFAULT 'earlier'",
                    "ALTER TABLE harvester_link ALTER COLUMN from_policy DROP DEFAULT",
                )
            ],
        ),
    )
