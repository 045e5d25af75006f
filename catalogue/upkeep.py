"""Looking after the catalogue over the years: purge, restamp, replay of the journal.

The second half of the writer (S8): records are written by `catalogue.store`, with the statements of
`catalogue.belonging`, and here; nowhere else. The same rule holds: each batch is one short transaction that takes
the clock's lock and its stamp from catalogue_stamp() before it looks at what it writes.

A purge takes away tombstones that are older than the retention, and never makes a list lie. `earliestDatestamp` is a
lower bound and not the smallest datestamp there is: it stays true when the oldest tombstones go, so it never moves
(P55), and a harvester that was given it once may ask from it for ever. `deletedRecord` says `transient` for as long
as there is a retention. A list that is being walked goes on, as its place is a key and not a count of rows.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import chain, islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from catalogue import belonging, journal, metadata, oai, store
from catalogue.decisions import Action, Result
from catalogue.models import DatestampClock, JournalOutbox, Membership, MetadataSet, Record
from catalogue.prepared import Prepared

BATCH = 1000  # chosen: holds the writers' lock for about a tenth of a second

_LEFT_SHOWN = 1000
_MARK_AHEAD = timedelta(days=1)


def _take_stamp() -> datetime:
    """Take the clock's lock until the end of the transaction; the datestamp of everything it writes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT catalogue_stamp()")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def _in_batches(statement: str, values: dict[str, Any]) -> Iterator[list[Any]]:
    """The rows that a statement finds now, read from the server in parts, outside any lock."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, values)
        while rows := cursor.fetchmany(BATCH):
            yield rows


# --- Purge ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge took away, or would. `before`: what was deleted earlier may go; None where all is kept for ever."""

    before: datetime | None
    tombstones: int = 0
    memberships: int = 0


_PURGEABLE = """
    SELECT 'tombstones', r.id, r.datestamp FROM catalogue_record r
    WHERE r.deleted AND r.datestamp < %(before)s AND NOT EXISTS (
        SELECT FROM catalogue_membership m WHERE m.record_id = r.id AND m.datestamp >= %(before)s
    )
    UNION ALL
    SELECT 'memberships', m.id, m.datestamp
    FROM catalogue_membership m JOIN catalogue_record r ON r.id = m.record_id
    WHERE m.deleted AND m.datestamp < %(before)s AND NOT r.deleted
    ORDER BY 3, 1, 2
"""


def purge(*, dry_run: bool = False) -> Purged:
    """Remove whole tombstones older than the retention, in the order of their datestamps (P85).

    A tombstone goes with its memberships. Of a record that lives, the memberships go that ended longer ago. What
    came back in the meantime is found again under the lock and stays. The journal keeps every deletion.
    """
    if settings.GISC_TOMBSTONE_RETENTION_DAYS is None:
        return Purged(None)
    before = _now() - timedelta(days=settings.GISC_TOMBSTONE_RETENTION_DAYS)
    gone: Counter[str] = Counter()
    for rows in _in_batches(_PURGEABLE, {"before": before}):
        found: dict[str, list[int]] = {"tombstones": [], "memberships": []}
        for kind, pk, _ in rows:
            found[kind].append(pk)
        if dry_run:
            gone.update({kind: len(pks) for kind, pks in found.items()})
        else:
            gone.update(_purge(found["tombstones"], found["memberships"], before))
    return Purged(before, gone["tombstones"], gone["memberships"])


def _now() -> datetime:
    """The present by the database's clock. Not the high-water mark, which may lie ahead of it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT date_trunc('second', clock_timestamp())")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


@transaction.atomic
def _purge(tombstones: Sequence[int], memberships: Sequence[int], before: datetime) -> dict[str, int]:
    _take_stamp()
    ended = Membership.objects.filter(pk__in=memberships, deleted=True, datestamp__lt=before, record__deleted=False)
    still_told = Exists(Membership.objects.filter(record=OuterRef("pk"), datestamp__gte=before))
    whole = Record.objects.filter(~still_told, pk__in=tombstones, deleted=True, datestamp__lt=before)
    left = ended.delete()[0]
    return {"memberships": left, "tombstones": whole.delete()[1].get(Record._meta.label, 0)}


_purged_on: date | None = None


def purge_daily() -> None:
    """Purge, unless this process has done so today. That another process does it as well does no harm."""
    global _purged_on
    today = datetime.now(UTC).date()
    if _purged_on != today:
        purge()
        _purged_on = today


# --- Restamp ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Restamped:
    """How many records have a new datestamp, or would, and how many of them are tombstones; the clock's mark after."""

    records: int
    deleted: int
    mark: datetime


_STAMPED_IN_SET = """
    SELECT r.id, r.deleted FROM catalogue_membership m JOIN catalogue_record r ON r.id = m.record_id
    WHERE m.set_id = %(set)s AND greatest(m.datestamp, r.datestamp) >= %(since)s
    ORDER BY m.datestamp, m.record_id
"""
_STAMPED = "SELECT id, deleted FROM catalogue_record WHERE datestamp >= %(since)s ORDER BY datestamp, id"


def restamp(
    into: MetadataSet,
    since: datetime,
    *,
    mark: datetime | None = None,
    dry_run: bool = False,
    advance: Callable[[int], None] = lambda number: None,
) -> Restamped:
    """Give every record of a set that is stamped at `since` or later a new datestamp: harvesters take it again (W34).

    For a catalogue that was restored from a backup. First the clock's high-water mark is raised, to the present and
    to `mark` if that is later: what harvesters have seen from before the accident lies behind all that is given now.
    """
    if not dry_run:
        raise_mark(mark)
    statement = _STAMPED if into.kind == MetadataSet.Kind.CATALOGUE else _STAMPED_IN_SET
    records = deleted = 0
    for rows in _in_batches(statement, {"set": into.pk, "since": since}):
        if not dry_run:
            _restamp([pk for pk, _ in rows], since)
        records += len(rows)
        deleted += sum(is_deleted for _, is_deleted in rows)
        advance(len(rows))
    reached = max(_mark(), _now())
    return Restamped(records, deleted, max(reached, mark) if mark and dry_run else reached)


def _mark() -> datetime:
    """The clock's high-water mark as it stands; to ask for the instant of a list would raise it."""
    return DatestampClock.objects.get().stamp


@transaction.atomic
def raise_mark(to: datetime | None = None) -> None:
    """Raise the high-water mark of all datestamps (P92) to the present, and to `to` where that is later."""
    _take_stamp()
    if to is not None:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE catalogue_datestampclock SET stamp = date_trunc('second', %(to)s) WHERE stamp < %(to)s",
                {"to": to},
            )


@transaction.atomic
def _restamp(pks: list[int], since: datetime) -> None:
    """New datestamps for these records, in all lists they are in. A set that one left long ago is not told again."""
    values: dict[str, Any] = {"stamp": _take_stamp(), "pks": pks, "since": since}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE catalogue_record SET datestamp = %(stamp)s WHERE id = ANY(%(pks)s)", values)
        cursor.execute(
            """
            UPDATE catalogue_membership m SET datestamp = %(stamp)s FROM catalogue_record r
            WHERE r.id = m.record_id AND r.id = ANY(%(pks)s) AND (NOT m.deleted OR r.deleted OR m.datestamp >= %(since)s)
            """,
            values,
        )


# --- Replay -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Replayed:
    """What a replay did: how many tombstones it made, how many were there, how many records it left alone.

    `left` says why, for the first thousand of these. `damaged`: lines of the journal that could not be read.
    """

    events: int = 0
    deleted: int = 0
    unchanged: int = 0
    left_alone: int = 0
    left: list[Result] = field(default_factory=list)
    damaged: list[journal.Damage] = field(default_factory=list)

    def note(self, results: Iterable[Result]) -> None:
        for result in results:
            if result.action is Action.DELETED:
                self.deleted += 1
            elif result.action is Action.UNCHANGED:
                self.unchanged += 1
            else:
                self.left_alone += 1
                if len(self.left) < _LEFT_SHOWN:
                    self.left.append(result)


def replay(path: Path) -> Replayed:
    """Make the tombstones of a journal again, from a file or a folder (W11). Idempotent. Raises OSError.

    What counts is the last event of an identifier, in the order of the journal. Neither our datestamps count, which
    after a rebuild are all younger than the deletion, nor the content held here, which in an archive may be any
    version: where the journal's last word is "deleted", the record is buried, and ingesting it again brings it back,
    with an event of its own. The node's own journal is read after the given one, so that an old export does not bury
    what has come back since. Left alone and told: what came back, and what now belongs to a set that the journal
    does not name.
    """
    ours = Path(settings.GISC_JOURNAL_DIR)
    readings = [journal.Reading(path)]
    if ours.is_dir() and ours.resolve() != path.resolve():
        readings.append(journal.Reading(ours))
    report = Replayed()
    last = journal.last_events(_watched(chain(*readings, journal.outbox()), report))
    while events := list(islice(last, BATCH)):
        report.note(_replay(events))
    report.events = readings[0].events
    report.damaged = [damage for reading in readings for damage in reading.damaged]
    return report


def _watched(events: Iterable[journal.Event], report: Replayed) -> Iterator[journal.Event]:
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
    if latest is not None and latest > _mark():
        raise_mark(latest)


@dataclass(frozen=True, slots=True)
class _Held:
    deleted: bool
    owner: MetadataSet
    source: str  # the link its content came by


@transaction.atomic
def _replay(events: Sequence[journal.Event]) -> list[Result]:
    results, burying = _judge(events)
    if burying:
        stamp = _take_stamp()
        results, burying = _judge(events)  # now nobody else writes
        for (into, source), buried in burying.items():
            made = store.put_entries([entry for entry, _ in buried], into=into, source=source)
            results += made
            now_deleted = [event for (_, event), at in zip(buried, made, strict=True) if at.action is Action.DELETED]
            _tell_other_sets(now_deleted, into, stamp)
    return results


# What is to be buried, by the set and the link whose word a deletion of it is.
_Burying = dict[tuple[MetadataSet, str], list[tuple[Prepared, journal.Event]]]


def _judge(events: Sequence[journal.Event]) -> tuple[list[Result], _Burying]:
    """What to do about the last events of some identifiers: the results of those where it is nothing, and the others."""
    held = _held([oai.identifier_key(event.identifier) for event in events])
    sets = _sets_of(events)
    results = []
    burying: _Burying = {}
    for event in events:
        record = held.get(oai.identifier_key(event.identifier))
        if event.event == JournalOutbox.Event.RETURNED:
            if record and not record.deleted:
                results.append(_left(event, f"came back on {event.datestamp:%Y-%m-%d}, after it had been deleted"))
        elif record and record.deleted:
            results.append(Result(event.identifier, Action.UNCHANGED))
        elif record and event.set_specs and record.owner.spec not in event.set_specs:
            results.append(
                _left(event, f"is held in the set {record.owner.spec}; it was deleted in {', '.join(event.set_specs)}")
            )
        else:
            where = (record.owner, record.source) if record else (_chosen(sets, event), "")
            try:
                burying.setdefault(where, []).append((store.prepare_deletion(event.identifier), event))
            except metadata.Unusable as exc:
                results.append(_left(event, str(exc)))
    return results, burying


def _left(event: journal.Event, reason: str) -> Result:
    return Result(event.identifier, Action.REJECTED, reason)


def _held(keys: Sequence[str]) -> dict[str, _Held]:
    return {
        record.key: _Held(record.deleted, record.owner, str((record.provenance or {}).get("link", "")))
        for record in Record.objects.filter(key__in=keys).select_related("owner").defer("payload")
    }


def _sets_of(events: Iterable[journal.Event]) -> dict[str, MetadataSet]:
    """All sets, those of the events among them. One that this database does not know becomes a peer's."""
    sets = {known.spec: known for known in MetadataSet.objects.all()}
    for spec in {spec for event in events for spec in event.set_specs} - sets.keys():
        sets[spec] = MetadataSet.objects.create(spec=spec, name=spec)
    return sets


def _chosen(sets: Mapping[str, MetadataSet], event: journal.Event) -> MetadataSet:
    """The set that a deletion is put in: our own, if that is among its sets or there are none."""
    own = next(known for known in sets.values() if known.kind == MetadataSet.Kind.OWN)
    return own if not event.set_specs or own.spec in event.set_specs else sets[event.set_specs[0]]


def _tell_other_sets(events: Iterable[journal.Event], into: MetadataSet, since: datetime) -> None:
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
        belonging.join(keys, MetadataSet.objects.get(spec=spec).pk, stamp)
        belonging.derive(keys, stamp)
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
