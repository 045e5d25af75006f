"""The `about` containers of a record: its provenance (P121 to P125), its rights, and containers from elsewhere (P126).

The provenance that a peer reported is passed on unchanged; a harvest that is not valid by provenance.xsd is left out,
because one invalid container makes the whole page invalid. What the records of one harvest have in common is checked and
rendered once; for each record only its identifier and datestamp are put in.
"""

import functools
import json
import re
from dataclasses import replace
from typing import NamedTuple

from django.conf import settings

from catalogue import datestamps, oai
from catalogue.documents import xml_tree
from catalogue.provenance import Provenance
from catalogue.reading.lists import ListRow
from oaiprovider.protocol import render
from oaiprovider.protocol.render import ProvenanceTemplate

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?")
_IPV6 = re.compile(r"(?<=://)\[[0-9A-Fa-f:.]+\](?=[:/]|$)")


def containers(row: ListRow, *, altered: bool) -> tuple[bytes, ...]:
    """Return the abouts of a live record. `altered`: the format is not the one that was harvested (P124).

    A record without provenance is our own; only for those may this node state the rights.
    """
    if row.harvest_json is None or row.harvest_json == "{}":
        return of_own_records()
    harvest = _harvest(row.harvest_json, altered)
    if harvest.provenance is None or not row.remote_identifier:
        return harvest.others
    # The record's own identifier is a URI; a provider may spell it as it is in the metadata (P68).
    identifier = row.remote_identifier
    if identifier != row.identifier and not _is_uri(identifier):
        identifier = oai.oai_identifier(identifier)
    # Where the provider's datestamp is no date: the record had not changed after the time of the harvest.
    datestamp = _as_date(row.remote_datestamp or "") or harvest.harvested
    return (render.provenance(harvest.provenance, identifier, datestamp), *harvest.others)


def of_own_records() -> tuple[bytes, ...]:
    """Return the abouts of every record that was not harvested."""
    return (render.rights(settings.GISC_RIGHTS_URL),) if settings.GISC_RIGHTS_URL else ()


class _Harvest(NamedTuple):
    """What the records of one harvest have in common in their abouts. `provenance`: None if provenance.xsd refuses it."""

    provenance: ProvenanceTemplate | None
    harvested: str
    others: tuple[bytes, ...]


@functools.lru_cache(maxsize=256)  # a text may have 32 kB
def _harvest(harvest_json: str, altered: bool) -> _Harvest:
    """Render what the records of one harvest have in common, as it goes out."""
    stored = Provenance.from_json(json.loads(harvest_json))
    # Of an altered record only the rights are still true.
    abouts = [about for about in stored.abouts if not altered or about.namespace == oai.RIGHTS_NS]
    others = tuple(xml_tree.to_splice(about.element) for about in abouts)
    latest, *earlier = stored.steps()
    if not _is_harvest(latest):
        return _Harvest(None, "", others)
    if altered:
        latest = replace(latest, altered=True)
    return _Harvest(render.provenance_template([latest, *filter(_is_valid, earlier)]), latest.harvest_date, others)


def _is_harvest(step: Provenance) -> bool:
    """Whether it is valid by provenance.xsd, but for identifier and datestamp."""
    return _is_uri(step.base_url) and _is_uri(step.metadata_namespace) and _is_date(step.harvest_date)


def _is_valid(step: Provenance) -> bool:
    """Whether it is valid by provenance.xsd: three URIs and two dates."""
    return _is_harvest(step) and _is_uri(step.identifier) and _is_date(step.datestamp)


@functools.lru_cache(maxsize=1000)  # the records of a page have the same few addresses in common
def _is_uri(text: str) -> bool:
    """Whether this is a URI that `oai.is_identifier` accepts, or such a URI with an IPv6 address as host."""
    return oai.is_identifier(text) or oai.is_identifier(_IPV6.sub("host", text, count=1))


def _is_date(text: str) -> bool:
    return bool(text) and _as_date(text) == text


@functools.lru_cache(maxsize=4096)  # records that were loaded together have the same datestamp
def _as_date(text: str) -> str:
    """Return the date as written if XML Schema allows its form, else in our form; empty if this is no date."""
    moment = datestamps.lenient(text)
    if moment is None:
        return ""
    return text if _DATE.fullmatch(text) else datestamps.write(moment)
