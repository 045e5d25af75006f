"""Store a reject as one row for each link, identifier and cause, in place of one for each run."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Func, Q
from django.db.models.functions import MD5

from catalogue.migration_operations import LockTables

_NOW = Func(function="gisc_clock", output_field=models.DateTimeField())
# Of the rows of one cause the one of the last run stays; it stands if the link's table has its header as rejected.
_FOLD = """
    UPDATE harvester_reject r
    SET link_id = run.link_id, first_seen = run.begun, last_seen = coalesce(run.finished, run.begun)
    FROM harvester_run run WHERE run.id = r.run_id;

    CREATE TEMPORARY TABLE folded ON COMMIT DROP AS
    SELECT id,
        row_number() OVER (PARTITION BY link_id, md5(identifier), reason ORDER BY last_seen DESC, id DESC) AS place,
        count(*) OVER (PARTITION BY link_id, md5(identifier), reason) AS number,
        count(*) OVER (PARTITION BY link_id, md5(identifier), reason, run_id) AS number_in_run,
        min(first_seen) OVER (PARTITION BY link_id, md5(identifier), reason) AS first_seen
    FROM harvester_reject;

    DELETE FROM harvester_reject r USING folded WHERE folded.id = r.id AND folded.place > 1;

    UPDATE harvester_reject r
    SET count = folded.number, count_in_run = folded.number_in_run, first_seen = folded.first_seen,
        settled = CASE WHEN r.identifier <> '' AND NOT EXISTS (
            SELECT FROM harvester_remoteheader h
            WHERE h.link_id = r.link_id AND h.state = 'rejected' AND h.identifier = r.identifier
        ) THEN gisc_clock() END
    FROM folded WHERE folded.id = r.id;

    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
"""
_UNFOLD = "DELETE FROM harvester_reject WHERE run_id IS NULL"


class Migration(migrations.Migration):
    dependencies = (("harvester", "0010_identifiers"), ("catalogue", "0002_gisc_clock"))
    operations = (
        LockTables("harvester_reject", "harvester_run", readable=("harvester_link", "harvester_remoteheader")),
        migrations.AddIndex(
            "remoteheader", models.Index(fields=["link"], condition=Q(state="rejected"), name="headers_rejected")
        ),
        migrations.AlterModelOptions("reject", {"ordering": ("-last_seen", "-pk")}),
        migrations.AddField(
            "reject",
            "link",
            models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="rejects",
                to="harvester.link",
            ),
        ),
        migrations.AlterField(
            "reject",
            "run",
            models.ForeignKey(
                help_text="the last one that rejected it",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="rejects",
                to="harvester.run",
            ),
        ),
        migrations.AlterField(
            "reject",
            "datestamp",
            models.CharField(blank=True, help_text="as the provider gave it last", max_length=100),
        ),
        migrations.AlterField(
            "reject", "raw", models.BinaryField(help_text="the metadata as received last", null=True)
        ),
        migrations.AddField("reject", "first_seen", models.DateTimeField(db_default=_NOW)),
        migrations.AddField("reject", "last_seen", models.DateTimeField(db_default=_NOW)),
        migrations.AddField(
            "reject",
            "count",
            models.PositiveIntegerField(db_default=1, default=1, help_text="how often it was rejected"),
        ),
        migrations.AddField(
            "reject",
            "count_in_run",
            models.PositiveIntegerField(db_default=1, default=1, help_text="of these, in the last run"),
        ),
        migrations.AddField(
            "reject",
            "settled",
            models.DateTimeField(help_text="when it was found to be over; none: it stands", null=True),
        ),
        migrations.RunSQL(_FOLD, _UNFOLD),
        migrations.AddConstraint(
            "reject", models.UniqueConstraint("link", MD5("identifier"), "reason", name="one_reject_of_a_cause")
        ),
        migrations.AddIndex("reject", models.Index(fields=["-last_seen", "-id"], name="rejects_by_last_seen")),
        migrations.AddIndex(
            "reject", models.Index(fields=["link"], condition=Q(settled=None), name="rejects_that_stand")
        ),
        migrations.AddIndex(
            "reject",
            models.Index(fields=["settled"], condition=Q(settled__isnull=False), name="rejects_that_are_over"),
        ),
    )
