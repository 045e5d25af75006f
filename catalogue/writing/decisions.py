"""What to do with an entry, given what is held: who owns a record, who else speaks of it, whose word counts.

Pure: values in, a decision out; no database, no clock. `catalogue.writing.store` gathers the values and carries the
decision out.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from catalogue.models import MetadataSet
from catalogue.provenance import OURS, Origin, takes_over
from catalogue.writing.entry import PreparedEntry

Kind = MetadataSet.Kind


class Action(enum.StrEnum):
    """What became of an offered entry; the counters of runs and reports are named so."""

    NEW = "new"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    REJECTED = "rejected"


class Disagreement(enum.StrEnum):
    """How an entry's word stands against what is held, where an operator should know of it."""

    MISPLACED = "misplaced"  # the record is in our own set, or ours claims a peer's
    DIFFERS = "differs"  # from what counts
    DISPUTED = "disputed"  # deleted by one, held by another


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one entry; `reason` is a sentence where it was rejected, or where somebody said otherwise."""

    identifier: str
    action: Action
    reason: str = ""
    disagreement: Disagreement | None = None


@dataclass(frozen=True, slots=True)
class CurrentRecord:
    """A record as it stands. `source`: the link its content came by, empty for this node itself.

    `claims`: what others say of it, by set and source: the digest of their version. `sets`: the sets it is
    asserted in now.
    """

    deleted: bool
    digest: bytes | None
    owner_id: int
    owner_spec: str
    owner_kind: str
    source: str = ""
    metadata_date: datetime | None = None
    origin: Origin = OURS
    claims: Mapping[tuple[int, str], bytes] = field(default_factory=dict)
    sets: frozenset[int] = frozenset()


class Step(enum.Enum):
    """How a decision is carried out."""

    NOTHING = enum.auto()
    WRITE = enum.auto()  # the entry becomes the record, live or deleted
    OVERRULE = enum.auto()  # the same, and what was held becomes a claim
    CLAIM = enum.auto()  # the entry is kept beside the record, which joins the entry's set
    DROP_CLAIM = enum.auto()  # the claim goes, and the record leaves the set if nobody else claims it there
    HAND_OVER = enum.auto()  # the owner deletes: the best claim becomes the record


@dataclass(frozen=True, slots=True)
class Decision:
    """A step, and what is told of it."""

    step: Step
    action: Action
    reason: str = ""
    disagreement: Disagreement | None = None


_NOTHING = Decision(Step.NOTHING, Action.UNCHANGED)


def decide(
    held: CurrentRecord | None, entry: PreparedEntry, *, into: MetadataSet, source: str, known_only: bool = False
) -> Decision:
    """What to do with an entry that arrives for the set `into` by the link `source`.

    `known_only`: a deletion of an identifier never seen is an error, not a tombstone (W12 is for harvests).
    """
    if held is None:
        if entry.deleted and known_only:
            return Decision(Step.NOTHING, Action.REJECTED, "is not in the catalogue")
        return Decision(Step.WRITE, Action.DELETED if entry.deleted else Action.NEW)
    if held.deleted:
        # Un-deleting is an ordinary update (P86).
        return _NOTHING if entry.deleted else Decision(Step.WRITE, Action.UPDATED)
    if held.owner_id == into.pk and _speaks_for(into, held, source):
        return _from_owner(held, entry, into)
    if held.owner_id != into.pk and Kind.OWN in (held.owner_kind, into.kind):
        # Promise 8: what is ours is never changed on a peer's word, nor a peer's record taken for ours.
        done = "deleted" if entry.deleted else "changed"
        reason = f"is held in the set {held.owner_spec}, so it is not {done} on the word of {into.spec}"
        return Decision(Step.NOTHING, Action.REJECTED, reason, Disagreement.MISPLACED)
    return _from_another(held, entry, into, source)


def _speaks_for(into: MetadataSet, held: CurrentRecord, source: str) -> bool:
    """Whether `source` decides a record that the set holds. Our own set has many: this node itself, and its centres."""
    if into.kind == Kind.OWN:
        return source in ("", held.source)
    return into.kind != Kind.SHARED or held.source == source


def after(
    held: CurrentRecord | None, entry: PreparedEntry, decision: Decision, *, into: MetadataSet, source: str
) -> CurrentRecord | None:
    """The record as the next entry of the same identifier finds it, in the same batch."""
    if decision.step not in (Step.WRITE, Step.OVERRULE):
        return held
    return CurrentRecord(
        deleted=entry.deleted,
        digest=entry.digest,
        owner_id=into.pk,
        owner_spec=into.spec,
        owner_kind=into.kind,
        source=source,
        metadata_date=entry.metadata_date,
        origin=entry.origin,
        claims=held.claims if held else {},
        sets=frozenset() if entry.deleted else frozenset({into.pk}),
    )


def _from_owner(held: CurrentRecord, entry: PreparedEntry, into: MetadataSet) -> Decision:
    if entry.deleted:
        if held.claims:  # W23, W45: somebody else still has it
            reason = f"is deleted in {into.spec} and still held elsewhere"
            return Decision(Step.HAND_OVER, Action.UPDATED, reason, Disagreement.DISPUTED)
        return Decision(Step.WRITE, Action.DELETED)
    return _NOTHING if held.digest == entry.digest else Decision(Step.WRITE, Action.UPDATED)


def _from_another(held: CurrentRecord, entry: PreparedEntry, into: MetadataSet, source: str) -> Decision:
    """The word of another set, or of another source of the same shared set, on a record that is live."""
    claimed = held.claims.get((into.pk, source))
    if entry.deleted:
        if claimed is None:
            return _NOTHING  # it has no word to take back
        leaves = into.pk != held.owner_id and not any(at == into.pk and by != source for at, by in held.claims)
        action = Action.DELETED if leaves else Action.UNCHANGED
        return Decision(Step.DROP_CLAIM, action, f"is still held in {held.owner_spec}", Disagreement.DISPUTED)
    differs, disagreement = "", None
    if held.digest != entry.digest:
        differs, disagreement = f"differs from what {held.owner_spec} says, which counts", Disagreement.DIFFERS
        if into.pk == held.owner_id:  # two ways to one set
            newer, why = takes_over(entry.origin, entry.metadata_date, held.origin, held.metadata_date)
            if newer:
                return Decision(Step.OVERRULE, Action.UPDATED, f"replaces what another source said, {why} (W33)")
            differs = f"differs from what another source of {held.owner_spec} says, which counts {why} (W33)"
    if claimed == entry.digest and into.pk in held.sets:
        return Decision(Step.NOTHING, Action.UNCHANGED, differs, disagreement)
    action = Action.UNCHANGED if into.pk in held.sets else Action.UPDATED
    return Decision(Step.CLAIM, action, differs, disagreement)
