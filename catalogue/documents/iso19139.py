"""Read the fields of ISO 19139 records, for search, for the header and for people. lxml only, no Django.

`read` takes out what the catalogue needs of every record: what search finds it by, and what pages of many records show. A record needs an identifier to be stored; it need not be
valid against a schema (promise 7). `read_details` takes out contacts and links, which are not stored beside the
payload: only the page of one record shows them.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar, cast

from lxml import etree

from catalogue import datestamps, oai
from catalogue.documents import xml_tree
from catalogue.documents.xml_tree import Unusable
from catalogue.reasons import Reason, ReasonCode

# Limits of the fields, so that one record cannot have a huge row; the XML itself is stored in full.
# Chosen: several times the largest of 1,164 real records (a title of 255 characters, an abstract of 10,556, 208
# keywords, 23 contacts, 36 links, a URL of 307). Longer texts are cut; items over a number, and longer URLs, are left
# out.
MAX_TITLE = 10_000
MAX_ABSTRACT = 100_000
MAX_NAME = 1_000  # of a keyword, a contact, a link, a protocol
MAX_LANGUAGE = 100
MAX_KEYWORDS = 1_000
MAX_ORGANISATIONS = 100
MAX_TRANSLATIONS = 1_000
MAX_BOXES = 500
MAX_URL = 4_000
MAX_CONTACTS = 100
MAX_ONLINE_RESOURCES = 500
_MAX_RAW_TEXT = 10 * MAX_ABSTRACT  # of a text as it stands in the XML, with its white space

_GMD = f"{{{oai.GMD_NS}}}"
_GCO = "{http://www.isotc211.org/2005/gco}"
_GMX = "{http://www.isotc211.org/2005/gmx}"
ROOTS = (f"{_GMD}MD_Metadata", f"{{{oai.GMI_NS}}}MI_Metadata")
_CSW_NS = "http://www.opengis.net/cat/csw/"
_FILE_IDENTIFIER, _DATE_STAMP, _LANGUAGE = (f"{_GMD}{name}" for name in ("fileIdentifier", "dateStamp", "language"))
_BOX = f"{_GMD}EX_GeographicBoundingBox"
_EXTENTS = (f"{_GMD}EX_TemporalExtent", f"{_GMD}EX_SpatialTemporalExtent")
_KEYWORD_BLOCK, _THESAURUS, _KEYWORD = (f"{_GMD}{name}" for name in ("MD_Keywords", "thesaurusName", "keyword"))
_HREF = "{http://www.w3.org/1999/xlink}href"

_STRINGS = (f"{_GCO}CharacterString", f"{_GMX}Anchor")
_SIDES = tuple(
    f"{_GMD}{side}" for side in ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")
)
_PARTY_ELEMENT, _ORGANISATION, _PERSON = (
    f"{_GMD}{name}" for name in ("CI_ResponsibleParty", "organisationName", "individualName")
)
_PARTY_PROPERTIES = frozenset(f"{_GMD}{name}" for name in ("contact", "pointOfContact", "distributorContact"))
_CITED_PARTY, _CITATION = (f"{_GMD}{name}" for name in ("citedResponsibleParty", "citation"))
_LOCALISED = f"{_GMD}LocalisedCharacterString"
_TRANSLATED = {
    f"{_GMD}title": True,  # of the data alone, not of what it cites
    **dict.fromkeys((f"{_GMD}{name}" for name in ("abstract", "keyword", "organisationName")), False),
}
# The elements that are looked for anywhere in a record.
_SEARCHED = (_KEYWORD_BLOCK, _BOX, _PARTY_ELEMENT, _LOCALISED, *_EXTENTS)
_LEVEL, _LOCALE, _IDENTIFICATION = (f"{_GMD}{name}" for name in ("hierarchyLevel", "locale", "identificationInfo"))
_PREFIXES = {"gmd": oai.GMD_NS, "xlink": "http://www.w3.org/1999/xlink"}


def xpath(expression: str) -> Callable[[etree._Element], list[Any]]:
    """Compile an XPath expression that selects nodes."""
    compiled = etree.XPath(expression, namespaces=_PREFIXES, smart_strings=False)
    return cast(Callable[[etree._Element], list[Any]], compiled)


_TITLE = xpath("gmd:identificationInfo/*/gmd:citation/*/gmd:title")
_ABSTRACT = xpath("gmd:identificationInfo/*/gmd:abstract")
_OTHER_CONSTRAINTS = xpath("gmd:identificationInfo/*/gmd:resourceConstraints/*/gmd:otherConstraints")
# Terms of WMO_DataLicenseCode (WCMP 1.3, 9.3.1).
DATA_POLICIES = ("WMOEssential", "WMOAdditional", "WMOOther", "NoLimitation")
_THESAURUS_PATHS = (
    "*/gmd:title//text()",
    "*/gmd:title/*/@xlink:href",
    "*/gmd:alternateTitle//text()",
    "*/gmd:identifier/*/gmd:code//text()",
    "*/gmd:identifier/*/gmd:code/*/@xlink:href",
    "@xlink:href",
)
# libxml2 sorts a union, which takes a time that grows with the square of what it finds; for a few it is faster.
_THESAURUS_TEXTS = tuple(map(xpath, _THESAURUS_PATHS))
_TEXTS_OF_SMALL = (xpath(" | ".join(_THESAURUS_PATHS)),)
_SMALL_BYTES = 100_000  # chosen


class Translation(NamedTuple):
    """A title, abstract, keyword or organisation in another language: of which property, and the language as it is named."""

    name: str
    text: str
    language: str


class Metadata(NamedTuple):
    """The fields of a record. Texts are empty and instants None if the record has none.

    `has_bare_elements`: some of its elements are in no namespace (`xml_tree.to_splice`).
    """

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
    has_bare_elements: bool = False
    kind: str = ""  # the code of gmd:hierarchyLevel; empty if it says nothing
    policy: str = ""  # one of DATA_POLICIES, if it is the only one
    organisations: tuple[str, ...] = ()  # that of the first gmd:contact comes first
    persons: tuple[str, ...] = ()
    translations: tuple[Translation, ...] = ()


def read(element: bytes) -> Metadata:
    """Read the fields of a root element. Raises Unusable if it is not well-formed, not ISO 19139 or has no identifier."""
    root = xml_tree.parse(element)
    return read_tree(root, element, xml_tree.digest_of(root))


def read_tree(root: etree._Element, element: bytes, digest: bytes, identifier: str = "") -> Metadata:
    """Read the fields of an element that is parsed and digested already. Raises Unusable, as `read` does.

    `identifier`: what `identifier_of` returns, where that was read already.
    """
    if root.tag not in ROOTS:
        raise Unusable(_wrong_root(root))
    # One walk for all: it takes a third of the time of looking for the names in the bytes.
    found: dict[str, list[etree._Element]] = {name: [] for name in _SEARCHED}
    has_bare_elements = False
    for part in root.iter(*_SEARCHED, "{}*"):
        if part.tag in found:
            found[part.tag].append(part)
        else:
            has_bare_elements = True
    children: dict[object, etree._Element] = {}  # the first of each name
    for child in root:
        children.setdefault(child.tag, child)
    extents = [part for name in _EXTENTS for part in found[name]]
    begins, ends = _time_extent(_outermost(extents, few=1)) if extents else (None, None)
    blocks, boxes, parties = (found[name] for name in (_KEYWORD_BLOCK, _BOX, _PARTY_ELEMENT))
    keywords, categories = _keywords(_outermost(blocks), element) if blocks else ((), ())
    organisations, persons = _parties(parties) if parties else ((), ())
    is_identified = _IDENTIFICATION in children
    return Metadata(
        digest=digest,
        title=text_of(next(iter(_TITLE(root)), None))[:MAX_TITLE] if is_identified else "",
        abstract=text_of(next(iter(_ABSTRACT(root)), None))[:MAX_ABSTRACT] if is_identified else "",
        keywords=keywords,
        categories=categories,
        boxes=_boxes(_outermost(boxes)) if boxes else (),
        begins=begins,
        ends=ends,
        language=text_of(children.get(_LANGUAGE))[:MAX_LANGUAGE],
        identifier=identifier or identifier_of(root),
        has_bare_elements=has_bare_elements,
        kind=_code(children.get(_LEVEL)),
        policy=_policy(root),
        organisations=organisations,
        persons=persons,
        translations=translations_of(root, found[_LOCALISED]),
        metadata_date=datestamps.of_date(text_of(children.get(_DATE_STAMP))),
    )


def _outermost(parts: list[etree._Element], few: int = 20) -> list[etree._Element]:
    """Return the parts that are in none of the others, so that none is read as often as it is nested; all if they are few."""
    if len(parts) <= few:
        return parts
    tags = {part.tag for part in parts}
    return [part for part in parts if next(part.iterancestors(*tags), None) is None]


def _wrong_root(root: etree._Element) -> Reason:
    name = etree.QName(root)
    facts = {"root": name.localname, "namespace": name.namespace or "(none)"}
    if name.namespace == oai.OAI_NS:
        return Reason(ReasonCode.OAI_PMH_ANSWER, facts)
    if (name.namespace or "").startswith(_CSW_NS):
        return Reason(ReasonCode.CSW_ANSWER, facts)
    return Reason(ReasonCode.NOT_ISO_19139, facts)


def identifier_of(root: etree._Element) -> str:
    """Read the gmd:fileIdentifier. Raises Unusable if there is not exactly one that can be stored (P68)."""
    elements = [child for child in root if child.tag == _FILE_IDENTIFIER]
    if len(elements) != 1:
        raise Unusable(Reason(ReasonCode.FILE_IDENTIFIERS, {"number": len(elements)}))
    identifier = _whole_text(elements[0]).strip()
    if not identifier:
        raise Unusable(Reason(ReasonCode.EMPTY_FILE_IDENTIFIER))
    fault = oai.file_identifier_fault(identifier)
    if fault is not None:
        quoted = identifier if len(identifier) <= 200 else f"{identifier[:200]}..."
        facts = {"identifier": quoted, "fault": fault.to_json()}
        raise Unusable(Reason(ReasonCode.FILE_IDENTIFIER_NO_URI, facts))
    return identifier


def _whole_text(element: etree._Element) -> str:
    """Return all text of an element. Of one with a single child, as nearly all are, it is read without lxml's iterator."""
    child = element[0] if len(element) == 1 else None
    if child is None or len(child) or not isinstance(child.tag, str):
        return "".join(map(str, element.itertext()))
    return f"{element.text or ''}{child.text or ''}{child.tail or ''}"


def date_of(root: etree._Element) -> datetime | None:
    """Read gmd:dateStamp as an instant; None if it is no date."""
    return datestamps.of_date(text_of(next(root.iterchildren(_DATE_STAMP), None)))


def text_of(element: etree._Element | None) -> str:
    """Return the text of a property: its character string, anchor, date or code; not its translations."""
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
    return " ".join(text[:_MAX_RAW_TEXT].split()) or str(value.get("codeListValue", ""))


def name_of(element: etree._Element | None) -> str:
    return text_of(element)[:MAX_NAME]


Item = TypeVar("Item")


def distinct(items: Iterable[Item], most: int) -> tuple[Item, ...]:
    """Return the first `most` of the items that are not empty, each once."""
    return tuple(islice(dict.fromkeys(filter(None, items)), most))


# --- Keywords ----------------------------------------------------------------------------------------

_NOT_IN_NAME = re.compile(r"[\W_]+")


def _keywords(blocks: Iterable[etree._Element], element: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keywords, and separately the terms of the WMO_CategoryCode list."""
    keywords: list[str] = []
    categories: list[str] = []
    # Else no thesaurus need be read. In lower case first, because most identifiers begin with urn:x-wmo.
    may_have_categories = b"wmo" in element or b"WMO" in element
    for block in blocks:
        block_is_categories = may_have_categories and names_code_list(
            next(block.iterchildren(_THESAURUS), None), "WMO_CategoryCode", is_small=len(element) <= _SMALL_BYTES
        )
        for keyword in block.iterchildren(_KEYWORD):
            keyword_is_category = (
                may_have_categories and not block_is_categories and _comes_from(keyword, "WMO_CategoryCode")
            )
            (categories if block_is_categories or keyword_is_category else keywords).append(name_of(keyword))
    return distinct(keywords, MAX_KEYWORDS), distinct(categories, MAX_KEYWORDS)


def names_code_list(thesaurus: etree._Element | None, code_list: str, *, is_small: bool = False) -> bool:
    """Whether a gmd:thesaurusName means this code list, by its title, identifier or an address.

    Case and punctuation do not count: real records write `WMO_CategoryCode`, `WMO_CAtegoryCode`, an anchor to
    `WMOCodeLists.xml#WMO_CategoryCode`, that address within a longer title, or the name only in the citation's identifier.
    `is_small`: whether it is in a small record, where all is looked up at once.
    """
    if thesaurus is None:
        return False
    paths = _TEXTS_OF_SMALL if is_small else _THESAURUS_TEXTS
    texts = chain.from_iterable(texts_of(thesaurus) for texts_of in paths)
    return any(_names(str(text)[:MAX_NAME], code_list) for text in texts)


@functools.lru_cache(maxsize=4096)  # thousands of records have the same few texts
def _names(text: str, code_list: str) -> bool:
    return _NOT_IN_NAME.sub("", code_list).lower() in _NOT_IN_NAME.sub("", text).lower()


def _comes_from(keyword: etree._Element, code_list: str) -> bool:
    """Whether a keyword has an address or a codeList of its own that names this code list."""
    for value in keyword.iterchildren(etree.Element):
        for attribute in (_HREF, "codeList"):
            address = value.get(attribute)
            if address and _names(str(address)[:MAX_NAME], code_list):
                return True
    return False


# --- Parties, data policy, translations ---------------------------------------------------------------


def _parties(parties: list[etree._Element]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the organisations and the persons who answer for the record or its data. Those of a thesaurus do not count."""
    organisations: list[str] = []
    persons: list[str] = []
    for party in parties:
        role = party.getparent()
        if role is None or not (role.tag in _PARTY_PROPERTIES or (role.tag == _CITED_PARTY and _cites_the_data(role))):
            continue
        for part in party.iterchildren(_ORGANISATION, _PERSON):
            (organisations if part.tag == _ORGANISATION else persons).append(name_of(part))
    return distinct(organisations, MAX_ORGANISATIONS), distinct(persons, MAX_ORGANISATIONS)


def _cites_the_data(role: etree._Element) -> bool:
    citation = role.getparent()
    property_ = None if citation is None else citation.getparent()
    return property_ is not None and property_.tag == _CITATION


def _policy(root: etree._Element) -> str:
    """Return the one term of WMO_DataLicenseCode that otherConstraints give; "" if they give none or several."""
    texts = chain.from_iterable(
        (text_of(constraint), *(str(value.get(_HREF, "")) for value in constraint.iterchildren(etree.Element)))
        for constraint in islice(_OTHER_CONSTRAINTS(root), MAX_KEYWORDS)
    )
    found = {re.split(r"[#/_]", text[:MAX_NAME])[-1] for text in texts} & set(DATA_POLICIES)
    return found.pop() if len(found) == 1 else ""


def translations_of(root: etree._Element, localised: list[etree._Element] | None = None) -> tuple[Translation, ...]:
    """Return the texts of the record in other languages (ISO/TS 19139, PT_FreeText). `localised`: where they are, if known."""
    localised = list(root.iter(_LOCALISED)) if localised is None else localised
    if not localised:
        return ()
    languages = {
        str(locale.get("id", "")): _code(next(locale.iterchildren(f"{_GMD}languageCode"), None))
        for place in root.iterchildren(_LOCALE)
        for locale in place.iterchildren(f"{_GMD}PT_Locale")
    }

    def read_all() -> Iterator[Translation]:
        for string in localised:
            owner = string.getparent()
            for _ in range(2):  # textGroup, PT_FreeText
                owner = None if owner is None else owner.getparent()
            if owner is None or owner.tag not in _TRANSLATED or (_TRANSLATED[owner.tag] and not _cites_the_data(owner)):
                continue
            text = " ".join(str(string.text or "")[:_MAX_RAW_TEXT].split())[:MAX_ABSTRACT]
            if text:
                locale = str(string.get("locale", "")).lstrip("#")
                yield Translation(etree.QName(owner).localname, text, languages.get(locale) or locale)

    return distinct(read_all(), MAX_TRANSLATIONS)


# --- Dates, boxes, time extents ----------------------------------------------------------------------


def _boxes(boxes: Iterable[etree._Element]) -> tuple[tuple[float, float, float, float], ...]:
    """Read all bounding boxes as (west, south, east, north) in degrees; west > east crosses the date line.

    What are no degrees on the earth is left out; longitudes may count from 180 W or from Greenwich.
    """
    found = []
    for box in boxes:
        sides = {side.tag: text_of(side) for side in box.iterchildren(*_SIDES)}
        try:
            west, south, east, north = (float(sides.get(side, "")[:MAX_NAME]) for side in _SIDES)
        except ValueError:
            continue
        if abs(west) <= 360 and abs(east) <= 360 and -90 <= south <= north <= 90:
            found.append((west, south, east, north))
    return distinct(found, MAX_BOXES)


def _time_extent(extents: Iterable[etree._Element]) -> tuple[datetime | None, datetime | None]:
    """Return start and end of all time extents together, in either GML namespace; None where open or not given.

    An end that is a year, a month or a day is that to its last second.
    """
    begins: list[datetime | None] = []
    ends: list[datetime | None] = []
    for extent in extents:
        for position in extent.iter("{*}beginPosition", "{*}endPosition", "{*}timePosition"):
            text = (position.text or "").strip()
            if position.tag.endswith("}beginPosition") or _parent_property(position).endswith("}begin"):
                begins.append(datestamps.of_date(text))
            elif position.tag.endswith("}endPosition") or _parent_property(position).endswith("}end"):
                ends.append(datestamps.of_date(text, is_end=True))
            else:
                begins.append(datestamps.of_date(text))
                ends.append(datestamps.of_date(text, is_end=True))
    return (
        None if None in begins else min(filter(None, begins), default=None),
        None if None in ends else max(filter(None, ends), default=None),
    )


def _parent_property(position: etree._Element) -> str:
    """Return the name of the property whose time primitive has this position."""
    return str(position.getparent().getparent().tag)  # type: ignore[union-attr]


# --- Contacts and links ------------------------------------------------------------------------------

_POSITION, _ROLE, _EMAIL = (f"{_GMD}{name}" for name in ("positionName", "role", "electronicMailAddress"))
_PARTY = (_ORGANISATION, _PERSON, _POSITION, _ROLE, _EMAIL)
_LINKAGE, _ONLINE_NAME, _PROTOCOL, _FUNCTION, _ONLINE_TEXT = _ONLINE_PARTS = tuple(
    f"{_GMD}{name}" for name in ("linkage", "name", "protocol", "function", "description")
)

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
    """A party that the record names for itself or its data. `name`: the organisation, else person, else position."""

    name: str
    role: str
    email: str


class Party(NamedTuple):
    """A party with all its names. `role` is a code."""

    organisation: str = ""
    person: str = ""
    position: str = ""
    role: str = ""
    email: str = ""


class OnlineResource(NamedTuple):
    """An address of the data. The URL is as received: it may be no URL, or one that must not be clicked."""

    url: str
    name: str
    protocol: str
    function: str = ""  # a code: what the address is for
    description: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """The contacts and links of a record."""

    contacts: tuple[Contact, ...] = ()
    links: tuple[OnlineResource, ...] = ()


def read_details(element: bytes) -> Details:
    """Read the contacts and links of a root element. Raises Unusable if it is not well-formed."""
    root = xml_tree.parse(element)
    return Details(contacts_of(root), links_of(root))


def contacts_of(root: etree._Element) -> tuple[Contact, ...]:
    """Read the contacts of the record, its data and their distribution, and the parties of the citation."""
    named = (
        Contact(each.organisation or each.person or each.position, each.role, each.email) for each in _all_parties(root)
    )
    return distinct((contact for contact in named if contact.name or contact.email), MAX_CONTACTS)


def parties_of(root: etree._Element) -> tuple[Party, ...]:
    """Read the parties that `contacts_of` reads, with all their names."""
    return distinct((party for party in _all_parties(root) if any(party)), MAX_CONTACTS)


def _all_parties(root: etree._Element) -> Iterator[Party]:
    for party in _PARTIES(root):
        parts: dict[str, etree._Element] = {}
        for part in party.iter(*_PARTY):
            parts.setdefault(part.tag, part)
        yield Party(
            organisation=name_of(parts.get(_ORGANISATION)),
            person=name_of(parts.get(_PERSON)),
            position=name_of(parts.get(_POSITION)),
            role=_code(parts.get(_ROLE)),
            email=name_of(parts.get(_EMAIL)),
        )


def links_of(root: etree._Element) -> tuple[OnlineResource, ...]:
    """Read the addresses of the data, in the order of the record."""

    def read_all() -> Iterator[OnlineResource]:
        for online in _ONLINE(root):
            parts = {part.tag: part for part in online.iterchildren(*_ONLINE_PARTS)}
            url = text_of(parts.get(_LINKAGE))
            if url and len(url) <= MAX_URL:
                yield OnlineResource(
                    url,
                    name_of(parts.get(_ONLINE_NAME)),
                    name_of(parts.get(_PROTOCOL)),
                    _code(parts.get(_FUNCTION)),
                    name_of(parts.get(_ONLINE_TEXT)),
                )

    return distinct(read_all(), MAX_ONLINE_RESOURCES)


def _code(element: etree._Element | None) -> str:
    """Return the code of a property, or its text if it has none."""
    for value in () if element is None else element.iterchildren(etree.Element):
        code = value.get("codeListValue")
        if code:
            return str(code)[:MAX_NAME]
    return name_of(element)
