"""Run ticks, which the scheduler sends to a worker, and their chores; store and read which fail, and when each tick last ran."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from catalogue import outage, seams
from catalogue.models import FailingChore, TickCanary

logger = logging.getLogger(__name__)
_HOSTS_DIFFER_S = 60.0  # chosen
_TICK_SHARE = 8  # chosen: three kinds of ticks that cost much leave most of one worker process, and all of the others
_MAX_TICK_PAUSE_S = 60.0  # chosen: after a tick that took very long
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


def run_tick(canary: type[TickCanary], run: Callable[[], object]) -> None:
    """Run a tick of this kind, unless it comes too soon after the last; store when it began and how long it took.

    Ticks go before all other messages. On a host that is too slow for them, or with several schedulers, each kind takes an
    eighth of the time of one worker process, so that runs of harvests get theirs.
    """
    if not begin_tick(canary):
        return
    begun = seams.monotonic()
    run()
    canary._default_manager.filter(pk=1).update(took_s=seams.monotonic() - begun)


def begin_tick(canary: type[TickCanary]) -> bool:
    """Store the time of this tick; False if it comes too soon after the last one of its kind."""
    now = seams.now()
    last, is_first = canary._default_manager.get_or_create(pk=1, defaults={"last": now})
    if is_first:
        return True
    is_slow = last.took_s > settings.GISC_BEAT_SECONDS / (2 * _TICK_SHARE)
    longest_s = min(_MAX_TICK_PAUSE_S, settings.GISC_CANARY_SECONDS / 3)
    pause = timedelta(seconds=min(_TICK_SHARE * last.took_s, longest_s) if is_slow else 0)
    too_soon = Q(last__gt=now - pause, last__lte=now)  # one in the future was stored while our clock was ahead
    return bool(canary._default_manager.filter(~too_soon, pk=1).update(last=now))


@dataclass(frozen=True, slots=True)
class TickAges:
    """Seconds since the last tick of each app that has ticks. None: there never was one.

    They tell whether beat, broker, worker and database all work.
    """

    by_app: Mapping[str, float | None]

    @property
    def oldest_s(self) -> float | None:
        """The largest, so that no tick stops unnoticed; None if one of them never came."""
        ages_s = list(self.by_app.values())
        return None if None in ages_s else max(age_s for age_s in ages_s if age_s is not None)

    @property
    def is_late(self) -> bool:
        """Whether one of the ticks is so long ago that its chores, harvesting among them, have probably stopped."""
        return self.oldest_s is None or self.oldest_s > settings.GISC_CANARY_SECONDS


def tick_ages() -> TickAges:
    """Read how long ago the ticks of each app came through."""
    canaries = [model for model in apps.get_models() if issubclass(model, TickCanary)]
    return TickAges({canary._meta.app_label: tick_age_s(canary) for canary in canaries})


def tick_age_s(canary: type[TickCanary]) -> float | None:
    """Seconds since the last tick of this kind; None if there never was one."""
    last = canary._default_manager.filter(pk=1).values_list("last", flat=True).first()
    return None if last is None else _age_s(last)


def _age_s(last: datetime) -> float | None:
    """Seconds since a tick; None for one in the future: it came while a clock was ahead, and says nothing of now.

    The clocks of several hosts may differ by seconds.
    """
    passed_s = (seams.now() - last).total_seconds()
    return max(passed_s, 0.0) if passed_s > -_HOSTS_DIFFER_S else None
