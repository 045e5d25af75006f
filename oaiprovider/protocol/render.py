"""Render values as the bytes of an OAI-PMH document (OAI-PMH 3.2, 4). No queries, no settings, no Django.

All text is escaped and cleaned (P28, P47) by `_element` and `_header`. Only a payload is inserted unchanged: the root
element's bytes with its own namespace declarations (P48), which an XML builder would drop as redundant.
"""

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from catalogue import oai
from catalogue.datestamps import Granularity, write
from catalogue.oai import Entry, Header
from catalogue.provenance import Provenance
from oaiprovider.protocol.compression import Piece
from oaiprovider.protocol.errors import BadArgument, BadVerb, OaiFault

CONTENT_TYPE = "text/xml; charset=UTF-8"  # P10

# P43, P44: the first bytes, and the root with exactly these three attributes.
_OPEN = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<OAI-PMH xmlns="{oai.OAI_NS}" xmlns:xsi="{oai.XSI_NS}" xsi:schemaLocation="{oai.OAI_NS} {oai.OAI_SCHEMA}">\n'
).encode()
_CLOSE = b"</OAI-PMH>\n"

# The verb's element, whole or in parts: the large parts of a page are joined once, at the end, and not at each level.
Body = bytes | Sequence[bytes | Piece]

# Text that needs neither escaping nor cleaning; most text is like this.
_PLAIN = re.compile(r"[ !#-%'-;=?-~]*")
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
# P28: white space in an attribute becomes character references; a parser would turn it into spaces.
_ATTRIBUTE = _TEXT | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})


@dataclass(frozen=True, slots=True)
class Repository:
    """The content of Identify (P52)."""

    name: str
    base_url: str
    admin_emails: tuple[str, ...]
    earliest: datetime
    deleted_record: str
    descriptions: tuple[bytes, ...] = ()
    compressions: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class FormatLine:
    """One format in ListMetadataFormats (P63)."""

    prefix: str
    schema: str
    namespace: str


@dataclass(frozen=True, slots=True)
class SetLine:
    """One set in ListSets (P73); without `descriptions` it has no setDescription."""

    spec: str
    name: str
    descriptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resumption:
    """The resumptionToken element; on the last page of a sequence `token` is empty and `expires` is None (P96)."""

    token: str
    expires: datetime | None
    size: int
    cursor: int


class ProvenanceTemplate(NamedTuple):
    """A provenance container but for the record's identifier and datestamp: what is before and after them."""

    before: str
    after: str


def document(*, at: datetime, base_url: str, given: Iterable[tuple[str, str]], body: Body) -> tuple[bytes | Piece, ...]:
    """Render the whole answer, in parts. `<request>` has the `given` arguments (P25) and the base URL as text (P24)."""
    request = _element("request", base_url, dict(given))
    parts = (body,) if isinstance(body, bytes) else body
    return (_OPEN, _element("responseDate", write(at)), b"\n", request, b"\n", *parts, b"\n", _CLOSE)


def refusal(
    *, at: datetime, base_url: str, given: Iterable[tuple[str, str]], faults: Sequence[OaiFault]
) -> tuple[bytes | Piece, ...]:
    """Render an answer of errors, one for each fault (P21)."""
    # P26: the arguments are not echoed if one of them is illegal. P27: with the other error codes they are.
    illegal = any(isinstance(fault, BadVerb | BadArgument) for fault in faults)
    body = b"\n".join(_element("error", fault.text, {"code": fault.code}) for fault in faults)
    return document(at=at, base_url=base_url, given=() if illegal else given, body=body)


def identify(repository: Repository) -> bytes:
    return _block(
        "Identify",
        [
            _element("repositoryName", repository.name),
            _element("baseURL", repository.base_url),
            _element("protocolVersion", "2.0"),
            *(_element("adminEmail", address) for address in repository.admin_emails),
            _element("earliestDatestamp", write(repository.earliest)),
            _element("deletedRecord", repository.deleted_record),
            _element("granularity", Granularity.SECOND),
            *(_element("compression", name) for name in repository.compressions),  # P58
            *(_wrap("description", container) for container in repository.descriptions),
        ],
    )


def list_metadata_formats(formats: Iterable[FormatLine]) -> bytes:
    return _block(
        "ListMetadataFormats",
        (
            _block(
                "metadataFormat",
                [
                    _element("metadataPrefix", line.prefix),
                    _element("schema", line.schema),
                    _element("metadataNamespace", line.namespace),
                ],
            )
            for line in formats
        ),
    )


def list_sets(sets: Iterable[SetLine], resumption: Resumption | None) -> bytes:
    return _block("ListSets", [*map(_set, sets), *_resumption(resumption)])


def get_record(entry: Entry) -> bytes:
    return b"".join((b"<GetRecord>", record(entry), b"\n</GetRecord>"))


def list_identifiers(headers: Iterable[Header], resumption: Resumption | None) -> bytes:
    return _block("ListIdentifiers", ["\n".join(map(_header, headers)).encode(), *_resumption(resumption)])


def list_records(entries: Iterable[Entry | Piece], resumption: Resumption | None) -> list[bytes | Piece]:
    """Render a page; a Piece is a whole record, as rendered by `record`."""
    parts: list[bytes | Piece] = [b"<ListRecords>"]
    for entry in entries:
        if isinstance(entry, Piece):
            parts.append(entry)
        else:
            parts += _record(entry)
    for element in _resumption(resumption):
        parts += (b"\n", element)
    parts.append(b"\n</ListRecords>")
    return parts


def record(entry: Entry) -> bytes:
    """Render a record, with the line break before it."""
    return b"".join(_record(entry))


def provenance_template(steps: Sequence[Provenance]) -> ProvenanceTemplate:
    """Render the provenance container of the records of a harvest: the latest step is the outermost (P121 to P123)."""
    inner = ""
    before = after = ""
    for step in reversed(steps):
        before, after = _origin_description(step.base_url, step.metadata_namespace, step.harvest_date, step.altered)
        after += inner + "</originDescription>\n"
        inner = f"{before}{_own(step.identifier, step.datestamp)}{after}"
    return ProvenanceTemplate(f"{_provenance_start()}\n{before}", f"{after}</provenance>")


def provenance(template: ProvenanceTemplate, identifier: str, datestamp: str) -> bytes:
    """Render the provenance container of an `about`, with what the record was called and stamped at the provider."""
    return f"{template.before}{_own(identifier, datestamp)}{template.after}".encode()


def _own(identifier: str, datestamp: str) -> str:
    return f"<identifier>{_escaped(identifier)}</identifier>\n<datestamp>{_escaped(datestamp)}</datestamp>"


@functools.lru_cache(maxsize=1024)  # what a relay passes on was harvested a few times
def _origin_description(base_url: str, namespace: str, harvested: str, altered: bool) -> tuple[str, str]:
    """Render what comes before and after identifier and datestamp in an originDescription (P122), without its end tag."""
    attributes = {"harvestDate": harvested, "altered": "true" if altered else "false"}
    before = _start("originDescription", attributes) + b"\n" + _element("baseURL", base_url)
    return f"{before.decode()}\n", f"\n{_element('metadataNamespace', namespace).decode()}\n"


@functools.cache
def _provenance_start() -> str:
    """Render the start tag once: it is the same for each record."""
    return _start("provenance", _declared(oai.PROVENANCE_NS, oai.PROVENANCE_SCHEMA)).decode()


def rights(reference: str) -> bytes:
    """Render the container of an `about` that refers to a statement of rights (P126)."""
    return _block(
        "rights", [_element("rightsReference", "", {"ref": reference})], _declared(oai.RIGHTS_NS, oai.RIGHTS_SCHEMA)
    )


def _declared(namespace: str, schema: str) -> dict[str, str]:
    """P48: a container declares its own namespaces and the location of its schema."""
    return {"xmlns": namespace, "xmlns:xsi": oai.XSI_NS, "xsi:schemaLocation": f"{namespace} {schema}"}


def _set(line: SetLine) -> bytes:
    children = [_element("setSpec", line.spec), _element("setName", line.name)]
    if line.descriptions:
        children.append(_wrap("setDescription", _description(line.descriptions)))
    return _block("set", children)


def _description(texts: Iterable[str]) -> bytes:
    """Render the content of a setDescription as oai_dc (E4)."""
    return b"".join(
        (
            f'<oai_dc:dc xmlns:oai_dc="{oai.OAI_DC_NS}" xmlns:dc="http://purl.org/dc/elements/1.1/"'
            f' xmlns:xsi="{oai.XSI_NS}" xsi:schemaLocation="{oai.OAI_DC_NS} {oai.OAI_DC_SCHEMA}">'.encode(),
            *(_element("dc:description", text) for text in texts),
            b"</oai_dc:dc>",
        )
    )


def _header(header: Header) -> str:
    status = ' status="deleted"' if header.deleted else ""  # P86: a live record has no status
    return (
        f"<header{status}>\n<identifier>{_escaped(header.identifier)}</identifier>\n"
        f"{_rest_of_header(header.datestamp, header.set_specs)}"
    )


@functools.lru_cache(maxsize=1024)
def _rest_of_header(datestamp: str, specs: tuple[str, ...]) -> str:
    """Render datestamp and sets, cached: records that were loaded together have the same ones."""
    lines = "".join(f"<setSpec>{_escaped(spec)}</setSpec>\n" for spec in specs)
    return f"<datestamp>{_escaped(datestamp)}</datestamp>\n{lines}</header>"


def _record(entry: Entry) -> tuple[bytes, ...]:
    """Render a record in parts; the metadata is not copied (see `Body`)."""
    header, metadata, abouts = entry
    if metadata is None:  # P83: a deleted record is its header
        return (f"\n<record>\n{_header(header)}\n</record>".encode(),)
    start = f"\n<record>\n{_header(header)}\n<metadata>".encode()
    if not abouts:
        return start, metadata, b"</metadata>\n</record>"
    return start, metadata, b"</metadata>", *(b"\n" + _wrap("about", about) for about in abouts), b"\n</record>"


def _resumption(resumption: Resumption | None) -> list[bytes]:
    """Render the token element; nothing if the first answer is the whole list (P96)."""
    if resumption is None:
        return []
    attributes = {} if resumption.expires is None else {"expirationDate": write(resumption.expires)}  # P102
    attributes |= {"completeListSize": str(resumption.size), "cursor": str(resumption.cursor)}  # P103, P104
    return [_element("resumptionToken", resumption.token, attributes)]


def _element(name: str, text: str, attributes: dict[str, str] | None = None) -> bytes:
    """Render an element with text, without white space around the text (P53)."""
    return b"".join((_start(name, attributes or {}), _escaped(text).encode(), f"</{name}>".encode()))


def _block(name: str, children: Iterable[bytes], attributes: dict[str, str] | None = None) -> bytes:
    """Render an element around child elements, one a line."""
    return b"\n".join((_start(name, attributes or {}), *children, f"</{name}>".encode()))


def _wrap(name: str, content: bytes) -> bytes:
    """Render an element around bytes that are XML already."""
    return b"".join((f"<{name}>".encode(), content, f"</{name}>".encode()))


def _start(name: str, attributes: dict[str, str]) -> bytes:
    pairs = "".join(f' {key}="{_clean(value).translate(_ATTRIBUTE)}"' for key, value in attributes.items())
    return f"<{name}{pairs}>".encode()


def _escaped(text: str) -> str:
    """Escape and clean the text of an element (P28, P47)."""
    return text if _PLAIN.fullmatch(text) else _clean(text).translate(_TEXT)


def _clean(text: str) -> str:
    """P47: replace each character that XML 1.0 forbids by U+FFFD, so that a reader sees that one was there."""
    return oai.NOT_XML.sub("\ufffd", text)
