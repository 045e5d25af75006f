"""No XML of up to 10 MB costs more than 2 s of CPU and 500 MB, through any entry point: it is stored, or refused (promise 7).

Each shape is read in a child process with limits (`tests.support.bomb_squad`). Here the worst ones, and a few mixtures;
all of them, and more mixtures, in some minutes, by

    BOMBS=300 .venv/bin/python -m pytest tests/catalogue/documents/test_bombs.py
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.support import bomb_squad, bombs
from tests.support.nodes import environment
from tests.support.paths import ROOT

ALL = int(os.environ.get("BOMBS", "0"))  # so many mixtures of each kind
_WORST_RECORDS = (
    "attributes, 448 kB", "attributes of the root", "namespaces and attributes of the root", "empty elements",
    "a relative namespace", "namespaces in depth and width", "what looks like tags in a CDATA section", "nested extents",
    "addresses in a thesaurus", "a long identifier", "blanks before",
)  # fmt: skip
_WORST_PAGES = (
    "small records", "blanks before, 24 MB", "blanks in identifiers", "namespaces around records", "abouts of each record",
    "elements in an about", "broken: headers", "broken: verbs", "broken: bytes", "broken records", "headers", "encodings",
    "a long completeListSize", "errors", "a record of 100 MB",
)  # fmt: skip
Line = tuple[str, str, str | int]


def lines() -> Iterator[Line]:
    """What is read, and how."""
    for name in bombs.RECORDS if ALL else _WORST_RECORDS:
        yield "document", "record", name
        yield "answer", "record in a page", name
        if ALL:
            yield "file", "record in a page", name
    for name in bombs.PAGES if ALL else _WORST_PAGES:
        yield "answer", "page", name
        if ALL:
            yield "file", "page", name
    for seed in range(ALL or 2):
        yield "document", "mixture in a record", seed
        yield "answer", "mixture in a page", seed
        yield "file", "mixture", seed
    yield "file", "record in a page", "attributes of an element"


Costs = dict[Line, tuple[float, float, str]]


def measure(asked: Iterable[Line], data_dir: Path) -> Costs:
    settings = {"DJANGO_SETTINGS_MODULE": "gisc.settings", "GISC_DATA_DIR": str(data_dir)}
    done = subprocess.run(
        [sys.executable, "-m", bomb_squad.__name__],
        input="".join(json.dumps(line) + "\n" for line in asked),
        capture_output=True, text=True, check=True, cwd=ROOT, env=environment() | settings,
    )  # fmt: skip
    rows = map(json.loads, done.stdout.splitlines())
    return {(how, kind, name): (cpu_s, memory_mb, outcome) for how, kind, name, cpu_s, memory_mb, outcome in rows}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Costs:
    """What each of them cost, and what became of it."""
    return measure(lines(), tmp_path_factory.mktemp("bombs"))


def is_costly(cost: tuple[float, float, str]) -> bool:
    return cost[0] > bomb_squad.CPU_S or cost[1] > bomb_squad.MEMORY_MB or cost[2].startswith(("KILLED", "CRASH"))


def test_nothing_of_10_mb_costs_more_than_2_s_and_500_mb(found: Costs, tmp_path: Path) -> None:
    """What takes too long is measured again: another process on the same core makes its time of the processor longer, never shorter."""
    costly = {line: cost for line, cost in found.items() if is_costly(cost)}
    for _ in range(12):
        slow = {line for line, cost in costly.items() if not is_costly((0.0, *cost[1:]))}
        again = measure(slow, tmp_path) if slow else {}
        costly = {line: again.get(line, cost) for line, cost in costly.items() if is_costly(again.get(line, cost))}
    assert costly == {}
    assert set(found) == set(lines())


def test_a_bomb_in_a_page_costs_that_record_alone(found: Costs) -> None:
    lost = {
        line: outcome
        for line, (_, _, outcome) in found.items()
        if line[:2] == ("answer", "record in a page") and " good" not in outcome and line[2] not in _NO_RECORDS
    }
    assert lost == {}


# What cannot stand in a page: it ends, or hides, what comes after it.
_NO_RECORDS = ("entities", "encodings", "depth")


def test_the_shapes_are_of_the_size_that_they_say(tmp_path: Path) -> None:
    assert all(len(shape(100_000)) < 30_000_000 for shape in (*bombs.RECORDS.values(), *bombs.PAGES.values()))
    assert bombs.mixture(1, 1000) == bombs.mixture(1, 1000) != bombs.mixture(2, 1000)
