"""A node whose database is lost is rebuilt from archived records and the journal, and no harvester is left wrong (W11)."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.loop.other_centre import Harvester
from tests.support import archives
from tests.support.many_commands import manage_loaded
from tests.support.nodes import Node, free_port
from tests.support.waiting import until

SPEC = "WIS-GISC-TOKYO"
NAMES = [f"REC{number:04}" for number in range(600)]


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "tokyo"


@pytest.fixture
def start(data_dir: Path) -> Iterator:
    started: list[Node] = []
    port = free_port()

    def start(*, await_ready: bool = True) -> Node:
        started.append(Node(data_dir, port, GISC_NAME=SPEC, GISC_PAGE_RECORDS="70"))
        return started[-1].ready() if await_ready else started[-1]

    yield start
    for node in started:
        node.close()


def told(data_dir: Path, *arguments: str) -> dict:
    done = manage_loaded(*arguments, "--json", GISC_DATA_DIR=str(data_dir), GISC_NAME=SPEC, timeout_s=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.spec("W11", "W34", "P92")
def test_rebuilt_from_archive_and_journal_every_harvester_ends_equal_to_the_catalogue(
    data_dir: Path, tmp_path: Path, start
) -> None:
    archive = archives.make(tmp_path / "archive.tar", NAMES)
    changed = archives.make(tmp_path / "changed.tar", NAMES[300:310], note="Second version. ")
    back = archives.make(tmp_path / "back.tar", NAMES[:1])
    node = start()
    assert told(data_dir, "ingest", str(archive))["new"] == len(NAMES)
    harvesters = [Harvester(f"{node.url}/oai", by_largest_datestamp=kind) for kind in (True, False)]
    assert [harvester.visit() for harvester in harvesters] == [len(NAMES)] * 2

    def withdraw(names: list[str]) -> None:
        file = tmp_path / "withdrawn.txt"
        file.write_text("\n".join(map(archives.identifier, names)))
        assert told(data_dir, "withdraw", "--file", str(file))["deleted"] == len(names)

    withdraw(NAMES[:80])
    assert told(data_dir, "ingest", str(back), "--revive")["brought_back"] == 1
    report = told(data_dir, "ingest", str(changed))
    assert report["updated"] + report["older"] == 10
    for harvester in harvesters:
        assert harvester.visit() >= 90
        assert sum(content is None for content in harvester.copy.values()) == 79
    withdraw(NAMES[80:100])  # these deletions nobody has heard of when it happens
    node.stop()
    shutil.rmtree(data_dir / "postgres")

    assert told(data_dir, "ingest", str(archive), str(changed))["new"] == len(NAMES)
    deleted = {row["set"]: row["deleted"] for row in told(data_dir, "catalogue", "stats")["sets"]}
    assert deleted[SPEC] == 0, "the archive alone brings all that was withdrawn back"
    report = told(data_dir, "journal", "replay")
    assert (report["events"], report["deleted"], report["unchanged"], report["left_alone"]) == (101, 99, 0, 1)
    assert report["left"][0]["identifier"] == archives.identifier(NAMES[0])
    again = told(data_dir, "journal", "replay")
    assert (again["deleted"], again["unchanged"], again["left_alone"]) == (0, 99, 1)

    node = start()
    fresh = Harvester(f"{node.url}/oai", by_largest_datestamp=True)
    assert fresh.visit() == len(NAMES)
    assert {name for name, content in fresh.copy.items() if content is None} == set(
        map(archives.identifier, NAMES[1:100])
    )
    for harvester in harvesters:
        assert harvester.visit() >= 20
        assert harvester.copy == fresh.copy


@pytest.mark.spec("W11", "P81")
def test_rebuilt_after_moves_the_harvesters_of_every_set_end_equal_to_the_catalogue(
    data_dir: Path, tmp_path: Path, start
) -> None:
    names = NAMES[:60]
    archive = archives.make(tmp_path / "archive.tar", names)

    def make_the_sets(*in_the_union: str) -> None:
        told(data_dir, "set", "add", "shared01", "--kind", "shared")
        told(data_dir, "set", "add", "DRIVER", "--kind", "virtual")
        told(data_dir, "set", "include", "DRIVER", *in_the_union)

    def move(names: list[str], into: str) -> None:
        assert told(data_dir, "set", "move", into, *map(archives.identifier, names))["moved"] == len(names)

    node = start()
    assert told(data_dir, "ingest", str(archive))["new"] == len(names)
    make_the_sets(SPEC, "shared01")
    move(names[40:60], "shared01")
    specs = (SPEC, "shared01", "DRIVER", "WIS-CATALOGUE")
    harvesters = {spec: Harvester(f"{node.url}/oai", by_largest_datestamp=True, spec=spec) for spec in specs}
    late = {spec: Harvester(f"{node.url}/oai", by_largest_datestamp=False, spec=spec) for spec in specs}
    for harvester in (*harvesters.values(), *late.values()):
        assert harvester.visit() in (20, 60)
    move(names[30:40], "shared01")
    move(names[50:60], SPEC)
    told(data_dir, "set", "exclude", "DRIVER", "shared01")
    for harvester in harvesters.values():
        harvester.visit()  # the late ones have not heard of it when it happens
    node.stop()
    shutil.rmtree(data_dir / "postgres")

    make_the_sets(SPEC)
    assert told(data_dir, "ingest", str(archive))["new"] == len(names)
    report = told(data_dir, "journal", "replay")
    assert (report["deleted"], report["moved"], report["left_alone"]) == (0, 20, 0)
    again = told(data_dir, "journal", "replay")
    assert (again["moved"], again["departed"], again["left_alone"]) == (0, 0, 0)

    node = start()
    live = {SPEC: 40, "shared01": 20, "DRIVER": 40, "WIS-CATALOGUE": 60}
    for spec in specs:
        fresh = Harvester(f"{node.url}/oai", by_largest_datestamp=True, spec=spec)
        fresh.visit()
        assert sum(content is not None for content in fresh.copy.values()) == live[spec]
        for harvester in (harvesters[spec], late[spec]):
            harvester.visit()
            assert harvester.copy == fresh.copy


@pytest.mark.spec("W11", "W34")
def test_a_data_directory_that_was_put_back_is_not_ready_and_says_what_to_do(
    data_dir: Path, tmp_path: Path, start
) -> None:
    """The journal beside it was not put back. Of an older copy the node knows no deletion that was made since."""
    archive = archives.make(tmp_path / "archive.tar", NAMES[:30])
    node = start()
    told(data_dir, "ingest", str(archive))
    told(data_dir, "withdraw", archives.identifier(NAMES[0]))
    node.stop()
    subprocess.run(["cp", "-a", str(data_dir), str(tmp_path / "copy")], check=True)
    node = start()
    told(data_dir, "withdraw", *map(archives.identifier, NAMES[1:5]))
    node.stop()
    shutil.rmtree(data_dir)
    (tmp_path / "copy").rename(data_dir)

    node = start(await_ready=False)
    until(lambda: "node not ready" in node.output() and health(node), timeout_s=120, what="the node answers")
    assert "the data directory, was put back from an older copy" in node.output()
    assert "manage.py restore --in-place" in node.output()
    status, answer = health(node)
    assert (status, answer["status"], answer["journal"]) == (503, "not ready", "database-behind")
    late = manage_loaded("withdraw", archives.identifier(NAMES[5]), GISC_DATA_DIR=str(data_dir), GISC_NAME=SPEC)
    assert (late.returncode, "not yet in the journal" in late.stderr) == (1, True)
    node.stop()

    report = told(data_dir, "restore", "--in-place")
    assert (report["replay"]["deleted"], report["replay"]["missing"]) == (4, [])
    assert report["restamped"] == {SPEC: 30}
    node = start()
    assert health(node)[1]["journal"] == "ok"
    fresh = Harvester(f"{node.url}/oai", by_largest_datestamp=True)
    fresh.visit()
    assert {name for name, content in fresh.copy.items() if content is None} == set(map(archives.identifier, NAMES[:6]))


def health(node: Node) -> tuple[int, dict] | None:
    """Status and answer of the health check; None while nothing answers."""
    try:
        answer = requests.get(f"{node.url}/health/ready", timeout=10)
    except requests.RequestException:
        return None
    return answer.status_code, answer.json()
