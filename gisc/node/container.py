"""The Celery application as a container loads it: each useful act leaves a mark, whose age the health check reads.

For a worker that is a task done, for beat a task put into the queue. A process that runs but has lost the broker
leaves no mark, which is what `celery inspect ping` and a look at the process list do not show. Docker does not start
again what is unhealthy, so a process that has left no mark for too long ends by itself. Imports no app.
"""

import logging
import os
import threading
import time
from pathlib import Path
from typing import Any

from celery.signals import after_task_publish, beat_init, task_postrun, worker_ready

from gisc.node.worker import app

__all__ = ["app"]
# In a container of its own, where nobody else writes to /tmp. docker-compose.yml names it too.
MARK = Path("/tmp/gisc-last-act")
_LOOK_EVERY_S = 10
logger = logging.getLogger(__name__)


def _leave_mark(**_: Any) -> None:
    try:
        MARK.touch()
    except OSError as exc:
        # The task is done all the same; the health check will find an old mark.
        logger.warning("mark of the health check not written", extra={"path": str(MARK), "reason": str(exc)})


def _end_when_idle(**_: Any) -> None:
    from django.conf import settings

    watch = threading.Thread(
        target=end_when_idle, args=(settings.GISC_CANARY_SECONDS, _LOOK_EVERY_S), name="idle", daemon=True
    )
    watch.start()


def end_when_idle(limit_s: float, look_every_s: float) -> None:
    """Wait until no mark was left for so long, and end this process, and with it its pool (`gisc.node.worker`).

    At once, as what hangs would not hear a request to end. A run that is cut off goes on from its last page.
    """
    began = time.time()
    while (idle_s := time.time() - max(began, _last_act())) <= limit_s:
        time.sleep(look_every_s)
    logger.error("nothing was done for too long; this process ends to be started again", extra={"idle_s": int(idle_s)})
    os._exit(1)


def _last_act() -> float:
    try:
        return MARK.stat().st_mtime
    except OSError:
        return 0.0


task_postrun.connect(_leave_mark, weak=False)
after_task_publish.connect(_leave_mark, weak=False)
worker_ready.connect(_end_when_idle, weak=False)
beat_init.connect(_end_when_idle, weak=False)
