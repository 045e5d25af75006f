"""The `about` containers of a record: its provenance (P121 to P125), its rights, and containers from elsewhere (P126).

The provenance that a peer reported is passed on unchanged; a harvest that is not valid by provenance.xsd is left out,
because one invalid container makes the whole page invalid.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from catalogue import datestamps, oai
from catalogue.provenance import abouts_of, limit_steps
from oaiprovider.protocol import render
from oaiprovider.protocol.render import OriginDescription

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?")
_IPV6 = re.compile(r"(?<=://)\[[0-9A-Fa-f:.]+\](?=[:/]|$)")


def containers(provenance: Mapping[str, Any] | None, *, altered: bool) -> tuple[bytes, ...]:
    """Return the abouts of a live record. `altered`: the format is not the one that was harvested (P124).

    A record without provenance is our own; only for those may this node state the rights.
    """
    if not provenance:
        return of_own_records()
    latest, *earlier = _steps(provenance)
    stored = _origin(latest)
    origin = replace(
        stored,
        # Where the provider's datestamp is no date: the record had not changed after the time of the harvest.
        datestamp=_as_date(stored.datestamp) or stored.harvested,
        altered=altered or stored.altered,
    )
    others = tuple(_reported_abouts(provenance, altered))
    if not _is_valid(origin):
        return others
    return (render.provenance([origin, *filter(_is_valid, map(_origin, earlier))]), *others)


def of_own_records() -> tuple[bytes, ...]:
    """Return the abouts of every record that was not harvested."""
    return (render.rights(settings.GISC_RIGHTS_URL),) if settings.GISC_RIGHTS_URL else ()


def _reported_abouts(provenance: Mapping[str, Any], altered: bool) -> Iterator[bytes]:
    """Yield the other containers as they were received; of an altered record only the rights, which are still true."""
    for about in abouts_of(provenance):
        if not altered or about.namespace == oai.RIGHTS_NS:
            yield about.element


def _steps(provenance: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """List the harvests of the record, the latest first, bounded in number."""
    steps: list[Mapping[str, Any]] = []
    step: Any = provenance
    while isinstance(step, Mapping):
        steps.append(step)
        step = step.get("origin")
    return limit_steps(steps)


def _origin(step: Mapping[str, Any]) -> OriginDescription:
    def text(name: str) -> str:
        return str(step.get(name, ""))

    return OriginDescription(
        base_url=text("baseURL"),
        identifier=text("identifier"),
        datestamp=text("datestamp"),
        namespace=text("metadataNamespace"),
        harvested=text("harvestDate"),
        altered=bool(step.get("altered")),
    )


def _is_valid(origin: OriginDescription) -> bool:
    """Whether it is valid by provenance.xsd: three URIs and two dates."""
    uris = (origin.base_url, origin.identifier, origin.namespace)
    dates = (origin.datestamp, origin.harvested)
    return all(map(_is_uri, uris)) and all(date and _as_date(date) == date for date in dates)


@functools.lru_cache(maxsize=1000)  # the records of a page have the same few addresses in common
def _is_uri(text: str) -> bool:
    """Whether this is a URI that `oai.is_identifier` accepts, or such a URI with an IPv6 address as host."""
    return oai.is_identifier(_IPV6.sub("host", text, count=1))


def _as_date(text: str) -> str:
    """Return the date as written if XML Schema allows its form, else in our form; empty if this is no date."""
    moment = datestamps.lenient(text)
    if moment is None:
        return ""
    return text if _DATE.fullmatch(text) else datestamps.write(moment)
