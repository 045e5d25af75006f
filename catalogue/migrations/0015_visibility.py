"""Say of each set, link and record who sees it, and keep the tombstones of those who see it no more."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from catalogue import sql
from catalogue.migration_operations import LockTables

_DROP = """
    DROP TRIGGER restricted ON catalogue_recordcategory;
    DROP TRIGGER restricted ON catalogue_sourcecategory;
    DROP TRIGGER restricted_update ON catalogue_metadataset;
    DROP TRIGGER restricted_insert ON catalogue_metadataset;
    DROP FUNCTION catalogue_record_restricted();
    DROP FUNCTION catalogue_source_restricted();
    DROP FUNCTION catalogue_set_restricted();
    DROP FUNCTION catalogue_journal_restriction(text, bigint, boolean);
    DROP FUNCTION catalogue_settle(text[], bigint[], timestamptz, text);
    DROP FUNCTION catalogue_audience_of(bigint[], bigint[]);
    DROP FUNCTION catalogue_first_audience();
"""
# Records that are in unlisted sets alone were served until now: the next tick withdraws them.
_UNLISTED = """
    INSERT INTO catalogue_visibilitychange (kind, name)
    SELECT 'set', id::text FROM catalogue_metadataset WHERE NOT public AND kind <> 'catalogue'
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0014_watched_folders"),
    ]

    operations = [
        LockTables(
            "catalogue_membership",
            "catalogue_record",
            "catalogue_metadataset",
            readable=("catalogue_journaloutbox",),
        ),
        migrations.CreateModel(
            name="Audience",
            fields=[
                ("id", models.AutoField(primary_key=True, serialize=False)),
                (
                    "categories",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                (
                    "sets",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Category",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        help_text="such as “members only”; harvesters never see it", max_length=60, unique=True
                    ),
                ),
                (
                    "description",
                    models.TextField(blank=True, help_text="for the administration: why, until when, whom to ask"),
                ),
                (
                    "signed_in",
                    models.BooleanField(
                        default=True,
                        help_text="they find its records on the public pages as well; else harvesters alone get them",
                        verbose_name="for people who are signed in",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "categories",
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="RecordCategory",
            fields=[
                (
                    "key",
                    models.TextField(
                        db_collation="C", help_text="the OAI identifier", primary_key=True, serialize=False
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SourceCategory",
            fields=[
                ("source", models.TextField(help_text="the name of the link", primary_key=True, serialize=False)),
            ],
        ),
        migrations.CreateModel(
            name="VisibilityChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("set", "set"),
                            ("link", "link"),
                            ("lost", "a harvester may not see them any more"),
                            ("gained", "a harvester may see them now"),
                        ],
                        max_length=10,
                    ),
                ),
                ("name", models.TextField(help_text="key of the set or profile, or name of the link")),
                (
                    "audiences",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.IntegerField(), db_default=[], default=list, size=None
                    ),
                ),
                (
                    "last",
                    models.BigIntegerField(db_default=0, default=0, help_text="the last record that was looked at"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Withdrawal",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "record", "set_id", "audience", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "record",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="withdrawals",
                        to="catalogue.record",
                    ),
                ),
                ("set_id", models.BigIntegerField(help_text="0: the whole catalogue")),
                ("audience", models.IntegerField()),
                ("datestamp", models.DateTimeField()),
                (
                    "direct",
                    models.BooleanField(default=False, help_text="it was put into the set itself: headers name it"),
                ),
            ],
        ),
        migrations.RemoveIndex(
            model_name="membership",
            name="membership_order_for_others",
        ),
        migrations.AddField(
            model_name="membership",
            name="audience",
            field=models.IntegerField(db_default=0, default=0, editable=False, help_text="that of the record"),
        ),
        migrations.AddField(
            model_name="record",
            name="audience",
            field=models.IntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="who sees it, by its set, link and own category; 0: everybody",
            ),
        ),
        migrations.AlterField(
            model_name="journaloutbox",
            name="event",
            field=models.CharField(
                choices=[
                    ("deleted", "deleted"),
                    ("returned", "returned after a deletion"),
                    ("left", "left a set and lives elsewhere"),
                    ("joined", "came back to a set it had left"),
                    ("moved", "moved to another owner"),
                    ("restricted", "who sees a set, the records of a link, or a record, was changed"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="metadataset",
            name="public",
            field=models.BooleanField(
                default=True,
                help_text="listed by ListSets and on the public pages; records that are in no listed set are not public either",
            ),
        ),
        migrations.AddIndex(
            model_name="membership",
            index=models.Index(
                condition=models.Q(("audience", 0), ("elsewhere", False)),
                fields=["set", "datestamp", "record"],
                name="public_membership_order",
            ),
        ),
        migrations.AddIndex(
            model_name="membership",
            index=models.Index(
                condition=models.Q(("audience", 0), _negated=True),
                fields=["set", "audience"],
                name="hidden_memberships",
            ),
        ),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(
                condition=models.Q(("audience", 0)), fields=["datestamp", "id"], name="public_record_order"
            ),
        ),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(
                condition=models.Q(("audience", 0), _negated=True),
                fields=["audience", "datestamp", "id"],
                name="hidden_records",
            ),
        ),
        migrations.AddConstraint(
            model_name="audience",
            constraint=models.UniqueConstraint(fields=("categories", "sets"), name="one_audience_of_a_kind"),
        ),
        migrations.AddField(
            model_name="metadataset",
            name="category",
            field=models.ForeignKey(
                blank=True,
                help_text="empty: everybody. A category limits all records of the set, also those that are in another one",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="sets",
                to="catalogue.category",
                verbose_name="who sees its records",
            ),
        ),
        migrations.AddField(
            model_name="recordcategory",
            name="category",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="records", to="catalogue.category"
            ),
        ),
        migrations.AddField(
            model_name="sourcecategory",
            name="category",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="sources", to="catalogue.category"
            ),
        ),
        migrations.AddIndex(
            model_name="withdrawal",
            index=models.Index(fields=["set_id", "datestamp", "record"], name="withdrawal_list_order"),
        ),
        migrations.RunSQL(sql.read("catalogue", "list_sizes.0003"), sql.read("catalogue", "list_sizes.0002")),
        migrations.RunSQL(sql.read("catalogue", "visibility.0001"), _DROP),
        migrations.RunSQL(_UNLISTED, migrations.RunSQL.noop),
    ]
