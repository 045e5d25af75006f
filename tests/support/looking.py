"""Look at what the catalogue holds: rows as they stand, lists read page by page, what a statement wrote."""

from datetime import datetime
from typing import Any

from django.db import connection

from catalogue.models import Record
from catalogue.reading import lists
from catalogue.reading.lists import ListPosition, ListRow, Window

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


def walk(window: Window, size: int, *, payloads: bool = False) -> list[ListRow]:
    """The whole list, read in pages of `size`."""
    found: list[ListRow] = []
    after: ListPosition | None = None
    while page := lists.page(window, after=after, size=size, payloads=payloads):
        assert len(page) <= size
        found += page
        after = page[-1].position
    return found


def listed(spec: str | None = None) -> dict[str, ListRow]:
    """Everything in the list of a set, by identifier."""
    found = walk(Window(spec, None, FAR), 1000, payloads=True)
    by_identifier = {entry.identifier: entry for entry in found}
    assert len(by_identifier) == len(found)
    return by_identifier


def sizes_that_are_wrong() -> list[tuple[object, ...]]:
    """The kept sizes of lists (set id, 0 for the catalogue; live; deleted; live elsewhere) that are not those of the rows,
    and the memberships whose `elsewhere` is not so.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH counted AS (
                SELECT 0::bigint AS set_id, deleted, false AS elsewhere FROM catalogue_record
                UNION ALL
                SELECT m.set_id, m.deleted, m.deleted AND NOT r.deleted
                FROM catalogue_membership m JOIN catalogue_record r ON r.id = m.record_id
            )
            SELECT set_id, z.live, z.deleted, z.elsewhere, c.live, c.deleted, c.elsewhere
            FROM (
                SELECT set_id, count(*) FILTER (WHERE NOT deleted) AS live, count(*) FILTER (WHERE deleted) AS deleted,
                    count(*) FILTER (WHERE elsewhere) AS elsewhere
                FROM counted GROUP BY set_id
            ) AS c FULL JOIN catalogue_listsize z USING (set_id)
            WHERE (coalesce(z.live, 0), coalesce(z.deleted, 0), coalesce(z.elsewhere, 0))
                <> (coalesce(c.live, 0), coalesce(c.deleted, 0), coalesce(c.elsewhere, 0))
            UNION ALL
            SELECT m.set_id, 0, 0, m.record_id, 0, 0, 0
            FROM catalogue_membership m JOIN catalogue_record r ON r.id = m.record_id
            WHERE m.elsewhere <> (m.deleted AND NOT r.deleted) OR m.elsewhere > m.departed OR m.departed > m.deleted
            """
        )
        return cursor.fetchall()
