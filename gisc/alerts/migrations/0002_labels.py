"""Give fields and tables their names in words. Only texts, in Django's state of the models; the database stays as it is."""

import django.db.models.deletion
from django.db import migrations, models

from catalogue.migration_operations import ChangeTexts


class Migration(migrations.Migration):
    dependencies = [
        ("alerts", "0001_initial"),
    ]

    operations = [
        ChangeTexts(
            state_operations=[
                migrations.AlterModelOptions(
                    name="condition",
                    options={
                        "ordering": ("-first_seen", "-pk"),
                        "verbose_name": "problem",
                        "verbose_name_plural": "problems",
                    },
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="begun",
                    field=models.DateTimeField(
                        help_text="since when it is so, as far as is known", verbose_name="begun"
                    ),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="code",
                    field=models.CharField(max_length=40, verbose_name="code"),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="ended",
                    field=models.DateTimeField(help_text="it is over", null=True, verbose_name="ended"),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="first_seen",
                    field=models.DateTimeField(verbose_name="first seen"),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="gone_since",
                    field=models.DateTimeField(
                        help_text="it was not there any more from then on; it may come back",
                        null=True,
                        verbose_name="gone since",
                    ),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="link_id",
                    field=models.BigIntegerField(
                        help_text="the link may have been removed since", null=True, verbose_name="link"
                    ),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="name",
                    field=models.CharField(max_length=100, verbose_name="name"),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="severity",
                    field=models.CharField(max_length=10, verbose_name="severity"),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="state",
                    field=models.CharField(max_length=10, verbose_name="state"),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="subject",
                    field=models.CharField(max_length=80, verbose_name="subject"),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="text",
                    field=models.TextField(verbose_name="text"),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="todo",
                    field=models.TextField(blank=True, verbose_name="what to do"),
                ),
                migrations.AlterField(
                    model_name="condition",
                    name="url",
                    field=models.TextField(verbose_name="page"),
                ),
                migrations.AlterField(
                    model_name="message",
                    name="batch",
                    field=models.UUIDField(
                        help_text="what is sent together, and again together if nobody knows whether it was sent",
                        null=True,
                        verbose_name="sent together",
                    ),
                ),
                migrations.AlterField(
                    model_name="message",
                    name="condition",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="alerts.condition",
                        verbose_name="problem",
                    ),
                ),
                migrations.AlterField(
                    model_name="message",
                    name="leased_until",
                    field=models.DateTimeField(
                        help_text="a process sends it; another may try after this",
                        null=True,
                        verbose_name="sent by a process until",
                    ),
                ),
                migrations.AlterField(
                    model_name="message",
                    name="recipient",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="alerts.recipient",
                        verbose_name="recipient",
                    ),
                ),
                migrations.AlterField(
                    model_name="recipient",
                    name="last_weekly",
                    field=models.DateTimeField(editable=False, null=True, verbose_name="last weekly summary"),
                ),
            ]
        )
    ]
