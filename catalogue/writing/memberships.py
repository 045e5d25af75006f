"""Write which sets records are in: the statements that writers run under the clock's lock.

A membership is *direct* if the record was stored into that set, else it follows from a set that is included: `a` has
the records of `a:b` (P74), a virtual set those of its members. Both kinds have rows, so that one index serves every
list. Nothing here takes the lock or opens a transaction. Called by `catalogue.writing` and `catalogue.replay` only.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from catalogue import journal
from catalogue.models import JournalOutbox, SetInclusion


def execute(statement: str, **values: Any) -> int:
    """Run a statement, unless its `keys` are empty. Returns the number of rows written."""
    if values.get("keys") == []:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.rowcount  # type: ignore[no-any-return]


# Where a live record's membership ended or came back, an event goes to the journal's outbox in the same transaction:
# to that set's harvesters it is a deletion (promise 6). For a deleted record, only for sets that its own event does
# not name. The outer statement still sees the rows as they were before the inner one.
_JOURNALLED = f"""
    WITH put AS ({{put}} RETURNING m.record_id, m.set_id, m.deleted), was AS MATERIALIZED (  -- of these records alone
        SELECT record_id, set_id, deleted, direct FROM catalogue_membership
        WHERE record_id = ANY(ARRAY(SELECT record_id FROM put))
    ), turned AS MATERIALIZED (
        SELECT put.record_id, put.set_id, put.deleted, was.direct AS was_direct
        FROM put JOIN was USING (record_id, set_id) WHERE put.deleted <> was.deleted
    )
    INSERT INTO catalogue_journaloutbox (event, identifier, datestamp, set_specs)
    SELECT CASE WHEN turned.deleted THEN '{JournalOutbox.Event.LEFT}' ELSE '{JournalOutbox.Event.JOINED}' END,
        r.identifier, %(stamp)s, ARRAY[s.spec::text]
    FROM turned
    JOIN catalogue_record r ON r.id = turned.record_id
    JOIN catalogue_metadataset s ON s.id = turned.set_id
    WHERE NOT (r.deleted AND turned.was_direct)
"""


def execute_and_journal(put: str, **values: Any) -> None:
    """Run a statement that writes memberships `m`, and add those that ended or came back to the journal's outbox."""
    if execute(_JOURNALLED.format(put=put), **values):
        transaction.on_commit(journal.flush_or_warn)


def add_to_outbox(event: JournalOutbox.Event, keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """Add an event about these records in a set to the journal's outbox."""
    added = execute(
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
    if added:
        transaction.on_commit(journal.flush_or_warn)


def join(keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """Make the records with these keys members of the set; tombstones become deleted members.

    Adds no event to the journal: a record that comes back, or moves, has an event of its own.
    """
    execute(
        """
        INSERT INTO catalogue_membership AS m (record_id, set_id, datestamp, deleted, direct, audience)
        SELECT id, %(set_id)s, %(stamp)s, deleted, NOT deleted, audience FROM catalogue_record WHERE key = ANY(%(keys)s)
        ON CONFLICT (record_id, set_id) DO UPDATE
        SET datestamp = excluded.datestamp, deleted = excluded.deleted, direct = excluded.direct
        """,
        keys=list(keys),
        set_id=set_id,
        stamp=stamp,
    )


def rejoin(keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """Make live records members of the set, and add an event to the journal for those that had left it before."""
    execute_and_journal(
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


def make_direct(keys: Sequence[str], set_id: int) -> None:
    """Mark live memberships of these records in the set as direct: they stay when no set below it has the records any more.

    Nothing that harvesters see changes, so the datestamps stay.
    """
    execute(
        """
        UPDATE catalogue_membership m SET direct = true FROM catalogue_record r
        WHERE r.id = m.record_id AND r.key = ANY(%(keys)s) AND m.set_id = %(set_id)s AND NOT m.deleted AND NOT m.direct
        """,
        keys=list(keys),
        set_id=set_id,
    )


def leave(keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """End the direct memberships of these records in the set: its harvesters see them as deleted (P75)."""
    execute_and_journal(
        """
        UPDATE catalogue_membership m SET datestamp = %(stamp)s, deleted = true, direct = false
        FROM catalogue_record r
        WHERE r.id = m.record_id AND r.key = ANY(%(keys)s) AND m.set_id = %(set_id)s AND m.direct
        """,
        keys=list(keys),
        set_id=set_id,
        stamp=stamp,
    )


def add_ended(keys: Sequence[str], set_id: int, stamp: datetime) -> None:
    """Insert ended memberships of records that have no row in the set: its lists show them as deleted.

    So do those of the sets that include it, where these records are in none of their other sets either.
    """
    execute(
        """
        INSERT INTO catalogue_membership (record_id, set_id, datestamp, deleted, direct, departed, audience)
        SELECT r.id, s.id, %(stamp)s, true, false, true, r.audience
        FROM catalogue_record r, catalogue_metadataset s
        WHERE r.key = ANY(%(keys)s) AND (
            s.id = %(set_id)s OR s.id IN (SELECT parent_id FROM catalogue_setinclusion WHERE child_id = %(set_id)s)
        )
        ON CONFLICT (record_id, set_id) DO NOTHING
        """,
        keys=list(keys),
        set_id=set_id,
        stamp=stamp,
    )
    add_to_outbox(JournalOutbox.Event.LEFT, keys, set_id, stamp)


def update_dependents(keys: Sequence[str], stamp: datetime) -> None:
    """Update everything that follows from the direct memberships of these records.

    A tombstone is deleted in all its sets; every live membership of a live record gets the stamp; memberships of
    including sets are derived; the header's setSpecs name the direct memberships, a tombstone keeps its own (P84).

    The statements go in steps that read these records alone: where PostgreSQL takes the tables for empty, as they were
    when it looked last, it would otherwise read all memberships for each record and each membership.
    """
    values: dict[str, Any] = {"keys": list(keys), "stamp": stamp}
    execute_and_journal(
        """
        UPDATE catalogue_membership m
        SET datestamp = %(stamp)s, deleted = m.record_id = ANY(these.gone), direct = m.direct AND m.record_id <> ALL(these.gone)
        FROM (
            SELECT coalesce(array_agg(id) FILTER (WHERE deleted), '{}') AS gone FROM catalogue_record
            WHERE key = ANY(%(keys)s)
        ) these
        WHERE m.record_id = ANY(ARRAY(SELECT id FROM catalogue_record WHERE key = ANY(%(keys)s))) AND NOT m.deleted
        """,
        **values,
    )
    derive(**values)
    execute(
        """
        WITH live AS MATERIALIZED (
            SELECT id FROM catalogue_record WHERE key = ANY(%(keys)s) AND NOT deleted
        ), direct AS MATERIALIZED (
            SELECT m.record_id, array_agg(s.spec::text) AS specs
            FROM catalogue_membership m JOIN catalogue_metadataset s ON s.id = m.set_id
            WHERE m.record_id = ANY(ARRAY(SELECT id FROM live)) AND m.direct AND NOT m.deleted
            GROUP BY m.record_id
        ), named AS MATERIALIZED (  -- no ancestor of a set that is named (P75)
            SELECT record_id, ARRAY(
                SELECT spec FROM unnest(specs) AS spec
                WHERE NOT EXISTS (SELECT FROM unnest(specs) AS below WHERE starts_with(below, spec || ':'))
                ORDER BY spec COLLATE "C"
            ) AS specs
            FROM direct
        )
        UPDATE catalogue_record r SET datestamp = %(stamp)s, set_specs = named.specs
        FROM named
        WHERE r.id = ANY(ARRAY(SELECT record_id FROM named)) AND r.id = named.record_id
        AND (r.set_specs <> named.specs OR r.datestamp <> %(stamp)s)
        """,
        **values,
    )


_DERIVE = """
    INSERT INTO catalogue_membership AS m (record_id, set_id, datestamp, deleted, direct, audience)
    SELECT c.record_id, i.parent_id, %(stamp)s, bool_and(c.deleted OR NOT c.direct), false, min(r.audience)
    FROM catalogue_membership c
    JOIN catalogue_record r ON r.id = c.record_id
    JOIN catalogue_setinclusion i ON i.child_id = c.set_id
    WHERE {which}
    GROUP BY c.record_id, i.parent_id
    ON CONFLICT (record_id, set_id) DO UPDATE
    SET datestamp = excluded.datestamp, deleted = excluded.deleted AND NOT m.direct
    WHERE {changes}
"""


def derive(keys: Sequence[str], stamp: datetime) -> None:
    """Write the memberships of these records in sets that include others. A row that stays deleted is not touched."""
    if keys and SetInclusion.objects.exists():
        execute_and_journal(
            _DERIVE.format(which="r.key = ANY(%(keys)s)", changes="NOT (m.deleted AND excluded.deleted)"),
            keys=list(keys),
            stamp=stamp,
        )


def derive_into(records: Sequence[int], parent_id: int, stamp: datetime) -> None:
    """Write the memberships of the records with these ids in one set that includes others. Those that live there stay as they are."""
    which, changes = "r.id = ANY(%(records)s) AND i.parent_id = %(parent_id)s", "m.deleted AND NOT excluded.deleted"
    statement = _DERIVE.format(which=which, changes=changes)
    execute_and_journal(statement, records=list(records), parent_id=parent_id, stamp=stamp)


def drop_derived(records: Sequence[int], parent_id: int, stamp: datetime) -> None:
    """End the memberships of the records with these ids that no included set brings into this set any more."""
    execute_and_journal(
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


def clear_purged(keys: Sequence[str]) -> set[str]:
    """Delete the marks of purged tombstones for these new records, and return the keys that had one.

    The journal has the deletion of these records, so it needs an event that they came back.
    """
    if not keys:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            """
            DELETE FROM catalogue_purged p USING unnest(%s::text[], %s::text[]) AS new (key, folded)
            WHERE p.hash IN (hashtextextended(new.key, 0), hashtextextended(new.folded, 0)) RETURNING new.key
            """,
            [list(keys), [key.casefold() for key in keys]],  # folded: as marks were made by versions before
        )
        return {key for (key,) in cursor.fetchall()}


def make_tombstones(keys: Sequence[str], stamp: datetime) -> None:
    """Make tombstones of these records, in all their sets (P84). Call `update_dependents` afterwards."""
    execute(
        """
        WITH dead AS (
            UPDATE catalogue_record SET deleted = true, datestamp = %(stamp)s, payload = NULL, digest = NULL,
                metadata_date = NULL, provenance = NULL, spelling = ''
            WHERE key = ANY(%(keys)s) RETURNING id
        ), nameless AS (DELETE FROM catalogue_description d USING dead WHERE d.record_id = dead.id)
        DELETE FROM catalogue_validation v USING dead WHERE v.record_id = dead.id
        """,
        keys=list(keys),
        stamp=stamp,
    )
