"""Decide what to do with an entry, given the stored record: who owns it, who else claims it, whose version is served.

Pure: values in, a decision out; no database, no clock. `catalogue.writing.store` loads the values and applies the
decision.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from catalogue.models import MetadataSet
from catalogue.provenance import Provenance, compare_versions, origin_of
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing.entry import PreparedEntry

Kind = MetadataSet.Kind


class Action(enum.StrEnum):
    """What became of an offered entry. Counters of runs and of reports have these names."""

    NEW = "new"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    REJECTED = "rejected"


class Disagreement(enum.StrEnum):
    """How an entry contradicts what is stored, where an operator should know."""

    MISPLACED = "misplaced"  # a peer offers a record of our own set, or we offer a peer's
    DIFFERS = "differs"  # from the version that is served
    DISPUTED = "disputed"  # deleted by one source, live at another


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one entry. It has a `reason` where it was rejected or where sources disagree."""

    identifier: str
    action: Action
    reason: Reason | None = None
    disagreement: Disagreement | None = None

    @property
    def rejection(self) -> Reason | None:
        """Why the entry was rejected; None if it was not."""
        if self.action is not Action.REJECTED:
            return None
        assert self.reason is not None, "what is rejected has a reason"
        return self.reason

    def report(self) -> dict[str, Any]:
        """Return identifier and reason, with its code and facts, for reports in JSON."""
        return {"identifier": self.identifier, **(self.reason.report() if self.reason else {})}


@dataclass(frozen=True, slots=True)
class CurrentRecord:
    """A record as it is stored. `source`: the link that its content came by, empty for this node itself.

    `provenance`: None for our own records, and where it was not asked for (`current.load_current`). `claims`: the digests of the versions of others, by set and source. `sets`: the sets it is a live member of.
    """

    deleted: bool
    digest: bytes | None
    owner_id: int
    owner_spec: str
    owner_kind: str
    source: str = ""
    metadata_date: datetime | None = None
    datestamp: datetime | None = None
    provenance: Provenance | None = None
    claims: Mapping[tuple[int, str], bytes] = field(default_factory=dict)
    sets: frozenset[int] = frozenset()


class Change(enum.Enum):
    """What the store has to change for an entry."""

    NONE = enum.auto()
    WRITE = enum.auto()  # the entry becomes the record, live or deleted
    WRITE_AND_CLAIM_CURRENT = enum.auto()  # the same, and the version stored until now becomes a claim
    ADD_CLAIM = enum.auto()  # the entry is stored beside the record, which joins the entry's set
    DROP_CLAIM = enum.auto()  # the claim goes, and the record leaves the set if no other source claims it there
    PROMOTE_CLAIM = enum.auto()  # the owner deletes: the best claim becomes the record


@dataclass(frozen=True, slots=True)
class Decision:
    """The change to make, and what is reported of it."""

    change: Change
    action: Action
    reason: Reason | None = None
    disagreement: Disagreement | None = None


_UNCHANGED = Decision(Change.NONE, Action.UNCHANGED)


def decide(
    current: CurrentRecord | None, entry: PreparedEntry, *, into: MetadataSet, source: str, known_only: bool = False
) -> Decision:
    """Decide what to do with an entry that arrives for the set `into` by the link `source`.

    `known_only`: reject a deletion of an identifier never seen, instead of storing a tombstone (W12 is for harvests).
    """
    if current is None:
        if entry.deleted and known_only:
            return Decision(Change.NONE, Action.REJECTED, Reason(ReasonCode.NOT_IN_CATALOGUE))
        return Decision(Change.WRITE, Action.DELETED if entry.deleted else Action.NEW)
    if current.deleted:
        # Un-deleting is an ordinary update (P86).
        return _UNCHANGED if entry.deleted else Decision(Change.WRITE, Action.UPDATED)
    if current.owner_id == into.pk and _is_owner_source(into, current, source):
        return _decide_for_owner(current, entry, into)
    if current.owner_id != into.pk and Kind.OWN in (current.owner_kind, into.kind):
        # Promise 8: a peer never changes a record of ours, nor is a peer's record taken for ours.
        act = "delete" if entry.deleted else "change"
        reason = Reason(ReasonCode.OTHER_SET, {"owner": current.owner_spec, "set": into.spec, "act": act})
        return Decision(Change.NONE, Action.REJECTED, reason, Disagreement.MISPLACED)
    return _decide_for_other(current, entry, into, source)


def decide_each(
    entries: Mapping[str, PreparedEntry],
    current: Mapping[str, CurrentRecord],
    *,
    into: MetadataSet,
    source: str,
    known_only: bool = False,
) -> dict[str, Decision]:
    """Decide about entries of different identifiers, by key."""
    return {
        key: decide(current.get(key), entry, into=into, source=source, known_only=known_only)
        for key, entry in entries.items()
    }


def decide_in_order(
    entries: Sequence[PreparedEntry],
    current: Mapping[str, CurrentRecord],
    *,
    into: MetadataSet,
    source: str,
    known_only: bool = False,
) -> list[Decision]:
    """Decide about entries in their order: one that comes again is compared with what the one before it leaves."""
    latest: dict[str, CurrentRecord | None] = dict(current)
    decisions = []
    for entry in entries:
        before = latest.get(entry.key)
        decision = decide(before, entry, into=into, source=source, known_only=known_only)
        latest[entry.key] = current_after(before, entry, decision, into=into, source=source)
        decisions.append(decision)
    return decisions


def _is_owner_source(into: MetadataSet, current: CurrentRecord, source: str) -> bool:
    """Whether `source` decides the content of this record of the set `into`.

    Our own set has several such sources: this node itself, and the centres of its area.
    """
    if into.kind == Kind.OWN:
        return source in ("", current.source)
    return into.kind != Kind.SHARED or current.source == source


def current_after(
    current: CurrentRecord | None, entry: PreparedEntry, decision: Decision, *, into: MetadataSet, source: str
) -> CurrentRecord | None:
    """Return the record as the decision leaves it: the next entry of this identifier in the batch is compared with it."""
    if decision.change not in (Change.WRITE, Change.WRITE_AND_CLAIM_CURRENT):
        return current
    return CurrentRecord(
        deleted=entry.deleted,
        digest=entry.digest,
        owner_id=into.pk,
        owner_spec=into.spec,
        owner_kind=into.kind,
        source=source,
        metadata_date=entry.metadata_date,
        provenance=entry.provenance,
        claims=current.claims if current else {},
        sets=frozenset() if entry.deleted else frozenset({into.pk}),
    )


def _decide_for_owner(current: CurrentRecord, entry: PreparedEntry, into: MetadataSet) -> Decision:
    if entry.deleted:
        if current.claims:  # W23, W45: another source still has it
            reason = Reason(ReasonCode.LIVE_ELSEWHERE, {"set": into.spec})
            return Decision(Change.PROMOTE_CLAIM, Action.UPDATED, reason, Disagreement.DISPUTED)
        return Decision(Change.WRITE, Action.DELETED)
    return _UNCHANGED if current.digest == entry.digest else Decision(Change.WRITE, Action.UPDATED)


def _decide_for_other(current: CurrentRecord, entry: PreparedEntry, into: MetadataSet, source: str) -> Decision:
    """Decide on an entry of another set, or of another source of the same shared set, for a live record."""
    claimed = current.claims.get((into.pk, source))
    if entry.deleted:
        if claimed is None:
            return _UNCHANGED  # this source never claimed it
        leaves = into.pk != current.owner_id and not any(at == into.pk and by != source for at, by in current.claims)
        action = Action.DELETED if leaves else Action.UNCHANGED
        reason = Reason(ReasonCode.LIVE_AT_OWNER, {"owner": current.owner_spec})
        return Decision(Change.DROP_CLAIM, action, reason, Disagreement.DISPUTED)
    differs, disagreement = None, None
    if current.digest != entry.digest:
        differs = Reason(ReasonCode.DIFFERS, {"owner": current.owner_spec})
        disagreement = Disagreement.DIFFERS
        if into.pk == current.owner_id:  # two sources of one set
            newer, why = compare_versions(
                origin_of(entry.provenance), entry.metadata_date, origin_of(current.provenance), current.metadata_date
            )
            if newer:
                reason = Reason(ReasonCode.REPLACES_SOURCE, {"why": why.to_json()})
                return Decision(Change.WRITE_AND_CLAIM_CURRENT, Action.UPDATED, reason)
            facts = {"owner": current.owner_spec, "why": why.to_json()}
            differs = Reason(ReasonCode.DIFFERS_FROM_SOURCE, facts)
    if claimed == entry.digest and into.pk in current.sets:
        return Decision(Change.NONE, Action.UNCHANGED, differs, disagreement)
    action = Action.UNCHANGED if into.pk in current.sets else Action.UPDATED
    return Decision(Change.ADD_CLAIM, action, differs, disagreement)
