"""Find records by their exact OAI identifier, no longer by a case-folded key (P68, P69)."""

from django.db import migrations, models

from catalogue.migration_operations import LockTables

# Every identifier stored until now is a URI, and so its own OAI identifier.
_SET_KEYS = "UPDATE catalogue_record SET key = identifier WHERE key <> identifier"


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0004_set_fed_here"),)
    operations = (
        LockTables(readable=("catalogue_record", "catalogue_listsize")),
        migrations.AlterField(
            "record", "identifier", models.TextField(help_text="gmd:fileIdentifier, as it is in the metadata")
        ),
        migrations.AlterField(
            "record",
            "key",
            models.TextField(
                db_collation="C",
                help_text="the OAI identifier: gmd:fileIdentifier, percent-encoded where that is no URI (P68)",
            ),
        ),
        migrations.RunSQL(_SET_KEYS, migrations.RunSQL.noop),
    )
