"""Parse documents into entries: what becomes of each one before it is packed and stored. lxml only, no Django.

Kept apart from `catalogue.writing.store`, so that a process that only parses needs no database.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from catalogue.documents import iso19139, xml_tree
from catalogue.reasons import Reason
from catalogue.writing import entry
from catalogue.writing.entry import ParsedEntry, PreparedEntry


class ParsedDocument(NamedTuple):
    """A document that was parsed, to be packed. Its root is as `xml_tree.to_splice` returns it.

    That root element is `element`, or, where that is empty, the `length` bytes of the document from `start` on.
    """

    version: ParsedEntry
    start: int
    length: int
    element: bytes

    @property
    def key(self) -> str:
        return self.version.key

    def element_of(self, document: bytes) -> bytes:
        """Return the root element. `document`: the bytes that were parsed."""
        return self.element or document[self.start : self.start + self.length]


# What becomes of a document: a version to be packed, one that equals the stored record, or why it cannot be stored.
ReadResult = ParsedDocument | PreparedEntry | Reason

# The fileIdentifier as most documents write it.
_IDENTIFIER = re.compile(rb"fileIdentifier[^<>]*>\s*<[^<>/]*>([^<&]*)<")
_GUESS_WITHIN_BYTES = 4096
_BEGINNING_BYTES = 64


def guess_identifier(document: bytes) -> str:
    """Return the identifier that the document probably has, or "". Only to look digests up early; never relied on."""
    found = _IDENTIFIER.search(document, 0, _GUESS_WITHIN_BYTES)
    return found.group(1).decode("utf-8", "replace").strip() if found else ""


class _Fields(NamedTuple):
    """What was read of a document, of which no entry is built yet. `start`, `length`, `element`: as of `ParsedDocument`."""

    metadata: iso19139.Metadata
    start: int
    length: int
    element: bytes


def read_or_describe_fault(document: bytes, stored_digest: bytes | None) -> ReadResult:
    """Parse a document, as `read`; return why, if it cannot be stored."""
    (result,) = read_each([(document, stored_digest)])
    return result


def read_each(documents: Iterable[tuple[bytes, bytes | None]]) -> list[ReadResult]:
    """Parse documents, each given with its stored digest, as `read_or_describe_fault`.

    The entries are built when all are parsed. Measured: that takes a tenth less than to build each after its document is
    parsed, most likely because parsing puts the tables of known words out of the processor's caches.
    """
    found = [_read_fields_or_fault(*each) for each in documents]
    return [_build(each) if isinstance(each, _Fields) else each for each in found]


def _read_fields_or_fault(document: bytes, stored_digest: bytes | None) -> _Fields | PreparedEntry | Reason:
    try:
        return _read_fields(document, stored_digest)
    except xml_tree.Unusable as exc:
        return exc.reason


def read(document: bytes, stored_digest: bytes | None = None) -> ParsedDocument | PreparedEntry:
    """Parse a document; no further than its identifier if it has the stored digest. Raises xml_tree.Unusable."""
    found = _read_fields(document, stored_digest)
    return _build(found) if isinstance(found, _Fields) else found


def _read_fields(document: bytes, stored_digest: bytes | None) -> _Fields | PreparedEntry:
    element = xml_tree.root_element(document)
    root = xml_tree.parse(element)
    digest = xml_tree.digest_of(root)
    if digest == stored_digest:
        return entry.unchanged_entry(root, digest)
    metadata = iso19139.read_tree(root, element, digest)
    if metadata.has_bare_elements:
        element = xml_tree.to_splice(element, root)
    start = document.find(element[:_BEGINNING_BYTES])  # of all of it, searching takes longer than parsing a tenth
    is_part = start >= 0 and document.startswith(element, start)
    return _Fields(metadata, start, len(element), b"" if is_part else element)


def _build(fields: _Fields) -> ParsedDocument:
    return ParsedDocument(entry.parsed_entry(fields.metadata), fields.start, fields.length, fields.element)
