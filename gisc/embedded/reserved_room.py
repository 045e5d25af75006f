"""Keep room on the disk for what the embedded PostgreSQL has to write before it can be read. Where the disk is full, it is of two kinds:

The list of its own tables. The first connection after a change of these writes `pg_internal.init` (160 kB, a temporary one for each
connection that begins meanwhile). It ends with "could not write init file" instead, as does each one after it: then nothing
can be read by a process that has no connection yet.

The next file of its log. Also a node that only reads writes some log, and a server that finds no room for a new file of it ends, and
cannot start any more.

So two files take the room while there is some, and each goes when it is needed.
"""

import logging
import os
import shutil
from contextlib import suppress
from pathlib import Path

logger = logging.getLogger(__name__)
_LISTS, _LISTS_SIZE = "reserved_room", 1_000_000  # chosen: two such lists, for a few connections at once
_LOG, _LOG_SIZE = "reserved_room_for_log", 17_000_000  # a file of the log has 16 MiB
_LEAST_FREE = 8 * _LOG_SIZE  # chosen: what the node has asked for itself comes first


def keep_room(data_dir: Path) -> None:
    """Make the files that take the room, if they are not there, and more than enough room for them."""
    for name, size in ((_LISTS, _LISTS_SIZE), (_LOG, _LOG_SIZE)):
        _keep(data_dir / name, size)


def _keep(file: Path, size: int) -> None:
    draft = file.with_name(f"{file.name}.new")
    try:
        if file.exists() or shutil.disk_usage(file.parent).free < _LEAST_FREE:
            return
        draft.write_bytes(os.urandom(size))  # a file system may leave out zeros, or keep them small
        draft.replace(file)
    except OSError as exc:
        logger.warning("no room reserved for the database", extra={"path": str(file), "reason": exc.strerror})
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def give_room(data_dir: Path) -> None:
    """Remove the file that takes the room for lists, as PostgreSQL needs it now."""
    _give(data_dir / _LISTS)


def give_room_for_log(data_dir: Path) -> bool:
    """Remove the file that takes the room for the log, if the disk is full without it. Returns whether there is room now."""
    try:
        is_full = shutil.disk_usage(data_dir).free < _LOG_SIZE
    except OSError:
        return False
    return is_full and _give(data_dir / _LOG)


def _give(file: Path) -> bool:
    try:
        file.unlink()
    except OSError:  # another process was faster, or there was none
        return False
    logger.warning("the disk is full; the room that was reserved for the database is in use", extra={"path": str(file)})
    return True
