"""Copy prepared entries into a staging table before the lock is taken, and merge them into the records under it.

One temporary table for each connection, emptied at each commit; its rows are compressed only where they do not fit in a
page, because they are read once. Each staged row has an id reserved for the record
that it may become, so that the descriptions of new records, with the index of their words, are inserted before the
lock as well; their foreign key is checked at the commit. Called by `catalogue.writing.store` alone, but for
`rows_in_batches`.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from io import BytesIO
from typing import Any

from django.db import connection

from catalogue.models import MetadataSet
from catalogue.writing import vocabulary
from catalogue.writing.entry import COLUMNS, COPY_HEADER, COPY_TRAILER, PreparedEntry

_TABLE = f"""
    CREATE TEMPORARY TABLE IF NOT EXISTS catalogue_stage (
        {", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())},
        record_id bigint DEFAULT nextval(pg_get_serial_sequence('catalogue_record', 'id'))
    ) WITH (toast_tuple_target = 8160) ON COMMIT DELETE ROWS
"""
_COPY = f"COPY catalogue_stage ({', '.join(COLUMNS)}) FROM STDIN (FORMAT binary)"

_DESCRIPTION = (
    "title, abstract, keywords, categories, boxes, begins, ends, language, kind, policy, organisations, terms"
)

_DESCRIBE_AHEAD = f"""
    INSERT INTO catalogue_description (record_id, {_DESCRIPTION})
    SELECT record_id, {_DESCRIPTION} FROM catalogue_stage s
    WHERE NOT deleted AND NOT EXISTS (SELECT FROM catalogue_record r WHERE r.key = s.key)
    ON CONFLICT (record_id) DO NOTHING
"""

_MERGE = """
    INSERT INTO catalogue_record (
        id, identifier, key, datestamp, deleted, owner_id, set_specs, payload, digest, metadata_date, provenance, spelling,
        audience
    )
    SELECT record_id, identifier, key, %(stamp)s, deleted, %(set)s, ARRAY[%(spec)s], payload, digest, metadata_date,
        provenance, CASE WHEN deleted THEN '' ELSE spelling END, (SELECT catalogue_first_audience())
    FROM catalogue_stage WHERE key = ANY(%(keys)s)
    ON CONFLICT (key) DO UPDATE SET
        -- a tombstone keeps the spelling that harvesters have stored (P84): they compare exactly (P69)
        identifier = CASE WHEN excluded.deleted THEN catalogue_record.identifier ELSE excluded.identifier END,
        datestamp = excluded.datestamp, deleted = excluded.deleted,
        owner_id = excluded.owner_id, set_specs = excluded.set_specs, payload = excluded.payload,
        digest = excluded.digest, metadata_date = excluded.metadata_date, provenance = excluded.provenance,
        spelling = excluded.spelling
"""
_MERGE_DESCRIPTIONS = (
    f"""
    INSERT INTO catalogue_description (record_id, {_DESCRIPTION})
    SELECT r.id, {", ".join(f"s.{name}" for name in _DESCRIPTION.split(", "))}
    FROM catalogue_stage s JOIN catalogue_record r ON r.key = s.key
    WHERE s.key = ANY(%(keys)s) AND NOT s.deleted
        AND NOT (r.id = s.record_id AND EXISTS (SELECT FROM catalogue_description d WHERE d.record_id = r.id))
    ON CONFLICT (record_id) DO UPDATE SET
        {", ".join(f"{name} = excluded.{name}" for name in _DESCRIPTION.split(", "))}
    """,
    """
    WITH gone AS (
        DELETE FROM catalogue_description d USING catalogue_record r
        WHERE d.record_id = r.id AND r.key = ANY(%(keys)s) AND r.deleted RETURNING d.record_id
    )
    DELETE FROM catalogue_validation v USING gone WHERE v.record_id = gone.record_id
    """,
)

_DROP_UNUSED = """
    DELETE FROM catalogue_description d USING catalogue_stage s
    WHERE d.record_id = s.record_id AND NOT EXISTS (SELECT FROM catalogue_record r WHERE r.id = s.record_id)
"""


class PayloadNeeded(Exception):
    """An entry was prepared as equal to the stored record, which has changed since: prepare it again, in full."""


def stage(entries: Sequence[PreparedEntry], *, empty_first: bool = True) -> int:
    """Stage these entries, and insert descriptions for those that will probably be new records.

    Returns how many descriptions were inserted. Raises PayloadNeeded.
    """
    if any(not entry.row for entry in entries):
        raise PayloadNeeded
    with connection.cursor() as cursor:
        cursor.execute(_TABLE)
        if empty_first:  # the caller's transaction may have staged before
            cursor.execute("DELETE FROM catalogue_stage")
        cursor.copy_expert(_COPY, BytesIO(b"".join((COPY_HEADER, *(entry.row for entry in entries), COPY_TRAILER))))
        vocabulary.stage(cursor, (entry.words for entry in entries))
        cursor.execute(_DESCRIBE_AHEAD)
        return int(cursor.rowcount)


def merge(keys: Sequence[str], *, into: MetadataSet, stamp: datetime, described: bool = False) -> None:
    """Write the staged entries with these keys, as records that `into` owns. Under the lock.

    `described`: all of them are new records, whose descriptions `stage` has inserted.
    """
    if not keys:
        return
    values: dict[str, Any] = {"keys": list(keys), "set": into.pk, "spec": into.spec, "stamp": stamp}
    with connection.cursor() as cursor:
        vocabulary.add_staged(cursor)
        for statement in (_MERGE,) if described else (_MERGE, *_MERGE_DESCRIPTIONS):
            cursor.execute(statement, values)


def drop_unused_descriptions() -> None:
    """Delete staged descriptions whose record another writer stored first. Under the lock, after merging."""
    with connection.cursor() as cursor:
        cursor.execute(_DROP_UNUSED)


BATCH = 1000  # chosen: holds the writers' lock for about a tenth of a second


def rows_in_batches(statement: str, values: dict[str, Any], batch: int = BATCH) -> Iterator[list[Any]]:
    """Read the rows of a statement from the server, so many at a time, outside any lock."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, values)
        while rows := cursor.fetchmany(batch):
            yield rows
