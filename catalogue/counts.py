"""The figures of `catalogue.stats` for pages that anybody may ask for as often as they like."""

import time
from typing import Any

from django.core.cache import cache

from catalogue import lists
from catalogue.stats import stats

_KEY = "catalogue.counts"
_CHEAP_S = 0.1  # chosen: counting that takes no longer is done each time
_AGE_PER_COST = 100  # chosen: so that a process spends at most one part in a hundred of its time on counting


def recent() -> dict[str, Any]:
    """As `stats.stats`; in a large catalogue up to a hundred times as old as counting takes."""
    known: dict[str, Any] | None = cache.get(_KEY)
    if known is None:
        begun = time.monotonic()
        known = stats()
        took_s = time.monotonic() - begun
        if took_s > _CHEAP_S:
            cache.set(_KEY, known, timeout=took_s * _AGE_PER_COST)
    return known


def by_set() -> dict[str, dict[str, Any]]:
    """The figures of each set, by setSpec."""
    return {row["set"]: row for row in recent()["sets"]}


def public() -> dict[str, Any]:
    """The figures without the sets that are not public, in the order of ListSets."""
    rows = by_set()
    shown = [rows[item.spec] for item in lists.shown_sets() if item.spec in rows]
    return {**recent(), "sets": shown}
