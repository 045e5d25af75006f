"""Sets that hold others: by hierarchy (`a` holds what `a:b` holds, P74), or because a virtual set names them.

What follows for memberships is written out as rows, in batches under the clock's lock, so that a list of any set
is one index in order. New records of a set find their way into the sets around it by `belonging.derive`.
"""

from collections.abc import Iterable, Iterator

from django.core.exceptions import ValidationError
from django.db import connection, transaction

from catalogue.models import MetadataSet, SetInclusion
from catalogue.writing import clock, memberships

BATCH = 2000  # chosen: one batch holds the writers' lock for some tens of milliseconds


def add(spec: str, *, name: str = "", kind: str = MetadataSet.Kind.PEER, description: str = "") -> MetadataSet:
    """The set with this setSpec, made if it is not there, in its place in the hierarchy. Raises ValidationError."""
    found = MetadataSet.objects.filter(spec=spec).first()
    if found is not None:
        return found
    made = MetadataSet(spec=spec, name=name or spec, kind=kind, description=description)
    made.full_clean()
    made.save()
    relate(made)
    return made


def relate(one: MetadataSet) -> None:
    """Put a set in its place in the hierarchy: into each ancestor, made where it is missing (T3.49), and over its own."""
    words = one.spec.split(":")
    for length in range(1, len(words)):
        ancestor, _ = MetadataSet.objects.get_or_create(
            spec=":".join(words[:length]),
            defaults={"name": ":".join(words[:length]), "kind": MetadataSet.Kind.VIRTUAL},
        )
        _include(ancestor, [one])
    _include(one, MetadataSet.objects.filter(spec__startswith=f"{one.spec}:"))


def include(virtual: MetadataSet, members: Iterable[MetadataSet]) -> None:
    """A virtual set shows the records of these sets too, and of what is below them (G4). Raises ValidationError."""
    if virtual.kind != MetadataSet.Kind.VIRTUAL:
        raise ValidationError(f"{virtual} is no virtual set, so it cannot be made of others")
    for member in members:
        if member.kind in (MetadataSet.Kind.VIRTUAL, MetadataSet.Kind.CATALOGUE):
            raise ValidationError(
                f"{member} is a {member.kind} set; a virtual set is made of own, peer and shared sets"
            )
        _include(virtual, [member, *MetadataSet.objects.filter(spec__startswith=f"{member.spec}:")])


def exclude(virtual: MetadataSet, members: Iterable[MetadataSet]) -> None:
    """A virtual set no longer shows these sets: what nothing else brings into it is deleted in its lists."""
    for member in members:
        below = MetadataSet.objects.filter(spec__startswith=f"{member.spec}:")
        children = [member.pk, *below.values_list("pk", flat=True)]
        SetInclusion.objects.filter(parent=virtual, child_id__in=children).delete()
        for records in _records_in(virtual.pk):
            with transaction.atomic():
                memberships.drop_derived(records, virtual.pk, clock.take_stamp())


def _include(parent: MetadataSet, children: Iterable[MetadataSet]) -> None:
    for child in children:
        _, is_new = SetInclusion.objects.get_or_create(parent=parent, child=child)
        if not is_new:
            continue
        for records in _records_in(child.pk):
            with transaction.atomic():
                stamp = clock.take_stamp()
                memberships.derive_into(records, parent.pk, stamp)


def _records_in(set_id: int) -> Iterator[list[int]]:
    """The ids of all records that have a row in a set, live or not, in batches."""
    last = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT record_id FROM catalogue_membership WHERE set_id = %s AND record_id > %s "
                "ORDER BY record_id LIMIT %s",
                [set_id, last, BATCH],
            )
            records = [row[0] for row in cursor.fetchall()]
        if not records:
            return
        yield records
        last = records[-1]
