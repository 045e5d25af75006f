"""Restrict lists to a scope, the part of the catalogue that one harvester may see (G11): its SQL. Runs no query.

A scope that is not the whole catalogue has the records that are, or were, in one of its sets. In a list over all of
them a record is deleted when it is in none of them any more, and its datestamp is the latest of its memberships
there: leaving or joining one of the sets changes what this harvester sees, joining or leaving any other does not.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Scope:
    """The sets with these ids, hidden ones too; None: every public set. `whole`: every record, in these sets or not.

    Of either only what this harvester may see: what everybody sees, what is of these `categories`, and what is in unlisted
    sets that `sets` names. `with_hidden`: all there is, for the administration.

    `whole` is true if `WIS-CATALOGUE` is one of the sets; every header then names it first. `set_tombstones`: a list of a set
    also has the records that left it and live in another set of the scope, as deleted (P75).
    """

    sets: frozenset[int] | None = None
    whole: bool = True
    set_tombstones: bool = True
    categories: frozenset[int] = frozenset()
    with_hidden: bool = False

    @property
    def values(self) -> dict[str, Any]:
        """The values of the SQL of this module."""
        named = list(self.sets or ())
        return {"scope": named, "categories": list(self.categories)}


EVERYTHING = Scope()  # for everybody
WITH_HIDDEN = Scope(with_hidden=True)


def audiences(scope: Scope) -> str:
    """Build the SQL for the audiences that the scope belongs to, as an array."""
    if not sees_more(scope):
        return "ARRAY[0]"
    return """ARRAY(
        SELECT 0 UNION ALL SELECT id FROM catalogue_audience
        WHERE categories <@ %(categories)s::bigint[] AND (cardinality(sets) = 0 OR sets && %(scope)s::bigint[])
    )"""


def visible(scope: Scope, audience: str) -> str:
    """Build the SQL condition for rows with this `audience` that the scope sees."""
    if scope.with_hidden:
        return "true"
    if not sees_more(scope):
        return f"{audience} = 0"  # so that partial indexes serve it
    return f"{audience} = ANY({audiences(scope)})"


def listed(scope: Scope, of_set: str) -> str:
    """Build the SQL condition for a row of a set that ListSets and headers name."""
    if scope.with_hidden:
        return "true"
    allowed = f"({of_set}.category_id IS NULL OR {of_set}.category_id = ANY(%(categories)s::bigint[]))"
    chosen = f"{of_set}.public" if scope.sets is None else f"{of_set}.id = ANY(%(scope)s::bigint[])"
    return f"{chosen} AND {allowed}"


# Datestamp and status of one record over all its memberships in the scope.
LATEST_MEMBERSHIP = """
    CROSS JOIN LATERAL (
        SELECT max(o.datestamp) AS datestamp, bool_and(o.deleted) AS deleted
        FROM catalogue_membership o WHERE o.record_id = {record} AND o.set_id = ANY(%(scope)s)
    ) v
"""


def header_sets(scope: Scope, record: str, deleted: str, datestamp: str) -> str:
    """Build the SQL for the setSpecs of the scope that a header names; of a deleted record those that it left last (P84).

    Where it died in some of them, those that it had left before are not named. The arguments are SQL: the record's id,
    whether the header is deleted, and its datestamp.
    """
    return f"""
        ARRAY(
            SELECT h.spec::text FROM catalogue_membership k JOIN catalogue_metadataset h ON h.id = k.set_id
            WHERE k.record_id = {record} AND {listed(scope, "h")}
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
    WHERE m.set_id = {pk:d} AND {{visible}} AND m.datestamp < %(end)s {{bounds}} AND m.set_id = (
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
    WHERE m.set_id = ANY(%(scope)s) AND {visible} AND m.datestamp < %(end)s {bounds}
"""


def sees_more(scope: Scope) -> bool:
    """Whether the scope may see records that not everybody sees."""
    return scope.sets is not None or bool(scope.categories)


def withdrawn(scope: Scope) -> str:
    """Build the SQL for the tombstones of records that the scope saw and sees no more, in the `lists` (set 0: everything).

    A record comes once, by the latest of its rows, however many audiences it was withdrawn from.
    """
    rows = """
        FROM catalogue_withdrawal w JOIN catalogue_record r ON r.id = w.record_id
        WHERE w.set_id = ANY(%(lists)s) AND w.datestamp < %(end)s {bounds}
    """
    if not sees_more(scope):  # what everybody saw and sees no more has one row in each list
        return f"{rows} AND w.audience = 0"
    return f"""{rows} AND w.audience = ANY({audiences(scope)}) AND NOT {visible(scope, "r.audience")} AND NOT EXISTS (
        SELECT FROM catalogue_withdrawal o
        WHERE o.record_id = w.record_id AND o.set_id = ANY(%(lists)s) AND o.audience = ANY({audiences(scope)})
        AND (o.datestamp, o.set_id, o.audience) > (w.datestamp, w.set_id, w.audience)
    )"""


def withdrawn_sets(scope: Scope) -> str:
    """Build the SQL for the setSpecs that the header of such a tombstone names: in the list of a set this one alone (P75)."""
    named = "k.direct" if scope.sets is None else "true"
    return f"""
        ARRAY(
            SELECT h.spec::text FROM catalogue_withdrawal k JOIN catalogue_metadataset h ON h.id = k.set_id
            WHERE k.record_id = w.record_id AND k.audience = w.audience AND {listed(scope, "h")}
            AND CASE WHEN %(one_set)s THEN k.set_id = w.set_id ELSE {named} END
            ORDER BY h.spec
        )"""
