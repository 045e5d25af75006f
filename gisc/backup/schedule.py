"""When the next backup is due, and how old the last one is: read from the names of the archives in GISC_BACKUP_DIR.

The scheduled backup is a process of its own, beside web server, worker and beat: it may take long, and needs no Redis.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils.translation import gettext

from catalogue import journal_state, seams
from catalogue.database_identity import database_identity
from gisc.backup import archive
from gisc.backup.backup import LATE_INTERVALS, back_up
from gisc.backup.errors import BackupFailed

logger = logging.getLogger(__name__)

_POLL_S = 60.0
_RETRY_S = 600.0  # chosen: after a backup that failed


@dataclass(frozen=True, slots=True)
class BackupState:
    """How the backups of this node stand.

    `state`: one or a few words, for people. `is_shared`: another node of this name makes backups there. `made`: the time of the newest
    verified archive that is there; None if there is none. `last_is_verified`: whether the newest archive of all is verified; None if
    there is none.
    """

    state: str
    is_configured: bool = True
    is_readable: bool = True
    is_late: bool = False
    is_shared: bool = False
    made: datetime | None = None
    age_s: float | None = None
    last_is_verified: bool | None = None

    def report(self) -> dict[str, object]:
        """Return what health says of it; it has no path, because strangers may read it."""
        age_s = None if self.age_s is None else round(self.age_s)
        return {"state": self.state, "age_s": age_s, "late": self.is_late, "last_is_verified": self.last_is_verified}


def backup_state(identity: str | None) -> BackupState:
    """Read how the backups of a database stand (`catalogue.database_identity`; None: it is not known).

    Archives with a time in the future, made while the clock was ahead, do not count, nor do those of another node of this name.
    """
    if settings.GISC_BACKUP_DIR is None:
        return BackupState("no backup configured", is_configured=False)
    try:
        now = seams.now()
        found = [each for each in _list() if each.made <= now + _CLOCK_TOLERANCE]
    except OSError as exc:
        return BackupState(f"GISC_BACKUP_DIR cannot be read ({exc.strerror})", is_readable=False, is_late=True)
    late_s = LATE_INTERVALS * settings.GISC_BACKUP_HOURS * 3600
    others = archive.of_another_node(found, archive.database_in_name(identity))
    is_shared = any((now - each.made).total_seconds() <= late_s for each in others)
    archives = [each for each in found if each not in others]
    if not archives:
        return BackupState("no backup yet", is_late=True, is_shared=is_shared)
    newest = archives[-1]
    verified = [each for each in archives if each.verified]
    if not verified:
        return BackupState("no backup is verified", is_late=True, is_shared=is_shared, last_is_verified=False)
    made = verified[-1].made
    age_s = max((now - made).total_seconds(), 0.0)
    return BackupState(
        "late" if age_s > late_s else "ok",
        is_late=age_s > late_s,
        is_shared=is_shared,
        made=made,
        age_s=age_s,
        last_is_verified=newest.verified,
    )


_CLOCK_TOLERANCE = timedelta(minutes=5)  # between this host and that of the database, which gives archives their times


def _list() -> list[archive.Archive]:
    folder = _folder()
    return archive.list_archives(folder, settings.GISC_NAME) if folder.exists() else []


def _folder() -> Path:
    folder = settings.GISC_BACKUP_DIR
    assert folder is not None, "there is a schedule only where GISC_BACKUP_DIR is set"
    return folder


def is_due() -> bool:
    """Whether the newest archive of this database, verified or not, is older than GISC_BACKUP_HOURS. Raises OSError."""
    now, database = seams.now(), archive.database_in_name(_identity())
    ours = [each for each in _list() if each.database in ("", database) or not database]
    made = [each.made for each in ours if each.made <= now + _CLOCK_TOLERANCE]
    return not made or now - made[-1] >= timedelta(hours=settings.GISC_BACKUP_HOURS)


def _identity() -> str | None:
    try:
        return database_identity()
    except DatabaseError:  # what is due will fail, and say why
        return None


def run() -> None:
    """Make a backup whenever one is due, until the process is stopped."""
    while True:
        seams.sleep(_POLL_S if back_up_if_due() else _RETRY_S)


def back_up_if_due() -> bool:
    """Make a backup if one is due; False if it failed, which is logged.

    Not of a database that was put back from a copy: older archives may have more than it has, and rotation removes them.
    """
    try:
        if is_due():
            if not journal_state.is_ready():
                raise BackupFailed(
                    gettext("The database was put back from a copy; run manage.py restore --in-place first")
                )
            back_up(_folder(), keep=settings.GISC_BACKUP_KEEP)
    except (BackupFailed, OSError, DatabaseError) as exc:
        logger.error("no backup was made", extra={"reason": " ".join(str(exc).split())})
        return False
    finally:
        connection.close()  # for the hours until the next one
    return True
