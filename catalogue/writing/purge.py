"""Purge: remove tombstones and ended memberships that are older than the retention (P85).

A writer (S8): each batch is one short transaction that takes the clock's lock and a datestamp before it reads the rows
that it deletes.

Lists stay true. `earliestDatestamp` is a lower bound and not the smallest datestamp there is, so it never moves (P55)
and a harvester may ask from it for ever. `deletedRecord` is `transient` for as long as there is a retention. A
harvester in the middle of a list goes on, because its token has a key and not a count of rows.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from catalogue import seams
from catalogue.models import Membership, Record
from catalogue.writing import clock, staging


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What a purge removed, or would remove. `before`: rows deleted earlier may go; None if nothing is ever removed."""

    before: datetime | None
    tombstones: int = 0
    memberships: int = 0


_PURGEABLE = """
    SELECT r.id, NULL, r.datestamp FROM catalogue_record r
    WHERE r.deleted AND r.datestamp < %(before)s AND NOT EXISTS (
        SELECT FROM catalogue_membership m WHERE m.record_id = r.id AND m.datestamp >= %(before)s
    )
    UNION ALL
    SELECT m.record_id, m.set_id, m.datestamp
    FROM catalogue_membership m JOIN catalogue_record r ON r.id = m.record_id
    WHERE m.deleted AND m.datestamp < %(before)s AND NOT r.deleted
    ORDER BY 3, 2 NULLS FIRST, 1
"""


def purge(*, dry_run: bool = False, batch: int = staging.BATCH) -> PurgeReport:
    """Remove tombstones with all their memberships, and ended memberships of live records, oldest first (P85).

    Rows are tested again under the lock, so that a record that came back meanwhile stays. The journal keeps every
    deletion.
    """
    if settings.GISC_TOMBSTONE_RETENTION_DAYS is None:
        return PurgeReport(None)
    before = clock.database_now() - timedelta(days=settings.GISC_TOMBSTONE_RETENTION_DAYS)
    removed: Counter[str] = Counter()
    for rows in staging.rows_in_batches(_PURGEABLE, {"before": before}, batch):
        tombstones = [record for record, of_set, _ in rows if of_set is None]
        memberships = [(record, of_set) for record, of_set, _ in rows if of_set is not None]
        if dry_run:
            removed.update(tombstones=len(tombstones), memberships=len(memberships))
        else:
            removed.update(_purge_batch(tombstones, memberships, before))
    return PurgeReport(before, removed["tombstones"], removed["memberships"])


@transaction.atomic
def _purge_batch(tombstones: Sequence[int], memberships: Sequence[tuple[int, int]], before: datetime) -> dict[str, int]:
    clock.take_stamp()
    ended = Membership.objects.filter(pk__in=memberships, deleted=True, datestamp__lt=before, record__deleted=False)
    changed_later = Exists(Membership.objects.filter(record=OuterRef("pk"), datestamp__gte=before))
    purgeable = Record.objects.filter(~changed_later, pk__in=tombstones, deleted=True, datestamp__lt=before)
    removed_memberships = ended.delete()[0]
    pks = list(purgeable.values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO catalogue_purged SELECT DISTINCT hashtextextended(key, 0) FROM catalogue_record WHERE id = ANY(%s) "
            "ON CONFLICT DO NOTHING",
            [pks],
        )
    removed_tombstones = purgeable.delete()[1].get(Record._meta.label, 0)
    return {"memberships": removed_memberships, "tombstones": removed_tombstones}


_purged_on: date | None = None


def purge_daily() -> None:
    """Purge, unless this process has done so today. Another process may purge as well, which does no harm."""
    global _purged_on
    today = seams.now().date()
    if _purged_on != today:
        purge()
        _purged_on = today
