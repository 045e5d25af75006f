"""The Celery application as a container loads it: each useful act leaves a mark, whose age the health check reads.

For a worker that is a task done, for beat a task put into the queue. A process that runs but has lost the broker
leaves no mark, which is what `celery inspect ping` and a look at the process list do not show. Imports no app.
"""

import logging
from pathlib import Path
from typing import Any

from celery.signals import after_task_publish, task_postrun

from gisc.worker import app

__all__ = ["app"]
# In a container of its own, where nobody else writes to /tmp. docker-compose.yml names it too.
MARK = Path("/tmp/gisc-last-act")
logger = logging.getLogger(__name__)


def _leave_mark(**_: Any) -> None:
    try:
        MARK.touch()
    except OSError as exc:
        # The task is done all the same; the health check will find an old mark.
        logger.warning("mark of the health check not written", extra={"path": str(MARK), "reason": str(exc)})


task_postrun.connect(_leave_mark, weak=False)
after_task_publish.connect(_leave_mark, weak=False)
