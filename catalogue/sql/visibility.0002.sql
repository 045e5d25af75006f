-- Who sees which record (docs/ARCHITECTURE.md, "Who sees what"): the audience of each record, and what those are told who
-- see it no more.

-- The audience of a record that is just being stored: nobody, until catalogue_settle has found out, or everybody, where
-- nothing is restricted.
CREATE OR REPLACE FUNCTION catalogue_first_audience() RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN EXISTS (SELECT FROM catalogue_metadataset WHERE NOT public OR category_id IS NOT NULL)
        OR EXISTS (SELECT FROM catalogue_sourcecategory) OR EXISTS (SELECT FROM catalogue_recordcategory)
        THEN -1 ELSE 0 END
$$;

-- The number of an audience; a row is added for a new one. Under the clock's lock, so that no other writer adds it, too.
CREATE OR REPLACE FUNCTION catalogue_audience_of(needed bigint[], unlisted bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    found integer;
BEGIN
    IF needed = '{}' AND unlisted = '{}' THEN
        RETURN 0;
    END IF;
    SELECT id INTO found FROM catalogue_audience WHERE categories = needed AND sets = unlisted;
    IF found IS NULL THEN
        INSERT INTO catalogue_audience (categories, sets) VALUES (needed, unlisted) RETURNING id INTO found;
    END IF;
    RETURN found;
END
$$;

-- Give these records the audience that their sets, link and own category make, and return how many changed. A record that
-- changes has the stamp, so that those who see it now get it; for those who saw it, withdrawals are added in all its sets.
-- A tombstone keeps the audience of the record. That a search finds a record lists it for nobody, so a set that is defined by a
-- search does not count as one that it is in, but for the set's own category. `link`: where a tombstone of a record that was
-- never here came from.
-- Guards: records, memberships and withdrawals agree. Every writer calls it at its end, under the clock's lock.
CREATE OR REPLACE FUNCTION catalogue_settle(keys text[], ids bigint[], stamp timestamptz, link text) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    chosen bigint[] := ids;
    changed bigint[];
    olds integer[];
    news integer[];
BEGIN
    IF catalogue_first_audience() = 0 AND NOT EXISTS (SELECT FROM catalogue_record WHERE audience <> 0) THEN
        RETURN 0;
    END IF;
    IF keys IS NOT NULL THEN
        SELECT array_agg(id) INTO chosen FROM catalogue_record WHERE key = ANY(keys);
    END IF;
    WITH settled AS MATERIALIZED (
        SELECT r.id, r.audience AS had,
            ARRAY(
                SELECT DISTINCT category_id FROM (
                    SELECT s.category_id FROM catalogue_membership m JOIN catalogue_metadataset s ON s.id = m.set_id
                    WHERE m.record_id = r.id AND (r.deleted OR NOT m.deleted)
                    UNION ALL SELECT category_id FROM catalogue_metadataset WHERE kind = 'catalogue'
                    UNION ALL SELECT category_id FROM catalogue_sourcecategory
                    WHERE source = CASE WHEN r.deleted THEN link ELSE r.provenance->>'link' END
                    UNION ALL SELECT category_id FROM catalogue_recordcategory WHERE key = r.key
                ) AS each WHERE category_id IS NOT NULL ORDER BY category_id
            ) AS categories,
            CASE WHEN EXISTS (
                SELECT FROM catalogue_membership m JOIN catalogue_metadataset s ON s.id = m.set_id
                WHERE m.record_id = r.id AND (r.deleted OR NOT m.deleted) AND s.public
                AND m.set_id NOT IN (SELECT set_id FROM catalogue_setsearch)
            ) THEN '{}' ELSE ARRAY(
                SELECT m.set_id FROM catalogue_membership m
                WHERE m.record_id = r.id AND (r.deleted OR NOT m.deleted)
                AND m.set_id NOT IN (SELECT set_id FROM catalogue_setsearch) ORDER BY m.set_id
            ) END AS sets
        FROM catalogue_record r WHERE r.id = ANY(chosen) AND (NOT r.deleted OR r.audience < 0)
    ), numbered AS MATERIALIZED (
        SELECT categories, sets, catalogue_audience_of(categories, sets) AS has
        FROM (SELECT DISTINCT categories, sets FROM settled) AS kinds
    )
    SELECT array_agg(id), array_agg(had), array_agg(has) INTO changed, olds, news
    FROM settled JOIN numbered USING (categories, sets) WHERE had <> has;
    IF changed IS NOT NULL THEN
        INSERT INTO catalogue_withdrawal AS w (record_id, set_id, audience, datestamp, direct)
        SELECT c.id, l.set_id, c.had, stamp, l.direct
        FROM unnest(changed, olds) AS c (id, had) CROSS JOIN LATERAL (
            SELECT 0 AS set_id, false AS direct
            UNION ALL SELECT m.set_id, m.direct FROM catalogue_membership m WHERE m.record_id = c.id
        ) AS l
        WHERE c.had >= 0
        ON CONFLICT (record_id, set_id, audience) DO UPDATE SET datestamp = excluded.datestamp, direct = excluded.direct;
        -- Who sees one of these audiences sees the record again.
        DELETE FROM catalogue_withdrawal w USING unnest(changed, news) AS c (id, has)
            LEFT JOIN catalogue_audience new ON new.id = c.has, (
                SELECT 0 AS id, '{}'::bigint[] AS categories, '{}'::bigint[] AS sets
                UNION ALL SELECT id, categories, sets FROM catalogue_audience
            ) AS old
        WHERE w.record_id = c.id AND old.id = w.audience AND coalesce(new.categories, '{}') <@ old.categories
            AND (coalesce(new.sets, '{}') = '{}' OR (old.sets <> '{}' AND old.sets <@ new.sets));
        UPDATE catalogue_record r
        SET audience = c.has, datestamp = CASE WHEN r.deleted THEN r.datestamp ELSE stamp END
        FROM unnest(changed, news) AS c (id, has) WHERE r.id = c.id;
        UPDATE catalogue_membership m
        SET audience = c.has, datestamp = CASE WHEN m.deleted THEN m.datestamp ELSE stamp END
        FROM unnest(changed, news) AS c (id, has) WHERE m.record_id = c.id;
    END IF;
    -- Memberships that were added to a record that has an audience already.
    UPDATE catalogue_membership m SET audience = r.audience
    FROM catalogue_record r WHERE r.id = m.record_id AND r.id = ANY(chosen) AND m.audience <> r.audience;
    RETURN coalesce(cardinality(changed), 0);
END
$$;

-- Add an event to the journal's outbox: what sees `subject` now. An empty text is no category.
CREATE OR REPLACE FUNCTION catalogue_journal_restriction(subject text, category bigint, is_listed boolean) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO catalogue_journaloutbox (event, identifier, datestamp, set_specs)
    VALUES ('restricted', subject, date_trunc('second', gisc_clock()), ARRAY[
        coalesce((SELECT name::text FROM catalogue_category WHERE id = category), ''),
        CASE WHEN is_listed THEN 'listed' ELSE 'unlisted' END
    ])
$$;

-- A set is restricted, or is not any more. Its records follow in batches.
-- Guards: no change of who sees a set is forgotten, whoever writes it.
CREATE OR REPLACE FUNCTION catalogue_set_restricted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_visibilitychange (kind, name) VALUES ('set', NEW.id::text);
    PERFORM catalogue_journal_restriction('set ' || NEW.spec, NEW.category_id, NEW.public);
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER restricted_insert AFTER INSERT ON catalogue_metadataset
    FOR EACH ROW WHEN (NEW.category_id IS NOT NULL OR NOT NEW.public) EXECUTE FUNCTION catalogue_set_restricted();
CREATE OR REPLACE TRIGGER restricted_update AFTER UPDATE ON catalogue_metadataset
    FOR EACH ROW WHEN (OLD.category_id IS DISTINCT FROM NEW.category_id OR OLD.public <> NEW.public)
    EXECUTE FUNCTION catalogue_set_restricted();

-- The same for the records of a link, and for a record, which the writer of the row settles itself.
CREATE OR REPLACE FUNCTION catalogue_source_restricted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_source text := coalesce(NEW.source, OLD.source);
BEGIN
    INSERT INTO catalogue_visibilitychange (kind, name) VALUES ('link', of_source);
    PERFORM catalogue_journal_restriction('link ' || of_source, NEW.category_id, true);
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER restricted AFTER INSERT OR UPDATE OR DELETE ON catalogue_sourcecategory
    FOR EACH ROW EXECUTE FUNCTION catalogue_source_restricted();
CREATE OR REPLACE FUNCTION catalogue_record_restricted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM catalogue_journal_restriction('record ' || coalesce(NEW.key, OLD.key), NEW.category_id, true);
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER restricted AFTER INSERT OR UPDATE OR DELETE ON catalogue_recordcategory
    FOR EACH ROW EXECUTE FUNCTION catalogue_record_restricted();
