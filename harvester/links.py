"""Change a link: what a change means for what was harvested before, and for a run that is open."""

from collections.abc import Collection
from datetime import timedelta
from urllib.parse import urlsplit

from django.db import transaction

from catalogue.models import MetadataSet
from harvester import runs
from harvester.models import Link, Run

# What says where records come from and where they go. `harvested_to` is true of these four together.
ARRANGEMENT = frozenset({"base_url", "prefix", "remote_set", "local_set"})


@transaction.atomic
def save(link: Link, changed: Collection[str]) -> bool:
    """Save the `changed` fields of an existing link and leave the others as workers have them meanwhile.

    True if the arrangement changed: then the link is complete up to nowhere, and the next list is asked for
    whole; so is the list of an open run, from its first page. A new interval counts from the last run's start.
    """
    fields = set(changed)
    begins_anew = not ARRANGEMENT.isdisjoint(fields)
    if begins_anew:
        # The run before the link, as workers lock them. A page under way finds `restarts` moved on, and is dropped.
        runs.start_over(link)
        link.harvested_to, link.failures = None, 0
        fields |= {"harvested_to", "failures"}
    if "interval_s" in fields:
        newest = Run.objects.filter(link=link).order_by("-begun").first()
        link.next_due = newest.begun + timedelta(seconds=link.interval_s) if newest else None
        fields.add("next_due")
    if fields:
        link.save(update_fields=fields)
    return begins_anew


def peers() -> list[str]:
    """The base URLs of the peer GISCs that are harvested here, for whoever looks for more repositories (P127).

    Links into peers' sets that are enabled; an address that holds a password is nobody's business.
    """
    enabled = Link.objects.filter(enabled=True, local_set__kind=MetadataSet.Kind.PEER)
    known = enabled.order_by("base_url").values_list("base_url", flat=True).distinct()
    return [base_url for base_url in known if "@" not in urlsplit(base_url).netloc]
