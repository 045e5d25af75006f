"""Keep a copy in a folder: the files of the records, the state of the copy, and the manifest.

    records/          a file for each live record, named by its identifier (`harvester.copying.file_names`)
    manifest.jsonl    a line for each record, live or deleted; written when a call ends
    copy.sqlite3      the state: what the manifest says, how far the list has come, and what is still to be written

A page is stored in one transaction with the position of the list and with the contents of its files; then the files are
written, each under another name first. What a call that was killed had not written yet, the next one writes. So after
kill -9, or when the power fails, nothing is lost and nothing is there twice.
"""

import gzip
import hashlib
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from django.utils import translation
from django.utils.translation import gettext

from catalogue.reasons import Reason
from harvester.copying.file_names import file_name

_TABLES = """
    CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS record (
        identifier TEXT PRIMARY KEY, datestamp TEXT NOT NULL, sets TEXT NOT NULL, deleted INTEGER NOT NULL,
        file TEXT, sha256 TEXT, fault TEXT) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS refused ON record (identifier) WHERE fault IS NOT NULL;
    CREATE TABLE IF NOT EXISTS to_write (file TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID;
"""
OUTCOMES = ("new", "changed", "unchanged", "deleted", "refused")
_STATE = "copy.sqlite3"
_MANIFEST = "manifest.jsonl"
_RECORDS = "records"
_UNFINISHED = ".unfinished"


class FolderUnusable(Exception):
    """The folder cannot take this copy; the text says why."""


def _in_english(fault: Exception | Reason | None) -> str | None:
    """Return why a record is refused as the state and the manifest have it, whatever the language: programs read them."""
    with translation.override("en"):
        return None if fault is None else str(fault)


class CopiedRecord(NamedTuple):
    """A record as it came. `content`: its XML; None for a deletion, and for a record that is refused because of `fault`."""

    identifier: str
    datestamp: str
    set_specs: Sequence[str]
    content: bytes | None
    deleted: bool = False
    fault: Exception | Reason | None = None


class CopyFolder(AbstractContextManager["CopyFolder"]):
    """The folder of one copy, locked for this process. Raises FolderUnusable, OSError and sqlite3.Error."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        if not (path / _STATE).exists() and any(path.iterdir()):
            raise FolderUnusable(
                gettext("{path} is not empty, and has no copy in it; name an empty folder, or a new one").format(
                    path=path
                )
            )
        (path / _RECORDS).mkdir(exist_ok=True)
        self._database = sqlite3.connect(path / _STATE, timeout=0, isolation_level=None)
        try:
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._database.execute("BEGIN EXCLUSIVE")
            self._database.execute("COMMIT")
            self._database.executescript(_TABLES)
        except sqlite3.DatabaseError as exc:
            self._database.close()
            if getattr(exc, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise FolderUnusable(
                    gettext("another copy is working in {path}; let it end first").format(path=path)
                ) from exc
            raise FolderUnusable(
                gettext("{path} is no state of a copy ({reason})").format(path=path / _STATE, reason=exc)
            ) from exc
        self._write_files()

    def __exit__(self, *_: object) -> None:
        try:
            self.write_manifest()
        finally:
            self._database.close()

    # --- State ------------------------------------------------------------------------------------------

    def load(self, name: str) -> dict[str, Any] | None:
        """Return a part of the state, or None."""
        found = self._database.execute("SELECT value FROM state WHERE name = ?", [name]).fetchone()
        return None if found is None else json.loads(found[0])

    def write_state(self, name: str, value: dict[str, Any]) -> None:
        """Store a part of the state."""
        self._database.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", [name, json.dumps(value)])

    @property
    def live(self) -> int:
        """How many records are live."""
        return int(self._database.execute("SELECT count(*) FROM record WHERE file IS NOT NULL").fetchone()[0])

    def refused(self) -> list[tuple[str, str]]:
        """Return identifier and fault of the records of which the last version could not be stored."""
        return list(self._database.execute("SELECT identifier, fault FROM record WHERE fault IS NOT NULL"))

    def is_current(self, identifier: str, datestamp: str) -> bool:
        """Whether the record is live with this datestamp."""
        found = self._database.execute(
            "SELECT 1 FROM record WHERE identifier = ? AND datestamp = ? AND file IS NOT NULL AND fault IS NULL",
            [identifier, datestamp],
        )
        return found.fetchone() is not None

    # --- Records ----------------------------------------------------------------------------------------

    def store(
        self, records: Sequence[CopiedRecord], states: Mapping[str, dict[str, Any] | None], *, is_compressed: bool
    ) -> Counter[str]:
        """Store records and parts of the state at once (None: no more); return how many had which of the OUTCOMES."""
        counted: Counter[str] = Counter()
        with self._transaction():
            for record in records:
                counted[self._store_record(record, ".xml.gz" if is_compressed else ".xml")] += 1
            for name, value in states.items():
                if value is None:
                    self._database.execute("DELETE FROM state WHERE name = ?", [name])
                else:
                    self.write_state(name, value)
        self._write_files()
        return counted

    def _store_record(self, record: CopiedRecord, suffix: str) -> str:
        found = self._database.execute(
            "SELECT file, sha256, deleted FROM record WHERE identifier = ?", [record.identifier]
        ).fetchone()
        old_file, old_digest, was_deleted = found or (None, None, False)
        file, digest = old_file, old_digest
        if record.deleted:
            outcome = "unchanged" if was_deleted else "deleted"
            file = digest = None
            if old_file is not None:
                self._database.execute("INSERT OR REPLACE INTO to_write VALUES (?, NULL)", [old_file])
        elif record.content is None:
            outcome = "refused"  # a former version stays
        else:
            digest = hashlib.sha256(record.content).hexdigest()
            file = file_name(record.identifier, suffix)
            outcome = "unchanged" if digest == old_digest else "new" if old_file is None else "changed"
            if outcome != "unchanged" or not (self.path / _RECORDS / file).exists():
                self._database.execute("INSERT OR REPLACE INTO to_write VALUES (?, ?)", [file, record.content])
        row = (record.identifier, record.datestamp, json.dumps(record.set_specs), record.deleted, file, digest)
        self._database.execute(
            "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, _in_english(record.fault))
        )
        return outcome

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def _write_files(self) -> None:
        """Write, or remove, the files that the last transaction wants, and note that it is done when it is on disk."""
        folder = self.path / _RECORDS
        waiting = self._database.execute("SELECT file, content FROM to_write").fetchall()
        for file, content in waiting:
            if content is None:
                with suppress(FileNotFoundError):
                    (folder / file).unlink()
            else:
                is_compressed = file.endswith(".gz")
                _write(folder, file, gzip.compress(content, mtime=0) if is_compressed else content)
        if waiting:
            _sync(folder)
            self._database.execute("DELETE FROM to_write")

    def write_manifest(self) -> None:
        """Write the manifest anew: a line of JSON for each record, by identifier."""
        unfinished = self.path / f"{_MANIFEST}{_UNFINISHED}"
        with unfinished.open("w", encoding="utf-8") as stream:
            for identifier, datestamp, sets, deleted, file, digest, fault in self._database.execute(
                "SELECT identifier, datestamp, sets, deleted, file, sha256, fault FROM record ORDER BY identifier"
            ):
                line = {
                    "identifier": identifier,
                    "datestamp": datestamp,
                    "sets": json.loads(sets),
                    "deleted": bool(deleted),
                    "file": None if file is None else f"{_RECORDS}/{file}",
                    "sha256": digest,
                } | ({"refused": fault} if fault else {})
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(self.path / _MANIFEST)


def _write(folder: Path, name: str, content: bytes) -> None:
    """Write a file so that it is there whole, or as it was."""
    unfinished = folder / _UNFINISHED
    with unfinished.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(folder / name)


def _sync(folder: Path) -> None:
    """Put the names of a folder on disk."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
