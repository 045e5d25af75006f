"""What stands in the `metadata` elements of a page, or in its abouts, cut out byte for byte. No Django, no network.

The page has been parsed strictly, so a `<` begins markup, and what looks like a tag is none only in comments, CDATA
sections and processing instructions. Every element has its tag, so where there are as many that look like tags called
`metadata` as records that have one, the n-th is the n-th record's: the bytes kept are those of the element that was
checked. Where there are more, the three are blanked out first; where there are more even then, because a record holds a
`metadata` of its own, a parser is asked that tells where in the bytes it is, which takes longer.

The abouts of the records of a page that are no provenance (P126): each container as it came. No Django, no network.
"""

import functools
import re
from collections import Counter
from collections.abc import Sequence
from xml.parsers import expat

from lxml import etree

from catalogue import oai, provenance
from catalogue.documents import iso19139, xml_tree
from harvester.errors import BrokenReply
from harvester.protocol.warnings import ProviderWarning, WarningCode

_HIDING = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
_NAME = re.compile(rb"<[^\s/>]+")
_ATTRIBUTES = re.compile(rb"""\s([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')""")
_TO_END_OF_TAG = re.compile(rb"""(?:[^"'>]|"[^"]*"|'[^']*')*>""")
_AFTER_NAME = b" \t\r\n/>"
_RECORD, _METADATA = (f"{oai.OAI_NS} {name}" for name in ("record", "metadata"))  # as expat writes names

Container = etree._Element  # a `metadata` element, or an `about`
Root = etree._Element  # what stands in it


def root_in(container: Container) -> Root | None:
    """What stands in a `metadata` element: its ISO 19139 record, else its first element (F66)."""
    return next(container.iterchildren(*iso19139.ROOTS), next(container.iterchildren("*"), None))


def payloads(text: bytes, containers: Sequence[Container], roots: Sequence[Root | None]) -> list[bytes | None]:
    """The root element in each container, with the namespaces that the page declares around it; None where is none.

    `text` is what the page was parsed from, in UTF-8; `containers` are in its order. Where places cannot be told (an
    answer in another dialect), the tree is written out instead: the same canonical XML. Raises BrokenReply for
    records in a place where none belongs.
    """
    places = _places(text, containers) or _places(_without_what_hides_tags(text), containers)
    if places is None and text and containers:
        places = _places_by_parser(text, containers)
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


def _places_by_parser(text: bytes, containers: Sequence[Container]) -> list[tuple[int, int]] | None:
    """The same, by expat; None where it does not read what libxml2 has read."""
    parser = expat.ParserCreate("utf-8", " ")
    qualified = etree.QName(containers[0])
    wanted = f"{qualified.namespace} {qualified.localname}"
    found: list[tuple[int, int]] = []
    path: list[str] = []
    begins: tuple[int, int] | None = None  # the content of the metadata at hand, and the depth of it
    has_metadata = False  # the record at hand

    def start(name: str, _attributes: object) -> None:
        nonlocal begins, has_metadata
        if begins is None and name == _RECORD:
            has_metadata = False
        elif begins is None and name == wanted and path[-1:] == [_RECORD] and not has_metadata:
            begins = _end_of_tag(text, parser.CurrentByteIndex), len(path)
            has_metadata = name == _METADATA  # of those only the first counts
        path.append(name)

    def end(_name: str) -> None:
        nonlocal begins
        path.pop()
        if begins is not None and len(path) == begins[1]:
            place = parser.CurrentByteIndex  # where the end tag begins; elsewhere for a tag that is both start and end
            found.append((begins[0], place if text.startswith(b"</", place) else begins[0]))
            begins = None

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(text, True)
    except expat.ExpatError:
        return None
    if len(found) != len(containers):
        raise BrokenReply("the answer has records in places where no record belongs")
    return found


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
    """The element from its start tag to its end tag, if no other element stands beside it."""
    element = text[slice(*place)].strip()
    name = _qualified(root)
    if len(container) == 1 and _is_whole(element, name):
        return element
    if len(list(container.iterchildren("*"))) != 1:
        return None
    try:
        element = xml_tree.root_element(element)  # without comments and processing instructions around it
    except xml_tree.Unusable:
        return None
    return element if _is_whole(element, name) else None


def _is_whole(element: bytes, name: bytes) -> bool:
    if not element.startswith(b"<" + name) or element[len(name) + 1] not in _AFTER_NAME:
        return False
    if element.endswith(b"/>") and _end_of_tag(element, 0) == len(element):
        return True  # an about may hold an empty element
    last_tag = element[element.rfind(b"<") :]
    return last_tag.startswith(b"</") and last_tag[2:-1].rstrip() == name


def _standing_alone(element: bytes, root: Root, container: Container) -> bytes:
    """The element with those declarations of the envelope that it uses, so that it stands by itself."""
    name = _NAME.match(element)
    assert name is not None  # it was parsed
    declared = _attributes(element[name.end() : _end_of_tag(element, 0)])
    added = b""
    for prefix, uri in container.nsmap.items():
        attribute = b"xmlns:" + prefix.encode() if prefix else b"xmlns"
        if attribute in declared:
            continue
        if _uses(element, prefix.encode()) if prefix else _uses_default(root, uri):
            added += b" " + attribute + b'="' + uri.encode().replace(b"&", b"&amp;").replace(b'"', b"&quot;") + b'"'
    return element[: name.end()] + added + element[name.end() :] if added else element


@functools.lru_cache(maxsize=256)  # the records of one centre mostly begin alike
def _attributes(start_tag: bytes) -> frozenset[bytes]:
    """The names of the attributes in a start tag, of what comes after its name."""
    return frozenset(found.group(1) for found in _ATTRIBUTES.finditer(start_tag))


def _uses(element: bytes, prefix: bytes) -> bool:
    """Whether `prefix:` stands in the element, and not as the end of a longer one: `o:` is none of `gco:`."""
    return (
        prefix + b":" in element
        and re.search(rb"(?<![\w.\-\x80-\xff])" + re.escape(prefix) + b":", element) is not None
    )


def _uses_default(root: Root, uri: str) -> bool:
    """Whether an element without prefix is in the default namespace of the envelope."""
    return any(element.prefix is None for element in root.iter(f"{{{uri}}}*"))


_ABOUT = f"{{{oai.OAI_NS}}}about"
_PROVENANCE = f"{{{oai.PROVENANCE_NS}}}provenance"


def other_abouts(
    text: bytes, records: Sequence[etree._Element]
) -> tuple[list[tuple[provenance.About, ...]], tuple[ProviderWarning, ...]]:
    """What each record carries beside its metadata and its provenance, and of how many records something is left out.

    `text` is what the page was parsed from; `records` are in its order.
    """
    holders = [[about for about in record.iterchildren(_ABOUT) if _says_more(about)] for record in records]
    if not any(holders):
        return [()] * len(records), ()
    every = [about for record in records for about in record.iterchildren(_ABOUT)]
    roots = [next(about.iterchildren("*"), None) for about in every]
    cut = dict(zip(every, payloads(text, every, roots), strict=True))
    found: list[tuple[provenance.About, ...]] = []
    left_out: Counter[str] = Counter()
    for abouts in holders:
        kept, reasons = provenance.limit_abouts([one for about in abouts for one in _containers(about, cut[about])])
        found.append(kept)
        left_out.update(set(reasons))
    return found, tuple(
        ProviderWarning(WarningCode.ABOUT, f"An about of a record was left out, {reason}.", count)
        for reason, count in sorted(left_out.items())
    )


def _says_more(about: etree._Element) -> bool:
    return any(child.tag != _PROVENANCE for child in about.iterchildren("*"))


def _containers(about: etree._Element, cut: bytes | None) -> list[provenance.About]:
    """One, as it should be; more of them are taken one by one, written out anew (P48)."""
    children = list(about.iterchildren("*"))
    alone = len(children) == 1
    return [
        provenance.About(
            etree.QName(child).namespace or "",
            cut if alone and cut is not None else etree.tostring(child, encoding="utf-8", with_tail=False),
        )
        for child in children
        if child.tag != _PROVENANCE
    ]
