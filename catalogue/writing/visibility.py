"""Let records follow what was said of who sees them: of a set, a link, a record, or a harvester's profile.

A writer (S8): each batch is one short transaction that takes the clock's lock and a datestamp. What everybody must follow is
in `catalogue_visibilitychange`, in the transaction that said it (`sql/visibility.*.sql`), so that nothing is forgotten when a
process dies: the next call, or the next tick, goes on. New records follow at once.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from django.db import connection, transaction
from django.utils.translation import gettext

from catalogue import journal, oai, seams
from catalogue.models import (
    Category,
    ListSize,
    MetadataSet,
    Record,
    RecordCategory,
    SourceCategory,
    VisibilityChange,
)
from catalogue.writing import clock, memberships, set_changes, set_inclusion, settling


def restrict_records(identifiers: Sequence[str], category: Category | None) -> int:
    """Give records a category of their own, or none; also such as are not here yet. Returns how many are seen by others now."""
    changed = 0
    batch = set_changes.LIMITS.in_force.batch
    for start in range(0, len(identifiers), batch):
        keys = [oai.oai_identifier(identifier) for identifier in identifiers[start : start + batch]]
        with transaction.atomic():
            stamp = clock.take_stamp()
            if category is None:
                RecordCategory.objects.filter(pk__in=keys).delete()
            else:
                others = RecordCategory.objects.filter(pk__in=keys)
                others.exclude(category=category).update(category=category)
                added = [RecordCategory(key=key, category=category) for key in dict.fromkeys(keys)]
                RecordCategory.objects.bulk_create(added, ignore_conflicts=True)
            changed += settling.settle(stamp, keys=keys)
            transaction.on_commit(journal.flush_or_warn)
    return changed


def count_live(metadata_set: MetadataSet) -> int:
    """How many live records a set has, whoever sees them."""
    of_set = 0 if metadata_set.kind == MetadataSet.Kind.CATALOGUE else metadata_set.pk
    return sum(ListSize.objects.filter(pk__in=(of_set, -1 - of_set)).values_list("live", flat=True))


def describe(category: Category | None) -> str:
    """Say who sees records of a category, in words."""
    if category is None:
        return gettext("everybody")
    people = gettext("people who are signed in, and ") if category.signed_in else ""
    return gettext("{people}harvesters whose profile sees “{name}”").format(people=people, name=category.name)


def reasons(record: Record) -> list[str]:
    """Say why not everybody sees a record, a sentence for each set, link and category; empty if everybody does."""
    said = []
    sets = MetadataSet.objects.filter(memberships__record=record, memberships__deleted=False).select_related("category")
    found = [*sets, *MetadataSet.objects.filter(kind=MetadataSet.Kind.CATALOGUE).select_related("category")]
    for each in found:
        if each.category is not None:
            said.append(gettext("The set {set} is for {who}.").format(set=each, who=describe(each.category)))
    link = (record.provenance or {}).get("link", "")
    for source in SourceCategory.objects.filter(pk=link).select_related("category"):
        said.append(
            gettext("What the link {link} brings is for {who}.").format(link=link, who=describe(source.category))
        )
    for own in RecordCategory.objects.filter(pk=record.key).select_related("category"):
        said.append(gettext("The record itself is for {who}.").format(who=describe(own.category)))
    if sets and not any(each.public for each in sets):
        names = ", ".join(each.spec for each in sets)
        said.append(
            gettext(
                "None of its sets ({names}) is listed: harvesters get it whose profile names one of them, and people who "
                "are signed in see it."
            ).format(names=names)
        )
    return said


@transaction.atomic
def restore(restrictions: Iterable[tuple[str, str, bool]]) -> None:
    """Say again who sees sets, links and records, as the journal has it. Categories that are missing are added for nobody.

    Which harvesters and people see a category is not in the journal: the operator says it again.
    """
    for subject, name, is_listed in restrictions:
        kind, _, which = subject.partition(" ")
        category = Category.objects.get_or_create(name=name, defaults={"signed_in": False})[0] if name else None
        match kind:
            case "set":
                found = set_inclusion.ensure_set(which)
                if (found.category, found.public) != (category, is_listed):
                    found.category, found.public = category, is_listed
                    found.save(update_fields=["category", "public"])
            case "link":
                SourceCategory.objects.exclude(category=category).filter(pk=which).delete()
                if category is not None:
                    SourceCategory.objects.get_or_create(pk=which, defaults={"category": category})
            case "record":
                given = RecordCategory.objects.filter(pk=which).values_list("category", flat=True).first()
                if given != (category and category.pk):
                    restrict_records([which], category)


def add_change_for_profile(kind: VisibilityChange.Kind, profile: int, audiences: Collection[int]) -> None:
    """Note that the harvester of a profile lost or gained the right to see these audiences."""
    if audiences:
        VisibilityChange.objects.create(kind=kind, name=str(profile), audiences=sorted(audiences))


def settle_pending(*, seconds: float | None = None, advance: Callable[[int], None] = lambda number: None) -> int:
    """Let all records follow the changes that wait, for so many seconds at most; return how many changed.

    What is left waits for the next call. May run in several processes at once.
    """
    deadline = None if seconds is None else seams.monotonic() + seconds
    changed = 0
    for change in VisibilityChange.objects.order_by("pk"):
        for records in _records_of(change):
            with transaction.atomic():
                changed += _follow(change, records, clock.take_stamp())
                VisibilityChange.objects.filter(pk=change.pk).update(last=records[-1])
            advance(len(records))
            if deadline is not None and seams.monotonic() > deadline:
                return changed
        VisibilityChange.objects.filter(pk=change.pk).delete()
    if journal.count_waiting():
        journal.flush_or_warn()
    return changed


def _records_of(change: VisibilityChange) -> Iterator[list[int]]:
    """Read the ids of the records that a change may be of, live or deleted, in batches."""
    if change.kind != VisibilityChange.Kind.SET:
        yield from _walk(_CANDIDATES[VisibilityChange.Kind(change.kind)], change)
    elif MetadataSet.objects.filter(pk=int(change.name), kind=MetadataSet.Kind.CATALOGUE).exists():
        yield from _walk("true", change)
    else:
        yield from set_changes.records_in([int(change.name)], after=change.last)


_OF_AUDIENCES = """
    r.audience = ANY(%(audiences)s) OR EXISTS (
        SELECT FROM catalogue_withdrawal w WHERE w.record_id = r.id AND w.audience = ANY(%(audiences)s)
    )
"""
_CANDIDATES = {
    VisibilityChange.Kind.LINK: "r.provenance->>'link' = %(name)s",
    VisibilityChange.Kind.LOST: _OF_AUDIENCES,
    VisibilityChange.Kind.GAINED: "r.audience = ANY(%(audiences)s)",
}


def _walk(condition: str, change: VisibilityChange) -> Iterator[list[int]]:
    values: dict[str, Any] = {
        "name": change.name,
        "audiences": change.audiences,
        "last": change.last,
        "size": set_changes.LIMITS.in_force.batch,
    }
    statement = f"""
        SELECT r.id FROM catalogue_record r WHERE r.id > %(last)s AND ({condition}) ORDER BY r.id LIMIT %(size)s
    """
    while True:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            records = [row[0] for row in cursor.fetchall()]
        if not records:
            return
        yield records
        values["last"] = records[-1]


# What a harvester saw and sees no more: tombstones for it alone, whose audience is the category of minus its profile's key.
_WITHDRAW_FROM_PROFILE = """
    INSERT INTO catalogue_withdrawal AS w (record_id, set_id, audience, datestamp, direct)
    SELECT r.id, l.set_id, catalogue_audience_of(ARRAY[-%(profile)s::bigint], '{}'), %(stamp)s, l.direct
    FROM catalogue_record r CROSS JOIN LATERAL (
        SELECT 0 AS set_id, false AS direct
        UNION ALL SELECT m.set_id, m.direct FROM catalogue_membership m WHERE m.record_id = r.id
    ) AS l
    WHERE r.id = ANY(%(records)s) AND r.audience <> 0
    ON CONFLICT (record_id, set_id, audience) DO UPDATE SET datestamp = excluded.datestamp, direct = excluded.direct
"""
_STAMP = (
    "UPDATE catalogue_record SET datestamp = %(stamp)s WHERE id = ANY(%(records)s) AND NOT deleted",
    "UPDATE catalogue_membership SET datestamp = %(stamp)s WHERE record_id = ANY(%(records)s) AND NOT deleted",
)

# Where a set is listed, or listed no more, the headers of its records name other sets (P75), and who asks for this set alone has
# been told of none of the changes meanwhile: the deleted ones, too, come again.
_OF_SET = """
    SELECT m.record_id FROM catalogue_membership m
    WHERE m.set_id = %(set)s AND m.record_id = ANY(%(records)s) AND NOT m.deleted
"""
_STAMP_SET = (
    f"UPDATE catalogue_record SET datestamp = %(stamp)s WHERE id = ANY(ARRAY({_OF_SET})) AND datestamp <> %(stamp)s",
    f"UPDATE catalogue_membership SET datestamp = %(stamp)s WHERE record_id = ANY(ARRAY({_OF_SET})) AND NOT deleted"
    " AND datestamp <> %(stamp)s",
    "UPDATE catalogue_membership SET datestamp = %(stamp)s WHERE set_id = %(set)s AND record_id = ANY(%(records)s) AND deleted"
    " AND datestamp <> %(stamp)s",
)


def _follow(change: VisibilityChange, records: Sequence[int], stamp: Any) -> int:
    """Let some records follow a change, under the lock; return how many changed."""
    values: dict[str, Any] = {"records": list(records), "stamp": stamp}
    if change.kind in (VisibilityChange.Kind.SET, VisibilityChange.Kind.LINK):
        changed = settling.settle(stamp, ids=records)
        for statement in _STAMP_SET if change.kind == VisibilityChange.Kind.SET else ():
            memberships.execute(statement, **values, set=int(change.name))
        return changed
    values["profile"] = change.name
    if change.kind == VisibilityChange.Kind.LOST:
        memberships.execute(_WITHDRAW_FROM_PROFILE, **values)
    else:
        for statement in _STAMP:
            memberships.execute(statement, **values)
    return Record.objects.filter(pk__in=records).count()
