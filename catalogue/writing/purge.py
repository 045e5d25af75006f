"""Looking after the catalogue over the years: purge and restamp.

Part of the writer (S8): records are written by `catalogue.writing.store`, with the statements of `catalogue.writing.memberships`, here,
and by `catalogue.replay`; nowhere else. The same rule holds: each batch is one short transaction that takes
the clock's lock and its stamp from catalogue_stamp() before it looks at what it writes.

A purge takes away tombstones that are older than the retention, and never makes a list lie. `earliestDatestamp` is a
lower bound and not the smallest datestamp there is: it stays true when the oldest tombstones go, so it never moves
(P55), and a harvester that was given it once may ask from it for ever. `deletedRecord` says `transient` for as long
as there is a retention. A list that is being walked goes on, as its place is a key and not a count of rows.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from catalogue.models import Membership, Record
from catalogue.writing import clock, staging

# --- Purge ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge took away, or would. `before`: what was deleted earlier may go; None where all is kept for ever."""

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


def purge(*, dry_run: bool = False) -> Purged:
    """Remove whole tombstones older than the retention, in the order of their datestamps (P85).

    A tombstone goes with its memberships. Of a record that lives, the memberships go that ended longer ago. What
    came back in the meantime is found again under the lock and stays. The journal keeps every deletion.
    """
    if settings.GISC_TOMBSTONE_RETENTION_DAYS is None:
        return Purged(None)
    before = clock.database_now() - timedelta(days=settings.GISC_TOMBSTONE_RETENTION_DAYS)
    gone: Counter[str] = Counter()
    for rows in staging.rows_in_batches(_PURGEABLE, {"before": before}):
        tombstones = [record for record, of_set, _ in rows if of_set is None]
        memberships = [(record, of_set) for record, of_set, _ in rows if of_set is not None]
        if dry_run:
            gone.update(tombstones=len(tombstones), memberships=len(memberships))
        else:
            gone.update(_purge(tombstones, memberships, before))
    return Purged(before, gone["tombstones"], gone["memberships"])


@transaction.atomic
def _purge(tombstones: Sequence[int], memberships: Sequence[tuple[int, int]], before: datetime) -> dict[str, int]:
    clock.take_stamp()
    ended = Membership.objects.filter(pk__in=memberships, deleted=True, datestamp__lt=before, record__deleted=False)
    still_told = Exists(Membership.objects.filter(record=OuterRef("pk"), datestamp__gte=before))
    whole = Record.objects.filter(~still_told, pk__in=tombstones, deleted=True, datestamp__lt=before)
    left = ended.delete()[0]
    pks = list(whole.values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO catalogue_purged SELECT DISTINCT hashtextextended(key, 0) FROM catalogue_record WHERE id = ANY(%s) "
            "ON CONFLICT DO NOTHING",
            [pks],
        )
    return {"memberships": left, "tombstones": whole.delete()[1].get(Record._meta.label, 0)}


_purged_on: date | None = None


def purge_daily() -> None:
    """Purge, unless this process has done so today. That another process does it as well does no harm."""
    global _purged_on
    today = datetime.now(UTC).date()
    if _purged_on != today:
        purge()
        _purged_on = today
