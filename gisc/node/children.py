"""The file lock that all child processes of a node share, by which its next start sees whether all have ended."""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from gisc import file_locks
from gisc.early_texts import gettext

# Longer than any child of a killed node takes to end.
_LEFTOVERS_S = 15


def await_end(data_dir: Path) -> None:
    """Wait until the children of a node that was killed have ended. Raises ImproperlyConfigured if they do not."""
    lock = file_locks.FileLock(_lock_file(data_dir))
    try:
        lock.acquire(wait_s=_LEFTOVERS_S)
    except file_locks.LockTaken as exc:
        sentence = gettext(
            "processes of a node that was killed still run in the data directory {folder}; "
            "wait for them to end, or end them (fuser {file} lists them)"
        )
        raise ImproperlyConfigured(sentence.format(folder=data_dir, file=lock.path)) from exc
    lock.release()


def share_lock(data_dir: Path) -> None:
    """Let this process, a child, and the program that replaces it have the lock until they end."""
    lock = file_locks.FileLock(_lock_file(data_dir))
    lock.acquire(shared=True, wait_s=None)
    lock.inherit()


def _lock_file(data_dir: Path) -> Path:
    return data_dir / "node.children"
