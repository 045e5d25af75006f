"""What stands in the `metadata` elements of a page, cut out byte for byte. No Django, no network.

The page has been parsed strictly, so a `<` begins markup, and a tag can hide only in comments, CDATA sections and
processing instructions. With these blanked out there are as many start tags called `metadata` as elements. If these
are all of the records, the n-th tag is the n-th record's: the bytes kept are those of the element that was checked.
"""

import re
from collections.abc import Sequence

from lxml import etree

from catalogue import metadata

_HIDING = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
_NAME = re.compile(rb"<[^\s/>]+")
_ATTRIBUTES = re.compile(rb"""\s([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')""")
_TO_END_OF_TAG = re.compile(rb"""(?:[^"'>]|"[^"]*"|'[^']*')*>""")
_AFTER_NAME = b" \t\r\n/>"

Container = etree._Element  # a `metadata` element
Root = etree._Element  # what stands in it


def root_in(container: Container) -> Root | None:
    """What stands in a `metadata` element: its ISO 19139 record, else its first element (fault catalogue 66)."""
    return next(container.iterchildren(*metadata._ROOTS), next(container.iterchildren("*"), None))


def payloads(text: bytes, containers: Sequence[Container], roots: Sequence[Root | None]) -> list[bytes | None]:
    """The root element in each container, with the namespaces that the page declares around it; None where is none.

    `text` is what the page was parsed from, in UTF-8; `containers` are in its order. Where places cannot be told
    (a record that itself holds a `metadata` of that name), the tree is written out instead: the same canonical XML.
    """
    visible = _without_what_hides_tags(text)
    places = _places(visible, containers)
    found: list[bytes | None] = []
    for place, container, root in zip(places, containers, roots, strict=True):
        if root is None:
            found.append(None)
        elif place is None or (element := _only_element(text, visible, place, container)) is None:
            found.append(etree.tostring(root, encoding="utf-8", with_tail=False))
        else:
            found.append(_standing_alone(element, root, container))
    return found


def _without_what_hides_tags(text: bytes) -> bytes:
    """The text with blanks in place of comments, CDATA sections and processing instructions."""
    if b"!--" not in text and b"<![" not in text and b"?>" not in text:
        return text
    return _HIDING.sub(lambda match: b" " * len(match.group()), text)


def _places(visible: bytes, containers: Sequence[Container]) -> Sequence[tuple[int, int] | None]:
    """Where the content of each container begins and ends."""
    names = {_qualified(container) for container in containers}
    if len(names) != 1:
        return [None] * len(containers)
    name = names.pop()
    contents = [_end_of_tag(visible, start) for start in _tags(visible, b"<" + name)]
    if len(contents) != len(containers):
        return [None] * len(containers)
    ends = iter(_tags(visible, b"</" + name))
    return [(at, at) if visible[at - 2 : at] == b"/>" else (at, next(ends)) for at in contents]


def _qualified(element: etree._Element) -> bytes:
    local = etree.QName(element).localname
    return (f"{element.prefix}:{local}" if element.prefix else local).encode()


def _tags(visible: bytes, beginning: bytes) -> list[int]:
    """Where all tags that begin so are."""
    found = []
    at = visible.find(beginning)
    while at >= 0:
        if visible[at + len(beginning)] in _AFTER_NAME:
            found.append(at)
        at = visible.find(beginning, at + 1)
    return found


def _end_of_tag(visible: bytes, start: int) -> int:
    match = _TO_END_OF_TAG.match(visible, start)
    assert match is not None  # it was parsed
    return match.end()


def _only_element(text: bytes, visible: bytes, place: tuple[int, int], container: Container) -> bytes | None:
    """The element from its start tag to its end tag, if nothing but blanks and comments stand around it."""
    around = visible[slice(*place)]
    begins = place[0] + len(around) - len(around.lstrip())
    ends = place[0] + len(around.rstrip())
    alone = len(container) == 1 and visible[begins : begins + 1] == b"<" and visible[ends - 1 : ends] == b">"
    return text[begins:ends] if alone else None


def _standing_alone(element: bytes, root: Root, container: Container) -> bytes:
    """The element with those declarations of the envelope that it uses, so that it stands by itself."""
    name = _NAME.match(element)
    assert name is not None  # it was parsed
    declared = {found.group(1) for found in _ATTRIBUTES.finditer(element, name.end(), _end_of_tag(element, 0))}
    added = b""
    for prefix, uri in container.nsmap.items():
        attribute = b"xmlns:" + prefix.encode() if prefix else b"xmlns"
        if attribute in declared:
            continue
        if (prefix.encode() + b":" in element) if prefix else _uses_default(root, uri):
            added += b" " + attribute + b'="' + uri.encode().replace(b"&", b"&amp;").replace(b'"', b"&quot;") + b'"'
    return element[: name.end()] + added + element[name.end() :] if added else element


def _uses_default(root: Root, uri: str) -> bool:
    """Whether an element without prefix is in the default namespace of the envelope."""
    return any(element.prefix is None for element in root.iter(f"{{{uri}}}*"))
