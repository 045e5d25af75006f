"""Look at what the catalogue holds: rows as they stand, lists read page by page, what a statement wrote."""

from datetime import datetime
from typing import Any

from django.db import connection

from catalogue import lists
from catalogue.lists import Listed, Place, Window
from catalogue.models import Record

FAR = datetime.fromisoformat("9999-12-31T00:00:00Z")
TABLES = (
    "catalogue_record",
    "catalogue_description",
    "catalogue_membership",
    "catalogue_datestampclock",
    "catalogue_journaloutbox",
)


def record(identifier: str) -> Record:
    return Record.objects.get(identifier=identifier)


def row_versions() -> dict[str, list[tuple[Any, ...]]]:
    """The system columns of every row: they change whenever a row is written, even with equal values."""
    with connection.cursor() as cursor:
        found = {}
        for table in TABLES:
            cursor.execute(f"SELECT ctid::text, xmin::text, xmax::text, cmin::text FROM {table} ORDER BY ctid")
            found[table] = cursor.fetchall()
        return found


def walk(window: Window, size: int, *, payloads: bool = False) -> list[Listed]:
    """The whole list, read in pages of `size`."""
    found: list[Listed] = []
    after: Place | None = None
    while page := lists.page(window, after=after, size=size, payloads=payloads):
        assert len(page) <= size
        found += page
        after = page[-1].place
    return found


def listed(spec: str | None = None) -> dict[str, Listed]:
    """Everything in the list of a set, by identifier."""
    found = walk(Window(spec, None, FAR), 1000, payloads=True)
    by_identifier = {entry.identifier: entry for entry in found}
    assert len(by_identifier) == len(found)
    return by_identifier
