"""Start, link, query and stop three nodes on this machine, each of which harvests the others. For `manage.py demo`.

Each node is a `manage.py node` process with its own data directory, as if it were in its own centre; the nodes are
queried only over HTTP, as from outside.
"""

import os
import secrets
import shlex
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
from django.utils.translation import gettext

from catalogue.documents import iso19139
from catalogue.documents.sources import SAMPLES
from gisc import installation
from harvester.net import client
from harvester.net.session import Session
from harvester.protocol import answers

START_TIMEOUT_S = 90
HARVEST_EVERY_S = 15

# Settings of the demo's environment that the nodes must not inherit.
_NOT_INHERITED = (
    "GISC_BACKUP_DIR",
    "DATABASE_URL",
    "DATABASE_PASSWORD",
    "REDIS_URL",
    "REDIS_PASSWORD",
    "SECRET_KEY",
    "SECRET_KEY_FALLBACKS",
    "ALLOWED_HOSTS",
    "GISC_BASE_URL",
    "GISC_JOURNAL_DIR",
    "SAMPLES",
)


class MeshFailed(Exception):
    """A node could not be started or queried; the text names the node and its log."""


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """A record as one node lists it: digest and sets, which must be equal at all nodes, and the node's own datestamp."""

    digest: bytes | None  # None: deleted
    set_specs: tuple[str, ...]
    datestamp: str


@dataclass(frozen=True, slots=True)
class DemoNode:
    """One node of the demo."""

    name: str
    port: int
    folder: Path

    @property
    def short_name(self) -> str:
        return self.name.removeprefix("WIS-GISC-").lower()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "node.log"

    def environment(self) -> dict[str, str]:
        """Return the process environment of this node's commands."""
        inherited = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
        return inherited | {
            "GISC_NAME": self.name,
            "GISC_DATA_DIR": str(self.folder),
            "GISC_JOURNAL_DIR": str(self.folder / "journal"),  # emptied with it, or the next database is behind it
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "GISC_BEAT_SECONDS": "3",
            "GISC_WEB_WORKERS": "1",
            "GISC_HARVEST_WORKERS": "1",
        }

    def manage(self, *arguments: str) -> str:
        """Run a command of this node and return what it printed. Raises MeshFailed."""
        return self._run(installation.command(*arguments))

    def run_module(self, *arguments: str) -> str:
        """Run a module of the project, with the settings of this node. Raises MeshFailed."""
        return self._run(installation.module(*arguments))

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command,
            cwd=settings.BASE_DIR,
            env=self.environment() | {"DJANGO_SETTINGS_MODULE": "gisc.settings"},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            text = gettext("{node}: `{command}` failed: {error}")
            raise MeshFailed(text.format(node=self.name, command=shlex.join(command[1:]), error=done.stderr.strip()))
        return done.stdout

    def get_json(self, path: str) -> Any:
        """Get a JSON document from this node. Raises requests.RequestException."""
        answer = requests.get(f"{self.url}{path}", timeout=10)
        answer.raise_for_status()
        return answer.json()

    def catalogue(self) -> dict[str, ListedRecord]:
        """Harvest every record that this node lists, live or deleted, by identifier."""
        records = {}
        with Session() as session:
            arguments = {"verb": "ListRecords", "metadataPrefix": "iso19139"}
            token: str | None = ""
            while token is not None:
                page = answers.parse_page(client.get(session, f"{self.url}/oai", arguments).body, continued=bool(token))
                for received in page.entries:
                    header, element = received.header, received.metadata
                    digest = iso19139.read(element).digest if element is not None else None
                    records[header.identifier] = ListedRecord(digest, header.set_specs, header.datestamp)
                token = page.token
                arguments = {"verb": "ListRecords", "resumptionToken": token or ""}
        return records


def nodes(folder: Path) -> tuple[DemoNode, ...]:
    """Return the three nodes of the demo, with their data below `folder`."""
    names = ("WIS-GISC-TOKYO", "WIS-GISC-TOULOUSE", "WIS-GISC-OFFENBACH")
    return tuple(
        DemoNode(name, 8001 + n, folder / name.removeprefix("WIS-GISC-").lower()) for n, name in enumerate(names)
    )


def samples(node: DemoNode) -> Path:
    """Return the folder of the shipped sample records of this node."""
    return SAMPLES / node.name


@contextmanager
def running(mesh: Sequence[DemoNode]) -> Iterator[dict[DemoNode, "subprocess.Popen[bytes]"]]:
    """Start the nodes with empty data directories, load their samples and link them; stop them at the end."""
    processes: dict[DemoNode, subprocess.Popen[bytes]] = {}
    try:
        for node in mesh:
            require_free_port(node.port, node.name)
        for node in mesh:
            shutil.rmtree(node.folder, ignore_errors=True)
            node.folder.mkdir(parents=True)
            processes[node] = start(node, secrets.token_urlsafe(12))
        with ThreadPoolExecutor(len(mesh)) as pool:
            list(pool.map(lambda node: _prepare(node, processes[node], mesh), mesh))
        yield processes
    finally:
        stop(processes)


def require_free_port(port: int, name: str) -> None:
    """Raise MeshFailed if something listens on a port: perhaps another demo, whose data would be removed."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as exc:
            raise MeshFailed(
                gettext("port {port}, which the demo needs for {node}, is in use; stop what listens there").format(
                    port=port, node=name
                )
            ) from exc


def start(node: DemoNode, password: str) -> "subprocess.Popen[bytes]":
    """Start the processes of a node; `password` is that of its administrator, `admin`."""
    command = installation.command("node")
    environment = node.environment() | {"GISC_ADMIN_PASSWORD": password}
    with node.log.open("wb") as log:
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def _prepare(node: DemoNode, process: "subprocess.Popen[bytes]", mesh: Sequence[DemoNode]) -> None:
    wait_until_ready(node, process)
    node.manage("ingest", str(samples(node)))
    for other in mesh:
        if other is not node:
            node.manage(
                "link",
                "add",
                other.short_name,
                f"{other.url}/oai",
                "--set",
                other.name,
                "--interval",
                str(HARVEST_EVERY_S),
            )


def wait_until_ready(node: DemoNode, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a node that was started is ready. Raises MeshFailed."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ended(node, process)
        try:
            if requests.get(f"{node.url}/health/ready", timeout=5).ok:
                return
        except requests.RequestException:
            pass
        time.sleep(0.2)
    text = gettext("{node} was not ready after {seconds} s; its log: {log}")
    raise MeshFailed(text.format(node=node.name, seconds=START_TIMEOUT_S, log=node.log))


def ended(node: DemoNode, process: "subprocess.Popen[bytes]") -> MeshFailed:
    """Return the error of a node whose processes ended by themselves."""
    text = gettext("{node} ended with status {status}; its log: {log}")
    return MeshFailed(text.format(node=node.name, status=process.returncode, log=node.log))


def stop(processes: Mapping[DemoNode, "subprocess.Popen[bytes]"]) -> None:
    """Stop the nodes, and wait until they have ended."""
    for process in processes.values():
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    for node, process in processes.items():
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            print(gettext("{node} did not stop in 20 s and is killed").format(node=node.name), file=sys.stderr)
            process.kill()
            process.wait()
