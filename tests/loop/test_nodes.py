"""Whole nodes that harvest one another: real processes, real sockets, real records."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
import requests
from lxml import etree
from sickle import Sickle
from sickle.models import Record

from catalogue import oai
from tests.support.canonical import canonical_form
from tests.support.nodes import Node, free_port, manage
from tests.support.paths import shared
from tests.support.waiting import until

SPEC = "WIS-GISC-TOULOUSE"
SYNTHETIC = 5000


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[Node]:
    """Toulouse, with small pages so that a harvest takes a while."""
    node = Node(tmp_path / "toulouse", free_port(), GISC_NAME=SPEC, GISC_PAGE_RECORDS="50")
    try:
        yield node.ready()
    finally:
        node.close()


def ingest(node: Node, path: Path) -> dict[str, object]:
    done = manage("ingest", str(path), "--json", GISC_DATA_DIR=str(node.data_dir), GISC_NAME=SPEC, timeout_s=300)
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout)


def canonical(element: bytes) -> bytes:
    """Canonical XML without the white space between elements, which Sickle does not keep."""
    return canonical_form(etree.fromstring(element, etree.XMLParser(remove_blank_text=True)))


def payload_of(record: Record) -> bytes:
    metadata = record.xml.find("{http://www.openarchives.org/OAI/2.0/}metadata")
    return etree.tostring(metadata[0], with_tail=False)


def walk(node: Node) -> Iterator[tuple[str, bytes]]:
    """Each record of the node's set as it is in the answers, in exclusive canonical XML, by its OAI identifier."""
    arguments: dict[str, str] | None = {"verb": "ListRecords", "metadataPrefix": "iso19139", "set": SPEC}
    while arguments is not None:
        page = etree.fromstring(requests.get(f"{node.url}/oai", params=arguments).content)
        for record in page.iter(f"{{{oai.OAI_NS}}}record"):
            payload = record.find(f"{{{oai.OAI_NS}}}metadata")[0]
            yield (
                record.findtext(f"{{{oai.OAI_NS}}}header/{{{oai.OAI_NS}}}identifier"),
                canonical_form(payload),
            )
        token = page.findtext(f"{{{oai.OAI_NS}}}ListRecords/{{{oai.OAI_NS}}}resumptionToken")
        arguments = {"verb": "ListRecords", "resumptionToken": token} if token else None


def test_sickle_walks_the_real_records_and_gets_every_one_canonically_equal_to_its_file(provider: Node) -> None:
    records = shared("data", "iso19139")
    report = ingest(provider, records)
    assert (report["offered"], report["new"], report["rejects"]) == (1164, 1164, [])
    again = ingest(provider, records)
    assert (again["unchanged"], again["rejected"]) == (1164, 0)

    expected, exact = {}, {}
    for file in records.rglob("*.xml"):
        root = etree.parse(str(file)).getroot()
        identifier = oai.oai_identifier("".join(root.find("{*}fileIdentifier").itertext()))
        expected[identifier] = canonical(etree.tostring(root, with_tail=False))
        exact[identifier] = canonical_form(root)
    client = Sickle(f"{provider.url}/oai")

    listed = {r.header.identifier: r for r in client.ListRecords(metadataPrefix="iso19139", set=SPEC)}
    assert listed.keys() == expected.keys()
    for identifier, record in listed.items():
        assert canonical(payload_of(record)) == expected[identifier], identifier
    assert {identifier: exact[identifier] == found for identifier, found in walk(provider)} == dict.fromkeys(
        exact, True
    )
    headers = [h.identifier for h in client.ListIdentifiers(metadataPrefix="iso19139")]
    assert sorted(headers) == sorted(expected)
    assert {s.setSpec for s in client.ListSets()} == {"WIS-CATALOGUE", SPEC}
    for identifier in sorted(expected)[::50]:
        got = client.GetRecord(identifier=identifier, metadataPrefix="iso19139")
        assert canonical(payload_of(got)) == expected[identifier]


def test_no_awkward_document_gets_past_with_a_traceback(provider: Node) -> None:
    report = ingest(provider, shared("data", "awkward"))

    assert report["offered"] == 96  # 91 files, of which one has two records and one has five
    assert sum(report[name] for name in ("new", "updated", "repeated", "older", "unchanged", "rejected")) == 96
    refused = {Path(reject["source"]).name.partition("--")[0] for reject in report["rejects"]}
    assert refused == {"bom", "emptyfid", "enc", "gml", "nofid", "notwf", "pi", "root", "wrapped"}
    assert report["rejected"] == 37
    assert all(len(reject["reason"].split()) > 3 for reject in report["rejects"])


def test_a_harvest_whose_worker_is_killed_goes_on_by_itself_and_ends_with_every_record_once(
    provider: Node, tmp_path: Path
) -> None:
    generator = shared("tools", "synthesize_records.py")
    archive = tmp_path / "synthetic.tar"
    subprocess.run(
        [sys.executable, str(generator), str(SYNTHETIC), "--tar", str(archive), "--max-template-bytes", "9000"],
        check=True,
        capture_output=True,
    )
    assert ingest(provider, archive)["new"] == SYNTHETIC
    served = {row["set"]: row for row in requests.get(f"{provider.url}/stats.json").json()["sets"]}[SPEC]

    data_dir = tmp_path / "tokyo"
    tokyo = Node(data_dir, free_port(), GISC_NAME="WIS-GISC-TOKYO", GISC_BEAT_SECONDS="2", GISC_HARVEST_WORKERS="1")
    try:
        tokyo.ready()
        added = manage(
            *("link", "add", "toulouse", f"{provider.url}/oai", "--set", SPEC),
            GISC_DATA_DIR=str(data_dir),
            GISC_NAME="WIS-GISC-TOKYO",
        )
        assert added.returncode == 0, added.stderr

        def last_run() -> dict[str, object]:
            links = requests.get(f"{tokyo.url}/harvest/status.json").json()["links"]
            return links[0]["last_run"] or {"received": 0, "state": "none"}

        until(lambda: last_run()["received"] > 0, timeout_s=120, what="the harvest is on its way")
        worker = psutil.Process(tokyo.pid_of("worker"))
        killed = [worker, *worker.children(recursive=True)]
        for process in killed:
            os.kill(process.pid, signal.SIGKILL)
        at_the_kill = last_run()
        assert at_the_kill["state"] == "open", "the harvest was over before the worker was killed"
        assert at_the_kill["received"] < served["live"]

        until(lambda: last_run()["state"] != "open", timeout_s=300, what="the run ends without a person")
        run = last_run()
        assert run["id"] == at_the_kill["id"]
        assert run["state"] == "done", run
        assert run["received"] == run["new"] + run["deleted"] == served["live"] + served["deleted"], run
        with ThreadPoolExecutor(2) as pool:
            theirs, ours = pool.map(_identifiers, (provider, tokyo))
        assert sorted(theirs) == sorted(ours)
        assert len(ours) == len(set(ours))
    finally:
        tokyo.close()


def _identifiers(node: Node) -> list[str]:
    return [h.identifier for h in Sickle(f"{node.url}/oai").ListIdentifiers(metadataPrefix="iso19139", set=SPEC)]
