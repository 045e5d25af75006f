"""Restamp: after a restore, give records new datestamps, so that harvesters take them again (W34).

A writer (S8): each batch is one short transaction that takes the clock's lock and a datestamp before it writes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from catalogue.models import MetadataSet
from catalogue.writing import clock, staging


@dataclass(frozen=True, slots=True)
class RestampReport:
    """What a restamp changed, or would change: all records, the tombstones among them, and the clock's mark afterwards."""

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
    metadata_set: MetadataSet,
    since: datetime,
    *,
    mark: datetime | None = None,
    dry_run: bool = False,
    batch: int = staging.BATCH,
    advance: Callable[[int], None] = lambda number: None,
) -> RestampReport:
    """Give every record of a set that is stamped at `since` or later a new datestamp: harvesters take it again (W34).

    For a catalogue that was restored from a backup. The clock's high-water mark is raised first, to the present and
    to `mark` if that is later, so that new datestamps are later than all that harvesters saw before the accident.
    """
    if not dry_run:
        clock.raise_mark(mark)
    statement = _STAMPED if metadata_set.kind == MetadataSet.Kind.CATALOGUE else _STAMPED_IN_SET
    records = deleted = 0
    for rows in staging.rows_in_batches(statement, {"set": metadata_set.pk, "since": since}, batch):
        if not dry_run:
            _restamp_batch([pk for pk, _ in rows], since)
        records += len(rows)
        deleted += sum(is_deleted for _, is_deleted in rows)
        advance(len(rows))
    reached = max(clock.current_mark(), clock.database_now())
    return RestampReport(records, deleted, max(reached, mark) if mark and dry_run else reached)


@transaction.atomic
def _restamp_batch(pks: list[int], since: datetime) -> None:
    """Give these records new datestamps in all their lists, but for sets that they left before `since`."""
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
        cursor.execute(
            "UPDATE catalogue_withdrawal SET datestamp = %(stamp)s WHERE record_id = ANY(%(pks)s) AND datestamp >= %(since)s",
            values,
        )
