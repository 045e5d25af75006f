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
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_migrations VALUES
	(1, 'contenttypes', '0001_initial', '2026-11-21 23:19:39.59847+00'),
	(2, 'auth', '0001_initial', '2026-11-21 23:19:39.638451+00'),
	(3, 'admin', '0001_initial', '2026-11-21 23:19:39.656101+00'),
	(4, 'admin', '0002_logentry_remove_auto_add', '2026-11-21 23:19:39.667317+00'),
	(5, 'admin', '0003_logentry_add_action_flag_choices', '2026-11-21 23:19:39.68032+00'),
	(6, 'contenttypes', '0002_remove_content_type_name', '2026-11-21 23:19:39.696198+00'),
	(7, 'auth', '0002_alter_permission_name_max_length', '2026-11-21 23:19:39.706972+00'),
	(8, 'auth', '0003_alter_user_email_max_length', '2026-11-21 23:19:39.720749+00'),
	(9, 'auth', '0004_alter_user_username_opts', '2026-11-21 23:19:39.732668+00'),
	(10, 'auth', '0005_alter_user_last_login_null', '2026-11-21 23:19:39.741844+00'),
	(11, 'auth', '0006_require_contenttypes_0002', '2026-11-21 23:19:39.742864+00'),
	(12, 'auth', '0007_alter_validators_add_error_messages', '2026-11-21 23:19:39.753924+00'),
	(13, 'auth', '0008_alter_user_username_max_length', '2026-11-21 23:19:39.766781+00'),
	(14, 'auth', '0009_alter_user_last_name_max_length', '2026-11-21 23:19:39.773071+00'),
	(15, 'auth', '0010_alter_group_name_max_length', '2026-11-21 23:19:39.784057+00'),
	(16, 'auth', '0011_update_proxy_permissions', '2026-11-21 23:19:39.79438+00'),
	(17, 'auth', '0012_alter_user_first_name_max_length', '2026-11-21 23:19:39.801865+00'),
	(18, 'axes', '0001_initial', '2026-11-21 23:19:39.807924+00'),
	(19, 'axes', '0002_auto_20151217_2044', '2026-11-21 23:19:39.837844+00'),
	(20, 'axes', '0003_auto_20160322_0929', '2026-11-21 23:19:39.853413+00'),
	(21, 'axes', '0004_auto_20181024_1538', '2026-11-21 23:19:39.865265+00'),
	(22, 'axes', '0005_remove_accessattempt_trusted', '2026-11-21 23:19:39.867337+00'),
	(23, 'axes', '0006_remove_accesslog_trusted', '2026-11-21 23:19:39.87412+00'),
	(24, 'axes', '0007_alter_accessattempt_unique_together', '2026-11-21 23:19:39.895379+00'),
	(25, 'axes', '0008_accessfailurelog', '2026-11-21 23:19:39.902833+00'),
	(26, 'axes', '0009_add_session_hash', '2026-11-21 23:19:39.914919+00'),
	(27, 'axes', '0010_accessattemptexpiration', '2026-11-21 23:19:39.920271+00'),
	(28, 'catalogue', '0001_initial', '2026-11-21 23:19:39.998167+00'),
	(29, 'catalogue', '0002_clock', '2026-11-21 23:19:40.000478+00'),
	(30, 'catalogue', '0003_claims_dictionaries_and_validation', '2026-11-21 23:19:40.044999+00'),
	(31, 'catalogue', '0004_membership_direct', '2026-11-21 23:19:40.052548+00'),
	(32, 'catalogue', '0005_words', '2026-11-21 23:19:40.08017+00'),
	(33, 'catalogue', '0006_list_sizes', '2026-11-21 23:19:40.087515+00'),
	(34, 'catalogue', '0007_ledger', '2026-11-21 23:19:40.124458+00'),
	(35, 'harvester', '0001_initial', '2026-11-21 23:19:40.191528+00'),
	(36, 'harvester', '0002_strategies_and_headers', '2026-11-21 23:19:40.295252+00'),
	(37, 'harvester', '0003_what_links_know', '2026-11-21 23:19:40.319441+00'),
	(38, 'harvester', '0004_kinds_and_conflicts', '2026-11-21 23:19:40.355318+00'),
	(39, 'harvester', '0005_comparisons', '2026-11-21 23:19:40.66755+00'),
	(40, 'harvester', '0006_alternatives', '2026-11-21 23:19:40.73505+00'),
	(41, 'harvester', '0007_canary', '2026-11-21 23:19:40.737828+00'),
	(42, 'harvester', '0008_clocks', '2026-11-21 23:19:40.749838+00'),
	(43, 'harvester', '0009_access', '2026-11-21 23:19:40.839007+00'),
	(44, 'harvester', '0010_passwords_out_of_addresses', '2026-11-21 23:19:40.8574+00'),
	(45, 'harvester', '0011_cookies', '2026-11-21 23:19:40.873357+00'),
	(46, 'harvester', '0012_moved_to', '2026-11-21 23:19:40.885438+00'),
	(47, 'harvester', '0013_warnings', '2026-11-21 23:19:40.902642+00'),
	(48, 'harvester', '0014_at_once', '2026-11-21 23:19:40.916593+00'),
	(49, 'harvester', '0015_standby', '2026-11-21 23:19:41.020676+00'),
	(50, 'harvester', '0016_conflicts_and_sets', '2026-11-21 23:19:41.100363+00'),
	(51, 'harvester', '0017_holding', '2026-11-21 23:19:41.129852+00'),
	(52, 'oaiprovider', '0001_profile', '2026-11-21 23:19:41.152064+00'),
	(53, 'oaiprovider', '0002_crosswalk', '2026-11-21 23:19:41.159106+00'),
	(54, 'sessions', '0001_initial', '2026-11-21 23:19:41.162521+00');


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_migrations_id_seq', 54, true);


--
-- PostgreSQL database dump complete
--


