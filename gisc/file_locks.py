"""Locks between processes, on files. The kernel releases a lock when its process ends, so a kill -9 leaves none behind.

Imports neither Django nor an app.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from catalogue import seams

_POLL_S = 0.05


class LockTaken(Exception):
    """Another process has the lock."""


class FileLock:
    """A lock on `path`, shared or exclusive, from `acquire` to `release`.

    The file stays: if it were removed, two processes could lock two files of the same name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def acquire(self, *, shared: bool = False, wait_s: float | None = 0.0) -> None:
        """Acquire the lock, or change it between shared and exclusive. Raises LockTaken after `wait_s`; None waits for ever."""
        if self._fd is None:
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        if wait_s is None:
            fcntl.flock(self._fd, kind)
            return
        deadline = seams.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(self._fd, kind | fcntl.LOCK_NB)
                return
            except BlockingIOError as exc:
                if seams.monotonic() >= deadline:
                    # A change between shared and exclusive has released the lock already (flock(2)).
                    self.release()
                    raise LockTaken(str(self.path)) from exc
            seams.sleep(_POLL_S)

    def release(self) -> None:
        """Release the lock if this process has it."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def inherit(self) -> None:
        """Let a program that replaces this process keep the lock, and its children with it."""
        assert self._fd is not None
        os.set_inheritable(self._fd, True)

    def write_owner(self, text: str) -> None:
        """Write into the file which process has the lock, for the message of one that finds it taken."""
        assert self._fd is not None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, text.encode(), 0)


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Wait for an exclusive lock on `path` and have it during the block."""
    lock = FileLock(path)
    lock.acquire(wait_s=None)
    try:
        yield
    finally:
        lock.release()
