"""The only writer of records, and the only place that gives datestamps (S8).

Everything slow happens first and without the lock: reading, checking, packing, staging. Then, in one short
transaction, the writer takes the clock's lock, gets its stamp, decides each entry against what is held now,
merges, and commits. So datestamps never decrease in commit order (promise 1). Entries equal to what is held
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
from catalogue.writing.decisions import Action, CurrentRecord, Decision, Disagreement, Result, Step, after, decide
from catalogue.writing.entry import PreparedEntry, deletion_entry, parsed_entry

logger = logging.getLogger(__name__)
_NO_OTHER_WORD = "is deleted, because no other word on it can be read back"


def prepare(
    document: bytes, *, provenance: Mapping[str, Any] | None = None, held: bytes | None = None
) -> PreparedEntry:
    """Check one ISO 19139 document and make it ready for `put_entries`. Raises metadata.Unusable.

    With the digest that is held (`held_digests`), a document that has it is not packed; should the record change
    meanwhile, `put_entries` raises PayloadNeeded, and the document is to be prepared again without.
    """
    return pack(document, read_document.read(document, held, provenance))


def pack(document: bytes, read: read_document.ParsedDocument | PreparedEntry) -> PreparedEntry:
    """A document that was read, in this process or in another one, ready for `put_entries`."""
    if isinstance(read, PreparedEntry):
        return read
    return read.version.with_payload(payload.pack(read.element_of(document)))


def prepare_deletion(identifier: str) -> PreparedEntry:
    """A deletion, ready for `put_entries`. Raises metadata.Unusable if the identifier is none (P68)."""
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

    A deletion of an identifier never seen is kept as a tombstone (W12). Whoever owns a record decides its content
    (promise 9): the word of another peer or shared set is kept as a claim, and the record is a member of both sets.
    What a peer says of a record of our own set is rejected (promise 8). May be called inside the caller's
    transaction; then the lock is held until that ends, so it should end at once. `before_lock` is called when all is
    staged: a bulk load waits there for the batch before. Raises PayloadNeeded.
    """
    return _put(entries, into=into, source=source, known_only=False, before_lock=before_lock)


def withdraw(identifiers: Iterable[str]) -> list[Result]:
    """Make tombstones of records of the own set; one result for each. An unknown identifier is rejected.

    When this returns outside a transaction, the deletions are on disk in the journal, or `journal.waiting`
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
    put = iter(_put(entries, into=bootstrap.own_set(), source="", known_only=True))
    return [result or next(put) for result in results]


@transaction.atomic
def move(identifiers: Sequence[str], *, into: MetadataSet) -> list[Result]:
    """Make another set the owner of live records: deleted in the old set's lists, live in the new one's.

    For sets that this node keeps itself; what a link brings, the link decides. One result for each identifier. What becomes
    our own leaves the sets of all others, whose word on it counts no longer (promise 8), not even a deletion.
    """
    keys = [oai.identifier_key(identifier) for identifier in identifiers]
    stamp = clock.take_stamp()
    held = load_current(keys)
    results = []
    moving: dict[int, list[str]] = {}
    claimed: dict[int, list[str]] = {}
    for identifier, key in zip(identifiers, keys, strict=True):
        record = held.get(key)
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
        # What the new owner's set claims is no second word any more; in a shared set another source's still is.
        claims.drop_claims(moved, into.pk, "" if into.kind == MetadataSet.Kind.SHARED else None)
        memberships.leave(moved, owner_id, stamp)
        memberships.join(moved, into.pk, stamp)
        memberships.note(JournalOutbox.Event.MOVED, moved, into.pk, stamp)
        memberships.settle(moved, stamp)
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
    """Put entries. Of an identifier offered several times only the last is written, if it differs from what is held."""

    def decided(held: CurrentRecord | None, entry: PreparedEntry) -> Decision:
        return decide(held, entry, into=into, source=source, known_only=known_only)

    last = {entry.key: entry for entry in entries}
    held = load_current(list(last), source)
    buried: list[str] = []
    differing = {key: entry for key, entry in last.items() if decided(held.get(key), entry).step is not Step.NOTHING}
    if differing:
        described = staging.stage(list(differing.values()))
        before_lock()
        stamp = clock.take_stamp()
        held = load_current(list(last), source)  # now nobody else writes
        steps: dict[Step, list[str]] = {}
        for key, entry in last.items():
            step = decided(held.get(key), entry).step
            steps.setdefault(step, []).append(key)
            if step is not Step.NOTHING and key not in differing:
                described += staging.stage([entry], empty_first=False)  # another writer changed it since the first look
        deletions = {key for key, entry in last.items() if entry.deleted}
        buried = _carry_out(steps, held, deletions, into=into, source=source, stamp=stamp, described=described)
    results = []
    standing: dict[str, CurrentRecord | None] = dict(held)
    for entry in entries:
        decision = decided(standing.get(entry.key), entry)
        standing[entry.key] = after(standing.get(entry.key), entry, decision, into=into, source=source)
        if decision.step is Step.HAND_OVER and entry.key in buried:
            decision = Decision(Step.WRITE, Action.DELETED, _NO_OTHER_WORD, Disagreement.DISPUTED)
        results.append(Result(entry.identifier, decision.action, decision.reason, decision.disagreement))
    return results


# --- Under the lock ----------------------------------------------------------------------------------


def _carry_out(
    steps: Mapping[Step, list[str]],
    held: Mapping[str, CurrentRecord],
    deletions: Collection[str],
    *,
    into: MetadataSet,
    source: str,
    stamp: datetime,
    described: int,
) -> list[str]:
    """Do what was decided for the staged entries, under the lock.

    `deletions`: the keys that are to be tombstones. `described`: how many entries were described ahead. Returns the
    keys of the records that became tombstones though others hold them, because no other word can be read back.
    """
    overruled, claimed, dropped = (steps.get(step, []) for step in (Step.OVERRULE, Step.CLAIM, Step.DROP_CLAIM))
    written = steps.get(Step.WRITE, []) + overruled
    was_deleted = {key for key in written if key in held and held[key].deleted}
    claims.claim_held(overruled, stamp)
    claims.drop_claims([*overruled, *dropped, *was_deleted], into.pk, source)
    staging.merge(written, into=into, stamp=stamp)
    if described != sum(key not in held and key not in deletions for key in written):
        staging.drop_unused()
    memberships.join(written, into.pk, stamp)
    claims.claim_staged(claimed, into.pk, source, stamp)
    joining = [key for key in claimed if into.pk not in held[key].sets]
    memberships.come_back(joining, into.pk, stamp)
    leaving = [key for key in dropped if _nobody_else_claims(held[key], into, source)]
    memberships.leave(leaving, into.pk, stamp)
    handed_over, buried = _hand_over(steps.get(Step.HAND_OVER, []), held, into=into, stamp=stamp)
    # Most records are in one set, and what was merged says all of it; the others are brought in line.
    several = [key for key in written if key in held and held[key].sets - {into.pk}]
    memberships.settle([*several, *joining, *leaving, *handed_over, *buried], stamp)
    memberships.derive(written, stamp)
    brand_new = [key for key in written if key not in held and key not in deletions]
    was_deleted |= memberships.come_back_from_the_purge(brand_new)
    _note_in_outbox([key for key in written if (key in deletions) != (key in was_deleted)] + buried)
    return buried


def _nobody_else_claims(held: CurrentRecord, into: MetadataSet, source: str) -> bool:
    """Whether a record leaves the set `into` when `source` no longer claims it there."""
    return held.owner_id != into.pk and not any(at == into.pk and by != source for at, by in held.claims)


def _hand_over(
    keys: Sequence[str], held: Mapping[str, CurrentRecord], *, into: MetadataSet, stamp: datetime
) -> tuple[list[str], list[str]]:
    """The owner's word on these records is gone: the best claim that can be read takes its place.

    The records that changed by it, and those that are buried because no claim can be read back. A claim that cannot
    stays, for the operator to see, and is mended when it is offered again.
    """
    best: dict[str, tuple[claims.Claimed, iso19139.Metadata]] = {}
    for claimed in claims.claims_on(keys):
        if claimed.key not in best:
            try:
                best[claimed.key] = claimed, iso19139.read(payload.unpack(claimed.payload))
            except payload.PayloadDamaged as exc:
                claims.distrust(claimed)
                extra = {"identifier": claimed.identifier, "source": claimed.source, "reason": str(exc)}
                logger.error("claim cannot take over from the owner", extra=extra)
    buried = [key for key in keys if key not in best]
    memberships.bury(buried, stamp)
    changed = []
    for key, (claimed, said) in best.items():
        claims.drop_claims([key], claimed.set_id, claimed.source)
        if claimed.set_id == into.pk and said.digest == held[key].digest:
            claims.take_provenance(key, claimed)  # the same content by another way: nothing visible changes (P90)
            continue
        heir = MetadataSet.objects.get(pk=claimed.set_id)
        staging.stage([parsed_entry(said, claimed.provenance).with_payload(claimed.payload)])
        staging.merge([key], into=heir, stamp=stamp)
        if heir != into and not any(at == into.pk for at, _ in held[key].claims):
            memberships.leave([key], into.pk, stamp)
        memberships.join([key], heir.pk, stamp)
        changed.append(key)
    return changed, buried


def _note_in_outbox(keys: Sequence[str]) -> None:
    """Put what has just been deleted, or has come back, into the journal's outbox; it is emptied after the commit."""
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
