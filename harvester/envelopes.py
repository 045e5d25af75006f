"""The envelope of an answer: bytes to a tree that is OAI-PMH, parsed strictly, or the reason why it is not one.

lxml only: no Django, no network.
"""

import codecs
import re

from lxml import etree

from catalogue import metadata, oai
from harvester import legacy
from harvester.errors import BrokenReply, Refused

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
    except metadata.Unusable as exc:
        raise BrokenReply(f"the answer {exc}") from exc


def of(text: bytes) -> tuple[etree._Element, bytes]:
    """As `read`, of an answer that is UTF-8 already."""
    if not text.strip():
        raise BrokenReply("the answer is empty")
    if metadata.has_doctype(text):
        raise BrokenReply(f"the answer has a DOCTYPE, which no OAI-PMH answer has; it begins {_beginning(text)}")
    try:
        root = etree.fromstring(_without_long_blanks(text), metadata.parsers.strict)
    except etree.XMLSyntaxError as exc:
        raise BrokenReply(f"the answer is not well-formed XML: {exc.msg}; it begins {_beginning(text)}") from exc
    if root.getroottree().docinfo.internalDTD is not None:
        raise BrokenReply("the answer has a DOCTYPE, which no OAI-PMH answer has")
    if legacy.is_legacy(root):
        return legacy.modern(root), b""
    if root.tag == _STATIC_REPOSITORY:  # H47
        raise Refused("this is a static repository, one file; harvest the base URL of the gateway that serves it")
    if root.tag != f"{_OAI}OAI-PMH":
        raise BrokenReply(f"the answer is not OAI-PMH 2.0; it begins {_beginning(text)}")
    return root, text


_ENCODING = re.compile(rb"""\A<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']*)["'][^>]*\?>""")
_DECLARATION = re.compile(rb"\A<\?xml\s[^>]*?\?>")


def _without_long_blanks(text: bytes) -> bytes:
    """As `metadata.parse` has it, for a whole page: looked for only where one byte of twenty shows ten blanks in a row."""
    step = metadata.STRIDE
    sampled, run = text[::step].translate(metadata.BLANKS_ALIKE), metadata.LONG_BLANK_SAMPLED
    at = sampled.find(run)
    while at >= 0:
        if not text[at * step : (at + len(run) - 1) * step].strip():
            return metadata.LONG_BLANK.sub(b"> <", text)
        at = sampled.find(run, at + 1)
    return text


def _utf8(body: bytes, charset: str) -> bytes:
    """The answer in UTF-8 without byte-order mark and declaration. That UTF-8 is UTF-8, the parser checks."""
    marked = body.removeprefix(codecs.BOM_UTF8)
    declared = _ENCODING.match(marked)
    if declared is not None and declared.group(1).lower() not in (b"utf-8", b"utf8"):
        return metadata.to_utf8(body)
    if b"\0" in marked[:4] or marked[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return metadata.to_utf8(body)
    if declared is None and marked is body and charset and charset.lower() not in ("utf-8", "utf8"):
        try:
            body.decode()
        except UnicodeDecodeError:
            return metadata.to_utf8(b'<?xml version="1.0" encoding="%s"?>' % charset.encode("ascii", "replace") + body)
    return _DECLARATION.sub(b"", marked, count=1)


def _beginning(text: bytes) -> str:
    return repr(text[:200].decode(errors="replace"))
