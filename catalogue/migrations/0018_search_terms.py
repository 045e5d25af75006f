"""Store what search finds a record by, made in Python, in place of an index of words that the database made.

The terms of records that are there are made by the ticks after (`writing.search_index`): until then search does not find them,
and its pages say so. A former version of the node still runs; without its index its own search is slow.
"""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models

from catalogue import sql
from catalogue.migration_operations import LockTables

_DROP = """
    DROP TRIGGER terms_outdated ON catalogue_description;
    DROP FUNCTION catalogue_terms_outdated();
    DROP FUNCTION catalogue_boxes_meet(jsonb, float8, float8, float8, float8);
    DROP FUNCTION catalogue_box_meets(jsonb, float8, float8, float8, float8);
    DROP FUNCTION catalogue_breadth(float8, float8);
    DROP FUNCTION catalogue_around_the_world(float8);
    DROP FUNCTION catalogue_last_part(text);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0017_record_versions"),
    ]

    operations = [
        LockTables("catalogue_description", readable=("catalogue_record",)),
        migrations.CreateModel(
            name="Word",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "folded", "stem", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("folded", models.TextField(db_collation="C")),
                ("stem", models.TextField(db_collation="C")),
                ("number", models.IntegerField(help_text="the checksum of the stem that terms are made of")),
            ],
        ),
        migrations.AddField(
            model_name="description",
            name="kind",
            field=models.TextField(blank=True, db_default="", help_text="code of the hierarchy level, such as dataset"),
        ),
        migrations.AddField(
            model_name="description",
            name="organisations",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                db_default=[],
                default=list,
                help_text="first that which answers for the metadata",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="description",
            name="policy",
            field=models.TextField(blank=True, db_default="", help_text="term of the WMO_DataLicenseCode list"),
        ),
        migrations.AddField(
            model_name="description",
            name="terms",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.IntegerField(),
                help_text="what search finds it by (documents.search_terms); none: not made yet",
                null=True,
                size=None,
            ),
        ),
        migrations.AddIndex(
            model_name="description",
            index=django.contrib.postgres.indexes.GinIndex(fields=["terms"], name="descriptions_by_terms"),
        ),
        migrations.AddIndex(
            model_name="description",
            index=models.Index(
                condition=models.Q(("terms", None)), fields=["record"], name="descriptions_without_terms"
            ),
        ),
        migrations.RunSQL(sql.read("catalogue", "search_terms.0001"), _DROP),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(
                models.Func("key", function="catalogue_last_part", output_field=models.TextField()),
                name="records_by_last_part",
            ),
        ),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(fields=["id"], include=("datestamp", "audience"), name="record_sorting"),
        ),
        migrations.AddIndex(
            model_name="word",
            index=models.Index(fields=["number"], name="words_by_number"),
        ),
        migrations.RemoveIndex(
            model_name="description",
            name="description_words",
        ),
    ]
