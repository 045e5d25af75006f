"""Prune runs, rejects and conflicts that are older than their retention, in small batches. What runs did stays in LinkDay.

Of each link these runs stay: the newest hundred, the open one, those of the present comparison and total re-harvest, and
the newest of each purpose that ended in each way. Runs with findings stay longer, up to a number.
"""

import logging
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction

from catalogue import seams
from harvester.rows import conflicts, rejects

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PruneLimits:
    """What stays whatever its age, and how much goes at once. All are chosen."""

    newest_runs: int = 100  # of each link
    findings_for: int = 4  # retentions: for so long runs with findings stay
    # of each link that are older than the retention; each may keep a page of each index from being used again
    findings_runs: int = 100
    batch: int = 1000  # rows in a transaction
    seconds: float = 2  # of a tick
    idle_s: float = 3600  # until the next look, when nothing was left


DEFAULTS = PruneLimits()
_idle_until = 0.0

# A run that nobody looks for later.
_IS_PLAIN = """(
    state IN ('done', 'cancelled') AND rejected = 0 AND missing = 0 AND stale = 0 AND not_served = 0 AND extra = 0
    AND changed = 0 AND vanished = 0 AND held_back = 0 AND warnings = '[]'
    AND coalesce(outcome_data -> 'remarks', '[]') = '[]'
)"""
_MAY_GO = """
    run.link_id = link.id AND run.begun < least(newest.begun, %(before)s) AND run.state <> 'open'
    AND coalesce(
        run.begun < CASE run.purpose WHEN 'comparison' THEN link.cycle_begun WHEN 'content' THEN link.content_begun END,
        true
    )
    AND EXISTS (
        SELECT FROM harvester_run later WHERE later.link_id = run.link_id AND later.purpose = run.purpose
        AND later.state = run.state AND later.begun > run.begun
    )
"""
_OLD_RUNS = f"""
    SELECT old.id FROM harvester_link link
    CROSS JOIN LATERAL (
        SELECT begun FROM harvester_run WHERE link_id = link.id ORDER BY begun DESC OFFSET %(newest_runs)s - 1 LIMIT 1
    ) AS newest
    CROSS JOIN LATERAL (
        (SELECT id FROM harvester_run run WHERE {_MAY_GO} AND {_IS_PLAIN} LIMIT %(batch)s)
        UNION ALL
        (SELECT id FROM harvester_run run WHERE {_MAY_GO} AND NOT {_IS_PLAIN} AND run.begun < %(findings_before)s
            LIMIT %(batch)s)
        UNION ALL
        (SELECT id FROM harvester_run run WHERE {_MAY_GO} AND NOT {_IS_PLAIN} AND run.begun >= %(findings_before)s
            ORDER BY run.begun DESC OFFSET %(findings_runs)s LIMIT %(batch)s)
    ) AS old
    LIMIT %(batch)s
"""


def prune_when_due() -> None:
    """Prune for a short time, if the last look of this process left something or was long ago."""
    global _idle_until
    if seams.monotonic() < _idle_until:
        return
    if prune(seams.now()):
        _idle_until = seams.monotonic() + DEFAULTS.idle_s


def prune(now: datetime, limits: PruneLimits = DEFAULTS) -> bool:
    """Remove what is older than its retention, for `limits.seconds`; whether nothing is left to remove."""
    until = seams.monotonic() + limits.seconds
    rejects.fold()
    before = _retention_ends(now)
    removed = Counter[str]()
    is_clean = False
    while not is_clean and (not removed or seams.monotonic() < until):
        batch = {
            "runs": _prune_runs(now, limits),
            "rejects": rejects.prune(before, limit=limits.batch),
            "conflicts": conflicts.prune(before, limit=limits.batch),
        }
        removed.update(batch)
        is_clean = max(batch.values()) < limits.batch
    if removed.total():
        logger.info("old runs pruned", extra=dict(removed))
    return is_clean


def _retention_ends(now: datetime, times: int = 1) -> datetime:
    return now - timedelta(days=settings.GISC_RUN_RETENTION_DAYS) * times


@transaction.atomic
def _prune_runs(now: datetime, limits: PruneLimits) -> int:
    values: dict[str, datetime | int] = {
        "before": _retention_ends(now),
        "findings_before": _retention_ends(now, limits.findings_for),
        "newest_runs": limits.newest_runs,
        "findings_runs": limits.findings_runs,
        "batch": limits.batch,
    }
    with connection.cursor() as cursor:
        cursor.execute(_OLD_RUNS, values)
        old = [run for (run,) in cursor.fetchall()]
        if old:
            rejects.forget_runs(old)
            cursor.execute("DELETE FROM harvester_run WHERE id = ANY(%s)", [old])
    return len(old)
