"""Update the stored `about` containers of records whose metadata is unchanged (P126).

They are stored in the provenance of a record, under a key that records without any do not have. A writer (S8).
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection, transaction

from catalogue import provenance
from catalogue.provenance import About
from catalogue.writing import clock

_DIFFERING = """
    SELECT r.key FROM unnest(%(keys)s, %(abouts)s::jsonb[]) AS offered(key, abouts)
    JOIN catalogue_record r ON r.key = offered.key
    WHERE NOT r.deleted AND r.provenance->>'link' = %(source)s AND r.provenance->'abouts' IS DISTINCT FROM offered.abouts
"""
_REPLACE = f"""
    UPDATE catalogue_record r SET provenance = CASE WHEN offered.abouts IS NULL THEN r.provenance - 'abouts'
        ELSE jsonb_set(r.provenance, '{{abouts}}', offered.abouts) END
    FROM unnest(%(keys)s, %(abouts)s::jsonb[]) AS offered(key, abouts)
    WHERE r.key = offered.key AND r.key IN ({_DIFFERING})
"""


def replace(abouts_by_key: Mapping[str, Iterable[About]], *, source: str) -> int:
    """Replace the abouts of unchanged records that came by the link `source`. Returns how many records differed.

    No datestamp moves (P90): else nodes that harvest one another would update each other for ever. Runs in the caller's
    transaction, which should end at once.
    """
    values: dict[str, Any] = {
        "source": source,
        "keys": list(abouts_by_key),
        "abouts": [_json(abouts) for abouts in abouts_by_key.values()],
    }
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        cursor.execute(_DIFFERING, values)
        if cursor.fetchone() is None:
            return 0
        clock.take_stamp()  # only for the lock: without it two writers of records could deadlock
        cursor.execute(_REPLACE, values)
        return int(cursor.rowcount)


def _json(abouts: Iterable[About]) -> str | None:
    stored = provenance.abouts_to_json(abouts)
    return json.dumps(stored, ensure_ascii=False) if stored else None
