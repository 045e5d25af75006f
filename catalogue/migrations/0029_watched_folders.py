"""Store how watched folders are, and which of their files have documents that were not stored, so that somebody learns of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0028_languages_and_times"),
    ]

    operations = [
        migrations.CreateModel(
            name="WatchedFolder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("folder", models.TextField(unique=True)),
                ("looked", models.DateTimeField(help_text="when it was looked through last")),
                (
                    "every_s",
                    models.PositiveIntegerField(
                        help_text="seconds between two looks; empty: it is not to be watched now", null=True
                    ),
                ),
                (
                    "unreadable",
                    models.JSONField(
                        default=list, help_text="folders that cannot be listed, and files that cannot be read"
                    ),
                ),
                (
                    "above_ceiling",
                    models.PositiveIntegerField(
                        default=0, help_text="records that stay though their files have vanished"
                    ),
                ),
                ("ceiling", models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.AddField(
            model_name="watchedfile",
            name="fault",
            field=models.JSONField(
                help_text="the first document that was not stored: where it is, and why; empty: all were", null=True
            ),
        ),
        migrations.AddIndex(
            model_name="watchedfile",
            index=models.Index(
                condition=models.Q(("fault__isnull", False)),
                fields=["folder", "path"],
                name="watched_files_with_faults",
            ),
        ),
    ]
