"""One node of a mesh of four is restored from an older backup: the mesh ends equal, and nothing withdrawn lives.

The nodes are processes of `tests/loop/mesh_node.py`. Files of the data managers bring back what no other node has seen.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.loop import mesh
from tests.loop.mesh import NODES, SHARED, Mesh, digest_of, run_sql, spec_of
from tests.loop.mesh_records import document
from tests.support.many_commands import manage_loaded
from tests.support.provider import Provider

ROUND_S = 30
MAX_ROUNDS = 8


@pytest.fixture(scope="module")
def template() -> Iterator[str]:
    with mesh.template() as name:
        yield name


def record(node: str, number: int) -> str:
    return f"urn:mesh:{node}:{number}"


def writes(node: str, editions: dict[int, int | None]) -> list[dict[str, Any]]:
    """Uploads into the own set of a node; None withdraws."""
    return [
        {"into": spec_of(node), "identifier": record(node, number), "edition": edition}
        for number, edition in editions.items()
    ]


def write(world: Mesh, node: str, editions: dict[int, int | None]) -> None:
    results = world.nodes[node].call("round", writes=writes(node, editions), by_hand=[])
    assert "rejected" not in results


def harvest(world: Mesh) -> None:
    """Let all nodes harvest until nothing is stored any more."""
    for _ in range(MAX_ROUNDS):
        before = {name: len(state["runs"]) for name, state in world.states().items()}
        world.pass_time(ROUND_S)
        world.round()
        runs = [run for name, state in world.states().items() for run in state["runs"][before[name] :]]
        if not any(run["stored"] for run in runs):
            return
    raise AssertionError([run for run in runs if run["stored"]])


def run(world: Mesh, *arguments: str) -> dict[str, Any]:
    """Run a command of Tokyo's operator."""
    done = manage_loaded(*arguments, "--json", **world.nodes["TOKYO"].settings)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def versions(world: Mesh, spec: str) -> dict[str, dict[str, str]]:
    """By node: the digests of the live records of a set."""
    return {
        name: {identifier: digest for identifier, (digest, _) in state["sets"].get(spec, {}).items() if digest}
        for name, state in world.states().items()
    }


@pytest.mark.spec("W11", "W34", "P92")
def test_a_mesh_ends_equal_after_one_node_was_restored_from_an_older_backup(
    template: str, httpserver: HTTPServer, tmp_path: Path
) -> None:
    with mesh.running(template, Provider(httpserver, page_size=50), tmp_path, "restored") as world:
        tokyo = world.nodes["TOKYO"]
        world.pass_time(ROUND_S)
        for name in NODES:
            write(world, name, dict.fromkeys(range(8), 1))
        write(world, "TOKYO", {7: None})
        harvest(world)
        assert run(world, "backup", str(tmp_path / "backups"))["verified"]

        write(world, "TOKYO", {0: None, 1: None, 2: 2, 8: 1, 7: 2})
        write(world, "TOULOUSE", {0: None, 1: 2, 8: 1})
        run(world, "set", "move", SHARED, record("TOKYO", 4))
        harvest(world)
        write(world, "TOKYO", {3: None, 5: 2})  # no other node sees this before Tokyo is lost

        tokyo.close()
        run_sql(f"DROP DATABASE {tokyo.database} WITH (FORCE)", f"CREATE DATABASE {tokyo.database} TEMPLATE template0")
        records = tmp_path / "records"
        records.mkdir()
        for number, edition in {0: 1, 1: 1, 2: 2, 3: 1, 4: 1, 5: 2, 6: 1, 7: 2, 8: 1}.items():
            (records / f"{number}.xml").write_bytes(document(record("TOKYO", number), edition))
        report = run(world, "restore", str(tmp_path / "backups"), "--records", str(records))
        assert (report["replay"]["deleted"], report["replay"]["moved"]) == (4, 1)  # one of them is Toulouse's
        assert report["brought_back"] == []
        tokyo.start()
        harvest(world)

        expected = {name: dict.fromkeys(range(8), 1) for name in NODES}
        expected["TOKYO"] = {2: 2, 5: 2, 6: 1, 7: 2, 8: 1}
        expected["TOULOUSE"] = {1: 2, **dict.fromkeys(range(2, 9), 1)}
        for owner in NODES:
            digests = {
                record(owner, number): digest_of(document(record(owner, number), edition))
                for number, edition in expected[owner].items()
            }
            assert versions(world, spec_of(owner)) == dict.fromkeys(NODES, digests)
        moved = {record("TOKYO", 4): digest_of(document(record("TOKYO", 4), 1))}
        shared = versions(world, SHARED)
        del shared["TOULOUSE"]  # its operator decides about what the co-owner offers
        assert shared == dict.fromkeys(shared, moved)
