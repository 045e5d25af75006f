"""Run the chores of a tick; store and read which fail."""

import logging
from collections.abc import Callable, Iterable

from django.db import transaction
from django.db.models import F

from catalogue import outage, seams
from catalogue.models import FailingChore

logger = logging.getLogger(__name__)
_FAULT_CHARACTERS = 500  # chosen


def run_each(chores: Iterable[Callable[[], object]]) -> None:
    """Run chores one after the other. One that fails does not stop the others, and is stored as failing.

    Raises the error of a lost database: the others need the database, too.
    """
    failed_before = set(FailingChore.objects.values_list("chore", flat=True))
    for chore in chores:
        name = chore.__name__.lstrip("_")
        try:
            chore()
        except Exception as exc:
            if outage.is_outage(exc):
                raise
            logger.exception("a chore of the tick failed", extra={"chore": name})
            _record_failure(name, exc)
        else:
            if name in failed_before:
                FailingChore.objects.filter(chore=name).delete()


def _record_failure(name: str, exc: Exception) -> None:
    now = seams.now()
    fault = " ".join(f"{type(exc).__name__}: {exc}".split()).replace("\0", "")[:_FAULT_CHARACTERS]
    try:
        with transaction.atomic():
            FailingChore.objects.update_or_create(
                chore=name,
                defaults={"last": now, "fault": fault},
                create_defaults={"since": now, "last": now, "fault": fault},
            )
    except outage.ERRORS as error:
        if outage.is_outage(error):
            raise
        logger.warning("the failure of a chore was not stored", extra={"chore": name, "reason": str(error)})


def failing() -> list[str]:
    """Return the chores that have failed more than once, and not succeeded since. A single failure may be an accident."""
    return list(FailingChore.objects.filter(last__gt=F("since")).order_by("chore").values_list("chore", flat=True))
