"""The Celery application as the node's worker loads it: its pool ends with it, also when it is killed.

Without this a pool process goes on with its task for as long as that takes, while the next worker has begun.
Imports no app.
"""

import os
import signal
from typing import Any

from celery.signals import worker_init, worker_process_init

from gisc.celery import app
from gisc.orphans import die_with_parent

__all__ = ["app"]
_worker = os.getpid()


@worker_init.connect
def _remember(**_: Any) -> None:
    global _worker
    _worker = os.getpid()


@worker_process_init.connect
def _end_with_worker(**_: Any) -> None:
    die_with_parent(_worker, signal.SIGKILL)
