"""Bytes of an OAI-PMH answer in, dataclasses out, or the error that says what to do next. No network, no Django.

An answer is parsed strictly, and once: what does not parse is never half-read (promise 7), and a record that is
as it was costs no second parse (`ReceivedEntry.digest`). What to do with an answer that does not parse is decided
in `harvester.protocol.repair`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from lxml import etree

from catalogue import datestamps, oai
from catalogue.datestamps import Granularity
from catalogue.documents import xml_tree
from catalogue.provenance import About, limit_steps
from harvester.errors import BrokenReply, HarvestError, RefusedByProvider, TokenLost
from harvester.net.access import Cookie
from harvester.protocol import envelope, raw_xml, unchanged
from harvester.protocol.unchanged import Held, Known, Version
from harvester.protocol.warnings import ProviderWarning, WarningCode

_OAI = f"{{{oai.OAI_NS}}}"
_PROVENANCE = f"{{{oai.PROVENANCE_NS}}}"
_FRIENDS = "{http://www.openarchives.org/OAI/2.0/friends/}"


@dataclass(frozen=True, slots=True)
class ReceivedEntry:
    """An entry as it came, with the provenance that came with it (P122, as nested dicts) or None.

    `abouts`: what else is said of the record (P126).
    `root`: the parsed root element of its metadata. `mended`: what had to be mended before it could be read.
    `fault`: why it cannot be read; then `entry.metadata` is the whole record as it came. `held`: the version in the
    catalogue, where it is held byte for byte as it came; then it was not parsed, and there is no root.
    """

    entry: oai.Entry
    provenance: dict[str, Any] | None = None
    abouts: tuple[About, ...] = ()
    root: etree._Element | None = field(default=None, repr=False, compare=False)
    mended: tuple[str, ...] = ()
    fault: str = ""
    held: Version | None = field(default=None, repr=False, compare=False)

    def digest(self) -> bytes | None:
        """The digest of the metadata as `catalogue.documents.iso19139.read` gives it, without parsing it again."""
        if self.root is None:
            return None
        return xml_tree.digest_of(self.root)


@dataclass(frozen=True, slots=True)
class Page:
    """One list reply. `token` is None when the list ends here (H19).

    `warnings`: a remark for each time that something was not as it should be. `fault`: what an error beside the entries
    means: they are stored, and it is the outcome of the page (F39). `cookies` and `moved_to`: what the
    provider has set, and named as its new base URL, by the time of this page.
    """

    response_date: datetime
    entries: tuple[ReceivedEntry, ...]
    token: str | None = None
    list_size: int | None = None
    warnings: tuple[ProviderWarning, ...] = ()
    fault: HarvestError | None = None
    cookies: tuple[Cookie, ...] = ()
    moved_to: str = ""


@dataclass(frozen=True, slots=True)
class Identity:
    """What the answer to Identify says, as far as a harvester needs it (H1). `friends`: base URLs (H46)."""

    repository_name: str
    protocol_version: str
    granularity: Granularity
    deleted_record: str
    earliest_datestamp: str
    response_date: datetime
    base_url: str = ""
    friends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """A metadata format on offer."""

    prefix: str
    namespace: str


def iso_prefixes(offered: Iterable[Format]) -> list[str]:
    """The prefixes under which ISO 19139 is offered, however they are spelled: by the namespace (F48, W2)."""
    return [item.prefix for item in offered if item.namespace.rstrip("/") in (oai.GMD_NS, oai.GMI_NS)]


@dataclass(frozen=True, slots=True)
class RemoteSet:
    """A set on offer."""

    spec: str
    name: str


def identify(body: bytes, charset: str = "", date: datetime | None = None) -> Identity:
    """Read the answer to Identify. Raises BrokenReply or Refused."""
    root, _ = envelope.read(body, charset)
    identity = _verb_element(root, "Identify", continued=False)
    spelled = _child_text(identity, "granularity")
    friends = identity.iterfind(f"{_OAI}description/{_FRIENDS}friends/{_FRIENDS}baseURL")
    return Identity(
        repository_name=_child_text(identity, "repositoryName"),
        protocol_version=_child_text(identity, "protocolVersion"),
        # H7: seconds only if they are declared.
        granularity=Granularity.SECOND if spelled.upper() == Granularity.SECOND.value.upper() else Granularity.DAY,
        deleted_record=_child_text(identity, "deletedRecord"),
        earliest_datestamp=_child_text(identity, "earliestDatestamp"),
        response_date=_told(root) or _response_date(root, date),  # the provider's clock, right or wrong (W19)
        base_url=_child_text(identity, "baseURL"),
        friends=tuple(dict.fromkeys(filter(None, map(_text, friends)))),
    )


def response_date(body: bytes, charset: str = "", date: datetime | None = None) -> datetime:
    """When an answer to any verb was given. Raises BrokenReply."""
    return _response_date(envelope.read(body, charset)[0], date)


def formats(body: bytes, charset: str = "") -> list[Format]:
    """Read the answer to ListMetadataFormats. Raises BrokenReply or Refused."""
    root, _ = envelope.read(body, charset)
    element = _verb_element(root, "ListMetadataFormats", continued=False)
    return [
        Format(_child_text(item, "metadataPrefix"), _child_text(item, "metadataNamespace"))
        for item in element.findall(f"{_OAI}metadataFormat")
    ]


def sets(body: bytes, charset: str = "") -> tuple[list[RemoteSet], str | None]:
    """Read the answer to ListSets: the sets and the token of the next page. Raises BrokenReply, TokenLost or Refused."""
    root, _ = envelope.read(body, charset)
    element = _verb_element(root, "ListSets", continued=False)
    found = [RemoteSet(_child_text(s, "setSpec"), _child_text(s, "setName")) for s in element.findall(f"{_OAI}set")]
    return found, _token(element)[0]


def page(
    body: bytes,
    *,
    continued: bool,
    verb: str = "ListRecords",
    charset: str = "",
    date: datetime | None = None,
    held: Held | None = None,
) -> Page:
    """Read the answer to ListRecords, ListIdentifiers or GetRecord; `continued` tells whether a token was sent.

    noRecordsMatch to a first request is an empty page (H13). `date` is what the provider's HTTP server says of the
    time. `held` tells what is held of some keys: records that came as they are held are not parsed
    (`harvester.protocol.unchanged`). Raises BrokenReply, TokenLost or Refused.
    """
    text = envelope.text_of(body, charset)
    short = unchanged.take_out(text, held) if held is not None and verb == "ListRecords" else None
    if short is not None:
        try:
            root, without = envelope.of(short[0])
            return page_of(root, without, verb, continued=continued, date=date, known=short[1])
        except BrokenReply:
            pass  # what is told of it is to be of the page as it came
    root, text = envelope.of(text)
    return page_of(root, text, verb, continued=continued, date=date)


def page_of(
    root: etree._Element,
    text: bytes,
    verb: str,
    *,
    continued: bool,
    date: datetime | None,
    known: Sequence[Known] = (),
) -> Page:
    """As `page`, of an answer that has been parsed from `text`. `known`: the records that were taken out of it.

    Raises BrokenReply, too, where these are not found again.
    """
    at = _response_date(root, date)
    codes = {error.get("code") for error in root.findall(f"{_OAI}error")}
    contradicted = codes == {"noRecordsMatch"} and root.find(f"{_OAI}{verb}") is not None
    if codes == {"noRecordsMatch"} and not contradicted and not continued:
        return Page(at, ())
    fault = None if contradicted else _error_beside_entries(root, verb, continued=continued)
    element = _verb_element(root, verb, continued=continued, errors_count=not contradicted and fault is None)
    token, list_size, warnings = _token(element)
    if contradicted:
        warnings = (
            *warnings,
            ProviderWarning(
                WarningCode.CONTRADICTION, "A page has records and says noRecordsMatch; the records count."
            ),
        )
    records = element.findall(f"{_OAI}record")
    containers = [record.find(f"{_OAI}metadata") for record in records]
    whole = [container for container in containers if container is not None]
    roots = [raw_xml.root_in(container) for container in whole]
    held = dict(zip(whole, zip(roots, raw_xml.payloads(text, whole, roots), strict=True), strict=True))
    said, left_out = raw_xml.other_abouts(text, records)
    entries = [
        _entry(record, more, *(held[container] if container is not None else (None, None)))
        for record, container, more in zip(records, containers, said, strict=True)
    ]
    if known:
        entries = _with_known(entries, known)
    entries += [ReceivedEntry(oai.Entry(_header(header))) for header in element.findall(f"{_OAI}header")]
    return Page(at, tuple(entries), token, list_size, warnings + left_out, fault)


def _verb_element(root: etree._Element, verb: str, *, continued: bool, errors_count: bool = True) -> etree._Element:
    """The element that answers the verb. Raises what the errors of the answer mean."""
    errors = root.findall(f"{_OAI}error")
    if errors and errors_count:
        raise _raised(errors, continued=continued)
    element = root.find(f"{_OAI}{verb}")
    if element is None:
        others = ", ".join(etree.QName(child).localname for child in root.iterchildren(etree.Element))
        raise BrokenReply(f"the answer has no {verb} element; it has: {others or 'nothing'}")
    return element


def _error_beside_entries(root: etree._Element, verb: str, *, continued: bool) -> HarvestError | None:
    """What the errors of a list mean that has entries all the same, if there are any."""
    errors, element = root.findall(f"{_OAI}error"), root.find(f"{_OAI}{verb}")
    if not errors or element is None or verb == "GetRecord":
        return None
    has_entries = element.find(f"{_OAI}record") is not None or element.find(f"{_OAI}header") is not None
    return _raised(errors, continued=continued) if has_entries else None


_KNOWN_CODES = frozenset(
    [
        "badArgument",
        "badVerb",
        "badResumptionToken",
        "cannotDisseminateFormat",
        "idDoesNotExist",
        "noMetadataFormats",
        "noRecordsMatch",
        "noSetHierarchy",
    ]
)


def _raised(errors: list[etree._Element], *, continued: bool) -> HarvestError:
    """The gravest of what the errors mean (F39 to F41): all are told."""
    said = "; ".join(f"{error.get('code') or '(no code)'}: {_text(error)}".rstrip(": ") for error in errors)
    codes = {error.get("code") or "" for error in errors}
    if not codes <= _KNOWN_CODES:
        return BrokenReply(f"the provider answered an unknown error: {said}")
    if continued or "badResumptionToken" in codes:  # H13, H22: whatever it says, the list cannot be continued
        return TokenLost(f"the provider broke off the list: {said}", codes=codes)
    return RefusedByProvider(f"the provider refused the request: {said}", codes=codes)


def _told(root: etree._Element) -> datetime | None:
    return datestamps.lenient(_child_text(root, "responseDate"))


def _response_date(root: etree._Element, date: datetime | None) -> datetime:
    """The earlier of the two times the provider tells: a cursor that is too early costs time, never records (F51)."""
    text = _child_text(root, "responseDate")
    told = [stamp for stamp in (datestamps.lenient(text), date) if stamp is not None]
    if not told:
        raise BrokenReply(f"the answer has the responseDate {text!r}, which is no date")
    return min(told).replace(microsecond=0)


def _token(element: etree._Element) -> tuple[str | None, int | None, tuple[ProviderWarning, ...]]:
    """The token, byte for byte but for a blank one, which is none (H19), the list size it tells, and warnings."""
    tokens = element.findall(f"{_OAI}resumptionToken")
    if not tokens:
        return None, None, ()
    token = next((each for each in tokens if (each.text or "").strip()), tokens[0])
    size = token.get("completeListSize", "").strip()
    text = token.text or ""
    warnings = (
        (
            ProviderWarning(
                WarningCode.TOKENS, "A page has several resumptionToken elements; the first that is not empty was used."
            ),
        )
        if len(tokens) > 1
        else ()
    )
    return (text if text.strip() else None), (int(size) if size.isascii() and size.isdigit() else None), warnings


# --- Entries ----------------------------------------------------------------------------------------


def _entry(
    record: etree._Element, more: tuple[About, ...], root: etree._Element | None, payload: bytes | None
) -> ReceivedEntry:
    header = record.find(f"{_OAI}header")
    wire = _header(header) if header is not None else oai.Header("", "")
    origin = record.find(f"{_OAI}about/{_PROVENANCE}provenance/{_PROVENANCE}originDescription")
    provenance = _origin(origin) if origin is not None else None
    if wire.deleted:  # H34: whatever else the record holds
        return ReceivedEntry(oai.Entry(wire), provenance)
    return ReceivedEntry(oai.Entry(wire, payload), provenance, more, root)


def _with_known(entries: Sequence[ReceivedEntry], known: Sequence[Known]) -> list[ReceivedEntry]:
    """The entries, with the records that were taken out of the page. Raises BrokenReply unless all are found again."""
    found = []
    whole: list[ReceivedEntry] = []
    for entry in entries:
        number = unchanged.number_of(entry.root)
        if number is None:
            whole.append(entry)
            continue
        found.append(number)
        record, header = known[number], entry.entry.header
        if oai.identifier_key(header.identifier) != record.key:
            break
        whole.append(replace(entry, entry=oai.Entry(header, record.element), root=None, held=record.version))
    if found != list(range(len(known))):
        raise BrokenReply("records of the page are not where they seemed to be")
    return whole


def _header(header: etree._Element) -> oai.Header:
    specs = tuple(_text(spec) for spec in header.iterchildren(f"{_OAI}setSpec"))
    deleted = header.get("status") == "deleted"
    stamp = _child_text(header, "datestamp") or _child_text(header, "dateStamp")  # pycsw spells it so
    return oai.Header(_child_text(header, "identifier"), stamp, specs, deleted)


def _origin(description: etree._Element) -> dict[str, Any]:
    """An originDescription and those nested in it, as far as they are kept (P122, P123)."""
    steps: list[dict[str, Any]] = []
    inner: etree._Element | None = description
    while inner is not None:
        step: dict[str, Any] = {
            name: (inner.findtext(f"{_PROVENANCE}{name}") or "").strip()
            for name in ("baseURL", "identifier", "datestamp", "metadataNamespace")
        }
        steps.append(
            step
            | {
                "harvestDate": inner.get("harvestDate", ""),
                "altered": inner.get("altered", "").strip() in ("true", "1"),
            }
        )
        inner = inner.find(f"{_PROVENANCE}originDescription")
    nested: dict[str, Any] = {}
    for kept in reversed(limit_steps(steps)):
        nested = dict(kept) | ({"origin": nested} if nested else {})
    return nested


def _child_text(element: etree._Element, name: str) -> str:
    child = next(element.iterchildren(f"{_OAI}{name}"), None)
    return _text(child) if child is not None else ""


def _text(element: etree._Element) -> str:
    return ("".join(map(str, element.itertext())) if len(element) else element.text or "").strip()
