"""Answers of OAI-PMH for people: `/oai/browse` gives them as HTML, by the stylesheet that browsers may apply themselves.

Who types the address of `/oai` into a browser is led to `/oai/browse` (302, never 301: P1). A browser that does not
say what it fetches for gets the XML with the stylesheet named in it (P51); the others are giving XSLT up, and warn.
Both go by headers that browsers send when a person opens a page, and harvesters never.
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
    """Whether a person has opened this address, and not by a link of our own pages, which says: show me the XML."""
    asked = (request.META.get(f"HTTP_SEC_FETCH_{name}") for name in ("DEST", "MODE"))
    return tuple(asked) == ("document", "navigate") and request.META.get("HTTP_SEC_FETCH_SITE") != "same-origin"


def wants_stylesheet(request: HttpRequest) -> bool:
    """Whether this is a browser that tells no more than that it reads XHTML, as it does over plain HTTP."""
    return "application/xhtml+xml" in request.META.get("HTTP_ACCEPT", "") and "HTTP_SEC_FETCH_DEST" not in request.META


def styled(document: Sequence[bytes | Piece]) -> list[bytes]:
    """The document with the instruction that names the stylesheet, behind the XML declaration (P51)."""
    instruction = f'<?xml-stylesheet type="text/xsl" href="{static("oaiprovider/oai.xsl")}"?>\n'
    whole = compression.encode(document, compression.IDENTITY)
    return [_DECLARATION, instruction.encode(), whole.removeprefix(_DECLARATION)]


def page(document: bytes, *, xml: str) -> bytes:
    """The document as HTML; `xml` is the address of the same as XML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    return b"<!DOCTYPE html>\n" + bytes(_transform()(etree.fromstring(document, parser), xml=etree.XSLT.strparam(xml)))


@functools.cache
def _transform() -> etree.XSLT:
    """The stylesheet, compiled once; it may read and write nothing but the tree it is given."""
    return etree.XSLT(etree.parse(_STYLESHEET), access_control=_NOTHING)
