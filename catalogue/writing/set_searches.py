"""Keep the virtual sets that are defined by a search: they have the live records that it finds.

Each writer lets its records follow, at its end and under the clock's lock (`settling.settle`), so that a list of the set is as true
as any other. A change of the search is a `SetChange`: records that are stored from then on follow the new one, those that were
stored before follow in batches (`set_changes.go_on`).
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import DataError, ProgrammingError, connection, transaction
from django.utils.translation import gettext

from catalogue import seams
from catalogue.limits import Replaceable
from catalogue.models import MetadataSet, Record, SetChange, SetSearch
from catalogue.reading.query import stored
from catalogue.reading.query.conditions import Any, Condition, InSet, leaves, storable
from catalogue.reading.query.sql import Compiler
from catalogue.reading.query.statements import FROM, Sql, array_of, column_of
from catalogue.writing import clock, memberships

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SetSearchLimits:
    """How much is looked at. All are chosen."""

    batch: int = 2000  # records at a time; fewer than one search may compare (`statements.LookupLimits.compared`)
    foresee_s: float = 8.0  # a person waits; then the counts are estimates
    examples: int = 8


LIMITS = Replaceable(SetSearchLimits())
# Of a search that was taken away, until all records have left: as long as a set has a search, it lists no record for anybody
# (`sql/visibility.*.sql`).
NOTHING = Any(())


# --- Under the lock -----------------------------------------------------------------------------------


def follow(stamp: datetime, *, keys: Sequence[str] | None = None, ids: Sequence[int] | None = None) -> None:
    """Let these records, by their keys or ids, into the sets whose search finds them now, and out of those whose does not."""
    if ids is None:
        ids = column_of("SELECT id FROM catalogue_record WHERE key = ANY(%s)", [list(keys or ())])
    searches = _searches()
    for start in range(0, len(ids), LIMITS.in_force.batch):
        records = ids[start : start + LIMITS.in_force.batch]
        for set_id, condition in searches:
            _write(set_id, records, _found(condition, records), stamp)


def find_moving(set_id: int, records: Sequence[int]) -> list[int]:
    """Return those of these records that are not in the set as its search says. Takes no lock; only in a transaction."""
    search = SetSearch.objects.get(pk=set_id)
    return sorted(_found(stored.from_json(search.condition), records) ^ _members(set_id, records))


def forget_if_taken_away(set_id: int) -> None:
    """Delete the row of a search that was taken away, when no record is in its set any more."""
    SetSearch.objects.filter(pk=set_id, condition=stored.to_json(NOTHING)).delete()


def _searches() -> list[tuple[int, Condition]]:
    searches = []
    for search in SetSearch.objects.select_related("set").order_by("pk"):
        try:
            searches.append((search.pk, stored.from_json(search.condition)))
        except stored.ConditionUnreadable as exc:  # `problems` tells of it, too
            logger.error(
                "the search of a set cannot be read, so records do not follow it",
                extra={"set": search.set.spec, "reason": str(exc)},
            )
    return searches


def _found(condition: Condition, records: Sequence[int]) -> set[int]:
    """Find those of these records that a search finds. Only in a transaction."""
    among = Sql("d.record_id = ANY(%s::bigint[])", (array_of(records),), is_indexed=True)
    found = Compiler(among=among).sql(storable(condition))
    source = FROM if found.needs_record else "catalogue_description d"  # tombstones have no description
    return set(
        column_of(
            f"SELECT d.record_id FROM {source} WHERE {among.text} AND ({found.text})", [*among.values, *found.values]
        )
    )


_JOIN = """
    INSERT INTO catalogue_membership AS m (record_id, set_id, datestamp, deleted, direct, audience)
    SELECT r.id, %(set_id)s, %(stamp)s, false, false, r.audience FROM catalogue_record r WHERE r.id = ANY(%(ids)s::bigint[])
    ON CONFLICT (record_id, set_id) DO UPDATE SET datestamp = excluded.datestamp, deleted = false WHERE m.deleted
"""
# By its name, the set may have sets below it (P74).
_LEAVE = """
    UPDATE catalogue_membership m SET datestamp = %(stamp)s, deleted = true
    WHERE m.set_id = %(set_id)s AND m.record_id = ANY(%(ids)s::bigint[]) AND NOT m.deleted AND NOT m.direct
    AND NOT EXISTS (
        SELECT FROM catalogue_membership c
        JOIN catalogue_setinclusion i ON i.child_id = c.set_id AND i.parent_id = %(set_id)s
        WHERE c.record_id = m.record_id AND c.direct AND NOT c.deleted
    )
"""


def _write(set_id: int, records: Sequence[int], found: set[int], stamp: datetime) -> None:
    there = _members(set_id, records)
    for statement, moving in ((_JOIN, found - there), (_LEAVE, there - found)):
        if moving:
            memberships.execute_and_journal(statement, ids=array_of(sorted(moving)), set_id=set_id, stamp=stamp)


_MEMBERS = """
    SELECT m.record_id FROM catalogue_membership m
    WHERE m.set_id = %s AND m.record_id = ANY(%s::bigint[]) AND NOT m.deleted AND NOT m.direct AND NOT EXISTS (
        SELECT FROM catalogue_membership c
        JOIN catalogue_setinclusion i ON i.child_id = c.set_id AND i.parent_id = m.set_id
        WHERE c.record_id = m.record_id AND c.direct AND NOT c.deleted
    )
"""


def _members(set_id: int, records: Sequence[int]) -> set[int]:
    """Return those of these records that are in the set because of its search: no set below it has them."""
    return set(column_of(_MEMBERS, [set_id, array_of(records)]))


# --- What an operator does ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ForeseenSearch:
    """What a search would do in the lists of its set, in records; `examples`: the newest that it finds.

    `added`: new there; `deleted`: told as deleted; `stay`: there before and after, with the datestamps that they have. Not
    exact: estimates, from those of the records that were looked at in the time.
    """

    added: int
    deleted: int
    stay: int
    examples: tuple[int, ...] = ()
    is_exact: bool = True

    @property
    def moved(self) -> int:
        return self.added + self.deleted


def foresee(virtual: MetadataSet, condition: Condition | None, *, seconds: float | None = None) -> ForeseenSearch:
    """Count what `begin` and `set_changes.go_on` would do now; None: without a search. Raises ValidationError as `begin` would."""
    check(virtual, condition)
    deadline = None if seconds is None else seams.monotonic() + seconds
    added = deleted = stay = looked_at = 0
    examples: list[int] = []
    is_exact = True
    for records in reversed_batches():
        with transaction.atomic():
            found = set() if condition is None else _found(condition, records)
        there = _members(virtual.pk, records)
        added, deleted, stay = added + len(found - there), deleted + len(there - found), stay + len(found & there)
        examples += sorted(found, reverse=True)[: LIMITS.in_force.examples - len(examples)]
        looked_at += len(records)
        if deadline is not None and seams.monotonic() > deadline:
            is_exact = False
            break
    if not is_exact:
        times = Record.objects.filter(deleted=False).count() / looked_at
        added, deleted, stay = (round(number * times) for number in (added, deleted, stay))
    return ForeseenSearch(added, deleted, stay, tuple(examples), is_exact)


@transaction.atomic
def begin(
    virtual: MetadataSet, condition: Condition | None, *, address: str = "", filter_text: str = ""
) -> SetChange | None:
    """Define a virtual set by a search, or by none any more; None if it is so already. Raises ValidationError.

    Call `set_changes.go_on` afterwards. `address` and `filter_text`: what the condition was made of, for people.
    """
    check(virtual, condition)
    clock.take_stamp()  # keeps writers out: each then sees the new search, or has its records read by `go_on`
    if is_defined_by(virtual, condition):
        return None
    as_json = stored.to_json(condition or NOTHING)
    texts = {"address": address, "filter": filter_text, "changed": seams.now()}
    SetSearch.objects.update_or_create(pk=virtual.pk, defaults={"condition": as_json, **texts})
    SetChange.objects.filter(parent=virtual, act=SetChange.Act.SEARCH, ended=None).update(ended=seams.now())
    return SetChange.objects.create(
        parent=virtual,
        act=SetChange.Act.SEARCH,
        specs=[text for text in (address, filter_text) if text],
        children=[],
        total=Record.objects.filter(deleted=False).count(),
        begun=seams.now(),
    )


def _try(condition: Condition) -> None:
    """Run a search once, on no record: one that the database refuses would let no writer write."""
    try:
        with transaction.atomic():
            _found(condition, [])
    except (DataError, ProgrammingError) as exc:
        raise ValidationError(
            gettext("The database cannot run this search: {reason}").format(reason=" ".join(str(exc).split())[:300])
        ) from exc


def naming(named: MetadataSet) -> list[str]:
    """Return the other sets whose search names this one."""
    return [
        search.set.spec
        for search in SetSearch.objects.exclude(pk=named.pk).select_related("set").order_by("set__spec")
        if InSet(named.spec) in _leaves_of(search)
    ]


def _leaves_of(search: SetSearch) -> list[Condition]:
    try:
        return list(leaves(stored.from_json(search.condition)))
    except stored.ConditionUnreadable:
        return []


def unreadable() -> list[SetSearch]:
    """Return the searches that this version of the node cannot read: no record follows them."""
    found = []
    for search in SetSearch.objects.select_related("set").order_by("set__spec"):
        try:
            stored.from_json(search.condition)
        except stored.ConditionUnreadable:
            found.append(search)
    return found


def is_defined_by(virtual: MetadataSet, condition: Condition | None) -> bool:
    """Whether the set is defined by exactly this search; None: by none."""
    search = search_of(virtual)
    return (
        condition is None if search is None else condition is not None and search.condition == stored.to_json(condition)
    )


def search_of(virtual: MetadataSet) -> SetSearch | None:
    """Return the search of a set; none if it was taken away."""
    return SetSearch.objects.filter(pk=virtual.pk).exclude(condition=stored.to_json(NOTHING)).first()


def check(virtual: MetadataSet, condition: Condition | None) -> None:
    """Raise ValidationError, which says why, if the set cannot be defined by this search."""
    if virtual.kind != MetadataSet.Kind.VIRTUAL:
        raise ValidationError(
            gettext("{virtual} is not a virtual set, so no search can define it").format(virtual=virtual)
        )
    if ":" in virtual.spec:  # P74
        raise ValidationError(
            gettext(
                "{virtual} is below another set by its name, which would have to have its records too; make a virtual set "
                "without a colon in its name"
            ).format(virtual=virtual)
        )
    members = virtual.inclusions.exclude(child__spec__startswith=f"{virtual.spec}:")
    if condition is not None and members.exists():
        raise ValidationError(
            gettext("{virtual} is made of other sets: take them out first, or make another virtual set").format(
                virtual=virtual
            )
        )
    if condition is None:
        return
    if unfit := list(dict.fromkeys(stored.unfit_for_sets(condition))):
        raise ValidationError(unfit)
    _try(condition)
    named = [leaf.spec for leaf in leaves(condition) if isinstance(leaf, InSet)]
    circular = [virtual.spec] if virtual.spec in named else []
    circular += SetSearch.objects.filter(set__spec__in=named).values_list("set__spec", flat=True)
    if circular or naming(virtual):
        raise ValidationError(
            gettext("A search that defines a set can name no set that is defined by a search: {specs}").format(
                specs=", ".join(dict.fromkeys([*circular, *naming(virtual)]))
            )
        )


def live_batches(after: int = 0) -> Iterator[list[int]]:
    """Read the ids of all live records in batches, by id."""
    while records := _ids("id > %s ORDER BY id", after):
        yield records
        after = records[-1]


def reversed_batches() -> Iterator[list[int]]:
    """Read the ids of all live records in batches, the newest record first."""
    before = _MORE_THAN_ANY_ID
    while records := _ids("id < %s ORDER BY id DESC", before):
        yield records
        before = records[-1]


_MORE_THAN_ANY_ID = 2**63 - 1


def _ids(which: str, value: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id FROM catalogue_record WHERE NOT deleted AND {which} LIMIT %s", [value, LIMITS.in_force.batch]
        )
        return [row[0] for row in cursor.fetchall()]
