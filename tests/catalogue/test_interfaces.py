"""docs/interfaces.md: each interface is there with an example, and each example is answered by a node."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalogue import bootstrap, seams
from catalogue.discovery.sru.answers import relations_of
from catalogue.discovery.sru.indexes import INDEXES, spelled
from catalogue.pages import interfaces
from gisc import settings as node_settings
from gisc.wis_monitoring import measuring
from tests.support import paths
from tests.support.paths import ROOT
from tests.support.served import Served, served
from tests.support.world import iso_record, put

TEXT = (ROOT / "docs" / "interfaces.md").read_text(encoding="utf-8")
SRU = (ROOT / "docs" / "sru.md").read_text(encoding="utf-8")
CSW = (ROOT / "docs" / "csw.md").read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    blocks = re.findall(r"^```bash\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith("curl ")]


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    bootstrap.ensure_sets()
    measuring.measure(seams.now())
    put(iso_record("urn:x:1", title="Sea ice", keywords=["ice"], box=(130, 30, 140, 40)))
    with served(tmp_path, GISC_WEB_THREADS="2") as running:
        yield running


def test_each_example_is_answered(server: Served) -> None:
    curl = paths.program("curl")
    lines = commands(TEXT) + commands(SRU) + commands(CSW)
    if not interfaces.is_offered(interfaces.CSW):
        lines = [line for line in lines if "/csw" not in line]
    assert len(lines) > 12
    for line in lines:
        program, *arguments = shlex.split(line.replace("http://localhost:8000", server.url))
        assert program == "curl"
        done = subprocess.run([curl, "--silent", "--show-error", "--fail", *arguments], capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout, line
        for refusal in ("<error", "diagnostics>", "ExceptionReport"):
            assert refusal not in done.stdout, (line, done.stdout[:500])
        if "searchRetrieve" in line:
            assert "<sru:numberOfRecords>1<" in done.stdout, line
        if "GetRecords" in line:
            assert 'numberOfRecordsMatched="1"' in done.stdout, line


def test_each_interface_of_the_table_has_an_example() -> None:
    addresses = re.findall(r"`(/[\w./]*)`", "\n".join(re.findall(r"^\|.*\|$", TEXT, re.MULTILINE)))
    asked = " ".join(commands(TEXT))
    assert addresses
    for address in addresses:
        assert f"http://localhost:8000{address}" in asked, address


def test_the_page_of_sru_has_each_index_with_its_relations() -> None:
    told: dict[str, tuple[list[str], bool, bool]] = {}
    for line in re.findall(r"^\| `(\w+\..*) \|$", SRU, re.MULTILINE):
        names, relations, scan, sort, _what = (part.strip() for part in f"`{line}".split("|"))
        for name in re.findall(r"`([\w.]+)`", names):
            told[name] = (re.findall(r"`([^`]+)`", relations), scan == "yes", sort == "yes")
    there = {
        f"{name.partition('.')[0]}.{spelled(name)}": (list(relations_of(index)), index.is_scanned, bool(index.order))
        for name, index in INDEXES.items()
    }
    assert told == there


def test_each_interface_can_be_switched_off_by_its_name() -> None:
    names = (interfaces.OGC_API, interfaces.SRU, interfaces.CSW, interfaces.DCAT, interfaces.MONITORING)
    assert sorted(node_settings.INTERFACES) == sorted(names)
