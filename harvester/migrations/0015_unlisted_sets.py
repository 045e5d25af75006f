"""Name the state of a set that a provider does not list, and gives records of."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("harvester", "0014_queue"),)
    operations = (
        migrations.AlterField(
            "link",
            "set_state",
            models.CharField(
                "remote set",
                blank=True,
                choices=[
                    ("listed", "the provider lists it"),
                    ("missing", "the provider lists other sets and not this one"),
                    ("no sets", "the provider says that it has no sets"),
                    ("unlisted", "the provider does not list it, and gives records of it"),
                    ("not told", "the provider could not be asked for its sets"),
                ],
                editable=False,
                help_text="as last looked (H17)",
                max_length=10,
            ),
        ),
    )
