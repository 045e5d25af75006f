"""Restrict lists to a scope, the part of the catalogue that one harvester may see (G11): its SQL. Runs no query.

A scope that is not the whole catalogue has the records that are, or were, in one of its sets. In a list over all of
them a record is deleted when it is in none of them any more, and its datestamp is the latest of its memberships
there: leaving or joining one of the sets changes what this harvester sees, joining or leaving any other does not.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """The sets with these ids, hidden ones too; None: every public set. `whole`: every record, in these sets or not.

    `whole` is true if `WIS-CATALOGUE` is one of the sets; every header then names it first. `set_tombstones`: a list of a set
    also has the records that left it and live in another set of the scope, as deleted (P75).
    """

    sets: frozenset[int] | None = None
    whole: bool = True
    set_tombstones: bool = True


EVERYTHING = Scope()

# Datestamp and status of one record over all its memberships in the scope.
LATEST_MEMBERSHIP = """
    CROSS JOIN LATERAL (
        SELECT max(o.datestamp) AS datestamp, bool_and(o.deleted) AS deleted
        FROM catalogue_membership o WHERE o.record_id = {record} AND o.set_id = ANY(%(scope)s)
    ) v
"""


def header_sets(record: str, deleted: str, datestamp: str) -> str:
    """Build the SQL for the setSpecs of the scope that a header names; of a deleted record those that it left last (P84).

    Where it died in some of them, those that it had left before are not named. The arguments are SQL: the record's id,
    whether the header is deleted, and its datestamp.
    """
    return f"""
        ARRAY(
            SELECT h.spec::text FROM catalogue_membership k JOIN catalogue_metadataset h ON h.id = k.set_id
            WHERE k.record_id = {record} AND k.set_id = ANY(%(scope)s)
            AND CASE WHEN {deleted} THEN k.deleted AND k.datestamp >= {datestamp} AND k.departed = (
                SELECT bool_and(l.departed) FROM catalogue_membership l
                WHERE l.record_id = {record} AND l.set_id = ANY(%(scope)s)
            ) ELSE NOT k.deleted END
            ORDER BY h.spec
        )"""


def hidden(scope: Scope) -> str:
    """Build the SQL condition for the memberships `m` that a list of one set leaves out; empty for none (P75)."""
    if scope.set_tombstones:
        return ""
    if scope.whole:
        return "m.elsewhere"
    return """m.elsewhere AND EXISTS (
        SELECT FROM catalogue_membership o
        WHERE o.record_id = m.record_id AND o.set_id = ANY(%(scope)s) AND NOT o.deleted
    )"""


# A page of one set, without the records that have a later row in another set of the scope: that one's page has them.
_BRANCH = """(
    SELECT m.record_id, m.datestamp FROM catalogue_membership m
    WHERE m.set_id = {pk:d} AND m.datestamp < %(end)s {{bounds}} AND m.set_id = (
        SELECT o.set_id FROM catalogue_membership o WHERE o.record_id = m.record_id AND o.set_id = ANY(%(scope)s)
        ORDER BY o.datestamp DESC, o.set_id DESC LIMIT 1
    )
    ORDER BY m.datestamp, m.record_id LIMIT %(size)s
)"""


def union(sets: frozenset[int]) -> str:
    """Build the SQL for a list over several sets: a page of each set, in the order of its index, merged into one page.

    A record comes once, at its latest membership, and a page costs at most a page of each set, at any depth. The ids
    of the sets are numbers of our own, never text from outside.
    """
    branches = " UNION ALL ".join(_BRANCH.format(pk=pk) for pk in sorted(sets))
    return f"""
        SELECT {{columns}}
        FROM (
            SELECT b.record_id, b.datestamp FROM ({branches}) b ORDER BY b.datestamp, b.record_id LIMIT %(size)s
        ) m
        {LATEST_MEMBERSHIP.format(record="m.record_id")}
        JOIN catalogue_record r ON r.id = m.record_id
        ORDER BY m.datestamp, m.record_id
    """


COUNT_UNION = """
    SELECT count(DISTINCT m.record_id) FROM catalogue_membership m
    WHERE m.set_id = ANY(%(scope)s) AND m.datestamp < %(end)s {bounds}
"""
