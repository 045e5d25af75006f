"""The only writer of records, and the only place that gives datestamps (S8).

Everything slow happens first and without the lock: reading, checking, packing, staging. Then, in one short
transaction, the writer takes the clock's lock, gets its stamp, decides each entry against what is held now,
merges, and commits. So datestamps never decrease in commit order (promise 1). Entries equal to what is held
are found before anything is staged and cost neither lock nor write (promise 3).
"""

import enum
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from typing import Any

from django.db import connection, transaction

from catalogue import bootstrap, journal, metadata, oai, payload, search
from catalogue.models import JournalOutbox, MetadataSet


class Action(enum.StrEnum):
    """What became of an offered entry; the counters of runs and reports are named so."""

    NEW = "new"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Prepared:
    """An entry checked and ready to be stored; `metadata` and `packed` are None for a deletion."""

    identifier: str
    metadata: metadata.Metadata | None
    packed: bytes | None
    provenance: Mapping[str, Any] | None = None

    @property
    def key(self) -> str:
        return oai.identifier_key(self.identifier)

    @property
    def deleted(self) -> bool:
        return self.metadata is None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one entry; `reason` is a sentence where it was rejected."""

    identifier: str
    action: Action
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Held:
    """A row as it stands, or as it will stand once the entries before this one are merged."""

    deleted: bool
    digest: bytes | None
    owner_id: int
    owner_spec: str


def prepare(document: bytes, *, provenance: Mapping[str, Any] | None = None) -> Prepared:
    """Check one ISO 19139 document and make it ready for `put_entries`. Raises metadata.Unusable."""
    element = metadata.root_element(document)
    said = metadata.read(element)
    return Prepared(said.identifier, said, payload.pack(element), provenance)


def prepare_deletion(identifier: str, *, provenance: Mapping[str, Any] | None = None) -> Prepared:
    """A deletion, ready for `put_entries`. Raises metadata.Unusable if the identifier is none (P68)."""
    identifier = identifier.strip()
    fault = oai.identifier_fault(identifier)
    if fault is not None:
        raise metadata.Unusable(f"the identifier {identifier!r} {fault}")
    return Prepared(identifier, None, None, provenance)


def put_entries(entries: Sequence[Prepared], *, into: MetadataSet) -> list[Result]:
    """Store entries in a set, in their order; one result for each.

    A deletion of an identifier never seen is kept as a tombstone (W12). An entry whose record is live in
    another set is rejected: whoever owns a record decides its content (promise 9), and what a peer offers
    never touches our own set (promise 8). May be called inside the caller's transaction; then the lock is
    held until that ends, so it should end at once.
    """
    return _put(entries, into=into, known_only=False)


def withdraw(identifiers: Iterable[str]) -> list[Result]:
    """Make tombstones of records of the own set; one result for each. An unknown identifier is rejected.

    When this returns outside a transaction, the deletions are on disk in the journal, or `journal.waiting`
    says how many are not (promise 6).
    """
    results: list[Result | None] = []
    entries = []
    for identifier in identifiers:
        try:
            entries.append(prepare_deletion(identifier))
            results.append(None)
        except metadata.Unusable as exc:
            results.append(Result(identifier, Action.REJECTED, str(exc)))
    put = iter(_put(entries, into=bootstrap.own_set(), known_only=True))
    return [result or next(put) for result in results]


@transaction.atomic
def _put(entries: Sequence[Prepared], *, into: MetadataSet, known_only: bool) -> list[Result]:
    held = _held([entry.key for entry in entries])
    if all(_decide(held.get(entry.key), entry, into, known_only)[0] is Action.UNCHANGED for entry in entries):
        return [Result(entry.identifier, Action.UNCHANGED) for entry in entries]
    # Of an identifier offered several times the last counts, even where it is the one that equals what is held.
    differing = {entry.key for entry in entries if not _is_unchanged(held.get(entry.key), entry)}
    _stage(_last_of_each(entry for entry in entries if entry.key in differing))
    stamp = _take_stamp()
    before = _held([entry.key for entry in entries])
    standing = dict(before)
    results = []
    for entry in entries:
        action, reason = _decide(standing.get(entry.key), entry, into, known_only)
        results.append(Result(entry.identifier, action, reason))
        if action in (Action.NEW, Action.UPDATED, Action.DELETED):
            digest = entry.metadata.digest if entry.metadata else None
            standing[entry.key] = _Held(entry.deleted, digest, into.pk, into.spec)
    changed = [key for key, state in standing.items() if state != before.get(key)]
    unstaged = _missing_from_stage(changed)
    if unstaged:  # another writer changed these between the first look and the lock: they are needed after all
        _stage(_last_of_each(entry for entry in entries if entry.key in unstaged), empty_first=False)
    _merge(changed, into=into, stamp=stamp)
    was_deleted = {key for key, held_before in before.items() if held_before.deleted}
    _note_in_outbox([key for key in changed if standing[key].deleted != (key in was_deleted)])
    return results


def _is_unchanged(held: _Held | None, entry: Prepared) -> bool:
    if held is None or held.deleted != entry.deleted:
        return False
    return entry.metadata is None or held.digest == entry.metadata.digest


def _decide(held: _Held | None, entry: Prepared, into: MetadataSet, known_only: bool) -> tuple[Action, str]:
    """What to do with an entry, given what is held. Pure."""
    if held is None:
        if entry.deleted and known_only:
            return Action.REJECTED, "is not in the catalogue"
        return (Action.DELETED if entry.deleted else Action.NEW), ""
    if held.deleted:
        if entry.deleted:
            return Action.UNCHANGED, ""
        return Action.UPDATED, ""  # un-deleting is an ordinary update (P86)
    if held.owner_id != into.pk:
        return Action.REJECTED, (
            f"is held in the set {held.owner_spec}, so it is not {'deleted' if entry.deleted else 'changed'} "
            f"on the word of {into.spec}"
        )
    if entry.deleted:
        return Action.DELETED, ""
    return (Action.UNCHANGED if _is_unchanged(held, entry) else Action.UPDATED), ""


def _last_of_each(entries: Iterable[Prepared]) -> list[Prepared]:
    """One entry per identifier, the last offered."""
    return list({entry.key: entry for entry in entries}.values())


def _held(keys: Sequence[str]) -> dict[str, _Held]:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT r.key, r.deleted, r.digest, r.owner_id, s.spec
            FROM catalogue_record r JOIN catalogue_metadataset s ON s.id = r.owner_id
            WHERE r.key = ANY(%s)
            """,
            [list(keys)],
        )
        return {
            key: _Held(deleted, bytes(digest) if digest is not None else None, owner_id, owner_spec)
            for key, deleted, digest, owner_id, owner_spec in cursor.fetchall()
        }


# --- The staging table: one for each connection, emptied at each commit ------------------------------

_STAGE = f"""
    CREATE TEMPORARY TABLE IF NOT EXISTS catalogue_stage (
        key text, identifier text, deleted boolean, payload bytea, digest bytea, metadata_date timestamptz,
        provenance jsonb, title text, abstract text, keywords text[], keyword_text text, boxes jsonb,
        begins timestamptz, ends timestamptz, language text,
        search tsvector GENERATED ALWAYS AS ({search.VECTOR_SQL}) STORED
    ) ON COMMIT DELETE ROWS
"""
_STAGE_COLUMNS = (
    "key, identifier, deleted, payload, digest, metadata_date, provenance, "
    "title, abstract, keywords, keyword_text, boxes, begins, ends, language"
)


def _stage(entries: Sequence[Prepared], *, empty_first: bool = True) -> None:
    """COPY the entries into this connection's staging table."""
    lines = StringIO()
    for entry in entries:
        lines.write("\t".join(_copy_fields(entry)))
        lines.write("\n")
    lines.seek(0)
    with connection.cursor() as cursor:
        cursor.execute(_STAGE)
        if empty_first:  # a caller's transaction may put more than once
            cursor.execute("DELETE FROM catalogue_stage")
        cursor.copy_expert(f"COPY catalogue_stage ({_STAGE_COLUMNS}) FROM STDIN", lines)


def _copy_fields(entry: Prepared) -> list[str]:
    said = entry.metadata
    values: list[object] = [entry.key, entry.identifier, entry.deleted, entry.packed]
    provenance = json.dumps(dict(entry.provenance)) if entry.provenance and said else None
    if said is None:
        values += [None, None, provenance, "", "", [], "", "[]", None, None, ""]
    else:
        values += [said.digest, said.metadata_date, provenance, said.title, said.abstract, said.keywords]
        values += [" ".join(said.keywords), json.dumps(said.boxes), said.begins, said.ends, said.language[:100]]
    return [_copy_text(value) for value in values]


_COPY_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
_ARRAY_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\""})


def _copy_text(value: object) -> str:
    """One value in the text format of PostgreSQL's COPY."""
    match value:
        case None:
            return r"\N"
        case bytes():
            return rf"\\x{value.hex()}"
        case datetime():
            return value.isoformat()
        case list() | tuple():
            quoted = ",".join(f'"{str(item).translate(_ARRAY_ESCAPES)}"' for item in value)
            return f"{{{quoted}}}".translate(_COPY_ESCAPES)
        case _:
            return str(value).translate(_COPY_ESCAPES)


def _missing_from_stage(keys: Sequence[str]) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT k FROM unnest(%s::text[]) k EXCEPT SELECT key FROM catalogue_stage", [list(keys)])
        return {row[0] for row in cursor.fetchall()}


# --- Under the lock ----------------------------------------------------------------------------------


def _take_stamp() -> datetime:
    """Take the clock's lock until the end of the transaction; the datestamp of everything it writes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT catalogue_stamp()")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


_MERGE = (
    """
    INSERT INTO catalogue_record (
        identifier, key, datestamp, deleted, owner_id, set_specs, payload, digest, metadata_date, provenance
    )
    SELECT identifier, key, %(stamp)s, deleted, %(set)s, ARRAY[%(spec)s], payload, digest, metadata_date, provenance
    FROM catalogue_stage WHERE key = ANY(%(keys)s)
    ON CONFLICT (key) DO UPDATE SET
        -- a tombstone keeps the spelling that harvesters hold (P84): they compare exactly (P69)
        identifier = CASE WHEN excluded.deleted THEN catalogue_record.identifier ELSE excluded.identifier END,
        datestamp = excluded.datestamp, deleted = excluded.deleted,
        owner_id = excluded.owner_id, set_specs = excluded.set_specs, payload = excluded.payload,
        digest = excluded.digest, metadata_date = excluded.metadata_date, provenance = excluded.provenance
    """,
    """
    INSERT INTO catalogue_membership (record_id, set_id, datestamp, deleted)
    SELECT id, %(set)s, %(stamp)s, deleted FROM catalogue_record WHERE key = ANY(%(keys)s)
    ON CONFLICT (record_id, set_id) DO UPDATE SET datestamp = excluded.datestamp, deleted = excluded.deleted
    """,
    """
    INSERT INTO catalogue_description (
        record_id, title, abstract, keywords, boxes, begins, ends, language, search
    )
    SELECT r.id, s.title, s.abstract, s.keywords, s.boxes, s.begins, s.ends, s.language, s.search
    FROM catalogue_stage s JOIN catalogue_record r ON r.key = s.key
    WHERE s.key = ANY(%(keys)s) AND NOT s.deleted
    ON CONFLICT (record_id) DO UPDATE SET
        title = excluded.title, abstract = excluded.abstract, keywords = excluded.keywords, boxes = excluded.boxes,
        begins = excluded.begins, ends = excluded.ends, language = excluded.language, search = excluded.search
    """,
    """
    DELETE FROM catalogue_description d USING catalogue_record r
    WHERE d.record_id = r.id AND r.key = ANY(%(keys)s) AND r.deleted
    """,
)


def _merge(keys: Sequence[str], *, into: MetadataSet, stamp: datetime) -> None:
    """Write the staged entries with these keys."""
    if not keys:
        return
    values: dict[str, Any] = {"keys": list(keys), "set": into.pk, "spec": into.spec, "stamp": stamp}
    with connection.cursor() as cursor:
        for statement in _MERGE:
            cursor.execute(statement, values)


def _note_in_outbox(keys: Sequence[str]) -> None:
    """Put what has just been deleted, or has come back, into the journal's outbox; it is emptied after the commit."""
    if not keys:
        return
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


def replay(events: Iterable[journal.Event]) -> list[Result]:
    """Make tombstones again for the journal's standing deletions; one result for each. Idempotent.

    Sets that this database does not know are created as peer sets. A record that another set holds live
    is left alone and reported.
    """
    results = []
    by_spec: dict[str, list[Prepared]] = {}
    own = bootstrap.own_set()
    for event in journal.standing_deletions(events):
        spec = event.set_specs[0] if event.set_specs else own.spec
        try:
            by_spec.setdefault(spec, []).append(prepare_deletion(event.identifier))
        except metadata.Unusable as exc:
            results.append(Result(event.identifier, Action.REJECTED, str(exc)))
    for spec, entries in by_spec.items():
        into, _ = MetadataSet.objects.get_or_create(spec=spec, defaults={"name": spec})
        for start in range(0, len(entries), 1000):
            results += put_entries(entries[start : start + 1000], into=into)
    return results
