"""The reading side: the instant of a list, its pages in keyset order, its size, one record; each within a scope.

A list is ordered by (datestamp, id) and read by key, never by offset (P101): a page costs the same at
every depth. It is bounded above by the instant of its first page. Nothing here writes a record.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet

from catalogue import datestamps, oai
from catalogue.models import DatestampClock, MetadataSet
from catalogue.payloads import payload
from catalogue.reading import scopes
from catalogue.reading.scopes import EVERYTHING, Scope


@dataclass(frozen=True, slots=True)
class Window:
    """Which records a list holds: of one set (None: of the whole scope), stamped in the half-open range [start, end)."""

    set_spec: str | None
    start: datetime | None
    end: datetime

    def raised_to(self, floor: datetime | None) -> "Window | None":
        """The window of the records that this one holds when no datestamp counts as older than `floor` (P93).

        All stamps up to the floor are then equal to it, so that they are in the window together or not at all, and
        the order of the list remains. None: no record can be in it.
        """
        if floor is None:
            return self
        if floor >= self.end:
            return None
        return Window(self.set_spec, None, self.end) if self.start is None or self.start <= floor else self


class Place(NamedTuple):
    """A place in list order: everything up to and including this row has been delivered."""

    datestamp: datetime
    pk: int


class Listed(NamedTuple):
    """A record as a list shows it. `packed` and `way` are None when it is deleted or they were not asked for.

    `specs` are the setSpecs of the scope, `WIS-CATALOGUE` among them where the scope shows it. In a list of a set the
    datestamp and the status are those of the membership: a record that left the set is deleted there while it lives
    on elsewhere. These are the values as the statement gives them: of a long list little more is asked of each row.
    """

    pk: int
    stamp: int  # the datestamp, in seconds since 1970
    identifier: str
    deleted: bool
    specs: str  # with blanks between them, which no setSpec has (P72)
    packed: memoryview | None
    way: str | None  # JSON, as jsonb reaches a bare cursor

    @property
    def place(self) -> Place:
        return Place(self.datestamp, self.pk)

    @property
    def datestamp(self) -> datetime:
        return datestamps.from_seconds(self.stamp)

    @property
    def set_specs(self) -> tuple[str, ...]:
        return tuple(self.specs.split())

    @property
    def payload(self) -> bytes | None:
        """The metadata, unpacked each time; None, and an error in the log, where it cannot be read back."""
        return None if self.packed is None else payload.unpack_or_tell(self.packed, identifier=self.identifier)

    @property
    def provenance(self) -> dict[str, Any] | None:
        return json.loads(self.way) if self.way else None


class Version(NamedTuple):
    """One state of a row of a list: two that are equal are shown alike, in this list and in any other."""

    pk: int
    stamp: int  # the datestamp, in seconds since 1970
    text: str


def instant() -> datetime:
    """The present as a list may claim it: every write stamped earlier is committed and visible (P39, P91).

    Waits for the writer that is committing, if there is one, and no later write is stamped earlier, whatever the
    clock does: see `docs/datestamps.md`. Whole seconds, UTC.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT catalogue_instant()")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def earliest() -> datetime:
    """The guaranteed lower bound of every datestamp (P55)."""
    clock = DatestampClock.objects.filter(pk=1).first()
    return clock.earliest if clock else instant()  # no clock, no record yet


def shown_sets(scope: Scope = EVERYTHING) -> list[MetadataSet]:
    """The sets that ListSets shows, in the order of P80: the catalogue, our own, then the others by setSpec."""
    order = {MetadataSet.Kind.CATALOGUE: 0, MetadataSet.Kind.OWN: 1}
    return sorted(_sets(scope), key=lambda s: (order.get(s.kind, 2), s.spec))  # type: ignore[call-overload]


# For each page: by the ORM these cost half a millisecond each.
_SHOWN = "SELECT id FROM catalogue_metadataset WHERE CASE WHEN %(scope)s::bigint[] IS NULL THEN public ELSE id = ANY(%(scope)s) END"


def is_any_set_shown(scope: Scope = EVERYTHING) -> bool:
    """Whether ListSets shows any set."""
    return _shown_id("LIMIT 1", scope) is not None


def shown_set(spec: str, scope: Scope = EVERYTHING) -> int | None:
    """The id of the set of the scope with this setSpec; None if there is none. What is below it is in its rows (P74)."""
    return _shown_id("AND spec = %(spec)s", scope, spec=spec)


def _shown_id(further: str, scope: Scope, **values: str) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(f"{_SHOWN} {further}", {"scope": None if scope.sets is None else list(scope.sets), **values})
        found = cursor.fetchone()
    return None if found is None else int(found[0])


def _sets(scope: Scope) -> QuerySet[MetadataSet]:
    if scope.sets is None:
        return MetadataSet.objects.filter(public=True)
    return MetadataSet.objects.filter(pk__in=scope.sets)


# What ListSets does not show no header may name (P142).
_HIDDEN = "ARRAY(SELECT spec::text FROM catalogue_metadataset WHERE NOT public)"
# The statements; what they read of a row is filled in.
_ALL = """
    SELECT {columns}
    FROM catalogue_record r
    WHERE r.datestamp < %(end)s {bounds}
    ORDER BY r.datestamp, r.id LIMIT %(size)s
"""
_ONE_SET = """
    SELECT {columns}
    FROM catalogue_membership m
    JOIN catalogue_record r ON r.id = m.record_id
    JOIN catalogue_metadataset s ON s.id = m.set_id
    WHERE m.set_id = %(set)s AND m.datestamp < %(end)s {bounds}
    ORDER BY m.datestamp, m.record_id LIMIT %(size)s
"""
_ONE_RECORD = "SELECT {columns} FROM catalogue_record r {rows} WHERE r.key = %(key)s AND {stamp} IS NOT NULL"


@dataclass(frozen=True, slots=True)
class _Row:
    """What a row of a list is made of, in SQL: the columns that tell its id, its datestamp and whether it is deleted."""

    pk: str
    stamp: str
    deleted: str
    # Who wrote a row and where it stands: no two states of it have both in common (PostgreSQL, 5.6 System Columns).
    written: str = ""  # none: there is no such thing

    def specs(self, scope: Scope) -> str:
        """The setSpecs that the header names, with blanks between them."""
        if scope.sets is None:
            specs = (
                f"CASE WHEN r.set_specs::text[] && {_HIDDEN} THEN ARRAY(SELECT spec FROM unnest(r.set_specs) spec"
                f" WHERE spec <> ALL({_HIDDEN})) ELSE r.set_specs END"
            )
        else:
            specs = scopes.header_sets(self.pk, self.deleted, self.stamp)
        text = f"array_to_string({specs}, ' ')"
        if self is _OF_ONE_SET:
            text = f"CASE WHEN m.deleted AND NOT r.deleted THEN s.spec ELSE {text} END"
        return f"'{oai.CATALOGUE_SET} ' || {text}" if scope.whole else text

    def columns(self, scope: Scope, *, payloads: bool) -> str:
        """The columns of `Listed`."""
        live = [
            f"CASE WHEN NOT {self.deleted} THEN r.{name} END" if payloads else "NULL"
            for name in ("payload", "provenance")
        ]
        return ", ".join((self.pk, self._seconds, "r.identifier", self.deleted, self.specs(scope), *live))

    def version(self, scope: Scope) -> str:
        """The columns of `Version`. Of what a header names, only the sets of a scope stand in rows of their own."""
        sets = f"array_to_string({_HIDDEN}, ' ')" if scope.sets is None else self.specs(scope)
        return ", ".join((self.pk, self._seconds, f"{self.written} || ' {scope.whole:d} ' || {sets}"))

    @property
    def _seconds(self) -> str:
        return f"date_part('epoch', {self.stamp})::bigint"


_WRITTEN = "r.xmin::text || r.ctid::text"
_OF_ALL = _Row("r.id", "r.datestamp", "r.deleted", _WRITTEN)
_OF_ONE_SET = _Row("m.record_id", "m.datestamp", "m.deleted", f"{_WRITTEN} || m.xmin::text || m.ctid::text")
_OF_SEVERAL_SETS = _Row("m.record_id", "m.datestamp", "v.deleted")
_OF_ONE = _Row("r.id", "v.datestamp", "v.deleted")  # of one record, what several sets say together


@dataclass(frozen=True, slots=True)
class _Query:
    """The statement that reads a window, with `columns` to be filled in, its values and its bounds."""

    template: str
    row: _Row
    values: dict[str, Any]
    bounds: str

    def rows(self, columns: str, *, size: int, only: Sequence[int] | None = None) -> list[tuple[Any, ...]]:
        bounds, values = self.bounds, self.values | {"size": size}
        if only is not None:
            bounds += f" AND {self.row.pk} = ANY(%(only)s)"
            values["only"] = list(only)
        with connection.cursor() as cursor:
            cursor.execute(self.template.format(columns=columns, bounds=bounds), values)
            return list(cursor.fetchall())


def _query(window: Window, after: Place | None, scope: Scope = EVERYTHING) -> _Query | None:
    """None where the scope has no such set."""
    values: dict[str, Any] = {"end": window.end}
    if scope.sets is not None:
        values["scope"] = list(scope.sets)
    only = next(iter(scope.sets)) if window.set_spec is None and scope.sets and len(scope.sets) == 1 else None
    if scope.whole and window.set_spec in (None, oai.CATALOGUE_SET):
        template, row = _ALL, _OF_ALL
    elif window.set_spec is None and only is None:
        if not scope.sets:
            return None
        template, row = scopes.union(scope.sets), _OF_SEVERAL_SETS
    else:
        named = shown_set(window.set_spec, scope) if window.set_spec else None
        if named is None and only is None:
            return None
        template, row = _ONE_SET, _OF_ONE_SET
        values["set"] = only if named is None else named
    bounds = ""
    if window.start is not None:
        bounds += f" AND {row.stamp} >= %(start)s"
        values["start"] = window.start
    if after is not None:
        bounds += f" AND ({row.stamp}, {row.pk}) > (%(after_stamp)s, %(after_pk)s)"
        values |= {"after_stamp": after.datestamp, "after_pk": after.pk}
    return _Query(template, row, values, bounds)


def page(window: Window, *, after: Place | None, size: int, payloads: bool, scope: Scope = EVERYTHING) -> list[Listed]:
    """Up to `size` records of the window that follow `after` in list order; nothing is unpacked yet."""
    query = _query(window, after, scope)
    if query is None:
        return []
    return list(map(Listed._make, query.rows(query.row.columns(scope, payloads=payloads), size=size)))


def versions(window: Window, *, after: Place | None, size: int, scope: Scope = EVERYTHING) -> list[Version] | None:
    """The states of the rows that `page` would give; None in a list of several sets, where they have none."""
    query = _query(window, after, scope)
    if query is None:
        return []
    if not query.row.written:
        return None
    return list(map(Version._make, query.rows(query.row.version(scope), size=size)))


def versioned(
    window: Window, *, after: Place | None, size: int, scope: Scope = EVERYTHING, only: Sequence[int]
) -> list[tuple[Version, Listed]]:
    """Of the rows that `page` would give those with these ids, with their payloads and the states they are in."""
    query = _query(window, after, scope)
    if query is None or not query.row.written:
        return []
    columns = f"{query.row.version(scope)}, {query.row.columns(scope, payloads=True)}"
    split = len(Version._fields)
    rows = query.rows(columns, size=size, only=only)
    return [(Version._make(row[:split]), Listed._make(row[split:])) for row in rows]


_WHOLE = """
    SELECT live + deleted FROM catalogue_listsize
    WHERE set_id = %(set)s AND (SELECT stamp FROM catalogue_datestampclock) < %(end)s
"""


def count(window: Window, scope: Scope = EVERYTHING) -> int:
    """How many records the window holds; over several sets never less, and those that change meanwhile more (P103).

    Of a whole list it is looked up, of a part of one it is counted in the list's index.
    """
    query = _query(window, None, scope)
    if query is None:
        return 0
    with connection.cursor() as cursor:
        if query.row is _OF_SEVERAL_SETS:
            cursor.execute(scopes.UNION_SIZE.format(bounds=query.bounds), query.values)
            return int(cursor.fetchone()[0])
        if window.start is None:
            cursor.execute(_WHOLE, {"set": 0} | query.values)
            whole = cursor.fetchone()
            if whole is not None:
                return int(whole[0])
        rows = "catalogue_membership m" if query.row is _OF_ONE_SET else "catalogue_record r"
        where = query.template[query.template.rindex("WHERE") : query.template.rindex("ORDER BY")]
        cursor.execute(f"SELECT count(*) FROM {rows} {where.format(bounds=query.bounds)}", query.values)
        return int(cursor.fetchone()[0])


def find(identifier: str, scope: Scope = EVERYTHING) -> Listed | None:
    """The record with this identifier, live or deleted; None if the scope does not hold it."""
    row, rows = (_OF_ALL, "") if scope.whole else (_OF_ONE, scopes.OF_ONE_RECORD.format(record="r.id"))
    values: dict[str, Any] = {"key": oai.identifier_key(identifier), "scope": list(scope.sets or ())}
    with connection.cursor() as cursor:
        cursor.execute(
            _ONE_RECORD.format(columns=row.columns(scope, payloads=True), rows=rows, stamp=row.stamp), values
        )
        found = cursor.fetchone()
    return Listed._make(found) if found else None
