"""Parse documents into entries: what becomes of each one before it is packed and stored. lxml only, no Django.

Kept apart from `catalogue.writing.store`, so that a process that only parses needs no database.
"""

import re
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


def read_or_describe_fault(document: bytes, stored_digest: bytes | None) -> ReadResult:
    """Parse a document, as `read`; return why, if it cannot be stored."""
    try:
        return read(document, stored_digest)
    except xml_tree.Unusable as exc:
        return exc.reason


def read(document: bytes, stored_digest: bytes | None = None) -> ParsedDocument | PreparedEntry:
    """Parse a document; no further than its identifier if it has the stored digest. Raises xml_tree.Unusable."""
    element = xml_tree.root_element(document)
    root = xml_tree.parse(element)
    digest = xml_tree.digest_of(root)
    if digest == stored_digest:
        return entry.unchanged_entry(root, digest)
    metadata = iso19139.read_tree(root, element, digest)
    version = entry.parsed_entry(metadata)
    if metadata.has_bare_elements:
        element = xml_tree.to_splice(element, root)
    start = document.find(element[:_BEGINNING_BYTES])  # of all of it, searching takes longer than parsing a tenth
    is_part = start >= 0 and document.startswith(element, start)
    return ParsedDocument(version, start, len(element), b"" if is_part else element)
