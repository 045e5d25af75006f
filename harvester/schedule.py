"""When a link is due and how long to wait before a retry: arithmetic on what is passed in. No clock, no database."""

from datetime import datetime, timedelta

from catalogue.datestamps import Granularity

MAX_ATTEMPTS = 10  # H26: give up after ten tries in a row without a page
MAX_RESTARTS = 2  # H22: a list is started again at most twice per run
MAX_PAGES = 100_000  # chosen: ten million records of a hundred to a page
MAX_EXCESS = 2  # H23: entries at most, in multiples of the announced size ...
MIN_EXCESS = 1000  # ... and a few that came while the list was read
MIN_SLICE = 1000  # chosen: a page or a few
MAX_SLICE = 20_000  # W24
MAX_WAIT_S = 3600  # H26: at most one hour per wait
_GROWTH = (1, 3, 9, 27)  # H21: 10 s, 30 s, 90 s ...
_LAST_GROWTH = 60
_MAX_SPREAD_S = 20  # chosen
_FIRST_FAILURE_WAIT_S = 300  # chosen


def retry_wait_s(attempt: int, retry_after_s: float | None, *, first_s: float) -> float:
    """Seconds to wait after the `attempt`th try (from 1) failed: `first_s` and growing (H21).

    The provider's wish comes first (H26).
    """
    if retry_after_s is not None:
        return min(max(retry_after_s, 1), MAX_WAIT_S)
    growth = _GROWTH[attempt - 1] if attempt <= len(_GROWTH) else _LAST_GROWTH
    return min(growth * first_s, MAX_WAIT_S)


def spread_s(wait_s: float, chance: float) -> float:
    """What is added to a wait, by a chance between 0 and 1, so that many who wait do not come back at once."""
    return min(wait_s / 4, _MAX_SPREAD_S, MAX_WAIT_S - wait_s) * chance


def due_after_failure(now: datetime, interval_s: int, failures: int) -> datetime:
    """When a link is due again after `failures` failed runs in a row: soon at first, never later than its schedule."""
    wait_s = min(interval_s, _FIRST_FAILURE_WAIT_S * 2 ** min(failures - 1, 20))
    return now + timedelta(seconds=wait_s)


def list_from(harvested_to: datetime | None, granularity: Granularity, overlap_s: int) -> datetime | None:
    """The `from` of the next list: one granule and the margin before what is complete (H8, H9); None: from the start.

    On a day repository it is the day of `harvested_to`, which the inclusive bound delivers again.
    """
    if harvested_to is None:
        return None
    if granularity is Granularity.DAY:
        return harvested_to.replace(hour=0, minute=0, second=0)
    return harvested_to - timedelta(seconds=1 + overlap_s)


def harvested_to(first_response: datetime, newest: datetime | None, *, by_response: bool) -> datetime | None:
    """Up to where a link is complete after a complete list (promise 2): the smaller of its first page's responseDate
    and the largest datestamp listed, or by the link's policy the responseDate alone (H8, W14).

    `newest` is of the last list that was not empty, so that an empty list leaves the first kind where it was (H13).
    """
    if by_response:
        return first_response
    return None if newest is None else min(first_response, newest)


def silence_days(
    before: datetime | None, now: datetime, deleted_record: str, tombstone_days: int, interval_s: int
) -> int:
    """For how many days a link was silent, if deletions may have been forgotten meanwhile (H15); else 0.

    `before` and `now` are first responseDates of two lists, on the provider's clock. A provider that keeps no
    deletions at all forgets them at once; then two intervals, and a day at least, are taken for silence.
    """
    if before is None or deleted_record == "persistent":
        return 0
    kept = timedelta(days=tombstone_days)
    if deleted_record == "no":
        kept = max(timedelta(days=1), timedelta(seconds=2 * interval_s))
    silent = now - before
    return max(silent.days, 1) if silent > kept else 0


def slice_size(headers: int, cycle_days: int) -> int:
    """How many headers a slice has, so that a slice a day is the whole in a cycle, and none is a burden (W24)."""
    return min(max(-(-headers // max(cycle_days, 1)), MIN_SLICE), MAX_SLICE)


def after_slice(now: datetime, cycle_begun: datetime, cycle_days: int, headers: int, *, complete: bool) -> datetime:
    """When the next slice is due: tomorrow, or sooner where slices of the largest size would not do in a cycle."""
    if complete:
        return max(cycle_begun + timedelta(days=cycle_days), now + timedelta(days=1))
    slices = max(-(-headers // MAX_SLICE), 1)
    return now + min(timedelta(days=1), timedelta(days=cycle_days) / slices)
