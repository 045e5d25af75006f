"""Nothing that the world sees of the product moves without intent: tests/project/data/surface.json says what it was."""

import difflib
import json
from typing import Any

import pytest
from django.core.management import call_command

from tests.project import surface
from tests.support.paths import ROOT

FILE = ROOT / "tests" / "project" / "data" / "surface.json"
BEFORE: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
HOW = """
The surface of the product has changed: operators, monitors, brokers, databases or bookmarks know these names.
If the change is intended, write it down in CHANGELOG.md and write the file anew:

    python -m tests.project.surface > tests/project/data/surface.json
"""


def difference(section: str, now: dict[str, Any]) -> str:
    """What is new (+) and what is gone (-) in a section; empty where nothing is."""
    before, after = (surface.write_down({section: one.get(section)}).splitlines() for one in (BEFORE, now))
    return "\n".join(difflib.unified_diff(before, after, "before", "now", n=2, lineterm=""))


@pytest.fixture(scope="module")
def of_code() -> dict[str, Any]:
    return surface.read("code")


@pytest.mark.parametrize("section", surface.OF_CODE)
def test_what_the_world_sees_of_the_code_is_as_it_was(of_code: dict[str, Any], section: str) -> None:
    found = difference(section, of_code)
    assert not found, f"{HOW}\n{found}"


@pytest.mark.parametrize("section", surface.OF_DATABASE)
def test_what_the_world_sees_of_the_database_is_as_it_was(db: None, section: str) -> None:
    found = difference(section, {section: surface.OF_DATABASE[section]()})
    assert not found, f"{HOW}\n{found}"


def test_the_file_has_no_other_section() -> None:
    assert set(BEFORE) == {*surface.OF_CODE, *surface.OF_DATABASE}


def test_the_models_are_as_the_migrations_make_them(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True)  # leaves by SystemExit where one is missing


# Words between the product and what outlives a process, a version or a host. Each stands in the code as a constant, or
# as a part of an f-string, wherever that is. test_fixtures_of_old_code.py proves what they are for.
LITERALS = {
    "salt of resumption tokens": "oaiprovider.tokens ",
    "salt of sealed secrets": "harvester.seals.",
    "purpose of a sealed password": "password",
    "purpose of a sealed proxy password": "proxy password",
    "purpose of sealed cookies": "cookies",
    "start of keys in Redis": "gisc:",
    "part of the keys of flow control": ":flow:",
    "files of the journal": "deletions-*.jsonl",
    "checksum in a line of the journal": ', "crc32": "',
    "lock of the journal": ".lock",
    "file of the secret key": "secret_key",
    "folder of the embedded PostgreSQL": "postgres",
    "lock of those who start or stop it": "postgres.lock",
    "lock of those who need it": "postgres.holders",
    "line in postgresql.conf": "include 'gisc.conf'\n",
    "socket of the embedded Redis": "redis.sock",
    "start of the names of short socket folders": "gisc-",
    "lock of a node": "node.lock",
    "lock of the children of a node": "node.children",
    "mark of a worker's last act": "/tmp/gisc-last-act",
    "key of what came beside a record, in its provenance": "abouts",
}


@pytest.fixture(scope="module")
def constants() -> set[str]:
    return surface.constants()


@pytest.mark.parametrize("what", LITERALS)
def test_a_literal_that_the_world_knows_stands_in_the_code(constants: set[str], what: str) -> None:
    assert LITERALS[what] in constants
