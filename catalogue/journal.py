"""The journal: the append-only files of deletions kept outside the database (promise 6, W11).

A deletion is committed with a row in the outbox. `flush` appends the outbox to `deletions-YYYY.jsonl` in
GISC_JOURNAL_DIR, forces it to disk and only then empties the outbox, so an event may stand in the journal
twice but never not at all. A record that comes back after its deletion is an event too: `replay` takes the
last event of each identifier, and so does not bury what was created again.
"""

import fcntl
import json
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction

from catalogue import datestamps, oai
from catalogue.models import JournalOutbox

logger = logging.getLogger(__name__)

_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal: what happened to an identifier, when, and the sets it was in."""

    event: str
    identifier: str
    datestamp: datetime
    set_specs: tuple[str, ...]

    def line(self) -> str:
        """The event as one line of JSON."""
        fields = {
            "event": self.event,
            "identifier": self.identifier,
            "datestamp": datestamps.write(self.datestamp),
            "sets": list(self.set_specs),
        }
        return json.dumps(fields, ensure_ascii=False) + "\n"


def waiting() -> int:
    """How many committed events are not on disk yet."""
    return JournalOutbox.objects.count()


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
            events = [Event(row.event, row.identifier, row.datestamp, tuple(row.set_specs)) for row in rows]
            _append(directory / f"deletions-{datetime.now(UTC):%Y}.jsonl", events)
            with transaction.atomic():
                JournalOutbox.objects.filter(pk__in=[row.pk for row in rows]).delete()
            written += len(rows)
    return written


@contextmanager
def _exclusive(directory: Path) -> Iterator[None]:
    """One flush at a time, over all processes that share the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _append(file: Path, events: Iterable[Event]) -> None:
    is_new = not file.exists()
    with file.open("ab+") as out:
        if out.tell() and _last_byte(file) != b"\n":
            out.write(b"\n")  # a crash cut the last line short: it must not swallow the next one
        out.write("".join(event.line() for event in events).encode())
        out.flush()
        os.fsync(out.fileno())
    if is_new:
        descriptor = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _last_byte(file: Path) -> bytes:
    with file.open("rb") as tail:
        tail.seek(-1, os.SEEK_END)
        return tail.read(1)


@dataclass(frozen=True, slots=True)
class Reading:
    """Events read from journal files, in order, and the lines that could not be read."""

    events: tuple[Event, ...]
    damaged: tuple[str, ...]  # "file, line n", each


def read(paths: Iterable[Path]) -> Reading:
    """All events in these files, or in the `deletions-*.jsonl` of these folders, oldest file first."""
    events: list[Event] = []
    damaged: list[str] = []
    for path in paths:
        for file in sorted(path.glob("deletions-*.jsonl")) if path.is_dir() else [path]:
            for number, line in enumerate(file.read_bytes().splitlines(), start=1):
                if not line.strip():
                    continue
                try:
                    events.append(_event(line))
                except (ValueError, KeyError, TypeError):
                    damaged.append(f"{file}, line {number}")
    return Reading(tuple(events), tuple(damaged))


def _event(line: bytes) -> Event:
    """The event in a line. Raises ValueError, KeyError or TypeError for anything `Event.line` does not write."""
    fields = json.loads(line)
    name, identifier, specs = fields["event"], fields["identifier"], fields["sets"]
    if name not in JournalOutbox.Event or not isinstance(identifier, str) or not isinstance(specs, list):
        raise ValueError("not an event")
    if not all(isinstance(spec, str) and oai.is_set_spec(spec) for spec in specs):
        raise ValueError("not setSpecs")
    return Event(name, identifier, datestamps.parse(fields["datestamp"])[0], tuple(specs))


def standing_deletions(events: Iterable[Event]) -> list[Event]:
    """The deletions that no later event took back, one for each identifier."""
    last: dict[str, Event] = {}
    for event in events:
        key = oai.identifier_key(event.identifier)
        if key not in last or event.datestamp >= last[key].datestamp:
            last[key] = event
    return [event for event in last.values() if event.event == JournalOutbox.Event.DELETED]
