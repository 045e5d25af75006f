"""All time, threads and processes of the product come from here, so that a simulation can put its own in their place.

No Django. Ruff's `banned-api` (pyproject.toml) keeps every other module from the originals. The clock of the database has
a seam of its own, the SQL function `gisc_clock()` (`catalogue/sql/clock.*.sql`).
"""

import multiprocessing
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing.connection import wait
from multiprocessing.process import AuthenticationString  # type: ignore[attr-defined]
from typing import Any, Protocol, TypeVar

Returned = TypeVar("Returned")

# --- What a simulation replaces ------------------------------------------------------------------------


class Clock:
    """The clocks of this host."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class Timer(Protocol):
    """A call that is due later, as `start_timer` returns it."""

    def cancel(self) -> None: ...


class Concurrency:
    """The threads and processes of this host. Processes of a pool end with the process that started them."""

    def thread_pool(self, number: int, initializer: Callable[[], None] | None = None) -> Executor:
        return ThreadPoolExecutor(number, initializer=initializer)

    def process_pool(self, number: int) -> Executor:
        _allow_child_processes()
        # Not forked: the database connection and the threads of this process stay its own.
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            context.set_forkserver_preload([__name__])
        return ProcessPoolExecutor(number, mp_context=context, initializer=_init_process)

    def start_thread(self, target: Callable[..., object], *values: object, name: str) -> None:
        threading.Thread(target=target, args=values, name=name, daemon=True).start()

    def start_timer(self, seconds: float, function: Callable[[], object]) -> Timer:
        timer = threading.Timer(seconds, function)
        timer.daemon = True
        timer.start()
        return timer

    def start_program(self, command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(command, **options)

    def run_program(self, command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[Any]":
        return subprocess.run(command, check=options.pop("check", False), **options)


_clock, _concurrency = Clock(), Concurrency()


@contextmanager
def replaced(*, clock: Clock | None = None, concurrency: Concurrency | None = None) -> Iterator[None]:
    """Put another clock, or other threads and processes, in place of the host's for the length of the block."""
    global _clock, _concurrency
    before = _clock, _concurrency
    _clock, _concurrency = clock or _clock, concurrency or _concurrency
    try:
        yield
    finally:
        _clock, _concurrency = before


# --- Time -------------------------------------------------------------------------------------------


def now() -> datetime:
    """Return the present instant, in UTC, by this host's clock."""
    return _clock.now()


def monotonic() -> float:
    """Return seconds that never step back; only differences mean something."""
    return _clock.monotonic()


def sleep(seconds: float) -> None:
    """Let this thread wait."""
    _clock.sleep(seconds)


# --- Threads and processes --------------------------------------------------------------------------


def thread_pool(number: int, *, initializer: Callable[[], None] | None = None) -> Executor:
    """Start a pool of `number` threads. `initializer` runs first in each of them."""
    return _concurrency.thread_pool(number, initializer)


def process_pool(number: int) -> Executor:
    """Start a pool of `number` processes, for work that would keep all threads of this process waiting."""
    return _concurrency.process_pool(number)


def run_in_process(function: Callable[..., Returned], *values: object) -> Returned:
    """Call a function of a module in a process of its own, and return its result."""
    with process_pool(1) as process:
        return process.submit(function, *values).result()


def start_thread(target: Callable[..., object], *values: object, name: str) -> None:
    """Start a thread that does not keep the process from ending."""
    _concurrency.start_thread(target, *values, name=name)


def start_timer(seconds: float, function: Callable[[], object]) -> Timer:
    """Have `function` called in a thread after so many seconds, unless the timer is cancelled before."""
    return _concurrency.start_timer(seconds, function)


def start_program(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start another program, as `subprocess.Popen` does."""
    return _concurrency.start_program(command, **options)


def run_program(command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[Any]":
    """Run another program to its end, as `subprocess.run` does."""
    return _concurrency.run_program(command, **options)


# What threads wait for one another with. Their waiting passes no time, so a simulation leaves them as they are.
Lock = threading.Lock
Semaphore = threading.Semaphore
BoundedSemaphore = threading.BoundedSemaphore
Queue = queue.Queue
SimpleQueue = queue.SimpleQueue

# --- Processes of a pool ----------------------------------------------------------------------------


def _allow_child_processes() -> None:
    """Let this process start processes even if it is a Celery worker, which multiprocessing takes for a daemon.

    Daemons may not have children, which would survive when they are killed; ours do not survive (`_init_process`).
    """
    config = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    config["daemon"] = False
    config["authkey"] = AuthenticationString(config["authkey"])


def _init_process() -> None:
    """Start a process of the pool: it ignores Ctrl-C, which its parent handles, and ends when its parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_exit_with_parent, args=(parent.sentinel,), daemon=True).start()


def _exit_with_parent(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
