"""Cut the content of the `metadata` and `about` elements of a page out of its bytes, unchanged. No Django, no network.

The page has been parsed strictly, so every `<` begins markup, and something that looks like a tag is none only in
comments, CDATA sections and processing instructions. If as many tags named `metadata` are found as records have one,
the n-th tag belongs to the n-th record. If there are more, comments, CDATA sections and processing instructions are
blanked out first. If there are still more, because a record has a `metadata` element of its own, expat finds the
positions, which is slower.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from xml.parsers import expat

from lxml import etree

from catalogue import oai, provenance
from catalogue.documents import iso19139, xml_tree
from harvester.errors import BrokenReply, FaultCode
from harvester.protocol.warnings import ProviderWarning, WarningCode

_HIDDEN_MARKUP = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
_AFTER_NAME = b" \t\r\n/>"
_RECORD, _METADATA = (f"{oai.OAI_NS} {name}" for name in ("record", "metadata"))  # as expat writes names

Container = etree._Element  # a `metadata` element, or an `about`
Root = etree._Element  # the element in it


def contents(text: bytes, containers: Sequence[Container]) -> list[tuple[Root, bytes] | tuple[None, None]]:
    """Return the content of each container: its ISO 19139 record, else its first element (F66), if it has one.

    As an element, and as its bytes with the namespaces that the page declares around it. `text` is the UTF-8 that the
    page was parsed from; `containers` are in its order. If positions cannot be found (an answer of OAI-PMH 1.x), the
    tree is serialised instead: the same canonical XML. Raises BrokenReply for records where none belongs.
    """
    spans = _content_spans(text, containers) or _content_spans(_blank_out_hidden_markup(text), containers)
    if spans is None and text and containers:
        spans = _content_spans_by_expat(text, containers)
    found: list[tuple[Root, bytes] | tuple[None, None]] = []
    for index, container in enumerate(containers):
        root = container[0] if len(container) == 1 else None
        if root is None or not isinstance(root.tag, str):
            root = next(container.iterchildren(*iso19139.ROOTS), next(container.iterchildren("*"), None))
        if root is None:
            found.append((None, None))
        elif spans is None or (element := _only_element(text, spans[index], container, root)) is None:
            found.append((root, etree.tostring(root, encoding="utf-8", with_tail=False)))
        else:
            found.append((root, xml_tree.declare_used(element, root, container.nsmap)))
    return found


def _blank_out_hidden_markup(text: bytes) -> bytes:
    return _HIDDEN_MARKUP.sub(lambda match: b" " * len(match.group()), text)


def _content_spans(text: bytes, containers: Sequence[Container]) -> list[tuple[int, int]] | None:
    """Return where the content of each container begins and ends; None if the tags do not show it."""
    names = {_qualified_name(container) for container in containers}
    if len(names) != 1:
        return None
    name = names.pop()
    starts = _tag_positions(text, b"<" + name)
    if len(starts) != len(containers):
        return None
    ends = _tag_positions(text, b"</" + name)
    begins = [xml_tree.end_of_tag(text, start) for start in starts]
    have_end_tags = [text[at - 2 : at] != b"/>" for at in begins]
    if len(ends) != sum(have_end_tags):
        return None
    next_end = iter(ends)
    return [(at, next(next_end) if has_end_tag else at) for at, has_end_tag in zip(begins, have_end_tags, strict=True)]


def _content_spans_by_expat(text: bytes, containers: Sequence[Container]) -> list[tuple[int, int]] | None:
    """As `_content_spans`, by a parser; None if expat refuses what libxml2 has parsed."""
    parser = expat.ParserCreate("utf-8", " ")
    qualified = etree.QName(containers[0])
    wanted = f"{qualified.namespace} {qualified.localname}"
    found: list[tuple[int, int]] = []
    path: list[str] = []
    content: tuple[int, int] | None = None  # where the content of the open container begins, and its depth
    has_metadata = False  # of the open record

    def start(name: str, _attributes: object) -> None:
        nonlocal content, has_metadata
        if content is None and name == _RECORD:
            has_metadata = False
        elif content is None and name == wanted and path[-1:] == [_RECORD] and not has_metadata:
            content = xml_tree.end_of_tag(text, parser.CurrentByteIndex), len(path)
            has_metadata = name == _METADATA  # only the first of a record counts
        path.append(name)

    def end(_name: str) -> None:
        nonlocal content
        path.pop()
        if content is not None and len(path) == content[1]:
            at = parser.CurrentByteIndex  # where the end tag begins; elsewhere for an empty-element tag
            found.append((content[0], at if text.startswith(b"</", at) else content[0]))
            content = None

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(text, True)
    except expat.ExpatError:
        return None
    if len(found) != len(containers):
        raise BrokenReply(FaultCode.RECORDS_MISPLACED)
    return found


def _qualified_name(element: etree._Element) -> bytes:
    local, prefix = element.tag.rpartition("}")[2], element.prefix
    return (f"{prefix}:{local}" if prefix else local).encode()


def _tag_positions(text: bytes, beginning: bytes) -> list[int]:
    """Return where the tags begin whose start, up to the end of the name, is `beginning`."""
    found = []
    at = text.find(beginning)
    while at >= 0:
        if text[at + len(beginning)] in _AFTER_NAME:
            found.append(at)
        at = text.find(beginning, at + 1)
    return found


def _only_element(text: bytes, span: tuple[int, int], container: Container, root: Root) -> bytes | None:
    """Return the element in a span from its start tag to its end tag; None if there is another element beside it."""
    element = text[slice(*span)].strip()
    name = _qualified_name(root)
    if len(container) == 1 and _is_whole(element, name):
        return element
    if len(list(islice(container.iterchildren("*"), 2))) != 1:
        return None
    try:
        element = xml_tree.root_element(element)  # without comments and processing instructions around it
    except xml_tree.Unusable:
        return None
    return element if _is_whole(element, name) else None


def _is_whole(element: bytes, name: bytes) -> bool:
    if not element.startswith(b"<" + name) or element[len(name) + 1] not in _AFTER_NAME:
        return False
    if element.endswith(b"/>") and xml_tree.end_of_tag(element, 0) == len(element):
        return True  # an about may hold an empty element
    last_tag = element[element.rfind(b"<") :]
    return last_tag.startswith(b"</") and last_tag[2:-1].rstrip() == name


# --- Abouts -----------------------------------------------------------------------------------------

MAX_ABOUTS_OF_PAGE = 20_000  # chosen: each costs as much as a small record
_ABOUT = f"{{{oai.OAI_NS}}}about"
_PROVENANCE = f"{{{oai.PROVENANCE_NS}}}provenance"


def other_abouts(
    text: bytes, records: Sequence[etree._Element]
) -> tuple[list[tuple[provenance.About, ...]], tuple[ProviderWarning, ...]]:
    """Return the abouts of each record that are no provenance (P126), and warnings of those that were left out.

    `text` is the UTF-8 that the page was parsed from; `records` are in its order.
    """
    abouts_by_record = [
        [about for about in record.iterchildren(_ABOUT) if _has_more_than_provenance(about)] for record in records
    ]
    if not any(abouts_by_record):
        return [()] * len(records), ()
    all_abouts = [about for record in records for about in record.iterchildren(_ABOUT)]
    if len(all_abouts) > MAX_ABOUTS_OF_PAGE:
        facts = {"reason": str(provenance.AboutFault.TOO_MANY), "limit": MAX_ABOUTS_OF_PAGE}
        return [()] * len(records), (ProviderWarning(WarningCode.ABOUT, facts, len(all_abouts)),)
    content_of = dict(zip(all_abouts, contents(text, all_abouts), strict=True))
    found: list[tuple[provenance.About, ...]] = []
    left_out: Counter[provenance.AboutFault] = Counter()
    for abouts in abouts_by_record:
        bounded, reasons = provenance.limit_abouts(
            [part for about in abouts for part in _split_about(about, content_of[about][1])]
        )
        found.append(bounded)
        left_out.update(set(reasons))
    return found, tuple(
        ProviderWarning(WarningCode.ABOUT, _facts_of(reason), count) for reason, count in sorted(left_out.items())
    )


def _facts_of(reason: provenance.AboutFault) -> dict[str, str | int]:
    limit = provenance.ABOUT_LIMITS.get(reason)
    return {"reason": str(reason)} if limit is None else {"reason": str(reason), "limit": limit}


def _has_more_than_provenance(about: etree._Element) -> bool:
    return any(child.tag != _PROVENANCE for child in about.iterchildren("*"))


def _split_about(about: etree._Element, payload: bytes | None) -> list[provenance.About]:
    """Return an about for each element in the container. It should have one (P48); several are serialised anew."""
    children = list(islice(about.iterchildren("*"), provenance.MAX_ABOUTS + 2))  # more are not stored
    is_single = len(children) == 1
    return [
        provenance.About(
            etree.QName(child).namespace or "",
            payload if is_single and payload is not None else etree.tostring(child, encoding="utf-8", with_tail=False),
        )
        for child in children
        if child.tag != _PROVENANCE
    ]
