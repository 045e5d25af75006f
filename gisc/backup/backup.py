"""Make a backup: dump the database, copy the journal, write the manifest, and prove it by restoring the dump.

Dump, figures and position come from one snapshot of the database. The journal is copied after it, so that the archive
has every deletion that the dump has; what it has beyond is newer, and a restore replays it.
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import psycopg2
from django.conf import settings
from django.db import connection, transaction
from django.utils import translation
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

from catalogue import journal, locks, seams
from catalogue.database_identity import database_identity
from catalogue.writing import clock
from gisc.backup import archive, figures, journals, postgres_tools
from gisc.backup.archive import ArchiveWriter, Figures, Manifest, Part
from gisc.backup.errors import BackupFailed, NotVerified
from gisc.database import applied

LATE_INTERVALS = 2  # chosen: a backup that is older than so many intervals is late
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup made, and which older archives its rotation removed."""

    path: Path
    manifest: Manifest
    size: int
    removed: tuple[Path, ...]


def back_up(folder: Path, *, verify: bool = True, keep: int | None = None) -> BackupReport:
    """Write an archive of this node into a folder, and remove the oldest of its archives there beyond `keep`.

    Raises BackupFailed; no archive was made then, and none removed.
    """
    with locks.session_lock(locks.BACKUP, wait=False) as taken:
        if not taken:
            raise BackupFailed(
                gettext("Another backup of this node is being made; wait for its end. No archive was made.")
            )
        tools = postgres_tools.find_tools()
        journal.flush_or_warn()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            database = archive.database_in_name(database_identity())
            archive.remove_drafts(folder, settings.GISC_NAME, database)
            path, manifest = _write(folder, database, tools, verify=verify)
            size = path.stat().st_size
        except OSError as exc:
            raise BackupFailed(
                gettext("{folder} cannot be written: {reason}. No archive was made.").format(
                    folder=folder, reason=exc.strerror or exc
                )
            ) from exc
        removed = _rotate(folder, database, keep) if keep is not None else ()
    facts = {"archive": str(path), "bytes": size, "records": manifest.figures.records, "verified": manifest.verified}
    if manifest.not_verified and verify:
        logger.error("backup made, and not verified", extra=facts | {"reason": manifest.not_verified})
    else:
        logger.info("backup made", extra=facts)
    return BackupReport(path, manifest, size, removed)


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """A state of the database that other sessions can read, too, as long as the transaction lasts."""

    name: str
    made: datetime


@contextmanager
def _snapshot() -> Iterator[_Snapshot]:
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        (name,) = cursor.fetchone()
        yield _Snapshot(name, clock.database_now())


def _write(folder: Path, database: str, tools: postgres_tools.Tools, *, verify: bool) -> tuple[Path, Manifest]:
    with ExitStack() as stack:
        with _snapshot() as snapshot:
            writer = stack.enter_context(ArchiveWriter(folder, settings.GISC_NAME, snapshot.made, database))
            with closing(postgres_tools.dump(tools, snapshot.name)) as chunks:
                dump = writer.add(archive.DATABASE, chunks)
            manifest = _describe(snapshot)
        for name, content in journals.parts():
            writer.add(name, content)
        with translation.override("en"):  # the manifest and the log are read by programs, and by other nodes
            reason = _verify(writer, dump, manifest.figures, tools) if verify else "left out"
        manifest = replace(manifest, parts=tuple(writer.parts), verified=not reason, not_verified=reason)
        return writer.finish(manifest), manifest


def _describe(snapshot: _Snapshot) -> Manifest:
    """Describe the state of the snapshot, within its transaction."""
    with connection.cursor() as cursor:
        found = figures.read(cursor)
    return Manifest(
        node=settings.GISC_NAME,
        made=snapshot.made,
        mark=clock.current_mark(),
        software=settings.GISC_VERSION,
        migrations=tuple(applied()),
        postgres=postgres_tools.server_version(),
        figures=found,
        position=journals.position(),
        parts=(),
        key_check=key_check(),
    )


def key_check(secret_key: str | None = None) -> str:
    """Return what tells a SECRET_KEY, that of this node if none is given, from another one, and reveals nothing of it."""
    return salted_hmac("gisc.backup", settings.GISC_NAME, secret=secret_key, algorithm="sha256").hexdigest()[:32]


def has_key_of(check: str) -> bool:
    """Whether the SECRET_KEY that was checked so is this node's, or one of SECRET_KEY_FALLBACKS."""
    return check in map(key_check, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))


def _verify(writer: ArchiveWriter, dump: Part, expected: Figures, tools: postgres_tools.Tools) -> str:
    """Restore the dump, as it is in the file, into a scratch database, and compare; why it is not good, else empty."""
    try:
        with postgres_tools.scratch_database() as name:
            postgres_tools.restore(tools, lambda: writer.read(dump), name)
            with postgres_tools.connect(name) as session, session.cursor() as cursor:
                return figures.difference(expected, figures.read(cursor))
    except NotVerified as exc:
        return str(exc)
    except psycopg2.Error as exc:
        return f"the scratch database cannot be used ({' '.join(str(exc).split())})"


def _rotate(folder: Path, database: str, keep: int) -> tuple[Path, ...]:
    """Remove the oldest archives of this node beyond `keep`; one that cannot be removed stays, and is logged.

    Those of another node of this name are not touched, nor do they count.
    """
    removed, now = [], seams.now()
    settled = timedelta(hours=LATE_INTERVALS * settings.GISC_BACKUP_HOURS)
    try:
        found = archive.list_archives(folder, settings.GISC_NAME)
        for each in archive.to_remove(archive.removable(found, database, now, settled), keep, now):
            each.path.unlink()
            removed.append(each.path)
    except OSError as exc:
        logger.error("old archive not removed", extra={"path": exc.filename, "reason": exc.strerror})
    return tuple(removed)
