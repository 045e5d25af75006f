"""Bytes of an OAI-PMH answer in, dataclasses out, or the error that says what to do next. No network, no Django.

An answer is parsed strictly: what does not parse is asked for again, never half-read (promise 7).
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lxml import etree

from catalogue import datestamps, metadata, oai
from catalogue.datestamps import Granularity
from harvester.errors import BrokenReply, HarvestError, Refused, TokenLost

_OAI = f"{{{oai.OAI_NS}}}"
_PROVENANCE = "{http://www.openarchives.org/OAI/2.0/provenance}"


@dataclass(frozen=True, slots=True)
class Page:
    """One list reply. `token` is None when the list ends here (H19)."""

    response_date: datetime
    entries: tuple["ReceivedEntry", ...]
    token: str | None = None
    list_size: int | None = None


@dataclass(frozen=True, slots=True)
class ReceivedEntry:
    """An entry as it came, with the provenance that came with it (P122, as nested dicts) or None."""

    entry: oai.Entry
    provenance: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """What the answer to Identify says, as far as a harvester needs it (H1)."""

    repository_name: str
    protocol_version: str
    granularity: Granularity
    deleted_record: str
    earliest_datestamp: str
    response_date: datetime


@dataclass(frozen=True, slots=True)
class Format:
    """A metadata format on offer."""

    prefix: str
    namespace: str


@dataclass(frozen=True, slots=True)
class RemoteSet:
    """A set on offer."""

    spec: str
    name: str


def identify(body: bytes) -> Identity:
    """Read the answer to Identify. Raises BrokenReply or Refused."""
    root, _ = _envelope(body)
    identity = _verb_element(root, "Identify", continued=False)
    assert identity is not None
    spelled = _child_text(identity, "granularity")
    return Identity(
        repository_name=_child_text(identity, "repositoryName"),
        protocol_version=_child_text(identity, "protocolVersion"),
        # H7: seconds only if they are declared.
        granularity=Granularity.SECOND if spelled.upper() == Granularity.SECOND.value.upper() else Granularity.DAY,
        deleted_record=_child_text(identity, "deletedRecord"),
        earliest_datestamp=_child_text(identity, "earliestDatestamp"),
        response_date=_response_date(root),
    )


def formats(body: bytes) -> list[Format]:
    """Read the answer to ListMetadataFormats. Raises BrokenReply or Refused."""
    root, _ = _envelope(body)
    element = _verb_element(root, "ListMetadataFormats", continued=False)
    assert element is not None
    return [
        Format(_child_text(item, "metadataPrefix"), _child_text(item, "metadataNamespace"))
        for item in element.findall(f"{_OAI}metadataFormat")
    ]


def sets(body: bytes) -> tuple[list[RemoteSet], str | None]:
    """Read the answer to ListSets: the sets and the token of the next page. Raises BrokenReply, TokenLost or Refused."""
    root, _ = _envelope(body)
    element = _verb_element(root, "ListSets", continued=False)
    assert element is not None
    found = [RemoteSet(_child_text(s, "setSpec"), _child_text(s, "setName")) for s in element.findall(f"{_OAI}set")]
    return found, _token(element)[0]


def page(body: bytes, *, continued: bool, verb: str = "ListRecords") -> Page:
    """Read the answer to ListRecords, ListIdentifiers or GetRecord; `continued` tells whether a token was sent.

    noRecordsMatch to a first request is an empty page (H13). Raises BrokenReply, TokenLost or Refused.
    """
    root, text = _envelope(body)
    element = _verb_element(root, verb, continued=continued)
    if element is None:
        return Page(_response_date(root), ())
    token, list_size = _token(element)
    records = element.findall(f"{_OAI}record")
    headers = element.findall(f"{_OAI}header")
    if token is not None and not (records or headers):
        raise BrokenReply("a page without records that asks to go on")
    payloads = _payloads(text, [record.find(f"{_OAI}metadata") for record in records])
    entries = [_entry(record, payload) for record, payload in zip(records, payloads, strict=True)]
    entries += [ReceivedEntry(oai.Entry(_header(header))) for header in headers]
    return Page(_response_date(root), tuple(entries), token, list_size)


# --- The envelope -----------------------------------------------------------------------------------


def _envelope(body: bytes) -> tuple[etree._Element, bytes]:
    """The root of the answer, and the bytes it was parsed from, in UTF-8."""
    try:
        text = metadata.to_utf8(body)
    except metadata.Unusable as exc:
        raise BrokenReply(f"the answer {exc}") from exc
    if not text.strip():
        raise BrokenReply("the answer is empty")
    if metadata.has_doctype(text):
        raise BrokenReply(f"the answer has a DOCTYPE, which no OAI-PMH answer has; it begins {_beginning(text)}")
    try:
        root = etree.fromstring(text, _parser())
    except etree.XMLSyntaxError as exc:
        raise BrokenReply(f"the answer is not well-formed XML: {exc.msg}; it begins {_beginning(text)}") from exc
    if root.tag != f"{_OAI}OAI-PMH":
        raise BrokenReply(f"the answer is not OAI-PMH 2.0; it begins {_beginning(text)}")
    return root, text


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False, strip_cdata=False
    )


def _beginning(text: bytes) -> str:
    return repr(text[:200].decode(errors="replace"))


def _verb_element(root: etree._Element, verb: str, *, continued: bool) -> etree._Element | None:
    """The element that answers the verb; None for noRecordsMatch to a first request."""
    errors = root.findall(f"{_OAI}error")
    if errors:
        raised = _raised(errors, continued=continued)
        if raised is None:
            return None
        raise raised
    element = root.find(f"{_OAI}{verb}")
    if element is None:
        others = ", ".join(etree.QName(child).localname for child in root.iterchildren(etree.Element))
        raise BrokenReply(f"the answer has no {verb} element; it has: {others or 'nothing'}")
    return element


def _raised(errors: list[etree._Element], *, continued: bool) -> HarvestError | None:
    said = "; ".join(f"{error.get('code')}: {_text(error)}" for error in errors)
    codes = {error.get("code") or "" for error in errors}
    if continued:  # H13, H22: whatever it says, the list cannot be continued
        return TokenLost(f"the provider broke off the list: {said}", codes=codes)
    if codes == {"noRecordsMatch"}:
        return None
    known = {"badArgument", "badVerb", "cannotDisseminateFormat", "noSetHierarchy", "noRecordsMatch", "idDoesNotExist"}
    if codes <= known:
        return Refused(f"the provider refused the request: {said}", codes=codes)
    return BrokenReply(f"the provider answered an unknown error: {said}")


def _response_date(root: etree._Element) -> datetime:
    text = _child_text(root, "responseDate")
    stamp = datestamps.lenient(text)
    if stamp is None:
        raise BrokenReply(f"the answer has the responseDate {text!r}, which is no date")
    return stamp


def _token(element: etree._Element) -> tuple[str | None, int | None]:
    """The token, byte for byte but for a blank one, which is none (H19), and the list size it tells."""
    token = element.find(f"{_OAI}resumptionToken")
    if token is None:
        return None, None
    size = token.get("completeListSize", "")
    text = token.text or ""
    return (text if text.strip() else None), (int(size) if size.isascii() and size.isdigit() else None)


# --- Entries ----------------------------------------------------------------------------------------


def _entry(record: etree._Element, payload: bytes | None) -> ReceivedEntry:
    header = record.find(f"{_OAI}header")
    if header is None:
        return ReceivedEntry(oai.Entry(oai.Header("", "")))
    wire = _header(header)
    origin = record.find(f"{_OAI}about/{_PROVENANCE}provenance/{_PROVENANCE}originDescription")
    entry = oai.Entry(wire, None if wire.deleted else payload)
    return ReceivedEntry(entry, _origin(origin) if origin is not None else None)


def _header(header: etree._Element) -> oai.Header:
    specs = tuple(_text(spec) for spec in header.findall(f"{_OAI}setSpec"))
    deleted = header.get("status") == "deleted"  # H34: whatever else the record holds
    return oai.Header(_child_text(header, "identifier"), _child_text(header, "datestamp"), specs, deleted)


def _origin(description: etree._Element) -> dict[str, Any]:
    """An originDescription and those nested in it (P122, P123)."""
    found: dict[str, Any] = {
        name: (description.findtext(f"{_PROVENANCE}{name}") or "").strip()
        for name in ("baseURL", "identifier", "datestamp", "metadataNamespace")
    }
    found["harvestDate"] = description.get("harvestDate", "")
    found["altered"] = description.get("altered") == "true"
    inner = description.find(f"{_PROVENANCE}originDescription")
    if inner is not None:
        found["origin"] = _origin(inner)
    return found


_OPEN = re.compile(rb"<(?:[\w.\-]+:)?metadata(?:\s[^<>]*)?(?<!/)>")
_CLOSE = re.compile(rb"</(?:[\w.\-]+:)?metadata\s*>")
_START_TAG = re.compile(rb"""<[^\s/>]+(?:\s+[^\s=>]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*/?>""")


def _payloads(text: bytes, elements: list[etree._Element | None]) -> list[bytes | None]:
    """What stands in each `metadata`, cut from the page byte for byte, with the namespaces declared around it.

    Where the places cannot be told from the bytes (a payload that itself has an element called metadata, or
    such words in a comment), the parsed tree is written out instead: the same canonical XML.
    """
    opens, closes = list(_OPEN.finditer(text)), list(_CLOSE.finditer(text))
    whole = [element for element in elements if element is not None and not _is_self_closed(element)]
    exact = len(opens) == len(closes) == len(whole) and all(
        a.end() <= b.start() for a, b in zip(opens, closes, strict=True)
    )
    places = dict(zip(map(id, whole), zip(opens, closes, strict=True), strict=True)) if exact else {}
    found: list[bytes | None] = []
    for element in elements:
        root = None if element is None else next(element.iterchildren(etree.Element), None)
        if element is None or root is None:
            found.append(None)
        elif id(element) in places:
            before, after = places[id(element)]
            found.append(_with_outer_namespaces(text[before.end() : after.start()], root, element))
        else:
            found.append(etree.tostring(root, encoding="utf-8", with_tail=False))
    return found


def _is_self_closed(element: etree._Element) -> bool:
    return not len(element) and not element.text


def _with_outer_namespaces(content: bytes, root: etree._Element, around: etree._Element) -> bytes:
    """`content` with the declarations of the envelope that it uses, so that it stands by itself."""
    start = metadata.start_of_root(content)
    tag = _START_TAG.match(content, start)
    if tag is None:
        return etree.tostring(root, encoding="utf-8", with_tail=False)
    added = b""
    for prefix, uri in around.nsmap.items():
        if prefix is None:
            wanted = uri != oai.OAI_NS and re.search(rb"\sxmlns\s*=", tag.group()) is None
            name = b"xmlns"
        else:
            encoded = prefix.encode()
            name = b"xmlns:" + encoded
            declared = re.search(rb"\s" + re.escape(name) + rb"\s*=", tag.group())
            wanted = declared is None and encoded + b":" in content
        if wanted:
            added += b" " + name + b'="' + uri.encode().replace(b"&", b"&amp;").replace(b'"', b"&quot;") + b'"'
    at = start + len(re.match(rb"<[^\s/>]+", tag.group()).group())  # type: ignore[union-attr]
    return content[:at] + added + content[at:]


def _child_text(element: etree._Element, name: str) -> str:
    child = element.find(f"{_OAI}{name}")
    return _text(child) if child is not None else ""


def _text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext())).strip()
