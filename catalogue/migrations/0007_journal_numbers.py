"""Number the events of the journal, and store what each of its writers has on disk."""

from django.db import migrations, models
from django.db.models import Q

from catalogue import sql

_NUMBER_WAITING = """
    WITH counted AS (
        INSERT INTO catalogue_journalposition (id, epoch, number)
        SELECT 1, (extract(epoch FROM gisc_clock()) * 1000)::bigint, count(*) FROM catalogue_journaloutbox HAVING count(*) > 0
        RETURNING epoch
    )
    UPDATE catalogue_journaloutbox o SET epoch = counted.epoch, number = n.place
    FROM counted, (SELECT id, row_number() OVER (ORDER BY id) AS place FROM catalogue_journaloutbox) n
    WHERE o.id = n.id
"""
_REMOVE = """
    DROP TRIGGER number_events ON catalogue_journaloutbox;
    DROP FUNCTION catalogue_number_events();
"""


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0006_days_lived"),)
    operations = (
        migrations.CreateModel(
            name="JournalPosition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("epoch", models.BigIntegerField()),
                ("number", models.BigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("current", "has all events that the journal has"),
                            ("behind", "was put back from a copy that is older than the journal"),
                            ("restoring", "is being restored"),
                        ],
                        db_default="current",
                        default="current",
                        max_length=10,
                    ),
                ),
            ],
            options={
                "constraints": (models.CheckConstraint(condition=Q(id=1), name="there_is_one_journal_position"),),
            },
        ),
        migrations.CreateModel(
            name="JournalWriter",
            fields=[
                (
                    "writer",
                    models.CharField(
                        help_text="random; in the names of its files", max_length=32, primary_key=True, serialize=False
                    ),
                ),
                ("epoch", models.BigIntegerField()),
                ("number", models.BigIntegerField()),
                ("host", models.TextField()),
                ("directory", models.TextField()),
                ("written", models.DateTimeField()),
            ],
        ),
        migrations.AddField("journaloutbox", "epoch", models.BigIntegerField(editable=False, null=True)),
        migrations.AddField(
            "journaloutbox",
            "number",
            models.BigIntegerField(editable=False, help_text="counts the events of the epoch, from 1", null=True),
        ),
        migrations.RunSQL(_NUMBER_WAITING, migrations.RunSQL.noop),
        migrations.AddConstraint(
            "journaloutbox", models.UniqueConstraint(fields=("epoch", "number"), name="one_event_a_number")
        ),
        migrations.RunSQL(sql.read("catalogue", "journal_numbers.0001"), _REMOVE),
    )
