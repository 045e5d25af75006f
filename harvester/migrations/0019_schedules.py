"""Let links be harvested daily or weekly at a time of the day, and only at some times of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("harvester", "0018_link_attention"),)
    operations = (
        migrations.AddField(
            "link",
            "run_at",
            models.TimeField(
                "time of the day, UTC",
                blank=True,
                null=True,
                help_text="none: by the interval, from the last start",
            ),
        ),
        migrations.AddField(
            "link",
            "weekday",
            models.PositiveSmallIntegerField(
                "day of the week",
                blank=True,
                null=True,
                choices=[
                    (0, "Monday"),
                    (1, "Tuesday"),
                    (2, "Wednesday"),
                    (3, "Thursday"),
                    (4, "Friday"),
                    (5, "Saturday"),
                    (6, "Sunday"),
                ],
                help_text="none: each day",
            ),
        ),
        migrations.AddField(
            "link",
            "windows",
            models.CharField(
                "only at these times of the day, UTC",
                blank=True,
                db_default="",
                default="",
                max_length=100,
                help_text="for example 20:00-05:00; empty: at any time. Outside of them no run begins by schedule, and one "
                "that is open waits and then goes on",
            ),
        ),
    )
