-- What a membership that has ended says to the harvesters of its set (P75). `departed`: the record left the set, so its header
-- there names that set alone, until it comes back. `elsewhere`: and it is live in another set, so a harvester that puts
-- several sets into one store must not be told that it is deleted.
--
-- Guards: both are true of the rows, whoever writes them. A header that begins to be sent to all, because the record died, or
-- that names another set, because the record lives again, gets the new datestamp of the record (P91).

-- A membership ends, or is written while it has ended. A record that dies is deleted in the sets it is in: it has not left.
CREATE OR REPLACE FUNCTION catalogue_membership_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.elsewhere := NEW.deleted AND EXISTS (SELECT FROM catalogue_record WHERE id = NEW.record_id AND NOT deleted);
    NEW.departed := NEW.deleted AND (NEW.departed OR NEW.elsewhere);
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER ended_insert BEFORE INSERT ON catalogue_membership
    FOR EACH ROW WHEN (NEW.deleted) EXECUTE FUNCTION catalogue_membership_ended();
CREATE OR REPLACE TRIGGER ended_update BEFORE UPDATE ON catalogue_membership
    FOR EACH ROW WHEN (NEW.deleted OR OLD.deleted) EXECUTE FUNCTION catalogue_membership_ended();

-- A record dies, or lives again: update the memberships that had ended before.
CREATE OR REPLACE FUNCTION catalogue_record_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE catalogue_membership m
    SET datestamp = CASE WHEN NEW.deleted OR NOT m.departed THEN NEW.datestamp ELSE m.datestamp END
    WHERE m.record_id = NEW.id AND m.deleted AND m.elsewhere = NEW.deleted;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER ended_or_revived AFTER UPDATE ON catalogue_record
    FOR EACH ROW WHEN (OLD.deleted <> NEW.deleted) EXECUTE FUNCTION catalogue_record_ended();
