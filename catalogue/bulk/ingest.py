"""Ingest: store records from documents, one or a million, for the command line and uploads.

The report counts every document found: stored, unchanged, or rejected with its reason. Batches are committed one by
one, so an interruption leaves whole batches behind.
"""

import contextlib
import functools
import itertools
import logging
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from django.db import connection, connections, transaction
from django.utils.translation import gettext

from catalogue import oai, seams
from catalogue.bulk.pool import ReadPool
from catalogue.documents import xml_tree
from catalogue.documents.sources import Document
from catalogue.models import MetadataSet
from catalogue.payloads import dictionaries, zstd
from catalogue.reasons import Code, Reason, ReasonCode
from catalogue.writing import current, decisions, read_apart, read_document, staging, store, uploads
from catalogue.writing.entry import PreparedEntry

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IngestLimits:
    """How much a load does at a time."""

    batch_records: int = 500  # chosen: one batch holds the writers' lock for some tens of milliseconds
    batch_bytes: int = 32 * 1024 * 1024
    unpooled_batches: int = 2  # chosen: so few are stored before a pool would have started
    batches_waiting: int = 2  # chosen: beside one for each process
    training_check_records: int = 2000  # chosen: after so many a bulk load checks whether its dictionary is outgrown
    sources_remembered: int = 100_000  # chosen: documents of a load that a later one with the identifier can name


DEFAULTS = IngestLimits()


@dataclass(frozen=True, slots=True)
class RejectedDocument:
    """A document that was not stored, or whose content is not served."""

    source: str
    identifier: str
    reason: Reason


CLAIMED = "claimed"  # counts documents that are kept, while the version of another source is served
# These count documents that are stored and that a person should know of. Repeated: they replace what another document of the
# load has given, so that of two records with one identifier only the last is left.
BROUGHT_BACK, OLDER, REPEATED = "brought_back", "older", "repeated"
_STORED = ("new", "updated", REPEATED, BROUGHT_BACK, OLDER)
_COUNTED_AS: dict[Code, str] = {ReasonCode.BROUGHT_BACK: BROUGHT_BACK, ReasonCode.OLDER: OLDER}


class Outcome(NamedTuple):
    """What becomes of a document. `name`: under which reports count it."""

    name: str
    identifier: str
    reason: Reason | None = None


def outcome_of(result: decisions.Result) -> Outcome:
    """Return under which name a result is counted."""
    name: str = result.action
    if result.rejection is None and result.reason is not None:
        counted_as = _COUNTED_AS.get(result.reason.code, name)
        name = counted_as if result.disagreement is None else CLAIMED
    return Outcome(name, result.identifier, result.reason)


def outcomes_of(
    batch: Iterable[Document], parsed: Iterable[read_document.ReadResult], results: Iterable[decisions.Result]
) -> list[Outcome]:
    """Return what becomes of each document of a batch. `results`: of those that could be parsed."""
    remaining = iter(results)
    return [
        Outcome(decisions.Action.REJECTED, "", document.fault or parse_result)
        if isinstance(parse_result, Reason)
        else outcome_of(next(remaining))
        for document, parse_result in zip(batch, parsed, strict=True)
    ]


def count_texts() -> dict[str, str]:
    """Return for each name of a count its text with `{number}`, in the order of reports, in the language in force."""
    return {
        "new": gettext("{number} new"),
        "updated": gettext("{number} updated"),
        REPEATED: gettext("{number} instead of another document"),
        BROUGHT_BACK: gettext("{number} brought back"),
        OLDER: gettext("{number} replaced by an older version"),
        "unchanged": gettext("{number} unchanged"),
        CLAIMED: gettext("{number} kept but not served"),
        "rejected": gettext("{number} rejected"),
    }


@dataclass(slots=True)
class IngestReport:
    """What became of the documents; the counts add up to `offered`.

    `claims`: the documents that were stored as claims, and whose content is not what is served, each with the reason.
    `remarks`: those that were stored though a person may not have meant it: deleted records that are brought back,
    versions older than what they replace, and what replaces another document of the same load.
    """

    counts: Counter[str] = field(default_factory=Counter)
    rejects: list[RejectedDocument] = field(default_factory=list)
    claims: list[RejectedDocument] = field(default_factory=list)
    remarks: list[RejectedDocument] = field(default_factory=list)

    @property
    def offered(self) -> int:
        return self.counts.total()

    def as_dict(self) -> dict[str, Any]:
        """Return the report for --json: the counts, and the documents with a reason."""
        counts = {name: self.counts[name] for name in (*_STORED, "unchanged", CLAIMED, "rejected")}
        rejects, claims, remarks = (
            [{"source": each.source, "identifier": each.identifier, **each.reason.report()} for each in documents]
            for documents in (self.rejects, self.claims, self.remarks)
        )
        return {"offered": self.offered, **counts, "rejects": rejects, "claims": claims, "remarks": remarks}


class Replacing(NamedTuple):
    """A document that has replaced what was stored of its record."""

    document: Document
    identifier: str
    key: str


Recall = Callable[[Sequence[Replacing]], Mapping[str, str]]


class SeenRecords:
    """The records that documents of a load have given, each with the document. Tells where a document replaces another one.

    `recall` tells, by key, which other documents that this object has not seen have given the records of documents.
    """

    def __init__(self, limits: IngestLimits = DEFAULTS, recall: Recall = lambda replacing: {}) -> None:
        self._limits, self._recall = limits, recall
        self._sources: dict[int, str] = {}  # by the hash of the key: a million records take 90 MB

    def mark(
        self, batch: Sequence[Document], parsed: Sequence[read_document.ReadResult], outcomes: Sequence[Outcome]
    ) -> list[Outcome]:
        """Return the outcomes of a batch; where the version of another document was replaced, `REPEATED`."""
        given = [
            None if isinstance(read, Reason) or outcome.name == decisions.Action.REJECTED else read.key
            for read, outcome in zip(parsed, outcomes, strict=True)
        ]
        replacing = [
            Replacing(document, outcome.identifier, key)
            for document, outcome, key in zip(batch, outcomes, given, strict=True)
            if key is not None and outcome.name == decisions.Action.UPDATED
        ]
        recalled = self._recall(replacing) if replacing else {}
        marked = []
        for document, outcome, key in zip(batch, outcomes, given, strict=True):
            if key is not None:
                other = self._sources.get(hash(key), recalled.get(key))
                if other is not None and outcome.name == decisions.Action.UPDATED:
                    facts = {"other": other} if other else {}
                    outcome = Outcome(REPEATED, outcome.identifier, Reason(ReasonCode.REPEATED, facts))
                is_named = len(self._sources) < self._limits.sources_remembered
                self._sources[hash(key)] = document.source if is_named else ""
            marked.append(outcome)
        return marked


def default_processes() -> int:
    """Return how many processes parse a bulk load: a core more than half. PostgreSQL and this process use the others.

    Measured with 2 and 4 cores, since parsing makes the terms of search as well: docs/benchmarks.md.
    """
    return (os.cpu_count() or 1) // 2 + 1


def ingest(
    documents: Iterable[Document],
    *,
    into: MetadataSet,
    revives: bool = False,
    advance: Callable[[int], None] = lambda number: None,
    processes: int = 1,
    limits: IngestLimits = DEFAULTS,
    note: Callable[[Sequence[Document], Sequence[Outcome]], None] = lambda batch, outcomes: None,
    recall: Recall = lambda replacing: {},
) -> IngestReport:
    """Store the documents in a set. `advance` is called after each batch with its number of documents.

    `note` is called with each batch in the transaction that stores it, to write down what became of the documents. `recall` tells
    of documents that belong to the same load and are not among these (`SeenRecords`).

    A record that was deleted is rejected, so that an archive does not bring back what was withdrawn since, unless the
    load `revives`.
    Raises ActRefused if the set does not take uploads (`catalogue.writing.uploads`); nothing is stored then.
    More than two batches are parsed by other processes and stored over two connections, of which one stages while the
    other merges; inside the caller's transaction everything is stored over that one. What is stored, in which order,
    and the report do not depend on it.
    """
    report = IngestReport()
    target = _Target(into, uploads.check(into), revives, note, SeenRecords(limits, recall))
    batches = _batches(documents, limits)
    first = list(itertools.islice(batches, limits.unpooled_batches + 1))
    batches = itertools.chain(first, batches)
    if len(first) <= limits.unpooled_batches or connection.in_atomic_block:
        for batch, parsed in _read_here(batches):
            _add_to_report(report, batch, _store_batch(batch, parsed, target))
            advance(len(batch))
        return report
    with _DictionaryTraining(limits) as training, _BatchStore(target) as batch_store:
        for number, (batch, parsed) in enumerate(_read_in_processes(batches, processes, limits)):
            if number == 0:  # nothing is packed yet, and the processes parse the next batches meanwhile
                dictionaries.train_before_load(list(_elements(itertools.chain.from_iterable(first))))
            for stored in batch_store.submit(batch, parsed):
                _add_to_report(report, *stored)
                advance(len(stored[0]))
            training.start_if_outgrown(report.counts.total())
        for stored in batch_store.finish():
            _add_to_report(report, *stored)
            advance(len(stored[0]))
    return report


def _elements(documents: Iterable[Document]) -> Iterator[bytes]:
    for document in documents:
        with contextlib.suppress(xml_tree.Unusable):
            yield xml_tree.root_element(document.content)


class _DictionaryTraining:
    """Trains a new dictionary in a thread if a bulk load outgrows the newest one; the load goes on meanwhile."""

    def __init__(self, limits: IngestLimits) -> None:
        self._check_records = limits.training_check_records
        self._executor = seams.thread_pool(1)
        self._training: Future[None] | None = None
        self._checked_at = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()

    def start_if_outgrown(self, documents_done: int) -> None:
        """Start training if the dictionary is outgrown. `documents_done`: how many are stored or rejected so far."""
        if documents_done - self._checked_at < self._check_records or (self._training and not self._training.done()):
            return
        self._checked_at = documents_done
        if dictionaries.is_outgrown():
            self._training = self._executor.submit(self._train)

    @staticmethod
    def _train() -> None:
        try:
            dictionaries.retrain_if_outgrown(functools.partial(seams.run_in_process, zstd.train_on_frames))
        finally:
            connections.close_all()  # those of this thread


def read_batches(
    documents: Iterable[Document], processes: int, limits: IngestLimits = DEFAULTS
) -> Iterator[tuple[list[Document], list[read_document.ReadResult]]]:
    """Yield the documents in batches, each with what was read of it; more than two are read by other processes."""
    batches = _batches(documents, limits)
    first = list(itertools.islice(batches, limits.unpooled_batches + 1))
    if len(first) <= limits.unpooled_batches:
        return _read_here(first)
    return _read_in_processes(itertools.chain(first, batches), processes, limits)


def _batches(documents: Iterable[Document], limits: IngestLimits) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.content)
        if len(batch) >= limits.batch_records or size >= limits.batch_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read_here(batches: Iterable[list[Document]]) -> Iterator[tuple[list[Document], list[read_document.ReadResult]]]:
    for batch in batches:
        yield batch, read_apart.read_all([document.content for document in batch], _stored_digests(batch))


def _read_in_processes(
    batches: Iterable[list[Document]], processes: int, limits: IngestLimits
) -> Iterator[tuple[list[Document], list[read_document.ReadResult]]]:
    """Yield the batches in their order, each parsed by one of the processes. Enough are in flight to keep all busy."""
    pool = ReadPool(processes)
    in_flight: deque[tuple[list[Document], Future[list[read_document.ReadResult]]]] = deque()
    try:
        for batch in _read_ahead(batches):
            contents = [document.content for document in batch]
            in_flight.append((batch, pool.submit(contents, _stored_digests(batch))))
            if len(in_flight) > processes + limits.batches_waiting:
                earliest, future = in_flight.popleft()
                yield earliest, future.result()
        while in_flight:
            earliest, future = in_flight.popleft()
            yield earliest, future.result()
    finally:
        pool.close()


def _read_ahead(batches: Iterable[list[Document]]) -> Iterator[list[Document]]:
    """Yield the batches, each read from its files or archive by a thread while the caller works on the one before."""
    remaining = iter(batches)
    with seams.thread_pool(1) as reader:
        next_batch = reader.submit(next, remaining, None)
        while (batch := next_batch.result()) is not None:
            next_batch = reader.submit(next, remaining, None)
            yield batch


def _stored_digests(batch: Sequence[Document]) -> dict[int, bytes]:
    """Return, by index in the batch, the stored digest of the record that each document probably is."""
    guessed = {index: read_document.guess_identifier(document.content) for index, document in enumerate(batch)}
    keys = {index: oai.oai_identifier(identifier) for index, identifier in guessed.items() if identifier}
    digests = current.current_digests(list(keys.values()))
    return {index: digests[key] for index, key in keys.items() if key in digests}


# --- Storing ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Target:
    """The set that documents are stored in, the links whose versions they do not replace, and whether deleted records come back.

    `note`: what is called in the transaction of each batch. `seen`: the records of the batches before.
    """

    into: MetadataSet
    yields_to: frozenset[str]
    revives: bool
    note: Callable[[Sequence[Document], Sequence[Outcome]], None]
    seen: SeenRecords

    def put(self, entries: Sequence[PreparedEntry], before_lock: Callable[[], object]) -> list[decisions.Result]:
        return store.put_entries(
            entries, into=self.into, yields_to=self.yields_to, revives=self.revives, before_lock=before_lock
        )


_Stored = tuple[list[Document], list[Outcome]]


class _BatchStore:
    """Stores batches in their order over two connections: one stages its batch while the other merges the one before."""

    def __init__(self, target: _Target) -> None:
        self._target = target
        self._threads = [seams.thread_pool(1, initializer=_open_connection) for _ in range(2)]
        self._under_way: deque[Future[_Stored]] = deque()
        self._keys: set[str] = set()  # of the last batch submitted
        self._submitted = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        closing = [thread.submit(_close_connection) for thread in self._threads]
        for thread in self._threads:
            thread.shutdown()
        for fault in filter(None, (each.exception() for each in closing)):
            # Searches are slower until PostgreSQL does it by itself; what is stored is stored.
            logger.warning("the search index was not tidied up", extra={"reason": " ".join(str(fault).split())})

    def submit(self, batch: list[Document], parsed: list[read_document.ReadResult]) -> Iterator[_Stored]:
        """Have a batch stored. Yields the batches that were completed meanwhile."""
        keys = {result.key for result in parsed if not isinstance(result, Reason)}
        before = self._under_way[-1] if self._under_way else None
        if before is not None and not keys.isdisjoint(self._keys):
            before.result()  # entries are compared with the records as the batch before leaves them
        thread = self._threads[self._submitted % 2]
        self._under_way.append(thread.submit(self._store, batch, parsed, before))
        self._keys, self._submitted = keys, self._submitted + 1
        while len(self._under_way) > len(self._threads):
            yield self._under_way.popleft().result()

    def finish(self) -> Iterator[_Stored]:
        """Wait for the batches that are still under way and yield them."""
        while self._under_way:
            yield self._under_way.popleft().result()

    def _store(
        self, batch: list[Document], parsed: list[read_document.ReadResult], before: Future[_Stored] | None
    ) -> _Stored:
        # A batch that failed raises here, so that nothing is stored after it.
        outcomes = _store_batch(batch, parsed, self._target, lambda: before.result() if before else None)
        if before:
            before.result()
        return batch, outcomes


def _open_connection() -> None:
    """Let a bulk load add new words to the search index in larger portions (measured: docs/benchmarks.md)."""
    with connection.cursor() as cursor:
        cursor.execute("SET gin_pending_list_limit = '16MB'")


def _close_connection() -> None:
    """Add the last portion to the search index, because searches would read it word by word."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('descriptions_by_terms')")
    connections.close_all()


@transaction.atomic
def _store_batch(
    batch: Sequence[Document],
    parsed: Sequence[read_document.ReadResult],
    target: _Target,
    before_lock: Callable[[], object] = lambda: None,
) -> list[Outcome]:
    """Store one batch in one transaction; what became of each document."""
    usable = [
        (document.content, result)
        for document, result in zip(batch, parsed, strict=True)
        if not isinstance(result, Reason)
    ]
    try:
        results = target.put([store.pack_document(content, result) for content, result in usable], before_lock)
    except staging.PayloadNeeded:
        # A stored record has changed, or its owner has, since its digest was looked up.
        results = target.put([store.prepare(content) for content, _ in usable], before_lock)
    outcomes = target.seen.mark(batch, parsed, outcomes_of(batch, parsed, results))
    target.note(batch, outcomes)
    return outcomes


def _add_to_report(report: IngestReport, batch: Sequence[Document], outcomes: Iterable[Outcome]) -> None:
    """Add what became of a batch to the report, in the order of the documents."""
    lists = {
        decisions.Action.REJECTED.value: report.rejects,
        CLAIMED: report.claims,
        BROUGHT_BACK: report.remarks,
        OLDER: report.remarks,
        REPEATED: report.remarks,
    }
    for document, (name, identifier, reason) in zip(batch, outcomes, strict=True):
        report.counts[name] += 1
        if reason is not None and name in lists:
            lists[name].append(RejectedDocument(document.source, identifier, reason))
