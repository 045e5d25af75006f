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

from catalogue import oai, payload, scopes
from catalogue.models import DatestampClock, MetadataSet
from catalogue.scopes import EVERYTHING, Scope


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

    `set_specs` are those of the scope, `WIS-CATALOGUE` among them where the scope shows it. In a list of a set the
    datestamp and the status are those of the membership: a record that left the set is deleted there while it lives
    on elsewhere. These are the values as they are stored.

    `version` tells one state of the rows from any other, also without their payloads; None in a list of several sets.
    """

    place: Place
    identifier: str
    deleted: bool
    set_specs: tuple[str, ...]
    packed: bytes | None
    way: str | None  # JSON, as jsonb reaches a bare cursor
    size: int  # bytes of metadata, as they are told without unpacking them
    version: str | None = None

    @property
    def bare(self) -> "Listed":
        """As it is listed without payloads."""
        return self._replace(packed=None, way=None, size=0)

    @property
    def payload(self) -> bytes | None:
        """The metadata, unpacked each time; None, and an error in the log, where it cannot be read back."""
        return None if self.packed is None else payload.unpack_or_tell(self.packed, identifier=self.identifier)

    @property
    def provenance(self) -> dict[str, Any] | None:
        return json.loads(self.way) if self.way else None


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


_ALL = """
    SELECT r.id, r.datestamp, r.identifier, r.deleted, <specs>, {payload}, {provenance}, {hidden}, {version}
    FROM catalogue_record r
    WHERE r.datestamp < %(end)s {bounds}
    ORDER BY r.datestamp, r.id LIMIT %(size)s
"""
_ONE_SET = """
    SELECT m.record_id, m.datestamp, r.identifier, m.deleted,
           CASE WHEN m.deleted AND NOT r.deleted THEN ARRAY[s.spec] ELSE <specs> END, {payload}, {provenance}, {hidden}, {version}
    FROM catalogue_membership m
    JOIN catalogue_record r ON r.id = m.record_id
    JOIN catalogue_metadataset s ON s.id = m.set_id
    WHERE m.set_id = %(set)s AND m.datestamp < %(end)s {bounds}
    ORDER BY m.datestamp, m.record_id LIMIT %(size)s
"""
_ONE_RECORD = """
    SELECT r.id, {row}.datestamp, r.identifier, {row}.deleted, {specs},
           CASE WHEN NOT {row}.deleted THEN r.payload END, CASE WHEN NOT {row}.deleted THEN r.provenance END, {hidden}, NULL
    FROM catalogue_record r {rows} WHERE r.key = %(key)s AND {row}.datestamp IS NOT NULL
"""


# Who wrote a row and where it stands: no two states of it have both in common (PostgreSQL, 5.6 System Columns).
_RECORD_VERSION = "r.xmin::text || r.ctid::text"
_VERSIONS = {"r.deleted": _RECORD_VERSION, "m.deleted": f"{_RECORD_VERSION} || m.xmin::text || m.ctid::text"}


def _query(window: Window, after: Place | None, scope: Scope = EVERYTHING) -> tuple[str, dict[str, Any], str] | None:
    """The statement that reads the window, its values and its `bounds`; None where the scope has no such set."""
    values: dict[str, Any] = {"end": window.end}
    if scope.sets is not None:
        values["scope"] = list(scope.sets)
    row = ("m.datestamp", "m.record_id")
    only = next(iter(scope.sets)) if window.set_spec is None and scope.sets and len(scope.sets) == 1 else None
    if scope.whole and window.set_spec in (None, oai.CATALOGUE_SET):
        template, row = _ALL, ("r.datestamp", "r.id")
    elif window.set_spec is None and only is None:
        if not scope.sets:
            return None
        template = scopes.union(scope.sets)
    else:
        named = shown_set(window.set_spec, scope) if window.set_spec else None
        if named is None and only is None:
            return None
        template = _ONE_SET
        values["set"] = only if named is None else named
    bounds = ""
    if window.start is not None:
        bounds += f" AND {row[0]} >= %(start)s"
        values["start"] = window.start
    if after is not None:
        bounds += f" AND ({row[0]}, {row[1]}) > (%(after_stamp)s, %(after_pk)s)"
        values |= {"after_stamp": after.datestamp, "after_pk": after.pk}
    specs = "r.set_specs" if scope.sets is None else scopes.header_sets(row[1], "r.deleted", row[0])
    return template.replace("<specs>", specs), values, bounds


def page(
    window: Window,
    *,
    after: Place | None,
    size: int,
    payloads: bool,
    scope: Scope = EVERYTHING,
    only: Sequence[int] | None = None,
) -> list[Listed]:
    """Up to `size` records of the window that follow `after` in list order; nothing is unpacked yet.

    `only`: none but records with these ids; not in a list of several sets.
    """
    query = _query(window, after, scope)
    if query is None:
        return []
    template, values, bounds = query
    gone = next(flag for flag in ("v.deleted", "m.deleted", "r.deleted") if flag in template)
    columns = {
        "payload": f"CASE WHEN NOT {gone} THEN r.payload END" if payloads else "NULL",
        "provenance": f"CASE WHEN NOT {gone} THEN r.provenance END" if payloads else "NULL",
        "hidden": _hidden(scope),
        "version": _VERSIONS.get(gone, "NULL"),
    }
    if only is not None:
        bounds += f" AND {'r.id' if gone == 'r.deleted' else 'm.record_id'} = ANY(%(only)s)"
        values["only"] = list(only)
    with connection.cursor() as cursor:
        cursor.execute(template.format(bounds=bounds, **columns), values | {"size": size})
        rows = cursor.fetchall()
    return [_listed(row, scope) for row in rows]


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
    template, values, bounds = query
    with connection.cursor() as cursor:
        if "v.deleted" in template:
            cursor.execute(scopes.UNION_SIZE.format(bounds=bounds), values)
            return int(cursor.fetchone()[0])
        if window.start is None:
            cursor.execute(_WHOLE, {"set": 0} | values)
            whole = cursor.fetchone()
            if whole is not None:
                return int(whole[0])
        rows = "catalogue_membership m" if "m.deleted" in template else "catalogue_record r"
        where = template[template.rindex("WHERE") : template.rindex("ORDER BY")].format(bounds=bounds)
        cursor.execute(f"SELECT count(*) FROM {rows} {where}", values)
        return int(cursor.fetchone()[0])


def find(identifier: str, scope: Scope = EVERYTHING) -> Listed | None:
    """The record with this identifier, live or deleted; None if the scope does not hold it."""
    row, rows = ("r", "") if scope.whole else ("v", scopes.OF_ONE_RECORD.format(record="r.id"))
    specs = "r.set_specs"
    if scope.sets is not None:
        specs = scopes.header_sets("r.id", f"{row}.deleted", f"{row}.datestamp")
    values: dict[str, Any] = {"key": oai.identifier_key(identifier), "scope": list(scope.sets or ())}
    with connection.cursor() as cursor:
        cursor.execute(_ONE_RECORD.format(row=row, rows=rows, specs=specs, hidden=_hidden(scope)), values)
        found = cursor.fetchone()
    return _listed(found, scope) if found else None


def _hidden(scope: Scope) -> str:
    """The setSpecs that no header may name, because ListSets does not show them (P142); the same in each row.

    Of a scope that is made of sets, the statement names no others.
    """
    return "ARRAY(SELECT spec::text FROM catalogue_metadataset WHERE NOT public)" if scope.sets is None else "NULL"


def _listed(row: Sequence[Any], scope: Scope) -> Listed:
    pk, datestamp, identifier, deleted, set_specs, packed, way, hidden, version = row
    if hidden:
        set_specs = [spec for spec in set_specs if spec not in hidden]
    return Listed(
        Place(datestamp, pk),
        identifier,
        deleted,
        (oai.CATALOGUE_SET, *set_specs) if scope.whole else tuple(set_specs),
        None if packed is None else bytes(packed),
        way,
        0 if packed is None else max(0, payload.size_of(packed)),
        version,
    )
