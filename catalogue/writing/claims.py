import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from catalogue.writing import memberships

# --- Claims -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim on a record, as it may take the record over."""

    key: str
    identifier: str
    set_id: int
    source: str
    payload: bytes
    provenance: dict[str, Any] | None


def claim_staged(keys: Sequence[str], set_id: int, source: str, stamp: datetime) -> None:
    """Keep the staged versions of these records as claims of this set and source."""
    memberships.execute(
        """
        INSERT INTO catalogue_claim AS c (
            record_id, set_id, source, payload, digest, metadata_date, provenance, first_seen
        )
        SELECT r.id, %(set_id)s, %(source)s, s.payload, s.digest, s.metadata_date, s.provenance, %(stamp)s
        FROM catalogue_stage s JOIN catalogue_record r ON r.key = s.key
        WHERE s.key = ANY(%(keys)s) AND NOT s.deleted
        ON CONFLICT (record_id, set_id, source) DO UPDATE
        SET payload = excluded.payload, digest = excluded.digest, metadata_date = excluded.metadata_date,
            provenance = excluded.provenance
        """,
        keys=list(keys),
        set_id=set_id,
        source=source,
        stamp=stamp,
    )


def claim_held(keys: Sequence[str], stamp: datetime) -> None:
    """Keep what these records say now as claims of the set and source it came from, before it is overwritten."""
    memberships.execute(
        """
        INSERT INTO catalogue_claim (
            record_id, set_id, source, payload, digest, metadata_date, provenance, first_seen
        )
        SELECT id, owner_id, coalesce(provenance->>'link', ''), payload, digest, metadata_date, provenance, %(stamp)s
        FROM catalogue_record WHERE key = ANY(%(keys)s) AND NOT deleted
        ON CONFLICT (record_id, set_id, source) DO NOTHING
        """,
        keys=list(keys),
        stamp=stamp,
    )


def drop_claims(keys: Sequence[str], set_id: int, source: str | None) -> None:
    """Forget what this set and source (None: all sources) claimed of these records."""
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


def distrust(claimed: Claimed) -> None:
    """A claim that cannot be read back stays and has no digest, so that the same word said again is stored again."""
    memberships.execute(
        """
        UPDATE catalogue_claim c SET digest = '' FROM catalogue_record r
        WHERE r.id = c.record_id AND r.key = %(key)s AND c.set_id = %(set_id)s AND c.source = %(source)s
        """,
        key=claimed.key,
        set_id=claimed.set_id,
        source=claimed.source,
    )


def take_provenance(key: str, claimed: Claimed) -> None:
    """The record, unchanged, now comes by the way of this claim."""
    provenance = None if claimed.provenance is None else json.dumps(claimed.provenance)
    memberships.execute(
        "UPDATE catalogue_record SET provenance = %(provenance)s WHERE key = %(key)s", key=key, provenance=provenance
    )


def claims_on(keys: Iterable[str]) -> list[Claimed]:
    """All claims on these records, the best of each record first: its owner's set, then the newest version (W33)."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT r.key, r.identifier, c.set_id, c.source, c.payload, c.provenance
            FROM catalogue_claim c JOIN catalogue_record r ON r.id = c.record_id
            WHERE r.key = ANY(%s)
            ORDER BY r.key, c.set_id = r.owner_id DESC, c.metadata_date DESC NULLS LAST, c.id
            """,
            [list(keys)],
        )
        return [
            # Django leaves jsonb to itself, and a bare cursor gets its text.
            Claimed(key, identifier, set_id, source, bytes(packed), json.loads(provenance) if provenance else None)
            for key, identifier, set_id, source, packed, provenance in cursor.fetchall()
        ]
