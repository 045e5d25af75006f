"""Pages made ready beside the worker that stores them: by threads, and of a long list of new records by processes.

What a page needs before it is stored is Python for the larger part, of which a process does one thing at a time.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from django.db import connections

from catalogue import ingest, preparing
from harvester import readying
from harvester.parse import ReceivedEntry

_THREADS = 2  # chosen: digests, comparing and packing keep no other thread waiting
_PROCESSES = 2  # chosen: at most; beside them work PostgreSQL and the worker
WORTH_PROCESSES = 50  # chosen: new records of a page that is not the last; starting them takes as long as reading 500

Coming = Callable[[], readying.Readied]


class Makers:
    """Threads and, from when they are worth it, processes. They end with the block."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(max_workers=_THREADS)
        self._pool: preparing.Pool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()
        if self._pool is not None:
            self._pool.close()

    def begin(
        self, entries: Sequence[ReceivedEntry], origin: readying.Origin, held: readying.Held, *, goes_on: bool
    ) -> Coming:
        """Begin to make a page ready; what is returned waits for it. `goes_on`: other pages will follow."""
        if self._pool is None and goes_on and _new(entries, held) >= WORTH_PROCESSES:
            self._pool = preparing.Pool(min(_PROCESSES, ingest.default_processes()))
        share = len(entries) // _THREADS + 1
        shares = [entries[first : first + share] for first in range(0, len(entries), share)]
        futures = [self._threads.submit(_ready, part, origin, held, self._pool) for part in shares]

        def joined() -> readying.Readied:
            parts = [future.result() for future in futures]
            return readying.Readied(
                [each for part in parts for each in part.checked], [each for part in parts for each in part.refused]
            )

        return joined


def _new(entries: Sequence[ReceivedEntry], held: readying.Held) -> int:
    return sum(received.held is None for received in entries) - len(held)


def _ready(
    entries: Sequence[ReceivedEntry], origin: readying.Origin, held: readying.Held, pool: preparing.Pool | None
) -> readying.Readied:
    try:
        return readying.ready(entries, origin, held, pool)
    finally:
        connections.close_all()  # of this thread, should it have had to look for a newer dictionary
