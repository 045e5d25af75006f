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
    _become_a_parent()
    # Not forked: the database connection and the threads of this process stay its own.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload([__name__])
    return ProcessPoolExecutor(number, mp_context=context, initializer=_begin)


def _become_a_parent() -> None:
    """Let this process have processes of its own where it is a worker of Celery: a daemon of another library.

    Daemons may have none lest they be left behind when it is killed; ours never are (`_begin`).
    """
    told = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    told["daemon"] = False
    told["authkey"] = AuthenticationString(told["authkey"])


Answer = TypeVar("Answer")


def run_in_process(function: Callable[..., Answer], *values: object) -> Answer:
    """What a function of a module answers, from a process of its own: one that would keep all threads waiting."""
    with process_pool(1) as process:
        return process.submit(function, *values).result()


def _begin() -> None:
    """Start of a process of the pool: Ctrl-C is for its parent, whose end is its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
