"""Make records as GeoJSON, as OGC API - Records wants them (clause 7.2, 7.9): from the stored fields and the XML.

Only what the record says is said. Names of properties that are ours stand in docs/ogcapi.md.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django.urls import reverse

from catalogue import datestamps
from catalogue.discovery.ogcapi import languages
from catalogue.discovery.ogcapi.links import CATALOG, GEOJSON, HTML, RECORD_PROFILE, Addresses, Link, link
from catalogue.discovery.ogcapi.parameters import FILE_IDENTIFIER, OAI_IDENTIFIER
from catalogue.discovery.outputs import geometry, record_address
from catalogue.documents import details, xml_tree
from catalogue.documents.details import RecordDetails
from catalogue.documents.iso19139 import OnlineResource, Party
from catalogue.documents.web_addresses import may_be_followed
from catalogue.models import Description, Record
from catalogue.payloads import payload

_CATEGORIES = "https://wis.wmo.int/2012/codelists/WMOCodeLists.xml#WMO_CategoryCode"
_TOPICS = "http://www.isotc211.org/2005/resources/Codelist/gmxCodelists.xml#MD_TopicCategoryCode"
_EMAIL = re.compile(r"[\w.+'-]+@[\w-]+(\.[\w-]+)+", re.ASCII)
_DOI = re.compile(r"(?:doi:|(?:https?://)?(?:dx\.)?doi\.org/)\s*(10\.\d{4,}/\S+)", re.IGNORECASE)
# Licences with an SPDX identifier that real records name by these addresses.
_SPDX = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(licenses|publicdomain)/([a-z-]+)/([0-9.]+)/?(?:deed\S*|legalcode\S*)?"
)
_KINDS = ("by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd")
_VERSIONS = ("1.0", "2.0", "2.5", "3.0", "4.0")


def of(
    record: Record, collection: str, addresses: Addresses, wanted: Sequence[str] = (), own: Sequence[Link] = ()
) -> dict[str, Any]:
    """Return a live record as a Feature. `wanted`: languages, best first; `own`: its links to itself, if it is all that is sent."""
    text, said = _description(record), _details(record)
    language = languages.choose(wanted, text.language, (said.titles or {}) | (said.abstracts or {}))
    return {
        "id": record.identifier,
        "type": "Feature",
        "geometry": geometry(text.boxes),
        "time": _time(text.begins, text.ends),
        "properties": _properties(record, text, said, language),
        "links": [
            *(own or [link("self", addresses.item(collection, record.identifier), GEOJSON, "This record")]),
            *_links(record, collection, addresses),
            *_links_of_data(said),
        ],
    }


def _description(record: Record) -> Description:
    return getattr(record, "description", None) or Description()


def _details(record: Record) -> RecordDetails:
    """Read the rest from the XML; nothing, if it is damaged."""
    try:
        return details.read(payload.unpack(record.payload)) if record.payload else RecordDetails()
    except (payload.PayloadDamaged, xml_tree.Unusable):
        return RecordDetails()


def _time(begins: datetime | None, ends: datetime | None) -> dict[str, Any] | None:
    if begins is None and ends is None:
        return None
    if begins == ends and begins is not None:
        return {"timestamp": datestamps.write(begins)}
    return {"interval": [".." if instant is None else datestamps.write(instant) for instant in (begins, ends)]}


def _properties(record: Record, text: Description, said: RecordDetails, language: str) -> dict[str, Any]:
    titles, abstracts = said.titles or {}, said.abstracts or {}
    others = [each for each in dict.fromkeys([text.language, *titles, *abstracts]) if each and each != language]
    constraints = said.constraints
    made: dict[str, Any] = {
        "type": text.kind,
        "title": titles.get(language) or text.title or record.identifier,
        "description": abstracts.get(language) or text.abstract,
        "created": record.metadata_date and datestamps.write(record.metadata_date),
        "updated": datestamps.write(record.datestamp),
        "language": languages.described(language) if language else None,
        "languages": [languages.described(other) for other in others],
        "keywords": text.keywords,
        "themes": [*_theme(_CATEGORIES, text.categories), *_theme(_TOPICS, said.topics)],
        "formats": [{"name": name} for name in said.formats],
        "contacts": [_contact(party) for party in said.parties if party.organisation or party.person or party.position],
        "externalIds": [
            {"scheme": FILE_IDENTIFIER, "value": record.identifier},
            {"scheme": OAI_IDENTIFIER, "value": record.key},
        ],
        "license": _licence(constraints.licences),
        "rights": "\n".join([*constraints.limitations, *constraints.others]),
        "dataPolicy": text.policy,
        "centre": next(iter(text.organisations), ""),
        "organisations": text.organisations,
        "categories": text.categories,
        "accessConstraints": list(constraints.access),
        "useConstraints": list(constraints.use),
        "dates": [{"event": each.kind, "date": each.date} for each in said.dates],
        "lineage": list(said.lineage),
        "resolutions": list(said.resolutions),
        "updateFrequencies": list(said.frequencies),
        "status": list(said.status),
        "purpose": said.purpose,
        "parentIdentifier": said.parent,
        "dataIdentifiers": list(said.identifiers),
    }
    return {name: value for name, value in made.items() if value not in (None, "", [])}


def _theme(scheme: str, concepts: Iterable[str]) -> list[dict[str, Any]]:
    found = [{"id": concept} for concept in concepts]
    return [{"concepts": found, "scheme": scheme}] if found else []


def _contact(party: Party) -> dict[str, Any]:
    made = {
        "name": party.person or ("" if party.organisation else party.position),
        "position": party.position,
        "organization": party.organisation,
        "emails": [{"value": party.email}] if _EMAIL.fullmatch(party.email) else [],
        "roles": [party.role] if party.role else [],
    }
    return {name: value for name, value in made.items() if value}


def _licence(addresses: Sequence[str]) -> str:
    """Return the SPDX identifier of the one licence; `other` of another one or several, which are links; else nothing."""
    followed = [address for address in addresses if may_be_followed(address)]
    if len(followed) != 1:
        return "other" if followed else ""
    found = _SPDX.fullmatch(followed[0].lower())
    if found and found[1] == "licenses" and found[2] in _KINDS and found[3] in _VERSIONS:
        return f"CC-{found[2].upper()}-{found[3]}"
    return "CC0-1.0" if found and (found[2], found[3]) == ("zero", "1.0") else "other"


def _links(record: Record, collection: str, addresses: Addresses) -> list[Link]:
    """Return where the record is besides: as HTML, as XML, its page, its collection."""
    item = addresses.item(collection, record.identifier)
    name = quote(record.identifier, safe="")
    oai = f"{addresses.root}{reverse('oai')}?verb=GetRecord&metadataPrefix=iso19139&identifier={name}"
    return [
        link("alternate", f"{item}?f=html", HTML, "This record as HTML"),
        link("alternate", f"{addresses.page('record_xml')}?id={name}", "application/xml", "The metadata in ISO 19139"),
        link("alternate", oai, "text/xml", "The record in OAI-PMH"),
        link(
            "alternate", addresses.root + record_address(record.identifier), HTML, "The page of the record for people"
        ),
        link("collection", addresses.collection(collection), CATALOG, collection),
        link("profile", RECORD_PROFILE),
    ]


def _links_of_data(said: RecordDetails) -> list[Link]:
    made = [_link_of(resource) for resource in said.links if may_be_followed(resource.url)]
    made += [link("license", url, title="Licence") for url in said.constraints.licences if may_be_followed(url)]
    found = filter(None, map(_DOI.fullmatch, said.identifiers))
    return made + [link("cite-as", f"https://doi.org/{doi[1]}", title="DOI") for doi in found]


def _link_of(resource: OnlineResource) -> Link:
    is_file = "download" in resource.protocol.lower()
    return link("enclosure" if is_file else "describes", resource.url, title=resource.name, protocol=resource.protocol)
