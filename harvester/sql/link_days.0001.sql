-- What the runs of a link did on each day (harvester_linkday). Runs are pruned after a while; these sums stay.
--
-- Guards: the sums are those of all runs that have ended, whoever writes a run and whenever it is pruned. A run counts
-- on the day of its end, in UTC, in the transaction that ends it; a change of a run that has ended changes its day's sums.
-- The deletion of a run changes none, so there is no trigger for it.

-- Add the run as it is, if it has ended; take off the run as it was, if it had ended before.
CREATE OR REPLACE FUNCTION harvester_run_summed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO harvester_linkday AS sums
        (link_id, day, runs, failed, new, updated, unchanged, deleted, rejected, pages, seconds)
    SELECT link_id, (coalesce(finished, begun) AT TIME ZONE 'UTC')::date,
        sum(number), sum(CASE WHEN state = 'failed' THEN number ELSE 0 END),
        sum(number * run.new), sum(number * run.updated), sum(number * run.unchanged), sum(number * run.deleted),
        sum(number * run.rejected), sum(number * run.pages),
        sum(number * round(extract(epoch FROM coalesce(finished, begun) - begun)))
    FROM (
        SELECT 1 AS number, (NEW).* UNION ALL SELECT -1, (OLD).* WHERE TG_OP = 'UPDATE'
    ) AS run
    WHERE state <> 'open'
    GROUP BY 1, 2
    ON CONFLICT (link_id, day) DO UPDATE SET
        runs = sums.runs + excluded.runs, failed = sums.failed + excluded.failed, new = sums.new + excluded.new,
        updated = sums.updated + excluded.updated, unchanged = sums.unchanged + excluded.unchanged,
        deleted = sums.deleted + excluded.deleted, rejected = sums.rejected + excluded.rejected,
        pages = sums.pages + excluded.pages, seconds = sums.seconds + excluded.seconds;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER summed_insert AFTER INSERT ON harvester_run
    FOR EACH ROW WHEN (NEW.state <> 'open') EXECUTE FUNCTION harvester_run_summed();
CREATE OR REPLACE TRIGGER summed_update AFTER UPDATE ON harvester_run
    FOR EACH ROW WHEN (NEW.state <> 'open' OR OLD.state <> 'open') EXECUTE FUNCTION harvester_run_summed();
