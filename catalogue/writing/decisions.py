"""Decide what to do with an entry, given the stored record: who owns it, who else claims it, whose version is served.

Pure: values in, a decision out; no database, no clock. `catalogue.writing.store` loads the values and applies the
decision.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

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
    TAKEN = "taken"  # its OAI identifier belongs to another record


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one entry. It has a `reason` where it was rejected, sources disagree, or a person should know of it.

    `key`: of the record with another spelling that the entry was stored as, else empty. `replaced`: the key of the record
    that became a tombstone, as its owner spells its identifier otherwise now (F74).
    """

    identifier: str
    action: Action
    reason: Reason | None = None
    disagreement: Disagreement | None = None
    key: str = ""
    replaced: str = ""

    @property
    def rejection(self) -> Reason | None:
        """Why the entry was rejected; None if it was not."""
        if self.action is not Action.REJECTED:
            return None
        assert self.reason is not None, "what is rejected has a reason"
        return self.reason

    @property
    def is_live_elsewhere(self) -> bool:
        """Whether a deletion leaves the record live, because another source has it (W45)."""
        return self.reason is not None and self.reason.code in (ReasonCode.LIVE_ELSEWHERE, ReasonCode.LIVE_AT_OWNER)

    def report(self) -> dict[str, Any]:
        """Return identifier and reason, with its code and facts, for reports in JSON."""
        return {"identifier": self.identifier, **(self.reason.report() if self.reason else {})}


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A version that another set or source offers: what is stored as a claim. `spelling`: as in the row."""

    digest: bytes
    metadata_date: datetime | None = None
    provenance: Provenance | None = None
    spelling: str = ""


@dataclass(frozen=True, slots=True)
class CurrentRecord:
    """A record as it is stored. `source`: the link that its content came by, empty for this node itself.

    `provenance`: None for our own records, and where it was not asked for (`current.load_current`). `claims`: the versions
    of others, by set and source. `sets`: the sets it is a live member of; `ended_in`: those whose lists show it as deleted.
    `identifier`: gmd:fileIdentifier. `spelling`: the key for the gmd:fileIdentifier in its metadata, where only the case
    differs.
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
    claims: Mapping[tuple[int, str], StoredVersion] = field(default_factory=dict)
    sets: frozenset[int] = frozenset()
    ended_in: frozenset[int] = frozenset()
    identifier: str = ""
    spelling: str = ""

    def is_named(self, identifier: str, key: str) -> bool:
        """Whether this is the record that the identifier means: its OAI identifier (`key`) or its gmd:fileIdentifier (P68)."""
        return identifier in (key, self.identifier)


class Change(enum.Enum):
    """What the store has to change for an entry."""

    NONE = enum.auto()
    WRITE = enum.auto()  # the entry becomes the record, live or deleted
    WRITE_AND_CLAIM_CURRENT = enum.auto()  # the same, and the version stored until now becomes a claim
    ADD_CLAIM = enum.auto()  # the entry is stored beside the record, which joins the entry's set
    DROP_CLAIM = enum.auto()  # the claim goes, and the record leaves the set if no other source claims it there
    PROMOTE_CLAIM = enum.auto()  # the owner deletes: the best claim becomes the record
    ADD_AND_PROMOTE_CLAIM = enum.auto()  # the entry becomes a claim, and the best claim becomes the record
    ADD_ENDED = enum.auto()  # the lists of the entry's set show the record as deleted; it was never in that set here


@dataclass(frozen=True, slots=True)
class Decision:
    """The change to make, and what is reported of it."""

    change: Change
    action: Action
    reason: Reason | None = None
    disagreement: Disagreement | None = None


_UNCHANGED = Decision(Change.NONE, Action.UNCHANGED)


@dataclass(frozen=True, slots=True)
class Arrival:
    """How entries arrive: for which set, and by which link; `source` is empty for this node itself.

    `known_only`: reject a deletion of an identifier never seen, instead of storing a tombstone (W12 is for harvests).
    `yields_to`: the links whose version of a record, or whose deletion, an upload does not replace. `revives`: a deleted
    record comes back; else it is rejected.
    """

    into: MetadataSet
    source: str = ""
    known_only: bool = False
    yields_to: frozenset[str] = frozenset()
    revives: bool = True


def decide(current: CurrentRecord | None, entry: PreparedEntry, arrival: Arrival) -> Decision:
    """Decide what to do with an entry."""
    into, source = arrival.into, arrival.source
    if current is None:
        if entry.deleted and arrival.known_only:
            return Decision(Change.NONE, Action.REJECTED, Reason(ReasonCode.NOT_IN_CATALOGUE))
        return Decision(Change.WRITE, Action.DELETED if entry.deleted else Action.NEW)
    if _is_other_record(current, entry):
        facts = {"oai_identifier": entry.key, "stored": current.identifier}
        return Decision(Change.NONE, Action.REJECTED, Reason(ReasonCode.IDENTIFIER_TAKEN, facts), Disagreement.TAKEN)
    if arrival.yields_to and current.owner_id == into.pk and (yielded := _yield(current, entry, arrival)):
        return yielded
    if current.deleted:
        return _decide_departure(current, arrival) if entry.deleted else _decide_to_revive(current, arrival)
    if current.owner_id == into.pk and _is_owner_source(into, current, source):
        return _decide_for_owner(current, entry, into, source)
    if current.owner_id != into.pk and Kind.OWN in (current.owner_kind, into.kind):
        # Promise 8: a peer never changes a record of ours, nor is a peer's record taken for ours.
        act = "delete" if entry.deleted else "change"
        reason = Reason(ReasonCode.OTHER_SET, {"owner": current.owner_spec, "set": into.spec, "act": act})
        return Decision(Change.NONE, Action.REJECTED, reason, Disagreement.MISPLACED)
    if entry.deleted and (into.pk, source) not in current.claims:  # this source never claimed it
        return _UNCHANGED if entry.spelling else _decide_departure(current, arrival)
    return _decide_for_other(current, entry, into, source)


def _decide_to_revive(current: CurrentRecord, arrival: Arrival) -> Decision:
    """Un-deleting is an ordinary update (P86), but a person has to want it."""
    facts = {"date": current.datestamp and f"{current.datestamp:%Y-%m-%d}"}
    if not arrival.revives:
        return Decision(Change.NONE, Action.REJECTED, Reason(ReasonCode.WITHDRAWN, facts))
    return Decision(Change.WRITE, Action.UPDATED, None if arrival.source else Reason(ReasonCode.BROUGHT_BACK, facts))


def _is_other_record(current: CurrentRecord, entry: PreparedEntry) -> bool:
    """Whether the entry is of another record, whose gmd:fileIdentifier gives the same OAI identifier (P68, P69).

    A deletion may have either; a tombstone may know only the OAI identifier.
    """
    if entry.deleted:
        return not (current.deleted or current.is_named(entry.identifier, entry.key))
    return entry.identifier != current.identifier and not (current.deleted and current.identifier == entry.key)


def decide_in_order(
    entries: Sequence[PreparedEntry], current: Mapping[str, CurrentRecord], arrival: Arrival
) -> list[Decision]:
    """Decide about entries in their order: one that comes again is compared with what the one before it leaves."""
    latest: dict[str, CurrentRecord | None] = dict(current)
    decisions = []
    for entry in entries:
        before = latest.get(entry.key)
        decision = decide(before, entry, arrival)
        latest[entry.key] = current_after(before, entry, decision, arrival)
        decisions.append(decision)
    return decisions


def _yield(current: CurrentRecord, entry: PreparedEntry, arrival: Arrival) -> Decision | None:
    """Reject what would undo the version, or the deletion, that a link of the set brought; None if it does not."""
    if entry.deleted or current.digest == entry.digest:
        return None
    if current.deleted:
        names = ", ".join(sorted(arrival.yields_to))
        return Decision(Change.NONE, Action.REJECTED, Reason(ReasonCode.DELETED_BY_LINK, {"link": names}))
    if current.source not in arrival.yields_to:
        return None
    return Decision(Change.NONE, Action.REJECTED, Reason(ReasonCode.LINK_DECIDES, {"link": current.source}))


def _is_owner_source(into: MetadataSet, current: CurrentRecord, source: str) -> bool:
    """Whether `source` decides the content of this record of the set `into`.

    Our own set has several such sources: this node itself, and the centres of its area.
    """
    if into.kind == Kind.OWN:
        return source in ("", current.source)
    return into.kind != Kind.SHARED or current.source == source


def current_after(
    current: CurrentRecord | None, entry: PreparedEntry, decision: Decision, arrival: Arrival
) -> CurrentRecord | None:
    """Return the record as the decision leaves it: the next entry of this identifier in the batch is compared with it."""
    if decision.change not in (Change.WRITE, Change.WRITE_AND_CLAIM_CURRENT):
        return current
    into = arrival.into
    return CurrentRecord(
        deleted=entry.deleted,
        digest=entry.digest,
        owner_id=into.pk,
        owner_spec=into.spec,
        owner_kind=into.kind,
        source=arrival.source,
        metadata_date=entry.metadata_date,
        provenance=entry.provenance,
        claims=current.claims if current else {},
        sets=frozenset() if entry.deleted else frozenset({into.pk}),
        identifier=current.identifier if current and entry.deleted else entry.identifier,
        spelling=entry.spelling,
    )


def _decide_departure(current: CurrentRecord, arrival: Arrival) -> Decision:
    """Decide on a deletion that changes nothing of the record.

    A relay passes it on to the harvesters of the set all the same (W12), though the record was never in that set here.
    """
    is_new = arrival.into.pk not in current.sets | current.ended_in
    return Decision(Change.ADD_ENDED, Action.DELETED) if arrival.source and is_new else _UNCHANGED


def _decide_for_owner(current: CurrentRecord, entry: PreparedEntry, into: MetadataSet, source: str) -> Decision:
    if entry.deleted:
        if current.claims:  # W23, W45: another source still has it
            reason = Reason(ReasonCode.LIVE_ELSEWHERE, {"set": into.spec})
            return Decision(Change.PROMOTE_CLAIM, Action.UPDATED, reason, Disagreement.DISPUTED)
        return Decision(Change.WRITE, Action.DELETED)
    if current.digest == entry.digest:
        return _UNCHANGED
    if into.kind == Kind.SHARED:
        for (set_id, by), claim in current.claims.items():
            if set_id != into.pk or by == source:
                continue
            newer, why = is_newer(claim, entry)
            if newer:  # the source of the version that counted until now takes it back
                facts = {"owner": into.spec, "source": by, "why": why.to_json()}
                reason = Reason(ReasonCode.DIFFERS_FROM_SOURCE, facts)
                return Decision(Change.ADD_AND_PROMOTE_CLAIM, Action.UPDATED, reason, Disagreement.DIFFERS)
    return Decision(Change.WRITE, Action.UPDATED, None if source else _older(entry, current))


def _older(entry: PreparedEntry, current: CurrentRecord) -> Reason | None:
    """Say that the new version is older than the stored one by gmd:dateStamp; None if it is not, or nothing shows it."""
    if entry.metadata_date is None or current.metadata_date is None or entry.metadata_date >= current.metadata_date:
        return None
    facts = {"offered": f"{entry.metadata_date:%Y-%m-%d}", "stored": f"{current.metadata_date:%Y-%m-%d}"}
    return Reason(ReasonCode.OLDER, facts)


class _Version(Protocol):
    """What counts of a version where two are compared (W33)."""

    @property
    def metadata_date(self) -> datetime | None: ...

    @property
    def provenance(self) -> Provenance | None: ...


def is_newer(offered: _Version, current: _Version) -> tuple[bool, Reason]:
    """Return whether the offered version is newer than the current one, and what decided (W33)."""
    return compare_versions(
        origin_of(offered.provenance), offered.metadata_date, origin_of(current.provenance), current.metadata_date
    )


def _decide_for_other(current: CurrentRecord, entry: PreparedEntry, into: MetadataSet, source: str) -> Decision:
    """Decide on an entry of another set, or of another source of the same shared set, for a live record."""
    claimed = current.claims.get((into.pk, source))
    if entry.deleted:
        if claimed is not None and claimed.spelling and not entry.spelling:
            return _UNCHANGED  # this source claims it by another spelling
        leaves = into.pk != current.owner_id and not any(at == into.pk and by != source for at, by in current.claims)
        action = Action.DELETED if leaves else Action.UNCHANGED
        if entry.spelling:  # an old spelling goes, which nobody disputes
            return Decision(Change.DROP_CLAIM, action)
        reason = Reason(ReasonCode.LIVE_AT_OWNER, {"owner": current.owner_spec})
        return Decision(Change.DROP_CLAIM, action, reason, Disagreement.DISPUTED)
    differs, disagreement = None, None
    if current.digest != entry.digest:
        differs = Reason(ReasonCode.DIFFERS, {"owner": current.owner_spec})
        disagreement = Disagreement.DIFFERS
        if into.pk == current.owner_id:  # two sources of one set
            newer, why = is_newer(entry, current)
            if newer:
                reason = Reason(ReasonCode.REPLACES_SOURCE, {"why": why.to_json()})
                return Decision(Change.WRITE_AND_CLAIM_CURRENT, Action.UPDATED, reason)
            facts = {"owner": current.owner_spec, "source": current.source, "why": why.to_json()}
            differs = Reason(ReasonCode.DIFFERS_FROM_SOURCE, facts)
    if entry.spelling:  # a conflict only if it still stands after this source's next complete list (W47)
        differs, disagreement = None, None
    if claimed is not None and claimed.digest == entry.digest and into.pk in current.sets:
        return Decision(Change.NONE, Action.UNCHANGED, differs, disagreement)
    action = Action.UNCHANGED if into.pk in current.sets else Action.UPDATED
    return Decision(Change.ADD_CLAIM, action, differs, disagreement)
