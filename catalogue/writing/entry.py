"""Build entries for the store: what decides about each, and its row for the staging table. No Django.

Any process that parses documents builds these; `catalogue.writing.store` decides by identifier and digest and
copies the rows as they are. A row is in the binary format of PostgreSQL's COPY, which costs neither side any quoting.
"""

import json
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from lxml import etree

from catalogue import oai
from catalogue.documents import iso19139, search_terms
from catalogue.provenance import Provenance

# The columns of a row, in their order; `catalogue.writing.staging` creates its table from them.
COLUMNS = {
    "key": "text",
    "identifier": "text",
    "spelling": "text",
    "deleted": "boolean",
    "payload": "bytea",
    "digest": "bytea",
    "metadata_date": "timestamptz",
    "provenance": "jsonb",
    "title": "text",
    "abstract": "text",
    "keywords": "text[]",
    "categories": "text[]",
    "boxes": "jsonb",
    "begins": "timestamptz",
    "ends": "timestamptz",
    "language": "text",
    "kind": "text",
    "policy": "text",
    "organisations": "text[]",
    "terms": "integer[]",
}


class PreparedEntry(NamedTuple):
    """An entry that has been checked. `row` is empty if the entry is known to equal the stored record.

    `digest` and `metadata_date` are None for a deletion, which always has a row. `provenance` counts where another
    source has brought another version (W33). `spelling`: the key of the entry's own identifier, if it is stored as the
    record with another one, of which only the case differs. `words`: those of its texts, as `SearchTerms` has them.
    """

    identifier: str
    key: str
    digest: bytes | None
    metadata_date: datetime | None
    row: bytes
    provenance: Provenance | None = None
    deleted: bool = False
    spelling: str = ""
    words: tuple[bytes, ...] = ()

    @property
    def own_key(self) -> str:
        """The key of the entry's own identifier."""
        return self.spelling or self.key

    def called(self, key: str, identifier: str, spelling: str = "") -> "PreparedEntry":
        """Return the same entry as one of the record with this key and identifier, not of that of its own identifier."""
        row = self.row
        if row:
            row = _names(key, identifier, spelling) + row[len(_names(self.key, self.identifier, self.spelling)) :]
        return self._replace(key=key, identifier=identifier, spelling=spelling, row=row)


class ParsedEntry(NamedTuple):
    """A live version of a record that is not packed yet: its row without payload and provenance, in three pieces.

    `key` is that of the document's own identifier.
    """

    identifier: str
    key: str
    digest: bytes
    metadata_date: datetime | None
    head: bytes
    middle: bytes
    tail: bytes
    words: tuple[bytes, ...]

    @property
    def title(self) -> str:
        """The title, which the third piece begins with."""
        (length,) = _read_length(self.tail)
        return self.tail[_LENGTH_BYTES : _LENGTH_BYTES + length].decode()

    def with_payload(self, packed: bytes, provenance: Provenance | None = None) -> PreparedEntry:
        """Complete the row."""
        stored = _json(provenance.to_json()) if provenance else _NULL
        row = b"".join((self.head, _length(len(packed)), packed, self.middle, stored, self.tail))
        return PreparedEntry(
            self.identifier, self.key, self.digest, self.metadata_date, row, provenance, words=self.words
        )


def parsed_entry(metadata: iso19139.Metadata, key: str | None = None) -> ParsedEntry:
    """Build the entry of a live version of a record. `key`: that of its identifier, where it is known already."""
    key = oai.oai_identifier(metadata.identifier) if key is None else key
    head = _names(key, metadata.identifier) + _FALSE
    middle = _field(metadata.digest) + _instant(metadata.metadata_date)
    search = search_terms.of_metadata(metadata)
    tail = b"".join(
        (
            _text(metadata.title),
            _text(metadata.abstract),
            _texts(metadata.keywords),
            _texts(metadata.categories),
            _json(metadata.boxes) if metadata.boxes else _NO_JSON,
            _instant(metadata.begins),
            _instant(metadata.ends),
            _text(metadata.language),
            _text(metadata.kind),
            _text(metadata.policy),
            _texts(metadata.organisations),
            _numbers(search.terms),
        )
    )
    return ParsedEntry(
        metadata.identifier, key, metadata.digest, metadata.metadata_date, head, middle, tail, search.words
    )


def deletion_entry(identifier: str, key: str) -> PreparedEntry:
    """Build a deletion. The identifier must be a valid one (P68), and the key its key."""
    empty_fields = (
        _text(""),
        _text(""),
        _texts(()),
        _texts(()),
        _NO_JSON,
        _NULL,
        _NULL,
        *[_text("")] * 3,
        _texts(()),
        _NULL,
    )
    row = b"".join((_names(key, identifier), _TRUE, _NULL, _NULL, _NULL, _NULL, *empty_fields))
    return PreparedEntry(identifier, key, None, None, row, deleted=True)


def unchanged_entry(root: etree._Element, digest: bytes) -> PreparedEntry:
    """Build an entry for a document with the stored digest, without parsing further or packing. Raises xml_tree.Unusable."""
    identifier = iso19139.identifier_of(root)
    return PreparedEntry(identifier, oai.oai_identifier(identifier), digest, iso19139.date_of(root), b"")


# --- The binary format of COPY: lengths and values, big-endian (PostgreSQL manual, COPY, "Binary Format") ----

COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)  # before the rows
COPY_TRAILER = b"\xff\xff"  # after them
_NULL = b"\xff\xff\xff\xff"
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TEXT_OID, _INTEGER_OID = 25, 23
_JSONB_VERSION = b"\x01"

_LENGTH_BYTES = 4
_length: Callable[[int], bytes] = struct.Struct(">i").pack
_read_length: Callable[..., tuple[int]] = struct.Struct(">i").unpack_from
_long: Callable[[int], bytes] = struct.Struct(">q").pack
_encode_json = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would make an encoder each time
_array_head: Callable[..., bytes] = struct.Struct(">iiiii").pack  # dimensions, nulls, element type, length, first index
_NUMBER_OF_FIELDS = struct.pack(">h", len(COLUMNS))


def _names(key: str, identifier: str, spelling: str = "") -> bytes:
    """Build the begin of a row: what the record is called."""
    return b"".join((_NUMBER_OF_FIELDS, _text(key), _text(identifier), _text(spelling)))


def _field(value: bytes) -> bytes:
    return _length(len(value)) + value


def _text(value: str) -> bytes:
    if not value:
        return _NO_TEXT
    encoded = value.encode()
    return _length(len(encoded)) + encoded


def _texts(values: Sequence[str]) -> bytes:
    if not values:
        return _NO_TEXTS
    return _field(_array_head(1, 0, _TEXT_OID, len(values), 1) + b"".join(map(_text, values)))


def _numbers(values: Sequence[int]) -> bytes:
    if not values:
        return _NO_NUMBERS
    pairs = [4] * (2 * len(values))  # each number after its length
    pairs[1::2] = values
    return _field(_array_head(1, 0, _INTEGER_OID, len(values), 1) + struct.pack(f">{len(pairs)}i", *pairs))


def _json(value: object) -> bytes:
    return _field(_JSONB_VERSION + _encode_json(value).encode())


def _instant(value: datetime | None) -> bytes:
    return _NULL if value is None else _length(8) + _long((value - _EPOCH) // _MICROSECOND)


_NO_TEXT = _length(0)
_TRUE, _FALSE = _field(b"\x01"), _field(b"\x00")
_NO_TEXTS = _field(struct.pack(">iii", 0, 0, _TEXT_OID))
_NO_NUMBERS = _field(struct.pack(">iii", 0, 0, _INTEGER_OID))
_NO_JSON = _json([])
