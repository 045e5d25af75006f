"""Clients that others have written walk a large list while it changes: nothing that stays is missing or comes twice.

WALK_RECORDS is how many records there are; by default two thousand.
"""

import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import NamedTuple

import pytest
from lxml import etree
from sickle import Sickle

from catalogue import bootstrap, datestamps
from catalogue.bulk import ingest
from catalogue.documents import iso19139, xml_tree
from catalogue.documents.sources import Document
from catalogue.models import Record
from catalogue.reading import lists
from catalogue.writing import store
from tests.support import paths, world
from tests.support.installing import python_with
from tests.support.served import Served, served
from tests.support.threads import TIMEOUT_S, threads
from tests.support.waiting import until

RECORDS = int(os.environ.get("WALK_RECORDS", "2000"))
CHANGES_A_SECOND = 50
DELETED_SHARE = 20  # one of so many
PYOAI = ("pyoai==2.5.0", "lxml<5")  # it calls what later ones have dropped
OAI = "{http://www.openarchives.org/OAI/2.0/}"


class Told(NamedTuple):
    """One record of a list; no XML when it is deleted."""

    identifier: str
    datestamp: str
    xml: bytes | None


Walk = Callable[[str, str], list[Told]]


def by_sickle(base_url: str, since: str, *, encoding: str = "gzip") -> list[Told]:
    sickle = Sickle(base_url, headers={"Accept-Encoding": encoding}, timeout=TIMEOUT_S)
    records = sickle.ListRecords(metadataPrefix="iso19139", **({"from": since} if since else {}))
    return [
        Told(record.header.identifier, record.header.datestamp, _inside(None if record.deleted else record.xml))
        for record in records
    ]


def _inside(record: etree._Element | None) -> bytes | None:
    return None if record is None else etree.tostring(record.find(f"{OAI}metadata")[0], with_tail=False)


def by_pyoai(base_url: str, since: str) -> list[Told]:
    python = python_with(*PYOAI)
    command = [str(python), str(Path(__file__).parent / "clients" / "pyoai_walk.py"), base_url, *filter(None, [since])]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    rows = map(json.loads, done.stdout.splitlines())
    return [Told(name, stamp, None if xml is None else xml.encode()) for name, stamp, xml in rows]


def by_curl(base_url: str, since: str, *options: str) -> list[Told]:
    curl = paths.program("curl")
    told: list[Told] = []
    arguments = {"metadataPrefix": "iso19139", **({"from": since} if since else {})}
    while arguments:
        data = [part for name, value in arguments.items() for part in ("--data-urlencode", f"{name}={value}")]
        command = [curl, "--silent", "--fail", "--get", *options, "--data", "verb=ListRecords", *data, base_url]
        root = etree.fromstring(subprocess.run(command, capture_output=True, check=True).stdout)
        for record in root.iter(f"{OAI}record"):
            header = record.find(f"{OAI}header")
            gone = header.get("status") == "deleted"
            told.append(
                Told(
                    header.findtext(f"{OAI}identifier"),
                    header.findtext(f"{OAI}datestamp"),
                    _inside(None if gone else record),
                )
            )
        token = root.findtext(f"*/{OAI}resumptionToken")
        arguments = {"resumptionToken": token} if token else {}
    return told


WALKS: dict[str, Walk] = {
    "Sickle, gzip": by_sickle,
    "Sickle, plain": lambda base_url, since: by_sickle(base_url, since, encoding="identity"),
    "pyoai": by_pyoai,
    "curl, gzip": lambda base_url, since: by_curl(base_url, since, "--compressed"),
    "curl, plain": by_curl,
}


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    """So many records, of which one in twenty is deleted."""
    bootstrap.ensure_sets()
    documents = (Document(str(n), world.iso_record(f"urn:{n}", title=f"Record {n}")) for n in range(RECORDS))
    ingest.ingest(documents, into=world.own_set(), processes=2)
    gone = [f"urn:{n}" for n in range(0, RECORDS, DELETED_SHARE)]
    for start in range(0, len(gone), 1000):
        store.withdraw(gone[start : start + 1000])
    with served(tmp_path, GISC_REQUESTS_PER_MINUTE="") as running:
        yield running


def change(stop: Event, changed: list[str]) -> None:
    """Fifty changes a second: new versions, deletions, returns, new records."""
    dice = random.Random(1)
    number = 0
    while not stop.wait(1 / CHANGES_A_SECOND):
        number += 1
        name = f"urn:{dice.randrange(RECORDS)}" if number % 10 else f"urn:new:{number}"
        if number % 7 == 0:
            store.put_entries([store.prepare_deletion(name)], into=world.own_set())
        else:
            store.put_entries([store.prepare(world.iso_record(name, title=f"Change {number}"))], into=world.own_set())
        changed.append(name)


def digest(xml: bytes | None) -> bytes | None:
    return None if xml is None else iso19139.read(xml_tree.root_element(xml)).digest


@pytest.mark.spec("P101", "P108", "P146", "W4", "S3")
@pytest.mark.parametrize("client", WALKS)
def test_a_walk_while_the_list_changes_and_the_next_harvest_are_the_catalogue(server: Served, client: str) -> None:
    walk = WALKS[client]
    base_url = f"http://127.0.0.1:{server.port}/oai"
    if client == "pyoai":
        python_with(*PYOAI)  # not while the list changes
    before = datestamps.write(lists.instant())
    until(lambda: datestamps.write(lists.instant()) > before, TIMEOUT_S, "the changes have seconds of their own")
    began = datestamps.write(lists.instant())
    stop = Event()
    changed: list[str] = []
    with threads(1) as running:
        writer = running.start(change, stop, changed)
        try:
            until(lambda: len(changed) > 3 or writer.done(), TIMEOUT_S, "records change")
            told = walk(base_url, "")
        finally:
            stop.set()
        writer.result(TIMEOUT_S)

    stayed = set(Record.objects.filter(datestamp__lt=datestamps.parse(began)[0]).values_list("identifier", flat=True))
    assert len(changed) > 3 and len(stayed) > RECORDS / 4
    times = Counter(record.identifier for record in told)
    assert {name: times[name] for name in stayed if times[name] != 1} == {}

    copy = {record.identifier: digest(record.xml) for record in [*told, *walk(base_url, began)]}
    held = Record.objects.values_list("identifier", "digest")
    assert copy == {name: None if said is None else bytes(said) for name, said in held}
