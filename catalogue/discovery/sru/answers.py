"""Write the answers of SRU: responses of the three operations, records in both packings, diagnostics, and the explain record."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.sax.saxutils import escape, quoteattr

from catalogue import oai
from catalogue.discovery.sru.diagnostics import Diagnostic
from catalogue.discovery.sru.indexes import CONTEXT_SETS, INDEXES, Index, spelled
from catalogue.discovery.sru.parameters import DEFAULT_RECORDS, MOST_RECORDS, SCHEMAS, STRING

SRU_NS = "http://www.loc.gov/zing/srw/"
DIAGNOSTIC_NS = "http://www.loc.gov/zing/srw/diagnostic/"
EXPLAIN_NS = "http://explain.z3950.org/dtd/2.0/"
COUNT_NS = "urn:x-gisc-catalogue-node:sru:count:1"  # ours
_START = f'<?xml version="1.0" encoding="UTF-8"?>\n<sru:{{0}} xmlns:sru="{SRU_NS}"><sru:version>{{1}}</sru:version>'
_RELATIONS = {
    "anywhere": ("=", "all", "any", "adj"),
    "words": ("=", "all", "any", "adj"),
    "value": ("=", "<>", "any", "all"),
    "identifier": ("=", "<>", "any", "all"),
    "set": ("=", "<>", "any", "all"),
    "instant": ("=", "<>", "<", ">", "<=", ">=", "within"),
    "box": ("=", "within/partial"),
    "time": ("=", "within/partial"),
    "all": ("=",),
}


@dataclass(frozen=True, slots=True)
class Found:
    """A record of an answer. `element`: its XML in the schema that was asked for; None: why it is not there."""

    identifier: str
    element: bytes | None
    diagnostic: Diagnostic | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A term of an index, and how many records have it; None: that is not counted."""

    value: str
    number: int | None = None


def text(value: str) -> str:
    """Return a text as XML, without what XML cannot carry."""
    return escape(oai.NOT_XML.sub("\ufffd", value))


def search_response(
    version: str,
    records: Sequence[Found],
    *,
    number: int,
    is_exact: bool,
    start: int,
    following: int | None,
    schema: str,
    packing: str,
    echoed: Sequence[tuple[str, str]],
    diagnostics: Sequence[Diagnostic] = (),
) -> bytes:
    """Write a searchRetrieveResponse. `following`: the position of the next record; `echoed`: parameters in the schema's order."""
    made = [_START.format("searchRetrieveResponse", version), f"<sru:numberOfRecords>{number}</sru:numberOfRecords>"]
    if records:
        made.append("<sru:records>")
        made += [_record(version, each, start + place, schema, packing) for place, each in enumerate(records)]
        made.append("</sru:records>")
    if following is not None:
        made.append(f"<sru:nextRecordPosition>{following}</sru:nextRecordPosition>")
    made += [_echoed("SearchRetrieve", echoed), _diagnostics(diagnostics)]
    if not is_exact:
        made.append(
            f'<sru:extraResponseData><count:isEstimate xmlns:count="{COUNT_NS}">true</count:isEstimate></sru:extraResponseData>'
        )
    return _closed(made, "searchRetrieveResponse")


def _record(version: str, found: Found, position: int, schema: str, packing: str) -> str:
    if found.element is None:
        schema = "info:srw/schema/1/diagnostics-v1.1"
        content = "" if found.diagnostic is None else _diagnostic(found.diagnostic)
    else:
        content = found.element.decode()
    # SRU 1.2 has the identifier; 1.1 has not.
    identifier = f"<sru:recordIdentifier>{text(found.identifier)}</sru:recordIdentifier>" if version == "1.2" else ""
    return (
        f"<sru:record><sru:recordSchema>{schema}</sru:recordSchema><sru:recordPacking>{packing}</sru:recordPacking>"
        f"<sru:recordData>{escape(content) if packing == STRING else content}</sru:recordData>"
        f"{identifier}<sru:recordPosition>{position}</sru:recordPosition></sru:record>"
    )


def scan_response(
    version: str, terms: Iterable[Term], echoed: Sequence[tuple[str, str]], diagnostics: Sequence[Diagnostic] = ()
) -> bytes:
    """Write a scanResponse."""
    listed = "".join(
        f"<sru:term><sru:value>{text(term.value)}</sru:value>"
        + (f"<sru:numberOfRecords>{term.number}</sru:numberOfRecords>" if term.number is not None else "")
        + "</sru:term>"
        for term in terms
    )
    made = [_START.format("scanResponse", version), f"<sru:terms>{listed}</sru:terms>" if listed else ""]
    return _closed([*made, _echoed("Scan", echoed), _diagnostics(diagnostics)], "scanResponse")


def refused(operation: str, version: str, diagnostic: Diagnostic, address: str, title: str, contact: str) -> bytes:
    """Write the response of an operation that is not done; of an operation that there is not, an explainResponse."""
    if operation == "searchRetrieve":
        made = [_START.format("searchRetrieveResponse", version), "<sru:numberOfRecords>0</sru:numberOfRecords>"]
        return _closed([*made, _diagnostics([diagnostic])], "searchRetrieveResponse")
    if operation == "scan":
        return scan_response(version, (), (), [diagnostic])
    return explain_response(version, "xml", address, title, contact, [diagnostic])


def _closed(made: Sequence[str], name: str) -> bytes:
    return f"{''.join(made)}</sru:{name}>\n".encode(errors="replace")


def _echoed(operation: str, parameters: Sequence[tuple[str, str]]) -> str:
    if not parameters:
        return ""
    inside = "".join(f"<sru:{name}>{text(value)}</sru:{name}>" for name, value in parameters)
    return f"<sru:echoed{operation}Request>{inside}</sru:echoed{operation}Request>"


def _diagnostics(diagnostics: Sequence[Diagnostic]) -> str:
    inside = "".join(map(_diagnostic, diagnostics))
    return f"<sru:diagnostics>{inside}</sru:diagnostics>" if inside else ""


def _diagnostic(diagnostic: Diagnostic) -> str:
    details = f"<diag:details>{text(diagnostic.details)}</diag:details>" if diagnostic.details else ""
    return (
        f'<diag:diagnostic xmlns:diag="{DIAGNOSTIC_NS}"><diag:uri>{diagnostic.uri}</diag:uri>{details}'
        f"<diag:message>{text(diagnostic.message)}</diag:message></diag:diagnostic>"
    )


# --- Explain --------------------------------------------------------------------------------------------


def explain_response(
    version: str, packing: str, address: str, title: str, contact: str, diagnostics: Sequence[Diagnostic] = ()
) -> bytes:
    """Write an explainResponse with the ZeeRex record of this interface at `address`."""
    record = _explain(version, address, title, contact)
    made = [
        _START.format("explainResponse", version),
        f"<sru:record><sru:recordSchema>{EXPLAIN_NS}</sru:recordSchema><sru:recordPacking>{packing}</sru:recordPacking>",
        f"<sru:recordData>{escape(record) if packing == STRING else record}</sru:recordData></sru:record>",
        _diagnostics(diagnostics),
    ]
    return _closed(made, "explainResponse")


def _explain(version: str, address: str, title: str, contact: str) -> str:
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    sets = "".join(f"<set name={quoteattr(name)} identifier={quoteattr(uri)}/>" for name, uri in CONTEXT_SETS.items())
    schemas = "".join(
        f'<schema name={quoteattr(name)} identifier={quoteattr(uri)} sort="false" retrieve="true"><title>{label}</title></schema>'
        for (uri, name), label in zip(SCHEMAS.items(), ("ISO 19139", "Dublin Core"), strict=True)
    )
    return (
        f'<explain xmlns="{EXPLAIN_NS}">'
        f'<serverInfo protocol="SRU" version="{version}" transport="{parts.scheme}" method="GET POST">'
        f"<host>{text(parts.hostname or '')}</host><port>{port}</port><database>{text(parts.path.lstrip('/'))}</database></serverInfo>"
        f'<databaseInfo><title lang="en" primary="true">{text(title)}</title>'
        '<description lang="en" primary="true">Discovery metadata of WIS, ISO 19139. Queries are in CQL 1.2.</description>'
        f"<contact>{text(contact)}</contact></databaseInfo>"
        f"<indexInfo>{sets}{''.join(map(_described, INDEXES))}</indexInfo><schemaInfo>{schemas}</schemaInfo>"
        "<configInfo>"
        f'<default type="numberOfRecords">{DEFAULT_RECORDS}</default><default type="contextSet">cql</default>'
        '<default type="index">cql.serverChoice</default><default type="relation">=</default>'
        f'<setting type="maximumRecords">{MOST_RECORDS}</setting>'
        '<supports type="sort"/><supports type="scan"/><supports type="maskingCharacter">*</supports>'
        "</configInfo></explain>"
    )


def _described(name: str) -> str:
    index = INDEXES[name]
    context = name.partition(".")[0]
    flags = f'search="true" scan="{_flag(index.is_scanned)}" sort="{_flag(index.order is not None)}"'
    relations = "".join(f'<supports type="relation">{escape(each)}</supports>' for each in relations_of(index))
    return (
        f'<index {flags}><title>{text(index.title)}</title><map><name set="{context}">{spelled(name)}</name></map>'
        f"<configInfo>{relations}</configInfo></index>"
    )


def relations_of(index: Index) -> tuple[str, ...]:
    """Return the relations that an index has, with their modifiers where they need one."""
    return (*_RELATIONS[index.kind], *(("==",) if index.field in ("title", "abstract") else ()))


def _flag(is_so: bool) -> str:
    return "true" if is_so else "false"
