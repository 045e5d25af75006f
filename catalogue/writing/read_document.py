import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from catalogue.documents import iso19139, xml_tree
from catalogue.writing import entry
from catalogue.writing.entry import ParsedEntry, PreparedEntry


class ParsedDocument(NamedTuple):
    """A document that was read. `element` is empty where the root element stands in the document as it is."""

    version: ParsedEntry
    start: int
    length: int
    element: bytes

    @property
    def key(self) -> str:
        return self.version.key

    def element_of(self, document: bytes) -> bytes:
        """The root element of the document that was read."""
        return self.element or document[self.start : self.start + self.length]


# What becomes of a document: a version to be packed, one that equals what is held, or why it cannot be stored.
ReadResult = ParsedDocument | PreparedEntry | str

Provenance = Mapping[str, Any] | None

# The fileIdentifier as it mostly stands.
_IDENTIFIER = re.compile(rb"fileIdentifier[^<>]*>\s*<[^<>/]*>([^<&]*)<")
_GUESS_WITHIN_BYTES = 4096


def guess_identifier(document: bytes) -> str:
    """The identifier that the document probably has; empty if it is not where it mostly is. Never relied on."""
    found = _IDENTIFIER.search(document, 0, _GUESS_WITHIN_BYTES)
    return found.group(1).decode("utf-8", "replace").strip() if found else ""


def read_all(
    documents: Sequence[bytes], held: Mapping[int, bytes], provenances: Sequence[Provenance] = ()
) -> list[ReadResult]:
    """What becomes of each document. `held`: by place, the digest of the record that the document probably is."""
    given = provenances or [None] * len(documents)
    return [
        _read_or_say(document, held.get(place), provenance)
        for place, (document, provenance) in enumerate(zip(documents, given, strict=True))
    ]


def _read_or_say(document: bytes, held: bytes | None, provenance: Provenance) -> ReadResult:
    try:
        return read(document, held, provenance)
    except xml_tree.Unusable as exc:
        return str(exc)


def read(document: bytes, held: bytes | None = None, provenance: Provenance = None) -> ParsedDocument | PreparedEntry:
    """Read a document; no further than its identifier when its digest is what is held. Raises metadata.Unusable."""
    element = xml_tree.root_element(document)
    root = xml_tree.parse(element)
    digest = xml_tree.digest_of(root)
    if digest == held:
        return entry.unchanged_entry(root, digest)
    version = entry.parsed_entry(iso19139.read_tree(root, element, digest), provenance)
    start = document.find(element)  # mostly at its beginning
    return ParsedDocument(version, start, len(element), b"" if start >= 0 else element)
