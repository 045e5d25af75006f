"""Change what a virtual set is made of: foresee it, begin it, and go on with it in batches, also after a crash.

The inclusions change at once, so that records which are stored from then on follow them. The memberships of those that
were stored before follow in batches under the clock's lock; `SetChange` has how far that has come, written with each batch.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils.translation import gettext

from catalogue import seams
from catalogue.limits import Replaceable
from catalogue.models import MetadataSet, SetChange, SetInclusion, SetSearch
from catalogue.writing import clock, memberships, set_searches, settling


@dataclass(frozen=True, slots=True)
class SetChangeLimits:
    """How much is written at a time."""

    batch: int = 2000  # records; chosen: one batch holds the writers' lock for some tens of milliseconds
    task_s: float = 20.0  # chosen: then the worker is free for other tasks


LIMITS = Replaceable(SetChangeLimits())
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a change would do in the lists of the virtual set, in records. The rows of other sets stay as they are.

    `added`: live there from then on, with new datestamps; `deleted`: told as deleted, with new datestamps; `stay`: live there
    before and after, with the datestamps that they have.
    """

    added: int = 0
    deleted: int = 0
    stay: int = 0

    @property
    def moved(self) -> int:
        return self.added + self.deleted


def is_small(number: int) -> bool:
    """Whether so many records are written at once, without a task."""
    return number <= LIMITS.in_force.batch


def ignore(_number: int) -> None:
    """Take no notice of progress."""


def foresee_include(virtual: MetadataSet, members: Sequence[MetadataSet]) -> Foreseen:
    """Count what `begin_include` and `go_on` would do now. Raises ValidationError as they would."""
    _check_include(virtual, members)
    values = {"parent": virtual.pk, "children": _with_sets_below(members)}
    return Foreseen(
        *_count(
            """
            SELECT count(*) FILTER (WHERE c.is_live AND v.deleted IS NOT FALSE),
                count(*) FILTER (WHERE NOT c.is_live AND v.deleted IS NULL), count(*) FILTER (WHERE NOT v.deleted)
            FROM (
                SELECT record_id, bool_or(direct AND NOT deleted) AS is_live FROM catalogue_membership
                WHERE set_id = ANY(%(children)s) GROUP BY record_id
            ) c
            LEFT JOIN catalogue_membership v ON v.record_id = c.record_id AND v.set_id = %(parent)s
            """,
            values,
        )
    )


def foresee_exclude(virtual: MetadataSet, members: Sequence[MetadataSet]) -> Foreseen:
    """Count what `begin_exclude` and `go_on` would do now. Raises ValidationError as they would."""
    _check_exclude(virtual, members)
    values = {"parent": virtual.pk, "children": _with_sets_below(members)}
    deleted, stay = _count(
        """
        SELECT count(*) FILTER (WHERE NOT stays), count(*) FILTER (WHERE stays)
        FROM (
            SELECT EXISTS (
                SELECT FROM catalogue_membership c
                JOIN catalogue_setinclusion i ON i.child_id = c.set_id AND i.parent_id = %(parent)s
                WHERE c.record_id = m.record_id AND c.direct AND NOT c.deleted AND c.set_id <> ALL(%(children)s)
            ) AS stays
            FROM catalogue_membership m
            WHERE m.set_id = %(parent)s AND NOT m.deleted AND NOT m.direct AND EXISTS (
                SELECT FROM catalogue_membership c WHERE c.record_id = m.record_id AND c.set_id = ANY(%(children)s)
            )
        ) AS of_members
        """,
        values,
    )
    return Foreseen(deleted=deleted, stay=stay)


def begin_include(virtual: MetadataSet, members: Iterable[MetadataSet]) -> SetChange | None:
    """Include sets, and all sets below them, in a virtual set (G4); None if they are in it. Raises ValidationError."""
    members = list(members)
    _check_include(virtual, members)
    there = set(SetInclusion.objects.filter(parent=virtual).values_list("child_id", flat=True))
    change = _change(virtual, SetChange.Act.INCLUDE, members, set(_with_sets_below(members)) - there)
    if change is None:
        return None
    inclusions = [SetInclusion(parent=virtual, child_id=pk) for pk in change.children]
    with transaction.atomic():
        _wait_for_writers()
        SetInclusion.objects.bulk_create(inclusions, ignore_conflicts=True)
        change.save()
    return change


def begin_exclude(virtual: MetadataSet, members: Iterable[MetadataSet]) -> SetChange | None:
    """Take sets, and all sets below them, out of a virtual set; None if none is in it. Raises ValidationError."""
    members = list(members)
    _check_exclude(virtual, members)
    inclusions = SetInclusion.objects.filter(parent=virtual, child_id__in=_with_sets_below(members))
    change = _change(virtual, SetChange.Act.EXCLUDE, members, set(inclusions.values_list("child_id", flat=True)))
    if change is None:
        return None
    with transaction.atomic():
        _wait_for_writers()
        inclusions.delete()
        change.save()
    return change


def go_on(change: SetChange, *, advance: Advance = ignore, seconds: float | None = None) -> bool:
    """Write the memberships that follow from a change, for as long as is given. Returns whether it has come to its end.

    Each batch is a transaction with the row of the change, so two processes write no batch twice.
    """
    deadline = None if seconds is None else seams.monotonic() + seconds
    while deadline is None or seams.monotonic() < deadline:
        with transaction.atomic():
            current = SetChange.objects.select_for_update().get(pk=change.pk)
            if current.ended is not None:
                return True
            if current.act == SetChange.Act.SEARCH:
                records = next(set_searches.live_batches(current.last_record), [])
                _follow_search(current.parent_id, records)
            else:
                records = next(records_in(current.children, after=current.last_record), [])
                _follow_members(current, records)
            if records:
                current.last_record = records[-1]
                current.done += len(records)
            else:
                current.ended = seams.now()
                set_searches.forget_if_taken_away(current.parent_id)
            current.save(update_fields=("last_record", "done", "ended"))
        advance(len(records))
    return False


def _follow_members(change: SetChange, records: Sequence[int]) -> None:
    if records:
        write = memberships.derive_into if change.act == SetChange.Act.INCLUDE else memberships.drop_derived
        stamp = clock.take_stamp()
        write(records, change.parent_id, stamp)
        settling.settle(stamp, ids=records)


def _follow_search(set_id: int, records: Sequence[int]) -> None:
    """Let records follow the search of a set; writers wait only where some have to. Who changes one meanwhile lets it follow."""
    if moving := set_searches.find_moving(set_id, records):
        settling.settle(clock.take_stamp(), ids=moving)


def go_on_with_all() -> bool:
    """Go on for a short time with the changes that have not ended, the oldest first. Returns whether all are at their end."""
    deadline = seams.monotonic() + LIMITS.in_force.task_s
    return all(go_on(change, seconds=deadline - seams.monotonic()) for change in open_changes())


def open_changes() -> Iterator[SetChange]:
    """Return the changes that have not ended, the oldest first."""
    yield from SetChange.objects.filter(ended=None).order_by("pk")


def records_in(sets: Sequence[int], *, after: int = 0) -> Iterator[list[int]]:
    """Read the ids of all records that have a row in one of the sets, live or deleted, in batches."""
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT DISTINCT record_id FROM catalogue_membership WHERE set_id = ANY(%s) AND record_id > %s "
                "ORDER BY record_id LIMIT %s",
                [list(sets), after, LIMITS.in_force.batch],
            )
            records = [row[0] for row in cursor.fetchall()]
        if not records:
            return
        yield records
        after = records[-1]


def _change(
    virtual: MetadataSet, act: SetChange.Act, members: list[MetadataSet], children: set[int]
) -> SetChange | None:
    """Make the row of a change, which is not stored yet; None if it changes nothing."""
    if not children:
        return None
    (total,) = _count(
        "SELECT count(DISTINCT record_id) FROM catalogue_membership WHERE set_id = ANY(%(children)s)",
        {"children": sorted(children)},
    )
    specs = [member.spec for member in members]
    return SetChange(parent=virtual, act=act, specs=specs, children=sorted(children), total=total, begun=seams.now())


def _wait_for_writers() -> None:
    """Keep writers out until the transaction ends: each then sees the new inclusions, or has its records read by `go_on`."""
    clock.take_stamp()


def _count(statement: str, values: dict[str, Any]) -> tuple[int, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return tuple(cursor.fetchone())


def _with_sets_below(members: Iterable[MetadataSet]) -> list[int]:
    """Return the ids of sets and of all sets below them, each once."""
    found: dict[int, None] = {}
    for member in members:
        below = MetadataSet.objects.filter(spec__startswith=f"{member.spec}:")
        found |= dict.fromkeys((member.pk, *below.values_list("pk", flat=True)))
    return list(found)


def _check_include(virtual: MetadataSet, members: Iterable[MetadataSet]) -> None:
    if SetSearch.objects.filter(pk=virtual.pk).exists():
        raise ValidationError(
            gettext("{virtual} is defined by a search: take the search away first, or make another virtual set").format(
                virtual=virtual
            )
        )
    if virtual.kind != MetadataSet.Kind.VIRTUAL:
        raise ValidationError(
            gettext("{virtual} is not a virtual set, so it cannot be made of others").format(virtual=virtual)
        )
    for member in members:
        if member.kind in (MetadataSet.Kind.VIRTUAL, MetadataSet.Kind.CATALOGUE):
            raise ValidationError(
                gettext("{member} is a {kind} set; a virtual set is made of own, peer and shared sets").format(
                    member=member, kind=member.kind
                )
            )


def _check_exclude(virtual: MetadataSet, members: Iterable[MetadataSet]) -> None:
    for member in members:
        if member.spec.startswith(f"{virtual.spec}:"):  # P74
            raise ValidationError(
                gettext("{member} is below {virtual} by its name, so its records are always in it too").format(
                    member=member, virtual=virtual
                )
            )
