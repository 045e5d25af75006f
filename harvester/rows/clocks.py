"""Write and read how well the clocks are (W19): this host's against NTP, and each provider's against ours.

No result depends on them.
"""

import logging
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import ntplib
from django.conf import settings

from catalogue import seams
from catalogue.reasons import Reason, ReasonCode, describe_error
from harvester.models import HostClock, Link

logger = logging.getLogger(__name__)

SKEW_WARNING_S = 5.0  # W19
SKEW_ALARM_S = 60.0
_CLOCK_DOUBT_S = 3600.0  # chosen: a clock so wrong may be wrong by months
_WITNESSES = 3  # chosen: of fewer providers one may be the wrong one
_CHECK_EVERY = timedelta(seconds=45)  # chosen: at every second tick, so that a wrong clock is seen within a minute
_CHECK_LASTS_S = 600.0  # chosen: a measurement that is older says nothing
_TIMEOUT_S = 2
_NTP_PORT = 123  # not by its name: small images have no /etc/services


def check_host_clock(now: datetime) -> HostClock | None:
    """Ask the NTP servers if a check is due, and store the result; None if there are no servers or none is due."""
    servers = settings.GISC_NTP_SERVERS
    clock = HostClock.objects.filter(pk=1).first()
    # One in the future was stored while our clock was ahead.
    if not servers or (clock is not None and timedelta(0) <= now - clock.checked < _CHECK_EVERY):
        return None
    faults = []
    for server in servers:
        host, _, port = server.partition(":")
        try:
            answer = ntplib.NTPClient().request(host, version=4, port=port or _NTP_PORT, timeout=_TIMEOUT_S)
        except (ntplib.NTPException, OSError) as exc:
            faults.append(f"{server}: {describe_error(exc)}")
            continue
        return _record_offset(now, server, answer.offset)
    return _record_silence(now, "; ".join(faults))


def _record_offset(now: datetime, server: str, offset_s: float) -> HostClock:
    clock, _ = HostClock.objects.update_or_create(
        pk=1, defaults={"checked": now, "server": server, "offset_s": offset_s, "measured": now, "fault": ""}
    )
    if abs(offset_s) > settings.GISC_CLOCK_LIMIT_SECONDS:
        logger.error("the clock of this host is wrong", extra={"offset_s": round(offset_s, 3), "server": server})
    return clock


def _record_silence(now: datetime, fault: str) -> HostClock:
    """Store that no server answers; what was measured last stays."""
    clock, _ = HostClock.objects.update_or_create(pk=1, defaults={"checked": now, "server": "", "fault": fault})
    logger.warning("no NTP server answered", extra={"reason": fault})
    return clock


@dataclass(frozen=True, slots=True)
class ClockState:
    """What is known of the clock of this host.

    `offset_s`: NTP's time minus this host's, as last measured, `age_s` ago; None: never. `is_silent`: no server answered
    the last check. `skews_s`: how far the clocks of providers are ahead of ours.
    """

    has_servers: bool
    offset_s: float | None
    age_s: float | None
    is_silent: bool
    skews_s: tuple[float, ...]

    @property
    def is_known(self) -> bool:
        """Whether a measurement is there that still says something."""
        is_recent = self.age_s is not None and self.age_s <= _CHECK_LASTS_S
        return self.has_servers and is_recent and not self.is_silent

    @property
    def is_wrong(self) -> bool:
        """Whether the clock was found wrong, and nothing has shown since that it is right."""
        return self.has_servers and self.offset_s is not None and abs(self.offset_s) > settings.GISC_CLOCK_LIMIT_SECONDS

    @property
    def is_checked_by_links(self) -> bool:
        """Whether so many providers disagree with our clock that it is probably wrong."""
        return _is_doubted(self.skews_s, SKEW_ALARM_S)


def clock_state() -> ClockState:
    """Read what is known of the clock of this host."""
    clock = HostClock.objects.filter(pk=1).first()
    measured = None if clock is None else clock.measured
    age_s = None if measured is None else (seams.now() - measured).total_seconds()
    return ClockState(
        has_servers=bool(settings.GISC_NTP_SERVERS),
        offset_s=None if clock is None else clock.offset_s,
        age_s=age_s if age_s is not None and age_s >= 0 else None,  # measured while our clock was ahead
        is_silent=clock is not None and bool(clock.fault),
        skews_s=tuple(_skews_s()),
    )


def describe_clock(clock: ClockState) -> str:
    """Describe what is known of this host's clock where NTP servers are set: `ok`, or a few words."""
    if clock.is_silent:
        return "no NTP server answered"
    if clock.is_wrong:
        return f"wrong by {clock.offset_s:+.1f} s; set it by NTP"
    return "ok" if clock.is_known else "not checked yet" if clock.offset_s is None else "not checked for long"


def clock_doubt() -> Reason | None:
    """Return why the clock of this host is probably wrong by more than an hour; None if nothing shows it."""
    offset_s = host_clock_offset_s()
    if offset_s is not None and abs(offset_s) > _CLOCK_DOUBT_S:
        return Reason(ReasonCode.CLOCK_WRONG, {"offset_s": offset_s})
    skews_s = _skews_s()
    if _is_doubted(skews_s, _CLOCK_DOUBT_S):
        return Reason(ReasonCode.CLOCK_DIFFERS, {"links": len(skews_s), "skew_s": statistics.median(skews_s)})
    return None


def _skews_s() -> list[float]:
    """How far the clock of each provider is ahead of ours, as last measured."""
    measured = Link.objects.filter(enabled=True).values_list("skew_s", flat=True)
    return [skew_s for skew_s in measured if skew_s is not None]


def _is_doubted(skews_s: Sequence[float], limit_s: float) -> bool:
    return len(skews_s) >= _WITNESSES and abs(statistics.median(skews_s)) > limit_s


def host_clock_offset_s() -> float | None:
    """NTP's time minus this host's, as last measured."""
    clock = HostClock.objects.filter(pk=1).first()
    return clock.offset_s if clock else None
