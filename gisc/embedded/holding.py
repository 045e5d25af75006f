"""Who needs the embedded PostgreSQL: the first to hold it starts it, the last to let go stops it.

Who holds it is a shared file lock, which ends with its process however that ends.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gisc import locks
from gisc.embedded import postgres
from gisc.embedded.folder import prepare


@contextmanager
def database(data_dir: Path, *, durable: bool = True) -> Iterator[bool]:
    """Hold the embedded PostgreSQL for the length of the block: started if need be, stopped by the last holder.

    The value is whether it had to be started. `durable=False` trades safety against a power cut for
    speed, for tests. Raises ServerFailed.
    """
    prepare(data_dir)
    turn, holders = data_dir / "postgres.lock", locks.FileLock(data_dir / "postgres.holders")
    try:
        with _uninterrupted(), locks.exclusive(turn):
            holders.take(shared=True, wait_s=None)
            started = postgres.ensure_running(data_dir, durable=durable)
            # Also where it was running already: the process that started it may have been killed before this.
            postgres.create_database(data_dir)
        yield started
    finally:
        with _uninterrupted(), locks.exclusive(turn):
            # Taken alone means that nobody else holds it, and nobody can begin to while we have our turn.
            with suppress(locks.Taken):
                holders.take(wait_s=0)
                postgres.stop(data_dir)
            holders.drop()


def revive(data_dir: Path) -> bool:
    """Start the embedded PostgreSQL again if it has died; True if it had. For a holder of it."""
    if postgres.is_running(data_dir):
        return False
    with locks.exclusive(data_dir / "postgres.lock"):
        return postgres.ensure_running(data_dir, durable=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put a Ctrl-C or a request to end off until the block is done: a server half started would be left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: received.append(number))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])
