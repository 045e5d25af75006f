"""Read and check one ISO 19139 document: bytes in, the root element and what it says out. lxml only, no Django.

Two steps. `root_element` turns a file, in whatever encoding, into the UTF-8 bytes of its root element;
those bytes are what the node keeps and serves. `read` parses them strictly and takes out what the
catalogue needs. Validity against a schema is no condition for being stored (promise 7); an identifier is.
"""

import codecs
import functools
import hashlib
import math
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any, TypeVar, cast
from xml.parsers import expat

from lxml import etree

from catalogue import datestamps, oai

MAX_RECORD_BYTES = 10 * 1024 * 1024  # chosen: twenty times the largest real record seen

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


class Unusable(Exception):
    """The document cannot be stored; the text is a sentence that a data manager understands."""


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


_DECLARATION = re.compile(rb"<\?xml\s.*?\?>", re.S)
_ENCODING = re.compile(rb"""\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._\-]*)["']""")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Python's codecs that no file is written in; two of them raise errors of their own or take quadratic time.
_NO_ENCODINGS_OF_FILES = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
_MISC = re.compile(rb"(?:\s|<!--.*?-->|<\?(?!xml\s).*?\?>)*", re.S)  # what may stand before the root (XML 1.0, 2.8)
# libxml2 looks 250 bytes ahead to tell white space between elements from text; longer runs it may keep.
LONG_BLANK = re.compile(rb">[ \t\r\n]{200,}<")
# Of every 20th byte a run of 200 holds ten in a row. Looking for those first costs a tenth of looking for the run.
STRIDE = 20
LONG_BLANK_SAMPLED = b" " * (200 // STRIDE)
BLANKS_ALIKE = bytes.maketrans(b"\t\r\n", b"   ")
_START_NAME = re.compile(rb"<([^\s/>]+)")


def root_element(document: bytes) -> bytes:
    """The root element of `document` in UTF-8, otherwise byte for byte; declaration, comments and PIs around it fall.

    Raises Unusable for an empty or oversized document, a DOCTYPE (never needed here, and the way in for
    entity bombs), bytes that are not of the declared encoding, and anything around the root but comments
    and processing instructions. Whether the element itself is well-formed, `read` finds out.
    """
    if len(document) > MAX_RECORD_BYTES:
        raise Unusable(oversized(len(document)))
    text = to_utf8(document)
    start = start_of_root(text)
    if start == len(text):
        raise Unusable("is empty" if not text.strip() else "holds no XML element")
    if _is_doctype(text, start):
        raise Unusable("has a DOCTYPE, which is refused because it can hide entities; remove it")
    if _DECLARATION.match(text, start):
        raise Unusable("has something before its XML declaration, which may only stand at the very start; remove it")
    name = _START_NAME.match(text, start)
    if name is None:
        raise Unusable("is not XML: it does not begin with an element")
    end = len(text.rstrip())
    last_tag = text[text.rfind(b"<", start, end) : end]
    closes = last_tag.startswith(b"</") and last_tag[2:-1].rstrip() == name.group(1)
    if not (last_tag.endswith(b">") and (closes or last_tag.endswith(b"/>"))):
        end = _end_of_root(text)
    return text[start:end]


def start_of_root(text: bytes) -> int:
    """Where the root element (or a DOCTYPE before it) begins: after white space, comments and PIs."""
    return _MISC.match(text).end()  # type: ignore[union-attr]  # it matches the empty string too


def has_doctype(text: bytes) -> bool:
    """Whether a DOCTYPE stands before the root element."""
    return _is_doctype(text, start_of_root(text))


def _is_doctype(text: bytes, start: int) -> bool:
    return text[start : start + 9].upper() == b"<!DOCTYPE"


def oversized(size: int) -> str:
    """The sentence for a document of `size` bytes, which is over the limit."""
    return f"is {size / 1e6:.1f} MB; a record may have up to {MAX_RECORD_BYTES / 1e6:.1f} MB"


def to_utf8(document: bytes) -> bytes:
    """The document in UTF-8 without byte-order mark and XML declaration. Raises Unusable if it is not what it says.

    A byte-order mark decides against the declaration, as in libxml2.
    """
    if document.startswith(codecs.BOM_UTF8):
        document, encoding = document[len(codecs.BOM_UTF8) :], "utf-8"
    elif document.startswith(_UTF16_MARKS):
        encoding = "utf-16"
    elif document.startswith((b"<\x00", b"\x00<")):
        encoding = "utf-16-le" if document.startswith(b"<") else "utf-16-be"
    else:
        declaration = _DECLARATION.match(document)
        declared = _ENCODING.search(declaration.group()) if declaration else None
        encoding = declared.group(1).decode("ascii").lower() if declared else "utf-8"
    try:
        if codecs.lookup(encoding).name in _NO_ENCODINGS_OF_FILES:
            raise LookupError
        text = document.decode(encoding)  # raises LookupError too for Python's codecs that make no text
    except LookupError as exc:
        raise Unusable(f"declares the encoding {encoding!r}, which is not known here; save it as UTF-8") from exc
    except UnicodeDecodeError as exc:
        raise Unusable(
            f"is not {encoding.upper()} as it says: byte {document[exc.start]:#04x} at position {exc.start} "
            "does not fit; save it again in one encoding"
        ) from exc
    try:
        utf8 = text.removeprefix("\ufeff").encode()
    except UnicodeEncodeError as exc:
        raise Unusable("holds half a surrogate pair, which is no character; save it as UTF-8") from exc
    declaration = _DECLARATION.match(utf8)  # only there: `<?xml` in a CDATA section is text of the record
    return utf8[declaration.end() :] if declaration else utf8


def _end_of_root(text: bytes) -> int:
    """Where the root ends in a document that has something after it. Raises Unusable if that is not legal."""
    parser = expat.ParserCreate("utf-8")
    ends: list[int] = []
    depth = 0

    def start(_name: str, _attributes: object) -> None:
        nonlocal depth
        depth += 1

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1
        if not depth:
            place = parser.CurrentByteIndex  # where the end tag begins; past a tag that is both start and end
            ends.append(text.index(b">", place) + 1 if text.startswith(b"</", place) else place)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(text, True)
    except expat.ExpatError as exc:
        raise Unusable(f"is not well-formed XML: {expat.ErrorString(exc.code)}, line {exc.lineno}") from exc
    return ends[0]


def parse(element: bytes) -> etree._Element:
    """The tree of a root element, without white space between elements and comments. Raises Unusable."""
    try:
        return etree.fromstring(_without_long_blanks(element), parsers.strict)
    except etree.XMLSyntaxError as exc:
        raise Unusable(f"is not well-formed XML: {exc.msg}") from exc


def digest_of(root: etree._Element) -> bytes:
    """SHA-256 of the exclusive canonical XML of what `parse` gave.

    Comments and white space between elements are gone there, so order of attributes, indentation and encoding do
    not count (promise 3).
    """
    return hashlib.sha256(_canonical(root)).digest()


def read(element: bytes) -> Metadata:
    """What the root element says. Raises Unusable if it is not well-formed, not ISO 19139 or has no identifier."""
    root = parse(element)
    return read_tree(root, element, digest_of(root))


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


def _without_long_blanks(element: bytes) -> bytes:
    if LONG_BLANK_SAMPLED in element[::STRIDE].translate(BLANKS_ALIKE):
        return LONG_BLANK.sub(b"> <", element)
    return element


def _canonical(root: etree._Element) -> bytes:
    try:
        return etree.tostring(root, method="c14n", exclusive=True, with_comments=False)
    except etree.C14NError:
        # Canonical XML 1.0 has no answer for a namespace that is a relative URI; 2.0, far slower, takes it as it is.
        return str(etree.canonicalize(root, with_comments=False)).encode()


class _Parsers(threading.local):
    """A parser for each thread: making one costs a quarter of what it takes to parse a record."""

    def __init__(self) -> None:
        # For everything foreign: no network, no DTD, no entities, libxml2's own limits, no mending.
        self.strict = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            recover=False,
            remove_blank_text=True,
            remove_comments=True,
        )


parsers = _Parsers()


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
