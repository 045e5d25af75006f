-- The clock of datestamps (P91, P92): two functions that share one advisory lock.
--
-- 1195987779 is the lock "datestamp clock" of catalogue/locks.py. A writer calls catalogue_stamp() last and holds the
-- lock until it has committed; a list calls catalogue_instant(), which waits for that commit. PL/pgSQL takes a new
-- snapshot for each statement, so what is read after the lock is what the last writer left. The argument that nothing
-- is missed is in docs/datestamps.md.

-- Take the lock until the end of the transaction, and return the datestamp of everything that this writes: the larger
-- of the last stamp and the clock, in whole seconds. Guards: datestamps never decrease in the order of commits.
CREATE OR REPLACE FUNCTION catalogue_stamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    given timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock(1195987779);
    INSERT INTO catalogue_datestampclock AS clock (id, stamp, earliest)
    VALUES (1, date_trunc('second', gisc_clock()), date_trunc('year', gisc_clock(), 'UTC'))
    ON CONFLICT (id) DO UPDATE SET stamp = greatest(clock.stamp, excluded.stamp)
    RETURNING stamp INTO given;
    RETURN given;
END
$$;

-- Wait for the writers that have their stamp, and return the instant of a list: its responseDate and upper bound.
-- Guards: everything stamped before the instant is visible, everything written later is stamped at or after it.
-- An instant that was told is kept as the mark, or a clock that steps back would let a later write fall behind it.
-- A replica knows no instant but the mark that it has received.
CREATE OR REPLACE FUNCTION catalogue_instant() RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    present timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1195987779);
    SELECT stamp INTO present FROM catalogue_datestampclock WHERE id = 1;
    IF NOT pg_is_in_recovery() THEN
        present := greatest(present, date_trunc('second', gisc_clock()));
        UPDATE catalogue_datestampclock SET stamp = present WHERE id = 1 AND stamp < present;
    END IF;
    RETURN present;
END
$$;
