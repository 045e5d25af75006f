"""Run ticks, which the scheduler sends to a worker, and store and read when each last came through.

Each app that has ticks has a table with a row for the last one; their ages tell whether beat, broker, worker and database all work.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.apps import apps
from django.conf import settings
from django.db.models import Q

from catalogue import seams
from catalogue.limits import Replaceable
from catalogue.models import TickCanary

_HOSTS_DIFFER_S = 60.0  # chosen


@dataclass(frozen=True, slots=True)
class TickLimits:
    """How much of the time of one worker process each kind of ticks takes, and how long the pause after one is at most."""

    share: float = 1 / 8  # chosen: three kinds that cost much leave most of one process, and all of the others
    max_pause_s: float = 60.0  # chosen: after a tick that took very long


LIMITS = Replaceable(TickLimits())


def run(canary: type[TickCanary], work: Callable[[], object]) -> None:
    """Run a tick of this kind, unless it comes too soon after the last; store when it began and how long it took.

    Ticks go before all other messages. On a host that is too slow for them, or with several schedulers, each kind takes an
    eighth of the time of one worker process, so that runs of harvests get theirs; where that would be a pause of more than
    a minute, more.
    """
    if not begin(canary):
        return
    begun = seams.monotonic()
    work()
    canary._default_manager.filter(pk=1).update(took_s=seams.monotonic() - begun)


def begin(canary: type[TickCanary]) -> bool:
    """Store the time of this tick; False if it comes too soon after the last one of its kind."""
    now = seams.now()
    last, is_first = canary._default_manager.get_or_create(pk=1, defaults={"last": now})
    if is_first:
        return True
    limits = LIMITS.in_force
    is_slow = last.took_s > settings.GISC_BEAT_SECONDS * limits.share / 2
    pause_s = min((1 / limits.share - 1) * last.took_s, limits.max_pause_s, settings.GISC_CANARY_SECONDS / 3)
    apart = timedelta(seconds=last.took_s + pause_s if is_slow else 0)
    too_soon = Q(last__gt=now - apart, last__lte=now)  # one in the future was stored while our clock was ahead
    return bool(canary._default_manager.filter(~too_soon, pk=1).update(last=now))


@dataclass(frozen=True, slots=True)
class TickAges:
    """Seconds since the last tick of each app that has ticks. None: there never was one."""

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


def read_ages() -> TickAges:
    """Read how long ago the ticks of each app came through."""
    return TickAges({canary._meta.app_label: age_s(canary) for canary in canaries()})


def canaries() -> list[type[TickCanary]]:
    """Return the tables of last ticks, one of each app that has ticks."""
    return [model for model in apps.get_models() if issubclass(model, TickCanary)]


def age_s(canary: type[TickCanary]) -> float | None:
    """Seconds since the last tick of this kind; None if there never was one."""
    last = canary._default_manager.filter(pk=1).values_list("last", flat=True).first()
    return None if last is None else _seconds_since(last)


def _seconds_since(last: datetime) -> float | None:
    """Seconds since a tick; None for one in the future: it came while a clock was ahead, and says nothing of now.

    The clocks of several hosts may differ by seconds.
    """
    passed_s = (seams.now() - last).total_seconds()
    return max(passed_s, 0.0) if passed_s > -_HOSTS_DIFFER_S else None
