"""The journal tells of sets that a record left; dictionaries are guarded against change."""

from django.db import migrations, models

# TRUNCATE of this table and all that needs it (a test's or an operator's clean slate) passes: it is asked afterwards.
GUARD = """
CREATE FUNCTION catalogue_keep_dictionaries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE'
        OR EXISTS (SELECT FROM catalogue_record WHERE NOT deleted) OR EXISTS (SELECT FROM catalogue_claim)
    THEN
        RAISE EXCEPTION 'dictionaries are not changed, nor removed while there are records: payloads need them'
            USING HINT = 'To put back a damaged one from a backup: '
                'ALTER TABLE catalogue_dictionary DISABLE TRIGGER USER, and ENABLE TRIGGER USER afterwards.';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER dictionaries_are_kept AFTER UPDATE OF id, content, sha256 OR DELETE OR TRUNCATE ON catalogue_dictionary
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue_keep_dictionaries();
"""
UNGUARD = """
DROP TRIGGER dictionaries_are_kept ON catalogue_dictionary;
DROP FUNCTION catalogue_keep_dictionaries();
"""


class Migration(migrations.Migration):
    dependencies = [("catalogue", "0004_membership_direct")]

    operations = [
        migrations.RunSQL(GUARD, UNGUARD),
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
