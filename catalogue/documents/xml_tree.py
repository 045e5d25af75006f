"""Turn one document into the UTF-8 bytes of its root element, its tree and its digest. lxml only, no Django.

`root_element` takes a file in any encoding; the bytes that it returns are stored and served. `parse` parses them
strictly. `catalogue.documents.iso19139` reads the fields of an ISO 19139 record.
"""

import codecs
import functools
import hashlib
import re
import threading
from collections.abc import Collection, Mapping
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from lxml import etree

from catalogue.documents import complexity
from catalogue.reasons import Reason, ReasonCode, ReasonError

MAX_RECORD_BYTES = 10 * 1024 * 1024  # chosen: twenty times the largest real record seen


class Unusable(ReasonError):
    """The document cannot be stored. The reason's sentence tells a data manager what to change."""


_DECLARATION = re.compile(rb"<\?xml\s[^>]{0,1000}?\?>")  # a longer one is none
_ENCODING = re.compile(rb"""\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._\-]*)["']""")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Codecs of Python that are no encodings of files; two of them raise errors of their own or take quadratic time.
_NO_ENCODINGS_OF_FILES = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
# What may stand before the root (XML 1.0, 2.8). It never goes back, which takes 130 bytes for each that it has passed.
_MISC = re.compile(rb"(?>\s++|<!--.*?-->|<\?(?!xml\s).*?\?>)*+", re.S)
# libxml2 looks 250 bytes ahead to distinguish white space between elements from text; it may not remove longer runs.
_LONG_BLANK = re.compile(rb">[ \t\r\n]{200,}<")
# If every 20th byte is sampled, a run of 200 blanks gives ten in a row. Searching the sample first costs a tenth.
_STRIDE = 20
_LONG_BLANK_SAMPLED = b" " * (200 // _STRIDE)
_BLANKS_ALIKE = bytes.maketrans(b"\t\r\n", b"   ")
DOCTYPE = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_START_NAME = re.compile(rb"<([^\s/>]+)")
_TO_END_OF_TAG = re.compile(rb"""[^"'>]*+(?:(?:"[^"]*+"|'[^']*+')[^"'>]*+)*+>""")
_ATTRIBUTES = re.compile(rb"""\s([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')""")
# Chosen: bytes that are searched prefix by prefix, before one pass over all names is faster.
_WORTH_ONE_PASS = 20_000_000
_BEFORE_COLON = re.compile(rb"(?<![\w.\-\x80-\xff])([\w.\-\x80-\xff]++):")
_USUAL_TAG_BYTES = 4096  # chosen: longer tags are not kept in a cache
_START_TAG_WITHOUT_PREFIX = re.compile(rb"<[^\s:/<>!?]++[\s/>]")


def root_element(document: bytes) -> bytes:
    """Return the root element of `document` in UTF-8, otherwise byte for byte, without what is around it.

    Raises Unusable for an empty or oversized document, a DOCTYPE (never needed here, and how entity bombs get in),
    bytes that are not of the declared encoding, and anything around the root but comments and processing
    instructions. `parse` checks whether the element itself is well-formed.
    """
    if len(document) > MAX_RECORD_BYTES:
        raise Unusable(oversized(len(document)))
    text = to_utf8(document)
    start = start_of_root(text)
    if start == len(text):
        raise Unusable(Reason(ReasonCode.EMPTY if not text.strip() else ReasonCode.NO_ELEMENT))
    if start > complexity.LIMITS.in_force.outside_bytes:
        raise Unusable(too_complex(complexity.outside(start)))
    if DOCTYPE.match(text, start):
        raise Unusable(Reason(ReasonCode.DOCTYPE))
    if _DECLARATION.match(text, start):
        raise Unusable(Reason(ReasonCode.BEFORE_DECLARATION))
    name = _START_NAME.match(text, start)
    if name is None:
        raise Unusable(Reason(ReasonCode.NOT_XML))
    end = len(text.rstrip())
    last_tag = text[text.rfind(b"<", start, end) : end]
    closes = last_tag.startswith(b"</") and last_tag[2:-1].rstrip() == name.group(1)
    if not (last_tag.endswith(b">") and (closes or last_tag.endswith(b"/>"))):
        end = _end_of_root(text)
    after = len(text) - end
    if after > complexity.LIMITS.in_force.outside_bytes:
        raise Unusable(too_complex(complexity.outside(after)))
    return text[start:end]


def too_complex(excess: complexity.Excess) -> Reason:
    """Return the reason why a document is refused that has too much of something."""
    return Reason(ReasonCode.TOO_COMPLEX, excess.facts())


def check_complexity(element: bytes) -> None:
    """Raise Unusable for an element that would cost far more than its size, before it is parsed."""
    excess = complexity.excess_of_record(element)
    if excess is not None:
        raise Unusable(too_complex(excess))


def start_of_root(text: bytes) -> int:
    """Return where the root element, or a DOCTYPE before it, begins: after white space, comments and PIs."""
    return _MISC.match(text).end()  # type: ignore[union-attr]  # it matches the empty string too


def end_of_tag(text: bytes | bytearray, start: int) -> int:
    """Return where the tag ends that begins at `start`, in a text that was parsed."""
    match = _TO_END_OF_TAG.match(text, start)
    assert match is not None, "it was parsed"
    return match.end()


def attribute_names(start_tag: bytes) -> frozenset[bytes]:
    """Return the names of the attributes in a start tag, given without the name of the element."""
    return _names_of_usual(start_tag) if len(start_tag) <= _USUAL_TAG_BYTES else _names_of(start_tag)


def _names_of(start_tag: bytes) -> frozenset[bytes]:
    return frozenset(found.group(1) for found in _ATTRIBUTES.finditer(start_tag))


_names_of_usual = functools.lru_cache(maxsize=256)(_names_of)  # the records of one centre mostly begin alike


def uses_prefix(element: bytes, prefix: str) -> bool:
    """Whether `prefix:` is in the element, and not as the end of a longer prefix: `o:` does not count in `gco:`."""
    name = prefix.encode()
    return name + b":" in element and re.search(rb"(?<![\w.\-\x80-\xff])" + re.escape(name) + b":", element) is not None


def used_prefixes(element: bytes, prefixes: Collection[str]) -> frozenset[str]:
    """Return which of the prefixes are used in the element, by `uses_prefix`."""
    if len(prefixes) * len(element) < _WORTH_ONE_PASS:
        return frozenset(prefix for prefix in prefixes if uses_prefix(element, prefix))
    used = {found.group(1) for found in _BEFORE_COLON.finditer(element)}
    return frozenset(prefix for prefix in prefixes if prefix.encode() in used)


def has_tag_without_prefix(element: bytes) -> bool:
    """Whether a tag without prefix seems to be in the element; text that looks like one counts as well."""
    return _START_TAG_WITHOUT_PREFIX.search(element) is not None


def declare(element: bytes, namespaces: Mapping[str, str]) -> bytes:
    """Add declarations of namespaces, by prefix ("": the default one), to the start tag of an element that was parsed."""
    name = _START_NAME.match(element)
    assert name is not None, "it was parsed"
    added = "".join(
        f" {f'xmlns:{prefix}' if prefix else 'xmlns'}={quoteattr(uri)}" for prefix, uri in namespaces.items()
    )
    return b"".join((element[: name.end()], added.encode(), element[name.end() :]))


def declare_used(element: bytes, root: etree._Element, around: Mapping[str | None, str]) -> bytes:
    """Add those of the namespaces declared around an element that it uses, so that it is well-formed by itself.

    `root`: the element, parsed. `around`: by prefix, None for the default one.
    """
    name = _START_NAME.match(element)
    assert name is not None, "it was parsed"
    declared = attribute_names(element[name.end() : end_of_tag(element, name.end())])
    others = {
        prefix: uri
        for prefix, uri in around.items()
        if (b"xmlns:" + prefix.encode() if prefix else b"xmlns") not in declared
    }
    prefixes = used_prefixes(element, [prefix for prefix in others if prefix])
    used = {
        prefix or "": uri
        for prefix, uri in others.items()
        if (prefix in prefixes if prefix else any(each.prefix is None for each in root.iter(f"{{{uri}}}*")))
    }
    return declare(element, used) if used else element


def to_splice(element: bytes, root: etree._Element | None = None) -> bytes:
    """Return a root element as it may be put into another document: its elements in no namespace stay in none.

    Without a default namespace of its own it would get that of the document around it. So `xmlns=""` is added where there
    is an element that this would change; `digest_of` is the same with it. `root`: the element, parsed by itself; without it
    the element is parsed only if there is a tag without prefix, and what is not well-formed is returned as it is.
    """
    if root is not None:
        return declare(element, {"": ""}) if _inherits_default_namespace(root) else element
    name, end = _START_NAME.match(element), _TO_END_OF_TAG.match(element)
    if name is None or end is None or b"xmlns" in attribute_names(element[name.end() : end.end()]):
        return element
    if not has_tag_without_prefix(element):
        return element
    try:
        return to_splice(element, parse(element))
    except Unusable:
        return element


def _inherits_default_namespace(root: etree._Element) -> bool:
    """Whether an element without prefix is in the scope of no declaration of a default namespace, `xmlns=""` included."""
    return any(None not in each.nsmap for each in root.iter("{}*"))


def oversized(size: int) -> Reason:
    """Return the reason why a document of `size` bytes, which is over the limit, is refused."""
    return Reason(ReasonCode.TOO_LARGE, {"bytes": size, "limit": MAX_RECORD_BYTES})


def has_doctype(text: bytes) -> bool:
    """Whether there is a DOCTYPE before the root element."""
    return DOCTYPE.match(text, start_of_root(text)) is not None


def to_utf8(document: bytes) -> bytes:
    """Return the document in UTF-8 without byte-order mark and XML declaration.

    Raises Unusable if the bytes are not of the declared encoding, or it is unknown.

    A byte-order mark decides against the declaration, as in libxml2.
    """
    encoding = encoding_of(document)
    document = document.removeprefix(codecs.BOM_UTF8)
    try:
        text = document.decode(encoding)  # raises LookupError for Python's codecs that make no text
    except LookupError as exc:
        raise Unusable(Reason(ReasonCode.UNKNOWN_ENCODING, {"encoding": encoding})) from exc
    except UnicodeDecodeError as exc:
        facts = {"encoding": encoding.upper(), "byte": document[exc.start], "position": exc.start}
        raise Unusable(Reason(ReasonCode.WRONG_ENCODING, facts)) from exc
    try:
        # What could be decoded from UTF-8 need not be encoded again.
        utf8 = document if encoding == "utf-8" else text.removeprefix("\ufeff").encode()
    except UnicodeEncodeError as exc:
        raise Unusable(Reason(ReasonCode.HALF_SURROGATE)) from exc
    declaration = _DECLARATION.match(utf8)  # only there: `<?xml` in a CDATA section is text of the record
    return utf8[declaration.end() :] if declaration else utf8


def encoding_of(document: bytes) -> str:
    """Return the encoding of a document with this beginning; `utf-8` however that is written. Raises Unusable."""
    if document.startswith(codecs.BOM_UTF8):
        return "utf-8"
    if document.startswith(_UTF16_MARKS):
        return "utf-16"
    if document.startswith((b"<\x00", b"\x00<")):
        return "utf-16-le" if document.startswith(b"<") else "utf-16-be"
    declaration = _DECLARATION.match(document)
    declared = _ENCODING.search(declaration.group()) if declaration else None
    encoding = declared.group(1).decode("ascii").lower() if declared else "utf-8"
    try:
        codec = codecs.lookup(encoding).name
        if codec in _NO_ENCODINGS_OF_FILES:
            raise LookupError
    except LookupError as exc:
        raise Unusable(Reason(ReasonCode.UNKNOWN_ENCODING, {"encoding": encoding})) from exc
    return codec if codec == "utf-8" else encoding


def _end_of_root(text: bytes) -> int:
    """Return where the root ends in a document that has something after it. Raises Unusable if that is not legal."""
    check_complexity(text)  # expat calls Python for each tag
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
            index = parser.CurrentByteIndex  # where the end tag begins; past a tag that is both start and end
            ends.append(text.index(b">", index) + 1 if text.startswith(b"</", index) else index)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(text, True)
    except expat.ExpatError as exc:
        facts = {"error": expat.ErrorString(exc.code), "line": exc.lineno}
        raise Unusable(Reason(ReasonCode.NOT_WELL_FORMED, facts)) from exc
    return ends[0]


def parse(element: bytes) -> etree._Element:
    """Parse a root element, dropping comments and white space between elements. Raises Unusable."""
    check_complexity(element)
    try:
        return etree.fromstring(shorten_blanks(element), parsers.strict)
    except etree.XMLSyntaxError as exc:
        raise Unusable(Reason(ReasonCode.NOT_WELL_FORMED, {"error": exc.msg})) from exc


def digest_of(root: etree._Element) -> bytes:
    """Return the SHA-256 of the exclusive canonical XML of a tree from `parse`.

    `parse` has dropped comments and white space between elements, so order of attributes, indentation and encoding do
    not count (promise 3).
    """
    try:
        canonical = etree.tostring(root, method="c14n", exclusive=True, with_comments=False)
    except etree.C14NError:
        # Canonical XML 1.0 refuses a namespace that is a relative URI; 2.0 accepts it, and is far slower.
        canonical = str(etree.canonicalize(root, with_comments=False)).encode()
    return hashlib.sha256(canonical).digest()


def shorten_blanks(text: bytes) -> bytes:
    """Replace long white space between tags by one blank.

    For speed only every twentieth byte is looked at, for ten blanks in a row.
    """
    sampled = text[::_STRIDE].translate(_BLANKS_ALIKE)
    at = sampled.find(_LONG_BLANK_SAMPLED)
    while at >= 0:
        up_to_last_text = text[at * _STRIDE : (at + len(_LONG_BLANK_SAMPLED) - 1) * _STRIDE].rstrip()
        if not up_to_last_text:
            return _LONG_BLANK.sub(b"> <", text)
        at += -(-len(up_to_last_text) // _STRIDE)  # the next sample behind it: a run of blanks has no text in it
        at = sampled.find(_LONG_BLANK_SAMPLED, at)
    return text


class _Parsers(threading.local):
    """A parser for each thread, because creating one takes a quarter of the time of parsing a record."""

    def __init__(self) -> None:
        # For all documents from outside: no network, no DTD, no entities, libxml2's own limits, no recovery.
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
