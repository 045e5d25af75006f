"""Every row of the fault catalogue (F1 to F106) against a provider that really misbehaves, on a real socket."""

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from catalogue.models import MetadataSet
from harvester.models import Link
from tests.harvester.faults import fault_page
from tests.harvester.faults.fault_cases import BEFORE, STAMP, Case
from tests.harvester.faults.fault_page import CASES
from tests.support.misbehaving import RawServer, World
from tests.support.paths import ROOT, shared
from tests.support.provider import Provider, fill


@pytest.fixture
def world(toulouse: MetadataSet, provider: Provider, link: Link, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    fill(provider, range(5), STAMP)
    link.harvested_to = link.first_response = link.newest = BEFORE
    link.save()
    with RawServer(provider).serving() as raw, ExitStack() as until_end:
        yield World(link, provider, raw, monkeypatch, until_end)


@pytest.mark.spec("H16", "H19", "H29", "H30", "H31", "H34", "H35", "H36", "H38", "S52")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.row}-{case.name.replace(' ', '-')}")
def test_a_fault_of_the_catalogue_has_its_outcome(case: Case, world: World) -> None:
    case.play(world)


def test_every_row_of_the_fault_catalogue_has_a_case() -> None:
    catalogue = shared("reference", "fault-catalogue.md").read_text(encoding="utf-8")
    behaviours = {int(row): words for row, words in re.findall(r"^\| (\d+) \| ([^|]+) \|", catalogue, re.MULTILINE)}
    assert len(behaviours) > 100
    assert sorted(behaviours) == sorted({case.row for case in CASES})
    for row, behaviour in behaviours.items():
        names = " ".join(case.name for case in CASES if case.row == row)
        assert _words(behaviour) & _words(names), f"row {row} is {behaviour!r}; its cases are called {names!r}"


def test_the_documents_tell_every_case() -> None:
    """docs/faults.md is written from the cases; `python -m tests.harvester.faults.fault_page` writes it."""
    page = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    assert page.endswith(fault_page.table(CASES))
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"{len({case.row for case in CASES})} rows of faults in {len(CASES)} cases" in readme


def _words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[a-z0-9]{3,}", text.lower())} - {"the", "and", "for", "not", "with"}
