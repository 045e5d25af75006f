"""The table of the audit log."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Act",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("who", models.CharField(help_text="the account, or the user of the operating system", max_length=150)),
                (
                    "source",
                    models.CharField(
                        choices=[("administration", "Administration"), ("command line", "Command Line")], max_length=20
                    ),
                ),
                ("address", models.CharField(blank=True, max_length=45, verbose_name="client address")),
                ("act", models.CharField(max_length=500, verbose_name="what")),
                (
                    "model",
                    models.CharField(
                        blank=True, help_text="such as harvester.link", max_length=100, verbose_name="kind of object"
                    ),
                ),
                ("object_id", models.CharField(blank=True, max_length=100)),
                ("object_name", models.CharField(blank=True, max_length=200, verbose_name="object")),
                (
                    "changes",
                    models.JSONField(blank=True, default=list, help_text="objects with their fields: before and after"),
                ),
                ("answer", models.TextField(blank=True, help_text="what the node said to it")),
                (
                    "account",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-at", "-pk"),
                "indexes": [models.Index(fields=["-at", "-id"], name="audit_act_newest")],
            },
        ),
    ]
