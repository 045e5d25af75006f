"""What an operator does about conflicts, one or many at once, and how it is undone: for the administration and the command line.

Each act takes any number of conflicts. It settles those that it fits, in batches, each in one transaction with what it
changes in the catalogue: whenever it ends, a conflict is settled and its record changed, or neither.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import ngettext_lazy

from catalogue import bootstrap
from catalogue.documents import xml_tree
from catalogue.models import MetadataSet, Record
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.reasons import Reason
from catalogue.writing import store
from catalogue.writing.decisions import Result
from catalogue.writing.entry import PreparedEntry
from harvester.guards import shared_set_backup
from harvester.models import Conflict, Link
from harvester.reasons import ActCode, EntryCode, SettlementCode
from harvester.rows import conflicts, links, remote_headers

Kind = Conflict.Kind
BATCH = 250  # chosen: conflicts in a transaction; it keeps the writers' lock for less than a second


class Act(StrEnum):
    """What can be done about a conflict."""

    LEAVE = "leave"  # keep ours; it comes up again when the provider's copy changes
    SILENCE = "silence"  # keep ours, whatever the provider has of it
    HAND_OVER = "hand_over"  # theirs: the record moves to the provider's set
    WITHDRAW = "withdraw"  # theirs: the record is deleted here, too
    TAKE_OVER = "take_over"  # theirs: the co-owner's version replaces ours


_WITH_OTHER_VERSION = frozenset({Kind.MISPLACED, Kind.DIFFERS, Kind.TAKEN})
_GONE = frozenset({Kind.VANISHED, Kind.RENAMED, Kind.MASS})


@dataclass(slots=True)
class Outcome:
    """What became of conflicts: those that are settled or open again, and why others are not."""

    done: list[Conflict] = field(default_factory=list)
    refused: list[tuple[Conflict, Reason]] = field(default_factory=list)
    unknown: int = 0  # settled meanwhile, or gone


def acts_of(conflict: Conflict) -> tuple[Act, ...]:
    """Return the acts that fit a conflict that is open; none for one that is settled."""
    if conflict.settled is not None:
        return ()
    return tuple(act for act in Act if why_not(act, conflict) is None)


def acts_of_kind(kind: str) -> tuple[Act, ...]:
    """Return the acts that fit some conflicts of a kind; all of them for none."""
    fitting = {
        Act.SILENCE: _WITH_OTHER_VERSION,
        Act.HAND_OVER: {Kind.MISPLACED},
        Act.WITHDRAW: _GONE | {Kind.DISPUTED},
        Act.TAKE_OVER: {Kind.OFFERED},
    }
    return tuple(act for act in Act if not kind or act not in fitting or kind in fitting[act])


def why_not(act: Act, conflict: Conflict) -> Reason | None:
    """Return why this act does not fit a conflict; None if it does."""
    kind = conflict.kind
    if act is Act.SILENCE and (kind not in _WITH_OTHER_VERSION or conflict.digest is None):
        return Reason(ActCode.NOT_SILENCED)
    if act is Act.HAND_OVER and (kind != Kind.MISPLACED or conflict.link.local_set.kind == MetadataSet.Kind.OWN):
        return Reason(ActCode.NOT_MISPLACED)
    if act is Act.WITHDRAW and kind not in _GONE and conflict.reason != EntryCode.DELETED_AND_LIVE:
        return Reason(ActCode.NOT_GONE)
    if act is Act.TAKE_OVER and kind != Kind.OFFERED:
        return Reason(ActCode.NOT_OFFERED)
    return None


@dataclass(frozen=True, slots=True)
class Plan:
    """What an act would do to some conflicts: those that it fits, and how many it does not fit, by the reason."""

    act: Act
    fitting: tuple[Conflict, ...]
    unfit: Mapping[str, int]

    def says(self) -> str:
        """Return what will happen, with counts, as sentences."""
        number = len(self.fitting)
        facts = {
            "number": number,
            "sets": ", ".join(sorted({conflict.link.local_set.spec for conflict in self.fitting})),
            "links": ", ".join(sorted({conflict.link.name for conflict in self.fitting})),
            "deletions": sum(conflict.digest is None for conflict in self.fitting),
        }
        return str(_SAYS[self.act].format(**facts))


def plan(act: Act, rows: Iterable[Conflict]) -> Plan:
    """Return what an act would do to these conflicts; it changes nothing. Their links and sets are loaded with them."""
    fitting: list[Conflict] = []
    unfit: dict[str, int] = {}
    for conflict in rows:
        reason = why_not(act, conflict) if conflict.settled is None else Reason(ActCode.SETTLED_ALREADY)
        if reason is None:
            fitting.append(conflict)
        else:
            unfit[str(reason)] = unfit.get(str(reason), 0) + 1
    return Plan(act, tuple(fitting), unfit)


_SAYS = {
    Act.LEAVE: ngettext_lazy(
        "Nothing changes here. It comes up again only when the provider's copy changes. Can be undone.",
        "Nothing changes here for {number} records. Each comes up again only when the provider's copy changes. Can be undone.",
        "number",
    ),
    Act.SILENCE: ngettext_lazy(
        "Nothing changes here, and whatever version {links} has of it later, it does not come up again. "
        "A deletion does. Can be undone.",
        "Nothing changes here for {number} records, and whatever versions {links} has of them later, they do not come up "
        "again. Deletions do. Can be undone.",
        "number",
    ),
    Act.HAND_OVER: ngettext_lazy(
        "The record moves from our own set to {sets}: harvesters of our set see it deleted. The next run of {links} "
        "fetches the provider's version, which takes the place of ours. Can be undone until then.",
        "{number} records move from our own set to {sets}: harvesters of our set see them deleted. The next runs of {links} "
        "fetch the provider's versions, which take the place of ours. Can be undone until then.",
        "number",
    ),
    Act.WITHDRAW: ngettext_lazy(
        "The record is deleted here, too, and harvesters of {sets} are told so. Can be undone: it comes back with our version.",
        "{number} records are deleted here, too, and harvesters of {sets} are told so. "
        "Can be undone: they come back with our versions.",
        "number",
    ),
    Act.TAKE_OVER: ngettext_lazy(
        "The co-owner's version takes the place of what {sets} has here. Look at what differs, and tell the co-owner's "
        "operators first: the same must not be done on both sides at once. Can be undone where we had a version.",
        "{number} versions of the co-owner, {deletions} of them deletions, take the place of what {sets} has here. Look at "
        "what differs, and tell the co-owner's operators first: the same must not be done on both sides at once. "
        "Can be undone where we had a version.",
        "number",
    ),
}


def can_undo(conflict: Conflict) -> bool:
    """Whether a person settled it, so that `undo` may succeed."""
    return conflict.settled is not None and conflict.settlement in _UNDO


def settle(act: Act, pks: Sequence[int], by: str) -> Outcome:
    """Do this about the conflicts that are open and that it fits. `by`: who, for the log."""
    outcome = Outcome()
    for batch in _batches(pks):
        with transaction.atomic():
            rows = _load(batch, outcome, settled=None)
            unfit = {conflict.pk: reason for conflict in rows if (reason := why_not(act, conflict)) is not None}
            for group in _by_link(_without(unfit, rows, outcome)):
                refused = _DO[act](group[0].link, group)
                done = _without(refused, group, outcome)
                facts = {"by": by} | ({"set": group[0].link.local_set.spec} if act is Act.HAND_OVER else {})
                conflicts.settle(done, _SETTLEMENTS[act], facts)
                outcome.done += done
    return outcome


def undo(pks: Sequence[int]) -> Outcome:
    """Undo what settled these conflicts, and let them wait again, where the record is still as the act has left it."""
    outcome = Outcome()
    for batch in _batches(pks):
        with transaction.atomic():
            rows = _load(batch, outcome, settled__isnull=False)
            unfit = {row.pk: Reason(ActCode.NOT_SETTLED_BY_ACT) for row in rows if not can_undo(row)}
            fitting = _without(unfit, rows, outcome)
            for code in dict.fromkeys(conflict.settlement for conflict in fitting):
                group = [conflict for conflict in fitting if conflict.settlement == code]
                done = _without(_UNDO[code](group), group, outcome)
                conflicts.reopen(done)
                outcome.done += done
    return outcome


def _batches(pks: Sequence[int]) -> Iterator[Sequence[int]]:
    return (pks[begin : begin + BATCH] for begin in range(0, len(pks), BATCH))


def _load(pks: Sequence[int], outcome: Outcome, **state: Any) -> list[Conflict]:
    rows = Conflict.objects.filter(pk__in=pks, **state).order_by("link_id", "pk")
    found = list(rows.select_related("link__local_set", "link__serving").defer("raw", "ours"))
    outcome.unknown += len(pks) - len(found)
    return found


def _by_link(rows: Sequence[Conflict]) -> list[list[Conflict]]:
    return [list(group) for _, group in groupby(rows, key=lambda conflict: conflict.link_id)]


def _without(refused: Mapping[int, Reason], rows: Sequence[Conflict], outcome: Outcome) -> list[Conflict]:
    """Return the conflicts that are not refused; the outcome gets the others."""
    outcome.refused += [(conflict, refused[conflict.pk]) for conflict in rows if conflict.pk in refused]
    return [conflict for conflict in rows if conflict.pk not in refused]


# --- Settling ---------------------------------------------------------------------------------------


def _rejections(rows: Sequence[Conflict], results: Sequence[Result]) -> dict[int, Reason]:
    return {
        conflict.pk: conflicts.not_stored(result.rejection)
        for conflict, result in zip(rows, results, strict=True)
        if result.rejection is not None
    }


def _hand_over(link: Link, rows: Sequence[Conflict]) -> Mapping[int, Reason]:
    """Move misplaced records from our own set to the provider's, and ask for its versions in the next run."""
    refused = _rejections(rows, store.move([conflict.key for conflict in rows], into=link.local_set))
    conflicts.request_versions(link, [conflict for conflict in rows if conflict.pk not in refused])
    return refused


def _withdraw(link: Link, rows: Sequence[Conflict]) -> Mapping[int, Reason]:
    """Delete records here that the provider has deleted, no longer knows, or lists under another identifier."""
    ours = _our_versions(rows)
    refused: dict[int, Reason] = {}
    disputed = [conflict for conflict in rows if conflict.kind == Kind.DISPUTED]
    if disputed:
        results = store.withdraw([conflict.key for conflict in disputed], only_from=link.local_set)
        refused |= _rejections(disputed, results)
    gone = [conflict for conflict in rows if conflict.kind != Kind.DISPUTED]
    if gone:
        entries = [store.prepare_deletion(conflict.key) for conflict in gone]
        refused |= _rejections(gone, store.put_entries(entries, into=link.local_set, source=link.name))
        remote_headers.mark_deleted(link, [conflict.key for conflict in gone if conflict.pk not in refused])
    if any(conflict.kind == Kind.MASS for conflict in gone):
        links.accept_deletions(link)
    conflicts.keep_ours(ours)  # after the writers' lock is taken: a run takes them in this order, too
    return refused


def _take_over(link: Link, rows: Sequence[Conflict]) -> Mapping[int, Reason]:
    ours = _our_versions(rows)
    with_versions = Conflict.objects.filter(pk__in=[conflict.pk for conflict in rows]).defer("ours")
    refused = shared_set_backup.take_over(link, list(with_versions.order_by("pk")))
    conflicts.keep_ours(ours)
    return refused


def _nothing_changes(_link: Link, _rows: Sequence[Conflict]) -> Mapping[int, Reason]:
    return {}


_DO: Mapping[Act, Callable[[Link, Sequence[Conflict]], Mapping[int, Reason]]] = {
    Act.LEAVE: _nothing_changes,
    Act.SILENCE: _nothing_changes,
    Act.HAND_OVER: _hand_over,
    Act.WITHDRAW: _withdraw,
    Act.TAKE_OVER: _take_over,
}
_SETTLEMENTS = {
    Act.LEAVE: SettlementCode.LEFT,
    Act.SILENCE: SettlementCode.SILENCED,
    Act.HAND_OVER: SettlementCode.HANDED_OVER,
    Act.WITHDRAW: SettlementCode.DELETED,
    Act.TAKE_OVER: SettlementCode.TAKEN_OVER,
}


def _our_versions(rows: Sequence[Conflict]) -> dict[int, tuple[bytes | None, Provenance | None]]:
    """Load our versions of records that are live, by the conflict's pk; None where there is none that can be read."""
    stored = Record.objects.filter(key__in=[conflict.key for conflict in rows], deleted=False)
    found = {
        key: (payload.unpack_or_log(packed, identifier=key), Provenance.from_json(origin) if origin else None)
        for key, packed, origin in stored.values_list("key", "payload", "provenance")
        if packed is not None
    }
    return {conflict.pk: found.get(conflict.key, (None, None)) for conflict in rows}


# --- Undoing ----------------------------------------------------------------------------------------


def _nothing_to_bring_back(_rows: Sequence[Conflict]) -> Mapping[int, Reason]:
    return {}


def _take_back(rows: Sequence[Conflict]) -> Mapping[int, Reason]:
    """Move records that were handed over to our own set again, if the provider's version has not replaced ours."""
    handed = Record.objects.filter(key__in=[conflict.key for conflict in rows], deleted=False)
    owners = dict(handed.values_list("key", "owner"))
    refused = {
        conflict.pk: Reason(ActCode.CHANGED_SINCE)
        for conflict in rows
        if owners.get(conflict.key) != conflict.link.local_set_id
    }
    left = [conflict for conflict in rows if conflict.pk not in refused]
    return refused | _rejections(left, store.move([conflict.key for conflict in left], into=bootstrap.own_set()))


class _Former(NamedTuple):
    """A version that is to be stored again."""

    conflict: Conflict
    entry: PreparedEntry
    source: str


def _bring_back(rows: Sequence[Conflict]) -> Mapping[int, Reason]:
    """Store our versions again that an act has deleted or replaced, as they came."""
    keys = [conflict.key for conflict in rows]
    now = dict(Record.objects.filter(key__in=keys).values_list("key", "digest"))
    versions = dict(Conflict.objects.filter(pk__in=[conflict.pk for conflict in rows]).values_list("pk", "ours"))
    refused: dict[int, Reason] = {}
    former: list[_Former] = []
    for conflict in rows:
        document = versions.get(conflict.pk)
        left = conflict.digest if conflict.settlement == SettlementCode.TAKEN_OVER else None
        if document is None:
            refused[conflict.pk] = Reason(ActCode.NO_FORMER_VERSION)
        elif conflict.key not in now or _as_bytes(now[conflict.key]) != _as_bytes(left):
            refused[conflict.pk] = Reason(ActCode.CHANGED_SINCE)
        else:
            provenance = Provenance.from_json(conflict.ours_provenance) if conflict.ours_provenance else None
            try:
                entry = store.prepare(bytes(document), provenance=provenance)
            except xml_tree.Unusable as exc:
                refused[conflict.pk] = conflicts.not_stored(exc.reason)
                continue
            entry = entry if entry.key == conflict.key else entry.called(conflict.key, conflict.key)
            former.append(_Former(conflict, entry, provenance.link if provenance else ""))
    former.sort(key=lambda each: (each.conflict.link_id, each.source))
    for (_link, source), group in groupby(former, key=lambda each: (each.conflict.link_id, each.source)):
        again = list(group)
        link = again[0].conflict.link
        results = store.put_entries([each.entry for each in again], into=link.local_set, source=source)
        refused |= _rejections([each.conflict for each in again], results)
        live = [each.conflict.key for each in again if each.conflict.pk not in refused]
        if again[0].conflict.settlement == SettlementCode.DELETED:
            remote_headers.mark_deleted(link, live, deleted=False)
    return refused


def _as_bytes(value: bytes | memoryview | None) -> bytes | None:
    return None if value is None else bytes(value)


_UNDO: Mapping[str, Callable[[Sequence[Conflict]], Mapping[int, Reason]]] = {
    SettlementCode.LEFT: _nothing_to_bring_back,
    SettlementCode.SILENCED: _nothing_to_bring_back,
    SettlementCode.HANDED_OVER: _take_back,
    SettlementCode.DELETED: _bring_back,
    SettlementCode.TAKEN_OVER: _bring_back,
}
