"""The clock of datestamps: two SQL functions that share one advisory lock (promise 1, P91, P92).

A writer calls catalogue_stamp() last and holds the lock until it has committed; a list calls
catalogue_instant(), which waits for that commit. PL/pgSQL takes a new snapshot for each statement, so what
is read after the lock is what the last writer left. An instant that was told is kept as the mark, or a clock that
steps back would let a later write fall behind it. A replica knows no instant but the mark that it has received.
See docs/datestamps.md.
"""

from django.db import migrations

LOCK = 0x47495343  # "GISC"

STAMP = f"""
CREATE FUNCTION catalogue_stamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    given timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock({LOCK});
    INSERT INTO catalogue_datestampclock AS clock (id, stamp, earliest)
    VALUES (1, date_trunc('second', clock_timestamp()), date_trunc('year', clock_timestamp(), 'UTC'))
    ON CONFLICT (id) DO UPDATE SET stamp = greatest(clock.stamp, excluded.stamp)
    RETURNING stamp INTO given;
    RETURN given;
END
$$
"""
INSTANT = f"""
CREATE FUNCTION catalogue_instant() RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    present timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock_shared({LOCK});
    SELECT stamp INTO present FROM catalogue_datestampclock WHERE id = 1;
    IF NOT pg_is_in_recovery() THEN
        present := greatest(present, date_trunc('second', clock_timestamp()));
        UPDATE catalogue_datestampclock SET stamp = present WHERE id = 1 AND stamp < present;
    END IF;
    RETURN present;
END
$$
"""


class Migration(migrations.Migration):
    dependencies = [("catalogue", "0001_initial")]

    operations = [
        migrations.RunSQL(STAMP, "DROP FUNCTION catalogue_stamp()"),
        migrations.RunSQL(INSTANT, "DROP FUNCTION catalogue_instant()"),
        # Payloads are compressed already: PostgreSQL need not try again.
        migrations.RunSQL(
            "ALTER TABLE catalogue_record ALTER COLUMN payload SET STORAGE EXTERNAL",
            "ALTER TABLE catalogue_record ALTER COLUMN payload SET STORAGE EXTENDED",
        ),
    ]
