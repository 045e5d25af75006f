"""A whole node as a process tree of its own, and a provider for its links: for the benchmarks of what nodes do by themselves."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from django.conf import settings

from gisc import installation


@dataclass(frozen=True, slots=True)
class Running:
    """A node that runs. `environment`: for commands beside it."""

    environment: dict[str, str]
    process: psutil.Process

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.environment['PORT']}"


@contextmanager
def provider(slow_s: float) -> Iterator[int]:
    """The port of a `small_providers`; lists under `/slow` take so many seconds."""
    port = _free_port()
    process = subprocess.Popen([sys.executable, "-m", "gisc.bench.small_providers", str(port), str(slow_s)])
    try:
        yield port
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def running(folder: Path, processes: int, **more: str) -> Iterator[Running]:
    """A node without links."""
    environment = {
        "GISC_NAME": "WIS-GISC-HARVESTER",
        "GISC_DATA_DIR": str(folder),
        "GISC_JOURNAL_DIR": str(folder / "journal"),
        "GISC_BASE_URL": "",
        "PORT": str(_free_port()),
        "GISC_WEB_WORKERS": "1",
        "GISC_HARVEST_WORKERS": str(processes),
        "GISC_BEAT_SECONDS": "1",  # the shortest, which costs most
        "LOG_LEVEL": "ERROR",
        **more,
    }
    process = subprocess.Popen(
        installation.command("node"),
        cwd=settings.BASE_DIR,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
    )
    try:
        _await(lambda: _answers(int(environment["PORT"])), process)
        yield Running(environment, psutil.Process(process.pid))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def add_links(node: Running, port: int, numbers: Mapping[str, int]) -> None:
    """Give the node so many links of each kind of provider at this port, due every five seconds."""
    command = [sys.executable, "-m", "gisc.bench.soak_links", str(port)]
    command += [f"{kind}={number}" for kind, number in numbers.items()]
    subprocess.run(command, cwd=settings.BASE_DIR, env=os.environ | node.environment, check=True)


def find_processes(node: Running, folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Yield the processes of a node, with those of its PostgreSQL, each with the word for what it is."""
    postmaster = int((folder / "postgres" / "postmaster.pid").read_text().split("\n", 1)[0])
    for head in (node.process, psutil.Process(postmaster)):
        for process in (head, *head.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
                yield _role(process, node.process.pid), process


def _role(process: psutil.Process, node: int) -> str:
    words = " ".join(process.cmdline())
    if process.pid == node:
        return "node"
    parent = process.parent()
    is_child = parent is not None and parent.pid != node
    if "gunicorn" in words:
        return "web process" if is_child else "web"
    if "celery" in words:
        return "beat" if " beat" in words else "worker process" if is_child else "worker"
    if "gisc.node.keeper" in words:
        return "keeper"
    if "watchdog" in words:
        return "watchdog"
    name = process.name()
    return "PostgreSQL" if name.startswith("postgres") else "Redis" if "redis" in name else name


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        refused: int = probe.connect_ex(("127.0.0.1", port))
    return refused == 0


def _await(is_so: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 120
    while not is_so():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the node does not start")
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
