"""Locks between processes, on files. The kernel drops a lock with its holder, so a kill -9 leaves none behind.

Imports neither Django nor an app.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_POLL_S = 0.05


class Taken(Exception):
    """Another process holds the lock."""


class FileLock:
    """A lock on `path`, shared or exclusive, held from `take` to `drop`.

    The file stays: removing it would let two processes lock two files of the same name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def take(self, *, shared: bool = False, wait_s: float | None = 0.0) -> None:
        """Take the lock, or change the kind of the one held. Raises Taken after `wait_s`; None waits for ever."""
        if self._fd is None:
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        if wait_s is None:
            fcntl.flock(self._fd, kind)
            return
        deadline = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(self._fd, kind | fcntl.LOCK_NB)
                return
            except BlockingIOError as exc:
                if time.monotonic() >= deadline:
                    # A change of kind drops the lock that was held (flock(2)), so nothing is lost here.
                    self.drop()
                    raise Taken(str(self.path)) from exc
            time.sleep(_POLL_S)

    def drop(self) -> None:
        """Give the lock up; nothing happens if it is not held."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def inherit(self) -> None:
        """Let a program that replaces this process keep the lock, and its children with it."""
        assert self._fd is not None
        os.set_inheritable(self._fd, True)

    def note(self, text: str) -> None:
        """Write who holds the lock, for whoever finds it taken."""
        assert self._fd is not None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, text.encode(), 0)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold `path` alone for the length of the block; waits for its turn."""
    lock = FileLock(path)
    lock.take(wait_s=None)
    try:
        yield
    finally:
        lock.drop()
