"""Store when the last tick of alerts came and how long it took, so that ticks leave time for runs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("alerts", "0002_labels"),
    ]

    operations = [
        migrations.CreateModel(
            name="AlertCanary",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("last", models.DateTimeField()),
                ("took_s", models.FloatField(db_default=0, default=0, help_text="how long that tick took")),
            ],
            options={
                "verbose_name_plural": "alert canaries",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="there_is_one_alert_canary")
                ],
            },
        ),
    ]
