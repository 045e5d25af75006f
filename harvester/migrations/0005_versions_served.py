"""Store which version each remote header stands for, and how many listed records are not served as the provider has them."""

from django.db import migrations, models

from catalogue.migration_operations import LockTables


class Migration(migrations.Migration):
    dependencies = (("harvester", "0004_lateness"),)
    operations = (
        LockTables("harvester_remoteheader", "harvester_run"),
        migrations.AddField(
            model_name="remoteheader",
            name="digest",
            field=models.BinaryField(
                null=True, help_text="of the version that was stored last; none: not known, or a deletion"
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="not_served",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="listed by the provider, and not what is served here: rejected, or another source's version counts",
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="stale",
            field=models.PositiveIntegerField(
                default=0, help_text="the provider has another version than is served here"
            ),
        ),
    )
