"""Purge: remove tombstones and ended memberships that are older than the retention (P85).

A writer (S8): each batch is one short transaction that takes the clock's lock and a datestamp before it reads the rows
that it deletes.

Lists stay true. `earliestDatestamp` is a lower bound and not the smallest datestamp there is, so it never moves (P55)
and a harvester may ask from it for ever. `deletedRecord` is `transient` for as long as there is a retention. A
harvester in the middle of a list goes on, because its token has a key and not a count of rows.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef
from django.utils.module_loading import import_string

from catalogue import datestamps
from catalogue.models import DayLived, ListSize, Membership, Record, Withdrawal
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import clock, days_lived, staging

logger = logging.getLogger(__name__)

_MANY = 100  # chosen: fewer tombstones may go at once, be they all there are


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What a purge removed, or would remove.

    `before`: rows deleted earlier may go; None if nothing may. `vetoes`: why nothing was removed all the same.
    `days_lived`: by this node, up to the retention (`catalogue.writing.days_lived`).
    """

    before: datetime | None
    tombstones: int = 0
    memberships: int = 0
    vetoes: tuple[Reason, ...] = ()
    days_lived: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "before": self.before and datestamps.write(self.before),
            "tombstones": self.tombstones,
            "memberships": self.memberships,
            "vetoes": [veto.report() for veto in self.vetoes],
            "days_lived": self.days_lived,
        }


_PURGEABLE = """
    SELECT r.id, NULL, r.datestamp FROM catalogue_record r
    WHERE r.deleted AND r.datestamp < %(before)s AND NOT EXISTS (
        SELECT FROM catalogue_membership m WHERE m.record_id = r.id AND m.datestamp >= %(before)s
    ) AND NOT EXISTS (
        SELECT FROM catalogue_withdrawal w WHERE w.record_id = r.id AND w.datestamp >= %(before)s
    )
    UNION ALL
    SELECT m.record_id, m.set_id, m.datestamp
    FROM catalogue_membership m JOIN catalogue_record r ON r.id = m.record_id
    WHERE m.deleted AND m.datestamp < %(before)s AND NOT r.deleted
    ORDER BY 3, 2 NULLS FIRST, 1
"""


def purge(*, dry_run: bool = False, even_if_many: bool = False, batch: int = staging.BATCH) -> PurgeReport:
    """Remove tombstones with all their memberships, and ended memberships of live records, oldest first (P85).

    They go when they are older than the retention by the clock, and by the days that this node has lived. Nothing goes
    while the clock is known to be wrong, or, without `even_if_many`, where most tombstones would go at once: the report
    says so. Rows are tested again under the lock, so that a record that came back meanwhile stays. The journal keeps
    every deletion.
    """
    retention = settings.GISC_TOMBSTONE_RETENTION_DAYS
    if retention is None:
        return PurgeReport(None)
    lived = min(DayLived.objects.count(), retention)
    mark = days_lived.began_before(retention)
    if mark is None:
        return PurgeReport(None, days_lived=lived)
    before = min(clock.database_now() - timedelta(days=retention), mark)
    vetoes = tuple(_vetoes(before, even_if_many))
    removed: Counter[str] = Counter()
    if dry_run or not vetoes:
        for rows in staging.rows_in_batches(_PURGEABLE, {"before": before}, batch):
            tombstones = [record for record, of_set, _ in rows if of_set is None]
            memberships = [(record, of_set) for record, of_set, _ in rows if of_set is not None]
            if dry_run:
                removed.update(tombstones=len(tombstones), memberships=len(memberships))
            else:
                removed.update(_purge_batch(tombstones, memberships, before))
        if not dry_run:
            _purge_withdrawals(before, batch)
    return PurgeReport(before, removed["tombstones"], removed["memberships"], vetoes, lived)


def _vetoes(before: datetime, even_if_many: bool) -> Iterator[Reason]:
    """Yield why nothing may be removed now."""
    doubt = import_string(settings.CLOCK_DOUBT)()
    if doubt is not None:
        yield doubt
    if not even_if_many:
        going = Record.objects.filter(deleted=True, datestamp__lt=before).count()
        deleted = sum(ListSize.objects.filter(pk__in=(0, -1)).values_list("deleted", flat=True))
        if going >= _MANY and going * 2 > deleted:
            yield Reason(ReasonCode.MOST_TOMBSTONES, {"going": going, "all": deleted})


@transaction.atomic
def _purge_batch(tombstones: Sequence[int], memberships: Sequence[tuple[int, int]], before: datetime) -> dict[str, int]:
    clock.take_stamp()
    ended = Membership.objects.filter(pk__in=memberships, deleted=True, datestamp__lt=before, record__deleted=False)
    changed_later = Exists(Membership.objects.filter(record=OuterRef("pk"), datestamp__gte=before))
    withdrawn_later = Exists(Withdrawal.objects.filter(record=OuterRef("pk"), datestamp__gte=before))
    purgeable = Record.objects.filter(
        ~changed_later, ~withdrawn_later, pk__in=tombstones, deleted=True, datestamp__lt=before
    )
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


def _purge_withdrawals(before: datetime, batch: int) -> None:
    """Remove the tombstones of records that somebody may not see any more; the records stay."""
    while True:
        with transaction.atomic(), connection.cursor() as cursor:
            clock.take_stamp()
            cursor.execute(
                "DELETE FROM catalogue_withdrawal WHERE ctid = ANY(ARRAY("
                "SELECT ctid FROM catalogue_withdrawal WHERE datestamp < %s LIMIT %s))",
                [before, batch],
            )
            if cursor.rowcount < batch:
                return


def count_day_and_purge() -> None:
    """Count the days that this node lives, and purge once on each. What failed is tried again by the next tick.

    Another process may purge as well, which does no harm.
    """
    days_lived.count()
    day = DayLived.objects.order_by("-pk").first()
    if day is None or day.purge is not None:
        return
    report = purge()
    for veto in report.vetoes:
        logger.error("tombstones are not purged", extra={"reason": str(veto)})
    DayLived.objects.filter(pk=day.pk).update(purge=report.to_json())
