-- When a crosswalk last changed what harvesters receive: the column changed of oaiprovider_crosswalk (P93).

-- Give a crosswalk the stamp of its change. Guards: harvesters fetch the records of a changed format again. The stamp
-- is catalogue_stamp(), and so the lock of the datestamps' clock is held until the row is committed: lists wait for it
-- as they wait for that of a record (docs/datestamps.md). It is a trigger and no Python, so that nothing that writes the
-- row goes past it (S8). What cannot be seen by harvesters has no stamp: a crosswalk that was never enabled, a change of
-- one that is switched off.
CREATE OR REPLACE FUNCTION oaiprovider_crosswalk_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.changed := CASE WHEN NEW.enabled THEN catalogue_stamp() END;
    ELSIF (NEW.enabled OR OLD.enabled) AND (NEW.prefix, NEW.namespace, NEW.schema, NEW.stylesheet, NEW.enabled)
            IS DISTINCT FROM (OLD.prefix, OLD.namespace, OLD.schema, OLD.stylesheet, OLD.enabled) THEN
        NEW.changed := catalogue_stamp();
    ELSE
        NEW.changed := OLD.changed;
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER oaiprovider_crosswalk_changed BEFORE INSERT OR UPDATE ON oaiprovider_crosswalk
    FOR EACH ROW EXECUTE FUNCTION oaiprovider_crosswalk_changed();
