"""Four nodes that harvest one another, with a relay that tells nothing of where its records are from.

Each node is a process of `tests.loop.mesh_node` with a database of its own. The mesh has a time of its own, which the test
moves on, and each node's clock may be off from it. What is written comes from a seed.
"""

import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import psycopg2
import requests
from django.db import connection as database

from catalogue import datestamps
from catalogue.documents import iso19139
from harvester.protocol import answers
from tests.loop.mesh_records import OBSERVER, document
from tests.support.misbehaving import RawServer, whole
from tests.support.nodes import environment, free_port, manage
from tests.support.paths import ROOT
from tests.support.provider import Provider

NODES = ("TOKYO", "TOULOUSE", "OFFENBACH", "MELBOURNE")
CO_OWNERS = ("TOKYO", "TOULOUSE")  # of the shared set; both upload into it
SHARED = "shared01"
SECRET_KEY = "one of the mesh, and good for nothing else"
LIE_IN_FUTURE = "2031-01-01"
INTERVAL_S = 20

Versions = dict[str, str | None]  # by identifier: the digest in hex, None where it is deleted


def spec_of(name: str) -> str:
    return f"WIS-GISC-{name}"


def digest_of(content: bytes) -> str:
    return iso19139.read(content).digest.hex()


# --- Databases and processes ------------------------------------------------------------------------


def database_url(name: str) -> str:
    """The URL of a database on the server of the tests."""
    known = database.get_connection_params()
    place = "&".join(f"{part}={known[part]}" for part in ("host", "port") if known.get(part))
    password = f":{known['password']}" if known.get("password") else ""
    return f"postgresql://{known['user']}{password}@/{name}?{place}"


def database_name(of: str) -> str:
    """A name that no other test run has on a server that several of them use."""
    return f"mesh_{os.getpid()}_{of.lower()}"


def run_sql(*statements: str, database: str = "postgres") -> None:
    """Run statements one by one, each in a transaction of its own, as creating a database must be."""
    with session(database) as cursor:
        for statement in statements:
            cursor.execute(statement)


@contextmanager
def session(database: str) -> Iterator[Any]:
    """A cursor on a database of the server of the tests; each statement is a transaction of its own."""
    connected = psycopg2.connect(database_url(database))
    connected.autocommit = True
    try:
        with connected.cursor() as cursor:
            yield cursor
    finally:
        connected.close()


@contextmanager
def template() -> Iterator[str]:
    """The name of a database with the tables of a node, and nothing in them."""
    name = database_name("template")
    run_sql(f"CREATE DATABASE {name} TEMPLATE template0")
    try:
        done = manage("migrate", "--verbosity=0", DATABASE_URL=database_url(name), **_settings("TOKYO"))
        assert done.returncode == 0, done.stderr
        run_sql("DELETE FROM catalogue_metadataset", database=name)  # its own set has a name already
        yield name
    finally:
        run_sql(f"DROP DATABASE {name} WITH (FORCE)")


def _settings(name: str) -> dict[str, str]:
    return {"SECRET_KEY": SECRET_KEY, "ALLOWED_HOSTS": "127.0.0.1", "GISC_NAME": spec_of(name), "LOG_LEVEL": "WARNING"}


class NodeProcess:
    """A node that runs, and the commands to it."""

    def __init__(self, name: str, database: str, folder: Path) -> None:
        self.name, self.spec, self.port, self.database = name, spec_of(name), free_port(), database
        self._log_file = folder / f"{name}.txt"
        self.settings = {
            "DATABASE_URL": database_url(database),
            "GISC_DATA_DIR": str(folder / name),
            "GISC_BASE_URL": f"http://127.0.0.1:{self.port}",
            "PORT": str(self.port),
            **_settings(name),
        }
        self.start()

    def start(self) -> None:
        """Start the process, at first or after `close`."""
        self._log = self._log_file.open("a", encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.loop.mesh_node"],
            cwd=ROOT,
            env=environment(**self.settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/oai"

    def send(self, do: str, **values: Any) -> None:
        """Begin a command; `receive` waits for its end."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **values}) + "\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"{self.name} has ended: {self._log_file.read_text(encoding='utf-8')[-3000:]}"
        return json.loads(line)

    def call(self, do: str, **values: Any) -> Any:
        self.send(do, **values)
        return self.receive()

    def served(self, spec: str) -> dict[str, tuple[str, bytes | None]]:
        """What the node lists of a set: datestamp and document by identifier; no document where it is deleted."""
        found = {}
        arguments = {"verb": "ListRecords", "metadataPrefix": "iso19139", "set": spec}
        while True:
            answer = requests.get(self.base_url, arguments, headers={"User-Agent": OBSERVER}, timeout=60)
            page = answers.parse_page(answer.content, continued="resumptionToken" in arguments)
            for entry in page.entries:
                found[entry.header.identifier] = (entry.header.datestamp, entry.metadata)
            if page.token is None:
                return found
            arguments = {"verb": "ListRecords", "resumptionToken": page.token}

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


# --- The relay --------------------------------------------------------------------------------------


@dataclass
class Relay:
    """Passes on the own set of Toulouse, without `about` containers, with datestamps of its own."""

    provider: Provider
    base_url: str
    of: NodeProcess
    passed_on: dict[str, tuple[str, bytes | None]] = field(default_factory=dict)  # as Toulouse had it
    lying_about: str = ""

    def answer(self, connection: socket.socket, arguments: dict[str, str]) -> bool:
        """Answer a request with the time of the mesh, in the HTTP header as well."""
        body = self.provider.say(arguments)
        date = format_datetime(datestamps.parse(self.provider.now)[0], usegmt=True)
        connection.sendall(whole(body, f"Date: {date}"))
        return True

    def harvest(self, now: datetime) -> None:
        """Take over what has changed at Toulouse."""
        self.provider.now = datestamps.write(now)
        for identifier, (stamp, element) in self.of.served(self.of.spec).items():
            if self.passed_on.get(identifier) != (stamp, element) and identifier != self.lying_about:
                self.passed_on[identifier] = stamp, element
                content = None if element is None else b"<?xml version='1.0'?>" + element
                self.provider.entries[identifier] = self.provider.now, content

    def lie(self, identifier: str, content: bytes) -> None:
        """Pass on something else for a record, until `tell_truth`."""
        self.lying_about = identifier
        self.provider.entries[identifier] = self.provider.now, content

    def tell_truth(self) -> None:
        """Pass on what Toulouse has, with the next harvest of the relay."""
        del self.passed_on[self.lying_about]
        self.lying_about = ""


# --- The mesh ---------------------------------------------------------------------------------------


@dataclass
class Ledger:
    """What data managers wrote at each node: the newest edition by set and identifier, None where it is withdrawn."""

    chance: random.Random
    edition: int = 0
    written: dict[tuple[str, str], dict[str, int | None]] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)  # not written any more
    done: int = 0

    def draw(self, node: str, number: int) -> list[dict[str, Any]]:
        """Writes for a node: records that are new, changed, unchanged, withdrawn, and brought back."""
        return [self._draw(node) for _ in range(number)]

    def _draw(self, node: str) -> dict[str, Any]:
        into = SHARED if node in CO_OWNERS and self.chance.random() < 0.3 else spec_of(node)
        known = self.written.setdefault((node, into), {})
        act = self.chance.choices(("new", "changed", "unchanged", "withdrawn", "back"), (30, 35, 15, 10, 10))[0]
        candidates = [
            identifier
            for identifier, edition in known.items()
            if identifier not in self.fixed and (edition is None) == (act == "back")
        ]
        if act == "new" or not candidates:
            identifier = self._new_identifier(node, into, len(known))
        else:
            identifier = self.chance.choice(candidates)
        before = known.get(identifier)
        if act == "withdrawn" and before is not None:
            edition = None
        elif act == "unchanged" and before is not None:
            edition = before
        else:
            self.edition += 1
            edition = self.edition
        known[identifier] = edition
        return {"into": into, "identifier": identifier, "edition": edition}

    def _new_identifier(self, node: str, into: str, number: int) -> str:
        # A third of what the co-owners have is the same record at both.
        common = into == SHARED and number % 3 == 0
        return f"urn:mesh:{into}:{'both' if common else node}:{number}"

    def note(self, node: str, writes: Sequence[dict[str, Any]], results: Sequence[str]) -> None:
        """Count the writes, and check that none was refused."""
        self.done += len(writes)
        refused = [each for each, result in zip(writes, results, strict=True) if result == "rejected"]
        assert not refused, (node, refused)

    def expected(self, node: str, spec: str) -> Versions:
        editions = self.written.get((node, spec), {})
        return {i: None if edition is None else digest_of(document(i, edition)) for i, edition in editions.items()}


@dataclass
class Mesh:
    """The nodes by name, the relay, the ledger, and the clocks."""

    nodes: dict[str, NodeProcess]
    relay: Relay
    ledger: Ledger
    elapsed_s: float = 0
    skews: dict[str, float] = field(default_factory=dict)

    def pass_time(self, seconds: float) -> None:
        """Move the time of the mesh on, and each clock with it."""
        self.elapsed_s += seconds
        self.all("clock", {name: {"offset_s": self.elapsed_s + self.skews.get(name, 0)} for name in self.nodes})
        self.relay.harvest(datetime.now(UTC) + timedelta(seconds=self.elapsed_s))

    def all(self, do: str, values: dict[str, dict[str, Any]] | None = None) -> dict[str, Any]:
        """Have all nodes carry out a command at the same time."""
        for name, node in self.nodes.items():
            node.send(do, **(values or {}).get(name, {}))
        return {name: node.receive() for name, node in self.nodes.items()}

    def round(self, writes: int = 0, *, by_hand: bool = False) -> None:
        """All nodes harvest what is due, while so many records are written at each."""
        drawn = {name: self.ledger.draw(name, writes) for name in self.nodes}
        hands = {name: [link_name(SHARED, other)] for name, other in zip(CO_OWNERS, CO_OWNERS[::-1], strict=True)}
        commands = {
            name: {"writes": drawn[name], "by_hand": hands.get(name, []) if by_hand else []} for name in self.nodes
        }
        for name, results in self.all("round", commands).items():
            self.ledger.note(name, drawn[name], results)

    def states(self) -> dict[str, dict[str, Any]]:
        return dict(self.all("state"))


def link_name(spec: str, provider: str) -> str:
    return f"{spec.lower()}-from-{provider.lower()}"


@contextmanager
def running(template_name: str, provider: Provider, folder: Path, seed: str) -> Iterator[Mesh]:
    """Start the nodes, and link each with all others; stop them at the end."""
    with ExitStack() as stack:
        nodes = {}
        for name in NODES:
            own = database_name(name)
            run_sql(f"CREATE DATABASE {own} TEMPLATE {template_name}")
            stack.callback(run_sql, f"DROP DATABASE {own} WITH (FORCE)")
            nodes[name] = NodeProcess(name, own, folder)
            stack.callback(nodes[name].close)
        server = stack.enter_context(RawServer(provider).serving())
        relay = Relay(provider, server.base_url, nodes["TOULOUSE"])
        server.misbehaviours.append(relay.answer)
        mesh = Mesh(nodes, relay, Ledger(random.Random(seed)))
        specs = [spec_of(name) for name in NODES]
        prepared = {name: {"peers": [s for s in specs if s != spec_of(name)], "shared": SHARED} for name in NODES}
        mesh.all("prepare", prepared)
        for name, node in nodes.items():
            for link in _links(mesh, name):
                node.call("link", interval_s=INTERVAL_S, **link)
        relayed = {"link": link_name(spec_of("TOULOUSE"), "TOULOUSE"), "name": "relay"}
        nodes["MELBOURNE"].call("alternative", base_url=relay.base_url, remote_set=spec_of("TOULOUSE"), **relayed)
        yield mesh


def _links(mesh: Mesh, name: str) -> Iterator[dict[str, Any]]:
    """The links of a node: each other's own set, that of Toulouse through the relay at Offenbach; and the shared set."""
    for other, node in mesh.nodes.items():
        if other == name:
            continue
        if (name, other) == ("OFFENBACH", "TOULOUSE"):
            yield _link(node.spec, "RELAY", "relay", mesh.relay.base_url)
        else:
            yield _link(node.spec, other, "peer", node.base_url)
        if other in CO_OWNERS:
            co_owner = name in CO_OWNERS
            link = _link(SHARED, other, "backup" if co_owner else "shared", node.base_url)
            yield link | {"enabled": not co_owner}


def _link(spec: str, provider: str, kind: str, base_url: str) -> dict[str, Any]:
    # The share of deletions that waits for an operator is another matter: what is withdrawn here is meant.
    name = link_name(spec, provider)
    return {"name": name, "kind": kind, "base_url": base_url, "remote_set": spec, "hold_percent": 100}
