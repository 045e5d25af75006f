"""`manage.py bench --queue`: measure how long 200 links that are due at once take, with providers that are slow among them.

A node of its own (`manage.py node`) harvests 160 links from a provider that answers at once, with and without 40 links to
one that answers each page after 30 s; with 2, 4 and 8 processes; and once while a process of the worker is killed and Redis
emptied every few seconds. Results: docs/benchmarks.md.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
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
_STRIKE_EVERY_S = 5


def run(folder: Path, *, say: Callable[[str], None]) -> list[Row]:
    """Measure each number of processes, each in a node of its own."""
    rows = []
    with whole_node.provider(SLOW_S) as port:
        for processes in PROCESSES:
            say(f"{processes} processes: {FAST} fast links, then {SLOW} slow ones besides ...")
            hosts = {"GISC_MAX_RUNS_PER_HOST": "100"}  # all providers of this measurement have one host
            with whole_node.running(folder / f"node-{processes}", processes, **hosts) as node:
                alone = _measure(node.environment, port, slow=0)
                beside = _measure(node.environment, port, slow=SLOW)
                struck = (
                    _measure(node.environment, port, slow=SLOW, strikes=True) if processes == PROCESSES[0] else None
                )
            rows.append(Row(f"{FAST} fast links, {processes} processes", f"{alone['seconds']:.1f} s"))
            rows += _rows(processes, "beside 40 slow ones", beside, alone)
            if struck is not None:
                rows += _rows(processes, "beside 40 slow ones, kills, Redis emptied", struck, alone)
    return rows


def _rows(processes: int, what: str, measured: dict[str, Any], alone: dict[str, Any]) -> Iterator[Row]:
    seconds, before = measured["seconds"], alone["seconds"]
    name = f"{FAST} fast links, {processes} processes, {what}"
    yield Row(name, f"{seconds:.1f} s", f"{before:.1f} s: alone", f"{seconds / before:.2f}")
    yield Row(
        f"{name}: most messages in Redis, most runs waiting for their provider",
        f"{measured['messages']}, {measured['asking']}",
    )


def _measure(environment: dict[str, str], port: int, *, slow: int, strikes: bool = False) -> dict[str, Any]:
    arguments = [str(port), str(FAST), str(slow)]
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
