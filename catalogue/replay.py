"""Replay the journal: restore the deletions in a catalogue that was rebuilt, or restored from a backup (W11).

A writer (S8): each batch is one short transaction that takes the clock's lock and a datestamp before it decides what
to write.

The last events of a record count, in the order of the journal. Neither our datestamps count, which after a rebuild are
all later than the deletion, nor the stored content, which in an archive may be any version. If the last event is
"deleted", the record becomes a tombstone; ingesting it again brings it back, with an event of its own. If it moved to
another owner, or came back in another set, it is moved there. Then it is deleted in the lists of every set that it had
left, because that set has harvesters of its own. A record that is a member of a set now is never taken out of it:
it was stored there on purpose since.

If the database is behind the files, a new epoch begins before anything is written, and the node is ready afterwards.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils.translation import gettext

from catalogue import journal, journal_state, oai, seams
from catalogue.documents import xml_tree
from catalogue.history import History, LastEvents, Missing
from catalogue.journal import Event, JournalLimits, Position
from catalogue.models import JournalOutbox, JournalPosition, Membership, MetadataSet, Record
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import clock, memberships, set_inclusion, store, visibility
from catalogue.writing.current import load_current
from catalogue.writing.decisions import Action, CurrentRecord, Result
from catalogue.writing.entry import PreparedEntry

_MAX_REASONS = 1000
MARK_AHEAD = timedelta(days=1)  # a datestamp later than that does not raise the clock's mark


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
    reasons of the first thousand. `damaged`: lines of the journal that could not be read. `missing`: numbers of events
    that no file has. `conflicts`: numbers that two different events have. `epoch`: the one that was begun, if any.
    """

    events: int = 0
    deleted: int = 0
    moved: int = 0
    departed: int = 0
    unchanged: int = 0
    left_alone: int = 0
    left: list[Result] = field(default_factory=list)
    damaged: list[journal.DamagedLine] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    conflicts: list[Position] = field(default_factory=list)
    epoch: int | None = None

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


class HistoryIncomplete(Exception):
    """Events are missing in the files. Nothing was changed."""

    def __init__(self, missing: Sequence[Missing]) -> None:
        super().__init__(gettext("events are missing: {events}").format(events=", ".join(map(str, missing))))
        self.missing = missing


def replay(
    paths: Sequence[Path], *, accept_gap: bool = False, restoring: bool = False, limits: ReplayLimits = DEFAULTS
) -> ReplayReport:
    """Replay the journal from files and folders: those of all hosts that shared the database. Idempotent.

    The node's own folder is always read as well. `accept_gap`: go on though events are missing. `restoring`: begin a new
    epoch even if the files do not show that the database is behind. Raises OSError and HistoryIncomplete.
    Left alone and reported: records that came back, that now belong to a set that the journal does not name, or that
    left sets and are not in the catalogue; replay again when those were ingested or harvested.
    """
    with History(paths, limits.journal) as history:
        report = ReplayReport(
            events=history.events,
            damaged=history.damaged,
            missing=history.missing(),
            conflicts=history.conflicts(),
        )
        if report.missing and not accept_gap:
            raise HistoryIncomplete(report.missing)
        report.epoch = _begin_epoch_if_behind(history, restoring=restoring)
        history.empty_outbox_of_written()
        _raise_mark(history)
        visibility.restore(history.restrictions())  # first: no record is seen meanwhile by whom it is not for
        by_record = history.last_events()
        while batch := list(islice(by_record, limits.batch)):
            _replay_batch(batch, report)
    visibility.settle_pending()
    journal_state.end_restore(history.ends)
    journal.flush_or_warn()
    return report


def _begin_epoch_if_behind(history: History, *, restoring: bool) -> int | None:
    """Begin a new epoch if the database was put back; None if it was not, or if its restore has one already."""
    row = JournalPosition.objects.first()
    position, state = (Position(row.epoch, row.number), row.state) if row else (journal.NOWHERE, None)
    has_double = history.first_after_copy is not None
    if state == JournalPosition.State.RESTORING and position.epoch > history.end.epoch and not has_double:
        return None
    is_behind = state == JournalPosition.State.BEHIND or journal.is_behind(Path(settings.GISC_JOURNAL_DIR))
    if not (restoring or is_behind or has_double or history.end > position):
        return None
    return journal_state.begin_epoch(history.end.epoch, outbox_from=history.first_after_copy)


def _raise_mark(history: History) -> None:
    """Raise the clock's mark to the latest datestamp of the journal, before anything is written.

    A rebuilt database does not know its latest datestamp. Datestamps more than a day ahead are ignored: the operator
    has `catalogue restamp --clock` for them.
    """
    latest = history.latest_datestamp(seams.now() + MARK_AHEAD)
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
        entries = [entry for entry, _ in batch]
        exact = {entry.key for entry in entries}  # no other spelling is meant
        batch_results = store.put_entries(entries, into=into, source=source, apart=exact)
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
                SET set_specs = ARRAY(SELECT DISTINCT unnest(set_specs || %(spec)s::text) COLLATE "C" ORDER BY 1)
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
