-- How many records became new, changed and deleted on each day (catalogue_catalogueday), whoever changed them: harvests, uploads,
-- commands, people.
--
-- Guards: the counts are those of the changes, in the transaction that makes them. A record counts on the day of its
-- datestamp, in UTC. One that comes back to life is new; one whose content stays is not changed, so a restamp counts nothing.
-- Nor is one that was found damaged, whose digest is emptied, or that can be read again, and has it back with its old datestamp.
-- What a purge takes away counts nothing either. There is one function for each event, because a trigger with transition
-- tables (REFERENCING) has one event.

-- Count the records that came alive.
CREATE OR REPLACE FUNCTION catalogue_record_insert_dated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_catalogueday AS counted (day, new, updated, deleted)
    SELECT (datestamp AT TIME ZONE 'UTC')::date, count(*), 0, 0 FROM came WHERE NOT deleted GROUP BY 1
    ON CONFLICT (day) DO UPDATE SET new = counted.new + excluded.new;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER dated_insert AFTER INSERT ON catalogue_record
    REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION catalogue_record_insert_dated();

-- Count the records that came back, changed, or were deleted.
CREATE OR REPLACE FUNCTION catalogue_record_update_dated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_catalogueday AS counted (day, new, updated, deleted)
    SELECT (came.datestamp AT TIME ZONE 'UTC')::date,
        count(*) FILTER (WHERE went.deleted),
        count(*) FILTER (WHERE NOT went.deleted AND NOT came.deleted),
        count(*) FILTER (WHERE came.deleted)
    FROM came JOIN went USING (id)
    WHERE came.deleted <> went.deleted OR (
        came.digest <> went.digest AND came.digest <> '' AND (went.digest <> '' OR came.datestamp <> went.datestamp)
    )
    GROUP BY 1
    ON CONFLICT (day) DO UPDATE SET
        new = counted.new + excluded.new, updated = counted.updated + excluded.updated,
        deleted = counted.deleted + excluded.deleted;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER dated_update AFTER UPDATE ON catalogue_record
    REFERENCING NEW TABLE AS came OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION catalogue_record_update_dated();
