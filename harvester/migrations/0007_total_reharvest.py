"""Links are harvested anew with their content, slice by slice. Monthly at first, from the day after the upgrade on."""

from django.db import migrations, models

from catalogue.migration_operations import LockTables


def _moment(name, verbose_name, **options):
    return migrations.AddField("link", name, models.DateTimeField(verbose_name, null=True, editable=False, **options))


class Migration(migrations.Migration):
    dependencies = (("harvester", "0006_deletions_within_a_day"),)
    operations = (
        LockTables("harvester_link", "harvester_run", "harvester_remoteheader"),
        migrations.AddField(
            "link",
            "content_days",
            models.PositiveSmallIntegerField(
                "total re-harvest",
                choices=[(0, "off"), (7, "weekly"), (28, "monthly")],
                default=28,
                db_default=28,
                help_text="of all records with their content, in slices, one a day or more: finds what the provider has "
                "changed without a new datestamp (W24)",
            ),
        ),
        _moment("next_content", "next slice of the total re-harvest"),
        _moment(
            "content_to",
            "re-harvested up to",
            help_text="this cycle has harvested what is stamped up to here; none: it is complete",
        ),
        _moment("content_begun", "re-harvest begun"),
        _moment("content_ended", "re-harvested as a whole"),
        migrations.AddField(
            "run",
            "changed",
            models.PositiveIntegerField(
                default=0,
                db_default=0,
                help_text="their content differs, though identifier and datestamp are those that were known",
            ),
        ),
        migrations.AlterField(
            "run",
            "purpose",
            models.CharField(
                choices=[("harvest", "harvest"), ("comparison", "comparison"), ("content", "total re-harvest")],
                default="harvest",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            "remoteheader",
            "state",
            models.CharField(
                choices=[
                    ("held", "taken as the provider gave it"),
                    ("wanted", "to be asked for by GetRecord"),
                    ("absent", "not listed where it should be: to be asked for by GetRecord"),
                    ("doubted", "changed here while another provider served the link: to be asked for by GetRecord"),
                    (
                        "unproven",
                        "its header is as before, which proves nothing in a total re-harvest: to be asked for by GetRecord",
                    ),
                    ("vanished", "no longer known to the provider"),
                    ("rejected", "what came was not stored"),
                ],
                default="held",
                max_length=10,
            ),
        ),
        migrations.RemoveIndex("remoteheader", "headers_wanted"),
        migrations.AddIndex(
            "remoteheader",
            models.Index(
                fields=["link", "id"],
                condition=models.Q(state__in=("wanted", "absent", "doubted", "unproven")),
                name="headers_wanted",
            ),
        ),
    )
