"""A command next to a running node takes its settings over, or says which variable to set; it never works on another one."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from gisc import file_locks, running_nodes
from tests.support.nodes import Node, environment, free_port

Adopt = Callable[..., dict[str, str]]


@pytest.fixture
def nodes(tmp_path: Path) -> Path:
    return tmp_path / "nodes"


@pytest.fixture
def adopt(nodes: Path) -> Iterator[Adopt]:
    """The environment of a command after it has looked for a node, with these variables and no other of ours."""

    def look(**given: str) -> dict[str, str]:
        for name in [name for name in os.environ if name.startswith(("GISC_", "DATABASE_", "REDIS_", "HOST", "PORT"))]:
            del os.environ[name]
        os.environ.update(given)
        running_nodes.adopt_settings(nodes)
        return dict(os.environ)

    with mock.patch.dict(os.environ):
        yield look


@contextmanager
def running(nodes: Path, data_dir: Path, name: str, **outside: str) -> Iterator[None]:
    """A node that is up: its lock and its file."""
    data_dir.mkdir(parents=True, exist_ok=True)
    lock = file_locks.FileLock(data_dir / running_nodes.LOCK)
    lock.acquire()
    before = {variable: os.environ.pop(variable, None) for variable in ("DATABASE_URL", "REDIS_URL")}
    os.environ.update(outside)
    own = {"GISC_NAME": name, "GISC_DATA_DIR": data_dir, "GISC_JOURNAL_DIR": data_dir / "j", "PORT": 8123}
    try:
        with override_settings(**own), running_nodes.announced(nodes):
            for variable, value in before.items():
                os.environ.pop(variable, None)
                os.environ.update({} if value is None else {variable: value})
            yield
    finally:
        lock.release()


def test_one_node_is_found_by_a_command_that_names_none(nodes: Path, tmp_path: Path, adopt: Adopt) -> None:
    with running(nodes, tmp_path / "a", "WIS-GISC-A"):
        found = adopt()
        assert (found["GISC_NAME"], found["GISC_DATA_DIR"], found["PORT"]) == (
            "WIS-GISC-A",
            str(tmp_path / "a"),
            "8123",
        )
        assert found["GISC_JOURNAL_DIR"] == str(tmp_path / "a" / "j")
        assert adopt(GISC_DATA_DIR=f"{tmp_path}/b/../a")["GISC_NAME"] == "WIS-GISC-A"
        assert "GISC_NAME" not in adopt(GISC_DATA_DIR=str(tmp_path / "other"))
        assert "GISC_DATA_DIR" not in adopt(GISC_NAME="WIS-GISC-OTHER")
        assert "GISC_DATA_DIR" not in adopt(DATABASE_URL="postgresql://u:p@h/x")
    assert "GISC_NAME" not in adopt()


def test_a_node_that_was_killed_is_none(nodes: Path, tmp_path: Path, adopt: Adopt) -> None:
    with running(nodes, tmp_path / "a", "WIS-GISC-A"):
        (file,) = nodes.glob("*.json")
        left = file.read_text()
    file.write_text(left)
    (nodes / "cut.json").write_text(left[:40])
    (nodes / "list.json").write_text("[]")
    assert "GISC_NAME" not in adopt()


def test_of_several_nodes_the_command_has_to_name_one(nodes: Path, tmp_path: Path, adopt: Adopt) -> None:
    with running(nodes, tmp_path / "a", "WIS-GISC-A"), running(nodes, tmp_path / "b", "WIS-GISC-B"):
        with pytest.raises(ImproperlyConfigured, match="2 nodes run from here: .*WIS-GISC-A.*set GISC_DATA_DIR"):
            adopt()
        assert adopt(GISC_NAME="WIS-GISC-B")["GISC_DATA_DIR"] == str(tmp_path / "b")
        assert adopt(GISC_DATA_DIR=str(tmp_path / "a"))["GISC_NAME"] == "WIS-GISC-A"


@pytest.mark.parametrize(
    "wrong", [{"GISC_NAME": "WIS-GISC-B"}, {"GISC_JOURNAL_DIR": "/tmp"}, {"DATABASE_URL": "postgresql://u:secret@h/x"}]
)
def test_a_variable_that_differs_from_the_node_is_a_sentence(
    nodes: Path, tmp_path: Path, adopt: Adopt, wrong: dict[str, str]
) -> None:
    refused = pytest.raises(ImproperlyConfigured, match=f"^{next(iter(wrong))} is not that of the node")
    with running(nodes, tmp_path / "a", "WIS-GISC-A"), refused as raised:
        adopt(GISC_DATA_DIR=str(tmp_path / "a"), **wrong)
    assert "secret" not in str(raised.value)


def test_what_has_passwords_is_asked_for_and_never_written(nodes: Path, tmp_path: Path, adopt: Adopt) -> None:
    url = "postgresql://gisc:secret@db.example.org:5432/gisc?password=secret"
    with running(nodes, tmp_path / "a", "WIS-GISC-A", DATABASE_URL=url):
        (file,) = nodes.glob("*.json")
        assert "secret" not in file.read_text()
        assert json.loads(file.read_text())["outside"] == {"DATABASE_URL": "db.example.org:5432/gisc"}
        with pytest.raises(ImproperlyConfigured, match="runs with DATABASE_URL, which is not set here"):
            adopt()
        assert adopt(DATABASE_URL=url)["GISC_NAME"] == "WIS-GISC-A"
        assert "GISC_NAME" not in adopt(DATABASE_URL="postgresql://gisc:secret@other.example.org/gisc")


def test_the_line_that_a_node_prints_loads_records_into_that_node(tmp_path: Path) -> None:
    """Also from another folder and with an environment that has nothing of the node's."""
    with ExitStack() as stack:
        node = Node(tmp_path / "var", free_port(), GISC_NAME="WIS-GISC-TOKYO")
        stack.callback(node.close)
        found = re.search(r"^  (env GISC_DATA_DIR=.*)$", node.ready().output(), re.M)
        assert found, node.output()
        assert str(tmp_path / "var") in found[1]
        assert "GISC_NAME=WIS-GISC-TOKYO" in found[1]
        done = subprocess.run(
            found[1], shell=True, cwd="/", env=environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert " new, " in done.stdout
