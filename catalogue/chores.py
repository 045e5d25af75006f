"""Run the chores of a tick, which the scheduler sends to a worker; store and read when the catalogue's tick last ran."""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime

from catalogue import outage, seams
from catalogue.models import CatalogueCanary

logger = logging.getLogger(__name__)
_HOSTS_DIFFER_S = 60.0  # chosen


def run_each(chores: Iterable[Callable[[], object]]) -> None:
    """Run chores one after the other. One that fails does not stop the others.

    Raises the error of a lost database: the others need the database, too.
    """
    for chore in chores:
        try:
            chore()
        except Exception as exc:
            if outage.is_outage(exc):
                raise
            logger.exception("a chore of the tick failed", extra={"chore": chore.__name__.lstrip("_")})


def record_tick() -> None:
    """Store the time of the last tick of the catalogue that a worker ran."""
    CatalogueCanary.objects.update_or_create(pk=1, defaults={"last": seams.now()})


def tick_age_s() -> float | None:
    """Seconds since the last tick of the catalogue; None if there never was one."""
    canary = CatalogueCanary.objects.filter(pk=1).first()
    return None if canary is None else age_s(canary.last)


def age_s(last: datetime) -> float | None:
    """Seconds since a tick; None for one in the future: it came while a clock was ahead, and says nothing of now.

    The clocks of several hosts may differ by seconds.
    """
    passed_s = (seams.now() - last).total_seconds()
    return max(passed_s, 0.0) if passed_s > -_HOSTS_DIFFER_S else None
