"""The Celery application as a container loads it: each activity touches a file, and a process without activity exits.

An activity of a worker is a finished task, one of beat a task put into the queue. A process that runs but has lost the
broker touches nothing; `celery inspect ping` and the process list do not show this. Docker does not restart an unhealthy
container, so a process without activity for too long exits. Imports no app.
"""

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from celery.signals import after_task_publish, beat_init, task_postrun, worker_ready

from catalogue import seams
from gisc import file_modes
from gisc.node.worker import app

__all__ = ["app"]
# Safe in a container, where no other account writes to /tmp. docker-compose.yml has this path, too.
ACTIVITY_FILE = Path("/tmp/gisc-last-act")  # nosec B108
_CHECK_EVERY_S = 10
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Activity:
    """The last activity of this process: when its file changed last."""

    file: Path

    def record(self, **_: Any) -> None:
        try:
            self.file.touch()
        except OSError as exc:
            # The task is done nevertheless; the health check will find an old file.
            logger.warning("file of the health check not written", extra={"path": str(self.file), "reason": str(exc)})

    def last(self) -> float:
        """Return the time of the last activity, in seconds since 1970; 0 if there was none."""
        try:
            return self.file.stat().st_mtime
        except OSError:
            return 0.0


def _start_idle_watch(**_: Any) -> None:
    from django.conf import settings

    seams.start_thread(exit_when_idle, activity, settings.GISC_CANARY_SECONDS, _CHECK_EVERY_S, name="idle")


def exit_when_idle(watched: Activity, limit_s: float, check_every_s: float) -> None:
    """Wait until there was no activity for `limit_s`, then exit this process, and with it its pool (`gisc.node.worker`).

    It exits at once, because a process that hangs does not handle SIGTERM. A run that is cut off is resumed from its
    last page.
    """
    watch = IdleWatch(watched.last(), seams.monotonic())
    while (idle_s := watch.idle_s(watched.last(), seams.monotonic())) <= limit_s:
        seams.sleep(check_every_s)
    logger.error("no activity for too long; this process exits to be started again", extra={"idle_s": int(idle_s)})
    os._exit(1)


@dataclass(slots=True)
class IdleWatch:
    """Counts how long the time of the last activity has been the same: a clock that is set makes nobody idle or busy."""

    last: float
    since_s: float  # of the monotonic clock

    def idle_s(self, last: float, now_s: float) -> float:
        """Return for how many seconds there was no activity. `last`: the time of the last one; `now_s`: monotonic."""
        if last != self.last:
            self.last, self.since_s = last, now_s
        return now_s - self.since_s


file_modes.keep_from_strangers()
activity = Activity(ACTIVITY_FILE)
task_postrun.connect(activity.record, weak=False)
after_task_publish.connect(activity.record, weak=False)
worker_ready.connect(_start_idle_watch, weak=False)
beat_init.connect(_start_idle_watch, weak=False)
