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

from catalogue import belonging, bootstrap, fields, journal, metadata, oai, payload, prepared, preparing, staging
from catalogue.decisions import Action, Decision, Disagreement, Held, Result, Step, after, decide
from catalogue.held import HeldVersion, held_digests, held_records, held_versions, unchanged
from catalogue.models import JournalOutbox, MetadataSet
from catalogue.prepared import Prepared
from catalogue.staging import PayloadNeeded

__all__ = [
    "Action",
    "Disagreement",
    "HeldVersion",
    "PayloadNeeded",
    "Prepared",
    "Result",
    "held_digests",
    "held_versions",
    "move",
    "pack",
    "prepare",
    "prepare_deletion",
    "put_entries",
    "unchanged",
    "withdraw",
]

logger = logging.getLogger(__name__)
_NO_OTHER_WORD = "is deleted, because no other word on it can be read back"


def prepare(document: bytes, *, provenance: Mapping[str, Any] | None = None, held: bytes | None = None) -> Prepared:
    """Check one ISO 19139 document and make it ready for `put_entries`. Raises metadata.Unusable.

    With the digest that is held (`held_digests`), a document that has it is not packed; should the record change
    meanwhile, `put_entries` raises PayloadNeeded, and the document is to be prepared again without.
    """
    return pack(document, preparing.read(document, held, provenance))


def pack(document: bytes, read: preparing.Read | Prepared) -> Prepared:
    """A document that was read, in this process or in another one, ready for `put_entries`."""
    if isinstance(read, Prepared):
        return read
    return read.version.with_payload(payload.pack(read.element_of(document)))


def prepare_deletion(identifier: str) -> Prepared:
    """A deletion, ready for `put_entries`. Raises metadata.Unusable if the identifier is none (P68)."""
    identifier = identifier.strip()
    fault = oai.identifier_fault(identifier)
    if fault is not None:
        raise metadata.Unusable(f"the identifier {identifier!r} {fault}")
    return prepared.deletion(identifier)


def put_entries(
    entries: Sequence[Prepared],
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
        except metadata.Unusable as exc:
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
    stamp = belonging.take_stamp()
    held = held_records(keys)
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
        belonging.drop_claims(left, set_id, None)
        belonging.leave(left, set_id, stamp)
    for owner_id, moved in moving.items():
        with connection.cursor() as cursor:
            cursor.execute("UPDATE catalogue_record SET owner_id = %s WHERE key = ANY(%s)", [into.pk, moved])
        # What the new owner's set claims is no second word any more; in a shared set another source's still is.
        belonging.drop_claims(moved, into.pk, "" if into.kind == MetadataSet.Kind.SHARED else None)
        belonging.leave(moved, owner_id, stamp)
        belonging.join(moved, into.pk, stamp)
        belonging.note(JournalOutbox.Event.MOVED, moved, into.pk, stamp)
        belonging.settle(moved, stamp)
    return results


@transaction.atomic
def _put(
    entries: Sequence[Prepared],
    *,
    into: MetadataSet,
    source: str,
    known_only: bool,
    before_lock: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Put entries. Of an identifier offered several times only the last is written, if it differs from what is held."""

    def decided(held: Held | None, entry: Prepared) -> Decision:
        return decide(held, entry, into=into, source=source, known_only=known_only)

    last = {entry.key: entry for entry in entries}
    held = held_records(list(last), source)
    buried: list[str] = []
    differing = {key: entry for key, entry in last.items() if decided(held.get(key), entry).step is not Step.NOTHING}
    if differing:
        described = staging.stage(list(differing.values()))
        before_lock()
        stamp = belonging.take_stamp()
        held = held_records(list(last), source)  # now nobody else writes
        steps: dict[Step, list[str]] = {}
        for key, entry in last.items():
            step = decided(held.get(key), entry).step
            steps.setdefault(step, []).append(key)
            if step is not Step.NOTHING and key not in differing:
                described += staging.stage([entry], empty_first=False)  # another writer changed it since the first look
        deletions = {key for key, entry in last.items() if entry.deleted}
        buried = _carry_out(steps, held, deletions, into=into, source=source, stamp=stamp, described=described)
    results = []
    standing: dict[str, Held | None] = dict(held)
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
    held: Mapping[str, Held],
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
    belonging.claim_held(overruled, stamp)
    belonging.drop_claims([*overruled, *dropped, *was_deleted], into.pk, source)
    staging.merge(written, into=into, stamp=stamp)
    if described != sum(key not in held and key not in deletions for key in written):
        staging.drop_unused()
    belonging.join(written, into.pk, stamp)
    belonging.claim_staged(claimed, into.pk, source, stamp)
    joining = [key for key in claimed if into.pk not in held[key].sets]
    belonging.come_back(joining, into.pk, stamp)
    leaving = [key for key in dropped if _nobody_else_claims(held[key], into, source)]
    belonging.leave(leaving, into.pk, stamp)
    handed_over, buried = _hand_over(steps.get(Step.HAND_OVER, []), held, into=into, stamp=stamp)
    # Most records are in one set, and what was merged says all of it; the others are brought in line.
    several = [key for key in written if key in held and held[key].sets - {into.pk}]
    belonging.settle([*several, *joining, *leaving, *handed_over, *buried], stamp)
    belonging.derive(written, stamp)
    brand_new = [key for key in written if key not in held and key not in deletions]
    was_deleted |= belonging.come_back_from_the_purge(brand_new)
    _note_in_outbox([key for key in written if (key in deletions) != (key in was_deleted)] + buried)
    return buried


def _nobody_else_claims(held: Held, into: MetadataSet, source: str) -> bool:
    """Whether a record leaves the set `into` when `source` no longer claims it there."""
    return held.owner_id != into.pk and not any(at == into.pk and by != source for at, by in held.claims)


def _hand_over(
    keys: Sequence[str], held: Mapping[str, Held], *, into: MetadataSet, stamp: datetime
) -> tuple[list[str], list[str]]:
    """The owner's word on these records is gone: the best claim that can be read takes its place.

    The records that changed by it, and those that are buried because no claim can be read back. A claim that cannot
    stays, for the operator to see, and is mended when it is offered again.
    """
    best: dict[str, tuple[belonging.Claimed, fields.Metadata]] = {}
    for claimed in belonging.claims_on(keys):
        if claimed.key not in best:
            try:
                best[claimed.key] = claimed, fields.read(payload.unpack(claimed.payload))
            except payload.PayloadDamaged as exc:
                belonging.distrust(claimed)
                extra = {"identifier": claimed.identifier, "source": claimed.source, "reason": str(exc)}
                logger.error("claim cannot take over from the owner", extra=extra)
    buried = [key for key in keys if key not in best]
    belonging.bury(buried, stamp)
    changed = []
    for key, (claimed, said) in best.items():
        belonging.drop_claims([key], claimed.set_id, claimed.source)
        if claimed.set_id == into.pk and said.digest == held[key].digest:
            belonging.take_provenance(key, claimed)  # the same content by another way: nothing visible changes (P90)
            continue
        heir = MetadataSet.objects.get(pk=claimed.set_id)
        staging.stage([prepared.version(said, claimed.provenance).with_payload(claimed.payload)])
        staging.merge([key], into=heir, stamp=stamp)
        if heir != into and not any(at == into.pk for at, _ in held[key].claims):
            belonging.leave([key], into.pk, stamp)
        belonging.join([key], heir.pk, stamp)
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
