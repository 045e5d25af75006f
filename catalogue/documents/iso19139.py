"""What one ISO 19139 record says, for search, for the header and for people. lxml only, no Django.

`read` parses the root element strictly and takes out what the catalogue needs of every record. Validity against a
schema is no condition for being stored (promise 7); an identifier is. What only the page of one record shows is read
in `catalogue.documents.iso19139`.

Who is behind a record, and where its data can be had: read for the page of one record, not kept beside it.

lxml only, no Django. What every record is read for is in `catalogue.documents.xml_tree`.
"""

import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar, cast

from lxml import etree

from catalogue import datestamps, oai
from catalogue.documents import xml_tree
from catalogue.documents.xml_tree import Unusable

# What is taken out for search and for people, so that one record cannot bloat its row; the XML itself is kept whole.
# Chosen: several times what the largest of 1,164 real records hold (a title of 255 characters, an abstract of
# 10,556, 208 keywords, 23 contacts, 36 links, a URL of 307). Texts are cut there; what is over a number, and a URL
# that is too long, is left out.
MAX_TITLE = 10_000
MAX_ABSTRACT = 100_000
MAX_NAME = 1_000  # of a keyword, a contact, a link, a protocol
MAX_LANGUAGE = 100
MAX_KEYWORDS = 1_000
MAX_BOXES = 500

_GMD = f"{{{oai.GMD_NS}}}"
_GCO = "{http://www.isotc211.org/2005/gco}"
_GMX = "{http://www.isotc211.org/2005/gmx}"
ROOTS = (f"{_GMD}MD_Metadata", f"{{{oai.GMI_NS}}}MI_Metadata")
_CSW_NS = "http://www.opengis.net/cat/csw/"
_FILE_IDENTIFIER, _DATE_STAMP, _LANGUAGE = (f"{_GMD}{name}" for name in ("fileIdentifier", "dateStamp", "language"))
_BOX = f"{_GMD}EX_GeographicBoundingBox"
_EXTENTS = (f"{_GMD}EX_TemporalExtent", f"{_GMD}EX_SpatialTemporalExtent")
_BLOCK, _THESAURUS, _KEYWORD = (f"{_GMD}{name}" for name in ("MD_Keywords", "thesaurusName", "keyword"))
_HREF = "{http://www.w3.org/1999/xlink}href"

_STRINGS = (f"{_GCO}CharacterString", f"{_GMX}Anchor")
_SIDES = tuple(
    f"{_GMD}{side}" for side in ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")
)
_PREFIXES = {"gmd": oai.GMD_NS, "xlink": "http://www.w3.org/1999/xlink"}


def xpath(expression: str) -> Callable[[etree._Element], list[Any]]:
    """An XPath expression that selects nodes, compiled."""
    compiled = etree.XPath(expression, namespaces=_PREFIXES, smart_strings=False)
    return cast(Callable[[etree._Element], list[Any]], compiled)


_TITLE = xpath("gmd:identificationInfo/*/gmd:citation/*/gmd:title")
_ABSTRACT = xpath("gmd:identificationInfo/*/gmd:abstract")
_THESAURUS_TEXTS = xpath(
    "*/gmd:title//text() | */gmd:title/*/@xlink:href | */gmd:alternateTitle//text()"
    " | */gmd:identifier/*/gmd:code//text() | */gmd:identifier/*/gmd:code/*/@xlink:href | @xlink:href"
)


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a record says about itself. Texts are empty and instants None where the record is silent."""

    identifier: str
    digest: bytes
    metadata_date: datetime | None
    title: str
    abstract: str
    keywords: tuple[str, ...]  # all but the categories
    categories: tuple[str, ...]  # terms of the WMO_CategoryCode list
    boxes: tuple[tuple[float, float, float, float], ...]
    begins: datetime | None
    ends: datetime | None
    language: str


def read(element: bytes) -> Metadata:
    """What the root element says. Raises Unusable if it is not well-formed, not ISO 19139 or has no identifier."""
    root = xml_tree.parse(element)
    return read_tree(root, element, xml_tree.digest_of(root))


def read_tree(root: etree._Element, element: bytes, digest: bytes) -> Metadata:
    """As `read`, of an element that is parsed and digested already."""
    if root.tag not in ROOTS:
        raise Unusable(_wrong_root(root))
    found: dict[str, list[etree._Element]] = {name: [] for name in (_BLOCK, _BOX, *_EXTENTS)}
    for part in root.iter(*found):  # one walk for all
        found[part.tag].append(part)
    begins, ends = _time_extent(chain.from_iterable(found[name] for name in _EXTENTS))
    keywords, categories = _keywords(found[_BLOCK], element)
    return Metadata(
        identifier=identifier_of(root),
        digest=digest,
        metadata_date=date_of(root),
        title=text_of(next(iter(_TITLE(root)), None))[:MAX_TITLE],
        abstract=text_of(next(iter(_ABSTRACT(root)), None))[:MAX_ABSTRACT],
        keywords=keywords,
        categories=categories,
        boxes=_boxes(found[_BOX]),
        begins=begins,
        ends=ends,
        language=text_of(next(root.iterchildren(_LANGUAGE), None))[:MAX_LANGUAGE],
    )


def _wrong_root(root: etree._Element) -> str:
    name = etree.QName(root)
    sentence = f"is not an ISO 19139 record: its root is {name.localname} in the namespace {name.namespace or '(none)'}"
    if name.namespace == oai.OAI_NS:
        return f"{sentence}; this is part of an OAI-PMH answer: harvest it, or take out what stands in its metadata"
    if (name.namespace or "").startswith(_CSW_NS):
        return f"{sentence}; this is an answer of a CSW server: offer the records in it one by one"
    return f"{sentence}; the catalogue holds gmd:MD_Metadata and gmi:MI_Metadata"


def identifier_of(root: etree._Element) -> str:
    """The gmd:fileIdentifier. Raises Unusable where there is not exactly one that can be served (P68)."""
    elements = list(root.iterchildren(_FILE_IDENTIFIER))
    if len(elements) != 1:
        number = "no" if not elements else str(len(elements))
        raise Unusable(f"has {number} gmd:fileIdentifier; exactly one is needed to know the record by")
    identifier = "".join(map(str, elements[0].itertext())).strip()
    if not identifier:
        raise Unusable("has an empty gmd:fileIdentifier; give the record an identifier")
    fault = oai.identifier_fault(identifier)
    if fault is not None:
        shown = identifier if len(identifier) <= 200 else f"{identifier[:200]}..."
        raise Unusable(f"has the gmd:fileIdentifier {shown!r}, which is no URI: it {fault}; give it another one")
    return identifier


def date_of(root: etree._Element) -> datetime | None:
    """The instant that gmd:dateStamp stands for."""
    return _moment(text_of(next(root.iterchildren(_DATE_STAMP), None)))


def text_of(element: etree._Element | None) -> str:
    """The text of a property: its character string, anchor, date or code; not its translations."""
    if element is None:
        return ""
    value = element
    for child in element:
        if child.tag in _STRINGS:
            value = child
            break
        if value is element and isinstance(child.tag, str):
            value = child
    text = "".join(map(str, value.itertext())) if len(value) else str(value.text or "")
    return " ".join(text.split()) or str(value.get("codeListValue", ""))


def name_of(element: etree._Element | None) -> str:
    return text_of(element)[:MAX_NAME]


Item = TypeVar("Item")


def distinct(items: Iterable[Item], most: int) -> tuple[Item, ...]:
    """The first `most` of the items that are not empty, each once."""
    return tuple(islice(dict.fromkeys(item for item in items if item), most))


# --- Keywords ----------------------------------------------------------------------------------------

_NOT_IN_NAME = re.compile(r"[\W_]+")


def _keywords(blocks: Iterable[etree._Element], element: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keywords, and apart from them the terms of the WMO_CategoryCode list."""
    keywords: list[str] = []
    categories: list[str] = []
    may_have_categories = b"WMO" in element or b"wmo" in element  # spares other records the look at each thesaurus
    for block in blocks:
        named = may_have_categories and names_code_list(next(block.iterchildren(_THESAURUS), None), "WMO_CategoryCode")
        for keyword in block.iterchildren(_KEYWORD):
            own = may_have_categories and not named and _comes_from(keyword, "WMO_CategoryCode")
            (categories if named or own else keywords).append(name_of(keyword))
    return distinct(keywords, MAX_KEYWORDS), distinct(categories, MAX_KEYWORDS)


def names_code_list(thesaurus: etree._Element | None, code_list: str) -> bool:
    """Whether a gmd:thesaurusName means this code list: by its title, identifier or an address; spelling counts little.

    Real records write `WMO_CategoryCode`, `WMO_CAtegoryCode`, an anchor to `WMOCodeLists.xml#WMO_CategoryCode`, that
    address within a longer title, or the name in the citation's identifier alone.
    """
    if thesaurus is None:
        return False
    return any(_names(str(text)[:MAX_NAME], code_list) for text in _THESAURUS_TEXTS(thesaurus))


@functools.lru_cache(maxsize=4096)  # the same few texts stand in thousands of records
def _names(text: str, code_list: str) -> bool:
    return _NOT_IN_NAME.sub("", code_list).lower() in _NOT_IN_NAME.sub("", text).lower()


def _comes_from(keyword: etree._Element, code_list: str) -> bool:
    """Whether a keyword says by an address or a codeList of its own that it comes from this code list."""
    return any(
        _names(str(address)[:MAX_NAME], code_list)
        for value in keyword.iterchildren(etree.Element)
        for address in (value.get(_HREF), value.get("codeList"))
        if address
    )


# --- Dates, boxes, time extents ----------------------------------------------------------------------


_PARTIAL_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?")


def _moment(text: str) -> datetime | None:
    """The instant a date in a record stands for: its first one, in UTC; None if it is no date."""
    partial = _PARTIAL_DATE.fullmatch(text)
    try:
        if partial:
            return datetime(int(partial[1]), int(partial[2] or 1), 1, tzinfo=UTC)
    except ValueError:
        return None
    return datestamps.lenient(text) if text else None


def _boxes(boxes: Iterable[etree._Element]) -> tuple[tuple[float, float, float, float], ...]:
    """All bounding boxes as (west, south, east, north) in degrees; west > east crosses the date line."""
    found = []
    for box in boxes:
        sides = {side.tag: text_of(side) for side in box.iterchildren(*_SIDES)}
        try:
            west, south, east, north = (float(sides.get(side, "")) for side in _SIDES)
        except ValueError:
            continue
        if all(map(math.isfinite, (west, south, east, north))) and -90 <= south <= north <= 90:
            found.append((west, south, east, north))
    return distinct(found, MAX_BOXES)


def _time_extent(extents: Iterable[etree._Element]) -> tuple[datetime | None, datetime | None]:
    """Start and end of all time extents together, in either GML namespace; None where open or not given."""
    begins: list[datetime | None] = []
    ends: list[datetime | None] = []
    for extent in extents:
        for position in extent.iter("{*}beginPosition", "{*}endPosition", "{*}timePosition"):
            moment = _moment((position.text or "").strip())
            if position.tag.endswith("}beginPosition") or _above(position).endswith("}begin"):
                begins.append(moment)
            elif position.tag.endswith("}endPosition") or _above(position).endswith("}end"):
                ends.append(moment)
            else:
                begins.append(moment)
                ends.append(moment)
    return (
        None if None in begins else min(filter(None, begins), default=None),
        None if None in ends else max(filter(None, ends), default=None),
    )


def _above(position: etree._Element) -> str:
    """The name of the property that holds the time primitive of this position."""
    return str(position.getparent().getparent().tag)  # type: ignore[union-attr]


# Chosen, as the limits of catalogue.documents.xml_tree: what is over a number, and a URL that is too long, is left out.
MAX_URL = 4_000
MAX_CONTACTS = 100
MAX_ONLINE_RESOURCES = 500

_GMD_2 = f"{{{oai.GMD_NS}}}"
_ORGANISATION, _PERSON, _POSITION, _ROLE, _EMAIL = _PARTY = tuple(
    f"{_GMD_2}{name}"
    for name in ("organisationName", "individualName", "positionName", "role", "electronicMailAddress")
)
_LINKAGE, _ONLINE_NAME, _PROTOCOL = _ONLINE_PARTS = tuple(f"{_GMD_2}{name}" for name in ("linkage", "name", "protocol"))

_PARTIES = xpath(
    "gmd:contact/* | gmd:identificationInfo/*/gmd:pointOfContact/*"
    " | gmd:identificationInfo/*/gmd:citation/*/gmd:citedResponsibleParty/*"
    " | gmd:distributionInfo/*/gmd:distributor/*/gmd:distributorContact/*"
)
_ONLINE = xpath(
    "gmd:distributionInfo/*/gmd:transferOptions/*/gmd:onLine/*"
    " | gmd:distributionInfo/*/gmd:distributor/*/gmd:distributorTransferOptions/*/gmd:onLine/*"
)


class Contact(NamedTuple):
    """A party that the record names for itself or its data: by organisation, else person, else position."""

    name: str
    role: str
    email: str


class OnlineResource(NamedTuple):
    """Where the data can be had. The URL is as received: it may be no URL, or one that must not be clicked."""

    url: str
    name: str
    protocol: str


@dataclass(frozen=True, slots=True)
class Details:
    """What a record says of people and of places on the network."""

    contacts: tuple[Contact, ...] = ()
    links: tuple[OnlineResource, ...] = ()


def read_details(element: bytes) -> Details:
    """The details in a root element. Raises metadata.Unusable if it is not well-formed."""
    root = xml_tree.parse(element)
    return Details(_contacts(root), _links(root))


def _contacts(root: etree._Element) -> tuple[Contact, ...]:
    """The contacts of the record, its data and their distribution, and the parties that the data are cited by."""

    def read_all() -> Iterator[Contact]:
        for party in _PARTIES(root):
            parts: dict[str, etree._Element] = {}
            for part in party.iter(*_PARTY):
                parts.setdefault(part.tag, part)
            name = name_of(parts.get(_ORGANISATION)) or name_of(parts.get(_PERSON)) or name_of(parts.get(_POSITION))
            email = name_of(parts.get(_EMAIL))
            if name or email:
                yield Contact(name, _code(parts.get(_ROLE)), email)

    return distinct(read_all(), MAX_CONTACTS)


def _links(root: etree._Element) -> tuple[OnlineResource, ...]:
    """Where the data can be had, in the order of the record."""

    def read_all() -> Iterator[OnlineResource]:
        for online in _ONLINE(root):
            parts = {part.tag: part for part in online.iterchildren(*_ONLINE_PARTS)}
            url = text_of(parts.get(_LINKAGE))
            if url and len(url) <= MAX_URL:
                yield OnlineResource(url, name_of(parts.get(_ONLINE_NAME)), name_of(parts.get(_PROTOCOL)))

    return distinct(read_all(), MAX_ONLINE_RESOURCES)


def _code(element: etree._Element | None) -> str:
    """The code of a property, or what it says where it gives none."""
    for value in () if element is None else element.iterchildren(etree.Element):
        code = value.get("codeListValue")
        if code:
            return str(code)[:MAX_NAME]
    return name_of(element)
