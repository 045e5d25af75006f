"""Compare a shared set with its co-owner's copy, and store a version of theirs when an operator confirms it (W43, W44).

Five rules together prevent records from looping between the owners: no run starts by schedule; a run stores nothing; a
version is offered only if both its OAI datestamp and its gmd:dateStamp are later than ours; an operator confirms each
batch, and the conditions are checked again then; what was taken over equals the co-owner's version, so that it is not
offered back.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.db import connection

from catalogue.documents import xml_tree
from catalogue.provenance import Provenance
from catalogue.reasons import Reason
from catalogue.writing import spellings, store
from catalogue.writing.current import load_current_in_any_case
from catalogue.writing.decisions import CurrentRecord
from catalogue.writing.entry import PreparedEntry
from harvester.models import Conflict, Link
from harvester.protocol.answers import ReceivedEntry
from harvester.reasons import ActCode, EntryCode
from harvester.rows import conflicts, remote_headers

Kind = Conflict.Kind


def compare(link: Link, offered: Sequence[tuple[PreparedEntry, ReceivedEntry]]) -> list[conflicts.ConflictReport]:
    """Return a report of each record of the co-owner: whether an operator must decide about it, and why."""
    current = load_current_in_any_case([entry.key for entry, _ in offered])
    reports = []
    for entry, received in offered:
        kind, reason = _classify(link, entry, received.header.stamp, spellings.record_of(entry.key, current))
        reports.append(conflicts.ConflictReport(entry, received.metadata, kind, reason))
    return reports


def take_over(link: Link, chosen: Sequence[Conflict]) -> dict[int, Reason]:
    """Store a co-owner's versions that the operator has confirmed; return why some are not, by the conflict's pk.

    Their conditions are checked again. A record keeps the source of our version, so that the centre that we harvest it from
    goes on deciding about it. In the caller's transaction.
    """
    headers = remote_headers.of_provider(link).filter(key__in=[conflict.key for conflict in chosen])
    stamps = dict(headers.values_list("key", "datestamp"))
    current = load_current_in_any_case([conflict.key for conflict in chosen])
    refused: dict[int, Reason] = {}
    by_source: dict[str, list[tuple[Conflict, PreparedEntry]]] = {}
    for conflict in chosen:
        ours = spellings.record_of(conflict.key, current)
        source = ours.source if ours is not None and not ours.deleted else link.name
        try:
            entry = _prepare(conflict, source)
        except xml_tree.Unusable as exc:
            refused[conflict.pk] = conflicts.not_stored(exc.reason)
            continue
        kind, reason = _classify(link, entry, stamps.get(conflict.key), ours)
        if kind != Kind.OFFERED:
            refused[conflict.pk] = Reason(ActCode.NOT_NEWER_ANY_MORE, {"reason": reason.to_json()})
        else:
            by_source.setdefault(source, []).append((conflict, entry))
    for source, entries in by_source.items():
        results = store.put_entries([entry for _, entry in entries], into=link.local_set, source=source)
        for (conflict, _), result in zip(entries, results, strict=True):
            if result.rejection is not None:
                refused[conflict.pk] = conflicts.not_stored(result.rejection)
    return refused


# Offers whose record was written here since they were seen.
_CHANGED = f"""
    SELECT c.id FROM harvester_conflict c JOIN catalogue_record r ON r.key = c.key
    WHERE c.settled IS NULL AND c.kind = '{Kind.OFFERED}' AND r.datestamp >= date_trunc('second', c.last_seen)
"""


def settle_outdated() -> None:
    """Settle the conflicts that are over, and offers that are not newer than ours any more (W43)."""
    conflicts.settle_agreed()
    with connection.cursor() as cursor:
        cursor.execute(_CHANGED)
        changed = [pk for (pk,) in cursor.fetchall()]
    offers = Conflict.objects.filter(pk__in=changed).select_related("link").defer("raw", "ours") if changed else ()
    for conflict in offers:
        deleted = conflict.digest is None
        digest = None if conflict.digest is None else bytes(conflict.digest)
        entry = PreparedEntry(conflict.identifier, conflict.key, digest, conflict.metadata_date, b"", deleted=deleted)
        header = remote_headers.of_provider(conflict.link).filter(key=conflict.key).first()
        ours = _load_ours(conflict.key)
        if _classify(conflict.link, entry, header.datestamp if header else None, ours)[0] is not Kind.OFFERED:
            conflicts.close(conflict)


def _load_ours(key: str) -> CurrentRecord | None:
    """Load our version of a record, with whichever spelling."""
    return spellings.record_of(key, load_current_in_any_case([key]))


def _prepare(conflict: Conflict, source: str) -> PreparedEntry:
    if conflict.digest is None:
        return store.prepare_deletion(conflict.key)
    provenance = replace(Provenance.from_json(conflict.provenance or {}), link=source)
    entry = store.prepare(bytes(conflict.raw or b""), provenance=provenance)
    return entry if entry.key == conflict.key else entry.called(conflict.key, conflict.key)


def _classify(
    link: Link, entry: PreparedEntry, stamp: datetime | None, current: CurrentRecord | None
) -> tuple[Kind | None, Reason]:
    """Return the kind of conflict, None if there is none, and the reason.

    A version is offered if it is later than ours by the OAI datestamp and by gmd:dateStamp (W43). If it is earlier by both,
    the co-owner is offered ours; if neither, both are told that the versions differ.
    """
    if current is not None and not current.deleted and current.owner_id != link.local_set_id:
        return None, Reason(EntryCode.OTHER_SET)
    by_stamp = _compare(stamp, current.datestamp if current is not None else None)
    if current is not None and by_stamp <= 0 and (entry.deleted or current.deleted):
        return None, Reason(EntryCode.SAME_DATESTAMP)
    if entry.deleted:
        if current is None or current.deleted:
            return None, Reason(EntryCode.SAME_VERSION)
        if current.source == link.name:  # we have it from the co-owner alone
            return Kind.OFFERED, Reason(EntryCode.DELETED_BY_CO_OWNER)
        return Kind.DISPUTED, Reason(EntryCode.DELETED_AND_LIVE)
    if current is None:
        return Kind.OFFERED, Reason(EntryCode.NEW_AT_CO_OWNER)
    if current.deleted:
        return Kind.OFFERED, Reason(EntryCode.BACK_AT_CO_OWNER)
    if current.digest == entry.digest:
        return None, Reason(EntryCode.SAME_VERSION)
    by_date = _compare(entry.metadata_date, current.metadata_date)
    if by_stamp > 0 and by_date > 0:
        return Kind.OFFERED, Reason(EntryCode.NEWER_AT_CO_OWNER)
    if by_stamp < 0 and by_date < 0:
        return None, Reason(EntryCode.OLDER_AT_CO_OWNER)
    return Kind.DIFFERS, Reason(EntryCode.DATES_DISAGREE)


def _compare(theirs: datetime | None, ours: datetime | None) -> int:
    """Return 1 if theirs is later, -1 if it is earlier, 0 if that cannot be told."""
    if theirs is None or ours is None or theirs == ours:
        return 0
    return 1 if theirs > ours else -1
