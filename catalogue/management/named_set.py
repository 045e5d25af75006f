"""Find the set that an option of a command names, among those that records are put into."""

from django.core.management.base import CommandError
from django.utils.translation import gettext

from catalogue.models import MetadataSet


def find_set(spec: str, *, nothing_done: str) -> MetadataSet:
    """Return the set of this spec. Raises CommandError with the sets that there are, and what was not done."""
    storable = MetadataSet.objects.exclude(kind__in=(MetadataSet.Kind.CATALOGUE, MetadataSet.Kind.VIRTUAL))
    found = storable.filter(spec=spec).first()
    if found is None:
        known = ", ".join(storable.values_list("spec", flat=True))
        raise CommandError(
            gettext("There is no set {spec!r} to store in; there are: {known}. {nothing_done}").format(
                spec=spec, known=known, nothing_done=nothing_done
            )
        )
    return found
