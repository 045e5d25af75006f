"""When a link is due: intervals, times of the day, days of the week, and the parts of the day in which it may run."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from harvester import schedule
from harvester.schedule import DAY_S, Schedule, Window
from tests.support.schedules import NOON, instants, schedules, windows

NIGHT = Window(20 * 60, 5 * 60)
MIDDAY = Window(11 * 60, 14 * 60)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


def test_an_interval_counts_from_the_start_of_the_last_run():
    assert schedule.next_starts(Schedule(6 * 3600), NOON) == [NOON, at(22, 18), at(23, 0)]


def test_a_daily_and_a_weekly_link_are_due_at_their_time_in_utc():
    assert schedule.next_start(Schedule.daily(3 * 60 + 15), NOON) == at(23, 3, 15)
    assert schedule.next_start(Schedule.daily(12 * 60 + 1), NOON) == at(22, 12, 1)
    assert schedule.next_start(Schedule.daily(12 * 60), NOON) == at(23, 12), "what began at its time is due tomorrow"
    assert schedule.next_start(Schedule.weekly(0, 195), NOON) == at(23, 3, 15)
    assert schedule.next_start(Schedule.weekly(6, 195), NOON) == at(29, 3, 15), "this Sunday's time is over"
    assert schedule.next_start(Schedule.weekly(6, 13 * 60), NOON) == at(22, 13)


def test_a_link_waits_for_its_window_which_may_cross_midnight():
    every_hour = Schedule(3600, windows=(NIGHT,))
    assert schedule.next_starts(every_hour, at(22, 3, 30), 4) == [at(22, 3, 30), at(22, 4, 30), at(22, 20), at(22, 21)]
    assert schedule.next_closing((NIGHT,), at(22, 21, 30)) == at(23, 5)
    assert schedule.next_closing((NIGHT,), NOON) == NOON
    assert schedule.next_closing((), NOON) is None
    assert schedule.next_closing((NIGHT, Window(5 * 60, 20 * 60)), NOON) is None, "together they are the whole day"


def test_the_longest_wait_has_the_hours_in_which_the_link_may_not_run():
    assert schedule.longest_wait_s(Schedule(3600)) == 3600
    assert schedule.longest_wait_s(Schedule(3600, windows=(NIGHT,))) == 16 * 3600
    assert schedule.longest_wait_s(Schedule(3600, windows=(NIGHT, MIDDAY))) == 7 * 3600
    assert schedule.longest_wait_s(Schedule.weekly(2, 0, NIGHT)) == 7 * DAY_S


def test_a_retry_is_soon_at_first_and_never_later_than_the_schedule():
    daily = Schedule.daily(195)
    assert schedule.due_after_failure(NOON, daily, 1) == NOON + timedelta(minutes=5)
    assert schedule.due_after_failure(NOON, daily, 12) == at(23, 3, 15)
    assert schedule.due_after_failure(NOON, Schedule(7200), 12, NOON + timedelta(hours=1)) == at(22, 13)
    assert schedule.due_after_failure(NOON, Schedule(7200, windows=(NIGHT,)), 1) == at(22, 20)
    began_long_ago = NOON - timedelta(hours=1)
    assert schedule.due_after_failure(NOON, Schedule(600), 3, began_long_ago) == NOON + timedelta(minutes=10)


@given(schedules, instants)
def test_the_next_start_is_later_in_a_window_and_no_later_than_the_longest_wait(of: Schedule, after: datetime):
    due = schedule.next_start(of, after)
    assert after < due <= after + timedelta(seconds=schedule.longest_wait_s(of), days=0 if of.at is None else 1)
    assert schedule.is_open(of.windows, due)
    if of.at is not None and schedule.is_open_at(of.windows, of.at):
        assert due.hour * 60 + due.minute == of.at
        assert of.weekday in (None, due.weekday())


@given(schedules, instants, st.timedeltas(timedelta(0), timedelta(days=9)))
def test_who_began_later_is_not_due_before(of: Schedule, after: datetime, later: timedelta):
    """A link that is due later than by a run that began now was planned by a clock that was ahead."""
    assert schedule.next_start(of, after) <= schedule.next_start(of, after + later)


@given(schedules, instants, st.integers(1, 40))
def test_no_retry_is_later_than_the_schedule_says(of: Schedule, now: datetime, failures: int):
    due = schedule.due_after_failure(now, of, failures)
    assert now < due <= schedule.next_start(of, now)
    assert schedule.is_open(of.windows, due)


@given(windows, instants)
def test_a_window_closes_after_it_opens(of: tuple[Window, ...], now: datetime):
    opening = schedule.next_opening(of, now)
    assert now <= opening < now + timedelta(days=1)
    closing = schedule.next_closing(of, opening)
    if closing is not None:
        assert opening < closing <= opening + timedelta(days=1)
        assert schedule.is_open(of, closing - timedelta(seconds=1))
        assert not schedule.is_open(of, closing)
