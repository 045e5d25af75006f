"""Decide when worker and beat of an embedded node hang and must be killed. Pure: looks at no process.

The supervisor restarts a child that dies. A child that hangs is noticed only by a late scheduler tick
(`harvester.rows.health`), and only while PostgreSQL and Redis are reachable: without them the ticks are late anyway, and
worker and beat reconnect by themselves.
"""

import json


class Watchdog:
    """The answers of /health/ready over time. `now` is always of `seams.monotonic`."""

    def __init__(self, *, late_s: float, patience_s: float, now: float) -> None:
        self._late_s, self._patience_s = late_s, patience_s
        self._started = now
        self._hangs_since: float | None = None

    def must_restart(self, answer: str, now: float) -> bool:
        """Whether to kill worker and beat, after this answer of /health/ready (not JSON if there was no answer).

        True if ticks were late without a break for `patience_s`, and the last start of worker and beat was at least
        `late_s` ago. Counts the restart as done.
        """
        if not _hangs(answer):
            self._hangs_since = None
            return False
        if self._hangs_since is None:
            self._hangs_since = now
        if now - self._hangs_since < self._patience_s or now - self._started < self._late_s:
            return False
        self._started, self._hangs_since = now, None
        return True


def _hangs(answer: str) -> bool:
    try:
        health = json.loads(answer)
        return bool(health["ready"] and health["redis"] == "ok" and health["tasks"]["late"])
    except (ValueError, TypeError, KeyError):
        return False
