"""Tell which record an entry is of, where the case of an identifier means nothing (`oai.folded`), and change spellings.

Rows go by the exact identifier (P69), but of the spellings of one identifier only one is live (F74), unless one list, or
one batch of uploads, has several live. So an entry whose own identifier has no live row may be of the live record with
another spelling:

    the owner's        the spelling changes: a tombstone of the old one, and a record of the new one, with the sets and the
                       claims; the third change within a week is not made, and only the content is stored
    another source's   a claim on the live record
    a deletion         of that record, if its own spelling was never seen; or of the claim that is spelled so

An upload that does not revive deleted records does not bring back an old spelling either.

`place` is pure. The other functions are called by `catalogue.writing.store` alone; what writes, under the clock's lock.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from catalogue import oai
from catalogue.models import MetadataSet, SpellingChange
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import clock, memberships
from catalogue.writing.decisions import Action, Arrival, Change, CurrentRecord, Decision, decide
from catalogue.writing.entry import PreparedEntry

WINDOW = timedelta(days=7)
MAX_CHANGES = 2  # within WINDOW: A is a, and A again


@dataclass(frozen=True, slots=True)
class Placement:
    """The entries by their own keys, as entries of the records that they are of, with what becomes of them.

    `replaced`: by the key of a record that changes its spelling, the key that it had. `absorbed`: deletions of spellings
    that other entries of the batch change anyhow. `in_question`: keys of entries that may be of a record with another spelling.
    `changing`: the entries that change something.
    """

    entries: dict[str, PreparedEntry] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    replaced: dict[str, str] = field(default_factory=dict)
    absorbed: dict[str, Action] = field(default_factory=dict)
    in_question: list[str] = field(default_factory=list)
    changing: list[PreparedEntry] = field(default_factory=list)

    def of_spellings(self) -> set[str]:
        """Return the keys of the entries that are of records with another spelling."""
        respelled = {key for key, entry in self.entries.items() if entry.spelling}
        return respelled.union(self.replaced, self.absorbed)


def place_entries(
    entries: Mapping[str, PreparedEntry],
    current: Mapping[str, CurrentRecord],
    arrival: Arrival,
    apart: Collection[str] = (),
) -> Placement:
    """Decide about entries of different identifiers; those of a flapping spelling do not change it once more."""
    placement = place(entries, current, arrival, apart)
    if not placement.in_question:
        return placement
    respelled = placement.of_spellings()
    flapping, given_up = find_flapping(respelled), _find_given_up(respelled, arrival)
    return place(entries, current, arrival, apart, flapping, given_up) if flapping or given_up else placement


def place(
    entries: Mapping[str, PreparedEntry],
    current: Mapping[str, CurrentRecord],
    arrival: Arrival,
    apart: Collection[str] = (),
    flapping: Collection[str] = (),
    given_up: Collection[str] = (),
) -> Placement:
    """Decide about entries of different identifiers: of which record each is, and what becomes of it. Pure.

    `apart`: keys that are of records of their own, as their provider has other spellings live as well. `flapping`: folded
    keys whose spelling stays. `given_up`: keys of records that their owner, who sends these entries, deleted lately, and
    that others' claims became.
    """
    placement = Placement()
    spellings = _Spellings(entries, current, arrival, apart)
    placement.in_question.extend(sorted(spellings.in_question, key=lambda key: entries[key].deleted))
    for key in placement.in_question:
        _place_one(key, spellings, placement, flapping, given_up)
    for key, entry in entries.items():
        if key not in placement.entries:
            placement.entries[key] = entry
            action = placement.absorbed.get(key)
            placement.decisions[key] = (
                decide(current.get(key), entry, arrival) if action is None else Decision(Change.NONE, action)
            )
    placement.changing.extend(
        placement.entries[key] for key, decision in placement.decisions.items() if decision.change is not Change.NONE
    )
    return placement


class _Spellings:
    """The live records of a batch by what their spellings share."""

    def __init__(
        self,
        entries: Mapping[str, PreparedEntry],
        current: Mapping[str, CurrentRecord],
        arrival: Arrival,
        apart: Collection[str],
    ) -> None:
        self.entries, self.current, self.arrival = entries, current, arrival
        self.taken: set[str] = set()  # live records that an entry of this batch with another spelling is of
        self._live: dict[str, list[str]] = {}
        self.in_question: dict[str, str] = {}  # keys of entries without a live row of their own, folded
        without_row = [key for key in entries if (row := current.get(key)) is None or (row.deleted and arrival.revives)]
        if without_row:
            for key, record in current.items():
                if not record.deleted and (folded := oai.folded(key)) is not None:
                    self._live.setdefault(folded, []).append(key)
        if self._live:
            for key in without_row:
                folded = oai.folded(key)
                if folded in self._live and key not in apart:
                    self.in_question[key] = folded

    def other(self, key: str) -> str | None:
        """Choose the live record that an entry without a live row of its own may be of; the owner's first."""
        entry = self.entries[key]
        found = [
            other
            for other in self._live[self.in_question[key]]
            if other not in self.taken
            and (other not in self.entries or (self.entries[other].deleted and not entry.deleted))
        ]
        if entry.deleted:
            found = [other for other in found if self._is_deleted_by(other, key)]
        return min(found, key=lambda other: (self.current[other].owner_id != self.arrival.into.pk, other), default=None)

    def _is_deleted_by(self, other: str, key: str) -> bool:
        """Whether a deletion in this spelling means the other: it claims it so, or its own was never seen."""
        claim = self.current[other].claims.get((self.arrival.into.pk, self.arrival.source))
        if claim is not None and claim.spelling == key:
            return True
        return key not in self.current and not self.arrival.known_only


def _place_one(
    key: str, spellings: _Spellings, placement: Placement, flapping: Collection[str], given_up: Collection[str]
) -> None:
    """Place an entry without a live row of its own."""
    other = spellings.other(key)
    if other is None:
        return
    arrival, entry, record = spellings.arrival, spellings.entries[key], spellings.current[other]
    placed = entry.called(other, record.identifier, entry.key)
    decision = decide(record, placed, arrival)
    if other in given_up and decision.change is Change.ADD_CLAIM:  # its deletion was the first half of this change
        decision = Decision(Change.WRITE_AND_CLAIM_CURRENT, Action.UPDATED)
    takes_over = not entry.deleted and _takes_over(decision, record, placed, arrival)
    if takes_over and spellings.in_question[key] not in flapping:
        change = Change.WRITE if decision.change is Change.NONE else decision.change
        placed, decision = entry, Decision(change, Action.UPDATED, decision.reason)
        placement.replaced[key] = other
    elif takes_over:
        reason = Reason(ReasonCode.SPELLING_STAYS, {"spelling": key, "stored": other})
        decision = Decision(decision.change, decision.action, decision.reason or reason)
    placement.entries[key], placement.decisions[key] = placed, decision
    if decision.action is not Action.REJECTED:
        spellings.taken.add(other)
        if other in spellings.entries and not entry.deleted:  # its deletion, in the same batch
            placement.absorbed[other] = Action.DELETED if key in placement.replaced else Action.UNCHANGED


def _takes_over(decision: Decision, record: CurrentRecord, entry: PreparedEntry, arrival: Arrival) -> bool:
    """Whether the entry becomes what is served, so that its spelling counts; or is served, and its spelling did not count."""
    if decision.change is Change.NONE:
        is_served = record.owner_id == arrival.into.pk and record.digest == entry.digest
        return decision.action is Action.UNCHANGED and is_served and record.spelling == entry.spelling
    return decision.change in (Change.WRITE, Change.WRITE_AND_CLAIM_CURRENT)


def record_of(key: str, current: Mapping[str, CurrentRecord]) -> CurrentRecord | None:
    """Return the record that an identifier means: its own, live or deleted, else the live one with another spelling.

    `current`: as `load_current_in_any_case` gives it.
    """
    if key in current or not current:
        return current.get(key)
    folded = oai.folded(key)
    found = [other for other in current if oai.folded(other) == folded and not current[other].deleted]
    return current[min(found)] if found and folded is not None else None


# --- Statements --------------------------------------------------------------------------------------


def find_flapping(keys: Iterable[str]) -> set[str]:
    """Return of these keys, folded, those whose spelling has changed so often within the week that it stays now."""
    found: dict[str, int] = {}
    since = clock.database_now() - WINDOW
    shared = {folded for key in keys if (folded := oai.folded(key)) is not None}
    changes = SpellingChange.objects.filter(folded__in=shared, datestamp__gt=since).exclude(new="")
    for folded in changes.values_list("folded", flat=True):
        found[folded] = found.get(folded, 0) + 1
    return {folded for folded, number in found.items() if number >= MAX_CHANGES}


def _find_given_up(keys: Iterable[str], arrival: Arrival) -> set[str]:
    """Return the keys of live records with other spellings of these that the owner of this set deleted within the week."""
    shared = {folded for key in keys if (folded := oai.folded(key)) is not None}
    since = clock.database_now() - WINDOW
    halves = SpellingChange.objects.filter(folded__in=shared, datestamp__gt=since, new="", owner=arrival.into)
    return set(halves.values_list("old", flat=True))


def note_given_up(keys: Sequence[str], owner: MetadataSet, stamp: datetime) -> None:
    """Store that the owner of these records deleted them, and that others claim them."""
    given_up = [
        SpellingChange(folded=folded, old=key, owner=owner, datestamp=stamp)
        for key in keys
        if (folded := oai.folded(key))
    ]
    if given_up:
        _note(given_up, stamp)


def replace(
    replaced: Mapping[str, str], owner: MetadataSet, stamp: datetime, *, without_set: int | None = None
) -> None:
    """Give the new records the sets and the claims of the old ones, and make tombstones of these.

    `replaced`: the keys of the old by those of the new, which are written. `without_set`: the new ones do not join this set.
    Call `update_dependents` with both afterwards.
    """
    if not replaced:
        return
    pairs = {"new": list(replaced), "old": list(replaced.values()), "stamp": stamp}
    memberships.execute(_JOIN_SETS, without_set=without_set, **pairs)
    memberships.execute(_DROP_DAMAGED, **pairs)
    memberships.execute(_MOVE_CLAIMS, **pairs)
    memberships.execute(_COPY_CATEGORIES, **pairs)
    memberships.make_tombstones(list(replaced.values()), stamp)
    changes = (
        SpellingChange(folded=oai.folded(new) or new, old=old, new=new, owner=owner, datestamp=stamp)
        for new, old in replaced.items()
    )
    _note(changes, stamp)


_PAIRS = """unnest(%(new)s::text[], %(old)s::text[]) AS pair (new, old)
    JOIN catalogue_record n ON n.key = pair.new JOIN catalogue_record o ON o.key = pair.old"""
_JOIN_SETS = f"""
    INSERT INTO catalogue_membership (record_id, set_id, datestamp, deleted, direct, audience)
    SELECT n.id, m.set_id, %(stamp)s, false, true, n.audience
    FROM {_PAIRS} JOIN catalogue_membership m ON m.record_id = o.id
    WHERE m.direct AND NOT m.deleted AND m.set_id IS DISTINCT FROM %(without_set)s
    ON CONFLICT (record_id, set_id) DO UPDATE
    SET datestamp = excluded.datestamp, deleted = false, direct = true
"""
_COPY_CATEGORIES = """
    INSERT INTO catalogue_recordcategory (key, category_id)
    SELECT pair.new, c.category_id FROM unnest(%(new)s::text[], %(old)s::text[]) AS pair (new, old)
    JOIN catalogue_recordcategory c ON c.key = pair.old
    ON CONFLICT (key) DO NOTHING
"""
_DROP_DAMAGED = f"DELETE FROM catalogue_claim c USING {_PAIRS} WHERE c.record_id = n.id"  # what a tombstone may have
_MOVE_CLAIMS = f"""
    UPDATE catalogue_claim c SET record_id = n.id, first_seen = %(stamp)s, spelling = CASE c.spelling
        WHEN '' THEN o.key WHEN n.key THEN '' ELSE c.spelling END
    FROM {_PAIRS} WHERE c.record_id = o.id
"""


def _note(changes: Iterable[SpellingChange], stamp: datetime) -> None:
    SpellingChange.objects.filter(datestamp__lte=stamp - WINDOW).delete()
    SpellingChange.objects.bulk_create(changes)


def both(replaced: Mapping[str, str]) -> Sequence[str]:
    """Return the keys of the new records and of the old ones."""
    return [*replaced, *replaced.values()]
