"""Read and write claims: what other sets, or other sources of a shared set, offer for a record that is not theirs.

`catalogue.writing.store` runs these statements under the clock's lock. Nothing here takes the lock or opens a
transaction, and no other module may write claims.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cmp_to_key
from typing import NamedTuple

from django.db import connection

from catalogue.provenance import Provenance
from catalogue.writing import decisions, memberships


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """A claim with all that is needed to make it the record."""

    key: str
    identifier: str
    set_id: int
    source: str
    payload: bytes
    metadata_date: datetime | None
    provenance: Provenance | None
    spelling: str


def claim_staged(keys: Sequence[str], set_id: int, source: str, stamp: datetime) -> None:
    """Store the staged versions of these records as claims of this set and source."""
    memberships.execute(
        """
        INSERT INTO catalogue_claim AS c (
            record_id, set_id, source, payload, digest, metadata_date, provenance, spelling, first_seen
        )
        SELECT r.id, %(set_id)s, %(source)s, s.payload, s.digest, s.metadata_date, s.provenance, s.spelling, %(stamp)s
        FROM catalogue_stage s JOIN catalogue_record r ON r.key = s.key
        WHERE s.key = ANY(%(keys)s) AND NOT s.deleted
        ON CONFLICT (record_id, set_id, source) DO UPDATE
        SET payload = excluded.payload, digest = excluded.digest, metadata_date = excluded.metadata_date,
            provenance = excluded.provenance, spelling = excluded.spelling,
            first_seen = CASE c.spelling WHEN excluded.spelling THEN c.first_seen ELSE excluded.first_seen END
        """,
        keys=list(keys),
        set_id=set_id,
        source=source,
        stamp=stamp,
    )


def claim_current(keys: Sequence[str], stamp: datetime) -> None:
    """Store the current versions of these records as claims of the set and source that they came from."""
    memberships.execute(
        """
        INSERT INTO catalogue_claim (
            record_id, set_id, source, payload, digest, metadata_date, provenance, spelling, first_seen
        )
        SELECT id, owner_id, coalesce(provenance->>'link', ''),
            CASE WHEN digest = '' THEN catalogue_readable(payload) ELSE payload END, digest, metadata_date, provenance, spelling,
            %(stamp)s
        FROM catalogue_record WHERE key = ANY(%(keys)s) AND NOT deleted
        ON CONFLICT (record_id, set_id, source) DO NOTHING
        """,
        keys=list(keys),
        stamp=stamp,
    )


def drop_claims(keys: Sequence[str], set_id: int, source: str | None) -> None:
    """Delete the claims of this set and source (None: all sources) on these records."""
    memberships.execute(
        """
        DELETE FROM catalogue_claim c USING catalogue_record r
        WHERE r.id = c.record_id AND r.key = ANY(%(keys)s) AND c.set_id = %(set_id)s
        AND (%(source)s::text IS NULL OR c.source = %(source)s)
        """,
        keys=list(keys),
        set_id=set_id,
        source=source,
    )


def mark_damaged(claim: StoredClaim) -> None:
    """Empty the digest of a claim whose payload is damaged, so that the same version is stored again when it is offered."""
    memberships.execute(
        """
        UPDATE catalogue_claim c SET digest = '' FROM catalogue_record r
        WHERE r.id = c.record_id AND r.key = %(key)s AND c.set_id = %(set_id)s AND c.source = %(source)s
        """,
        key=claim.key,
        set_id=claim.set_id,
        source=claim.source,
    )


def replace_provenance(key: str, claim: StoredClaim) -> None:
    """Give an unchanged record the provenance of this claim."""
    stored = None if claim.provenance is None else json.dumps(claim.provenance.to_json(), ensure_ascii=False)
    memberships.execute(
        "UPDATE catalogue_record SET provenance = %(provenance)s WHERE key = %(key)s", key=key, provenance=stored
    )


def load_claims(keys: Iterable[str]) -> list[StoredClaim]:
    """Load all claims on these records, the best of each record first: its owner's set, then the newest version (W33).

    Not those whose own spelling is a live record by now.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT c.set_id = r.owner_id, r.key, r.identifier, c.set_id, c.source, c.payload, c.metadata_date, c.provenance,
                c.spelling
            FROM catalogue_claim c JOIN catalogue_record r ON r.id = c.record_id
            WHERE r.key = ANY(%s)
            AND NOT EXISTS (SELECT FROM catalogue_record o WHERE o.key = c.spelling AND NOT o.deleted)
            ORDER BY r.key, c.set_id = r.owner_id DESC, c.metadata_date DESC NULLS LAST, c.id
            """,
            [list(keys)],
        )
        rows = cursor.fetchall()
    by_rank: dict[tuple[str, bool], list[StoredClaim]] = {}
    for of_owner, key, identifier, set_id, source, packed, date, stored, spelling in rows:
        claim = StoredClaim(
            key, identifier, set_id, source, bytes(packed), date, Provenance.from_text(stored), spelling
        )
        by_rank.setdefault((key, of_owner), []).append(claim)
    return [claim for ranked in by_rank.values() for claim in sorted(ranked, key=cmp_to_key(_compare))]


class SpelledClaim(NamedTuple):
    """A claim with another spelling than the record has, which is `stored`; `owner` is the setSpec of its owner."""

    key: str
    stored: str
    owner: str
    spelling: str
    digest: bytes
    metadata_date: datetime | None
    packed: bytes
    provenance: Provenance | None


def load_spelled_otherwise(set_id: int, source: str, *, before: datetime, at_most: int) -> list[SpelledClaim]:
    """Load claims of this set and source that spell the identifier otherwise than the owner, and did before this instant."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT r.key, r.identifier, s.spec, c.spelling, c.digest, c.metadata_date, c.payload, c.provenance
            FROM catalogue_claim c JOIN catalogue_record r ON r.id = c.record_id
            JOIN catalogue_metadataset s ON s.id = r.owner_id
            WHERE c.spelling <> '' AND c.set_id = %s AND c.source = %s AND c.first_seen < date_trunc('second', %s)
            AND NOT EXISTS (SELECT FROM catalogue_record o WHERE o.key = c.spelling AND NOT o.deleted)
            ORDER BY c.id LIMIT %s
            """,
            [set_id, source, before, at_most],
        )
        return [
            SpelledClaim(key, stored, owner, spelling, bytes(digest), date, bytes(packed), Provenance.from_text(origin))
            for key, stored, owner, spelling, digest, date, packed, origin in cursor.fetchall()
        ]


def _compare(one: StoredClaim, other: StoredClaim) -> int:
    """Sort the newer of two versions first."""
    return decisions.is_newer(other, one)[0] - decisions.is_newer(one, other)[0]
