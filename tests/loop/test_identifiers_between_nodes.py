"""Identifiers that are no URIs, and identifiers that only a header has, from node to node: real processes and sockets."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from lxml import etree
from pytest_httpserver import HTTPServer

from catalogue import oai
from tests.support.canonical import canonical_form
from tests.support.many_commands import manage_loaded
from tests.support.nodes import Node, free_port
from tests.support.paths import shared
from tests.support.provider import Provider
from tests.support.world import iso_record

OAI = f"{{{oai.OAI_NS}}}"
TOULOUSE, TOKYO, JOINT = "WIS-GISC-TOULOUSE", "WIS-GISC-TOKYO", "shared01"
OWN_SOFTWARE = {"User-Agent": f"{oai.USER_AGENT}/test"}  # is told that a record has left a set (P75)


class Centre:
    """A node and its commands."""

    def __init__(self, folder: Path, spec: str) -> None:
        self.node = Node(folder, free_port(), GISC_NAME=spec, GISC_PAGE_RECORDS="300").ready()
        self.settings = {"GISC_NAME": spec, "GISC_DATA_DIR": str(folder)}

    def run(self, *arguments: str) -> str:
        done = manage_loaded(*arguments, timeout_s=600, **self.settings)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def harvest(self, link: str, *options: str) -> dict[str, int]:
        """Run a link; its counters that are not 0."""
        report = json.loads(self.run("harvest", link, "--json", *options))
        names = ("received", "new", "updated", "unchanged", "deleted", "rejected")
        return {name: report[name] for name in names if report[name]}

    def listed(self, spec: str) -> dict[str, tuple[str, bytes]]:
        """The records of a set by identifier: datestamp, and the record in exclusive canonical XML, empty if deleted."""
        found: dict[str, tuple[str, bytes]] = {}
        arguments, url = {"verb": "ListRecords", "metadataPrefix": "iso19139", "set": spec}, f"{self.node.url}/oai"
        while arguments:
            page = etree.fromstring(requests.get(url, params=arguments, headers=OWN_SOFTWARE, timeout=60).content)
            for record in page.iter(f"{OAI}record"):
                header = record.find(f"{OAI}header")
                metadata = record.find(f"{OAI}metadata")
                found[header.findtext(f"{OAI}identifier", "")] = (
                    header.findtext(f"{OAI}datestamp", ""),
                    b"" if metadata is None else canonical_form(metadata[0]),
                )
            token = page.findtext(f"{OAI}ListRecords/{OAI}resumptionToken")
            arguments = {"verb": "ListRecords", "resumptionToken": token} if token else {}
        return found

    def contents(self, spec: str) -> dict[str, bytes]:
        return {identifier: text for identifier, (_, text) in self.listed(spec).items()}


@pytest.fixture
def centres(tmp_path: Path) -> Iterator[tuple[Centre, Centre]]:
    toulouse, tokyo = Centre(tmp_path / "toulouse", TOULOUSE), Centre(tmp_path / "tokyo", TOKYO)
    try:
        yield toulouse, tokyo
    finally:
        toulouse.node.close()
        tokyo.node.close()


@pytest.mark.spec("P68", "P69")
def test_a_mesh_of_two_agrees_on_encoded_identifiers_one_deleted_and_one_moved(centres: tuple[Centre, Centre]) -> None:
    toulouse, tokyo = centres
    records = shared("data", "iso19139")
    toulouse.run("ingest", str(records), "--json")
    raw = sorted(
        "".join(etree.parse(str(file)).getroot().find("{*}fileIdentifier").itertext()).strip()
        for file in records.rglob("*.xml")
    )
    odd = [identifier for identifier in raw if not oai.is_identifier(identifier)]
    assert len(odd) == 137
    braces, spaced = next(i for i in odd if "{" in i), next(i for i in odd if " " in i)
    for centre, other, spec in ((toulouse, tokyo, TOKYO), (tokyo, toulouse, TOULOUSE)):
        link = spec.rpartition("-")[2].lower()
        centre.run("link", "add", link, f"{other.node.url}/oai", "--set", spec, "--disabled")
        centre.run("set", "add", JOINT, "--kind", "shared")
    tokyo.run("link", "add", "joint", f"{toulouse.node.url}/oai", "--set", JOINT, "--kind", "shared", "--disabled")

    assert tokyo.harvest("toulouse") == {"received": 1164, "new": 1164}
    assert tokyo.contents(TOULOUSE) == toulouse.contents(TOULOUSE)
    assert toulouse.harvest("tokyo") == {}

    toulouse.run("withdraw", braces)
    toulouse.run("set", "move", JOINT, oai.oai_identifier(spaced))
    assert tokyo.harvest("toulouse")["deleted"] == 2
    assert tokyo.harvest("joint")["received"] == 1
    mesh = tokyo.contents(TOULOUSE)
    assert mesh == toulouse.contents(TOULOUSE)
    assert mesh[oai.oai_identifier(braces)] == mesh[oai.oai_identifier(spaced)] == b""
    assert tokyo.contents(JOINT) == toulouse.contents(JOINT)
    assert list(toulouse.contents(JOINT)) == [oai.oai_identifier(spaced)]

    before = tokyo.listed("WIS-CATALOGUE")
    for option in ("--full", "--reconcile"):
        tokyo.harvest("toulouse", option)
    assert tokyo.listed("WIS-CATALOGUE") == before, "silent when nothing changes"


@pytest.mark.spec("F74", "P69", "P84", "H38")
def test_a_mesh_of_two_agrees_on_spellings_that_change(centres: tuple[Centre, Centre], tmp_path: Path) -> None:
    toulouse, tokyo = centres
    tokyo.run("link", "add", "toulouse", f"{toulouse.node.url}/oai", "--set", TOULOUSE, "--disabled")

    def spell(*identifiers: str, title: str) -> None:
        for number, identifier in enumerate(identifiers):
            (tmp_path / f"{number}.xml").write_bytes(iso_record(identifier, title=title))
        toulouse.run("ingest", *(str(tmp_path / f"{number}.xml") for number in range(len(identifiers))), "--revive")

    loud, quiet = tuple(f"URN:ID:{n}" for n in range(8)), tuple(f"urn:id:{n}" for n in range(8))
    spell(*loud, title="One")
    assert tokyo.harvest("toulouse") == {"received": 8, "new": 8}

    for number, spelling in enumerate((quiet, loud, quiet)):
        spell(*spelling, title=f"Change {number}")
        tokyo.harvest("toulouse")
        assert tokyo.contents(TOULOUSE) == toulouse.contents(TOULOUSE)
        live = {identifier for identifier, text in tokyo.contents(TOULOUSE).items() if text}
        assert live == set(quiet if number == 0 else loud)  # the third change within a week is not made
        assert all(f"Change {number}".encode() in text for text in tokyo.contents(TOULOUSE).values() if text)

    before = tokyo.listed("WIS-CATALOGUE")
    assert "new" not in tokyo.harvest("toulouse", "--full")
    assert tokyo.harvest("toulouse", "--reconcile").keys() <= {"received", "unchanged"}
    assert tokyo.listed("WIS-CATALOGUE") == before, "silent when nothing changes"


@pytest.mark.spec("P68", "H38", "P122")
def test_what_is_called_by_its_header_keeps_that_identifier_at_the_next_node(
    centres: tuple[Centre, Centre], httpserver: HTTPServer
) -> None:
    toulouse, tokyo = centres
    provider = Provider(httpserver, page_size=50, now="2026-03-01T12:00:00Z")
    for number in range(30):
        provider.entries[f"oai:host:{number}"] = ("2026-02-01T00:00:00Z", iso_record(f"urn:file:{number}"))
    provider.entries["{braces}"] = ("2026-02-01T00:00:00Z", iso_record("urn:file:braces"))
    options = ("--into", TOULOUSE, "--prefix", "ISO19139", "--kind", "centre", "--disabled")
    toulouse.run("link", "add", "centre", provider.base_url, "--identifiers", "header", *options)
    assert toulouse.harvest("centre") == {"received": 31, "new": 31}

    tokyo.run("link", "add", "toulouse", f"{toulouse.node.url}/oai", "--set", TOULOUSE, "--disabled")
    assert tokyo.harvest("toulouse") == {"received": 31, "new": 31}
    assert tokyo.contents(TOULOUSE) == toulouse.contents(TOULOUSE)
    assert set(tokyo.contents(TOULOUSE)) == {*(f"oai:host:{number}" for number in range(30)), "%7Bbraces%7D"}
    before = tokyo.listed(TOULOUSE)
    assert tokyo.harvest("toulouse", "--full") == {"received": 31, "unchanged": 31}
    assert tokyo.harvest("toulouse", "--reconcile")["unchanged"] == 31
    assert tokyo.listed(TOULOUSE) == before

    provider.entries["oai:host:3"] = ("2026-03-01T11:00:00Z", iso_record("urn:another:3"))
    provider.entries["{braces}"] = ("2026-03-01T11:00:00Z", None)
    assert toulouse.harvest("centre")["deleted"] == 1
    assert tokyo.harvest("toulouse") == {"received": 2, "updated": 1, "deleted": 1}
    assert tokyo.contents(TOULOUSE) == toulouse.contents(TOULOUSE)
