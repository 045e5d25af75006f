"""Lists that a real streaming replica gives, and when the primary gives them instead (S2, P39)."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.checks import run_checks
from django.db import connection, connections, transaction
from django.test import Client

from catalogue import datestamps, tasks
from catalogue.models import DatestampClock, JournalPosition, MetadataSet, Record
from catalogue.reading import lists, replica
from catalogue.reading.replica import Cause
from gisc.parts import parts
from gisc.parts.reasons import PartCode
from gisc.problem_reasons import ProblemCode
from gisc.problems import find_problems
from tests.support import asking, world
from tests.support.nodes import free_port
from tests.support.poolers import needs_pgbouncer, pooler
from tests.support.replicas import ReplicaServer, as_replica, counted, replica_of, replica_of_the_tests
from tests.support.sql import run
from tests.support.threads import threads
from tests.support.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
LIST = {"verb": "ListRecords", "metadataPrefix": "iso19139"}
HOUR = timedelta(hours=1)


@pytest.fixture
def copy(server: ReplicaServer) -> Iterator[ReplicaServer]:
    """The replica, from which this process reads lists; it has all that was written before."""
    server.catch_up()
    with as_replica(server):
        yield server
    server.resume()


def asked(client: Client, outcome: str, **arguments: str) -> asking.Answer:
    """The answer to a list request that the replica gave, or for this cause the primary."""
    before = counted(outcome)
    answer = asking.get(client, **arguments)
    assert counted(outcome) == before + 1
    return answer


def put(*names: str, title: str = "Surface observations") -> None:
    world.put(*(world.iso_record(name, title=title) for name in names))


# --- What the replica answers ---------------------------------------------------------------------------


@pytest.mark.spec("S2", "P39")
@pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers"])
def test_a_list_has_what_was_replayed_and_its_date_is_not_later(client: Client, copy: ReplicaServer, verb: str) -> None:
    put("urn:a")
    copy.catch_up()
    mark = DatestampClock.objects.get().stamp
    copy.pause()
    put("urn:b")
    run("UPDATE catalogue_datestampclock SET stamp = stamp + interval '1 hour'")
    put("urn:c")
    answer = asked(client, "ok", verb=verb, metadataPrefix="iso19139")
    assert (answer.identifiers, answer.date) == (["urn:a"], datestamps.write(mark))
    copy.resume()
    copy.catch_up()
    assert asked(client, "ok", verb=verb, metadataPrefix="iso19139", from_=answer.date).identifiers == [
        "urn:a",
        "urn:b",
        "urn:c",
    ]


def test_all_pages_of_a_list_come_from_there_in_gzip_too(client: Client, copy: ReplicaServer, settings) -> None:
    settings.GISC_PAGE_RECORDS = 2
    put(*(f"urn:{number}" for number in range(5)))
    copy.catch_up()
    before = counted("ok")
    for coding in ("identity", "gzip"):
        pages = asking.walk(client, coding=coding, **LIST)
        assert [header.identifier for header in asking.headers_of(pages)] == [f"urn:{number}" for number in range(5)]
    assert counted("ok") == before + 6


@pytest.mark.spec("S2")
def test_all_but_lists_is_read_from_the_primary(client: Client, copy: ReplicaServer) -> None:
    """Who has seen a record in a list of the primary asks for it by GetRecord, and would delete what is unknown."""
    copy.catch_up()
    copy.pause()
    put("urn:new")
    MetadataSet.objects.create(spec="NEW", name="New")
    assert asking.get(client, verb="GetRecord", identifier="urn:new", metadataPrefix="iso19139").codes == []
    assert "NEW" in [each.text for each in asking.get(client, verb="ListSets").find("//o:setSpec")]
    formats = asking.get(client, verb="ListMetadataFormats", identifier="urn:new")
    assert formats.codes == []
    identified = asking.get(client, verb="Identify")
    assert identified.date >= datestamps.write(Record.objects.get().datestamp)


def test_people_in_a_browser_read_the_primary(client: Client, copy: ReplicaServer) -> None:
    copy.catch_up()
    copy.pause()
    put("urn:just-stored")
    page = client.get("/oai/browse", {**LIST})
    assert b"urn:just-stored" in page.content


def test_nothing_is_written_there_and_nothing_else_is_read_there(copy: ReplicaServer) -> None:
    copy.catch_up()
    with replica.reading():
        with connections[replica.ALIAS].cursor() as cursor:
            cursor.execute("SHOW default_transaction_read_only")
            assert cursor.fetchone() == ("on",)
        read_there = MetadataSet.objects.get(spec=world.OUR_SPEC)
        assert read_there._state.db == replica.ALIAS
        read_there.name = "Changed"
        read_there.save()
        assert MetadataSet.objects.create(spec="NEW", name="New")._state.db == "default"
    assert MetadataSet.objects.get(spec=world.OUR_SPEC).name == "Changed"
    read_there.refresh_from_db()
    assert read_there._state.db == "default"


@pytest.mark.spec("P39")
def test_the_tick_moves_the_mark_on_for_lists_of_a_replica(copy: ReplicaServer) -> None:
    put("urn:a")
    run("UPDATE catalogue_datestampclock SET stamp = stamp - interval '1 hour'")
    old = DatestampClock.objects.get().stamp
    tasks._raise_mark()
    assert DatestampClock.objects.get().stamp >= old + HOUR
    copy.catch_up()
    with replica.reading() as at:
        assert at >= old + HOUR


# --- Lists that the primary gives, each for its reason --------------------------------------------------


@pytest.mark.spec("S2", "P99")
def test_a_token_of_the_primary_is_continued_there_while_the_replica_lags(
    client: Client, copy: ReplicaServer, settings
) -> None:
    """No 503: the primary can answer."""
    settings.GISC_PAGE_RECORDS = 1
    copy.catch_up()
    copy.pause()
    put("urn:a", "urn:b", "urn:c")
    run("UPDATE catalogue_datestampclock SET stamp = stamp + interval '1 hour'")
    first = asked(client, "refused", **LIST)  # there is none at the replica
    second = asked(client, "too-new", verb="ListRecords", resumptionToken=first.token)
    copy.resume()
    copy.catch_up()
    third = asked(client, "ok", verb="ListRecords", resumptionToken=second.token)
    assert [*first.identifiers, *second.identifiers, *third.identifiers] == ["urn:a", "urn:b", "urn:c"]


@pytest.mark.spec("S2", "P39", "P146")
def test_a_list_from_or_until_a_time_that_was_not_replayed_is_the_primary_s(
    client: Client, copy: ReplicaServer
) -> None:
    """Its date would be before its `from`, and what the harvester has up to `until` would have a gap."""
    put("urn:old")
    copy.catch_up()
    copy.pause()
    run("UPDATE catalogue_datestampclock SET stamp = stamp + interval '1 hour'")
    put("urn:new")
    at = lists.instant()
    now, before = datestamps.write(at), datestamps.write(at - HOUR / 2)
    assert asked(client, "too-new", **LIST, from_=now).identifiers == ["urn:new"]
    assert asked(client, "too-new", **LIST, from_=before).date >= before
    assert asked(client, "too-new", **LIST, until=now).identifiers == ["urn:old", "urn:new"]
    assert asked(client, "too-new", **LIST, until=before).identifiers == ["urn:old"]


@pytest.mark.spec("S2", "P39", "P92")
def test_no_record_goes_back_to_an_earlier_state_of_the_second_of_the_mark(client: Client, copy: ReplicaServer) -> None:
    """It changed twice in one second, of which the replica has replayed the first half."""
    put("urn:a", title="First")
    copy.catch_up()
    copy.pause()
    mark = datestamps.write(DatestampClock.objects.get().stamp)
    put("urn:a", title="Second")
    world.restamp("urn:a", mark)
    run("UPDATE catalogue_datestampclock SET stamp = %s", mark)
    for bound in ("from_", "until"):
        answer = asked(client, "too-new", **LIST, **{bound: mark})
        assert answer.find("string(//*[local-name()='title'])").strip() == "Second", bound
    run("UPDATE catalogue_datestampclock SET stamp = stamp + interval '1 hour'")
    copy.resume()
    copy.catch_up()
    for bound in ("from_", "until"):
        answer = asked(client, "ok", **LIST, **{bound: mark})
        assert answer.find("string(//*[local-name()='title'])").strip() == "Second", bound


def test_errors_are_the_primary_s(client: Client, copy: ReplicaServer) -> None:
    """A set or a format of which the harvester has just learnt is no error."""
    put("urn:a")
    copy.catch_up()
    copy.pause()
    world.put(world.iso_record("urn:b"), into=world.peer_set(world.TOULOUSE))
    assert asked(client, "refused", **LIST, set=world.TOULOUSE.spec).identifiers == ["urn:b"]
    copy.resume()
    copy.catch_up()
    assert asked(client, "ok", **LIST, set=world.TOULOUSE.spec).identifiers == ["urn:b"]
    assert asked(client, "refused", verb="ListRecords", resumptionToken="junk").codes == ["badResumptionToken"]
    before = counted("ok") + counted("refused")
    assert asking.get(client, verb="ListRecords").codes == ["badArgument"]
    assert counted("ok") + counted("refused") == before, "bad arguments need no database"


@pytest.mark.spec("S26")
def test_a_record_that_is_damaged_there_comes_from_the_primary(client: Client, copy: ReplicaServer) -> None:
    """Left out of the list, it would be missing: it was not repaired under a new datestamp."""
    put("urn:a", "urn:b")
    run("UPDATE catalogue_record SET payload = '\\x00' WHERE identifier = 'urn:b'")
    copy.catch_up()
    copy.pause()
    copies = Record.objects.get(identifier="urn:a").payload
    run("UPDATE catalogue_record SET payload = %s WHERE identifier = 'urn:b'", bytes(copies))
    for coding in ("identity", "gzip"):
        before = counted("damaged")
        assert asking.get(client, coding=coding, **LIST).identifiers == ["urn:a", "urn:b"]
        assert counted("damaged") == before + 1


def test_a_statement_that_waits_for_the_replay_too_long_is_asked_of_the_primary(
    client: Client, server: ReplicaServer
) -> None:
    put("urn:a")
    server.catch_up()
    locks = (
        "SELECT count(*) FROM pg_locks WHERE relation = 'catalogue_record'::regclass AND mode = 'AccessExclusiveLock'"
    )
    with as_replica(server, options="-c statement_timeout=500ms"):
        try:
            with transaction.atomic():
                run("LOCK TABLE catalogue_record IN ACCESS EXCLUSIVE MODE")
                run("UPDATE catalogue_datestampclock SET stamp = stamp")  # what has written nothing sends no lock
                run("SELECT pg_switch_wal()")
                until(lambda: server.sql(locks)[0][0] == 1, 60, "the lock has arrived")
                server.pause()
            assert asked(client, "cancelled", **LIST).identifiers == ["urn:a"]
        finally:
            server.resume()
        server.catch_up()
        assert asked(client, "ok", **LIST).identifiers == ["urn:a"]


def query_for_a_minute() -> None:
    with replica.reading(), transaction.atomic(using=replica.ALIAS):
        query_there("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        query_there("SELECT count(*) FROM scratch, pg_sleep(60)")


def query_there(statement: str) -> None:
    with connections[replica.ALIAS].cursor() as cursor:
        cursor.execute(statement)


def test_a_query_that_the_replay_cancels_is_asked_of_the_primary(copy: ReplicaServer) -> None:
    """Rows that a query at the replica may still see are removed at the primary."""
    copy.sql("ALTER SYSTEM SET max_standby_streaming_delay = 0")
    copy.sql("ALTER SYSTEM SET hot_standby_feedback = off")
    copy.sql("SELECT pg_reload_conf()")
    try:
        until(lambda: copy.sql("SHOW hot_standby_feedback") == [("off",)], 60, "the setting is in force")
        run("DROP TABLE IF EXISTS scratch; CREATE TABLE scratch AS SELECT generate_series(1, 1000) AS n")
        run("VACUUM scratch")
        copy.catch_up()
        with threads(1) as running:
            query = running.start(query_for_a_minute)
            active = (
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%FROM scratch%' AND wait_event = 'PgSleep'"
            )
            until(lambda: copy.sql(active)[0][0] == 1, 60, "the query runs")
            run("DELETE FROM scratch")
            run("VACUUM scratch")
            caught = query.exception(120)
        assert isinstance(caught, replica.Unfit) and caught.cause == Cause.CANCELLED
    finally:
        run("DROP TABLE IF EXISTS scratch")
        copy.sql("ALTER SYSTEM RESET max_standby_streaming_delay")
        copy.sql("ALTER SYSTEM RESET hot_standby_feedback")
        copy.sql("SELECT pg_reload_conf()")


# --- Replicas that are not used -------------------------------------------------------------------------


def part(node: parts.Node | None = None) -> parts.Part:
    return next(each for each in (node or parts.read()).parts if each.name == "replica")


def warnings() -> list[str]:
    return [message.msg for message in run_checks(databases=["default"]) if message.id == "gisc.W006"]


def refused(client: Client, cause: Cause, code: PartCode) -> None:
    """The primary gives a list for this cause, and the operator is told."""
    connections["default"].close()  # as in another process
    assert asked(client, cause, **LIST).identifiers == ["urn:a"]
    node = parts.read()
    found = part(node)
    assert (found.state, found.reason.code) == (parts.State.DEGRADED, code)
    problems = {problem.code: problem.text for problem in find_problems(node=node)}
    assert problems[ProblemCode.PART_REPLICA] == found.sentence
    told, expected = (  # one after the other: a lag may be a second longer by then
        [re.sub(r"lags by \d+ s", "lags by N s", sentence) for sentence in sentences]
        for sentences in (warnings(), [found.sentence])
    )
    assert told == expected


def test_a_role_without_special_rights_may_ask_both_servers_what_they_are(server: ReplicaServer) -> None:
    """Rights of PostgreSQL itself, at the version of the test run."""
    names = ("control_system", "control_checkpoint", "control_recovery", "current_wal_flush_lsn", "last_wal_replay_lsn")
    functions = [f"pg_{name}()" for name in (*names, "last_xact_replay_timestamp", "is_in_recovery")]
    run("DROP ROLE IF EXISTS plain")
    run("CREATE ROLE plain")
    try:
        for function in (*functions, "pg_walfile_name(pg_lsn)", "catalogue_instant()"):
            assert run("SELECT has_function_privilege('plain', %s, 'EXECUTE')", function) == [(True,)], function
    finally:
        run("DROP ROLE plain")


def test_no_replica_and_a_well_one_are_well(server: ReplicaServer, settings) -> None:
    assert (part().state, warnings()) == (parts.State.OK, [])
    server.catch_up()
    with as_replica(server):
        assert (part().state, warnings()) == (parts.State.OK, [])
        lag_s = part().reason.facts["lag_s"]  # above 0 where PostgreSQL has written for itself since: a checkpoint
        assert 0 <= lag_s <= settings.GISC_REPLICA_LAG_SECONDS


def test_a_lag_above_the_limit_and_none_of_a_primary_that_writes_nothing(
    client: Client, copy: ReplicaServer, settings
) -> None:
    settings.GISC_REPLICA_LAG_SECONDS = 1800
    put("urn:a")
    run(
        "CREATE OR REPLACE FUNCTION gisc_clock() RETURNS timestamptz LANGUAGE sql AS $$ SELECT clock_timestamp() + interval '1 hour' $$"
    )
    try:
        copy.catch_up()
        assert asked(client, "ok", **LIST).identifiers == ["urn:a"], "an hour after the last commit"
        copy.pause()
        run("SET synchronous_commit = on")  # as it is but for tests
        run("UPDATE catalogue_datestampclock SET stamp = stamp")
        refused(client, Cause.LAGS, PartCode.REPLICA_LAGS)
        assert 3600 <= part().reason.facts["lag_s"] < 3600 + 1800
    finally:
        run(
            "CREATE OR REPLACE FUNCTION gisc_clock() RETURNS timestamptz LANGUAGE sql AS $$ SELECT clock_timestamp() $$"
        )


def test_a_replica_of_another_epoch_is_not_used(client: Client, copy: ReplicaServer) -> None:
    put("urn:a")
    copy.catch_up()
    copy.pause()
    JournalPosition.objects.create(pk=1, epoch=7, number=1)
    refused(client, Cause.OTHER_EPOCH, PartCode.REPLICA_OTHER_EPOCH)
    copy.resume()
    copy.catch_up()
    assert asked(client, "ok", **LIST).identifiers == ["urn:a"]


def test_another_database_is_not_used(client: Client, server: ReplicaServer) -> None:
    put("urn:a")
    elsewhere = "other_catalogue"
    world_sql(f"CREATE DATABASE {elsewhere}")
    try:
        server.copy_primary_into(elsewhere)
        server.catch_up()
        for database in ("postgres", elsewhere):
            with as_replica(server, database=database):
                refused(client, Cause.OTHER_DATABASE, PartCode.REPLICA_OTHER_DATABASE)
    finally:
        world_sql(f"DROP DATABASE {elsewhere}")


def world_sql(statement: str) -> None:
    """Run a statement that has to run outside a transaction and outside the test's own database."""
    other = connection.copy()
    other.settings_dict = {**other.settings_dict, "NAME": "postgres"}
    try:
        with other.cursor() as cursor:
            cursor.execute(statement)
    finally:
        other.close()


def test_the_primary_itself_is_no_replica(client: Client, server: ReplicaServer) -> None:
    put("urn:a")
    with as_replica(server, host=connection.settings_dict["OPTIONS"]["host"], port=5432):
        refused(client, Cause.PROMOTED, PartCode.REPLICA_PROMOTED)


def test_a_replica_that_was_never_there(client: Client, server: ReplicaServer, caplog) -> None:
    put("urn:a")
    with as_replica(server, port=free_port()):
        refused(client, Cause.AWAY, PartCode.REPLICA_AWAY)
        assert asked(client, Cause.AWAY, **LIST).identifiers == ["urn:a"]
    lines = [record for record in caplog.records if record.name == "oaiprovider.views"]
    assert [record.levelname for record in lines] == ["WARNING"], "once, not with each list"


@needs_pgbouncer
def test_a_pooler_that_shares_the_sessions_of_the_replica(
    client: Client, server: ReplicaServer, tmp_path: Path
) -> None:
    """A session has settings: how long a statement may take, and that it writes nothing."""
    put("urn:a")
    server.catch_up()
    for mode in ("transaction", "session"):
        with pooler(tmp_path / mode, server.url, mode) as url, as_replica(server, port=urlsplit(url).port):
            if mode == "session":
                assert asked(client, "ok", **LIST).identifiers == ["urn:a"]
            else:
                refused(client, Cause.POOLED, PartCode.REPLICA_POOLED)


def test_a_replica_that_stops_starts_again_and_is_promoted(client: Client) -> None:
    put("urn:a")
    with replica_of_the_tests() as server:
        server.catch_up()
        with as_replica(server):
            assert asked(client, "ok", **LIST).identifiers == ["urn:a"]
            server.stop("immediate")
            refused(client, Cause.AWAY, PartCode.REPLICA_AWAY)
            server.start()
            server.catch_up()
            replica.forget()  # as ten seconds later
            assert asked(client, "ok", **LIST).identifiers == ["urn:a"]
            server.stop()
            server.start()
            server.catch_up()
            assert asked(client, "ok", **LIST).identifiers == ["urn:a"], "the lost connection is replaced"
            server.promote()
            refused(client, Cause.PROMOTED, PartCode.REPLICA_PROMOTED)
        of_it = replica_of("127.0.0.1", server.database, port=server.port, account=server.account)
        with of_it as its_replica, as_replica(its_replica):
            refused(client, Cause.OTHER_TIMELINE, PartCode.REPLICA_OTHER_TIMELINE)
