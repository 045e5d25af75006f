"""The text search vector moves from a column into the index; contacts and links are read from the payload.

Together they were half of the database. The function is one that PostgreSQL may use in an index: it depends on
nothing but its arguments. Its cost makes the planner look into the index rather than at every row. A vector may
not exceed 1 MB, so texts are cut.
"""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models
from django.db import migrations

WORDS = """
CREATE FUNCTION catalogue_words(title text, abstract text, keywords text[], categories text[]) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
    RETURN to_tsvector(
        'pg_catalog.simple',
        concat_ws(
            E'\\n', left(title, 10000), left(array_to_string(keywords, E'\\n'), 50000),
            left(array_to_string(categories, E'\\n'), 50000), left(abstract, 100000)
        )
    );
END
$$
"""


class Migration(migrations.Migration):
    dependencies = [("catalogue", "0004_membership_direct")]

    operations = [
        migrations.RunSQL(WORDS, "DROP FUNCTION catalogue_words(text, text, text[], text[])"),
        migrations.RemoveIndex("description", "description_search"),
        migrations.RemoveField("description", "search"),
        migrations.RemoveField("description", "contacts"),
        migrations.RemoveField("description", "links"),
        migrations.AddIndex(
            "description",
            django.contrib.postgres.indexes.GinIndex(
                django.db.models.Func(
                    "title",
                    "abstract",
                    "keywords",
                    "categories",
                    function="catalogue_words",
                    output_field=django.contrib.postgres.search.SearchVectorField(),
                ),
                name="description_words",
            ),
        ),
    ]
