"""Counts over the catalogue, for operators and monitors: per set, newest datestamp, size."""

from typing import Any

from django.db import connection

from catalogue import datestamps, journal, oai


def stats() -> dict[str, Any]:
    """Per set (`WIS-CATALOGUE` first): live records, tombstones, newest datestamp; bytes; how many events wait for the journal, since when."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FILTER (WHERE NOT deleted), count(*) FILTER (WHERE deleted), max(datestamp) FROM catalogue_record"
        )
        rows = [(oai.CATALOGUE_SET, *cursor.fetchone())]
        cursor.execute(
            """
            SELECT s.spec, count(m.record_id) FILTER (WHERE NOT m.deleted), count(m.record_id) FILTER (WHERE m.deleted), max(m.datestamp)
            FROM catalogue_metadataset s LEFT JOIN catalogue_membership m ON m.set_id = s.id
            WHERE s.kind <> 'catalogue' GROUP BY s.spec ORDER BY s.spec
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
