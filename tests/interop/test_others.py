"""Our harvester copies whole catalogues and their changes from OAI-PMH servers that others have written, and from ours."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from catalogue.models import MetadataSet, Record
from harvester import schedule
from harvester.models import Link, Run
from harvester.protocol import probe
from harvester.runs import lifecycle
from tests.support.installing import python_with
from tests.support.many_commands import manage_loaded
from tests.support.nodes import Node, answers, free_port
from tests.support.waiting import until
from tests.support.world import TOULOUSE, iso_record

SERVERS = Path(__file__).parent / "servers"
PAGE = 4


def identifier(number: int) -> str:
    return f"urn:x-wmo:md:fr.meteofrance::I{number:03d}"


@dataclass
class OfOthers:
    """A server over a folder of records, in a process of its own."""

    folder: Path
    base_url: str
    records: dict[str, dict[str, str | None]] = field(default_factory=dict)
    tells_deletions: bool = True
    remote_set: str = TOULOUSE.spec
    deviates: str = ""

    def put(self, numbers: range, title: str, stamp: str) -> None:
        for number in numbers:
            document = iso_record(identifier(number), title=f"{title} {number}", metadata_date=stamp[:10])
            document = document.split(b"?>", 1)[1]
            self.records[identifier(number)] = {"datestamp": stamp, "xml": document.decode()}
        self._write()

    def delete(self, number: int, stamp: str) -> None:
        self.records[identifier(number)] = {"datestamp": stamp, "xml": None}
        self._write()

    def _write(self) -> None:
        (self.folder / "new").write_text(json.dumps(self.records))
        (self.folder / "new").replace(self.folder / "records.json")


@dataclass
class Ours:
    """A node of ours, in processes of its own; it gives the datestamps."""

    node: Node
    folder: Path
    tells_deletions: bool = True
    remote_set: str = TOULOUSE.spec
    deviates: str = ""

    @property
    def base_url(self) -> str:
        return f"{self.node.url}/oai"

    def put(self, numbers: range, title: str, stamp: str) -> None:
        self.folder.mkdir(exist_ok=True)
        for number in numbers:
            (self.folder / f"{number}.xml").write_bytes(iso_record(identifier(number), title=f"{title} {number}"))
        self._manage("ingest", str(self.folder))

    def delete(self, number: int, stamp: str) -> None:
        (self.folder / f"{number}.xml").unlink()
        self._manage("withdraw", identifier(number))

    def _manage(self, *command: str) -> None:
        done = manage_loaded(*command, GISC_DATA_DIR=str(self.node.data_dir), GISC_NAME=TOULOUSE.spec)
        assert done.returncode == 0, done.stderr


@contextmanager
def _other(script: str, folder: Path, *requirements: str, **known: Any) -> Iterator[OfOthers]:
    python = python_with(*requirements)
    port = free_port()
    server = OfOthers(folder, f"http://127.0.0.1:{port}/oai", **known)
    server.put(range(0), "", "")
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [str(python), str(SERVERS / script), str(folder), str(port), str(PAGE)], stdout=log, stderr=log
        )
        try:
            until(
                lambda: process.poll() is not None or answers(f"{server.base_url}?verb=Identify"),
                60,
                f"{script} answers",
            )
            assert process.poll() is None, (folder / "log").read_text()
            yield server
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def _ours(folder: Path) -> Iterator[Ours]:
    node = Node(folder / "toulouse", free_port(), GISC_NAME=TOULOUSE.spec, GISC_PAGE_RECORDS=str(PAGE))
    try:
        yield Ours(node.ready(), folder / "records")
    finally:
        node.close()


PROVIDERS = {
    "our own": lambda folder: _ours(folder),
    "pyoai": lambda folder: _other("pyoai_server.py", folder, "pyoai==2.5.0"),
    "oai-repo": lambda folder: _other(
        "oai_repo_server.py", folder, "oai-repo==0.5.2", tells_deletions=False
    ),  # it writes no status
    # It has no sets of ours, tells no deletions, and its base URL has a query, which a rewrite rule hides.
    "pycsw": lambda folder: _other(
        "pycsw_server.py",
        folder,
        "pycsw==2.6.2",
        "SQLAlchemy<2",
        tells_deletions=False,
        remote_set="",
        deviates="gives its base URL as",
    ),
}


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OfOthers | Ours]:
    if request.param == "pycsw" and find_spec("cgi") is None:
        pytest.skip("pycsw 2.6.2 needs the module cgi, which Python has until 3.12")
    with ExitStack() as stack:
        yield stack.enter_context(PROVIDERS[request.param](tmp_path))


@pytest.fixture
def link(toulouse: MetadataSet, provider: OfOthers | Ours) -> Link:
    return Link.objects.create(
        name="toulouse",
        base_url=provider.base_url,
        remote_set=provider.remote_set,
        local_set=toulouse,
        lateness_h=schedule.MAX_LATENESS_H,
    )


def harvest(link: Link) -> Run:
    link.refresh_from_db()
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    after = lifecycle.work(run.pk)
    assert after is not None
    assert after.state == Run.State.DONE, after.message
    return after


def held() -> dict[str, str]:
    live = Record.objects.filter(deleted=False)
    return dict(live.values_list("identifier", "description__title"))


def test_a_catalogue_and_its_changes_are_copied_completely(link: Link, provider: OfOthers | Ours) -> None:
    provider.put(range(11), "First", "2026-02-01T00:00:00Z")

    run = harvest(link)

    assert (run.new, run.rejected, run.pages) == (11, 0, 3)
    assert held() == {identifier(number): f"First {number}" for number in range(11)}

    provider.put(range(9, 13), "Second", "2026-02-02T00:00:00Z")
    if provider.tells_deletions:
        provider.delete(0, "2026-02-02T00:00:00Z")

    run = harvest(link)

    assert run.list_from is not None
    assert (run.new, run.updated, run.deleted) == (2, 2, int(provider.tells_deletions))
    expected = {identifier(number): f"First {number}" for number in range(int(provider.tells_deletions), 9)}
    assert held() == expected | {identifier(number): f"Second {number}" for number in range(9, 13)}
    again = harvest(link)
    assert (again.new, again.updated, again.deleted, again.rejected) == (0, 0, 0, 0)


def test_what_a_provider_offers_is_found_out(link: Link, provider: OfOthers | Ours) -> None:
    provider.put(range(2), "First", "2026-02-01T00:00:00Z")

    offer = probe.retrieve_info(provider.base_url, remote_set=provider.remote_set)

    assert offer.faults("iso19139", provider.remote_set) == []
    assert (offer.sample.identifier, offer.sample.title) == (identifier(0), "First 0")
    assert bool(offer.warnings) == bool(provider.deviates)
    assert provider.deviates in " ".join(offer.warnings)
