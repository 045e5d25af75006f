"""Count for each link the lists in a row in which its provider ignored `from`."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("harvester", "0015_unlisted_sets"),)
    operations = (
        migrations.AddField(
            "link",
            "from_ignored",
            models.PositiveIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="lists in a row, until now, that were mostly older than what was asked for",
            ),
        ),
    )
