"""Entries made ready for the store: what decides about them, and their row for the staging table. No Django.

Whoever reads documents makes these, in any process; `catalogue.writing.store` decides by identifier and digest and
copies the rows as they are. A row is in the binary format of PostgreSQL's COPY, which costs neither side any quoting.
"""

import json
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from lxml import etree

from catalogue import oai
from catalogue.documents import iso19139
from catalogue.provenance import OURS, Origin, origin

# The columns of a row, in its order; `catalogue.writing.staging` makes a table of them.
COLUMNS = {
    "key": "text",
    "identifier": "text",
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
}


class PreparedEntry(NamedTuple):
    """An entry that has been checked. `row` is empty for one that is known to equal what is held.

    `digest` and `metadata_date` are None for a deletion, and then there is always a row. `origin` counts where another
    way has brought another version (W33).
    """

    identifier: str
    key: str
    digest: bytes | None
    metadata_date: datetime | None
    row: bytes
    origin: Origin = OURS

    @property
    def deleted(self) -> bool:
        return self.digest is None


class ParsedEntry(NamedTuple):
    """A live version of a record whose root element is still to be packed: its row around the payload."""

    identifier: str
    key: str
    digest: bytes
    metadata_date: datetime | None
    head: bytes
    tail: bytes
    origin: Origin = OURS

    def with_payload(self, packed: bytes) -> PreparedEntry:
        row = b"".join((self.head, _length(len(packed)), packed, self.tail))
        return PreparedEntry(self.identifier, self.key, self.digest, self.metadata_date, row, self.origin)


def parsed_entry(said: iso19139.Metadata, provenance: Mapping[str, Any] | None = None) -> ParsedEntry:
    """A live version of a record that says this."""
    key = oai.identifier_key(said.identifier)
    head = b"".join((_NUMBER_OF_FIELDS, _text(key), _text(said.identifier), _FALSE))
    tail = b"".join(
        (
            _field(said.digest),
            _instant(said.metadata_date),
            _json(dict(provenance)) if provenance else _NULL,
            _text(said.title),
            _text(said.abstract),
            _texts(said.keywords),
            _texts(said.categories),
            _json(said.boxes) if said.boxes else _NO_JSON,
            _instant(said.begins),
            _instant(said.ends),
            _text(said.language),
        )
    )
    return ParsedEntry(said.identifier, key, said.digest, said.metadata_date, head, tail, origin(provenance))


def deletion_entry(identifier: str) -> PreparedEntry:
    """A deletion of an identifier that is one (P68)."""
    key = oai.identifier_key(identifier)
    names = _text(key), _text(identifier), _TRUE
    said_nothing = _text(""), _text(""), _texts(()), _texts(()), _NO_JSON, _NULL, _NULL, _text("")
    row = b"".join((_NUMBER_OF_FIELDS, *names, _NULL, _NULL, _NULL, _NULL, *said_nothing))
    return PreparedEntry(identifier, key, None, None, row)


def unchanged_entry(root: etree._Element, digest: bytes) -> PreparedEntry:
    """A version with the digest that is held: it is neither read further nor packed. Raises metadata.Unusable."""
    identifier = iso19139.identifier_of(root)
    return PreparedEntry(identifier, oai.identifier_key(identifier), digest, iso19139.date_of(root), b"")


def copy_stream(entries: Iterable[PreparedEntry]) -> bytes:
    """The rows of these entries as COPY takes them."""
    return b"".join((_HEADER, *(entry.row for entry in entries), _TRAILER))


# --- The binary format of COPY: lengths and values, big-endian (PostgreSQL manual, COPY, "Binary Format") ----

_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER = b"\xff\xff"
_NULL = b"\xff\xff\xff\xff"
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TEXT_OID = 25
_JSONB_VERSION = b"\x01"

_length: Callable[[int], bytes] = struct.Struct(">i").pack
_long: Callable[[int], bytes] = struct.Struct(">q").pack
_array_head: Callable[..., bytes] = struct.Struct(">iiiii").pack  # dimensions, nulls, element type, length, first index
_NUMBER_OF_FIELDS = struct.pack(">h", len(COLUMNS))


def _field(value: bytes) -> bytes:
    return _length(len(value)) + value


def _text(value: str) -> bytes:
    return _field(value.encode())


def _texts(values: Sequence[str]) -> bytes:
    if not values:
        return _NO_TEXTS
    return _field(_array_head(1, 0, _TEXT_OID, len(values), 1) + b"".join(map(_text, values)))


def _json(value: object) -> bytes:
    return _field(_JSONB_VERSION + json.dumps(value, ensure_ascii=False).encode())


def _instant(value: datetime | None) -> bytes:
    return _NULL if value is None else _length(8) + _long((value - _EPOCH) // _MICROSECOND)


_TRUE, _FALSE = _field(b"\x01"), _field(b"\x00")
_NO_TEXTS = _field(struct.pack(">iii", 0, 0, _TEXT_OID))
_NO_JSON = _json([])
