"""Let what follows from a record's content and sets follow: the sets that are defined by a search, and who sees the record."""

from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from catalogue.writing import set_searches

_SETTLE = "catalogue_settle(%(keys)s::text[], %(ids)s::bigint[], %(stamp)s, %(link)s)"
# None where sets are defined by a search: one statement where none is.
_SETTLE_WITHOUT_SEARCHES = f"SELECT CASE WHEN NOT EXISTS (SELECT FROM catalogue_setsearch) THEN {_SETTLE} END"


def settle(
    stamp: datetime, *, keys: Sequence[str] | None = None, ids: Sequence[int] | None = None, link: str = ""
) -> int:
    """Give these records, by their keys or ids, the sets whose search finds them, and the audience that their sets, link and
    own category make; return how many audiences that changes.

    Run last, under the clock's lock, when all else of them is written. Who sees a record no more gets a tombstone with this
    stamp, and to whoever sees it now it is new. `link`: where deletions of records that were never here come from.
    """
    if not (keys or ids):
        return 0
    chosen = {"keys": None if keys is None else list(keys), "ids": None if ids is None else list(ids)}
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE_WITHOUT_SEARCHES, values := {**chosen, "stamp": stamp, "link": link})
        (changed,) = cursor.fetchone()
        if changed is None:
            set_searches.follow(stamp, keys=keys, ids=ids)
            cursor.execute(f"SELECT {_SETTLE}", values)
            (changed,) = cursor.fetchone()
        return int(changed)
