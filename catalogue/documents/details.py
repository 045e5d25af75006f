"""Read what the page of one record shows beside its stored fields: constraints, dates, lineage, formats, links, contacts.

From the XML, whenever it is asked for. Everything may be missing, and no odd record raises an error: it has what can be read.
Lists and texts have the limits of `iso19139`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from lxml import etree

from catalogue import oai
from catalogue.documents import iso19139, xml_tree
from catalogue.documents.iso19139 import Contact, OnlineResource, Party, distinct, name_of, text_of, xpath

MAX_TEXT = 20_000  # characters of a lineage or a constraint, chosen: several times the longest real one
MAX_ITEMS = 100  # of a kind, chosen

_GMD = f"{{{oai.GMD_NS}}}"
_IDENTIFICATION = "gmd:identificationInfo/*"
_LEGAL = f"{_IDENTIFICATION}/gmd:resourceConstraints/*"
_USE_LIMITATIONS = xpath(f"{_LEGAL}/gmd:useLimitation | gmd:metadataConstraints/*/gmd:useLimitation")
_ACCESS = xpath(f"{_LEGAL}/gmd:accessConstraints")
_USE = xpath(f"{_LEGAL}/gmd:useConstraints")
_OTHER = xpath(f"{_LEGAL}/gmd:otherConstraints")
_DATES = xpath(f"{_IDENTIFICATION}/gmd:citation/*/gmd:date/*")
_CITED_IDENTIFIERS = xpath(f"{_IDENTIFICATION}/gmd:citation/*/gmd:identifier/*/gmd:code")
_LINEAGE = xpath("gmd:dataQualityInfo/*/gmd:lineage/*/gmd:statement")
_STEPS = xpath("gmd:dataQualityInfo/*/gmd:lineage/*/gmd:processStep/*/gmd:description")
_FORMATS = xpath(
    "gmd:distributionInfo/*/gmd:distributionFormat/* | gmd:distributionInfo/*/gmd:distributor/*/gmd:distributorFormat/*"
    f" | {_IDENTIFICATION}/gmd:resourceFormat/*"
)
_DISTANCES = xpath(f"{_IDENTIFICATION}/gmd:spatialResolution/*/gmd:distance/*")
_SCALES = xpath(f"{_IDENTIFICATION}/gmd:spatialResolution/*/gmd:equivalentScale/*/gmd:denominator")
_FREQUENCIES = xpath(f"{_IDENTIFICATION}/gmd:resourceMaintenance/*/gmd:maintenanceAndUpdateFrequency")
_TOPICS = xpath(f"{_IDENTIFICATION}/gmd:topicCategory")
_PARENT = xpath("gmd:parentIdentifier")
_STATUS = xpath(f"{_IDENTIFICATION}/gmd:status")
_PURPOSE = xpath(f"{_IDENTIFICATION}/gmd:purpose")
_HREF = "{http://www.w3.org/1999/xlink}href"
_CODE_LIST = re.compile(
    "code_?lists?", re.IGNORECASE
)  # the list that a term is of, such as a priority of GTS: no licence


class Dated(NamedTuple):
    """A date of the data: what happened then, as a code, and the date as it is written."""

    kind: str
    date: str


@dataclass(frozen=True, slots=True)
class Constraints:
    """Who may do what with the data. `licences` are addresses; `others` texts, without those that are addresses alone."""

    limitations: tuple[str, ...] = ()
    access: tuple[str, ...] = ()
    use: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordDetails:
    """What a record says beside its stored fields. `titles` and `abstracts`: by language, as the record names it."""

    constraints: Constraints = Constraints()
    dates: tuple[Dated, ...] = ()
    identifiers: tuple[str, ...] = ()
    lineage: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    resolutions: tuple[str, ...] = ()
    frequencies: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    parent: str = ""
    status: tuple[str, ...] = ()
    purpose: str = ""
    contacts: tuple[Contact, ...] = ()
    parties: tuple[Party, ...] = ()
    links: tuple[OnlineResource, ...] = ()
    titles: dict[str, str] | None = None
    abstracts: dict[str, str] | None = None


def read(element: bytes) -> RecordDetails:
    """Read the details of a root element. Raises xml_tree.Unusable if it is not well-formed."""
    root = xml_tree.parse(element)
    translated = iso19139.translations_of(root)
    return RecordDetails(
        constraints=_constraints(root),
        dates=distinct(_dates(root), MAX_ITEMS),
        identifiers=_texts(root, _CITED_IDENTIFIERS, iso19139.MAX_NAME),
        lineage=_texts(root, _LINEAGE) + _texts(root, _STEPS),
        formats=distinct(_formats(root), MAX_ITEMS),
        resolutions=distinct(_resolutions(root), MAX_ITEMS),
        frequencies=_codes(root, _FREQUENCIES),
        topics=_codes(root, _TOPICS),
        parent=next(iter(_texts(root, _PARENT, iso19139.MAX_NAME)), ""),
        status=_codes(root, _STATUS),
        purpose=next(iter(_texts(root, _PURPOSE)), ""),
        contacts=iso19139.contacts_of(root),
        parties=iso19139.parties_of(root),
        links=iso19139.links_of(root),
        titles={each.language: each.text for each in reversed(translated) if each.name == "title"},
        abstracts={each.language: each.text for each in reversed(translated) if each.name == "abstract"},
    )


Find = Callable[[etree._Element], list[Any]]


def _texts(root: etree._Element, find: Find, most: int = MAX_TEXT) -> tuple[str, ...]:
    return distinct((text_of(part)[:most] for part in find(root)), MAX_ITEMS)


def _codes(root: etree._Element, find: Find) -> tuple[str, ...]:
    return distinct((_code(part) for part in find(root)), MAX_ITEMS)


def _code(part: etree._Element) -> str:
    for value in part.iterchildren(etree.Element):
        if value.get("codeListValue"):
            return str(value.get("codeListValue"))[: iso19139.MAX_NAME]
    return name_of(part)


def _constraints(root: etree._Element) -> Constraints:
    others, licences = list[str](), list[str]()
    for part in _OTHER(root):
        text = text_of(part)[:MAX_TEXT]
        addresses = [str(value.get(_HREF)) for value in part.iterchildren(etree.Element) if value.get(_HREF)]
        if text.startswith(("http://", "https://")) and " " not in text:
            addresses, text = [*addresses, text], ""
        licences += (
            address for address in addresses if len(address) <= iso19139.MAX_URL and not _CODE_LIST.search(address)
        )
        others.append(text)
    return Constraints(
        _texts(root, _USE_LIMITATIONS),
        _codes(root, _ACCESS),
        _codes(root, _USE),
        distinct(others, MAX_ITEMS),
        distinct(licences, MAX_ITEMS),
    )


def _dates(root: etree._Element) -> Iterator[Dated]:
    for each in _DATES(root):
        date, kind = each.find(f"{_GMD}date"), each.find(f"{_GMD}dateType")
        if date is not None and text_of(date):
            yield Dated("" if kind is None else _code(kind), text_of(date)[:40])


def _formats(root: etree._Element) -> Iterator[str]:
    for each in _FORMATS(root):
        name, version = name_of(each.find(f"{_GMD}name")), name_of(each.find(f"{_GMD}version"))
        yield f"{name} {version}".strip() if version not in ("", "-", "unknown", "Unknown", "n/a") else name


def _resolutions(root: etree._Element) -> Iterator[str]:
    for distance in _DISTANCES(root):
        value, unit = " ".join(str(distance.text or "").split())[:40], str(distance.get("uom", ""))[:200]
        if value:
            yield f"{value} {unit.rsplit('#', 1)[-1].rsplit('/', 1)[-1]}".strip()
    for scale in _SCALES(root):
        if text_of(scale):
            yield f"1:{text_of(scale)[:40]}"
