"""Remember which stored records cannot be read back, and how far the reading back has come."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0029_watched_folders"),
    ]

    operations = [
        migrations.CreateModel(
            name="DamagedRecord",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="damage",
                        serialize=False,
                        to="catalogue.record",
                    ),
                ),
                ("found", models.DateTimeField()),
                ("fault", models.TextField(help_text="what the database or the unpacking said")),
                (
                    "digest",
                    models.BinaryField(
                        help_text="that the record had, where it was emptied; it comes back where the record can be read back again"
                    ),
                ),
                (
                    "asked",
                    models.BooleanField(
                        default=False,
                        help_text="whether the link or the watched folder that it came by was told to give it again",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReadBackWalk",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("begun", models.DateTimeField()),
                ("ended", models.DateTimeField(help_text="empty: it is under way", null=True)),
                ("fault", models.TextField(default="", help_text="of a dictionary, which ended it early; empty: none")),
                ("after_id", models.BigIntegerField(default=0, help_text="records up to this id have been read back")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="there_is_one_read_back_walk")
                ],
            },
        ),
    ]
