"""Fold the metrics files of dead processes into one for each kind, so that there is a bounded number of them.

Each process writes its counters into files of its own, of a megabyte, in PROMETHEUS_MULTIPROC_DIR. What a dead process has
counted still counts: a sum that falls would look like a restart.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prometheus_client import multiprocess
from prometheus_client.mmap_dict import MmapedDict

from catalogue import seams
from gisc import file_locks

_FILE = re.compile(r"(counter|histogram|summary|gauge_all)_(\d+)\.db")
_OF_THE_DEAD = "{kind}_dead.db"
_ROOM = 16 * 1024 * 1024  # chosen
_WAIT_S = 2.0  # chosen: then the files are read as they are


@contextmanager
def folded(folder: Path) -> Iterator[None]:
    """Fold the files of dead processes, then let no other process fold any during the block."""
    lock = file_locks.FileLock(folder / ".lock")
    with suppress(file_locks.LockTaken, OSError):
        lock.acquire(wait_s=_WAIT_S)
        _fold(folder)
    try:
        yield
    finally:
        lock.release()


def _fold(folder: Path) -> None:
    dead: dict[str, list[Path]] = {}
    for file in sorted(folder.glob("*.db")):
        matched = _FILE.fullmatch(file.name)
        if matched and not seams.is_alive(int(matched[2])):
            multiprocess.mark_process_dead(int(matched[2]), str(folder))  # type: ignore[no-untyped-call]
            dead.setdefault(matched[1], []).append(file)
    if shutil.disk_usage(folder).free < _ROOM:
        return  # a file that is written through memory kills its process when the disk is full
    for kind, files in dead.items():
        if kind != "gauge_all":  # the value of a process that is no more says nothing
            _merge(folder / _OF_THE_DEAD.format(kind=kind), files)
        for file in files:
            file.unlink()


def _merge(into: Path, files: list[Path]) -> None:
    """Add up the values of these files and of `into`, and replace that."""
    sums: dict[str, tuple[float, float]] = {}
    for file in (*((into,) if into.exists() else ()), *files):
        for key, value, timestamp, _ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
            before = sums.get(key, (0.0, 0.0))
            sums[key] = before[0] + value, max(before[1], timestamp)
    draft = into.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    merged = MmapedDict(str(draft))  # type: ignore[no-untyped-call]
    for key, (value, timestamp) in sums.items():
        merged.write_value(key, value, timestamp)  # type: ignore[no-untyped-call]
    merged.close()  # type: ignore[no-untyped-call]
    draft.replace(into)
