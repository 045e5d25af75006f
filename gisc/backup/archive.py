"""An archive: one tar file with the dump of the database, the files of the journal, and the manifest. Knows no database.

Whether an archive is verified is in its name, as its time is, and of which database: health, metrics, schedule and rotation read the
folder alone, so that no restored database claims a backup that is not there.

It is written under another name, in one pass; it gets its own when all of it is on disk.
"""

import hashlib
import json
import os
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any, Self

from django.utils.translation import gettext

from catalogue import datestamps, journal
from gisc.backup.errors import RestoreRefused

DATABASE = "database.dump"
JOURNAL = "journal/"  # what the names of its files begin with
_MANIFEST = "manifest.json"
_FORMAT = 1
_DRAFT = ".part"
_TIME = "%Y%m%dT%H%M%SZ"
_UNVERIFIED = "-unverified"
_BLOCK = tarfile.BLOCKSIZE
_CHUNK_BYTES = 1024 * 1024


# --- Files of a folder ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Archive:
    """A complete archive, by its name: when it was made, by the clock of its database, and whether it was verified.

    `database`: tells two databases of nodes of one name apart; '' where the name does not say.
    """

    path: Path
    made: datetime
    verified: bool
    database: str = ""


def list_archives(folder: Path, node: str) -> list[Archive]:
    """Return the archives of a node in a folder, the oldest first; other files are not looked at. Raises OSError."""
    pattern = re.compile(rf"{_name_begins(node)}({_UNVERIFIED})?\.tar")
    found = []
    for path in folder.iterdir():
        if match := pattern.fullmatch(path.name):
            with suppress(ValueError):  # no date of any calendar: not our file
                made = datetime.strptime(match[1], _TIME).replace(tzinfo=UTC)
                found.append(Archive(path, made, verified=not match[3], database=match[2] or ""))
    return sorted(found, key=lambda archive: (archive.made, archive.verified))


def remove_drafts(folder: Path, node: str, database: str) -> None:
    """Remove what a killed backup of this database left. The caller makes sure that none is being made.

    One of another database may be of another node of this name, which is making it.
    """
    for path in folder.glob(f"gisc-*.tar{_DRAFT}"):
        match = re.fullmatch(rf"{_name_begins(node)}\.tar{re.escape(_DRAFT)}", path.name)
        if match and match[2] in (None, database):
            path.unlink(missing_ok=True)


def _name_begins(node: str) -> str:
    """Return the pattern of what the names of the archives of a node begin with; its groups are the time and the database."""
    return rf"gisc-{re.escape(node)}-(\d{{8}}T\d{{6}}Z)(?:-([0-9a-f]{{8}}))?"


def database_in_name(identity: str | None) -> str:
    """Return what tells a database from others in the names of its archives (`catalogue.database_identity`); '' if it is not known."""
    return "" if identity is None else hashlib.sha256(identity.encode()).hexdigest()[:8]


def of_another_node(archives: Iterable[Archive], database: str) -> list[Archive]:
    """Return the archives that another node of this name has made beside ours: of another database, later than the first of this one.

    Those before are ours: the database was restored, or its primary has changed.
    """
    found = list(archives)
    ours = [archive.made for archive in found if archive.database and archive.database == database]
    return [
        archive for archive in found if archive.database not in ("", database) and ours and archive.made > min(ours)
    ]


def removable(archives: Iterable[Archive], database: str, now: datetime, settled: timedelta) -> list[Archive]:
    """Return the archives that the rotation of a database may remove: its own, and those before it once it has made its own for so long.

    Until then nobody knows whether the node that made those goes on, beside a copy of it that was given the same folder.
    """
    found = list(archives)
    ours = [archive for archive in found if archive.database in ("", database)]
    first = min((archive.made for archive in ours if archive.database == database), default=now)
    is_alone = not of_another_node(found, database) and now - first >= settled
    return found if is_alone or not database else ours


def to_remove(archives: Iterable[Archive], keep: int, now: datetime) -> list[Archive]:
    """Choose the archives that rotation removes: all but the newest `keep`, and never the newest verified one.

    One with a time in the future was made while the clock was ahead: it counts as the oldest.
    """
    by_age = sorted(archives, key=lambda archive: (archive.made <= now, archive.made, archive.verified))
    last_verified = [archive for archive in by_age if archive.verified][-1:]
    return [archive for archive in by_age[: max(len(by_age) - keep, 0)] if archive not in last_verified]


# --- What is in an archive --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """One file in an archive, but for the manifest. `offset`: where its bytes begin, in the archive being written."""

    name: str
    size: int
    sha256: str
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Figures:
    """What tells two copies of a database apart: the records, the rows of each table.

    `sha256`: of identifier, datestamp and status of all records, in the order of the identifiers.
    """

    records: int
    deleted: int
    sha256: str
    tables: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive says of itself. `made`, `mark`: by the database's clock. `position`: of the journal.

    `verified`: it was restored into a scratch database, and the copy had these figures; `not_verified` says why not.
    `key_check` tells whether a SECRET_KEY is that of the backup, which is not in the archive.
    """

    node: str
    made: datetime
    mark: datetime
    software: str
    migrations: tuple[str, ...]
    postgres: str
    figures: Figures
    position: Mapping[str, Any]
    parts: tuple[Part, ...]
    key_check: str
    verified: bool = False
    not_verified: str = ""

    @property
    def postgres_major(self) -> int:
        return int(self.postgres.partition(".")[0])

    def to_json(self) -> bytes:
        """Write the manifest, as people can read it."""
        figures = self.figures
        content = {
            "format": _FORMAT,
            "node": self.node,
            "made": datestamps.write(self.made),
            "verified": self.verified,
            "not_verified_because": self.not_verified,
            "software": self.software,
            "postgresql": self.postgres,
            "records": figures.records,
            "deleted": figures.deleted,
            "records_sha256": figures.sha256,
            "position": {"datestamp": datestamps.write(self.mark), "journal": self.position},
            "parts": [{"name": part.name, "bytes": part.size, "sha256": part.sha256} for part in self.parts],
            "tables": dict(self.figures.tables),
            "migrations": list(self.migrations),
            "secret_key": "not in the archive",
            "secret_key_check": self.key_check,
        }
        return json.dumps(content, ensure_ascii=False, indent=2).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Read a manifest. Raises ValueError, KeyError or TypeError for what is none."""
        content = json.loads(text)
        if content["format"] != _FORMAT:
            raise ValueError(f"format {content['format']!r}")
        return cls(
            node=content["node"],
            made=datestamps.parse(content["made"])[0],
            mark=datestamps.parse(content["position"]["datestamp"])[0],
            software=content["software"],
            migrations=tuple(content["migrations"]),
            postgres=content["postgresql"],
            figures=Figures(content["records"], content["deleted"], content["records_sha256"], content["tables"]),
            position=content["position"]["journal"],
            parts=tuple(Part(part["name"], part["bytes"], part["sha256"]) for part in content["parts"]),
            key_check=content["secret_key_check"],
            verified=content["verified"],
            not_verified=content["not_verified_because"],
        )


# --- Writing ----------------------------------------------------------------------------------------


class ArchiveWriter:
    """Writes an archive, readable by its owner alone: it has accounts and their password hashes.

    A context: what is not finished at its end is removed. Raises OSError.
    """

    def __init__(self, folder: Path, node: str, made: datetime, database: str = "") -> None:
        of_database = f"-{database}" if database else ""
        self._folder, self._stem = folder, f"gisc-{node}-{made.strftime(_TIME)}{of_database}"
        self._draft = folder / f"{self._stem}.tar{_DRAFT}"
        self.parts: list[Part] = []

    def __enter__(self) -> Self:
        if taken := [name for name in self._names() if (self._folder / name).exists()]:
            raise FileExistsError(gettext("there is a backup of this second already: {path}").format(path=taken[0]))
        handle = os.open(self._draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        self._file = os.fdopen(handle, "r+b")
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # a full disk: what waits in the buffer is lost, as it should
            self._file.close()
        self._draft.unlink(missing_ok=True)

    def _names(self) -> list[str]:
        return [f"{self._stem}.tar", f"{self._stem}{_UNVERIFIED}.tar"]

    def add(self, name: str, chunks: Iterable[bytes]) -> Part:
        """Append a part, of whatever length: its header is written when that is known."""
        part = self._append(name, chunks)
        self.parts.append(part)
        return part

    def _append(self, name: str, chunks: Iterable[bytes]) -> Part:
        header, digest, size = self._file.tell(), hashlib.sha256(), 0
        self._file.write(bytes(_BLOCK))
        for chunk in chunks:
            self._file.write(chunk)
            digest.update(chunk)
            size += len(chunk)
        self._file.write(bytes(-size % _BLOCK))
        end = self._file.tell()
        info = tarfile.TarInfo(name)
        info.size, info.mode = size, 0o600
        self._file.seek(header)
        self._file.write(info.tobuf(tarfile.GNU_FORMAT))  # one block: the names are short
        self._file.seek(end)
        return Part(name, size, digest.hexdigest(), header + _BLOCK)

    def read(self, part: Part) -> Iterator[bytes]:
        """Read a part back from the file."""
        self._file.flush()
        with self._draft.open("rb") as file:
            file.seek(part.offset)
            left = part.size
            while left and (chunk := file.read(min(left, _CHUNK_BYTES))):
                left -= len(chunk)
                yield chunk

    def finish(self, manifest: Manifest) -> Path:
        """Write the manifest, force all to disk, and give the archive its name."""
        self._append(_MANIFEST, [manifest.to_json()])
        self._file.write(bytes(2 * _BLOCK))
        self._file.flush()
        os.fsync(self._file.fileno())
        verified, unverified = self._names()
        path = self._folder / (verified if manifest.verified else unverified)
        self._draft.rename(path)
        journal.fsync_folder(self._folder)
        return path


def chunks_of(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the first `size` bytes of a file: one that others append to has more by now."""
    while size and (chunk := file.read(min(size, _CHUNK_BYTES))):
        size -= len(chunk)
        yield chunk


# --- Reading ----------------------------------------------------------------------------------------


def read_manifest(path: Path) -> Manifest:
    """Read the manifest of an archive. Raises RestoreRefused."""
    with open_part(path, _MANIFEST) as file:
        try:
            return Manifest.from_json(file.read())
        except (ValueError, KeyError, TypeError) as exc:
            raise RestoreRefused(
                gettext(
                    "the manifest of {path} cannot be read ({reason}); take another archive. Nothing was changed."
                ).format(path=path, reason=exc)
            ) from exc


def check_parts(path: Path, manifest: Manifest) -> None:
    """Compare each part with its checksum. Raises RestoreRefused for the first one that is not as it was written."""
    for part in manifest.parts:
        digest = hashlib.sha256()
        with open_part(path, part.name) as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
        if digest.hexdigest() != part.sha256:
            raise RestoreRefused(
                gettext(
                    "{part} in {path} is damaged: its sha256 is not that of the manifest; take another archive. "
                    "Nothing was changed."
                ).format(part=part.name, path=path)
            )


@contextmanager
def open_part(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a part of an archive for reading. Raises RestoreRefused."""
    try:
        with tarfile.open(path, "r:") as tar, _member(tar, name) as file:
            yield file
    except KeyError as exc:
        raise RestoreRefused(
            gettext("{path} has no {name}; take another archive. Nothing was changed.").format(path=path, name=name)
        ) from exc
    except tarfile.TarError as exc:
        raise RestoreRefused(
            gettext(
                "{path} is no archive of `manage.py backup`, or is cut short ({reason}); take another one. "
                "Nothing was changed."
            ).format(path=path, reason=exc)
        ) from exc


def _member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    file = tar.extractfile(name)
    if file is None:
        raise KeyError(name)
    return file
