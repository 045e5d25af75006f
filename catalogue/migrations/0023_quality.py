"""Keep the scores of the key performance indicators beside each label, and their sums for sets and centres.

Each record is checked again by the tasks, as the rules are new; until then it has no score.
"""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0022_set_searches"),
    ]

    operations = [
        migrations.CreateModel(
            name="Quality",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("set", "set"), ("centre", "centre")], max_length=10)),
                ("name", models.TextField(blank=True, verbose_name="name")),
                ("live", models.BigIntegerField(verbose_name="records")),
                ("valid", models.BigIntegerField(verbose_name="valid")),
                ("invalid", models.BigIntegerField(verbose_name="invalid")),
                ("not_checked", models.BigIntegerField(verbose_name="not checked")),
                ("faulty", models.BigIntegerField(help_text="of any rule", verbose_name="with remarks")),
                ("percent", models.FloatField(help_text="per cent", null=True, verbose_name="mean score")),
                (
                    "kpis",
                    models.JSONField(
                        default=list, help_text="KPI-1 to KPI-12 in per cent; null where there is nothing to score"
                    ),
                ),
                ("grades", models.JSONField(default=dict, help_text="how many records have each grade")),
                ("rules", models.JSONField(default=dict, help_text="how many records break each rule")),
                ("counted_at", models.DateTimeField(verbose_name="counted")),
                ("took_s", models.FloatField(help_text="seconds that the count of all took: the larger, the rarer")),
            ],
            options={
                "verbose_name": "quality of a set or centre",
                "verbose_name_plural": "quality of sets and centres",
            },
        ),
        migrations.AddField(
            model_name="validation",
            name="grade",
            field=models.CharField(
                blank=True, db_default="", help_text="empty: not known, as the schemas were not looked at", max_length=1
            ),
        ),
        migrations.AddField(
            model_name="validation",
            name="percent",
            field=models.FloatField(help_text="of all scores together", null=True),
        ),
        migrations.AddField(
            model_name="validation",
            name="scores",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.SmallIntegerField(),
                db_default=[],
                default=list,
                help_text="KPI-1 to KPI-12: what is reached and what can be, in turn",
                size=None,
            ),
        ),
        migrations.AddIndex(
            model_name="validation",
            index=models.Index(fields=["checked"], name="validation_by_time"),
        ),
    ]
