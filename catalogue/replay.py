"""Replay: what the journal says of deletions, made true again in a catalogue that was rebuilt or restored (W11).

Part of the writer (S8), as `catalogue.writing.purge` is: each batch is one short transaction that takes the clock's lock and
its stamp before it decides what it writes.

What counts is the journal's last word on a record, in the order of the journal. Neither our datestamps count, which
after a rebuild are all younger than the deletion, nor the content held here, which in an archive may be any version:
where the last word is "deleted", the record is buried, and ingesting it again brings it back, with an event of its own.
Where it moved to another owner, or came back in another set, it is moved there. Then every set that it had left is told so, for that set has
harvesters of its own. A record that is in a set is never taken out of it: whoever put it there since has his reasons.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from catalogue import journal, oai
from catalogue.documents import xml_tree
from catalogue.journal import Event, LastWord
from catalogue.models import JournalOutbox, Membership, MetadataSet, Record
from catalogue.writing import clock, memberships, set_inclusion, store
from catalogue.writing.decisions import Action, Result
from catalogue.writing.entry import PreparedEntry

BATCH = 1000  # chosen: holds the writers' lock for about a tenth of a second

_LEFT_SHOWN = 1000
_MARK_AHEAD = timedelta(days=1)


@dataclass(slots=True)
class Replayed:
    """What a replay did.

    `deleted`: tombstones made. `moved`: records given to the owner they had moved to. `departed`: records told as
    deleted in a set that they had left. `unchanged`: what was so already. `left_alone`: what was not done; `left` says
    why, for the first thousand of these. `damaged`: lines of the journal that could not be read.
    """

    events: int = 0
    deleted: int = 0
    moved: int = 0
    departed: int = 0
    unchanged: int = 0
    left_alone: int = 0
    left: list[Result] = field(default_factory=list)
    damaged: list[journal.Damage] = field(default_factory=list)

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
                    if len(self.left) < _LEFT_SHOWN:
                        self.left.append(result)


def replay(path: Path) -> Replayed:
    """Make true again what a journal says, from a file or a folder. Idempotent. Raises OSError.

    The node's own journal is read after the given one, so that an old export does not undo what has happened since.
    Left alone and told: what came back, what now belongs to a set that the journal does not name, and what is not here
    and so cannot be told in the sets it had left; a replay after it was ingested or harvested does that.
    """
    ours = Path(settings.GISC_JOURNAL_DIR)
    readings = [journal.Reading(path)]
    if ours.is_dir() and ours.resolve() != path.resolve():
        readings.append(journal.Reading(ours))
    report = Replayed()
    words = journal.last_words(_watched(chain(*readings, journal.outbox())))
    while some := list(islice(words, BATCH)):
        _replay(some, report)
    report.events = readings[0].events
    report.damaged = [damage for reading in readings for damage in reading.damaged]
    return report


def _watched(events: Iterable[Event]) -> Iterator[Event]:
    """The events; when all have been read, and nothing is written yet, the clock's mark is raised to the latest.

    A rebuilt database does not know how far its datestamps had come. One that lies far ahead is left to the
    operator, who has `catalogue restamp --clock`.
    """
    limit = datetime.now(UTC) + _MARK_AHEAD
    latest = None
    for event in events:
        if event.datestamp <= limit and (latest is None or event.datestamp > latest):
            latest = event.datestamp
        yield event
    if latest is not None and latest > clock.mark_now():
        clock.raise_mark(latest)


def _replay(words: Sequence[LastWord], report: Replayed) -> None:
    with transaction.atomic():
        known = _sets_of(words)
        plan, departures = _judge(words, known), _departures(words, known)
        departed = 0
        if plan.burying or plan.moving or departures.ending:
            stamp = clock.take_stamp()
            plan = _judge(words, known)  # now nobody else writes
            plan.results.extend(_bury(plan.burying, known, stamp))
            for into, identifiers in plan.moving.items():
                plan.results.extend(store.move(identifiers, into=into))
            departures = _departures(words, known)
            for gone_from, keys in departures.ending.items():
                memberships.end(keys, gone_from.pk, stamp)
                departed += len(keys)
    report.note(plan.results + departures.results)
    report.departed += departed


# --- Of the record as a whole -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Held:
    deleted: bool
    owner: MetadataSet
    source: str  # the link its content came by


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be buried, by the set and the link whose word a deletion of it is; what is to be moved, and where to.

    `results` are those of the others.
    """

    burying: dict[tuple[MetadataSet, str], list[tuple[PreparedEntry, Event]]] = field(default_factory=dict)
    moving: dict[MetadataSet, list[str]] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)


def _judge(words: Sequence[LastWord], known: Mapping[str, MetadataSet]) -> _Plan:
    """What to do about the last events of some records."""
    held = _held([oai.identifier_key(word.identifier) for word in words])
    plan = _Plan()
    for word in words:
        record = held.get(oai.identifier_key(word.identifier))
        if word.event is None:
            continue
        if word.event.event == JournalOutbox.Event.DELETED:
            _judge_deleted(word.event, word, record, known, plan)
        elif record and not record.deleted:
            _judge_living(word.event, word, record, known, plan)
    return plan


def _judge_deleted(
    event: Event, word: LastWord, record: _Held | None, known: Mapping[str, MetadataSet], plan: _Plan
) -> None:
    if record and record.deleted:
        plan.results.append(Result(event.identifier, Action.UNCHANGED))
        return
    # An archive may have put it into a set that it had left before it was deleted.
    if record and event.set_specs and not (record.owner.spec in event.set_specs or word.has_left(record.owner.spec)):
        was_in = ", ".join(event.set_specs)
        plan.results.append(_left(event, f"is held in the set {record.owner.spec}; it was deleted in {was_in}"))
        return
    where = (record.owner, record.source) if record else (_chosen(known, event), "")
    try:
        plan.burying.setdefault(where, []).append((store.prepare_deletion(event.identifier), event))
    except xml_tree.Unusable as exc:
        plan.results.append(_left(event, str(exc)))


def _judge_living(event: Event, word: LastWord, record: _Held, known: Mapping[str, MetadataSet], plan: _Plan) -> None:
    """The journal's last word is that it came back, or moved to another owner; and it is here."""
    came_back = event.event == JournalOutbox.Event.RETURNED
    if event.set_specs and record.owner.spec not in event.set_specs and word.has_left(record.owner.spec):
        # An archive put it where it no longer was. What came by a link stays: `store` says so.
        plan.moving.setdefault(known[event.set_specs[0]], []).append(event.identifier)
    elif came_back:
        plan.results.append(_left(event, f"came back on {event.datestamp:%Y-%m-%d}, after it had been deleted"))
    elif record.owner.spec in event.set_specs:
        plan.results.append(Result(event.identifier, Action.UNCHANGED))
    else:
        had_moved_to = ", ".join(event.set_specs)
        plan.results.append(_left(event, f"is held in the set {record.owner.spec}; it had moved to {had_moved_to}"))


def _left(event: Event, reason: str) -> Result:
    return Result(event.identifier, Action.REJECTED, reason)


def _held(keys: Sequence[str]) -> dict[str, _Held]:
    return {
        record.key: _Held(record.deleted, record.owner, str((record.provenance or {}).get("link", "")))
        for record in Record.objects.filter(key__in=keys).select_related("owner").defer("payload")
    }


def _sets_of(words: Iterable[LastWord]) -> dict[str, MetadataSet]:
    """All sets, those of the events among them. One that this database does not know becomes a peer's."""
    known = {one.spec: one for one in MetadataSet.objects.all()}
    events = (event for word in words for event in (word.event, *word.left) if event)
    for spec in {spec for event in events for spec in event.set_specs} - known.keys():
        known[spec] = set_inclusion.add(spec)
    return known


def _chosen(known: Mapping[str, MetadataSet], event: Event) -> MetadataSet:
    """The set that a deletion is put in: our own, if that is among its sets or there are none."""
    own = next(one for one in known.values() if one.kind == MetadataSet.Kind.OWN)
    return own if not event.set_specs or own.spec in event.set_specs else known[event.set_specs[0]]


def _bury(
    burying: Mapping[tuple[MetadataSet, str], list[tuple[PreparedEntry, Event]]],
    known: Mapping[str, MetadataSet],
    stamp: datetime,
) -> list[Result]:
    results = []
    for (into, source), buried in burying.items():
        made = store.put_entries([entry for entry, _ in buried], into=into, source=source)
        results += made
        now_deleted = [event for (_, event), at in zip(buried, made, strict=True) if at.action is Action.DELETED]
        _tell_other_sets(now_deleted, into, known, stamp)
    return results


def _tell_other_sets(
    events: Iterable[Event], into: MetadataSet, known: Mapping[str, MetadataSet], since: datetime
) -> None:
    """Tombstones just made in `into` are told in all the sets they were in: each has harvesters of its own (P84).

    Their events, in the outbox since `since`, name these sets as well, for the next replay.
    """
    others: dict[str, list[str]] = {}
    for event in events:
        for spec in event.set_specs:
            if spec != into.spec:
                others.setdefault(spec, []).append(oai.identifier_key(event.identifier))
    for spec, keys in others.items():
        stamp = Record.objects.values_list("datestamp", flat=True).get(key=keys[0])  # all were put at once
        memberships.join(keys, known[spec].pk, stamp)
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


# --- Of the sets that records had left --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Departures:
    """The keys of the records that are to be told as deleted, by the set that they had left; results of the others."""

    ending: dict[MetadataSet, list[str]] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)


def _departures(words: Sequence[LastWord], known: Mapping[str, MetadataSet]) -> _Departures:
    """What to do about the sets that some records had left."""
    departures = _Departures()
    leaving = [(oai.identifier_key(word.identifier), word) for word in words if word.left]
    keys = [key for key, _ in leaving]
    here = set(Record.objects.filter(key__in=keys).values_list("key", flat=True))
    rows = Membership.objects.filter(record__key__in=keys).values_list("record__key", "set__spec", "deleted")
    ended = {(key, spec): deleted for key, spec, deleted in rows}
    for key, word in leaving:
        for event in word.left:
            (spec,) = event.set_specs
            if key not in here:
                reason = f"had left the set {spec} and is not here; replay again when it was ingested or harvested"
                departures.results.append(_left(event, reason))
            elif (key, spec) not in ended:
                departures.ending.setdefault(known[spec], []).append(key)
            elif ended[key, spec]:
                departures.results.append(Result(event.identifier, Action.UNCHANGED))
            else:
                reason = f"is in the set {spec}, which it had left on {event.datestamp:%Y-%m-%d}"
                departures.results.append(_left(event, reason))
    return departures
