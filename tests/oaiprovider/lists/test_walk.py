"""The way of a ListRecords answer reads like a story: how many functions and files it passes, and what is made once."""

from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver

from catalogue import oai
from catalogue.provenance import Provenance
from catalogue.writing import store
from gisc import module_state
from tests.support import asking, world
from tests.trace import Trace, report, traced

pytestmark = pytest.mark.django_db

MAX_CHANGES_OF_FILE = 111
MAX_FUNCTIONS = 150
RECORDS = 50
HARVEST = {"metadataNamespace": oai.GMD_NS, "harvestDate": "2025-03-05T08:31:00Z"}


@pytest.fixture(autouse=True)
def _in_a_new_process(settings) -> None:
    """No cache is filled; the middleware is what `gisc.wsgi` gives to `/oai`."""
    module_state.reset_all(memos=True)
    assert get_resolver().url_patterns  # which are imported at the start
    settings.MIDDLEWARE = settings.GISC_OAI_MIDDLEWARE


def harvested(records: int, *base_urls: str) -> None:
    """Store records as one page of a harvest brings them: from the first address, which had them from the second one."""
    entries = []
    for number in range(records):
        step: dict[str, Any] = HARVEST | {"identifier": f"urn:{number}", "datestamp": "2025-03-04T07:45:12Z"}
        provenance: dict[str, Any] = {}
        for base_url in reversed(base_urls):
            provenance = step | {"baseURL": base_url} | ({"origin": provenance} if provenance else {})
        provenance = {"link": "toulouse"} | provenance
        entries.append(store.prepare(world.iso_record(f"urn:{number}"), provenance=Provenance.from_json(provenance)))
    store.put_entries(entries, into=world.peer_set(world.TOULOUSE), source="toulouse")


def traced_list(client: Client, coding: str) -> tuple[asking.Answer, Trace]:
    """Ask for the list, and trace the request."""
    query, headers = "verb=ListRecords&metadataPrefix=iso19139", {"accept-encoding": coding}
    with traced() as trace:
        response = client.get("/oai", QUERY_STRING=query, headers=headers)
    return asking.read(response), trace


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_one_list_of_a_harvested_record_is_a_short_walk(client: Client, coding: str) -> None:
    """The first request of a process, which fills its caches, and a later one."""
    harvested(1, "http://direct.example.org/oai")
    for time in ("first", "second"):
        answer, trace = traced_list(client, coding)
        assert answer.identifiers == ["urn:0"]
        assert len(answer.find("//o:about")) == 1
        report(f"ListRecords, {coding}, {time} request", trace)
        assert trace.changes_of_file <= MAX_CHANGES_OF_FILE
        assert trace.functions <= MAX_FUNCTIONS


def test_the_abouts_of_one_harvest_are_made_once(client: Client) -> None:
    """But for the record's own identifier and datestamp."""
    harvested(RECORDS, "http://direct.example.org/oai")
    answer, trace = traced_list(client, "identity")
    report(f"ListRecords of {RECORDS} records", trace)
    assert len(answer.find("//*[local-name()='originDescription']")) == RECORDS
    assert answer.find("//*[local-name()='provenance']//*[local-name()='identifier']/text()") == answer.identifiers
    assert trace.count("_harvest") == trace.count("Provenance.from_json") == trace.count("provenance_template") == 1
    assert trace.count("lenient") <= 2
    assert trace.count("_element") <= 8


def test_of_records_by_a_relay_the_elements_of_each_harvest_are_made_once(client: Client) -> None:
    harvested(RECORDS, "http://relay.example.org/oai", "http://first.example.org/oai")
    answer, trace = traced_list(client, "identity")
    report(f"ListRecords of {RECORDS} relayed records", trace)
    assert len(answer.find("//*[local-name()='originDescription']")) == 2 * RECORDS
    assert trace.count("_harvest") == RECORDS
    assert trace.count("_origin_description") == 2
    assert trace.count("lenient") <= 4
    assert trace.count("_element") <= 8
