"""Which addresses are asked whether they answer: the services of this node, and those of the other centres."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings

from catalogue.pages import interfaces
from harvester.models import Centre, Link

PORTAL, OAI_PMH, SRU = SERVICES = ("portal", "oaipmh", "sru")
_IDENTIFY = {"verb": "Identify"}
_EXPLAIN = {"operation": "explain", "version": "1.2"}


@dataclass(frozen=True, slots=True)
class Address:
    """An address of a service, and what is asked of it."""

    url: str
    arguments: Mapping[str, str]


def of_this_node() -> dict[str, Address]:
    """Return the public addresses of the services that this node offers."""
    base = settings.GISC_BASE_URL
    found = {PORTAL: Address(f"{base}/", {}), OAI_PMH: Address(f"{base}/oai", _IDENTIFY)}
    if interfaces.is_offered(interfaces.SRU):
        found[SRU] = Address(f"{base}/sru", _EXPLAIN)
    return found


def of_centres() -> dict[str, dict[str, Address]]:
    """Return the addresses of the services of each centre whose own records an enabled, public link brings, by its setSpec."""
    centres = {centre.set_spec: centre for centre in Centre.objects.all()}
    links = Link.objects.filter(
        enabled=True, category=None, local_set__public=True, local_set__spec__in=centres
    ).order_by("name")
    found: dict[str, dict[str, Address]] = {}
    for link in links.select_related("local_set"):
        spec = link.local_set.spec
        if spec in found or spec == settings.GISC_NAME:
            continue
        centre = centres[spec]
        found[spec] = {OAI_PMH: Address(link.base_url, _IDENTIFY)}
        if centre.portal_url:
            found[spec][PORTAL] = Address(centre.portal_url, {})
        if centre.sru_url:
            found[spec][SRU] = Address(centre.sru_url, _EXPLAIN)
    return dict(sorted(found.items()))
