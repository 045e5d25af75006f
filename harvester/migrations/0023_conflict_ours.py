"""Our version of a record that an act on a conflict deletes or replaces, so that the act can be undone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two columns without a default; the version before writes neither."""

    dependencies = [("harvester", "0022_plain_words")]

    operations = [
        migrations.AddField(
            model_name="conflict",
            name="ours",
            field=models.BinaryField(
                help_text="our version as it was before the act that settled it, to undo that", null=True
            ),
        ),
        migrations.AddField(
            model_name="conflict",
            name="ours_provenance",
            field=models.JSONField(help_text="of that version", null=True),
        ),
    ]
