"""Which sets records are in, and who claims them: the statements that `catalogue.writing.store` runs under the clock's lock.

A membership is *direct* where a set's own word says so, else it follows from a set that is included: `a` holds
what `a:b` holds (P74), a virtual set what its members hold. Effective rows are kept for both, so that one index
serves every list. Nothing here takes the lock or opens a transaction; nothing else may call it.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from catalogue import journal
from catalogue.models import JournalOutbox, SetInclusion


def execute(statement: str, **values: Any) -> int:
    """Run a statement, unless it is about no record at all; how many rows it wrote."""
    if values.get("keys") == []:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.rowcount  # type: ignore[no-any-return]


# Where a live record's membership ended or came back, the journal is told, in the same transaction: to that set's
# harvesters it is a deletion (promise 6). Of a record that is deleted, only for the sets that its own event does not
# name. The outer statement still sees the rows as they were before the inner one.
_NOTED = f"""
    WITH put AS ({{put}} RETURNING m.record_id, m.set_id, m.deleted)
    INSERT INTO catalogue_journaloutbox (event, identifier, datestamp, set_specs)
    SELECT CASE WHEN put.deleted THEN '{JournalOutbox.Event.LEFT}' ELSE '{JournalOutbox.Event.JOINED}' END,
        r.identifier, %(stamp)s, ARRAY[s.spec::text]
    FROM put
    JOIN catalogue_membership was USING (record_id, set_id)
    JOIN catalogue_record r ON r.id = put.record_id
    JOIN catalogue_metadataset s ON s.id = put.set_id
    WHERE put.deleted <> was.deleted AND NOT (r.deleted AND was.direct)
"""


def _execute_noted(put: str, **values: Any) -> None:
    """Run a statement that writes memberships `m`, and note in the journal's outbox which ended or came back."""
    if execute(_NOTED.format(put=put), **values):
        transaction.on_commit(journal.flush_or_warn)


def note(event: JournalOutbox.Event, keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """Note in the journal's outbox what became of these records in a set."""
    noted = execute(
        """
        INSERT INTO catalogue_journaloutbox (event, identifier, datestamp, set_specs)
        SELECT %(event)s, r.identifier, %(stamp)s, ARRAY[s.spec::text]
        FROM catalogue_record r, catalogue_metadataset s WHERE r.key = ANY(%(keys)s) AND s.id = %(set_id)s
        """,
        event=event.value,
        keys=list(keys),
        set_id=set_id,
        stamp=stamp,
    )
    if noted:
        transaction.on_commit(journal.flush_or_warn)


def join(keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """The records with these keys are in the set; tombstones are told there as deleted.

    The journal is not told: one that comes back as a record is an event of its own, a move another.
    """
    execute(
        """
        INSERT INTO catalogue_membership AS m (record_id, set_id, datestamp, deleted, direct)
        SELECT id, %(set_id)s, %(stamp)s, deleted, NOT deleted FROM catalogue_record WHERE key = ANY(%(keys)s)
        ON CONFLICT (record_id, set_id) DO UPDATE
        SET datestamp = excluded.datestamp, deleted = excluded.deleted, direct = excluded.direct
        """,
        keys=list(keys),
        set_id=set_id,
        stamp=stamp,
    )


def come_back(keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """As `join`, for live records; those that had left the set before are told to the journal."""
    _execute_noted(
        """
        UPDATE catalogue_membership m SET datestamp = %(stamp)s, deleted = false, direct = true
        FROM catalogue_record r
        WHERE r.id = m.record_id AND r.key = ANY(%(keys)s) AND NOT r.deleted AND m.set_id = %(set_id)s AND m.deleted
        """,
        keys=list(keys),
        set_id=set_id,
        stamp=stamp,
    )
    join(keys, set_id, stamp)


def leave(keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """The records are no longer in the set: its harvesters are told that they are deleted (P75)."""
    _execute_noted(
        """
        UPDATE catalogue_membership m SET datestamp = %(stamp)s, deleted = true, direct = false
        FROM catalogue_record r
        WHERE r.id = m.record_id AND r.key = ANY(%(keys)s) AND m.set_id = %(set_id)s AND m.direct
        """,
        keys=list(keys),
        set_id=set_id,
        stamp=stamp,
    )


def end(keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """Records that had left a set, of which there is no trace, are deleted in its lists again."""
    execute(
        """
        INSERT INTO catalogue_membership (record_id, set_id, datestamp, deleted, direct)
        SELECT id, %(set_id)s, %(stamp)s, true, false FROM catalogue_record WHERE key = ANY(%(keys)s)
        ON CONFLICT (record_id, set_id) DO NOTHING
        """,
        keys=list(keys),
        set_id=set_id,
        stamp=stamp,
    )
    note(JournalOutbox.Event.LEFT, keys, set_id, stamp)
    derive(keys, stamp)


def settle(keys: Sequence[str], stamp: datetime) -> None:
    """Bring everything that follows from the direct memberships of these records in line with them.

    A tombstone is deleted in all its sets; every live membership of a live record carries the stamp; included
    sets are derived; the header's setSpecs name the direct memberships, and a tombstone keeps what it had (P84).
    """
    values: dict[str, Any] = {"keys": list(keys), "stamp": stamp}
    _execute_noted(
        """
        UPDATE catalogue_membership m SET datestamp = %(stamp)s, deleted = r.deleted, direct = m.direct AND NOT r.deleted
        FROM catalogue_record r WHERE r.id = m.record_id AND r.key = ANY(%(keys)s) AND NOT m.deleted
        """,
        **values,
    )
    derive(**values)
    execute(
        """
        UPDATE catalogue_record r SET datestamp = %(stamp)s, set_specs = direct.specs
        FROM (
            SELECT m.record_id, array_agg(s.spec::text ORDER BY s.spec) AS specs
            FROM catalogue_membership m
            JOIN catalogue_record live ON live.id = m.record_id AND live.key = ANY(%(keys)s) AND NOT live.deleted
            JOIN catalogue_metadataset s ON s.id = m.set_id
            WHERE m.direct AND NOT m.deleted AND NOT EXISTS (  -- no ancestor of a set that is named (P75)
                SELECT FROM catalogue_membership below JOIN catalogue_metadataset b ON b.id = below.set_id
                WHERE below.record_id = m.record_id AND below.direct AND NOT below.deleted
                AND starts_with(b.spec, s.spec || ':')
            )
            GROUP BY m.record_id
        ) direct
        WHERE r.id = direct.record_id AND (r.set_specs <> direct.specs OR r.datestamp <> %(stamp)s)
        """,
        **values,
    )


_DERIVE = """
    INSERT INTO catalogue_membership AS m (record_id, set_id, datestamp, deleted, direct)
    SELECT c.record_id, i.parent_id, %(stamp)s, bool_and(c.deleted OR NOT c.direct), false
    FROM catalogue_membership c
    JOIN catalogue_record r ON r.id = c.record_id
    JOIN catalogue_setinclusion i ON i.child_id = c.set_id
    WHERE {which}
    GROUP BY c.record_id, i.parent_id
    ON CONFLICT (record_id, set_id) DO UPDATE
    SET datestamp = excluded.datestamp, deleted = excluded.deleted AND NOT m.direct
    WHERE NOT (m.deleted AND excluded.deleted)
"""


def derive(keys: Sequence[str], stamp: datetime) -> None:
    """Memberships of sets that include others, for these records; a row that was and stays deleted is not touched."""
    if keys and SetInclusion.objects.exists():
        _execute_noted(_DERIVE.format(which="r.key = ANY(%(keys)s)"), keys=list(keys), stamp=stamp)


def derive_into(records: Sequence[int], parent_id: int, stamp: datetime) -> None:
    """The same for the records with these ids and one set that includes others."""
    which = "r.id = ANY(%(records)s) AND i.parent_id = %(parent_id)s"
    _execute_noted(_DERIVE.format(which=which), records=list(records), parent_id=parent_id, stamp=stamp)


def drop_derived(records: Sequence[int], parent_id: int, stamp: datetime) -> None:
    """Records with these ids that nothing brings into the set any more are deleted in its lists."""
    _execute_noted(
        """
        UPDATE catalogue_membership m SET datestamp = %(stamp)s, deleted = true
        WHERE m.set_id = %(parent_id)s AND m.record_id = ANY(%(records)s) AND NOT m.deleted AND NOT m.direct
        AND NOT EXISTS (
            SELECT FROM catalogue_membership c
            JOIN catalogue_setinclusion i ON i.child_id = c.set_id AND i.parent_id = %(parent_id)s
            WHERE c.record_id = m.record_id AND c.direct AND NOT c.deleted
        )
        """,
        records=list(records),
        parent_id=parent_id,
        stamp=stamp,
    )


def come_back_from_the_purge(keys: Sequence[str]) -> set[str]:
    """Which of these new records were purged tombstones: the journal has their deletion, so it is told of them."""
    if not keys:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            """
            DELETE FROM catalogue_purged p USING unnest(%s::text[]) AS new (key)
            WHERE p.hash = hashtextextended(new.key, 0) RETURNING new.key
            """,
            [list(keys)],
        )
        return {key for (key,) in cursor.fetchall()}


def bury(keys: Sequence[str], stamp: datetime) -> None:
    """Make tombstones of these records, in all the sets they are in (P84); to be settled."""
    execute(
        """
        WITH dead AS (
            UPDATE catalogue_record SET deleted = true, datestamp = %(stamp)s, payload = NULL, digest = NULL,
                metadata_date = NULL, provenance = NULL
            WHERE key = ANY(%(keys)s) RETURNING id
        ), nameless AS (DELETE FROM catalogue_description d USING dead WHERE d.record_id = dead.id)
        DELETE FROM catalogue_validation v USING dead WHERE v.record_id = dead.id
        """,
        keys=list(keys),
        stamp=stamp,
    )
