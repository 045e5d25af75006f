"""The `about` containers of a record: its provenance (P121 to P125), its rights, and containers from elsewhere (P126).

The provenance that a peer reported is passed on unchanged; a harvest that is not valid by provenance.xsd is left out,
because one invalid container makes the whole page invalid.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import replace

from django.conf import settings

from catalogue import datestamps, oai
from catalogue.provenance import Provenance
from oaiprovider.protocol import render

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?")
_IPV6 = re.compile(r"(?<=://)\[[0-9A-Fa-f:.]+\](?=[:/]|$)")


def containers(provenance: Provenance | None, *, altered: bool) -> tuple[bytes, ...]:
    """Return the abouts of a live record. `altered`: the format is not the one that was harvested (P124).

    A record without provenance is our own; only for those may this node state the rights.
    """
    if provenance is None:
        return of_own_records()
    stored, *earlier = provenance.steps()
    latest = replace(
        stored,
        # Where the provider's datestamp is no date: the record had not changed after the time of the harvest.
        datestamp=_as_date(stored.datestamp) or stored.harvest_date,
        altered=altered or stored.altered,
    )
    others = tuple(_reported_abouts(provenance, altered))
    if not _is_valid(latest):
        return others
    return (render.provenance([latest, *filter(_is_valid, earlier)]), *others)


def of_own_records() -> tuple[bytes, ...]:
    """Return the abouts of every record that was not harvested."""
    return (render.rights(settings.GISC_RIGHTS_URL),) if settings.GISC_RIGHTS_URL else ()


def _reported_abouts(provenance: Provenance, altered: bool) -> Iterator[bytes]:
    """Yield the other containers as they were received; of an altered record only the rights, which are still true."""
    for about in provenance.abouts:
        if not altered or about.namespace == oai.RIGHTS_NS:
            yield about.element


def _is_valid(step: Provenance) -> bool:
    """Whether it is valid by provenance.xsd: three URIs and two dates."""
    uris = (step.base_url, step.identifier, step.metadata_namespace)
    dates = (step.datestamp, step.harvest_date)
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
