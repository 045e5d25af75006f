"""SRU as it is served: a client of others walks all real records, and nothing that it is sent is answered with 500."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import sruthi
from lxml import etree
from sruthi.errors import SruError

from catalogue import bootstrap
from catalogue.models import Record
from tests.support import sru_answers
from tests.support.naive_search import World
from tests.support.served import Served, served


@pytest.fixture
def full(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    """A server with all real records."""
    bootstrap.ensure_sets()
    World()
    with served(tmp_path, GISC_WEB_THREADS="2") as running:
        yield running


def test_sruthi_and_plain_requests_walk_all_real_records(full: Served) -> None:
    live = set(Record.objects.filter(deleted=False).values_list("identifier", flat=True))
    client = sruthi.Client(f"{full.url}/sru", maximum_records=100, record_schema="dc")
    explained = client.explain()
    assert explained.sru_version == "1.2"
    assert explained.server["database"] == "sru"
    assert {"cql", "dc", "rec", "wis"} <= set(explained["index"])
    assert explained["index"]["dc"]["title"] == "Words of the title"
    assert set(explained["schema"]) == {"iso19139", "dc"}

    found = client.searchretrieve("cql.allRecords = 1 sortBy rec.identifier")
    assert found.count == len(live)
    titles = [record for record in found if record["schema"] == "info:srw/schema/1/dc-v1.1"]
    assert len(titles) == len(live)
    with pytest.raises(SruError, match="Unsupported index"):
        client.searchretrieve("dc.coverage = sea")

    session = requests.Session()
    identifiers: list[str] = []
    position: int | None = 1
    while position:
        asked = {"operation": "searchRetrieve", "version": "1.2", "query": "cql.allRecords=1"}
        given = asked | {"startRecord": str(position), "maximumRecords": "100"}
        answer = sru_answers.read(session.get(f"{full.url}/sru", params=given, timeout=60).content)
        for data in answer.root.iterfind("sru:records/sru:record/sru:recordData", sru_answers.NS):
            assert etree.QName(data[0]).localname in ("MD_Metadata", "MI_Metadata")
        identifiers += answer.identifiers
        position = answer.following
    assert len(identifiers) == len(live) and set(identifiers) == live
    assert "Traceback" not in full.log.read_text()


def test_no_request_is_answered_with_500_or_what_is_no_sru(full: Served) -> None:
    chance = random.Random(5)
    values = [*("", "1", "1.2", "sea", 'dc.title = "sea"', "\x00", "\x07", "é氷\U0001f30a", "(" * 3000, '"' * 99, "a or " * 900, "9" * 40), *("-1", "xml", "string", "dc", "scan", "explain", "searchRetrieve", "cql.allRecords=1", "%", "wis.box=\"1e308 -90 -1e308 90\"", "rec.identifier=\"*\"")]  # fmt: skip
    names = ("operation", "version", "query", "startRecord", "maximumRecords", "recordPacking", "recordSchema", "scanClause", "responsePosition", "maximumTerms", "sortKeys", "resultSetTTL")  # fmt: skip
    session = requests.Session()
    codes: set[int] = set()
    for number in range(400):
        operation = chance.choice(["searchRetrieve", "scan", "explain"])
        of_operation = {"searchRetrieve": "query", "scan": "scanClause", "explain": "version"}[operation]
        given = {"version": "1.2", "operation": operation, of_operation: chance.choice([*values, "1.2"])}
        given |= {name: chance.choice(values) for name in chance.sample(names, chance.randint(0, 2))}
        send = {"data": given} if number % 3 == 0 else {"params": given}
        answer = session.request("POST" if "data" in send else "GET", f"{full.url}/sru", timeout=60, **send)
        assert answer.status_code == 200 or (answer.status_code, len(answer.request.url or "") > 4000) == (400, True)
        if answer.status_code == 200:
            codes |= set(sru_answers.read(answer.content).codes)
    assert len(codes) > 8
    assert "Traceback" not in full.log.read_text()
