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
        present := greatest(present, date_trunc('second', clock_timestamp()));
        UPDATE catalogue_datestampclock SET stamp = present WHERE id = 1 AND stamp < present;
    END IF;
    RETURN present;
END
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
    THEN
        RAISE EXCEPTION 'dictionaries are not changed, nor removed while there are records: payloads need them'
            USING HINT = 'To put back a damaged one from a backup: '
                'ALTER TABLE catalogue_dictionary DISABLE TRIGGER USER, and ENABLE TRIGGER USER afterwards.';
    END IF;
    RETURN NULL;
END
$$;


--
-- Name: catalogue_membership_delete_counted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_membership_delete_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted)
    SELECT set_id, live, deleted FROM (
        SELECT set_id AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM (SELECT set_id, deleted AS gone, -1 AS number FROM went) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
    RETURN NULL;
END
$$;


--
-- Name: catalogue_membership_insert_counted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_membership_insert_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted)
    SELECT set_id, live, deleted FROM (
        SELECT set_id AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM (SELECT set_id, deleted AS gone, 1 AS number FROM came) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
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
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted)
    SELECT set_id, live, deleted FROM (
        SELECT set_id AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM (SELECT set_id, deleted AS gone, 1 AS number FROM came UNION ALL SELECT set_id, deleted AS gone, -1 AS number FROM went) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
    RETURN NULL;
END
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
        SELECT 0 AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM (SELECT deleted AS gone, -1 AS number FROM went) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
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
        SELECT 0 AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM (SELECT deleted AS gone, 1 AS number FROM came) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
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
        SELECT 0 AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM (SELECT deleted AS gone, 1 AS number FROM came UNION ALL SELECT deleted AS gone, -1 AS number FROM went) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
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
    VALUES (1, date_trunc('second', clock_timestamp()), date_trunc('year', clock_timestamp(), 'UTC'))
    ON CONFLICT (id) DO UPDATE SET stamp = greatest(clock.stamp, excluded.stamp)
    RETURNING stamp INTO given;
    RETURN given;
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
    set_id bigint NOT NULL
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
    categories text[] NOT NULL
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
-- Name: catalogue_journaloutbox; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_journaloutbox (
    id bigint NOT NULL,
    event character varying(10) NOT NULL,
    identifier text NOT NULL,
    datestamp timestamp with time zone NOT NULL,
    set_specs text[] NOT NULL
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
-- Name: catalogue_listsize; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_listsize (
    set_id bigint NOT NULL,
    live bigint NOT NULL,
    deleted bigint NOT NULL
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
    public boolean NOT NULL
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
-- Name: catalogue_purged; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_purged (
    hash bigint NOT NULL
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
-- Name: catalogue_validation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalogue_validation (
    record_id bigint NOT NULL,
    digest bytea NOT NULL,
    rules character varying(64) NOT NULL,
    structure character varying(20) NOT NULL,
    schema character varying(60) NOT NULL,
    faults jsonb NOT NULL,
    checked timestamp with time zone NOT NULL
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
    provenance jsonb
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
    from_policy character varying(10) NOT NULL,
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
    CONSTRAINT harvester_link_at_once_check CHECK ((at_once >= 0)),
    CONSTRAINT harvester_link_ceiling_percent_check CHECK ((ceiling_percent >= 0)),
    CONSTRAINT harvester_link_ceiling_records_check CHECK ((ceiling_records >= 0)),
    CONSTRAINT harvester_link_cycle_days_check CHECK ((cycle_days >= 0)),
    CONSTRAINT harvester_link_failures_check CHECK ((failures >= 0)),
    CONSTRAINT harvester_link_hold_percent_check CHECK ((hold_percent >= 0)),
    CONSTRAINT harvester_link_interval_s_check CHECK ((interval_s >= 0)),
    CONSTRAINT harvester_link_overlap_s_check CHECK ((overlap_s >= 0)),
    CONSTRAINT harvester_link_return_after_h_check CHECK ((return_after_h >= 0)),
    CONSTRAINT harvester_link_switch_after_h_check CHECK ((switch_after_h >= 0)),
    CONSTRAINT harvester_link_tombstone_days_check CHECK ((tombstone_days >= 0))
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
-- Name: harvester_reject; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.harvester_reject (
    id bigint NOT NULL,
    identifier text NOT NULL,
    datestamp character varying(100) NOT NULL,
    reason text NOT NULL,
    raw bytea,
    run_id bigint NOT NULL,
    file_key text NOT NULL COLLATE pg_catalog."C"
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
    alternative_id bigint
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
    message text NOT NULL,
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
    CONSTRAINT a_run_that_has_ended_has_no_cookies CHECK ((((state)::text = 'open'::text) OR (sealed_cookies = ''::text))),
    CONSTRAINT harvester_run_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT harvester_run_deleted_check CHECK ((deleted >= 0)),
    CONSTRAINT harvester_run_extra_check CHECK ((extra >= 0)),
    CONSTRAINT harvester_run_fetched_check CHECK ((fetched >= 0)),
    CONSTRAINT harvester_run_held_back_check CHECK ((held_back >= 0)),
    CONSTRAINT harvester_run_list_size_check CHECK ((list_size >= 0)),
    CONSTRAINT harvester_run_listed_check CHECK ((listed >= 0)),
    CONSTRAINT harvester_run_missing_check CHECK ((missing >= 0)),
    CONSTRAINT harvester_run_new_check CHECK ((new >= 0)),
    CONSTRAINT harvester_run_pages_check CHECK ((pages >= 0)),
    CONSTRAINT harvester_run_received_check CHECK ((received >= 0)),
    CONSTRAINT harvester_run_rejected_check CHECK ((rejected >= 0)),
    CONSTRAINT harvester_run_removed_check CHECK ((removed >= 0)),
    CONSTRAINT harvester_run_restarts_check CHECK ((restarts >= 0)),
    CONSTRAINT harvester_run_stale_check CHECK ((stale >= 0)),
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
    link_id bigint NOT NULL
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
-- Data for Name: auth_group; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_group_permissions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_permission; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_permission VALUES
	(1, 'Can add set', 1, 'add_metadataset'),
	(2, 'Can change set', 1, 'change_metadataset'),
	(3, 'Can delete set', 1, 'delete_metadataset'),
	(4, 'Can view set', 1, 'view_metadataset'),
	(5, 'Can add inclusion', 2, 'add_setinclusion'),
	(6, 'Can change inclusion', 2, 'change_setinclusion'),
	(7, 'Can delete inclusion', 2, 'delete_setinclusion'),
	(8, 'Can view inclusion', 2, 'view_setinclusion'),
	(9, 'Can add datestamp clock', 3, 'add_datestampclock'),
	(10, 'Can change datestamp clock', 3, 'change_datestampclock'),
	(11, 'Can delete datestamp clock', 3, 'delete_datestampclock'),
	(12, 'Can view datestamp clock', 3, 'view_datestampclock'),
	(13, 'Can add record', 4, 'add_record'),
	(14, 'Can change record', 4, 'change_record'),
	(15, 'Can delete record', 4, 'delete_record'),
	(16, 'Can view record', 4, 'view_record'),
	(17, 'Can add description', 5, 'add_description'),
	(18, 'Can change description', 5, 'change_description'),
	(19, 'Can delete description', 5, 'delete_description'),
	(20, 'Can view description', 5, 'view_description'),
	(21, 'Can add validation', 6, 'add_validation'),
	(22, 'Can change validation', 6, 'change_validation'),
	(23, 'Can delete validation', 6, 'delete_validation'),
	(24, 'Can view validation', 6, 'view_validation'),
	(25, 'Can add membership', 7, 'add_membership'),
	(26, 'Can change membership', 7, 'change_membership'),
	(27, 'Can delete membership', 7, 'delete_membership'),
	(28, 'Can view membership', 7, 'view_membership'),
	(29, 'Can add claim', 8, 'add_claim'),
	(30, 'Can change claim', 8, 'change_claim'),
	(31, 'Can delete claim', 8, 'delete_claim'),
	(32, 'Can view claim', 8, 'view_claim'),
	(33, 'Can add list size', 9, 'add_listsize'),
	(34, 'Can change list size', 9, 'change_listsize'),
	(35, 'Can delete list size', 9, 'delete_listsize'),
	(36, 'Can view list size', 9, 'view_listsize'),
	(37, 'Can add dictionary', 10, 'add_dictionary'),
	(38, 'Can change dictionary', 10, 'change_dictionary'),
	(39, 'Can delete dictionary', 10, 'delete_dictionary'),
	(40, 'Can view dictionary', 10, 'view_dictionary'),
	(41, 'Can add event waiting for the journal', 11, 'add_journaloutbox'),
	(42, 'Can change event waiting for the journal', 11, 'change_journaloutbox'),
	(43, 'Can delete event waiting for the journal', 11, 'delete_journaloutbox'),
	(44, 'Can view event waiting for the journal', 11, 'view_journaloutbox'),
	(45, 'Can add purged tombstone', 12, 'add_purged'),
	(46, 'Can change purged tombstone', 12, 'change_purged'),
	(47, 'Can delete purged tombstone', 12, 'delete_purged'),
	(48, 'Can view purged tombstone', 12, 'view_purged'),
	(49, 'Can add profile', 13, 'add_profile'),
	(50, 'Can change profile', 13, 'change_profile'),
	(51, 'Can delete profile', 13, 'delete_profile'),
	(52, 'Can view profile', 13, 'view_profile'),
	(53, 'Can add container of Identify', 14, 'add_identifydescription'),
	(54, 'Can change container of Identify', 14, 'change_identifydescription'),
	(55, 'Can delete container of Identify', 14, 'delete_identifydescription'),
	(56, 'Can view container of Identify', 14, 'view_identifydescription'),
	(57, 'Can add crosswalk', 15, 'add_crosswalk'),
	(58, 'Can change crosswalk', 15, 'change_crosswalk'),
	(59, 'Can delete crosswalk', 15, 'delete_crosswalk'),
	(60, 'Can view crosswalk', 15, 'view_crosswalk'),
	(61, 'Can add generation', 16, 'add_generation'),
	(62, 'Can change generation', 16, 'change_generation'),
	(63, 'Can delete generation', 16, 'delete_generation'),
	(64, 'Can view generation', 16, 'view_generation'),
	(65, 'Can add alternative', 17, 'add_alternative'),
	(66, 'Can change alternative', 17, 'change_alternative'),
	(67, 'Can delete alternative', 17, 'delete_alternative'),
	(68, 'Can view alternative', 17, 'view_alternative'),
	(69, 'Can add link', 18, 'add_link'),
	(70, 'Can change link', 18, 'change_link'),
	(71, 'Can delete link', 18, 'delete_link'),
	(72, 'Can view link', 18, 'view_link'),
	(73, 'Can add standby', 19, 'add_standby'),
	(74, 'Can change standby', 19, 'change_standby'),
	(75, 'Can delete standby', 19, 'delete_standby'),
	(76, 'Can view standby', 19, 'view_standby'),
	(77, 'Can add run', 20, 'add_run'),
	(78, 'Can change run', 20, 'change_run'),
	(79, 'Can delete run', 20, 'delete_run'),
	(80, 'Can view run', 20, 'view_run'),
	(81, 'Can add reject', 21, 'add_reject'),
	(82, 'Can change reject', 21, 'change_reject'),
	(83, 'Can delete reject', 21, 'delete_reject'),
	(84, 'Can view reject', 21, 'view_reject'),
	(85, 'Can add remote header', 22, 'add_remoteheader'),
	(86, 'Can change remote header', 22, 'change_remoteheader'),
	(87, 'Can delete remote header', 22, 'delete_remoteheader'),
	(88, 'Can view remote header', 22, 'view_remoteheader'),
	(89, 'Can add conflict', 23, 'add_conflict'),
	(90, 'Can change conflict', 23, 'change_conflict'),
	(91, 'Can delete conflict', 23, 'delete_conflict'),
	(92, 'Can view conflict', 23, 'view_conflict'),
	(93, 'Can add canary', 24, 'add_canary'),
	(94, 'Can change canary', 24, 'change_canary'),
	(95, 'Can delete canary', 24, 'delete_canary'),
	(96, 'Can view canary', 24, 'view_canary'),
	(97, 'Can add host clock', 25, 'add_hostclock'),
	(98, 'Can change host clock', 25, 'change_hostclock'),
	(99, 'Can delete host clock', 25, 'delete_hostclock'),
	(100, 'Can view host clock', 25, 'view_hostclock');
INSERT INTO public.auth_permission VALUES
	(101, 'Can add log entry', 26, 'add_logentry'),
	(102, 'Can change log entry', 26, 'change_logentry'),
	(103, 'Can delete log entry', 26, 'delete_logentry'),
	(104, 'Can view log entry', 26, 'view_logentry'),
	(105, 'Can add permission', 27, 'add_permission'),
	(106, 'Can change permission', 27, 'change_permission'),
	(107, 'Can delete permission', 27, 'delete_permission'),
	(108, 'Can view permission', 27, 'view_permission'),
	(109, 'Can add group', 28, 'add_group'),
	(110, 'Can change group', 28, 'change_group'),
	(111, 'Can delete group', 28, 'delete_group'),
	(112, 'Can view group', 28, 'view_group'),
	(113, 'Can add user', 29, 'add_user'),
	(114, 'Can change user', 29, 'change_user'),
	(115, 'Can delete user', 29, 'delete_user'),
	(116, 'Can view user', 29, 'view_user'),
	(117, 'Can add content type', 30, 'add_contenttype'),
	(118, 'Can change content type', 30, 'change_contenttype'),
	(119, 'Can delete content type', 30, 'delete_contenttype'),
	(120, 'Can view content type', 30, 'view_contenttype'),
	(121, 'Can add session', 31, 'add_session'),
	(122, 'Can change session', 31, 'change_session'),
	(123, 'Can delete session', 31, 'delete_session'),
	(124, 'Can view session', 31, 'view_session'),
	(125, 'Can add access attempt', 32, 'add_accessattempt'),
	(126, 'Can change access attempt', 32, 'change_accessattempt'),
	(127, 'Can delete access attempt', 32, 'delete_accessattempt'),
	(128, 'Can view access attempt', 32, 'view_accessattempt'),
	(129, 'Can add access log', 33, 'add_accesslog'),
	(130, 'Can change access log', 33, 'change_accesslog'),
	(131, 'Can delete access log', 33, 'delete_accesslog'),
	(132, 'Can view access log', 33, 'view_accesslog'),
	(133, 'Can add access failure', 34, 'add_accessfailurelog'),
	(134, 'Can change access failure', 34, 'change_accessfailurelog'),
	(135, 'Can delete access failure', 34, 'delete_accessfailurelog'),
	(136, 'Can view access failure', 34, 'view_accessfailurelog'),
	(137, 'Can add access attempt expiration', 35, 'add_accessattemptexpiration'),
	(138, 'Can change access attempt expiration', 35, 'change_accessattemptexpiration'),
	(139, 'Can delete access attempt expiration', 35, 'delete_accessattemptexpiration'),
	(140, 'Can view access attempt expiration', 35, 'view_accessattemptexpiration');


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
-- Data for Name: catalogue_claim; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_claim VALUES
	(1, 'offenbach', '\x28b52ffd67c06a001514075502002402782d776d6f3a722e6d66723a3a52304173204f6666656e62616368206861732069740bf0999665e5422bad6096a451c8769048bdb29746200511ff362774a9a09b91e9488afab122b6b25858', '\xd07e3d9a4d903f47daa68235b929e2abd2bd7fd45a824117449d6b10e07ba9d7', '2024-03-01 00:00:00+00', '{"link": "offenbach", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "datestamp": "2026-02-02T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R001", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', '2026-11-22 00:39:54+00', 14, 5),
	(2, 'toulouse', '\x28b52ffd67c06a00150b07f50100c8782d776d6f3a722e6d66723a3a52303250726f6475637420320afc4db9922eb4d2c02c496bb2c66048cde6940243d1b73986ba946137233f92c2f56345aef9900f', '\x0daa9bd51d4004b0465a56d7c552b850282f02377aceced94ddd5970088980a0', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "relayed": true, "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R020", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', '2026-11-22 00:39:55+00', 19, 4),
	(3, 'toulouse', '\x28b52ffd67c06a00150b07150200c8782d776d6f3a722e6d66723a3a5230323150726f64756374200bfc30b97202e0985c68650ab3c4c164416390682abe1424a3bccd49eea79277334223290f3eb6068ad7401d', '\x99f4c902ce646a89796b6037f9d356996169a72666f355d950a71726861c4b38', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "relayed": true, "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R021", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', '2026-11-22 00:39:55+00', 20, 4),
	(4, 'toulouse', '\x28b52ffd67c06a00150b07dd0100b0782d776d6f3a722e6d66723a3a523050726f647563740afc4f01022eb4b2c02c196c32537bdeb88a9182649ab739c9ba547237237424e5c1c78ad6b73e1f', '\xa528a88d7afd1eb035340c317c1823c3c3ef232d4a6ff05beca5ee85b19ceb50', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "relayed": true, "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R022", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', '2026-11-22 00:39:55+00', 21, 4);


--
-- Data for Name: catalogue_datestampclock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_datestampclock VALUES
	(1, '2026-11-22 00:39:57+00', '2026-01-01 00:00:00+00');


--
-- Data for Name: catalogue_description; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_description VALUES
	(1, 'Surface observations', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(6, 'First', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(2, 'Böen & Sturm 突風', 'SYNOP reports of one station.', '{weatherObservations,climatology}', '[[122.0, 20.0, 154.0, 46.0]]', NULL, NULL, 'eng', '{}'),
	(3, 'Second', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(5, 'Again', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(13, 'Product 0', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(14, 'Product 1', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(15, 'Product 2', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(17, 'Product 4', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(19, 'Product 20', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(20, 'Product 21', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(21, 'Product 22', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(28, 'Product 41', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}'),
	(27, 'Product 40', 'SYNOP reports of one station.', '{}', '[]', NULL, NULL, 'eng', '{}');


--
-- Data for Name: catalogue_dictionary; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_dictionary VALUES
	(352348864, '\x37a430ecc06a00152810405c0750aaff2494ea3f09a5fa4f42a9fe9334666006666006666006b194524ab9e5067880ed07b322100804028100a772ba53d2013460c0800112070503030303032e03030303030303030303032a0514120303030303030303031203030303033e3ef79a6d1b5437370dc3308c31c618638c31c61863cccccccc6cdb0100000004000000080000006f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e5469746c652032323c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e0a3c3f786d6c2076657273696f6e3d22312e302220656e636f64696e673d225554462d38223f3e0a3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a32333c2f67636f3a436365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e5469746c652031303c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e0a3c3f786d6c2076657273696f6e3d22312e302220656e636f64696e673d225554462d38223f3e0a3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f32', '\x6f5171ff35acf073dc6ef6539de2791a868fa198aa32d6d44d5bcb1ee6a0a5cc', '2026-11-22 00:39:52.863557+00', 40);


--
-- Data for Name: catalogue_journaloutbox; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_journaloutbox VALUES
	(10, 'deleted', 'urn:x-wmo:md:jp.jma::waits', '2026-11-22 00:39:56+00', '{WIS-GISC-TOKYO}');


--
-- Data for Name: catalogue_listsize; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_listsize VALUES
	(3, 1, 0),
	(5, 4, 0),
	(6, 7, 2),
	(4, 7, 2),
	(7, 2, 0),
	(0, 14, 4),
	(1, 4, 3);


--
-- Data for Name: catalogue_membership; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_membership VALUES
	('2026-11-22 00:39:52+00', false, 2, 1, true),
	('2026-11-22 00:39:52+00', false, 3, 1, true),
	('2026-11-22 00:39:52+00', true, 4, 1, false),
	('2026-11-22 00:39:53+00', false, 5, 1, true),
	('2026-11-22 00:39:53+00', true, 6, 1, false),
	('2026-11-22 00:39:53+00', false, 6, 3, true),
	('2025-03-01 00:00:00+00', false, 1, 1, true),
	('2026-11-22 00:39:53+00', false, 13, 4, true),
	('2026-11-22 00:39:53+00', false, 13, 6, false),
	('2026-11-22 00:39:53+00', false, 15, 4, true),
	('2026-11-22 00:39:53+00', false, 15, 6, false),
	('2026-11-22 00:39:53+00', false, 17, 4, true),
	('2026-11-22 00:39:53+00', true, 18, 4, false),
	('2026-11-22 00:39:53+00', false, 17, 6, false),
	('2026-11-22 00:39:53+00', true, 18, 6, false),
	('2026-11-22 00:39:54+00', false, 14, 4, true),
	('2026-11-22 00:39:54+00', false, 14, 5, true),
	('2026-11-22 00:39:54+00', false, 14, 6, false),
	('2026-11-22 00:39:54+00', true, 16, 4, false),
	('2026-11-22 00:39:54+00', true, 16, 6, false),
	('2026-11-22 00:39:55+00', false, 19, 5, true),
	('2026-11-22 00:39:55+00', false, 19, 4, true),
	('2026-11-22 00:39:55+00', false, 20, 5, true),
	('2026-11-22 00:39:55+00', false, 20, 4, true),
	('2026-11-22 00:39:55+00', false, 20, 6, false),
	('2026-11-22 00:39:55+00', false, 19, 6, false),
	('2026-11-22 00:39:55+00', false, 21, 5, true),
	('2026-11-22 00:39:55+00', false, 21, 4, true),
	('2026-11-22 00:39:55+00', false, 21, 6, false),
	('2026-11-22 00:39:55+00', false, 27, 7, true),
	('2026-11-22 00:39:55+00', false, 28, 7, true),
	('2026-11-22 00:39:56+00', true, 29, 1, false);


--
-- Data for Name: catalogue_metadataset; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_metadataset VALUES
	(1, 'WIS-GISC-TOKYO', 'Area of responsibility of GISC TOKYO', 'Records this node is responsible for.', 'own', true),
	(2, 'WIS-CATALOGUE', 'Whole WIS catalogue', '', 'catalogue', true),
	(3, 'WIS-ANTARCTIC', 'WIS-ANTARCTIC', '', 'shared', true),
	(4, 'WIS-GISC-TOULOUSE', 'WIS-GISC-TOULOUSE', '', 'peer', true),
	(5, 'WIS-GISC-OFFENBACH', 'WIS-GISC-OFFENBACH', '', 'peer', true),
	(6, 'WIS-EUROPE', 'WIS-EUROPE', '', 'virtual', true),
	(7, 'WIS-GISC-MELBOURNE', 'WIS-GISC-MELBOURNE', '', 'peer', true);


--
-- Data for Name: catalogue_purged; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_purged VALUES
	(-5780616580399617735);


--
-- Data for Name: catalogue_record; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_record VALUES
	(2, 'urn:x-wmo:md:jp.jma::B', 'urn:x-wmo:md:jp.jma::b', '2026-11-22 00:39:52+00', false, '{WIS-GISC-TOKYO}', '\x28b52ffd67c06a0015ec09fd0800b28924297055dbacfe7f8d80070200201f9290cda2366d3a681be5a8488e1c1fc323bd34201a18da3a54d553020888ba6cb009867fd55baf0d36747805c5f53a4e0ced474abae32bdfcc9db4ee18cd5734c56a3e4a3953912489247fc6cf5331ca7502a15cfde34b91168f0aa9df0a37188b3f239d2a43cc25c09201709ada8f3889d92fe048d66c9c6bedb535985683ddbcaf200b35e03082a8ac28cc03ef211288ff39e68ae8264a22c52f5cb21c02a001ba3cc23df38bd1344b49ae9c81b6af4153428b1ad0fc9d06e22443b0926cbe206d22ef60e8e81a69619de23cc9f944cd609466a375f2a5a956fbf6cf73d45e496ae0c40fc03b6f237a91a4121c4a28b2bf5eb028b6bf22958ba748055be4946cbb2d8598e966c83492a222f20175f1916c', '\x3c97ee48623755599cbd57597e03729b7b0d8625e8287e41cd14823692357a38', '2024-03-01 00:00:00+00', NULL, 1),
	(3, 'urn:x-wmo:md:jp.jma::C', 'urn:x-wmo:md:jp.jma::c', '2026-11-22 00:39:52+00', false, '{WIS-GISC-TOKYO}', '\x28b52ffd67c06a0015fc069d0100c0782d776d6f3a6d643a6a702e6a6d613a3a435365636f6e6407fc4c9b12174f69c216496b5623bf4254ec664823290fccc80728003703', '\x57cb60bb76b80b4ba21f4d72b893cb46491266eec8212f47ffc7d69a8a1ff26a', '2024-03-01 00:00:00+00', NULL, 1),
	(4, 'urn:x-wmo:md:jp.jma::D', 'urn:x-wmo:md:jp.jma::d', '2026-11-22 00:39:52+00', true, '{WIS-GISC-TOKYO}', NULL, NULL, NULL, NULL, 1),
	(5, 'urn:x-wmo:md:jp.jma::E', 'urn:x-wmo:md:jp.jma::e', '2026-11-22 00:39:53+00', false, '{WIS-GISC-TOKYO}', '\x28b52ffd67c06a0015fb06950100b8782d776d6f3a6d643a6a702e6a6d613a3a45416761696e07fc4c99922e9ed2c016496b56a3bc4254dccd9046521e98890cf3d560cb', '\xd1143793ac0df56d9f8a9c0d55e1b1619b2e667aeaf24b16164a4c1705fa33f3', '2024-03-01 00:00:00+00', NULL, 1),
	(6, 'urn:x-wmo:md:jp.jma::F', 'urn:x-wmo:md:jp.jma::f', '2026-11-22 00:39:53+00', false, '{WIS-ANTARCTIC}', '\x28b52ffd67c06a0015fb06950100b8782d776d6f3a6d643a6a702e6a6d613a3a46466972737407fc4c99922e9ed2c016496b56a3bc4254dccd9046521e98890c8a37b909', '\xcfe8116af6046e3a29a31b7b3a8aeefe11d7eed08ef6901057b6dd303a4922e9', '2024-03-01 00:00:00+00', NULL, 3),
	(1, 'urn:x-wmo:md:jp.jma::A', 'urn:x-wmo:md:jp.jma::a', '2025-03-01 00:00:00+00', false, '{WIS-GISC-TOKYO}', '\x28b52ffd67c06a00150a070d02001402782d776d6f3a6d643a6a702e6a6d613a3a4153757266616365206f62736572767308fc4cb7f240b070ede22941d822b0cb5ad45188c1bb19d248ca0333910130fe8cc9', '\x2106b75d532d648e8715839c1a1b6f0935823d4d765a2edcc4e46401b97f0a85', '2024-03-01 00:00:00+00', NULL, 1),
	(13, 'urn:x-wmo:md:fr.meteofrance::R000', 'urn:x-wmo:md:fr.meteofrance::r000', '2026-11-22 00:39:53+00', false, '{WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150a07ed0100c0782d776d6f3a722e6d66723a3a52303050726f64756374200afc4db712175a69c22c492b593336a466b34981e1d7db1cc37eca7037231f49e1fab135d9f8b90c', '\x0989b96ccf62fad85c09b0f7ca2b9de9021e8b5cd3016effaae6374e0835caeb', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R000", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 4),
	(15, 'urn:x-wmo:md:fr.meteofrance::R002', 'urn:x-wmo:md:fr.meteofrance::r002', '2026-11-22 00:39:53+00', false, '{WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150a07ed0100c0782d776d6f3a722e6d66723a3a52303050726f64756374200afc4dff012eb4b284593258323376deb8669302c3afb73986fd94e16e463e92c2f5636b4bc81cc7', '\x6715c1c1a83403465a42f5a13cca35569fed8b7a89459b161108ff8b9c0156b9', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R002", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 4),
	(17, 'urn:x-wmo:md:fr.meteofrance::R004', 'urn:x-wmo:md:fr.meteofrance::r004', '2026-11-22 00:39:53+00', false, '{WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150a07050200d0782d776d6f3a722e6d66723a3a5230303450726f6475637420340afc4cb7922eb4d2c02c496bb24603483415590a9209dee624eb52c9dd8cd09194071f2b02b4bff553', '\x3fa3d3b280197bfe6e151f69c7a7b48b7ad963d57fc4fdc612198f475161bc6e', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R004", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 4),
	(18, 'urn:x-wmo:md:fr.meteofrance::R005', 'urn:x-wmo:md:fr.meteofrance::r005', '2026-11-22 00:39:53+00', true, '{WIS-GISC-TOULOUSE}', NULL, NULL, NULL, NULL, 4),
	(14, 'urn:x-wmo:md:fr.meteofrance::R001', 'urn:x-wmo:md:fr.meteofrance::r001', '2026-11-22 00:39:54+00', false, '{WIS-GISC-OFFENBACH,WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150a07fd0100c0782d776d6f3a722e6d66723a3a523050726f6475637420310bf04cb7b2ea422bad6096a451c976904825b39746230541f3362774a9a09b91e9488afab1227d98ee88', '\x2589064cf75e68e7f1952a4ab35db996478fa7f2e126bca60beab3c440e9164f', '2024-03-01 00:00:00+00', '{"link": "toulouse", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R001", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 4),
	(16, 'urn:x-wmo:md:fr.meteofrance::R003', 'urn:x-wmo:md:fr.meteofrance::r003', '2026-11-22 00:39:54+00', true, '{WIS-GISC-TOULOUSE}', NULL, NULL, NULL, NULL, 4),
	(19, 'urn:x-wmo:md:fr.meteofrance::R020', 'urn:x-wmo:md:fr.meteofrance::r020', '2026-11-22 00:39:55+00', false, '{WIS-GISC-OFFENBACH,WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150b07f50100c8782d776d6f3a722e6d66723a3a52303250726f6475637420320afc4db9922eb4d2c02c496bb2c66048cde6940243d1b73986ba946137233f92c2f56345aef9900f', '\x0daa9bd51d4004b0465a56d7c552b850282f02377aceced94ddd5970088980a0', '2024-03-01 00:00:00+00', '{"link": "offenbach", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R020", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 5),
	(20, 'urn:x-wmo:md:fr.meteofrance::R021', 'urn:x-wmo:md:fr.meteofrance::r021', '2026-11-22 00:39:55+00', false, '{WIS-GISC-OFFENBACH,WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150b07150200c8782d776d6f3a722e6d66723a3a5230323150726f64756374200bfc30b97202e0985c68650ab3c4c164416390682abe1424a3bccd49eea79277334223290f3eb6068ad7401d', '\x99f4c902ce646a89796b6037f9d356996169a72666f355d950a71726861c4b38', '2024-03-01 00:00:00+00', '{"link": "offenbach", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R021", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 5),
	(21, 'urn:x-wmo:md:fr.meteofrance::R022', 'urn:x-wmo:md:fr.meteofrance::r022', '2026-11-22 00:39:55+00', false, '{WIS-GISC-OFFENBACH,WIS-GISC-TOULOUSE}', '\x28b52ffd67c06a00150b07dd0100b0782d776d6f3a722e6d66723a3a523050726f647563740afc4f01022eb4b2c02c196c32537bdeb88a9182649ab739c9ba547237237424e5c1c78ad6b73e1f', '\xa528a88d7afd1eb035340c317c1823c3c3ef232d4a6ff05beca5ee85b19ceb50', '2024-03-01 00:00:00+00', '{"link": "offenbach", "altered": false, "baseURL": "http://gisc-offenbach.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R022", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 5),
	(27, 'urn:x-wmo:md:fr.meteofrance::R040', 'urn:x-wmo:md:fr.meteofrance::r040', '2026-11-22 00:39:55+00', false, '{WIS-GISC-MELBOURNE}', '\x28b52ffd67c06a00150b07f50100c8782d776d6f3a722e6d66723a3a52303450726f6475637420340afc4db9922eb4d2c02c496bb2c66048cde6940243d1b73986ba946137233f92c2f5634582d6c87b', '\x07d90c14fb4c79068b75e7008c82252f1b4dc3d9178f206795f16f3e38833faf', '2024-03-01 00:00:00+00', '{"link": "melbourne", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R040", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 7),
	(28, 'urn:x-wmo:md:fr.meteofrance::R041', 'urn:x-wmo:md:fr.meteofrance::r041', '2026-11-22 00:39:55+00', false, '{WIS-GISC-MELBOURNE}', '\x28b52ffd67c06a00150b07150200c8782d776d6f3a722e6d66723a3a5230343150726f64756374200bfc30b97202e0985c68650ab3c4c164416390682abe1424a3bccd49eea79277334223290f3eb60688053037', '\x3076f2373134cec6b829fd4c282f51b28683da8761eef36d4a8669f784b238c0', '2024-03-01 00:00:00+00', '{"link": "melbourne", "altered": false, "baseURL": "http://gisc-toulouse.example.org/oai", "datestamp": "2026-02-01T00:00:00Z", "identifier": "urn:x-wmo:md:fr.meteofrance::R041", "harvestDate": "2026-03-01T12:00:00Z", "metadataNamespace": "http://www.isotc211.org/2005/gmd"}', 7),
	(29, 'urn:x-wmo:md:jp.jma::waits', 'urn:x-wmo:md:jp.jma::waits', '2026-11-22 00:39:56+00', true, '{WIS-GISC-TOKYO}', NULL, NULL, NULL, NULL, 1);


--
-- Data for Name: catalogue_setinclusion; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_setinclusion VALUES
	(1, 4, 6),
	(2, 5, 6);


--
-- Data for Name: catalogue_validation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalogue_validation VALUES
	(1, '\x2106b75d532d648e8715839c1a1b6f0935823d4d765a2edcc4e46401b97f0a85', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(2, '\x3c97ee48623755599cbd57597e03729b7b0d8625e8287e41cd14823692357a38', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}]', '2026-11-22 00:39:56.298617+00'),
	(3, '\x57cb60bb76b80b4ba21f4d72b893cb46491266eec8212f47ffc7d69a8a1ff26a', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(5, '\xd1143793ac0df56d9f8a9c0d55e1b1619b2e667aeaf24b16164a4c1705fa33f3', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(6, '\xcfe8116af6046e3a29a31b7b3a8aeefe11d7eed08ef6901057b6dd303a4922e9', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(13, '\x0989b96ccf62fad85c09b0f7ca2b9de9021e8b5cd3016effaae6374e0835caeb', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(14, '\x2589064cf75e68e7f1952a4ab35db996478fa7f2e126bca60beab3c440e9164f', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(15, '\x6715c1c1a83403465a42f5a13cca35569fed8b7a89459b161108ff8b9c0156b9', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(17, '\x3fa3d3b280197bfe6e151f69c7a7b48b7ad963d57fc4fdc612198f475161bc6e', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(19, '\x0daa9bd51d4004b0465a56d7c552b850282f02377aceced94ddd5970088980a0', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(20, '\x99f4c902ce646a89796b6037f9d356996169a72666f355d950a71726861c4b38', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(21, '\xa528a88d7afd1eb035340c317c1823c3c3ef232d4a6ff05beca5ee85b19ceb50', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(27, '\x07d90c14fb4c79068b75e7008c82252f1b4dc3d9178f206795f16f3e38833faf', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00'),
	(28, '\x3076f2373134cec6b829fd4c282f51b28683da8761eef36d4a8669f784b238c0', 'wcmp 481445ee38 schemas none', 'not checked', '', '[{"rule": "6.1.2", "text": "A dataset needs a geographic bounding box or a geographic description; ISO/TS 19139, Table A.1, row 4"}, {"rule": "8.2.1", "text": "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a block of keywords whose thesaurus is called WMO_CategoryCode"}, {"rule": "8.2.4", "text": "The data have no geographic bounding box; add one, or, where they are not geographic, give the record the hierarchyLevel nonGeographicDataset"}]', '2026-11-22 00:39:56.298617+00');


--
-- Data for Name: django_admin_log; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: django_content_type; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_content_type VALUES
	(1, 'catalogue', 'metadataset'),
	(2, 'catalogue', 'setinclusion'),
	(3, 'catalogue', 'datestampclock'),
	(4, 'catalogue', 'record'),
	(5, 'catalogue', 'description'),
	(6, 'catalogue', 'validation'),
	(7, 'catalogue', 'membership'),
	(8, 'catalogue', 'claim'),
	(9, 'catalogue', 'listsize'),
	(10, 'catalogue', 'dictionary'),
	(11, 'catalogue', 'journaloutbox'),
	(12, 'catalogue', 'purged'),
	(13, 'oaiprovider', 'profile'),
	(14, 'oaiprovider', 'identifydescription'),
	(15, 'oaiprovider', 'crosswalk'),
	(16, 'oaiprovider', 'generation'),
	(17, 'harvester', 'alternative'),
	(18, 'harvester', 'link'),
	(19, 'harvester', 'standby'),
	(20, 'harvester', 'run'),
	(21, 'harvester', 'reject'),
	(22, 'harvester', 'remoteheader'),
	(23, 'harvester', 'conflict'),
	(24, 'harvester', 'canary'),
	(25, 'harvester', 'hostclock'),
	(26, 'admin', 'logentry'),
	(27, 'auth', 'permission'),
	(28, 'auth', 'group'),
	(29, 'auth', 'user'),
	(30, 'contenttypes', 'contenttype'),
	(31, 'sessions', 'session'),
	(32, 'axes', 'accessattempt'),
	(33, 'axes', 'accesslog'),
	(34, 'axes', 'accessfailurelog'),
	(35, 'axes', 'accessattemptexpiration');


--
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_migrations VALUES
	(1, 'contenttypes', '0001_initial', '2026-11-22 00:39:50.327901+00'),
	(2, 'auth', '0001_initial', '2026-11-22 00:39:50.397621+00'),
	(3, 'admin', '0001_initial', '2026-11-22 00:39:50.449571+00'),
	(4, 'admin', '0002_logentry_remove_auto_add', '2026-11-22 00:39:50.472027+00'),
	(5, 'admin', '0003_logentry_add_action_flag_choices', '2026-11-22 00:39:50.532357+00'),
	(6, 'contenttypes', '0002_remove_content_type_name', '2026-11-22 00:39:50.618501+00'),
	(7, 'auth', '0002_alter_permission_name_max_length', '2026-11-22 00:39:50.653748+00'),
	(8, 'auth', '0003_alter_user_email_max_length', '2026-11-22 00:39:50.686068+00'),
	(9, 'auth', '0004_alter_user_username_opts', '2026-11-22 00:39:50.715908+00'),
	(10, 'auth', '0005_alter_user_last_login_null', '2026-11-22 00:39:50.755706+00'),
	(11, 'auth', '0006_require_contenttypes_0002', '2026-11-22 00:39:50.757603+00'),
	(12, 'auth', '0007_alter_validators_add_error_messages', '2026-11-22 00:39:50.772526+00'),
	(13, 'auth', '0008_alter_user_username_max_length', '2026-11-22 00:39:50.822316+00'),
	(14, 'auth', '0009_alter_user_last_name_max_length', '2026-11-22 00:39:50.863309+00'),
	(15, 'auth', '0010_alter_group_name_max_length', '2026-11-22 00:39:50.902715+00'),
	(16, 'auth', '0011_update_proxy_permissions', '2026-11-22 00:39:50.923513+00'),
	(17, 'auth', '0012_alter_user_first_name_max_length', '2026-11-22 00:39:50.954548+00'),
	(18, 'axes', '0001_initial', '2026-11-22 00:39:50.966169+00'),
	(19, 'axes', '0002_auto_20151217_2044', '2026-11-22 00:39:51.049494+00'),
	(20, 'axes', '0003_auto_20160322_0929', '2026-11-22 00:39:51.080857+00'),
	(21, 'axes', '0004_auto_20181024_1538', '2026-11-22 00:39:51.130427+00'),
	(22, 'axes', '0005_remove_accessattempt_trusted', '2026-11-22 00:39:51.14398+00'),
	(23, 'axes', '0006_remove_accesslog_trusted', '2026-11-22 00:39:51.155521+00'),
	(24, 'axes', '0007_alter_accessattempt_unique_together', '2026-11-22 00:39:51.218332+00'),
	(25, 'axes', '0008_accessfailurelog', '2026-11-22 00:39:51.230135+00'),
	(26, 'axes', '0009_add_session_hash', '2026-11-22 00:39:51.237346+00'),
	(27, 'axes', '0010_accessattemptexpiration', '2026-11-22 00:39:51.253481+00'),
	(28, 'catalogue', '0002_clock', '2026-11-22 00:39:51.62352+00'),
	(29, 'catalogue', '0003_claims_dictionaries_and_validation', '2026-11-22 00:39:51.624813+00'),
	(30, 'catalogue', '0004_membership_direct', '2026-11-22 00:39:51.626618+00'),
	(31, 'catalogue', '0005_words', '2026-11-22 00:39:51.627817+00'),
	(32, 'catalogue', '0006_list_sizes', '2026-11-22 00:39:51.629837+00'),
	(33, 'catalogue', '0007_ledger', '2026-11-22 00:39:51.631116+00'),
	(34, 'harvester', '0002_strategies_and_headers', '2026-11-22 00:39:52.355753+00'),
	(35, 'harvester', '0003_what_links_know', '2026-11-22 00:39:52.357569+00'),
	(36, 'harvester', '0004_kinds_and_conflicts', '2026-11-22 00:39:52.35908+00'),
	(37, 'harvester', '0005_comparisons', '2026-11-22 00:39:52.359724+00'),
	(38, 'harvester', '0006_alternatives', '2026-11-22 00:39:52.361326+00'),
	(39, 'harvester', '0007_canary', '2026-11-22 00:39:52.363193+00'),
	(40, 'harvester', '0008_clocks', '2026-11-22 00:39:52.364292+00'),
	(41, 'harvester', '0009_access', '2026-11-22 00:39:52.365735+00'),
	(42, 'harvester', '0010_passwords_out_of_addresses', '2026-11-22 00:39:52.367557+00'),
	(43, 'harvester', '0011_cookies', '2026-11-22 00:39:52.369399+00'),
	(44, 'harvester', '0012_moved_to', '2026-11-22 00:39:52.371454+00'),
	(45, 'harvester', '0013_warnings', '2026-11-22 00:39:52.372491+00'),
	(46, 'harvester', '0014_at_once', '2026-11-22 00:39:52.373562+00'),
	(47, 'harvester', '0015_standby', '2026-11-22 00:39:52.374686+00'),
	(48, 'harvester', '0016_conflicts_and_sets', '2026-11-22 00:39:52.375012+00'),
	(49, 'harvester', '0017_holding', '2026-11-22 00:39:52.376032+00'),
	(50, 'oaiprovider', '0001_profile', '2026-11-22 00:39:52.519942+00'),
	(51, 'oaiprovider', '0002_crosswalk', '2026-11-22 00:39:52.52061+00'),
	(52, 'sessions', '0001_initial', '2026-11-22 00:39:52.5302+00'),
	(53, 'catalogue', '0001_initial', '2026-11-22 00:39:52.531929+00'),
	(54, 'oaiprovider', '0001_initial', '2026-11-22 00:39:52.53248+00'),
	(55, 'harvester', '0001_initial', '2026-11-22 00:39:52.532812+00');


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
-- Data for Name: harvester_conflict; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_conflict VALUES
	(2, 'urn:x-wmo:md:fr.meteofrance::r001', 'urn:x-wmo:md:fr.meteofrance::R001', 'differs', 'The record differs from the version of WIS-GISC-TOULOUSE, which counts.', '\xd07e3d9a4d903f47daa68235b929e2abd2bd7fd45a824117449d6b10e07ba9d7', '2024-03-01 00:00:00+00', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a66722e6d6574656f6672616e63653a3a523030313c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4173204f6666656e62616368206861732069743c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', '2026-11-22 00:39:54.298252+00', '2026-11-22 00:39:54.298252+00', NULL, '', 2, NULL),
	(1, 'urn:x-wmo:md:jp.jma::a', 'urn:x-wmo:md:jp.jma::A', 'misplaced', 'The record belongs to the set WIS-GISC-TOKYO, so WIS-GISC-TOULOUSE cannot change it.', '\x9c92d76ce0e295eddd012e936427892425f9288f195866da2d5c5f2d578d9199', '2024-03-01 00:00:00+00', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a6a702e6a6d613a3a413c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4d6973706c616365643c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', '2026-11-22 00:39:53.906654+00', '2026-11-22 00:39:54.90938+00', NULL, '', 1, NULL),
	(3, 'urn:x-wmo:md:fr.meteofrance::r004', 'urn:x-wmo:md:fr.meteofrance::R004', 'vanished', 'The provider no longer lists it, answers idDoesNotExist when asked for it, and never gave it as deleted.', NULL, NULL, NULL, '2026-11-22 00:39:54.925758+00', '2026-11-22 00:39:54.925758+00', NULL, '', 1, NULL);


--
-- Data for Name: harvester_hostclock; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: harvester_link; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_link VALUES
	(2, 'offenbach', 'http://gisc-offenbach.example.org/oai', 'iso19139', 'WIS-GISC-OFFENBACH', true, 21600, 60, 'YYYY-MM-DDThh:mm:ssZ', '2026-02-02 00:00:00+00', '2026-11-22 06:39:54.023212+00', 0, 5, '2026-03-01 12:00:00+00', 'earlier', '2026-02-02 00:00:00+00', 'identifiers', 'peer', 1, 100, NULL, NULL, 28, NULL, 'persistent', '2026-11-23 00:39:54.325915+00', false, 90, NULL, NULL, 0, NULL, -22941594.089416, '', false, '', 'proxy', 'gAAAAABrAjnbX1T0gbUFVGsEOhRM1jXtQW6WtDEyUCc3Dfz5mEn-V97MESLdFsjp64j7_ekRvO7iK78OrCOlgvqpCgG854s6LY_XokXU1TFZW77IPOBGrDY=', 'gAAAAABrAjnbqtAnVDV-TD0n9keUPTwxyII41XsZu-rmWGKtGJJnNwXypXQSbNfEpNCAMfxajKqtPR2JDNEfniHwEztUa7b5zQ==', '', 'tokyo', '', '', 4, 0, '2026-11-22 00:39:54.094477+00', 'missing', 10),
	(1, 'toulouse', 'http://gisc-toulouse.example.org/oai', 'iso19139', 'WIS-GISC-TOULOUSE', true, 21600, 60, 'YYYY-MM-DDThh:mm:ssZ', '2026-02-02 00:00:00+00', '2026-11-22 06:39:55.204867+00', 0, 4, '2026-03-01 12:00:00+00', 'earlier', '2026-02-02 00:00:00+00', 'records', 'peer', 1, 100, NULL, '2026-11-22 00:39:54.585648+00', 28, '2026-11-22 00:39:54.949772+00', 'persistent', '2026-11-22 00:39:55.386806+00', true, 90, NULL, '2026-11-22 00:39:55.164157+00', 0, 1, -22941595.277678, '', false, '', '', '', '', '', '', '', '', 4, 24, '2026-11-22 00:39:55.278817+00', 'listed', 10),
	(3, 'melbourne', 'http://gisc-toulouse.example.org/oai', 'iso19139', 'WIS-GISC-MELBOURNE', true, 21600, 60, 'YYYY-MM-DDThh:mm:ssZ', NULL, '2026-11-22 06:39:55.591153+00', 0, 7, NULL, 'earlier', NULL, 'records', 'peer', 1, 100, NULL, NULL, 28, NULL, 'persistent', NULL, false, 90, NULL, NULL, 0, NULL, -22941595.65927, '', false, '', '', '', '', '', '', '', '', 4, 0, '2026-11-22 00:39:55.660055+00', 'missing', 10);


--
-- Data for Name: harvester_reject; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_reject VALUES
	(1, 'urn:x-wmo:md:fr.meteofrance::R006', '2026-02-02T00:00:00Z', 'the header says ''urn:x-wmo:md:fr.meteofrance::R006'', the record''s gmd:fileIdentifier says ''urn:another:name''', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a616e6f746865723a6e616d653c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e53757266616365206f62736572766174696f6e733c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 1, 'urn:another:name'),
	(2, 'urn:x-wmo:md:fr.meteofrance::R007', '2026-02-02T00:00:00Z', 'the record is not an ISO 19139 record: its root is note in the namespace http://www.openarchives.org/OAI/2.0/; this is part of an OAI-PMH answer: harvest it, or take out the content of its metadata', '\x3c6e6f746520786d6c6e733d22687474703a2f2f7777772e6f70656e61726368697665732e6f72672f4f41492f322e302f223e6e6f206d657461646174613c2f6e6f74653e', 1, ''),
	(3, 'urn:x-wmo:md:jp.jma::A', '2026-02-02T00:00:00Z', 'the record belongs to the set WIS-GISC-TOKYO, so WIS-GISC-TOULOUSE cannot change it', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a6a702e6a6d613a3a413c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4d6973706c616365643c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 1, ''),
	(4, 'urn:x-wmo:md:fr.meteofrance::R006', '2026-02-02T00:00:00Z', 'the header says ''urn:x-wmo:md:fr.meteofrance::R006'', the record''s gmd:fileIdentifier says ''urn:another:name''', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a616e6f746865723a6e616d653c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e53757266616365206f62736572766174696f6e733c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 3, 'urn:another:name'),
	(5, 'urn:x-wmo:md:fr.meteofrance::R007', '2026-02-02T00:00:00Z', 'the record is not an ISO 19139 record: its root is note in the namespace http://www.openarchives.org/OAI/2.0/; this is part of an OAI-PMH answer: harvest it, or take out the content of its metadata', '\x3c6e6f746520786d6c6e733d22687474703a2f2f7777772e6f70656e61726368697665732e6f72672f4f41492f322e302f223e6e6f206d657461646174613c2f6e6f74653e', 3, ''),
	(6, 'urn:x-wmo:md:jp.jma::A', '2026-02-02T00:00:00Z', 'the record belongs to the set WIS-GISC-TOKYO, so WIS-GISC-TOULOUSE cannot change it', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a6a702e6a6d613a3a413c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4d6973706c616365643c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 3, ''),
	(7, 'urn:x-wmo:md:fr.meteofrance::R006', '2026-02-02T00:00:00Z', 'the header says ''urn:x-wmo:md:fr.meteofrance::R006'', the record''s gmd:fileIdentifier says ''urn:another:name''', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a616e6f746865723a6e616d653c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e53757266616365206f62736572766174696f6e733c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 4, 'urn:another:name'),
	(8, 'urn:x-wmo:md:fr.meteofrance::R007', '2026-02-02T00:00:00Z', 'the record is not an ISO 19139 record: its root is note in the namespace http://www.openarchives.org/OAI/2.0/; this is part of an OAI-PMH answer: harvest it, or take out the content of its metadata', '\x3c6e6f746520786d6c6e733d22687474703a2f2f7777772e6f70656e61726368697665732e6f72672f4f41492f322e302f223e6e6f206d657461646174613c2f6e6f74653e', 4, ''),
	(9, 'urn:x-wmo:md:jp.jma::A', '2026-02-02T00:00:00Z', 'the record belongs to the set WIS-GISC-TOKYO, so WIS-GISC-TOULOUSE cannot change it', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a6a702e6a6d613a3a413c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4d6973706c616365643c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 4, ''),
	(10, 'urn:x-wmo:md:fr.meteofrance::R001', '2026-02-02T00:00:00Z', 'the record is not newer than our version, which counts because it came from its origin directly (W31, W33)', '\x3c676d643a4d445f4d6574616461746120786d6c6e733a676d643d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642220786d6c6e733a67636f3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f67636f2220786d6c6e733a676d783d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d782220786d6c6e733a786c696e6b3d22687474703a2f2f7777772e77332e6f72672f313939392f786c696e6b2220786d6c6e733a7873693d22687474703a2f2f7777772e77332e6f72672f323030312f584d4c536368656d612d696e7374616e636522207873693a736368656d614c6f636174696f6e3d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d6420687474703a2f2f7777772e69736f74633231312e6f72672f323030352f676d642f676d642e787364223e0a3c676d643a66696c654964656e7469666965723e3c67636f3a436861726163746572537472696e673e75726e3a782d776d6f3a6d643a66722e6d6574656f6672616e63653a3a523030313c2f67636f3a436861726163746572537472696e673e3c2f676d643a66696c654964656e7469666965723e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e0a3c676d643a636f6e746163743e3c676d643a43495f526573706f6e7369626c6550617274793e3c676d643a6f7267616e69736174696f6e4e616d653e3c67636f3a436861726163746572537472696e673e4a6170616e204d6574656f726f6c6f676963616c204167656e63793c2f67636f3a436861726163746572537472696e673e3c2f676d643a6f7267616e69736174696f6e4e616d653e3c676d643a726f6c653e3c676d643a43495f526f6c65436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f526f6c65436f64652220636f64654c69737456616c75653d22706f696e744f66436f6e74616374223e706f696e744f66436f6e746163743c2f676d643a43495f526f6c65436f64653e3c2f676d643a726f6c653e3c2f676d643a43495f526573706f6e7369626c6550617274793e3c2f676d643a636f6e746163743e0a3c676d643a646174655374616d703e3c67636f3a446174653e323032342d30332d30313c2f67636f3a446174653e3c2f676d643a646174655374616d703e0a3c676d643a6964656e74696669636174696f6e496e666f3e3c676d643a4d445f446174614964656e74696669636174696f6e3e3c676d643a6369746174696f6e3e3c676d643a43495f4369746174696f6e3e3c676d643a7469746c653e3c67636f3a436861726163746572537472696e673e4173204f6666656e62616368206861732069743c2f67636f3a436861726163746572537472696e673e3c2f676d643a7469746c653e3c676d643a646174653e3c676d643a43495f446174653e3c676d643a646174653e3c67636f3a446174653e323032302d30312d30313c2f67636f3a446174653e3c2f676d643a646174653e3c676d643a64617465547970653e3c676d643a43495f4461746554797065436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c2343495f4461746554797065436f64652220636f64654c69737456616c75653d227075626c69636174696f6e223e7075626c69636174696f6e3c2f676d643a43495f4461746554797065436f64653e3c2f676d643a64617465547970653e3c2f676d643a43495f446174653e3c2f676d643a646174653e3c2f676d643a43495f4369746174696f6e3e3c2f676d643a6369746174696f6e3e0a3c676d643a61627374726163743e3c67636f3a436861726163746572537472696e673e53594e4f50207265706f727473206f66206f6e652073746174696f6e2e3c2f67636f3a436861726163746572537472696e673e3c2f676d643a61627374726163743e0a3c676d643a6c616e67756167653e3c676d643a4c616e6775616765436f646520636f64654c6973743d22687474703a2f2f7777772e69736f74633231312e6f72672f323030352f7265736f75726365732f436f64656c6973742f676d78436f64656c697374732e786d6c234c616e6775616765436f64652220636f64654c69737456616c75653d22656e67223e656e673c2f676d643a4c616e6775616765436f64653e3c2f676d643a6c616e67756167653e3c676d643a746f70696343617465676f72793e3c676d643a4d445f546f70696343617465676f7279436f64653e636c696d61746f6c6f67794d6574656f726f6c6f677941746d6f7370686572653c2f676d643a4d445f546f70696343617465676f7279436f64653e3c2f676d643a746f70696343617465676f72793e3c2f676d643a4d445f446174614964656e74696669636174696f6e3e3c2f676d643a6964656e74696669636174696f6e496e666f3e0a3c2f676d643a4d445f4d657461646174613e', 5, '');


--
-- Data for Name: harvester_remoteheader; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_remoteheader VALUES
	(10, 'urn:x-wmo:md:fr.meteofrance::r020', 'urn:x-wmo:md:fr.meteofrance::R020', '2026-02-01 00:00:00+00', false, 'held', 2, NULL, NULL),
	(11, 'urn:x-wmo:md:fr.meteofrance::r021', 'urn:x-wmo:md:fr.meteofrance::R021', '2026-02-01 00:00:00+00', false, 'held', 2, NULL, NULL),
	(12, 'urn:x-wmo:md:fr.meteofrance::r022', 'urn:x-wmo:md:fr.meteofrance::R022', '2026-02-01 00:00:00+00', false, 'held', 2, NULL, NULL),
	(13, 'urn:x-wmo:md:fr.meteofrance::r001', 'urn:x-wmo:md:fr.meteofrance::R001', '2026-02-02 00:00:00+00', false, 'held', 2, NULL, NULL),
	(1, 'urn:x-wmo:md:fr.meteofrance::r000', 'urn:x-wmo:md:fr.meteofrance::R000', '2026-02-01 00:00:00+00', false, 'held', 1, 4, NULL),
	(2, 'urn:x-wmo:md:fr.meteofrance::r001', 'urn:x-wmo:md:fr.meteofrance::R001', '2026-02-01 00:00:00+00', false, 'held', 1, 4, NULL),
	(3, 'urn:x-wmo:md:fr.meteofrance::r002', 'urn:x-wmo:md:fr.meteofrance::R002', '2026-02-01 00:00:00+00', false, 'held', 1, 4, NULL),
	(6, 'urn:x-wmo:md:fr.meteofrance::r005', 'urn:x-wmo:md:fr.meteofrance::R005', '2026-02-02 00:00:00+00', true, 'held', 1, 4, NULL),
	(4, 'urn:x-wmo:md:fr.meteofrance::r003', 'urn:x-wmo:md:fr.meteofrance::R003', '2026-02-03 00:00:00+00', true, 'held', 1, 4, NULL),
	(7, 'urn:x-wmo:md:fr.meteofrance::r006', 'urn:x-wmo:md:fr.meteofrance::R006', '2026-02-02 00:00:00+00', false, 'rejected', 1, 4, NULL),
	(8, 'urn:x-wmo:md:fr.meteofrance::r007', 'urn:x-wmo:md:fr.meteofrance::R007', '2026-02-02 00:00:00+00', false, 'rejected', 1, 4, NULL),
	(9, 'urn:x-wmo:md:jp.jma::a', 'urn:x-wmo:md:jp.jma::A', '2026-02-02 00:00:00+00', false, 'rejected', 1, 4, NULL),
	(5, 'urn:x-wmo:md:fr.meteofrance::r004', 'urn:x-wmo:md:fr.meteofrance::R004', '2026-02-01 00:00:00+00', false, 'vanished', 1, NULL, NULL),
	(31, 'urn:x-wmo:md:fr.meteofrance::r000', 'urn:x-wmo:md:fr.meteofrance::R000', NULL, false, 'held', 1, NULL, 1),
	(33, 'urn:x-wmo:md:fr.meteofrance::r002', 'urn:x-wmo:md:fr.meteofrance::R002', NULL, false, 'held', 1, NULL, 1),
	(34, 'urn:x-wmo:md:fr.meteofrance::r004', 'urn:x-wmo:md:fr.meteofrance::R004', NULL, false, 'held', 1, NULL, 1),
	(35, 'urn:x-wmo:md:fr.meteofrance::r006', 'urn:x-wmo:md:fr.meteofrance::R006', NULL, false, 'held', 1, NULL, 1),
	(36, 'urn:x-wmo:md:fr.meteofrance::r007', 'urn:x-wmo:md:fr.meteofrance::R007', NULL, false, 'held', 1, NULL, 1),
	(37, 'urn:x-wmo:md:jp.jma::a', 'urn:x-wmo:md:jp.jma::A', NULL, false, 'held', 1, NULL, 1),
	(38, 'urn:x-wmo:md:fr.meteofrance::r020', 'urn:x-wmo:md:fr.meteofrance::R020', '2026-02-01 00:00:00+00', false, 'held', 1, NULL, 1),
	(39, 'urn:x-wmo:md:fr.meteofrance::r021', 'urn:x-wmo:md:fr.meteofrance::R021', '2026-02-01 00:00:00+00', false, 'held', 1, NULL, 1),
	(32, 'urn:x-wmo:md:fr.meteofrance::r001', 'urn:x-wmo:md:fr.meteofrance::R001', '2026-02-02 00:00:00+00', false, 'rejected', 1, NULL, 1),
	(41, 'urn:x-wmo:md:fr.meteofrance::r022', 'urn:x-wmo:md:fr.meteofrance::R022', '2026-02-01 00:00:00+00', false, 'held', 1, NULL, 1),
	(42, 'urn:x-wmo:md:fr.meteofrance::r040', 'urn:x-wmo:md:fr.meteofrance::R040', '2026-02-01 00:00:00+00', false, 'held', 3, NULL, NULL),
	(43, 'urn:x-wmo:md:fr.meteofrance::r041', 'urn:x-wmo:md:fr.meteofrance::R041', '2026-02-01 00:00:00+00', false, 'held', 3, NULL, NULL);


--
-- Data for Name: harvester_run; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_run VALUES
	(2, 'done', 'command line', '2026-11-22 00:39:54.023212+00', '2026-11-22 00:39:54.325915+00', 'The provider''s clock is 22941594 s behind ours; tell the provider. The provider does not list the set WIS-GISC-OFFENBACH: it may be gone, or have another name now. Nothing was deleted; list its sets by “retrieve info”, and correct the link''s remote setSpec.', NULL, 'YYYY-MM-DDThh:mm:ssZ', '', 2, 0, '2026-03-01 12:00:00+00', '2026-02-02 00:00:00+00', 4, 4, 3, 1, 0, 0, 0, 0, NULL, NULL, '', NULL, 2, 4, 4, '\x8bff1b1dc7b893c293c3e5996eea7ddad78b6c52ab4d7c91212ef563af5737dd', '', 'fetching', 'identifiers', false, 0, 0, NULL, 0, 'harvest', 0, 0, '', '[{"code": "other-set", "text": "A record names other sets than WIS-GISC-OFFENBACH.", "count": 4}]', 0),
	(5, 'done', 'command line', '2026-11-22 00:39:55.204867+00', '2026-11-22 00:39:55.386806+00', 'The provider''s clock is 22941595 s behind ours; tell the provider.', NULL, 'YYYY-MM-DDThh:mm:ssZ', '', 2, 0, '2026-03-01 12:00:00+00', '2026-02-02 00:00:00+00', 4, 4, 0, 3, 0, 0, 1, 0, NULL, NULL, '', NULL, 1, 0, 4, '\x8bff1b1dc7b893c293c3e5996eea7ddad78b6c52ab4d7c91212ef563af5737dd', '', 'listing', 'records', false, 0, 0, NULL, 0, 'harvest', 0, 0, '', '[]', 0),
	(1, 'done', 'command line', '2026-11-22 00:39:53.575666+00', '2026-11-22 00:39:53.898139+00', 'The provider''s clock is 22941594 s behind ours; tell the provider.', NULL, 'YYYY-MM-DDThh:mm:ssZ', '', 5, 0, '2026-03-01 12:00:00+00', '2026-02-02 00:00:00+00', 9, 9, 5, 0, 0, 1, 3, 0, NULL, NULL, '', NULL, 1, 0, 9, '\xc61aa19fee71ada889a1885e23f390a4a6295885b3da117a89fd5f6101a06d9f', '/9/8', 'listing', 'records', false, 0, 0, NULL, 0, 'harvest', 0, 0, '', '[]', 0),
	(3, 'done', 'command line', '2026-11-22 00:39:54.358487+00', '2026-11-22 00:39:54.473928+00', 'The provider''s clock is 22941594 s behind ours; tell the provider.', '2026-02-01 23:58:59+00', 'YYYY-MM-DDThh:mm:ssZ', '', 3, 0, '2026-03-01 12:00:00+00', '2026-02-03 00:00:00+00', 5, 5, 0, 0, 1, 1, 3, 0, NULL, NULL, '', NULL, 1, 0, 5, '\x3355aad2ad633868ba12af4c04112e2f60ec79cc73cdc6bb650b86fe3a3ee760', '2026-02-01T23:58:59Z/9/4', 'listing', 'records', false, 0, 0, NULL, 0, 'harvest', 0, 0, '', '[]', 1),
	(6, 'open', 'schedule', '2026-11-22 00:39:55.591153+00', NULL, '', NULL, 'YYYY-MM-DDThh:mm:ssZ', '/9/2', 1, 0, '2026-03-01 12:00:00+00', '2026-02-01 00:00:00+00', 5, 2, 2, 0, 0, 0, 0, 0, NULL, NULL, '', NULL, 3, 0, 2, '\x09022fbf48f072025e273fe8d530bb7c81f250dadf310afc6d5191d11506b444', '/9/2', 'listing', 'records', false, 0, 0, NULL, 0, 'harvest', 0, 0, 'gAAAAABrAjnbZArl38aVXnL2lij295nxRE-hB-k9-Z7P7R2yNp3jtKx7ZHMBfw5cDG_QxteiW8yfripdbtiJlPQ4UFfTEFuJk8TmI53xQlZ5gDWEFjuAELxHvbcQppA-iq9aLaPN03XUd1uN54s-NLpe-muzynK4XHw_jOSWb0cQcFwr48LZfVDL7XqEMNirdZm7J1YL43vUuDFJYTQoDo9e6rVM7pC5cQ==', '[{"code": "other-set", "text": "A record names other sets than WIS-GISC-MELBOURNE.", "count": 2}]', 0),
	(4, 'done', 'command line', '2026-11-22 00:39:54.585648+00', '2026-11-22 00:39:54.949772+00', 'Compared: 0 missing, 0 stale, 1 extra. 1 are unknown there without a deletion; they are kept, and wait among the conflicts.', NULL, 'YYYY-MM-DDThh:mm:ssZ', '', 4, 0, '2026-03-01 12:00:00+00', '2026-02-03 00:00:00+00', 8, 8, 0, 0, 5, 0, 3, 0, NULL, NULL, '', NULL, 1, 4, 8, '\x37767ae10f3a9cfaae0e86b357089c0536ea1b2d5130836382e0610b5966f5e7', '', 'fetching', 'identifiers', false, 1, 0, NULL, 0, 'comparison', 0, 1, '', '[]', 0);


--
-- Data for Name: harvester_standby; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.harvester_standby VALUES
	(1, '2026-02-03 00:00:00+00', '2026-03-01 12:00:00+00', '2026-02-03 00:00:00+00', 'YYYY-MM-DDThh:mm:ssZ', 'persistent', '2026-11-22 00:39:55.164157+00', NULL, NULL, NULL, '', NULL, 1);


--
-- Data for Name: oaiprovider_crosswalk; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_crosswalk VALUES
	(1, 'brief', 'http://example.org/brief/', 'http://example.org/brief.xsd', '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns="http://example.org/brief/"
 xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:exsl="http://exslt.org/common"
 xmlns:str="http://exslt.org/strings" exclude-result-prefixes="gmd exsl str" >
<xsl:param name="identifier"/>
<xsl:template match="/"><xsl:if test="contains(normalize-space(//gmd:identificationInfo/*/gmd:citation/*/gmd:title/*[1]), ''impossible'')"><xsl:message terminate="yes">no title</xsl:message></xsl:if><brief edition="second"><id><xsl:value-of select="$identifier"/></id><title><xsl:value-of select="normalize-space(//gmd:identificationInfo/*/gmd:citation/*/gmd:title/*[1])"/></title></brief></xsl:template>
</xsl:stylesheet>', true, false, '2026-11-22 00:39:56+00');


--
-- Data for Name: oaiprovider_generation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_generation VALUES
	('oai_dc', '260a472168dd8eae08aaced6d735a5a41a473a97a209b89ec58466a5d5b9379c', NULL);


--
-- Data for Name: oaiprovider_identifydescription; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_identifydescription VALUES
	(1, 'branding', '<branding xmlns="http://www.openarchives.org/OAI/2.0/branding/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/branding/ http://www.openarchives.org/OAI/2.0/branding.xsd"><collectionIcon><url>http://gisc-tokyo.example.org/icon.png</url><link>http://gisc-tokyo.example.org/</link><title>GISC Tokyo</title><width>88</width><height>31</height></collectionIcon></branding>', true);


--
-- Data for Name: oaiprovider_profile; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_profile VALUES
	(1, 'Any', '', '{}', true, NULL, NULL, NULL, '', '{}', '{}', NULL, true),
	(2, 'Driver', 'DRIVER', '{}', false, 3, NULL, NULL, 'For DRIVER', '{}', '{brief}', NULL, true);


--
-- Data for Name: oaiprovider_profile_sets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oaiprovider_profile_sets VALUES
	(1, 2, 4),
	(2, 2, 6);


--
-- Name: auth_group_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_id_seq', 1, false);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 1, false);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_permission_id_seq', 140, true);


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
-- Name: catalogue_claim_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_claim_id_seq', 4, true);


--
-- Name: catalogue_datestampclock_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_datestampclock_id_seq', 1, false);


--
-- Name: catalogue_journaloutbox_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_journaloutbox_id_seq', 10, true);


--
-- Name: catalogue_metadataset_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_metadataset_id_seq', 7, true);


--
-- Name: catalogue_record_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_record_id_seq', 30, true);


--
-- Name: catalogue_setinclusion_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.catalogue_setinclusion_id_seq', 2, true);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_content_type_id_seq', 35, true);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_migrations_id_seq', 55, true);


--
-- Name: harvester_alternative_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_alternative_id_seq', 1, true);


--
-- Name: harvester_canary_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_canary_id_seq', 1, false);


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
-- Name: harvester_reject_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_reject_id_seq', 10, true);


--
-- Name: harvester_remoteheader_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.harvester_remoteheader_id_seq', 43, true);


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
-- Name: oaiprovider_profile_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oaiprovider_profile_id_seq', 2, true);


--
-- Name: oaiprovider_profile_sets_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oaiprovider_profile_sets_id_seq', 2, true);


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
-- Name: catalogue_claim catalogue_claim_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_claim
    ADD CONSTRAINT catalogue_claim_pkey PRIMARY KEY (id);


--
-- Name: catalogue_datestampclock catalogue_datestampclock_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_datestampclock
    ADD CONSTRAINT catalogue_datestampclock_pkey PRIMARY KEY (id);


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
-- Name: catalogue_journaloutbox catalogue_journaloutbox_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_journaloutbox
    ADD CONSTRAINT catalogue_journaloutbox_pkey PRIMARY KEY (id);


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
-- Name: catalogue_purged catalogue_purged_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_purged
    ADD CONSTRAINT catalogue_purged_pkey PRIMARY KEY (hash);


--
-- Name: catalogue_record catalogue_record_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_record
    ADD CONSTRAINT catalogue_record_pkey PRIMARY KEY (id);


--
-- Name: catalogue_setinclusion catalogue_setinclusion_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_setinclusion
    ADD CONSTRAINT catalogue_setinclusion_pkey PRIMARY KEY (id);


--
-- Name: catalogue_validation catalogue_validation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_validation
    ADD CONSTRAINT catalogue_validation_pkey PRIMARY KEY (record_id);


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
-- Name: harvester_alternative one_alternative_at_a_position_of_a_link; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_alternative
    ADD CONSTRAINT one_alternative_at_a_position_of_a_link UNIQUE (link_id, "position");


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
-- Name: catalogue_record one_record_per_identifier; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_record
    ADD CONSTRAINT one_record_per_identifier UNIQUE (key);


--
-- Name: harvester_standby one_standby_of_a_provider_per_link; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.harvester_standby
    ADD CONSTRAINT one_standby_of_a_provider_per_link UNIQUE NULLS NOT DISTINCT (link_id, alternative_id);


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
-- Name: catalogue_claim_set_id_2ea43bdc; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_claim_set_id_2ea43bdc ON public.catalogue_claim USING btree (set_id);


--
-- Name: catalogue_metadataset_spec_f9e86905_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_metadataset_spec_f9e86905_like ON public.catalogue_metadataset USING btree (spec varchar_pattern_ops);


--
-- Name: catalogue_record_owner_id_bed05f8c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_record_owner_id_bed05f8c ON public.catalogue_record USING btree (owner_id);


--
-- Name: catalogue_setinclusion_child_id_67a874cc; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_setinclusion_child_id_67a874cc ON public.catalogue_setinclusion USING btree (child_id);


--
-- Name: catalogue_setinclusion_parent_id_87d09ed2; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalogue_setinclusion_parent_id_87d09ed2 ON public.catalogue_setinclusion USING btree (parent_id);


--
-- Name: conflicts_that_wait; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX conflicts_that_wait ON public.harvester_conflict USING btree (link_id, key) WHERE (settled IS NULL);


--
-- Name: description_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX description_words ON public.catalogue_description USING gin (public.catalogue_words(title, abstract, keywords, categories));


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
-- Name: harvester_run_link_id_a1bd91c4; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_run_link_id_a1bd91c4 ON public.harvester_run USING btree (link_id);


--
-- Name: harvester_standby_alternative_id_2f964a4e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX harvester_standby_alternative_id_2f964a4e ON public.harvester_standby USING btree (alternative_id);


--
-- Name: headers_by_datestamp; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX headers_by_datestamp ON public.harvester_remoteheader USING btree (link_id, datestamp);


--
-- Name: headers_wanted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX headers_wanted ON public.harvester_remoteheader USING btree (link_id, id) WHERE ((state)::text = ANY ((ARRAY['wanted'::character varying, 'absent'::character varying, 'doubted'::character varying])::text[]));


--
-- Name: invalid_records; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invalid_records ON public.catalogue_validation USING btree (record_id) WHERE ((structure)::text = 'invalid'::text);


--
-- Name: membership_list_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX membership_list_order ON public.catalogue_membership USING btree (set_id, datestamp, record_id);


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
-- Name: one_open_run_per_link; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX one_open_run_per_link ON public.harvester_run USING btree (link_id) WHERE ((state)::text = 'open'::text);


--
-- Name: one_own_set_and_one_catalogue_set; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX one_own_set_and_one_catalogue_set ON public.catalogue_metadataset USING btree (kind) WHERE ((kind)::text = ANY ((ARRAY['own'::character varying, 'catalogue'::character varying])::text[]));


--
-- Name: record_list_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX record_list_order ON public.catalogue_record USING btree (datestamp, id);


--
-- Name: rejects_called_otherwise; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rejects_called_otherwise ON public.harvester_reject USING btree (file_key) WHERE (NOT (file_key = ''::text));


--
-- Name: runs_of_a_link; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_of_a_link ON public.harvester_run USING btree (link_id, begun DESC);


--
-- Name: tombstones_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tombstones_by_age ON public.catalogue_record USING btree (datestamp) WHERE deleted;


--
-- Name: validation_by_rules; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX validation_by_rules ON public.catalogue_validation USING btree (rules, record_id);


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
-- Name: catalogue_dictionary dictionaries_are_kept; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER dictionaries_are_kept AFTER DELETE OR UPDATE OF id, content, sha256 OR TRUNCATE ON public.catalogue_dictionary FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_keep_dictionaries();


--
-- Name: oaiprovider_crosswalk oaiprovider_crosswalk_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER oaiprovider_crosswalk_changed BEFORE INSERT OR UPDATE ON public.oaiprovider_crosswalk FOR EACH ROW EXECUTE FUNCTION public.oaiprovider_crosswalk_changed();


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
-- Name: catalogue_record catalogue_record_owner_id_bed05f8c_fk_catalogue_metadataset_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_record
    ADD CONSTRAINT catalogue_record_owner_id_bed05f8c_fk_catalogue_metadataset_id FOREIGN KEY (owner_id) REFERENCES public.catalogue_metadataset(id) DEFERRABLE INITIALLY DEFERRED;


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
-- Name: catalogue_validation catalogue_validation_record_id_9605f233_fk_catalogue_record_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalogue_validation
    ADD CONSTRAINT catalogue_validation_record_id_9605f233_fk_catalogue_record_id FOREIGN KEY (record_id) REFERENCES public.catalogue_record(id) DEFERRABLE INITIALLY DEFERRED;


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
-- PostgreSQL database dump complete
--


