"""Mark the memberships of claimed records as direct.

An earlier version did not, where the set already showed the record because of a set below it: the record then left the set with
the one below, though its source still had it. What harvesters see does not change.
"""

from django.db import migrations

from catalogue.migration_operations import LockTables

_MAKE_DIRECT = """
    UPDATE catalogue_membership m SET direct = true FROM catalogue_claim c, catalogue_record r
    WHERE m.record_id = c.record_id AND m.set_id = c.set_id AND NOT m.deleted AND NOT m.direct
    AND r.id = c.record_id AND NOT r.deleted
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0020_places"),
    ]

    operations = [
        LockTables(readable=("catalogue_membership", "catalogue_listsize")),
        migrations.RunSQL(_MAKE_DIRECT, migrations.RunSQL.noop),
    ]
