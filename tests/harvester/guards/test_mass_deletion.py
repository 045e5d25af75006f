"""A provider that deletes much of what it had: every header is correct, and nothing goes without a person (promise 5)."""

from collections.abc import Iterator
from datetime import timedelta
from fractions import Fraction

import pytest
from django.contrib.auth.models import User
from django.test import Client

from catalogue import seams
from catalogue.models import Record
from harvester import schedule
from harvester.guards import mass_deletion
from harvester.links import failover
from harvester.models import Alternative, Conflict, Link, RemoteHeader, Run
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.support.clock import SetClock
from tests.support.provider import Provider, continued, fill, identifier, once, xml
from tests.support.runs import at, counters, go_on, harvest
from tests.support.world import iso_record

CONFLICTS = "/admin/harvester/conflict/"
FIRST, LATER, LATEST = "2026-02-01T00:00:00Z", "2026-02-10T00:00:00Z", "2026-02-20T00:00:00Z"
MANY, PAGE = 40, 10  # the first page is a quarter
DAY = timedelta(days=1).total_seconds()

pytestmark = [pytest.mark.django_db, pytest.mark.spec("W9")]


@pytest.fixture
def clock() -> Iterator[SetClock]:
    clock = SetClock(at("2026-03-01T12:00:00Z"))
    with seams.replaced(clock=clock):
        yield clock


@pytest.fixture
def full(link: Link, provider: Provider) -> Link:
    """A link that has brought many records."""
    return bring(link, provider, MANY)


def bring(link: Link, provider: Provider, number: int) -> Link:
    provider.page_size = PAGE
    fill(provider, range(number), stamp=FIRST)
    harvest(link)
    assert here() == number
    return Link.objects.get()


def here() -> int:
    return Record.objects.filter(deleted=False).count()


def delete(provider: Provider, numbers: range, stamp: str = LATER) -> None:
    for number in numbers:
        provider.entries[identifier(number)] = (stamp, None)


def waiting() -> set[str]:
    return set(Conflict.objects.filter(kind="mass", settled=None).values_list("identifier", flat=True))


# --- How many are too many ---------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", Link.Strategy.values)
@pytest.mark.parametrize(
    ("records", "deleted", "asks"),
    [
        *((1, 1, True), (2, 1, False), (2, 2, True), (4, 4, True)),  # all of a set, however small
        *((12, 4, False), (5, 4, False)),  # fewer than 5
        *((15, 5, False), (15, 6, True), (14, 5, True)),  # a third exactly, and more
        *((40, 13, False), (40, 14, True), (40, 40, True)),
    ],
)
def test_all_of_a_set_waits_and_so_does_more_than_a_third(
    link: Link, provider: Provider, records: int, deleted: int, asks: bool, strategy: str
) -> None:
    bring(link, provider, records)
    provider.page_size = 100
    Link.objects.update(strategy=strategy)
    delete(provider, range(deleted))

    run = harvest(Link.objects.get())

    assert run.state == Run.State.DONE
    assert (run.deleted, len(waiting())) == ((0, deleted) if asks else (deleted, 0))
    assert here() == (records if asks else records - deleted)


@pytest.mark.parametrize("strategy", Link.Strategy.values)
def test_what_comes_with_the_deletions_is_not_what_was_listed_before(
    link: Link, provider: Provider, strategy: str
) -> None:
    """As in a catalogue that was replaced by another one."""
    bring(link, provider, 3)
    provider.page_size = 100
    Link.objects.update(strategy=strategy)
    delete(provider, range(3))
    fill(provider, range(10, 30), stamp=LATER)

    harvest(Link.objects.get())

    assert (here(), len(waiting())) == (23, 3)


@pytest.mark.parametrize(
    ("number", "left", "percent", "asks"),
    [
        *((45, 155, 33, False), (67, 133, 33, True), (66, 134, 33, False), (1, 0, 33, True), (1, 0, 99, True)),
        *((5, 45, 10, False), (6, 44, 10, True), (4, 1, 10, False), (5, 1000, 0, True), (50, 50, 50, False)),
    ],
)
def test_the_share_of_a_link_is_exact(number: int, left: int, percent: int, asks: bool) -> None:
    share = Fraction(1, 3) if percent == 33 else Fraction(percent, 100)
    assert mass_deletion.is_too_much(number, left, share) is asks


@pytest.mark.parametrize("strategy", Link.Strategy.values)
@pytest.mark.parametrize("whole", [False, True])
def test_a_provider_that_deletes_all_it_had_takes_little_with_it(
    full: Link, provider: Provider, strategy: str, whole: bool
) -> None:
    Link.objects.update(strategy=strategy)
    delete(provider, range(MANY))

    run = harvest(Link.objects.get(), full=whole)

    kept = MANY - PAGE  # its first page is no more than surprises nobody
    assert run.state == Run.State.DONE
    assert here() == kept == len(waiting()) == run.rejects.count()
    assert counters(run) == {"received": MANY, "deleted": PAGE, "rejected": kept}
    conflict = Conflict.objects.first()
    assert conflict.reason_text.endswith(
        "within a day (40 of 40 until now, all it had) that it is kept until you decide."
    )
    first = Conflict.objects.last()
    assert "(20 of 40 until now, more than a third)" in first.reason_text
    assert (first.reason, first.reason_data["percent"]) == ("mass-deletion", 33)
    assert set(run.rejects.values_list("reason", flat=True)) == {"mass-deletion"}
    assert status.count_conflicts_waiting(status.with_last_run(Link.objects.all()).get()) == kept
    assert Link.objects.get().harvested_to > full.harvested_to, "the list was complete"


# --- The day -----------------------------------------------------------------------------------------


def delete_in_three_runs(
    provider: Provider, clock: SetClock, *, numbers: tuple[int, int, int], hours: int
) -> list[tuple[int, int]]:
    """Some of forty records in each of three runs. What was stored and what waits, by run."""
    provider.page_size = 100
    found, first = [], 0
    for day, number in enumerate(numbers):
        delete(provider, range(first, first + number), stamp=f"2026-02-1{day}T00:00:00Z")
        first += number
        run = harvest(Link.objects.get())
        found.append((run.deleted, len(waiting())))
        clock.move(hours * 3600)
    return found


def test_three_runs_within_a_day_count_together(clock: SetClock, full: Link, provider: Provider) -> None:
    """As 45 of 200 three times."""
    assert delete_in_three_runs(provider, clock, numbers=(9, 9, 9), hours=7) == [(9, 0), (0, 9), (0, 18)]
    assert here() == MANY - 9


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ((9, 9, 7), [(9, 0), (9, 0), (7, 0)]),  # 9 of 40, 9 of 31, 7 of 22
        ((9, 9, 9), [(9, 0), (9, 0), (0, 9)]),  # 9 of 22 are more than a third
    ],
)
def test_over_three_days_each_counts_for_itself(
    clock: SetClock, full: Link, provider: Provider, numbers: tuple[int, int, int], found: list[tuple[int, int]]
) -> None:
    assert delete_in_three_runs(provider, clock, numbers=numbers, hours=25) == found


def test_after_the_one_that_crosses_the_line_each_waits_for_the_rest_of_the_day(
    clock: SetClock, full: Link, provider: Provider
) -> None:
    delete(provider, range(30), stamp=LATER)
    harvest(full)
    assert (here(), len(waiting())) == (30, 20)
    clock.move(DAY / 2)
    delete(provider, range(30, 31), stamp="2026-02-11T00:00:00Z")
    assert harvest(Link.objects.get()).deleted == 0
    assert len(waiting()) == 21

    clock.move(DAY / 2 + 60)
    delete(provider, range(31, 32), stamp="2026-02-12T00:00:00Z")
    assert harvest(Link.objects.get()).deleted == 1
    assert len(waiting()) == 21, "what waited goes on waiting"


def test_a_deletion_that_is_repeated_counts_once_and_waits_no_longer_for_it(
    clock: SetClock, full: Link, provider: Provider
) -> None:
    """Each run asks for the last minute again, for days: neither the stored nor the waiting ones become today's."""
    delete(provider, range(20), stamp=LATER)
    harvest(full)
    assert (here(), len(waiting())) == (30, 10)
    for _ in range(3):
        clock.move(DAY / 3 + 60)
        run = harvest(Link.objects.get(), full=True)
        assert (run.deleted, run.rejected) == (0, 10)
    delete(provider, range(20, 24), stamp=LATEST)
    assert harvest(Link.objects.get()).deleted == 4


def test_a_clock_that_is_put_back_opens_no_gap(
    clock: SetClock, full: Link, provider: Provider, admin_client: Client
) -> None:
    """The operator accepted deletions when our clock was three days ahead."""
    clock.move(3 * DAY)
    delete(provider, range(20))
    harvest(full)
    settle(admin_client, "withdraw", Conflict.objects.first())
    clock.move(-3 * DAY)

    delete(provider, range(20, 21), stamp=LATEST)
    assert (harvest(Link.objects.get()).deleted, len(waiting())) == (0, 10), "the 21st of 40"
    settle(admin_client, "withdraw", Conflict.objects.filter(settled=None)[0])
    delete(provider, range(21, 22), stamp="2026-02-21T00:00:00Z")
    assert harvest(Link.objects.get()).deleted == 1, "the first since the operator has accepted, by the clock of today"


def test_a_crash_between_two_pages_counts_nothing_twice(full: Link, provider: Provider) -> None:
    delete(provider, range(13))
    broken = provider.envelope('<error code="badResumptionToken">lost</error>')
    provider.faults.append(once(continued, lambda: xml(broken)))

    run = harvest(full)  # its list is begun again, and has the first page once more
    while run.is_open:
        run = go_on(run)

    assert (run.state, run.restarts, here(), waiting()) == (Run.State.DONE, 1, MANY - 13, set())
    assert RemoteHeader.objects.filter(removed_at__isnull=False).count() == 13
    delete(provider, range(13, 14), stamp=LATEST)
    assert harvest(Link.objects.get()).rejected == 1, "the fourteenth of forty"


# --- Whatever brings the deletions -------------------------------------------------------------------


@schedule.LIMITS.replaced(fetch_batch=5)
def test_deletions_that_a_comparison_asks_for_count_with_those_of_the_lists(full: Link, provider: Provider) -> None:
    """They are not listed any more; GetRecord says that they are deleted."""
    delete(provider, range(9))
    harvest(full)
    gone = {identifier(number) for number in range(9, 29)}
    kept = provider.entries
    provider.entries = {name: entry for name, entry in kept.items() if name not in gone}

    def tell(arguments: dict[str, str]) -> None:
        provider.entries = (
            kept | dict.fromkeys(gone, (LATER, None)) if arguments["verb"] == "GetRecord" else provider.entries
        )

    provider.faults.append(tell)
    run = go_on(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True))

    assert (run.deleted, len(waiting())) == (0, 20), "the first five would be the fourteenth of forty already"
    assert here() == MANY - 9


def test_deletions_of_two_providers_of_a_link_count_together(full: Link, provider: Provider) -> None:
    delete(provider, range(9))
    harvest(full)
    other = Alternative.objects.create(
        link=full,
        position=1,
        name="offenbach",
        base_url=provider.base_url,
        prefix="iso19139",
        remote_set=full.remote_set,
    )
    assert failover.switch(Link.objects.get(), other) is not None
    delete(provider, range(9, 18))

    run = harvest(Link.objects.get())

    assert (run.deleted, run.rejected, here()) == (0, 9, MANY - 9), "the first nine are no news"
    failover.switch(Link.objects.get(), None)
    run = harvest(Link.objects.get())
    assert (run.deleted, run.rejected, len(waiting()), here()) == (0, 9, 9, MANY - 9)


def test_what_waits_goes_neither_with_the_next_runs_nor_by_comparing(full: Link, provider: Provider) -> None:
    delete(provider, range(MANY))
    harvest(full)
    kept = here()
    for number in range(MANY - 5, MANY):  # a few of them, told again
        provider.entries[identifier(number)] = (LATEST, None)
    run = harvest(Link.objects.get())
    assert (run.deleted, run.rejected) == (0, 5)
    go_on(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True))
    assert here() == kept == len(waiting())


@pytest.mark.parametrize(("deleted", "goes"), [(range(3), 3), (range(MANY), PAGE)])
def test_a_link_that_is_made_anew_knows_nothing_and_deletes_no_more_for_it(
    full: Link, provider: Provider, deleted: range, goes: int
) -> None:
    full.delete()
    anew = Link.objects.create(
        name="anew", base_url=provider.base_url, remote_set=full.remote_set, local_set=full.local_set
    )
    delete(provider, deleted, stamp="2026-01-01T00:00:00Z")  # they come first

    run = harvest(anew)

    assert (run.deleted, here(), len(waiting())) == (goes, MANY - goes, len(deleted) - goes)


def test_tombstones_of_records_never_held_are_no_loss(link: Link, provider: Provider) -> None:
    provider.page_size = 100
    fill(provider, range(10))
    delete(provider, range(10, MANY))
    run = harvest(link)
    assert (run.deleted, run.removed, here(), waiting()) == (MANY - 10, 0, 10, set())

    provider.entries[identifier(0)] = (LATEST, iso_record(identifier(0), title="Changed"))
    provider.entries[identifier(1)] = (LATEST, None)
    run = harvest(Link.objects.get())
    assert (run.removed, here(), waiting()) == (1, 9, set())


# --- What the operator decides -----------------------------------------------------------------------


def settle(client: Client, action: str, *rows: Conflict) -> None:
    client.force_login(User.objects.get(is_superuser=True))  # clocks of these tests outlive sessions
    answer = client.post(CONFLICTS, {"action": action, "confirmed": "1", "_selected_action": [row.pk for row in rows]})
    assert answer.status_code in (200, 302) and "/login/" not in answer.headers.get("Location", "")


def test_the_operator_deletes_some_and_lets_a_comparison_delete_the_others(
    full: Link, provider: Provider, admin_client: Client
) -> None:
    delete(provider, range(MANY))
    harvest(full)
    kept = here()
    settle(admin_client, "withdraw", Conflict.objects.first())
    assert here() == kept - 1 == len(waiting())

    go_on(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True, beyond_ceiling=True))
    assert (here(), waiting()) == (0, set())


def test_what_the_operator_has_accepted_counts_no_longer(
    clock: SetClock, full: Link, provider: Provider, admin_client: Client
) -> None:
    delete(provider, range(10))
    harvest(full)
    delete(provider, range(10, 20), stamp=LATEST)
    harvest(Link.objects.get())
    assert (here(), len(waiting())) == (30, 10)
    clock.move(60)
    settle(admin_client, "withdraw", *Conflict.objects.all())
    clock.move(60)

    delete(provider, range(20, 26), stamp="2026-02-21T00:00:00Z")
    assert harvest(Link.objects.get()).deleted == 6, "of the 20 that were left"
    delete(provider, range(26, 27), stamp="2026-02-22T00:00:00Z")
    assert harvest(Link.objects.get()).rejected == 1, "and those count again"


def test_what_was_accepted_by_comparing_beyond_the_ceiling_counts_no_longer(
    clock: SetClock, full: Link, provider: Provider
) -> None:
    delete(provider, range(20))
    harvest(full)
    clock.move(60)
    go_on(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True, beyond_ceiling=True))
    assert (here(), waiting()) == (20, set())

    delete(provider, range(20, 26), stamp=LATEST)
    assert harvest(Link.objects.get()).deleted == 6


def test_a_provider_that_takes_it_back_is_believed_and_so_is_its_next_deletion(full: Link, provider: Provider) -> None:
    delete(provider, range(MANY))
    harvest(full)
    fill(provider, range(MANY), stamp=LATEST)
    harvest(Link.objects.get())
    assert (here(), waiting()) == (MANY, set())

    provider.entries[identifier(MANY - 1)] = ("2026-02-25T00:00:00Z", None)
    run = harvest(Link.objects.get())
    assert (run.deleted, here(), waiting()) == (1, MANY - 1, set())


@pytest.mark.parametrize(("percent", "deleted"), [(75, 30), (100, MANY)])
def test_a_share_that_is_allowed_goes_at_once(full: Link, provider: Provider, percent: int, deleted: int) -> None:
    Link.objects.update(hold_percent=percent)
    delete(provider, range(deleted))
    harvest(Link.objects.get())
    assert (here(), waiting()) == (MANY - deleted, set())
