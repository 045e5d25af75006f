"""Count the days that the node has lived: tombstones are kept for so many of them (P85)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0005_oai_identifiers"),)
    operations = (
        migrations.CreateModel(
            "DayLived",
            (
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "mark",
                    models.DateTimeField(
                        help_text="the high-water mark when the day was added: what is older was stamped before it"
                    ),
                ),
                (
                    "purge",
                    models.JSONField(
                        null=True, help_text="what the purge of this day did; none: it is still to be done"
                    ),
                ),
            ),
            {"verbose_name_plural": "days lived"},
        ),
        migrations.CreateModel(
            "HostUptime",
            (
                (
                    "boot",
                    models.CharField(
                        primary_key=True, max_length=100, serialize=False, help_text="the id of this boot of the host"
                    ),
                ),
                ("monotonic_s", models.FloatField(help_text="its monotonic clock at the last tick")),
                ("lived_s", models.FloatField(default=0)),
            ),
        ),
    )
