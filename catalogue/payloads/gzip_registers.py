"""Clear the vector registers that ISA-L leaves in use, which slow later code down. No Django, no I/O.

ISA-L's checksums and compression use the upper halves of the vector registers and do not clear them (no VZEROUPPER).
From then on, every older vector instruction of that thread has to preserve them and waits for them: zstd unpacks at
60 % of its speed, libxml2 parses at 85 %, until something else clears them (docs/benchmarks.md). OpenSSL's SHA-512 does.
"""

import functools
import hashlib
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")
_BLOCK = bytes(128)  # of SHA-512: from this length on it is hashed at once


def clear_registers(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function that calls ISA-L, so that the registers are cleared after it. Takes a microsecond."""

    @functools.wraps(function)
    def with_cleared_registers(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        finally:
            hashlib.sha512(_BLOCK)

    return with_cleared_registers
