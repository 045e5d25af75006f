"""Make the terms of records that have none: written by a former version of the node, or stored before there were terms.

Done by the ticks, a batch at a time, each in a transaction, so it goes on after whatever ends it. Records with no terms are
found by no search; how many they are is on the pages that search, and in `catalogue stats` (`stats.count_waiting_for_search`).
"""

import json
import logging
from functools import partial
from typing import Any, NamedTuple

from django.db import connection, transaction
from psycopg2.extras import execute_values

from catalogue import seams
from catalogue.documents import iso19139, search_terms, xml_tree
from catalogue.documents.search_terms import SearchTerms
from catalogue.payloads import payload, readable
from catalogue.writing import clock, settling, vocabulary

logger = logging.getLogger(__name__)
_BATCH = 500  # chosen: holds the writers' lock for some tens of milliseconds
_SELECT = """
    SELECT d.record_id, r.identifier, r.digest, {payload}, d.title, d.abstract, d.keywords, d.categories, d.boxes::text, d.language,
        d.begins, d.ends
    FROM catalogue_description d JOIN catalogue_record r ON r.id = d.record_id
    WHERE d.terms IS NULL AND d.record_id > %s ORDER BY d.record_id LIMIT %s
"""
# What another writer has changed meanwhile has its terms, or is made in the next round.
_UPDATE = """
    UPDATE catalogue_description d
    SET begins = made.begins, ends = made.ends, kind = made.kind, policy = made.policy, organisations = made.organisations,
        terms = made.terms
    FROM (VALUES %s) AS made (record_id, digest, begins, ends, kind, policy, organisations, terms)
    WHERE d.record_id = made.record_id AND d.terms IS NULL
        AND EXISTS (SELECT FROM catalogue_record r WHERE r.id = made.record_id AND r.digest = made.digest)
"""
_TEMPLATE = "(%s::bigint, %s::bytea, %s::timestamptz, %s::timestamptz, %s::text, %s::text, %s::text[], %s::integer[])"


class _Made(NamedTuple):
    record_id: int
    digest: bytes
    metadata: iso19139.Metadata
    search: SearchTerms


def make_missing(*, seconds: float) -> int:
    """Make terms that are missing, for so long; returns how many records were looked at."""
    until, last, looked_at = seams.monotonic() + seconds, 0, 0
    while seams.monotonic() < until:
        rows = readable.with_readable(partial(_read, last), "r.payload")
        if not rows:
            break
        _store([_make(*row) for row in rows])
        last, looked_at = rows[-1][0], looked_at + len(rows)
    return looked_at


def _read(after_id: int, payload_column: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(_SELECT.format(payload=payload_column), [after_id, _BATCH])
        return list(cursor.fetchall())


def _make(record_id: int, identifier: str, digest: memoryview, packed: memoryview, *described: Any) -> _Made:
    """Read a record again; where its payload is damaged, take what is stored beside it. Raises payload.DictionaryDamaged."""
    try:
        metadata = iso19139.read(payload.unpack(packed))
    except payload.DictionaryDamaged:
        raise
    except (payload.PayloadDamaged, xml_tree.Unusable) as exc:
        logger.warning("terms made without the metadata", extra={"identifier": identifier, "reason": str(exc)})
        title, abstract, keywords, categories, boxes, language, begins, ends = described
        boxes = json.loads(boxes)
        metadata = iso19139.Metadata(
            identifier=identifier,
            digest=bytes(digest),
            metadata_date=None,
            title=title,
            abstract=abstract,
            keywords=tuple(keywords),
            categories=tuple(categories),
            boxes=tuple(boxes),
            begins=begins,
            ends=ends,
            language=language,
        )
    return _Made(record_id, bytes(digest), metadata, search_terms.of_metadata(metadata))


@transaction.atomic
def _store(made: list[_Made]) -> None:
    with connection.cursor() as cursor:
        vocabulary.stage(cursor, (each.search.words for each in made))
        stamp = clock.take_stamp()
        vocabulary.add_staged(cursor)
        values = [
            (
                each.record_id,
                each.digest,
                each.metadata.begins,
                each.metadata.ends,
                each.metadata.kind,
                each.metadata.policy,
                list(each.metadata.organisations),
                list(each.search.terms),
            )
            for each in made
        ]
        execute_values(cursor.cursor, _UPDATE, values, _TEMPLATE, page_size=len(values))
    settling.settle(stamp, ids=[each.record_id for each in made])
