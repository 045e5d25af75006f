"""Read documents one by one from XML files, folders, .zip, .tar and .tar.gz.

The records in an answer of an OAI-PMH or CSW server, or in a series, are documents of their own. A file that cannot be
read gives a document with a fault, so that the report counts everything found.
"""

import errno
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from catalogue.documents import archives, wrapped, xml_tree
from catalogue.reasons import Reason, ReasonCode, describe_error, gettext

SAMPLES = Path(__file__).parents[1] / "samples"  # records that ship with the node: a folder for each of three centres
_ZIP = (".zip",)
_TAR = (".tar", ".tar.gz", ".tgz")
RECORD_NAMES = (".xml", *_ZIP, *_TAR)  # the ends of the names of files with records
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
    """A path that cannot be read at all; nothing was stored. The text says what to do, the reason what is wrong."""

    def __init__(self, text: str, reason: Reason) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Document:
    """One document: where it was found, and its bytes or the reason why there are none.

    `source`: a file, or a member of an archive, and in brackets which record of it: `answers.xml[3]`.
    """

    source: str
    content: bytes = b""
    fault: Reason | None = None


def as_text(path: Path | str) -> str:
    """Return a path, or the name of a member of an archive, as a text to store and to show: a byte that is no UTF-8 as `\\xe9`."""
    text = str(path)
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def check_sources(paths: Iterable[Path]) -> None:
    """Raise SourceError for the first path that cannot be read, before anything is stored."""
    for path in paths:
        try:
            if path.is_dir():
                next(path.iterdir(), None)
            elif not path.exists():
                raise SourceError(
                    gettext("{path} does not exist; name an XML file, a folder, a .zip or a .tar(.gz)").format(
                        path=path
                    ),
                    Reason(ReasonCode.UNREADABLE_FILE, {"error": os.strerror(errno.ENOENT)}),
                )
            elif not path.is_file():
                raise SourceError(
                    gettext("{path} is neither a file nor a folder; name an XML file, a folder or an archive").format(
                        path=path
                    ),
                    Reason(ReasonCode.NO_REGULAR_FILE),
                )
            elif path.name.lower().endswith(_ZIP):
                archives.open_zip(path).close()
            elif path.name.lower().endswith(_TAR):
                with archives.tar_members(path):
                    pass
            else:
                path.open("rb").close()
        except OSError as exc:
            raise SourceError(
                gettext("{path} cannot be read: {reason}").format(path=path, reason=exc.strerror or exc),
                Reason(ReasonCode.UNREADABLE_FILE, {"error": exc.strerror or str(exc)}),
            ) from exc
        except archives.OverLimit as exc:
            raise SourceError(f"{path} {exc}", exc.reason) from exc
        except _DAMAGE as exc:
            raise SourceError(
                gettext("{path} is not the archive its name says: {reason}").format(
                    path=path, reason=describe_error(exc)
                ),
                Reason(ReasonCode.CANNOT_UNPACK, {"error": describe_error(exc)}),
            ) from exc


def estimate(paths: Iterable[Path]) -> int | None:
    """Count the documents in the paths, for a progress bar; None if that would need reading an archive to its end."""
    total = 0
    for path in paths:
        if path.is_dir():
            total += len(_files_below(path)[0])
        elif path.name.lower().endswith(_ZIP):
            with archives.open_zip(path) as archive:
                total += sum(1 for member in archive.infolist() if _is_record_name(member.filename))
        elif path.name.lower().endswith(_TAR):
            return None
        else:
            total += 1
    return total


def documents(paths: Iterable[Path]) -> Iterator[Document]:
    """Yield every document in the paths: `*.xml` in folders and archives, any file that is a path itself."""
    for path in paths:
        if path.is_dir():
            files, unreadable = _files_below(path)
            for error in unreadable:
                yield Document(
                    as_text(error.filename), fault=Reason(ReasonCode.UNREADABLE_FILE, {"error": error.strerror})
                )
            for file in files:
                yield from _from_file(file)
        elif path.name.lower().endswith(_ZIP):
            yield from _from_zip(path)
        elif path.name.lower().endswith(_TAR):
            yield from _from_tar(path)
        else:
            yield from _from_file(path)


def _is_record_name(name: str) -> bool:
    base = name.rsplit("/", 1)[-1]
    return base.lower().endswith(".xml") and not base.startswith(".")


def walk(folder: Path, note_error: Callable[[OSError], object]) -> Iterator[str]:
    """Yield the paths of the files below a folder, also behind links to folders; each folder once, so that links in a circle end.

    `note_error` is called for each folder that cannot be listed, and for each link to nothing that has no name of a record: it may be a
    folder on a disk that is away.
    """
    try:
        known = {_identity(os.stat(folder))}
    except OSError as exc:
        note_error(exc)
        return
    for root, folders, names in os.walk(folder, onerror=note_error, followlinks=True):
        kept = []
        for name in sorted(folders, key=lambda name: (os.path.islink(os.path.join(root, name)), name)):
            try:
                identity = _identity(os.stat(os.path.join(root, name)))
            except OSError as exc:
                note_error(exc)
                continue
            if identity not in known:
                known.add(identity)
                kept.append(name)
        folders[:] = kept
        for name in sorted(names):
            path = os.path.join(root, name)
            if not name.lower().endswith(RECORD_NAMES) and not name.startswith(".") and os.path.islink(path):
                try:
                    os.stat(path)
                except OSError as exc:
                    note_error(exc)
                    continue
            yield path


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _files_below(folder: Path) -> tuple[list[Path], list[OSError]]:
    """Return the records' files below a folder, in order, and the errors of the folders below it that cannot be listed."""
    errors: list[OSError] = []
    found = (Path(path) for path in walk(folder, errors.append) if _is_record_name(path))
    return sorted(found), errors


def _from_file(file: Path) -> Iterator[Document]:
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):  # reading a named pipe would block
            yield Document(as_text(file), fault=Reason(ReasonCode.NO_REGULAR_FILE))
            return
        with file.open("rb") as opened:
            yield from _in_file(opened, as_text(file), found.st_size)
    except OSError as exc:
        yield Document(as_text(file), fault=Reason(ReasonCode.UNREADABLE_FILE, {"error": exc.strerror}))


def _in_file(file: IO[bytes], source: str, size: int) -> Iterator[Document]:
    """Yield the document that a file is, or those in it. What reading raises is raised."""
    beginning = file.read(wrapped.BEGINNING_BYTES)
    if wrapped.is_wrapper(beginning):
        for part in wrapped.unpack(file.read, beginning):
            yield Document(f"{source}[{part.place}]" if part.place else source, part.content, part.fault)
    elif size > xml_tree.MAX_RECORD_BYTES:
        yield Document(source, fault=xml_tree.oversized(size))
    else:
        yield Document(source, beginning + file.read())


def _from_zip(path: Path) -> Iterator[Document]:
    with archives.zip_members(path) as members:
        for member, content in members:
            if member.is_dir() or not _is_record_name(member.filename):
                continue
            source = as_text(f"{path}:{member.filename}")
            try:
                with content:
                    yield from _in_file(content, source, member.file_size)
            except archives.OverLimit as exc:
                yield Document(as_text(path), fault=exc.reason)
                return
            except (*_DAMAGE, OSError) as exc:
                yield Document(source, fault=Reason(ReasonCode.CANNOT_UNPACK, {"error": describe_error(exc)}))


def _from_tar(path: Path) -> Iterator[Document]:
    try:
        with archives.tar_members(path) as members:
            for member, content in members:
                if content is not None and _is_record_name(member.name):
                    yield from _in_file(content, as_text(f"{path}:{member.name}"), member.size)
    except archives.OverLimit as exc:
        yield Document(as_text(path), fault=exc.reason)
    except (*_DAMAGE, OSError) as exc:
        yield Document(as_text(path), fault=Reason(ReasonCode.ARCHIVE_DAMAGED, {"error": describe_error(exc)}))
