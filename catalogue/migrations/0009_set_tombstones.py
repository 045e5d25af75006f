"""Tell of each membership that has ended whether the record left the set, and whether it is live elsewhere (P75)."""

from django.db import migrations, models
from django.db.models import Q

from catalogue import sql
from catalogue.migration_operations import LockTables

_DROP = """
    DROP TRIGGER ended_or_revived ON catalogue_record;
    DROP TRIGGER ended_update ON catalogue_membership;
    DROP TRIGGER ended_insert ON catalogue_membership;
    DROP FUNCTION catalogue_record_ended();
    DROP FUNCTION catalogue_membership_ended();
"""
# The trigger does the same for records that are live; what died before its record had left the set.
_MARK = """
    UPDATE catalogue_membership m SET departed = r.deleted AND m.datestamp < r.datestamp
    FROM catalogue_record r WHERE r.id = m.record_id AND m.deleted
"""


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0008_spellings"),)
    operations = (
        LockTables("catalogue_membership", "catalogue_listsize", readable=("catalogue_record",)),
        migrations.AddField(
            model_name="membership",
            name="departed",
            field=models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="deleted because the record left the set: the header there names this set alone (P75)",
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="elsewhere",
            field=models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="departed, and the record is live elsewhere: sent only to harvesters that want set tombstones",
            ),
        ),
        migrations.AddField(
            model_name="listsize", name="elsewhere", field=models.BigIntegerField(db_default=0, default=0)
        ),
        migrations.AddIndex(
            model_name="membership",
            index=models.Index(
                fields=("set", "datestamp", "record"), condition=Q(elsewhere=False), name="membership_order_for_others"
            ),
        ),
        migrations.AddIndex(
            model_name="membership",
            index=models.Index(fields=("set", "record"), condition=Q(elsewhere=True), name="memberships_elsewhere"),
        ),
        migrations.RunSQL(sql.read("catalogue", "list_sizes.0002"), sql.read("catalogue", "list_sizes.0001")),
        migrations.RunSQL(sql.read("catalogue", "set_tombstones.0001"), _DROP),
        migrations.RunSQL(_MARK, migrations.RunSQL.noop),
    )
