"""Unpack records from answers of OAI-PMH and CSW servers and from series, as a stream. No Django.

A file of any size is read once, in chunks; at most one record of it is in memory. A record is cut out byte for byte, in
UTF-8, with the namespace declarations that stand around it; nothing else is inherited.
"""

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple
from xml.parsers import expat

from catalogue import oai
from catalogue.documents import complexity, xml_tree
from catalogue.reasons import Reason, ReasonCode

BEGINNING_BYTES = 16 * 1024  # chosen: so much of a file shows what its root is
_CHUNK_BYTES = 64 * 1024
_MAX_DEPTH = 256  # as libxml2's
_MAX_TAG_BYTES = 1024 * 1024  # chosen: of a tag; a comment may be as long as a record
_MIN_PART_BYTES = 100  # chosen: of a record or deletion on an average, after the first ones
_PARTS_OF_ANY_SIZE = 10_000
_MAX_ERRORS = 20
_MIN_TAG_BYTES = 12  # chosen: of the elements around the records, on an average
_SPACE = " "  # between namespace and local name, as expat writes names
_CSW = re.compile(r"http://www\.opengis\.net/cat/csw/.+ (?:SearchResults|GetRecordByIdResponse)")
_WRAPPER = re.compile(
    rf"{re.escape(oai.OAI_NS)} .*|http://www\.opengis\.net/cat/csw/.*|http://www\.opengis\.net/ows\S* ExceptionReport"
    rf"|{re.escape(oai.GMD_NS)} DS_.*|http://www\.isotc211\.org/2005/gmx MX_.*"
)
_RECORDS = frozenset({f"{oai.GMD_NS} MD_Metadata", f"{oai.GMI_NS} MI_Metadata"})
_METADATA, _HEADER, _IDENTIFIER, _ERROR = (
    f"{oai.OAI_NS} {name}" for name in ("metadata", "header", "identifier", "error")
)
_EXCEPTION = re.compile(r"http://www\.opengis\.net/ows\S* Exception")
# What most files begin with: a record by itself. For speed.
_RECORD_ALONE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s+|<!--.*?-->|<\?.*?\?>)*+<(?:[^\s<>:/]+:)?M[DI]_Metadata[\s>/]", re.S
)


class Part(NamedTuple):
    """A record of a file, or why it is not offered. `place`: counted from 1; 0 for what is said of the whole file."""

    place: int
    content: bytes = b""
    fault: Reason | None = None


class _Stop(Exception):
    """Nothing more is to be read."""


def is_wrapper(beginning: bytes) -> bool:
    """Whether a file with this beginning is an answer or a series, which may have records in it."""
    if _RECORD_ALONE.match(beginning):
        return False
    names: list[str] = []

    def start(name: str, _attributes: object) -> None:
        names.append(name)
        raise _Stop

    parser = expat.ParserCreate("utf-8", _SPACE)
    parser.StartElementHandler = start
    try:
        for chunk in _as_utf8(lambda _: b"", beginning):
            parser.Parse(chunk, False)
    except (_Stop, xml_tree.Unusable, expat.ExpatError):
        pass
    return bool(names) and _WRAPPER.fullmatch(names[0]) is not None


def unpack(read: Callable[[int], bytes], beginning: bytes) -> Iterator[Part]:
    """Yield the records of a file in their order. `read` reads on after `beginning`, so many bytes at most.

    A file that is not well-formed gives the records before the place where it breaks, and the fault. What `read` raises
    is raised.
    """
    parts = _Parts()
    try:
        for chunk in _as_utf8(read, beginning):
            parts.feed(chunk)
            yield from parts.take()
        parts.close()
    except xml_tree.Unusable as exc:
        yield from parts.take()
        yield Part(0, fault=exc.reason)
        return
    yield from parts.take()
    if parts.is_empty:
        yield Part(0, fault=parts.without_records())


def _as_utf8(read: Callable[[int], bytes], beginning: bytes) -> Iterator[bytes]:
    """Yield the file in chunks of UTF-8. Raises Unusable."""
    encoding = xml_tree.encoding_of(beginning)
    try:
        decode = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)().decode
    except (LookupError, TypeError) as exc:
        raise xml_tree.Unusable(Reason(ReasonCode.UNKNOWN_ENCODING, {"encoding": encoding})) from exc
    chunk = beginning
    while chunk:
        try:
            yield chunk if decode is None else decode(chunk).encode()
        except UnicodeError as exc:
            facts = {"error": f"it is not {encoding.upper()} as it says"}
            raise xml_tree.Unusable(Reason(ReasonCode.NOT_WELL_FORMED, facts)) from exc
        chunk = read(_CHUNK_BYTES)


def _with_namespaces(element: bytes, inherited: Mapping[str, str]) -> bytes:
    """Add the namespace declarations from around the element that it uses, so that it is well-formed by itself."""
    prefixes = xml_tree.used_prefixes(element, [prefix for prefix in inherited if prefix])
    used = {
        prefix: uri
        for prefix, uri in inherited.items()
        if (prefix in prefixes if prefix else uri and xml_tree.has_tag_without_prefix(element))
    }
    return xml_tree.declare(element, used) if used else element


def _is_error(name: str) -> bool:
    return name == _ERROR or (name.endswith(" Exception") and _EXCEPTION.fullmatch(name) is not None)


class _Parts:
    """The parser of one file: takes chunks in UTF-8, gives the parts that are complete."""

    def __init__(self) -> None:
        self.is_empty = True
        self._number = 0  # of the last record or deletion
        self._ready: deque[Part] = deque()
        self._root = ""
        self._parser = parser = expat.ParserCreate("utf-8", _SPACE)
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.CharacterDataHandler = self._take_text
        self._path: list[str] = []
        self._scopes: list[dict[str, str]] = [{}]  # the namespaces in force, by prefix, of each open element
        self._declared: dict[str, str] = {}  # by the tag that is being read
        self._buffer = bytearray()  # from `_base` on: what may still be needed
        self._base = self._fed = self._at = 0
        self._begin: int | None = None  # where the open record begins
        self._depth = self._inside = 0  # of the open record, and the elements in it
        self._inherited: dict[str, str] = {}  # by the open record, from what is around it
        self._text: list[str] | None = None  # of the open header's identifier, or of an error
        self._deleted: str | None = None  # the identifier of the open header, if it is one of a deletion
        self._error: dict[str, str] = {}
        self._errors = self._around = 0  # elements around the records

    def feed(self, chunk: bytes) -> None:
        """Parse a chunk. Raises Unusable."""
        self._buffer += chunk
        self._parse(chunk, last=False)
        self._fed += len(chunk)
        # Where what is not finished begins. From version 2.6 on, expat waits with a long tag or comment, and may say -1 then.
        self._at = max(self._parser.CurrentByteIndex, self._at)
        self._check_unfinished()
        needed = self._at if self._begin is None else self._begin
        del self._buffer[: max(needed - self._base, 0)]
        self._base = max(needed, self._base)
        if len(self._buffer) > xml_tree.MAX_RECORD_BYTES + 2 * _CHUNK_BYTES:
            self._drop_buffer()

    def _check_unfinished(self) -> None:
        """Raise Unusable where one tag, or one comment, is too long: expat keeps it, and reads it again at each chunk."""
        at = self._at
        unfinished = self._fed - at
        if unfinished > xml_tree.MAX_RECORD_BYTES:
            raise xml_tree.Unusable(xml_tree.oversized(unfinished))
        kind = bytes(self._buffer[at - self._base + 1 : at - self._base + 2])
        if unfinished > _MAX_TAG_BYTES and kind not in (b"", b"!", b"?"):
            tag = bytes(self._buffer[at - self._base :]) + b">"
            excess = complexity.excess_of_tags(tag) or complexity.Excess("tag", unfinished, _MAX_TAG_BYTES)
            raise xml_tree.Unusable(xml_tree.too_complex(excess))

    def close(self) -> None:
        """Parse the end. Raises Unusable."""
        self._parse(b"", last=True)

    def take(self) -> Iterator[Part]:
        """Yield the parts that are complete."""
        while self._ready:
            yield self._ready.popleft()

    def without_records(self) -> Reason:
        """Return the reason for a file that has no record."""
        namespace, _, name = self._root.rpartition(_SPACE)
        facts = {"root": name, "namespace": namespace or "(none)"}
        if namespace == oai.OAI_NS:
            return Reason(ReasonCode.OAI_PMH_ANSWER, facts)
        is_series = namespace == oai.GMD_NS or name.startswith("MX_")
        return Reason(ReasonCode.NOT_ISO_19139 if is_series else ReasonCode.CSW_ANSWER, facts)

    def _parse(self, chunk: bytes, *, last: bool) -> None:
        try:
            self._parser.Parse(chunk, last)
        except expat.ExpatError as exc:
            facts = {"error": expat.ErrorString(exc.code), "line": exc.lineno}
            raise xml_tree.Unusable(Reason(ReasonCode.NOT_WELL_FORMED, facts)) from exc

    def _drop_buffer(self) -> None:
        """Go on counting the bytes of a record that is too large, without keeping them."""
        self._base += len(self._buffer)
        self._buffer.clear()

    # --- What expat reports ------------------------------------------------------------------------------

    def _refuse_doctype(self, *_: object) -> None:
        raise xml_tree.Unusable(Reason(ReasonCode.DOCTYPE))

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        self._declared[prefix or ""] = uri or ""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        declared, self._declared = self._declared, {}
        if len(self._path) >= _MAX_DEPTH:
            raise xml_tree.Unusable(self._too_deep())
        if self._begin is not None:
            self._inside += 1
            if self._inside > complexity.LIMITS.in_force.tags:
                self._skip()
                return
        else:
            self._root = self._root or name
            if self._is_record(name):
                self._begin, self._depth, self._inside = self._parser.CurrentByteIndex, len(self._path), 0
                around = self._scopes[-1]
                self._inherited = {prefix: uri for prefix, uri in around.items() if prefix not in declared}
            else:
                self._scopes.append(self._in_scope(declared) if declared else self._scopes[-1])
                self._start_around(name, attributes)
        self._path.append(name)

    def _too_deep(self) -> Reason:
        facts = {"error": f"elements are nested more than {_MAX_DEPTH} deep", "line": self._parser.CurrentLineNumber}
        return Reason(ReasonCode.NOT_WELL_FORMED, facts)

    def _skip(self) -> None:
        """Until the end of the element around the one that begins, only count: the open record has too many to be taken."""
        parser, depth, allowed = self._parser, 1, _MAX_DEPTH - len(self._path)

        def start(_name: str, _attributes: object) -> None:
            nonlocal depth
            depth += 1
            if depth > allowed:
                raise xml_tree.Unusable(self._too_deep())

        def end(name: str) -> None:
            nonlocal depth
            depth -= 1
            if depth < 0:
                parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
                self._declared = {}
                self._end(name)

        parser.StartElementHandler, parser.EndElementHandler = start, end

    def _in_scope(self, declared: dict[str, str]) -> dict[str, str]:
        """Return the namespaces in force with those declared. Raises Unusable if so many are around the records."""
        scope, limit = self._scopes[-1] | declared, complexity.LIMITS.in_force.namespaces
        if len(scope) > limit:
            raise xml_tree.Unusable(xml_tree.too_complex(complexity.Excess("namespaces-around", len(scope), limit)))
        return scope

    def _is_record(self, name: str) -> bool:
        parent = self._path[-1] if self._path else ""
        return name in _RECORDS or parent == _METADATA or _CSW.fullmatch(parent) is not None

    def _start_around(self, name: str, attributes: dict[str, str]) -> None:
        """Note what an element around the records says. Raises Unusable if there are far more than any answer has."""
        self._around += 1
        limit = self._fed // _MIN_TAG_BYTES + complexity.LIMITS.in_force.tags
        if self._around > limit:
            raise xml_tree.Unusable(xml_tree.too_complex(complexity.Excess("tags", self._around, limit)))
        if name == _HEADER:
            self._deleted = "" if attributes.get("status") == "deleted" else None
        elif name == _IDENTIFIER and self._deleted is not None and self._path[-1:] == [_HEADER]:
            self._text = []
        elif _is_error(name):
            self._text, self._error = [], {"error": attributes.get("code") or attributes.get("exceptionCode") or ""}

    def _take_text(self, text: str) -> None:
        if self._text is not None and self._begin is None and sum(map(len, self._text)) < oai.MAX_IDENTIFIER_BYTES:
            self._text.append(text)

    def _end(self, name: str) -> None:
        self._path.pop()
        if self._begin is not None:
            if len(self._path) == self._depth:
                self._end_record()
            return
        self._scopes.pop()
        text = "".join(self._text).strip() if self._text is not None else ""
        if name == _IDENTIFIER and self._text is not None:
            self._deleted, self._text = text, None
        elif name == _HEADER and self._deleted is not None:
            self._add(fault=Reason(ReasonCode.DELETED_HEADER, {"identifier": self._deleted}))
            self._deleted = None
        elif _is_error(name):
            self._text, self.is_empty, self._errors = None, False, self._errors + 1
            if self._errors <= _MAX_ERRORS:
                self._ready.append(Part(0, fault=Reason(ReasonCode.ANSWER_ERROR, {**self._error, "text": text})))

    def _end_record(self) -> None:
        assert self._begin is not None
        at, begin, self._begin = self._parser.CurrentByteIndex, self._begin, None
        if begin < self._base:  # its beginning is not kept
            self._add(fault=xml_tree.oversized(at - begin))
            return
        begin -= self._base
        end = xml_tree.end_of_tag(self._buffer, begin)
        if self._buffer[end - 2] != ord("/"):  # else the start tag is all
            end = self._buffer.index(b">", at - self._base) + 1
        element = bytes(self._buffer[begin:end])
        self._add(_with_namespaces(element, self._inherited))

    def _add(self, content: bytes = b"", fault: Reason | None = None) -> None:
        self._number, self.is_empty = self._number + 1, False
        limit = self._fed // _MIN_PART_BYTES + _PARTS_OF_ANY_SIZE
        if self._number > limit:  # no record is as small as these
            raise xml_tree.Unusable(xml_tree.too_complex(complexity.Excess("entries", self._number, limit)))
        self._ready.append(Part(self._number, content, fault))
