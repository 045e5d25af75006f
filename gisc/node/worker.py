"""The Celery application as the node's worker and beat load it: the pool processes end with the worker, even if it is killed.

Without this, a pool process would go on with its task while the next worker has started. `die_with_parent` asks the
kernel for a signal at the parent's death: on Linux only; elsewhere the operator must end the children of a killed node.
A pool process that was killed is replaced at once. It also writes the heartbeats of worker and beat (`gisc.heartbeat`).
Imports no app.
"""

import ctypes
import gc
import os
import signal
import socket
import sys
import warnings
from typing import Any

from celery import bootsteps
from celery.signals import (
    beat_init,
    worker_before_create_process,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutdown,
)

from catalogue import seams
from gisc.celery import app
from gisc.node.beat import Beat

# Celery warns of root because of pickled tasks; this node's are JSON, as Celery has it unless told otherwise.
warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")

__all__ = ["app"]
# Celery would run all checks of Django, which load the administration, and tell nobody what they find.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")
app.Beat = app.subclass_with_self(Beat)  # type: ignore[misc]  # a property that keeps what is set
_worker_pid = os.getpid()


@worker_init.connect
def _store_worker_pid(**_: Any) -> None:
    global _worker_pid
    _worker_pid = os.getpid()


@worker_process_init.connect
def _end_with_worker(**_: Any) -> None:
    die_with_parent(_worker_pid, signal.SIGKILL)


@worker_process_init.connect
def _reuse_connections(**_: Any) -> None:
    from gisc.reused_connections import base

    base.idle.keep(base.AT_MOST)


@worker_before_create_process.connect
def _share_memory(**_: Any) -> None:
    """Leave what is loaded out of the garbage collections of the next process, which would copy all that memory.

    What became garbage since the process before is collected first.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class ReplaceDeadProcesses(bootsteps.StartStopStep):
    """Looks for dead pool processes often.

    Celery looks when the pipes of one close, which is shortly before the kernel says that it is dead, and then each five
    seconds: until then nothing takes its place, and its parent has not waited for it.
    """

    requires = ("celery.worker.components:Pool",)
    _timer: Any = None

    def register_with_event_loop(self, worker: Any, hub: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()  # it is registered again with each connection to the broker
        self._timer = hub.call_repeatedly(_REPLACE_EVERY_S, worker.pool.maintain_pool)


_REPLACE_EVERY_S = 0.25  # chosen; it asks the kernel once for each process
app.steps["worker"].add(ReplaceDeadProcesses)


@worker_ready.connect
def _start_heartbeat_of_worker(sender: Any, **_: Any) -> None:
    from gisc import heartbeat

    def processes() -> tuple[list[int], int]:
        info = sender.pool.info
        return list(info["processes"]), int(info["max-concurrency"])

    pulse = heartbeat.Pulse(heartbeat.WORKER, sender.hostname, processes)
    seams.start_thread(pulse.keep_beating, name="heartbeat")
    worker_shutdown.connect(lambda **_: pulse.end(), weak=False)


@beat_init.connect
def _start_heartbeat_of_beat(**_: Any) -> None:
    from gisc import heartbeat

    pulse = heartbeat.Pulse(heartbeat.BEAT, socket.gethostname())
    seams.start_thread(pulse.keep_beating, name="heartbeat")


_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


def die_with_parent(parent: int, number: int) -> None:
    """Have the kernel send signal `number` to this process when `parent` dies, also after exec; exit if it is dead."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)
