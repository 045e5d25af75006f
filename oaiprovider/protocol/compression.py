"""Which content coding a client wants, and the bytes in it (OAI-PMH 3.1.3). Pure: no Django, no clock.

gzip and, for those who ask for nothing else, deflate: by that HTTP means the zlib format (RFC 9110, 8.4.1.2). ISA-L's
level 1 is taken because it is five times as fast as zlib's and a little smaller (docs/benchmarks.md).

What is asked for again and again need not be compressed again: a piece is deflate data that ends on a byte boundary and
refers to nothing before it, so that any sequence of pieces is one deflate stream (RFC 1951; zlib's Z_FULL_FLUSH).
"""

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from isal import igzip_lib, isal_zlib

from catalogue.payloads.gzip_registers import clear_registers

IDENTITY = "identity"
GZIP = "gzip"
DEFLATE = "deflate"
ENCODINGS = (GZIP, DEFLATE)  # what Identify announces (P58), and what is preferred where the client leaves the choice
_LEVEL = 1
_FORMATS = {GZIP: igzip_lib.COMP_GZIP, DEFLATE: igzip_lib.COMP_ZLIB}
# RFC 9110, 8.4.1.3: to be treated as the same.
_SAME = {"x-gzip": GZIP}
# RFC 9110, 12.5.3 and 12.4.2: a coding, and perhaps its weight.
_CODING = re.compile(
    r"([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?", re.IGNORECASE
)
# RFC 1952: one member, deflated, without a name or a time, from an unknown system.
_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LAST_BLOCK = b"\x03\x00"  # RFC 1951, 3.2.3: final, fixed codes, empty


class Piece(NamedTuple):
    """Some bytes of a document, deflated; `crc` and `length` are of those bytes."""

    deflated: bytes
    crc: int
    length: int


def chosen(accepted: str | None) -> str:
    """The coding of the answer to a request with this Accept-Encoding (P115, S31).

    One that is named with a weight above 0, and not below that of `identity` or of the other one. A header that cannot
    be parsed, `*` and no header at all mean identity, which every client can read.
    """
    weights: dict[str, float] = {}
    for part in (accepted or "").split(","):
        coding = part.strip(" \t")
        if not coding:
            continue  # RFC 9110, 5.6.1: an empty element of a list says nothing
        found = _CODING.fullmatch(coding)
        if found is None:
            return IDENTITY
        name = found[1].lower()
        name = _SAME.get(name, name)
        weight = 1.0 if found[2] is None else float(found[2])
        weights[name] = min(weight, weights.get(name, 1.0))  # a coding named twice is refused if it once is
    best = max(ENCODINGS, key=lambda name: weights.get(name, 0.0))  # of equals the first
    weight = weights.get(best, 0.0)
    return best if weight > 0 and weight >= weights.get(IDENTITY, 0.0) else IDENTITY


@clear_registers
def encode(document: Sequence[bytes | Piece], coding: str) -> bytes:
    """The document in this coding; the same bytes give the same bytes. Pieces of it may be there for gzip alone."""
    if coding == GZIP and any(isinstance(part, Piece) for part in document):
        return _joined(document)
    body = b"".join(document)  # type: ignore[arg-type]
    return body if coding == IDENTITY else igzip_lib.compress(body, _LEVEL, _FORMATS[coding])


@clear_registers
def piece(content: bytes) -> Piece:
    """`content` as a piece."""
    packer = isal_zlib.compressobj(_LEVEL, wbits=-15)
    deflated = packer.compress(content) + packer.flush(isal_zlib.Z_FULL_FLUSH)
    return Piece(deflated, isal_zlib.crc32(content), len(content))


def _joined(document: Iterable[bytes | Piece]) -> bytes:
    """One gzip member (RFC 1952); its checksum is combined from those of the pieces."""
    out, crc, length = [_GZIP_HEADER], 0, 0
    for deflated, its_crc, its_length in _pieces(document):
        out.append(deflated)
        crc = isal_zlib.crc32_combine(crc, its_crc, its_length)
        length += its_length
    out += (_LAST_BLOCK, struct.pack("<LL", crc, length & 0xFFFFFFFF))
    return b"".join(out)


def _pieces(document: Iterable[bytes | Piece]) -> Iterator[Piece]:
    """The document in pieces; what is between those that are there becomes one each."""
    between: list[bytes] = []
    for part in document:
        if isinstance(part, bytes):
            between.append(part)
            continue
        if between:
            yield piece(b"".join(between))
            between.clear()
        yield part
    if between:
        yield piece(b"".join(between))
