"""Create the figures of each day, and the response times of the other centres."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="DailyFigures",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("until", models.DateTimeField(help_text="changes that are stamped before this are counted")),
                (
                    "since",
                    models.DateTimeField(
                        help_text="changes from this instant on are counted; none: nothing was counted before",
                        null=True,
                    ),
                ),
                ("live", models.BigIntegerField(help_text="records")),
                (
                    "changed",
                    models.BigIntegerField(
                        help_text="records that were added or changed since the day before", null=True
                    ),
                ),
                (
                    "deleted",
                    models.BigIntegerField(help_text="records that were withdrawn since the day before", null=True),
                ),
                (
                    "services",
                    models.JSONField(
                        help_text="by name: whether it answered at its public address; null: it is not offered"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "daily figures",
                "ordering": ("-day",),
            },
        ),
        migrations.CreateModel(
            name="ResponseTimes",
            fields=[
                ("at", models.DateTimeField(primary_key=True, serialize=False)),
                (
                    "centres",
                    models.JSONField(
                        help_text="a list of centre, portal, oaipmh, sru; seconds, -1: no answer, null: no address is known"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "response times",
                "ordering": ("-at",),
            },
        ),
    ]
