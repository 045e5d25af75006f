"""Records of a page that are held byte for byte: told before the page is parsed, so that they need not be (promise 3).

What is held was parsed strictly, by itself, when it was stored. The same bytes are as well-formed where they stand in a
page, so they are taken out, an empty element in their place, and the page is parsed strictly without them: that is
well-formed exactly if the page as it came is, as long as each of these elements is found again in a `metadata` of its
own. Where one is not (it stood in a comment), or anything else is odd, the page is parsed as it came. Pure.
"""

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from catalogue import oai

FEWEST = 20  # chosen: records of a page for which asking the database is worth it


class Version(Protocol):
    """A record as it is held."""

    @property
    def size(self) -> int: ...

    def equals(self, element: bytes) -> bool: ...


Held = Callable[[Sequence[str]], Mapping[str, Version]]


@dataclass(frozen=True, slots=True)
class Known:
    """A record of a page that is held as it came."""

    key: str
    element: bytes
    version: Version


_IDENTIFIER = re.compile(rb"<identifier>\s*([^<&]+?)\s*</identifier>")
_BETWEEN_BYTES = 4096  # from the identifier to the record: the rest of a header
_METADATA = re.compile(rb"<metadata(?:\s[^<>]*)?>\s*(?=<)")
_END = re.compile(rb"\s*</metadata\s*>")
_NAME = f"held-{secrets.token_hex(16)}"  # that no provider knows


def take_out(text: bytes, held: Held) -> tuple[bytes, list[Known]] | None:
    """The page without the records that are held as they came, and these; None if there are none, or few records."""
    found = [(_IDENTIFIER.match(text, at), at) for at in _all(text, b"<identifier>")]
    keys = {at: oai.identifier_key(match.group(1).decode("utf-8", "replace")) for match, at in found if match}
    if len(keys) < FEWEST:
        return None
    versions = held(list(keys.values()))
    pieces, known, done = [], list[Known](), 0
    for at, key in keys.items():
        version = versions.get(key)
        start = _METADATA.search(text, at, at + _BETWEEN_BYTES) if version and at >= done else None
        if version is None or start is None:
            continue
        begin, end = start.end(), start.end() + version.size
        if version.size < 0 or not _END.match(text, end) or not version.equals(element := text[begin:end]):
            continue
        pieces += [text[done:begin], b'<%b xmlns="" n="%d"/>' % (_NAME.encode(), len(known))]
        known.append(Known(key, element, version))
        done = end
    return (b"".join([*pieces, text[done:]]), known) if known else None


def number_of(root: etree._Element | None) -> int | None:
    """Which of the records taken out stood where this element stands; None for an element of the page."""
    return int(root.get("n", "")) if root is not None and root.tag == _NAME else None


def _all(text: bytes, what: bytes) -> list[int]:
    found = []
    at = text.find(what)
    while at >= 0:
        found.append(at)
        at = text.find(what, at + len(what))
    return found
