"""What stands in the `metadata` elements of a page, cut out byte for byte. No Django, no network.

The page has been parsed strictly, so a `<` begins markup, and what looks like a tag is none only in comments, CDATA
sections and processing instructions. Every element has its tag, so where there are as many that look like tags called
`metadata` as records that have one, the n-th is the n-th record's: the bytes kept are those of the element that was
checked. Where there are more, the three are blanked out first.
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
    return next(container.iterchildren(*metadata.ROOTS), next(container.iterchildren("*"), None))


def payloads(text: bytes, containers: Sequence[Container], roots: Sequence[Root | None]) -> list[bytes | None]:
    """The root element in each container, with the namespaces that the page declares around it; None where is none.

    `text` is what the page was parsed from, in UTF-8; `containers` are in its order. Where places cannot be told
    (a record that itself holds a `metadata` of that name), the tree is written out instead: the same canonical XML.
    """
    places = _places(text, containers) or _places(_without_what_hides_tags(text), containers)
    found: list[bytes | None] = []
    for number, (container, root) in enumerate(zip(containers, roots, strict=True)):
        if root is None:
            found.append(None)
        elif places is None or (element := _only_element(text, places[number], container, root)) is None:
            found.append(etree.tostring(root, encoding="utf-8", with_tail=False))
        else:
            found.append(_standing_alone(element, root, container))
    return found


def _without_what_hides_tags(text: bytes) -> bytes:
    return _HIDING.sub(lambda match: b" " * len(match.group()), text)


def _places(visible: bytes, containers: Sequence[Container]) -> list[tuple[int, int]] | None:
    """Where the content of each container begins and ends; None where that cannot be told."""
    names = {_qualified(container) for container in containers}
    if len(names) != 1:
        return None
    name = names.pop()
    starts = _tags(visible, b"<" + name)
    if len(starts) != len(containers):
        return None
    contents = [_end_of_tag(visible, start) for start in starts]
    ends = _tags(visible, b"</" + name)
    whole = [visible[at - 2 : at] != b"/>" for at in contents]
    if len(ends) != sum(whole):
        return None
    following = iter(ends)
    return [(at, next(following) if has_end else at) for at, has_end in zip(contents, whole, strict=True)]


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


def _only_element(text: bytes, place: tuple[int, int], container: Container, root: Root) -> bytes | None:
    """The element from its start tag to its end tag, if nothing but blanks stands around it."""
    element = text[slice(*place)].strip()
    name = _qualified(root)
    begins = element.startswith(b"<" + name) and element[len(name) + 1] in _AFTER_NAME
    end_tag = element[element.rfind(b"<") :]
    ends = end_tag[2:-1].rstrip() == name and end_tag.startswith(b"</")
    return element if len(container) == 1 and begins and ends else None


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
        if _uses(element, prefix.encode()) if prefix else _uses_default(root, uri):
            added += b" " + attribute + b'="' + uri.encode().replace(b"&", b"&amp;").replace(b'"', b"&quot;") + b'"'
    return element[: name.end()] + added + element[name.end() :] if added else element


def _uses(element: bytes, prefix: bytes) -> bool:
    """Whether `prefix:` stands in the element, and not as the end of a longer one: `o:` is none of `gco:`."""
    return (
        prefix + b":" in element
        and re.search(rb"(?<![\w.\-\x80-\xff])" + re.escape(prefix) + b":", element) is not None
    )


def _uses_default(root: Root, uri: str) -> bool:
    """Whether an element without prefix is in the default namespace of the envelope."""
    return any(element.prefix is None for element in root.iter(f"{{{uri}}}*"))
