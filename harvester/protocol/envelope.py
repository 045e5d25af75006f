"""Parse the bytes of an answer strictly into an OAI-PMH 2.0 tree, or raise why it is none.

lxml only: no Django, no network.

Answers of OAI-PMH 1.0 and 1.1 are converted into the tree of a 2.0 answer (H45). In 1.x the root is the verb, in a
namespace of its own for each verb; the status is on the record; a list of identifiers has no headers; errors are HTTP
400, an empty result is an empty list; dates are days.
"""

import codecs
import re

from lxml import etree

from catalogue import oai
from catalogue.documents import complexity, xml_tree
from harvester.errors import BrokenReply, FaultCode, RefusedByProvider, TooLarge

_OAI = f"{{{oai.OAI_NS}}}"
_STATIC_REPOSITORY = "{http://www.openarchives.org/OAI/2.0/static-repository}Repository"


def parse(body: bytes, charset: str = "") -> tuple[etree._Element, bytes]:
    """Return the root of the answer, an `OAI-PMH` element, and the UTF-8 that it was parsed from.

    `charset` is that of the HTTP header; it counts only for a body that declares none and is not UTF-8. Raises
    BrokenReply and RefusedByProvider.
    """
    return parse_text(decode(body, charset))


def decode(body: bytes, charset: str) -> bytes:
    """Return the answer in UTF-8 without byte-order mark and declaration; the parser checks that it is valid.

    Raises BrokenReply.
    """
    without_bom = body.removeprefix(codecs.BOM_UTF8)
    declared = _ENCODING.match(without_bom)
    if declared is not None and declared.group(1).lower() not in (b"utf-8", b"utf8"):
        return _convert(body)
    if b"\0" in without_bom[:4] or without_bom[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return _convert(body)
    if declared is None and without_bom is body and charset and charset.lower() not in ("utf-8", "utf8"):
        try:
            body.decode()
        except UnicodeDecodeError:
            return _convert(b'<?xml version="1.0" encoding="%s"?>' % charset.encode("ascii", "replace") + body)
    declaration = _DECLARATION.match(without_bom)
    return without_bom[declaration.end() :] if declaration else without_bom


def _convert(body: bytes) -> bytes:
    """Convert an answer from the encoding that it declares."""
    try:
        return xml_tree.to_utf8(body)
    except xml_tree.Unusable as exc:
        raise BrokenReply(FaultCode.ENCODING_UNREADABLE, {"detail": str(exc)}) from exc


def parse_text(text: bytes) -> tuple[etree._Element, bytes]:
    """As `parse`, of an answer that is UTF-8 already. Raises TooLarge, too, for one that would cost too much."""
    if not text.strip():
        raise BrokenReply(FaultCode.ANSWER_EMPTY)
    root_at = xml_tree.start_of_root(text)
    if xml_tree.DOCTYPE.match(text, root_at):
        raise BrokenReply(FaultCode.DOCTYPE, {"beginning": _beginning(text)})
    shortened = xml_tree.shorten_blanks(text)
    excess = complexity.excess_of_answer(text, root_at)
    if excess is not None:
        raise too_complex(excess)
    try:
        root = etree.fromstring(shortened, xml_tree.parsers.strict)
    except etree.XMLSyntaxError as exc:
        facts = {"detail": str(exc.msg), "beginning": _beginning(text)}
        raise BrokenReply(FaultCode.NOT_WELL_FORMED, facts) from exc
    limit = complexity.LIMITS.in_force.page_entries
    if len(root) > limit:
        raise too_complex(complexity.Excess("entries", len(root), limit))
    if root.getroottree().docinfo.internalDTD is not None:
        raise BrokenReply(FaultCode.DOCTYPE)
    if root.tag == f"{_OAI}OAI-PMH":
        return root, text
    if is_legacy(root):
        return as_oai_pmh_2(root), b""
    if root.tag == _STATIC_REPOSITORY:  # H47
        raise RefusedByProvider(FaultCode.STATIC_REPOSITORY)
    raise BrokenReply(FaultCode.NOT_OAI_PMH, {"beginning": _beginning(text)})


def too_complex(excess: complexity.Excess) -> TooLarge:
    """Return the error for an answer that has too much of something to be parsed as a whole."""
    return TooLarge(FaultCode.ANSWER_TOO_COMPLEX, excess.facts())


_ENCODING = re.compile(rb"""<\?xml\s[^>]{0,1000}?\sencoding\s*=\s*["']([^"'>]{0,100})["'][^>]{0,1000}\?>""")
_DECLARATION = re.compile(rb"<\?xml\s[^>]{0,2000}?\?>")


def _beginning(text: bytes) -> str:
    return text[:200].decode(errors="replace")


# --- OAI-PMH 1.0 and 1.1 ----------------------------------------------------------------------------

_LEGACY_ROOT = re.compile(r"\{(http://www\.openarchives\.org/OAI/1\.[01]/OAI_\w+)\}\w+")
LEGACY_OVERLAP_DAYS = 2  # H45: these providers change days behind the clock


def is_legacy(root: etree._Element) -> bool:
    """Whether this is the root of an answer of OAI-PMH 1.0 or 1.1."""
    return _LEGACY_ROOT.fullmatch(str(root.tag)) is not None


def as_oai_pmh_2(root: etree._Element) -> etree._Element:
    """Convert the answer of a legacy provider into the tree of a 2.0 answer."""
    match = _LEGACY_ROOT.fullmatch(str(root.tag))
    assert match is not None
    for legacy in list(root.iter(f"{{{match.group(1)}}}*")):
        legacy.tag = _OAI + etree.QName(legacy).localname
    answer = etree.Element(f"{_OAI}OAI-PMH")
    for name in ("responseDate", "requestURL"):
        element = root.find(f"{_OAI}{name}")
        if element is not None:
            answer.append(element)
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
