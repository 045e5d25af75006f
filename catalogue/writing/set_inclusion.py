"""Add sets, and let sets include others: by hierarchy (`a` has the records of `a:b`, P74), or because a virtual set names them.

The memberships that follow are written as rows, in batches under the clock's lock, so that one index serves the list
of any set. `memberships.derive` adds the rows of records that are stored later.
"""

from collections.abc import Iterable

from django.db import transaction

from catalogue.models import MetadataSet, SetInclusion
from catalogue.writing import clock, memberships, set_changes, settling
from catalogue.writing.set_changes import Advance, ignore


def ensure_set(spec: str, *, name: str = "", kind: str = MetadataSet.Kind.PEER) -> MetadataSet:
    """Return the set with this setSpec; create it, with its hierarchy, if it does not exist. Raises ValidationError."""
    found = MetadataSet.objects.filter(spec=spec).first()
    if found is not None:
        return found
    added = MetadataSet(spec=spec, name=name or spec, kind=kind)
    added.full_clean()
    added.save()
    link_hierarchy(added)
    return added


def link_hierarchy(metadata_set: MetadataSet) -> None:
    """Include a set in each of its ancestors, creating those that are missing (T3.49), and its descendants in it."""
    parts = metadata_set.spec.split(":")
    for length in range(1, len(parts)):
        spec = ":".join(parts[:length])
        ancestor, _ = MetadataSet.objects.get_or_create(
            spec=spec, defaults={"name": spec, "kind": MetadataSet.Kind.VIRTUAL}
        )
        _include(ancestor, [metadata_set])
    _include(metadata_set, MetadataSet.objects.filter(spec__startswith=f"{metadata_set.spec}:"))


def include(virtual: MetadataSet, members: Iterable[MetadataSet], *, advance: Advance = ignore) -> None:
    """Include these sets, and all sets below them, in a virtual set (G4). Raises ValidationError."""
    change = set_changes.begin_include(virtual, members)
    if change is not None:
        set_changes.go_on(change, advance=advance)


def exclude(virtual: MetadataSet, members: Iterable[MetadataSet], *, advance: Advance = ignore) -> None:
    """Take these sets out of a virtual set: records that no other member brings into it are deleted in its lists.

    Raises ValidationError.
    """
    change = set_changes.begin_exclude(virtual, members)
    if change is not None:
        set_changes.go_on(change, advance=advance)


def mark_fed_here(into: MetadataSet) -> None:
    """Store that records of a shared set are uploaded at this node, so that it is not harvested from a co-owner (W42)."""
    if into.kind == MetadataSet.Kind.SHARED and not into.fed_here:
        MetadataSet.objects.filter(pk=into.pk, fed_here=False).update(fed_here=True)
        into.fed_here = True


def _include(parent: MetadataSet, children: Iterable[MetadataSet]) -> None:
    for child in children:
        _, is_new = SetInclusion.objects.get_or_create(parent=parent, child=child)
        if not is_new:
            continue
        for records in set_changes.records_in([child.pk]):
            with transaction.atomic():
                stamp = clock.take_stamp()
                memberships.derive_into(records, parent.pk, stamp)
                settling.settle(stamp, ids=records)
