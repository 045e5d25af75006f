"""Compare the node's journal with the database: what is where, what is lacking; begin and end a restore (W11, W34).

Two things go wrong. The database is behind the files: it was put back from a copy, so the node is not ready until the
journal was replayed. The files are behind the database: a folder of the journal was lost or put back, which is a
warning, as the deletions are in the database still.
"""

import logging
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from catalogue import datestamps, journal, locks
from catalogue.journal import NOWHERE, Position
from catalogue.models import JournalPosition, JournalWriter
from catalogue.reasons import JournalCode, Reason

logger = logging.getLogger(__name__)
State = JournalPosition.State


# --- A restore --------------------------------------------------------------------------------------


@transaction.atomic
def begin_epoch(after: int = 0, *, outbox_from: Position | None = None) -> int:
    """Begin a new epoch for the events that are written from now on, and return it. The node is being restored then.

    It is larger than every epoch that the database and the node's own files know, than `after`, and than those of
    other copies of this database, which began at another time. `outbox_from`: this event of the outbox and those after it
    were committed after the database was put back, and get numbers of the new epoch.
    """
    locks.lock_transaction(locks.DATESTAMP_CLOCK)
    ends = journal.files_ends(Path(settings.GISC_JOURNAL_DIR)).values()
    known = max(after, *(event.epoch for event in ends), *JournalWriter.objects.values_list("epoch", flat=True), 0)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO catalogue_journalposition AS position (id, epoch, number, state)
            VALUES (1, greatest((extract(epoch FROM gisc_clock()) * 1000)::bigint, %(known)s + 1), 0, %(state)s)
            ON CONFLICT (id) DO UPDATE
            SET epoch = greatest(excluded.epoch, position.epoch + 1), number = 0, state = excluded.state
            RETURNING epoch
            """,
            {"known": known, "state": State.RESTORING.value},
        )
        (epoch,) = cursor.fetchone()
        if outbox_from is not None:
            cursor.execute(_NUMBER_ANEW, {"epoch": epoch, "from": tuple(outbox_from)})
    return int(epoch)


_NUMBER_ANEW = """
    WITH numbered AS (
        UPDATE catalogue_journaloutbox o SET epoch = %(epoch)s, number = n.place
        FROM (
            SELECT id, row_number() OVER (ORDER BY epoch, number) AS place FROM catalogue_journaloutbox
            WHERE (epoch, number) >= %(from)s
        ) n
        WHERE o.id = n.id RETURNING o.id
    )
    UPDATE catalogue_journalposition SET number = (SELECT count(*) FROM numbered)
"""


@transaction.atomic
def end_restore(ends: Mapping[str, Position] | None = None) -> None:
    """Say that the database has all events of the journal: the node is ready, and writes to it again.

    `ends`: the last events of writers whose files were replayed. The node's own files count as replayed.
    """
    locks.lock_transaction(locks.DATESTAMP_CLOCK)
    directory = Path(settings.GISC_JOURNAL_DIR)
    known = {writer: event.position for writer, event in journal.files_ends(directory).items() if writer}
    for writer, end in {**(ends or {}), **known}.items():
        here = {"host": socket.gethostname(), "directory": str(directory)} if writer in known else {}
        journal.store_end(writer, end, **{"host": "", "directory": "", **here})
    JournalPosition.objects.update(state=State.CURRENT)


# --- What is where ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WriterStatus:
    """A writer of the journal. `position`: its last event, as the database knows; `here`: that in the node's own folder."""

    writer: str
    position: Position
    host: str
    directory: str
    written: datetime
    here: Position | None

    def report(self) -> dict[str, Any]:
        return {
            "writer": self.writer,
            "last": str(self.position),
            "here": self.here and str(self.here),
            "host": self.host,
            "directory": self.directory,
            "written": datestamps.write(self.written),
        }


@dataclass(frozen=True, slots=True)
class Status:
    """The journal of this node beside the database.

    `position`: the last event that was given a number. `waiting`: events that are not on disk. `writer`: the own id, empty
    before the first event. `problem`: why the node is not ready; None if it is. `warnings`: what does not keep it from being so.
    """

    state: str
    position: Position
    waiting: int
    directory: Path
    writer: str
    writers: list[WriterStatus]
    problem: Reason | None
    warnings: list[Reason]

    @property
    def is_ready(self) -> bool:
        return self.problem is None

    def report(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "ready": self.is_ready,
            "state": self.state,
            "last": str(self.position),
            "waiting": self.waiting,
            "directory": str(self.directory),
            "writer": self.writer,
            "writers": [writer.report() for writer in self.writers],
            "problem": self.problem and self.problem.report(),
            "warnings": [warning.report() for warning in self.warnings],
        }


@dataclass(frozen=True, slots=True)
class FileStatus:
    """A file of the journal in the node's own folder, with its last event that has a number."""

    name: str
    size: int
    writer: str
    last: journal.Event | None


def files() -> list[FileStatus]:
    """Return the files of the node's own folder, the newest first. Reads the ends of files alone. Raises OSError."""
    directory = Path(settings.GISC_JOURNAL_DIR)
    if not directory.is_dir():
        return []
    found = [
        FileStatus(file.name, file.stat().st_size, writer, journal.last_numbered(file))
        for writer, written in journal.files_by_writer(directory).items()
        for file in written
    ]
    return sorted(found, key=lambda each: (each.last.position if each.last else NOWHERE, each.name), reverse=True)


def is_ready() -> bool:
    """Whether the database is known to have all events of the journal. Does not look at files."""
    return not JournalPosition.objects.exclude(state=State.CURRENT).exists()


def status() -> Status:
    """Compare the node's own files with the database. Cheap: reads the ends of files. Raises OSError."""
    directory = Path(settings.GISC_JOURNAL_DIR)
    ends = {writer: event.position for writer, event in journal.files_ends(directory).items()}
    row = JournalPosition.objects.first()
    state = row.state if row else State.CURRENT.value
    is_behind = state != State.RESTORING and journal.is_behind(directory)
    if is_behind:
        state = State.BEHIND.value
    known = writers(ends)
    return Status(
        state=state,
        position=Position(row.epoch, row.number) if row else NOWHERE,
        waiting=journal.count_waiting(),
        directory=directory,
        writer=journal.writer_id(directory),
        writers=known,
        problem=_problem(state, max(ends.values()) if is_behind else None),
        warnings=[*_behind(known), *placement()],
    )


def writers(ends: Mapping[str, Position]) -> list[WriterStatus]:
    """Return all writers that the database knows. `ends`: the last events in the node's own files."""
    return [
        WriterStatus(
            row.writer, Position(row.epoch, row.number), row.host, row.directory, row.written, ends.get(row.writer)
        )
        for row in JournalWriter.objects.order_by("writer")
    ]


def _problem(state: str, end: Position | None) -> Reason | None:
    """Return why the node is not ready. `end`: where the own files are, if it is they that are ahead of the database."""
    facts = {"directory": str(settings.GISC_JOURNAL_DIR), "end": end and str(end), "own_set": settings.GISC_NAME}
    match state:
        case State.BEHIND:
            return Reason(JournalCode.DATABASE_BEHIND, facts)
        case State.RESTORING:
            return Reason(JournalCode.RESTORE_NOT_ENDED, facts)
    return None


def _behind(known: list[WriterStatus]) -> list[Reason]:
    """Return which writers have written more than there is in the folder, unless the folder may be another host's."""
    directory, host = str(settings.GISC_JOURNAL_DIR), socket.gethostname()
    reasons = []
    for it in known:
        is_ours = it.here is not None or settings.GISC_EMBEDDED_DATABASE or (it.host, it.directory) == (host, directory)
        if is_ours and (it.here or NOWHERE) < it.position:
            here = str(it.here or "none")
            facts = {"directory": directory, "writer": it.writer, "host": it.host or "unknown", "here": here}
            reasons.append(Reason(JournalCode.FILES_BEHIND, {**facts, "written": str(it.position)}))
    return reasons


def placement() -> list[Reason]:
    """Return what is wrong with the place of the folder. Where the disks of an external database are is not known."""
    directory, data_directory = Path(settings.GISC_JOURNAL_DIR), Path(settings.GISC_DATA_DIR)
    facts = {"directory": str(directory), "data_directory": str(data_directory)}
    former = data_directory / "journal"
    reasons = []
    if former.resolve() != directory.resolve() and former.is_dir() and journal.files_by_writer(former):
        reasons.append(Reason(JournalCode.FILES_NOT_READ, {"folder": str(former), "directory": str(directory)}))
    if settings.GISC_EMBEDDED_DATABASE:
        if directory.resolve().is_relative_to(data_directory.resolve()):
            reasons.append(Reason(JournalCode.IN_DATA_DIRECTORY, facts))
        elif device_of(directory) == device_of(data_directory):
            reasons.append(Reason(JournalCode.ON_DISK_OF_DATA, facts))
    return reasons


def device_of(directory: Path) -> int:
    """Return the device of a folder, or of the nearest one above it that is there."""
    return next(folder for folder in (directory, *directory.parents) if folder.exists()).stat().st_dev


def check() -> Status | None:
    """Compare files and database, have all hosts know if the database was put back, and log what is wrong.

    None if the folder cannot be read, which is logged.
    """
    try:
        found = status()
    except OSError as exc:
        logger.error("journal not readable", extra={"error": str(exc)})
        return None
    if found.state == State.BEHIND:
        journal.mark_behind()
    if found.problem is not None:
        logger.error("node not ready: %s", found.problem)
    return found
