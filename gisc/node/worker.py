"""The Celery application as the node's worker loads it: its pool ends with it, also when it is killed.

Without this a pool process goes on with its task for as long as that takes, while the next worker has begun.
Imports no app.

No process of the node outlives its parent: the kernel is asked for a signal at the parent's death.

Linux only; elsewhere a node that is killed leaves its children to the operator. Imports neither Django nor an app.
"""

import ctypes
import os
import signal
import sys
from typing import Any

from celery.signals import worker_init, worker_process_init

from gisc.celery import app

__all__ = ["app"]
_worker = os.getpid()


@worker_init.connect
def _remember(**_: Any) -> None:
    global _worker
    _worker = os.getpid()


@worker_process_init.connect
def _end_with_worker(**_: Any) -> None:
    die_with_parent(_worker, signal.SIGKILL)


_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


def die_with_parent(parent: int, number: int) -> None:
    """Have this process get signal `number` when `parent` dies; it survives exec. Exits if that has happened already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)
