from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from catalogue.models import MetadataSet
from catalogue.writing import clock, staging

# --- Restamp ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Restamped:
    """How many records have a new datestamp, or would, and how many of them are tombstones; the clock's mark after."""

    records: int
    deleted: int
    mark: datetime


_STAMPED_IN_SET = """
    SELECT r.id, r.deleted FROM catalogue_membership m JOIN catalogue_record r ON r.id = m.record_id
    WHERE m.set_id = %(set)s AND greatest(m.datestamp, r.datestamp) >= %(since)s
    ORDER BY m.datestamp, m.record_id
"""
_STAMPED = "SELECT id, deleted FROM catalogue_record WHERE datestamp >= %(since)s ORDER BY datestamp, id"


def restamp(
    into: MetadataSet,
    since: datetime,
    *,
    mark: datetime | None = None,
    dry_run: bool = False,
    advance: Callable[[int], None] = lambda number: None,
) -> Restamped:
    """Give every record of a set that is stamped at `since` or later a new datestamp: harvesters take it again (W34).

    For a catalogue that was restored from a backup. First the clock's high-water mark is raised, to the present and
    to `mark` if that is later: what harvesters have seen from before the accident lies behind all that is given now.
    """
    if not dry_run:
        clock.raise_mark(mark)
    statement = _STAMPED if into.kind == MetadataSet.Kind.CATALOGUE else _STAMPED_IN_SET
    records = deleted = 0
    for rows in staging.rows_in_batches(statement, {"set": into.pk, "since": since}):
        if not dry_run:
            _restamp([pk for pk, _ in rows], since)
        records += len(rows)
        deleted += sum(is_deleted for _, is_deleted in rows)
        advance(len(rows))
    reached = max(clock.mark_now(), clock.database_now())
    return Restamped(records, deleted, max(reached, mark) if mark and dry_run else reached)


@transaction.atomic
def _restamp(pks: list[int], since: datetime) -> None:
    """New datestamps for these records, in all lists they are in. A set that one left long ago is not told again."""
    values: dict[str, Any] = {"stamp": clock.take_stamp(), "pks": pks, "since": since}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE catalogue_record SET datestamp = %(stamp)s WHERE id = ANY(%(pks)s)", values)
        cursor.execute(
            """
            UPDATE catalogue_membership m SET datestamp = %(stamp)s FROM catalogue_record r
            WHERE r.id = m.record_id AND r.id = ANY(%(pks)s) AND (NOT m.deleted OR r.deleted OR m.datestamp >= %(since)s)
            """,
            values,
        )
