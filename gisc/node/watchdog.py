"""Decides when worker and beat hang, so that only a new start helps. Looks at no process and asks nobody.

A child that dies is started again at once by the supervisor. One that lives and does nothing any more shows by the
canary alone (`harvester.rows.health`), and by it only while PostgreSQL and Redis are there: without them no task can come
through, and worker and beat find them again by themselves.
"""

import json


class Watchdog:
    """What the node's health has said, over time. `now` is of `time.monotonic`, everywhere."""

    def __init__(self, *, late_s: float, patience_s: float, now: float) -> None:
        self._late_s, self._patience_s = late_s, patience_s
        self._started = now
        self._hangs_since: float | None = None

    def gives_up(self, answer: str, now: float) -> bool:
        """Whether worker and beat are to be killed, after this answer of /health/ready (not JSON: it gave none).

        They are if tasks are late without a break for as long as a tick may take to come through, and if the last
        start was longer ago than the canary may be old.
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
        said = json.loads(answer)
        return bool(said["ready"] and said["tasks"]["late"])
    except (ValueError, TypeError, KeyError):
        return False
