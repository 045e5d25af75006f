"""Keep what the files of watched folders gave."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0013_uploads"),)

    operations = (
        migrations.CreateModel(
            name="WatchedFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("folder", models.TextField()),
                ("path", models.TextField(help_text="below the folder")),
                ("size", models.BigIntegerField(null=True)),
                ("modified_ns", models.BigIntegerField(null=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("folder", "path"), name="one_row_a_watched_file")],
            },
        ),
        migrations.CreateModel(
            name="WatchedRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("folder", models.TextField()),
                (
                    "path",
                    models.TextField(
                        blank=True, help_text="of the file; empty: it has left its file, or was withdrawn"
                    ),
                ),
                ("identifier", models.TextField()),
                ("withdrawn", models.DateTimeField(help_text="when it was, as its file had vanished", null=True)),
            ],
            options={
                "indexes": [models.Index(fields=["folder", "path"], name="watched_records_by_file")],
                "constraints": [
                    models.UniqueConstraint(fields=("folder", "identifier", "path"), name="one_row_a_watched_record")
                ],
            },
        ),
    )
