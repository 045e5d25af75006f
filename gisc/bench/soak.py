"""`manage.py bench --soak MINUTES`: have a node harvest at the smallest intervals, and watch what grows.

Links are due every five seconds: to providers whose records change all the time, to a slow one and to one that fails; beside
that, somebody reads the node's pages. What counts is that nothing grows after the first sixth of the time: the memory and
open files of processes, the queue, the files beside the database. Results: docs/benchmarks.md.
"""

import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import redis
import requests

from gisc import embedded
from gisc.bench import whole_node
from gisc.bench.catalogue import Row

LINKS = {"live": 8, "slow": 1, "failing": 1}
_SLOW_S = 30
_PATHS = ("/", "/?q=change", "/harvest/", "/harvest/status.json", "/metrics", "/health/ready") + tuple(
    f"/oai?verb={verb}&metadataPrefix=iso19139" for verb in ("ListRecords", "ListIdentifiers")
)
_READY_RECORDS = 200  # so many versions come in the first minutes: the cache that fills would hide what grows
_PERIOD_S = 1.0  # between two rounds of the reader
_FIRST = 1 / 6  # of the time: until then processes still load what they keep


@dataclass
class Watched:
    """Figures by name, each with its values in the order of time."""

    figures: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    processes: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    answers: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))


def run(folder: Path, *, minutes: float, say: Callable[[str], None]) -> list[Row]:
    """Watch a node for so long."""
    watched = Watched()
    until = time.monotonic() + minutes * 60
    settings_ = {"GISC_READY_RECORDS": str(_READY_RECORDS)}
    with whole_node.provider(_SLOW_S) as port, whole_node.running(folder, 2, **settings_) as node:
        say(f"{sum(LINKS.values())} links that are due every 5 s, for {minutes:g} minutes ...")
        whole_node.add_links(node, port, LINKS)
        while time.monotonic() < until:
            began = time.monotonic()
            for path in _PATHS:
                watched.answers[_status(node.url + path)] += 1
            _sample(node, folder, watched)
            time.sleep(max(0.0, began + _PERIOD_S - time.monotonic()))
        links = requests.get(f"{node.url}/harvest/status.json", timeout=60).json()["links"]
        say("stopping ...")
    return [*_rows(watched), *_ends(links)]


def _status(url: str) -> int:
    """The status of an answer; 0 without one."""
    try:
        return requests.get(url, timeout=60).status_code
    except requests.RequestException:
        return 0


def _sample(node: whole_node.Running, folder: Path, watched: Watched) -> None:
    sums: defaultdict[str, float] = defaultdict(float)
    for role, process in whole_node.find_processes(node, folder):
        with suppress(psutil.Error):  # it has ended meanwhile
            sums[f"{role}: memory, MB"] += process.memory_full_info().pss / 1e6
            sums[f"{role}: open files"] += process.num_fds()
            watched.processes[role].add(process.pid)
    files = [file for file in folder.rglob("*") if folder / "postgres" not in (file, *file.parents)]
    sums["files beside the database"] = len(files)
    for file in files:
        with suppress(FileNotFoundError):
            sums[f"{_kind(file, folder)}, kB"] += file.stat().st_size / 1000
    with redis.Redis.from_url(embedded.redis_url(folder)) as client:
        sums["messages in Redis"] = sum(
            int(client.llen(key)) for key in client.keys("*") if client.type(key) == b"list"
        )
        sums["Redis: keys"] = client.dbsize()
        sums["Redis: its own memory, MB"] = client.info("memory")["used_memory"] / 1e6
    queue = requests.get(f"{node.url}/health/ready", timeout=60).json().get("queue") or {}
    sums["runs that wait for a worker"] = queue.get("waiting", {}).get("worker", 0)
    for name, value in sums.items():
        watched.figures[name].append(value)


def _ends(links: list[dict[str, Any]]) -> Iterator[Row]:
    runs = [(link["name"].rstrip("0123456789"), link["last_run"]) for link in links]
    for kind in LINKS:
        ends = Counter(_end(last) for name, last in runs if name == kind and last)
        yield Row(f"last runs of {kind} links", ", ".join(f"{n} x {end}" for end, n in ends.items()))
    yield Row("runs", str(max(last["id"] for _, last in runs if last)))


def _end(last: dict[str, Any]) -> str:
    """How a run ended, or stands: the code of its outcome, with that of the cause."""
    cause = last["outcome_data"].get("cause", {}).get("code")
    return f"{last['outcome']} ({cause})" if cause else str(last["outcome"])


def _kind(file: Path, folder: Path) -> str:
    first = file.relative_to(folder).parts[0]
    return {"journal": "journal"}.get(first, "other files")


def _rows(watched: Watched) -> Iterator[Row]:
    for name, values in sorted(watched.figures.items()):
        first = int(len(values) * _FIRST)
        third = (len(values) - first) // 3
        # Of each third the median: an answer that is large for a moment says nothing of what stays.
        parts = [statistics.median(values[at : at + third] or [0]) for at in (first, first + third, first + 2 * third)]
        grown = f"{parts[2] / parts[0]:.2f}" if parts[0] else ""
        beside = f"{parts[0]:,.1f}, {parts[1]:,.1f}: in the first and second third; most {max(values):,.1f}"
        yield Row(name, f"{parts[2]:,.1f}", beside, grown)
    for role, pids in sorted(watched.processes.items()):
        yield Row(f"{role}: processes, one after the other", str(len(pids)))
    for status, number in sorted(watched.answers.items()):
        yield Row(f"answers with {status}" if status else "no answer", f"{number:,}")
