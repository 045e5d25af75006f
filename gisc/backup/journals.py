"""The files of the journal in an archive, and back from it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from catalogue import journal
from catalogue.models import JournalPosition, JournalWriter
from gisc.backup import archive
from gisc.backup.archive import Manifest


def parts() -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield name and content of the journal's files as they are now; others may append to them meanwhile."""
    folder = Path(settings.GISC_JOURNAL_DIR)
    if not folder.is_dir():
        return
    for path in sorted(folder.glob(journal.FILES)):
        with path.open("rb") as file:
            yield archive.JOURNAL + path.name, archive.chunks_of(file, path.stat().st_size)


def position() -> dict[str, Any]:
    """Return where the journal is: its epoch and number, and the last event that each writer has on disk."""
    writers = {row.writer: f"{row.epoch}-{row.number}" for row in JournalWriter.objects.order_by("writer")}
    current = JournalPosition.objects.first()
    return {"last": str(current) if current else None, "writers": writers}


@dataclass(slots=True)
class PutBackReport:
    """What became of the journal's files of an archive. A file of the folder is never changed but by appending to it.

    `added`: they were missing in the folder. `continued`: the folder had their beginning, and the rest was appended.
    `left`: the folder has other content under that name, which stays; the archive's is in the replay all the same.
    """

    added: list[str] = field(default_factory=list)
    continued: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def put_back(path: Path, manifest: Manifest, into: Path) -> PutBackReport:
    """Bring the journal's files of an archive into the node's folder. Raises OSError.

    `into`: a folder for copies of those that stay out of it. The folder's own files are the newer ones as a rule.
    """
    folder, report = Path(settings.GISC_JOURNAL_DIR), PutBackReport()
    folder.mkdir(parents=True, exist_ok=True)
    for part in manifest.parts:
        if not part.name.startswith(archive.JOURNAL):
            continue
        name = Path(part.name).name  # never outside of the folder, whatever the archive says
        with archive.open_part(path, part.name) as file:
            content = file.read()  # at most as long as a file of the journal becomes
        there = (folder / name).read_bytes() if (folder / name).exists() else None
        if there is None:
            report.added.append(name)
        elif there.startswith(content):
            continue
        elif content.startswith(there):
            report.continued.append(name)
        else:
            report.left.append(name)
            (into / name).write_bytes(content)
            continue
        with (folder / name).open("ab") as out:
            out.write(content[len(there or b"") :])
            out.flush()
            os.fsync(out.fileno())
    journal.fsync_folder(folder)
    return report
