"""What is said beside the metadata of a harvested record (P126): kept in its provenance, where records without any have
nothing of it. The third part of the writer: a record that is as it was, and of which something else is now said.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection, transaction

from catalogue import provenance
from catalogue.provenance import ABOUTS_KEY, About
from catalogue.writing import clock

_DIFFERING = """
    SELECT r.key FROM unnest(%(keys)s, %(abouts)s::jsonb[]) AS said(key, abouts) JOIN catalogue_record r ON r.key = said.key
    WHERE NOT r.deleted AND r.provenance->>'link' = %(source)s AND r.provenance->'abouts' IS DISTINCT FROM said.abouts
"""
_REPLACE = f"""
    UPDATE catalogue_record r SET provenance = CASE WHEN said.abouts IS NULL THEN r.provenance - 'abouts'
        ELSE jsonb_set(r.provenance, '{{abouts}}', said.abouts) END
    FROM unnest(%(keys)s, %(abouts)s::jsonb[]) AS said(key, abouts)
    WHERE r.key = said.key AND r.key IN ({_DIFFERING})
"""


def replace(said: Mapping[str, Iterable[About]], *, source: str) -> int:
    """What is said now of records that came by the link `source` and have not changed, by key; how many it changes.

    No datestamp moves (P90): else the nodes that harvest one another would wake each other for ever. In the caller's
    transaction, which should end at once.
    """
    values: dict[str, Any] = {
        "source": source,
        "keys": list(said),
        "abouts": [_json(abouts) for abouts in said.values()],
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_DIFFERING, values)
        if cursor.fetchone() is None:
            return 0
        clock.take_stamp()  # whoever writes records holds the lock, or two of them could wait for each other
        cursor.execute(_REPLACE, values)
        return int(cursor.rowcount)


def _json(abouts: Iterable[About]) -> str | None:
    found = provenance.with_abouts({}, abouts)
    return json.dumps(found[ABOUTS_KEY], ensure_ascii=False) if found else None
