"""Counts over the catalogue, for operators and monitors: per set, newest datestamp, size."""

from typing import Any

from django.db import connection

from catalogue import datestamps, journal, oai


def stats() -> dict[str, Any]:
    """Per set (`WIS-CATALOGUE` first): live records, tombstones, newest datestamp; bytes; how many events wait for the journal, since when."""
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
        cursor.execute(
            """
            SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
            WHERE c.relkind = 'r' AND c.relname LIKE 'catalogue\\_%%' AND c.relnamespace = 'public'::regnamespace
            """.replace("%%", "%")
        )
        size = int(cursor.fetchone()[0])
    since = journal.waiting_since()
    return {
        "sets": [
            {"set": spec, "live": live, "deleted": deleted, "newest": newest and datestamps.write(newest)}
            for spec, live, deleted, newest in rows
        ],
        "bytes": size,
        "waiting_for_journal": journal.waiting(),
        "waiting_for_journal_since": since and datestamps.write(since),
    }
