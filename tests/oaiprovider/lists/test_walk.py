"""The way of a ListRecords answer reads like a story: how many functions and files it passes, and what is made once."""

from typing import Any

import pytest
from django.test import Client

from catalogue import oai
from catalogue.provenance import Provenance
from catalogue.writing import store
from tests import world
from tests.oaiprovider import asking
from tests.trace import Trace, report, traced

pytestmark = pytest.mark.django_db

MAX_CHANGES_OF_FILE = 111
MAX_FUNCTIONS = 150


@pytest.fixture(autouse=True)
def _as_gunicorn_serves(settings) -> None:
    """The middleware that `gisc.wsgi` gives to `/oai`."""
    settings.MIDDLEWARE = settings.GISC_OAI_MIDDLEWARE


def harvested(records: int, **changes: Any) -> None:
    """Store records as one page of a harvest brings them."""
    entries = []
    for number in range(records):
        provenance = {
            "link": "toulouse",
            "baseURL": world.TOULOUSE.base_url,
            "identifier": f"urn:{number}",
            "datestamp": "2025-03-04T07:45:12Z",
            "metadataNamespace": oai.GMD_NS,
            "harvestDate": "2025-03-04T08:31:00Z",
            "altered": False,
        }
        entries.append(
            store.prepare(world.iso_record(f"urn:{number}"), provenance=Provenance.from_json(provenance | changes))
        )
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
    harvested(1)
    for time in ("first", "second"):
        answer, trace = traced_list(client, coding)
        assert answer.identifiers == ["urn:0"]
        assert len(answer.find("//o:about")) == 1
        report(f"ListRecords, {coding}, {time} request", trace)
        assert trace.changes_of_file <= MAX_CHANGES_OF_FILE
        assert trace.functions <= MAX_FUNCTIONS


def test_what_the_records_of_a_harvest_have_in_common_is_made_once(client: Client) -> None:
    """Only the record's own elements are put into its about, step by step."""
    records = 50
    relay = {"baseURL": "http://walk.example.org/oai", "harvestDate": "2025-03-05T08:31:00Z"}
    first = {"baseURL": "http://first.example.org/oai", "metadataNamespace": oai.GMD_NS, "datestamp": "2025-03-03"}
    harvested(records, **relay, origin=first | {"identifier": "urn:0", "harvestDate": "2025-03-04T23:00:00Z"})
    answer, trace = traced_list(client, "identity")
    assert len(answer.find("//*[local-name()='originDescription']")) == 2 * records
    report(f"ListRecords of {records} records", trace)
    assert trace.count("_harvest") == trace.count("_is_valid_harvest") == 2
    assert trace.count("lenient") <= 4
    assert trace.count("_element") <= 10
