"""A page that does not parse: its records one by one, those that fail mended, those that still fail kept apart.

A second attempt, never the first (H32, H33, promise 7). The page must be whole: its closing root tag is there, and
what stands around the records parses as it is. Then each record is parsed strictly by itself. One that fails is
mended and marked; one that cannot be mended is an entry with a fault and its bytes. Pure: no network, no Django.
"""

import codecs
import html.entities
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from lxml import etree

from catalogue import oai
from harvester.errors import BrokenReply
from harvester.protocol import answers, envelope
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.protocol.warnings import ProviderWarning, WarningCode

_ROOT = re.compile(rb"<((?:[\w.\-]+:)?)OAI-PMH[\s>]")
_HEADER_TEXTS = {
    name: re.compile(rb"<(?:[\w.\-]+:)?" + name.encode() + rb"(?:\s[^>]*)?>([^<]*)<")
    for name in ("identifier", "datestamp")
}
_HEADER = re.compile(rb"<(?:[\w.\-]+:)?header[\s>].*?</(?:[\w.\-]+:)?header\s*>", re.DOTALL)


def page(
    body: bytes, broken: BrokenReply, *, continued: bool, verb: str = "ListRecords", date: datetime | None = None
) -> Page:
    """The page in `body`, record by record. Raises `broken` if it is not a whole page."""
    text, warnings = _without_surroundings(body)
    cut = _split(text, verb)
    if cut is None:
        raise broken
    frame, around, records = cut
    try:
        root, frame_text = envelope.read(frame)
    except BrokenReply:
        raise broken from None
    framed = answers.page_of(root, frame_text, verb, continued=continued, date=date)
    entries = tuple(_entry(record, around, verb, framed.response_date) for record in records)
    warnings += [
        ProviderWarning(WarningCode.MENDED, f"A record was mended: {', '.join(entry.mended)}.")
        for entry in entries
        if entry.mended
    ]
    return replace(framed, entries=entries, warnings=framed.warnings + tuple(warnings))


# --- What stands around -----------------------------------------------------------------------------


def _without_surroundings(body: bytes) -> tuple[bytes, list[ProviderWarning]]:
    """The page from its declaration to its closing tag, and what was left out around it (F11, F12)."""
    warnings = []
    text = body.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n").removeprefix(codecs.BOM_UTF8)
    if len(text) < len(body.removeprefix(codecs.BOM_UTF8)):
        warnings.append(
            ProviderWarning(
                WarningCode.SURROUNDINGS, "A page has white space before its XML declaration; it was left out."
            )
        )
    opened = _ROOT.search(text)
    if opened is not None:
        ending = re.compile(rb"</" + re.escape(opened.group(1)) + rb"OAI-PMH\s*>")
        ends = [match.end() for match in ending.finditer(text)]
        if ends and text[ends[-1] :].strip():
            warnings.append(
                ProviderWarning(WarningCode.SURROUNDINGS, "A page has something after its end; it was left out.")
            )
            text = text[: ends[-1]]
    return text, warnings


def _split(text: bytes, verb: str) -> tuple[bytes, tuple[bytes, bytes], list[bytes]] | None:
    """The page without its records, what must stand around each of them, and the records; None for no whole page."""
    root = _ROOT.search(text)
    if root is None or not text.rstrip().endswith(b"OAI-PMH>"):
        return None
    prefix = re.escape(root.group(1))
    verb_tag = re.compile(rb"<" + prefix + verb.encode() + rb"(?:\s[^>]*)?>").search(text, root.end())
    end = text.rfind(b"</" + root.group(1) + verb.encode())
    if verb_tag is None or end < verb_tag.end():
        return None
    starts = [
        m.start() for m in re.finditer(rb"<" + prefix + rb"record[\s>]", text) if verb_tag.end() <= m.start() < end
    ]
    closing = re.compile(rb"</" + prefix + rb"record\s*>")
    records, rest, at = [], [], verb_tag.end()
    for start, limit in zip(starts, [*starts[1:], end], strict=True):
        closings = [match.end() for match in closing.finditer(text, start, limit)]
        after = closings[-1] if closings else limit
        records.append(text[start:after])
        rest.append(text[at:start])
        at = after
    frame = text[: verb_tag.end()] + b"".join(rest) + text[at:]
    opening = text[root.start() : verb_tag.end()]
    # Between the two start tags stand responseDate and request; the tags alone are what a record needs around it.
    tags = opening[: opening.index(b">") + 1] + verb_tag.group()
    tail = b"</" + root.group(1) + verb.encode() + b"></" + root.group(1) + b"OAI-PMH>"
    return frame, (tags, tail), records


# --- One record -------------------------------------------------------------------------------------


def _entry(record: bytes, around: tuple[bytes, bytes], verb: str, at: datetime) -> ReceivedEntry:
    try:
        return _parsed(record, around, verb, at)
    except (BrokenReply, UnicodeError) as exc:
        fault = str(exc)
    mended, kinds = _mended(record)
    if kinds and not _header_changed(record, mended):
        try:
            return replace(_parsed(mended, around, verb, at), mended=kinds)
        except BrokenReply as exc:
            fault = f"{fault}; mended ({', '.join(kinds)}) it is no better: {exc}"
    header = oai.Header(_said(record, "identifier"), _said(record, "datestamp"))
    return ReceivedEntry(oai.Entry(header, record), fault=f"the record cannot be read: {fault}")


def _parsed(record: bytes, around: tuple[bytes, bytes], verb: str, at: datetime) -> ReceivedEntry:
    try:
        root, text = envelope.read(around[0] + record + around[1])
        (entry,) = answers.page_of(root, text, verb, continued=False, date=at).entries
    except ValueError as exc:
        raise BrokenReply("it does not hold exactly one record") from exc
    except BrokenReply as exc:  # without the words about the whole answer
        cause = exc.__cause__
        raise BrokenReply(cause.msg or "" if isinstance(cause, etree.XMLSyntaxError) else str(exc)) from exc
    return entry


def _said(record: bytes, name: str) -> str:
    """What the header seems to say, for people: the record could not be read."""
    found = _HEADER_TEXTS[name].search(record)
    return oai.NOT_XML.sub("\ufffd", html.unescape(found.group(1).decode(errors="replace"))).strip() if found else ""


def _header_changed(before: bytes, after: bytes) -> bool:
    """Whether mending touched more of the header than its ampersands: then we would not know whose record it is."""
    old, new = _HEADER.search(before), _HEADER.search(after)
    return old is None or new is None or _escape_ampersands(old.group()) != new.group()


# --- Mending ----------------------------------------------------------------------------------------


def _mended(record: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The record after every mending that changes it, and what these were."""
    kinds = []
    for kind, mend in _MENDINGS.items():
        after = mend(record)
        if after != record:
            record = after
            kinds.append(kind)
    return record, tuple(kinds)


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    wrong = error.object[error.start : error.end]
    return "".join(bytes([byte]).decode("cp1252", "replace") for byte in wrong), error.end


codecs.register_error("gisc-windows-1252", _as_windows_1252)

_DECLARATION = re.compile(rb"<\?xml\s[^<>]*?\?>")
_CHARACTER = re.compile(rb"&#(?:x([0-9A-Fa-f]+)|([0-9]+));")
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]*;)")
_AMPERSAND = re.compile(rb"&(?!(?:[A-Za-z_][\w.\-]*|#[0-9]+|#x[0-9A-Fa-f]+);)")
_OF_XML = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})


def _to_utf8(record: bytes) -> bytes:
    return record.decode("utf-8", "gisc-windows-1252").encode()


def _without_forbidden_characters(record: bytes) -> bytes:
    return oai.NOT_XML.sub("", record.decode()).encode()


def _without_forbidden_references(record: bytes) -> bytes:
    def kept(match: re.Match[bytes]) -> bytes:
        digits = match.group(1) or match.group(2)
        code = int(digits, 16 if match.group(1) else 10) if len(digits) < 9 else 0
        return b"" if code > 0x10FFFF or oai.NOT_XML.match(chr(code)) else match.group()

    return _CHARACTER.sub(kept, record)


def _without_html_entities(record: bytes) -> bytes:
    def known(match: re.Match[bytes]) -> bytes:
        name = match.group(1).decode()
        return match.group() if name in _OF_XML else html.entities.html5.get(name, match.group().decode()).encode()

    return _ENTITY.sub(known, record)


def _escape_ampersands(record: bytes) -> bytes:
    return _AMPERSAND.sub(b"&amp;", record)


# H32, in its order; then F6 and F13.
_MENDINGS: dict[str, Callable[[bytes], bytes]] = {
    "bytes that are not UTF-8 read as windows-1252": _to_utf8,
    "forbidden characters dropped": _without_forbidden_characters,
    "references to forbidden characters dropped": _without_forbidden_references,
    "HTML entities replaced": _without_html_entities,
    "XML declarations dropped": lambda record: _DECLARATION.sub(b"", record),
    "ampersands escaped": _escape_ampersands,
}
