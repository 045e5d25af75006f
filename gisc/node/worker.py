"""The Celery application as the node's worker loads it: the pool processes end with the worker, even if it is killed.

Without this, a pool process would go on with its task while the next worker has started. `die_with_parent` asks the
kernel for a signal at the parent's death: on Linux only; elsewhere the operator must end the children of a killed node.
Imports no app.
"""

import ctypes
import os
import signal
import sys
from typing import Any

from celery.signals import worker_init, worker_process_init

from gisc.celery import app

__all__ = ["app"]
_worker_pid = os.getpid()


@worker_init.connect
def _store_worker_pid(**_: Any) -> None:
    global _worker_pid
    _worker_pid = os.getpid()


@worker_process_init.connect
def _end_with_worker(**_: Any) -> None:
    die_with_parent(_worker_pid, signal.SIGKILL)


_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


def die_with_parent(parent: int, number: int) -> None:
    """Have the kernel send signal `number` to this process when `parent` dies, also after exec; exit if it is dead."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)
