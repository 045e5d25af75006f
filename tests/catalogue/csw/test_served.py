"""CSW as it is served: OWSLib and plain requests walk all real records, many at once; pycsw asks no other host."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from lxml import etree

from catalogue import bootstrap
from catalogue.models import Record
from catalogue.payloads import payload
from tests.support import csw_answers
from tests.support.csw_answers import GMD, NS, comparison, get_records, needs_packages
from tests.support.naive_search import World
from tests.support.served import Served, served

pytestmark = needs_packages


@pytest.fixture
def full(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    """A server with all real records."""
    bootstrap.ensure_sets()
    World()
    with served(tmp_path, GISC_WEB_THREADS="4", GISC_PUBLIC_AT_ONCE="4") as running:
        yield running


def test_owslib_and_plain_requests_walk_all_real_records(full: Served) -> None:
    walk_by_owslib(full.url)
    walk_by_requests(full)
    answer_many_at_once(full.url)
    send_what_is_no_request(full.url)
    log = full.log.read_text()
    assert "Traceback" not in log and "ERROR" not in log
    (worker,) = full.workers
    assert {each.raddr.ip for each in worker.net_connections() if each.raddr} <= {"127.0.0.1"}


def walk_by_owslib(url: str) -> None:
    from owslib.csw import CatalogueServiceWeb
    from owslib.fes import And, BBox, PropertyIsEqualTo, PropertyIsLike, SortBy, SortProperty

    live = set(Record.objects.filter(deleted=False).values_list("identifier", flat=True))
    catalogue = CatalogueServiceWeb(f"{url}/csw")
    assert {each.name for each in catalogue.operations} == {"GetCapabilities", "DescribeRecord", "GetDomain", "GetRecords", "GetRecordById"}  # fmt: skip
    assert catalogue.identification.type == "CSW"
    catalogue.describerecord()
    catalogue.getdomain("dc:type", "property")
    assert "dataset" in catalogue.results["values"]

    found: dict[str, str] = {}
    start = 1
    order = SortBy([SortProperty("dc:identifier", "ASC")])
    while start:
        catalogue.getrecords2(startposition=start, maxrecords=100, esn="full", sortby=order)
        found |= {each.identifier: each.title for each in catalogue.records.values()}
        start = catalogue.results["nextrecord"]
    assert set(found) == live and catalogue.results["matches"] == len(live)

    box = BBox(["-20", "35", "30", "70"])
    catalogue.getrecords2(constraints=[And([PropertyIsLike("csw:AnyText", "%temperature%"), box])], maxrecords=100)
    assert 0 < catalogue.results["matches"] < len(live)
    catalogue.getrecords2(constraints=[PropertyIsEqualTo("dc:type", "dataset")], outputschema=GMD, maxrecords=5)
    assert {type(each).__name__ for each in catalogue.records.values()} == {"MD_Metadata"}
    identifier = sorted(live)[7]
    catalogue.getrecordbyid([identifier], esn="full")
    assert catalogue.records[identifier].title == found[identifier]


def walk_by_requests(node: Served) -> None:
    stored = {each.identifier: payload.unpack(each.payload) for each in Record.objects.filter(deleted=False)}
    session, seen, start = requests.Session(), set(), 1
    while start:
        given = {"service": "CSW", "version": "2.0.2", "request": "GetRecords", "typeNames": "csw:Record", "resultType": "results"}  # fmt: skip
        given |= {"outputSchema": GMD, "elementSetName": "full", "startPosition": str(start), "maxRecords": "100"}
        body = session.get(f"{node.url}/csw", params=given, timeout=60).content
        root = etree.fromstring(body)
        for record in root.find("csw:SearchResults", NS):
            identifier = record.findtext("gmd:fileIdentifier/*", namespaces=NS).strip()
            seen.add(identifier)
        start = csw_answers.read(body).following
    assert seen == set(stored)
    for elements in ("summary", "full"):  # each of the real records, against the schema
        for start in range(1, len(stored), 100):
            sent = get_records(start=start, elements=elements)
            answer = csw_answers.read(session.post(f"{node.url}/csw", sent, timeout=60).content)
            assert answer.returned == len(answer.records) > 0


def answer_many_at_once(url: str) -> None:
    """No answer has what another request asked for."""
    identifiers = list(Record.objects.filter(deleted=False).order_by("id").values_list("identifier", flat=True)[:40])

    def ask(number: int) -> bool:
        identifier = identifiers[number % len(identifiers)]
        if number % 4 == 0:
            operations = requests.get(f"{url}/csw", timeout=120).content.count(b"<ows:Operation ")
            return operations == 5
        schema = GMD if number % 2 else csw_answers.CSW
        inside = f"<ogc:Filter>{comparison('PropertyIsEqualTo', 'dc:identifier', [identifier])}</ogc:Filter>"
        answer = csw_answers.read(requests.post(f"{url}/csw", get_records(inside, schema=schema), timeout=120).content)
        return answer.identifiers == [identifier]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(120)))


def send_what_is_no_request(url: str) -> None:
    for body in (b"", b"<" * 1000, b"\0" * 60_000, b"<a>" * 20_000, b"a" * 5_000_000):
        answer = requests.post(f"{url}/csw", body, timeout=60, headers={"Content-Type": "text/xml"})
        assert answer.status_code == 200
        assert csw_answers.read(answer.content).codes == ["NoApplicableCode"]
    asked = {"service": "CSW", "request": "GetCapabilities", "config": "/etc/passwd", "mode": "opensearch"}
    assert b"csw:Capabilities" in requests.get(f"{url}/csw", params=asked, timeout=60).content
