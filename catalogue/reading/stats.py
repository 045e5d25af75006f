"""Statistics of the catalogue, for people, operators and monitors: per set, newest datestamp, size.

Triggers count the records of each list (`models.ListSize`), so each figure costs one index lookup.
"""

from typing import Any

from django.db import connection

from catalogue import datestamps, journal, oai
from catalogue.reading import lists


def by_set() -> dict[str, dict[str, Any]]:
    """Return, by setSpec and with `WIS-CATALOGUE` first, each set's live records, tombstones and newest datestamp."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT coalesce(sum(live), 0)::bigint, coalesce(sum(deleted), 0)::bigint,
                (SELECT max(datestamp) FROM catalogue_record)
            FROM catalogue_listsize WHERE set_id = 0
            """
        )
        rows = [(oai.CATALOGUE_SET, *cursor.fetchone())]
        cursor.execute(
            """
            SELECT s.spec, coalesce(z.live, 0), coalesce(z.deleted, 0),
                (SELECT max(m.datestamp) FROM catalogue_membership m WHERE m.set_id = s.id)
            FROM catalogue_metadataset s LEFT JOIN catalogue_listsize z ON z.set_id = s.id
            WHERE s.kind <> 'catalogue' ORDER BY s.spec
            """
        )
        rows += cursor.fetchall()
    return {
        spec: {"set": spec, "live": live, "deleted": deleted, "newest": newest and datestamps.write(newest)}
        for spec, live, deleted, newest in rows
    }


def stats() -> dict[str, Any]:
    """Return the figures of all sets, the size in bytes, and how many events wait for the journal, since when."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
            WHERE c.relkind = 'r' AND c.relname LIKE 'catalogue\\_%' AND c.relnamespace = 'public'::regnamespace
            """
        )
        size = int(cursor.fetchone()[0])
    since = journal.waiting_since()
    return {
        "sets": list(by_set().values()),
        "bytes": size,
        "waiting_for_journal": journal.count_waiting(),
        "waiting_for_journal_since": since and datestamps.write(since),
    }


def public() -> dict[str, Any]:
    """Return the statistics without the sets that are not public, in the order of ListSets."""
    everything = stats()
    rows = {row["set"]: row for row in everything["sets"]}
    return {**everything, "sets": [rows[item.spec] for item in lists.visible_sets() if item.spec in rows]}
