"""The journal: the append-only files of deletions kept outside the database (promise 6, W11).

A deletion is committed with a row in the outbox. `flush` appends the outbox to the newest file in GISC_JOURNAL_DIR,
forces file and folder to disk and only then empties the outbox, so an event may stand in the journal twice but
never not at all. A record that comes back after its deletion is an event too. So is one that leaves a set and lives
elsewhere, which to that set's harvesters is a deletion; that comes back to the set; or that moves to another owner.

Files are called `deletions-YYYY-NNNN.jsonl`: a new one each year, and when one is full. Reading them in the order of
their names is reading the events in the order in which they were committed. That order decides what became of a
record (`last_words`), never a datestamp: those of a node that was rebuilt or restored say nothing about it. The
outbox's number makes an event one of its kind, so that one that was told twice, or is told again from the outbox of
a restored backup, counts where it first stands.

Each line ends with a CRC of the rest. A bit that tips over in an identifier would leave good JSON, and a deletion of
another record; the few bytes more tell.
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
from datetime import UTC, datetime
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from catalogue import datestamps, oai
from catalogue.models import JournalOutbox

logger = logging.getLogger(__name__)

FULL_BYTES = 16 * 1024 * 1024  # chosen: some 80,000 events; quickly copied, and opened by any editor

_AT_ONCE = 10_000
_PATTERN = "deletions-*.jsonl"
_NAME = re.compile(r"deletions-(\d{4})-(\d{4})\.jsonl")
_CRC = ', "crc32": "'
_BY_HAND = {"event", "identifier", "datestamp", "sets"}  # an event that somebody added needs no checksum


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal: what happened to an identifier, when, and the sets it was in.

    `number` is its number in the outbox; 0 in lines that are not ours.
    """

    event: str
    identifier: str
    datestamp: datetime
    set_specs: tuple[str, ...]
    number: int = 0

    def line(self) -> str:
        """The event as one line of JSON."""
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


def waiting() -> int:
    """How many committed events are not on disk yet."""
    return JournalOutbox.objects.count()


def waiting_since() -> datetime | None:
    """The datestamp of the oldest event that is not on disk yet."""
    return JournalOutbox.objects.order_by("pk").values_list("datestamp", flat=True).first()


def outbox() -> Iterator[Event]:
    """The events that are not on disk yet, in their order."""
    for row in JournalOutbox.objects.order_by("pk").iterator(chunk_size=_AT_ONCE):
        yield _of_row(row)


def _of_row(row: JournalOutbox) -> Event:
    return Event(row.event, row.identifier, row.datestamp, tuple(row.set_specs), row.pk)


def flush_or_warn() -> None:
    """Flush; where that fails, say so. The events stay in the outbox and the next flush takes them along."""
    try:
        flush()
    except OSError as exc:
        logger.error(
            "journal not written; deletions wait in the outbox",
            extra={"directory": str(settings.GISC_JOURNAL_DIR), "error": str(exc), "waiting": waiting()},
        )


def flush() -> int:
    """Append what waits in the outbox to the journal and force it to disk; the number of events. Raises OSError."""
    directory = Path(settings.GISC_JOURNAL_DIR)
    written = 0
    with _exclusive(directory):
        while rows := list(JournalOutbox.objects.order_by("pk")[:_AT_ONCE]):
            _append(_newest(directory), map(_of_row, rows))
            with transaction.atomic():
                JournalOutbox.objects.filter(pk__in=[row.pk for row in rows]).delete()
            written += len(rows)
    return written


@contextmanager
def _exclusive(directory: Path) -> Iterator[None]:
    """One flush at a time, over all processes that share the directory."""
    if not directory.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        _force(directory.parent)
    with (directory / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _newest(directory: Path) -> Path:
    """The file to append to. A clock that steps back to an earlier year does not bring an earlier file back."""
    year, number, size = datetime.now(UTC).year, 1, 0
    numbers = [tuple(map(int, found.groups())) for file in directory.iterdir() if (found := _NAME.fullmatch(file.name))]
    if numbers and max(numbers)[0] >= year:
        year, number = max(numbers)
        size = (directory / _name(year, number)).stat().st_size
    return directory / _name(year, number + (size >= FULL_BYTES))


def _name(year: int, number: int) -> str:
    return f"deletions-{year}-{number:04}.jsonl"


def _append(file: Path, events: Iterable[Event]) -> None:
    with file.open("ab+") as out:
        if out.tell() and _last_byte(file) != b"\n":
            out.write(b"\n")  # a crash cut the last line short: it must not swallow the next one
        out.write("".join(event.line() for event in events).encode())
        out.flush()
        os.fsync(out.fileno())
    # Each time, not only for a new file: the flush that made it may have died before it came to this.
    _force(file.parent)


def _force(directory: Path) -> None:
    """Force the names in a folder to disk."""
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
class Damage:
    """A line that cannot be read. One that was cut short by a crash is no loss: its event was written again."""

    file: Path
    line: int
    cut_short: bool

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {'cut short, as by a crash' if self.cut_short else 'damaged'}"


class Reading:
    """The events of a file, or of all journal files of a folder, in their order; read line by line.

    To be iterated once. How many events there were, and which lines could not be read, is known when it is done.
    Raises OSError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events = 0
        self.damaged: list[Damage] = []

    def __iter__(self) -> Iterator[Event]:
        for file in sorted(self.path.glob(_PATTERN)) if self.path.is_dir() else [self.path]:
            with file.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    if not line.strip():
                        continue
                    try:
                        event = _event(line)
                    except (ValueError, KeyError, TypeError):
                        self.damaged.append(Damage(file, number, _is_cut_short(line)))
                        continue
                    self.events += 1
                    yield event


def _event(line: bytes) -> Event:
    """The event in a line. Raises ValueError, KeyError or TypeError for anything `Event.line` does not write."""
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
    if fields.keys() != _BY_HAND and fields["crc32"] != f"{zlib.crc32(line[: line.rindex(_CRC.encode())] + b'}'):08x}":
        raise ValueError("not what was written")
    return Event(name, identifier, datestamps.parse(fields["datestamp"])[0], tuple(specs), number)


def _is_cut_short(line: bytes) -> bool:
    return line.startswith(b'{"event') and not line.rstrip().endswith(b"}")


# --- What became of each record ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LastWord:
    """What the journal says last of one record.

    `event`: what became of it as a whole; None if it only left sets. `left`: the events by which it ended in sets that
    it has not come back to since, but for those that `event` itself names.
    """

    event: Event | None
    left: tuple[Event, ...]

    @property
    def identifier(self) -> str:
        return (self.event or self.left[0]).identifier

    def has_left(self, spec: str) -> bool:
        return any(spec in event.set_specs for event in self.left)


# Of an event there is a row for each set that it names, and one for no set if it is about the record as a whole.
_TABLE = """
    DROP TABLE IF EXISTS pg_temp.journal_event;
    CREATE TEMPORARY TABLE journal_event (
        place bigint, key text COLLATE "C", spec text COLLATE "C", event text, identifier text, datestamp timestamptz,
        sets text, number bigint
    )
"""
_FILL = """
    INSERT INTO pg_temp.journal_event
    SELECT * FROM unnest(
        %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::text[], %s::bigint[]
    )
"""
_LAST = """
    SELECT key, spec, event, identifier, datestamp, sets, number FROM (
        SELECT *, max(place) OVER (PARTITION BY key) AS turn, max(place) FILTER (WHERE spec = '') OVER (PARTITION BY key) AS whole
        FROM (
            SELECT DISTINCT ON (key, spec) * FROM (
                SELECT DISTINCT ON (key, spec, event, datestamp, number) * FROM pg_temp.journal_event
                ORDER BY key, spec, event, datestamp, number, place
            ) told_once
            ORDER BY key, spec, place DESC
        ) last
    ) sorted
    WHERE spec = '' OR (event IN ('deleted', 'left') AND place IS DISTINCT FROM whole)
    ORDER BY turn, key, spec
"""
_OF_THE_RECORD = {JournalOutbox.Event.DELETED, JournalOutbox.Event.RETURNED, JournalOutbox.Event.MOVED}


def last_words(events: Iterable[Event]) -> Iterator[LastWord]:
    """What the journal says last of each record, in the journal's order. The sorting is left to the database.

    So a journal may be longer than the memory holds. A deletion that is the last event of a record stands.
    """
    with connection.cursor() as cursor:
        cursor.execute(_TABLE)
        rows = (row for place, event in enumerate(events) for row in _rows(place, event))
        while part := list(islice(rows, _AT_ONCE)):
            cursor.execute(_FILL, [list(column) for column in zip(*part, strict=True)])
    with connection.chunked_cursor() as cursor:
        cursor.execute(_LAST)
        for _, found in groupby(_fetched(cursor), itemgetter(0)):
            whole, left = None, []
            for _, spec, name, identifier, datestamp, sets, number in found:
                if spec:
                    left.append(Event(name, identifier, datestamp, (spec,), number))
                else:
                    whole = Event(name, identifier, datestamp, tuple(json.loads(sets)), number)
            yield LastWord(whole, tuple(left))
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE pg_temp.journal_event")


def _rows(place: int, event: Event) -> Iterator[tuple[object, ...]]:
    key, sets = oai.identifier_key(event.identifier), json.dumps(event.set_specs)
    for spec in ([""] if event.event in _OF_THE_RECORD else []) + list(event.set_specs):
        yield place, key, spec, event.event, event.identifier, event.datestamp, sets, event.number


def _fetched(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(_AT_ONCE):
        yield from rows
