"""Keep uploads, with what would become, and what became, of each document."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0012_set_changes"),)

    operations = (
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("folder", models.UUIDField(editable=False, unique=True)),
                ("set_spec", models.CharField(max_length=200, verbose_name="setSpec")),
                (
                    "files",
                    models.JSONField(
                        default=list, help_text="[{name, bytes}, ...], in their order", verbose_name="files"
                    ),
                ),
                ("who", models.CharField(max_length=150, verbose_name="sent by")),
                ("created", models.DateTimeField(verbose_name="sent")),
                ("worked", models.DateTimeField(help_text="when a worker worked on it last")),
                ("finished", models.DateTimeField(null=True, verbose_name="finished")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("checking", "being checked"),
                            ("ready", "waits for you"),
                            ("storing", "being stored"),
                            ("closed", "closed"),
                            ("failed", "failed"),
                        ],
                        default="checking",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                (
                    "estimate",
                    models.PositiveIntegerField(
                        help_text="how many documents the files have, if that is known", null=True
                    ),
                ),
                (
                    "documents",
                    models.PositiveIntegerField(
                        default=0, help_text="so many have been checked", verbose_name="documents"
                    ),
                ),
                (
                    "to_store",
                    models.PositiveIntegerField(
                        default=0, help_text="how many documents are to be stored, or were last"
                    ),
                ),
                ("stored", models.PositiveIntegerField(default=0, help_text="of these, so many are done")),
                ("begun", models.DateTimeField(help_text="when the checking, or the storing, began", null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0, help_text="by workers that have not come on")),
                ("fault", models.JSONField(help_text="why it has failed: a code and facts", null=True)),
            ],
            options={
                "verbose_name": "upload",
                "ordering": ("-created",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ("checking", "storing"))),
                        fields=["worked"],
                        name="uploads_that_wait",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UploadDocument",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "upload", "number", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="from 1, in the order of the files")),
                ("source", models.TextField(help_text="the file, or the member of an archive, that it is in")),
                ("identifier", models.TextField(blank=True)),
                ("key", models.TextField(blank=True, db_collation="C")),
                ("title", models.TextField(blank=True)),
                (
                    "preview",
                    models.CharField(
                        help_text="what would become of it: a name that `ingest` counts under", max_length=20
                    ),
                ),
                ("reason", models.JSONField(null=True)),
                (
                    "structure",
                    models.CharField(blank=True, help_text="as in Validation; empty: not checked here", max_length=20),
                ),
                ("faults", models.JSONField(default=list)),
                ("digest", models.BinaryField(null=True)),
                ("metadata_date", models.DateTimeField(null=True)),
                (
                    "replaces",
                    models.BinaryField(
                        help_text="the digest of the record when this was checked; empty: there was none; none: not compared",
                        null=True,
                    ),
                ),
                ("place", models.BigIntegerField(help_text="where the content begins in the folder's file", null=True)),
                ("length", models.PositiveIntegerField(default=0, help_text="of the packed content")),
                (
                    "length_before",
                    models.PositiveIntegerField(
                        default=0, help_text="of the packed record that it would replace, next to it"
                    ),
                ),
                ("chosen", models.BooleanField(default=False)),
                (
                    "result",
                    models.CharField(
                        blank=True, help_text="what became of it; empty: it was not stored", max_length=20
                    ),
                ),
                ("result_reason", models.JSONField(null=True)),
                (
                    "record_changed",
                    models.BooleanField(
                        default=False,
                        help_text="the record was another one when this was stored than when it was checked",
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="contents",
                        to="catalogue.upload",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["upload", "preview", "number"], name="upload_documents_by_preview"),
                    models.Index(fields=["upload", "key"], name="upload_documents_by_key"),
                    models.Index(
                        condition=models.Q(("chosen", True), ("result", "")),
                        fields=["upload", "number"],
                        name="upload_documents_to_store",
                    ),
                ],
            },
        ),
    )
