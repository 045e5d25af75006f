"""The folder of an upload in GISC_UPLOAD_DIR: the files that were sent, and the documents that were found in them.

The sent files go when all their documents have been checked. Documents that could be stored are kept packed in one file,
each with the record that it would replace, for as long as the report stays.
"""

import os
import shutil
import uuid
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from django.conf import settings

from catalogue import seams
from catalogue.documents import sources
from catalogue.documents.sources import Document
from catalogue.models import Upload
from catalogue.reasons import ActRefused, Reason, ReasonCode

_MB = 1_000_000
_SUFFIXES = (".zip", ".tar.gz", ".tar", ".tgz")
_KEPT = "documents"
_PACKING = 1  # the fastest of zlib
_STRAY_AFTER_S = 86_400.0  # chosen: a folder without a row is of an upload that was cut off


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as it was sent: its name at the sender, and where it lies until it is moved into the upload's folder."""

    name: str
    path: Path


def check_room(size: int) -> None:
    """Raise ActRefused if the disk of the folder has no room for so many bytes and what belongs to them."""
    folder: Path = settings.GISC_UPLOAD_DIR
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    needed = 2 * size + settings.GISC_DISK_LOW_MB * _MB
    if free < needed:
        facts = {"left_mb": free // _MB, "needed_mb": needed // _MB}
        raise ActRefused(Reason(ReasonCode.NO_ROOM_FOR_UPLOAD, facts))


def move_in(files: Sequence[SentFile]) -> tuple[uuid.UUID, list[dict[str, object]]]:
    """Move sent files into a new folder; return its name and what `Upload.files` says of them. They are on disk then."""
    name = uuid.uuid4()
    folder = _path(name)
    folder.mkdir(mode=0o700, parents=True)
    described: list[dict[str, object]] = []
    for number, file in enumerate(files):
        target = folder / _file_name(number, file.name)
        os.replace(file.path, target)
        described.append({"name": Path(file.name).name[:200], "bytes": target.stat().st_size})
        _sync(target)
    _sync(folder)
    return name, described


def documents_of(upload: Upload) -> Iterator[Document]:
    """Yield every document in the sent files; its source begins with the name that the file had. Raises FileNotFoundError."""
    for path, name in _sent_files(upload):
        if not path.exists():
            raise FileNotFoundError(path)
        try:
            sources.check_sources([path])
        except sources.SourceError as exc:
            yield Document(name, fault=exc.reason)
            continue
        for document in sources.documents([path]):
            yield replace(document, source=name + document.source.removeprefix(str(path)))


def estimate(upload: Upload) -> int | None:
    """Count the documents in the sent files; None if that is not known before they are read."""
    paths = [path for path, _ in _sent_files(upload)]
    try:
        sources.check_sources(paths)
        return sources.estimate(paths)
    except sources.SourceError:
        return None


def remove_sent_files(upload: Upload) -> None:
    """Delete the files that were sent; the documents that could be stored stay."""
    for path, _ in _sent_files(upload):
        path.unlink(missing_ok=True)


def remove(folder: uuid.UUID) -> None:
    """Delete the folder with all that is in it."""
    shutil.rmtree(_path(folder), ignore_errors=True)


def remove_strays(known: Collection[str]) -> None:
    """Delete what lies in GISC_UPLOAD_DIR since more than a day and belongs to no upload."""
    folder: Path = settings.GISC_UPLOAD_DIR
    if not folder.is_dir():
        return
    before = seams.now().timestamp() - _STRAY_AFTER_S
    for path in folder.iterdir():
        if path.name not in known and path.lstat().st_mtime < before:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document lies in the file of kept documents: lengths in packed bytes, that of what it would replace after it."""

    start: int
    length: int
    length_before: int = 0


class KeptDocuments:
    """The file of kept documents of an upload, to add to. What a worker that was killed has written last belongs to no row."""

    def __init__(self, upload: Upload) -> None:
        self._file = (_path(upload.folder) / _KEPT).open("ab")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, content: bytes, before: bytes) -> Place:
        """Keep a document, and the record that it would replace; empty if there is none."""
        packed = zlib.compress(content, _PACKING)
        packed_before = zlib.compress(before, _PACKING) if before else b""
        place = Place(self._file.tell(), len(packed), len(packed_before))
        self._file.write(packed + packed_before)
        return place

    def sync(self) -> None:
        """Have what was added on disk."""
        self._file.flush()
        os.fsync(self._file.fileno())


def read_kept(upload: Upload, places: Iterable[Place]) -> Iterator[bytes]:
    """Yield the documents at these places. Raises FileNotFoundError, and OSError if something else lies there."""
    with (_path(upload.folder) / _KEPT).open("rb") as file:
        for place in places:
            yield _unpack(os.pread(file.fileno(), place.length, place.start))


def read_before(upload: Upload, place: Place) -> bytes:
    """Return what a kept document would replace; empty if there was nothing. Raises OSError."""
    if not place.length_before:
        return b""
    with (_path(upload.folder) / _KEPT).open("rb") as file:
        return _unpack(os.pread(file.fileno(), place.length_before, place.start + place.length))


def _unpack(packed: bytes) -> bytes:
    try:
        return zlib.decompress(packed)
    except zlib.error as exc:
        raise OSError(f"the file of kept documents is damaged: {exc}") from exc


def _path(folder: uuid.UUID) -> Path:
    return Path(settings.GISC_UPLOAD_DIR) / str(folder)


def _file_name(number: int, name: str) -> str:
    suffix = next((each for each in _SUFFIXES if name.lower().endswith(each)), ".xml")
    return f"{number:04}{suffix}"


def _sent_files(upload: Upload) -> list[tuple[Path, str]]:
    folder = _path(upload.folder)
    names = [str(file["name"]) for file in upload.files]
    return [(folder / _file_name(number, name), name) for number, name in enumerate(names)]


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
