"""Read a large document in a process of its own, with limits of CPU time and memory that the kernel enforces.

The limits of `catalogue.documents.complexity` bound the cost of what is known to be costly; this bounds what is not known
yet. A document that goes beyond costs itself, not the worker with all the others. lxml only, no Django.
"""

import os
import pickle  # between two processes of our own  # nosec B403
import resource
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from catalogue import seams
from catalogue.limits import Replaceable
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import read_document
from catalogue.writing.read_document import ReadResult

_OUT_OF_MEMORY = 3  # an exit status
_BY_LIMITS = (_OUT_OF_MEMORY, -signal.SIGXCPU, -signal.SIGKILL)  # the kernel kills at the hard limit of CPU time
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class ApartLimits:
    """From which size on a document is read apart, and what reading it may cost."""

    above_bytes: int = 1024 * 1024  # chosen: twice the largest real record seen; the process costs 0.2 s
    cpu_s: int = 10  # chosen: five times what a document of 10 MB within the limits of complexity takes
    memory_bytes: int = 1024**3  # chosen: twice that, with the libraries


LIMITS = Replaceable(ApartLimits())


def read_all(documents: Sequence[bytes], stored_digests: Mapping[int, bytes]) -> list[ReadResult]:
    """Parse documents, large ones apart; one result for each.

    `stored_digests`: by index of the document, the digest of the record that it probably is.
    """
    limit = LIMITS.in_force.above_bytes
    offered = [(document, stored_digests.get(index)) for index, document in enumerate(documents)]
    here = iter(read_document.read_each(each for each in offered if len(each[0]) <= limit))
    return [read(*each) if len(each[0]) > limit else next(here) for each in offered]


def read(document: bytes, stored_digest: bytes | None = None) -> ReadResult:
    """Parse a document as `read_document.read` does, in a process of its own. Returns why, if it cannot be stored.

    Raises RuntimeError if the process ends for another reason than its limits.
    """
    limits = LIMITS.in_force
    done = seams.run_program(
        [sys.executable, "-m", __name__, str(limits.cpu_s), str(limits.memory_bytes)],
        input=pickle.dumps((document, stored_digest)),
        capture_output=True,
        cwd=_ROOT,  # where the module is found
    )
    if done.returncode == 0:
        result: ReadResult = pickle.loads(done.stdout)  # of our own process  # nosec B301
        return result
    if done.returncode not in _BY_LIMITS:
        error = done.stderr.decode("utf-8", "replace").strip()[-500:]
        raise RuntimeError(f"a reading process ended with {done.returncode}: {error}")
    facts = {"cpu_s": limits.cpu_s, "memory_mib": limits.memory_bytes // 1024**2}
    return Reason(ReasonCode.TOO_COSTLY, facts)


def confine(cpu_s: int, memory_bytes: int) -> None:
    """Limit this process, for good. A limit that is stricter already, as of a service manager, stays."""
    for limit, value in (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(limit)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)  # only root may raise a hard limit
        resource.setrlimit(limit, (bound, bound))


def _serve(cpu_s: int, memory_bytes: int) -> None:
    """Read the document on standard input within the limits, and write the result to standard output."""
    document, stored_digest = pickle.loads(sys.stdin.buffer.read())  # of the process that started this  # nosec B301
    confine(cpu_s, memory_bytes)
    try:
        result = pickle.dumps(read_document.read_or_describe_fault(document, stored_digest))
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)
    sys.stdout.buffer.write(result)


if __name__ == "__main__":
    _serve(*map(int, sys.argv[1:]))
