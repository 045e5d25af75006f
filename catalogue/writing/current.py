"""Read the stored records, to decide about entries and to find the unchanged ones. No writes."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import connection

from catalogue.payloads import payload
from catalogue.provenance import LOCAL_ORIGIN, origin_of
from catalogue.writing.decisions import CurrentRecord
from catalogue.writing.entry import PreparedEntry


def current_digests(keys: Sequence[str]) -> dict[str, bytes]:
    """Return the digests of the live records among these keys: a document with the same digest need not be packed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT key, digest FROM catalogue_record WHERE key = ANY(%s) AND NOT deleted", [list(keys)])
        return {key: bytes(digest) for key, digest in cursor.fetchall()}


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
    payload.fetch_dictionaries(version.packed for version in found.values())
    return found


def entry_of_version(key: str, version: CurrentVersion) -> PreparedEntry:
    """Build an entry for `put_entries` that equals the stored version."""
    return PreparedEntry(version.identifier, key, version.digest, version.metadata_date, b"")


def load_current(keys: Sequence[str], source: str = "") -> dict[str, CurrentRecord]:
    """Load the records with these keys, live and deleted.

    The origin is read only where a record came by another link than `source`: nothing else needs it.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT r.key, r.deleted, r.digest, r.owner_id, s.spec, s.kind, coalesce(r.provenance->>'link', ''),
                   r.metadata_date,
                   CASE WHEN coalesce(r.provenance->>'link', '') <> %s THEN r.provenance END,
                   ARRAY(SELECT m.set_id FROM catalogue_membership m WHERE m.record_id = r.id AND NOT m.deleted),
                   (SELECT json_agg(json_build_array(c.set_id, c.source, encode(c.digest, 'hex')))
                    FROM catalogue_claim c WHERE c.record_id = r.id)
            FROM catalogue_record r JOIN catalogue_metadataset s ON s.id = r.owner_id
            WHERE r.key = ANY(%s)
            """,
            [source, list(keys)],
        )
        return {
            key: CurrentRecord(
                deleted,
                bytes(digest) if digest is not None else None,
                owner_id,
                owner_spec,
                owner_kind,
                source,
                metadata_date,
                origin_of(json.loads(provenance)) if provenance else LOCAL_ORIGIN,
                {(set_id, by): bytes.fromhex(claimed) for set_id, by, claimed in claims or ()},
                frozenset(sets),
            )
            for key, deleted, digest, owner_id, owner_spec, owner_kind, source, metadata_date, provenance, sets, claims in cursor.fetchall()
        }
