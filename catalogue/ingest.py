"""Take records in from files: XML files, folders, .zip, .tar and .tar.gz. The command line and uploads use it.

Every document found is accounted for in the report: stored, unchanged, or rejected with its reason.
Batches are committed one by one, so what an interruption leaves behind is whole batches.
"""

import itertools
import lzma
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from django.db import IntegrityError, connections

from catalogue import dictionaries, frames, metadata, oai, payload, preparing, store
from catalogue.models import MetadataSet

BATCH_RECORDS = 500  # chosen: one batch holds the writers' lock for some tens of milliseconds
BATCH_BYTES = 32 * 1024 * 1024
_BATCHES_FOR_ONE_PROCESS = 2  # chosen: so few are stored before other processes have started
_BATCHES_WAITING = 2  # chosen: beside one for each process
_TEND_EVERY = 2000  # chosen: records after which a bulk load looks whether its dictionary is outgrown

_ZIP = (".zip",)
_TAR = (".tar", ".tar.gz", ".tgz")
# What the two modules raise for an archive that is damaged, encrypted, or packed in a way unknown here.
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
)


class SourceError(Exception):
    """A path that cannot be taken in at all; nothing was stored. The text says what to do."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document offered: where it was found, and its bytes or the reason why there are none."""

    source: str
    content: bytes = b""
    fault: str = ""


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


def check_sources(paths: Iterable[Path]) -> None:
    """Raise SourceError for the first path that cannot be read, before anything is stored."""
    for path in paths:
        try:
            if path.is_dir():
                next(path.iterdir(), None)
            elif not path.exists():
                raise SourceError(f"{path} does not exist; name an XML file, a folder, a .zip or a .tar(.gz)")
            elif not path.is_file():
                raise SourceError(f"{path} is neither a file nor a folder; name an XML file, a folder or an archive")
            elif path.name.lower().endswith(_ZIP):
                zipfile.ZipFile(path).close()
            elif path.name.lower().endswith(_TAR):
                tarfile.open(path).close()
            else:
                path.open("rb").close()
        except OSError as exc:
            raise SourceError(f"{path} cannot be read: {exc.strerror}") from exc
        except _DAMAGE as exc:
            raise SourceError(f"{path} is not the archive its name says: {exc}") from exc


def estimate(paths: Iterable[Path]) -> int | None:
    """How many documents the paths hold, for a progress bar; None where only reading them would tell."""
    total = 0
    for path in paths:
        if path.is_dir():
            total += sum(1 for _ in _files_below(path))
        elif path.name.lower().endswith(_ZIP):
            with zipfile.ZipFile(path) as archive:
                total += sum(1 for member in archive.infolist() if _is_record_name(member.filename))
        elif path.name.lower().endswith(_TAR):
            return None
        else:
            total += 1
    return total


def documents(paths: Iterable[Path]) -> Iterator[Document]:
    """Every document in the paths: `*.xml` in folders and archives, any file that is named itself."""
    for path in paths:
        if path.is_dir():
            for file in _files_below(path):
                yield _from_file(file)
        elif path.name.lower().endswith(_ZIP):
            yield from _from_zip(path)
        elif path.name.lower().endswith(_TAR):
            yield from _from_tar(path)
        else:
            yield _from_file(path)


def _is_record_name(name: str) -> bool:
    base = name.rsplit("/", 1)[-1]
    return base.lower().endswith(".xml") and not base.startswith(".")


def _files_below(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("*")) if _is_record_name(file.name) and not file.is_dir())


def _from_file(file: Path) -> Document:
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):  # a named pipe would be waited for
            return Document(str(file), fault="is no regular file")
        if found.st_size > metadata.MAX_RECORD_BYTES:
            return Document(str(file), fault=metadata.oversized(found.st_size))
        return Document(str(file), file.read_bytes())
    except OSError as exc:
        return Document(str(file), fault=f"cannot be read: {exc.strerror}")


def _from_zip(path: Path) -> Iterator[Document]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.is_dir() or not _is_record_name(member.filename):
                continue
            source = f"{path}:{member.filename}"
            if member.file_size > metadata.MAX_RECORD_BYTES:
                yield Document(source, fault=metadata.oversized(member.file_size))
                continue
            try:
                yield Document(source, archive.read(member))
            except (*_DAMAGE, OSError) as exc:
                yield Document(source, fault=f"cannot be unpacked: {str(exc) or type(exc).__name__}")


def _from_tar(path: Path) -> Iterator[Document]:
    try:
        with tarfile.open(path, "r|*") as archive:  # as a stream: a large archive is read once, front to back
            for member in archive:
                if not member.isfile() or not _is_record_name(member.name):
                    continue
                source = f"{path}:{member.name}"
                if member.size > metadata.MAX_RECORD_BYTES:
                    yield Document(source, fault=metadata.oversized(member.size))
                    continue
                content = archive.extractfile(member)
                yield Document(source, content.read() if content else b"")
    except (*_DAMAGE, OSError) as exc:
        yield Document(str(path), fault=f"is cut short or damaged after the last document taken from it: {exc}")


def ingest(
    offered: Iterable[Document],
    *,
    into: MetadataSet,
    advance: Callable[[int], None] = lambda number: None,
    processes: int = 1,
) -> Report:
    """Store the documents in a set; `advance` is told how many were dealt with, batch by batch.

    With several processes, more than two batches are read in as many; what is stored, in which order, and what
    the report says does not depend on it.
    """
    report = Report()
    batches = _batches(offered)
    first = list(itertools.islice(batches, _BATCHES_FOR_ONE_PROCESS + 1))
    alone = processes == 1 or len(first) <= _BATCHES_FOR_ONE_PROCESS
    batches = itertools.chain(first, batches)
    with _Tending() as tending:
        for batch, ready in _prepared_here(batches) if alone else _prepared_in_processes(batches, processes):
            advance(_store(batch, ready, into, report))
            tending.after(report.counts.total())
    return report


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
            dictionaries.tend()
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


def _prepared_here(batches: Iterable[list[Document]]) -> Iterator[tuple[list[Document], list[preparing.Made]]]:
    for batch in batches:
        newest = payload.newest()
        dictionary = frames.dictionary(newest.content, level=frames.LEVEL) if newest.id else None
        ready = preparing.prepare([document.content for document in batch], _held(batch), frames.Packer(dictionary))
        yield batch, ready


def _prepared_in_processes(
    batches: Iterable[list[Document]], processes: int
) -> Iterator[tuple[list[Document], list[preparing.Made]]]:
    """The batches in their order, each read by one of the processes. So many are in flight that all have work."""
    pool = preparing.Pool(processes)
    in_flight: deque[tuple[list[Document], Future[list[preparing.Made]]]] = deque()
    try:
        with tempfile.TemporaryDirectory(prefix="gisc-ingest-") as folder:
            for batch in _read_ahead(batches):
                contents = [document.content for document in batch]
                in_flight.append((batch, pool.submit(contents, _held(batch), _dictionary_file(Path(folder)))))
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


def _dictionary_file(folder: Path) -> str:
    """The newest dictionary as a file that the processes read; a new one has a new name."""
    newest = payload.newest()
    file = folder / str(newest.id)
    if not file.exists():
        file.write_bytes(newest.content)
    return str(file)


def _held(batch: Sequence[Document]) -> dict[int, preparing.Held]:
    """By place in the batch, what is held of the record that a document probably is."""
    guessed = {place: preparing.guess_identifier(document.content) for place, document in enumerate(batch)}
    keys = {place: oai.identifier_key(identifier) for place, identifier in guessed.items() if identifier}
    digests = store.held_digests(list(keys.values()))
    return {place: preparing.Held(guessed[place], digests[key]) for place, key in keys.items() if key in digests}


def _store(batch: list[Document], ready: list[preparing.Made], into: MetadataSet, report: Report) -> int:
    """Store one batch, in one transaction, and note in the report what became of it, in the order of the sources."""
    usable = [(document, each) for document, each in zip(batch, ready, strict=True) if not isinstance(each, str)]
    results = iter(_put(usable, into))
    for document, each in zip(batch, ready, strict=True):
        if isinstance(each, str):
            report.counts[store.Action.REJECTED] += 1
            report.rejects.append(Reject(document.source, "", document.fault or each))
            continue
        result = next(results)
        report.counts[result.action] += 1
        if result.action is store.Action.REJECTED:
            report.rejects.append(Reject(document.source, result.identifier, result.reason))
    return len(batch)


def _put(usable: Sequence[tuple[Document, preparing.Ready | preparing.Held]], into: MetadataSet) -> list[store.Result]:
    try:
        return store.put_entries([_entry(made) for _, made in usable], into=into)
    except IntegrityError:
        if all(isinstance(made, preparing.Ready) for _, made in usable):
            raise
        # What was held when it was asked for is not held any more, or by another set: the payloads are needed after all.
        return store.put_entries([store.prepare(document.content) for document, _ in usable], into=into)


def _entry(made: preparing.Ready | preparing.Held) -> store.Prepared:
    """The entry. One that equals what is held has no payload, so that the database refuses to store it as anything else."""
    if isinstance(made, preparing.Ready):
        return store.Prepared(made.metadata.identifier, made.metadata, made.packed)
    return store.Prepared(made.identifier, _nothing_said(made), None)


def _nothing_said(held: preparing.Held) -> metadata.Metadata:
    return metadata.Metadata(
        identifier=held.identifier,
        digest=held.digest,
        metadata_date=None,
        title="",
        abstract="",
        keywords=(),
        categories=(),
        contacts=(),
        links=(),
        boxes=(),
        begins=None,
        ends=None,
        language="",
    )
