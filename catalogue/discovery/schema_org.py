"""Describe a record for search engines: schema.org Dataset as JSON-LD, with what Google asks of datasets.

Required there: name and description. Recommended: url, identifier, keywords, license, creator, spatialCoverage, temporalCoverage,
distribution, isAccessibleForFree, sameAs. Only what the record says is said.
"""

import json
from datetime import datetime
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from catalogue.documents.details import RecordDetails
from catalogue.documents.languages import language_tag
from catalogue.documents.web_addresses import may_be_followed
from catalogue.models import Description, Record

# What closes the element, or begins another one, in any HTML parser.
_ESCAPES = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}


def dataset(record: Record, text: Description, details: RecordDetails, url: str, catalogue: str) -> dict[str, Any]:
    """Return the record as a Dataset. `url`: of its page, in full; `catalogue`: the address of the start page."""
    made: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "@id": url,
        "url": url,
        "name": text.title or record.identifier,
        "description": _description(text),
        "identifier": [record.identifier, *details.identifiers],
        "keywords": [*text.keywords, *text.categories],
        "inLanguage": tag if (tag := language_tag(text.language)) != "und" else None,  # schema.org: of BCP 47
        "license": [address for address in details.constraints.licences if may_be_followed(address)],
        "conditionsOfAccess": " ".join(details.constraints.limitations)[:2000],
        "isAccessibleForFree": True if text.policy in ("WMOEssential", "NoLimitation") else None,
        "creator": [{"@type": "Organization", "name": name} for name in text.organisations],
        "spatialCoverage": [_place(box) for box in text.boxes],
        "temporalCoverage": _interval(text.begins, text.ends),
        "distribution": [
            {
                "@type": "DataDownload",
                "contentUrl": link.url,
                "name": link.name or None,
                "encodingFormat": link.protocol or None,
            }
            for link in details.links
            if may_be_followed(link.url)
        ],
        "includedInDataCatalog": {"@type": "DataCatalog", "url": catalogue},
        "dateModified": record.metadata_date and record.metadata_date.date().isoformat(),
    }
    made |= {_DATES[each.kind]: each.date for each in details.dates if each.kind in _DATES}
    return {name: value for name, value in made.items() if value not in (None, "", [])}


_DATES = {"publication": "datePublished", "creation": "dateCreated"}
_LEAST, _MOST = 50, 5000  # characters that Google wants of a description


def _description(text: Description) -> str:
    said = text.abstract or text.title
    if len(said) < _LEAST:
        said = f"{said} {text.title}; {', '.join([*text.keywords, *text.organisations])}".strip("; ,")
    return said[:_MOST]


def _place(box: list[float]) -> dict[str, Any]:
    west, south, east, north = box
    return {
        "@type": "Place",
        "geo": {"@type": "GeoShape", "box": f"{south:g} {west:g} {north:g} {east:g}"},
    }


def _interval(begins: datetime | None, ends: datetime | None) -> str:
    if begins is None and ends is None:
        return ""
    return "/".join(".." if instant is None else instant.date().isoformat() for instant in (begins, ends))


def as_script(value: dict[str, Any]) -> SafeString:
    """Return JSON that may stand in a script element: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, indent=1, default=lambda part: {k: v for k, v in part.items() if v})
    return mark_safe(text.translate(_ESCAPES))  # JSON without <, > and &  # nosec B308
