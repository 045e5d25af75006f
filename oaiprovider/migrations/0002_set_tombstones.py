"""Let a profile ask for set tombstones (P75)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("oaiprovider", "0001_initial"),)
    operations = (
        migrations.AddField(
            model_name="profile",
            name="set_tombstones",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="in the list of a set, records that left it and live in another set come as deleted. For a harvester "
                "that keeps a store for each set; one that puts several sets into one store would delete live records",
            ),
        ),
    )
