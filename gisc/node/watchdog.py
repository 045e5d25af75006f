"""Decide when worker and beat of an embedded node hang and must be killed, and when nobody else sends alerts. Pure: looks at no process.

The supervisor restarts a child that dies. A child that hangs is noticed only by a late scheduler tick
(`catalogue.ticks`), and only while PostgreSQL and Redis are reachable: without them the ticks are late anyway, and
worker and beat reconnect by themselves.
"""

import json

_MOST_TIMES = 8  # chosen


class Watchdog:
    """The answers of /health/ready over time. `now` is always of `seams.monotonic`.

    What was killed in vain is given twice the time before it is killed again, up to eight times `late_s`: on a slow host worker
    and beat may need longer than `late_s` to start, and would be killed for ever before their first tick.
    """

    def __init__(self, *, late_s: float, patience_s: float, now: float) -> None:
        self._late_s, self._patience_s = late_s, patience_s
        self._started, self._given_s = now, late_s
        self._hangs_since: float | None = None

    def must_restart(self, answer: str, now: float) -> bool:
        """Whether to kill worker and beat, after this answer of /health/ready (not JSON if there was no answer).

        True if ticks were late without a break for `patience_s`, and worker and beat have had their time since their last
        start. Counts the restart as done.
        """
        if not _hangs(answer):
            self._hangs_since = None
            if _ticks_come(answer):
                self._given_s = self._late_s
            return False
        if self._hangs_since is None:
            self._hangs_since = now
        if now - self._hangs_since < self._patience_s or now - self._started < self._given_s:
            return False
        self._started, self._hangs_since = now, None
        self._given_s = min(2 * self._given_s, _MOST_TIMES * self._late_s)
        return True


class StandIn:
    """Whether the supervisor must look after alerts, as nobody else does. `now` is always of `seams.monotonic`.

    The worker that would send an alert may be what has failed.
    """

    def __init__(self, *, every_s: float) -> None:
        self._every_s = every_s
        self._since: float | None = None

    def must_tick(self, answer: str, now: float) -> bool:
        """Whether to do an alert tick, after this answer of /health/ready.

        True each time that worker, beat or Redis were not well without a break for `every_s`.
        """
        if not _lacks_worker(answer):
            self._since = None
            return False
        if self._since is None:
            self._since = now
        if now - self._since < self._every_s:
            return False
        self._since = now
        return True


def _lacks_worker(answer: str) -> bool:
    try:
        health = json.loads(answer)
        parts = [health["parts"][name] for name in ("redis", "workers", "beat")]
        return bool(health["ready"]) and any(part["state"] == "degraded" for part in parts)
    except (ValueError, TypeError, KeyError):
        return False


def _ticks_come(answer: str) -> bool:
    try:
        return json.loads(answer)["tasks"]["late"] is False
    except (ValueError, TypeError, KeyError):
        return False


def _hangs(answer: str) -> bool:
    try:
        health = json.loads(answer)
        return bool(health["ready"] and health["redis"] == "ok" and health["tasks"]["late"])
    except (ValueError, TypeError, KeyError):
        return False
