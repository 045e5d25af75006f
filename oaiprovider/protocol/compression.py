"""Choose the content coding that a client accepts, and encode an answer in it (OAI-PMH 3.1.3). Pure: no Django, no clock.

gzip, and deflate for clients that accept only that; in HTTP deflate means the zlib format (RFC 9110, 8.4.1.2). Level 1
of ISA-L is five times as fast as that of zlib, and its output a little smaller (docs/benchmarks.md).

A `Piece` is compressed once and sent many times: deflate data that ends on a byte boundary and refers to nothing before
it, so that any sequence of pieces is one deflate stream (RFC 1951; zlib's Z_FULL_FLUSH).
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
ENCODINGS = (GZIP, DEFLATE)  # as Identify announces them (P58), the preferred one first
_LEVEL = 1
_FORMATS = {GZIP: igzip_lib.COMP_GZIP, DEFLATE: igzip_lib.COMP_ZLIB}
# RFC 9110, 8.4.1.3: another name of the same coding.
_ALIASES = {"x-gzip": GZIP}
# RFC 9110, 12.5.3 and 12.4.2: a coding with an optional weight.
_CODING = re.compile(
    r"([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?", re.IGNORECASE
)
# RFC 1952: one member, deflated, without a name or a time, from an unknown system.
_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LAST_BLOCK = b"\x03\x00"  # RFC 1951, 3.2.3: final, fixed codes, empty


class Piece(NamedTuple):
    """A part of a document, deflated; `crc` and `length` are those of the uncompressed bytes."""

    deflated: bytes
    crc: int
    length: int


def choose_coding(accept_encoding: str | None) -> str:
    """Choose the coding of an answer by the request's Accept-Encoding (P115, S31).

    The coding with the highest weight above 0, if the weight of `identity` is not higher. A header that cannot be
    parsed, `*` and a missing header mean identity, which every client can read.
    """
    weights: dict[str, float] = {}
    for part in (accept_encoding or "").split(","):
        coding = part.strip(" \t")
        if not coding:
            continue  # RFC 9110, 5.6.1: empty elements of a list are ignored
        found = _CODING.fullmatch(coding)
        if found is None:
            return IDENTITY
        name = found[1].lower()
        name = _ALIASES.get(name, name)
        weight = 1.0 if found[2] is None else float(found[2])
        weights[name] = min(weight, weights.get(name, 1.0))  # of a coding named twice, the lower weight counts
    best = max(ENCODINGS, key=lambda name: weights.get(name, 0.0))  # of equal weights the first
    weight = weights.get(best, 0.0)
    return best if weight > 0 and weight >= weights.get(IDENTITY, 0.0) else IDENTITY


@clear_registers
def encode(document: Sequence[bytes | Piece], coding: str) -> bytes:
    """Encode the document in this coding; the result depends on its bytes alone. Pieces are allowed for gzip only."""
    if coding == GZIP and any(isinstance(part, Piece) for part in document):
        return _joined(document)
    body = b"".join(document)  # type: ignore[arg-type]
    return body if coding == IDENTITY else igzip_lib.compress(body, _LEVEL, _FORMATS[coding])


@clear_registers
def piece(content: bytes) -> Piece:
    """Compress `content` into a piece."""
    packer = isal_zlib.compressobj(_LEVEL, wbits=-15)
    deflated = packer.compress(content) + packer.flush(isal_zlib.Z_FULL_FLUSH)
    return Piece(deflated, isal_zlib.crc32(content), len(content))


def _joined(document: Iterable[bytes | Piece]) -> bytes:
    """Join the parts into one gzip member (RFC 1952); its checksum is combined from those of the pieces."""
    out, crc, length = [_GZIP_HEADER], 0, 0
    for deflated, piece_crc, piece_length in _pieces(document):
        out.append(deflated)
        crc = isal_zlib.crc32_combine(crc, piece_crc, piece_length)
        length += piece_length
    out += (_LAST_BLOCK, struct.pack("<LL", crc, length & 0xFFFFFFFF))
    return b"".join(out)


def _pieces(document: Iterable[bytes | Piece]) -> Iterator[Piece]:
    """Yield the document as pieces; the bytes between two ready pieces become one piece."""
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
