"""A full disk: reads go on, health and metrics have said so before, and every write ends in one sentence.

On a real, small file system, which only root may mount; without that these tests are skipped. What needs no disk of its
own has PostgreSQL raise its error for a full disk.
"""

import errno
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psutil
import psycopg2
import pytest
import requests
from django.db import connection
from django.test import Client
from pytest_httpserver import HTTPServer

from catalogue.models import MetadataSet
from gisc import embedded
from harvester.messages import FaultCode, OutcomeCode
from harvester.models import Link
from harvester.runs import lifecycle
from tests.support import world
from tests.support.nodes import Node, answers, free_port, manage
from tests.support.provider import Provider
from tests.support.waiting import until
from tests.support.world import TOULOUSE

SENTENCE = "the disk of this node is full, so nothing was stored; make room on it, and try again"


@pytest.fixture
def small_disk() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="gisc-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", "size=400m,mode=755", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        folder.rmdir()
        pytest.skip("no file system may be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def fill(folder: Path) -> Path:
    """Write a file until the disk is full, or go on with it."""
    file = folder / "filler"
    with file.open("ab", buffering=0) as stream:
        for size in (1 << 20, 4096):
            try:
                while stream.write(b"x" * size) == size:
                    pass
            except OSError as exc:
                if exc.errno != errno.ENOSPC:
                    raise
    return file


def web_workers(node: Node) -> list[psutil.Process]:
    """The processes of gunicorn that answer requests."""
    return psutil.Process(node.pid_of("web")).children()


def figures(url: str) -> dict[str, float]:
    lines = requests.get(f"{url}/metrics", timeout=60).text.splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line.startswith("gisc_disk")}


def children(node: Node, program: str) -> set[int]:
    """The processes under the supervisor whose command line has this word."""
    found = set()
    for child in psutil.Process(node.process.pid).children():
        with suppress(psutil.Error):  # it has ended meanwhile
            if program in " ".join(child.cmdline()):
                found.add(child.pid)
    return found


def test_a_node_whose_log_is_on_the_full_disk_goes_on_and_logs_again_when_there_is_room(
    small_disk: Path, tmp_path: Path
) -> None:
    """The web server logs each request, and the supervisor what it starts again."""
    data_dir = small_disk / "var"  # where the output of the node goes, too
    node = Node(
        data_dir, free_port(), GISC_JOURNAL_DIR=str(tmp_path / "journal"), GISC_BEAT_SECONDS="1", LOG_ACCESS="True"
    )
    try:
        node.ready()
        filler = fill(small_disk)
        for _ in range(3):
            before = children(node, " beat ")
            for pid in before:
                psutil.Process(pid).kill()
            until(
                lambda before=before: children(node, " beat ") - before,
                timeout_s=60,
                what="the supervisor has started beat again",
            )
            for _ in range(5):
                assert requests.get(f"{node.url}/oai?verb=Identify", timeout=60).ok
        assert node.process.poll() is None, node.output()
        filler.unlink()
        asked = {"X-Request-ID": "there-is-room-again"}
        assert requests.get(f"{node.url}/oai?verb=Identify", headers=asked, timeout=60).ok
        until(lambda: asked["X-Request-ID"] in node.output(), timeout_s=60, what="the node logs again")
        pid = node.pid_of("beat")
        psutil.Process(children(node, " beat ").pop()).kill()
        until(lambda: node.pid_of("beat") != pid, timeout_s=60, what="the supervisor logs again")
    finally:
        node.close()


def test_reads_go_on_and_writes_end_in_a_sentence_until_there_is_room_again(small_disk: Path, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(200):
        (documents / f"{number}.xml").write_bytes(world.iso_record(f"urn:{number}", abstract=os.urandom(20_000).hex()))
    data_dir = small_disk / "var"
    # The scheduler would write, too: its row every 30 s.
    settings = {"GISC_NAME": "WIS-GISC-TOKYO", "SAMPLES": "1", "GISC_BEAT_SECONDS": "3600", "GISC_DISK_LOW_MB": "20"}
    node = Node(data_dir, free_port(), GISC_JOURNAL_DIR=str(tmp_path / "journal"), **settings)
    try:
        node.ready()
        paths = ["/", "/?q=data", "/harvest/", "/stats.json", "/oai?verb=ListSets"]
        paths += [f"/oai?verb={verb}&metadataPrefix=iso19139" for verb in ("ListIdentifiers", "ListRecords")]
        assert requests.get(f"{node.url}/health/ready", timeout=60).json()["disk"]["data"]["low"] is False
        assert figures(node.url)['gisc_disk_low{kind="data"}'] == 0

        # As a change or a vacuum of its own tables does: the next connection has to write these lists anew.
        lists = list((data_dir / "postgres").rglob("pg_internal.init"))
        assert lists
        for file in lists:
            file.unlink()
        filler = fill(small_disk)
        for worker in web_workers(node):
            worker.kill()  # the next one makes new files for its counters
        until(lambda: answers(f"{node.url}/health/live"), timeout_s=60, what="a new web worker answers")
        workers = {worker.pid for worker in web_workers(node)}
        for path in [*paths, *paths]:
            answer = requests.get(node.url + path, timeout=60)
            assert answer.status_code == 200, (path, answer.text)
        assert not (data_dir / "reserved_room").exists(), "in use"
        fill(small_disk)  # what is left of it
        health = requests.get(f"{node.url}/health/ready", timeout=60)
        assert (health.status_code, health.json()["status"]) == (200, "degraded")
        assert health.json()["disk"]["data"] == {"free_mb": 0, "total_mb": 419, "low": True}
        seen = figures(node.url)
        assert seen['gisc_disk_low{kind="data"}'] == 1
        assert seen['gisc_disk_free_bytes{kind="data"}'] < 1_000_000
        assert {f'gisc_disk_free_bytes{{kind="{kind}"}}' for kind in ("data", "journal", "backup", "metrics")} <= set(
            seen
        )
        told = manage("ingest", str(documents), GISC_DATA_DIR=str(data_dir), **settings)
        assert told.returncode == 2, told
        assert SENTENCE in told.stderr.splitlines()[-1]
        assert "Traceback" not in told.stderr
        told = manage("backup", str(small_disk / "backup"), GISC_DATA_DIR=str(data_dir), **settings)
        assert (told.returncode, "Traceback" in told.stderr) == (2, False), told
        assert SENTENCE in told.stderr.splitlines()[-1]
        assert not list(small_disk.glob("backup/*.tar*")), "no archive that is not whole"
        for path in paths:
            assert requests.get(node.url + path, timeout=60).status_code == 200, path
        assert {worker.pid for worker in web_workers(node)} == workers, "none was killed"

        filler.unlink()
        done = manage("ingest", str(documents), GISC_DATA_DIR=str(data_dir), **settings)
        assert done.returncode == 0, done
    finally:
        node.close()
    node = Node(data_dir, free_port(), **settings)  # what was given is taken again
    try:
        node.ready()
        assert (data_dir / "reserved_room").stat().st_size == 1_000_000
        assert (data_dir / "reserved_room_for_log").stat().st_size == 17_000_000
    finally:
        node.close()


def test_reads_go_on_though_postgresql_needs_a_new_file_of_its_log(small_disk: Path, tmp_path: Path) -> None:
    """Without room for it the server ends, and cannot start: each start writes some log as well."""
    data_dir = small_disk / "var"
    node = Node(
        data_dir, free_port(), GISC_JOURNAL_DIR=str(tmp_path / "journal"), SAMPLES="1", GISC_BEAT_SECONDS="3600"
    )
    path = "/oai?verb=ListRecords&metadataPrefix=iso19139"
    try:
        node.ready()
        assert (data_dir / "reserved_room_for_log").exists()
        fill(small_disk)
        with closing(psycopg2.connect(embedded.database_url(data_dir))) as session:
            session.autocommit = True
            with session.cursor() as cursor, suppress(psycopg2.Error):
                for _ in range(3):
                    cursor.execute("SELECT pg_logical_emit_message(true, 'tests', 'log'), pg_switch_wal()")
        codes = [requests.get(node.url + path, timeout=60).status_code]

        def is_read_again() -> bool:
            codes.append(requests.get(node.url + path, timeout=60).status_code)
            return not (data_dir / "reserved_room_for_log").exists() and codes[-3:] == [200, 200, 200]

        until(is_read_again, timeout_s=120, what="the room is given, and lists can be read")
        assert set(codes) <= {200, 503}, codes
    finally:
        node.close()


def test_no_room_is_reserved_where_little_is_left(small_disk: Path) -> None:
    (small_disk / "other").write_bytes(bytes(shutil.disk_usage(small_disk).free - 15_000_000))
    embedded.keep_room(small_disk)
    assert [file.name for file in small_disk.iterdir()] == ["other"]
    (small_disk / "other").unlink()
    embedded.keep_room(small_disk)
    assert {file.name for file in small_disk.iterdir()} == {"reserved_room", "reserved_room_for_log"}


# --- What PostgreSQL says of a full disk, in each place that writes ----------------------------------


@contextmanager
def full_for(table: str) -> Iterator[None]:
    """PostgreSQL finds no room for rows of this table."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left' USING ERRCODE = 'disk_full'; END $$
            """
        )
        cursor.execute(f"CREATE TRIGGER no_room BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION no_room()")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION no_room CASCADE")


@pytest.mark.django_db(transaction=True)
def test_a_run_says_that_the_disk_is_full_and_goes_on_when_there_is_room(
    toulouse: MetadataSet, httpserver: HTTPServer
) -> None:
    provider = Provider(httpserver)
    provider.entries = {"urn:a": ("2025-01-01T00:00:00Z", world.iso_record("urn:a"))}
    link = Link.objects.create(name="t", base_url=provider.base_url, remote_set=TOULOUSE.spec, local_set=toulouse)
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    with full_for("catalogue_record"):
        after = lifecycle.work(run.pk)
    assert after is not None
    assert (after.outcome, after.outcome_data["cause"]["code"]) == (OutcomeCode.POSTPONED_BY_NODE, FaultCode.DISK_FULL)
    assert "The disk of this node is full" in after.message
    assert "make room" in after.message
    after.not_before = None
    after.save()
    done = lifecycle.work(run.pk)
    assert done is not None
    assert (done.state, done.new) == ("done", 1)


@pytest.mark.django_db(transaction=True)
def test_the_administration_answers_in_a_sentence(admin_client: Client, toulouse: MetadataSet) -> None:
    admin_client.raise_request_exception = False
    form = {"spec": "WIS-X", "name": "x", "description": "", "kind": "peer", "public": "on"}
    with full_for("catalogue_metadataset"):
        answer = admin_client.post("/admin/catalogue/metadataset/add/", form)
    assert answer.status_code == 503
    assert SENTENCE.capitalize() in answer.content.decode()
    assert admin_client.post("/admin/catalogue/metadataset/add/", form).status_code == 302


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["django_session", "axes_accesslog"])
def test_a_sign_in_without_room_for_the_session_is_answered_in_a_sentence(django_user_model, table: str) -> None:
    django_user_model.objects.create_superuser("operator", password="a long password")
    client = Client(raise_request_exception=False)
    form = {"username": "operator", "password": "a long password"}
    with full_for(table):
        answer = client.post("/admin/login/?next=/admin/", form)
    assert answer.status_code == 503
    assert SENTENCE.capitalize() in answer.content.decode()
    assert client.post("/admin/login/?next=/admin/", form).status_code == 302
