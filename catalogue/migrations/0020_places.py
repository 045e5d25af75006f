"""Find records by place and time with an index of its own; and search boxes whatever numbers a record has.

The columns are made by the database, which writes the table anew once: half a minute with a million records, in which nothing else
reads it. Very small differences of degrees count as nothing. Boxes whose longitudes are not from -360 to 360 are no boxes:
`iso19139.read` leaves them out now, and what an earlier version stored of them overflows where it is compared.
"""

import django.contrib.postgres.fields.ranges
import django.contrib.postgres.indexes
from django.db import migrations, models

from catalogue import sql
from catalogue.migration_operations import LockTables

_IS_ODD = "@[0] < -360 || @[0] > 360 || @[2] < -360 || @[2] > 360"
_LEAVE_OUT_ODD_BOXES = f"""
    UPDATE catalogue_description SET boxes = jsonb_path_query_array(boxes, 'strict $[*] ? (!({_IS_ODD}))')
    WHERE boxes @? 'strict $[*] ? ({_IS_ODD})'
"""
# In one statement: the table is written anew once.
_ADD_COLUMNS = """
    ALTER TABLE catalogue_description
        ADD COLUMN longitudes int4range GENERATED ALWAYS AS (catalogue_longitudes(boxes)) STORED,
        ADD COLUMN latitudes int4range GENERATED ALWAYS AS (catalogue_latitudes(boxes)) STORED,
        ADD COLUMN period tstzrange GENERATED ALWAYS AS (catalogue_period(begins, ends)) STORED
"""
_DROP_COLUMNS = "ALTER TABLE catalogue_description DROP COLUMN longitudes, DROP COLUMN latitudes, DROP COLUMN period"
_DROP_FUNCTIONS = """
    DROP FUNCTION catalogue_longitudes(jsonb);
    DROP FUNCTION catalogue_latitudes(jsonb);
    DROP FUNCTION catalogue_period(timestamptz, timestamptz);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0019_overview"),
    ]

    operations = [
        LockTables("catalogue_description"),
        migrations.RunSQL(
            sql.read("catalogue", "search_terms.0002"),
            _DROP_FUNCTIONS + sql.read("catalogue", "search_terms.0001"),
        ),
        migrations.RunSQL(_LEAVE_OUT_ODD_BOXES, migrations.RunSQL.noop),
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(_ADD_COLUMNS, _DROP_COLUMNS)],
            [
                migrations.AddField(
                    "description",
                    "longitudes",
                    models.GeneratedField(
                        expression=models.Func("boxes", function="catalogue_longitudes"),
                        output_field=django.contrib.postgres.fields.ranges.IntegerRangeField(),
                        db_persist=True,
                        help_text="of the boxes, in millionths of a degree, from -180 to 540 degrees",
                    ),
                ),
                migrations.AddField(
                    "description",
                    "latitudes",
                    models.GeneratedField(
                        expression=models.Func("boxes", function="catalogue_latitudes"),
                        output_field=django.contrib.postgres.fields.ranges.IntegerRangeField(),
                        db_persist=True,
                        help_text="of the boxes, in millionths of a degree",
                    ),
                ),
                migrations.AddField(
                    "description",
                    "period",
                    models.GeneratedField(
                        expression=models.Func("begins", "ends", function="catalogue_period"),
                        output_field=django.contrib.postgres.fields.ranges.DateTimeRangeField(),
                        db_persist=True,
                        help_text="the time extent; empty: none is given",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            "description",
            django.contrib.postgres.indexes.GistIndex(
                fields=("longitudes", "latitudes", "period"), name="descriptions_by_place"
            ),
        ),
        migrations.RunSQL("ANALYZE catalogue_description", migrations.RunSQL.noop),
    ]
