"""`manage.py bench N --load`: have many harvesters read a whole catalogue while the node harvests and people use its pages.

A whole node (web, worker, beat, PostgreSQL, Redis) with the settings that ship. Each harvester reads the whole list from the first page to
the last and obeys Retry-After (`gisc.bench.walkers`); five links bring new and changed records meanwhile; people ask for a page
a second. In the end the list of each harvester is compared with the catalogue. What must not be is a row `FAULT`: an answer
that neither serves nor asks to wait, or a list that lacks a record or has one twice. Results: docs/benchmarks.md.
"""

import html
import json
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
from django.conf import settings
from django.db import connection
from django.db.models import Sum

from catalogue import datestamps
from catalogue.models import Description, Record
from gisc.bench import copies, whole_node
from gisc.bench.catalogue import Row
from harvester.models import Run

FAULT = "FAULT"
LINKS = {"growing": 3, "live": 2}
_PEOPLE = 4
_SAMPLE_S = 2.0
_LINKS_BEGIN_S = 300
_SETTLED = 3  # samples that the figures of the begin, the middle and the end are the medians of
_MOST_NAMED = 5


@dataclass
class _Watched:
    """The memory of each kind of process in MB, in the order of time."""

    memory_mb: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def run(
    folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None], harvesters: int
) -> list[Row]:
    """Make so many records, have so many harvesters read them, and compare."""
    copies.fill(folder, records, processes, small=small, say=say)
    clients = folder / "clients"
    clients.mkdir()
    (clients / "paths.txt").write_text("\n".join(_paths()), encoding="ascii")
    connection.close()
    watched = _Watched()
    more = {name: str(getattr(settings, name)) for name in ("GISC_NAME", "GISC_WEB_WORKERS", "GISC_BEAT_SECONDS")}
    with (
        whole_node.provider(0) as provider,
        whole_node.running(folder, settings.GISC_HARVEST_WORKERS, **more) as node,
    ):
        whole_node.add_links(node, provider, LINKS)
        _await_links()
        for _ in range(_SETTLED):
            _sample(node, folder, watched)
            time.sleep(_SAMPLE_S)
        say(f"{harvesters} harvesters read {records:,} records; {sum(LINKS.values())} links, {_PEOPLE} people ...")
        command = [sys.executable, "-m", "gisc.bench.walkers", node.environment["PORT"], str(harvesters)]
        began = time.monotonic()
        with subprocess.Popen([*command, str(_PEOPLE), str(clients)], cwd=settings.BASE_DIR) as walking:
            while walking.poll() is None:
                _sample(node, folder, watched)
                with suppress(subprocess.TimeoutExpired):
                    walking.wait(_SAMPLE_S)
        seconds = time.monotonic() - began
        if walking.returncode != 0:
            raise RuntimeError("the clients have ended with an error")
        for _ in range(_SETTLED):
            _sample(node, folder, watched)
            time.sleep(_SAMPLE_S)
        found = json.loads((clients / "walks.json").read_text(encoding="utf-8"))
        say("comparing ...")
        return [
            *_rows_of_harvesters(found["walks"], seconds),
            *_rows_of_people(found["readers"]),
            *_rows_of_links(),
            *_rows_of_memory(watched),
            *_rows_of_lists(clients, found["walks"]),
            *_faults(found["walks"] + found["readers"]),
        ]


def _await_links() -> None:
    """Wait until each link has stored a list, so that all parts of the node have begun to work."""
    deadline = time.monotonic() + _LINKS_BEGIN_S
    while Run.objects.filter(state=Run.State.DONE).values("link").distinct().count() < sum(LINKS.values()):
        if time.monotonic() > deadline:
            raise RuntimeError("the links of the node do not harvest")
        time.sleep(_SAMPLE_S)


def _paths() -> list[str]:
    """Return what people ask for: searches, records, feeds, and how harvesting goes."""
    described = Description.objects.select_related("record").order_by("record_id")[:40]
    paths = []
    for each in described:
        word = next((word for word in each.title.lower().split() if word.isascii() and word.isalpha()), "data")
        paths += [f"/?q={quote(word)}", f"/record?id={quote(each.record.key)}"]
        paths += [f"/feed.atom?q={quote(word)}", "/harvest/"]
    return paths


def _sample(node: whole_node.Running, folder: Path, watched: _Watched) -> None:
    sums: defaultdict[str, float] = defaultdict(float)
    for role, process in whole_node.find_processes(node, folder):
        with suppress(psutil.Error):  # it has ended meanwhile
            sums[role] += process.memory_full_info().pss / 1e6
    for role, value in sums.items():
        watched.memory_mb[role].append(value)


# --- The table --------------------------------------------------------------------------------------


def _rows_of_harvesters(walks: list[dict[str, Any]], seconds: float) -> Iterator[Row]:
    took_s = [each for walk in walks for each in walk["took_s"]]
    entries = sum(walk["entries"] for walk in walks)
    yield Row("time until all harvesters had the whole list", f"{seconds:,.0f} s")
    slowest, fastest = max(walk["seconds"] for walk in walks), min(walk["seconds"] for walk in walks)
    yield Row("a harvester, the fastest and the slowest", f"{fastest:,.0f} s, {slowest:,.0f} s")
    yield Row("pages of all harvesters", f"{len(took_s) / seconds:,.1f}/s", f"{len(took_s):,} in all")
    yield Row("entries of all harvesters", f"{entries / seconds:,.0f}/s", f"{entries:,} in all")
    yield Row("a page, p50 and p95", _percentiles(took_s))
    yield from _row_of_waits("harvesters", walks)


def _rows_of_people(readers: list[dict[str, Any]]) -> Iterator[Row]:
    took_s = [each for reader in readers for each in reader["took_s"]]
    yield Row("public pages", f"{len(took_s):,}")
    yield Row("a public page, p50 and p95", _percentiles(took_s))
    yield from _row_of_waits("people", readers)


def _row_of_waits(whose: str, clients: list[dict[str, Any]]) -> Iterator[Row]:
    waits, waited_s = sum(each["waits"] for each in clients), sum(each["waited_s"] for each in clients)
    yield Row(f"{whose}: 503 with Retry-After, too many requests", f"{waits:,}", f"{waited_s:,.0f} s of waiting in all")
    others = sum(sum(each["faults"].values()) for each in clients)
    yield Row(f"{whose}: any other 503, another error, or no answer", f"{others:,}")


def _percentiles(took_s: list[float]) -> str:
    if len(took_s) < 2:
        return "not measured"
    hundredths = statistics.quantiles(took_s, n=100, method="inclusive")
    return f"{hundredths[49] * 1000:,.0f} ms, {hundredths[94] * 1000:,.0f} ms"


def _rows_of_links() -> Iterator[Row]:
    found = Run.objects.filter(state=Run.State.DONE).aggregate(
        new=Sum("new"), changed=Sum("updated"), deleted=Sum("deleted")
    )
    figures = ", ".join(f"{found[name] or 0:,} {name}" for name in ("new", "changed", "deleted"))
    yield Row(f"records harvested by {sum(LINKS.values())} links", figures, f"{Run.objects.count():,} runs")
    failed = Run.objects.filter(state=Run.State.FAILED).count()
    yield Row("runs that failed", f"{failed:,}")
    if failed or not found["new"]:
        yield Row(FAULT, "runs have failed, or have brought nothing")


def _rows_of_memory(watched: _Watched) -> Iterator[Row]:
    for role, values in sorted(watched.memory_mb.items()):
        first, last = statistics.median(values[:_SETTLED]), statistics.median(values[-_SETTLED:])
        middle = statistics.median(values[len(values) // 2 :][:_SETTLED])  # as much as at the end: it no longer grows
        beside = f"{first:,.1f} at the begin, {middle:,.1f} in the middle, most {max(values):,.1f}"
        yield Row(f"{role}: memory at the end, MB", f"{last:,.1f}", beside, f"{max(values) / first:.2f}")


def _faults(clients: list[dict[str, Any]]) -> Iterator[Row]:
    counted: Counter[str] = Counter()
    for client in clients:
        counted.update(client["faults"])
    for fault, number in counted.most_common():
        yield Row(FAULT, f"{number:,} x {fault}")


# --- The lists --------------------------------------------------------------------------------------


def _rows_of_lists(clients: Path, walks: list[dict[str, Any]]) -> Iterator[Row]:
    """Compare what each harvester has seen with the catalogue as it is now."""
    stamps = dict(Record.objects.values_list("key", "datestamp").iterator())
    lines = (clients / "identifiers.txt").read_text(encoding="utf-8").splitlines()
    identifiers = [html.unescape(line) for line in lines]
    numbers = {identifier: number for number, identifier in enumerate(identifiers)}
    complete = 0
    for number, walk in enumerate(walks):
        if not walk["is_complete"]:
            yield Row(FAULT, f"{walk['name']} did not reach the end of its list")
            continue
        faults = faults_of_list(
            (clients / f"seen-{number}").read_bytes(), walk["first_date"], stamps, identifiers, numbers
        )
        complete += not faults
        for fault in faults:
            yield Row(FAULT, f"{walk['name']}: {fault}")
    yield Row(
        "harvesters that have seen each record, and none twice",
        f"{complete} of {len(walks)}",
        f"{len(stamps):,} records",
    )


def faults_of_list(
    seen: bytes, first_date: str, stamps: dict[str, Any], identifiers: list[str], numbers: dict[str, int]
) -> list[str]:
    """Return what a list has wrong. What changed after its begin may be in it as it was before, or not at all."""
    bound, _ = datestamps.parse(first_date)

    def times(identifier: str) -> int:
        number = numbers.get(identifier, len(seen))
        return seen[number] if number < len(seen) else 0

    missed = [each for each, stamp in stamps.items() if stamp < bound and not times(each)]
    twice = [identifiers[number] for number, count in enumerate(seen) if count > 1]
    strange = [identifiers[number] for number, count in enumerate(seen) if count and identifiers[number] not in stamps]
    found = {"lacks": missed, "has more than once": twice, "has what is not in the catalogue:": strange}
    return [f"{what} {len(each):,} ({', '.join(each[:_MOST_NAMED])})" for what, each in found.items() if each]
