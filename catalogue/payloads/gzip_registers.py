"""What ISA-L leaves behind in the processor, and how to be rid of it. No Django, no I/O.

ISA-L's checksums and compression use the upper halves of the vector registers and do not clear them (no VZEROUPPER).
From then on, every older vector instruction of that thread has to keep them as they are, and waits for them: zstd unpacks at
60 % of its speed, libxml2 parses at 85 %, until something else clears them (docs/benchmarks.md). OpenSSL's SHA-512 does.
"""

import functools
import hashlib
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")
_BLOCK = bytes(128)  # of SHA-512: from this length on it is hashed at once


def cleaned(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that calls ISA-L, and leaves the registers as it found them. Takes a microsecond."""

    @functools.wraps(function)
    def cleaning(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        finally:
            hashlib.sha512(_BLOCK)

    return cleaning
