"""Index runs for what is read of them: the newest of each link and purpose, and the lists of the admin."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

from catalogue.migration_operations import LockTables

_INDEXES = (
    models.Index(fields=["link", "purpose", "-begun", "-id"], name="runs_of_a_purpose"),
    models.Index(
        fields=["link", "-begun", "-id"], condition=Q(purpose="harvest", state="done"), name="complete_harvests"
    ),
    models.Index(fields=["-begun", "-id"], name="runs_by_begun"),
    models.Index(fields=["state", "-begun", "-id"], condition=~Q(state="done"), name="runs_of_a_state"),
    models.Index(fields=["outcome", "-begun", "-id"], condition=~Q(outcome="done"), name="runs_of_an_outcome"),
    models.Index(fields=["purpose", "-begun", "-id"], condition=~Q(purpose="harvest"), name="runs_no_harvests"),
    models.Index(fields=["trigger", "-begun", "-id"], condition=~Q(trigger="schedule"), name="runs_by_hand"),
)
_DROP_INDEX_OF_LINK = "DROP INDEX harvester_run_link_id_a1bd91c4"
_CREATE_INDEX_OF_LINK = "CREATE INDEX harvester_run_link_id_a1bd91c4 ON harvester_run (link_id)"


class Migration(migrations.Migration):
    dependencies = (("harvester", "0012_link_days"),)
    operations = (
        LockTables("harvester_run"),
        *(migrations.AddIndex("run", index) for index in _INDEXES),
        # Other indexes begin with the link. By its name, as AlterField would drop `one_open_run_per_link`, too.
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(_DROP_INDEX_OF_LINK, _CREATE_INDEX_OF_LINK)],
            [
                migrations.AlterField(
                    "run",
                    "link",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="harvester.link",
                    ),
                )
            ],
        ),
    )
