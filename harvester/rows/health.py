"""Write and read the health of this node: the ages of the ticks, and the clock of this host.

The age of a tick tells whether beat, broker, worker and database all work. The clocks (W19) are this host's
against NTP and each provider's against ours; no result depends on them.
"""

import logging
import statistics
from dataclasses import dataclass
from datetime import datetime, timedelta

import ntplib
from django.conf import settings
from django.db.models import Q

from catalogue import chores, seams
from catalogue.reasons import Reason, ReasonCode
from harvester.models import Canary, HostClock, Link

logger = logging.getLogger(__name__)

HOST_CLOCK_ALARM_S = 1.0  # of this host against NTP
SKEW_WARNING_S = 5.0  # W19
SKEW_ALARM_S = 60.0
_CLOCK_DOUBT_S = 3600.0  # chosen: a clock so wrong may be wrong by months
_WITNESSES = 3  # chosen: of fewer providers one may be the wrong one
_CHECK_EVERY = timedelta(minutes=10)  # chosen
_TIMEOUT_S = 2
_MAX_TICK_PAUSE_S = 60.0  # chosen: after a tick that took very long


def begin_tick() -> bool:
    """Store the time of this tick of the harvester; False if it comes too soon after the last one.

    Where ticks take longer than half a beat, each is followed by a pause of twice its time; else runs would never get a
    worker.
    """
    now = seams.now()
    canary, is_first = Canary.objects.get_or_create(pk=1, defaults={"last": now})
    if is_first:
        return True
    is_slow = canary.took_s > settings.GISC_BEAT_SECONDS / 2
    pause = timedelta(seconds=min(2 * canary.took_s, _MAX_TICK_PAUSE_S) if is_slow else 0)
    too_soon = Q(last__gt=now - pause, last__lte=now)  # one in the future was stored while our clock was ahead
    return bool(Canary.objects.filter(~too_soon, pk=1).update(last=now))


def shorten_waits(now: datetime) -> None:
    """Forget claims that were made while our clock was ahead, and is right now."""
    Canary.objects.filter(last_claim__gt=now).update(last_claim=now, host_turns={})


def end_tick(*, took_s: float) -> None:
    """Store how long this tick took."""
    Canary.objects.filter(pk=1).update(took_s=took_s)


@dataclass(frozen=True, slots=True)
class TickAges:
    """Seconds since the last tick of the harvester, and of the catalogue. None: there never was one."""

    harvester: float | None
    catalogue: float | None

    @property
    def oldest_s(self) -> float | None:
        """The larger of both, so that neither tick stops unnoticed; None if one of them never came."""
        return None if self.harvester is None or self.catalogue is None else max(self.harvester, self.catalogue)

    @property
    def is_late(self) -> bool:
        """Whether one of the ticks is so long ago that its chores, harvesting among them, have probably stopped."""
        return self.oldest_s is None or self.oldest_s > settings.GISC_CANARY_SECONDS


def tick_ages() -> TickAges:
    """Read how long ago the ticks came through."""
    canary = Canary.objects.filter(pk=1).first()
    age_s = None if canary is None else max((seams.now() - canary.last).total_seconds(), 0.0)
    return TickAges(harvester=age_s, catalogue=chores.tick_age_s())


def check_host_clock(now: datetime) -> HostClock | None:
    """Ask the NTP servers if a check is due, and store the result; None if there are no servers or none is due."""
    servers = settings.GISC_NTP_SERVERS
    clock = HostClock.objects.filter(pk=1).first()
    if not servers or (clock is not None and now - clock.checked < _CHECK_EVERY):
        return None
    faults = []
    for server in servers:
        host, _, port = server.partition(":")
        try:
            answer = ntplib.NTPClient().request(host, version=4, port=port or "ntp", timeout=_TIMEOUT_S)
        except (ntplib.NTPException, OSError) as exc:
            faults.append(f"{server}: {exc}")
            continue
        return _record_host_clock(now, server, measured_s=answer.offset)
    return _record_host_clock(now, "", fault="; ".join(faults))


def _record_host_clock(now: datetime, server: str, *, measured_s: float | None = None, fault: str = "") -> HostClock:
    clock, _ = HostClock.objects.update_or_create(
        pk=1, defaults={"checked": now, "server": server, "offset_s": measured_s, "fault": fault}
    )
    if measured_s is None:
        logger.warning("no NTP server answered", extra={"reason": fault})
    elif abs(measured_s) > HOST_CLOCK_ALARM_S:
        logger.error("the clock of this host is wrong", extra={"offset_s": round(measured_s, 3), "server": server})
    return clock


def host_clock_state() -> str:
    """The state of this host's clock, `ok` or a few words; empty where no NTP server is set."""
    if not settings.GISC_NTP_SERVERS:
        return ""
    clock = HostClock.objects.filter(pk=1).first()
    if clock is None:
        return "not checked yet"
    if clock.offset_s is None:
        return "no NTP server answered"
    if abs(clock.offset_s) > HOST_CLOCK_ALARM_S:
        return f"wrong by {clock.offset_s:+.1f} s; set it by NTP"
    return "ok"


def clock_doubt() -> Reason | None:
    """Return why the clock of this host is probably wrong by more than an hour; None if nothing shows it."""
    offset_s = host_clock_offset_s()
    if offset_s is not None and abs(offset_s) > _CLOCK_DOUBT_S:
        return Reason(ReasonCode.CLOCK_WRONG, {"offset_s": offset_s})
    measured = Link.objects.filter(enabled=True).values_list("skew_s", flat=True)
    skews = [skew_s for skew_s in measured if skew_s is not None]
    if len(skews) >= _WITNESSES and abs(skew_s := statistics.median(skews)) > _CLOCK_DOUBT_S:
        return Reason(ReasonCode.CLOCK_DIFFERS, {"links": len(skews), "skew_s": skew_s})
    return None


def host_clock_offset_s() -> float | None:
    """NTP's time minus this host's, as last measured."""
    clock = HostClock.objects.filter(pk=1).first()
    return clock.offset_s if clock else None
