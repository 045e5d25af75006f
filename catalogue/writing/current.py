"""Read the stored records, to decide about entries and to find the unchanged ones. No writes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from catalogue.payloads import payload
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
            LEFT JOIN catalogue_claim c ON c.record_id = r.id AND c.set_id = %s AND c.source = %s
            WHERE r.key = ANY(%s) AND NOT r.deleted
            """,
            [set_id, source, list(keys)],
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
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT key, identifier, digest, metadata_date, payload FROM catalogue_record"
            " WHERE key = ANY(%s) AND NOT deleted",
            [list(keys)],
        )
        found = {
            key: CurrentVersion(identifier, bytes(digest), date, packed, payload.size_of(packed))
            for key, identifier, digest, date, packed in cursor.fetchall()
        }
    if found:
        payload.fetch_dictionaries(version.packed for version in found.values())
    return found


def load_current(keys: Sequence[str], *, source: str = "") -> dict[str, CurrentRecord]:
    """Load the records with these keys, live and deleted: for the store, guards and replay, the only such loader.

    The provenance is read only where a record came by another link than `source`: nothing else needs it.
    """
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_CURRENT, {"source": source, "keys": list(keys)})
        return {row[0]: _current_record(*row[1:]) for row in cursor.fetchall()}


_CURRENT = """
    SELECT r.key, r.deleted, r.digest, r.owner_id, s.spec, s.kind, coalesce(r.provenance->>'link', ''),
           r.metadata_date, r.datestamp,
           CASE WHEN coalesce(r.provenance->>'link', '') <> %(source)s THEN r.provenance END,
           ARRAY(SELECT m.set_id FROM catalogue_membership m WHERE m.record_id = r.id AND NOT m.deleted),
           (SELECT json_agg(json_build_array(c.set_id, c.source, encode(c.digest, 'hex'), c.metadata_date, c.provenance))
            FROM catalogue_claim c WHERE c.record_id = r.id),
           r.identifier
    FROM catalogue_record r JOIN catalogue_metadataset s ON s.id = r.owner_id
    WHERE r.key = ANY(%(keys)s)
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
    sets: list[int],
    claims: list[tuple[int, str, str, str | None, dict[str, Any] | None]] | None,
    identifier: str,
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
        {(set_id, by): _stored_version(digest, date, origin) for set_id, by, digest, date, origin in claims or ()},
        frozenset(sets),
        identifier,
    )


def _stored_version(digest: str, metadata_date: str | None, provenance: dict[str, Any] | None) -> StoredVersion:
    return StoredVersion(
        bytes.fromhex(digest),
        datetime.fromisoformat(metadata_date) if metadata_date else None,
        Provenance.from_json(provenance) if provenance else None,
    )
