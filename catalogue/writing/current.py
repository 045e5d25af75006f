"""What is held: read from the rows, to decide on what is offered and to find what is unchanged. No writes."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import connection

from catalogue.payloads import payload
from catalogue.provenance import OURS, origin
from catalogue.writing.decisions import CurrentRecord
from catalogue.writing.entry import PreparedEntry


def current_digests(keys: Sequence[str]) -> dict[str, bytes]:
    """The digests of the live records among these keys: what need not be packed to be found unchanged."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT key, digest FROM catalogue_record WHERE key = ANY(%s) AND NOT deleted", [list(keys)])
        return {key: bytes(digest) for key, digest in cursor.fetchall()}


class CurrentVersion(NamedTuple):
    """A live record as it is held. `size`: of its root element, -1 where that cannot be told."""

    identifier: str
    digest: bytes
    metadata_date: datetime | None
    packed: memoryview
    size: int

    def equals(self, element: bytes) -> bool:
        """Whether these bytes are the root element as it is held, every one of them."""
        if self.size != len(element):
            return False
        try:
            return payload.unpack(self.packed) == element
        except payload.PayloadDamaged:
            return False


def current_versions(keys: Sequence[str]) -> dict[str, CurrentVersion]:
    """As `held_digests`, with the payloads: what equals them has the digest, and nothing need be made of it (promise 3).

    The dictionaries that the payloads need are at hand then: comparing asks the database for nothing.
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


def unchanged(key: str, version: CurrentVersion) -> PreparedEntry:
    """An entry that equals what is held, ready for `put_entries`."""
    return PreparedEntry(version.identifier, key, version.digest, version.metadata_date, b"")


def load_current(keys: Sequence[str], source: str = "") -> dict[str, CurrentRecord]:
    """What is held. Its origin is read only where it came by another way than `source`: nothing else asks for it."""
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
                origin(json.loads(provenance)) if provenance else OURS,
                {(set_id, by): bytes.fromhex(said) for set_id, by, said in claims or ()},
                frozenset(sets),
            )
            for key, deleted, digest, owner_id, owner_spec, owner_kind, source, metadata_date, provenance, sets, claims in cursor.fetchall()
        }
