"""What is said about a record beside its metadata: where it was harvested (P121 to P125), the rights in it, what others said of it (P126).

What a peer has said of the way of a record is passed on as it was said; a step that provenance.xsd would not take is
left out, since one such word makes the whole page invalid.
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
from oaiprovider.protocol.render import Origin

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?")
_IPV6 = re.compile(r"(?<=://)\[[0-9A-Fa-f:.]+\](?=[:/]|$)")


def containers(provenance: Mapping[str, Any] | None, *, altered: bool) -> tuple[bytes, ...]:
    """The abouts of a live record. `altered`: the format is not the one that was harvested (P124).

    Records of our own have no provenance; theirs are the rights that we may speak of.
    """
    if not provenance:
        return of_our_own()
    latest, *earlier = _steps(provenance)
    ours = _origin(latest)
    shown = replace(
        ours,
        datestamp=_as_date(ours.datestamp) or ours.harvested,  # the list of that time told no later one
        altered=altered or ours.altered,
    )
    others = tuple(_others(provenance, altered))
    if not _is_valid(shown):
        return others
    return (render.provenance([shown, *filter(_is_valid, map(_origin, earlier))]), *others)


def of_our_own() -> tuple[bytes, ...]:
    """The abouts of every record that was not harvested."""
    return (render.rights(settings.GISC_RIGHTS_URL),) if settings.GISC_RIGHTS_URL else ()


def _others(provenance: Mapping[str, Any], altered: bool) -> Iterator[bytes]:
    """As they came. Of a record in another format than the harvested one only the rights can be said to be true."""
    for about in abouts_of(provenance):
        if not altered or about.namespace == oai.RIGHTS_NS:
            yield about.element


def _steps(provenance: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The way of the record, the latest harvest first, bounded."""
    steps: list[Mapping[str, Any]] = []
    step: Any = provenance
    while isinstance(step, Mapping):
        steps.append(step)
        step = step.get("origin")
    return limit_steps(steps)


def _origin(step: Mapping[str, Any]) -> Origin:
    def said(name: str) -> str:
        return str(step.get(name, ""))

    return Origin(
        base_url=said("baseURL"),
        identifier=said("identifier"),
        datestamp=said("datestamp"),
        namespace=said("metadataNamespace"),
        harvested=said("harvestDate"),
        altered=bool(step.get("altered")),
    )


def _is_valid(origin: Origin) -> bool:
    """Whether provenance.xsd takes it: three URIs and two dates."""
    uris = (origin.base_url, origin.identifier, origin.namespace)
    dates = (origin.datestamp, origin.harvested)
    return all(map(_is_uri, uris)) and all(date and _as_date(date) == date for date in dates)


@functools.lru_cache(maxsize=1000)  # the records of a page have the same few addresses in common
def _is_uri(text: str) -> bool:
    """Whether it is one of the URIs that an identifier may be, or one whose host is an address of IPv6."""
    return oai.is_identifier(_IPV6.sub("host", text, count=1))


def _as_date(text: str) -> str:
    """The date as it was written, if it is one of XML Schema; else as we would write it; empty if it is none."""
    moment = datestamps.lenient(text)
    if moment is None:
        return ""
    return text if _DATE.fullmatch(text) else datestamps.write(moment)
