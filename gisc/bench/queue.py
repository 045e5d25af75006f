"""`manage.py bench --queue`: measure how long 200 links that are due at once take, with providers that are slow among them.

A node of its own (`manage.py node`) harvests 160 links from a provider that answers at once: alone; beside 40 links to one
that answers each page after 30 s; and beside these while a process of the worker is killed and Redis emptied every few
seconds. Nodes with 2, 4 and 8 processes have a turn in each round, so that what the machine does besides falls on all of
them; only the one whose turn it is runs, and a few links warm its processes up. The rows have the medians of the rounds,
and the ratios of each round to the median of the fast links alone. Results: docs/benchmarks.md.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import redis
from django.conf import settings

from gisc import embedded
from gisc.bench import whole_node
from gisc.bench.catalogue import Row

FAST, SLOW = 160, 40
SLOW_S = 30
PROCESSES = (2, 4, 8)
ROUNDS = 7
_WARMING = 24  # links
_STRIKE_EVERY_S = 5
_ALONE, _BESIDE, _STRUCK = "alone", "beside 40 slow ones", "beside 40 slow ones, kills, Redis emptied"


def run(folder: Path, *, say: Callable[[str], None]) -> list[Row]:
    """Measure each number of processes, in rounds."""
    measured: defaultdict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    with whole_node.provider(SLOW_S) as port:
        for turn in range(ROUNDS):
            for processes in PROCESSES[:: 1 if turn % 2 else -1]:
                say(f"round {turn + 1} of {ROUNDS}: {FAST} fast links and {SLOW} slow ones, {processes} processes ...")
                # Started anew between the two with slow links: requests of the first are on their way for half a minute.
                for kinds in ((_ALONE, _BESIDE), (_STRUCK,)):
                    with _warm_node(folder / f"node-{processes}", processes, port) as node:
                        for kind in kinds:
                            slow = 0 if kind == _ALONE else SLOW
                            found = _measure(node.environment, port, slow=slow, strikes=kind == _STRUCK)
                            measured[processes, kind].append(found)
    return [row for processes in PROCESSES for row in _rows(processes, measured)]


@contextmanager
def _warm_node(folder: Path, processes: int, port: int) -> Iterator[whole_node.Running]:
    hosts = {"GISC_MAX_RUNS_PER_HOST": "100"}  # all providers of this measurement have one host
    with whole_node.running(folder, processes, **hosts) as node:
        _measure(node.environment, port, fast=_WARMING, slow=0)
        yield node


def _rows(processes: int, measured: Mapping[tuple[int, str], list[dict[str, Any]]]) -> Iterator[Row]:
    alone = _median(measured[processes, _ALONE], "seconds")
    yield Row(f"{FAST} fast links, {processes} processes", _seconds(measured[processes, _ALONE]))
    for what in (_BESIDE, _STRUCK):
        found = measured[processes, what]
        name = f"{FAST} fast links, {processes} processes, {what}"
        yield Row(
            name, _seconds(found), f"{alone:.1f} s: alone", _spread([each["seconds"] / alone for each in found], 2)
        )
        yield Row(
            f"{name}: most messages in Redis, most runs waiting for their provider",
            f"{_median(found, 'messages'):.0f}, {_median(found, 'asking'):.0f}",
        )


def _seconds(found: list[dict[str, Any]]) -> str:
    return _spread([each["seconds"] for each in found], 1, " s")


def _spread(values: list[float], digits: int, unit: str = "") -> str:
    low, middle, high = (f"{each:.{digits}f}" for each in (min(values), statistics.median(values), max(values)))
    return f"{middle}{unit} ({low}..{high})"


def _median(found: list[dict[str, Any]], name: str) -> float:
    middle: float = statistics.median(each[name] for each in found)
    return middle


def _measure(
    environment: dict[str, str], port: int, *, fast: int = FAST, slow: int, strikes: bool = False
) -> dict[str, Any]:
    arguments = [str(port), str(fast), str(slow)]
    command = [sys.executable, "-m", "gisc.bench.queue_worker", *arguments]
    with subprocess.Popen(
        command, cwd=settings.BASE_DIR, env=os.environ | environment, stdout=subprocess.PIPE
    ) as started:
        while strikes and started.poll() is None:
            time.sleep(_STRIKE_EVERY_S)
            _strike(Path(environment["GISC_DATA_DIR"]))
        answer = started.stdout.read() if started.stdout else b""
    if started.returncode:
        raise RuntimeError(f"the measurement ended with {started.returncode}")
    measured: dict[str, Any] = json.loads(answer)
    return measured


def _strike(folder: Path) -> None:
    """Kill a pool process of the node's worker, and empty its Redis."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # it has ended meanwhile
            parent = process.parent()
            if _is_worker(process) and parent is not None and _is_worker(parent) and _is_of(process, folder):
                process.kill()
                break
    with redis.Redis.from_url(embedded.redis_url(folder)) as client:
        client.flushdb()


def _is_worker(process: psutil.Process) -> bool:
    words = process.cmdline()
    return "gisc.node.worker" in words and "worker" in words


def _is_of(process: psutil.Process, folder: Path) -> bool:
    of_process: str = process.environ().get("GISC_DATA_DIR", "")
    return of_process == str(folder)
