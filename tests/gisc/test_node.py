"""The whole node: first start, refusals, what happens to its processes, and its end.

Real processes and signals throughout. The tests that only look at a node, or that a node survives, share one.
"""

import json
import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
import requests

from gisc import embedded
from gisc.embedded.folder import socket_dir
from gisc.node import readiness
from tests.support.nodes import Node, free_port, living, manage, refused
from tests.support.paths import ROOT
from tests.support.waiting import until


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node at its first start, which has said that it is ready. Its folder was made by somebody who lets all accounts in."""
    folder = tmp_path_factory.mktemp("node")
    folder.chmod(0o777)
    (folder / "secret_key").write_text("a key that was copied here with the rights of an editor")
    (folder / "secret_key").chmod(0o644)
    running = Node(folder, free_port(), is_new=True, GISC_NAME="WIS-GISC-TOKYO")
    try:
        yield running.ready()
    finally:
        running.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Node]]:
    """Start further nodes; they are stopped after the test."""
    with ExitStack() as stack:

        def start_one(data_dir: Path = tmp_path, port: int | None = None, **settings: str) -> Node:
            running = Node(data_dir, port or free_port(), **settings)
            stack.callback(running.close)
            return running

        yield start_one


def password_of(node: Node) -> str:
    file = node.data_dir / "admin_password"
    assert f"user admin, password in {file}" in node.output()
    assert file.stat().st_mode & 0o777 == 0o600
    return file.read_text(encoding="ascii").strip()


def test_the_first_start_prints_the_addresses_and_they_answer(node: Node) -> None:
    for path in ("/oai?verb=Identify", "/admin/", "/"):
        assert f"{node.url}{path}" in node.output()
    assert "<repositoryName>WIS-GISC-TOKYO" in requests.get(f"{node.url}/oai?verb=Identify", timeout=60).text
    assert requests.get(f"{node.url}/", timeout=60).ok
    assert requests.get(f"{node.url}/metrics", timeout=60).ok


def test_an_empty_node_says_how_to_load_records(node: Node) -> None:
    assert f"manage.py ingest {ROOT}/catalogue/samples/WIS-GISC-TOKYO" in node.output()


def test_the_password_that_is_kept_opens_the_admin(node: Node) -> None:
    with requests.Session() as browser:
        page = f"{node.url}/admin/login/"
        browser.get(page, timeout=60)
        answer = browser.post(
            page,
            data={
                "username": "admin",
                "password": password_of(node),
                "csrfmiddlewaretoken": browser.cookies["csrftoken"],
                "next": "/admin/",
            },
            timeout=60,
            allow_redirects=False,
        )
    assert (answer.status_code, answer.headers.get("Location")) == (302, "/admin/")


def test_no_secret_stands_in_a_log_or_in_a_file_that_others_may_read(node: Node) -> None:
    key, password = embedded.secret_key(node.data_dir), password_of(node)
    assert key not in node.output()
    assert password not in node.output()
    for file in node.data_dir.glob("*"):
        if file.is_file() and not file.name.startswith("output-") and file.stat().st_mode & 0o077:
            content = file.read_bytes()
            assert key.encode() not in content, file
            assert password.encode() not in content, file


def test_other_accounts_have_no_rights_in_the_data_directory_and_the_node_says_that_they_had(node: Node) -> None:
    """As root, the account of PostgreSQL passes through the folder; nobody lists it."""
    folder = node.data_dir
    assert folder.stat().st_mode & 0o777 == (0o711 if os.geteuid() == 0 else 0o700)
    open_ones = {file.name: oct(file.lstat().st_mode) for file in folder.iterdir() if file.lstat().st_mode & 0o077}
    assert {name: mode for name, mode in open_ones.items() if mode[-1] != "0"} == {}
    assert {name for name in open_ones if "secret" in name or "password" in name} == set()
    line = next(line for line in node.output().splitlines() if "other accounts of this host had rights" in line)
    assert f"{folder}," in line and str(folder / "secret_key") in line


def test_a_second_start_says_who_holds_the_data_directory_and_since_when(node: Node) -> None:
    sentence = refused(manage("node", GISC_DATA_DIR=str(node.data_dir), PORT=str(free_port())))
    assert f"{node.data_dir} is in use by process {node.process.pid} (manage.py node), since " in sentence
    assert "GISC_DATA_DIR" in sentence


def test_a_port_in_use_is_said_before_anything_is_started(node: Node, tmp_path: Path) -> None:
    sentence = refused(manage("node", GISC_DATA_DIR=str(tmp_path), PORT=str(node.port)))
    assert f"PORT {node.port}" in sentence
    assert "set PORT to a free port" in sentence
    assert not (tmp_path / "postgres").exists()


def test_a_command_beside_a_node_uses_its_database_and_leaves_it_running(node: Node) -> None:
    until(node.answers, timeout_s=60, what="the node is ready")
    postmaster = node.postmaster()
    answer = manage("showmigrations", "--plan", GISC_DATA_DIR=str(node.data_dir), GISC_NAME="WIS-GISC-TOKYO")
    assert answer.returncode == 0, answer.stderr
    assert "[ ]" not in answer.stdout
    assert node.postmaster() == postmaster
    assert node.answers()


@pytest.mark.parametrize("program", ["web", "worker", "beat", "redis", "postgres"])
def test_a_child_that_is_killed_is_started_again_and_a_line_says_so(node: Node, program: str) -> None:
    killed = node.pid_of(program)
    psutil.Process(killed).kill()
    until(lambda: node.pid_of(program) != killed, timeout_s=60, what=f"{program} has a new process")
    assert f"exited: {program} (terminated by SIGKILL; not expected)" in node.output()
    until(node.answers, timeout_s=60, what="the node is ready again")


def test_the_pool_of_a_killed_worker_goes_with_it(node: Node) -> None:
    worker = psutil.Process(node.pid_of("worker"))
    pool = until(worker.children, timeout_s=60, what="the worker has a pool")
    worker.kill()
    until(lambda: not living(pool), timeout_s=60, what="the pool is gone")


def test_a_postgresql_that_is_killed_is_started_again(node: Node) -> None:
    said = "embedded PostgreSQL was started again: it had died"
    until(node.answers, timeout_s=60, what="the node is ready")  # another test may have struck it just before
    killed, told = node.postmaster(), node.output().count(said)
    psutil.Process(killed).kill()
    until(lambda: node.output().count(said) > told, timeout_s=60, what="the node says that it started PostgreSQL again")
    assert node.postmaster() != killed
    until(node.answers, timeout_s=60, what="the node is ready again")


@pytest.mark.parametrize(
    ("server", "file", "said"),
    [
        ("postgres", ".s.PGSQL.5432", "embedded PostgreSQL was started again: its socket was removed"),
        ("postgres", "postmaster.pid", "embedded PostgreSQL was started again: its pid file was removed"),
        ("redis", "redis.sock", "embedded Redis is started again: its socket was removed"),
    ],
)
def test_a_file_of_a_living_server_that_somebody_removes_is_made_anew_within_a_minute(
    node: Node, server: str, file: str, said: str
) -> None:
    home = node.data_dir / server
    place = home if file.endswith(".pid") else socket_dir(home, file)
    until(lambda: node.answers() and (place / file).exists(), timeout_s=60, what="the node is ready")
    told = node.output().count(said)
    (place / file).unlink()
    until(lambda: node.output().count(said) > told, timeout_s=60, what="the node says so")
    until(lambda: (place / file).exists() and node.answers(), timeout_s=60, what="the node is ready again")
    assert requests.get(f"{node.url}/stats.json", timeout=60).status_code == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_every_process(start: Callable[..., Node], number: int) -> None:
    node = start(SAMPLES="1").ready()
    assert "The catalogue is empty" not in node.output()
    family = node.family()
    assert len(family) >= 10  # the node, web 2, worker 3, beat, redis, keeper, PostgreSQL and its own
    assert node.stop(number, timeout_s=30) == 0  # ten where the machine has nothing else to do
    assert living(family) == []


def test_a_stop_during_the_start_leaves_nothing_behind(start: Callable[..., Node]) -> None:
    node = start()
    until(lambda: embedded.is_running(node.data_dir), timeout_s=60, what="PostgreSQL runs")
    family = node.family()
    node.stop()
    assert living(family) == []


def test_a_start_without_redis_asks_in_peace_sends_alerts_and_is_over_when_redis_comes(
    start: Callable[..., Node], tmp_path: Path
) -> None:
    port = free_port()
    redis_url = f"redis://127.0.0.1:{port}/0"
    node = start(REDIS_URL=redis_url, GISC_ALERT_SETTLE_SECONDS="10", GISC_BEAT_SECONDS="1", LOG_JSON="True")
    until(lambda: "alerts are sent without them" in node.output(), timeout_s=120, what="the supervisor stands in")
    lines = [json.loads(line) for line in node.output().splitlines() if "Redis not reachable" in line]
    assert (
        max(Counter(line["time"][:19] for line in lines).values()) < 10
    )  # it was 25: each answer brought the next question
    answer = requests.get(f"{node.url}/health/ready", timeout=60).text
    assert readiness.why_incomplete(answer).startswith("Redis does not answer, so nothing is harvested by schedule")
    assert "is ready" not in node.output()

    (tmp_path / "own").mkdir()
    server = [*embedded.redis_command(tmp_path / "own"), "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(server) as redis_server:
        try:
            node.ready()
        finally:
            redis_server.terminate()


def test_the_children_of_a_killed_node_go_and_the_next_start_works(start: Callable[..., Node]) -> None:
    node = start(GISC_ADMIN_PASSWORD="larch-and-cedar-7").ready()
    assert "larch-and-cedar-7" not in node.output()
    family = node.family()
    node.stop(signal.SIGKILL)
    again = start(port=node.port)
    until(lambda: not living(family), timeout_s=60, what="every process of the killed node is gone")
    again.ready()
    assert again.answers()
    assert "password" not in again.output()


def test_a_weak_password_is_refused(tmp_path: Path) -> None:
    answer = manage("node", GISC_DATA_DIR=str(tmp_path), PORT=str(free_port()), GISC_ADMIN_PASSWORD="Nine-4567")
    assert answer.returncode == 2
    sentence = answer.stderr.splitlines()[-1]
    assert "GISC_ADMIN_PASSWORD is no good password: This password is too short" in sentence
    assert "Nine-4567" not in answer.stdout + answer.stderr
    assert not embedded.is_running(tmp_path)


def test_a_watched_folder_has_a_process_of_its_own(tmp_path: Path, settings) -> None:
    from gisc.node import processes

    file = tmp_path / "supervisord.conf"
    processes.write_configuration(file)
    assert "[program:watch]" not in file.read_text()
    settings.GISC_WATCH_FOLDER, settings.GISC_WATCH_SET = "/srv/our records", "WIS-GISC-TOKYO"
    processes.write_configuration(file)
    (command,) = re.findall(r"^\[program:watch\]\ncommand = (.*)$", file.read_text(), flags=re.MULTILINE)
    assert command.endswith("manage.py ingest --watch '/srv/our records' --set WIS-GISC-TOKYO")


def test_children_take_memory_from_one_arena_unless_the_operator_says_otherwise(tmp_path: Path, monkeypatch) -> None:
    """With an arena of glibc for each thread, the processes of a worker grew by a tenth within 20 minutes of short runs."""
    from gisc.node import processes

    def environments() -> set[str]:
        processes.write_configuration(file)
        return set(re.findall(r"^environment = (.*)$", file.read_text(), flags=re.MULTILINE))

    file = tmp_path / "supervisord.conf"
    for name in ("MALLOC_ARENA_MAX", "PYTHONUNBUFFERED"):
        monkeypatch.delenv(name, raising=False)
    assert environments() == {'PYTHONUNBUFFERED="1",MALLOC_ARENA_MAX="1"'}
    monkeypatch.setenv("PYTHONUNBUFFERED", "")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "4")
    assert environments() == {'PYTHONUNBUFFERED="1"'}
