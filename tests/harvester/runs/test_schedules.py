"""Links that are harvested at a time of the day, or only in a part of it: nothing begins, goes on or is missed otherwise."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from catalogue import seams
from harvester.links import edit
from harvester.messages import OutcomeCode, WaitsFor
from harvester.models import Link, Run
from harvester.monitoring import status
from harvester.rows import queue
from harvester.runs import lifecycle
from harvester.schedule import Schedule, Window
from tests.support.clock import SetClock
from tests.support.provider import Fault, Provider, fill, xml
from tests.support.runs import held, ready

NIGHT = Window(20 * 60, 5 * 60)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


@pytest.fixture
def clock() -> Iterator[SetClock]:
    """Our clock, on a Monday at noon."""
    clock = SetClock(at(2, 12))
    with seams.replaced(clock=clock):
        yield clock


def arrange(link: Link, schedule: Schedule, *, next_due: datetime | None = None) -> None:
    link.schedule = schedule
    link.next_due = next_due
    link.full_clean()
    link.save()


def begun() -> list[datetime]:
    """Open what is due; when each run began that is open now. They end at once."""
    lifecycle.open_due_runs()
    open_runs = Run.objects.filter(state=Run.State.OPEN)
    starts = [run.begun for run in open_runs]
    open_runs.update(state=Run.State.DONE)
    return starts


def ends_the_night(clock: SetClock) -> Fault:
    """It is 05:00 when the second page is asked for."""

    def look(arguments: dict[str, str]) -> None:
        if "resumptionToken" in arguments and clock.at < at(2, 5):
            clock.at = at(2, 5)

    return look


def test_a_daily_link_runs_at_its_time_of_each_day(link: Link, clock: SetClock) -> None:
    arrange(link, Schedule.daily(195), next_due=at(3, 3, 15))
    for moment in (at(3, 3, 14), at(3, 3, 15), at(3, 3, 16), at(4, 3, 14)):
        clock.at = moment
        assert begun() == ([moment] if moment == at(3, 3, 15) else [])
    clock.at = at(4, 3, 15)
    assert begun() == [at(4, 3, 15)]
    link.refresh_from_db()
    assert link.next_due == at(5, 3, 15)


def test_a_link_is_harvested_first_at_once_but_within_its_window(link: Link, clock: SetClock) -> None:
    arrange(link, Schedule(3600, windows=(NIGHT,)))

    assert begun() == []
    link.refresh_from_db()
    assert link.next_due == at(2, 20), "so that pages show when it will run"

    clock.at = at(2, 20)
    assert begun() == [at(2, 20)]


def test_a_due_link_waits_for_its_window_and_is_not_overdue_meanwhile(link: Link, clock: SetClock) -> None:
    arrange(link, Schedule(3600, windows=(NIGHT,)), next_due=at(2, 4, 30))

    clock.at = at(2, 19, 59)
    waits = status.overdue_since(status.find(link), at(2, 19, 59))
    clock.at = at(2, 23)
    late = status.overdue_since(status.find(link), at(2, 23))

    assert waits == at(2, 4, 30), "it was due while its window was open, and nothing began it"
    assert late == at(2, 4, 30)
    Link.objects.update(next_due=at(2, 5, 30))
    assert status.overdue_since(status.find(link), at(2, 19, 59)) is None
    assert status.overdue_since(status.find(link), at(2, 23)) == at(2, 20)


def test_comparisons_keep_to_the_window_as_well(link: Link, clock: SetClock) -> None:
    arrange(link, Schedule(3600, windows=(NIGHT,)), next_due=at(9, 0))
    Link.objects.update(reconciles=True, next_slice=at(1, 12), harvested_to=at(1, 0))

    assert begun() == []
    clock.at = at(2, 20)
    assert begun() == [at(2, 20)]


def test_an_open_run_pauses_when_its_window_ends_and_goes_on_from_there(
    link: Link, provider: Provider, clock: SetClock
) -> None:
    fill(provider, range(8))
    arrange(link, Schedule(3600, windows=(NIGHT,)), next_due=at(2, 4, 59))
    clock.at = at(2, 4, 59)
    (run,) = lifecycle.open_due_runs()

    provider.faults.append(ends_the_night(clock))
    lifecycle.work(run.pk)

    run.refresh_from_db()
    stored = held()
    assert (run.state, run.restarts) == (Run.State.OPEN, 0)
    assert 0 < len(stored) < 8, "no page was asked for after 05:00"
    assert ready() == []
    assert lifecycle.work(run.pk) is None, "no worker takes it"
    (waiting,) = queue.read_queue(clock.at)
    assert (waiting.waits_for, waiting.until) == (WaitsFor.WINDOW, at(2, 20))
    told = queue.report_wait(run.pk, [waiting])
    assert told is not None
    assert "2026-03-02T20:00:00Z" in str(told["text"])
    assert status.link_state(status.find(link))[1].startswith("waits until 20:00 UTC")
    asked = len(provider.lists)

    clock.at = at(2, 20)
    assert ready() == [run.pk]
    after = lifecycle.work(run.pk)

    assert after is not None
    assert (after.state, after.restarts, len(held())) == (Run.State.DONE, 0, 8)
    assert all("resumptionToken" in arguments for arguments in provider.lists[asked:]), "it went on with its token"


def test_an_operator_who_wants_it_now_gets_it_now(link: Link, provider: Provider, clock: SetClock) -> None:
    fill(provider, range(8))
    arrange(link, Schedule(3600, windows=(NIGHT,)), next_due=at(2, 4, 59))
    clock.at = at(2, 4, 59)
    (run,) = lifecycle.open_due_runs()
    provider.faults.append(ends_the_night(clock))
    lifecycle.work(run.pk)
    assert len(held()) < 8

    call_command("harvest", link.name, stdout=StringIO(), stderr=StringIO())

    assert len(held()) == 8
    run.refresh_from_db()
    assert (run.state, run.trigger) == (Run.State.DONE, "command line")


def test_an_operators_run_has_no_window(link: Link, provider: Provider, clock: SetClock) -> None:
    fill(provider, range(4))
    arrange(link, Schedule(3600, windows=(NIGHT,)))
    run = lifecycle.open_run(link, trigger="operator")
    assert run is not None
    assert ready() == [run.pk]
    after = lifecycle.work(run.pk)
    assert after is not None
    assert after.state == Run.State.DONE


def test_a_failed_run_is_tried_again_soon_and_no_later_than_by_schedule(
    link: Link, provider: Provider, clock: SetClock
) -> None:
    refusal = xml("<no-oai/>", 403)
    provider.faults.append(lambda arguments: refusal)
    arrange(link, Schedule.daily(195), next_due=at(2, 12))
    expected = [at(2, 12, 5), at(2, 12, 15), at(2, 12, 35)]
    for due in expected:
        (run,) = lifecycle.open_due_runs()
        lifecycle.work(run.pk)
        link.refresh_from_db()
        assert link.next_due == due
        clock.at = due
    clock.at = at(3, 3, 10)
    (run,) = lifecycle.open_due_runs()
    lifecycle.work(run.pk)
    link.refresh_from_db()
    assert link.next_due == at(3, 3, 15)
    assert run.outcome != OutcomeCode.DONE


def test_a_clock_that_is_put_back_waits_no_day_longer(link: Link, clock: SetClock) -> None:
    clock.at = at(5, 3, 15)
    arrange(link, Schedule.daily(195), next_due=at(5, 3, 15))
    assert begun() == [at(5, 3, 15)]

    clock.at = at(2, 12)

    assert begun() == []
    link.refresh_from_db()
    assert link.next_due == at(3, 3, 15)
    Link.objects.update(windows="20:00-05:00", run_at=None, weekday=None, interval_s=3600, next_due=at(9, 20))
    begun()
    link.refresh_from_db()
    assert link.next_due == at(2, 20)


def test_a_schedule_that_is_edited_takes_effect_at_once(link: Link, clock: SetClock) -> None:
    arrange(link, Schedule(30 * 86_400))
    assert begun() == [at(2, 12)]
    clock.at = at(4, 12)
    link.refresh_from_db()

    link.schedule = Schedule(3600)
    edit.save(link, {"interval_s"})
    assert begun() == [at(4, 12)], "its last run was begun more than an hour ago"
    link.schedule = Schedule.weekly(6, 195)
    edit.save(link, {"run_at", "weekday"})

    link.refresh_from_db()
    assert link.next_due == at(8, 3, 15)
    assert (link.run_at, link.weekday, link.interval_s) == (time(3, 15), 6, 7 * 86_400)
    assert begun() == [], "not for a Sunday that is over"


def test_the_wait_of_a_window_is_no_silence(link: Link, provider: Provider, clock: SetClock) -> None:
    link.schedule = Schedule(3600, windows=(Window(0, 60),))
    assert link.longest_wait_s == 3600 + 23 * 3600
    assert timedelta(seconds=link.longest_wait_s) == timedelta(days=1)
