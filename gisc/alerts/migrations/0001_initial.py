"""Create the recipients of alerts, the problems as they were seen, and the outbox."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("harvester", "0017_host_clock_measured"),
    ]

    operations = [
        migrations.CreateModel(
            name="Condition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.CharField(max_length=40)),
                ("subject", models.CharField(max_length=80)),
                ("name", models.CharField(max_length=100)),
                ("severity", models.CharField(max_length=10)),
                ("state", models.CharField(max_length=10)),
                ("text", models.TextField()),
                ("todo", models.TextField(blank=True)),
                ("url", models.TextField()),
                ("link_id", models.BigIntegerField(help_text="the link may have been removed since", null=True)),
                ("begun", models.DateTimeField(help_text="since when it is so, as far as is known")),
                ("first_seen", models.DateTimeField()),
                (
                    "gone_since",
                    models.DateTimeField(
                        help_text="it was not there any more from then on; it may come back", null=True
                    ),
                ),
                ("ended", models.DateTimeField(help_text="it is over", null=True)),
            ],
            options={
                "ordering": ("-first_seen", "-pk"),
                "indexes": [models.Index(fields=["ended"], name="conditions_by_end")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended", None)),
                        fields=("code", "subject"),
                        name="one_open_condition_of_a_subject",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Recipient",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        help_text="of a person, or of a service", max_length=60, unique=True, verbose_name="name"
                    ),
                ),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="e-mail address")),
                ("sealed_url", models.TextField(blank=True, editable=False)),
                ("service", models.CharField(blank=True, editable=False, max_length=60, verbose_name="service")),
                ("enabled", models.BooleanField(default=True, verbose_name="enabled")),
                (
                    "least_severity",
                    models.CharField(
                        choices=[
                            ("urgent", "urgent ones only"),
                            ("soon", "urgent ones, and those of this week"),
                            ("notice", "all"),
                        ],
                        default="soon",
                        max_length=10,
                        verbose_name="problems",
                    ),
                ),
                (
                    "codes",
                    models.JSONField(
                        blank=True, default=list, help_text="none chosen: all kinds", verbose_name="kinds of problems"
                    ),
                ),
                (
                    "node",
                    models.BooleanField(
                        default=True,
                        help_text="also problems of the node itself: its disk, clock, worker, backup",
                        verbose_name="this node",
                    ),
                ),
                ("weekly", models.BooleanField(default=False, verbose_name="weekly summary")),
                (
                    "weekly_day",
                    models.PositiveSmallIntegerField(
                        choices=[
                            (0, "Monday"),
                            (1, "Tuesday"),
                            (2, "Wednesday"),
                            (3, "Thursday"),
                            (4, "Friday"),
                            (5, "Saturday"),
                            (6, "Sunday"),
                        ],
                        default=0,
                        verbose_name="on",
                    ),
                ),
                (
                    "weekly_hour",
                    models.PositiveSmallIntegerField(
                        default=6,
                        help_text="0 to 23",
                        validators=[django.core.validators.MaxValueValidator(23)],
                        verbose_name="at, hour UTC",
                    ),
                ),
                ("last_weekly", models.DateTimeField(editable=False, null=True)),
                (
                    "links",
                    models.ManyToManyField(
                        blank=True,
                        help_text="none chosen: all links.",
                        related_name="+",
                        to="harvester.link",
                        verbose_name="links",
                    ),
                ),
            ],
            options={
                "verbose_name": "recipient of alerts",
                "verbose_name_plural": "recipients of alerts",
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("begin", "begins"),
                            ("end", "is over"),
                            ("weekly", "weekly summary"),
                            ("test", "test"),
                        ],
                        max_length=10,
                        verbose_name="kind",
                    ),
                ),
                ("title", models.TextField(verbose_name="title")),
                ("body", models.TextField(verbose_name="text")),
                ("created", models.DateTimeField(verbose_name="created")),
                ("not_before", models.DateTimeField(verbose_name="next try")),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="tries")),
                (
                    "batch",
                    models.UUIDField(
                        help_text="what is sent together, and again together if nobody knows whether it was sent",
                        null=True,
                    ),
                ),
                (
                    "leased_until",
                    models.DateTimeField(help_text="a process sends it; another may try after this", null=True),
                ),
                ("fault", models.TextField(blank=True, verbose_name="why it was not sent")),
                ("sent", models.DateTimeField(null=True, verbose_name="sent")),
                (
                    "condition",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="alerts.condition",
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="alerts.recipient",
                    ),
                ),
            ],
            options={
                "verbose_name": "alert",
                "verbose_name_plural": "alerts in the log",
                "ordering": ("-created", "-pk"),
            },
        ),
        migrations.AddConstraint(
            model_name="recipient",
            constraint=models.CheckConstraint(
                condition=models.Q(("email", ""), ("sealed_url", ""), _connector="XOR"),
                name="a_recipient_has_one_address",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(condition=models.Q(("sent", None)), fields=["recipient", "id"], name="alerts_that_wait"),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["-created", "-id"], name="alerts_by_created"),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(fields=("recipient", "condition", "kind"), name="one_alert_of_a_kind"),
        ),
    ]
