"""The clock of datestamps (promise 1): no update is lost between writers and lists, whatever the interleaving.

The clock is the database's `gisc_clock()`. The fixture `ticking` puts a function of that name before it in
the search path of every connection: each look at it is a second later, and a test may turn it back.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from threading import Barrier, Event

import pytest
from django.db import connection, transaction
from django.db.backends.signals import connection_created

from catalogue.models import DatestampClock, Membership, Record
from catalogue.reading import lists
from catalogue.reading.lists import Window
from catalogue.writing import decisions, store
from catalogue.writing.entry import PreparedEntry
from tests.support import harvesting, looking, world
from tests.support.sql import run
from tests.support.threads import TIMEOUT_S, threads, waiting_for_the_clock
from tests.support.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)

START = datetime(2031, 5, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def ticking() -> Iterator[Callable[[datetime], None]]:
    """A clock that begins at START and goes a second with every look; call it to set it."""

    def look_here_first(connection, **_) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET search_path TO fake, pg_catalog, public")

    def turn(to: datetime) -> None:
        run("SELECT setval('fake.seconds', %s)", int(to.timestamp()))

    run("DROP SCHEMA IF EXISTS fake CASCADE; CREATE SCHEMA fake; CREATE SEQUENCE fake.seconds")
    run(
        "CREATE FUNCTION fake.gisc_clock() RETURNS timestamptz LANGUAGE sql VOLATILE "
        "AS $$ SELECT to_timestamp(nextval('fake.seconds')) $$"
    )
    turn(START)
    connection_created.connect(look_here_first)
    look_here_first(connection)
    yield turn
    connection_created.disconnect(look_here_first)
    run("RESET search_path; DROP SCHEMA fake CASCADE")


@pytest.fixture
def without_the_lock() -> Iterator[None]:
    """The functions of the clock as they would be if nobody had thought of lists."""
    with harvesting.no_lock():
        yield


def harvest(start: datetime | None) -> tuple[datetime, dict[str, datetime]]:
    """One visit of a harvester: the responseDate of the list, and the datestamps of what was in it."""
    now = lists.instant()
    window = Window(None, start, now + SECOND)
    return now, {entry.identifier: entry.position.datestamp for entry in looking.walk(window, 7)}


def entry(identifier: str, title: str = "Surface observations") -> PreparedEntry:
    return store.prepare(world.iso_record(identifier, title=title))


def write_and_give_up() -> None:
    with transaction.atomic():
        store.put_entries([entry("urn:a")], into=world.own_set())
        raise ZeroDivisionError


# --- A list waits for the writer that is committing -----------------------------------------------------


def write_while_a_list_is_asked_for() -> tuple[bool, set[str]]:
    """A writer stamps and holds; a harvester comes; the writer commits; the harvester comes again.

    Says whether the list had to wait, and what the harvester has after both visits. The second is from the
    responseDate of the first, as most harvesters do it.
    """
    with threads(1) as running:
        with transaction.atomic():
            store.put_entries([entry("urn:a")], into=world.own_set())
            visit = running.start(harvest, None)
            until(lambda: waiting_for_the_clock() or visit.done(), TIMEOUT_S, "the harvester waits or has its list")
            waited = not visit.done()
        response_date, first = visit.result(TIMEOUT_S)
    _, second = harvest(response_date)
    return waited, {*first, *second}


@pytest.mark.spec("P91", "P39", "S1")
@pytest.mark.usefixtures("ticking")
def test_a_list_waits_for_a_writer_that_has_stamped_but_not_committed() -> None:
    assert write_while_a_list_is_asked_for() == (True, {"urn:a"})


@pytest.mark.usefixtures("ticking", "without_the_lock")
def test_without_the_lock_the_test_above_loses_the_record() -> None:
    """The test of that test: it is the lock that keeps the promise, not luck."""
    assert write_while_a_list_is_asked_for() == (False, set())


@pytest.mark.spec("P91")
def test_lists_do_not_wait_for_one_another() -> None:
    """But for the one that raises the mark, which the others of that second wait for: here it is high enough."""
    DatestampClock.objects.update(stamp=datetime(2099, 1, 1, tzinfo=UTC))
    both_are_in = Barrier(2)

    def ask() -> datetime:
        with transaction.atomic():
            now = lists.instant()
            both_are_in.wait(TIMEOUT_S)  # while both hold the lock in shared mode
            return now

    with threads(2) as running:
        answers = [running.start(ask), running.start(ask)]
        assert all(answer.result(TIMEOUT_S) for answer in answers)


@pytest.mark.spec("P90")
def test_unchanged_entries_do_not_wait_for_the_lock() -> None:
    world.put(world.iso_record("urn:a"))
    with threads(1) as running, transaction.atomic():
        store.put_entries([entry("urn:b")], into=world.own_set())
        unchanged = running.start(lambda: store.put_entries([entry("urn:a")], into=world.own_set()))
        assert [result.action for result in unchanged.result(TIMEOUT_S)] == [decisions.Action.UNCHANGED]


def test_a_writer_that_gives_up_leaves_nothing_and_holds_nobody_up() -> None:
    before = Record.objects.count()
    with pytest.raises(ZeroDivisionError):
        write_and_give_up()
    assert Record.objects.count() == before
    with threads(1) as running:
        assert running.start(lists.instant).result(TIMEOUT_S)


@pytest.mark.spec("P94")
@pytest.mark.usefixtures("ticking")
def test_no_datestamp_is_later_than_the_instant_of_a_list() -> None:
    for number in range(5):
        world.put(world.iso_record(f"urn:{number}"))
        now, found = harvest(None)
        assert max(found.values()) <= now


# --- Datestamps never decrease --------------------------------------------------------------------------


@pytest.mark.spec("P92")
@pytest.mark.usefixtures("ticking")
def test_datestamps_never_decrease_in_the_order_in_which_writers_commit() -> None:
    """Eight writers; the order of commits is taken from a trigger that numbers the clock's new values."""
    writers, rounds = 8, 6
    run("CREATE TABLE fake.given (place bigserial, stamp timestamptz)")
    run(
        "CREATE FUNCTION fake.note() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN INSERT INTO fake.given (stamp) VALUES (NEW.stamp); RETURN NEW; END $$"
    )
    run(
        "CREATE CONSTRAINT TRIGGER note AFTER UPDATE ON catalogue_datestampclock DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION fake.note()"  # deferred: it runs as the transaction commits
    )
    together = Barrier(writers)

    def write(writer: int) -> None:
        for number in range(rounds):
            together.wait(TIMEOUT_S)
            store.put_entries([entry(f"urn:{writer}:{number}"), entry("urn:all", f"{writer} {number}")], into=own)

    own = world.own_set()
    with threads(writers) as running:
        for future in [running.start(write, writer) for writer in range(writers)]:
            future.result(TIMEOUT_S)
    stamps = [stamp for (stamp,) in run("SELECT stamp FROM fake.given ORDER BY place")]
    run("DROP TRIGGER note ON catalogue_datestampclock")
    assert len(stamps) == writers * rounds
    assert stamps == sorted(stamps)
    assert len(set(stamps)) == len(stamps)  # the clock did go on: the order is not one of equals
    assert Record.objects.count() == writers * rounds + 1
    assert set(Record.objects.values_list("datestamp", flat=True)) <= set(stamps)


@pytest.mark.spec("P91", "P92", "W16")
@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize("next_from", ["responseDate of the first page", "largest datestamp seen"])
def test_a_harvester_among_eight_writers_misses_nothing(next_from: str) -> None:
    """It comes again and again while they write, and has in the end the newest datestamp of every record."""
    writers, rounds = 8, 10
    together, done = Barrier(writers + 1), Event()
    own = world.own_set()

    def write(writer: int) -> None:
        together.wait(TIMEOUT_S)
        for number in range(rounds):
            store.put_entries(
                [entry(f"urn:{writer}:{number}"), entry(f"urn:{number}", f"by {writer}")],
                into=own,
            )
            if number % 3 == 2:
                store.withdraw([f"urn:{writer}:{number - 1}"])

    def visit_until_done() -> dict[str, datetime]:
        seen: dict[str, datetime] = {}
        start = None
        together.wait(TIMEOUT_S)
        while True:
            last_visit = done.is_set()
            response_date, found = harvest(start)
            for identifier, stamp in found.items():
                assert stamp >= seen.get(identifier, stamp)
            seen |= found
            start = response_date if next_from.startswith("responseDate") else max(seen.values(), default=None)
            if last_visit:
                return seen

    with threads(writers + 1) as running:
        visitor = running.start(visit_until_done)
        try:
            for future in [running.start(write, writer) for writer in range(writers)]:
                future.result(TIMEOUT_S)
        finally:
            done.set()
        seen = visitor.result(TIMEOUT_S)
    assert seen == dict(Record.objects.values_list("identifier", "datestamp"))
    assert len(seen) == writers * rounds + rounds


@pytest.mark.spec("P92", "S5")
def test_a_clock_that_stepped_back_gives_the_last_stamp_again(ticking) -> None:
    world.put(world.iso_record("urn:a"))
    before = looking.record("urn:a").datestamp
    ticking(START - timedelta(days=3))
    world.put(world.iso_record("urn:b"))
    world.bury("urn:a")
    assert looking.record("urn:b").datestamp == looking.record("urn:a").datestamp == before
    assert lists.instant() == before
    ticking(before + timedelta(hours=1))
    world.put(world.iso_record("urn:b", title="Two"))
    assert looking.record("urn:b").datestamp > before + timedelta(hours=1)


@pytest.mark.spec("P92", "P94")
def test_a_stamp_in_the_future_is_kept_over_a_restart() -> None:
    """The real clock; the persistent mark lies ahead of it, as after a step back or a restored backup."""
    future = datetime(2099, 1, 1, 12, 30, tzinfo=UTC)
    DatestampClock.objects.update(stamp=future)
    connection.close()
    world.put(world.iso_record("urn:a"))
    assert looking.record("urn:a").datestamp == future == Membership.objects.get().datestamp
    assert lists.instant() == future
    assert list(harvest(future)[1]) == ["urn:a"]


@pytest.mark.spec("P40", "P39")
def test_stamps_and_instants_are_whole_seconds_of_the_present() -> None:
    low = datetime.now(UTC).replace(microsecond=0)
    world.put(world.iso_record("urn:a"))
    stamp, instant = looking.record("urn:a").datestamp, lists.instant()
    assert low <= stamp <= instant <= datetime.now(UTC)
    assert (stamp.microsecond, instant.microsecond) == (0, 0)


@pytest.mark.spec("P55")
@pytest.mark.usefixtures("ticking")
def test_the_lower_bound_does_not_move_and_a_lost_clock_is_made_again() -> None:
    earliest = lists.earliest()
    world.put(world.iso_record("urn:a"))
    assert lists.earliest() == earliest
    DatestampClock.objects.all().delete()
    world.put(world.iso_record("urn:b"))
    assert lists.earliest() == datetime(START.year, 1, 1, tzinfo=UTC)
    assert looking.record("urn:b").datestamp > looking.record("urn:a").datestamp


# --- Two writers of one record --------------------------------------------------------------------------


def put_between(offered: list[PreparedEntry], meanwhile: Callable[[], object]) -> list[decisions.Action]:
    """Put entries; another writer changes the catalogue after the first look at it and before the lock."""
    with threads(1) as running, transaction.atomic():
        meanwhile()  # takes the lock and holds it until the end of this block
        late = running.start(lambda: store.put_entries(offered, into=world.own_set()))
        until(waiting_for_the_clock, TIMEOUT_S, "the second writer waits for the lock")
    return [result.action for result in late.result(TIMEOUT_S)]


def test_an_entry_equal_at_first_look_is_stored_when_another_writer_changed_it_meanwhile() -> None:
    world.put(world.iso_record("urn:a", title="One"))
    actions = put_between(
        [entry("urn:a", "One"), entry("urn:b")],  # the second is new, so the batch wants the lock
        lambda: world.put(world.iso_record("urn:a", title="Two")),
    )
    assert actions == [decisions.Action.UPDATED, decisions.Action.NEW]
    assert looking.record("urn:a").description.title == "One"


def test_the_same_new_record_from_two_writers_is_new_once() -> None:
    actions = put_between([entry("urn:a")], lambda: world.put(world.iso_record("urn:a")))
    assert actions == [decisions.Action.UNCHANGED]
    assert Record.objects.count() == 1


def test_a_record_deleted_meanwhile_comes_back_with_a_later_entry() -> None:
    world.put(world.iso_record("urn:a"))
    actions = put_between([entry("urn:a"), entry("urn:b")], lambda: world.bury("urn:a"))
    assert actions == [decisions.Action.UPDATED, decisions.Action.NEW]
    held = looking.record("urn:a")
    assert (held.deleted, held.payload is None) == (False, False)


@pytest.mark.spec("W47")
def test_a_record_taken_by_a_peer_meanwhile_is_refused_not_an_error() -> None:
    toulouse = world.peer_set(world.TOULOUSE)
    actions = put_between([entry("urn:a")], lambda: world.put(world.iso_record("urn:a"), into=toulouse))
    assert actions == [decisions.Action.REJECTED]
    assert looking.record("urn:a").owner == toulouse
