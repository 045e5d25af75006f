"""Say which links store into a set, for uploads into it (W42). `gisc.settings` names this function to the catalogue."""

from catalogue.models import MetadataSet
from catalogue.writing.uploads import LinksIntoSet
from harvester.link_rules import Kind
from harvester.models import Link


def links_into(into: MetadataSet) -> LinksIntoSet:
    """Return the names of the links that store into this set."""
    links = Link.objects.filter(local_set=into).order_by("name")
    shared = links.filter(kind=Kind.SHARED).values_list("name", flat=True)
    enabled = links.filter(enabled=True).exclude(kind=Kind.SHARED).values_list("name", flat=True)
    return LinksIntoSet(tuple(shared), tuple(enabled))
