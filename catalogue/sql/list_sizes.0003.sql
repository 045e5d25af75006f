-- How many records each list holds, live and deleted, in catalogue_listsize: counting a million for the first page of a
-- list takes a second. Row 0 is the whole catalogue, the others have the id of their set. Of the deleted ones of a set,
-- `elsewhere` are live in another set: not every harvester is sent those (P75). What not everybody sees (audience <> 0) is
-- counted in rows of its own: -1 for the whole catalogue, -1 - id for a set. So a figure that leaves them out is right for all.
--
-- Guards: the counts are those of the rows. Triggers see every row that comes, goes or changes its state, whoever
-- writes it, in the transaction that does. There is one function for each table and event, because a trigger with
-- transition tables (REFERENCING) has one event, and a function reads only those that its trigger has. Most updates
-- change no count, and write nothing here (WHERE live <> 0 OR deleted <> 0).


-- The whole catalogue: each record, live or deleted.

-- Add the rows that came.
CREATE OR REPLACE FUNCTION catalogue_record_insert_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted)
    SELECT set_id, live, deleted FROM (
        SELECT list AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM (SELECT CASE WHEN audience = 0 THEN 0 ELSE -1 END AS list, deleted AS gone, 1 AS number FROM came) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER counted_insert AFTER INSERT ON catalogue_record
    REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION catalogue_record_insert_counted();

-- Add the rows as they are, take off the rows as they were.
CREATE OR REPLACE FUNCTION catalogue_record_update_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted)
    SELECT set_id, live, deleted FROM (
        SELECT list AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM (SELECT CASE WHEN audience = 0 THEN 0 ELSE -1 END AS list, deleted AS gone, 1 AS number FROM came UNION ALL SELECT CASE WHEN audience = 0 THEN 0 ELSE -1 END AS list, deleted AS gone, -1 AS number FROM went) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER counted_update AFTER UPDATE ON catalogue_record
    REFERENCING NEW TABLE AS came OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION catalogue_record_update_counted();

-- Take off the rows that went.
CREATE OR REPLACE FUNCTION catalogue_record_delete_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted)
    SELECT set_id, live, deleted FROM (
        SELECT list AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM (SELECT CASE WHEN audience = 0 THEN 0 ELSE -1 END AS list, deleted AS gone, -1 AS number FROM went) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER counted_delete AFTER DELETE ON catalogue_record
    REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION catalogue_record_delete_counted();


-- Each set: the records that are or were in it.

-- Add the rows that came.
CREATE OR REPLACE FUNCTION catalogue_membership_insert_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted, elsewhere)
    SELECT set_id, live, deleted, elsewhere FROM (
        SELECT list AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted,
            coalesce(sum(number) FILTER (WHERE elsewhere), 0) AS elsewhere
        FROM (SELECT CASE WHEN audience = 0 THEN set_id ELSE -1 - set_id END AS list, deleted AS gone, elsewhere, 1 AS number FROM came) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0 OR elsewhere <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted,
        elsewhere = size.elsewhere + excluded.elsewhere;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER counted_insert AFTER INSERT ON catalogue_membership
    REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION catalogue_membership_insert_counted();

-- Add the rows as they are, take off the rows as they were.
CREATE OR REPLACE FUNCTION catalogue_membership_update_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted, elsewhere)
    SELECT set_id, live, deleted, elsewhere FROM (
        SELECT list AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted,
            coalesce(sum(number) FILTER (WHERE elsewhere), 0) AS elsewhere
        FROM (SELECT CASE WHEN audience = 0 THEN set_id ELSE -1 - set_id END AS list, deleted AS gone, elsewhere, 1 AS number FROM came UNION ALL SELECT CASE WHEN audience = 0 THEN set_id ELSE -1 - set_id END AS list, deleted AS gone, elsewhere, -1 AS number FROM went) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0 OR elsewhere <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted,
        elsewhere = size.elsewhere + excluded.elsewhere;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER counted_update AFTER UPDATE ON catalogue_membership
    REFERENCING NEW TABLE AS came OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION catalogue_membership_update_counted();

-- Take off the rows that went.
CREATE OR REPLACE FUNCTION catalogue_membership_delete_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted, elsewhere)
    SELECT set_id, live, deleted, elsewhere FROM (
        SELECT list AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted,
            coalesce(sum(number) FILTER (WHERE elsewhere), 0) AS elsewhere
        FROM (SELECT CASE WHEN audience = 0 THEN set_id ELSE -1 - set_id END AS list, deleted AS gone, elsewhere, -1 AS number FROM went) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0 OR elsewhere <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted,
        elsewhere = size.elsewhere + excluded.elsewhere;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER counted_delete AFTER DELETE ON catalogue_membership
    REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION catalogue_membership_delete_counted();
