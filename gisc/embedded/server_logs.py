"""Rotate the logs of the embedded servers: one older part stays beside the log."""

import shutil
from pathlib import Path


def rotate_database_log(data_dir: Path, limit: int) -> bool:
    """Begin the log of PostgreSQL anew if it has more than `limit` bytes; whether it had.

    The server keeps the file open, and appends to it: so it is copied, and emptied. A line in between may get lost.
    """
    log = data_dir / "postgres" / "server.log"
    if not _is_long(log, limit):
        return False
    shutil.copyfile(log, _older(log))
    with log.open("r+b") as file:
        file.truncate()
    return True


def rotate_broker_log(data_dir: Path, limit: int) -> bool:
    """Begin the log of Redis anew if it has more than `limit` bytes; whether it had. Redis opens it for each line."""
    log = data_dir / "redis" / "server.log"
    if not _is_long(log, limit):
        return False
    log.replace(_older(log))
    return True


def _is_long(log: Path, limit: int) -> bool:
    try:
        return log.stat().st_size > limit
    except OSError:
        return False


def _older(log: Path) -> Path:
    return log.with_name(f"{log.name}.1")
