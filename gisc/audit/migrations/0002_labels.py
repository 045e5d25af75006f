"""Give fields and tables their names in words. Only texts, in Django's state of the models; the database stays as it is."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from catalogue.migration_operations import ChangeTexts


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTexts(
            state_operations=[
                migrations.AlterModelOptions(
                    name="act",
                    options={
                        "ordering": ("-at", "-pk"),
                        "verbose_name": "act",
                        "verbose_name_plural": "acts in the audit log",
                    },
                ),
                migrations.AlterField(
                    model_name="act",
                    name="account",
                    field=models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="account",
                    ),
                ),
                migrations.AlterField(
                    model_name="act",
                    name="answer",
                    field=models.TextField(blank=True, help_text="what the node said to it", verbose_name="answer"),
                ),
                migrations.AlterField(
                    model_name="act",
                    name="at",
                    field=models.DateTimeField(verbose_name="time"),
                ),
                migrations.AlterField(
                    model_name="act",
                    name="changes",
                    field=models.JSONField(
                        blank=True,
                        default=list,
                        help_text="objects with their fields: before and after",
                        verbose_name="changes",
                    ),
                ),
                migrations.AlterField(
                    model_name="act",
                    name="object_id",
                    field=models.CharField(blank=True, max_length=100, verbose_name="number of the object"),
                ),
                migrations.AlterField(
                    model_name="act",
                    name="source",
                    field=models.CharField(
                        choices=[("administration", "administration"), ("command line", "command line")],
                        max_length=20,
                        verbose_name="done by",
                    ),
                ),
                migrations.AlterField(
                    model_name="act",
                    name="who",
                    field=models.CharField(
                        help_text="the account, or the user of the operating system", max_length=150, verbose_name="who"
                    ),
                ),
            ]
        )
    ]
