"""Our own clock was hours ahead, and is put right: what was planned meanwhile waits no longer than its usual time."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from catalogue import seams
from harvester.links import failover
from harvester.models import Alternative, Link, Run, Standby
from harvester.runs import lifecycle
from tests.support.clock import SetClock
from tests.support.provider import Provider, fill, once, xml
from tests.support.runs import harvest, ready

AHEAD = timedelta(hours=5)
pytestmark = pytest.mark.spec("W19")


@pytest.fixture
def clock() -> Iterator[SetClock]:
    """Our clock, five hours ahead."""
    clock = SetClock(seams.now() + AHEAD)
    with seams.replaced(clock=clock):
        yield clock


def due() -> list[tuple[str, str]]:
    return [(run.link.name, run.purpose) for run in lifecycle.open_due_runs()]


def test_a_link_is_harvested_as_soon_as_our_clock_is_right(link: Link, provider: Provider, clock: SetClock) -> None:
    Link.objects.update(interval_s=3600)
    fill(provider, range(2))
    assert due() == [("toulouse", "harvest")]
    Run.objects.update(state=Run.State.DONE)
    assert due() == []

    clock.move(-AHEAD.total_seconds())

    assert due() == [("toulouse", "harvest")]
    Run.objects.update(state=Run.State.DONE)
    clock.move(3599)
    assert due() == []


def test_a_link_in_doubt_is_compared_as_soon_as_our_clock_is_right(
    link: Link, provider: Provider, clock: SetClock
) -> None:
    fill(provider, range(2))
    harvest(link)
    Link.objects.update(reconciles=True, next_slice=clock.at, next_due=clock.at)

    clock.move(-AHEAD.total_seconds())
    Link.objects.update(next_due=clock.at + timedelta(hours=1))

    assert due() == [("toulouse", "comparison")]


def test_a_comparison_that_failed_waits_its_hour(link: Link, provider: Provider, clock: SetClock) -> None:
    fill(provider, range(2))
    harvest(link)
    later = clock.at + timedelta(hours=1)
    Link.objects.update(reconciles=True, next_slice=later, next_due=later)

    assert due() == []


def test_a_run_that_waits_for_its_next_try_or_its_task_goes_on(link: Link, provider: Provider, clock: SetClock) -> None:
    fill(provider, range(2))
    provider.faults.append(once(lambda asked: asked["verb"] == "ListRecords", lambda: xml("busy", 503)))
    run = harvest(link)
    assert run.not_before is not None
    Run.objects.update(queued=clock.at)

    clock.move(-AHEAD.total_seconds())
    lifecycle.open_due_runs()

    assert ready() == [run.pk]
    after = lifecycle.work(run.pk)
    assert after is not None and after.state == Run.State.DONE


def test_a_run_whose_worker_died_on_another_host_is_taken_over_after_a_lease(link: Link, clock: SetClock) -> None:
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    Run.objects.update(worker="elsewhere:1", leased_until=clock.at + timedelta(seconds=120))

    clock.move(-AHEAD.total_seconds())
    lifecycle.open_due_runs()

    assert ready() == []
    clock.move(121)
    assert ready() == [run.pk]


def test_the_own_provider_is_probed_as_soon_as_our_clock_is_right(
    link: Link, provider: Provider, clock: SetClock
) -> None:
    relay = Alternative.objects.create(link=link, name="relay", base_url=provider.base_url, remote_set=link.remote_set)
    failover.switch(link, relay)
    assert taken(clock.at) == 1
    assert taken(clock.at) == 0

    clock.move(-AHEAD.total_seconds())

    assert taken(clock.at) == 1
    assert taken(clock.at) == 0


def taken(now: datetime) -> int:
    """How many probes are due."""
    assert Standby.objects.exists()
    return len(failover.take_due_probes(now))


def test_a_slice_of_a_cycle_waits_no_longer_than_the_cycle(link: Link, provider: Provider, clock: SetClock) -> None:
    fill(provider, range(2))
    harvest(link)
    year = timedelta(days=365)
    Link.objects.update(
        next_due=clock.at + timedelta(hours=1), next_slice=clock.at + year, next_content=clock.at + year
    )

    assert {purpose for _, purpose in due()} & {"comparison", "content"}
    planned = Link.objects.get()
    assert planned.next_slice is not None and planned.next_slice <= clock.at
    assert planned.next_content is not None and planned.next_content <= clock.at
