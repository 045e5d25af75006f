"""All time, threads and processes of the product come from here, so that a simulation can put its own in their place.

No Django. Ruff's `banned-api` (pyproject.toml) keeps every other module from the originals. The clock of the database has
a seam of its own, the SQL function `gisc_clock()` (`catalogue/sql/clock.*.sql`).
"""

import gc
import multiprocessing
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from datetime import UTC, datetime
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import AuthenticationString  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, Protocol, TypeVar

Returned = TypeVar("Returned")

# --- Time -------------------------------------------------------------------------------------------


class Clock(Protocol):
    """What a simulation puts in place of the clocks of this host."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float, /) -> None: ...


now: Callable[[], datetime] = partial(datetime.now, UTC)  # the present instant, in UTC, by this host's clock
monotonic: Callable[[], float] = time.monotonic  # seconds that never step back; only differences mean something
sleep: Callable[[float], None] = time.sleep  # lets this thread wait so many seconds


def host_boot() -> str:
    """Return the id of this boot of the host; within it, all processes share the monotonic clock."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"process {os.getpid()}"  # another system: each process counts for itself


# --- Threads and processes --------------------------------------------------------------------------


class Timer(Protocol):
    """A call in a thread that is due some time after `start`. `daemon`: it does not keep the process from ending."""

    daemon: bool

    def start(self) -> None: ...

    def cancel(self) -> None: ...


class _ThreadPool(ThreadPoolExecutor):
    """Threads that work in the context of who asks them to (`catalogue.log_context`)."""

    def submit(self, function: Callable[..., Any], /, *values: Any, **named: Any) -> Future[Any]:
        return super().submit(copy_context().run, function, *values, **named)


class Concurrency:
    """The threads and processes of this host, or what a simulation puts in their place."""

    # Starts a pool of so many threads; `initializer` runs first in each of them.
    thread_pool: Callable[..., Executor] = _ThreadPool
    # Makes a timer that calls a function so many seconds after it was started.
    timer: Callable[[float, Callable[[], object]], Timer] = threading.Timer

    def process_pool(self, number: int) -> Executor:
        """Start a pool of `number` processes, for work that would keep all threads of this process waiting.

        They end with the process that started them, however that ends.
        """
        _allow_child_processes()
        # Not forked: the database connection and the threads of this process stay its own.
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            context.set_forkserver_preload([__name__])
        return ProcessPoolExecutor(number, mp_context=context, initializer=_init_process)

    def start_thread(self, target: Callable[..., object], *values: object, name: str) -> None:
        """Start a thread that does not keep the process from ending."""
        context = copy_context()
        threading.Thread(target=context.run, args=(target, *values), name=name, daemon=True).start()

    def start_program(self, command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
        """Start another program, as `subprocess.Popen` does."""
        return subprocess.Popen(command, **options)

    def run_program(self, command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[Any]":
        """Run another program to its end, as `subprocess.run` does."""
        return subprocess.run(command, check=options.pop("check", False), **options)


_host = Concurrency()
thread_pool, process_pool = _host.thread_pool, _host.process_pool
start_thread, timer = _host.start_thread, _host.timer
start_program, run_program = _host.start_program, _host.run_program


def is_alive(pid: int) -> bool:
    """Whether a process of this host has this id and has not ended; one that its parent has not yet waited for has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Whether the process has ended, as Linux has it in proc(5); elsewhere False."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state = file.read().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state in (b"Z", b"X")


def run_in_process(function: Callable[..., Returned], *values: object) -> Returned:
    """Call a function of a module in a process of its own, and return its result."""
    with process_pool(1) as process:
        return process.submit(function, *values).result()


@contextmanager
def replaced(*, clock: Clock | None = None, concurrency: Concurrency | None = None) -> Iterator[None]:
    """Put another clock, or other threads and processes, in place of the host's for the length of the block.

    Everything asks by `seams.now()`, never by a name imported from here, so the replacement is seen at once by all.
    """
    originals = {
        **dict.fromkeys(("now", "monotonic", "sleep"), clock),
        **dict.fromkeys(
            ("thread_pool", "process_pool", "start_thread", "timer", "start_program", "run_program"), concurrency
        ),
    }
    names = globals()
    before = {name: names[name] for name, other in originals.items() if other is not None}
    names.update({name: getattr(originals[name], name) for name in before})
    try:
        yield
    finally:
        names.update(before)


# What threads wait for one another with. Their waiting passes no time, so a simulation leaves them as they are.
Lock = threading.Lock
RLock = threading.RLock
Event = threading.Event
Semaphore = threading.Semaphore
BoundedSemaphore = threading.BoundedSemaphore
Queue = queue.Queue
SimpleQueue = queue.SimpleQueue
Empty = queue.Empty
thread_id = threading.get_ident

# --- Processes of a pool ----------------------------------------------------------------------------

_NEW_OBJECTS_BEFORE_COLLECTION = 50_000  # measured: with Python's 700, looking for cycles takes a tenth of parsing


def _allow_child_processes() -> None:
    """Let this process start processes even if it is a Celery worker, which multiprocessing takes for a daemon.

    Daemons may not have children, which would survive when they are killed; ours do not survive (`_init_process`).
    """
    config = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    config["daemon"] = False
    config["authkey"] = AuthenticationString(config["authkey"])


def _init_process() -> None:
    """Start a process of the pool: it ignores Ctrl-C, which its parent handles, and ends when its parent ends.

    It parses, which makes many objects and hardly any cycles, so it looks for cycles less often.
    """
    gc.set_threshold(_NEW_OBJECTS_BEFORE_COLLECTION)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_exit_with_parent, args=(parent.sentinel,), daemon=True).start()


def _exit_with_parent(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
