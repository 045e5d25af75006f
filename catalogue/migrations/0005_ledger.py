"""The journal tells of sets that a record left; dictionaries are guarded against change."""

from django.db import migrations, models

GUARD = """
CREATE FUNCTION catalogue_dictionary_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'dictionaries are never changed or removed: payloads cannot be read without them'
        USING HINT = 'A damaged dictionary is restored from a backup, after '
            'ALTER TABLE catalogue_dictionary DISABLE TRIGGER USER.';
END
$$;
CREATE TRIGGER catalogue_dictionary_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON catalogue_dictionary
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue_dictionary_guard();
"""
UNGUARD = "DROP TRIGGER catalogue_dictionary_kept ON catalogue_dictionary; DROP FUNCTION catalogue_dictionary_guard()"


class Migration(migrations.Migration):
    dependencies = [("catalogue", "0004_membership_direct")]

    operations = [
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
                ],
                max_length=10,
            ),
        ),
    ]
