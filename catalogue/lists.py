"""The reading side: the instant of a list, its pages in keyset order, its size, one record.

A list is ordered by (datestamp, id) and read by key, never by offset (P101): a page costs the same at
every depth. It is bounded above by the instant of its first page. Nothing here writes a record.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from catalogue import oai, payload
from catalogue.models import DatestampClock, MetadataSet


@dataclass(frozen=True, slots=True)
class Window:
    """Which records a list holds: of one set (None: of all) and stamped in the half-open range [start, end)."""

    set_spec: str | None
    start: datetime | None
    end: datetime


@dataclass(frozen=True, slots=True)
class Place:
    """A place in list order: everything up to and including this row has been delivered."""

    datestamp: datetime
    pk: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A record as a list shows it. `set_specs` include `WIS-CATALOGUE`; `payload` is None when deleted or not asked for.

    In a list of a set the datestamp and the status are those of the membership: a record that left the set
    is deleted there while it lives on elsewhere.
    """

    place: Place
    identifier: str
    deleted: bool
    set_specs: tuple[str, ...]
    payload: bytes | None
    damaged: bool  # a live record whose payload was asked for and cannot be read back: it is left out, and logged
    provenance: dict[str, Any] | None


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


def shown_sets() -> list[MetadataSet]:
    """The sets that ListSets shows, in the order of P80: the catalogue, our own, then the others by setSpec."""
    order = {MetadataSet.Kind.CATALOGUE: 0, MetadataSet.Kind.OWN: 1}
    return sorted(MetadataSet.objects.filter(public=True), key=lambda s: (order.get(s.kind, 2), s.spec))  # type: ignore[call-overload]


def shown_set(spec: str) -> MetadataSet | None:
    """The public set with this setSpec; None if there is none. What is below it is in its rows (P74)."""
    return MetadataSet.objects.filter(public=True, spec=spec).first()


_ALL = """
    SELECT r.id, r.datestamp, r.identifier, r.deleted, r.set_specs, {payload}, {provenance}
    FROM catalogue_record r
    WHERE r.datestamp < %(end)s {bounds}
    ORDER BY r.datestamp, r.id LIMIT %(size)s
"""
_ONE_SET = """
    SELECT m.record_id, m.datestamp, r.identifier, m.deleted,
           CASE WHEN m.deleted AND NOT r.deleted THEN ARRAY[s.spec] ELSE r.set_specs END, {payload}, {provenance}
    FROM catalogue_membership m
    JOIN catalogue_record r ON r.id = m.record_id
    JOIN catalogue_metadataset s ON s.id = m.set_id
    WHERE m.set_id = %(set)s AND m.datestamp < %(end)s {bounds}
    ORDER BY m.datestamp, m.record_id LIMIT %(size)s
"""


def _query(window: Window, after: Place | None) -> tuple[str, dict[str, Any], str] | None:
    """The statement that reads the window, its values and its `bounds`; None when the set is not defined."""
    values: dict[str, Any] = {"end": window.end}
    if window.set_spec is None or window.set_spec == oai.CATALOGUE_SET:
        template, row = _ALL, ("r.datestamp", "r.id")
    else:
        named = shown_set(window.set_spec)
        if named is None:
            return None
        template, row = _ONE_SET, ("m.datestamp", "m.record_id")
        values["set"] = named.pk
    bounds = ""
    if window.start is not None:
        bounds += f" AND {row[0]} >= %(start)s"
        values["start"] = window.start
    if after is not None:
        bounds += f" AND ({row[0]}, {row[1]}) > (%(after_stamp)s, %(after_pk)s)"
        values |= {"after_stamp": after.datestamp, "after_pk": after.pk}
    return template, values, bounds


def page(
    window: Window, *, after: Place | None, size: int, payloads: bool, enough_bytes: int | None = None
) -> list[Listed]:
    """Up to `size` records of the window that follow `after` in list order.

    Ends early, with the next readable record after the one whose metadata makes the page larger than `enough_bytes`:
    what is unpacked at once is bounded by that and two records, and the last one says that the list goes on.
    """
    query = _query(window, after)
    if query is None:
        return []
    template, values, bounds = query
    gone = "m.deleted" if "m.deleted" in template else "r.deleted"
    columns = {
        "payload": f"CASE WHEN NOT {gone} THEN r.payload END" if payloads else "NULL",
        "provenance": f"CASE WHEN NOT {gone} THEN r.provenance END" if payloads else "NULL",
    }
    with connection.cursor() as cursor:
        cursor.execute(template.format(bounds=bounds, **columns), values | {"size": size})
        rows = cursor.fetchall()
    hidden = _hidden_specs()
    listed: list[Listed] = []
    left = enough_bytes
    for row in rows:
        enough = left is not None and left < 0
        listed.append(_listed(row, hidden))
        if enough and not listed[-1].damaged:
            break
        if left is not None:
            left -= len(listed[-1].payload or b"")
    return listed


def count(window: Window) -> int:
    """How many records the window holds."""
    query = _query(window, None)
    if query is None:
        return 0
    template, values, bounds = query
    inner = template.format(bounds=bounds, payload="NULL", provenance="NULL")
    inner = inner[: inner.rindex("ORDER BY")]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({inner}) AS listed", values)
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def find(identifier: str) -> Listed | None:
    """The record with this identifier, live or deleted; None if the node does not know it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, datestamp, identifier, deleted, set_specs, payload, provenance FROM catalogue_record WHERE key = %s",
            [oai.identifier_key(identifier)],
        )
        row = cursor.fetchone()
    return _listed(row, _hidden_specs()) if row else None


def _hidden_specs() -> frozenset[str]:
    """The sets that ListSets does not show, which no header may name then (P142)."""
    with connection.cursor() as cursor:  # for each page: by the ORM it costs a third of a millisecond
        cursor.execute("SELECT spec FROM catalogue_metadataset WHERE NOT public")
        return frozenset(spec for (spec,) in cursor.fetchall())


def _listed(row: Sequence[Any], hidden: frozenset[str]) -> Listed:
    pk, datestamp, identifier, deleted, set_specs, packed, provenance = row
    content = None if packed is None else payload.unpack_or_tell(packed, identifier=identifier)
    return Listed(
        place=Place(datestamp, pk),
        identifier=identifier,
        deleted=deleted,
        set_specs=(oai.CATALOGUE_SET, *(spec for spec in set_specs if spec not in hidden)),
        payload=content,
        damaged=packed is not None and content is None,
        provenance=json.loads(provenance) if provenance else None,  # jsonb reaches a bare cursor as text
    )
