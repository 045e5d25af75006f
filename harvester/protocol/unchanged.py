"""Find records of a page that are stored byte for byte, before the page is parsed, and skip them (promise 3).

A stored record was parsed strictly, by itself, when it was stored. The same bytes in a page are therefore well-formed
too. Such records are cut out of the page, an empty placeholder element takes the place of each, and the rest is parsed
strictly: it is well-formed exactly if the whole page is, as long as each placeholder is found again in a `metadata` of
its own. Where one is not (the record stood in a comment), or anything else is odd, the page is parsed whole. No
network, no database.
"""

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from lxml import etree

from catalogue import oai
from catalogue.documents import complexity

MIN_RECORDS = 20  # chosen: records of a page for which asking the database is worth it


class StoredVersion(Protocol):
    """The version of a record that the catalogue has. `size`: bytes of its root element, -1 if not known."""

    @property
    def identifier(self) -> str: ...

    @property
    def digest(self) -> bytes: ...

    @property
    def metadata_date(self) -> datetime | None: ...

    @property
    def size(self) -> int: ...

    def equals(self, element: bytes) -> bool: ...


LoadKeys = Callable[[Sequence[str]], Mapping[str, str]]  # identifiers in, keys by identifier out
LoadStored = Callable[[Sequence[str]], Mapping[str, StoredVersion]]  # keys in, stored versions by key out


@dataclass(frozen=True, slots=True)
class UnchangedRecord:
    """A record that was cut out of a page, because it is stored byte for byte."""

    key: str
    element: bytes
    version: StoredVersion


_IDENTIFIER = re.compile(rb"<identifier>([^<&]*+)</identifier>")
_MAX_HEADER_BYTES = 4096  # from the identifier to the metadata: the rest of a header
_METADATA_START = re.compile(rb"<metadata(?:\s[^<>]*+)?>\s*+(?=<)")
_METADATA_END = re.compile(rb"\s{0,4096}+</metadata\s*+>")
_PLACEHOLDER = f"unchanged-{secrets.token_hex(16)}"  # a name that no provider can know


@dataclass(frozen=True, slots=True)
class StoredRecords:
    """What the catalogue has of the records of a page.

    `keys`: by identifier, as it stands in the page. `versions`: by key; None if they were not loaded. `unchanged`: the
    records that are stored byte for byte, and `remaining` the page without them.
    """

    keys: Mapping[str, str]
    versions: Mapping[str, StoredVersion] | None
    unchanged: Sequence[UnchangedRecord] = ()
    remaining: bytes = b""


NOTHING_STORED = StoredRecords({}, None)


def look_up(text: bytes, load_stored: LoadStored, load_keys: LoadKeys | None = None) -> StoredRecords:
    """Load the stored versions of a page's records, and cut out those that are unchanged. Not for few records.

    `load_keys`: where the identifiers are names, whose keys are only known from before.
    """
    positions = _positions(text, b"<identifier>")
    if len(positions) > complexity.LIMITS.in_force.page_entries:
        return NOTHING_STORED
    matches = [(_IDENTIFIER.match(text, at), at) for at in positions]
    identifiers = {at: name.decode("utf-8", "replace") for match, at in matches if match and (name := _name(match))}
    if len(identifiers) < MIN_RECORDS:
        return NOTHING_STORED
    names = list(dict.fromkeys(identifiers.values()))
    keys = load_keys(names) if load_keys else {name: oai.oai_identifier(name) for name in names}
    versions = load_stored(list(keys.values()))
    pieces, unchanged, copied_to = [], list[UnchangedRecord](), 0
    for at, identifier in identifiers.items():
        key = keys.get(identifier, "")
        version = versions.get(key)
        start = _METADATA_START.search(text, at, at + _MAX_HEADER_BYTES) if version and at >= copied_to else None
        if version is None or start is None:
            continue
        begin, end = start.end(), start.end() + version.size
        if version.size < 0 or not _METADATA_END.match(text, end) or not version.equals(element := text[begin:end]):
            continue
        pieces += [text[copied_to:begin], b'<%b xmlns="" n="%d"/>' % (_PLACEHOLDER.encode(), len(unchanged))]
        unchanged.append(UnchangedRecord(key, element, version))
        copied_to = end
    remaining = b"".join([*pieces, text[copied_to:]]) if unchanged else b""
    return StoredRecords(keys, versions, unchanged, remaining)


def _name(match: re.Match[bytes]) -> bytes:
    """Return the text of an identifier; empty for one that is too long to be stored."""
    name = match.group(1).strip()
    return name if len(name) <= oai.MAX_IDENTIFIER_BYTES else b""


def placeholder_index(root: etree._Element | None) -> int | None:
    """Return which of the records cut out this element is the placeholder of; None if it is an element of the page."""
    return int(root.get("n", "")) if root is not None and root.tag == _PLACEHOLDER else None


def _positions(text: bytes, tag: bytes) -> list[int]:
    found = []
    at = text.find(tag)
    while at >= 0:
        found.append(at)
        at = text.find(tag, at + len(tag))
    return found
