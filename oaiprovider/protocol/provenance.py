"""The `about` containers of a record: its provenance (P121 to P125), its rights, and containers from elsewhere (P126).

The provenance that a peer reported is passed on unchanged; a harvest that is not valid by provenance.xsd is left out,
because one invalid container makes the whole page invalid. What the records of one harvest have in common is checked and
rendered once; for each record only its identifier and datestamp are put in.
"""

import functools
import re
from collections.abc import Iterator

from django.conf import settings

from catalogue import datestamps, oai
from catalogue.provenance import Provenance
from oaiprovider.protocol import render
from oaiprovider.protocol.render import Harvest, OriginDescription

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?")
_IPV6 = re.compile(r"(?<=://)\[[0-9A-Fa-f:.]+\](?=[:/]|$)")


def containers(provenance: Provenance | None, identifier: str, *, altered: bool) -> tuple[bytes, ...]:
    """Return the abouts of the live record `identifier`. `altered`: the format is not the one that was harvested (P124).

    A record without provenance is our own; only for those may this node state the rights.
    """
    if provenance is None:
        return of_own_records()
    latest, *earlier = provenance.steps()
    harvest, named, datestamp = _origin(latest, altered)
    # Where the provider's datestamp is no date: the record had not changed after the time of the harvest.
    origin = OriginDescription(harvest, named, _as_date(datestamp) or harvest.harvested)
    others = tuple(_reported_abouts(provenance, altered))
    if not _is_valid(origin, identifier):
        return others
    origins = [origin, *(step for step in map(_origin, earlier) if _is_valid(step, identifier))]
    return (render.provenance(origins), *others)


def of_own_records() -> tuple[bytes, ...]:
    """Return the abouts of every record that was not harvested."""
    return (render.rights(settings.GISC_RIGHTS_URL),) if settings.GISC_RIGHTS_URL else ()


def _reported_abouts(provenance: Provenance, altered: bool) -> Iterator[bytes]:
    """Yield the other containers as they were received; of an altered record only the rights, which are still true."""
    for about in provenance.abouts:
        if not altered or about.namespace == oai.RIGHTS_NS:
            yield about.element


def _origin(step: Provenance, altered: bool = False) -> OriginDescription:
    harvest = Harvest(step.base_url, step.metadata_namespace, step.harvest_date, altered or step.altered)
    return OriginDescription(harvest, step.identifier, step.datestamp)


def _is_valid(origin: OriginDescription, identifier: str) -> bool:
    """Whether it is valid by provenance.xsd: three URIs and two dates. The record's own `identifier` is a URI (P68)."""
    harvest, named, datestamp = origin
    return _is_valid_harvest(harvest) and (named == identifier or _is_uri(named)) and _is_date(datestamp)


@functools.lru_cache(maxsize=1024)  # the records of one harvest have it in common
def _is_valid_harvest(harvest: Harvest) -> bool:
    return _is_uri(harvest.base_url) and _is_uri(harvest.namespace) and _is_date(harvest.harvested)


def _is_uri(text: str) -> bool:
    """Whether this is a URI that `oai.is_identifier` accepts, or such a URI with an IPv6 address as host."""
    return oai.is_identifier(_IPV6.sub("host", text, count=1))


def _is_date(text: str) -> bool:
    return bool(text) and _as_date(text) == text


@functools.lru_cache(maxsize=4096)  # records that were loaded together have the same datestamp
def _as_date(text: str) -> str:
    """Return the date as written if XML Schema allows its form, else in our form; empty if this is no date."""
    moment = datestamps.lenient(text)
    if moment is None:
        return ""
    return text if _DATE.fullmatch(text) else datestamps.write(moment)
