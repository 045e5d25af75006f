"""Write and read the journal: the append-only files of deletions outside the database (promise 6, W11).

A deletion is committed with a row in the outbox. `flush` appends the outbox to the newest file in GISC_JOURNAL_DIR,
forces file and folder to disk and only then empties the outbox, so an event may be in the journal twice but is never
missing. Other events: a record comes back after its deletion; it leaves a set and is live elsewhere, which that set's
harvesters see as a deletion; it comes back to the set; it moves to another owner.

Files are called `deletions-YYYY-NNNN.jsonl`: a new one each year, and when one is full. Read in the order of their
names, they give the events in the order of the commits. That order decides what became of a record (`last_events`),
never a datestamp: datestamps of a node that was rebuilt or restored do not show it. An event has the number of its
row in the outbox, so that one that was written twice, or again from the outbox of a restored backup, is recognised:
it counts where it stands first.

Each line ends with a CRC of the rest, because one flipped bit in an identifier would leave valid JSON with a deletion
of another record.
"""

import fcntl
import json
import logging
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from catalogue import datestamps, oai, seams
from catalogue.models import JournalOutbox

logger = logging.getLogger(__name__)

_PATTERN = "deletions-*.jsonl"
_NAME = re.compile(r"deletions-(\d{4})-(\d{4})\.jsonl")
_CRC = ', "crc32": "'
_HANDWRITTEN_KEYS = {"event", "identifier", "datestamp", "sets"}  # an event that an operator added needs no checksum


@dataclass(frozen=True, slots=True)
class JournalLimits:
    """How large the files of the journal grow, and how many events are in memory at a time."""

    full_bytes: int = 16 * 1024 * 1024  # chosen: some 80,000 events; quickly copied, and opened by any editor
    batch_rows: int = 10_000


DEFAULTS = JournalLimits()


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal: what happened to an identifier, when, and in which sets.

    `number` is its number in the outbox; 0 in lines that an operator added.
    """

    event: str
    identifier: str
    datestamp: datetime
    set_specs: tuple[str, ...]
    number: int = 0

    def line(self) -> str:
        """Format the event as one line of JSON."""
        fields = {
            "event": self.event,
            "identifier": self.identifier,
            "datestamp": datestamps.write(self.datestamp),
            "sets": list(self.set_specs),
            "number": self.number,
        }
        text = json.dumps(fields, ensure_ascii=False)
        return f'{text[:-1]}{_CRC}{zlib.crc32(text.encode()):08x}"}}\n'


# --- From the outbox to the files -------------------------------------------------------------------


def count_waiting() -> int:
    """Count the committed events that are not on disk yet."""
    return JournalOutbox.objects.count()


def waiting_since() -> datetime | None:
    """Return the datestamp of the oldest event that is not on disk yet; None if there is none."""
    return JournalOutbox.objects.order_by("pk").values_list("datestamp", flat=True).first()


def outbox_events() -> Iterator[Event]:
    """Read the events that are not on disk yet, in their order."""
    for row in JournalOutbox.objects.order_by("pk").iterator(chunk_size=DEFAULTS.batch_rows):
        yield _event_of_row(row)


def _event_of_row(row: JournalOutbox) -> Event:
    return Event(row.event, row.identifier, row.datestamp, tuple(row.set_specs), row.pk)


def flush_or_warn() -> None:
    """Flush, or log why that fails: the events then stay in the outbox for the next flush."""
    try:
        flush()
    except OSError as exc:
        logger.error(
            "journal not written; deletions wait in the outbox",
            extra={"directory": str(settings.GISC_JOURNAL_DIR), "error": str(exc), "waiting": count_waiting()},
        )


def flush(limits: JournalLimits = DEFAULTS) -> int:
    """Append the events of the outbox to the journal and force them to disk. Returns their number. Raises OSError."""
    directory = Path(settings.GISC_JOURNAL_DIR)
    written = 0
    with _flush_lock(directory):
        while rows := list(JournalOutbox.objects.order_by("pk")[: limits.batch_rows]):
            _append(_current_file(directory, limits.full_bytes), map(_event_of_row, rows))
            with transaction.atomic():
                JournalOutbox.objects.filter(pk__in=[row.pk for row in rows]).delete()
            written += len(rows)
    return written


@contextmanager
def _flush_lock(directory: Path) -> Iterator[None]:
    """Let one process at a time flush, of all that share the directory."""
    if not directory.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        _fsync_folder(directory.parent)
    with (directory / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _current_file(directory: Path, full_bytes: int) -> Path:
    """Return the file to append to. It is never an earlier one, even if the clock steps back to an earlier year."""
    year, number, size = seams.now().year, 1, 0
    numbers = [tuple(map(int, found.groups())) for file in directory.iterdir() if (found := _NAME.fullmatch(file.name))]
    if numbers and max(numbers)[0] >= year:
        year, number = max(numbers)
        size = (directory / _name(year, number)).stat().st_size
    return directory / _name(year, number + (size >= full_bytes))


def _name(year: int, number: int) -> str:
    return f"deletions-{year}-{number:04}.jsonl"


def _append(file: Path, events: Iterable[Event]) -> None:
    with file.open("ab+") as out:
        if out.tell() and _last_byte(file) != b"\n":
            out.write(b"\n")  # a crash cut the last line short: the next one must not be appended to it
        out.write("".join(event.line() for event in events).encode())
        out.flush()
        os.fsync(out.fileno())
    # Each time, not only for a new file: the flush that created it may have died before this line.
    _fsync_folder(file.parent)


def _fsync_folder(directory: Path) -> None:
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


# --- From the files ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that cannot be read. One that a crash cut short is no loss: its event was written again."""

    file: Path
    line: int
    cut_short: bool

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {'cut short, as by a crash' if self.cut_short else 'damaged'}"


class JournalReader:
    """Reads the events of a file, or of all journal files of a folder, in their order, line by line.

    Iterate it once. `events`, their number, and `damaged` are complete when the iteration has ended. Raises OSError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events = 0
        self.damaged: list[DamagedLine] = []

    def __iter__(self) -> Iterator[Event]:
        for file in sorted(self.path.glob(_PATTERN)) if self.path.is_dir() else [self.path]:
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
    name, identifier, specs, number = fields["event"], fields["identifier"], fields["sets"], fields.get("number", 0)
    if name not in JournalOutbox.Event or not isinstance(identifier, str) or not isinstance(specs, list):
        raise ValueError("not an event")
    if not all(isinstance(spec, str) and oai.is_set_spec(spec) for spec in specs):
        raise ValueError("not setSpecs")
    if b"\0" in identifier.encode():  # half of a surrogate pair is refused by encode()
        raise ValueError("not text")
    if type(number) is not int or not 0 <= number < 2**63:
        raise ValueError("not a number")
    if fields.keys() != _HANDWRITTEN_KEYS:
        checked = line[: line.rindex(_CRC.encode())] + b"}"
        if fields["crc32"] != f"{zlib.crc32(checked):08x}":
            raise ValueError("not what was written")
    return Event(name, identifier, datestamps.parse(fields["datestamp"])[0], tuple(specs), number)


def _is_cut_short(line: bytes) -> bool:
    return line.startswith(b'{"event') and not line.rstrip().endswith(b"}")


# --- What became of each record ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LastEvents:
    """The last events of one record in the journal: they say where it is deleted.

    `event`: the last one about the record as a whole; None if it only left sets. `left`: the events by which it left
    sets and did not come back to them since, without the sets that `event` itself names.
    """

    event: Event | None
    left: tuple[Event, ...]

    @property
    def identifier(self) -> str:
        return (self.event or self.left[0]).identifier

    def has_left(self, spec: str) -> bool:
        return any(spec in event.set_specs for event in self.left)


# An event has a row for each set that it names, and one with spec '' if it is about the record as a whole.
_CREATE_TABLE = """
    DROP TABLE IF EXISTS pg_temp.journal_event;
    CREATE TEMPORARY TABLE journal_event (
        ordinal bigint, key text COLLATE "C", spec text COLLATE "C", event text, identifier text, datestamp timestamptz,
        sets text, number bigint
    )
"""
_INSERT = """
    INSERT INTO pg_temp.journal_event
    SELECT * FROM unnest(
        %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::text[], %s::bigint[]
    )
"""
_SELECT_LAST = """
    SELECT key, spec, event, identifier, datestamp, sets, number FROM (
        SELECT *, max(ordinal) OVER (PARTITION BY key) AS last_of_key,
            max(ordinal) FILTER (WHERE spec = '') OVER (PARTITION BY key) AS last_of_record
        FROM (
            SELECT DISTINCT ON (key, spec) * FROM (
                SELECT DISTINCT ON (key, spec, event, datestamp, number) * FROM pg_temp.journal_event
                ORDER BY key, spec, event, datestamp, number, ordinal
            ) distinct_events
            ORDER BY key, spec, ordinal DESC
        ) last_events
    ) numbered
    WHERE spec = '' OR (event IN ('deleted', 'left') AND ordinal IS DISTINCT FROM last_of_record)
    ORDER BY last_of_key, key, spec
"""
_RECORD_EVENTS = {JournalOutbox.Event.DELETED, JournalOutbox.Event.RETURNED, JournalOutbox.Event.MOVED}


def last_events(events: Iterable[Event], limits: JournalLimits = DEFAULTS) -> Iterator[LastEvents]:
    """Yield the last events of each record, in the journal's order.

    The database sorts them, so that a journal need not fit into memory.
    """
    with connection.cursor() as cursor:
        cursor.execute(_CREATE_TABLE)
        rows = (row for ordinal, event in enumerate(events) for row in _rows(ordinal, event))
        while batch := list(islice(rows, limits.batch_rows)):
            cursor.execute(_INSERT, [list(column) for column in zip(*batch, strict=True)])
    with connection.chunked_cursor() as cursor:
        cursor.execute(_SELECT_LAST)
        for _, rows_of_record in groupby(_fetch_in_batches(cursor, limits.batch_rows), itemgetter(0)):
            event_of_record, left = None, []
            for _, spec, name, identifier, datestamp, sets, number in rows_of_record:
                if spec:
                    left.append(Event(name, identifier, datestamp, (spec,), number))
                else:
                    event_of_record = Event(name, identifier, datestamp, tuple(json.loads(sets)), number)
            yield LastEvents(event_of_record, tuple(left))
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE pg_temp.journal_event")


def _rows(ordinal: int, event: Event) -> Iterator[tuple[object, ...]]:
    """Make the rows of one event for the temporary table."""
    key, sets = oai.oai_identifier(event.identifier), json.dumps(event.set_specs)
    for spec in ([""] if event.event in _RECORD_EVENTS else []) + list(event.set_specs):
        yield ordinal, key, spec, event.event, event.identifier, event.datestamp, sets, event.number


def _fetch_in_batches(cursor: Any, batch_rows: int) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(batch_rows):
        yield from rows
