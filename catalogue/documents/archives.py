"""Open archives from outside, .zip, .tar and .tar.gz, so that none takes more memory or time than its records need.

No archive within an archive is opened. No Django.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from catalogue.limits import Replaceable
from catalogue.reasons import Reason, ReasonCode, ReasonError


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may have in it. Chosen: records of ISO 19139 pack to a 10th, in a solid archive to a 60th."""

    members: int = 4_000_000
    ratio: int = 250  # of the bytes unpacked to those of the file
    unpacked_bytes: int = 200 * 1024 * 1024  # so many may be unpacked whatever the ratio is
    header_bytes: int = 1024 * 1024  # of what stands before a member of a .tar: long names, attributes
    headers: int = 20  # before a member of a .tar; tar writes at most four, and one for the whole archive


LIMITS = Replaceable(ArchiveLimits())


class OverLimit(ReasonError):
    """An archive has more in it than any archive of records has. Nothing more is read of it."""


class _Budget:
    """How much has been unpacked of one archive. Raises OverLimit when that is too much."""

    def __init__(self, path: Path) -> None:
        limits = LIMITS.in_force
        self._left = self._bytes = max(limits.unpacked_bytes, limits.ratio * path.stat().st_size)
        self._members = 0

    def spend(self, number: int) -> None:
        self._left -= number
        if self._left < 0:
            raise _over("bytes", self._bytes)

    def count_member(self) -> None:
        self._members += 1
        if self._members > LIMITS.in_force.members:
            raise _over("members", LIMITS.in_force.members)


class _Counted(io.RawIOBase):
    """A file whose bytes are counted as they are read."""

    def __init__(self, file: IO[bytes], budget: _Budget) -> None:
        self._file, self._budget = file, budget

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size)
        self._budget.spend(len(content))
        return content


class _Headers:
    """What stands before one member of a .tar, as tarfile reads it: long names, attributes, the parts of a sparse file."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._left = LIMITS.in_force.header_bytes
        self.number = 0

    def read(self, size: int) -> bytes:
        self._left -= size
        if self._left < 0:
            raise _over("header", LIMITS.in_force.header_bytes)
        return self._file.read(size)  # type: ignore[no-any-return]

    def tell(self) -> int:
        return self._file.tell()  # type: ignore[no-any-return]


class _TarInfo(tarfile.TarInfo):
    """A header of a .tar that is not read where it and those that it announces would fill the memory.

    tarfile calls itself for a header that follows another one, and offers `_proc_member` to subclasses.
    """

    def _proc_member(self, archive: Any) -> Any:
        stream = archive.fileobj
        headers = stream if isinstance(stream, _Headers) else _Headers(stream)
        headers.number += 1
        if headers.number > (limit := LIMITS.in_force.headers):
            raise tarfile.ReadError(f"more than {limit} headers before one file")
        archive.fileobj = headers
        try:
            return super()._proc_member(archive)  # type: ignore[misc]
        finally:
            archive.fileobj = stream


_UNPACK: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.BZ2File, b"\xfd7": lzma.LZMAFile}


@contextmanager
def tar_members(path: Path) -> Iterator[Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]]:
    """Open a .tar, packed or not, and give its members in order, each with its content if it is a file.

    It is read as a stream, once, front to back. Raises OverLimit, and what tarfile and the unpackers raise.
    """
    with path.open("rb") as file:
        unpack = _UNPACK.get(file.read(2))
        file.seek(0)
        with unpack(file) if unpack else file as unpacked:
            counted = _Counted(unpacked, budget := _Budget(path))
            with tarfile.open(fileobj=counted, mode="r|", tarinfo=_TarInfo) as archive:
                yield _members_of(archive, budget)


def _members_of(archive: tarfile.TarFile, budget: _Budget) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
    while (member := archive.next()) is not None:
        budget.count_member()
        yield member, archive.extractfile(member) if member.isfile() else None
        archive.members.clear()  # type: ignore[attr-defined]  # it would keep all


@contextmanager
def zip_members(path: Path) -> Iterator[Iterator[tuple[zipfile.ZipInfo, IO[bytes]]]]:
    """Open a .zip and give its members in order, each with its content, which is opened when it is first read.

    Raises OverLimit, and what zipfile raises.
    """
    with open_zip(path) as archive:
        budget = _Budget(path)
        yield ((member, cast(IO[bytes], _Member(archive, member, budget))) for member in archive.infolist())


def open_zip(path: Path) -> zipfile.ZipFile:
    """Open a .zip. Raises OverLimit before its list of members is read, which would fill the memory."""
    limit = LIMITS.in_force.members
    if path.stat().st_size > limit * _DIRECTORY_ENTRY_BYTES and _count_members(path) > limit:
        raise _over("members", limit)
    archive = zipfile.ZipFile(path)
    if len(archive.infolist()) > limit:
        archive.close()
        raise _over("members", limit)
    return archive


class _Member(io.RawIOBase):
    """The content of a member of a .zip, counted as it is read."""

    def __init__(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: _Budget) -> None:
        self._archive, self._member, self._budget = archive, member, budget
        self._file: IO[bytes] | None = None

    def read(self, size: int = -1) -> bytes:
        if self._file is None:
            self._file = self._archive.open(self._member)
        content = self._file.read(size)
        self._budget.spend(len(content))
        return content

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


_DIRECTORY_ENTRY_BYTES = 46  # at least (APPNOTE 4.3.12)
_DIRECTORY_ENTRY = b"PK\x01\x02"
_CHUNK_BYTES = 1024 * 1024


def _count_members(path: Path) -> int:
    """Count what looks like an entry of the list of members; never fewer than there are."""
    number, before = 0, b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            number += (before + chunk).count(_DIRECTORY_ENTRY)
            before = chunk[-len(_DIRECTORY_ENTRY) + 1 :]
    return number


def _over(of: str, limit: int) -> OverLimit:
    return OverLimit(Reason(ReasonCode.ARCHIVE_OVER_LIMIT, {"of": of, "limit": limit}))
