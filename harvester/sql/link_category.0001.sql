-- The category of a link is that of all records that it brought: the catalogue keeps it by the link's name.
--
-- Guards: the two agree, whoever writes a link. The catalogue's row stays when the link is deleted, as the records do, and a
-- new link of that name begins with it.

CREATE OR REPLACE FUNCTION harvester_link_inherits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.category_id := coalesce(
        NEW.category_id, (SELECT category_id FROM catalogue_sourcecategory WHERE source = NEW.name)
    );
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER category_inherited BEFORE INSERT ON harvester_link
    FOR EACH ROW EXECUTE FUNCTION harvester_link_inherits();

CREATE OR REPLACE FUNCTION harvester_link_restricted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.category_id IS NULL THEN
        DELETE FROM catalogue_sourcecategory WHERE source = NEW.name;
    ELSE
        INSERT INTO catalogue_sourcecategory AS s (source, category_id) VALUES (NEW.name, NEW.category_id)
        ON CONFLICT (source) DO UPDATE SET category_id = excluded.category_id
        WHERE s.category_id <> excluded.category_id;
    END IF;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER category_insert AFTER INSERT ON harvester_link
    FOR EACH ROW WHEN (NEW.category_id IS NOT NULL) EXECUTE FUNCTION harvester_link_restricted();
CREATE OR REPLACE TRIGGER category_update AFTER UPDATE ON harvester_link
    FOR EACH ROW WHEN (OLD.category_id IS DISTINCT FROM NEW.category_id) EXECUTE FUNCTION harvester_link_restricted();
