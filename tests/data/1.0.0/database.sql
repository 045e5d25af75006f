--
-- PostgreSQL database dump
--


-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: catalogue_around_the_world(double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_around_the_world(value double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT CASE WHEN abs(value) < 1e-9 THEN 0 ELSE value - 360 * floor(value / 360) END
$$;


--
-- Name: catalogue_audience_of(bigint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_audience_of(needed bigint[], unlisted bigint[]) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_box_meets(jsonb, double precision, double precision, double precision, double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_box_meets(box jsonb, west double precision, south double precision, east double precision, north double precision) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT (box->>3)::float8 >= south AND (box->>1)::float8 <= north AND (
        catalogue_around_the_world(west - (box->>0)::float8) <= catalogue_breadth((box->>0)::float8, (box->>2)::float8)
        OR catalogue_around_the_world((box->>0)::float8 - west) <= catalogue_breadth(west, east)
    )
$$;


--
-- Name: catalogue_boxes_meet(jsonb, double precision, double precision, double precision, double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_boxes_meet(boxes jsonb, west double precision, south double precision, east double precision, north double precision) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT EXISTS (
        SELECT FROM jsonb_array_elements(boxes) AS box (sides) WHERE catalogue_box_meets(sides, west, south, east, north)
    )
$$;


--
-- Name: catalogue_breadth(double precision, double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_breadth(west double precision, east double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT CASE WHEN east - west >= 360 THEN 360
        WHEN east >= west THEN east - west ELSE catalogue_around_the_world(east - west) END
$$;


--
-- Name: catalogue_first_audience(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_first_audience() RETURNS integer
    LANGUAGE sql STABLE
    AS $$
    SELECT CASE WHEN EXISTS (SELECT FROM catalogue_metadataset WHERE NOT public OR category_id IS NOT NULL)
        OR EXISTS (SELECT FROM catalogue_sourcecategory) OR EXISTS (SELECT FROM catalogue_recordcategory)
        THEN -1 ELSE 0 END
$$;


--
-- Name: catalogue_instant(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_instant() RETURNS timestamp with time zone
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_journal_restriction(text, bigint, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_journal_restriction(subject text, category bigint, is_listed boolean) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO catalogue_journaloutbox (event, identifier, datestamp, set_specs)
    VALUES ('restricted', subject, date_trunc('second', gisc_clock()), ARRAY[
        coalesce((SELECT name::text FROM catalogue_category WHERE id = category), ''),
        CASE WHEN is_listed THEN 'listed' ELSE 'unlisted' END
    ])
$$;


--
-- Name: catalogue_keep_dictionaries(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_keep_dictionaries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'UPDATE'
        OR EXISTS (SELECT FROM catalogue_record WHERE NOT deleted) OR EXISTS (SELECT FROM catalogue_claim)
        OR EXISTS (SELECT FROM catalogue_recordversion WHERE payload IS NOT NULL)
    THEN
        RAISE EXCEPTION 'dictionaries are not changed, nor removed while there are records: payloads need them'
            USING HINT = 'To put back a damaged one from a backup: '
                'ALTER TABLE catalogue_dictionary DISABLE TRIGGER USER, and ENABLE TRIGGER USER afterwards.';
    END IF;
    RETURN NULL;
END
$$;


--
-- Name: catalogue_last_part(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_last_part(key text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
    SELECT lower(substring(key FROM '[^:/]*$'))
$_$;


--
-- Name: catalogue_latitudes(jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_latitudes(boxes jsonb) RETURNS int4range
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    south float8;
    north float8;
    first float8;
    last float8;
BEGIN
    FOR place IN 0..jsonb_array_length(boxes) - 1 LOOP
        south := boxes->place->>1;
        north := boxes->place->>3;
        CONTINUE WHEN NOT (-90 <= south AND south <= north AND north <= 90);
        first := least(first, south);
        last := greatest(last, north);
    END LOOP;
    RETURN CASE WHEN first IS NULL THEN 'empty'
        ELSE int4range(floor(first * 1e6)::integer, ceil(last * 1e6)::integer, '[]') END;
END
$$;


--
-- Name: catalogue_longitudes(jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_longitudes(boxes jsonb) RETURNS int4range
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    west float8;
    east float8;
    breadth float8;
    first float8;
    last float8;
BEGIN
    FOR place IN 0..jsonb_array_length(boxes) - 1 LOOP
        west := boxes->place->>0;
        east := boxes->place->>2;
        CONTINUE WHEN NOT (abs(west) <= 360 AND abs(east) <= 360);
        breadth := east - west;
        IF breadth >= 360 THEN
            breadth := 360;
        ELSIF breadth < 0 THEN
            breadth := CASE WHEN breadth > -1e-9 THEN 0 WHEN breadth >= -360 THEN breadth + 360 ELSE breadth + 720 END;
        END IF;
        west := west - 360 * floor((west + 180) / 360);
        first := least(first, west);
        last := greatest(last, west + breadth);
    END LOOP;
    RETURN CASE WHEN first IS NULL THEN 'empty'
        ELSE int4range(floor(first * 1e6)::integer, ceil(last * 1e6)::integer, '[]') END;
END
$$;


--
-- Name: catalogue_membership_delete_counted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_membership_delete_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_membership_ended(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_membership_ended() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.elsewhere := NEW.deleted AND EXISTS (SELECT FROM catalogue_record WHERE id = NEW.record_id AND NOT deleted);
    NEW.departed := NEW.deleted AND (NEW.departed OR NEW.elsewhere);
    RETURN NEW;
END
$$;


--
-- Name: catalogue_membership_insert_counted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_membership_insert_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_membership_update_counted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_membership_update_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_number_events(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_number_events() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_period(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_period(begins timestamp with time zone, ends timestamp with time zone) RETURNS tstzrange
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT CASE WHEN begins IS NULL AND ends IS NULL THEN 'empty'
        WHEN begins > ends THEN tstzrange(ends, begins, '[]') ELSE tstzrange(begins, ends, '[]') END
$$;


--
-- Name: catalogue_record_delete_counted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_record_delete_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_record_ended(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_record_ended() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE catalogue_membership m
    SET datestamp = CASE WHEN NEW.deleted OR NOT m.departed THEN NEW.datestamp ELSE m.datestamp END
    WHERE m.record_id = NEW.id AND m.deleted AND m.elsewhere = NEW.deleted;
    RETURN NULL;
END
$$;


--
-- Name: catalogue_record_insert_counted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_record_insert_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_record_insert_dated(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_record_insert_dated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO catalogue_catalogueday AS counted (day, new, updated, deleted)
    SELECT (datestamp AT TIME ZONE 'UTC')::date, count(*), 0, 0 FROM came WHERE NOT deleted GROUP BY 1
    ON CONFLICT (day) DO UPDATE SET new = counted.new + excluded.new;
    RETURN NULL;
END
$$;


--
-- Name: catalogue_record_restricted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_record_restricted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM catalogue_journal_restriction('record ' || coalesce(NEW.key, OLD.key), NEW.category_id, true);
    RETURN NULL;
END
$$;


--
-- Name: catalogue_record_update_counted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_record_update_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_record_update_dated(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_record_update_dated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO catalogue_catalogueday AS counted (day, new, updated, deleted)
    SELECT (came.datestamp AT TIME ZONE 'UTC')::date,
        count(*) FILTER (WHERE went.deleted),
        count(*) FILTER (WHERE NOT went.deleted AND NOT came.deleted),
        count(*) FILTER (WHERE came.deleted)
    FROM came JOIN went USING (id)
    WHERE came.deleted <> went.deleted OR came.digest <> went.digest
    GROUP BY 1
    ON CONFLICT (day) DO UPDATE SET
        new = counted.new + excluded.new, updated = counted.updated + excluded.updated,
        deleted = counted.deleted + excluded.deleted;
    RETURN NULL;
END
$$;


--
-- Name: catalogue_set_restricted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_set_restricted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO catalogue_visibilitychange (kind, name) VALUES ('set', NEW.id::text);
    PERFORM catalogue_journal_restriction('set ' || NEW.spec, NEW.category_id, NEW.public);
    RETURN NULL;
END
$$;


--
-- Name: catalogue_settle(text[], bigint[], timestamp with time zone, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_settle(keys text[], ids bigint[], stamp timestamp with time zone, link text) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_source_restricted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_source_restricted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    of_source text := coalesce(NEW.source, OLD.source);
BEGIN
    INSERT INTO catalogue_visibilitychange (kind, name) VALUES ('link', of_source);
    PERFORM catalogue_journal_restriction('link ' || of_source, NEW.category_id, true);
    RETURN NULL;
END
$$;


--
-- Name: catalogue_stamp(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_stamp() RETURNS timestamp with time zone
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: catalogue_terms_outdated(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_terms_outdated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('wis.makes_terms', true) IS DISTINCT FROM 'on' THEN
        NEW.terms := NULL;
    END IF;
    RETURN NEW;
END
$$;


--
-- Name: catalogue_words(text, text, text[], text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_words(title text, abstract text, keywords text[], categories text[]) RETURNS tsvector
    LANGUAGE plpgsql IMMUTABLE COST 10000 PARALLEL SAFE
    AS $$
BEGIN
    RETURN to_tsvector(
        'pg_catalog.simple',
        concat_ws(
            E'\n', left(title, 10000), left(array_to_string(keywords, E'\n'), 50000),
            left(array_to_string(categories, E'\n'), 50000), left(abstract, 100000)
        )
    );
END
$$;


--
-- Name: gisc_clock(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.gisc_clock() RETURNS timestamp with time zone
    LANGUAGE sql
    AS $$
    SELECT clock_timestamp()
$$;


--
-- Name: harvester_link_inherits(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.harvester_link_inherits() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.category_id := coalesce(
        NEW.category_id, (SELECT category_id FROM catalogue_sourcecategory WHERE source = NEW.name)
    );
    RETURN NEW;
END
$$;


--
-- Name: harvester_link_restricted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.harvester_link_restricted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: harvester_run_summed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.harvester_run_summed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: oaiprovider_crosswalk_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.oaiprovider_crosswalk_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: alerts_condition; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alerts_condition (
    id bigint NOT NULL,
    code character varying(40) NOT NULL,
    subject character varying(80) NOT NULL,
    name character varying(100) NOT NULL,
    severity character varying(10) NOT NULL,
    state character varying(10) NOT NULL,
    text text NOT NULL,
    todo text NOT NULL,
    url text NOT NULL,
    link_id bigint,
    begun timestamp with time zone NOT NULL,
    first_seen timestamp with time zone NOT NULL,
    gone_since timestamp with time zone,
    ended timestamp with time zone
);


--
-- Name: alerts_condition_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.alerts_condition ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.alerts_condition_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: alerts_message; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alerts_message (
    id bigint NOT NULL,
    kind character varying(10) NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    created timestamp with time zone NOT NULL,
    not_before timestamp with time zone NOT NULL,
    attempts integer NOT NULL,
    batch uuid,
    leased_until timestamp with time zone,
    fault text NOT NULL,
    sent timestamp with time zone,
    condition_id bigint,
    recipient_id bigint NOT NULL,
    CONSTRAINT alerts_message_attempts_check CHECK ((attempts >= 0))
);


--
-- Name: alerts_message_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.alerts_message ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.alerts_message_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: alerts_recipient; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alerts_recipient (
    id bigint NOT NULL,
    name character varying(60) NOT NULL,
    email character varying(254) NOT NULL,
    sealed_url text NOT NULL,
    service character varying(60) NOT NULL,
    enabled boolean NOT NULL,
    least_severity character varying(10) NOT NULL,
    codes jsonb NOT NULL,
    node boolean NOT NULL,
    weekly boolean NOT NULL,
    weekly_day smallint NOT NULL,
    weekly_hour smallint NOT NULL,
    last_weekly timestamp with time zone,
    CONSTRAINT a_recipient_has_one_address CHECK (((((email)::text = ''::text) OR (sealed_url = ''::text)) AND (1 = (
CASE
    WHEN ((email)::text = ''::text) THEN 1
    ELSE 0
END +
CASE
    WHEN (sealed_url = ''::text) THEN 1
    ELSE 0
END)))),
    CONSTRAINT alerts_recipient_weekly_day_check CHECK ((weekly_day >= 0)),
    CONSTRAINT alerts_recipient_weekly_hour_check CHECK ((weekly_hour >= 0))
);


--
-- Name: alerts_recipient_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.alerts_recipient ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.alerts_recipient_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: alerts_recipient_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alerts_recipient_links (
    id bigint NOT NULL,
    recipient_id bigint NOT NULL,
    link_id bigint NOT NULL
);


--
-- Name: alerts_recipient_links_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.alerts_recipient_links ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.alerts_recipient_links_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: audit_act; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_act (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    who character varying(150) NOT NULL,
    source character varying(20) NOT NULL,
    address character varying(45) NOT NULL,
    act character varying(500) NOT NULL,
    model character varying(100) NOT NULL,
    object_id character varying(100) NOT NULL,
    object_name character varying(200) NOT NULL,
    changes jsonb NOT NULL,
    answer text NOT NULL,
    account_id integer
);


--
-- Name: audit_act_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.audit_act ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.audit_act_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_group; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);


--
-- Name: auth_group_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_group_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_permission; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user (
    id integer NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL
);


--
-- Name: auth_user_groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user_groups (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    group_id integer NOT NULL
);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_user_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user_user_permissions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: axes_accessattempt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axes_accessattempt (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    get_data text NOT NULL,
    post_data text NOT NULL,
    failures_since_start integer NOT NULL,
    CONSTRAINT axes_accessattempt_failures_since_start_check CHECK ((failures_since_start >= 0))
);


--
-- Name: axes_accessattempt_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.axes_accessattempt ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accessattempt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: axes_accessattemptexpiration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axes_accessattemptexpiration (
    access_attempt_id integer NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: axes_accessfailurelog; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axes_accessfailurelog (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    locked_out boolean NOT NULL
);


--
-- Name: axes_accessfailurelog_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.axes_accessfailurelog ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accessfailurelog_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: axes_accesslog; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axes_accesslog (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    logout_time timestamp with time zone,
    session_hash character varying(64) NOT NULL
);


--
-- Name: axes_accesslog_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.axes_accesslog ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accesslog_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_audience; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_audience (
    id integer NOT NULL,
    categories bigint[] NOT NULL,
    sets bigint[] NOT NULL
);


--
-- Name: catalogue_audience_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_audience ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_audience_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_cataloguecanary; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_cataloguecanary (
    id bigint NOT NULL,
    last timestamp with time zone NOT NULL,
    CONSTRAINT there_is_one_catalogue_canary CHECK ((id = 1))
);


--
-- Name: catalogue_cataloguecanary_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_cataloguecanary ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_cataloguecanary_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_catalogueday; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_catalogueday (
    day date NOT NULL,
    new bigint NOT NULL,
    updated bigint NOT NULL,
    deleted bigint NOT NULL
);


--
-- Name: catalogue_category; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_category (
    id bigint NOT NULL,
    name character varying(60) NOT NULL,
    description text NOT NULL,
    signed_in boolean NOT NULL
);


--
-- Name: catalogue_category_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_category ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_category_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_claim; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_claim (
    id bigint NOT NULL,
    source text NOT NULL,
    payload bytea NOT NULL,
    digest bytea NOT NULL,
    metadata_date timestamp with time zone,
    provenance jsonb,
    first_seen timestamp with time zone NOT NULL,
    record_id bigint NOT NULL,
    set_id bigint NOT NULL,
    spelling text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: catalogue_claim_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_claim ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_claim_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_completedwalk; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_completedwalk (
    id smallint NOT NULL,
    started_at timestamp with time zone NOT NULL
);


--
-- Name: catalogue_datestampclock; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_datestampclock (
    id bigint NOT NULL,
    stamp timestamp with time zone NOT NULL,
    earliest timestamp with time zone NOT NULL,
    CONSTRAINT there_is_one_clock CHECK ((id = 1))
);


--
-- Name: catalogue_datestampclock_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_datestampclock ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_datestampclock_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_daylived; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_daylived (
    id bigint NOT NULL,
    mark timestamp with time zone NOT NULL,
    purge jsonb
);


--
-- Name: catalogue_daylived_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_daylived ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_daylived_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_description; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_description (
    record_id bigint NOT NULL,
    title text NOT NULL,
    abstract text NOT NULL,
    keywords text[] NOT NULL,
    boxes jsonb NOT NULL,
    begins timestamp with time zone,
    ends timestamp with time zone,
    language character varying(100) NOT NULL,
    categories text[] NOT NULL,
    kind text DEFAULT ''::text NOT NULL,
    organisations text[] DEFAULT '{}'::text[] NOT NULL,
    policy text DEFAULT ''::text NOT NULL,
    terms integer[],
    longitudes int4range GENERATED ALWAYS AS (public.catalogue_longitudes(boxes)) STORED,
    latitudes int4range GENERATED ALWAYS AS (public.catalogue_latitudes(boxes)) STORED,
    period tstzrange GENERATED ALWAYS AS (public.catalogue_period(begins, ends)) STORED
);


--
-- Name: catalogue_dictionary; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_dictionary (
    id bigint NOT NULL,
    content bytea NOT NULL,
    sha256 bytea NOT NULL,
    created timestamp with time zone NOT NULL,
    trained_on integer NOT NULL,
    CONSTRAINT catalogue_dictionary_trained_on_check CHECK ((trained_on >= 0))
);


--
-- Name: catalogue_failingchore; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_failingchore (
    chore character varying(80) NOT NULL,
    since timestamp with time zone NOT NULL,
    last timestamp with time zone NOT NULL,
    fault text NOT NULL
);


--
-- Name: catalogue_hostuptime; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_hostuptime (
    boot character varying(100) NOT NULL,
    monotonic_s double precision NOT NULL,
    lived_s double precision NOT NULL
);


--
-- Name: catalogue_journaloutbox; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_journaloutbox (
    id bigint NOT NULL,
    event character varying(10) NOT NULL,
    identifier text NOT NULL,
    datestamp timestamp with time zone NOT NULL,
    set_specs text[] NOT NULL,
    epoch bigint,
    number bigint
);


--
-- Name: catalogue_journaloutbox_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_journaloutbox ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_journaloutbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_journalposition; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_journalposition (
    id bigint NOT NULL,
    epoch bigint NOT NULL,
    number bigint NOT NULL,
    state character varying(10) DEFAULT 'current'::character varying NOT NULL,
    CONSTRAINT there_is_one_journal_position CHECK ((id = 1))
);


--
-- Name: catalogue_journalposition_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_journalposition ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_journalposition_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_journalwriter; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_journalwriter (
    writer character varying(32) NOT NULL,
    epoch bigint NOT NULL,
    number bigint NOT NULL,
    host text NOT NULL,
    directory text NOT NULL,
    written timestamp with time zone NOT NULL
);


--
-- Name: catalogue_listsize; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_listsize (
    set_id bigint NOT NULL,
    live bigint NOT NULL,
    deleted bigint NOT NULL,
    elsewhere bigint DEFAULT 0 NOT NULL
);


--
-- Name: catalogue_membership; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_membership (
    datestamp timestamp with time zone NOT NULL,
    deleted boolean NOT NULL,
    record_id bigint NOT NULL,
    set_id bigint NOT NULL,
    direct boolean NOT NULL,
    departed boolean DEFAULT false NOT NULL,
    elsewhere boolean DEFAULT false NOT NULL,
    audience integer DEFAULT 0 NOT NULL,
    CONSTRAINT a_membership_datestamp_is_whole_seconds CHECK ((datestamp = date_trunc('second'::text, (datestamp AT TIME ZONE 'UTC'::text))))
);


--
-- Name: catalogue_metadataset; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_metadataset (
    id bigint NOT NULL,
    spec character varying(200) NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    kind character varying(10) NOT NULL,
    public boolean NOT NULL,
    fed_here boolean DEFAULT false NOT NULL,
    category_id bigint
);


--
-- Name: catalogue_metadataset_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_metadataset ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_metadataset_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_overview; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_overview (
    id bigint NOT NULL,
    counted_at timestamp with time zone NOT NULL,
    took_s double precision NOT NULL,
    live bigint NOT NULL,
    newest timestamp with time zone,
    hidden_mark text NOT NULL,
    facets jsonb NOT NULL,
    coverage jsonb NOT NULL,
    everywhere bigint NOT NULL,
    CONSTRAINT there_is_one_overview CHECK ((id = 1))
);


--
-- Name: catalogue_overview_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_overview ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_overview_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_purged; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_purged (
    hash bigint NOT NULL
);


--
-- Name: catalogue_quality; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_quality (
    id bigint NOT NULL,
    kind character varying(10) NOT NULL,
    name text NOT NULL,
    live bigint NOT NULL,
    valid bigint NOT NULL,
    invalid bigint NOT NULL,
    not_checked bigint NOT NULL,
    faulty bigint NOT NULL,
    percent double precision,
    kpis jsonb NOT NULL,
    grades jsonb NOT NULL,
    rules jsonb NOT NULL,
    counted_at timestamp with time zone NOT NULL,
    took_s double precision NOT NULL
);


--
-- Name: catalogue_quality_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_quality ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_quality_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_record; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_record (
    id bigint NOT NULL,
    identifier text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    datestamp timestamp with time zone NOT NULL,
    deleted boolean NOT NULL,
    set_specs text[] NOT NULL,
    payload bytea,
    digest bytea,
    metadata_date timestamp with time zone,
    provenance jsonb,
    owner_id bigint NOT NULL,
    spelling text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    audience integer DEFAULT 0 NOT NULL,
    CONSTRAINT a_record_datestamp_is_whole_seconds CHECK ((datestamp = date_trunc('second'::text, (datestamp AT TIME ZONE 'UTC'::text)))),
    CONSTRAINT a_tombstone_has_no_metadata CHECK (((deleted AND (digest IS NULL) AND (payload IS NULL)) OR ((NOT deleted) AND (digest IS NOT NULL) AND (payload IS NOT NULL))))
);
ALTER TABLE ONLY public.catalogue_record ALTER COLUMN payload SET STORAGE EXTERNAL;


--
-- Name: catalogue_record_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_record ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_record_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_recordcategory; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_recordcategory (
    key text NOT NULL COLLATE pg_catalog."C",
    category_id bigint NOT NULL
);


--
-- Name: catalogue_recordversion; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_recordversion (
    id bigint NOT NULL,
    number integer NOT NULL,
    datestamp timestamp with time zone NOT NULL,
    deleted boolean NOT NULL,
    owner text NOT NULL,
    link text NOT NULL,
    payload bytea,
    digest bytea,
    metadata_date timestamp with time zone,
    ended timestamp with time zone NOT NULL,
    ended_by text NOT NULL,
    who text NOT NULL,
    act character varying(10) NOT NULL,
    reason text NOT NULL,
    record_id bigint NOT NULL,
    CONSTRAINT catalogue_recordversion_number_check CHECK ((number >= 0))
);
ALTER TABLE ONLY public.catalogue_recordversion ALTER COLUMN payload SET STORAGE EXTERNAL;


--
-- Name: catalogue_recordversion_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_recordversion ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_recordversion_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_setchange; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_setchange (
    id bigint NOT NULL,
    act character varying(10) NOT NULL,
    specs text[] NOT NULL,
    children bigint[] NOT NULL,
    total bigint NOT NULL,
    done bigint NOT NULL,
    last_record bigint NOT NULL,
    begun timestamp with time zone NOT NULL,
    ended timestamp with time zone,
    parent_id bigint NOT NULL
);


--
-- Name: catalogue_setchange_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_setchange ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_setchange_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_setinclusion; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_setinclusion (
    id bigint NOT NULL,
    child_id bigint NOT NULL,
    parent_id bigint NOT NULL,
    CONSTRAINT no_set_includes_itself CHECK ((NOT (parent_id = child_id)))
);


--
-- Name: catalogue_setinclusion_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_setinclusion ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_setinclusion_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_setsearch; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_setsearch (
    set_id bigint NOT NULL,
    address text NOT NULL,
    filter text NOT NULL,
    condition jsonb NOT NULL,
    changed timestamp with time zone NOT NULL
);


--
-- Name: catalogue_sourcecategory; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_sourcecategory (
    source text NOT NULL,
    category_id bigint NOT NULL
);


--
-- Name: catalogue_spellingchange; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_spellingchange (
    id bigint NOT NULL,
    folded text NOT NULL COLLATE pg_catalog."C",
    old text NOT NULL,
    new text NOT NULL,
    owner_id bigint NOT NULL,
    datestamp timestamp with time zone NOT NULL
);


--
-- Name: catalogue_spellingchange_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_spellingchange ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_spellingchange_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_upload; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_upload (
    id bigint NOT NULL,
    folder uuid NOT NULL,
    set_spec character varying(200) NOT NULL,
    files jsonb NOT NULL,
    who character varying(150) NOT NULL,
    created timestamp with time zone NOT NULL,
    worked timestamp with time zone NOT NULL,
    finished timestamp with time zone,
    state character varying(10) NOT NULL,
    estimate integer,
    documents integer NOT NULL,
    to_store integer NOT NULL,
    stored integer NOT NULL,
    begun timestamp with time zone,
    tries smallint NOT NULL,
    fault jsonb,
    CONSTRAINT catalogue_upload_documents_check CHECK ((documents >= 0)),
    CONSTRAINT catalogue_upload_estimate_check CHECK ((estimate >= 0)),
    CONSTRAINT catalogue_upload_stored_check CHECK ((stored >= 0)),
    CONSTRAINT catalogue_upload_to_store_check CHECK ((to_store >= 0)),
    CONSTRAINT catalogue_upload_tries_check CHECK ((tries >= 0))
);


--
-- Name: catalogue_upload_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_upload ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_upload_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_uploaddocument; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_uploaddocument (
    number integer NOT NULL,
    source text NOT NULL,
    identifier text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    preview character varying(20) NOT NULL,
    reason jsonb,
    structure character varying(20) NOT NULL,
    faults jsonb NOT NULL,
    digest bytea,
    metadata_date timestamp with time zone,
    replaces bytea,
    place bigint,
    length integer NOT NULL,
    length_before integer NOT NULL,
    chosen boolean NOT NULL,
    result character varying(20) NOT NULL,
    result_reason jsonb,
    record_changed boolean NOT NULL,
    upload_id bigint NOT NULL,
    CONSTRAINT catalogue_uploaddocument_length_before_check CHECK ((length_before >= 0)),
    CONSTRAINT catalogue_uploaddocument_length_check CHECK ((length >= 0)),
    CONSTRAINT catalogue_uploaddocument_number_check CHECK ((number >= 0))
);


--
-- Name: catalogue_validation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_validation (
    record_id bigint NOT NULL,
    digest bytea NOT NULL,
    rules character varying(64) NOT NULL,
    structure character varying(20) NOT NULL,
    schema character varying(60) NOT NULL,
    faults jsonb NOT NULL,
    checked timestamp with time zone NOT NULL,
    grade character varying(1) DEFAULT ''::character varying NOT NULL,
    percent double precision,
    scores smallint[] DEFAULT '{}'::smallint[] NOT NULL
);


--
-- Name: catalogue_visibilitychange; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_visibilitychange (
    id bigint NOT NULL,
    kind character varying(10) NOT NULL,
    name text NOT NULL,
    audiences integer[] DEFAULT '{}'::integer[] NOT NULL,
    last bigint DEFAULT 0 NOT NULL
);


--
-- Name: catalogue_visibilitychange_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_visibilitychange ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_visibilitychange_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_watchedfile; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_watchedfile (
    id bigint NOT NULL,
    folder text NOT NULL,
    path text NOT NULL,
    size bigint,
    modified_ns bigint
);


--
-- Name: catalogue_watchedfile_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_watchedfile ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_watchedfile_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_watchedrecord; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_watchedrecord (
    id bigint NOT NULL,
    folder text NOT NULL,
    path text NOT NULL,
    identifier text NOT NULL,
    withdrawn timestamp with time zone
);


--
-- Name: catalogue_watchedrecord_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.catalogue_watchedrecord ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.catalogue_watchedrecord_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: catalogue_withdrawal; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_withdrawal (
    record_id bigint NOT NULL,
    set_id bigint NOT NULL,
    audience integer NOT NULL,
    datestamp timestamp with time zone NOT NULL,
    direct boolean NOT NULL
);


--
-- Name: catalogue_word; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_word (
    folded text NOT NULL COLLATE pg_catalog."C",
    stem text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL
);


--
-- Name: django_admin_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id integer NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_content_type; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);


--
-- Name: harvester_alternative; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_alternative (
    id bigint NOT NULL,
    "position" smallint NOT NULL,
    name character varying(60) NOT NULL,
    base_url character varying(500) NOT NULL,
    prefix character varying(100) NOT NULL,
    remote_set character varying(200) NOT NULL,
    link_id bigint NOT NULL,
    CONSTRAINT harvester_alternative_position_check CHECK (("position" >= 0))
);


--
-- Name: harvester_alternative_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_alternative ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_alternative_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_canary; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_canary (
    id bigint NOT NULL,
    last timestamp with time zone NOT NULL,
    host_turns jsonb DEFAULT '{}'::jsonb NOT NULL,
    last_claim timestamp with time zone,
    took_s double precision DEFAULT 0.0 NOT NULL,
    CONSTRAINT there_is_one_canary CHECK ((id = 1))
);


--
-- Name: harvester_canary_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_canary ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_canary_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_centre; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_centre (
    id bigint NOT NULL,
    name character varying(60) NOT NULL,
    country character varying(60) NOT NULL,
    set_spec character varying(200) NOT NULL,
    latitude double precision,
    longitude double precision,
    base_urls jsonb NOT NULL,
    contact character varying(300) NOT NULL,
    is_active boolean NOT NULL,
    portal_url character varying(500) NOT NULL,
    sru_url character varying(500) NOT NULL
);


--
-- Name: harvester_centre_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_centre ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_centre_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_conflict; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_conflict (
    id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    identifier text NOT NULL,
    kind character varying(10) NOT NULL,
    reason text NOT NULL,
    digest bytea,
    metadata_date timestamp with time zone,
    raw bytea,
    first_seen timestamp with time zone NOT NULL,
    last_seen timestamp with time zone NOT NULL,
    settled timestamp with time zone,
    settlement text NOT NULL,
    link_id bigint NOT NULL,
    provenance jsonb,
    reason_data jsonb DEFAULT '{}'::jsonb NOT NULL,
    settlement_data jsonb DEFAULT '{}'::jsonb NOT NULL,
    ours bytea,
    ours_provenance jsonb
);


--
-- Name: harvester_conflict_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_conflict ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_conflict_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_hostclock; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_hostclock (
    id bigint NOT NULL,
    checked timestamp with time zone NOT NULL,
    server character varying(255) NOT NULL,
    offset_s double precision,
    fault text NOT NULL,
    measured timestamp with time zone,
    CONSTRAINT there_is_one_host_clock CHECK ((id = 1))
);


--
-- Name: harvester_hostclock_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_hostclock ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_hostclock_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_link; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_link (
    id bigint NOT NULL,
    name character varying(60) NOT NULL,
    base_url character varying(500) NOT NULL,
    prefix character varying(100) NOT NULL,
    remote_set character varying(200) NOT NULL,
    enabled boolean NOT NULL,
    interval_s integer NOT NULL,
    overlap_s integer NOT NULL,
    granularity character varying(20) NOT NULL,
    harvested_to timestamp with time zone,
    next_due timestamp with time zone,
    failures integer NOT NULL,
    local_set_id bigint NOT NULL,
    first_response timestamp with time zone,
    from_policy character varying(10) DEFAULT 'earlier'::character varying NOT NULL,
    newest timestamp with time zone,
    strategy character varying(12) NOT NULL,
    kind character varying(10) NOT NULL,
    ceiling_percent smallint NOT NULL,
    ceiling_records integer NOT NULL,
    compared_to timestamp with time zone,
    cycle_begun timestamp with time zone,
    cycle_days smallint NOT NULL,
    cycle_ended timestamp with time zone,
    deleted_record character varying(20) NOT NULL,
    next_slice timestamp with time zone,
    reconciles boolean NOT NULL,
    tombstone_days integer NOT NULL,
    failing_since timestamp with time zone,
    serving_since timestamp with time zone,
    switch_after_h smallint NOT NULL,
    serving_id bigint,
    skew_s double precision,
    certificates text NOT NULL,
    post boolean NOT NULL,
    proxy character varying(300) NOT NULL,
    proxy_user character varying(200) NOT NULL,
    sealed_password text NOT NULL,
    sealed_proxy_password text NOT NULL,
    sender character varying(254) NOT NULL,
    "user" character varying(200) NOT NULL,
    user_agent character varying(200) NOT NULL,
    moved_to character varying(500) NOT NULL,
    at_once smallint NOT NULL,
    return_after_h smallint NOT NULL,
    set_checked timestamp with time zone,
    set_state character varying(10) NOT NULL,
    hold_percent smallint NOT NULL,
    clean_comparisons smallint DEFAULT 0 NOT NULL,
    doubts jsonb DEFAULT '[]'::jsonb NOT NULL,
    first_asked timestamp with time zone,
    is_promised boolean DEFAULT false NOT NULL,
    lateness_h integer DEFAULT 72 NOT NULL,
    relisted_to timestamp with time zone,
    shortfall integer DEFAULT 0 NOT NULL,
    shortfall_from timestamp with time zone,
    size_is_estimate boolean DEFAULT false NOT NULL,
    deletions_accepted timestamp with time zone,
    content_days smallint DEFAULT 28 NOT NULL,
    next_content timestamp with time zone,
    content_to timestamp with time zone,
    content_begun timestamp with time zone,
    content_ended timestamp with time zone,
    identifiers character varying(10) DEFAULT 'same'::character varying NOT NULL,
    from_ignored integer DEFAULT 0 NOT NULL,
    grace_h integer DEFAULT 0 NOT NULL,
    muted_until timestamp with time zone,
    run_at time without time zone,
    weekday smallint,
    windows character varying(100) DEFAULT ''::character varying NOT NULL,
    is_told boolean DEFAULT true NOT NULL,
    live_there integer,
    counted_there timestamp with time zone,
    brand jsonb DEFAULT '{}'::jsonb NOT NULL,
    report_key uuid DEFAULT gen_random_uuid() NOT NULL,
    category_id bigint,
    CONSTRAINT harvester_link_at_once_check CHECK ((at_once >= 0)),
    CONSTRAINT harvester_link_ceiling_percent_check CHECK ((ceiling_percent >= 0)),
    CONSTRAINT harvester_link_ceiling_records_check CHECK ((ceiling_records >= 0)),
    CONSTRAINT harvester_link_clean_comparisons_check CHECK ((clean_comparisons >= 0)),
    CONSTRAINT harvester_link_content_days_check CHECK ((content_days >= 0)),
    CONSTRAINT harvester_link_cycle_days_check CHECK ((cycle_days >= 0)),
    CONSTRAINT harvester_link_failures_check CHECK ((failures >= 0)),
    CONSTRAINT harvester_link_from_ignored_check CHECK ((from_ignored >= 0)),
    CONSTRAINT harvester_link_grace_h_check CHECK ((grace_h >= 0)),
    CONSTRAINT harvester_link_hold_percent_check CHECK ((hold_percent >= 0)),
    CONSTRAINT harvester_link_interval_s_check CHECK ((interval_s >= 0)),
    CONSTRAINT harvester_link_lateness_h_check CHECK ((lateness_h >= 0)),
    CONSTRAINT harvester_link_live_there_check CHECK ((live_there >= 0)),
    CONSTRAINT harvester_link_overlap_s_check CHECK ((overlap_s >= 0)),
    CONSTRAINT harvester_link_return_after_h_check CHECK ((return_after_h >= 0)),
    CONSTRAINT harvester_link_shortfall_check CHECK ((shortfall >= 0)),
    CONSTRAINT harvester_link_switch_after_h_check CHECK ((switch_after_h >= 0)),
    CONSTRAINT harvester_link_tombstone_days_check CHECK ((tombstone_days >= 0)),
    CONSTRAINT harvester_link_weekday_check CHECK ((weekday >= 0))
);


--
-- Name: harvester_link_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_link ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_link_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_linkday; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_linkday (
    id bigint NOT NULL,
    day date NOT NULL,
    runs bigint NOT NULL,
    failed bigint NOT NULL,
    new bigint NOT NULL,
    updated bigint NOT NULL,
    unchanged bigint NOT NULL,
    deleted bigint NOT NULL,
    rejected bigint NOT NULL,
    pages bigint NOT NULL,
    seconds bigint NOT NULL,
    link_id bigint NOT NULL
);


--
-- Name: harvester_linkday_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_linkday ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_linkday_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_quietcause; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_quietcause (
    id bigint NOT NULL,
    reason text NOT NULL,
    up_to integer NOT NULL,
    link_id bigint NOT NULL,
    CONSTRAINT harvester_quietcause_up_to_check CHECK ((up_to >= 0))
);


--
-- Name: harvester_quietcause_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_quietcause ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_quietcause_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_reject; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_reject (
    id bigint NOT NULL,
    identifier text NOT NULL,
    datestamp character varying(100) NOT NULL,
    reason text NOT NULL,
    raw bytea,
    run_id bigint,
    file_key text NOT NULL COLLATE pg_catalog."C",
    reason_data jsonb DEFAULT '{}'::jsonb NOT NULL,
    link_id bigint,
    first_seen timestamp with time zone DEFAULT public.gisc_clock() NOT NULL,
    last_seen timestamp with time zone DEFAULT public.gisc_clock() NOT NULL,
    count integer DEFAULT 1 NOT NULL,
    count_in_run integer DEFAULT 1 NOT NULL,
    settled timestamp with time zone,
    CONSTRAINT harvester_reject_count_check CHECK ((count >= 0)),
    CONSTRAINT harvester_reject_count_in_run_check CHECK ((count_in_run >= 0))
);


--
-- Name: harvester_reject_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_reject ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_reject_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_remoteheader; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_remoteheader (
    id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    identifier text NOT NULL,
    datestamp timestamp with time zone,
    deleted boolean NOT NULL,
    state character varying(10) NOT NULL,
    link_id bigint NOT NULL,
    seen_in bigint,
    alternative_id bigint,
    digest bytea,
    removed_at timestamp with time zone
);


--
-- Name: harvester_remoteheader_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_remoteheader ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_remoteheader_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_run; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_run (
    id bigint NOT NULL,
    state character varying(10) NOT NULL,
    trigger character varying(20) NOT NULL,
    begun timestamp with time zone NOT NULL,
    finished timestamp with time zone,
    message text DEFAULT ''::text NOT NULL,
    list_from timestamp with time zone,
    granularity character varying(20) NOT NULL,
    token text NOT NULL,
    pages integer NOT NULL,
    restarts integer NOT NULL,
    first_response timestamp with time zone,
    newest timestamp with time zone,
    list_size integer,
    received integer NOT NULL,
    new integer NOT NULL,
    updated integer NOT NULL,
    unchanged integer NOT NULL,
    deleted integer NOT NULL,
    rejected integer NOT NULL,
    attempts integer NOT NULL,
    not_before timestamp with time zone,
    queued timestamp with time zone,
    holder character varying(300) NOT NULL,
    leased_until timestamp with time zone,
    link_id bigint NOT NULL,
    fetched integer NOT NULL,
    listed integer NOT NULL,
    marked_page bytea,
    marked_token text NOT NULL,
    phase character varying(10) NOT NULL,
    strategy character varying(12) NOT NULL,
    beyond_ceiling boolean NOT NULL,
    extra integer NOT NULL,
    held_back integer NOT NULL,
    list_until timestamp with time zone,
    missing integer NOT NULL,
    purpose character varying(10) NOT NULL,
    stale integer NOT NULL,
    vanished integer NOT NULL,
    sealed_cookies text NOT NULL,
    warnings jsonb NOT NULL,
    removed integer NOT NULL,
    outcome character varying(40) DEFAULT 'running'::character varying NOT NULL,
    outcome_data jsonb DEFAULT '{}'::jsonb NOT NULL,
    came_late integer DEFAULT 0 NOT NULL,
    explained integer DEFAULT 0 NOT NULL,
    first_asked timestamp with time zone,
    is_promised boolean DEFAULT false NOT NULL,
    stepped_back_s integer DEFAULT 0 NOT NULL,
    asked_before timestamp with time zone,
    not_served integer DEFAULT 0 NOT NULL,
    changed integer DEFAULT 0 NOT NULL,
    skipped_from timestamp with time zone,
    skipped_size integer,
    asking_since timestamp with time zone,
    crashes integer DEFAULT 0 NOT NULL,
    first_fault jsonb,
    last_fault jsonb,
    CONSTRAINT a_run_that_has_ended_has_no_cookies CHECK ((((state)::text = 'open'::text) OR (sealed_cookies = ''::text))),
    CONSTRAINT harvester_run_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT harvester_run_came_late_check CHECK ((came_late >= 0)),
    CONSTRAINT harvester_run_changed_check CHECK ((changed >= 0)),
    CONSTRAINT harvester_run_crashes_check CHECK ((crashes >= 0)),
    CONSTRAINT harvester_run_deleted_check CHECK ((deleted >= 0)),
    CONSTRAINT harvester_run_explained_check CHECK ((explained >= 0)),
    CONSTRAINT harvester_run_extra_check CHECK ((extra >= 0)),
    CONSTRAINT harvester_run_fetched_check CHECK ((fetched >= 0)),
    CONSTRAINT harvester_run_held_back_check CHECK ((held_back >= 0)),
    CONSTRAINT harvester_run_list_size_check CHECK ((list_size >= 0)),
    CONSTRAINT harvester_run_listed_check CHECK ((listed >= 0)),
    CONSTRAINT harvester_run_missing_check CHECK ((missing >= 0)),
    CONSTRAINT harvester_run_new_check CHECK ((new >= 0)),
    CONSTRAINT harvester_run_not_served_check CHECK ((not_served >= 0)),
    CONSTRAINT harvester_run_pages_check CHECK ((pages >= 0)),
    CONSTRAINT harvester_run_received_check CHECK ((received >= 0)),
    CONSTRAINT harvester_run_rejected_check CHECK ((rejected >= 0)),
    CONSTRAINT harvester_run_removed_check CHECK ((removed >= 0)),
    CONSTRAINT harvester_run_restarts_check CHECK ((restarts >= 0)),
    CONSTRAINT harvester_run_skipped_size_check CHECK ((skipped_size >= 0)),
    CONSTRAINT harvester_run_stale_check CHECK ((stale >= 0)),
    CONSTRAINT harvester_run_stepped_back_s_check CHECK ((stepped_back_s >= 0)),
    CONSTRAINT harvester_run_unchanged_check CHECK ((unchanged >= 0)),
    CONSTRAINT harvester_run_updated_check CHECK ((updated >= 0)),
    CONSTRAINT harvester_run_vanished_check CHECK ((vanished >= 0)),
    CONSTRAINT the_counters_of_a_run_add_up CHECK ((received = ((((new + updated) + unchanged) + deleted) + rejected)))
);


--
-- Name: harvester_run_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_run ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: harvester_standby; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_standby (
    id bigint NOT NULL,
    harvested_to timestamp with time zone,
    first_response timestamp with time zone,
    newest timestamp with time zone,
    granularity character varying(20) NOT NULL,
    deleted_record character varying(20) NOT NULL,
    "left" timestamp with time zone NOT NULL,
    next_probe timestamp with time zone,
    probed timestamp with time zone,
    answers_since timestamp with time zone,
    fault text NOT NULL,
    alternative_id bigint,
    link_id bigint NOT NULL,
    first_asked timestamp with time zone,
    is_promised boolean DEFAULT false NOT NULL,
    relisted_to timestamp with time zone
);


--
-- Name: harvester_standby_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.harvester_standby ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.harvester_standby_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: oaiprovider_crosswalk; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oaiprovider_crosswalk (
    id bigint NOT NULL,
    prefix character varying(100) NOT NULL,
    namespace character varying(500) NOT NULL,
    schema character varying(500) NOT NULL,
    stylesheet text NOT NULL,
    enabled boolean NOT NULL,
    for_everybody boolean NOT NULL,
    changed timestamp with time zone,
    CONSTRAINT a_crosswalk_changed_at_whole_seconds CHECK ((changed = date_trunc('second'::text, (changed AT TIME ZONE 'UTC'::text))))
);


--
-- Name: oaiprovider_crosswalk_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oaiprovider_crosswalk ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oaiprovider_crosswalk_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: oaiprovider_generation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oaiprovider_generation (
    prefix character varying(100) NOT NULL,
    digest character varying(64) NOT NULL,
    changed timestamp with time zone
);


--
-- Name: oaiprovider_identifydescription; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oaiprovider_identifydescription (
    id bigint NOT NULL,
    name character varying(60) NOT NULL,
    xml text NOT NULL,
    shown boolean NOT NULL
);


--
-- Name: oaiprovider_identifydescription_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oaiprovider_identifydescription ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oaiprovider_identifydescription_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: oaiprovider_profile; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oaiprovider_profile (
    id bigint NOT NULL,
    name character varying(60) NOT NULL,
    match character varying(200) NOT NULL,
    networks character varying(50)[] NOT NULL,
    everything boolean NOT NULL,
    page_records integer,
    page_headers integer,
    page_sets integer,
    repository_name character varying(200) NOT NULL,
    admin_emails character varying(254)[] NOT NULL,
    formats character varying(100)[] NOT NULL,
    requests_per_minute integer,
    may_be_limited boolean NOT NULL,
    set_tombstones boolean DEFAULT false NOT NULL,
    CONSTRAINT any_serves_everyone_and_no_other_profile_does CHECK (((((match)::text = ''::text) AND ((name)::text = 'Any'::text) AND (
CASE
    WHEN (networks IS NULL) THEN NULL::integer
    ELSE COALESCE(array_length(networks, 1), 0)
END = 0)) OR ((NOT ((name)::text = 'Any'::text)) AND (NOT ((match)::text = ''::text))))),
    CONSTRAINT oaiprovider_profile_page_headers_check CHECK ((page_headers >= 0)),
    CONSTRAINT oaiprovider_profile_page_records_check CHECK ((page_records >= 0)),
    CONSTRAINT oaiprovider_profile_page_sets_check CHECK ((page_sets >= 0)),
    CONSTRAINT oaiprovider_profile_requests_per_minute_check CHECK ((requests_per_minute >= 0))
);


--
-- Name: oaiprovider_profile_categories; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oaiprovider_profile_categories (
    id bigint NOT NULL,
    profile_id bigint NOT NULL,
    category_id bigint NOT NULL
);


--
-- Name: oaiprovider_profile_categories_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oaiprovider_profile_categories ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oaiprovider_profile_categories_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: oaiprovider_profile_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oaiprovider_profile ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oaiprovider_profile_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: oaiprovider_profile_sets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oaiprovider_profile_sets (
    id bigint NOT NULL,
    profile_id bigint NOT NULL,
    metadataset_id bigint NOT NULL
);


--
-- Name: oaiprovider_profile_sets_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oaiprovider_profile_sets ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oaiprovider_profile_sets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: otp_static_staticdevice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.otp_static_staticdevice (
    id integer NOT NULL,
    name character varying(64) NOT NULL,
    confirmed boolean NOT NULL,
    user_id integer NOT NULL,
    throttling_failure_count integer NOT NULL,
    throttling_failure_timestamp timestamp with time zone,
    created_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT otp_static_staticdevice_throttling_failure_count_check CHECK ((throttling_failure_count >= 0))
);


--
-- Name: otp_static_staticdevice_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.otp_static_staticdevice ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.otp_static_staticdevice_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: otp_static_statictoken; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.otp_static_statictoken (
    id integer NOT NULL,
    token character varying(16) NOT NULL,
    device_id integer NOT NULL
);


--
-- Name: otp_static_statictoken_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.otp_static_statictoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.otp_static_statictoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: otp_totp_totpdevice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.otp_totp_totpdevice (
    id integer NOT NULL,
    name character varying(64) NOT NULL,
    confirmed boolean NOT NULL,
    key character varying(80) NOT NULL,
    step smallint NOT NULL,
    t0 bigint NOT NULL,
    digits smallint NOT NULL,
    tolerance smallint NOT NULL,
    drift smallint NOT NULL,
    last_t bigint NOT NULL,
    user_id integer NOT NULL,
    throttling_failure_count integer NOT NULL,
    throttling_failure_timestamp timestamp with time zone,
    created_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT otp_totp_totpdevice_digits_check CHECK ((digits >= 0)),
    CONSTRAINT otp_totp_totpdevice_step_check CHECK ((step >= 0)),
    CONSTRAINT otp_totp_totpdevice_throttling_failure_count_check CHECK ((throttling_failure_count >= 0)),
    CONSTRAINT otp_totp_totpdevice_tolerance_check CHECK ((tolerance >= 0))
);


--
-- Name: otp_totp_totpdevice_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.otp_totp_totpdevice ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.otp_totp_totpdevice_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: wis_monitoring_dailyfigures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wis_monitoring_dailyfigures (
    day date NOT NULL,
    until timestamp with time zone NOT NULL,
    since timestamp with time zone,
    live bigint NOT NULL,
    changed bigint,
    deleted bigint,
    services jsonb NOT NULL
);


--
-- Name: wis_monitoring_responsetimes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wis_monitoring_responsetimes (
    at timestamp with time zone NOT NULL,
    centres jsonb NOT NULL
);


--
-- Data for Name: alerts_condition; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: alerts_message; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: alerts_recipient; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: alerts_recipient_links; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: audit_act; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_group; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_group VALUES
	(1, 'viewer'),
	(2, 'operator'),
	(3, 'data manager'),
	(4, 'administrator');


--
-- Data for Name: auth_group_permissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_group_permissions VALUES
	(1, 1, 8),
	(2, 1, 12),
	(3, 1, 24),
	(4, 1, 160),
	(5, 1, 36),
	(6, 1, 172),
	(7, 1, 48),
	(8, 1, 176),
	(9, 1, 52),
	(10, 1, 180),
	(11, 1, 188),
	(12, 1, 192),
	(13, 1, 200),
	(14, 1, 204),
	(15, 1, 212),
	(16, 1, 224),
	(17, 1, 228),
	(18, 1, 104),
	(19, 1, 124),
	(20, 2, 5),
	(21, 2, 6),
	(22, 2, 7),
	(23, 2, 8),
	(24, 2, 12),
	(25, 2, 21),
	(26, 2, 24),
	(27, 2, 160),
	(28, 2, 288),
	(29, 2, 36),
	(30, 2, 172),
	(31, 2, 48),
	(32, 2, 176),
	(33, 2, 52),
	(34, 2, 180),
	(35, 2, 185),
	(36, 2, 186),
	(37, 2, 187),
	(38, 2, 188),
	(39, 2, 189),
	(40, 2, 190),
	(41, 2, 191),
	(42, 2, 192),
	(43, 2, 64),
	(44, 2, 200),
	(45, 2, 204),
	(46, 2, 210),
	(47, 2, 212),
	(48, 2, 224),
	(49, 2, 225),
	(50, 2, 226),
	(51, 2, 227),
	(52, 2, 228),
	(53, 2, 104),
	(54, 2, 124),
	(55, 3, 8),
	(56, 3, 12),
	(57, 3, 21),
	(58, 3, 22),
	(59, 3, 23),
	(60, 3, 24),
	(61, 3, 160),
	(62, 3, 288),
	(63, 3, 34),
	(64, 3, 36),
	(65, 3, 169),
	(66, 3, 170),
	(67, 3, 171),
	(68, 3, 172),
	(69, 3, 173),
	(70, 3, 174),
	(71, 3, 175),
	(72, 3, 48),
	(73, 3, 177),
	(74, 3, 50),
	(75, 3, 178),
	(76, 3, 52),
	(77, 3, 180),
	(78, 3, 179),
	(79, 3, 176),
	(80, 3, 188),
	(81, 3, 192),
	(82, 3, 64),
	(83, 3, 200),
	(84, 3, 204),
	(85, 3, 210),
	(86, 3, 212),
	(87, 3, 224),
	(88, 3, 228),
	(89, 3, 101),
	(90, 3, 102),
	(91, 3, 103),
	(92, 3, 104),
	(93, 3, 121),
	(94, 3, 122),
	(95, 3, 123),
	(96, 3, 124),
	(97, 4, 1),
	(98, 4, 2),
	(99, 4, 3),
	(100, 4, 4);
INSERT INTO public.auth_group_permissions VALUES
	(101, 4, 5),
	(102, 4, 6),
	(103, 4, 7),
	(104, 4, 8),
	(105, 4, 9),
	(106, 4, 10),
	(107, 4, 11),
	(108, 4, 12),
	(109, 4, 13),
	(110, 4, 14),
	(111, 4, 15),
	(112, 4, 16),
	(113, 4, 17),
	(114, 4, 18),
	(115, 4, 19),
	(116, 4, 20),
	(117, 4, 21),
	(118, 4, 22),
	(119, 4, 23),
	(120, 4, 24),
	(121, 4, 25),
	(122, 4, 26),
	(123, 4, 27),
	(124, 4, 28),
	(125, 4, 29),
	(126, 4, 30),
	(127, 4, 31),
	(128, 4, 32),
	(129, 4, 33),
	(130, 4, 34),
	(131, 4, 35),
	(132, 4, 36),
	(133, 4, 37),
	(134, 4, 38),
	(135, 4, 39),
	(136, 4, 40),
	(137, 4, 41),
	(138, 4, 42),
	(139, 4, 43),
	(140, 4, 44),
	(141, 4, 45),
	(142, 4, 46),
	(143, 4, 47),
	(144, 4, 48),
	(145, 4, 49),
	(146, 4, 50),
	(147, 4, 51),
	(148, 4, 52),
	(149, 4, 53),
	(150, 4, 54),
	(151, 4, 55),
	(152, 4, 56),
	(153, 4, 57),
	(154, 4, 58),
	(155, 4, 59),
	(156, 4, 60),
	(157, 4, 61),
	(158, 4, 62),
	(159, 4, 63),
	(160, 4, 64),
	(161, 4, 65),
	(162, 4, 66),
	(163, 4, 67),
	(164, 4, 68),
	(165, 4, 69),
	(166, 4, 70),
	(167, 4, 71),
	(168, 4, 72),
	(169, 4, 73),
	(170, 4, 74),
	(171, 4, 75),
	(172, 4, 76),
	(173, 4, 77),
	(174, 4, 78),
	(175, 4, 79),
	(176, 4, 80),
	(177, 4, 81),
	(178, 4, 82),
	(179, 4, 83),
	(180, 4, 84),
	(181, 4, 85),
	(182, 4, 86),
	(183, 4, 87),
	(184, 4, 88),
	(185, 4, 89),
	(186, 4, 90),
	(187, 4, 91),
	(188, 4, 92),
	(189, 4, 93),
	(190, 4, 94),
	(191, 4, 95),
	(192, 4, 96),
	(193, 4, 97),
	(194, 4, 98),
	(195, 4, 99),
	(196, 4, 100),
	(197, 4, 101),
	(198, 4, 102),
	(199, 4, 103),
	(200, 4, 104);
INSERT INTO public.auth_group_permissions VALUES
	(201, 4, 105),
	(202, 4, 106),
	(203, 4, 107),
	(204, 4, 108),
	(205, 4, 109),
	(206, 4, 110),
	(207, 4, 111),
	(208, 4, 112),
	(209, 4, 113),
	(210, 4, 114),
	(211, 4, 115),
	(212, 4, 116),
	(213, 4, 117),
	(214, 4, 118),
	(215, 4, 119),
	(216, 4, 120),
	(217, 4, 121),
	(218, 4, 122),
	(219, 4, 123),
	(220, 4, 124),
	(221, 4, 125),
	(222, 4, 126),
	(223, 4, 127),
	(224, 4, 128),
	(225, 4, 129),
	(226, 4, 130),
	(227, 4, 131),
	(228, 4, 132),
	(229, 4, 133),
	(230, 4, 134),
	(231, 4, 135),
	(232, 4, 136),
	(233, 4, 137),
	(234, 4, 138),
	(235, 4, 139),
	(236, 4, 140),
	(237, 4, 141),
	(238, 4, 142),
	(239, 4, 143),
	(240, 4, 144),
	(241, 4, 145),
	(242, 4, 146),
	(243, 4, 147),
	(244, 4, 148),
	(245, 4, 149),
	(246, 4, 150),
	(247, 4, 151),
	(248, 4, 152),
	(249, 4, 153),
	(250, 4, 154),
	(251, 4, 155),
	(252, 4, 156),
	(253, 4, 157),
	(254, 4, 158),
	(255, 4, 159),
	(256, 4, 160),
	(257, 4, 161),
	(258, 4, 162),
	(259, 4, 163),
	(260, 4, 164),
	(261, 4, 165),
	(262, 4, 166),
	(263, 4, 167),
	(264, 4, 168),
	(265, 4, 169),
	(266, 4, 170),
	(267, 4, 171),
	(268, 4, 172),
	(269, 4, 173),
	(270, 4, 174),
	(271, 4, 175),
	(272, 4, 176),
	(273, 4, 177),
	(274, 4, 178),
	(275, 4, 179),
	(276, 4, 180),
	(277, 4, 181),
	(278, 4, 182),
	(279, 4, 183),
	(280, 4, 184),
	(281, 4, 185),
	(282, 4, 186),
	(283, 4, 187),
	(284, 4, 188),
	(285, 4, 189),
	(286, 4, 190),
	(287, 4, 191),
	(288, 4, 192),
	(289, 4, 193),
	(290, 4, 194),
	(291, 4, 195),
	(292, 4, 196),
	(293, 4, 197),
	(294, 4, 198),
	(295, 4, 199),
	(296, 4, 200),
	(297, 4, 201),
	(298, 4, 202),
	(299, 4, 203),
	(300, 4, 204);
INSERT INTO public.auth_group_permissions VALUES
	(301, 4, 205),
	(302, 4, 206),
	(303, 4, 207),
	(304, 4, 208),
	(305, 4, 209),
	(306, 4, 210),
	(307, 4, 211),
	(308, 4, 212),
	(309, 4, 213),
	(310, 4, 214),
	(311, 4, 215),
	(312, 4, 216),
	(313, 4, 217),
	(314, 4, 218),
	(315, 4, 219),
	(316, 4, 220),
	(317, 4, 221),
	(318, 4, 222),
	(319, 4, 223),
	(320, 4, 224),
	(321, 4, 225),
	(322, 4, 226),
	(323, 4, 227),
	(324, 4, 228),
	(325, 4, 229),
	(326, 4, 230),
	(327, 4, 231),
	(328, 4, 232),
	(329, 4, 233),
	(330, 4, 234),
	(331, 4, 235),
	(332, 4, 236),
	(333, 4, 237),
	(334, 4, 238),
	(335, 4, 239),
	(336, 4, 240),
	(337, 4, 241),
	(338, 4, 242),
	(339, 4, 243),
	(340, 4, 244),
	(341, 4, 245),
	(342, 4, 246),
	(343, 4, 247),
	(344, 4, 248),
	(345, 4, 249),
	(346, 4, 250),
	(347, 4, 251),
	(348, 4, 252),
	(349, 4, 253),
	(350, 4, 254),
	(351, 4, 255),
	(352, 4, 256),
	(353, 4, 257),
	(354, 4, 258),
	(355, 4, 259),
	(356, 4, 260),
	(357, 4, 261),
	(358, 4, 262),
	(359, 4, 263),
	(360, 4, 264),
	(361, 4, 265),
	(362, 4, 266),
	(363, 4, 267),
	(364, 4, 268),
	(365, 4, 269),
	(366, 4, 270),
	(367, 4, 271),
	(368, 4, 272),
	(369, 4, 273),
	(370, 4, 274),
	(371, 4, 275),
	(372, 4, 276),
	(373, 4, 277),
	(374, 4, 278),
	(375, 4, 279),
	(376, 4, 280),
	(377, 4, 281),
	(378, 4, 282),
	(379, 4, 283),
	(380, 4, 284),
	(381, 4, 285),
	(382, 4, 286),
	(383, 4, 287),
	(384, 4, 288);


--
-- Data for Name: auth_permission; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_permission VALUES
	(1, 'Can add problem', 1, 'add_condition'),
	(2, 'Can change problem', 1, 'change_condition'),
	(3, 'Can delete problem', 1, 'delete_condition'),
	(4, 'Can view problem', 1, 'view_condition'),
	(5, 'Can add recipient of alerts', 2, 'add_recipient'),
	(6, 'Can change recipient of alerts', 2, 'change_recipient'),
	(7, 'Can delete recipient of alerts', 2, 'delete_recipient'),
	(8, 'Can view recipient of alerts', 2, 'view_recipient'),
	(9, 'Can add alert', 3, 'add_message'),
	(10, 'Can change alert', 3, 'change_message'),
	(11, 'Can delete alert', 3, 'delete_message'),
	(12, 'Can view alert', 3, 'view_message'),
	(13, 'Can add daily figures', 4, 'add_dailyfigures'),
	(14, 'Can change daily figures', 4, 'change_dailyfigures'),
	(15, 'Can delete daily figures', 4, 'delete_dailyfigures'),
	(16, 'Can view daily figures', 4, 'view_dailyfigures'),
	(17, 'Can add response times', 5, 'add_responsetimes'),
	(18, 'Can change response times', 5, 'change_responsetimes'),
	(19, 'Can delete response times', 5, 'delete_responsetimes'),
	(20, 'Can view response times', 5, 'view_responsetimes'),
	(21, 'Can add set', 6, 'add_metadataset'),
	(22, 'Can change set', 6, 'change_metadataset'),
	(23, 'Can delete set', 6, 'delete_metadataset'),
	(24, 'Can view set', 6, 'view_metadataset'),
	(25, 'Can add inclusion', 7, 'add_setinclusion'),
	(26, 'Can change inclusion', 7, 'change_setinclusion'),
	(27, 'Can delete inclusion', 7, 'delete_setinclusion'),
	(28, 'Can view inclusion', 7, 'view_setinclusion'),
	(29, 'Can add datestamp clock', 8, 'add_datestampclock'),
	(30, 'Can change datestamp clock', 8, 'change_datestampclock'),
	(31, 'Can delete datestamp clock', 8, 'delete_datestampclock'),
	(32, 'Can view datestamp clock', 8, 'view_datestampclock'),
	(33, 'Can add record', 9, 'add_record'),
	(34, 'Can change record', 9, 'change_record'),
	(35, 'Can delete record', 9, 'delete_record'),
	(36, 'Can view record', 9, 'view_record'),
	(37, 'Can add description of a record', 10, 'add_description'),
	(38, 'Can change description of a record', 10, 'change_description'),
	(39, 'Can delete description of a record', 10, 'delete_description'),
	(40, 'Can view description of a record', 10, 'view_description'),
	(41, 'Can add result of the checks', 11, 'add_validation'),
	(42, 'Can change result of the checks', 11, 'change_validation'),
	(43, 'Can delete result of the checks', 11, 'delete_validation'),
	(44, 'Can view result of the checks', 11, 'view_validation'),
	(45, 'Can add membership', 12, 'add_membership'),
	(46, 'Can change membership', 12, 'change_membership'),
	(47, 'Can delete membership', 12, 'delete_membership'),
	(48, 'Can view membership', 12, 'view_membership'),
	(49, 'Can add other version', 13, 'add_claim'),
	(50, 'Can change other version', 13, 'change_claim'),
	(51, 'Can delete other version', 13, 'delete_claim'),
	(52, 'Can view other version', 13, 'view_claim'),
	(53, 'Can add list size', 14, 'add_listsize'),
	(54, 'Can change list size', 14, 'change_listsize'),
	(55, 'Can delete list size', 14, 'delete_listsize'),
	(56, 'Can view list size', 14, 'view_listsize'),
	(57, 'Can add dictionary', 15, 'add_dictionary'),
	(58, 'Can change dictionary', 15, 'change_dictionary'),
	(59, 'Can delete dictionary', 15, 'delete_dictionary'),
	(60, 'Can view dictionary', 15, 'view_dictionary'),
	(61, 'Can add event waiting for the journal', 16, 'add_journaloutbox'),
	(62, 'Can change event waiting for the journal', 16, 'change_journaloutbox'),
	(63, 'Can delete event waiting for the journal', 16, 'delete_journaloutbox'),
	(64, 'Can view event waiting for the journal', 16, 'view_journaloutbox'),
	(65, 'Can add purged tombstone', 17, 'add_purged'),
	(66, 'Can change purged tombstone', 17, 'change_purged'),
	(67, 'Can delete purged tombstone', 17, 'delete_purged'),
	(68, 'Can view purged tombstone', 17, 'view_purged'),
	(69, 'Can add catalogue canary', 18, 'add_cataloguecanary'),
	(70, 'Can change catalogue canary', 18, 'change_cataloguecanary'),
	(71, 'Can delete catalogue canary', 18, 'delete_cataloguecanary'),
	(72, 'Can view catalogue canary', 18, 'view_cataloguecanary'),
	(73, 'Can add day lived', 19, 'add_daylived'),
	(74, 'Can change day lived', 19, 'change_daylived'),
	(75, 'Can delete day lived', 19, 'delete_daylived'),
	(76, 'Can view day lived', 19, 'view_daylived'),
	(77, 'Can add host uptime', 20, 'add_hostuptime'),
	(78, 'Can change host uptime', 20, 'change_hostuptime'),
	(79, 'Can delete host uptime', 20, 'delete_hostuptime'),
	(80, 'Can view host uptime', 20, 'view_hostuptime'),
	(81, 'Can add journal position', 21, 'add_journalposition'),
	(82, 'Can change journal position', 21, 'change_journalposition'),
	(83, 'Can delete journal position', 21, 'delete_journalposition'),
	(84, 'Can view journal position', 21, 'view_journalposition'),
	(85, 'Can add journal writer', 22, 'add_journalwriter'),
	(86, 'Can change journal writer', 22, 'change_journalwriter'),
	(87, 'Can delete journal writer', 22, 'delete_journalwriter'),
	(88, 'Can view journal writer', 22, 'view_journalwriter'),
	(89, 'Can add change of spelling', 23, 'add_spellingchange'),
	(90, 'Can change change of spelling', 23, 'change_spellingchange'),
	(91, 'Can delete change of spelling', 23, 'delete_spellingchange'),
	(92, 'Can view change of spelling', 23, 'view_spellingchange'),
	(93, 'Can add failing chore', 24, 'add_failingchore'),
	(94, 'Can change failing chore', 24, 'change_failingchore'),
	(95, 'Can delete failing chore', 24, 'delete_failingchore'),
	(96, 'Can view failing chore', 24, 'view_failingchore'),
	(97, 'Can add change of a virtual set', 25, 'add_setchange'),
	(98, 'Can change change of a virtual set', 25, 'change_setchange'),
	(99, 'Can delete change of a virtual set', 25, 'delete_setchange'),
	(100, 'Can view change of a virtual set', 25, 'view_setchange');
INSERT INTO public.auth_permission VALUES
	(101, 'Can add upload', 26, 'add_upload'),
	(102, 'Can change upload', 26, 'change_upload'),
	(103, 'Can delete upload', 26, 'delete_upload'),
	(104, 'Can view upload', 26, 'view_upload'),
	(105, 'Can add document of an upload', 27, 'add_uploaddocument'),
	(106, 'Can change document of an upload', 27, 'change_uploaddocument'),
	(107, 'Can delete document of an upload', 27, 'delete_uploaddocument'),
	(108, 'Can view document of an upload', 27, 'view_uploaddocument'),
	(109, 'Can add watched file', 28, 'add_watchedfile'),
	(110, 'Can change watched file', 28, 'change_watchedfile'),
	(111, 'Can delete watched file', 28, 'delete_watchedfile'),
	(112, 'Can view watched file', 28, 'view_watchedfile'),
	(113, 'Can add watched record', 29, 'add_watchedrecord'),
	(114, 'Can change watched record', 29, 'change_watchedrecord'),
	(115, 'Can delete watched record', 29, 'delete_watchedrecord'),
	(116, 'Can view watched record', 29, 'view_watchedrecord'),
	(117, 'Can add audience', 30, 'add_audience'),
	(118, 'Can change audience', 30, 'change_audience'),
	(119, 'Can delete audience', 30, 'delete_audience'),
	(120, 'Can view audience', 30, 'view_audience'),
	(121, 'Can add category', 31, 'add_category'),
	(122, 'Can change category', 31, 'change_category'),
	(123, 'Can delete category', 31, 'delete_category'),
	(124, 'Can view category', 31, 'view_category'),
	(125, 'Can add category of a record', 32, 'add_recordcategory'),
	(126, 'Can change category of a record', 32, 'change_recordcategory'),
	(127, 'Can delete category of a record', 32, 'delete_recordcategory'),
	(128, 'Can view category of a record', 32, 'view_recordcategory'),
	(129, 'Can add category of a link''s records', 33, 'add_sourcecategory'),
	(130, 'Can change category of a link''s records', 33, 'change_sourcecategory'),
	(131, 'Can delete category of a link''s records', 33, 'delete_sourcecategory'),
	(132, 'Can view category of a link''s records', 33, 'view_sourcecategory'),
	(133, 'Can add visibility change', 34, 'add_visibilitychange'),
	(134, 'Can change visibility change', 34, 'change_visibilitychange'),
	(135, 'Can delete visibility change', 34, 'delete_visibilitychange'),
	(136, 'Can view visibility change', 34, 'view_visibilitychange'),
	(137, 'Can add record out of sight', 35, 'add_withdrawal'),
	(138, 'Can change record out of sight', 35, 'change_withdrawal'),
	(139, 'Can delete record out of sight', 35, 'delete_withdrawal'),
	(140, 'Can view record out of sight', 35, 'view_withdrawal'),
	(141, 'Can add former version', 36, 'add_recordversion'),
	(142, 'Can change former version', 36, 'change_recordversion'),
	(143, 'Can delete former version', 36, 'delete_recordversion'),
	(144, 'Can view former version', 36, 'view_recordversion'),
	(145, 'Can add word', 37, 'add_word'),
	(146, 'Can change word', 37, 'change_word'),
	(147, 'Can delete word', 37, 'delete_word'),
	(148, 'Can view word', 37, 'view_word'),
	(149, 'Can add overview', 38, 'add_overview'),
	(150, 'Can change overview', 38, 'change_overview'),
	(151, 'Can delete overview', 38, 'delete_overview'),
	(152, 'Can view overview', 38, 'view_overview'),
	(153, 'Can add search of a virtual set', 39, 'add_setsearch'),
	(154, 'Can change search of a virtual set', 39, 'change_setsearch'),
	(155, 'Can delete search of a virtual set', 39, 'delete_setsearch'),
	(156, 'Can view search of a virtual set', 39, 'view_setsearch'),
	(157, 'Can add quality of a set or centre', 40, 'add_quality'),
	(158, 'Can change quality of a set or centre', 40, 'change_quality'),
	(159, 'Can delete quality of a set or centre', 40, 'delete_quality'),
	(160, 'Can view quality of a set or centre', 40, 'view_quality'),
	(161, 'Can add day of the catalogue', 41, 'add_catalogueday'),
	(162, 'Can change day of the catalogue', 41, 'change_catalogueday'),
	(163, 'Can delete day of the catalogue', 41, 'delete_catalogueday'),
	(164, 'Can view day of the catalogue', 41, 'view_catalogueday'),
	(165, 'Can add completed walk of the checks', 42, 'add_completedwalk'),
	(166, 'Can change completed walk of the checks', 42, 'change_completedwalk'),
	(167, 'Can delete completed walk of the checks', 42, 'delete_completedwalk'),
	(168, 'Can view completed walk of the checks', 42, 'view_completedwalk'),
	(169, 'Can add harvester profile', 43, 'add_profile'),
	(170, 'Can change harvester profile', 43, 'change_profile'),
	(171, 'Can delete harvester profile', 43, 'delete_profile'),
	(172, 'Can view harvester profile', 43, 'view_profile'),
	(173, 'Can add description in Identify', 44, 'add_identifydescription'),
	(174, 'Can change description in Identify', 44, 'change_identifydescription'),
	(175, 'Can delete description in Identify', 44, 'delete_identifydescription'),
	(176, 'Can view description in Identify', 44, 'view_identifydescription'),
	(177, 'Can add crosswalk', 45, 'add_crosswalk'),
	(178, 'Can change crosswalk', 45, 'change_crosswalk'),
	(179, 'Can delete crosswalk', 45, 'delete_crosswalk'),
	(180, 'Can view crosswalk', 45, 'view_crosswalk'),
	(181, 'Can add generation', 46, 'add_generation'),
	(182, 'Can change generation', 46, 'change_generation'),
	(183, 'Can delete generation', 46, 'delete_generation'),
	(184, 'Can view generation', 46, 'view_generation'),
	(185, 'Can add alternative provider', 47, 'add_alternative'),
	(186, 'Can change alternative provider', 47, 'change_alternative'),
	(187, 'Can delete alternative provider', 47, 'delete_alternative'),
	(188, 'Can view alternative provider', 47, 'view_alternative'),
	(189, 'Can add link', 48, 'add_link'),
	(190, 'Can change link', 48, 'change_link'),
	(191, 'Can delete link', 48, 'delete_link'),
	(192, 'Can view link', 48, 'view_link'),
	(193, 'Can add provider that waits', 49, 'add_standby'),
	(194, 'Can change provider that waits', 49, 'change_standby'),
	(195, 'Can delete provider that waits', 49, 'delete_standby'),
	(196, 'Can view provider that waits', 49, 'view_standby'),
	(197, 'Can add run', 50, 'add_run'),
	(198, 'Can change run', 50, 'change_run'),
	(199, 'Can delete run', 50, 'delete_run'),
	(200, 'Can view run', 50, 'view_run');
INSERT INTO public.auth_permission VALUES
	(201, 'Can add reject', 51, 'add_reject'),
	(202, 'Can change reject', 51, 'change_reject'),
	(203, 'Can delete reject', 51, 'delete_reject'),
	(204, 'Can view reject', 51, 'view_reject'),
	(205, 'Can add remote header', 52, 'add_remoteheader'),
	(206, 'Can change remote header', 52, 'change_remoteheader'),
	(207, 'Can delete remote header', 52, 'delete_remoteheader'),
	(208, 'Can view remote header', 52, 'view_remoteheader'),
	(209, 'Can add conflict', 53, 'add_conflict'),
	(210, 'Can change conflict', 53, 'change_conflict'),
	(211, 'Can delete conflict', 53, 'delete_conflict'),
	(212, 'Can view conflict', 53, 'view_conflict'),
	(213, 'Can add canary', 54, 'add_canary'),
	(214, 'Can change canary', 54, 'change_canary'),
	(215, 'Can delete canary', 54, 'delete_canary'),
	(216, 'Can view canary', 54, 'view_canary'),
	(217, 'Can add host clock', 55, 'add_hostclock'),
	(218, 'Can change host clock', 55, 'change_hostclock'),
	(219, 'Can delete host clock', 55, 'delete_hostclock'),
	(220, 'Can view host clock', 55, 'view_hostclock'),
	(221, 'Can add daily sum', 56, 'add_linkday'),
	(222, 'Can change daily sum', 56, 'change_linkday'),
	(223, 'Can delete daily sum', 56, 'delete_linkday'),
	(224, 'Can view daily sum', 56, 'view_linkday'),
	(225, 'Can add centre', 57, 'add_centre'),
	(226, 'Can change centre', 57, 'change_centre'),
	(227, 'Can delete centre', 57, 'delete_centre'),
	(228, 'Can view centre', 57, 'view_centre'),
	(229, 'Can add quiet cause', 58, 'add_quietcause'),
	(230, 'Can change quiet cause', 58, 'change_quietcause'),
	(231, 'Can delete quiet cause', 58, 'delete_quietcause'),
	(232, 'Can view quiet cause', 58, 'view_quietcause'),
	(233, 'Can add log entry', 59, 'add_logentry'),
	(234, 'Can change log entry', 59, 'change_logentry'),
	(235, 'Can delete log entry', 59, 'delete_logentry'),
	(236, 'Can view log entry', 59, 'view_logentry'),
	(237, 'Can add permission', 60, 'add_permission'),
	(238, 'Can change permission', 60, 'change_permission'),
	(239, 'Can delete permission', 60, 'delete_permission'),
	(240, 'Can view permission', 60, 'view_permission'),
	(241, 'Can add group', 61, 'add_group'),
	(242, 'Can change group', 61, 'change_group'),
	(243, 'Can delete group', 61, 'delete_group'),
	(244, 'Can view group', 61, 'view_group'),
	(245, 'Can add user', 62, 'add_user'),
	(246, 'Can change user', 62, 'change_user'),
	(247, 'Can delete user', 62, 'delete_user'),
	(248, 'Can view user', 62, 'view_user'),
	(249, 'Can add content type', 63, 'add_contenttype'),
	(250, 'Can change content type', 63, 'change_contenttype'),
	(251, 'Can delete content type', 63, 'delete_contenttype'),
	(252, 'Can view content type', 63, 'view_contenttype'),
	(253, 'Can add session', 64, 'add_session'),
	(254, 'Can change session', 64, 'change_session'),
	(255, 'Can delete session', 64, 'delete_session'),
	(256, 'Can view session', 64, 'view_session'),
	(257, 'Can add access attempt', 65, 'add_accessattempt'),
	(258, 'Can change access attempt', 65, 'change_accessattempt'),
	(259, 'Can delete access attempt', 65, 'delete_accessattempt'),
	(260, 'Can view access attempt', 65, 'view_accessattempt'),
	(261, 'Can add access log', 66, 'add_accesslog'),
	(262, 'Can change access log', 66, 'change_accesslog'),
	(263, 'Can delete access log', 66, 'delete_accesslog'),
	(264, 'Can view access log', 66, 'view_accesslog'),
	(265, 'Can add access failure', 67, 'add_accessfailurelog'),
	(266, 'Can change access failure', 67, 'change_accessfailurelog'),
	(267, 'Can delete access failure', 67, 'delete_accessfailurelog'),
	(268, 'Can view access failure', 67, 'view_accessfailurelog'),
	(269, 'Can add access attempt expiration', 68, 'add_accessattemptexpiration'),
	(270, 'Can change access attempt expiration', 68, 'change_accessattemptexpiration'),
	(271, 'Can delete access attempt expiration', 68, 'delete_accessattemptexpiration'),
	(272, 'Can view access attempt expiration', 68, 'view_accessattemptexpiration'),
	(273, 'Can add TOTP device', 69, 'add_totpdevice'),
	(274, 'Can change TOTP device', 69, 'change_totpdevice'),
	(275, 'Can delete TOTP device', 69, 'delete_totpdevice'),
	(276, 'Can view TOTP device', 69, 'view_totpdevice'),
	(277, 'Can add static device', 70, 'add_staticdevice'),
	(278, 'Can change static device', 70, 'change_staticdevice'),
	(279, 'Can delete static device', 70, 'delete_staticdevice'),
	(280, 'Can view static device', 70, 'view_staticdevice'),
	(281, 'Can add static token', 71, 'add_statictoken'),
	(282, 'Can change static token', 71, 'change_statictoken'),
	(283, 'Can delete static token', 71, 'delete_statictoken'),
	(284, 'Can view static token', 71, 'view_statictoken'),
	(285, 'Can add act', 72, 'add_act'),
	(286, 'Can change act', 72, 'change_act'),
	(287, 'Can delete act', 72, 'delete_act'),
	(288, 'Can view act', 72, 'view_act');


--
-- Data for Name: auth_user; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_user_groups; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_user_user_permissions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: axes_accessattempt; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: axes_accessattemptexpiration; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: axes_accessfailurelog; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: axes_accesslog; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_audience; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_cataloguecanary; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_catalogueday; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_catalogueday VALUES
	('2026-11-26', 19, 1, 5);


--
-- Data for Name: catalogue_category; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_claim; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_claim VALUES
	(1, 'offenbach', '\x28b52ffd67c06a001514075502002402782d776d6f3a722e6d66723a3a52304173204f6666656e62616368206861732069740bf0999665e5422bad6096a451c8769048bdb29746200511ff362774a9a09b91e9488afab122b6b25858502a4d180400000067697363', '\xd07e3d9a4d903f47daa68235b929e2abd2bd7fd45a824117449d6b10e07ba9d7', '2024-03-01 00:00:00+00', '{"link": "offenbach", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "datestamp": "2026-02-02T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R001", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', '2026-11-26 06:35:06+00', 14, 5, ''),
	(2, 'toulouse', '\x28b52ffd67c06a00150b07f50100c8782d776d6f3a722e6d66723a3a52303250726f6475637420320afc4db9922eb4d2c02c496bb2c66048cde6940243d1b73986ba946137233f92c2f56345aef9900f502a4d180400000067697363', '\x0daa9bd51d4004b0465a56d7c552b850282f02377aceced94ddd5970088980a0', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "relayed": true, "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R020", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', '2026-11-26 06:35:06+00', 19, 4, ''),
	(3, 'toulouse', '\x28b52ffd67c06a00150b07150200c8782d776d6f3a722e6d66723a3a5230323150726f64756374200bfc30b97202e0985c68650ab3c4c164416390682abe1424a3bccd49eea79277334223290f3eb6068ad7401d502a4d180400000067697363', '\x99f4c902ce646a89796b6037f9d356996169a72666f355d950a71726861c4b38', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "relayed": true, "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R021", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', '2026-11-26 06:35:06+00', 20, 4, ''),
	(4, 'toulouse', '\x28b52ffd67c06a00150b07dd0100b0782d776d6f3a722e6d66723a3a523050726f647563740afc4f01022eb4b2c02c196c32537bdeb88a9182649ab739c9ba547237237424e5c1c78ad6b73e1f502a4d180400000067697363', '\xa528a88d7afd1eb035340c317c1823c3c3ef232d4a6ff05beca5ee85b19ceb50', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "relayed": true, "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R022", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', '2026-11-26 06:35:06+00', 21, 4, '');


--
-- Data for Name: catalogue_completedwalk; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_completedwalk VALUES
	(1, '2026-11-26 06:35:07+00');


--
-- Data for Name: catalogue_datestampclock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_datestampclock VALUES
	(1, '2026-11-26 06:35:07+00', '2026-01-01 00:00:00+00');


--
-- Data for Name: catalogue_daylived; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_daylived VALUES
	(1, '2026-09-10 14:35:05+00', '{}'),
	(2, '2026-09-11 10:35:05+00', '{}'),
	(3, '2026-09-12 06:35:05+00', '{}'),
	(4, '2026-09-13 02:35:05+00', '{}'),
	(5, '2026-09-13 22:35:05+00', '{}'),
	(6, '2026-09-14 18:35:05+00', '{}'),
	(7, '2026-09-15 14:35:05+00', '{}'),
	(8, '2026-09-16 10:35:05+00', '{}'),
	(9, '2026-09-17 06:35:05+00', '{}'),
	(10, '2026-09-18 02:35:05+00', '{}'),
	(11, '2026-09-18 22:35:05+00', '{}'),
	(12, '2026-09-19 18:35:05+00', '{}'),
	(13, '2026-09-20 14:35:05+00', '{}'),
	(14, '2026-09-21 10:35:05+00', '{}'),
	(15, '2026-09-22 06:35:05+00', '{}'),
	(16, '2026-09-23 02:35:05+00', '{}'),
	(17, '2026-09-23 22:35:05+00', '{}'),
	(18, '2026-09-24 18:35:05+00', '{}'),
	(19, '2026-09-25 14:35:05+00', '{}'),
	(20, '2026-09-26 10:35:05+00', '{}'),
	(21, '2026-09-27 06:35:05+00', '{}'),
	(22, '2026-09-28 02:35:05+00', '{}'),
	(23, '2026-09-28 22:35:05+00', '{}'),
	(24, '2026-09-29 18:35:05+00', '{}'),
	(25, '2026-09-30 14:35:05+00', '{}'),
	(26, '2026-10-01 10:35:05+00', '{}'),
	(27, '2026-10-02 06:35:05+00', '{}'),
	(28, '2026-10-03 02:35:05+00', '{}'),
	(29, '2026-10-03 22:35:05+00', '{}'),
	(30, '2026-10-04 18:35:05+00', '{}'),
	(31, '2026-10-05 14:35:05+00', '{}'),
	(32, '2026-10-06 10:35:05+00', '{}'),
	(33, '2026-10-07 06:35:05+00', '{}'),
	(34, '2026-10-08 02:35:05+00', '{}'),
	(35, '2026-10-08 22:35:05+00', '{}'),
	(36, '2026-10-09 18:35:05+00', '{}'),
	(37, '2026-10-10 14:35:05+00', '{}'),
	(38, '2026-10-11 10:35:05+00', '{}'),
	(39, '2026-10-12 06:35:05+00', '{}'),
	(40, '2026-10-13 02:35:05+00', '{}'),
	(41, '2026-10-13 22:35:05+00', '{}'),
	(42, '2026-10-14 18:35:05+00', '{}'),
	(43, '2026-10-15 14:35:05+00', '{}'),
	(44, '2026-10-16 10:35:05+00', '{}'),
	(45, '2026-10-17 06:35:05+00', '{}'),
	(46, '2026-10-18 02:35:05+00', '{}'),
	(47, '2026-10-18 22:35:05+00', '{}'),
	(48, '2026-10-19 18:35:05+00', '{}'),
	(49, '2026-10-20 14:35:05+00', '{}'),
	(50, '2026-10-21 10:35:05+00', '{}'),
	(51, '2026-10-22 06:35:05+00', '{}'),
	(52, '2026-10-23 02:35:05+00', '{}'),
	(53, '2026-10-23 22:35:05+00', '{}'),
	(54, '2026-10-24 18:35:05+00', '{}'),
	(55, '2026-10-25 14:35:05+00', '{}'),
	(56, '2026-10-26 10:35:05+00', '{}'),
	(57, '2026-10-27 06:35:05+00', '{}'),
	(58, '2026-10-28 02:35:05+00', '{}'),
	(59, '2026-10-28 22:35:05+00', '{}'),
	(60, '2026-10-29 18:35:05+00', '{}'),
	(61, '2026-10-30 14:35:05+00', '{}'),
	(62, '2026-10-31 10:35:05+00', '{}'),
	(63, '2026-11-01 06:35:05+00', '{}'),
	(64, '2026-11-02 02:35:05+00', '{}'),
	(65, '2026-11-02 22:35:05+00', '{}'),
	(66, '2026-11-03 18:35:05+00', '{}'),
	(67, '2026-11-04 14:35:05+00', '{}'),
	(68, '2026-11-05 10:35:05+00', '{}'),
	(69, '2026-11-06 06:35:05+00', '{}'),
	(70, '2026-11-07 02:35:05+00', '{}'),
	(71, '2026-11-07 22:35:05+00', '{}'),
	(72, '2026-11-08 18:35:05+00', '{}'),
	(73, '2026-11-09 14:35:05+00', '{}'),
	(74, '2026-11-10 10:35:05+00', '{}'),
	(75, '2026-11-11 06:35:05+00', '{}'),
	(76, '2026-11-12 02:35:05+00', '{}'),
	(77, '2026-11-12 22:35:05+00', '{}'),
	(78, '2026-11-13 18:35:05+00', '{}'),
	(79, '2026-11-14 14:35:05+00', '{}'),
	(80, '2026-11-15 10:35:05+00', '{}'),
	(81, '2026-11-16 06:35:05+00', '{}'),
	(82, '2026-11-17 02:35:05+00', '{}'),
	(83, '2026-11-17 22:35:05+00', '{}'),
	(84, '2026-11-18 18:35:05+00', '{}'),
	(85, '2026-11-19 14:35:05+00', '{}'),
	(86, '2026-11-20 10:35:05+00', '{}'),
	(87, '2026-11-21 06:35:05+00', '{}'),
	(88, '2026-11-22 02:35:05+00', '{}'),
	(89, '2026-11-22 22:35:05+00', '{}'),
	(90, '2026-11-23 18:35:05+00', '{}'),
	(91, '2026-11-24 14:35:05+00', '{}'),
	(92, '2026-11-25 10:35:05+00', '{}'),
	(93, '2026-11-26 06:35:05+00', '{}');


--
-- Data for Name: catalogue_description; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_description VALUES
	(6, 'First', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-1838027179,1357370307,-1549676825,-1003522169,-1639030165,-1899044625,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(2, 'Böen & Sturm 突風', 'SYNOP reports of one station.', '{weatherObservations,climatology}', '[[122.0, 20.0, 154.0, 46.0]]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-532810015,939442797,1096859445,-1693165734,-1710620814,1357370307,-1549676825,-1003522169,-1639030165,-1899044625,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(1, 'Surface observations', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,678888689,946598341,1357370307,-1549676825,-1003522169,-1639030165,-1899044625,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(3, 'Second', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-1239477911,1357370307,-1549676825,-1003522169,-1639030165,-1899044625,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(5, 'Again', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-1818141699,1357370307,-1549676825,-1003522169,-1639030165,-1899044625,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(14, 'Product 1', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-2082672715,-750123859,-507937373,-1549676825,-1003522169,-1639030165,-864694577,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(13, 'Product 0', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-186917087,-750123859,-507937373,-1549676825,-1003522169,-1639030165,-864694577,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(15, 'Product 2', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-750123859,450215437,-507937373,-1549676825,-1003522169,-1639030165,-864694577,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(17, 'Product 4', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-206169287,-750123859,-507937373,-1549676825,-1003522169,-1639030165,-864694577,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(19, 'Product 20', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-1972341215,-750123859,-507937373,-1549676825,-1003522169,-1639030165,-864694577,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(20, 'Product 21', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-42514763,-750123859,-507937373,-1549676825,-1003522169,-1639030165,-864694577,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(21, 'Product 22', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-750123859,1685985037,-507937373,-1549676825,-1003522169,-1639030165,-864694577,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(27, 'Product 40', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-601173595,-750123859,-507937373,-1549676825,-1003522169,-1639030165,-864694577,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT),
	(28, 'Product 41', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}', '', '{"Japan Meteorological Agency"}', '', '{1150011924,-1423056591,-750123859,-507937373,-1549676825,-1003522169,-1639030165,-864694577,2053932787,-1623590733,-615144873,1232635863,-1520952997,338130559}', DEFAULT, DEFAULT, DEFAULT);


--
-- Data for Name: catalogue_dictionary; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_dictionary VALUES
	(352348864, '\x37a430ecc06a00152810405c0750aaff2494ea3f09a5fa4f42a9fe9334666006666006666006b194524ab9e5067880ed07b322100804028100a772ba53d2013460c0800112070503030303032e03030303030303030303032a0514120303030303030303031203030303033e3ef79a6d1b5437370dc3308c31c618638c31c61863cccccccc6cdb0100000004000000080000006f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e5469746c652032323c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e0a3c3f786d6c2076657273696f6e3d22312e302220656e636f64696e673d225554462d38223f3e0a3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a32333c2f67636f3a436365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e5469746c652031303c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e0a3c3f786d6c2076657273696f6e3d22312e302220656e636f64696e673d225554462d38223f3e0a3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f32', '\x6f5171ff35acf073dc6ef6539de2791a868fa198aa32d6d44d5bcb1ee6a0a5cc', '2026-11-26 06:35:05.7232+00', 40);


--
-- Data for Name: catalogue_failingchore; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_hostuptime; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_journaloutbox; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_journaloutbox VALUES
	(10, 'deleted', 'urn:x-wmo:md:jp.jma::waits', '2026-11-26 06:35:07+00', '{WIS-GISC-TOKYO}', 1795674905818, 10);


--
-- Data for Name: catalogue_journalposition; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_journalposition VALUES
	(1, 1795674905818, 10, 'current');


--
-- Data for Name: catalogue_journalwriter; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_journalwriter VALUES
	('2ac2fd721049aebe', 1795674905818, 9, 'tokyo', '/srv/gisc/journal', '2026-11-26 06:35:06.378671+00');


--
-- Data for Name: catalogue_listsize; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_listsize VALUES
	(3, 1, 0, 0),
	(5, 4, 0, 0),
	(6, 7, 2, 0),
	(4, 7, 2, 0),
	(7, 2, 0, 0),
	(0, 14, 4, 0),
	(1, 4, 3, 1);


--
-- Data for Name: catalogue_membership; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_membership VALUES
	('2026-11-26 06:35:05+00', false, 2, 1, true, false, false, 0),
	('2026-11-26 06:35:05+00', false, 3, 1, true, false, false, 0),
	('2026-11-26 06:35:05+00', true, 4, 1, false, false, false, 0),
	('2026-11-26 06:35:05+00', false, 5, 1, true, false, false, 0),
	('2026-11-26 06:35:05+00', true, 6, 1, false, true, true, 0),
	('2026-11-26 06:35:05+00', false, 6, 3, true, false, false, 0),
	('2025-03-01 00:00:00+00', false, 1, 1, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 13, 4, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 13, 6, false, false, false, 0),
	('2026-11-26 06:35:06+00', false, 15, 4, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 15, 6, false, false, false, 0),
	('2026-11-26 06:35:06+00', false, 17, 4, true, false, false, 0),
	('2026-11-26 06:35:06+00', true, 18, 4, false, false, false, 0),
	('2026-11-26 06:35:06+00', false, 17, 6, false, false, false, 0),
	('2026-11-26 06:35:06+00', true, 18, 6, false, false, false, 0),
	('2026-11-26 06:35:06+00', false, 14, 4, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 14, 5, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 14, 6, false, false, false, 0),
	('2026-11-26 06:35:06+00', true, 16, 4, false, false, false, 0),
	('2026-11-26 06:35:06+00', true, 16, 6, false, false, false, 0),
	('2026-11-26 06:35:06+00', false, 19, 5, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 20, 5, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 19, 4, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 20, 4, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 20, 6, false, false, false, 0),
	('2026-11-26 06:35:06+00', false, 19, 6, false, false, false, 0),
	('2026-11-26 06:35:06+00', false, 21, 5, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 21, 4, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 21, 6, false, false, false, 0),
	('2026-11-26 06:35:06+00', false, 27, 7, true, false, false, 0),
	('2026-11-26 06:35:06+00', false, 28, 7, true, false, false, 0),
	('2026-11-26 06:35:07+00', true, 29, 1, false, false, false, 0);


--
-- Data for Name: catalogue_metadataset; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_metadataset VALUES
	(1, 'WIS-GISC-TOKYO', 'Area of responsibility of GISC TOKYO', 'Records this node is responsible for.', 'own', true, false, NULL),
	(2, 'WIS-CATALOGUE', 'Whole WIS catalogue', '', 'catalogue', true, false, NULL),
	(3, 'WIS-ANTARCTIC', 'WIS-ANTARCTIC', '', 'shared', true, true, NULL),
	(4, 'WIS-GISC-TOULOUSE', 'WIS-GISC-TOULOUSE', '', 'peer', true, false, NULL),
	(5, 'WIS-GISC-OFFENBACH', 'WIS-GISC-OFFENBACH', '', 'peer', true, false, NULL),
	(6, 'WIS-EUROPE', 'WIS-EUROPE', '', 'virtual', true, false, NULL),
	(7, 'WIS-GISC-MELBOURNE', 'WIS-GISC-MELBOURNE', '', 'peer', true, false, NULL);


--
-- Data for Name: catalogue_overview; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_purged; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_purged VALUES
	(6242473146747021161);


--
-- Data for Name: catalogue_quality; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_record; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_record VALUES
	(2, 'urn:x-wmo:md:jp.jma::B', 'urn:x-wmo:md:jp.jma::B', '2026-11-26 06:35:05+00', false, '{WIS-GISC-TOKYO}', '\x28b52ffd67c06a0015ec09fd0800b28924297055dbacfe7f8d80070200201f9290cda2366d3a681be5a8488e1c1fc323bd34201a18da3a54d553020888ba6cb009867fd55baf0d36747805c5f53a4e0ced474abae32bdfcc9db4ee18cd5734c56a3e4a3953912489247fc6cf5331ca7502a15cfde34b91168f0aa9df0a37188b3f239d2a43cc25c09201709ada8f3889d92fe048d66c9c6bedb535985683ddbcaf200b35e03082a8ac28cc03ef211288ff39e68ae8264a22c52f5cb21c02a001ba3cc23df38bd1344b49ae9c81b6af4153428b1ad0fc9d06e22443b0926cbe206d22ef60e8e81a69619de23cc9f944cd609466a375f2a5a956fbf6cf73d45e496ae0c40fc03b6f237a91a4121c4a28b2bf5eb028b6bf22958ba748055be4946cbb2d8598e966c83492a222f20175f1916c502a4d180400000067697363', '\x3c97ee48623755599cbd57597e03729b7b0d8625e8287e41cd14823692357a38', '2024-03-01 00:00:00+00', NULL, 1, '', 0),
	(3, 'urn:x-wmo:md:jp.jma::C', 'urn:x-wmo:md:jp.jma::C', '2026-11-26 06:35:05+00', false, '{WIS-GISC-TOKYO}', '\x28b52ffd67c06a0015fc069d0100c0782d776d6f3a6d643a6a702e6a6d613a3a435365636f6e6407fc4c9b12174f69c216496b5623bf4254ec664823290fccc80728003703502a4d180400000067697363', '\x57cb60bb76b80b4ba21f4d72b893cb46491266eec8212f47ffc7d69a8a1ff26a', '2024-03-01 00:00:00+00', NULL, 1, '', 0),
	(4, 'urn:x-wmo:md:jp.jma::D', 'urn:x-wmo:md:jp.jma::D', '2026-11-26 06:35:05+00', true, '{WIS-GISC-TOKYO}', NULL, NULL, NULL, NULL, 1, '', 0),
	(5, 'urn:x-wmo:md:jp.jma::E', 'urn:x-wmo:md:jp.jma::E', '2026-11-26 06:35:05+00', false, '{WIS-GISC-TOKYO}', '\x28b52ffd67c06a0015fb06950100b8782d776d6f3a6d643a6a702e6a6d613a3a45416761696e07fc4c99922e9ed2c016496b56a3bc4254dccd9046521e98890cf3d560cb502a4d180400000067697363', '\xd1143793ac0df56d9f8a9c0d55e1b1619b2e667aeaf24b16164a4c1705fa33f3', '2024-03-01 00:00:00+00', NULL, 1, '', 0),
	(6, 'urn:x-wmo:md:jp.jma::F', 'urn:x-wmo:md:jp.jma::F', '2026-11-26 06:35:05+00', false, '{WIS-ANTARCTIC}', '\x28b52ffd67c06a0015fb06950100b8782d776d6f3a6d643a6a702e6a6d613a3a46466972737407fc4c99922e9ed2c016496b56a3bc4254dccd9046521e98890c8a37b909502a4d180400000067697363', '\xcfe8116af6046e3a29a31b7b3a8aeefe11d7eed08ef6901057b6dd303a4922e9', '2024-03-01 00:00:00+00', NULL, 3, '', 0),
	(1, 'urn:x-wmo:md:jp.jma::A', 'urn:x-wmo:md:jp.jma::A', '2025-03-01 00:00:00+00', false, '{WIS-GISC-TOKYO}', '\x28b52ffd67c06a00150a070d02001402782d776d6f3a6d643a6a702e6a6d613a3a4153757266616365206f62736572767308fc4cb7f240b070ede22941d822b0cb5ad45188c1bb19d248ca0333910130fe8cc9502a4d180400000067697363', '\x2106b75d532d648e8715839c1a1b6f0935823d4d765a2edcc4e46401b97f0a85', '2024-03-01 00:00:00+00', NULL, 1, '', 0),
	(13, 'urn:x-wmo:md:fr.meteofrance::R000', 'urn:x-wmo:md:fr.meteofrance::R000', '2026-11-26 06:35:06+00', false, '{WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150a07ed0100c0782d776d6f3a722e6d66723a3a52303050726f64756374200afc4db712175a69c22c492b593336a466b34981e1d7db1cc37eca7037231f49e1fab135d9f8b90c502a4d180400000067697363', '\x0989b96ccf62fad85c09b0f7ca2b9de9021e8b5cd3016effaae6374e0835caeb', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R000", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 4, '', 0),
	(15, 'urn:x-wmo:md:fr.meteofrance::R002', 'urn:x-wmo:md:fr.meteofrance::R002', '2026-11-26 06:35:06+00', false, '{WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150a07ed0100c0782d776d6f3a722e6d66723a3a52303050726f64756374200afc4dff012eb4b284593258323376deb8669302c3afb73986fd94e16e463e92c2f5636b4bc81cc7502a4d180400000067697363', '\x6715c1c1a83403465a42f5a13cca35569fed8b7a89459b161108ff8b9c0156b9', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R002", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 4, '', 0),
	(17, 'urn:x-wmo:md:fr.meteofrance::R004', 'urn:x-wmo:md:fr.meteofrance::R004', '2026-11-26 06:35:06+00', false, '{WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150a07050200d0782d776d6f3a722e6d66723a3a5230303450726f6475637420340afc4cb7922eb4d2c02c496bb24603483415590a9209dee624eb52c9dd8cd09194071f2b02b4bff553502a4d180400000067697363', '\x3fa3d3b280197bfe6e151f69c7a7b48b7ad963d57fc4fdc612198f475161bc6e', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R004", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 4, '', 0),
	(18, 'urn:x-wmo:md:fr.meteofrance::R005', 'urn:x-wmo:md:fr.meteofrance::R005', '2026-11-26 06:35:06+00', true, '{WIS-GISC-TOULOUSE}', NULL, NULL, NULL, NULL, 4, '', 0),
	(14, 'urn:x-wmo:md:fr.meteofrance::R001', 'urn:x-wmo:md:fr.meteofrance::R001', '2026-11-26 06:35:06+00', false, '{WIS-GISC-OFFENBACH,WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150a07fd0100c0782d776d6f3a722e6d66723a3a523050726f6475637420310bf04cb7b2ea422bad6096a451c976904825b39746230541f3362774a9a09b91e9488afab1227d98ee88502a4d180400000067697363', '\x2589064cf75e68e7f1952a4ab35db996478fa7f2e126bca60beab3c440e9164f', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R001", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 4, '', 0),
	(16, 'urn:x-wmo:md:fr.meteofrance::R003', 'urn:x-wmo:md:fr.meteofrance::R003', '2026-11-26 06:35:06+00', true, '{WIS-GISC-TOULOUSE}', NULL, NULL, NULL, NULL, 4, '', 0),
	(19, 'urn:x-wmo:md:fr.meteofrance::R020', 'urn:x-wmo:md:fr.meteofrance::R020', '2026-11-26 06:35:06+00', false, '{WIS-GISC-OFFENBACH,WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150b07f50100c8782d776d6f3a722e6d66723a3a52303250726f6475637420320afc4db9922eb4d2c02c496bb2c66048cde6940243d1b73986ba946137233f92c2f56345aef9900f502a4d180400000067697363', '\x0daa9bd51d4004b0465a56d7c552b850282f02377aceced94ddd5970088980a0', '2024-03-01 00:00:00+00', '{"link": "offenbach", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R020", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 5, '', 0),
	(21, 'urn:x-wmo:md:fr.meteofrance::R022', 'urn:x-wmo:md:fr.meteofrance::R022', '2026-11-26 06:35:06+00', false, '{WIS-GISC-OFFENBACH,WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150b07dd0100b0782d776d6f3a722e6d66723a3a523050726f647563740afc4f01022eb4b2c02c196c32537bdeb88a9182649ab739c9ba547237237424e5c1c78ad6b73e1f502a4d180400000067697363', '\xa528a88d7afd1eb035340c317c1823c3c3ef232d4a6ff05beca5ee85b19ceb50', '2024-03-01 00:00:00+00', '{"link": "offenbach", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R022", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 5, '', 0),
	(20, 'urn:x-wmo:md:fr.meteofrance::R021', 'urn:x-wmo:md:fr.meteofrance::R021', '2026-11-26 06:35:06+00', false, '{WIS-GISC-OFFENBACH,WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150b07150200c8782d776d6f3a722e6d66723a3a5230323150726f64756374200bfc30b97202e0985c68650ab3c4c164416390682abe1424a3bccd49eea79277334223290f3eb6068ad7401d502a4d180400000067697363', '\x99f4c902ce646a89796b6037f9d356996169a72666f355d950a71726861c4b38', '2024-03-01 00:00:00+00', '{"link": "offenbach", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R021", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 5, '', 0),
	(27, 'urn:x-wmo:md:fr.meteofrance::R040', 'urn:x-wmo:md:fr.meteofrance::R040', '2026-11-26 06:35:06+00', false, '{WIS-GISC-MELBOURNE}', '\x28b52ffd67c06a00150b07f50100c8782d776d6f3a722e6d66723a3a52303450726f6475637420340afc4db9922eb4d2c02c496bb2c66048cde6940243d1b73986ba946137233f92c2f5634582d6c87b502a4d180400000067697363', '\x07d90c14fb4c79068b75e7008c82252f1b4dc3d9178f206795f16f3e38833faf', '2024-03-01 00:00:00+00', '{"link": "melbourne", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R040", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 7, '', 0),
	(28, 'urn:x-wmo:md:fr.meteofrance::R041', 'urn:x-wmo:md:fr.meteofrance::R041', '2026-11-26 06:35:06+00', false, '{WIS-GISC-MELBOURNE}', '\x28b52ffd67c06a00150b07150200c8782d776d6f3a722e6d66723a3a5230343150726f64756374200bfc30b97202e0985c68650ab3c4c164416390682abe1424a3bccd49eea79277334223290f3eb60688053037502a4d180400000067697363', '\x3076f2373134cec6b829fd4c282f51b28683da8761eef36d4a8669f784b238c0', '2024-03-01 00:00:00+00', '{"link": "melbourne", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R041", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 7, '', 0),
	(29, 'urn:x-wmo:md:jp.jma::waits', 'urn:x-wmo:md:jp.jma::waits', '2026-11-26 06:35:07+00', true, '{WIS-GISC-TOKYO}', NULL, NULL, NULL, NULL, 1, '', 0);


--
-- Data for Name: catalogue_recordcategory; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_recordversion; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_recordversion VALUES
	(1, 1, '2026-11-26 06:35:05+00', false, 'WIS-GISC-TOKYO', '', '\x28b52ffd67c06a0015fb06950100b8782d776d6f3a6d643a6a702e6a6d613a3a43466972737407fc4c99922e9ed2c016496b56a3bc4254dccd9046521e98890cdbcf10ee502a4d180400000067697363', '\x323b085a4fabf47ae62d14ef7b5fa46d86db4b9f784c6d467f587219484bee9a', '2024-03-01 00:00:00+00', '2026-11-26 06:35:05+00', '', '', '', '', 3),
	(3, 1, '2026-11-26 06:35:05+00', false, 'WIS-GISC-TOKYO', '', '\x28b52ffd67c06a0015fb06950100b8782d776d6f3a6d643a6a702e6a6d613a3a45466972737407fc4c99922e9ed2c016496b56a3bc4254dccd9046521e98890c789b45f3502a4d180400000067697363', '\x2b470e9c0517d95355f84a891a89157130d6663461fedbd3a0ab6009955b1b48', '2024-03-01 00:00:00+00', '2026-11-26 06:35:05+00', '', '', 'withdraw', '', 5),
	(4, 1, '2026-11-26 06:35:05+00', false, 'WIS-GISC-TOKYO', '', '\x28b52ffd67c06a0015fb06950100b8782d776d6f3a6d643a6a702e6a6d613a3a44466972737407fc4c99922e9ed2c016496b56a3bc4254dccd9046521e98890c89c0f371502a4d180400000067697363', '\x56d342d533a00b34cab5bc4046fb14acae5ea160456318c666d96dbe78a3fff2', '2024-03-01 00:00:00+00', '2026-11-26 06:35:05+00', '', '', 'withdraw', '', 4),
	(5, 2, '2026-11-26 06:35:05+00', true, 'WIS-GISC-TOKYO', '', NULL, NULL, NULL, '2026-11-26 06:35:05+00', '', '', '', '', 5),
	(6, 1, '2026-11-26 06:35:05+00', false, 'WIS-GISC-TOKYO', '', NULL, '\xcfe8116af6046e3a29a31b7b3a8aeefe11d7eed08ef6901057b6dd303a4922e9', '2024-03-01 00:00:00+00', '2026-11-26 06:35:05+00', '', '', 'move', '', 6),
	(7, 1, '2026-11-26 06:35:06+00', false, 'WIS-GISC-TOULOUSE', 'toulouse', '\x28b52ffd67c06a00150a07050200d0782d776d6f3a722e6d66723a3a5230303350726f6475637420330afc4cb7922eb4d2c02c496bb24603483415590a9209dee624eb52c9dd8cd09194071f2b020a2eb443502a4d180400000067697363', '\x668b0afe610ca3ca30548c334231af799bb3aa79af90f60b95f12a041300c525', '2024-03-01 00:00:00+00', '2026-11-26 06:35:06+00', 'toulouse', '', '', '', 16),
	(8, 1, '2026-11-26 06:35:07+00', false, 'WIS-GISC-TOKYO', '', '\x28b52ffd67c06a00150e072d02005402782d776d6f3a6d643a6a702e6a6d613a3a776169747353757266616365206f62736572767308fc4cbff240b070ed622a41d823b0eb5ad49188c1ba19d248ca03b37601f318c2aa502a4d180400000067697363', '\x57bf3827a4c1b57aefed3b62726a0f23752948ae3cfb3fc6ce1e3f49728efdc8', '2024-03-01 00:00:00+00', '2026-11-26 06:35:07+00', '', '', 'withdraw', '', 29);


--
-- Data for Name: catalogue_setchange; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_setchange VALUES
	(1, 'include', '{WIS-GISC-TOULOUSE,WIS-GISC-OFFENBACH}', '{4,5}', 0, 0, 0, '2026-11-26 06:35:06.01217+00', '2026-11-26 06:35:06.015284+00', 6);


--
-- Data for Name: catalogue_setinclusion; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_setinclusion VALUES
	(1, 4, 6),
	(2, 5, 6);


--
-- Data for Name: catalogue_setsearch; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_sourcecategory; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_spellingchange; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_upload; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_uploaddocument; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_validation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_validation VALUES
	(1, '\x2106b75d532d648e8715839c1a1b6f0935823d4d765a2edcc4e46401b97f0a85', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.091356+00', '', 45.652, '{9,12,4,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(2, '\x3c97ee48623755599cbd57597e03729b7b0d8625e8287e41cd14823692357a38', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}]', '2026-11-26 06:35:07.091822+00', '', 52.083, '{11,12,6,7,2,2,0,5,0,0,1,4,0,0,0,0,0,5,0,5,5,5,0,3}'),
	(3, '\x57cb60bb76b80b4ba21f4d72b893cb46491266eec8212f47ffc7d69a8a1ff26a', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.092036+00', '', 50, '{9,12,6,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(5, '\xd1143793ac0df56d9f8a9c0d55e1b1619b2e667aeaf24b16164a4c1705fa33f3', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.092242+00', '', 50, '{9,12,6,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(6, '\xcfe8116af6046e3a29a31b7b3a8aeefe11d7eed08ef6901057b6dd303a4922e9', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.092439+00', '', 50, '{9,12,6,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(13, '\x0989b96ccf62fad85c09b0f7ca2b9de9021e8b5cd3016effaae6374e0835caeb', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.092648+00', '', 47.826, '{9,12,5,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(14, '\x2589064cf75e68e7f1952a4ab35db996478fa7f2e126bca60beab3c440e9164f', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.092844+00', '', 47.826, '{9,12,5,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(15, '\x6715c1c1a83403465a42f5a13cca35569fed8b7a89459b161108ff8b9c0156b9', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.09306+00', '', 47.826, '{9,12,5,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(17, '\x3fa3d3b280197bfe6e151f69c7a7b48b7ad963d57fc4fdc612198f475161bc6e', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.093341+00', '', 47.826, '{9,12,5,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(19, '\x0daa9bd51d4004b0465a56d7c552b850282f02377aceced94ddd5970088980a0', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.093544+00', '', 47.826, '{9,12,5,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(20, '\x99f4c902ce646a89796b6037f9d356996169a72666f355d950a71726861c4b38', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.09374+00', '', 47.826, '{9,12,5,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(21, '\xa528a88d7afd1eb035340c317c1823c3c3ef232d4a6ff05beca5ee85b19ceb50', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.093932+00', '', 47.826, '{9,12,5,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(27, '\x07d90c14fb4c79068b75e7008c82252f1b4dc3d9178f206795f16f3e38833faf', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.094271+00', '', 47.826, '{9,12,5,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}'),
	(28, '\x3076f2373134cec6b829fd4c282f51b28683da8761eef36d4a8669f784b238c0', 'wcmp 04781a2520 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-26 06:35:07.094469+00', '', 47.826, '{9,12,5,7,2,2,0,5,0,0,3,4,0,0,0,0,0,5,0,5,3,3,0,3}');


--
-- Data for Name: catalogue_visibilitychange; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_watchedfile; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_watchedrecord; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_withdrawal; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: catalogue_word; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_word VALUES
	('observations', 'observ', 236649585),
	('wmo', 'wmo', 686322617),
	('jp', 'jp', 598980667),
	('sturm', 'sturm', 940539320),
	('surface', 'surfac', 169722172),
	('weatherobservations', 'weatherobserv', 650450390),
	('boen', 'boen', 274214861),
	('station', 'station', 667844140),
	('japan', 'japan', 84532639),
	('agency', 'agenc', 693503574),
	('first', 'first', 614235029),
	('jma', 'jma', 339342576),
	('climatology', 'climatolog', 646086620),
	('meteorological', 'meteorolog', 308158965),
	('突風', '突風', 234860699),
	('md', 'md', 919955605),
	('reports', 'report', 822861281),
	('one', 'one', 513483196),
	('synop', 'synop', 663984282),
	('second', 'second', 763872346),
	('again', 'again', 619206399),
	('0', '0', 1027012552),
	('fr', 'fr', 857568179),
	('meteofrance', 'meteofr', 946757480),
	('product', 'product', 886210859),
	('1', '1', 553073645),
	('2', '2', 112553859),
	('3', '3', 460628902),
	('4', '4', 1022199502),
	('offenbach', 'offenbach', 203580571),
	('20', '20', 580656520),
	('has', 'has', 52153978),
	('21', '21', 1063113133),
	('22', '22', 421496259),
	('41', '41', 717977676),
	('40', '40', 923448425),
	('waits', 'wait', 528195833);


--
-- Data for Name: django_admin_log; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: django_content_type; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_content_type VALUES
	(1, 'alerts', 'condition'),
	(2, 'alerts', 'recipient'),
	(3, 'alerts', 'message'),
	(4, 'wis_monitoring', 'dailyfigures'),
	(5, 'wis_monitoring', 'responsetimes'),
	(6, 'catalogue', 'metadataset'),
	(7, 'catalogue', 'setinclusion'),
	(8, 'catalogue', 'datestampclock'),
	(9, 'catalogue', 'record'),
	(10, 'catalogue', 'description'),
	(11, 'catalogue', 'validation'),
	(12, 'catalogue', 'membership'),
	(13, 'catalogue', 'claim'),
	(14, 'catalogue', 'listsize'),
	(15, 'catalogue', 'dictionary'),
	(16, 'catalogue', 'journaloutbox'),
	(17, 'catalogue', 'purged'),
	(18, 'catalogue', 'cataloguecanary'),
	(19, 'catalogue', 'daylived'),
	(20, 'catalogue', 'hostuptime'),
	(21, 'catalogue', 'journalposition'),
	(22, 'catalogue', 'journalwriter'),
	(23, 'catalogue', 'spellingchange'),
	(24, 'catalogue', 'failingchore'),
	(25, 'catalogue', 'setchange'),
	(26, 'catalogue', 'upload'),
	(27, 'catalogue', 'uploaddocument'),
	(28, 'catalogue', 'watchedfile'),
	(29, 'catalogue', 'watchedrecord'),
	(30, 'catalogue', 'audience'),
	(31, 'catalogue', 'category'),
	(32, 'catalogue', 'recordcategory'),
	(33, 'catalogue', 'sourcecategory'),
	(34, 'catalogue', 'visibilitychange'),
	(35, 'catalogue', 'withdrawal'),
	(36, 'catalogue', 'recordversion'),
	(37, 'catalogue', 'word'),
	(38, 'catalogue', 'overview'),
	(39, 'catalogue', 'setsearch'),
	(40, 'catalogue', 'quality'),
	(41, 'catalogue', 'catalogueday'),
	(42, 'catalogue', 'completedwalk'),
	(43, 'oaiprovider', 'profile'),
	(44, 'oaiprovider', 'identifydescription'),
	(45, 'oaiprovider', 'crosswalk'),
	(46, 'oaiprovider', 'generation'),
	(47, 'harvester', 'alternative'),
	(48, 'harvester', 'link'),
	(49, 'harvester', 'standby'),
	(50, 'harvester', 'run'),
	(51, 'harvester', 'reject'),
	(52, 'harvester', 'remoteheader'),
	(53, 'harvester', 'conflict'),
	(54, 'harvester', 'canary'),
	(55, 'harvester', 'hostclock'),
	(56, 'harvester', 'linkday'),
	(57, 'harvester', 'centre'),
	(58, 'harvester', 'quietcause'),
	(59, 'admin', 'logentry'),
	(60, 'auth', 'permission'),
	(61, 'auth', 'group'),
	(62, 'auth', 'user'),
	(63, 'contenttypes', 'contenttype'),
	(64, 'sessions', 'session'),
	(65, 'axes', 'accessattempt'),
	(66, 'axes', 'accesslog'),
	(67, 'axes', 'accessfailurelog'),
	(68, 'axes', 'accessattemptexpiration'),
	(69, 'otp_totp', 'totpdevice'),
	(70, 'otp_static', 'staticdevice'),
	(71, 'otp_static', 'statictoken'),
	(72, 'audit', 'act');


--
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_migrations VALUES
	(1, 'contenttypes', '0001_initial', '2026-11-26 06:34:59.261949+00'),
	(2, 'auth', '0001_initial', '2026-11-26 06:34:59.302999+00'),
	(3, 'admin', '0001_initial', '2026-11-26 06:34:59.317357+00'),
	(4, 'admin', '0002_logentry_remove_auto_add', '2026-11-26 06:34:59.323634+00'),
	(5, 'admin', '0003_logentry_add_action_flag_choices', '2026-11-26 06:34:59.332192+00'),
	(6, 'catalogue', '0002_clock', '2026-11-26 06:34:59.434284+00'),
	(7, 'catalogue', '0003_claims_dictionaries_and_validation', '2026-11-26 06:34:59.43504+00'),
	(8, 'catalogue', '0004_membership_direct', '2026-11-26 06:34:59.435393+00'),
	(9, 'catalogue', '0005_words', '2026-11-26 06:34:59.435728+00'),
	(10, 'catalogue', '0006_list_sizes', '2026-11-26 06:34:59.436045+00'),
	(11, 'catalogue', '0007_ledger', '2026-11-26 06:34:59.436335+00'),
	(12, 'harvester', '0002_strategies_and_headers', '2026-11-26 06:34:59.593754+00'),
	(13, 'harvester', '0003_what_links_know', '2026-11-26 06:34:59.594428+00'),
	(14, 'harvester', '0004_kinds_and_conflicts', '2026-11-26 06:34:59.59473+00'),
	(15, 'harvester', '0005_comparisons', '2026-11-26 06:34:59.595015+00'),
	(16, 'harvester', '0006_alternatives', '2026-11-26 06:34:59.595286+00'),
	(17, 'harvester', '0007_canary', '2026-11-26 06:34:59.595571+00'),
	(18, 'harvester', '0008_clocks', '2026-11-26 06:34:59.59583+00'),
	(19, 'harvester', '0009_access', '2026-11-26 06:34:59.596089+00'),
	(20, 'harvester', '0010_passwords_out_of_addresses', '2026-11-26 06:34:59.59636+00'),
	(21, 'harvester', '0011_cookies', '2026-11-26 06:34:59.59663+00'),
	(22, 'harvester', '0012_moved_to', '2026-11-26 06:34:59.596915+00'),
	(23, 'harvester', '0013_warnings', '2026-11-26 06:34:59.597254+00'),
	(24, 'harvester', '0014_at_once', '2026-11-26 06:34:59.597548+00'),
	(25, 'harvester', '0015_standby', '2026-11-26 06:34:59.597829+00'),
	(26, 'harvester', '0016_conflicts_and_sets', '2026-11-26 06:34:59.598167+00'),
	(27, 'harvester', '0017_holding', '2026-11-26 06:34:59.598457+00'),
	(28, 'harvester', '0002_outcomes', '2026-11-26 06:34:59.659769+00'),
	(29, 'harvester', '0003_reasons', '2026-11-26 06:34:59.725779+00'),
	(30, 'harvester', '0004_lateness', '2026-11-26 06:34:59.897138+00'),
	(31, 'harvester', '0005_versions_served', '2026-11-26 06:34:59.926189+00'),
	(32, 'harvester', '0006_deletions_within_a_day', '2026-11-26 06:34:59.974656+00'),
	(33, 'harvester', '0007_total_reharvest', '2026-11-26 06:35:00.059963+00'),
	(34, 'catalogue', '0002_gisc_clock', '2026-11-26 06:35:00.064051+00'),
	(35, 'catalogue', '0003_cataloguecanary', '2026-11-26 06:35:00.068231+00'),
	(36, 'catalogue', '0004_set_fed_here', '2026-11-26 06:35:00.074889+00'),
	(37, 'catalogue', '0005_oai_identifiers', '2026-11-26 06:35:00.087805+00'),
	(38, 'harvester', '0008_oai_identifiers', '2026-11-26 06:35:00.122929+00'),
	(39, 'harvester', '0009_skipped_window', '2026-11-26 06:35:00.143791+00'),
	(40, 'harvester', '0010_identifiers', '2026-11-26 06:35:00.167005+00'),
	(41, 'harvester', '0011_reject_rows', '2026-11-26 06:35:00.373507+00'),
	(42, 'harvester', '0012_link_days', '2026-11-26 06:35:00.393151+00'),
	(43, 'harvester', '0013_run_indexes', '2026-11-26 06:35:00.470863+00'),
	(44, 'harvester', '0014_queue', '2026-11-26 06:35:00.529314+00'),
	(45, 'harvester', '0015_unlisted_sets', '2026-11-26 06:35:00.53939+00'),
	(46, 'harvester', '0016_from_ignored', '2026-11-26 06:35:00.550318+00'),
	(47, 'harvester', '0017_host_clock_measured', '2026-11-26 06:35:00.569334+00'),
	(48, 'alerts', '0001_initial', '2026-11-26 06:35:00.654399+00'),
	(49, 'alerts', '0002_labels', '2026-11-26 06:35:00.715552+00'),
	(50, 'audit', '0001_initial', '2026-11-26 06:35:00.727193+00'),
	(51, 'audit', '0002_labels', '2026-11-26 06:35:00.761019+00'),
	(52, 'contenttypes', '0002_remove_content_type_name', '2026-11-26 06:35:00.785288+00'),
	(53, 'auth', '0002_alter_permission_name_max_length', '2026-11-26 06:35:00.790599+00'),
	(54, 'auth', '0003_alter_user_email_max_length', '2026-11-26 06:35:00.795776+00'),
	(55, 'auth', '0004_alter_user_username_opts', '2026-11-26 06:35:00.800514+00'),
	(56, 'auth', '0005_alter_user_last_login_null', '2026-11-26 06:35:00.805613+00'),
	(57, 'auth', '0006_require_contenttypes_0002', '2026-11-26 06:35:00.806128+00'),
	(58, 'auth', '0007_alter_validators_add_error_messages', '2026-11-26 06:35:00.810784+00'),
	(59, 'auth', '0008_alter_user_username_max_length', '2026-11-26 06:35:00.826378+00'),
	(60, 'auth', '0009_alter_user_last_name_max_length', '2026-11-26 06:35:00.831682+00'),
	(61, 'auth', '0010_alter_group_name_max_length', '2026-11-26 06:35:00.837056+00'),
	(62, 'auth', '0011_update_proxy_permissions', '2026-11-26 06:35:00.854066+00'),
	(63, 'auth', '0012_alter_user_first_name_max_length', '2026-11-26 06:35:00.859357+00'),
	(64, 'axes', '0001_initial', '2026-11-26 06:35:00.869325+00'),
	(65, 'axes', '0002_auto_20151217_2044', '2026-11-26 06:35:00.890544+00'),
	(66, 'axes', '0003_auto_20160322_0929', '2026-11-26 06:35:00.900414+00'),
	(67, 'axes', '0004_auto_20181024_1538', '2026-11-26 06:35:00.910016+00'),
	(68, 'axes', '0005_remove_accessattempt_trusted', '2026-11-26 06:35:00.912152+00'),
	(69, 'axes', '0006_remove_accesslog_trusted', '2026-11-26 06:35:00.915072+00'),
	(70, 'axes', '0007_alter_accessattempt_unique_together', '2026-11-26 06:35:00.938932+00'),
	(71, 'axes', '0008_accessfailurelog', '2026-11-26 06:35:00.94894+00'),
	(72, 'axes', '0009_add_session_hash', '2026-11-26 06:35:00.958163+00'),
	(73, 'axes', '0010_accessattemptexpiration', '2026-11-26 06:35:00.964246+00'),
	(74, 'catalogue', '0006_days_lived', '2026-11-26 06:35:00.972718+00'),
	(75, 'catalogue', '0007_journal_numbers', '2026-11-26 06:35:00.989484+00'),
	(76, 'catalogue', '0008_spellings', '2026-11-26 06:35:01.07101+00'),
	(77, 'catalogue', '0009_set_tombstones', '2026-11-26 06:35:01.110053+00'),
	(78, 'catalogue', '0010_failing_chores', '2026-11-26 06:35:01.116397+00'),
	(79, 'catalogue', '0011_plain_words', '2026-11-26 06:35:01.17673+00'),
	(80, 'catalogue', '0012_set_changes', '2026-11-26 06:35:01.205907+00'),
	(81, 'catalogue', '0013_uploads', '2026-11-26 06:35:01.225588+00'),
	(82, 'catalogue', '0014_watched_folders', '2026-11-26 06:35:01.237728+00'),
	(83, 'catalogue', '0015_visibility', '2026-11-26 06:35:01.429745+00'),
	(84, 'catalogue', '0016_records_by_source', '2026-11-26 06:35:01.441461+00'),
	(85, 'catalogue', '0017_record_versions', '2026-11-26 06:35:01.467714+00'),
	(86, 'catalogue', '0018_search_terms', '2026-11-26 06:35:01.575917+00'),
	(87, 'catalogue', '0019_overview', '2026-11-26 06:35:01.584122+00'),
	(88, 'catalogue', '0020_places', '2026-11-26 06:35:01.628428+00'),
	(89, 'catalogue', '0021_direct_memberships', '2026-11-26 06:35:01.632459+00'),
	(90, 'catalogue', '0022_set_searches', '2026-11-26 06:35:01.6826+00'),
	(91, 'catalogue', '0023_quality', '2026-11-26 06:35:01.722291+00'),
	(92, 'catalogue', '0024_catalogue_days', '2026-11-26 06:35:01.727001+00'),
	(93, 'catalogue', '0025_completed_walk', '2026-11-26 06:35:01.737888+00'),
	(94, 'catalogue', '0026_labels', '2026-11-26 06:35:02.196577+00'),
	(95, 'harvester', '0018_link_attention', '2026-11-26 06:35:02.226574+00'),
	(96, 'harvester', '0019_schedules', '2026-11-26 06:35:02.28265+00'),
	(97, 'harvester', '0020_centres', '2026-11-26 06:35:02.338363+00'),
	(98, 'harvester', '0021_link_counts', '2026-11-26 06:35:02.44574+00'),
	(99, 'harvester', '0022_plain_words', '2026-11-26 06:35:03.084138+00'),
	(100, 'harvester', '0023_conflict_ours', '2026-11-26 06:35:03.105624+00');
INSERT INTO public.django_migrations VALUES
	(101, 'harvester', '0024_link_category', '2026-11-26 06:35:03.135337+00'),
	(102, 'harvester', '0025_centre_addresses', '2026-11-26 06:35:03.140847+00'),
	(103, 'harvester', '0026_labels', '2026-11-26 06:35:05.17628+00'),
	(104, 'oaiprovider', '0001_profile', '2026-11-26 06:35:05.235187+00'),
	(105, 'oaiprovider', '0002_crosswalk', '2026-11-26 06:35:05.23589+00'),
	(106, 'oaiprovider', '0002_set_tombstones', '2026-11-26 06:35:05.250132+00'),
	(107, 'oaiprovider', '0003_plain_words', '2026-11-26 06:35:05.263381+00'),
	(108, 'oaiprovider', '0004_categories', '2026-11-26 06:35:05.312875+00'),
	(109, 'oaiprovider', '0005_labels', '2026-11-26 06:35:05.39565+00'),
	(110, 'otp_static', '0001_initial', '2026-11-26 06:35:05.41989+00'),
	(111, 'otp_static', '0002_throttling', '2026-11-26 06:35:05.433647+00'),
	(112, 'otp_static', '0003_add_timestamps', '2026-11-26 06:35:05.446412+00'),
	(113, 'otp_totp', '0001_initial', '2026-11-26 06:35:05.459922+00'),
	(114, 'otp_totp', '0002_auto_20190420_0723', '2026-11-26 06:35:05.47484+00'),
	(115, 'otp_totp', '0003_add_timestamps', '2026-11-26 06:35:05.487897+00'),
	(116, 'sessions', '0001_initial', '2026-11-26 06:35:05.495454+00'),
	(117, 'wis_monitoring', '0001_initial', '2026-11-26 06:35:05.505842+00'),
	(118, 'catalogue', '0001_initial', '2026-11-26 06:35:05.507329+00'),
	(119, 'oaiprovider', '0001_initial', '2026-11-26 06:35:05.50765+00'),
	(120, 'harvester', '0001_initial', '2026-11-26 06:35:05.507969+00');


--
-- Data for Name: django_session; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: harvester_alternative; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_alternative VALUES
	(1, 1, 'Offenbach', 'http://gisc-offenbach.example.org/oai', 'iso19139', 'WIS-GISC-TOULOUSE', 1);


--
-- Data for Name: harvester_canary; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: harvester_centre; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_centre VALUES
	(1, 'Beijing', 'China', 'WIS-GISC-BEIJING', 39.9, 116.4, '[]', '', false, '', ''),
	(2, 'Brasilia', 'Brazil', 'WIS-GISC-BRASILIA', -15.8, -47.9, '[]', '', false, '', ''),
	(3, 'Casablanca', 'Morocco', 'WIS-GISC-CASABLANCA', 33.6, -7.6, '[]', '', false, '', ''),
	(4, 'Exeter', 'United Kingdom', 'WIS-GISC-EXETER', 50.7, -3.5, '[]', '', false, '', ''),
	(5, 'Jeddah', 'Saudi Arabia', 'WIS-GISC-JEDDAH', 21.5, 39.2, '[]', '', false, '', ''),
	(6, 'Melbourne', 'Australia', 'WIS-GISC-MELBOURNE', -37.8, 145, '[]', '', false, '', ''),
	(7, 'Moscow', 'Russian Federation', 'WIS-GISC-MOSCOW', 55.8, 37.6, '[]', '', false, '', ''),
	(8, 'New Delhi', 'India', 'WIS-GISC-NEW-DELHI', 28.6, 77.2, '[]', '', false, '', ''),
	(9, 'Offenbach', 'Germany', 'WIS-GISC-OFFENBACH', 50.1, 8.8, '[]', '', false, '', ''),
	(10, 'Pretoria', 'South Africa', 'WIS-GISC-PRETORIA', -25.7, 28.2, '[]', '', false, '', ''),
	(11, 'Seoul', 'Republic of Korea', 'WIS-GISC-SEOUL', 37.6, 127, '[]', '', false, '', ''),
	(12, 'Tashkent', 'Uzbekistan', 'WIS-GISC-TASHKENT', 41.3, 69.2, '[]', '', false, '', ''),
	(13, 'Tehran', 'Islamic Republic of Iran', 'WIS-GISC-TEHRAN', 35.7, 51.4, '[]', '', false, '', ''),
	(14, 'Tokyo', 'Japan', 'WIS-GISC-TOKYO', 35.7, 139.7, '[]', '', false, '', ''),
	(15, 'Toulouse', 'France', 'WIS-GISC-TOULOUSE', 43.6, 1.4, '[]', '', false, '', ''),
	(16, 'Washington', 'United States of America', 'WIS-GISC-WASHINGTON', 38.9, -77, '[]', '', false, '', '');


--
-- Data for Name: harvester_conflict; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_conflict VALUES
	(2, 'urn:x-wmo:md:fr.meteofrance::R001', 'urn:x-wmo:md:fr.meteofrance::R001', 'differs', 'differs-from-owner', '\xd07e3d9a4d903f47daa68235b929e2abd2bd7fd45a824117449d6b10e07ba9d7', '2024-03-01 00:00:00+00', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a66722e6d6574656f6672616e63653a3a523030313c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4173204f6666656e62616368206861732069743c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', '2026-11-26 06:35:06.220056+00', '2026-11-26 06:35:06.220056+00', NULL, '', 2, NULL, '{"owner": "WIS-GISC-TOULOUSE"}', '{}', NULL, NULL),
	(1, 'urn:x-wmo:md:jp.jma::A', 'urn:x-wmo:md:jp.jma::A', 'misplaced', 'belongs-to-other-set', '\x9c92d76ce0e295eddd012e936427892425f9288f195866da2d5c5f2d578d9199', '2024-03-01 00:00:00+00', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a6a702e6a6d613a3a413c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4d6973706c616365643c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', '2026-11-26 06:35:06.127652+00', '2026-11-26 06:35:06.397019+00', NULL, '', 1, NULL, '{"act": "change", "set": "WIS-GISC-TOULOUSE", "owner": "WIS-GISC-TOKYO"}', '{}', NULL, NULL),
	(3, 'urn:x-wmo:md:fr.meteofrance::R004', 'urn:x-wmo:md:fr.meteofrance::R004', 'vanished', 'vanished', NULL, NULL, NULL, '2026-11-26 06:35:06.402205+00', '2026-11-26 06:35:06.402205+00', NULL, '', 1, NULL, '{}', '{}', NULL, NULL);


--
-- Data for Name: harvester_hostclock; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: harvester_link; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_link VALUES
	(1, 'toulouse', 'http://gisc-toulouse.example.org/oai', 'iso19139', 'WIS-GISC-TOULOUSE', true, 21600, 60, 'YYYY-MM-DDThh:mm:ssZ', '2026-02-23 12:00:00+00', '2026-11-26 12:35:06.458519+00', 0, 4, '2026-03-01 12:00:00+00', 'earlier', '2026-02-02 00:00:00+00', 'records', 'peer', 1, 100, NULL, '2026-11-26 06:35:06.294653+00', 28, '2026-11-26 06:35:06.407055+00', 'persistent', '2026-11-26 06:35:06.497526+00', true, 90, NULL, '2026-11-26 06:35:06.447481+00', 0, 1, -23308506.471274, '', false, '', '', '', '', '', '', '', '', 4, 24, '2026-11-26 06:35:06.473493+00', 'listed', 33, 0, '[]', '2026-11-26 06:35:06.470349+00', false, 144, NULL, 0, NULL, false, NULL, 28, NULL, NULL, NULL, NULL, 'same', 0, 0, NULL, NULL, NULL, '', true, NULL, NULL, '{}', 'bf72eaac-0d6c-4995-a659-80b87551a5f9', NULL),
	(3, 'melbourne', 'http://gisc-toulouse.example.org/oai', 'iso19139', 'WIS-GISC-MELBOURNE', true, 21600, 60, 'YYYY-MM-DDThh:mm:ssZ', NULL, '2026-11-26 12:35:06.548484+00', 0, 7, NULL, 'earlier', NULL, 'records', 'peer', 1, 100, NULL, NULL, 28, NULL, 'persistent', NULL, false, 90, NULL, NULL, 0, NULL, -23308506.560408, '', false, '', '', '', '', '', '', '', '', 4, 0, '2026-11-26 06:35:06.562929+00', 'missing', 33, 0, '[]', NULL, false, 72, NULL, 0, NULL, false, NULL, 28, NULL, NULL, NULL, NULL, 'same', 0, 0, NULL, NULL, NULL, '', true, NULL, NULL, '{}', '38549a40-9c4e-42f4-9e05-7f057fb04166', NULL),
	(2, 'offenbach', 'http://gisc-offenbach.example.org/oai', 'iso19139', 'WIS-GISC-OFFENBACH', true, 21600, 60, 'YYYY-MM-DDThh:mm:ssZ', '2026-02-26 12:00:00+00', '2026-11-26 12:35:06.154593+00', 0, 5, '2026-03-01 12:00:00+00', 'earlier', '2026-02-02 00:00:00+00', 'identifiers', 'peer', 1, 100, NULL, NULL, 28, NULL, 'persistent', '2026-11-27 06:35:06.227431+00', false, 90, NULL, NULL, 0, NULL, -23308506.166987, '', false, '', 'proxy', 'gAAAAABrB9MaqIrPYtyW_CygL6S4ykGT1C74r93MIhKjUlKmY7TzWPZ7X2bdckma6QJjzoalNPcwytp_nxAh20EQwejX_rgrnF91seXCqq49ar25aylPfEE=', 'gAAAAABrB9MaOqG8_qfum83t5vhrnOwfY9egoJ4djXnBKf0ZdBJn6Z98nOGyawFhS-VcEE3wOr9LGAt0S-Ntqi7Sbu43JVxuIQ==', '', 'tokyo', '', '', 4, 0, '2026-11-26 06:35:06.1694+00', 'unlisted', 33, 0, '[]', '2026-11-26 06:35:06.166138+00', false, 72, NULL, 0, NULL, false, NULL, 28, NULL, NULL, NULL, NULL, 'same', 0, 0, NULL, NULL, NULL, '', true, NULL, NULL, '{}', 'feee698b-5933-46e4-b42e-2c8bf2077b61', NULL);


--
-- Data for Name: harvester_linkday; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_linkday VALUES
	(3, '2026-11-26', 1, 0, 3, 1, 0, 0, 0, 2, 0, 2),
	(1, '2026-11-26', 4, 0, 5, 3, 4, 2, 7, 12, 0, 1);


--
-- Data for Name: harvester_quietcause; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: harvester_reject; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_reject VALUES
	(1, 'urn:x-wmo:md:fr.meteofrance::R006', '2026-02-02T00:00:00Z', 'other-identifier', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a616e6f746865723a6e616d653c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e53757266616365206f62736572766174696f6e733c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 4, 'urn:another:name', '{"header": "urn:x-wmo:md:fr.meteofrance::R006", "record": "urn:another:name"}', 1, '2026-11-26 06:35:06.117921+00', '2026-11-26 06:35:06.394419+00', 2, 1, NULL),
	(2, 'urn:x-wmo:md:fr.meteofrance::R007', '2026-02-02T00:00:00Z', 'oai-pmh-answer', '\x3c6e6f746520786d6c6e733d22687474703a2f2f7777772e6f70656e61726368697665732e6f72672f4f41492f322e302f223e6e6f206d657461646174613c2f6e6f74653e', 4, '', '{"root": "note", "namespace": "http://www.openarchives.org/OAI/2.0/"}', 1, '2026-11-26 06:35:06.117921+00', '2026-11-26 06:35:06.394419+00', 2, 1, NULL),
	(3, 'urn:x-wmo:md:jp.jma::A', '2026-02-02T00:00:00Z', 'belongs-to-other-set', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a6a702e6a6d613a3a413c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4d6973706c616365643c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 4, '', '{"act": "change", "set": "WIS-GISC-TOULOUSE", "owner": "WIS-GISC-TOKYO"}', 1, '2026-11-26 06:35:06.125365+00', '2026-11-26 06:35:06.394419+00', 2, 1, NULL),
	(7, 'urn:x-wmo:md:fr.meteofrance::R001', '2026-02-02T00:00:00Z', 'not-newer-than-ours', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a66722e6d6574656f6672616e63653a3a523030313c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4173204f6666656e62616368206861732069743c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 5, '', '{"why": {"code": "by-direct-way", "facts": {}}}', 1, '2026-11-26 06:35:06.497526+00', '2026-11-26 06:35:06.497526+00', 1, 1, NULL);


--
-- Data for Name: harvester_remoteheader; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_remoteheader VALUES
	(10, 'urn:x-wmo:md:fr.meteofrance::R020', 'urn:x-wmo:md:fr.meteofrance::R020', '2026-02-01 00:00:00+00', false, 'held', 2, NULL, NULL, '\x0daa9bd51d4004b0465a56d7c552b850282f02377aceced94ddd5970088980a0', NULL),
	(11, 'urn:x-wmo:md:fr.meteofrance::R021', 'urn:x-wmo:md:fr.meteofrance::R021', '2026-02-01 00:00:00+00', false, 'held', 2, NULL, NULL, '\x99f4c902ce646a89796b6037f9d356996169a72666f355d950a71726861c4b38', NULL),
	(12, 'urn:x-wmo:md:fr.meteofrance::R022', 'urn:x-wmo:md:fr.meteofrance::R022', '2026-02-01 00:00:00+00', false, 'held', 2, NULL, NULL, '\xa528a88d7afd1eb035340c317c1823c3c3ef232d4a6ff05beca5ee85b19ceb50', NULL),
	(13, 'urn:x-wmo:md:fr.meteofrance::R001', 'urn:x-wmo:md:fr.meteofrance::R001', '2026-02-02 00:00:00+00', false, 'held', 2, NULL, NULL, '\xd07e3d9a4d903f47daa68235b929e2abd2bd7fd45a824117449d6b10e07ba9d7', NULL),
	(1, 'urn:x-wmo:md:fr.meteofrance::R000', 'urn:x-wmo:md:fr.meteofrance::R000', '2026-02-01 00:00:00+00', false, 'held', 1, 4, NULL, '\x0989b96ccf62fad85c09b0f7ca2b9de9021e8b5cd3016effaae6374e0835caeb', NULL),
	(2, 'urn:x-wmo:md:fr.meteofrance::R001', 'urn:x-wmo:md:fr.meteofrance::R001', '2026-02-01 00:00:00+00', false, 'held', 1, 4, NULL, '\x2589064cf75e68e7f1952a4ab35db996478fa7f2e126bca60beab3c440e9164f', NULL),
	(3, 'urn:x-wmo:md:fr.meteofrance::R002', 'urn:x-wmo:md:fr.meteofrance::R002', '2026-02-01 00:00:00+00', false, 'held', 1, 4, NULL, '\x6715c1c1a83403465a42f5a13cca35569fed8b7a89459b161108ff8b9c0156b9', NULL),
	(6, 'urn:x-wmo:md:fr.meteofrance::R005', 'urn:x-wmo:md:fr.meteofrance::R005', '2026-02-02 00:00:00+00', true, 'held', 1, 4, NULL, NULL, NULL),
	(4, 'urn:x-wmo:md:fr.meteofrance::R003', 'urn:x-wmo:md:fr.meteofrance::R003', '2026-02-03 00:00:00+00', true, 'held', 1, 4, NULL, NULL, '2026-11-26 06:35:06.363791+00'),
	(7, 'urn:x-wmo:md:fr.meteofrance::R006', 'urn:x-wmo:md:fr.meteofrance::R006', '2026-02-02 00:00:00+00', false, 'rejected', 1, 4, NULL, NULL, NULL),
	(8, 'urn:x-wmo:md:fr.meteofrance::R007', 'urn:x-wmo:md:fr.meteofrance::R007', '2026-02-02 00:00:00+00', false, 'rejected', 1, 4, NULL, NULL, NULL),
	(9, 'urn:x-wmo:md:jp.jma::A', 'urn:x-wmo:md:jp.jma::A', '2026-02-02 00:00:00+00', false, 'rejected', 1, 4, NULL, NULL, NULL),
	(5, 'urn:x-wmo:md:fr.meteofrance::R004', 'urn:x-wmo:md:fr.meteofrance::R004', '2026-02-01 00:00:00+00', false, 'vanished', 1, NULL, NULL, '\x3fa3d3b280197bfe6e151f69c7a7b48b7ad963d57fc4fdc612198f475161bc6e', NULL),
	(26, 'urn:x-wmo:md:fr.meteofrance::R000', 'urn:x-wmo:md:fr.meteofrance::R000', NULL, false, 'held', 1, NULL, 1, NULL, NULL),
	(28, 'urn:x-wmo:md:fr.meteofrance::R002', 'urn:x-wmo:md:fr.meteofrance::R002', NULL, false, 'held', 1, NULL, 1, NULL, NULL),
	(29, 'urn:x-wmo:md:fr.meteofrance::R004', 'urn:x-wmo:md:fr.meteofrance::R004', NULL, false, 'held', 1, NULL, 1, NULL, NULL),
	(30, 'urn:x-wmo:md:fr.meteofrance::R006', 'urn:x-wmo:md:fr.meteofrance::R006', NULL, false, 'held', 1, NULL, 1, NULL, NULL),
	(31, 'urn:x-wmo:md:fr.meteofrance::R007', 'urn:x-wmo:md:fr.meteofrance::R007', NULL, false, 'held', 1, NULL, 1, NULL, NULL),
	(32, 'urn:x-wmo:md:jp.jma::A', 'urn:x-wmo:md:jp.jma::A', NULL, false, 'held', 1, NULL, 1, NULL, NULL),
	(33, 'urn:x-wmo:md:fr.meteofrance::R020', 'urn:x-wmo:md:fr.meteofrance::R020', '2026-02-01 00:00:00+00', false, 'held', 1, NULL, 1, '\x0daa9bd51d4004b0465a56d7c552b850282f02377aceced94ddd5970088980a0', NULL),
	(34, 'urn:x-wmo:md:fr.meteofrance::R021', 'urn:x-wmo:md:fr.meteofrance::R021', '2026-02-01 00:00:00+00', false, 'held', 1, NULL, 1, '\x99f4c902ce646a89796b6037f9d356996169a72666f355d950a71726861c4b38', NULL),
	(27, 'urn:x-wmo:md:fr.meteofrance::R001', 'urn:x-wmo:md:fr.meteofrance::R001', '2026-02-02 00:00:00+00', false, 'rejected', 1, NULL, 1, NULL, NULL),
	(36, 'urn:x-wmo:md:fr.meteofrance::R022', 'urn:x-wmo:md:fr.meteofrance::R022', '2026-02-01 00:00:00+00', false, 'held', 1, NULL, 1, '\xa528a88d7afd1eb035340c317c1823c3c3ef232d4a6ff05beca5ee85b19ceb50', NULL),
	(37, 'urn:x-wmo:md:fr.meteofrance::R040', 'urn:x-wmo:md:fr.meteofrance::R040', '2026-02-01 00:00:00+00', false, 'held', 3, NULL, NULL, '\x07d90c14fb4c79068b75e7008c82252f1b4dc3d9178f206795f16f3e38833faf', NULL),
	(38, 'urn:x-wmo:md:fr.meteofrance::R041', 'urn:x-wmo:md:fr.meteofrance::R041', '2026-02-01 00:00:00+00', false, 'held', 3, NULL, NULL, '\x3076f2373134cec6b829fd4c282f51b28683da8761eef36d4a8669f784b238c0', NULL);


--
-- Data for Name: harvester_run; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_run VALUES
	(6, 'open', 'schedule', '2026-11-26 06:35:06.548484+00', NULL, '', NULL, 'YYYY-MM-DDThh:mm:ssZ', '/9/2', 1, 0, '2026-03-01 12:00:00+00', '2026-02-01 00:00:00+00', 5, 2, 2, 0, 0, 0, 0, 0, NULL, '2026-11-26 06:35:06.58219+00', '', NULL, 3, 0, 2, '\x09022fbf48f072025e273fe8d530bb7c81f250dadf310afc6d5191d11506b444', '/9/2', 'listing', 'records', false, 0, 0, NULL, 0, 'harvest', 0, 0, 'gAAAAABrB9Man29e5JU3Zi-AUu0KVnkS2Jt0tRa8C7KsNY6XAB5f1dVr5gz-hcKOZsDAk1z0PUR0FK5pK-mrUamHJQzD_8185Upa3Mu5rsEJh13luLjfmXvt_MSDnoUAAhS08yRX8GQFT8PKBZhyGWOA2og6Rdv5-duhI07RHmq_Dm_L_PvbGcFuRwdyFqhI5crFXWtyJXiM30wMluG8VwMEmDAQCi6SrA==', '[{"code": "other-set", "count": 2, "facts": {"set": "WIS-GISC-MELBOURNE"}}]', 0, 'running', '{}', 0, 0, '2026-11-26 06:35:06.559546+00', false, 0, NULL, 0, 0, NULL, NULL, NULL, 0, NULL, NULL),
	(2, 'done', 'command line', '2026-11-26 06:35:06.154593+00', '2026-11-26 06:35:06.227431+00', '', NULL, 'YYYY-MM-DDThh:mm:ssZ', '', 2, 0, '2026-03-01 12:00:00+00', '2026-02-02 00:00:00+00', 4, 4, 3, 1, 0, 0, 0, 0, NULL, '2026-11-26 06:35:06.240175+00', '', NULL, 2, 4, 4, '\x8bff1b1dc7b893c293c3e5996eea7ddad78b6c52ab4d7c91212ef563af5737dd', '', 'fetching', 'identifiers', false, 0, 0, NULL, 0, 'harvest', 0, 0, '', '[{"code": "other-set", "count": 4, "facts": {"set": "WIS-GISC-OFFENBACH"}}]', 0, 'done', '{"remarks": [{"code": "clock-skew", "facts": {"skew_s": -23308506.2, "is_alarm": true}}, {"code": "set-missing", "facts": {"set": "WIS-GISC-OFFENBACH", "state": "unlisted"}}]}', 0, 0, '2026-11-26 06:35:06.166138+00', false, 0, NULL, 0, 0, NULL, NULL, NULL, 0, NULL, NULL),
	(3, 'done', 'command line', '2026-11-26 06:35:06.251994+00', '2026-11-26 06:35:06.268731+00', '', '2026-02-26 11:58:59+00', 'YYYY-MM-DDThh:mm:ssZ', '', 1, 0, '2026-03-01 12:00:00+00', NULL, NULL, 0, 0, 0, 0, 0, 0, 0, NULL, '2026-11-26 06:35:06.281899+00', '', NULL, 1, 0, 0, '\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', '', 'listing', 'records', false, 0, 0, NULL, 0, 'harvest', 0, 0, '', '[]', 0, 'done', '{"remarks": [{"code": "clock-skew", "facts": {"skew_s": -23308506.3, "is_alarm": true}}]}', 0, 0, '2026-11-26 06:35:06.26329+00', false, 0, '2026-03-01 11:58:59+00', 0, 0, NULL, NULL, NULL, 0, NULL, NULL),
	(1, 'done', 'command line', '2026-11-26 06:35:06.021319+00', '2026-11-26 06:35:06.125365+00', '', NULL, 'YYYY-MM-DDThh:mm:ssZ', '', 5, 0, '2026-03-01 12:00:00+00', '2026-02-02 00:00:00+00', 9, 9, 5, 0, 0, 1, 3, 0, NULL, '2026-11-26 06:35:06.143717+00', '', NULL, 1, 0, 9, '\xc61aa19fee71ada889a1885e23f390a4a6295885b3da117a89fd5f6101a06d9f', '/9/8', 'listing', 'records', false, 0, 0, NULL, 0, 'harvest', 0, 0, '', '[]', 0, 'done', '{"remarks": [{"code": "clock-skew", "facts": {"skew_s": -23308506.0, "is_alarm": true}}]}', 0, 0, '2026-11-26 06:35:06.036+00', false, 0, NULL, 0, 0, NULL, NULL, NULL, 0, NULL, NULL),
	(5, 'done', 'command line', '2026-11-26 06:35:06.458519+00', '2026-11-26 06:35:06.497526+00', '', NULL, 'YYYY-MM-DDThh:mm:ssZ', '', 2, 0, '2026-03-01 12:00:00+00', '2026-02-02 00:00:00+00', 4, 4, 0, 3, 0, 0, 1, 0, NULL, '2026-11-26 06:35:06.522596+00', '', NULL, 1, 0, 4, '\x8bff1b1dc7b893c293c3e5996eea7ddad78b6c52ab4d7c91212ef563af5737dd', '', 'listing', 'records', false, 0, 0, NULL, 0, 'harvest', 0, 0, '', '[]', 0, 'done', '{"remarks": [{"code": "clock-skew", "facts": {"skew_s": -23308506.5, "is_alarm": true}}]}', 0, 0, '2026-11-26 06:35:06.470349+00', false, 0, NULL, 0, 0, NULL, NULL, NULL, 0, NULL, NULL),
	(4, 'done', 'command line', '2026-11-26 06:35:06.294653+00', '2026-11-26 06:35:06.407055+00', '', NULL, 'YYYY-MM-DDThh:mm:ssZ', '', 4, 0, '2026-03-01 12:00:00+00', '2026-02-03 00:00:00+00', 8, 8, 0, 0, 4, 1, 3, 0, NULL, '2026-11-26 06:35:06.416242+00', '', NULL, 1, 4, 8, '\x37767ae10f3a9cfaae0e86b357089c0536ea1b2d5130836382e0610b5966f5e7', '', 'fetching', 'identifiers', false, 1, 0, NULL, 0, 'comparison', 4, 1, '', '[]', 1, 'compared', '{"extra": 1, "stale": 4, "changed": 0, "missing": 0, "vanished": 1, "not_served": 3, "above_ceiling": 0}', 1, 0, '2026-11-26 06:35:06.30867+00', false, 0, '2026-03-01 11:58:59+00', 3, 0, NULL, NULL, NULL, 0, NULL, NULL);


--
-- Data for Name: harvester_standby; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_standby VALUES
	(1, '2026-02-26 12:00:00+00', '2026-03-01 12:00:00+00', '2026-02-02 00:00:00+00', 'YYYY-MM-DDThh:mm:ssZ', 'persistent', '2026-11-26 06:35:06.447481+00', NULL, NULL, NULL, '', NULL, 1, '2026-11-26 06:35:06.26329+00', false, NULL);


--
-- Data for Name: oaiprovider_crosswalk; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_crosswalk VALUES
	(1, 'brief', 'http://example.org/brief/', 'http://example.org/brief.xsd', '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns="http://example.org/brief/"
 xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:exsl="http://exslt.org/common"
 xmlns:str="http://exslt.org/strings" exclude-result-prefixes="gmd exsl str" >
<xsl:param name="identifier"/>
<xsl:template match="/"><xsl:if test="contains(normalize-space(//gmd:identificationInfo/*/gmd:citation/*/gmd:title/*[1]), ''impossible'')"><xsl:message terminate="yes">no title</xsl:message></xsl:if><brief edition="second"><id><xsl:value-of select="$identifier"/></id><title><xsl:value-of select="normalize-space(//gmd:identificationInfo/*/gmd:citation/*/gmd:title/*[1])"/></title></brief></xsl:template>
</xsl:stylesheet>', true, false, '2026-11-26 06:35:07+00');


--
-- Data for Name: oaiprovider_generation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_generation VALUES
	('oai_dc', '260a472168dd8eae08aaced6d735a5a41a473a97a209b89ec58466a5d5b9379c', NULL),
	('dcat_ap', '9de10205ab3a94dcd903b2e4a593bf43a7a0041b24c990cef676154ffb5c0813', NULL);


--
-- Data for Name: oaiprovider_identifydescription; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_identifydescription VALUES
	(1, 'branding', '<branding xmlns="http://www.openarchives.org/OAI/2.0/branding/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/branding/ http://www.openarchives.org/OAI/2.0/branding.xsd"><collectionIcon><url>http://gisc-tokyo.example.org/icon.png</url><link>http://gisc-tokyo.example.org/</link><title>GISC Tokyo</title><width>88</width><height>31</height></collectionIcon></branding>', true);


--
-- Data for Name: oaiprovider_profile; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_profile VALUES
	(1, 'Any', '', '{}', true, NULL, NULL, NULL, '', '{}', '{}', NULL, true, false),
	(2, 'Driver', 'DRIVER', '{}', false, 3, NULL, NULL, 'For DRIVER', '{}', '{brief}', NULL, true, false);


--
-- Data for Name: oaiprovider_profile_categories; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: oaiprovider_profile_sets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_profile_sets VALUES
	(1, 2, 4),
	(2, 2, 6);


--
-- Data for Name: otp_static_staticdevice; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: otp_static_statictoken; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: otp_totp_totpdevice; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: wis_monitoring_dailyfigures; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: wis_monitoring_responsetimes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: alerts_condition_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.alerts_condition_id_seq', 1, false);


--
-- Name: alerts_message_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.alerts_message_id_seq', 1, false);


--
-- Name: alerts_recipient_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.alerts_recipient_id_seq', 1, false);


--
-- Name: alerts_recipient_links_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.alerts_recipient_links_id_seq', 1, false);


--
-- Name: audit_act_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.audit_act_id_seq', 1, false);


--
-- Name: auth_group_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_id_seq', 4, true);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 384, true);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_permission_id_seq', 288, true);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, false);


--
-- Name: auth_user_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_id_seq', 1, false);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);


--
-- Name: axes_accessattempt_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.axes_accessattempt_id_seq', 1, false);


--
-- Name: axes_accessfailurelog_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.axes_accessfailurelog_id_seq', 1, false);


--
-- Name: axes_accesslog_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.axes_accesslog_id_seq', 1, false);


--
-- Name: catalogue_audience_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_audience_id_seq', 1, false);


--
-- Name: catalogue_cataloguecanary_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_cataloguecanary_id_seq', 1, false);


--
-- Name: catalogue_category_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_category_id_seq', 1, false);


--
-- Name: catalogue_claim_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_claim_id_seq', 4, true);


--
-- Name: catalogue_datestampclock_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_datestampclock_id_seq', 1, false);


--
-- Name: catalogue_daylived_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_daylived_id_seq', 93, true);


--
-- Name: catalogue_journaloutbox_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_journaloutbox_id_seq', 10, true);


--
-- Name: catalogue_journalposition_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_journalposition_id_seq', 1, false);


--
-- Name: catalogue_metadataset_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_metadataset_id_seq', 7, true);


--
-- Name: catalogue_overview_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_overview_id_seq', 1, false);


--
-- Name: catalogue_quality_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_quality_id_seq', 1, false);


--
-- Name: catalogue_record_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_record_id_seq', 30, true);


--
-- Name: catalogue_recordversion_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_recordversion_id_seq', 8, true);


--
-- Name: catalogue_setchange_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_setchange_id_seq', 1, true);


--
-- Name: catalogue_setinclusion_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_setinclusion_id_seq', 2, true);


--
-- Name: catalogue_spellingchange_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_spellingchange_id_seq', 1, false);


--
-- Name: catalogue_upload_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_upload_id_seq', 1, false);


--
-- Name: catalogue_visibilitychange_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_visibilitychange_id_seq', 1, false);


--
-- Name: catalogue_watchedfile_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_watchedfile_id_seq', 1, false);


--
-- Name: catalogue_watchedrecord_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_watchedrecord_id_seq', 1, false);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_content_type_id_seq', 72, true);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_migrations_id_seq', 120, true);


--
-- Name: harvester_alternative_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_alternative_id_seq', 1, true);


--
-- Name: harvester_canary_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_canary_id_seq', 1, false);


--
-- Name: harvester_centre_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_centre_id_seq', 16, true);


--
-- Name: harvester_conflict_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_conflict_id_seq', 3, true);


--
-- Name: harvester_hostclock_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_hostclock_id_seq', 1, false);


--
-- Name: harvester_link_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_link_id_seq', 3, true);


--
-- Name: harvester_linkday_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_linkday_id_seq', 10, true);


--
-- Name: harvester_quietcause_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_quietcause_id_seq', 1, false);


--
-- Name: harvester_reject_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_reject_id_seq', 7, true);


--
-- Name: harvester_remoteheader_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_remoteheader_id_seq', 38, true);


--
-- Name: harvester_run_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_run_id_seq', 6, true);


--
-- Name: harvester_standby_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_standby_id_seq', 1, true);


--
-- Name: oaiprovider_crosswalk_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oaiprovider_crosswalk_id_seq', 1, true);


--
-- Name: oaiprovider_identifydescription_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oaiprovider_identifydescription_id_seq', 1, true);


--
-- Name: oaiprovider_profile_categories_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oaiprovider_profile_categories_id_seq', 1, false);


--
-- Name: oaiprovider_profile_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oaiprovider_profile_id_seq', 2, true);


--
-- Name: oaiprovider_profile_sets_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oaiprovider_profile_sets_id_seq', 2, true);


--
-- Name: otp_static_staticdevice_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.otp_static_staticdevice_id_seq', 1, false);


--
-- Name: otp_static_statictoken_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.otp_static_statictoken_id_seq', 1, false);


--
-- Name: otp_totp_totpdevice_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.otp_totp_totpdevice_id_seq', 1, false);


--
-- Name: catalogue_membership a_record_is_in_a_set_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_membership
    ADD CONSTRAINT a_record_is_in_a_set_once PRIMARY KEY (record_id, set_id);


--
-- Name: catalogue_setinclusion a_set_includes_another_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_setinclusion
    ADD CONSTRAINT a_set_includes_another_once UNIQUE (parent_id, child_id);


--
-- Name: alerts_condition alerts_condition_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_condition
    ADD CONSTRAINT alerts_condition_pkey PRIMARY KEY (id);


--
-- Name: alerts_message alerts_message_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_message
    ADD CONSTRAINT alerts_message_pkey PRIMARY KEY (id);


--
-- Name: alerts_recipient_links alerts_recipient_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_recipient_links
    ADD CONSTRAINT alerts_recipient_links_pkey PRIMARY KEY (id);


--
-- Name: alerts_recipient_links alerts_recipient_links_recipient_id_link_id_1be5c5b1_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_recipient_links
    ADD CONSTRAINT alerts_recipient_links_recipient_id_link_id_1be5c5b1_uniq UNIQUE (recipient_id, link_id);


--
-- Name: alerts_recipient alerts_recipient_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_recipient
    ADD CONSTRAINT alerts_recipient_name_key UNIQUE (name);


--
-- Name: alerts_recipient alerts_recipient_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_recipient
    ADD CONSTRAINT alerts_recipient_pkey PRIMARY KEY (id);


--
-- Name: audit_act audit_act_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_act
    ADD CONSTRAINT audit_act_pkey PRIMARY KEY (id);


--
-- Name: auth_group auth_group_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);


--
-- Name: auth_group_permissions auth_group_permissions_group_id_permission_id_0cd325b0_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);


--
-- Name: auth_group_permissions auth_group_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_group auth_group_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);


--
-- Name: auth_permission auth_permission_content_type_id_codename_01ab375a_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);


--
-- Name: auth_permission auth_permission_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_user_id_group_id_94350c0c_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_group_id_94350c0c_uniq UNIQUE (user_id, group_id);


--
-- Name: auth_user auth_user_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_permission_id_14a6b632_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_permission_id_14a6b632_uniq UNIQUE (user_id, permission_id);


--
-- Name: auth_user auth_user_username_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_username_key UNIQUE (username);


--
-- Name: axes_accessattempt axes_accessattempt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessattempt
    ADD CONSTRAINT axes_accessattempt_pkey PRIMARY KEY (id);


--
-- Name: axes_accessattempt axes_accessattempt_username_ip_address_user_agent_8ea22282_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessattempt
    ADD CONSTRAINT axes_accessattempt_username_ip_address_user_agent_8ea22282_uniq UNIQUE (username, ip_address, user_agent);


--
-- Name: axes_accessattemptexpiration axes_accessattemptexpiration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessattemptexpiration
    ADD CONSTRAINT axes_accessattemptexpiration_pkey PRIMARY KEY (access_attempt_id);


--
-- Name: axes_accessfailurelog axes_accessfailurelog_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessfailurelog
    ADD CONSTRAINT axes_accessfailurelog_pkey PRIMARY KEY (id);


--
-- Name: axes_accesslog axes_accesslog_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accesslog
    ADD CONSTRAINT axes_accesslog_pkey PRIMARY KEY (id);


--
-- Name: catalogue_audience catalogue_audience_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_audience
    ADD CONSTRAINT catalogue_audience_pkey PRIMARY KEY (id);


--
-- Name: catalogue_cataloguecanary catalogue_cataloguecanary_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_cataloguecanary
    ADD CONSTRAINT catalogue_cataloguecanary_pkey PRIMARY KEY (id);


--
-- Name: catalogue_catalogueday catalogue_catalogueday_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_catalogueday
    ADD CONSTRAINT catalogue_catalogueday_pkey PRIMARY KEY (day);


--
-- Name: catalogue_category catalogue_category_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_category
    ADD CONSTRAINT catalogue_category_name_key UNIQUE (name);


--
-- Name: catalogue_category catalogue_category_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_category
    ADD CONSTRAINT catalogue_category_pkey PRIMARY KEY (id);


--
-- Name: catalogue_claim catalogue_claim_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_claim
    ADD CONSTRAINT catalogue_claim_pkey PRIMARY KEY (id);


--
-- Name: catalogue_completedwalk catalogue_completedwalk_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_completedwalk
    ADD CONSTRAINT catalogue_completedwalk_pkey PRIMARY KEY (id);


--
-- Name: catalogue_datestampclock catalogue_datestampclock_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_datestampclock
    ADD CONSTRAINT catalogue_datestampclock_pkey PRIMARY KEY (id);


--
-- Name: catalogue_daylived catalogue_daylived_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_daylived
    ADD CONSTRAINT catalogue_daylived_pkey PRIMARY KEY (id);


--
-- Name: catalogue_description catalogue_description_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_description
    ADD CONSTRAINT catalogue_description_pkey PRIMARY KEY (record_id);


--
-- Name: catalogue_dictionary catalogue_dictionary_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_dictionary
    ADD CONSTRAINT catalogue_dictionary_pkey PRIMARY KEY (id);


--
-- Name: catalogue_failingchore catalogue_failingchore_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_failingchore
    ADD CONSTRAINT catalogue_failingchore_pkey PRIMARY KEY (chore);


--
-- Name: catalogue_hostuptime catalogue_hostuptime_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_hostuptime
    ADD CONSTRAINT catalogue_hostuptime_pkey PRIMARY KEY (boot);


--
-- Name: catalogue_journaloutbox catalogue_journaloutbox_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_journaloutbox
    ADD CONSTRAINT catalogue_journaloutbox_pkey PRIMARY KEY (id);


--
-- Name: catalogue_journalposition catalogue_journalposition_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_journalposition
    ADD CONSTRAINT catalogue_journalposition_pkey PRIMARY KEY (id);


--
-- Name: catalogue_journalwriter catalogue_journalwriter_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_journalwriter
    ADD CONSTRAINT catalogue_journalwriter_pkey PRIMARY KEY (writer);


--
-- Name: catalogue_listsize catalogue_listsize_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_listsize
    ADD CONSTRAINT catalogue_listsize_pkey PRIMARY KEY (set_id);


--
-- Name: catalogue_metadataset catalogue_metadataset_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_metadataset
    ADD CONSTRAINT catalogue_metadataset_pkey PRIMARY KEY (id);


--
-- Name: catalogue_metadataset catalogue_metadataset_spec_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_metadataset
    ADD CONSTRAINT catalogue_metadataset_spec_key UNIQUE (spec);


--
-- Name: catalogue_overview catalogue_overview_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_overview
    ADD CONSTRAINT catalogue_overview_pkey PRIMARY KEY (id);


--
-- Name: catalogue_purged catalogue_purged_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_purged
    ADD CONSTRAINT catalogue_purged_pkey PRIMARY KEY (hash);


--
-- Name: catalogue_quality catalogue_quality_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_quality
    ADD CONSTRAINT catalogue_quality_pkey PRIMARY KEY (id);


--
-- Name: catalogue_record catalogue_record_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_record
    ADD CONSTRAINT catalogue_record_pkey PRIMARY KEY (id);


--
-- Name: catalogue_recordcategory catalogue_recordcategory_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_recordcategory
    ADD CONSTRAINT catalogue_recordcategory_pkey PRIMARY KEY (key);


--
-- Name: catalogue_recordversion catalogue_recordversion_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_recordversion
    ADD CONSTRAINT catalogue_recordversion_pkey PRIMARY KEY (id);


--
-- Name: catalogue_setchange catalogue_setchange_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_setchange
    ADD CONSTRAINT catalogue_setchange_pkey PRIMARY KEY (id);


--
-- Name: catalogue_setinclusion catalogue_setinclusion_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_setinclusion
    ADD CONSTRAINT catalogue_setinclusion_pkey PRIMARY KEY (id);


--
-- Name: catalogue_setsearch catalogue_setsearch_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_setsearch
    ADD CONSTRAINT catalogue_setsearch_pkey PRIMARY KEY (set_id);


--
-- Name: catalogue_sourcecategory catalogue_sourcecategory_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_sourcecategory
    ADD CONSTRAINT catalogue_sourcecategory_pkey PRIMARY KEY (source);


--
-- Name: catalogue_spellingchange catalogue_spellingchange_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_spellingchange
    ADD CONSTRAINT catalogue_spellingchange_pkey PRIMARY KEY (id);


--
-- Name: catalogue_upload catalogue_upload_folder_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_upload
    ADD CONSTRAINT catalogue_upload_folder_key UNIQUE (folder);


--
-- Name: catalogue_upload catalogue_upload_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_upload
    ADD CONSTRAINT catalogue_upload_pkey PRIMARY KEY (id);


--
-- Name: catalogue_uploaddocument catalogue_uploaddocument_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_uploaddocument
    ADD CONSTRAINT catalogue_uploaddocument_pkey PRIMARY KEY (upload_id, number);


--
-- Name: catalogue_validation catalogue_validation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_validation
    ADD CONSTRAINT catalogue_validation_pkey PRIMARY KEY (record_id);


--
-- Name: catalogue_visibilitychange catalogue_visibilitychange_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_visibilitychange
    ADD CONSTRAINT catalogue_visibilitychange_pkey PRIMARY KEY (id);


--
-- Name: catalogue_watchedfile catalogue_watchedfile_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_watchedfile
    ADD CONSTRAINT catalogue_watchedfile_pkey PRIMARY KEY (id);


--
-- Name: catalogue_watchedrecord catalogue_watchedrecord_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_watchedrecord
    ADD CONSTRAINT catalogue_watchedrecord_pkey PRIMARY KEY (id);


--
-- Name: catalogue_withdrawal catalogue_withdrawal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_withdrawal
    ADD CONSTRAINT catalogue_withdrawal_pkey PRIMARY KEY (record_id, set_id, audience);


--
-- Name: catalogue_word catalogue_word_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_word
    ADD CONSTRAINT catalogue_word_pkey PRIMARY KEY (folded, stem);


--
-- Name: django_admin_log django_admin_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);


--
-- Name: django_content_type django_content_type_app_label_model_76bd3d3b_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);


--
-- Name: django_content_type django_content_type_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);


--
-- Name: django_migrations django_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);


--
-- Name: django_session django_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);


--
-- Name: harvester_alternative harvester_alternative_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_alternative
    ADD CONSTRAINT harvester_alternative_pkey PRIMARY KEY (id);


--
-- Name: harvester_canary harvester_canary_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_canary
    ADD CONSTRAINT harvester_canary_pkey PRIMARY KEY (id);


--
-- Name: harvester_centre harvester_centre_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_centre
    ADD CONSTRAINT harvester_centre_name_key UNIQUE (name);


--
-- Name: harvester_centre harvester_centre_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_centre
    ADD CONSTRAINT harvester_centre_pkey PRIMARY KEY (id);


--
-- Name: harvester_centre harvester_centre_set_spec_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_centre
    ADD CONSTRAINT harvester_centre_set_spec_key UNIQUE (set_spec);


--
-- Name: harvester_conflict harvester_conflict_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_conflict
    ADD CONSTRAINT harvester_conflict_pkey PRIMARY KEY (id);


--
-- Name: harvester_hostclock harvester_hostclock_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_hostclock
    ADD CONSTRAINT harvester_hostclock_pkey PRIMARY KEY (id);


--
-- Name: harvester_link harvester_link_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_link
    ADD CONSTRAINT harvester_link_name_key UNIQUE (name);


--
-- Name: harvester_link harvester_link_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_link
    ADD CONSTRAINT harvester_link_pkey PRIMARY KEY (id);


--
-- Name: harvester_link harvester_link_report_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_link
    ADD CONSTRAINT harvester_link_report_key_key UNIQUE (report_key);


--
-- Name: harvester_linkday harvester_linkday_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_linkday
    ADD CONSTRAINT harvester_linkday_pkey PRIMARY KEY (id);


--
-- Name: harvester_quietcause harvester_quietcause_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_quietcause
    ADD CONSTRAINT harvester_quietcause_pkey PRIMARY KEY (id);


--
-- Name: harvester_reject harvester_reject_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_reject
    ADD CONSTRAINT harvester_reject_pkey PRIMARY KEY (id);


--
-- Name: harvester_remoteheader harvester_remoteheader_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_remoteheader
    ADD CONSTRAINT harvester_remoteheader_pkey PRIMARY KEY (id);


--
-- Name: harvester_run harvester_run_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_run
    ADD CONSTRAINT harvester_run_pkey PRIMARY KEY (id);


--
-- Name: harvester_standby harvester_standby_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_standby
    ADD CONSTRAINT harvester_standby_pkey PRIMARY KEY (id);


--
-- Name: oaiprovider_crosswalk oaiprovider_crosswalk_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_crosswalk
    ADD CONSTRAINT oaiprovider_crosswalk_pkey PRIMARY KEY (id);


--
-- Name: oaiprovider_crosswalk oaiprovider_crosswalk_prefix_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_crosswalk
    ADD CONSTRAINT oaiprovider_crosswalk_prefix_key UNIQUE (prefix);


--
-- Name: oaiprovider_generation oaiprovider_generation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_generation
    ADD CONSTRAINT oaiprovider_generation_pkey PRIMARY KEY (prefix);


--
-- Name: oaiprovider_identifydescription oaiprovider_identifydescription_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_identifydescription
    ADD CONSTRAINT oaiprovider_identifydescription_name_key UNIQUE (name);


--
-- Name: oaiprovider_identifydescription oaiprovider_identifydescription_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_identifydescription
    ADD CONSTRAINT oaiprovider_identifydescription_pkey PRIMARY KEY (id);


--
-- Name: oaiprovider_profile_categories oaiprovider_profile_cate_profile_id_category_id_df7203b0_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile_categories
    ADD CONSTRAINT oaiprovider_profile_cate_profile_id_category_id_df7203b0_uniq UNIQUE (profile_id, category_id);


--
-- Name: oaiprovider_profile_categories oaiprovider_profile_categories_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile_categories
    ADD CONSTRAINT oaiprovider_profile_categories_pkey PRIMARY KEY (id);


--
-- Name: oaiprovider_profile oaiprovider_profile_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile
    ADD CONSTRAINT oaiprovider_profile_name_key UNIQUE (name);


--
-- Name: oaiprovider_profile oaiprovider_profile_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile
    ADD CONSTRAINT oaiprovider_profile_pkey PRIMARY KEY (id);


--
-- Name: oaiprovider_profile_sets oaiprovider_profile_sets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile_sets
    ADD CONSTRAINT oaiprovider_profile_sets_pkey PRIMARY KEY (id);


--
-- Name: oaiprovider_profile_sets oaiprovider_profile_sets_profile_id_metadataset_i_77b06b61_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile_sets
    ADD CONSTRAINT oaiprovider_profile_sets_profile_id_metadataset_i_77b06b61_uniq UNIQUE (profile_id, metadataset_id);


--
-- Name: alerts_message one_alert_of_a_kind; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_message
    ADD CONSTRAINT one_alert_of_a_kind UNIQUE (recipient_id, condition_id, kind);


--
-- Name: harvester_alternative one_alternative_at_a_position_of_a_link; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_alternative
    ADD CONSTRAINT one_alternative_at_a_position_of_a_link UNIQUE (link_id, "position");


--
-- Name: catalogue_audience one_audience_of_a_kind; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_audience
    ADD CONSTRAINT one_audience_of_a_kind UNIQUE (categories, sets);


--
-- Name: catalogue_claim one_claim_of_a_source_on_a_record; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_claim
    ADD CONSTRAINT one_claim_of_a_source_on_a_record UNIQUE (record_id, set_id, source);


--
-- Name: harvester_conflict one_conflict_of_an_identifier_per_link; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_conflict
    ADD CONSTRAINT one_conflict_of_an_identifier_per_link UNIQUE (link_id, key);


--
-- Name: catalogue_journaloutbox one_event_a_number; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_journaloutbox
    ADD CONSTRAINT one_event_a_number UNIQUE (epoch, number);


--
-- Name: harvester_remoteheader one_header_of_a_provider; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_remoteheader
    ADD CONSTRAINT one_header_of_a_provider UNIQUE NULLS NOT DISTINCT (link_id, alternative_id, key);


--
-- Name: oaiprovider_profile one_profile_for_the_same_requests; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile
    ADD CONSTRAINT one_profile_for_the_same_requests UNIQUE (match, networks);


--
-- Name: harvester_quietcause one_quiet_cause_of_a_link; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_quietcause
    ADD CONSTRAINT one_quiet_cause_of_a_link UNIQUE (link_id, reason);


--
-- Name: catalogue_record one_record_per_identifier; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_record
    ADD CONSTRAINT one_record_per_identifier UNIQUE (key);


--
-- Name: catalogue_watchedfile one_row_a_watched_file; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_watchedfile
    ADD CONSTRAINT one_row_a_watched_file UNIQUE (folder, path);


--
-- Name: catalogue_watchedrecord one_row_a_watched_record; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_watchedrecord
    ADD CONSTRAINT one_row_a_watched_record UNIQUE (folder, identifier, path);


--
-- Name: harvester_linkday one_row_of_a_link_and_day; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_linkday
    ADD CONSTRAINT one_row_of_a_link_and_day UNIQUE (link_id, day);


--
-- Name: harvester_standby one_standby_of_a_provider_per_link; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_standby
    ADD CONSTRAINT one_standby_of_a_provider_per_link UNIQUE NULLS NOT DISTINCT (link_id, alternative_id);


--
-- Name: catalogue_recordversion one_version_a_number; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_recordversion
    ADD CONSTRAINT one_version_a_number UNIQUE (record_id, number);


--
-- Name: otp_static_staticdevice otp_static_staticdevice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_static_staticdevice
    ADD CONSTRAINT otp_static_staticdevice_pkey PRIMARY KEY (id);


--
-- Name: otp_static_statictoken otp_static_statictoken_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_static_statictoken
    ADD CONSTRAINT otp_static_statictoken_pkey PRIMARY KEY (id);


--
-- Name: otp_totp_totpdevice otp_totp_totpdevice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_totp_totpdevice
    ADD CONSTRAINT otp_totp_totpdevice_pkey PRIMARY KEY (id);


--
-- Name: wis_monitoring_dailyfigures wis_monitoring_dailyfigures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wis_monitoring_dailyfigures
    ADD CONSTRAINT wis_monitoring_dailyfigures_pkey PRIMARY KEY (day);


--
-- Name: wis_monitoring_responsetimes wis_monitoring_responsetimes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wis_monitoring_responsetimes
    ADD CONSTRAINT wis_monitoring_responsetimes_pkey PRIMARY KEY (at);


--
-- Name: alerts_by_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alerts_by_created ON public.alerts_message USING btree (created DESC, id DESC);


--
-- Name: alerts_message_condition_id_140c2280; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alerts_message_condition_id_140c2280 ON public.alerts_message USING btree (condition_id);


--
-- Name: alerts_recipient_links_link_id_75f03768; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alerts_recipient_links_link_id_75f03768 ON public.alerts_recipient_links USING btree (link_id);


--
-- Name: alerts_recipient_links_recipient_id_962d261d; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alerts_recipient_links_recipient_id_962d261d ON public.alerts_recipient_links USING btree (recipient_id);


--
-- Name: alerts_recipient_name_2d7adf04_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alerts_recipient_name_2d7adf04_like ON public.alerts_recipient USING btree (name varchar_pattern_ops);


--
-- Name: alerts_that_wait; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alerts_that_wait ON public.alerts_message USING btree (recipient_id, id) WHERE (sent IS NULL);


--
-- Name: audit_act_account_id_0cd57234; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_act_account_id_0cd57234 ON public.audit_act USING btree (account_id);


--
-- Name: audit_act_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_act_newest ON public.audit_act USING btree (at DESC, id DESC);


--
-- Name: auth_group_name_a6ea08ec_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);


--
-- Name: auth_group_permissions_group_id_b120cbf9; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);


--
-- Name: auth_group_permissions_permission_id_84c5c92e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);


--
-- Name: auth_permission_content_type_id_2f476e4b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);


--
-- Name: auth_user_groups_group_id_97559544; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_groups_group_id_97559544 ON public.auth_user_groups USING btree (group_id);


--
-- Name: auth_user_groups_user_id_6a12ed8b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_groups_user_id_6a12ed8b ON public.auth_user_groups USING btree (user_id);


--
-- Name: auth_user_user_permissions_permission_id_1fbb5f2c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_user_permissions_permission_id_1fbb5f2c ON public.auth_user_user_permissions USING btree (permission_id);


--
-- Name: auth_user_user_permissions_user_id_a95ead1b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_user_permissions_user_id_a95ead1b ON public.auth_user_user_permissions USING btree (user_id);


--
-- Name: auth_user_username_6821ab7c_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_username_6821ab7c_like ON public.auth_user USING btree (username varchar_pattern_ops);


--
-- Name: axes_accessattempt_ip_address_10922d9c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_ip_address_10922d9c ON public.axes_accessattempt USING btree (ip_address);


--
-- Name: axes_accessattempt_user_agent_ad89678b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_user_agent_ad89678b ON public.axes_accessattempt USING btree (user_agent);


--
-- Name: axes_accessattempt_user_agent_ad89678b_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_user_agent_ad89678b_like ON public.axes_accessattempt USING btree (user_agent varchar_pattern_ops);


--
-- Name: axes_accessattempt_username_3f2d4ca0; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_username_3f2d4ca0 ON public.axes_accessattempt USING btree (username);


--
-- Name: axes_accessattempt_username_3f2d4ca0_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_username_3f2d4ca0_like ON public.axes_accessattempt USING btree (username varchar_pattern_ops);


--
-- Name: axes_accessfailurelog_ip_address_2e9f5a7f; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_ip_address_2e9f5a7f ON public.axes_accessfailurelog USING btree (ip_address);


--
-- Name: axes_accessfailurelog_user_agent_ea145dda; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_user_agent_ea145dda ON public.axes_accessfailurelog USING btree (user_agent);


--
-- Name: axes_accessfailurelog_user_agent_ea145dda_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_user_agent_ea145dda_like ON public.axes_accessfailurelog USING btree (user_agent varchar_pattern_ops);


--
-- Name: axes_accessfailurelog_username_a8b7e8a4; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_username_a8b7e8a4 ON public.axes_accessfailurelog USING btree (username);


--
-- Name: axes_accessfailurelog_username_a8b7e8a4_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_username_a8b7e8a4_like ON public.axes_accessfailurelog USING btree (username varchar_pattern_ops);


--
-- Name: axes_accesslog_ip_address_86b417e5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_ip_address_86b417e5 ON public.axes_accesslog USING btree (ip_address);


--
-- Name: axes_accesslog_user_agent_0e659004; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_user_agent_0e659004 ON public.axes_accesslog USING btree (user_agent);


--
-- Name: axes_accesslog_user_agent_0e659004_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_user_agent_0e659004_like ON public.axes_accesslog USING btree (user_agent varchar_pattern_ops);


--
-- Name: axes_accesslog_username_df93064b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_username_df93064b ON public.axes_accesslog USING btree (username);


--
-- Name: axes_accesslog_username_df93064b_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_username_df93064b_like ON public.axes_accesslog USING btree (username varchar_pattern_ops);


--
-- Name: catalogue_category_name_1f342ac2_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_category_name_1f342ac2_like ON public.catalogue_category USING btree (name varchar_pattern_ops);


--
-- Name: catalogue_claim_set_id_2ea43bdc; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_claim_set_id_2ea43bdc ON public.catalogue_claim USING btree (set_id);


--
-- Name: catalogue_failingchore_chore_29bd36b3_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_failingchore_chore_29bd36b3_like ON public.catalogue_failingchore USING btree (chore varchar_pattern_ops);


--
-- Name: catalogue_hostuptime_boot_a993ca0a_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_hostuptime_boot_a993ca0a_like ON public.catalogue_hostuptime USING btree (boot varchar_pattern_ops);


--
-- Name: catalogue_journalwriter_writer_eb6366b2_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_journalwriter_writer_eb6366b2_like ON public.catalogue_journalwriter USING btree (writer varchar_pattern_ops);


--
-- Name: catalogue_metadataset_category_id_fe0088d5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_metadataset_category_id_fe0088d5 ON public.catalogue_metadataset USING btree (category_id);


--
-- Name: catalogue_metadataset_spec_f9e86905_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_metadataset_spec_f9e86905_like ON public.catalogue_metadataset USING btree (spec varchar_pattern_ops);


--
-- Name: catalogue_record_owner_id_bed05f8c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_record_owner_id_bed05f8c ON public.catalogue_record USING btree (owner_id);


--
-- Name: catalogue_recordcategory_category_id_f52a5848; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_recordcategory_category_id_f52a5848 ON public.catalogue_recordcategory USING btree (category_id);


--
-- Name: catalogue_recordcategory_key_245fdce4_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_recordcategory_key_245fdce4_like ON public.catalogue_recordcategory USING btree (key text_pattern_ops);


--
-- Name: catalogue_setinclusion_child_id_67a874cc; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_setinclusion_child_id_67a874cc ON public.catalogue_setinclusion USING btree (child_id);


--
-- Name: catalogue_setinclusion_parent_id_87d09ed2; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_setinclusion_parent_id_87d09ed2 ON public.catalogue_setinclusion USING btree (parent_id);


--
-- Name: catalogue_sourcecategory_category_id_e1d405b4; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_sourcecategory_category_id_e1d405b4 ON public.catalogue_sourcecategory USING btree (category_id);


--
-- Name: catalogue_sourcecategory_source_403d6979_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_sourcecategory_source_403d6979_like ON public.catalogue_sourcecategory USING btree (source text_pattern_ops);


--
-- Name: changes_of_a_spelling; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX changes_of_a_spelling ON public.catalogue_spellingchange USING btree (folded, datestamp);


--
-- Name: claims_spelled_otherwise; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX claims_spelled_otherwise ON public.catalogue_claim USING btree (spelling) WHERE (NOT (spelling = ''::text));


--
-- Name: complete_harvests; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX complete_harvests ON public.harvester_run USING btree (link_id, begun DESC, id DESC) WHERE (((purpose)::text = 'harvest'::text) AND ((state)::text = 'done'::text));


--
-- Name: conditions_by_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX conditions_by_end ON public.alerts_condition USING btree (ended);


--
-- Name: conflicts_that_wait; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX conflicts_that_wait ON public.harvester_conflict USING btree (link_id, key) WHERE (settled IS NULL);


--
-- Name: days_of_links; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX days_of_links ON public.harvester_linkday USING btree (day DESC, link_id);


--
-- Name: descriptions_by_place; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX descriptions_by_place ON public.catalogue_description USING gist (longitudes, latitudes, period);


--
-- Name: descriptions_by_terms; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX descriptions_by_terms ON public.catalogue_description USING gin (terms);


--
-- Name: descriptions_without_terms; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX descriptions_without_terms ON public.catalogue_description USING btree (record_id) WHERE (terms IS NULL);


--
-- Name: django_admin_log_content_type_id_c4bce8eb; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);


--
-- Name: django_admin_log_user_id_c564eba6; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);


--
-- Name: django_session_expire_date_a5c62663; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);


--
-- Name: django_session_session_key_c0390e0f_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);


--
-- Name: ended_memberships_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ended_memberships_by_age ON public.catalogue_membership USING btree (datestamp) WHERE deleted;


--
-- Name: harvester_centre_name_0f95d2ab_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_centre_name_0f95d2ab_like ON public.harvester_centre USING btree (name varchar_pattern_ops);


--
-- Name: harvester_centre_set_spec_29c0cb56_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_centre_set_spec_29c0cb56_like ON public.harvester_centre USING btree (set_spec varchar_pattern_ops);


--
-- Name: harvester_link_category_id_b6db5326; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_link_category_id_b6db5326 ON public.harvester_link USING btree (category_id);


--
-- Name: harvester_link_local_set_id_b19995d8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_link_local_set_id_b19995d8 ON public.harvester_link USING btree (local_set_id);


--
-- Name: harvester_link_name_e76f4ff8_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_link_name_e76f4ff8_like ON public.harvester_link USING btree (name varchar_pattern_ops);


--
-- Name: harvester_link_serving_id_b26bfc00; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_link_serving_id_b26bfc00 ON public.harvester_link USING btree (serving_id);


--
-- Name: harvester_reject_run_id_69da3104; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_reject_run_id_69da3104 ON public.harvester_reject USING btree (run_id);


--
-- Name: harvester_standby_alternative_id_2f964a4e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_standby_alternative_id_2f964a4e ON public.harvester_standby USING btree (alternative_id);


--
-- Name: headers_by_datestamp; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX headers_by_datestamp ON public.harvester_remoteheader USING btree (link_id, datestamp);


--
-- Name: headers_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX headers_by_name ON public.harvester_remoteheader USING hash (identifier) WHERE (NOT (identifier = key));


--
-- Name: headers_of_removed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX headers_of_removed ON public.harvester_remoteheader USING btree (link_id, removed_at) WHERE (removed_at IS NOT NULL);


--
-- Name: headers_rejected; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX headers_rejected ON public.harvester_remoteheader USING btree (link_id) WHERE ((state)::text = 'rejected'::text);


--
-- Name: headers_wanted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX headers_wanted ON public.harvester_remoteheader USING btree (link_id, id) WHERE ((state)::text = ANY ((ARRAY['wanted'::character varying, 'absent'::character varying, 'doubted'::character varying, 'unproven'::character varying])::text[]));


--
-- Name: hidden_memberships; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX hidden_memberships ON public.catalogue_membership USING btree (set_id, audience) WHERE (NOT (audience = 0));


--
-- Name: hidden_records; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX hidden_records ON public.catalogue_record USING btree (audience, datestamp, id) WHERE (NOT (audience = 0));


--
-- Name: invalid_records; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invalid_records ON public.catalogue_validation USING btree (record_id) WHERE ((structure)::text = 'invalid'::text);


--
-- Name: live_records_by_source; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX live_records_by_source ON public.catalogue_record USING btree (COALESCE((provenance ->> 'link'::text), ''::text), datestamp, id) WHERE (NOT deleted);


--
-- Name: membership_list_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX membership_list_order ON public.catalogue_membership USING btree (set_id, datestamp, record_id);


--
-- Name: memberships_elsewhere; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memberships_elsewhere ON public.catalogue_membership USING btree (set_id, record_id) WHERE elsewhere;


--
-- Name: oaiprovider_crosswalk_prefix_500ff061_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oaiprovider_crosswalk_prefix_500ff061_like ON public.oaiprovider_crosswalk USING btree (prefix varchar_pattern_ops);


--
-- Name: oaiprovider_generation_prefix_af5c952f_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oaiprovider_generation_prefix_af5c952f_like ON public.oaiprovider_generation USING btree (prefix varchar_pattern_ops);


--
-- Name: oaiprovider_identifydescription_name_5f9ac38e_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oaiprovider_identifydescription_name_5f9ac38e_like ON public.oaiprovider_identifydescription USING btree (name varchar_pattern_ops);


--
-- Name: oaiprovider_profile_categories_category_id_790bdc7e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oaiprovider_profile_categories_category_id_790bdc7e ON public.oaiprovider_profile_categories USING btree (category_id);


--
-- Name: oaiprovider_profile_categories_profile_id_eecc296e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oaiprovider_profile_categories_profile_id_eecc296e ON public.oaiprovider_profile_categories USING btree (profile_id);


--
-- Name: oaiprovider_profile_name_ac5e0c5f_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oaiprovider_profile_name_ac5e0c5f_like ON public.oaiprovider_profile USING btree (name varchar_pattern_ops);


--
-- Name: oaiprovider_profile_sets_metadataset_id_6ab06801; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oaiprovider_profile_sets_metadataset_id_6ab06801 ON public.oaiprovider_profile_sets USING btree (metadataset_id);


--
-- Name: oaiprovider_profile_sets_profile_id_3d3ef8a2; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oaiprovider_profile_sets_profile_id_3d3ef8a2 ON public.oaiprovider_profile_sets USING btree (profile_id);


--
-- Name: one_open_condition_of_a_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX one_open_condition_of_a_subject ON public.alerts_condition USING btree (code, subject) WHERE (ended IS NULL);


--
-- Name: one_open_run_per_link; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX one_open_run_per_link ON public.harvester_run USING btree (link_id) WHERE ((state)::text = 'open'::text);


--
-- Name: one_own_set_and_one_catalogue_set; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX one_own_set_and_one_catalogue_set ON public.catalogue_metadataset USING btree (kind) WHERE ((kind)::text = ANY ((ARRAY['own'::character varying, 'catalogue'::character varying])::text[]));


--
-- Name: one_reject_of_a_cause; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX one_reject_of_a_cause ON public.harvester_reject USING btree (link_id, md5(identifier), reason);


--
-- Name: open_set_changes; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_set_changes ON public.catalogue_setchange USING btree (id) WHERE (ended IS NULL);


--
-- Name: otp_static_staticdevice_user_id_7f9cff2b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_static_staticdevice_user_id_7f9cff2b ON public.otp_static_staticdevice USING btree (user_id);


--
-- Name: otp_static_statictoken_device_id_74b7c7d1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_static_statictoken_device_id_74b7c7d1 ON public.otp_static_statictoken USING btree (device_id);


--
-- Name: otp_static_statictoken_token_d0a51866; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_static_statictoken_token_d0a51866 ON public.otp_static_statictoken USING btree (token);


--
-- Name: otp_static_statictoken_token_d0a51866_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_static_statictoken_token_d0a51866_like ON public.otp_static_statictoken USING btree (token varchar_pattern_ops);


--
-- Name: otp_totp_totpdevice_user_id_0fb18292; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_totp_totpdevice_user_id_0fb18292 ON public.otp_totp_totpdevice USING btree (user_id);


--
-- Name: public_membership_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX public_membership_order ON public.catalogue_membership USING btree (set_id, datestamp, record_id) WHERE ((audience = 0) AND (NOT elsewhere));


--
-- Name: public_record_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX public_record_order ON public.catalogue_record USING btree (datestamp, id) WHERE (audience = 0);


--
-- Name: record_list_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX record_list_order ON public.catalogue_record USING btree (datestamp, id);


--
-- Name: record_sorting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX record_sorting ON public.catalogue_record USING btree (id) INCLUDE (datestamp, audience);


--
-- Name: records_by_folded_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX records_by_folded_key ON public.catalogue_record USING btree (lower(key));


--
-- Name: records_by_last_part; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX records_by_last_part ON public.catalogue_record USING btree (public.catalogue_last_part(key));


--
-- Name: records_spelled_otherwise; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX records_spelled_otherwise ON public.catalogue_record USING btree (spelling) WHERE (NOT (spelling = ''::text));


--
-- Name: rejects_by_last_seen; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rejects_by_last_seen ON public.harvester_reject USING btree (last_seen DESC, id DESC);


--
-- Name: rejects_called_otherwise; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rejects_called_otherwise ON public.harvester_reject USING btree (file_key) WHERE (NOT (file_key = ''::text));


--
-- Name: rejects_that_are_over; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rejects_that_are_over ON public.harvester_reject USING btree (settled) WHERE (settled IS NOT NULL);


--
-- Name: rejects_that_stand; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rejects_that_stand ON public.harvester_reject USING btree (link_id) WHERE (settled IS NULL);


--
-- Name: runs_by_begun; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_by_begun ON public.harvester_run USING btree (begun DESC, id DESC);


--
-- Name: runs_by_hand; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_by_hand ON public.harvester_run USING btree (trigger, begun DESC, id DESC) WHERE (NOT ((trigger)::text = 'schedule'::text));


--
-- Name: runs_no_harvests; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_no_harvests ON public.harvester_run USING btree (purpose, begun DESC, id DESC) WHERE (NOT ((purpose)::text = 'harvest'::text));


--
-- Name: runs_of_a_link; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_of_a_link ON public.harvester_run USING btree (link_id, begun DESC);


--
-- Name: runs_of_a_purpose; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_of_a_purpose ON public.harvester_run USING btree (link_id, purpose, begun DESC, id DESC);


--
-- Name: runs_of_a_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_of_a_state ON public.harvester_run USING btree (state, begun DESC, id DESC) WHERE (NOT ((state)::text = 'done'::text));


--
-- Name: runs_of_an_outcome; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_of_an_outcome ON public.harvester_run USING btree (outcome, begun DESC, id DESC) WHERE (NOT ((outcome)::text = 'done'::text));


--
-- Name: set_changes_newest_first; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX set_changes_newest_first ON public.catalogue_setchange USING btree (parent_id, id DESC);


--
-- Name: spelling_changes_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX spelling_changes_by_age ON public.catalogue_spellingchange USING btree (datestamp);


--
-- Name: tombstones_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tombstones_by_age ON public.catalogue_record USING btree (datestamp) WHERE deleted;


--
-- Name: unchecked_records; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX unchecked_records ON public.catalogue_validation USING btree (record_id) WHERE ((structure)::text = 'not checked'::text);


--
-- Name: upload_documents_by_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX upload_documents_by_key ON public.catalogue_uploaddocument USING btree (upload_id, key);


--
-- Name: upload_documents_by_preview; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX upload_documents_by_preview ON public.catalogue_uploaddocument USING btree (upload_id, preview, number);


--
-- Name: upload_documents_to_store; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX upload_documents_to_store ON public.catalogue_uploaddocument USING btree (upload_id, number) WHERE (chosen AND ((result)::text = ''::text));


--
-- Name: uploads_that_wait; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX uploads_that_wait ON public.catalogue_upload USING btree (worked) WHERE ((state)::text = ANY ((ARRAY['checking'::character varying, 'storing'::character varying])::text[]));


--
-- Name: validation_by_rules; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX validation_by_rules ON public.catalogue_validation USING btree (rules, record_id);


--
-- Name: validation_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX validation_by_time ON public.catalogue_validation USING btree (checked);


--
-- Name: versions_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX versions_by_age ON public.catalogue_recordversion USING btree (ended);


--
-- Name: watched_records_by_file; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX watched_records_by_file ON public.catalogue_watchedrecord USING btree (folder, path);


--
-- Name: withdrawal_list_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX withdrawal_list_order ON public.catalogue_withdrawal USING btree (set_id, datestamp, record_id);


--
-- Name: words_by_number; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX words_by_number ON public.catalogue_word USING btree (number);


--
-- Name: harvester_link category_inherited; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER category_inherited BEFORE INSERT ON public.harvester_link FOR EACH ROW EXECUTE FUNCTION public.harvester_link_inherits();


--
-- Name: harvester_link category_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER category_insert AFTER INSERT ON public.harvester_link FOR EACH ROW WHEN ((new.category_id IS NOT NULL)) EXECUTE FUNCTION public.harvester_link_restricted();


--
-- Name: harvester_link category_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER category_update AFTER UPDATE ON public.harvester_link FOR EACH ROW WHEN ((old.category_id IS DISTINCT FROM new.category_id)) EXECUTE FUNCTION public.harvester_link_restricted();


--
-- Name: catalogue_membership counted_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER counted_delete AFTER DELETE ON public.catalogue_membership REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_membership_delete_counted();


--
-- Name: catalogue_record counted_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER counted_delete AFTER DELETE ON public.catalogue_record REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_record_delete_counted();


--
-- Name: catalogue_membership counted_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER counted_insert AFTER INSERT ON public.catalogue_membership REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_membership_insert_counted();


--
-- Name: catalogue_record counted_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER counted_insert AFTER INSERT ON public.catalogue_record REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_record_insert_counted();


--
-- Name: catalogue_membership counted_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER counted_update AFTER UPDATE ON public.catalogue_membership REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_membership_update_counted();


--
-- Name: catalogue_record counted_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER counted_update AFTER UPDATE ON public.catalogue_record REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_record_update_counted();


--
-- Name: catalogue_record dated_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER dated_insert AFTER INSERT ON public.catalogue_record REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_record_insert_dated();


--
-- Name: catalogue_record dated_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER dated_update AFTER UPDATE ON public.catalogue_record REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_record_update_dated();


--
-- Name: catalogue_dictionary dictionaries_are_kept; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER dictionaries_are_kept AFTER DELETE OR UPDATE OF id, content, sha256 OR TRUNCATE ON public.catalogue_dictionary FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_keep_dictionaries();


--
-- Name: catalogue_membership ended_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER ended_insert BEFORE INSERT ON public.catalogue_membership FOR EACH ROW WHEN (new.deleted) EXECUTE FUNCTION public.catalogue_membership_ended();


--
-- Name: catalogue_record ended_or_revived; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER ended_or_revived AFTER UPDATE ON public.catalogue_record FOR EACH ROW WHEN ((old.deleted <> new.deleted)) EXECUTE FUNCTION public.catalogue_record_ended();


--
-- Name: catalogue_membership ended_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER ended_update BEFORE UPDATE ON public.catalogue_membership FOR EACH ROW WHEN ((new.deleted OR old.deleted)) EXECUTE FUNCTION public.catalogue_membership_ended();


--
-- Name: catalogue_journaloutbox number_events; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER number_events AFTER INSERT ON public.catalogue_journaloutbox REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_number_events();


--
-- Name: oaiprovider_crosswalk oaiprovider_crosswalk_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER oaiprovider_crosswalk_changed BEFORE INSERT OR UPDATE ON public.oaiprovider_crosswalk FOR EACH ROW EXECUTE FUNCTION public.oaiprovider_crosswalk_changed();


--
-- Name: catalogue_recordcategory restricted; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER restricted AFTER INSERT OR DELETE OR UPDATE ON public.catalogue_recordcategory FOR EACH ROW EXECUTE FUNCTION public.catalogue_record_restricted();


--
-- Name: catalogue_sourcecategory restricted; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER restricted AFTER INSERT OR DELETE OR UPDATE ON public.catalogue_sourcecategory FOR EACH ROW EXECUTE FUNCTION public.catalogue_source_restricted();


--
-- Name: catalogue_metadataset restricted_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER restricted_insert AFTER INSERT ON public.catalogue_metadataset FOR EACH ROW WHEN (((new.category_id IS NOT NULL) OR (NOT new.public))) EXECUTE FUNCTION public.catalogue_set_restricted();


--
-- Name: catalogue_metadataset restricted_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER restricted_update AFTER UPDATE ON public.catalogue_metadataset FOR EACH ROW WHEN (((old.category_id IS DISTINCT FROM new.category_id) OR (old.public <> new.public))) EXECUTE FUNCTION public.catalogue_set_restricted();


--
-- Name: harvester_run summed_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER summed_insert AFTER INSERT ON public.harvester_run FOR EACH ROW WHEN (((new.state)::text <> 'open'::text)) EXECUTE FUNCTION public.harvester_run_summed();


--
-- Name: harvester_run summed_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER summed_update AFTER UPDATE ON public.harvester_run FOR EACH ROW WHEN ((((new.state)::text <> 'open'::text) OR ((old.state)::text <> 'open'::text))) EXECUTE FUNCTION public.harvester_run_summed();


--
-- Name: catalogue_description terms_outdated; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER terms_outdated BEFORE UPDATE ON public.catalogue_description FOR EACH ROW WHEN (((old.terms IS NOT NULL) AND (NOT (new.terms IS DISTINCT FROM old.terms)) AND ((((((new.title IS DISTINCT FROM old.title) OR (new.abstract IS DISTINCT FROM old.abstract)) OR (new.keywords IS DISTINCT FROM old.keywords)) OR (new.categories IS DISTINCT FROM old.categories)) OR (new.boxes IS DISTINCT FROM old.boxes)) OR ((new.language)::text IS DISTINCT FROM (old.language)::text)))) EXECUTE FUNCTION public.catalogue_terms_outdated();


--
-- Name: alerts_message alerts_message_condition_id_140c2280_fk_alerts_condition_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_message
    ADD CONSTRAINT alerts_message_condition_id_140c2280_fk_alerts_condition_id FOREIGN KEY (condition_id) REFERENCES public.alerts_condition(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: alerts_message alerts_message_recipient_id_fa8b6b7e_fk_alerts_recipient_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_message
    ADD CONSTRAINT alerts_message_recipient_id_fa8b6b7e_fk_alerts_recipient_id FOREIGN KEY (recipient_id) REFERENCES public.alerts_recipient(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: alerts_recipient_links alerts_recipient_lin_recipient_id_962d261d_fk_alerts_re; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_recipient_links
    ADD CONSTRAINT alerts_recipient_lin_recipient_id_962d261d_fk_alerts_re FOREIGN KEY (recipient_id) REFERENCES public.alerts_recipient(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: alerts_recipient_links alerts_recipient_links_link_id_75f03768_fk_harvester_link_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts_recipient_links
    ADD CONSTRAINT alerts_recipient_links_link_id_75f03768_fk_harvester_link_id FOREIGN KEY (link_id) REFERENCES public.harvester_link(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_group_permissions auth_group_permissio_permission_id_84c5c92e_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_group_permissions auth_group_permissions_group_id_b120cbf9_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_permission auth_permission_content_type_id_2f476e4b_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_group_id_97559544_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_group_id_97559544_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_user_id_6a12ed8b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_6a12ed8b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: axes_accessattemptexpiration axes_accessattemptex_access_attempt_id_6b73a47a_fk_axes_acce; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessattemptexpiration
    ADD CONSTRAINT axes_accessattemptex_access_attempt_id_6b73a47a_fk_axes_acce FOREIGN KEY (access_attempt_id) REFERENCES public.axes_accessattempt(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_claim catalogue_claim_record_id_6463bbd1_fk_catalogue_record_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_claim
    ADD CONSTRAINT catalogue_claim_record_id_6463bbd1_fk_catalogue_record_id FOREIGN KEY (record_id) REFERENCES public.catalogue_record(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_claim catalogue_claim_set_id_2ea43bdc_fk_catalogue_metadataset_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_claim
    ADD CONSTRAINT catalogue_claim_set_id_2ea43bdc_fk_catalogue_metadataset_id FOREIGN KEY (set_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_description catalogue_description_record_id_5c384efd_fk_catalogue_record_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_description
    ADD CONSTRAINT catalogue_description_record_id_5c384efd_fk_catalogue_record_id FOREIGN KEY (record_id) REFERENCES public.catalogue_record(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_membership catalogue_membership_record_id_c3e26717_fk_catalogue_record_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_membership
    ADD CONSTRAINT catalogue_membership_record_id_c3e26717_fk_catalogue_record_id FOREIGN KEY (record_id) REFERENCES public.catalogue_record(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_membership catalogue_membership_set_id_b2b84976_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_membership
    ADD CONSTRAINT catalogue_membership_set_id_b2b84976_fk_catalogue FOREIGN KEY (set_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_metadataset catalogue_metadatase_category_id_fe0088d5_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_metadataset
    ADD CONSTRAINT catalogue_metadatase_category_id_fe0088d5_fk_catalogue FOREIGN KEY (category_id) REFERENCES public.catalogue_category(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_record catalogue_record_owner_id_bed05f8c_fk_catalogue_metadataset_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_record
    ADD CONSTRAINT catalogue_record_owner_id_bed05f8c_fk_catalogue_metadataset_id FOREIGN KEY (owner_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_recordcategory catalogue_recordcate_category_id_f52a5848_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_recordcategory
    ADD CONSTRAINT catalogue_recordcate_category_id_f52a5848_fk_catalogue FOREIGN KEY (category_id) REFERENCES public.catalogue_category(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_setchange catalogue_setchange_parent_id_b87d26ab_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_setchange
    ADD CONSTRAINT catalogue_setchange_parent_id_b87d26ab_fk_catalogue FOREIGN KEY (parent_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_setinclusion catalogue_setinclusi_child_id_67a874cc_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_setinclusion
    ADD CONSTRAINT catalogue_setinclusi_child_id_67a874cc_fk_catalogue FOREIGN KEY (child_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_setinclusion catalogue_setinclusi_parent_id_87d09ed2_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_setinclusion
    ADD CONSTRAINT catalogue_setinclusi_parent_id_87d09ed2_fk_catalogue FOREIGN KEY (parent_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_setsearch catalogue_setsearch_set_id_ca4118b5_fk_catalogue_metadataset_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_setsearch
    ADD CONSTRAINT catalogue_setsearch_set_id_ca4118b5_fk_catalogue_metadataset_id FOREIGN KEY (set_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_sourcecategory catalogue_sourcecate_category_id_e1d405b4_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_sourcecategory
    ADD CONSTRAINT catalogue_sourcecate_category_id_e1d405b4_fk_catalogue FOREIGN KEY (category_id) REFERENCES public.catalogue_category(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_spellingchange catalogue_spellingch_owner_id_2275f236_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_spellingchange
    ADD CONSTRAINT catalogue_spellingch_owner_id_2275f236_fk_catalogue FOREIGN KEY (owner_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_uploaddocument catalogue_uploaddocu_upload_id_7a0feaf4_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_uploaddocument
    ADD CONSTRAINT catalogue_uploaddocu_upload_id_7a0feaf4_fk_catalogue FOREIGN KEY (upload_id) REFERENCES public.catalogue_upload(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_validation catalogue_validation_record_id_9605f233_fk_catalogue_record_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_validation
    ADD CONSTRAINT catalogue_validation_record_id_9605f233_fk_catalogue_record_id FOREIGN KEY (record_id) REFERENCES public.catalogue_record(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: catalogue_withdrawal catalogue_withdrawal_record_id_59d69b20_fk_catalogue_record_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_withdrawal
    ADD CONSTRAINT catalogue_withdrawal_record_id_59d69b20_fk_catalogue_record_id FOREIGN KEY (record_id) REFERENCES public.catalogue_record(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_admin_log django_admin_log_content_type_id_c4bce8eb_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_admin_log django_admin_log_user_id_c564eba6_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_alternative harvester_alternative_link_id_6906dcd8_fk_harvester_link_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_alternative
    ADD CONSTRAINT harvester_alternative_link_id_6906dcd8_fk_harvester_link_id FOREIGN KEY (link_id) REFERENCES public.harvester_link(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_conflict harvester_conflict_link_id_2d88a8d5_fk_harvester_link_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_conflict
    ADD CONSTRAINT harvester_conflict_link_id_2d88a8d5_fk_harvester_link_id FOREIGN KEY (link_id) REFERENCES public.harvester_link(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_link harvester_link_category_id_b6db5326_fk_catalogue_category_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_link
    ADD CONSTRAINT harvester_link_category_id_b6db5326_fk_catalogue_category_id FOREIGN KEY (category_id) REFERENCES public.catalogue_category(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_link harvester_link_local_set_id_b19995d8_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_link
    ADD CONSTRAINT harvester_link_local_set_id_b19995d8_fk_catalogue FOREIGN KEY (local_set_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_link harvester_link_serving_id_b26bfc00_fk_harvester_alternative_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_link
    ADD CONSTRAINT harvester_link_serving_id_b26bfc00_fk_harvester_alternative_id FOREIGN KEY (serving_id) REFERENCES public.harvester_alternative(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_linkday harvester_linkday_link_id_5e0cc9d2_fk_harvester_link_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_linkday
    ADD CONSTRAINT harvester_linkday_link_id_5e0cc9d2_fk_harvester_link_id FOREIGN KEY (link_id) REFERENCES public.harvester_link(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_quietcause harvester_quietcause_link_id_57e40174_fk_harvester_link_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_quietcause
    ADD CONSTRAINT harvester_quietcause_link_id_57e40174_fk_harvester_link_id FOREIGN KEY (link_id) REFERENCES public.harvester_link(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_reject harvester_reject_link_id_b85880c9_fk_harvester_link_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_reject
    ADD CONSTRAINT harvester_reject_link_id_b85880c9_fk_harvester_link_id FOREIGN KEY (link_id) REFERENCES public.harvester_link(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_reject harvester_reject_run_id_69da3104_fk_harvester_run_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_reject
    ADD CONSTRAINT harvester_reject_run_id_69da3104_fk_harvester_run_id FOREIGN KEY (run_id) REFERENCES public.harvester_run(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_remoteheader harvester_remotehead_alternative_id_7a89d0ad_fk_harvester; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_remoteheader
    ADD CONSTRAINT harvester_remotehead_alternative_id_7a89d0ad_fk_harvester FOREIGN KEY (alternative_id) REFERENCES public.harvester_alternative(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_remoteheader harvester_remoteheader_link_id_87d2f3f3_fk_harvester_link_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_remoteheader
    ADD CONSTRAINT harvester_remoteheader_link_id_87d2f3f3_fk_harvester_link_id FOREIGN KEY (link_id) REFERENCES public.harvester_link(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_run harvester_run_link_id_a1bd91c4_fk_harvester_link_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_run
    ADD CONSTRAINT harvester_run_link_id_a1bd91c4_fk_harvester_link_id FOREIGN KEY (link_id) REFERENCES public.harvester_link(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_standby harvester_standby_alternative_id_2f964a4e_fk_harvester; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_standby
    ADD CONSTRAINT harvester_standby_alternative_id_2f964a4e_fk_harvester FOREIGN KEY (alternative_id) REFERENCES public.harvester_alternative(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: harvester_standby harvester_standby_link_id_c9a86232_fk_harvester_link_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_standby
    ADD CONSTRAINT harvester_standby_link_id_c9a86232_fk_harvester_link_id FOREIGN KEY (link_id) REFERENCES public.harvester_link(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oaiprovider_profile_categories oaiprovider_profile__category_id_790bdc7e_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile_categories
    ADD CONSTRAINT oaiprovider_profile__category_id_790bdc7e_fk_catalogue FOREIGN KEY (category_id) REFERENCES public.catalogue_category(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oaiprovider_profile_sets oaiprovider_profile__metadataset_id_6ab06801_fk_catalogue; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile_sets
    ADD CONSTRAINT oaiprovider_profile__metadataset_id_6ab06801_fk_catalogue FOREIGN KEY (metadataset_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oaiprovider_profile_sets oaiprovider_profile__profile_id_3d3ef8a2_fk_oaiprovid; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile_sets
    ADD CONSTRAINT oaiprovider_profile__profile_id_3d3ef8a2_fk_oaiprovid FOREIGN KEY (profile_id) REFERENCES public.oaiprovider_profile(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oaiprovider_profile_categories oaiprovider_profile__profile_id_eecc296e_fk_oaiprovid; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oaiprovider_profile_categories
    ADD CONSTRAINT oaiprovider_profile__profile_id_eecc296e_fk_oaiprovid FOREIGN KEY (profile_id) REFERENCES public.oaiprovider_profile(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: otp_static_staticdevice otp_static_staticdevice_user_id_7f9cff2b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_static_staticdevice
    ADD CONSTRAINT otp_static_staticdevice_user_id_7f9cff2b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: otp_static_statictoken otp_static_statictok_device_id_74b7c7d1_fk_otp_stati; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_static_statictoken
    ADD CONSTRAINT otp_static_statictok_device_id_74b7c7d1_fk_otp_stati FOREIGN KEY (device_id) REFERENCES public.otp_static_staticdevice(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: otp_totp_totpdevice otp_totp_totpdevice_user_id_0fb18292_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_totp_totpdevice
    ADD CONSTRAINT otp_totp_totpdevice_user_id_0fb18292_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- PostgreSQL database dump complete
--


