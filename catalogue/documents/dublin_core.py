"""Crosswalk from ISO 19139 to Dublin Core (P61, P67), by the XSLT 1.0 stylesheet in `crosswalks/`. Pure lxml.

It never fails (P61, P66): a record that the stylesheet cannot transform is given as identifier and title, and the error is
logged. The same elements go out as `oai_dc:dc`, and as `srw_dc:dc`, which SRU has.
"""

import functools
import logging
from pathlib import Path

from lxml import etree

from catalogue import oai

logger = logging.getLogger(__name__)

DC_NS = "http://purl.org/dc/elements/1.1/"
SRW_DC_NS = "info:srw/schema/1/dc-schema"
REVISION = "1"  # raise it when this module changes what the same stylesheet gives
_STYLESHEET = Path(__file__).with_name("crosswalks") / "iso19139-oai_dc.xsl"
_NOTHING = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]  # missing in lxml-stubs
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_TITLE = etree.XPath(
    "normalize-space(*[local-name()='identificationInfo']/*/*[local-name()='citation']/*/*[local-name()='title']/*[1])"
)


def to_oai_dc(payload: bytes, identifier: str) -> bytes:
    """Transform a record to `oai_dc:dc`, with its own namespace declarations (P48) and without an XML declaration."""
    return _bytes(_oai_dc(payload, identifier))


def to_srw_dc(payload: bytes, identifier: str) -> bytes:
    """Transform a record to `srw_dc:dc`, the Dublin Core of SRU (info:srw/schema/1/dc-v1.1), as `to_oai_dc` does."""
    root: etree._Element = etree.Element(f"{{{SRW_DC_NS}}}dc", nsmap={"srw_dc": SRW_DC_NS, "dc": DC_NS})
    root.extend(list(_oai_dc(payload, identifier)))
    etree.cleanup_namespaces(root, keep_ns_prefixes=["dc"])
    return _bytes(root)


def _oai_dc(payload: bytes, identifier: str) -> etree._Element:
    try:
        root = etree.fromstring(payload, _parser())
    except etree.XMLSyntaxError:
        logger.exception("payload cannot be parsed", extra={"identifier": identifier})
        return _fallback(identifier, "")
    try:
        element = _transform()(root, identifier=etree.XSLT.strparam(identifier)).getroot()
    except (etree.LxmlError, ValueError):
        logger.exception("crosswalk to oai_dc failed", extra={"identifier": identifier})
        return _fallback(identifier, str(_TITLE(root)))
    return _tidy(element)


def source(stylesheet: Path = _STYLESHEET) -> bytes:
    """Return what the content of the records depends on: when it changes, the datestamps of the format rise (P93)."""
    return REVISION.encode() + etree.tostring(etree.parse(stylesheet, _parser()), method="c14n", with_comments=False)


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, recover=False)


@functools.cache
def _transform() -> etree.XSLT:
    """Compile the stylesheet, once; it may access nothing but the tree it is given."""
    return etree.XSLT(etree.parse(_STYLESHEET, _parser()), access_control=_NOTHING)


def _tidy(root: etree._Element) -> etree._Element:
    """Remove empty elements and duplicates."""
    seen = set()
    for child in list(root):
        value = (child.tag, child.get(_XML_LANG), child.text)
        if not child.text or value in seen:
            root.remove(child)
        seen.add(value)
    return root


def _fallback(identifier: str, title: str) -> etree._Element:
    """P66: make identifier and title; the identifier is the title where there is none."""
    nsmap = {"oai_dc": oai.OAI_DC_NS, "dc": DC_NS, "xsi": oai.XSI_NS}
    root: etree._Element = etree.Element(f"{{{oai.OAI_DC_NS}}}dc", nsmap=nsmap)
    root.set(f"{{{oai.XSI_NS}}}schemaLocation", f"{oai.OAI_DC_NS} {oai.OAI_DC_SCHEMA}")
    etree.SubElement(root, f"{{{DC_NS}}}title").text = title or identifier
    etree.SubElement(root, f"{{{DC_NS}}}identifier").text = identifier
    return root


def _bytes(root: etree._Element) -> bytes:
    return etree.tostring(root, encoding="UTF-8", xml_declaration=False)
