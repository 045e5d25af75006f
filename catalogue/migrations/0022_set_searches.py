"""Let virtual sets be defined by a search. A set that is lists no record for anybody, so `catalogue_settle` asks for it.

A former version of the node that still runs lets no record follow a search; none is defined until this version runs.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from catalogue import sql
from catalogue.migration_operations import LockTables


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0021_direct_memberships"),
    ]

    operations = [
        LockTables(
            readable=(
                "catalogue_metadataset",
                "catalogue_recordcategory",
                "catalogue_sourcecategory",
                "catalogue_journaloutbox",
            )
        ),
        migrations.CreateModel(
            name="SetSearch",
            fields=[
                (
                    "set",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="search",
                        serialize=False,
                        to="catalogue.metadataset",
                    ),
                ),
                ("address", models.TextField(blank=True, help_text="the arguments of a search on the public page")),
                ("filter", models.TextField(blank=True, help_text="a filter in CQL2 text")),
                ("condition", models.JSONField()),
                ("changed", models.DateTimeField()),
            ],
            options={
                "verbose_name": "search of a virtual set",
                "verbose_name_plural": "searches of virtual sets",
            },
        ),
        migrations.AlterField(
            model_name="metadataset",
            name="kind",
            field=models.CharField(
                choices=[
                    ("own", "own: this node's area of responsibility"),
                    ("peer", "peer: another GISC's"),
                    ("shared", "shared: joint responsibility"),
                    ("virtual", "virtual: made of other sets, or of what a search finds"),
                    ("catalogue", "catalogue: every record"),
                ],
                default="peer",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="setchange",
            name="act",
            field=models.CharField(
                choices=[("include", "included"), ("exclude", "excluded"), ("search", "found by its search")],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="setchange",
            name="specs",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), help_text="the sets that were named, or the search", size=None
            ),
        ),
        migrations.RunSQL(sql.read("catalogue", "visibility.0002"), sql.read("catalogue", "visibility.0001")),
    ]
