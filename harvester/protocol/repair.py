"""Parse a page that did not parse as a whole: record by record, and repair the records that fail.

No network, no Django. Always the second attempt, never the first (H32, H33, promise 7). The page must be complete: it
has its closing root tag, and what is around the records parses without a repair. Then each record is parsed strictly by
itself. A record that fails is repaired and marked; a record that cannot be repaired is an entry with a fault and its
bytes.
"""

import codecs
import html.entities
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from lxml import etree

from catalogue import oai
from catalogue.documents import complexity, xml_tree
from catalogue.reasons import Reason, ReasonCode
from harvester.errors import BrokenReply, FaultCode, TooLarge
from harvester.header import ReceivedHeader
from harvester.messages import RepairCode
from harvester.protocol import answers, envelope
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.protocol.unchanged import LoadKeys, LoadStored
from harvester.protocol.warnings import ProviderWarning, WarningCode
from harvester.reasons import EntryCode

_ROOT = re.compile(rb"<((?:[\w.\-]+:)?)OAI-PMH[\s>]")
_HEADER_TEXTS = {
    name: re.compile(rb"<(?:[\w.\-]+:)?" + name.encode() + rb"(?:\s[^<>]*+)?>([^<]*+)<")
    for name in ("identifier", "datestamp")
}
_MAX_WRAPPER = 16_000  # chosen: bytes of the start tags that each record is parsed with
_HEADER_START = re.compile(rb"<(?:[\w.\-]+:)?header[\s>]")
_HEADER_END = re.compile(rb"</(?:[\w.\-]+:)?header\s*+>")


def read_page(
    body: bytes,
    *,
    continued: bool,
    verb: str = "ListRecords",
    charset: str = "",
    date: datetime | None = None,
    load_stored: LoadStored | None = None,
    load_keys: LoadKeys | None = None,
    before_repair: Callable[[], object] = lambda: None,
) -> Page:
    """As `answers.parse_page`; an answer that does not parse as a whole, or has too much in it, is parsed by record.

    `before_repair` is called first then. Raises what `answers.parse_page` does, if the page is not complete.
    """
    try:
        return answers.parse_page(
            body,
            continued=continued,
            verb=verb,
            charset=charset,
            date=date,
            load_stored=load_stored,
            load_keys=load_keys,
        )
    except (BrokenReply, TooLarge) as exc:
        fault = exc.with_traceback(None)  # which would keep the tree of the page
    before_repair()
    return repair_page(body, fault, continued=continued, verb=verb, date=date)


def repair_page(
    body: bytes,
    fault: BrokenReply | TooLarge,
    *,
    continued: bool,
    verb: str = "ListRecords",
    date: datetime | None = None,
) -> Page:
    """Parse the page record by record. Raises `fault`, the first attempt's error, if the page is incomplete.

    No record keeps its tree: together they may be too large for that.
    """
    text, warnings = _without_surroundings(body)
    parts = _split(text, verb)
    if parts is None:
        raise fault
    frame, wrapper, spans = parts
    # A record costs twice as much by itself.
    if complexity.excess_of_records(2 * len(spans), len(text)) or len(wrapper[0]) > _MAX_WRAPPER:
        raise fault
    try:
        root, frame_text = _parse_frame(frame, fault)
        frame_page = answers.page_from_tree(root, frame_text, verb, continued=continued, date=date)
    except TooLarge:
        raise fault from None
    entries = tuple(_entry(text[slice(*span)], wrapper, verb, frame_page.response_date) for span in spans)
    warnings += [
        ProviderWarning(WarningCode.REPAIRED, {"repairs": [str(code) for code in entry.repairs]})
        for entry in entries
        if entry.repairs
    ]
    return replace(frame_page, entries=entries, warnings=frame_page.warnings + tuple(warnings))


def _parse_frame(frame: bytes, fault: BrokenReply | TooLarge) -> tuple[etree._Element, bytes]:
    try:
        return envelope.parse(frame)
    except BrokenReply:
        raise fault from None


# --- The page around the records --------------------------------------------------------------------


def _without_surroundings(body: bytes) -> tuple[bytes, list[ProviderWarning]]:
    """Cut off what is before the XML declaration and after the closing tag; return warnings of it (F11, F12)."""
    warnings = []
    text = body.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n").removeprefix(codecs.BOM_UTF8)
    if len(text) < len(body.removeprefix(codecs.BOM_UTF8)):
        warnings.append(ProviderWarning(WarningCode.SURROUNDINGS, {"where": "before"}))
    opened = _ROOT.search(text)
    if opened is not None:
        ending = re.compile(rb"</" + re.escape(opened.group(1)) + rb"OAI-PMH\s*>")
        ends = [match.end() for match in ending.finditer(text)]
        if ends and text[ends[-1] :].strip():
            warnings.append(ProviderWarning(WarningCode.SURROUNDINGS, {"where": "after"}))
            text = text[: ends[-1]]
    return text, warnings


def _split(text: bytes, verb: str) -> tuple[bytes, tuple[bytes, bytes], list[tuple[int, int]]] | None:
    """Return the page without its records, the start and end tags that each record needs around it, and where they stand.

    None if the page is incomplete.
    """
    root = _ROOT.search(text)
    if root is None or not text.rstrip().endswith(b"OAI-PMH>"):
        return None
    prefix = re.escape(root.group(1))
    verb_tag = re.compile(rb"<" + prefix + verb.encode() + rb"(?:\s[^<>]*+)?>").search(text, root.end())
    end = text.rfind(b"</" + root.group(1) + verb.encode())
    if verb_tag is None or end < verb_tag.end():
        return None
    starts = [
        m.start() for m in re.finditer(rb"<" + prefix + rb"record[\s>]", text) if verb_tag.end() <= m.start() < end
    ]
    closing = re.compile(rb"</" + prefix + rb"record\s*>")
    spans, between, at = [], [], verb_tag.end()
    for start, limit in zip(starts, [*starts[1:], end], strict=False):
        closings = [match.end() for match in closing.finditer(text, start, limit)]
        after = closings[-1] if closings else limit
        spans.append((start, after))
        between.append(text[at:start])
        at = after
    frame = text[: verb_tag.end()] + b"".join(between) + text[at:]
    opening = text[root.start() : verb_tag.end()]
    # Without responseDate and request, which are between the two start tags.
    start_tags = opening[: opening.index(b">") + 1] + verb_tag.group()
    end_tags = b"</" + root.group(1) + verb.encode() + b"></" + root.group(1) + b"OAI-PMH>"
    return frame, (start_tags, end_tags), spans


# --- One record -------------------------------------------------------------------------------------


def _entry(record: bytes, wrapper: tuple[bytes, bytes], verb: str, at: datetime) -> ReceivedEntry:
    fault = _fault_before_parsing(record)
    if fault is not None:
        return ReceivedEntry(_header_as_text(record), record[: xml_tree.MAX_RECORD_BYTES], fault=fault)
    try:
        return _parse_record(record, wrapper, verb, at)
    except TooLarge as exc:
        return ReceivedEntry(_header_as_text(record), record, fault=Reason(ReasonCode.TOO_COMPLEX, exc.facts))
    except BrokenReply as exc:
        facts: dict[str, Any] = {"cause": exc.to_json()}
    except UnicodeError as exc:
        facts = {"cause": BrokenReply(FaultCode.XML_SYNTAX, {"detail": str(exc)}).to_json()}
    repaired, repairs = _repair(record) if record.count(b"&") <= complexity.LIMITS.in_force.references else (record, ())
    if repairs and not _header_changed(record, repaired):
        try:
            return _parse_record(repaired, wrapper, verb, at)._replace(repairs=repairs)
        except (BrokenReply, TooLarge) as exc:
            facts |= {"repairs": [str(code) for code in repairs], "cause_after_repairs": exc.to_json()}
    return ReceivedEntry(_header_as_text(record), record, fault=Reason(EntryCode.UNREADABLE, facts))


_MAX_AROUND = 100_000  # chosen: bytes of a record beside its metadata


def _fault_before_parsing(record: bytes) -> Reason | None:
    """Return why a record is not even parsed, because that would cost too much."""
    if len(record) > xml_tree.MAX_RECORD_BYTES + _MAX_AROUND:
        return xml_tree.oversized(len(record))
    excess = complexity.excess_of_record(record)
    return xml_tree.too_complex(excess) if excess else None


def _header_as_text(record: bytes) -> ReceivedHeader:
    """Return the probable header of a record that could not be parsed."""
    return answers.received_header(_header_text(record, "identifier"), _header_text(record, "datestamp"))


def _parse_record(record: bytes, wrapper: tuple[bytes, bytes], verb: str, at: datetime) -> ReceivedEntry:
    try:
        root, text = envelope.parse(wrapper[0] + record + wrapper[1])
        (entry,) = answers.page_from_tree(root, text, verb, continued=False, date=at).entries
    except ValueError as exc:
        raise BrokenReply(FaultCode.NOT_ONE_RECORD) from exc
    except BrokenReply as exc:
        cause = exc.__cause__
        if isinstance(cause, etree.XMLSyntaxError):  # the cause alone, as the other speaks of a whole answer
            raise BrokenReply(FaultCode.XML_SYNTAX, {"detail": cause.msg or ""}) from exc
        raise
    return entry._replace(root=None)


def _header_text(record: bytes, name: str) -> str:
    """Return the probable text of a header element, for people only, as the record could not be parsed."""
    found = _HEADER_TEXTS[name].search(record)
    if found is None:
        return ""
    text = found.group(1).strip()[: answers.MAX_TEXT].decode(errors="replace")
    return oai.NOT_XML.sub("\ufffd", html.unescape(text)).strip()


def _header_changed(before: bytes, after: bytes) -> bool:
    """Whether the repair changed more of the header than its ampersands: then the identifier may be wrong."""
    old, new = _header_of(before), _header_of(after)
    return old is None or new is None or _escape_ampersands(old) != new


def _header_of(record: bytes) -> bytes | None:
    start = _HEADER_START.search(record)
    end = _HEADER_END.search(record, start.end()) if start else None
    return record[start.start() : end.end()] if start and end else None


# --- Repairs ----------------------------------------------------------------------------------------


def _repair(record: bytes) -> tuple[bytes, tuple[RepairCode, ...]]:
    """Return the record after all repairs, and the codes of those that changed it."""
    repairs = []
    for code, repair in _REPAIRS.items():
        after = repair(record)
        if after != record:
            record = after
            repairs.append(code)
    return record, tuple(repairs)


# Each byte that is not UTF-8, as Python's "surrogateescape" gives it, to its character in Windows-1252.
_WINDOWS_1252 = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}

_DECLARATION = re.compile(rb"<\?xml\s[^<>]*?\?>")
_CHARACTER_REFERENCE = re.compile(rb"&#(?:x([0-9A-Fa-f]+)|([0-9]+));")
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]*;)")
_BARE_AMPERSAND = re.compile(rb"&(?!(?:[A-Za-z_][\w.\-]*|#[0-9]+|#x[0-9A-Fa-f]+);)")
_XML_ENTITIES = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})


def _to_utf8(record: bytes) -> bytes:
    return record.decode("utf-8", "surrogateescape").translate(_WINDOWS_1252).encode()


_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\r"))


def _without_forbidden_characters(record: bytes) -> bytes:
    return oai.NOT_XML.sub("", record.translate(None, _CONTROLS).decode()).encode()  # what is most often there, at once


def _without_forbidden_references(record: bytes) -> bytes:
    def without_forbidden(match: re.Match[bytes]) -> bytes:
        digits = match.group(1) or match.group(2)
        code = int(digits, 16 if match.group(1) else 10) if len(digits) < 9 else 0
        return b"" if code > 0x10FFFF or oai.NOT_XML.match(chr(code)) else match.group()

    return _CHARACTER_REFERENCE.sub(without_forbidden, record)


def _without_html_entities(record: bytes) -> bytes:
    def character(match: re.Match[bytes]) -> bytes:
        name = match.group(1).decode()
        return (
            match.group() if name in _XML_ENTITIES else html.entities.html5.get(name, match.group().decode()).encode()
        )

    return _ENTITY.sub(character, record)


def _escape_ampersands(record: bytes) -> bytes:
    return _BARE_AMPERSAND.sub(b"&amp;", record)


# H32, in its order; then F6 and F13.
_REPAIRS: dict[RepairCode, Callable[[bytes], bytes]] = {
    RepairCode.WINDOWS_1252: _to_utf8,
    RepairCode.CHARACTERS: _without_forbidden_characters,
    RepairCode.REFERENCES: _without_forbidden_references,
    RepairCode.ENTITIES: _without_html_entities,
    RepairCode.DECLARATIONS: lambda record: _DECLARATION.sub(b"", record),
    RepairCode.AMPERSANDS: _escape_ampersands,
}
