"""The envelope of an answer: bytes to a tree that is OAI-PMH, parsed strictly, or the reason why it is not one.

lxml only: no Django, no network.

Answers of OAI-PMH 1.0 and 1.1 turned into what 2.0 would say (H45). lxml only.

What differs: the root is the verb, in a namespace of its own for each verb; the status stands on the record; a
list of identifiers is bare; errors are HTTP 400, and nothing found is an empty list; dates are days.
"""

import codecs
import re

from lxml import etree

from catalogue import oai
from catalogue.documents import xml_tree
from harvester.errors import BrokenReply, RefusedByProvider

_OAI = f"{{{oai.OAI_NS}}}"
_STATIC_REPOSITORY = "{http://www.openarchives.org/OAI/2.0/static-repository}Repository"


def read(body: bytes, charset: str = "") -> tuple[etree._Element, bytes]:
    """The root of the answer, an `OAI-PMH` element, and the UTF-8 that it was parsed from. Raises BrokenReply or Refused.

    `charset`, which the HTTP header names, counts for a body that says nothing itself and is not UTF-8.
    """
    return of(text_of(body, charset))


def text_of(body: bytes, charset: str) -> bytes:
    """The answer in UTF-8, without an XML declaration. Raises BrokenReply."""
    try:
        return _utf8(body, charset)
    except xml_tree.Unusable as exc:
        raise BrokenReply(f"the answer {exc}") from exc


def of(text: bytes) -> tuple[etree._Element, bytes]:
    """As `read`, of an answer that is UTF-8 already."""
    if not text.strip():
        raise BrokenReply("the answer is empty")
    if xml_tree.has_doctype(text):
        raise BrokenReply(f"the answer has a DOCTYPE, which no OAI-PMH answer has; it begins {_beginning(text)}")
    try:
        root = etree.fromstring(_without_long_blanks(text), xml_tree.parsers.strict)
    except etree.XMLSyntaxError as exc:
        raise BrokenReply(f"the answer is not well-formed XML: {exc.msg}; it begins {_beginning(text)}") from exc
    if root.getroottree().docinfo.internalDTD is not None:
        raise BrokenReply("the answer has a DOCTYPE, which no OAI-PMH answer has")
    if is_legacy(root):
        return as_oai_pmh_2(root), b""
    if root.tag == _STATIC_REPOSITORY:  # H47
        raise RefusedByProvider(
            "this is a static repository, one file; harvest the base URL of the gateway that serves it"
        )
    if root.tag != f"{_OAI}OAI-PMH":
        raise BrokenReply(f"the answer is not OAI-PMH 2.0; it begins {_beginning(text)}")
    return root, text


_ENCODING = re.compile(rb"""\A<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']*)["'][^>]*\?>""")
_DECLARATION = re.compile(rb"\A<\?xml\s[^>]*?\?>")


def _without_long_blanks(text: bytes) -> bytes:
    """As `metadata.parse` has it, for a whole page: looked for only where one byte of twenty shows ten blanks in a row."""
    step = xml_tree.STRIDE
    sampled, run = text[::step].translate(xml_tree.BLANKS_ALIKE), xml_tree.LONG_BLANK_SAMPLED
    at = sampled.find(run)
    while at >= 0:
        if not text[at * step : (at + len(run) - 1) * step].strip():
            return xml_tree.LONG_BLANK.sub(b"> <", text)
        at = sampled.find(run, at + 1)
    return text


def _utf8(body: bytes, charset: str) -> bytes:
    """The answer in UTF-8 without byte-order mark and declaration. That UTF-8 is UTF-8, the parser checks."""
    marked = body.removeprefix(codecs.BOM_UTF8)
    declared = _ENCODING.match(marked)
    if declared is not None and declared.group(1).lower() not in (b"utf-8", b"utf8"):
        return xml_tree.to_utf8(body)
    if b"\0" in marked[:4] or marked[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return xml_tree.to_utf8(body)
    if declared is None and marked is body and charset and charset.lower() not in ("utf-8", "utf8"):
        try:
            body.decode()
        except UnicodeDecodeError:
            return xml_tree.to_utf8(b'<?xml version="1.0" encoding="%s"?>' % charset.encode("ascii", "replace") + body)
    return _DECLARATION.sub(b"", marked, count=1)


def _beginning(text: bytes) -> str:
    return repr(text[:200].decode(errors="replace"))


_OAI = f"{{{oai.OAI_NS}}}"
_ROOT = re.compile(r"\{(http://www\.openarchives\.org/OAI/1\.[01]/OAI_\w+)\}\w+")
OVERLAP_DAYS = 2  # H45: these providers change days behind the clock


def is_legacy(root: etree._Element) -> bool:
    """Whether this is the root of an answer of protocol 1.0 or 1.1."""
    return _ROOT.fullmatch(str(root.tag)) is not None


def as_oai_pmh_2(root: etree._Element) -> etree._Element:
    """The answer as an OAI-PMH 2.0 tree."""
    match = _ROOT.fullmatch(str(root.tag))
    assert match is not None
    for element in list(root.iter(f"{{{match.group(1)}}}*")):
        element.tag = _OAI + etree.QName(element).localname
    answer = etree.Element(f"{_OAI}OAI-PMH")
    for name in ("responseDate", "requestURL"):
        told = root.find(f"{_OAI}{name}")
        if told is not None:
            answer.append(told)
    answer.append(root)
    for record in root.iterchildren(f"{_OAI}record"):
        header = record.find(f"{_OAI}header")
        if header is not None and record.get("status") == "deleted":
            header.set("status", "deleted")
    for identifier in list(root.iterchildren(f"{_OAI}identifier")):
        header = etree.SubElement(root, f"{_OAI}header", {"status": identifier.get("status", "")})
        header.append(identifier)
    token = root.find(f"{_OAI}resumptionToken")
    if token is not None:
        root.append(token)
    return answer
