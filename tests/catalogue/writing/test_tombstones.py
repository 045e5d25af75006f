"""Tombstones are told for as long as was promised, and go whole and in order after that (P82-P88, W8)."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction

from catalogue.models import DatestampClock, Membership, MetadataSet, Record
from catalogue.reading import lists
from catalogue.tasks import tick
from catalogue.writing import purge, store
from tests.support import looking, world
from tests.support.commands import printed
from tests.support.threads import TIMEOUT_S, threads, waiting_for_the_clock
from tests.support.waiting import until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spec("P85")]

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def retention(settings) -> int:
    settings.GISC_TOMBSTONE_RETENTION_DAYS = 92
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


def test_the_tick_purges_once_a_day(monkeypatch) -> None:
    buried(100, "urn:a")
    tick()
    assert held() == set()
    buried(100, "urn:b")
    tick()
    assert held() == {"urn:b"}
    monkeypatch.setattr(purge, "_purged_on", datetime.now(UTC).date() - DAY)
    tick()
    assert held() == set()


def test_a_purge_that_failed_is_tried_again_by_the_next_tick(monkeypatch) -> None:
    buried(100, "urn:a")

    def fail(**_: object) -> None:
        raise OSError

    monkeypatch.setattr(purge, "purge", fail)
    tick()
    assert held() == {"urn:a"}
    monkeypatch.undo()
    tick()
    assert held() == set()


def command(*arguments: str) -> str:
    return printed("catalogue", "purge", *arguments)


def test_the_command_says_what_went(settings) -> None:
    buried(100, "urn:a", "urn:b")
    report = json.loads(command("--dry-run", "--json"))
    assert report.pop("before") <= ago(92)
    assert report == {"tombstones": 2, "memberships": 0, "dry_run": True}
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
