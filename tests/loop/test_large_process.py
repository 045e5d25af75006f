"""A process of the worker's pool that has grown beyond GISC_WORKER_MAX_MB is replaced; the runs that wait in it lose nothing."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from socket import socket

import psutil
import pytest
from pytest_httpserver import HTTPServer

from tests.loop.observing import Observed
from tests.support import provider as providers
from tests.support.misbehaving import Arguments, RawServer
from tests.support.nodes import Node, free_port, manage
from tests.support.provider import Provider
from tests.support.waiting import until
from tests.support.world import iso_record

LARGE_MB = 40  # its page takes a process of about 100 MB beyond 200; the record itself is larger than any may be
SETTINGS = {
    "GISC_NAME": "WIS-GISC-TOKYO",
    "GISC_BEAT_SECONDS": "1",
    "GISC_RETRY_SECONDS": "1",
    "GISC_HARVEST_WORKERS": "1",
    "GISC_WORKER_MAX_MB": "200",
}


@pytest.fixture
def observed(tmp_path: Path) -> Iterator[Observed]:
    node = Node(tmp_path / "tokyo", free_port(), **SETTINGS)
    try:
        yield Observed(node.ready())
    finally:
        node.close()


def add_link(observed: Observed, name: str, base_url: str, remote_set: str) -> None:
    own = {"GISC_DATA_DIR": str(observed.node.data_dir), "GISC_NAME": SETTINGS["GISC_NAME"]}
    options = ("--set", remote_set, "--interval", "3600", "--lateness", "8784")
    added = manage("link", "add", name, base_url, *options, **own)
    assert added.returncode == 0, added.stderr


def pool(observed: Observed) -> set[int]:
    """The processes of the worker's pool."""
    worker = psutil.Process(observed.node.pid_of("worker"))
    return {process.pid for process in worker.children()}


def run_of(observed: Observed, link: str) -> tuple[str, int, int, int, bool]:
    """State, records received, faults of the provider and of the node, and whether it waits for an answer, of the newest run."""
    rows = observed.ask(
        "SELECT state, received, attempts, crashes, asking_since IS NOT NULL FROM harvester_run run"
        f" JOIN harvester_link link ON link.id = link_id WHERE link.name = '{link}' ORDER BY run.id DESC LIMIT 1"
    )
    return rows[0] if rows else ("none", 0, 0, 0, False)


def test_a_process_that_has_grown_is_replaced_and_hands_on_what_waits_in_it(
    observed: Observed, make_httpserver: HTTPServer
) -> None:
    small, large = Provider(make_httpserver), Provider(make_httpserver)
    providers.fill(small, range(4))
    providers.fill(large, range(10, 11))
    name = providers.identifier(9)
    large.entries[name] = ("2026-02-01T00:00:00Z", iso_record(name, abstract="word " * (LARGE_MB * 200_000)))
    large.edits.append(lambda _, body: body.replace(b"TOULOUSE", b"OFFENBACH"))
    over, asked = threading.Event(), threading.Semaphore(1)

    def answers_the_second_page_when_asked_again(connection: socket, arguments: Arguments) -> bool:
        if "resumptionToken" in arguments and asked.acquire(blocking=False):
            return over.wait(120)  # no answer: the connection is closed
        return False

    with ExitStack() as stack:
        stack.callback(over.set)
        slow = stack.enter_context(RawServer(small, [answers_the_second_page_when_asked_again]).serving())
        add_link(observed, "slow", slow.base_url, "WIS-GISC-TOULOUSE")
        until(lambda: run_of(observed, "slow")[4], timeout_s=180, what="the run waits for the provider's answer")
        before = pool(observed)
        other = stack.enter_context(RawServer(large).serving())
        add_link(observed, "large", other.base_url, "WIS-GISC-OFFENBACH")

        until(lambda: run_of(observed, "large")[:2] == ("done", 2), timeout_s=180, what="the large page is worked on")
        until(lambda: not before & pool(observed), timeout_s=30, what="another process has taken its place")
        until(lambda: run_of(observed, "slow")[0] == "done", timeout_s=180, what="the run went on in the new process")

    assert run_of(observed, "slow")[1:4] == (4, 0, 0), "all records, and no fault of anybody"
    lists = [asked for asked in other.asked if asked["verb"] == "ListRecords"]
    assert len(lists) == 1, "the process that had grown ended the page before it left"
