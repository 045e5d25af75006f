"""Which content coding a client wants, and the bytes in it (OAI-PMH 3.1.3). Pure: no Django, no clock.

gzip and nothing else (P115): `deflate` means raw deflate to some clients and zlib to others. ISA-L's level 1 is
taken because it is five times as fast as zlib's and a little smaller (docs/benchmarks.md).
"""

import re

from isal import igzip_lib

GZIP = "gzip"
ENCODINGS = (GZIP,)  # what Identify announces (P58)
_LEVEL = 1
# RFC 9110, 8.4.1.3: to be treated as the same.
_NAMES = (GZIP, "x-gzip")
# RFC 9110, 12.5.3 and 12.4.2: a coding, and perhaps its weight.
_CODING = re.compile(
    r"([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?", re.IGNORECASE
)


def wants_gzip(accepted: str | None) -> bool:
    """Whether an answer to a request with this Accept-Encoding is compressed (P115, S31).

    Only where gzip is named with a weight above 0, and not where `identity` is named with a greater one. A
    header that cannot be parsed, `*` and no header at all mean identity, which every client can read.
    """
    weights: dict[str, float] = {}
    for part in (accepted or "").split(","):
        coding = part.strip(" \t")
        if not coding:
            continue  # RFC 9110, 5.6.1: an empty element of a list says nothing
        found = _CODING.fullmatch(coding)
        if found is None:
            return False
        name = found[1].lower()
        name = GZIP if name in _NAMES else name
        weight = 1.0 if found[2] is None else float(found[2])
        weights[name] = min(weight, weights.get(name, 1.0))  # a coding named twice is refused if it once is
    weight = weights.get(GZIP, 0.0)
    return weight > 0 and weight >= weights.get("identity", 0.0)


def gzip(body: bytes) -> bytes:
    """`body` as one gzip member; the same bytes give the same bytes."""
    return igzip_lib.compress(body, _LEVEL, igzip_lib.COMP_GZIP)
