"""Take records in from documents, few or a million. The command line and uploads use it.

Every document found is accounted for in the report: stored, unchanged, or rejected with its reason.
Batches are committed one by one, so what an interruption leaves behind is whole batches.
"""

import contextlib
import functools
import itertools
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Self

from django.db import connection, connections

from catalogue import oai, seams
from catalogue.bulk.pool import ReadPool
from catalogue.documents import xml_tree
from catalogue.documents.sources import Document
from catalogue.models import MetadataSet
from catalogue.payloads import dictionaries, zstd
from catalogue.writing import current, decisions, read_document, staging, store

BATCH_RECORDS = 500  # chosen: one batch holds the writers' lock for some tens of milliseconds
BATCH_BYTES = 32 * 1024 * 1024
_BATCHES_AT_ONCE = 2  # chosen: so few are stored before other processes have started
_BATCHES_WAITING = 2  # chosen: beside one for each process
_TEND_EVERY = 2000  # chosen: records after which a bulk load looks whether its dictionary is outgrown


@dataclass(frozen=True, slots=True)
class Reject:
    """A document that was not stored."""

    source: str
    identifier: str
    reason: str


@dataclass(slots=True)
class Report:
    """What became of what was offered; the counts add up to `offered`."""

    counts: Counter[str] = field(default_factory=Counter)
    rejects: list[Reject] = field(default_factory=list)

    @property
    def offered(self) -> int:
        return self.counts.total()

    def as_dict(self) -> dict[str, Any]:
        """For --json: offered, new, updated, unchanged, rejected, and the rejects."""
        counts = {name: self.counts[name] for name in ("new", "updated", "unchanged", "rejected")}
        rejects = [{"source": r.source, "identifier": r.identifier, "reason": r.reason} for r in self.rejects]
        return {"offered": self.offered, **counts, "rejects": rejects}


def default_processes() -> int:
    """How many processes read a bulk load: half of the cores. The others are PostgreSQL's and this process's."""
    return max(1, (os.cpu_count() or 1) // 2)


def ingest(
    offered: Iterable[Document],
    *,
    into: MetadataSet,
    advance: Callable[[int], None] = lambda number: None,
    processes: int = 1,
) -> Report:
    """Store the documents in a set; `advance` is told how many were dealt with, batch by batch.

    More than two batches are read by other processes and stored over two connections, of which one stages while the
    other merges; within a caller's transaction, everything is stored in that. What is stored, in which order, and
    what the report says does not depend on it.
    """
    report = Report()
    batches = _batches(offered)
    first = list(itertools.islice(batches, _BATCHES_AT_ONCE + 1))
    batches = itertools.chain(first, batches)
    if len(first) <= _BATCHES_AT_ONCE or connection.in_atomic_block:
        for batch, made in _read_here(batches):
            _account(report, batch, made, _put(batch, made, into))
            advance(len(batch))
        return report
    dictionaries.learn(list(_elements(itertools.chain.from_iterable(first))))
    with _Tending() as tending, _Storing(into) as storing:
        for batch, made in _read_in_processes(batches, processes):
            for stored in storing.take(batch, made):
                _account(report, *stored)
                advance(len(stored[0]))
            tending.after(report.counts.total())
        for stored in storing.rest():
            _account(report, *stored)
            advance(len(stored[0]))
    return report


def _elements(offered: Iterable[Document]) -> Iterator[bytes]:
    for document in offered:
        with contextlib.suppress(xml_tree.Unusable):
            yield xml_tree.root_element(document.content)


class _Tending:
    """Trains a new dictionary beside a bulk load that outgrows the one it began with; the load goes on meanwhile."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1)
        self._training: Future[None] | None = None
        self._looked_at = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()

    def after(self, dealt_with: int) -> None:
        """Called with the number of documents dealt with so far."""
        if dealt_with - self._looked_at < _TEND_EVERY or (self._training and not self._training.done()):
            return
        self._looked_at = dealt_with
        if dictionaries.outgrown():
            self._training = self._executor.submit(self._train)

    @staticmethod
    def _train() -> None:
        try:
            dictionaries.retrain_if_outgrown(functools.partial(seams.run_in_process, zstd.train))
        finally:
            connections.close_all()  # those of this thread


def _batches(offered: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in offered:
        batch.append(document)
        size += len(document.content)
        if len(batch) >= BATCH_RECORDS or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read_here(batches: Iterable[list[Document]]) -> Iterator[tuple[list[Document], list[read_document.ReadResult]]]:
    for batch in batches:
        yield batch, read_document.read_all([document.content for document in batch], _held(batch))


def _read_in_processes(
    batches: Iterable[list[Document]], processes: int
) -> Iterator[tuple[list[Document], list[read_document.ReadResult]]]:
    """The batches in their order, each read by one of the processes. So many are in flight that all have work."""
    pool = ReadPool(processes)
    in_flight: deque[tuple[list[Document], Future[list[read_document.ReadResult]]]] = deque()
    try:
        for batch in _read_ahead(batches):
            contents = [document.content for document in batch]
            in_flight.append((batch, pool.submit(contents, _held(batch))))
            if len(in_flight) > processes + _BATCHES_WAITING:
                earliest, future = in_flight.popleft()
                yield earliest, future.result()
        while in_flight:
            earliest, future = in_flight.popleft()
            yield earliest, future.result()
    finally:
        pool.close()


def _read_ahead(batches: Iterable[list[Document]]) -> Iterator[list[Document]]:
    """The batches, each read from its file or archive by a thread while the one before is dealt with."""
    left = iter(batches)
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, left, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, left, None)
            yield batch


def _held(batch: Sequence[Document]) -> dict[int, bytes]:
    """By place in the batch, the digest that is held of the record that a document probably is."""
    guessed = {place: read_document.guess_identifier(document.content) for place, document in enumerate(batch)}
    keys = {place: oai.identifier_key(identifier) for place, identifier in guessed.items() if identifier}
    digests = current.current_digests(list(keys.values()))
    return {place: digests[key] for place, key in keys.items() if key in digests}


# --- Storing ----------------------------------------------------------------------------------------

_Stored = tuple[list[Document], list[read_document.ReadResult], list[decisions.Result]]


class _Storing:
    """Two connections that store batches in their order: one stages its batch while the other merges the one before."""

    def __init__(self, into: MetadataSet) -> None:
        self._into = into
        self._threads = [ThreadPoolExecutor(1, initializer=_prepare_connection) for _ in range(2)]
        self._under_way: deque[Future[_Stored]] = deque()
        self._keys: set[str] = set()  # of the batch that was taken last
        self._taken = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.submit(_end_connection)
            thread.shutdown()

    def take(self, batch: list[Document], made: list[read_document.ReadResult]) -> Iterator[_Stored]:
        """Have a batch stored; those that are done meanwhile."""
        keys = {each.key for each in made if not isinstance(each, str)}
        before = self._under_way[-1] if self._under_way else None
        if before is not None and not keys.isdisjoint(self._keys):
            before.result()  # what an entry is compared with is what the batch before leaves
        thread = self._threads[self._taken % 2]
        self._under_way.append(thread.submit(self._store, batch, made, before))
        self._keys, self._taken = keys, self._taken + 1
        while len(self._under_way) > len(self._threads):
            yield self._under_way.popleft().result()

    def rest(self) -> Iterator[_Stored]:
        """The batches that were still under way."""
        while self._under_way:
            yield self._under_way.popleft().result()

    def _store(
        self, batch: list[Document], made: list[read_document.ReadResult], before: Future[_Stored] | None
    ) -> _Stored:
        # A batch that failed raises here, so that nothing is stored behind it.
        results = _put(batch, made, self._into, lambda: before.result() if before else None)
        if before:
            before.result()
        return batch, made, results


def _prepare_connection() -> None:
    """A bulk load puts new words into the index in larger portions (measured: docs/benchmarks.md)."""
    with connection.cursor() as cursor:
        cursor.execute("SET gin_pending_list_limit = '16MB'")


def _end_connection() -> None:
    """Put the last portion into the index: searches would go through it word by word."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('description_words')")
    connections.close_all()


def _put(
    batch: Sequence[Document],
    made: Sequence[read_document.ReadResult],
    into: MetadataSet,
    before_lock: Callable[[], object] = lambda: None,
) -> list[decisions.Result]:
    """Store one batch in one transaction; a result for each document that became an entry."""
    usable = [(document.content, each) for document, each in zip(batch, made, strict=True) if not isinstance(each, str)]
    try:
        entries = [store.pack(content, read) for content, read in usable]
        return store.put_entries(entries, into=into, before_lock=before_lock)
    except staging.PayloadNeeded:
        # What was held when it was asked for is held no more, or by another set.
        entries = [store.prepare(content) for content, _ in usable]
        return store.put_entries(entries, into=into, before_lock=before_lock)


def _account(
    report: Report,
    batch: Sequence[Document],
    made: Sequence[read_document.ReadResult],
    stored: Iterable[decisions.Result],
) -> None:
    """Note in the report what became of a batch, in the order of the sources."""
    results = iter(stored)
    for document, each in zip(batch, made, strict=True):
        if isinstance(each, str):
            report.counts[decisions.Action.REJECTED] += 1
            report.rejects.append(Reject(document.source, "", document.fault or each))
            continue
        result = next(results)
        report.counts[result.action] += 1
        if result.action is decisions.Action.REJECTED:
            report.rejects.append(Reject(document.source, result.identifier, result.reason))
