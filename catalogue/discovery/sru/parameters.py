"""Read the parameters of a request of SRU 1.1 or 1.2. What is wrong with one becomes a diagnostic; unknown ones are refused."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.http import QueryDict

from catalogue import oai
from catalogue.discovery.sru.diagnostics import Code, Diagnostic
from catalogue.documents import dublin_core

VERSIONS = ("1.1", "1.2")
DEFAULT_RECORDS, MOST_RECORDS = 20, 100  # chosen, as OAI-PMH has them on a page
DEFAULT_TERMS, MOST_TERMS = 20, 200  # of a scan, chosen
# Chosen: positions are counted from the first record, so a deep page reads the ids of all before it.
MOST_POSITION = 100_000
XML, STRING = "xml", "string"
ISO, DC = oai.GMD_NS, "info:srw/schema/1/dc-v1.1"
SCHEMAS = {ISO: "iso19139", DC: "dc"}  # identifiers with their short names
_SCHEMA_OF = {
    **{name: uri for uri, name in SCHEMAS.items()},
    **{uri: uri for uri in SCHEMAS},
    "gmd": ISO,
    dublin_core.SRW_DC_NS: DC,
    dublin_core.DC_NS: DC,
}
_GIVEN_TO_ALL = ("operation", "version", "stylesheet", "extraRequestData")
_KNOWN = {
    "explain": (*_GIVEN_TO_ALL, "recordPacking"),
    "searchRetrieve": (
        *(*_GIVEN_TO_ALL, "query", "startRecord", "maximumRecords", "recordPacking", "recordSchema"),
        *("recordXPath", "resultSetTTL", "sortKeys"),
    ),
    "scan": (*_GIVEN_TO_ALL, "scanClause", "responsePosition", "maximumTerms"),
}
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Explain:
    """A request for the description of this interface."""

    version: str
    packing: str


@dataclass(frozen=True, slots=True)
class SearchRetrieve:
    """A request for records. `schema`: its identifier; `sort_keys`: of SRU 1.1."""

    version: str
    query: str
    start: int
    most: int
    packing: str
    schema: str
    sort_keys: str


@dataclass(frozen=True, slots=True)
class Scan:
    """A request for terms of an index."""

    version: str
    clause: str
    position: int
    most: int


def operation_of(arguments: QueryDict) -> str:
    """Return the operation that is asked for; explain where nothing is asked for (SRU 1.2, explain)."""
    usual = "searchRetrieve" if _first(arguments, "query") is not None else "explain"
    return _first(arguments, "operation") or usual


def version_of(arguments: QueryDict) -> str:
    """Return the version of an answer, whatever else is wrong with the request."""
    given = _first(arguments, "version")
    return given if given in VERSIONS else VERSIONS[-1]


def read(arguments: QueryDict) -> Explain | SearchRetrieve | Scan:
    """Read a request. Raises Diagnostic."""
    operation = operation_of(arguments)
    if operation not in _KNOWN:
        raise Diagnostic(Code.UNSUPPORTED_OPERATION, operation, "there are explain, searchRetrieve and scan")
    given = _named(arguments, operation)
    if "stylesheet" in given:
        raise Diagnostic(Code.STYLESHEETS)
    version = _version(given, is_needed=operation != "explain")
    if operation == "explain":
        return Explain(version, _packing(given))
    if "operation" not in given:
        raise Diagnostic(Code.MANDATORY_PARAMETER, "operation", "write operation=searchRetrieve")
    if operation == "scan":
        return Scan(
            version,
            _needed(given, "scanClause"),
            _number(given, "responsePosition", 1, least=0),
            _number(given, "maximumTerms", DEFAULT_TERMS, least=1),
        )
    if given.get("recordXPath"):
        raise Diagnostic(Code.XPATH)
    return SearchRetrieve(
        version,
        _needed(given, "query"),
        _number(given, "startRecord", 1, least=1),
        min(_number(given, "maximumRecords", DEFAULT_RECORDS, least=0), MOST_RECORDS),
        _packing(given),
        _schema(given),
        given.get("sortKeys", ""),
    )


def _first(arguments: QueryDict, name: str) -> str | None:
    return next((texts[0] for each, texts in arguments.lists() if each == name and texts), None)


def _named(arguments: QueryDict, operation: str) -> dict[str, str]:
    """Return the parameters by their names; `x-...` are extensions that may be ignored (SRU 1.2)."""
    found: dict[str, str] = {}
    for name, texts in arguments.lists():
        if name.startswith("x-"):
            continue
        if name not in _KNOWN[operation]:
            raise Diagnostic(Code.UNSUPPORTED_PARAMETER, name)
        if len(texts) > 1:
            raise Diagnostic(Code.UNSUPPORTED_VALUE, name, "it is given twice")
        found[name] = str(texts[0])
    return found


def _version(given: Mapping[str, str], *, is_needed: bool) -> str:
    version = given.get("version")
    if version is None:
        if is_needed:
            raise Diagnostic(Code.MANDATORY_PARAMETER, "version", "write version=1.2")
        return VERSIONS[-1]
    if version not in VERSIONS:
        raise Diagnostic(Code.UNSUPPORTED_VERSION, VERSIONS[-1])
    return version


def _needed(given: Mapping[str, str], name: str) -> str:
    text = given.get(name, "")
    if not text.strip():
        raise Diagnostic(Code.MANDATORY_PARAMETER, name)
    return text


def _number(given: Mapping[str, str], name: str, usual: int, *, least: int) -> int:
    text = given.get(name, "") or str(usual)
    if not _WHOLE_NUMBER.fullmatch(text) or int(text) < least:
        raise Diagnostic(Code.UNSUPPORTED_VALUE, name, f"it has to be a whole number from {least} on")
    return int(text)


def _packing(given: Mapping[str, str]) -> str:
    packing = (given.get("recordPacking", "") or XML).lower()
    if packing not in (XML, STRING):
        raise Diagnostic(Code.UNSUPPORTED_PACKING, packing, "there are xml and string")
    return packing


def _schema(given: Mapping[str, str]) -> str:
    asked = given.get("recordSchema", "") or ISO
    if asked not in _SCHEMA_OF:
        raise Diagnostic(Code.UNKNOWN_SCHEMA, asked, f"there are {', '.join(SCHEMAS.values())}")
    return _SCHEMA_OF[asked]
