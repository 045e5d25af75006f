"""Answers of OAI-PMH for people: `/oai/browse` gives them as HTML, made by a stylesheet that browsers may also apply.

A person who opens `/oai` in a browser is redirected to `/oai/browse` (302, never 301: P1). A browser that sends no
Sec-Fetch headers gets XML that names the stylesheet (P51); newer browsers send them, and are removing XSLT. Both are
recognised by headers that browsers send when a person opens a page, and harvesters never send.
"""

import functools
from collections.abc import Sequence
from pathlib import Path

from django.http import HttpRequest
from django.templatetags.static import static
from lxml import etree

from oaiprovider.protocol import compression
from oaiprovider.protocol.compression import Piece

_STYLESHEET = Path(__file__).parent / "static" / "oaiprovider" / "oai.xsl"
_NOTHING = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]  # missing in lxml-stubs
_DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'


def wants_page(request: HttpRequest) -> bool:
    """Whether a person has opened this address in a browser; not by a link on our own pages, which leads to the XML."""
    sent = (request.META.get(f"HTTP_SEC_FETCH_{name}") for name in ("DEST", "MODE"))
    return tuple(sent) == ("document", "navigate") and request.META.get("HTTP_SEC_FETCH_SITE") != "same-origin"


def wants_stylesheet(request: HttpRequest) -> bool:
    """Whether this is a browser that accepts XHTML but sends no Sec-Fetch headers, as over plain HTTP."""
    return "application/xhtml+xml" in request.META.get("HTTP_ACCEPT", "") and "HTTP_SEC_FETCH_DEST" not in request.META


def styled(document: Sequence[bytes | Piece]) -> list[bytes]:
    """Add the processing instruction that names the stylesheet, after the XML declaration (P51)."""
    instruction = f'<?xml-stylesheet type="text/xsl" href="{static("oaiprovider/oai.xsl")}"?>\n'
    whole = compression.encode(document, compression.IDENTITY)
    return [_DECLARATION, instruction.encode(), whole.removeprefix(_DECLARATION)]


def page(document: bytes, *, xml: str) -> bytes:
    """Transform the document to HTML; `xml` is the address of the same answer as XML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    return b"<!DOCTYPE html>\n" + bytes(_transform()(etree.fromstring(document, parser), xml=etree.XSLT.strparam(xml)))


@functools.cache
def _transform() -> etree.XSLT:
    """Compile the stylesheet, once; it may access nothing but the tree it is given."""
    return etree.XSLT(etree.parse(_STYLESHEET), access_control=_NOTHING)
