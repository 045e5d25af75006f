"""Tombstones are told for as long as was promised, and go whole and in order after that (P82-P88, W8)."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue import seams
from catalogue.models import DatestampClock, DayLived, HostUptime, Membership, MetadataSet, Record
from catalogue.reading import lists
from catalogue.tasks import tick
from catalogue.writing import days_lived, purge, store
from harvester.models import HostClock
from tests.support import looking, world
from tests.support.commands import printed
from tests.support.threads import TIMEOUT_S, threads, waiting_for_the_clock
from tests.support.waiting import until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spec("P85")]

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def retention(settings) -> int:
    settings.GISC_TOMBSTONE_RETENTION_DAYS = 92
    world.live_days(93)
    return 92


def ago(days: float) -> str:
    at = datetime.now(UTC) - timedelta(days=days)
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def buried(days: float, *identifiers: str, into: MetadataSet | None = None) -> None:
    """Tombstones of that age."""
    world.bury(*identifiers, into=into)
    for identifier in identifiers:
        world.restamp(identifier, ago(days))


def held() -> set[str]:
    return set(Record.objects.values_list("identifier", flat=True))


def ask(client, **arguments: str) -> str:
    return client.get("/oai", arguments).content.decode()


# --- What goes, and what stays --------------------------------------------------------------------------


@pytest.mark.spec("W8", "P85")
def test_what_was_deleted_longer_ago_than_the_retention_goes_and_the_rest_stays() -> None:
    world.put(world.iso_record("urn:live"))
    world.restamp("urn:live", ago(900))
    buried(900, "urn:ancient")
    buried(92 + 1 / 1440, "urn:just:over")
    buried(92 - 1 / 1440, "urn:just:within")
    buried(1, "urn:young")
    done = purge.purge()
    assert (done.tombstones, done.memberships) == (2, 0)
    assert held() == {"urn:live", "urn:just:within", "urn:young"}
    assert Membership.objects.count() == 3
    assert purge.purge().tombstones == 0
    assert looking.sizes_that_are_wrong() == []


def test_a_tombstone_goes_whole_with_its_memberships_or_not_at_all() -> None:
    buried(100, "urn:a", "urn:b")
    toulouse = world.peer_set(world.TOULOUSE)
    for identifier, days in (("urn:a", 100), ("urn:b", 10)):
        stamp = datetime.now(UTC).replace(microsecond=0) - days * DAY
        Membership.objects.create(record=looking.record(identifier), set=toulouse, datestamp=stamp, deleted=True)
    assert purge.purge().tombstones == 1
    assert held() == {"urn:b"}
    assert looking.record("urn:b").memberships.count() == 2


def test_a_set_that_a_living_record_left_long_ago_is_no_longer_told() -> None:
    toulouse, offenbach = world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"), into=toulouse)
    store.move(["urn:a", "urn:b"], into=offenbach)
    stamp = datetime.now(UTC).replace(microsecond=0) - 93 * DAY
    Membership.objects.filter(record__identifier="urn:a", set=toulouse).update(datestamp=stamp)
    Membership.objects.filter(record__identifier="urn:a", set=offenbach).update(datestamp=stamp)
    done = purge.purge()
    assert (done.tombstones, done.memberships) == (0, 1)
    assert list(looking.listed(toulouse.spec)) == ["urn:b"]
    assert not looking.listed(offenbach.spec)["urn:a"].deleted
    assert held() == {"urn:a", "urn:b"}


def test_without_a_limit_nothing_ever_goes(settings) -> None:
    settings.GISC_TOMBSTONE_RETENTION_DAYS = None
    buried(36500, "urn:a")
    assert purge.purge() == purge.PurgeReport(None)
    assert held() == {"urn:a"}


def test_tombstones_go_oldest_first_so_what_an_interruption_leaves_is_a_span_of_time(monkeypatch) -> None:
    for days in (300, 100, 200, 150, 250):
        buried(days, f"urn:{days}")
    real, seen = purge._purge_batch, []

    def note(*arguments) -> dict[str, int]:
        gone = real(*arguments)
        seen.append(sorted(held()))
        return gone

    monkeypatch.setattr(purge, "_purge_batch", note)
    purge.purge(batch=2)
    assert seen == [["urn:100", "urn:150", "urn:200"], ["urn:100"], []]


def test_a_tombstone_that_came_back_while_the_purge_waited_for_its_turn_stays() -> None:
    buried(100, "urn:a", "urn:b")
    with threads(1) as running, transaction.atomic():
        world.put(world.iso_record("urn:a"))  # takes the lock and holds it until the end of this block
        purged = running.start(purge.purge)
        until(waiting_for_the_clock, TIMEOUT_S, "the purge waits for the lock")
    assert purged.result(TIMEOUT_S).tombstones == 1
    assert held() == {"urn:a"}
    assert not looking.record("urn:a").deleted


def test_a_dry_run_counts_and_writes_nothing() -> None:
    buried(100, "urn:a", "urn:b")
    buried(1, "urn:c")
    before = looking.row_versions()
    assert purge.purge(dry_run=True).tombstones == 2
    assert looking.row_versions() == before


def test_a_mark_ahead_of_the_clock_does_not_shorten_the_retention() -> None:
    buried(91, "urn:a")
    DatestampClock.objects.update(stamp=datetime.now(UTC).replace(microsecond=0) + 30 * DAY)
    assert purge.purge().tombstones == 0


# --- What others see of it ------------------------------------------------------------------------------


@pytest.mark.spec("P64")
def test_a_purged_identifier_is_unknown_and_absent_from_lists_and_stays_in_the_journal(client, journal_dir) -> None:
    buried(100, "urn:a")
    buried(10, "urn:b")
    assert 'status="deleted"' in ask(client, verb="GetRecord", identifier="urn:a", metadataPrefix="iso19139")
    purge.purge()
    for question in (
        {"verb": "GetRecord", "metadataPrefix": "iso19139"},
        {"verb": "ListMetadataFormats"},
    ):  # T3.25, T3.14
        assert 'code="idDoesNotExist"' in ask(client, identifier="urn:a", **question)
    for verb in ("ListRecords", "ListIdentifiers"):
        for within in ({}, {"set": world.OUR_SPEC}):
            answer = ask(client, verb=verb, metadataPrefix="iso19139", **within)
            assert ("urn:a" in answer, "urn:b" in answer) == (False, True)
    assert '"urn:a"' in next(journal_dir.glob("deletions-*")).read_text()


@pytest.mark.spec("P86")
def test_a_purged_identifier_may_come_back() -> None:
    buried(100, "urn:a")
    purge.purge()
    world.put(world.iso_record("urn:a"))
    assert not looking.record("urn:a").deleted


@pytest.mark.spec("P55")
def test_the_lower_bound_of_datestamps_does_not_move_and_stays_true(client) -> None:
    buried(100, "urn:oldest")
    buried(10, "urn:younger")
    DatestampClock.objects.update(earliest=datetime.now(UTC).replace(microsecond=0) - 400 * DAY)
    before = lists.earliest()
    purge.purge()
    assert lists.earliest() == before <= min(Record.objects.values_list("datestamp", flat=True))
    assert f"<earliestDatestamp>{before:%Y-%m-%dT%H:%M:%SZ}</earliestDatestamp>" in ask(client, verb="Identify")
    # A harvester that asks from it gets all there is.
    everything = ask(
        client, verb="ListIdentifiers", metadataPrefix="iso19139", **{"from": f"{before:%Y-%m-%dT%H:%M:%SZ}"}
    )
    assert "urn:younger" in everything


@pytest.mark.spec("P101", "P88")
@pytest.mark.parametrize("spec", ["", world.OUR_SPEC])
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_list_that_is_being_walked_goes_on_after_a_purge(client, settings, spec: str, after: int) -> None:
    """Tombstones before and behind the place, and the one that is the place itself, go."""
    settings.GISC_PAGE_HEADERS = 2
    expected = []
    for number in range(8):
        identifier = f"urn:{number}"
        if number in (1, 2, 3, 4, 5):
            buried(200 - number, identifier)
        else:
            world.put(world.iso_record(identifier))
            world.restamp(identifier, ago(200 - number))
            expected.append(identifier)
    arguments = {"verb": "ListIdentifiers", "metadataPrefix": "iso19139"} | ({"set": spec} if spec else {})
    found, pages = [], 0
    while True:
        answer = ask(client, **arguments)
        assert "<error" not in answer, answer
        found += [part.split("</identifier>")[0] for part in answer.split("<identifier>")[1:]]
        pages += 1
        if pages == after:
            assert purge.purge().tombstones == 5
        token = (
            answer.split("<resumptionToken")[1].split(">", 1)[1].split("<")[0] if "<resumptionToken" in answer else ""
        )
        if not token:
            break
        arguments = {"verb": "ListIdentifiers", "resumptionToken": token}
    assert [identifier for identifier in found if identifier in expected] == expected
    assert len(set(found)) == len(found)


@pytest.mark.spec("P82")
@pytest.mark.parametrize(("days", "policy"), [(92, "transient"), (None, "persistent")])
def test_identify_promises_what_the_purge_keeps(client, settings, days: int | None, policy: str) -> None:
    settings.GISC_TOMBSTONE_RETENTION_DAYS = days
    assert f"<deletedRecord>{policy}</deletedRecord>" in ask(client, verb="Identify")


# --- When, and how to ask for it ------------------------------------------------------------------------


class Host:
    """The clocks of a host: its monotonic time, and the wall clock of host and database, which may be wrong."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, boot: str = "boot 1") -> None:
        self.seconds = 1000.0
        monkeypatch.setattr(seams, "host_boot", lambda: boot)
        monkeypatch.setattr(seams, "monotonic", lambda: self.seconds)

    def tick(self, minutes: float = 10) -> None:
        self.seconds += minutes * 60
        tick()

    def live(self, hours: float) -> None:
        for _ in range(round(hours * 6)):
            self.seconds += 600
            days_lived.count()


@pytest.fixture
def host(monkeypatch) -> Host:
    started = Host(monkeypatch)
    days_lived.count()
    return started


def test_the_tick_purges_once_a_day_that_was_lived(host: Host) -> None:
    buried(100, "urn:a")
    host.live(19.5)
    host.tick()
    assert held() == {"urn:a"}
    host.live(0.2)
    host.tick()
    assert held() == set()
    assert DayLived.objects.latest("pk").purge["tombstones"] == 1
    buried(100, "urn:b")
    host.tick()
    assert held() == {"urn:b"}
    host.live(20)
    host.tick()
    assert held() == set()


def test_a_purge_that_failed_is_tried_again_by_the_next_tick(host: Host, monkeypatch) -> None:
    buried(100, "urn:a")
    host.live(20)

    def fail(**_: object) -> None:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(purge, "purge", fail)
        host.tick()
    assert held() == {"urn:a"}
    host.tick()
    assert held() == set()


# --- Age is counted in days lived, whatever the clocks say ------------------------------------------------


def set_database_clock(days: float) -> None:
    """Let the database's clock be so many days ahead."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION gisc_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS "
            f"$$ SELECT clock_timestamp() + interval '{days} days' $$"
        )


@pytest.fixture
def database_clock():
    yield set_database_clock
    set_database_clock(0)


@pytest.mark.spec("W19", "S33")
def test_one_tick_with_a_clock_100_days_ahead_removes_no_tombstone(host: Host, database_clock) -> None:
    DayLived.objects.all().delete()
    world.bury("urn:a")
    host.live(19.9)
    database_clock(100)
    host.tick()
    assert DayLived.objects.count() == 1, "a wrong clock adds one day"
    assert purge.purge(even_if_many=True).tombstones == 0
    database_clock(0)
    host.tick()
    assert held() == {"urn:a"}


@pytest.mark.spec("W19", "S33")
def test_nor_do_days_that_were_lived_before_the_record_was_deleted(host: Host, database_clock) -> None:
    world.bury("urn:a")
    database_clock(400)
    assert purge.purge(even_if_many=True).tombstones == 0
    for _ in range(3):
        host.live(20)
        host.tick()
    assert held() == {"urn:a"}


def test_a_node_that_has_lived_no_92_days_removes_nothing(host: Host) -> None:
    DayLived.objects.first().delete()
    DayLived.objects.first().delete()
    buried(900, "urn:a")
    assert purge.purge() == purge.PurgeReport(None, days_lived=91)
    assert "91 of the 92 days" in command()
    host.live(20)
    assert purge.purge().tombstones == 1


@given(st.lists(st.tuples(st.sampled_from(["boot 1", "boot 2"]), st.floats(0, 400_000)), max_size=60))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_more_days_are_counted_than_the_longest_host_has_run(ticks: list[tuple[str, float]]) -> None:
    """Whatever hosts tick in turn, are stopped and are booted anew."""
    DayLived.objects.all().delete()
    HostUptime.objects.all().delete()
    clocks = {"boot 1": 5000.0, "boot 2": 0.0}
    with pytest.MonkeyPatch.context() as patched:
        for boot, seconds in ticks:
            clocks = {name: at + seconds for name, at in clocks.items()}
            patched.setattr(seams, "host_boot", lambda boot=boot: boot)
            patched.setattr(seams, "monotonic", lambda now=clocks[boot]: now)
            days_lived.count()
    assert DayLived.objects.count() <= clocks["boot 2"] / (days_lived.HOURS_PER_DAY * 3600)


def test_two_hosts_of_one_node_do_not_count_a_day_twice(monkeypatch) -> None:
    before = DayLived.objects.count()
    one, other = Host(monkeypatch), None
    days_lived.count()
    other = Host(monkeypatch, "boot 2")
    days_lived.count()
    for _ in range(6 * 40 + 2):
        for host, boot in ((one, "boot 1"), (other, "boot 2")):
            monkeypatch.setattr(seams, "host_boot", lambda boot=boot: boot)
            monkeypatch.setattr(seams, "monotonic", lambda host=host: host.seconds)
            host.seconds += 600
            days_lived.count()
    assert DayLived.objects.count() == before + 2


def test_time_in_which_the_node_was_stopped_does_not_count(host: Host) -> None:
    before = DayLived.objects.count()
    host.tick(minutes=60 * 24 * 30)
    assert DayLived.objects.count() == before


# --- What else may veto ----------------------------------------------------------------------------------


def test_most_of_all_tombstones_do_not_go_at_once_by_themselves(host: Host, caplog) -> None:
    identifiers = [f"urn:{number}" for number in range(100)]
    world.bury(*identifiers)
    Record.objects.update(datestamp=datetime.now(UTC).replace(microsecond=0) - 100 * DAY)
    Membership.objects.update(datestamp=datetime.now(UTC).replace(microsecond=0) - 100 * DAY)
    host.live(20)
    host.tick()
    assert len(held()) == 100
    assert "tombstones are not purged" in caplog.text
    with pytest.raises(SystemExit):
        command()
    assert "100 tombstones" in command("--dry-run")
    assert "100 tombstones" in command("--even-if-many")
    assert held() == set()


@pytest.mark.spec("W19")
def test_nothing_goes_while_the_clock_is_known_to_be_wrong(host: Host, monkeypatch) -> None:
    buried(100, "urn:a")
    clock = HostClock.objects.create(pk=1, checked=datetime.now(UTC), offset_s=-8_640_000)
    assert [veto.code for veto in purge.purge().vetoes] == ["clock-wrong"]
    assert held() == {"urn:a"}
    clock.delete()
    assert purge.purge().tombstones == 1


def command(*arguments: str) -> str:
    return printed("catalogue", "purge", *arguments)


def test_the_command_says_what_went(settings) -> None:
    buried(100, "urn:a", "urn:b")
    report = json.loads(command("--dry-run", "--json"))
    assert report.pop("before") <= ago(92)
    assert report == {"tombstones": 2, "memberships": 0, "vetoes": [], "days_lived": 92, "dry_run": True}
    assert "2 tombstones and 0 ended memberships" in command("--dry-run")
    assert "would be removed" in command("--dry-run")
    assert "are removed" in command()
    assert held() == set()
    settings.GISC_TOMBSTONE_RETENTION_DAYS = None
    assert "kept for ever" in command()


def plan(statement: str, values: dict) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}", values)
        return "\n".join(row[0] for row in cursor.fetchall())


def test_neither_the_purge_nor_the_search_for_invalid_records_reads_the_whole_catalogue() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO catalogue_record (identifier, key, datestamp, deleted, owner_id, set_specs, payload, digest)
            SELECT 'urn:' || n, 'urn:' || n, timestamptz '2020-01-01Z' + n * interval '1 hour', n %% 100 = 0, %s, '{}',
                CASE WHEN n %% 100 > 0 THEN decode(repeat('00', 1000), 'hex') END, CASE WHEN n %% 100 > 0 THEN ''::bytea END
            FROM generate_series(1, 5000) n;
            INSERT INTO catalogue_membership (record_id, set_id, datestamp, deleted, direct)
            SELECT id, owner_id, datestamp, deleted, true FROM catalogue_record;
            INSERT INTO catalogue_validation (record_id, digest, rules, structure, schema, faults, checked)
            SELECT id, '', 'r', CASE WHEN id %% 1000 = 1 THEN 'invalid' ELSE 'valid' END, '', '[]', now()
            FROM catalogue_record WHERE NOT deleted;
            ANALYZE catalogue_record; ANALYZE catalogue_membership; ANALYZE catalogue_validation
            """,
            [world.own_set().pk],
        )
    purging = plan(purge._PURGEABLE, {"before": datetime(2020, 6, 1, tzinfo=UTC)})
    assert "tombstones_by_age" in purging
    assert "ended_memberships_by_age" in purging
    invalid = Record.objects.filter(deleted=False, validation__structure="invalid").order_by("-datestamp").only("id")
    assert "invalid_records" in invalid.explain()
