"""Replay the journal: restore the deletions in a catalogue that was rebuilt, or restored from a backup (W11).

A writer (S8): each batch is one short transaction that takes the clock's lock and a datestamp before it decides what
to write.

The last events of a record count, in the order of the journal. Neither our datestamps count, which after a rebuild are
all later than the deletion, nor the stored content, which in an archive may be any version. If the last event is
"deleted", the record becomes a tombstone; ingesting it again brings it back, with an event of its own. If it moved to
another owner, or came back in another set, it is moved there. Then it is deleted in the lists of every set that it had
left, because that set has harvesters of its own. A record that is a member of a set now is never taken out of it:
it was stored there on purpose since.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from catalogue import journal, oai, seams
from catalogue.documents import xml_tree
from catalogue.journal import Event, JournalLimits, LastEvents
from catalogue.models import JournalOutbox, Membership, MetadataSet, Record
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import clock, memberships, set_inclusion, store
from catalogue.writing.current import load_current
from catalogue.writing.decisions import Action, CurrentRecord, Result
from catalogue.writing.entry import PreparedEntry

_MAX_REASONS = 1000
_MARK_AHEAD = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ReplayLimits:
    """How much a replay does at a time."""

    batch: int = 1000  # records; chosen: holds the writers' lock for about a tenth of a second
    journal: JournalLimits = journal.DEFAULTS


DEFAULTS = ReplayLimits()


@dataclass(slots=True)
class ReplayReport:
    """What a replay did.

    `deleted`: tombstones made. `moved`: records given to the owner they had moved to. `departed`: records that are
    deleted again in a set that they had left. `unchanged`: nothing to do. `left_alone`: not done; `left` has the
    reasons of the first thousand. `damaged`: lines of the journal that could not be read.
    """

    events: int = 0
    deleted: int = 0
    moved: int = 0
    departed: int = 0
    unchanged: int = 0
    left_alone: int = 0
    left: list[Result] = field(default_factory=list)
    damaged: list[journal.DamagedLine] = field(default_factory=list)

    def note(self, results: Iterable[Result]) -> None:
        for result in results:
            match result.action:
                case Action.DELETED:
                    self.deleted += 1
                case Action.UPDATED:
                    self.moved += 1
                case Action.UNCHANGED:
                    self.unchanged += 1
                case _:
                    self.left_alone += 1
                    if len(self.left) < _MAX_REASONS:
                        self.left.append(result)


def replay(path: Path, limits: ReplayLimits = DEFAULTS) -> ReplayReport:
    """Replay a journal from a file or a folder. Idempotent. Raises OSError.

    The node's own journal is read after the given one, so that an old export does not undo what has happened since.
    Left alone and reported: records that came back, that now belong to a set that the journal does not name, or that
    left sets and are not in the catalogue; replay again when those were ingested or harvested.
    """
    ours = Path(settings.GISC_JOURNAL_DIR)
    readers = [journal.JournalReader(path)]
    if ours.is_dir() and ours.resolve() != path.resolve():
        readers.append(journal.JournalReader(ours))
    report = ReplayReport()
    by_record = journal.last_events(_raising_mark(chain(*readers, journal.outbox_events())), limits.journal)
    while batch := list(islice(by_record, limits.batch)):
        _replay_batch(batch, report)
    report.events = readers[0].events
    report.damaged = [damage for reader in readers for damage in reader.damaged]
    return report


def _raising_mark(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events; then, before anything is written, raise the clock's mark to the latest datestamp among them.

    A rebuilt database does not know its latest datestamp. Datestamps more than a day ahead are ignored: the operator
    has `catalogue restamp --clock` for them.
    """
    limit = seams.now() + _MARK_AHEAD
    latest = None
    for event in events:
        if event.datestamp <= limit and (latest is None or event.datestamp > latest):
            latest = event.datestamp
        yield event
    if latest is not None and latest > clock.current_mark():
        clock.raise_mark(latest)


def _replay_batch(batch: Sequence[LastEvents], report: ReplayReport) -> None:
    with transaction.atomic():
        sets_by_spec = _load_sets(batch)
        plan, departures = _plan_records(batch, sets_by_spec), _plan_departures(batch, sets_by_spec)
        departed = 0
        if plan.deletions or plan.moves or departures.to_end:
            stamp = clock.take_stamp()
            plan = _plan_records(batch, sets_by_spec)  # now no other writer can change them
            plan.results.extend(_make_tombstones(plan.deletions, sets_by_spec, stamp))
            for into, identifiers in plan.moves.items():
                plan.results.extend(store.move(identifiers, into=into))
            departures = _plan_departures(batch, sets_by_spec)
            for left_set, keys in departures.to_end.items():
                memberships.add_ended(keys, left_set.pk, stamp)
                departed += len(keys)
    report.note(plan.results + departures.results)
    report.departed += departed


# --- Deleted and moved records ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to do about records as a whole.

    `deletions`: by the set and the source that the deletion is stored as coming from. `moves`: identifiers by the new
    owner. `results`: of the records that need neither.
    """

    deletions: dict[tuple[MetadataSet, str], list[tuple[PreparedEntry, Event]]] = field(default_factory=dict)
    moves: dict[MetadataSet, list[str]] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)


def _plan_records(batch: Sequence[LastEvents], sets_by_spec: Mapping[str, MetadataSet]) -> _Plan:
    """Plan what to do about the last events of some records."""
    keys = [oai.oai_identifier(last.identifier) for last in batch]
    current = load_current(keys)
    plan = _Plan()
    for key, last in zip(keys, batch, strict=True):
        record = current.get(key)
        if last.event is None:
            continue
        if last.event.event == JournalOutbox.Event.DELETED:
            _plan_deletion(last.event, last, record, sets_by_spec, plan)
        elif record and not record.deleted:
            _plan_live(last.event, last, record, sets_by_spec, plan)
    return plan


def _plan_deletion(
    event: Event, last: LastEvents, record: CurrentRecord | None, sets_by_spec: Mapping[str, MetadataSet], plan: _Plan
) -> None:
    if record and record.deleted:
        plan.results.append(Result(event.identifier, Action.UNCHANGED))
        return
    # An archive may have stored it into a set that it had left before it was deleted.
    if record and event.set_specs and not (record.owner_spec in event.set_specs or last.has_left(record.owner_spec)):
        facts = {"owner": record.owner_spec, "sets": list(event.set_specs)}
        plan.results.append(_left_alone(event, Reason(ReasonCode.DELETED_IN_OTHER_SET, facts)))
        return
    owner_and_source = (
        (sets_by_spec[record.owner_spec], record.source) if record else (_set_of_deletion(sets_by_spec, event), "")
    )
    try:
        plan.deletions.setdefault(owner_and_source, []).append((store.prepare_deletion(event.identifier), event))
    except xml_tree.Unusable as exc:
        plan.results.append(_left_alone(event, exc.reason))


def _plan_live(
    event: Event, last: LastEvents, record: CurrentRecord, sets_by_spec: Mapping[str, MetadataSet], plan: _Plan
) -> None:
    """Plan what to do about a live record whose last event is that it came back, or moved to another owner."""
    came_back = event.event == JournalOutbox.Event.RETURNED
    if event.set_specs and record.owner_spec not in event.set_specs and last.has_left(record.owner_spec):
        # An archive stored it into a set that it had left. `store` rejects the move if it came by a link.
        plan.moves.setdefault(sets_by_spec[event.set_specs[0]], []).append(event.identifier)
    elif came_back:
        plan.results.append(_left_alone(event, Reason(ReasonCode.CAME_BACK, {"date": f"{event.datestamp:%Y-%m-%d}"})))
    elif record.owner_spec in event.set_specs:
        plan.results.append(Result(event.identifier, Action.UNCHANGED))
    else:
        facts = {"owner": record.owner_spec, "sets": list(event.set_specs)}
        plan.results.append(_left_alone(event, Reason(ReasonCode.MOVED_TO_OTHER_SET, facts)))


def _left_alone(event: Event, reason: Reason) -> Result:
    return Result(event.identifier, Action.REJECTED, reason)


def _load_sets(batch: Iterable[LastEvents]) -> dict[str, MetadataSet]:
    """Load all sets by setSpec. A set of the events that this database does not have is added as a peer's."""
    sets_by_spec = {metadata_set.spec: metadata_set for metadata_set in MetadataSet.objects.all()}
    events = (event for last in batch for event in (last.event, *last.left) if event)
    for spec in {spec for event in events for spec in event.set_specs} - sets_by_spec.keys():
        sets_by_spec[spec] = set_inclusion.ensure_set(spec)
    return sets_by_spec


def _set_of_deletion(sets_by_spec: Mapping[str, MetadataSet], event: Event) -> MetadataSet:
    """Choose the set that a deletion is stored into: our own, if the event names it or no set at all."""
    own = next(candidate for candidate in sets_by_spec.values() if candidate.kind == MetadataSet.Kind.OWN)
    return own if not event.set_specs or own.spec in event.set_specs else sets_by_spec[event.set_specs[0]]


def _make_tombstones(
    deletions: Mapping[tuple[MetadataSet, str], list[tuple[PreparedEntry, Event]]],
    sets_by_spec: Mapping[str, MetadataSet],
    stamp: datetime,
) -> list[Result]:
    results = []
    for (into, source), batch in deletions.items():
        batch_results = store.put_entries([entry for entry, _ in batch], into=into, source=source)
        results += batch_results
        deleted = [
            event for (_, event), result in zip(batch, batch_results, strict=True) if result.action is Action.DELETED
        ]
        _add_to_other_sets(deleted, into, sets_by_spec, stamp)
    return results


def _add_to_other_sets(
    events: Iterable[Event], into: MetadataSet, sets_by_spec: Mapping[str, MetadataSet], since: datetime
) -> None:
    """Make the tombstones that were just stored in `into` deleted members of all the sets they were in (P84).

    Their events, in the outbox since `since`, get these sets as well, for the next replay.
    """
    others: dict[str, list[str]] = {}
    for event in events:
        for spec in event.set_specs:
            if spec != into.spec:
                others.setdefault(spec, []).append(oai.oai_identifier(event.identifier))
    for spec, keys in others.items():
        stamp = Record.objects.values_list("datestamp", flat=True).get(key=keys[0])  # the same for all of them
        memberships.join(keys, sets_by_spec[spec].pk, stamp)
        memberships.derive(keys, stamp)
        values: dict[str, Any] = {"spec": spec, "keys": keys, "since": since}
        values["deleted"] = JournalOutbox.Event.DELETED.value
        with connection.cursor() as cursor:
            cursor.execute(
                """
                UPDATE catalogue_record
                SET set_specs = ARRAY(SELECT DISTINCT unnest(set_specs || %(spec)s::text) ORDER BY 1)
                WHERE key = ANY(%(keys)s)
                """,
                values,
            )
            cursor.execute(
                """
                UPDATE catalogue_journaloutbox o SET set_specs = r.set_specs FROM catalogue_record r
                WHERE r.key = ANY(%(keys)s) AND o.identifier = r.identifier
                AND o.event = %(deleted)s AND o.datestamp >= %(since)s
                """,
                values,
            )


# --- Sets that records had left ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Departures:
    """`to_end`: by set, the keys of records that need an ended membership there. `results`: of the other departures."""

    to_end: dict[MetadataSet, list[str]] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)


def _plan_departures(batch: Sequence[LastEvents], sets_by_spec: Mapping[str, MetadataSet]) -> _Departures:
    """Plan what to do about the sets that some records had left."""
    departures = _Departures()
    leaving = [(oai.oai_identifier(last.identifier), last) for last in batch if last.left]
    keys = [key for key, _ in leaving]
    stored = set(Record.objects.filter(key__in=keys).values_list("key", flat=True))
    rows = Membership.objects.filter(record__key__in=keys).values_list("record__key", "set__spec", "deleted")
    ended = {(key, spec): deleted for key, spec, deleted in rows}
    for key, last in leaving:
        for event in last.left:
            (spec,) = event.set_specs
            if key not in stored:
                reason = Reason(ReasonCode.LEFT_AND_NOT_STORED, {"set": spec})
                departures.results.append(_left_alone(event, reason))
            elif (key, spec) not in ended:
                departures.to_end.setdefault(sets_by_spec[spec], []).append(key)
            elif ended[key, spec]:
                departures.results.append(Result(event.identifier, Action.UNCHANGED))
            else:
                facts = {"set": spec, "date": f"{event.datestamp:%Y-%m-%d}"}
                reason = Reason(ReasonCode.LEFT_AND_MEMBER, facts)
                departures.results.append(_left_alone(event, reason))
    return departures
