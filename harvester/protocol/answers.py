"""Parse the bytes of an OAI-PMH answer into dataclasses, or raise the error that says what to do next.

No network, no Django.

An answer is parsed strictly, and once: nothing is taken from an answer that does not parse (promise 7). What happens to
such an answer is decided in `harvester.protocol.repair`. Unchanged records need no parsing
(`harvester.protocol.unchanged`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from lxml import etree

from catalogue import datestamps, oai
from catalogue.datestamps import Granularity
from catalogue.documents import complexity
from catalogue.provenance import About, Provenance, chain
from catalogue.reasons import Reason
from harvester.errors import BrokenReply, FaultCode, HarvestError, RefusedByProvider, TokenLost
from harvester.header import NO_HEADER, ReceivedHeader
from harvester.net.access import Cookie
from harvester.protocol import envelope, raw_xml, unchanged
from harvester.protocol.unchanged import (
    NOTHING_STORED,
    LoadKeys,
    LoadStored,
    StoredRecords,
    StoredVersion,
    UnchangedRecord,
)
from harvester.protocol.warnings import ProviderWarning, WarningCode

_OAI = f"{{{oai.OAI_NS}}}"
_PROVENANCE = f"{{{oai.PROVENANCE_NS}}}"
_EPRINTS = f"{{{oai.EPRINTS_NS}}}"
# Chosen, so that one answer cannot have a huge row: an identifier that is cut is still too long to be stored.
MAX_TEXT = 2 * oai.MAX_IDENTIFIER_BYTES
MAX_TOKEN = 2_000_000
MAX_SET_SPECS = 1_000  # of one header
MAX_FRIENDS = 1_000
MAX_ERRORS = 20  # that are repeated to the operator
_TOO_MANY_DIGITS = 10
_WEB_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[!-~]*)?")
_BRANDING = "{http://www.openarchives.org/OAI/2.0/branding/}"
_MAX_BRANDING = 200, 500  # chosen: characters of a title, of an address
_FRIENDS = "{http://www.openarchives.org/OAI/2.0/friends/}"


class ReceivedEntry(NamedTuple):
    """An entry as received. `provenance`: as the provider reports it (P122).

    `metadata`: UTF-8 bytes of one element; None for a deletion and in a list of headers. `abouts`: its other `about`
    containers (P126). `root`: the parsed root element of its metadata. `repairs`: what had to be repaired before it
    could be parsed. `fault`: why it cannot be parsed; then `metadata` is the whole record as received. `stored`: the
    version in the catalogue, if that is the same byte for byte; then the entry was not parsed and has no root.
    `file_identifier`: its gmd:fileIdentifier, if that was read already to find the key (`harvester.protocol.names`).
    """

    header: ReceivedHeader
    metadata: bytes | None = None
    provenance: Provenance | None = None
    abouts: tuple[About, ...] = ()
    root: etree._Element | None = None
    repairs: tuple[str, ...] = ()
    fault: Reason | None = None
    stored: StoredVersion | None = None
    file_identifier: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list. `token` is None when the list ends here (H19).

    `warnings`: one for each deviation from the protocol. `fault`: the error that came beside the entries; they are
    stored, and the error is the outcome of the page (F39). `cookies`: all that the provider has set so far. `moved_to`:
    the new base URL that the provider has named so far. `versions`: the stored versions of its records by key, where
    they were loaded to find the unchanged ones. `asked_set`: the set of the request that it answers, if it names one.
    """

    response_date: datetime
    entries: tuple[ReceivedEntry, ...]
    token: str | None = None
    list_size: int | None = None
    warnings: tuple[ProviderWarning, ...] = ()
    fault: HarvestError | None = None
    cookies: tuple[Cookie, ...] = ()
    moved_to: str = ""
    versions: Mapping[str, StoredVersion] | None = field(default=None, repr=False, compare=False)
    asked_set: str = ""


@dataclass(frozen=True, slots=True)
class Identity:
    """The answer to Identify, as far as a harvester needs it (H1).

    `response_date`: the provider's clock, right or wrong (W19). `list_date`: as the time of a list is taken (F51).
    `is_promised`: whether the provider is a node of this software that keeps promise 1. `friends`: base URLs (H46).
    `brand`: title and link of its branding container, each where it gives one; written by strangers.
    """

    repository_name: str
    protocol_version: str
    granularity: Granularity
    deleted_record: str
    earliest_datestamp: str
    response_date: datetime
    list_date: datetime
    is_promised: bool = False
    base_url: str = ""
    friends: tuple[str, ...] = ()
    brand: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """A metadata format on offer."""

    prefix: str
    namespace: str
    schema: str = ""

    @property
    def is_iso(self) -> bool:
        """Whether it is ISO 19139, by its namespace or its schema: some providers give one of them wrong (annex B)."""
        texts = f"{self.namespace} {self.schema}".lower()
        return any(mark in texts for mark in _ISO_MARKS)


_ISO_MARKS = ("isotc211.org", "iso19139", "/gmd.xsd", "/gmi.xsd")


def find_prefix_fault(offered: Iterable[Format], prefix: str) -> RefusedByProvider | None:
    """Return why nothing that a prefix brings can be stored; None if it brings ISO 19139, or the provider does not say."""
    offered = list(offered)
    found = next((item for item in offered if item.prefix == prefix), None)
    if found is None or found.is_iso or not found.namespace:
        return None
    facts = {"prefix": prefix, "namespace": found.namespace, "iso_prefixes": iso_prefixes(offered)}
    return RefusedByProvider(FaultCode.PREFIX_NOT_ISO, facts)


def iso_prefixes(offered: Iterable[Format]) -> list[str]:
    """Return the prefixes of ISO 19139, found by the namespace, as providers spell the prefix differently (F48, W2)."""
    return [item.prefix for item in offered if item.namespace.rstrip("/") in (oai.GMD_NS, oai.GMI_NS)]


@dataclass(frozen=True, slots=True)
class RemoteSet:
    """A set on offer."""

    spec: str
    name: str


def parse_identify(body: bytes, charset: str = "", date: datetime | None = None) -> Identity:
    """Parse the answer to Identify. Raises BrokenReply or RefusedByProvider."""
    root, _ = envelope.parse(body, charset)
    identity = _verb_element(root, "Identify", continued=False)
    texts = {
        "repository_name": _child_text(identity, "repositoryName"),
        "protocol_version": _child_text(identity, "protocolVersion"),
        "deleted_record": _child_text(identity, "deletedRecord"),
        "earliest_datestamp": _child_text(identity, "earliestDatestamp"),
        "base_url": _child_text(identity, "baseURL"),
    }
    # H7: seconds only if they are declared.
    is_by_seconds = _child_text(identity, "granularity").upper() == Granularity.SECOND.value.upper()
    friends = identity.iterfind(f"{_OAI}description/{_FRIENDS}friends/{_FRIENDS}baseURL")
    base_urls = tuple(dict.fromkeys(filter(None, map(_text, islice(friends, MAX_FRIENDS)))))
    policies = identity.iterfind(f"{_OAI}description/{_EPRINTS}eprints/{_EPRINTS}metadataPolicy/{_EPRINTS}URL")
    is_promised = any(oai.is_promise(_text(policy)) for policy in policies)  # P147
    own_date, list_date = _response_dates(root, date)
    return Identity(
        **texts,
        granularity=Granularity.SECOND if is_by_seconds else Granularity.DAY,
        response_date=own_date,
        list_date=list_date,
        is_promised=is_promised,
        friends=base_urls,
        brand=_brand(identity),
    )


def _brand(identity: etree._Element) -> dict[str, str]:
    """How the provider wants to be called, and where its people are: text, and an address of the web under https."""
    icon = identity.find(f"{_OAI}description/{_BRANDING}branding/{_BRANDING}collectionIcon")
    if icon is None:
        return {}
    title, link = (" ".join(_child_text_of(icon, name).split()) for name in ("title", "link"))
    most_title, most_link = _MAX_BRANDING
    is_link = len(link) <= most_link and _WEB_ADDRESS.fullmatch(link) is not None
    return {
        name: value for name, value in {"title": title[:most_title], "link": link if is_link else ""}.items() if value
    }


def _child_text_of(icon: etree._Element, name: str) -> str:
    found = icon.find(f"{_BRANDING}{name}")
    return "" if found is None else _text(found)


def parse_response_date(body: bytes, charset: str = "", date: datetime | None = None) -> datetime:
    """Return the time of an answer to any verb, on the provider's clock. Raises BrokenReply."""
    return _response_dates(envelope.parse(body, charset)[0], date)[1]


def parse_formats(body: bytes, charset: str = "") -> list[Format]:
    """Parse the answer to ListMetadataFormats. Raises BrokenReply or RefusedByProvider."""
    root, _ = envelope.parse(body, charset)
    element = _verb_element(root, "ListMetadataFormats", continued=False)
    _check_number(len(element), complexity.LIMITS.in_force.page_entries)
    return [
        Format(*(_child_text(item, name) for name in ("metadataPrefix", "metadataNamespace", "schema")))
        for item in element.findall(f"{_OAI}metadataFormat")
    ]


def parse_sets(body: bytes, charset: str = "") -> tuple[list[RemoteSet], str | None]:
    """Parse the answer to ListSets: the sets and the token of the next page.

    Raises BrokenReply, TokenLost or RefusedByProvider.
    """
    root, _ = envelope.parse(body, charset)
    element = _verb_element(root, "ListSets", continued=False)
    _check_number(len(element), complexity.LIMITS.in_force.page_entries)
    found = [RemoteSet(_child_text(s, "setSpec"), _child_text(s, "setName")) for s in element.findall(f"{_OAI}set")]
    return found, _token(element)[0]


def parse_page(
    body: bytes,
    *,
    continued: bool,
    verb: str = "ListRecords",
    charset: str = "",
    date: datetime | None = None,
    load_stored: LoadStored | None = None,
    load_keys: LoadKeys | None = None,
) -> Page:
    """Parse the answer to ListRecords, ListIdentifiers or GetRecord.

    noRecordsMatch to a first request is an empty page (H13). `continued`: whether a token was sent. `date`: the time by
    the provider's HTTP server. `load_stored` loads stored versions by key; unchanged records are then not parsed
    (`harvester.protocol.unchanged`, which has `load_keys`). Raises BrokenReply, TokenLost or RefusedByProvider.
    """
    text = envelope.decode(body, charset)
    stored = NOTHING_STORED
    if load_stored is not None and verb == "ListRecords" and text.count(b"<identifier>") >= unchanged.MIN_RECORDS:
        stored = unchanged.look_up(text, load_stored, load_keys)
    if stored.unchanged:
        try:
            root, remaining = envelope.parse_text(stored.remaining)
            return page_from_tree(root, remaining, verb, continued=continued, date=date, stored=stored)
        except BrokenReply:
            pass  # the error to raise is that of the page as received
        stored = replace(stored, unchanged=())
    root, text = envelope.parse_text(text)
    return page_from_tree(root, text, verb, continued=continued, date=date, stored=stored)


def page_from_tree(
    root: etree._Element,
    text: bytes,
    verb: str,
    *,
    continued: bool,
    date: datetime | None,
    stored: StoredRecords = NOTHING_STORED,
) -> Page:
    """As `parse_page`, of an answer that was parsed from `text`.

    `stored`: what the catalogue has of its records; the unchanged ones were cut out of the text. Raises BrokenReply,
    too, if their placeholders are not where they were put.
    """
    codes = {error.get("code") for error in root.findall(f"{_OAI}error")}
    contradicted = codes == {"noRecordsMatch"} and root.find(f"{_OAI}{verb}") is not None
    if codes == {"noRecordsMatch"} and not contradicted and not continued:
        return Page(_response_dates(root, date)[1], (), asked_set=_asked_set(root))
    fault = _error_beside_entries(root, verb, continued=continued) if codes and not contradicted else None
    element = _verb_element(root, verb, continued=continued, errors_count=not contradicted and fault is None)
    token, list_size, warnings = _token(element)
    if contradicted:
        warnings = (*warnings, ProviderWarning(WarningCode.CONTRADICTION))
    asked_set = _asked_set(root)
    _, at = _response_dates(root, date)
    records = element.findall(f"{_OAI}record")
    excess = complexity.excess_of_list(
        len(element), records=len(records), namespaces=len(element.nsmap), size=len(text)
    )
    if excess is not None:
        raise envelope.too_complex(excess)
    containers = [next(record.iterchildren(_METADATA), None) for record in records]
    present = [container for container in containers if container is not None]
    abouts, left_out = raw_xml.other_abouts(text, records)
    contents = dict(zip(present, raw_xml.contents(text, present), strict=True))
    entries = [
        _entry(record, stored.keys, others, *(contents[container] if container is not None else (None, None)))
        for record, container, others in zip(records, containers, abouts, strict=True)
    ]
    if stored.unchanged:
        entries = _with_unchanged(entries, stored.unchanged)
    entries += [ReceivedEntry(_header(header, stored.keys)) for header in element.findall(f"{_OAI}header")]
    return Page(
        *(at, tuple(entries), token, list_size, warnings + left_out, fault),
        versions=stored.versions,
        asked_set=asked_set,
    )


def _check_number(number: int, limit: int) -> None:
    """Raise TooLarge for an answer with more entries than it may have."""
    if number > limit:
        raise envelope.too_complex(complexity.Excess("entries", number, limit))


def _asked_set(root: etree._Element) -> str:
    request = root.find(f"{_OAI}request")
    return "" if request is None else request.get("set", "")[:MAX_TEXT].strip()


def _verb_element(root: etree._Element, verb: str, *, continued: bool, errors_count: bool = True) -> etree._Element:
    """Return the element that answers the verb. Raises the error that the answer has instead."""
    errors = root.findall(f"{_OAI}error")
    if errors and errors_count:
        raise _error_of(errors, continued=continued)
    element = root.find(f"{_OAI}{verb}")
    if element is None:
        found = [etree.QName(child).localname for child in islice(root.iterchildren(etree.Element), MAX_ERRORS)]
        raise BrokenReply(FaultCode.VERB_MISSING, {"verb": verb, "found": found})
    return element


def _error_beside_entries(root: etree._Element, verb: str, *, continued: bool) -> HarvestError | None:
    """Return the error of an answer, if that is a list that has entries all the same."""
    errors, element = root.findall(f"{_OAI}error"), root.find(f"{_OAI}{verb}")
    if element is None or verb == "GetRecord":
        return None
    has_entries = element.find(f"{_OAI}record") is not None or element.find(f"{_OAI}header") is not None
    return _error_of(errors, continued=continued) if has_entries else None


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


def _error_of(errors: list[etree._Element], *, continued: bool) -> HarvestError:
    """Return the gravest of the errors, with the text of all (F39 to F41)."""
    facts = {"errors": [{"code": error.get("code") or "", "text": _text(error)} for error in errors[:MAX_ERRORS]]}
    codes = {error.get("code") or "" for error in errors}
    if not codes <= _KNOWN_CODES:
        return BrokenReply(FaultCode.OAI_ERROR_UNKNOWN, facts)
    if continued or "badResumptionToken" in codes:  # H13, H22: whatever it says, the list cannot be continued
        return TokenLost(FaultCode.LIST_BROKEN_OFF, facts, codes=codes)
    return RefusedByProvider(FaultCode.REQUEST_REFUSED, facts, codes=codes)


_CLOCKS_BEGIN, _OAI_PMH_BEGAN = 1970, 2001


def _response_dates(root: etree._Element, date: datetime | None) -> tuple[datetime, datetime]:
    """Return the time of an answer by the provider's own clock, right or wrong (W19), and as the time of a list.

    The latter is the earlier of responseDate and HTTP `Date`, as too early a `from` never loses records (F51). A time
    before there was OAI-PMH is that of a host without a clock, and counts only if there is no other.
    """
    text = _child_text(root, "responseDate")
    own_date = datestamps.lenient(text)
    stamps = [stamp for stamp in (own_date, date) if stamp is not None and stamp.year >= _CLOCKS_BEGIN]
    if not stamps:
        raise BrokenReply(FaultCode.RESPONSE_DATE, {"text": text})
    stamps = [stamp for stamp in stamps if stamp.year >= _OAI_PMH_BEGAN] or stamps
    list_date = min(stamps).replace(microsecond=0)
    return own_date or list_date, list_date


def _token(element: etree._Element) -> tuple[str | None, int | None, tuple[ProviderWarning, ...]]:
    """Return the token byte for byte (a blank one is None: H19), its completeListSize, and warnings."""
    tokens = element.findall(f"{_OAI}resumptionToken")
    if not tokens:
        return None, None, ()
    token = next((each for each in tokens if (each.text or "").strip()), tokens[0])
    size = token.get("completeListSize", "").strip()
    is_number = size.isascii() and size.isdigit() and len(size) < _TOO_MANY_DIGITS
    text = token.text or ""
    if len(text) > MAX_TOKEN:
        raise envelope.too_complex(complexity.Excess("token", len(text), MAX_TOKEN))
    warnings = (ProviderWarning(WarningCode.TOKENS),) if len(tokens) > 1 else ()
    return (text if text.strip() else None), (int(size) if is_number else None), warnings


# --- Entries ----------------------------------------------------------------------------------------

_HEADER, _METADATA, _ABOUT = (f"{_OAI}{name}" for name in ("header", "metadata", "about"))
_ORIGIN = f"{_ABOUT}/{_PROVENANCE}provenance/{_PROVENANCE}originDescription"
_IDENTIFIER, _DATESTAMP, _DATESTAMP_OF_PYCSW, _SET_SPEC = _IN_HEADER = tuple(
    f"{_OAI}{name}" for name in ("identifier", "datestamp", "dateStamp", "setSpec")
)


def _entry(
    record: etree._Element,
    keys: Mapping[str, str],
    abouts: tuple[About, ...],
    root: etree._Element | None,
    payload: bytes | None,
) -> ReceivedEntry:
    element, about = (next(record.iterchildren(name), None) for name in (_HEADER, _ABOUT))
    header = _header(element, keys) if element is not None else NO_HEADER
    origin = None if about is None else record.find(_ORIGIN)
    provenance = _origin(origin) if origin is not None else None
    if header.deleted:  # H34: whatever else the record has
        return ReceivedEntry(header, None, provenance)
    return ReceivedEntry(header, payload, provenance, abouts, root)


def _with_unchanged(
    entries: Sequence[ReceivedEntry], unchanged_records: Sequence[UnchangedRecord]
) -> list[ReceivedEntry]:
    """Replace placeholders by unchanged records. Raises BrokenReply unless each is found once, in order."""
    found = []
    result: list[ReceivedEntry] = []
    for entry in entries:
        index = unchanged.placeholder_index(entry.root)
        if index is None:
            result.append(entry)
            continue
        found.append(index)
        record = unchanged_records[index]
        if entry.header.key != record.key:
            break
        result.append(entry._replace(metadata=record.element, root=None, stored=record.version))
    if found != list(range(len(unchanged_records))):
        raise BrokenReply(FaultCode.PLACEHOLDERS_MISPLACED)
    return result


def _header(header: etree._Element, keys: Mapping[str, str]) -> ReceivedHeader:
    """Parse a header. `keys`: by identifier, where the key is known already."""
    texts: dict[str, str] = {}  # the first of each name
    specs: list[str] = []
    for child in header:
        tag = child.tag
        if tag == _SET_SPEC:
            if len(specs) < MAX_SET_SPECS:
                specs.append(_text(child))
        elif tag in _IN_HEADER and tag not in texts:
            texts[tag] = _text(child)
    deleted = header.get("status") == "deleted"
    stamp = texts.get(_DATESTAMP) or texts.get(_DATESTAMP_OF_PYCSW, "")
    identifier = texts.get(_IDENTIFIER, "")
    return received_header(identifier, stamp, set_specs=tuple(specs), deleted=deleted, key=keys.get(identifier))


def received_header(
    identifier: str, datestamp: str, *, set_specs: tuple[str, ...] = (), deleted: bool = False, key: str | None = None
) -> ReceivedHeader:
    """Make the header of these texts. `key`: that of the identifier, where it is known already."""
    key = oai.oai_identifier(identifier) if key is None else key
    return ReceivedHeader(identifier, key, datestamp, datestamps.lenient(datestamp), set_specs, deleted)


def _origin(description: etree._Element) -> Provenance:
    """Return an originDescription and those nested in it, at most as many as are stored (P122, P123)."""
    steps = []
    inner: etree._Element | None = description
    while inner is not None:
        base_url, identifier, datestamp, namespace = (
            (inner.findtext(f"{_PROVENANCE}{name}") or "")[:MAX_TEXT].strip()
            for name in ("baseURL", "identifier", "datestamp", "metadataNamespace")
        )
        altered = inner.get("altered", "").strip() in ("true", "1")
        harvest_date = inner.get("harvestDate", "")[:MAX_TEXT]
        steps.append(Provenance(base_url, identifier, datestamp, namespace, harvest_date, altered))
        inner = inner.find(f"{_PROVENANCE}originDescription")
    return chain(steps)


def _child_text(element: etree._Element, name: str) -> str:
    child = next(element.iterchildren(f"{_OAI}{name}"), None)
    if child is None:
        return ""
    return _text(child) if len(child) else (child.text or "").strip()[:MAX_TEXT]


def _text(element: etree._Element) -> str:
    return ("".join(map(str, element.itertext())) if len(element) else element.text or "").strip()[:MAX_TEXT]
