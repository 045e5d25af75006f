"""No update is lost between eight writers and four incremental harvesters (promise 1, `docs/datestamps.md`).

The harvesters ask the view of `/oai`, page by page, each with a connection of its own. Two begin where the first page
of their last list was answered, two at the largest datestamp they have seen; of each kind one harvests everything
and one a set. The clock is that of the database, or one that goes on with each look at it.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from django.db import connection, transaction

from catalogue.models import DatestampClock, Record
from catalogue.reading import lists
from catalogue.writing import store
from tests.support import harvesting, world
from tests.support.harvesting import Harvester, run
from tests.support.threads import TIMEOUT_S, threads, waiting_for_the_clock
from tests.support.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)

START = datetime(2031, 5, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
KINDS = ("responseDate", "largest datestamp")
# What a meeting is about: each of these must have happened in it.
HAPPENED = {"put: new", "put: updated", "put: unchanged", "withdraw: deleted", "move: updated"}


@pytest.fixture(autouse=True)
def _small_pages(settings) -> None:
    settings.GISC_PAGE_RECORDS = 4


@pytest.fixture
def clock() -> Iterator[Callable[[datetime], None]]:
    with harvesting.fake_clock(START) as turn:
        yield turn


def put(identifier: str, title: str = "Surface observations") -> None:
    world.put(world.iso_record(identifier, title=title))


def check(meeting: harvesting.Meeting) -> None:
    assert meeting.lacking == {str(harvester): set() for harvester in meeting.harvesters}
    assert meeting.done >= HAPPENED
    assert Record.objects.filter(deleted=True).exists() and Record.objects.filter(deleted=False).exists()
    assert all(harvester.lists > 2 for harvester in meeting.harvesters)
    # Tokens were used: by whom depends on how the writers and harvesters met.
    assert sum(harvester.pages for harvester in meeting.harvesters) > sum(h.lists for h in meeting.harvesters)


# --- Eight writers, four harvesters -------------------------------------------------------------------


@pytest.mark.spec("P91", "P92", "P94", "P101", "P146", "W14", "W16", "S1")
@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("seed", [1, 2])
def test_every_copy_equals_the_catalogue_in_the_end(seed: int) -> None:
    with harvesting.stamps_noted() as stamps:
        meeting = harvesting.meet(seed)
        given = stamps()
    check(meeting)
    assert meeting.seen_waiting  # lists did meet a writer that had stamped and not committed
    assert given == sorted(given)
    assert len(set(given)) > 20  # the clock did go on


@pytest.mark.spec("P91", "P92", "P146")
def test_every_copy_equals_the_catalogue_by_the_real_clock() -> None:
    """Where most happens within a few seconds, so that many a list begins and ends with a shared second."""
    with harvesting.stamps_noted() as stamps:
        meeting = harvesting.meet(3)
        given = stamps()
    check(meeting)
    assert given == sorted(given)


@pytest.mark.spec("P92", "P146", "S5")
def test_every_copy_equals_the_catalogue_though_the_clock_is_turned_back_and_forth(clock) -> None:
    turns = count()

    def turn_now_and_then() -> None:
        number = next(turns)
        if number % 12 == 5:
            clock(START + (number // 12 % 3 - 1) * HOUR)

    with harvesting.stamps_noted() as stamps:
        meeting = harvesting.meet(4, before_each=turn_now_and_then)
        given = stamps()
    check(meeting)
    assert given == sorted(given)


@pytest.mark.usefixtures("clock")
def test_without_the_lock_records_are_lost_on_the_way() -> None:
    """The test of the tests above: with the same writers and harvesters, it is the lock that makes the difference."""
    with harvesting.no_lock():
        meeting = harvesting.meet(1, rounds=6)
    assert meeting.seen_waiting == 0
    lost = meeting.lacking["everything from the responseDate"]
    assert any(identifier.startswith("urn:late:") for identifier in lost)


def harvest_two_writers(follows: str, clock: Callable[[datetime], None]) -> set[str]:
    """Of two writers the one that stamps first commits last; a harvester comes before and after that."""
    harvester = Harvester(follows)
    put("urn:first:second")  # when its words are known, no writer waits for another because of them
    with threads(1) as running:
        with transaction.atomic():
            put("urn:first")
            clock(START + HOUR)
            second = running.start(put, "urn:second")
            until(lambda: second.done() or waiting_for_the_clock(), TIMEOUT_S, "the second has written or waits")
            if second.done():
                running.start(harvester.visit).result(TIMEOUT_S)
        second.result(TIMEOUT_S)
    harvester.visit()
    return harvester.lacks()


@pytest.mark.parametrize("follows", KINDS)
def test_of_two_writers_at_once_neither_is_lost(clock, follows: str) -> None:
    assert harvest_two_writers(follows, clock) == set()


@pytest.mark.parametrize("follows", KINDS)
def test_with_the_bare_time_for_a_stamp_neither_kind_of_harvester_is_safe(clock, follows: str) -> None:
    """The test of the one above. Without the clock's row the writers do not wait for one another either (S1)."""
    with harvesting.no_lock():
        run(
            "CREATE OR REPLACE FUNCTION catalogue_stamp() RETURNS timestamptz LANGUAGE plpgsql AS "
            "$$ BEGIN RETURN date_trunc('second', fake.clock()); END $$"
        )
        assert harvest_two_writers(follows, clock) == {"urn:first"}


# --- One second ----------------------------------------------------------------------------------------


@pytest.mark.spec("P40", "P101", "P146", "S4")
@pytest.mark.parametrize("spec", [None, world.OUR_SPEC])
@pytest.mark.parametrize("follows", KINDS)
def test_what_is_written_in_the_second_of_a_list_after_it_is_in_the_next(clock, follows: str, spec: str | None) -> None:
    harvester = Harvester(follows, spec)
    run("ALTER SEQUENCE fake.microseconds INCREMENT 1")  # all of this happens in one second
    put("urn:changed")
    put("urn:withdrawn")
    put("urn:moved")
    harvester.visit()
    put("urn:changed", "Changed")
    put("urn:new")
    store.withdraw(["urn:withdrawn"])
    store.move(["urn:moved"], into=world.peer_set(world.TOULOUSE))
    assert harvester.lacks() >= {"urn:changed", "urn:new", "urn:withdrawn"}
    harvester.visit()
    assert harvester.lacks() == set()
    assert len({copied.datestamp for copied in harvester.copy.values()}) == 1


# --- Changes in the middle of a list -------------------------------------------------------------------


@pytest.mark.spec("P101", "P106", "P146")
@pytest.mark.parametrize("spec", [None, world.OUR_SPEC])
@pytest.mark.parametrize("follows", KINDS)
@pytest.mark.parametrize("changing", [8, 4], ids=["half of what follows", "all that follows"])
def test_what_changes_while_a_list_is_read_is_in_the_next(clock, follows: str, spec: str | None, changing: int) -> None:
    """Pages of four: the first has been read when the records from number `changing` on leave the list's range."""
    for number in range(12):
        put(f"urn:{number:02}")
    names = [f"urn:{number:02}" for number in range(changing, 12)]

    def change_them() -> None:
        harvester.between_pages = lambda: None
        clock(START + HOUR)
        put("urn:new")
        for number, name in enumerate(names):
            match number % 3:
                case 0:
                    put(name, "Changed")
                case 1:
                    store.withdraw([name])
                case 2:
                    store.move([name], into=world.peer_set(world.TOULOUSE))
        put("urn:00", "Changed after it was delivered")

    harvester = Harvester(follows, spec, between_pages=change_them)
    harvester.visit()
    assert harvester.begun_again == 0
    harvester.visit()
    assert harvester.lacks() == set()


# --- Clock steps ----------------------------------------------------------------------------------------


@pytest.mark.spec("P92", "P94", "P146", "S5")
@pytest.mark.parametrize("follows", KINDS)
@pytest.mark.parametrize(
    "steps",
    [[-timedelta(seconds=2)], [-HOUR], [HOUR, -HOUR], [-HOUR, HOUR], [HOUR, -2 * HOUR, 3 * HOUR, -HOUR]],
    ids=lambda steps: " ".join(str(step // timedelta(seconds=1)) for step in steps),
)
def test_nothing_is_lost_when_the_clock_steps(clock, follows: str, steps: list[timedelta]) -> None:
    """A list has told a time that no record has yet: what is written after the step must not fall behind it."""
    harvester = Harvester(follows)
    put("urn:all")
    now = START + 24 * HOUR
    clock(now)
    harvester.visit()
    for number, step in enumerate(steps):
        now += step
        clock(now)
        connection.close()  # another session, as after a restart
        put(f"urn:{number}")
        put("urn:all", f"Version {number}")
        harvester.visit()
        assert harvester.lacks() == set()
        put("urn:all", f"Version {number}, changed after the list")
    harvester.visit()
    assert harvester.lacks() == set()


@pytest.mark.spec("P92", "P39")
@pytest.mark.usefixtures("clock")
def test_an_instant_that_was_told_is_the_mark_below_which_no_stamp_is_given() -> None:
    """Told by whichever verb, and with no record anywhere near it."""
    told = lists.instant()
    assert DatestampClock.objects.get().stamp == told
