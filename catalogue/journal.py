"""Write and read the journal: the append-only files of deletions outside the database (promise 6, W11).

A deletion is committed with a row in the outbox. `flush` appends the outbox to the newest file in GISC_JOURNAL_DIR,
forces file and folder to disk and only then empties the outbox, so an event may be in the journal twice but is never
missing. Other events: a record comes back after its deletion; it leaves a set and is live elsewhere, which that set's
harvesters see as a deletion; it comes back to the set; it moves to another owner.

An event has a position: an epoch, which begins with a database and with each restore, and a number in it without gaps,
given when it is committed. So events are put in order, told from their doubles and missed, whichever files they are
in (`catalogue/history.py`). Never by a datestamp: those of a node that was rebuilt or restored do not show the order.

Several hosts may share one database. Each writes the events that it finds in the outbox to its own folder, under a
random id of its own (a *writer*): `deletions-YYYY-NNNN-WRITER.jsonl`, a new file each year, and when one is full. All
folders together are the journal. Files of the versions before have no writer in their names, and lines without epoch.

If the folder has events that the database has not, the database was put back from a copy: nothing is written until
the journal was replayed, or two different events would get one number.

Each line ends with a CRC of the rest, because one flipped bit in an identifier would leave valid JSON with a deletion
of another record.
"""

import fcntl
import json
import logging
import os
import re
import secrets
import socket
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from catalogue import datestamps, oai, seams
from catalogue.models import JournalOutbox, JournalPosition, JournalWriter

logger = logging.getLogger(__name__)

FILES = "deletions-*.jsonl"
_NAME = re.compile(r"deletions-(\d{4})-(\d{4})(?:-([0-9a-f]{16}))?\.jsonl")
_WRITER_FILE = "writer"
_TAIL_BYTES = 64 * 1024  # chosen: more than the longest line, whose identifier has 2,000 bytes
_CRC = ', "crc32": "'
_HANDWRITTEN_KEYS = {"event", "identifier", "datestamp", "sets"}  # an event that an operator added needs no checksum


@dataclass(frozen=True, slots=True)
class JournalLimits:
    """How large the files of the journal grow, and how many events are in memory at a time."""

    full_bytes: int = 16 * 1024 * 1024  # chosen: some 80,000 events; quickly copied, and opened by any editor
    batch_rows: int = 10_000


DEFAULTS = JournalLimits()


class Position(NamedTuple):
    """The place of an event in the order of all events of the journal."""

    epoch: int
    number: int

    def __str__(self) -> str:
        return f"{self.epoch}-{self.number}"


NOWHERE = Position(0, 0)  # before all events


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal: what happened to an identifier, when, and in which sets.

    `epoch`: 0 in lines of the versions before, whose `number` is the id of a row of the outbox, and in lines that an
    operator added, whose `number` is 0.
    """

    event: str
    identifier: str
    datestamp: datetime
    set_specs: tuple[str, ...]
    number: int = 0
    epoch: int = 0

    @property
    def position(self) -> Position:
        return Position(self.epoch, self.number)

    def line(self) -> str:
        """Format the event as one line of JSON."""
        fields = {
            "event": self.event,
            "identifier": self.identifier,
            "datestamp": datestamps.write(self.datestamp),
            "sets": list(self.set_specs),
            **({"epoch": self.epoch} if self.epoch else {}),
            "number": self.number,
        }
        text = json.dumps(fields, ensure_ascii=False)
        return f'{text[:-1]}{_CRC}{zlib.crc32(text.encode()):08x}"}}\n'


# --- From the outbox to the files -------------------------------------------------------------------


def count_waiting() -> int:
    """Count the committed events that are not on disk yet."""
    return JournalOutbox.objects.count()


def count_waiting_of(identifiers: Iterable[str]) -> int:
    """Count the committed events of these identifiers that are not on disk yet; other processes may have events of their own there."""
    keys = set(map(_folded_key, identifiers))
    names = JournalOutbox.objects.values_list("identifier", flat=True)
    return sum(_folded_key(name) in keys for name in names.iterator(chunk_size=DEFAULTS.batch_rows))


def _folded_key(identifier: str) -> str:
    key = oai.oai_identifier(identifier.strip())
    return oai.folded(key) or key


def waiting_since() -> datetime | None:
    """Return the datestamp of the oldest event that is not on disk yet; None if there is none."""
    return _waiting().values_list("datestamp", flat=True).first()


def outbox_events() -> Iterator[Event]:
    """Read the events that are not on disk yet, in their order."""
    for row in _waiting().iterator(chunk_size=DEFAULTS.batch_rows):
        yield _event_of_row(row)


def _waiting() -> QuerySet[JournalOutbox]:
    return JournalOutbox.objects.order_by("epoch", "number")


def _event_of_row(row: JournalOutbox) -> Event:
    return Event(row.event, row.identifier, row.datestamp, tuple(row.set_specs), row.number or 0, row.epoch or 0)


class JournalAhead(Exception):
    """The files have events that the database has not: it was put back from a copy."""

    def __init__(self, directory: Path) -> None:
        super().__init__(
            gettext(
                "{directory} has events that the database has not: the database was put back from an older copy. Nothing "
                "is written there until `manage.py restore --in-place` has run; `manage.py journal status` says more"
            ).format(directory=directory)
        )


def flush_or_warn() -> None:
    """Flush, or log why that fails: the events then stay in the outbox for the next flush."""
    try:
        flush()
    except (OSError, JournalAhead) as exc:
        logger.error(
            "journal not written; deletions wait in the outbox",
            extra={"directory": str(settings.GISC_JOURNAL_DIR), "error": str(exc), "waiting": count_waiting()},
        )


def flush(limits: JournalLimits = DEFAULTS) -> int:
    """Append the events of the outbox to the journal and force them to disk. Returns their number.

    Another host that shares the database may write the same events at the same time, to its own files: readers drop
    doubles. Raises OSError, and JournalAhead.
    """
    directory = Path(settings.GISC_JOURNAL_DIR)
    written = 0
    with _flush_lock(directory):
        if JournalOutbox.objects.exists():
            refuse_behind(directory)
            writer = _own_writer(directory)
            while rows := list(_waiting()[: limits.batch_rows]):
                _append(_current_file(directory, writer, limits.full_bytes), map(_event_of_row, rows))
                _empty_outbox(rows, writer, directory)
                written += len(rows)
    return written


def _empty_outbox(rows: Sequence[JournalOutbox], writer: str, directory: Path) -> None:
    """Delete the rows that are on disk now, and store how far the writer has come.

    A row that was given another number meanwhile, by a restore, is not the one that was written.
    """
    last = _event_of_row(rows[-1]).position
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            """
            DELETE FROM catalogue_journaloutbox o
            USING unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS w (id, epoch, number)
            WHERE (o.id, o.epoch, o.number) = (w.id, w.epoch, w.number)
            """,
            [[row.pk for row in rows], [row.epoch for row in rows], [row.number for row in rows]],
        )
        store_end(writer, last, host=socket.gethostname(), directory=str(directory))


def store_end(writer: str, end: Position, *, host: str, directory: str) -> None:
    """Store the last event that a writer has on disk, unless a later one is stored."""
    place = {"host": host, "directory": directory}
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO catalogue_journalwriter AS w (writer, epoch, number, host, directory, written)
            VALUES (%(writer)s, %(epoch)s, %(number)s, %(host)s, %(directory)s, gisc_clock())
            ON CONFLICT (writer) DO UPDATE
            SET epoch = excluded.epoch, number = excluded.number, host = excluded.host,
                directory = excluded.directory, written = excluded.written
            WHERE (w.epoch, w.number) < (excluded.epoch, excluded.number)
            """,
            {"writer": writer, "epoch": end.epoch, "number": end.number, **place},
        )


@contextmanager
def _flush_lock(directory: Path) -> Iterator[None]:
    """Let one process at a time flush, of all that share the directory."""
    if not directory.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        fsync_folder(directory.parent)
    with (directory / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _current_file(directory: Path, writer: str, full_bytes: int) -> Path:
    """Return the file to append to. It is never an earlier one, even if the clock steps back to an earlier year."""
    year, number, size = seams.now().year, 1, 0
    if files := files_by_writer(directory).get(writer):
        newest_year, newest_number = _year_and_number(files[-1])
        if newest_year >= year:
            year, number, size = newest_year, newest_number, files[-1].stat().st_size
    return directory / f"deletions-{year}-{number + (size >= full_bytes):04}-{writer}.jsonl"


def _year_and_number(file: Path) -> tuple[int, int]:
    found = _NAME.fullmatch(file.name)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _append(file: Path, events: Iterable[Event]) -> None:
    with file.open("ab+") as out:
        if out.tell() and _last_byte(file) != b"\n":
            out.write(b"\n")  # a crash cut the last line short: the next one must not be appended to it
        out.write("".join(event.line() for event in events).encode())
        out.flush()
        os.fsync(out.fileno())
    # Each time, not only for a new file: the flush that created it may have died before this line.
    fsync_folder(file.parent)


def fsync_folder(directory: Path) -> None:
    """Force the file names of a folder to disk."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _last_byte(file: Path) -> bytes:
    with file.open("rb") as tail:
        tail.seek(-1, os.SEEK_END)
        return tail.read(1)


# --- Writers ----------------------------------------------------------------------------------------


def writer_id(directory: Path) -> str:
    """Return the id under which this host writes to the folder; empty if it has not written yet. Raises OSError."""
    try:
        return (directory / _WRITER_FILE).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def _own_writer(directory: Path) -> str:
    """Return the id to write under: the folder's own, or a new one where its files are not what that id has written.

    That is so if the folder was lost or put back from a copy, or if another host writes under the id, too, because it
    has a copy of the folder. Called under the lock.
    """
    writer = writer_id(directory)
    if writer:
        stored = stored_ends([writer]).get(writer, NOWHERE)
        ends = files_ends(directory)
        if stored <= (ends[writer].position if writer in ends else NOWHERE):
            return writer
        logger.warning(
            "the journal's folder lacks events that were written to it; it gets a new writer id",
            extra={"directory": str(directory), "writer": writer, "written": str(stored)},
        )
    writer = secrets.token_hex(8)
    draft = directory / f".{_WRITER_FILE}"
    with draft.open("w", encoding="ascii") as out:
        out.write(f"{writer}\n")
        out.flush()
        os.fsync(out.fileno())
    draft.replace(directory / _WRITER_FILE)
    fsync_folder(directory)
    return writer


def stored_ends(writers: Iterable[str]) -> dict[str, Position]:
    """Return the last events that these writers have on disk, as the database knows it."""
    rows = JournalWriter.objects.filter(writer__in=list(writers)).values_list("writer", "epoch", "number")
    return {writer: Position(epoch, number) for writer, epoch, number in rows}


def files_ends(directory: Path) -> dict[str, Event]:
    """Return the last numbered event in the files of each writer of a folder. Reads the ends of files alone."""
    ends: dict[str, Event] = {}
    for writer, files in files_by_writer(directory).items() if directory.is_dir() else ():
        last = next(filter(None, map(last_numbered, reversed(files))), None)
        if last is not None:
            ends[writer] = last
    return ends


def last_numbered(file: Path) -> Event | None:
    """Return the last event in the end of a file that has an epoch."""
    with file.open("rb") as tail:
        tail.seek(max(0, file.stat().st_size - _TAIL_BYTES))
        lines = tail.read().splitlines()
    for line in reversed(lines):
        try:
            event = _parse_event(line)
        except (ValueError, KeyError, TypeError):
            continue
        if event.epoch:
            return event
    return None


def is_behind(directory: Path) -> bool:
    """Whether the files of the folder have events that the database never had: it was put back from a copy.

    Events that a writer has on disk and the database does not know of are in the outbox, if a flush died after writing
    them, or another host has taken them from there. Raises OSError.
    """
    ends = {writer: event for writer, event in files_ends(directory).items() if writer}
    stored = stored_ends(ends) if ends else {}
    return any(
        event.position > stored.get(writer, NOWHERE) and not _is_committed(event) for writer, event in ends.items()
    )


def _is_committed(event: Event) -> bool:
    waiting = JournalOutbox.objects.filter(epoch=event.epoch, number=event.number).first()
    if waiting is not None:
        return _event_of_row(waiting).line() == event.line()
    return JournalWriter.objects.filter(epoch=event.epoch, number__gte=event.number).exists()


def refuse_behind(directory: Path) -> None:
    """Raise JournalAhead if the database was put back from a copy, and have all hosts know it. Raises OSError."""
    position = JournalPosition.objects.first()
    state = position.state if position else JournalPosition.State.CURRENT
    if state == JournalPosition.State.CURRENT and is_behind(directory):
        mark_behind()
        state = JournalPosition.State.BEHIND
    if state == JournalPosition.State.BEHIND:
        raise JournalAhead(directory)


def mark_behind() -> None:
    """Store that the database was put back from a copy: no host writes to its journal until a restore has ended."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO catalogue_journalposition (id, epoch, number, state)
            VALUES (1, (extract(epoch FROM gisc_clock()) * 1000)::bigint, 0, %(state)s)
            ON CONFLICT (id) DO UPDATE SET state = excluded.state
            """,
            {"state": JournalPosition.State.BEHIND.value},
        )


# --- From the files ---------------------------------------------------------------------------------


def files_by_writer(path: Path) -> dict[str, list[Path]]:
    """Return the files of each writer in a folder, or the one file, in the order in which they were written.

    Writer '' has the files of the versions before, and any other file; they come first.
    """
    writers: dict[str, list[Path]] = {}
    for file in sorted(path.glob(FILES)) if path.is_dir() else [path]:
        found = _NAME.fullmatch(file.name)
        writers.setdefault((found and found[3]) or "", []).append(file)
    return dict(sorted(writers.items()))


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that cannot be read. One that a crash cut short is no loss: its event was written again."""

    file: Path
    line: int
    cut_short: bool

    def __str__(self) -> str:
        text = (
            gettext("{file}, line {line}: cut short, as by a crash")
            if self.cut_short
            else gettext("{file}, line {line}: damaged")
        )
        return text.format(file=self.file, line=self.line)


class JournalReader:
    """Reads the events of a file, or of all journal files of a folder, writer by writer, line by line.

    Iterate it once. `events`, their number, and `damaged` are complete when the iteration has ended. Raises OSError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events = 0
        self.damaged: list[DamagedLine] = []

    def __iter__(self) -> Iterator[Event]:
        return chain.from_iterable(events for _, events in self.by_writer())

    def by_writer(self) -> Iterator[tuple[str, Iterator[Event]]]:
        """Yield each writer with its events; read them before the next."""
        found = files_by_writer(self.path)
        for writer, files in found.items():
            yield writer, chain.from_iterable(map(self._read, files))

    def _read(self, file: Path) -> Iterator[Event]:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    event = _parse_event(line)
                except (ValueError, KeyError, TypeError):
                    self.damaged.append(DamagedLine(file, number, _is_cut_short(line)))
                    continue
                self.events += 1
                yield event


def _parse_event(line: bytes) -> Event:
    """Parse the event in a line. Raises ValueError, KeyError or TypeError for anything that `Event.line` does not write."""
    fields = json.loads(line)
    name, identifier, specs = fields["event"], fields["identifier"], fields["sets"]
    epoch, number = fields.get("epoch", 0), fields.get("number", 0)
    if name not in JournalOutbox.Event or not isinstance(identifier, str) or not isinstance(specs, list):
        raise ValueError("not an event")
    if not all(isinstance(spec, str) and oai.is_set_spec(spec) for spec in specs):
        raise ValueError("not setSpecs")
    if b"\0" in identifier.encode():  # half of a surrogate pair is refused by encode()
        raise ValueError("not text")
    if not all(type(value) is int and 0 <= value < 2**63 for value in (epoch, number)) or (epoch and not number):
        raise ValueError("not a position")
    if fields.keys() != _HANDWRITTEN_KEYS:
        checked = line[: line.rindex(_CRC.encode())] + b"}"
        if fields["crc32"] != f"{zlib.crc32(checked):08x}":
            raise ValueError("not what was written")
    return Event(name, identifier, datestamps.parse(fields["datestamp"])[0], tuple(specs), number, epoch)


def _is_cut_short(line: bytes) -> bool:
    return line.startswith(b'{"event') and not line.rstrip().endswith(b"}")
