"""Backup synchronisation of a shared set between its owners: shown first, stored when a person confirms (W43, W44).

Fail-safes against looping, together: never by schedule; nothing is stored by a run; only what is later than our version
both by its OAI datestamp and by gmd:dateStamp is offered; a person confirms each batch, and the conditions are looked at
again then. What was taken over equals the co-owner's version, so that it is not offered back.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from catalogue import datestamps, oai
from catalogue.documents import xml_tree
from catalogue.models import Record
from catalogue.writing import decisions, store
from catalogue.writing.entry import PreparedEntry
from harvester.models import Conflict, Link
from harvester.rows import conflicts, remote_headers

Kind = Conflict.Kind


class _Held(NamedTuple):
    deleted: bool
    digest: bytes
    metadata_date: datetime | None
    datestamp: datetime
    owner_id: int
    source: str


def words(link: Link, offered: Sequence[tuple[PreparedEntry, oai.Entry]]) -> list[conflicts.ConflictReport]:
    """What the co-owner says of each record, and whether an operator is to be asked about it."""
    held = _held([entry.key for entry, _ in offered])
    found = []
    for entry, received in offered:
        stamp = datestamps.lenient(received.header.datestamp)
        kind, reason = _judged(link, entry, stamp, held.get(entry.key))
        found.append(conflicts.ConflictReport(entry, received.metadata, kind, reason))
    return found


def take_over(conflict: Conflict, by: str) -> str:
    """Store a co-owner's version that the operator has confirmed; what to tell. Raises ValueError.

    It takes the place of ours under the source of ours, so that the centre that we have it from goes on deciding.
    """
    if conflict.kind != Kind.OFFERED:
        raise ValueError("only what a co-owner of a shared set offers can be taken over")
    link = conflict.link
    with transaction.atomic():
        said = remote_headers.of_provider(link).filter(key=conflict.key).first()
        ours = _held([conflict.key]).get(conflict.key)
        source = ours.source if ours is not None and not ours.deleted else link.name
        try:
            entry = _entry(conflict, source)
        except xml_tree.Unusable as exc:
            raise ValueError(f"the record {exc}") from exc
        kind, reason = _judged(link, entry, said.datestamp if said else None, ours)
        if kind != Kind.OFFERED:
            raise ValueError(f"it is not newer than ours any more ({reason or 'both are the same'})")
        result = store.put_entries([entry], into=link.local_set, source=source)[0]
        if result.action is decisions.Action.REJECTED:
            raise ValueError(f"the record {result.reason}")
        conflicts.settle(conflict, f"Taken over by {by}.")
    return "deleted, as the co-owner has it" if entry.deleted else "taken over"


def _entry(conflict: Conflict, source: str) -> PreparedEntry:
    if conflict.digest is None:
        return store.prepare_deletion(conflict.identifier)
    return store.prepare(bytes(conflict.raw or b""), provenance={**(conflict.provenance or {}), "link": source})


def _judged(link: Link, entry: PreparedEntry, stamp: datetime | None, held: _Held | None) -> tuple[Kind | None, str]:
    """W43: what we have the same or newer, by the OAI datestamp or by gmd:dateStamp, is not offered."""
    if held is not None and not held.deleted and held.owner_id != link.local_set_id:
        return None, "another set of ours holds it"
    if held is not None and (stamp is None or held.datestamp >= stamp):
        return None, "ours has the same or a later OAI datestamp"
    if entry.deleted:
        if held is None or held.deleted:
            return None, ""
        if held.source == link.name:  # nobody but the co-owner ever had it
            return Kind.OFFERED, "The co-owner, whom we have it from, has deleted it (W43)."
        return Kind.DISPUTED, "The co-owner has deleted it, and it is live here; withdraw it, if that is right (W45)."
    if held is None:
        return Kind.OFFERED, "The co-owner has a record that is not held here (W43)."
    if held.deleted:
        return Kind.OFFERED, "The co-owner has a record that was deleted here before that (W43)."
    if held.digest == entry.digest:
        return None, ""
    if entry.metadata_date is None or (held.metadata_date is not None and held.metadata_date >= entry.metadata_date):
        return None, "its gmd:dateStamp is not later than ours"
    return Kind.OFFERED, "The co-owner has a version with a later gmd:dateStamp and a later OAI datestamp (W43)."


def _held(keys: Sequence[str]) -> Mapping[str, _Held]:
    rows = Record.objects.filter(key__in=keys)
    return {
        key: _Held(deleted, bytes(digest or b""), date, datestamp, owner_id, str((provenance or {}).get("link", "")))
        for key, deleted, digest, date, datestamp, owner_id, provenance in rows.values_list(
            *("key", "deleted", "digest", "metadata_date", "datestamp", "owner_id", "provenance")
        )
    }
