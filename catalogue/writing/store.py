"""Write records. This is the only module that writes them, and writers alone give datestamps (S8).

Everything slow happens first and without the lock: parsing, checking, packing, staging. Then, in one short
transaction, the writer takes the clock's lock and a datestamp, decides about each entry by the record stored now,
merges, and commits. So datestamps never decrease in commit order (promise 1). Entries equal to the stored record
are found before anything is staged and cost neither lock nor write (promise 3).
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q

from catalogue import acting, bootstrap, journal, oai
from catalogue.documents import iso19139, xml_tree
from catalogue.models import Claim, JournalOutbox, MetadataSet, Record, RecordVersion
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import (
    claims,
    clock,
    memberships,
    read_document,
    record_versions,
    set_inclusion,
    settling,
    spellings,
    staging,
)
from catalogue.writing.current import load_current, load_current_in_any_case
from catalogue.writing.decisions import (
    Action,
    Arrival,
    Change,
    CurrentRecord,
    Decision,
    Disagreement,
    Result,
    decide_in_order,
)
from catalogue.writing.entry import PreparedEntry, deletion_entry, parsed_entry
from catalogue.writing.spellings import Placement

logger = logging.getLogger(__name__)
Act = RecordVersion.Act


def prepare(
    document: bytes, *, provenance: Provenance | None = None, stored_digest: bytes | None = None
) -> PreparedEntry:
    """Check one ISO 19139 document and make an entry for `put_entries`. Raises xml_tree.Unusable.

    A document whose digest is `stored_digest` is not packed. Should the record change meanwhile, `put_entries`
    raises PayloadNeeded; prepare the document again then, without the digest.
    """
    return pack_document(document, read_document.read(document, stored_digest), provenance)


def pack_document(
    document: bytes, parsed: read_document.ParsedDocument | PreparedEntry, provenance: Provenance | None = None
) -> PreparedEntry:
    """Pack a document that was parsed, in this process or in another one. Returns an entry for `put_entries`."""
    if isinstance(parsed, PreparedEntry):
        return parsed
    return parsed.version.with_payload(payload.pack(parsed.element_of(document), is_to_splice=True), provenance)


def prepare_deletion(identifier: str, key: str | None = None) -> PreparedEntry:
    """Make a deletion for `put_entries`. Raises xml_tree.Unusable if no record can have this identifier.

    `key`: that of the identifier, where it is known already.
    """
    identifier = identifier.strip()
    fault = oai.file_identifier_fault(identifier)
    if fault is not None:
        facts = {"identifier": identifier, "fault": fault.to_json()}
        raise xml_tree.Unusable(Reason(ReasonCode.IDENTIFIER, facts))
    return deletion_entry(identifier, oai.oai_identifier(identifier) if key is None else key)


@transaction.atomic
def put_entries(
    entries: Sequence[PreparedEntry],
    *,
    into: MetadataSet,
    source: str = "",
    yields_to: frozenset[str] = frozenset(),
    revives: bool = True,
    known_only: bool = False,
    apart: Collection[str] = (),
    before_lock: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Store entries in a set, in their order; one result for each. `source` is the link they came by.

    Of an identifier offered several times only the last is written, if it changes the record. A deletion of an identifier
    never seen is stored as a tombstone (W12), unless those are `known_only`. The owner of a record decides its content
    (promise 9): the version of another peer or shared set is stored as a claim, and the record is a member of both
    sets. What a peer offers for a record of our own set is rejected (promise 8). An upload does not replace what the links
    `yields_to` brought (`catalogue.writing.uploads`). A deleted record comes back only where it `revives`. An identifier of
    which only the case differs from that of a live record means that record, where case means nothing
    (`catalogue.writing.spellings`), but for the keys in `apart`. May be called inside the caller's
    transaction; then the lock is kept until that ends, so it should end at once. `before_lock` is called when all is
    staged: a bulk load waits there for the batch before. Raises PayloadNeeded.
    """
    arrival = Arrival(into, source, known_only=known_only, yields_to=yields_to, revives=revives)
    last = {entry.key: entry for entry in entries}
    keys = list(last)
    # What is decided without the lock stands, if no other writer has changed one of the records before it is taken.
    current = load_current_in_any_case(keys, source=source)
    placed = spellings.place_entries(last, current, arrival, apart)
    tombstones: list[str] = []
    if placed.changing:
        described = staging.stage(placed.changing)
        before_lock()
        stamp = clock.take_stamp()
        before, current = current, load_current_in_any_case(keys, source=source)  # now no other writer can change it
        raced = current != before
        if raced:
            staged, placed = placed, spellings.place_entries(last, current, arrival, apart)
            described = _stage_again(staged, placed, described)
        tombstones = _apply(
            _sort(placed, current),
            current,
            into=into,
            source=source,
            stamp=stamp,
            described=described,
            raced=raced,
        )
    if not source and any(not entry.deleted for entry in entries):
        set_inclusion.mark_fed_here(into)
    return _results(entries, placed, current, arrival, tombstones)


def preview_entries(
    entries: Sequence[PreparedEntry],
    *,
    into: MetadataSet,
    yields_to: frozenset[str] = frozenset(),
    revives: bool = True,
) -> list[Result]:
    """Decide what `put_entries` would make of entries of this node, in their order, and store nothing. No row is needed."""
    arrival = Arrival(into, yields_to=yields_to, revives=revives)
    last = {entry.key: entry for entry in entries}
    current = load_current_in_any_case(list(last))
    return _results(entries, spellings.place_entries(last, current, arrival), current, arrival)


def _results(
    entries: Sequence[PreparedEntry],
    placed: Placement,
    current: Mapping[str, CurrentRecord],
    arrival: Arrival,
    tombstones: Collection[str] = (),
) -> list[Result]:
    """Return a result for each entry, also for those whose identifier comes again. `current`: as it was before."""
    repeats = len(placed.decisions) < len(entries)
    in_order = [placed.decisions[entry.key] for entry in entries]
    decisions = _decide_in_order(entries, placed, current, arrival) if repeats else in_order
    of_spellings = placed.of_spellings() if placed.in_question else set()
    return [
        _result(entry, decision, placed, tombstones)
        if entry.key in of_spellings or entry.key in tombstones
        else Result(entry.identifier, decision.action, decision.reason, decision.disagreement)
        for entry, decision in zip(entries, decisions, strict=True)
    ]


def withdraw(
    identifiers: Iterable[str], *, only_from: MetadataSet | None = None, dry_run: bool = False
) -> list[Result]:
    """Withdraw records of the own set, and what was uploaded here into shared sets; one result for each.

    `only_from`: withdraw from this set alone what was uploaded here into it, and reject the rest. `dry_run`: only return what
    would be done.

    They become tombstones. What another source of a shared set still has stays live with that version (W45); the result
    then has a reason and is not a rejection. An unknown identifier is rejected. When this returns outside a transaction,
    the deletions are on disk in the journal, or `journal.count_waiting_of` says how many are not (promise 6).
    """
    results: list[Result | None] = []
    entries = []
    for identifier in identifiers:
        try:
            entries.append(prepare_deletion(identifier))
            results.append(None)
        except xml_tree.Unusable as exc:
            results.append(Result(identifier, Action.REJECTED, exc.reason))
    put = _decide_only if dry_run else put_entries
    with acting.acting(act=Act.WITHDRAW):
        stored = iter(_withdraw(entries, put) if only_from is None else _withdraw_from(only_from, entries, put))
    return [result or next(stored) for result in results]


def _decide_only(entries: Sequence[PreparedEntry], *, into: MetadataSet, known_only: bool) -> list[Result]:
    """Return what `put_entries` would do now with entries of different identifiers, spelled as the records are."""
    arrival = Arrival(into, known_only=known_only)
    current = load_current([entry.key for entry in entries])
    decisions = decide_in_order(entries, current, arrival)
    return [
        Result(entry.identifier, decision.action, decision.reason, decision.disagreement)
        for entry, decision in zip(entries, decisions, strict=True)
    ]


@transaction.atomic
def _withdraw(entries: Sequence[PreparedEntry], put: Callable[..., list[Result]]) -> list[Result]:
    """Delete each record in every set that it was put into at this node; the results in the order of the entries."""
    own, current = bootstrap.own_set(), load_current([entry.key for entry in entries])
    shared_sets = {each.pk: each for each in MetadataSet.objects.filter(kind=MetadataSet.Kind.SHARED)}
    indexes: dict[MetadataSet, list[int]] = {}
    for index, entry in enumerate(entries):
        record = current.get(entry.key)
        uploaded = [] if record is None else [shared_sets[pk] for pk in _uploaded_into(record) & shared_sets.keys()]
        for into in uploaded or [own]:
            indexes.setdefault(into, []).append(index)
    results: dict[int, Result] = {}
    for into, chosen in indexes.items():
        stored = put([entries[index] for index in chosen], into=into, known_only=True)
        for index, result in zip(chosen, stored, strict=True):
            record = current.get(entries[index].key)
            if index not in results or (record is not None and record.owner_id == into.pk):
                results[index] = result
    return [results[index] for index in range(len(entries))]


@transaction.atomic
def _withdraw_from(
    into: MetadataSet, entries: Sequence[PreparedEntry], put: Callable[..., list[Result]]
) -> list[Result]:
    """Delete each record in one set if it was put into it at this node; the results in the order of the entries."""
    current = load_current([entry.key for entry in entries])
    refused = {
        entry.key: reason
        for entry in entries
        if (record := current.get(entry.key)) is not None and (reason := _why_not_from(into, record)) is not None
    }
    left = [entry for entry in entries if entry.key not in refused]
    stored = iter(put(left, into=into, known_only=True))
    return [
        Result(entry.identifier, Action.REJECTED, refused[entry.key]) if entry.key in refused else next(stored)
        for entry in entries
    ]


def _why_not_from(into: MetadataSet, record: CurrentRecord) -> Reason | None:
    """Why this record cannot be withdrawn from the set by hand; None if it can, or is withdrawn already."""
    if record.deleted or into.pk in _uploaded_into(record):
        return None
    if record.owner_id == into.pk:
        return Reason(ReasonCode.LINK_DECIDES, {"link": record.source})
    return Reason(ReasonCode.OTHER_SET, {"owner": record.owner_spec, "set": into.spec, "act": "delete"})


def uploaded_into(into: MetadataSet) -> list[str]:
    """The identifiers of all live records that were put into this set at this node, ordered: what can be withdrawn from it."""
    by_hand = Q(owner=into) & (Q(provenance__link__isnull=True) | Q(provenance__link=""))
    claimed = Exists(Claim.objects.filter(record=OuterRef("pk"), set=into, source=""))
    live = Record.objects.filter(by_hand | Q(claimed), deleted=False)
    return list(live.order_by("key").values_list("identifier", flat=True))


def _uploaded_into(record: CurrentRecord) -> set[int]:
    """The sets into which a record was uploaded here: its owner's, and those of claims."""
    claimed = {set_id for set_id, by in record.claims if not by}
    return claimed | {record.owner_id} if not (record.deleted or record.source) else claimed


def plan_move(identifiers: Sequence[str], *, into: MetadataSet) -> list[Result]:
    """Return what `move` would do with these records now; changes nothing."""
    keys = [oai.oai_identifier(identifier) for identifier in identifiers]
    current = load_current(keys)
    return [
        _decide_move(identifier, key, current.get(key), into) for identifier, key in zip(identifiers, keys, strict=True)
    ]


def _decide_move(identifier: str, key: str, record: CurrentRecord | None, into: MetadataSet) -> Result:
    if record is None or record.deleted or not record.is_named(identifier.strip(), key):
        return Result(identifier, Action.REJECTED, Reason(ReasonCode.NOT_IN_CATALOGUE))
    if record.source:
        return Result(identifier, Action.REJECTED, Reason(ReasonCode.FROM_LINK, {"link": record.source}))
    return Result(identifier, Action.UNCHANGED if record.owner_id == into.pk else Action.UPDATED)


@transaction.atomic
def move(identifiers: Sequence[str], *, into: MetadataSet) -> list[Result]:
    """Make another set the owner of live records: deleted in the old set's lists, live in the new one's.

    For sets that this node keeps itself; records that came by a link are rejected. One result for each identifier. A
    record that becomes our own leaves the sets of all others, whose versions count no longer (promise 8), not even
    their deletions.
    """
    keys = [oai.oai_identifier(identifier) for identifier in identifiers]
    stamp = clock.take_stamp()
    current = load_current(keys)
    results = []
    moving: dict[int, list[str]] = {}
    claimed: dict[int, list[str]] = {}
    for identifier, key in zip(identifiers, keys, strict=True):
        result = _decide_move(identifier, key, current.get(key), into)
        results.append(result)
        if result.action is Action.UPDATED:
            record = current[key]
            moving.setdefault(record.owner_id, []).append(key)
            if into.kind == MetadataSet.Kind.OWN:
                for set_id in {set_id for set_id, _ in record.claims} - {into.pk}:
                    claimed.setdefault(set_id, []).append(key)
    for set_id, left in claimed.items():
        claims.drop_claims(left, set_id, None)
        memberships.leave(left, set_id, stamp)
    record_versions.keep([key for moved in moving.values() for key in moved], stamp, act=Act.MOVE)
    for owner_id, moved in moving.items():
        with connection.cursor() as cursor:
            cursor.execute("UPDATE catalogue_record SET owner_id = %s WHERE key = ANY(%s)", [into.pk, moved])
        # A claim of the new owner's set is superseded; in a shared set another source may still claim the record.
        claims.drop_claims(moved, into.pk, "" if into.kind == MetadataSet.Kind.SHARED else None)
        memberships.leave(moved, owner_id, stamp)
        memberships.join(moved, into.pk, stamp)
        memberships.add_to_outbox(JournalOutbox.Event.MOVED, moved, into.pk, stamp)
        memberships.update_dependents(moved, stamp)
        settling.settle(stamp, keys=moved)
    if moving:
        set_inclusion.mark_fed_here(into)
    return results


def _stage_again(staged: Placement, placed: Placement, described: int) -> int:
    """Stage what another writer's changes make to be changed as well; return how many descriptions are inserted."""
    if any(placed.entries[key] != entry for key, entry in staged.entries.items()):  # as records with other spellings
        staging.drop_unused_descriptions()
        return staging.stage(placed.changing)
    late = [
        placed.entries[key]
        for key, decision in placed.decisions.items()
        if decision.change is not Change.NONE and staged.decisions[key].change is Change.NONE
    ]
    return described + (staging.stage(late, empty_first=False) if late else 0)


def _decide_in_order(
    entries: Sequence[PreparedEntry], placed: Placement, current: Mapping[str, CurrentRecord], arrival: Arrival
) -> list[Decision]:
    """Decide about each of the entries, of which several have one identifier; what is of another spelling is decided."""
    of_spellings = placed.of_spellings()
    rest = [entry for entry in entries if entry.key not in of_spellings]
    decisions = iter(decide_in_order(rest, current, arrival))
    return [placed.decisions[entry.key] if entry.key in of_spellings else next(decisions) for entry in entries]


def _result(entry: PreparedEntry, decision: Decision, placed: Placement, tombstones: Collection[str]) -> Result:
    key = placed.entries[entry.key].key
    of_other = key if key != entry.key else ""
    if decision.change is Change.PROMOTE_CLAIM and key in tombstones:
        reason = Reason(ReasonCode.CLAIMS_DAMAGED)
        return Result(entry.identifier, Action.DELETED, reason, Disagreement.DISPUTED, of_other)
    replaced = placed.replaced.get(entry.key, "")
    return Result(entry.identifier, decision.action, decision.reason, decision.disagreement, of_other, replaced)


# --- Under the lock ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Changes:
    """The keys of the records to change, by what changes; each list may be empty.

    `written`: the entry becomes the record; `replaced` are those of them whose stored version becomes a claim,
    `was_deleted` those that were tombstones, `new` those that are live and were not known. `deletions`: the entries that
    are deletions. `claimed`: the entry becomes a claim. `dropped`: its claim goes. `promoted`: the best claim becomes
    the record. `respelled`: by the keys of those written, the keys of the records that they replace. `departed`: lists of the
    set show it as deleted, and nothing else changes.
    """

    written: list[str]
    replaced: list[str]
    was_deleted: set[str]
    new: list[str]
    deletions: set[str]
    claimed: list[str]
    dropped: list[str]
    promoted: list[str]
    respelled: Mapping[str, str]
    departed: list[str]


def _sort(placed: Placement, current: Mapping[str, CurrentRecord]) -> _Changes:
    by_change: dict[Change, list[str]] = {}
    for key, decision in placed.decisions.items():
        if key not in placed.absorbed:
            by_change.setdefault(decision.change, []).append(placed.entries[key].key)
    deletions = {entry.key for key, entry in placed.entries.items() if entry.deleted and key not in placed.absorbed}
    replaced = by_change.get(Change.WRITE_AND_CLAIM_CURRENT, [])
    written = by_change.get(Change.WRITE, []) + replaced
    replaced_by_claim = by_change.get(Change.ADD_AND_PROMOTE_CLAIM, [])
    return _Changes(
        written=written,
        replaced=replaced,
        was_deleted={key for key in written if key in current and current[key].deleted},
        new=[key for key in written if key not in current and key not in deletions],
        deletions=deletions,
        claimed=by_change.get(Change.ADD_CLAIM, []) + replaced_by_claim,
        dropped=by_change.get(Change.DROP_CLAIM, []),
        promoted=by_change.get(Change.PROMOTE_CLAIM, []) + replaced_by_claim,
        respelled=placed.replaced,
        departed=by_change.get(Change.ADD_ENDED, []),
    )


def _apply(
    changes: _Changes,
    current: Mapping[str, CurrentRecord],
    *,
    into: MetadataSet,
    source: str,
    stamp: datetime,
    described: int,
    raced: bool,
) -> list[str]:
    """Make the changes, under the lock; no statement runs for what does not change.

    `described`: the number of descriptions that staging has inserted. `raced`: another writer has changed some of the
    records since they were staged. Returns the keys of the records that became tombstones though others claim them,
    because every claim is damaged.
    """
    if former := [*(key for key in changes.written if key in current), *changes.respelled.values()]:
        record_versions.keep(former, stamp, source)
    if changes.replaced:
        claims.claim_current([changes.respelled.get(key, key) for key in changes.replaced], stamp)
    if unclaimed := [*changes.replaced, *changes.dropped, *changes.was_deleted]:
        claims.drop_claims(unclaimed, into.pk, source)
    if changes.written:
        all_described = described == len(changes.new) == len(changes.written) and not raced
        staging.merge(changes.written, into=into, stamp=stamp, described=all_described)
    if described != len(changes.new):
        staging.drop_unused_descriptions()
    if changes.written:
        memberships.join(changes.written, into.pk, stamp)
    dependents: list[str] = []
    if changes.respelled:
        spellings.replace(changes.respelled, into, stamp)
        claims.drop_claims(list(changes.respelled), into.pk, source)
        dependents += spellings.both(changes.respelled)
    if changes.claimed or changes.dropped:
        dependents += _apply_claims(changes, current, into=into, source=source, stamp=stamp)
    tombstones: list[str] = []
    respelled: list[str] = []
    if changes.promoted:
        promoted, tombstones, respelled = _promote_claims(
            changes.promoted, current, into=into, source=source, stamp=stamp
        )
        dependents += [*promoted, *tombstones]
    # Most records are in one set, and the merge has written all of it; update the rows of the others.
    dependents += [key for key in changes.written if key in current and current[key].sets - {into.pk}]
    if dependents:
        memberships.update_dependents(dependents, stamp)
    if changes.departed:
        memberships.add_ended(changes.departed, into.pk, stamp)
    if changes.written:
        memberships.derive(changes.written, stamp)
    was_deleted = changes.was_deleted | memberships.clear_purged(changes.new) if changes.new else changes.was_deleted
    journalled = [key for key in changes.written if (key in changes.deletions) != (key in was_deleted)] + tombstones
    journalled += [*changes.respelled.values(), *respelled]
    if journalled:
        _add_to_outbox(journalled)
    touched = [*changes.written, *dependents, *changes.departed]
    settling.settle(stamp, keys=touched, link=source)
    return tombstones


def _apply_claims(
    changes: _Changes, current: Mapping[str, CurrentRecord], *, into: MetadataSet, source: str, stamp: datetime
) -> list[str]:
    """Add and drop claims beside records that stay; return the keys of records that joined or left the set `into`."""
    joining = [key for key in changes.claimed if into.pk not in current[key].sets]
    leaving = [key for key in changes.dropped if _is_last_claim(current[key], into, source)]
    if changes.claimed:
        claims.claim_staged(changes.claimed, into.pk, source, stamp)
        memberships.make_direct(changes.claimed, into.pk)
    if joining:
        memberships.rejoin(joining, into.pk, stamp)
    if leaving:
        memberships.leave(leaving, into.pk, stamp)
    return [*joining, *leaving]


def _is_last_claim(current: CurrentRecord, into: MetadataSet, source: str) -> bool:
    """Whether a record leaves the set `into` when `source` no longer claims it there."""
    return current.owner_id != into.pk and not any(at == into.pk and by != source for at, by in current.claims)


def _promote_claims(
    keys: Sequence[str], current: Mapping[str, CurrentRecord], *, into: MetadataSet, source: str, stamp: datetime
) -> tuple[list[str], list[str], list[str]]:
    """Replace records that their owner deleted, or took back, by the best claim on each that can be read.

    Returns the keys of the records that changed; of those that became tombstones because no claim can be read; and of those
    that were deleted or came back because the claim has another spelling. A damaged claim stays, for the operator to see;
    it is repaired when it is offered again.
    """
    best: dict[str, tuple[claims.StoredClaim, iso19139.Metadata]] = {}
    for claim in claims.load_claims(keys):
        if claim.key not in best:
            try:
                best[claim.key] = claim, iso19139.read(payload.unpack(claim.payload))
            except payload.DictionaryDamaged:
                raise  # nothing is wrong with the claim: no tombstone may come of it
            except payload.PayloadDamaged as exc:
                claims.mark_damaged(claim)
                extra = {"identifier": claim.identifier, "source": claim.source, "reason": str(exc)}
                logger.error("claim is damaged and cannot replace the owner's version", extra=extra)
    spellings.note_given_up([key for key, (claim, _) in best.items() if claim.set_id != into.pk], into, stamp)
    tombstones = [key for key in keys if key not in best]
    record_versions.keep(tombstones, stamp, source)
    memberships.make_tombstones(tombstones, stamp)
    changed: list[str] = []
    journalled: list[str] = []
    for key, (claim, metadata) in best.items():
        claims.drop_claims([key], claim.set_id, claim.source)
        if claim.set_id == into.pk and metadata.digest == current[key].digest:
            claims.replace_provenance(key, claim)  # the same content from another source: nothing visible changes (P90)
            continue
        record_versions.keep([key], stamp, source)
        new_owner = MetadataSet.objects.get(pk=claim.set_id)
        leaves = new_owner != into and not any(at == into.pk for at, _ in current[key].claims)
        entry = parsed_entry(metadata, claim.spelling or key).with_payload(claim.payload, claim.provenance)
        if claim.spelling and not spellings.find_flapping([key]):
            came_back = _promote_respelled(key, entry, new_owner, stamp, without_set=into.pk if leaves else None)
            changed += [key, entry.key]
            journalled += [key, entry.key] if came_back else [key]
            continue
        if claim.spelling:
            entry = entry.called(key, claim.identifier, claim.spelling)
        elif claim.identifier == key:  # where a provider's header counts, not the record's gmd:fileIdentifier
            entry = entry.called(key, key)
        staging.stage([entry])
        staging.merge([key], into=new_owner, stamp=stamp)
        if leaves:
            memberships.leave([key], into.pk, stamp)
        memberships.join([key], new_owner.pk, stamp)
        changed.append(key)
    return changed, tombstones, journalled


def _promote_respelled(
    key: str, entry: PreparedEntry, owner: MetadataSet, stamp: datetime, *, without_set: int | None
) -> bool:
    """Make a claim with another spelling the record: the change of owner is a change of spelling as well.

    Returns whether the journal has a deletion of this spelling.
    """
    was_deleted = bool(memberships.clear_purged([entry.key]) or load_current([entry.key]))
    staging.stage([entry])
    staging.merge([entry.key], into=owner, stamp=stamp)
    memberships.join([entry.key], owner.pk, stamp)
    spellings.replace({entry.key: key}, owner, stamp, without_set=without_set)
    return was_deleted


def _add_to_outbox(keys: Sequence[str]) -> None:
    """Add records that were just deleted, or came back, to the journal's outbox; it is flushed after the commit."""
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
