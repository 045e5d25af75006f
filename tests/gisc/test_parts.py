"""What health, metrics, the public status and the administration say of a node whose parts fail, and when it is over.

A whole node, whose processes are stopped as if they hung, or killed. Each answer comes within seconds.
"""

import math
import os
import re
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import pytest
import redis
import requests

from gisc import embedded
from gisc.parts.parts import State
from gisc.parts.reasons import WORDS, PartCode, in_words
from gisc.problem_reasons import ProblemCode
from tests.support.nodes import Node, free_port, manage
from tests.support.sntp import SntpServer, sntp_server
from tests.support.waiting import until

SECONDS = 12  # a scrape of Prometheus ends after 10 s, and starting a connection of requests takes its time
WITHIN_S = 75  # a minute, on a machine that has other things to do
NAME = "WIS-GISC-TOKYO"


@pytest.fixture(scope="module")
def clock() -> Iterator[SntpServer]:
    with sntp_server() as server:
        yield server


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory, clock: SntpServer) -> Iterator[Node]:
    folder = tmp_path_factory.mktemp("parts")
    own = {"GISC_NAME": NAME, "GISC_JOURNAL_DIR": str(folder / "journal"), "GISC_DISK_LOW_MB": "1"}
    running = Node(folder / "var", free_port(), GISC_BEAT_SECONDS="5", GISC_NTP_SERVERS=clock.address, **own)
    try:
        running.ready()
        address = f"http://127.0.0.1:{free_port()}/oai"
        data_dir = {"GISC_NAME": NAME, "GISC_DATA_DIR": str(running.data_dir)}
        added = manage("link", "add", "never", address, "--set", "WIS-GISC-OFFENBACH", **data_dir)
        assert added.returncode == 0, added.stderr
        yield running
    finally:
        running.close()


def health(node: Node) -> tuple[int, dict[str, Any]]:
    answer = requests.get(f"{node.url}/health/ready", timeout=SECONDS)
    return answer.status_code, answer.json()


def codes(node: Node) -> dict[str, str]:
    """The codes of the parts that are not ok."""
    return {name: part["code"] for name, part in health(node)[1]["parts"].items() if part["state"] != "ok"}


def metrics(node: Node) -> dict[str, float]:
    answer = requests.get(f"{node.url}/metrics", timeout=SECONDS)
    assert answer.status_code == 200
    lines = [line for line in answer.text.splitlines() if line.startswith("gisc_")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


@pytest.fixture
def well(node: Node) -> Iterator[Node]:
    """A node that is well before, and is well again after the test."""

    def is_well() -> bool:
        return set(codes(node)) == {"backup"}

    until(is_well, timeout_s=WITHIN_S, what="the node is well")
    assert health(node)[1]["status"] == "ok"
    yield node
    until(is_well, timeout_s=WITHIN_S, what="the node is well again")


@contextmanager
def stopped(processes: Iterable[psutil.Process]) -> Iterator[None]:
    """Have processes do nothing, as if their host hung."""
    those = list(processes)
    for process in those:
        process.suspend()
    try:
        yield
    finally:
        for process in those:
            process.resume()


def state(node: Node, part: str) -> str:
    """The state of a part, as everybody may see it; both, where it changed between the two answers."""
    report = requests.get(f"{node.url}/harvest/status.json", timeout=SECONDS).json()
    page = requests.get(f"{node.url}/harvest/", timeout=SECONDS).text
    (of_page,) = re.findall(rf"{re.escape(in_words(part))}: <span[^>]*>([^<]*)</span>", page)
    found = str(report["parts"][part])
    return found if in_words(found) == of_page else f"{found}, then {of_page}"


def test_a_redis_that_hangs_degrades_the_node_which_answers_all_the_same(well: Node) -> None:
    with stopped([psutil.Process(well.pid_of("redis"))]):
        status, answer = health(well)
        assert (status, answer["status"], answer["redis"]) == (200, "degraded", "not reachable")
        assert answer["parts"]["redis"]["code"] == PartCode.REDIS_AWAY
        found = metrics(well)
        assert (found["gisc_redis_up"], found["gisc_ready"], found["gisc_database_up"]) == (0, 1, 1)
        assert found['gisc_part_state{part="redis",state="degraded"}'] == 1
        until(lambda: state(well, "redis") == "degraded", timeout_s=20, what="everybody sees it")
        assert requests.get(f"{well.url}/oai?verb=Identify", timeout=SECONDS).status_code == 200
    until(lambda: metrics(well)["gisc_redis_up"] == 1, timeout_s=20, what="Redis answers again")


def test_a_redis_that_is_full_answers_a_ping_and_is_not_ok(well: Node) -> None:
    with redis.Redis.from_url(embedded.redis_url(well.data_dir)) as client:
        client.config_set("maxmemory", "1")
        try:
            assert client.ping()
            status, answer = health(well)
            assert (status, answer["status"]) == (200, "degraded")
            assert answer["parts"]["redis"]["code"] == PartCode.REDIS_FULL
            assert answer["parts"]["workers"]["state"] == "unknown"
            assert metrics(well)["gisc_redis_up"] == 0
        finally:
            client.config_set("maxmemory", "0")


def test_worker_and_beat_that_hang_are_seen_within_a_minute(well: Node) -> None:
    def alive() -> list[float]:
        found = metrics(well)
        return [found[f"gisc_{name}"] for name in ("workers_alive", "workers_expected", "beats_alive")]

    until(lambda: alive() == [2, 2, 1], timeout_s=WITHIN_S, what="all of them are told to live")
    with stopped(psutil.Process(well.pid_of(name)) for name in ("worker", "beat")):

        def is_seen() -> bool:
            found = codes(well)
            return (found.get("workers"), found.get("beat")) == (PartCode.NO_WORKER, PartCode.NO_BEAT)

        until(is_seen, timeout_s=WITHIN_S, what="health says that worker and beat are gone")
        assert health(well)[0] == 200
        assert alive() == [0, 2, 0]
        until(lambda: state(well, "workers") == "degraded", timeout_s=20, what="everybody sees it")


def test_processes_of_the_worker_that_die_are_counted(well: Node) -> None:
    before = metrics(well)["gisc_worker_restarts_total"]
    worker = psutil.Process(well.pid_of("worker"))
    worker.children()[0].send_signal(signal.SIGKILL)
    until(
        lambda: metrics(well)["gisc_worker_restarts_total"] == before + 1,
        timeout_s=WITHIN_S,
        what="the process that died is counted",
    )
    worker.send_signal(signal.SIGKILL)
    until(
        lambda: metrics(well)["gisc_worker_restarts_total"] == before + 3,
        timeout_s=WITHIN_S,
        what="the two processes of the worker that died are counted",
    )


def test_a_database_that_hangs_makes_the_node_not_ready_and_no_metric_vanishes(well: Node) -> None:
    before = metrics(well)
    assert before['gisc_link_last_success_seconds{link="never"}'] == 0
    postmaster = psutil.Process(well.postmaster())
    with stopped([*postmaster.children(), postmaster]):
        status, answer = health(well)
        assert (status, answer["status"], answer["database"]) == (503, "not ready", "not reachable")
        assert answer["parts"]["database"]["code"] == PartCode.DATABASE_AWAY
        assert answer["parts"]["redis"]["state"] == answer["parts"]["workers"]["state"] == "ok"
        found = metrics(well)
        assert (found["gisc_database_up"], found["gisc_ready"], found["gisc_redis_up"]) == (0, 0, 1)
        assert math.isnan(found["gisc_clock_known"]), "nobody knows, which is no alarm of its own"
        # What has a sample for single codes only is not to be alerted on.
        by_code = (
            "gisc_link_state{",
            "gisc_link_outcome{",
            "gisc_link_drift{",
            "gisc_link_doubts{",
            "gisc_link_conflicts{",
            "gisc_link_rejects{",
        )
        assert not {name for name in before.keys() - found.keys() if not name.startswith(by_code)}
    until(lambda: health(well)[0] == 200, timeout_s=WITHIN_S, what="the node is ready again")


def test_a_clock_that_is_wrong_is_seen_everywhere_and_a_silent_server_hides_nothing(
    well: Node, clock: SntpServer
) -> None:
    assert metrics(well)["gisc_clock_known"] == 1
    clock.ahead_s = 120
    try:
        until(lambda: "clock" in codes(well), timeout_s=WITHIN_S, what="health says that the clock is wrong")
        status, answer = health(well)
        assert (status, answer["status"]) == (200, "degraded")
        assert answer["parts"]["clock"]["code"] == PartCode.CLOCK_WRONG
        assert "wrong by +120" in answer["parts"]["clock"]["text"]
        assert metrics(well)["gisc_clock_offset_seconds"] == pytest.approx(120, abs=1)
        until(lambda: state(well, "clock") == "degraded", timeout_s=20, what="everybody sees it")
    finally:
        clock.ahead_s = 0.0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_a_journal_that_cannot_be_written_degrades_the_node(well: Node) -> None:
    """Deletions wait in the database then."""
    folder = well.data_dir.parent / "journal"
    folder.mkdir(exist_ok=True)
    mounted = os.system(f"mount -t tmpfs -o ro tmpfs {folder}")
    if mounted:
        pytest.skip("no file system may be mounted here")
    try:
        status, answer = health(well)
        assert (status, answer["status"]) == (200, "degraded")
        assert answer["parts"]["journal"]["code"] == PartCode.JOURNAL_NOT_WRITABLE
    finally:
        assert os.system(f"umount -l {folder}") == 0


def test_each_part_and_state_has_a_word(well: Node) -> None:
    _status, answer = health(well)
    assert {*answer["parts"], *State} <= set(WORDS)


def test_each_part_that_is_not_well_is_a_problem_by_its_name(well: Node) -> None:
    _status, answer = health(well)
    assert {f"part-{name}" for name in answer["parts"]} == {code for code in ProblemCode if code.startswith("part-")}
