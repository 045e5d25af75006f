"""Start processes for work that would keep all threads of this process waiting. No Django.

The processes of a pool end with the process that started them, however that ends.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait
from multiprocessing.process import AuthenticationString  # type: ignore[attr-defined]
from typing import TypeVar


def process_pool(number: int) -> ProcessPoolExecutor:
    """Start a pool of `number` processes."""
    _allow_child_processes()
    # Not forked: the database connection and the threads of this process stay its own.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload([__name__])
    return ProcessPoolExecutor(number, mp_context=context, initializer=_init_process)


def _allow_child_processes() -> None:
    """Let this process start processes even if it is a Celery worker, which multiprocessing takes for a daemon.

    Daemons may not have children, which would survive when they are killed; ours do not survive (`_init_process`).
    """
    config = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    config["daemon"] = False
    config["authkey"] = AuthenticationString(config["authkey"])


Returned = TypeVar("Returned")


def run_in_process(function: Callable[..., Returned], *values: object) -> Returned:
    """Call a function of a module in a process of its own, and return its result."""
    with process_pool(1) as process:
        return process.submit(function, *values).result()


def _init_process() -> None:
    """Start a process of the pool: it ignores Ctrl-C, which its parent handles, and ends when its parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_exit_with_parent, args=(parent.sentinel,), daemon=True).start()


def _exit_with_parent(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
