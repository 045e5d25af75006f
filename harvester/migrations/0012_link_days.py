"""Store what the runs of each link did on each day, as runs are pruned from now on."""

import django.db.models.deletion
from django.db import migrations, models

from catalogue import sql
from catalogue.migration_operations import LockTables

_DROP = """
    DROP TRIGGER summed_update ON harvester_run;
    DROP TRIGGER summed_insert ON harvester_run;
    DROP FUNCTION harvester_run_summed();
"""
# As the trigger does for each run that ends from now on.
_SUM_UP = """
    INSERT INTO harvester_linkday
        (link_id, day, runs, failed, new, updated, unchanged, deleted, rejected, pages, seconds)
    SELECT link_id, (coalesce(finished, begun) AT TIME ZONE 'UTC')::date,
        count(*), count(*) FILTER (WHERE state = 'failed'),
        sum(new), sum(updated), sum(unchanged), sum(deleted), sum(rejected), sum(pages),
        sum(round(extract(epoch FROM coalesce(finished, begun) - begun)))
    FROM harvester_run WHERE state <> 'open' GROUP BY 1, 2
"""


def _sum(name: str) -> tuple[str, models.BigIntegerField]:
    return name, models.BigIntegerField()


class Migration(migrations.Migration):
    dependencies = (("harvester", "0011_reject_rows"),)
    operations = (
        LockTables(readable=("harvester_link", "harvester_run")),
        migrations.CreateModel(
            "LinkDay",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                *map(
                    _sum, ("runs", "failed", "new", "updated", "unchanged", "deleted", "rejected", "pages", "seconds")
                ),
                (
                    "link",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="days",
                        to="harvester.link",
                    ),
                ),
            ],
            options={
                "verbose_name": "day of a link",
                "verbose_name_plural": "days of links",
                "ordering": ("-day", "link"),
                "indexes": [models.Index(fields=["-day", "link"], name="days_of_links")],
                "constraints": [models.UniqueConstraint(fields=("link", "day"), name="one_row_of_a_link_and_day")],
            },
        ),
        migrations.RunSQL(sql.read("harvester", "link_days.0001"), _DROP),
        migrations.RunSQL(_SUM_UP, migrations.RunSQL.noop),
    )
