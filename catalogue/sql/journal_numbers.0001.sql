-- The numbers of the journal's events: one trigger on the outbox.
--
-- 1195987779 is the lock "datestamp clock" of catalogue/locks.py. Every writer that inserts events has it already; the
-- function takes it for whoever inserts without it.

-- Give the events that a statement has inserted the next numbers of the epoch, in the order of their ids. The row of
-- the position is counted up once for a statement, and is locked until the commit. A first epoch is begun where there is
-- no position yet.
-- Guards: numbers grow in the order of commits and have no gaps, as a sequence's have.
CREATE OR REPLACE FUNCTION catalogue_number_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    added bigint;
    of_epoch bigint;
    last_number bigint;
BEGIN
    SELECT count(*) INTO added FROM inserted;
    IF added > 0 THEN
        PERFORM pg_advisory_xact_lock(1195987779);
        INSERT INTO catalogue_journalposition AS position (id, epoch, number)
        VALUES (1, (extract(epoch FROM gisc_clock()) * 1000)::bigint, added)
        ON CONFLICT (id) DO UPDATE SET number = position.number + added
        RETURNING epoch, number INTO of_epoch, last_number;
        UPDATE catalogue_journaloutbox o SET epoch = of_epoch, number = last_number - added + n.place
        FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM inserted) n
        WHERE o.id = n.id;
    END IF;
    RETURN NULL;
END
$$;

DROP TRIGGER IF EXISTS number_events ON catalogue_journaloutbox;
CREATE TRIGGER number_events AFTER INSERT ON catalogue_journaloutbox
    REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue_number_events();
