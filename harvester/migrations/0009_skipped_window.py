"""Store the window of headers that a list has left out because their number was as it had been (H50)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("harvester", "0008_oai_identifiers"),)
    operations = (
        migrations.AddField(
            "run",
            "skipped_from",
            models.DateTimeField(
                null=True, help_text="begin of the window before `from` whose headers were counted and not listed (H50)"
            ),
        ),
        migrations.AddField(
            "run",
            "skipped_size",
            models.PositiveIntegerField(null=True, help_text="how many headers the provider counted in it"),
        ),
    )
