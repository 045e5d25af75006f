"""Find links whose records have changed in number at once, by the daily sums of their runs. Two queries."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

from catalogue.reading import stats
from harvester.models import LinkDay


@dataclass(frozen=True, slots=True)
class CountLimits:
    """From when on a change is sudden. All are chosen."""

    records: int = 50  # fewer are never sudden, and a set that had fewer is being filled
    percent: int = 25  # of the records that the set had before
    days: int = 2  # of UTC, today's among them, so that a change is seen for a whole day at least


DEFAULTS = CountLimits()


@dataclass(frozen=True, slots=True)
class CountChange:
    """What the runs of a link did within the last days: its set had `before` live records."""

    before: int
    added: int
    removed: int


def live_by_set() -> dict[int, int]:
    """Return how many live records each set has, by the set's id; those that not everybody sees are among them."""
    return stats.live_by_set(with_hidden=True)


def sudden_changes(now: datetime, live: dict[int, int], limits: CountLimits = DEFAULTS) -> dict[int, CountChange]:
    """Return the links, by id, that brought or deleted more than a share of their set within the last days.

    `live`: as `live_by_set` gives it. A set that is being filled had no records before, and is left out.
    """
    first_day = now.date() - timedelta(days=limits.days - 1)
    added, removed, set_of = defaultdict[int, int](int), defaultdict[int, int](int), dict[int, int]()
    days = LinkDay.objects.filter(day__gte=first_day).order_by()
    for link_id, set_id, new, deleted in days.values_list("link_id", "link__local_set_id", "new", "deleted"):
        added[link_id] += new
        removed[link_id] += deleted
        set_of[link_id] = set_id
    found = {}
    for link_id, set_id in set_of.items():
        before = live.get(set_id, 0) - added[link_id] + removed[link_id]
        moved = max(added[link_id], removed[link_id])
        if before >= limits.records and moved >= limits.records and moved * 100 > before * limits.percent:
            found[link_id] = CountChange(before, added[link_id], removed[link_id])
    return found
