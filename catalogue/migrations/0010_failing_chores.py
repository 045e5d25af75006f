"""Chores of the ticks that fail, so that health can say so: until now only the log did."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalogue", "0009_set_tombstones")]

    operations = [
        migrations.CreateModel(
            name="FailingChore",
            fields=[
                ("chore", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("since", models.DateTimeField(help_text="the first time of those without a success in between")),
                ("last", models.DateTimeField()),
                ("fault", models.TextField(blank=True)),
            ],
        ),
    ]
