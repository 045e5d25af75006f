"""Keep the last count of what the whole catalogue is distributed over."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0018_search_terms"),
    ]

    operations = [
        migrations.CreateModel(
            name="Overview",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("counted_at", models.DateTimeField()),
                ("took_s", models.FloatField(help_text="seconds that the count took: the larger, the rarer")),
                ("live", models.BigIntegerField(help_text="records that were counted")),
                ("newest", models.DateTimeField(help_text="the newest datestamp at that time", null=True)),
                (
                    "hidden_mark",
                    models.TextField(
                        help_text="the newest withdrawals of the right to see: others since make the count void"
                    ),
                ),
                ("facets", models.JSONField(help_text="by name: [[value, number], ...], the largest first")),
                (
                    "coverage",
                    models.JSONField(
                        help_text="records whose boxes touch each cell of the map, row by row from north and west"
                    ),
                ),
                (
                    "everywhere",
                    models.BigIntegerField(default=0, help_text="records of the whole world, which the map leaves out"),
                ),
            ],
            options={
                "verbose_name_plural": "overviews",
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="there_is_one_overview")],
            },
        ),
    ]
