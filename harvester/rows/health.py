"""The canary: how long ago a task came through beat, broker, worker and database. Its age is the health of all four.

The clocks (W19): this host's against NTP, and each provider's against ours. Correctness never depends on them.
"""

import logging
from datetime import datetime, timedelta

import ntplib
from django.conf import settings
from django.utils import timezone

from harvester.models import Canary, HostClock


def record_tick() -> None:
    """A tick has come through."""
    Canary.objects.update_or_create(pk=1, defaults={"last": timezone.now()})


def tick_age_s() -> float | None:
    """Seconds since the last tick; None if there never was one."""
    canary = Canary.objects.filter(pk=1).first()
    return None if canary is None else max((timezone.now() - canary.last).total_seconds(), 0.0)


def is_tick_late(age_s: float | None) -> bool:
    """Whether nobody harvests any more, as far as one can tell by a canary of this age."""
    return age_s is None or age_s > settings.GISC_CANARY_SECONDS


logger = logging.getLogger(__name__)

ALARM_S = 1.0  # of this host against NTP
SKEW_WARNING_S = 5.0  # W19
SKEW_ALARM_S = 60.0
_EVERY = timedelta(minutes=10)  # chosen
_TIMEOUT_S = 2


def check_host_clock(now: datetime) -> HostClock | None:
    """Ask the NTP servers, if there are any and it is time; what was found, or None where nothing was asked."""
    servers = settings.GISC_NTP_SERVERS
    held = HostClock.objects.filter(pk=1).first()
    if not servers or (held is not None and now - held.checked < _EVERY):
        return None
    faults = []
    for server in servers:
        host, _, port = server.partition(":")
        try:
            answer = ntplib.NTPClient().request(host, version=4, port=port or "ntp", timeout=_TIMEOUT_S)
        except (ntplib.NTPException, OSError) as exc:
            faults.append(f"{server}: {exc}")
            continue
        return _keep(now, server, offset_s=answer.offset)
    return _keep(now, "", fault="; ".join(faults))


def _keep(now: datetime, server: str, *, offset_s: float | None = None, fault: str = "") -> HostClock:
    found, _ = HostClock.objects.update_or_create(
        pk=1, defaults={"checked": now, "server": server, "offset_s": offset_s, "fault": fault}
    )
    if offset_s is None:
        logger.warning("no NTP server answered", extra={"reason": fault})
    elif abs(offset_s) > ALARM_S:
        logger.error("the clock of this host is wrong", extra={"offset_s": round(offset_s, 3), "server": server})
    return found


def host_clock_state() -> str:
    """In a word or a sentence how this host's clock stands; empty where no NTP server is set."""
    if not settings.GISC_NTP_SERVERS:
        return ""
    held = HostClock.objects.filter(pk=1).first()
    if held is None:
        return "not checked yet"
    if held.offset_s is None:
        return "no NTP server answered"
    if abs(held.offset_s) > ALARM_S:
        return f"wrong by {held.offset_s:+.1f} s; set it by NTP"
    return "ok"


def offset_s() -> float | None:
    """NTP's time minus this host's, as last measured."""
    held = HostClock.objects.filter(pk=1).first()
    return held.offset_s if held else None


def skew_s(response_date: datetime) -> float:
    """The provider's clock minus ours, in seconds; a whole second is within its responseDate's precision."""
    return (response_date - timezone.now()).total_seconds()


def skew_remark(skew: float | None) -> str:
    """What an operator is told of a provider's clock; empty where it is near enough."""
    if skew is None or abs(skew) <= SKEW_WARNING_S:
        return ""
    side = "ahead of" if skew > 0 else "behind"
    grave = "; tell the provider" if abs(skew) > SKEW_ALARM_S else ""
    return f"The provider's clock is {abs(skew):.0f} s {side} ours{grave}."
