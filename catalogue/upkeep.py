"""Looking after the catalogue over the years: purge and restamp.

Part of the writer (S8): records are written by `catalogue.store`, with the statements of `catalogue.belonging`, here,
and by `catalogue.replay`; nowhere else. The same rule holds: each batch is one short transaction that takes
the clock's lock and its stamp from catalogue_stamp() before it looks at what it writes.

A purge takes away tombstones that are older than the retention, and never makes a list lie. `earliestDatestamp` is a
lower bound and not the smallest datestamp there is: it stays true when the oldest tombstones go, so it never moves
(P55), and a harvester that was given it once may ask from it for ever. `deletedRecord` says `transient` for as long
as there is a retention. A list that is being walked goes on, as its place is a key and not a count of rows.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from catalogue import belonging
from catalogue.models import DatestampClock, Membership, MetadataSet, Record

BATCH = 1000  # chosen: holds the writers' lock for about a tenth of a second


def _in_batches(statement: str, values: dict[str, Any]) -> Iterator[list[Any]]:
    """The rows that a statement finds now, read from the server in parts, outside any lock."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, values)
        while rows := cursor.fetchmany(BATCH):
            yield rows


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
    before = _now() - timedelta(days=settings.GISC_TOMBSTONE_RETENTION_DAYS)
    gone: Counter[str] = Counter()
    for rows in _in_batches(_PURGEABLE, {"before": before}):
        tombstones = [record for record, of_set, _ in rows if of_set is None]
        memberships = [(record, of_set) for record, of_set, _ in rows if of_set is not None]
        if dry_run:
            gone.update(tombstones=len(tombstones), memberships=len(memberships))
        else:
            gone.update(_purge(tombstones, memberships, before))
    return Purged(before, gone["tombstones"], gone["memberships"])


def _now() -> datetime:
    """The present by the database's clock. Not the high-water mark, which may lie ahead of it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT date_trunc('second', clock_timestamp())")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


@transaction.atomic
def _purge(tombstones: Sequence[int], memberships: Sequence[tuple[int, int]], before: datetime) -> dict[str, int]:
    belonging.take_stamp()
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
        raise_mark(mark)
    statement = _STAMPED if into.kind == MetadataSet.Kind.CATALOGUE else _STAMPED_IN_SET
    records = deleted = 0
    for rows in _in_batches(statement, {"set": into.pk, "since": since}):
        if not dry_run:
            _restamp([pk for pk, _ in rows], since)
        records += len(rows)
        deleted += sum(is_deleted for _, is_deleted in rows)
        advance(len(rows))
    reached = max(mark_now(), _now())
    return Restamped(records, deleted, max(reached, mark) if mark and dry_run else reached)


def mark_now() -> datetime:
    """The clock's high-water mark as it stands; to ask for the instant of a list would raise it."""
    return DatestampClock.objects.get().stamp


@transaction.atomic
def raise_mark(to: datetime | None = None) -> None:
    """Raise the high-water mark of all datestamps (P92) to the present, and to `to` where that is later."""
    belonging.take_stamp()
    if to is not None:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE catalogue_datestampclock SET stamp = date_trunc('second', %(to)s) WHERE stamp < %(to)s",
                {"to": to},
            )


@transaction.atomic
def _restamp(pks: list[int], since: datetime) -> None:
    """New datestamps for these records, in all lists they are in. A set that one left long ago is not told again."""
    values: dict[str, Any] = {"stamp": belonging.take_stamp(), "pks": pks, "since": since}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE catalogue_record SET datestamp = %(stamp)s WHERE id = ANY(%(pks)s)", values)
        cursor.execute(
            """
            UPDATE catalogue_membership m SET datestamp = %(stamp)s FROM catalogue_record r
            WHERE r.id = m.record_id AND r.id = ANY(%(pks)s) AND (NOT m.deleted OR r.deleted OR m.datestamp >= %(since)s)
            """,
            values,
        )
