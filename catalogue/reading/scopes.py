"""What one harvester is shown of the catalogue (G11): a scope, and the SQL that keeps lists within it. No query here.

A scope that is not the whole catalogue holds the records that are, or were, in one of its sets. In a list over all of
them a record is deleted when it is in none of them any more, and its datestamp is the latest of its memberships
there: leaving or joining one of the sets changes what this harvester sees, and joining or leaving any other does not.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """The sets with these ids, hidden ones too; None: every public set. `whole`: every record, in these sets or not.

    `whole` is true where `WIS-CATALOGUE` is one of the sets, which then heads every header as it does for everybody.
    """

    sets: frozenset[int] | None = None
    whole: bool = True


EVERYTHING = Scope()

# What the rows of one record in the scope say together.
OF_ONE_RECORD = """
    CROSS JOIN LATERAL (
        SELECT max(o.datestamp) AS datestamp, bool_and(o.deleted) AS deleted
        FROM catalogue_membership o WHERE o.record_id = {record} AND o.set_id = ANY(%(scope)s)
    ) v
"""


def header_sets(record: str, deleted: str, datestamp: str) -> str:
    """The setSpecs of the scope that a header names; of a deleted record those that it has left last (P84).

    The arguments are SQL: the record's id, whether the header is deleted, and its datestamp.
    """
    return f"""
        ARRAY(
            SELECT h.spec::text FROM catalogue_membership k JOIN catalogue_metadataset h ON h.id = k.set_id
            WHERE k.record_id = {record} AND k.set_id = ANY(%(scope)s)
            AND CASE WHEN {deleted} THEN k.deleted AND k.datestamp >= {datestamp} ELSE NOT k.deleted END
            ORDER BY h.spec
        )"""


# A page of one set, without the records that have a later row in another set of the scope: they come there.
_BRANCH = """(
    SELECT m.record_id, m.datestamp FROM catalogue_membership m
    WHERE m.set_id = {pk:d} AND m.datestamp < %(end)s {{bounds}} AND m.set_id = (
        SELECT o.set_id FROM catalogue_membership o WHERE o.record_id = m.record_id AND o.set_id = ANY(%(scope)s)
        ORDER BY o.datestamp DESC, o.set_id DESC LIMIT 1
    )
    ORDER BY m.datestamp, m.record_id LIMIT %(size)s
)"""


def union(sets: frozenset[int]) -> str:
    """The list over several sets: of each set a page, in the order of its index, and of these the first page.

    A record comes once, at its latest membership, and a page costs at most a page of each set, at any depth. The ids
    of the sets are numbers of our own, never text from outside.
    """
    branches = " UNION ALL ".join(_BRANCH.format(pk=pk) for pk in sorted(sets))
    return f"""
        SELECT {{columns}}
        FROM (
            SELECT b.record_id, b.datestamp FROM ({branches}) b ORDER BY b.datestamp, b.record_id LIMIT %(size)s
        ) m
        {OF_ONE_RECORD.format(record="m.record_id")}
        JOIN catalogue_record r ON r.id = m.record_id
        ORDER BY m.datestamp, m.record_id
    """


UNION_SIZE = """
    SELECT count(DISTINCT m.record_id) FROM catalogue_membership m
    WHERE m.set_id = ANY(%(scope)s) AND m.datestamp < %(end)s {bounds}
"""
