"""Read the stored metadata of all records back once a day, so that a damaged one is known before anybody misses it.

A list leaves a damaged record out, and an incremental harvester never asks for what it was not given. So each live record
is unpacked once a day, by ticks of bounded length; the frame's checksum tells (`catalogue.payloads.zstd`). What cannot be
read back is remembered (`DamagedRecord`) until it can, or is replaced, and its digest is emptied: the next time the record
is offered, it differs from the stored one, and is stored with a new datestamp. Where PostgreSQL can neither read nor remove the
payload, the record keeps its digest: nothing can be stored in its place, and the node has to be restored.

A damaged dictionary is another matter: nothing is wrong with the records, and it has to be restored.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.db import DatabaseError, connection, transaction
from django.db.models import Q, QuerySet

from catalogue import outage, seams
from catalogue.limits import Replaceable
from catalogue.models import DamagedRecord, ReadBackWalk
from catalogue.payloads import payload

logger = logging.getLogger(__name__)
_FAULT_CHARACTERS = 500  # chosen


@dataclass(frozen=True, slots=True)
class ReadBackLimits:
    """How often and how much is read back."""

    every: timedelta = timedelta(days=1)  # chosen: from the begin of a walk to that of the next
    slice_s: float = 0.5  # chosen: of a tick
    batch: int = 50  # chosen: packed records in memory at a time


LIMITS = Replaceable(ReadBackLimits())


def read_back_some() -> None:
    """Go on with the walk for a short time; begin another one a day after the last one was begun.

    Raises payload.DictionaryDamaged, and an error of the database where it cannot say which records there are.
    """
    limits, now = LIMITS.in_force, seams.now()
    walk = ReadBackWalk.objects.filter(pk=1).first() or ReadBackWalk(pk=1, begun=now)
    if walk.ended and (walk.fault or not timedelta() <= now - walk.begun < limits.every):
        walk = ReadBackWalk(pk=1, begun=now)
    with _dictionaries_noted(walk):
        _forget_repaired()
        if walk.ended:
            return
        end = seams.monotonic() + limits.slice_s
        while True:
            _step(walk)
            if walk.ended or seams.monotonic() >= end:
                break
    walk.save()


def read_all_back(*, advance: Callable[[int], object] = lambda number: None) -> None:
    """Read all records back now, whatever the ticks have done. Raises as `read_back_some` does."""
    walk = ReadBackWalk(pk=1, begun=seams.now())
    with _dictionaries_noted(walk):
        while walk.ended is None:
            advance(_step(walk))
        _forget_repaired()
    walk.save()


def fault_of_dictionary() -> str:
    """Return what is wrong with a dictionary, as the walk has found it; empty if nothing is."""
    return ReadBackWalk.objects.values_list("fault", flat=True).first() or ""


def damaged() -> QuerySet[DamagedRecord]:
    """Return the live records that are known to be damaged, the first that was found first; not those that were stored anew since.

    Without their payloads, of which PostgreSQL itself may not be able to read one.
    """
    is_still = Q(record__digest=b"") | Q(digest=b"")
    known = DamagedRecord.objects.filter(is_still, record__deleted=False)
    return known.select_related("record").defer("record__payload").order_by("found", "pk")


# --- The walk ------------------------------------------------------------------------------------------

_NEXT = "SELECT id FROM catalogue_record WHERE id > %s AND NOT deleted ORDER BY id LIMIT %s"
_READ = "SELECT id, payload FROM catalogue_record WHERE id = ANY(%s) AND payload IS NOT NULL"


@contextmanager
def _dictionaries_noted(walk: ReadBackWalk) -> Iterator[None]:
    """Store with the walk what is wrong with a dictionary that the block needs. Raises payload.DictionaryDamaged all the same."""
    try:
        yield
    except payload.DictionaryDamaged as exc:
        walk.fault = str(exc)
        walk.save()
        raise
    walk.fault = ""


def _step(walk: ReadBackWalk) -> int:
    """Read the next batch back, and move the walk on. Returns the size of the batch."""
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, [walk.after_id, LIMITS.in_force.batch])
        ids = [row[0] for row in cursor.fetchall()]
    for record_id, fault in _faults(ids):
        _remember(record_id, fault)
    if ids:
        walk.after_id = ids[-1]
    else:
        walk.ended = seams.now()
    return len(ids)


def _faults(ids: list[int]) -> Iterator[tuple[int, str]]:
    """Yield the ids that cannot be read back, with what is wrong. Where PostgreSQL cannot read one, it gives none of a batch."""
    try:
        rows = _read(ids)
    except DatabaseError as exc:
        if outage.is_outage(exc):
            raise
        if len(ids) > 1:
            for record_id in ids:
                yield from _faults([record_id])
        else:
            yield ids[0], str(exc)
        return
    for record_id, packed in rows:
        try:
            payload.unpack(packed)
        except payload.DictionaryDamaged:
            raise
        except payload.PayloadDamaged as exc:
            yield record_id, str(exc)


def _read(ids: list[int]) -> list[tuple[int, memoryview]]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_READ, [ids])
        return list(cursor.fetchall())


def _remember(record_id: int, fault: str) -> None:
    """Remember that a record is damaged, unless a writer is at it or has replaced it meanwhile."""
    fault = " ".join(fault.split()).replace("\0", "")[:_FAULT_CHARACTERS]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT identifier, digest FROM catalogue_record WHERE id = %s AND NOT deleted FOR NO KEY UPDATE SKIP LOCKED",
            [record_id],
        )
        row = cursor.fetchone()
        if row is None or not any(_faults([record_id])):
            return
        found = {"found": seams.now(), "fault": fault, "digest": row[1]}
        if _can_be_replaced(record_id):
            # Without the clock's lock: no list changes.
            cursor.execute("UPDATE catalogue_record SET digest = '' WHERE id = %s", [record_id])
        else:  # nor can anything be stored in its place: asked for again, it would only end the run of its link
            found |= {"digest": b"", "asked": True}
        _, is_new = DamagedRecord.objects.get_or_create(record_id=record_id, defaults=found)
    if is_new:
        logger.error("record cannot be read back", extra={"identifier": row[0], "reason": fault})


def _can_be_replaced(record_id: int) -> bool:
    """Whether a record can be stored anew; to remove a stored payload, PostgreSQL reads the pages that it is in."""
    point = transaction.savepoint()
    try:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE catalogue_record SET payload = '' WHERE id = %s", [record_id])
    except DatabaseError as exc:
        if outage.is_outage(exc):
            raise
        return False
    else:
        return True
    finally:
        transaction.savepoint_rollback(point)


def _forget_repaired() -> None:
    """Forget those that were stored anew, deleted or purged; and, of some each time, those that can be read back again."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET_REPLACED)
    some = list(DamagedRecord.objects.order_by("?").values_list("pk", flat=True)[: LIMITS.in_force.batch])
    readable = set(some) - {record_id for record_id, _ in _faults(some)}
    if readable:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_GIVE_DIGESTS_BACK, [sorted(readable)])
            DamagedRecord.objects.filter(pk__in=readable).delete()


_FORGET_REPLACED = """
    DELETE FROM catalogue_damagedrecord d WHERE NOT EXISTS (
        SELECT FROM catalogue_record r WHERE r.id = d.record_id AND NOT r.deleted AND (r.digest = '' OR d.digest = '')
    )
"""
# As after a fault of the disk that has passed.
_GIVE_DIGESTS_BACK = """
    UPDATE catalogue_record r SET digest = d.digest FROM catalogue_damagedrecord d
    WHERE r.id = d.record_id AND r.id = ANY(%s) AND NOT r.deleted AND r.digest = ''
"""
