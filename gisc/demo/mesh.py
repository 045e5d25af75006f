"""Three nodes on this machine, in full mesh: started, linked, asked and stopped. For `manage.py demo`.

Each node is a `manage.py node` process of its own with a data directory of its own, as if it stood in its own
centre; the nodes are only ever asked over HTTP, as a stranger would.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from django.conf import settings

from catalogue.documents import iso19139
from catalogue.documents.sources import SAMPLES
from harvester.net import client
from harvester.protocol import answers

START_TIMEOUT_S = 90
HARVEST_EVERY_S = 15

# What the nodes must not take over from the environment of the demo.
_OF_ONE_NODE = (
    "DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "GISC_BASE_URL",
    "GISC_JOURNAL_DIR",
    "SAMPLES",
)


class MeshFailed(Exception):
    """A node could not be started or asked; the text says which and where its log is."""


@dataclass(frozen=True, slots=True)
class Held:
    """A record as one node lists it: what must be equal everywhere, and the node's own datestamp."""

    digest: bytes | None  # None: deleted
    set_specs: tuple[str, ...]
    datestamp: str


@dataclass(frozen=True, slots=True)
class Node:
    """One centre."""

    name: str
    port: int
    folder: Path

    @property
    def short(self) -> str:
        return self.name.removeprefix("WIS-GISC-").lower()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "node.log"

    def environment(self) -> dict[str, str]:
        """The process environment of this node's commands."""
        inherited = {name: value for name, value in os.environ.items() if name not in _OF_ONE_NODE}
        return inherited | {
            "GISC_NAME": self.name,
            "GISC_DATA_DIR": str(self.folder),
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "GISC_BEAT_SECONDS": "3",
            "GISC_WEB_WORKERS": "1",
            "GISC_HARVEST_WORKERS": "1",
        }

    def manage(self, *arguments: str) -> str:
        """Run a command of this node and return what it printed. Raises MeshFailed."""
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments]
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True)
        if done.returncode:
            raise MeshFailed(f"{self.name}: `manage.py {' '.join(arguments)}` failed: {done.stderr.strip()}")
        return done.stdout

    def ask(self, path: str) -> Any:
        """The JSON that this node answers. Raises requests.RequestException."""
        answer = requests.get(f"{self.url}{path}", timeout=10)
        answer.raise_for_status()
        return answer.json()

    def catalogue(self) -> dict[str, Held]:
        """Every record this node lists, live or deleted, by identifier: harvested from it page by page."""
        found = {}
        with client.new_session() as session:
            arguments = {"verb": "ListRecords", "metadataPrefix": "iso19139"}
            token: str | None = ""
            while token is not None:
                page = answers.parse_page(client.get(session, f"{self.url}/oai", arguments).body, continued=bool(token))
                for received in page.entries:
                    header, element = received.entry.header, received.entry.metadata
                    digest = iso19139.read(element).digest if element is not None else None
                    found[header.identifier] = Held(digest, header.set_specs, header.datestamp)
                token = page.token
                arguments = {"verb": "ListRecords", "resumptionToken": token or ""}
        return found


def nodes(folder: Path) -> tuple[Node, ...]:
    """The three centres of the demo, with their data under `folder`."""
    names = ("WIS-GISC-TOKYO", "WIS-GISC-TOULOUSE", "WIS-GISC-OFFENBACH")
    return tuple(Node(name, 8001 + n, folder / name.removeprefix("WIS-GISC-").lower()) for n, name in enumerate(names))


def samples(node: Node) -> Path:
    """The sample records of this node's own area that ship with the project."""
    return SAMPLES / node.name


@contextmanager
def running(mesh: Sequence[Node]) -> Iterator[dict[Node, "subprocess.Popen[bytes]"]]:
    """The nodes started from nothing, each with its samples and a link to each other one; stopped at the end."""
    processes: dict[Node, subprocess.Popen[bytes]] = {}
    try:
        for node in mesh:
            _must_be_free(node)
            shutil.rmtree(node.folder, ignore_errors=True)
            node.folder.mkdir(parents=True)
            processes[node] = _start(node)
        with ThreadPoolExecutor(len(mesh)) as pool:
            list(pool.map(lambda node: _prepare(node, processes[node], mesh), mesh))
        yield processes
    finally:
        _stop(processes)


def _must_be_free(node: Node) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", node.port))
        except OSError as exc:
            raise MeshFailed(
                f"port {node.port}, which the demo needs for {node.name}, is in use; stop what listens there"
            ) from exc


def _start(node: Node) -> "subprocess.Popen[bytes]":
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "node"]
    environment = node.environment() | {"GISC_ADMIN_PASSWORD": secrets.token_urlsafe(12)}
    with node.log.open("wb") as log:
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def _prepare(node: Node, process: "subprocess.Popen[bytes]", mesh: Sequence[Node]) -> None:
    _await_ready(node, process)
    node.manage("ingest", str(samples(node)))
    for other in mesh:
        if other is not node:
            node.manage(
                "link", "add", other.short, f"{other.url}/oai", "--set", other.name, "--interval", str(HARVEST_EVERY_S)
            )


def _await_ready(node: Node, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise MeshFailed(f"{node.name} ended with status {process.returncode}; its log: {node.log}")
        try:
            if requests.get(f"{node.url}/health/ready", timeout=5).ok:
                return
        except requests.RequestException:
            pass
        time.sleep(0.2)
    raise MeshFailed(f"{node.name} was not ready after {START_TIMEOUT_S} s; its log: {node.log}")


def _stop(processes: Mapping[Node, "subprocess.Popen[bytes]"]) -> None:
    for process in processes.values():
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    for node, process in processes.items():
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            print(f"{node.name} did not stop in 20 s and is killed", file=sys.stderr)
            process.kill()
            process.wait()
