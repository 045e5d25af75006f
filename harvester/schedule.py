"""Compute when a link is due, where its next list begins, and how long to wait before a retry. No clock, no database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, Self

from catalogue.datestamps import Granularity
from catalogue.limits import Replaceable

MAX_ATTEMPTS = 10  # H26: a run fails after so many tries in a row without a page
MAX_CRASHES = 10  # chosen: a run fails after so many faults of this node in a row without a page
MAX_RESTARTS = 2  # H22: a list is started again at most twice per run
MAX_WAIT_S = 3600  # H26: at most one hour per wait
DEFAULT_OVERLAP_S = 60  # H9
DEFAULT_LATENESS_H = 72  # H8
MAX_LATENESS_H = 366 * 24  # chosen: doubling ends there
_BACKOFF = (1, 3, 9, 27)  # factors; H21: 10 s, 30 s, 90 s ...
_LAST_BACKOFF = 60
_MAX_JITTER_S = 20  # chosen
_MAX_ANSWERS_S = 1200  # chosen: Identify and the first page of a list may have taken so long together
_FIRST_FAILURE_WAIT_S = 300  # chosen
DAY_S = 86_400
DAY_MINUTES = 1440


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How much a run does at a time, and where it gives up. (Waits and tries are constants of this module.)"""

    work_s: float = 60  # chosen: a task works on a run for at most a minute, so that no run keeps a worker for long
    max_pages: int = 100_000  # of a list; chosen: ten million records, a hundred to a page
    # H23: a list is endless with more entries than `max_excess` times the announced size, and `min_excess` on top.
    max_excess: int = 2
    min_excess: int = 1000
    min_slice: int = 1000  # headers; chosen: a page or a few
    max_slice: int = 20_000  # headers; W24
    max_content_slice: int = 2_000  # records; chosen: the link's harvests wait for minutes, also at a slow provider
    fetch_batch: int = (
        20  # records that are asked for before they are stored; chosen: well within a lease at a second for each
    )
    # New records of a page that is not the last; chosen: starting processes takes as long as reading 500.
    worth_processes: int = 50


LIMITS = Replaceable(RunLimits())


@dataclass(frozen=True, slots=True)
class Cycle:
    """How far a link has come in going through all its records, slice by slice. `days`: a cycle's; 0: not by schedule.

    `covered_to`: the datestamp up to which this cycle has come; None before its first slice, and after its last.
    """

    days: int
    begun: datetime | None
    covered_to: datetime | None


class Window(NamedTuple):
    """A part of each day, in minutes since midnight UTC: `begin` belongs to it, `end` does not; it may cross midnight."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a link is harvested: by an interval, daily, or weekly, and at which times of the day it may be. All in UTC.

    `at`: the minute of the day of a daily or weekly harvest; None: `interval_s` after the last one began. `weekday`: 0 is
    Monday; None: each day. `windows`: a run that is due outside of them waits for the next; none: it never waits.
    """

    interval_s: int
    at: int | None = None
    weekday: int | None = None
    windows: tuple[Window, ...] = ()

    @classmethod
    def daily(cls, at: int, *windows: Window) -> Self:
        return cls(DAY_S, at, None, windows)

    @classmethod
    def weekly(cls, weekday: int, at: int, *windows: Window) -> Self:
        return cls(7 * DAY_S, at, weekday, windows)


def next_start(schedule: Schedule, after: datetime) -> datetime:
    """Return when the link is due next, if its last run began then: later than that, and within a window."""
    if schedule.at is None:
        return next_opening(schedule.windows, after + timedelta(seconds=schedule.interval_s))
    day = after.replace(hour=schedule.at // 60, minute=schedule.at % 60, second=0, microsecond=0)
    step = 1 if schedule.weekday is None else 7
    if schedule.weekday is not None:
        day += timedelta(days=(schedule.weekday - day.weekday()) % 7)
    return next_opening(schedule.windows, day if day > after else day + timedelta(days=step))


def next_starts(schedule: Schedule, first: datetime, number: int = 3) -> list[datetime]:
    """Return so many times at which runs begin, if the first is due then and each is over before the next."""
    starts = [next_opening(schedule.windows, first)]
    while len(starts) < number:
        starts.append(next_start(schedule, starts[-1]))
    return starts


def is_open(windows: Sequence[Window], at: datetime) -> bool:
    """Whether a link may run at this instant."""
    return not windows or is_open_at(windows, _minute_of_day(at))


def is_open_at(windows: Sequence[Window], minute: int) -> bool:
    """Whether a link may run in this minute of the day."""
    return not windows or any(_is_within(window, minute) for window in windows)


def next_opening(windows: Sequence[Window], at: datetime) -> datetime:
    """Return the first instant from then on at which a link may run."""
    if is_open(windows, at):
        return at
    minute = _minute_of_day(at)
    wait = min((window.begin - minute) % DAY_MINUTES for window in windows)
    return at.replace(second=0, microsecond=0) + timedelta(minutes=wait)


def next_closing(windows: Sequence[Window], at: datetime) -> datetime | None:
    """Return when a link that runs then has to pause: at once, outside of its windows; None: never."""
    if not windows:
        return None
    end = at
    while is_open(windows, end):
        if end - at >= timedelta(days=1):
            return None
        minute = _minute_of_day(end)
        left = max((window.end - minute) % DAY_MINUTES for window in windows if _is_within(window, minute))
        end = end.replace(second=0, microsecond=0) + timedelta(minutes=left or DAY_MINUTES)
    return end


def longest_wait_s(schedule: Schedule) -> int:
    """Return the seconds that may lie between the starts of two runs, if each is over in time: no less than the interval."""
    windows = schedule.windows
    if schedule.at is not None:
        return schedule.interval_s
    closed = [
        min((window.begin - end) % DAY_MINUTES for window in windows)
        for end in {window.end for window in windows}
        if not any(_is_within(window, end) for window in windows)
    ]
    return schedule.interval_s + 60 * max(closed, default=0)


def _is_within(window: Window, minute: int) -> bool:
    if window.begin < window.end:
        return window.begin <= minute < window.end
    return minute >= window.begin or minute < window.end


def _minute_of_day(at: datetime) -> int:
    return at.hour * 60 + at.minute


def retry_wait_s(attempt: int, retry_after_s: float | None, *, first_s: float) -> float:
    """Return the seconds to wait after the `attempt`th try (from 1) failed: `first_s`, then growing (H21).

    The provider's Retry-After comes first (H26).
    """
    if retry_after_s is not None:
        return min(max(retry_after_s, 1), MAX_WAIT_S)
    backoff = _BACKOFF[attempt - 1] if attempt <= len(_BACKOFF) else _LAST_BACKOFF
    return min(backoff * first_s, MAX_WAIT_S)


def jitter_s(wait_s: float, chance: float) -> float:
    """Return the seconds to add to a wait, so that many retries do not come at once. `chance`: random, from 0 to 1."""
    return min(wait_s / 4, _MAX_JITTER_S, MAX_WAIT_S - wait_s) * chance


def due_after_failure(now: datetime, schedule: Schedule, failures: int, planned: datetime | None = None) -> datetime:
    """Return when a link is due after `failures` failed runs in a row: soon at first, never later than by its schedule.

    `planned`: when the schedule has its next run, if that was not before this one ended.
    """
    wait_s = min(schedule.interval_s, _FIRST_FAILURE_WAIT_S * 2 ** min(failures - 1, 20))
    due = min(now + timedelta(seconds=wait_s), next_start(schedule, now))
    if planned is not None and planned > now:
        due = min(due, planned)
    return next_opening(schedule.windows, due)


def list_from(harvested_to: datetime | None, granularity: Granularity, overlap_s: int) -> datetime | None:
    """Return the `from` of the next list (H8, H9): `harvested_to` less one second and the overlap; None: the whole
    list.

    With day granularity it is the day of `harvested_to`, as the bound is inclusive.
    """
    if harvested_to is None:
        return None
    if granularity is Granularity.DAY:
        return begin_of(harvested_to, granularity)
    return harvested_to - timedelta(seconds=1 + overlap_s)


def complete_to(first_response: datetime, newest: datetime | None, lateness_h: int) -> datetime:
    """Return up to where a provider's list is complete: min(F, max(M, F - L)) (promise 2, H8).

    F is the responseDate of the first page, M the largest datestamp of the last list that was not empty, L the longest time
    after its datestamp at which this provider lists a record.
    """
    late = first_response - timedelta(hours=lateness_h)
    return min(first_response, late if newest is None else max(newest, late))


def settled_to(first_response: datetime, newest: datetime | None, granularity: Granularity) -> datetime | None:
    """Return the last granule whose listed records can have changed only with another datestamp; None if none was listed.

    That of the first page's responseDate is not settled: in it a record may have changed after it was listed. Nor is the one
    before: a list that goes on after it would lack the former, from a provider that takes `from` for exclusive (H9).
    """
    if newest is None:
        return None
    granule = timedelta(days=1) if granularity is Granularity.DAY else timedelta(seconds=1)
    return min(begin_of(first_response, granularity) - 2 * granule, begin_of(newest, granularity))


def longer_lateness_h(lateness_h: int) -> int:
    """Return the lateness of a provider by which a record came too late (H8)."""
    return min(2 * max(lateness_h, 1), MAX_LATENESS_H)


def begin_of(stamp: datetime, granularity: Granularity) -> datetime:
    """Return the first instant of the granule of `stamp`."""
    stamp = stamp.replace(microsecond=0)
    return stamp.replace(hour=0, minute=0, second=0) if granularity is Granularity.DAY else stamp


def by_our_clock(
    first_response: datetime, first_asked: datetime, theirs: datetime, now: datetime, overlap_s: int
) -> tuple[datetime, int]:
    """Return where a list begins by our clock, and by how many seconds the provider's was set back since the last (H48).

    `first_response` of the last list, and `theirs` now, are on the provider's clock; `first_asked`, when the last list was
    asked for, and `now` on ours. It was set back if it shows an earlier time now, or if it has fallen behind our clock by
    more than the answers can have taken. A step that the overlap covers counts for nothing.
    """
    overlap = timedelta(seconds=1 + overlap_s)
    begin = first_asked + (theirs - now) - overlap  # the time of the last list, by their clock as it goes now
    behind_ours = (first_response - first_asked) - (theirs - now) - timedelta(seconds=_MAX_ANSWERS_S)
    step = max(first_response - theirs, behind_ours)
    if begin >= first_response - 2 * overlap:
        begin = first_response - overlap
    return begin, round(step.total_seconds()) if step > overlap else 0


def silence_days(before: datetime | None, now: datetime, deleted_record: str, tombstone_days: int, wait_s: int) -> int:
    """Return for how many days a link was silent, if the provider may have dropped deletions meanwhile (H15); else 0.

    `before` and `now` are the first responseDates of two lists, on the provider's clock. A provider that keeps no
    deletions drops them at once; then more than twice the time between two runs (`wait_s`), and more than a day, count as silence.
    """
    if before is None or deleted_record == "persistent":
        return 0
    retention = timedelta(days=tombstone_days)
    if deleted_record == "no":
        retention = max(timedelta(days=1), timedelta(seconds=2 * wait_s))
    silence = now - before
    return max(silence.days, 1) if silence > retention else 0


def slice_size(headers: int, cycle_days: int, limits: RunLimits, *, of_content: bool = False) -> int:
    """Return how many headers a slice has: enough to go through all in a cycle by a slice a day, within limits (W24)."""
    largest = limits.max_content_slice if of_content else limits.max_slice
    return min(max(-(-headers // max(cycle_days, 1)), limits.min_slice), largest)


def next_cycle_due(now: datetime, begun: datetime, cycle_days: int) -> datetime:
    """Return when the next cycle begins, if the one that began then is complete."""
    return max(begun + timedelta(days=cycle_days), now + timedelta(days=1))


def next_slice_due(
    now: datetime, begun: datetime, cycle_days: int, *, in_slice: int, left: int, headers: int
) -> datetime:
    """Return when the next slice is due: tomorrow, or sooner if the cycle would not end within its days.

    The pause is to the time that is left as this slice is to what was to do before it. A cycle that is late catches up, but
    at no more than twice the usual pace.
    """
    days = timedelta(days=cycle_days)
    in_slice = max(in_slice, 1)
    in_time = (begun + days - now) * in_slice / (in_slice + left)
    usual = days * in_slice / max(headers, in_slice)
    return now + min(timedelta(days=1), max(in_time, usual / 2))
