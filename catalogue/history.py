"""Merge the journal's files of all writers with the outbox: in order, each event once; name what is missing.

Events are ordered by epoch and number, whichever file and line they stand in. Others have a place of their own:

- A line that an operator added follows the numbered line before it in the files of its writer.
- Lines of the versions before are first. Those of one folder, or of one exported file, stay in their order. Between
  folders the smaller number is first, as the hosts took the numbers from one database.

Two different events with one number show that a copy of the database was used beside it, or instead of it, unnoticed.
Both count, the one with the later datestamp last.

The database sorts them in temporary tables, so that a journal need not fit into memory.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext

from catalogue import journal, oai
from catalogue.journal import DEFAULTS, NOWHERE, Event, JournalLimits, Position

_LAST_EPOCH = 2**63 - 1  # after all others


class Missing(NamedTuple):
    """Events that were numbered and are in none of the files."""

    epoch: int
    first: int
    last: int

    def __str__(self) -> str:
        if self.last == self.first:
            return f"{self.epoch}-{self.first}"
        return gettext("{epoch}-{first} to {epoch}-{last}").format(epoch=self.epoch, first=self.first, last=self.last)


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


# at_epoch, at_number: where a line without epoch stands among those that have one. ordinal: the order of reading. own: it
# is in the node's own folder.
_CREATE_LINES = """
    DROP TABLE IF EXISTS pg_temp.journal_line, pg_temp.journal_event;
    CREATE TEMPORARY TABLE journal_line (
        ordinal bigint, at_epoch bigint, at_number bigint, epoch bigint, number bigint, key text COLLATE "C",
        event text, identifier text COLLATE "C", datestamp timestamptz, sets text, own boolean
    )
"""
_INSERT = """
    INSERT INTO pg_temp.journal_line
    SELECT * FROM unnest(
        %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::text[],
        %s::timestamptz[], %s::text[], %s::boolean[]
    )
"""
# The same event again is a double: a flush died after writing it, two hosts took it from the outbox, a file was copied.
_MERGE = """
    CREATE TEMPORARY TABLE journal_event AS
    SELECT row_number() OVER (
        ORDER BY at_epoch, at_number, at_epoch > 0 AND epoch = 0, CASE WHEN epoch > 0 THEN datestamp END, ordinal
    ) AS ordinal, at_epoch, epoch, number, key, event, identifier, datestamp, sets
    FROM (
        SELECT DISTINCT ON (epoch, number, event, identifier, datestamp, sets, by_hand_at_epoch, by_hand_at_number) *
        FROM (
            SELECT *, CASE number WHEN 0 THEN at_epoch END AS by_hand_at_epoch,
                CASE number WHEN 0 THEN at_number END AS by_hand_at_number
            FROM pg_temp.journal_line
        ) lines
        ORDER BY epoch, number, event, identifier, datestamp, sets, by_hand_at_epoch, by_hand_at_number,
            at_epoch, at_number, ordinal
    ) distinct_events;
    CREATE INDEX ON pg_temp.journal_event (ordinal);
    ANALYZE pg_temp.journal_event
"""
_IS_LINE_OF_WAITING = """
    (l.epoch, l.number) = (o.epoch, o.number)
    AND (l.event, l.identifier, l.datestamp) = (o.event, o.identifier COLLATE "C", date_trunc('second', o.datestamp))
    AND o.set_specs = ARRAY(SELECT jsonb_array_elements_text(l.sets::jsonb))
"""
# An event of the outbox whose number the files give to another event: committed after the database was put back.
_FIRST_AFTER_COPY = f"""
    SELECT o.epoch, o.number FROM catalogue_journaloutbox o
    WHERE EXISTS (SELECT FROM pg_temp.journal_line l WHERE (l.epoch, l.number) = (o.epoch, o.number))
    AND NOT EXISTS (SELECT FROM pg_temp.journal_line l WHERE {_IS_LINE_OF_WAITING})
    ORDER BY 1, 2 LIMIT 1
"""
_DELETE_WRITTEN = f"""
    DELETE FROM catalogue_journaloutbox o USING pg_temp.journal_line l WHERE l.own AND {_IS_LINE_OF_WAITING}
"""
# Holes between 0 and the number after the last one that was given.
_SELECT_MISSING = """
    WITH found AS (SELECT epoch, number FROM pg_temp.journal_event WHERE epoch > 0),
    given AS (
        SELECT * FROM found UNION SELECT epoch, number FROM catalogue_journalposition
        UNION SELECT epoch, number FROM catalogue_journalwriter
    )
    SELECT epoch, number + 1, next - 1 FROM (
        SELECT epoch, number, lead(number) OVER (PARTITION BY epoch ORDER BY number) AS next FROM (
            SELECT * FROM found UNION SELECT epoch, 0 FROM given
            UNION SELECT epoch, max(number) + 1 FROM given GROUP BY epoch
        ) bounds
    ) pairs
    WHERE next > number + 1 ORDER BY 1, 2
"""
_SELECT_CONFLICTS = """
    SELECT epoch, number FROM pg_temp.journal_event WHERE epoch > 0 AND at_epoch = epoch
    GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 1, 2
"""
# The last word on who sees each set, link and record.
_SELECT_RESTRICTIONS = """
    SELECT DISTINCT ON (identifier) identifier, sets FROM pg_temp.journal_event WHERE event = 'restricted'
    ORDER BY identifier, ordinal DESC
"""
_SELECT_EVENTS = """
    SELECT event, identifier, datestamp, sets, number, epoch FROM pg_temp.journal_event ORDER BY ordinal
"""
# An event counts for each set that it names, and for the spec '' if it is about the record as a whole.
_SELECT_LAST = """
    SELECT key, spec, event, identifier, datestamp, sets, number, epoch FROM (
        SELECT *, max(ordinal) OVER (PARTITION BY key) AS last_of_key,
            max(ordinal) FILTER (WHERE spec = '') OVER (PARTITION BY key) AS last_of_record
        FROM (
            SELECT DISTINCT ON (key, spec) e.*, spec
            FROM pg_temp.journal_event e,
                unnest(
                    CASE WHEN event IN ('deleted', 'returned', 'moved') THEN ARRAY[''] ELSE '{}' END
                    || ARRAY(SELECT jsonb_array_elements_text(sets::jsonb))
                ) AS spec
            WHERE event <> 'restricted'
            ORDER BY key, spec, ordinal DESC
        ) last_events
    ) numbered
    WHERE spec = '' OR (event IN ('deleted', 'left') AND ordinal IS DISTINCT FROM last_of_record)
    ORDER BY last_of_key, key, spec COLLATE "C"
"""


class History:
    """All events of the journal that can be found: in these files and folders, in the node's own folder, in the outbox.

    A context manager; complete when it has been entered. `events`: the number of lines read in the given paths, or in the
    own folder if none is given. `damaged`: lines that could not be read. `ends`: the last event of each writer in the
    files. `end`: the last position in the files. `first_after_copy`: the first event of the outbox whose number is another
    event's in the files. Raises OSError.
    """

    def __init__(self, paths: Sequence[Path] = (), limits: JournalLimits = DEFAULTS) -> None:
        self._limits = limits
        self._given = _distinct(paths)
        self.events = 0
        self.damaged: list[journal.DamagedLine] = []
        self.ends: dict[str, Position] = {}
        self.end = NOWHERE
        self.first_after_copy: Position | None = None

    def __enter__(self) -> "History":
        with connection.cursor() as cursor:
            cursor.execute(_CREATE_LINES)
        insert = _Inserter(self._limits)
        own = Path(settings.GISC_JOURNAL_DIR)
        for path in self._given:
            self.events += self._read(path, insert, own=path.resolve() == own.resolve())
        if own.is_dir() and own.resolve() not in map(Path.resolve, self._given):
            events = self._read(own, insert, own=True)
            self.events += 0 if self._given else events
        with connection.cursor() as cursor:
            cursor.execute(_FIRST_AFTER_COPY)
            found = cursor.fetchone()
            self.first_after_copy = Position(*found) if found else None
            insert.sequence(journal.outbox_events(), last_from=self.first_after_copy)
            cursor.execute(_MERGE)
        return self

    def _read(self, path: Path, insert: "_Inserter", *, own: bool) -> int:
        reader = journal.JournalReader(path)
        for writer, events in reader.by_writer():
            end = insert.sequence(events, own=own)
            if writer:
                self.ends[writer] = max(end, self.ends.get(writer, NOWHERE))
            self.end = max(self.end, end)
        self.damaged += reader.damaged
        return reader.events

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            with connection.cursor() as cursor:
                cursor.execute("DROP TABLE IF EXISTS pg_temp.journal_line, pg_temp.journal_event")

    def empty_outbox_of_written(self) -> None:
        """Delete the events of the outbox that are in the own folder already, as the outbox of a dump has them.

        Written once more, they would follow later ones.
        """
        with connection.cursor() as cursor:
            cursor.execute(_DELETE_WRITTEN)

    def count(self) -> int:
        """Return the number of all events, each counted once."""
        ((number,),) = self._select("SELECT count(*) FROM pg_temp.journal_event")
        return int(number)

    def missing(self) -> list[Missing]:
        """Return the ranges of numbers that were given, as files or database show, and that no event here has."""
        return [Missing(*row) for row in self._select(_SELECT_MISSING)]

    def conflicts(self) -> list[Position]:
        """Return the numbers that two different events have, without those of events that get another number."""
        return [Position(*row) for row in self._select(_SELECT_CONFLICTS)]

    def latest_datestamp(self, limit: datetime) -> datetime | None:
        """Return the latest datestamp of the events that is not after the limit."""
        query = "SELECT max(datestamp) FROM pg_temp.journal_event WHERE datestamp <= %s"
        ((latest,),) = self._select(query, [limit])
        return latest  # type: ignore[no-any-return]

    def merged(self) -> Iterator[Event]:
        """Yield all events in their order, each once."""
        with connection.chunked_cursor() as cursor:
            cursor.execute(_SELECT_EVENTS)
            for name, identifier, datestamp, sets, number, epoch in _fetch_in_batches(cursor, self._limits.batch_rows):
                yield Event(name, identifier, datestamp, tuple(json.loads(sets)), number, epoch)

    def restrictions(self) -> list[tuple[str, str, bool]]:
        """Return the last word on who sees each set, link and record: which it is, the category, and whether it is listed."""
        found = []
        for subject, text in self._select(_SELECT_RESTRICTIONS):
            category, listing = json.loads(text)
            found.append((subject, category, listing == "listed"))
        return found

    def last_events(self) -> Iterator[LastEvents]:
        """Yield the last events of each record, in the order of the journal."""
        with connection.chunked_cursor() as cursor:
            cursor.execute(_SELECT_LAST)
            rows = _fetch_in_batches(cursor, self._limits.batch_rows)
            for _, rows_of_record in groupby(rows, itemgetter(0)):
                event_of_record, left = None, []
                for _, spec, name, identifier, datestamp, sets, number, epoch in rows_of_record:
                    if spec:
                        left.append(Event(name, identifier, datestamp, (spec,), number, epoch))
                    else:
                        event_of_record = Event(name, identifier, datestamp, tuple(json.loads(sets)), number, epoch)
                yield LastEvents(event_of_record, tuple(left))

    @staticmethod
    def _select(query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(query, values)
            return cursor.fetchall()  # type: ignore[no-any-return]


class _Inserter:
    """Inserts the lines of one sequence after the other into the temporary table."""

    def __init__(self, limits: JournalLimits) -> None:
        self._limits = limits
        self._ordinal = 0

    def sequence(self, events: Iterable[Event], *, own: bool = False, last_from: Position | None = None) -> Position:
        """Insert events that are in their order, as of the files of one writer. Returns the last position among them.

        `own`: they are of the node's own folder. `last_from`: this event and those after it are the last of all, whatever
        their epoch.
        """
        rows = ((*row, own) for row in self._rows(events, last_from))
        end = NOWHERE
        with connection.cursor() as cursor:
            while batch := list(islice(rows, self._limits.batch_rows)):
                columns = [list(column) for column in zip(*batch, strict=True)]
                cursor.execute(_INSERT, columns)
                end = max(end, *(Position(row[3], row[4]) for row in batch if row[3]), NOWHERE)
        return end

    def _rows(self, events: Iterable[Event], last_from: Position | None) -> Iterator[tuple[Any, ...]]:
        place = NOWHERE
        for event in events:
            self._ordinal += 1
            if last_from is not None and event.position >= last_from:
                at = Position(_LAST_EPOCH, self._ordinal)
            elif event.epoch:
                at = event.position
                place = max(place, at)
            else:
                if not place.epoch:
                    place = Position(0, max(place.number, event.number))
                at = place
            key, sets = oai.oai_identifier(event.identifier), json.dumps(event.set_specs)
            what = (key, event.event, event.identifier, event.datestamp, sets)
            yield (self._ordinal, *at, event.epoch, event.number, *what)


def _distinct(paths: Sequence[Path]) -> list[Path]:
    """Return the paths without those that are another way to write an earlier one."""
    return list({path.resolve(): path for path in reversed(paths)}.values())[::-1]


def _fetch_in_batches(cursor: Any, batch_rows: int) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(batch_rows):
        yield from rows
