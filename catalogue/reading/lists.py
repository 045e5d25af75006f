"""Read lists: the instant of a list, its pages in keyset order, its size, one record; each within a scope.

A list is ordered by (datestamp, id) and read by key, never by offset (P101): a page costs the same at
every depth. It is bounded above by the instant of its first page. Nothing here writes a record.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import DatabaseError, connections
from django.db.models import Q, QuerySet

from catalogue import datestamps, oai
from catalogue.models import DatestampClock, MetadataSet
from catalogue.payloads import payload, readable
from catalogue.reading import scopes
from catalogue.reading.replica import SOURCE
from catalogue.reading.scopes import EVERYTHING, Scope


@dataclass(frozen=True, slots=True)
class Window:
    """Which records a list has: of one set (None: of the whole scope), stamped in the half-open range [start, end)."""

    set_spec: str | None
    start: datetime | None
    end: datetime

    def raised_to(self, floor: datetime | None) -> "Window | None":
        """Return the window of the same records if no datestamp counts as older than `floor` (P93).

        All stamps up to the floor are then equal to it, so that they are in the window together or not at all, and
        the order of the list remains. None: no record can be in it.
        """
        if floor is None:
            return self
        if floor >= self.end:
            return None
        return Window(self.set_spec, None, self.end) if self.start is None or self.start <= floor else self


class ListPosition(NamedTuple):
    """A position in list order: everything up to and including this row has been delivered."""

    datestamp: datetime
    pk: int


class ListRow(NamedTuple):
    """A record in a list. `packed` and what follows it are None if it is deleted or they were not requested.

    `harvest_json` is its provenance without its identifier and datestamp at the provider, which follow: so most records of
    one harvest have the same text there.

    `specs` are the setSpecs of the scope, `WIS-CATALOGUE` among them if it is in the scope. In a list of a set the
    datestamp and the status are those of the membership: a record that left the set is deleted there while it is live
    elsewhere. The fields are the values of the statement, because a long list needs few of the properties below.
    """

    pk: int
    stamp: int  # the datestamp, in seconds since 1970
    identifier: str
    deleted: bool
    specs: str  # with blanks between them, which no setSpec has (P72)
    packed: memoryview | None
    harvest_json: str | None  # JSON, as jsonb reaches a bare cursor
    remote_identifier: str | None
    remote_datestamp: str | None

    @property
    def position(self) -> ListPosition:
        return ListPosition(self.datestamp, self.pk)

    @property
    def datestamp(self) -> datetime:
        return datestamps.from_seconds(self.stamp)

    @property
    def set_specs(self) -> tuple[str, ...]:
        return tuple(self.specs.split())

    @property
    def payload(self) -> bytes | None:
        """The metadata, unpacked each time; None, and an error in the log, if it is damaged."""
        return None if self.packed is None else payload.unpack_or_log(self.packed, identifier=self.identifier)


class RowVersion(NamedTuple):
    """One version of a row of a list: rows of equal versions look the same in this list and in any other."""

    pk: int
    stamp: int  # the datestamp, in seconds since 1970
    text: str


def instant() -> datetime:
    """Return the present for a list: every write stamped earlier is committed and visible (P39, P91).

    Waits for a writer that is committing. No later write is stamped earlier, whatever the clock does: see
    `docs/datestamps.md`. Whole seconds, UTC. Of a list that is read from a replica, `replica.reading` gives the instant.
    """
    with connections[SOURCE.get()].cursor() as cursor:
        cursor.execute("SELECT catalogue_instant()")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def earliest() -> datetime:
    """Return the guaranteed lower bound of every datestamp (P55)."""
    clock = DatestampClock.objects.filter(pk=1).first()
    return clock.earliest if clock else instant()  # no clock, no record yet


def visible_sets(scope: Scope = EVERYTHING) -> list[MetadataSet]:
    """Return the sets that ListSets names, in the order of P80: the catalogue, our own, then the others by setSpec."""
    return sorted(_sets(scope), key=order_of_set)


def order_of_set(metadata_set: MetadataSet) -> tuple[int, str]:
    """Return the sort key of a set in ListSets (P80)."""
    first = (MetadataSet.Kind.CATALOGUE, MetadataSet.Kind.OWN)
    return (first.index(kind) if (kind := metadata_set.kind) in first else len(first)), metadata_set.spec


# For each page: by the ORM these cost half a millisecond each.
_VISIBLE_SETS = "SELECT s.id FROM catalogue_metadataset s WHERE {listed}"


def is_any_set_visible(scope: Scope = EVERYTHING) -> bool:
    """Whether ListSets names any set."""
    return _find_visible_set("LIMIT 1", scope) is not None


def visible_set_id(spec: str, scope: Scope = EVERYTHING) -> int | None:
    """Return the id of the visible set with this setSpec, or None. Records of sets below it have rows in it too (P74)."""
    return _find_visible_set("AND spec = %(spec)s", scope, spec=spec)


def _find_visible_set(further: str, scope: Scope, **values: str) -> int | None:
    with connections[SOURCE.get()].cursor() as cursor:
        cursor.execute(f"{_VISIBLE_SETS.format(listed=scopes.listed(scope, 's'))} {further}", scope.values | values)
        found = cursor.fetchone()
    return None if found is None else int(found[0])


def _sets(scope: Scope) -> QuerySet[MetadataSet]:
    found = MetadataSet.objects.filter(Q(category=None) | Q(category__in=scope.categories))
    return found.filter(public=True) if scope.sets is None else found.filter(pk__in=scope.sets)


# What only a live record has, in the order of `ListRow`; the payload comes before.
_PAYLOAD = "r.payload"
_LIVE_COLUMNS = (
    "r.provenance - ARRAY['identifier', 'datestamp']",
    "r.provenance->>'identifier'",
    "r.provenance->>'datestamp'",
)
# No header may name a set that ListSets does not name (P142).
_HIDDEN = "ARRAY(SELECT h.spec::text FROM catalogue_metadataset h WHERE NOT ({listed}))"
# The statements; columns and bounds are filled in.
_SELECT_ALL = """
    SELECT {columns}
    FROM catalogue_record r
    WHERE {visible} AND r.datestamp < %(end)s {bounds}
    ORDER BY r.datestamp, r.id LIMIT %(size)s
"""
_OF_MEMBERSHIP = """
    JOIN catalogue_record r ON r.id = m.record_id
    JOIN catalogue_metadataset s ON s.id = m.set_id
"""
_SELECT_ONE_SET = f"""
    SELECT {{columns}}
    FROM catalogue_membership m {_OF_MEMBERSHIP}
    WHERE m.set_id = %(set)s AND {{visible}} AND m.datestamp < %(end)s {{bounds}}
    ORDER BY m.datestamp, m.record_id LIMIT %(size)s
"""
_SELECT_RECORD = """
    SELECT {columns} FROM catalogue_record r {rows}
    WHERE r.key = %(key)s AND %(asked)s IN (r.key, r.identifier) AND {visible} AND {stamp} IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class _Row:
    """The SQL expressions for a row of a list: its id, its datestamp, whether it is deleted."""

    pk: str
    stamp: str
    deleted: str
    # Transaction and position of the stored row: no two versions of it have both in common (PostgreSQL, 5.6 System
    # Columns). Empty for a union of sets, whose rows have no version.
    row_version: str = ""

    def specs(self, scope: Scope) -> str:
        """Build the expression for the setSpecs that the header names, with blanks between them."""
        if scope.sets is None:
            hidden = _hidden_sets(scope)
            specs = (
                f"CASE WHEN r.set_specs::text[] && {hidden} THEN ARRAY(SELECT spec FROM unnest(r.set_specs) spec"
                f" WHERE spec <> ALL({hidden})) ELSE r.set_specs END"
            )
        else:
            specs = scopes.header_sets(scope, self.pk, self.deleted, self.stamp)
        if self is _WITHDRAWN_ROW:
            specs = scopes.withdrawn_sets(scope)
        text = f"array_to_string({specs}, ' ')"
        if scope.whole:
            text = f"'{oai.CATALOGUE_SET} ' || {text}"
        if self is _MEMBERSHIP_ROW:
            # A header that is deleted because the record left the set names that set alone (P75), or none (P142).
            left = f"CASE WHEN {scopes.listed(scope, 's')} THEN s.spec ELSE '' END"
            text = f"CASE WHEN m.departed THEN {left} ELSE {text} END"
        return text

    def columns(self, scope: Scope, payload_column: str | None) -> str:
        """Build the columns of `ListRow`; without what only live records have if there is no column for their payloads."""
        if payload_column is None:
            live = ["NULL"] * (1 + len(_LIVE_COLUMNS))
        else:
            live = [f"CASE WHEN NOT {self.deleted} THEN {column} END" for column in (payload_column, *_LIVE_COLUMNS)]
        return ", ".join((self.pk, self._stamp_seconds, "r.key", self.deleted, self.specs(scope), *live))

    def version(self, scope: Scope) -> str:
        """Build the columns of `RowVersion`.

        The sets of a scope are in rows of their own, and hidden sets may change: both belong to the version.
        """
        sets = f"array_to_string({_hidden_sets(scope)}, ' ')" if scope.sets is None else self.specs(scope)
        return ", ".join((self.pk, self._stamp_seconds, f"{self.row_version} || ' {scope.whole:d} ' || {sets}"))

    @property
    def _stamp_seconds(self) -> str:
        return f"date_part('epoch', {self.stamp})::bigint"


def _hidden_sets(scope: Scope) -> str:
    return _HIDDEN.format(listed=scopes.listed(scope, "h"))


_RECORD_VERSION = "r.xmin::text || r.ctid::text"
_RECORD_ROW = _Row("r.id", "r.datestamp", "r.deleted", _RECORD_VERSION)
_MEMBERSHIP_ROW = _Row("m.record_id", "m.datestamp", "m.deleted", f"{_RECORD_VERSION} || m.xmin::text || m.ctid::text")
_UNION_ROW = _Row("m.record_id", "m.datestamp", "v.deleted")
_SINGLE_ROW = _Row("r.id", "v.datestamp", "v.deleted")  # one record in all sets of the scope together
# A record that the scope sees no more.
_WITHDRAWN_ROW = _Row("w.record_id", "w.datestamp", "true", f"'w' || {_RECORD_VERSION} || w.xmin::text || w.ctid::text")


@dataclass(frozen=True, slots=True)
class _Query:
    """The statements that read a window, with `columns` to be filled in, their values and bounds.

    `lists`: the sets whose withdrawn records are in the window (0: the whole catalogue). `own_bounds`: of the first statement
    alone. `only_deleted`: nothing of the set is visible but that its records are gone.
    """

    template: str
    row: _Row
    values: dict[str, Any]
    scope: Scope
    lists: list[int]
    own_bounds: str = ""
    only_deleted: bool = False

    def rows(
        self, columns: Callable[[_Row], str], *, size: int, only: Sequence[int] | None = None
    ) -> list[tuple[Any, ...]]:
        """Read rows in list order: visible records, and those that the scope saw and sees no more (`columns` has both's)."""
        values = self.values | {"size": size, "only": None if only is None else list(only)}
        found: list[tuple[Any, ...]] = []
        any_withdrawn = not self.scope.with_hidden
        with connections[SOURCE.get()].cursor() as cursor:
            asked = f"{columns(self.row)}, {_ANY_WITHDRAWN}"
            cursor.execute(self.sql(asked, only=only is not None), values)
            if found := cursor.fetchall():
                any_withdrawn = any_withdrawn and found[0][-1]
                found = [row[:-1] for row in found]
            if any_withdrawn:
                bounds = self.bounds(_WITHDRAWN_ROW, only=only is not None)
                withdrawn = scopes.withdrawn(self.scope).format(bounds=bounds)
                cursor.execute(_SELECT_WITHDRAWN.format(columns=columns(_WITHDRAWN_ROW), withdrawn=withdrawn), values)
                if gone := cursor.fetchall():
                    found = sorted((*found, *gone), key=_order)[:size]
        return found

    def sql(self, columns: str, *, only: bool = False) -> str:
        """Return the statement that reads the visible records."""
        return self._filled(self.template, columns=columns, bounds=self.bounds(self.row, only=only))

    def bounds(self, row: _Row, *, only: bool = False) -> str:
        bounds = self.own_bounds if row is self.row else ""
        if "start" in self.values:
            bounds += f" AND {row.stamp} >= %(start)s"
        if "after_pk" in self.values:
            bounds += f" AND ({row.stamp}, {row.pk}) > (%(after_stamp)s, %(after_pk)s)"
        return f"{bounds} AND {row.pk} = ANY(%(only)s)" if only else bounds

    def count(self) -> int:
        """Count the rows in the indexes of the list."""
        counted = self._count_withdrawn()
        with connections[SOURCE.get()].cursor() as cursor:
            if self.row is _UNION_ROW:
                statement = scopes.COUNT_UNION
            else:
                rows = "catalogue_membership m" if self.row is _MEMBERSHIP_ROW else "catalogue_record r"
                if self.only_deleted:
                    rows += _OF_MEMBERSHIP
                where = self.template[self.template.rindex("WHERE") : self.template.rindex("ORDER BY")]
                statement = f"SELECT count(*) FROM {rows} {where}"
            cursor.execute(self._filled(statement, bounds=self.bounds(self.row)), self.values)
            return counted + int(cursor.fetchone()[0])

    def look_up_size(self) -> int | None:
        """Return the size of a whole list, which triggers count; None if it is not whole, or was changed since."""
        if "start" in self.values or self.only_deleted or self.row is _UNION_ROW or self.scope.with_hidden:
            return None
        is_set, more = self.row is _MEMBERSHIP_ROW, ""
        if is_set and (condition := scopes.hidden(self.scope)):
            elsewhere = "elsewhere" if self.scope.whole else _HIDDEN_IN_SCOPE.format(condition=condition)
            more = f" - {elsewhere}"
        if scopes.sees_more(self.scope):
            rows = "catalogue_membership m" if is_set else "catalogue_record r"
            where = f"m.set_id = %(set)s{self.own_bounds}" if is_set else "true"
            more += f" + (SELECT count(*) FROM {rows} WHERE {where} AND {self._audience} <> 0 AND {{visible}})"
        with connections[SOURCE.get()].cursor() as cursor:
            cursor.execute(self._filled(_LIST_SIZE.format(more=more)), {"set": 0} | self.values)
            size = cursor.fetchone()
        return None if size is None else int(size[0]) + self._count_withdrawn()

    def _count_withdrawn(self) -> int:
        if self.scope.with_hidden:
            return 0
        with connections[SOURCE.get()].cursor() as cursor:
            counting = f"SELECT count(*) {scopes.withdrawn(self.scope).format(bounds=self.bounds(_WITHDRAWN_ROW))}"
            cursor.execute(counting, self.values)
            return int(cursor.fetchone()[0])

    @property
    def _audience(self) -> str:
        return "r.audience" if self.row is _RECORD_ROW else "m.audience"

    def _filled(self, template: str, **parts: str) -> str:
        return template.format(visible=scopes.visible(self.scope, self._audience), **parts)


# Read with the visible records: in nearly all lists nothing was withdrawn, and the statement for that costs as much as theirs.
_ANY_WITHDRAWN = "EXISTS (SELECT FROM catalogue_withdrawal w WHERE w.set_id = ANY(%(lists)s))"
_SELECT_WITHDRAWN = "SELECT {columns} {withdrawn} ORDER BY w.datestamp, w.record_id LIMIT %(size)s"


def _order(row: tuple[Any, ...]) -> tuple[int, int]:
    """The sort key of a list: datestamp and id."""
    return row[1], row[0]


def _query(window: Window, after: ListPosition | None, scope: Scope = EVERYTHING) -> _Query | None:
    """Build the query for a window; None if the scope has no such set, and never had."""
    values: dict[str, Any] = {"end": window.end, "one_set": False, **scope.values}
    only = next(iter(scope.sets)) if window.set_spec is None and scope.sets and len(scope.sets) == 1 else None
    only_deleted = False
    if scope.whole and window.set_spec in (None, oai.CATALOGUE_SET):
        template, row, of_sets = _SELECT_ALL, _RECORD_ROW, [0]
    elif window.set_spec is None and only is None:
        if not scope.sets:
            return None
        template, row, of_sets = scopes.union(scope.sets), _UNION_ROW, list(scope.sets)
    else:
        template, row = _SELECT_ONE_SET, _MEMBERSHIP_ROW
        named = visible_set_id(window.set_spec, scope) if window.set_spec else only
        if named is None:
            named, only_deleted = find_set_seen_before(window.set_spec, scope), True
        if named is None:
            return None
        of_sets = [named]
        values |= {"set": named, "one_set": True}
    values["lists"] = of_sets
    if window.start is not None:
        values["start"] = window.start
    if after is not None:
        values |= {"after_stamp": after.datestamp, "after_pk": after.pk}
    own_bounds = f" AND {_GONE.format(of_set='s')}" if only_deleted else ""
    if row is _MEMBERSHIP_ROW and (hidden := scopes.hidden(scope)):
        own_bounds += f" AND NOT ({hidden})"
    return _Query(template, row, values, scope, of_sets, own_bounds, only_deleted)


# Of a set that the scope may not name. Who guesses the name of a set that never was in the list learns of dead records alone.
_GONE = "m.deleted AND (r.deleted OR {of_set}.public)"


def find_set_seen_before(spec: str | None, scope: Scope) -> int | None:
    """Return the id of a set that the scope may not name any more: who harvests it is told that its records are gone."""
    statement = f"""
        SELECT h.id FROM catalogue_metadataset h
        WHERE h.spec = %(spec)s AND {"true" if scope.whole else "h.id = ANY(%(scope)s::bigint[])"} AND (
            EXISTS (SELECT FROM catalogue_withdrawal w WHERE w.set_id = h.id AND w.audience = ANY({scopes.audiences(scope)}))
            OR EXISTS (
                SELECT FROM catalogue_membership m JOIN catalogue_record r ON r.id = m.record_id
                WHERE m.set_id = h.id AND {_GONE.format(of_set="h")} AND {scopes.visible(scope, "m.audience")}
            )
        )
    """
    with connections[SOURCE.get()].cursor() as cursor:
        cursor.execute(statement, {"spec": spec, **scope.values})
        found = cursor.fetchone()
    return None if found is None else int(found[0])


def page(
    window: Window, *, after: ListPosition | None, size: int, payloads: bool, scope: Scope = EVERYTHING
) -> list[ListRow]:
    """Read up to `size` records of the window that follow `after` in list order; nothing is unpacked yet."""
    query = _query(window, after, scope)
    if query is None:
        return []
    try:
        rows = query.rows(lambda row: row.columns(scope, _PAYLOAD if payloads else None), size=size)
    except DatabaseError as exc:
        column = readable.instead_of(_PAYLOAD, exc, using=SOURCE.get())
        rows = query.rows(lambda row: row.columns(scope, column), size=size)
    return list(map(ListRow._make, rows))


def versions(
    window: Window, *, after: ListPosition | None, size: int, scope: Scope = EVERYTHING
) -> list[RowVersion] | None:
    """Read the versions of the rows that `page` would give; None for a list of several sets, whose rows have none."""
    query = _query(window, after, scope)
    if query is None:
        return []
    if not query.row.row_version:
        return None
    return list(map(RowVersion._make, query.rows(lambda row: row.version(scope), size=size)))


def page_with_versions(
    window: Window, *, after: ListPosition | None, size: int, scope: Scope = EVERYTHING, only: Sequence[int]
) -> list[tuple[RowVersion, ListRow]]:
    """Read those of the rows that `page` would give that have these ids, with their versions and payloads."""
    query = _query(window, after, scope)
    if query is None or not query.row.row_version:
        return []

    try:
        rows = query.rows(lambda row: f"{row.version(scope)}, {row.columns(scope, _PAYLOAD)}", size=size, only=only)
    except DatabaseError as exc:
        column = readable.instead_of(_PAYLOAD, exc, using=SOURCE.get())
        rows = query.rows(lambda row: f"{row.version(scope)}, {row.columns(scope, column)}", size=size, only=only)
    split = len(RowVersion._fields)
    return [(RowVersion._make(row[:split]), ListRow._make(row[split:])) for row in rows]


_LIST_SIZE = """
    SELECT live + deleted{more} FROM catalogue_listsize
    WHERE set_id = %(set)s AND (SELECT stamp FROM catalogue_datestampclock) < %(end)s
"""
# By an index of these alone.
_HIDDEN_IN_SCOPE = (
    "(SELECT count(*) FROM catalogue_membership m WHERE m.set_id = %(set)s AND m.audience = 0 AND {condition})"
)


def count(window: Window, scope: Scope = EVERYTHING) -> int:
    """Count the records of a window. Over several sets too many, never too few, if records change meanwhile (P103).

    The size of a whole list is looked up; part of one is counted in the list's index.
    """
    query = _query(window, None, scope)
    if query is None:
        return 0
    size = query.look_up_size()
    return query.count() if size is None else size


def find(identifier: str, scope: Scope = EVERYTHING) -> ListRow | None:
    """Find the record with this OAI identifier or gmd:fileIdentifier, live or deleted; None if it is not in the scope.

    A record that the scope saw and sees no more is deleted; one that it never saw is not there.
    """
    row, rows = (_RECORD_ROW, "") if scope.whole else (_SINGLE_ROW, scopes.LATEST_MEMBERSHIP.format(record="r.id"))
    values: dict[str, Any] = {
        "key": oai.oai_identifier(identifier),
        "asked": identifier.strip(),
        "lists": [0] if scope.whole else list(scope.sets or ()),
        "one_set": False,
        **scope.values,
    }
    visible = scopes.visible(scope, "r.audience")

    def read(payload_column: str) -> tuple[Any, ...] | None:
        columns = row.columns(scope, payload_column)
        statement = _SELECT_RECORD.format(columns=columns, rows=rows, stamp=row.stamp, visible=visible)
        with connections[SOURCE.get()].cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchone()  # type: ignore[no-any-return]

    try:
        found = read(_PAYLOAD)
    except DatabaseError as exc:
        found = read(readable.instead_of(_PAYLOAD, exc, using=SOURCE.get()))
    if found is None and not scope.with_hidden:
        columns = _WITHDRAWN_ROW.columns(scope, None)
        withdrawn = scopes.withdrawn(scope).format(bounds="")
        asked = "AND r.key = %(key)s AND %(asked)s IN (r.key, r.identifier)"
        with connections[SOURCE.get()].cursor() as cursor:
            cursor.execute(f"SELECT {columns} {withdrawn} {asked}", values | {"end": _FOR_EVER})
            found = cursor.fetchone()
    return ListRow._make(found) if found else None


_FOR_EVER = datetime(9999, 12, 31, tzinfo=UTC)
