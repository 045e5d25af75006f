"""Say of each link who sees the records that it brings."""

import django.db.models.deletion
from django.db import migrations, models

from catalogue import sql
from catalogue.migration_operations import LockTables

_DROP = """
    DROP TRIGGER category_update ON harvester_link;
    DROP TRIGGER category_insert ON harvester_link;
    DROP TRIGGER category_inherited ON harvester_link;
    DROP FUNCTION harvester_link_restricted();
    DROP FUNCTION harvester_link_inherits();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0015_visibility"),
        ("harvester", "0023_conflict_ours"),
    ]

    operations = [
        LockTables("harvester_link", readable=("catalogue_category",)),
        migrations.AddField(
            model_name="link",
            name="category",
            field=models.ForeignKey(
                blank=True,
                help_text="empty: everybody. A category limits all records that this link brought, and the link's own page",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="links",
                to="catalogue.category",
                verbose_name="who sees its records",
            ),
        ),
        migrations.RunSQL(sql.read("harvester", "link_category.0001"), _DROP),
    ]
