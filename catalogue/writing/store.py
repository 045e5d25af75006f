"""Write records. This is the only module that writes them, and writers alone give datestamps (S8).

Everything slow happens first and without the lock: parsing, checking, packing, staging. Then, in one short
transaction, the writer takes the clock's lock and a datestamp, decides about each entry by the record stored now,
merges, and commits. So datestamps never decrease in commit order (promise 1). Entries equal to the stored record
are found before anything is staged and cost neither lock nor write (promise 3).
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from catalogue import bootstrap, journal, oai
from catalogue.documents import iso19139, xml_tree
from catalogue.models import JournalOutbox, MetadataSet
from catalogue.payloads import payload
from catalogue.writing import claims, clock, memberships, read_document, staging
from catalogue.writing.current import load_current
from catalogue.writing.decisions import (
    Action,
    Change,
    CurrentRecord,
    Decision,
    Disagreement,
    Result,
    current_after,
    decide,
)
from catalogue.writing.entry import PreparedEntry, deletion_entry, parsed_entry

logger = logging.getLogger(__name__)
_CLAIMS_DAMAGED = "is deleted, because the versions of other sources are damaged"


def prepare(
    document: bytes, *, provenance: Mapping[str, Any] | None = None, stored_digest: bytes | None = None
) -> PreparedEntry:
    """Check one ISO 19139 document and make an entry for `put_entries`. Raises xml_tree.Unusable.

    A document whose digest is `stored_digest` is not packed. Should the record change meanwhile, `put_entries`
    raises PayloadNeeded; prepare the document again then, without the digest.
    """
    return pack_document(document, read_document.read(document, stored_digest, provenance))


def pack_document(document: bytes, parsed: read_document.ParsedDocument | PreparedEntry) -> PreparedEntry:
    """Pack a document that was parsed, in this process or in another one. Returns an entry for `put_entries`."""
    if isinstance(parsed, PreparedEntry):
        return parsed
    return parsed.version.with_payload(payload.pack(parsed.element_of(document)))


def prepare_deletion(identifier: str) -> PreparedEntry:
    """Make a deletion for `put_entries`. Raises xml_tree.Unusable if the text cannot be an identifier (P68)."""
    identifier = identifier.strip()
    fault = oai.identifier_fault(identifier)
    if fault is not None:
        raise xml_tree.Unusable(f"the identifier {identifier!r} {fault}")
    return deletion_entry(identifier)


def put_entries(
    entries: Sequence[PreparedEntry],
    *,
    into: MetadataSet,
    source: str = "",
    before_lock: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Store entries in a set, in their order; one result for each. `source` is the link they came by.

    A deletion of an identifier never seen is stored as a tombstone (W12). The owner of a record decides its content
    (promise 9): the version of another peer or shared set is stored as a claim, and the record is a member of both
    sets. What a peer offers for a record of our own set is rejected (promise 8). May be called inside the caller's
    transaction; then the lock is kept until that ends, so it should end at once. `before_lock` is called when all is
    staged: a bulk load waits there for the batch before. Raises PayloadNeeded.
    """
    return _put(entries, into=into, source=source, known_only=False, before_lock=before_lock)


def withdraw(identifiers: Iterable[str]) -> list[Result]:
    """Make tombstones of records of the own set; one result for each. An unknown identifier is rejected.

    When this returns outside a transaction, the deletions are on disk in the journal, or `journal.count_waiting`
    says how many are not (promise 6).
    """
    results: list[Result | None] = []
    entries = []
    for identifier in identifiers:
        try:
            entries.append(prepare_deletion(identifier))
            results.append(None)
        except xml_tree.Unusable as exc:
            results.append(Result(identifier, Action.REJECTED, str(exc)))
    stored = iter(_put(entries, into=bootstrap.own_set(), source="", known_only=True))
    return [result or next(stored) for result in results]


@transaction.atomic
def move(identifiers: Sequence[str], *, into: MetadataSet) -> list[Result]:
    """Make another set the owner of live records: deleted in the old set's lists, live in the new one's.

    For sets that this node keeps itself; records that came by a link are rejected. One result for each identifier. A
    record that becomes our own leaves the sets of all others, whose versions count no longer (promise 8), not even
    their deletions.
    """
    keys = [oai.identifier_key(identifier) for identifier in identifiers]
    stamp = clock.take_stamp()
    current = load_current(keys)
    results = []
    moving: dict[int, list[str]] = {}
    claimed: dict[int, list[str]] = {}
    for identifier, key in zip(identifiers, keys, strict=True):
        record = current.get(key)
        if record is None or record.deleted:
            results.append(Result(identifier, Action.REJECTED, "is not in the catalogue"))
        elif record.source:
            reason = f"came by the link {record.source}, which decides where it belongs"
            results.append(Result(identifier, Action.REJECTED, reason))
        elif record.owner_id == into.pk:
            results.append(Result(identifier, Action.UNCHANGED))
        else:
            results.append(Result(identifier, Action.UPDATED))
            moving.setdefault(record.owner_id, []).append(key)
            if into.kind == MetadataSet.Kind.OWN:
                for set_id in {set_id for set_id, _ in record.claims} - {into.pk}:
                    claimed.setdefault(set_id, []).append(key)
    for set_id, left in claimed.items():
        claims.drop_claims(left, set_id, None)
        memberships.leave(left, set_id, stamp)
    for owner_id, moved in moving.items():
        with connection.cursor() as cursor:
            cursor.execute("UPDATE catalogue_record SET owner_id = %s WHERE key = ANY(%s)", [into.pk, moved])
        # A claim of the new owner's set is superseded; in a shared set another source may still claim the record.
        claims.drop_claims(moved, into.pk, "" if into.kind == MetadataSet.Kind.SHARED else None)
        memberships.leave(moved, owner_id, stamp)
        memberships.join(moved, into.pk, stamp)
        memberships.add_to_outbox(JournalOutbox.Event.MOVED, moved, into.pk, stamp)
        memberships.update_dependents(moved, stamp)
    return results


@transaction.atomic
def _put(
    entries: Sequence[PreparedEntry],
    *,
    into: MetadataSet,
    source: str,
    known_only: bool,
    before_lock: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Store entries. Of an identifier offered several times only the last is written, if it changes the record."""

    def decide_about(record: CurrentRecord | None, entry: PreparedEntry) -> Decision:
        return decide(record, entry, into=into, source=source, known_only=known_only)

    last = {entry.key: entry for entry in entries}
    current = load_current(list(last), source)
    tombstones: list[str] = []
    changing = {
        key: entry for key, entry in last.items() if decide_about(current.get(key), entry).change is not Change.NONE
    }
    if changing:
        described = staging.stage(list(changing.values()))
        before_lock()
        stamp = clock.take_stamp()
        current = load_current(list(last), source)  # now no other writer can change it
        changes: dict[Change, list[str]] = {}
        for key, entry in last.items():
            change = decide_about(current.get(key), entry).change
            changes.setdefault(change, []).append(key)
            if change is not Change.NONE and key not in changing:
                # another writer changed it since it was loaded first
                described += staging.stage([entry], empty_first=False)
        deletions = {key for key, entry in last.items() if entry.deleted}
        tombstones = _apply(changes, current, deletions, into=into, source=source, stamp=stamp, described=described)
    results = []
    latest: dict[str, CurrentRecord | None] = dict(current)
    for entry in entries:
        decision = decide_about(latest.get(entry.key), entry)
        latest[entry.key] = current_after(latest.get(entry.key), entry, decision, into=into, source=source)
        if decision.change is Change.PROMOTE_CLAIM and entry.key in tombstones:
            decision = Decision(Change.WRITE, Action.DELETED, _CLAIMS_DAMAGED, Disagreement.DISPUTED)
        results.append(Result(entry.identifier, decision.action, decision.reason, decision.disagreement))
    return results


# --- Under the lock ----------------------------------------------------------------------------------


def _apply(
    changes: Mapping[Change, list[str]],
    current: Mapping[str, CurrentRecord],
    deletions: Collection[str],
    *,
    into: MetadataSet,
    source: str,
    stamp: datetime,
    described: int,
) -> list[str]:
    """Make the changes that were decided for the staged entries, under the lock.

    `deletions`: the keys that become tombstones. `described`: the number of descriptions that staging has inserted.
    Returns the keys of the records that became tombstones though others claim them, because every claim is damaged.
    """
    replaced, claimed, dropped = (
        changes.get(change, []) for change in (Change.WRITE_AND_CLAIM_CURRENT, Change.ADD_CLAIM, Change.DROP_CLAIM)
    )
    written = changes.get(Change.WRITE, []) + replaced
    was_deleted = {key for key in written if key in current and current[key].deleted}
    claims.claim_current(replaced, stamp)
    claims.drop_claims([*replaced, *dropped, *was_deleted], into.pk, source)
    staging.merge(written, into=into, stamp=stamp)
    if described != sum(key not in current and key not in deletions for key in written):
        staging.drop_unused_descriptions()
    memberships.join(written, into.pk, stamp)
    claims.claim_staged(claimed, into.pk, source, stamp)
    joining = [key for key in claimed if into.pk not in current[key].sets]
    memberships.rejoin(joining, into.pk, stamp)
    leaving = [key for key in dropped if _is_last_claim(current[key], into, source)]
    memberships.leave(leaving, into.pk, stamp)
    promoted, tombstones = _promote_claims(changes.get(Change.PROMOTE_CLAIM, []), current, into=into, stamp=stamp)
    # Most records are in one set, and the merge has written all of it; update the rows of the others.
    several = [key for key in written if key in current and current[key].sets - {into.pk}]
    memberships.update_dependents([*several, *joining, *leaving, *promoted, *tombstones], stamp)
    memberships.derive(written, stamp)
    new = [key for key in written if key not in current and key not in deletions]
    was_deleted |= memberships.clear_purged(new)
    _add_to_outbox([key for key in written if (key in deletions) != (key in was_deleted)] + tombstones)
    return tombstones


def _is_last_claim(current: CurrentRecord, into: MetadataSet, source: str) -> bool:
    """Whether a record leaves the set `into` when `source` no longer claims it there."""
    return current.owner_id != into.pk and not any(at == into.pk and by != source for at, by in current.claims)


def _promote_claims(
    keys: Sequence[str], current: Mapping[str, CurrentRecord], *, into: MetadataSet, stamp: datetime
) -> tuple[list[str], list[str]]:
    """Replace records that their owner deleted by the best claim on each that can be read.

    Returns the keys of the records that changed, and of those that became tombstones because no claim can be read. A
    damaged claim stays, for the operator to see; it is repaired when it is offered again.
    """
    best: dict[str, tuple[claims.StoredClaim, iso19139.Metadata]] = {}
    for claim in claims.load_claims(keys):
        if claim.key not in best:
            try:
                best[claim.key] = claim, iso19139.read(payload.unpack(claim.payload))
            except payload.PayloadDamaged as exc:
                claims.mark_damaged(claim)
                extra = {"identifier": claim.identifier, "source": claim.source, "reason": str(exc)}
                logger.error("claim is damaged and cannot replace the owner's version", extra=extra)
    tombstones = [key for key in keys if key not in best]
    memberships.make_tombstones(tombstones, stamp)
    changed = []
    for key, (claim, metadata) in best.items():
        claims.drop_claims([key], claim.set_id, claim.source)
        if claim.set_id == into.pk and metadata.digest == current[key].digest:
            claims.replace_provenance(key, claim)  # the same content from another source: nothing visible changes (P90)
            continue
        new_owner = MetadataSet.objects.get(pk=claim.set_id)
        staging.stage([parsed_entry(metadata, claim.provenance).with_payload(claim.payload)])
        staging.merge([key], into=new_owner, stamp=stamp)
        if new_owner != into and not any(at == into.pk for at, _ in current[key].claims):
            memberships.leave([key], into.pk, stamp)
        memberships.join([key], new_owner.pk, stamp)
        changed.append(key)
    return changed, tombstones


def _add_to_outbox(keys: Sequence[str]) -> None:
    """Add records that were just deleted, or came back, to the journal's outbox; it is flushed after the commit."""
    if not keys:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO catalogue_journaloutbox (event, identifier, datestamp, set_specs)
            SELECT CASE WHEN deleted THEN %(deleted)s ELSE %(returned)s END, identifier, datestamp, set_specs
            FROM catalogue_record WHERE key = ANY(%(keys)s)
            """,
            {
                "keys": list(keys),
                "deleted": JournalOutbox.Event.DELETED.value,
                "returned": JournalOutbox.Event.RETURNED.value,
            },
        )
    transaction.on_commit(journal.flush_or_warn)
