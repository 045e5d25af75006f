"""`manage.py bench --set-search`: ingest into a catalogue with a set that is defined by a search, beside one without, in turns.

Two searches: one that finds every record, each of which gets a row in the set, and one that finds few. Then what it costs to define
such a set when all records are there. What counts is the processor time of all processes, PostgreSQL's too: on a machine with
neighbours the time of the clock varies by more than is looked for.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from django.db import connection

from catalogue.models import Membership, MetadataSet
from catalogue.reading.query.conditions import All, Condition, Meets, Words
from catalogue.writing import set_changes, set_inclusion, set_searches
from gisc.bench import catalogue as catalogue_bench
from gisc.bench.catalogue import Row
from gisc.bench.upload import empty

_ROUNDS = 3  # each of all, in turns; the median is reported
_SEARCHES: dict[str, Condition | None] = {
    "without such a set": None,
    "a set with every record (box)": All((Meets(-180, -90, 180, 90),)),
    "a set with few records (words and box)": All((Words("station"), Meets(0, 0, 5, 5))),
}


def run(folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None]) -> list[Row]:
    """Measure with so many records in `folder`; `say` gets progress messages."""
    archive = folder / "records.tar"
    say(f"making {records:,} records ...")
    say(catalogue_bench.make(archive, records, small=small))
    catalogue_bench.load(archive, processes)  # trains the dictionary, which the others have then
    empty(records)
    virtual = set_inclusion.ensure_set("BENCH", kind=MetadataSet.Kind.VIRTUAL)
    took: dict[str, list[float]] = {name: [] for name in _SEARCHES}
    found: dict[str, int] = {}
    for number in range(_ROUNDS):
        for name, condition in _SEARCHES.items():
            _define(virtual, condition)
            before = _processor_s()
            clock_s = catalogue_bench.load(archive, processes)
            took[name].append(_processor_s() - before)
            found[name] = Membership.objects.filter(set=virtual, deleted=False).count()
            say(
                f"round {number + 1}: {name}: {clock_s:.1f} s, processor {took[name][-1]:.1f} s, "
                f"{found[name]:,} records in the set"
            )
            if (number, condition) != (_ROUNDS - 1, _last_condition()):
                empty(records)
    return [*_rows(took, found, records), *_defining(virtual, records)]


def _last_condition() -> Condition | None:
    return list(_SEARCHES.values())[-1]


def _processor_s() -> float:
    """The processor time that this process, its children and PostgreSQL have had."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        server = psutil.Process(cursor.fetchone()[0]).parent()
    seconds = 0.0
    for root in (psutil.Process(), server):
        for process in [] if root is None else [root, *root.children(recursive=True)]:
            times = process.cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
    return seconds


def _define(virtual: MetadataSet, condition: Condition | None) -> float:
    started = time.perf_counter()
    change = set_searches.begin(virtual, condition)
    if change is not None:
        set_changes.go_on(change)
    return time.perf_counter() - started


def _rows(took: dict[str, list[float]], found: dict[str, int], records: int) -> Iterator[Row]:
    seconds = {name: statistics.median(each) for name, each in took.items()}
    without, *others = _SEARCHES
    beside = f"{_each(seconds[without], records)}: {without}"
    for name in others:
        ratio = f"{seconds[name] / seconds[without]:.3f}"
        yield Row(f"ingest, processor a record, {name}: {found[name]:,}", _each(seconds[name], records), beside, ratio)


def _each(seconds: float, records: int) -> str:
    return f"{seconds * 1000 / records:.3f} ms"


def _defining(virtual: MetadataSet, records: int) -> Iterator[Row]:
    """Measure with the records of the last round."""
    _define(virtual, None)
    for name, condition in _SEARCHES.items():
        if condition is not None:
            started = time.perf_counter()
            set_searches.foresee(virtual, condition)
            yield Row(f"look at {name}", f"{time.perf_counter() - started:.1f} s", f"{records:,} records")
            yield Row(f"define {name}", f"{_define(virtual, condition):.1f} s", f"{records:,} records")
            yield Row(f"take its search away: {name}", f"{_define(virtual, None):.1f} s", f"{records:,} records")
