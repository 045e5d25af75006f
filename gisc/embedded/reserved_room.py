"""Keep room on the disk for what the embedded PostgreSQL has to write before it can be read: the list of its own tables.

The first connection after a change of its own tables writes `pg_internal.init` (160 kB, a temporary one for each connection that
begins meanwhile). Where the disk is full it ends with "could not write init file" instead, as does each one after it: then nothing
can be read by a process that has no connection yet. So a file takes the room while there is some, and goes when it is needed.
"""

import logging
import os
import shutil
from contextlib import suppress
from pathlib import Path

logger = logging.getLogger(__name__)
_FILE = "reserved_room"
_SIZE = 1_000_000  # chosen: two such lists, for a few connections at once
_LEAST_FREE = 16 * _SIZE  # chosen: what the node has asked for itself comes first


def keep_room(data_dir: Path) -> None:
    """Make the file that takes the room, if there is none, and more than enough room for it."""
    file = data_dir / _FILE
    draft = file.with_suffix(".new")
    try:
        if file.exists() or shutil.disk_usage(data_dir).free < _LEAST_FREE:
            return
        draft.write_bytes(os.urandom(_SIZE))  # a file system may leave out zeros, or keep them small
        draft.replace(file)
    except OSError as exc:
        logger.warning("no room reserved for the database", extra={"path": str(file), "reason": exc.strerror})
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def give_room(data_dir: Path) -> None:
    """Remove the file that takes the room, as PostgreSQL needs it now."""
    file = data_dir / _FILE
    with suppress(OSError):  # another process was faster, or there was none
        file.unlink()
        logger.warning(
            "the disk is full; the room that was reserved for the database is in use", extra={"path": str(file)}
        )
