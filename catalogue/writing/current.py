"""Read the stored records, to decide about entries and to find the unchanged ones. No writes."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import DatabaseError, connection

from catalogue import oai
from catalogue.payloads import payload, readable
from catalogue.provenance import Provenance
from catalogue.writing.decisions import CurrentRecord, StoredVersion


def current_digests(keys: Sequence[str]) -> dict[str, bytes]:
    """Return the digests of the live records among these keys: a document with the same digest need not be packed."""
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT key, digest FROM catalogue_record WHERE key = ANY(%s) AND NOT deleted", [list(keys)])
        return {key: bytes(digest) for key, digest in cursor.fetchall()}


class SourceDigests(NamedTuple):
    """The digests of the version of a record that is served, and of the claim of one source, if it has one."""

    served: bytes
    claimed: bytes | None


def digests_for_source(keys: Sequence[str], set_id: int, source: str) -> dict[str, SourceDigests]:
    """Return the digests of the live records among these keys, with those of the claims of this set and source."""
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT r.key, r.digest, c.digest FROM catalogue_record r
            LEFT JOIN catalogue_claim c ON c.record_id = r.id AND c.set_id = %(set)s AND c.source = %(source)s
            WHERE r.key = ANY(%(keys)s) AND NOT r.deleted
            UNION ALL  -- what this source claims by another spelling
            SELECT c.spelling, r.digest, c.digest FROM catalogue_claim c JOIN catalogue_record r ON r.id = c.record_id
            WHERE c.spelling <> '' AND c.spelling = ANY(%(keys)s) AND c.set_id = %(set)s AND c.source = %(source)s
            UNION ALL  -- what is served by another spelling, as this one flaps
            SELECT r.spelling, r.digest, NULL FROM catalogue_record r
            WHERE r.spelling <> '' AND r.spelling = ANY(%(keys)s) AND r.owner_id = %(set)s
            """,
            {"set": set_id, "source": source, "keys": list(keys)},
        )
        return {
            key: SourceDigests(bytes(served), None if claimed is None else bytes(claimed))
            for key, served, claimed in cursor.fetchall()
        }


class CurrentVersion(NamedTuple):
    """A live record as it is stored. `size`: bytes of its root element, -1 if the frame does not say."""

    identifier: str
    digest: bytes
    metadata_date: datetime | None
    packed: memoryview
    size: int

    def equals(self, element: bytes) -> bool:
        """Whether the stored root element has exactly these bytes."""
        if self.size != len(element):
            return False
        try:
            return payload.unpack(self.packed) == element
        except payload.PayloadDamaged:
            return False


def current_versions(keys: Sequence[str]) -> dict[str, CurrentVersion]:
    """Return the live records among these keys with their payloads: equal bytes need not even be parsed (promise 3).

    Fetches the dictionaries that the payloads need, so that comparing them makes no query.
    """
    if not keys:
        return {}

    def read(payload_column: str) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT key, identifier, digest, metadata_date, {payload_column} FROM catalogue_record"
                " WHERE key = ANY(%s) AND NOT deleted",
                [list(keys)],
            )
            return list(cursor.fetchall())

    try:
        rows = read("payload")
    except DatabaseError as exc:
        rows = read(readable.instead_of("payload", exc))
    found = {
        key: CurrentVersion(identifier, bytes(digest), date, packed, payload.size_of(packed))
        for key, identifier, digest, date, packed in rows
    }
    if found:
        payload.fetch_dictionaries(version.packed for version in found.values())
    return found


def load_current(keys: Sequence[str], *, source: str = "") -> dict[str, CurrentRecord]:
    """Load the records with these keys, live and deleted: for the store, guards and replay, the only such loader.

    The provenance is read only where a record came by another link than `source`: nothing else needs it.
    """
    return _load(_BY_KEY, keys, source)


def load_current_in_any_case(keys: Sequence[str], *, source: str = "") -> dict[str, CurrentRecord]:
    """Load the same, and for what has no live record the live ones that differ in their case alone, where that means
    nothing (F74).
    """
    current = _load(_BY_KEY, keys, source)
    without_live = [key for key in keys if key not in current or current[key].deleted]
    return current | _load(_IN_ANY_CASE, [key for key in without_live if oai.CASELESS.fullmatch(key)], source)


def live_spellings(keys: Iterable[str]) -> dict[str, set[str]]:
    """Return the keys of the live records that differ from these in their case at most, where that means nothing."""
    caseless = [key for key in keys if oai.CASELESS.fullmatch(key)]
    found: dict[str, set[str]] = {}
    if caseless:
        with connection.cursor() as cursor:
            cursor.execute(_SPELLINGS, {"keys": caseless})
            for key, spelled in cursor.fetchall():
                found.setdefault(key, set()).add(spelled)
    return found


def _load(which: str, keys: Sequence[str], source: str) -> dict[str, CurrentRecord]:
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_CURRENT.format(which=which), {"source": source, "keys": list(keys)})
        return {row[0]: _current_record(*row[1:]) for row in cursor.fetchall()}


# OFFSET 0: one look into the index for each, also while a new table has no statistics.
_SPELLINGS = """
    SELECT wanted.key, live.spelling FROM unnest(%(keys)s::text[]) AS wanted (key) CROSS JOIN LATERAL (
        SELECT o.key AS spelling FROM catalogue_record o
        WHERE lower(o.key) = lower(wanted.key COLLATE "C") AND NOT o.deleted OFFSET 0
    ) AS live
"""
_BY_KEY = "r.key = ANY(%(keys)s)"
_IN_ANY_CASE = f"r.key = ANY(ARRAY(SELECT found.spelling FROM ({_SPELLINGS}) AS found))"
_CURRENT = """
    SELECT r.key, r.deleted, r.digest, r.owner_id, s.spec, s.kind, coalesce(r.provenance->>'link', ''),
           r.metadata_date, r.datestamp,
           CASE WHEN coalesce(r.provenance->>'link', '') <> %(source)s THEN r.provenance END,
           within.sets, within.left_sets,
           (SELECT json_agg(json_build_array(
                c.set_id, c.source, encode(c.digest, 'hex'), c.metadata_date, c.provenance, c.spelling
            )) FROM catalogue_claim c WHERE c.record_id = r.id),
           r.identifier, r.spelling
    FROM catalogue_record r JOIN catalogue_metadataset s ON s.id = r.owner_id CROSS JOIN LATERAL (
        SELECT array_agg(m.set_id) FILTER (WHERE NOT m.deleted) AS sets, array_agg(m.set_id) FILTER (WHERE m.deleted) AS left_sets
        FROM catalogue_membership m WHERE m.record_id = r.id
    ) AS within
    WHERE {which}
"""


def _current_record(
    deleted: bool,
    digest: memoryview | None,
    owner_id: int,
    owner_spec: str,
    owner_kind: str,
    source: str,
    metadata_date: datetime | None,
    datestamp: datetime,
    stored_provenance: str | None,
    sets: list[int] | None,
    ended_in: list[int] | None,
    claims: list[tuple[int, str, str, str | None, dict[str, Any] | None, str]] | None,
    identifier: str,
    spelling: str,
) -> CurrentRecord:
    return CurrentRecord(
        deleted,
        None if digest is None else bytes(digest),
        owner_id,
        owner_spec,
        owner_kind,
        source,
        metadata_date,
        datestamp,
        Provenance.from_text(stored_provenance),
        {
            (set_id, by): _stored_version(digest, date, origin, spelled)
            for set_id, by, digest, date, origin, spelled in claims or ()
        },
        frozenset(sets or ()),
        frozenset(ended_in or ()),
        identifier,
        spelling,
    )


def _stored_version(
    digest: str, metadata_date: str | None, provenance: dict[str, Any] | None, spelling: str
) -> StoredVersion:
    return StoredVersion(
        bytes.fromhex(digest),
        datetime.fromisoformat(metadata_date) if metadata_date else None,
        Provenance.from_json(provenance) if provenance else None,
        spelling,
    )
