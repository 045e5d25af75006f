"""Deletions are counted by link over a day, in place of by run.

Links that had the share of earlier versions, 10 %, get a third. What waits for the operator goes on waiting.
"""

from django.core.validators import MaxValueValidator
from django.db import migrations, models
from django.db.models import OuterRef, Q, Subquery

from catalogue.migration_operations import LockTables


def count_by_the_day(apps, schema_editor):
    apps.get_model("harvester", "Link").objects.filter(hold_percent=10).update(hold_percent=33)
    waiting = apps.get_model("harvester", "Conflict").objects.filter(
        link=OuterRef("link"), key=OuterRef("key"), kind="mass"
    )
    rows = apps.get_model("harvester", "RemoteHeader").objects.filter(state="rejected", deleted=False)
    first_seen = waiting.filter(Q(settled=None) | Q(settlement="left-as-it-is")).values("first_seen")
    rows.annotate(since=Subquery(first_seen)).filter(since__isnull=False).update(removed_at=Subquery(first_seen))


def count_by_the_run(apps, schema_editor):
    apps.get_model("harvester", "Link").objects.filter(hold_percent=33).update(hold_percent=10)


class Migration(migrations.Migration):
    dependencies = (("harvester", "0005_versions_served"),)
    operations = (
        LockTables("harvester_remoteheader", "harvester_link"),
        migrations.AddField(
            "remoteheader",
            "removed_at",
            models.DateTimeField(
                null=True,
                help_text="when the provider deleted a record that was live here: stored, or waiting for the operator if "
                "not deleted",
            ),
        ),
        migrations.AddIndex(
            "remoteheader",
            models.Index(
                fields=["link", "removed_at"], condition=Q(removed_at__isnull=False), name="headers_of_removed"
            ),
        ),
        migrations.AddField(
            "link",
            "deletions_accepted",
            models.DateTimeField(
                null=True,
                editable=False,
                help_text="an operator has accepted deletions: those before count no longer",
            ),
        ),
        migrations.AlterField(
            "link",
            "hold_percent",
            models.PositiveSmallIntegerField(
                "hold deletions above, percent of the link",
                default=33,
                validators=[MaxValueValidator(100)],
                help_text="more deletions than that within a day, and at least 5, wait for an operator, and so do deletions "
                "of all records; 33: a third; 100: none ever waits",
            ),
        ),
        migrations.RunPython(count_by_the_day, count_by_the_run),
    )
