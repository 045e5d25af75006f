"""Canonical XML, to compare records by."""

from lxml import etree


def canonical_form(element: etree._Element) -> bytes:
    """Return exclusive canonical XML, without comments and tail.

    Canonical XML 1.0 refuses namespaces that are relative URIs, which real records have; 2.0 takes them, and ten times as long.
    """
    try:
        return etree.tostring(element, method="c14n", exclusive=True, with_comments=False, with_tail=False)
    except etree.C14NError:
        text = etree.tostring(element, with_tail=False, encoding="unicode")
        return str(etree.canonicalize(text, with_comments=False)).encode()
