"""Validity of all that is answered (P46): the envelope in every test, and each payload on its own (P50)."""

import re

import pytest
from django.test import Client
from lxml import etree

from catalogue.bulk import ingest
from catalogue.documents import sources
from catalogue.documents.sources import SAMPLES
from oaiprovider.protocol import render
from tests.support import asking, schemas, world

pytestmark = pytest.mark.django_db
ISO = ("iso19139-20070417.xsd", "iso19139-20060504.xsd")  # by the GML namespace


def faults(document: bytes) -> set[str]:
    """What the ISO schemas say against one record, by the one that finds less."""
    root = etree.fromstring(document)
    found = []
    for name in ISO:
        schema = schemas.load(name)
        schema.validate(root)
        found.append({entry.message for entry in schema.error_log})
    return min(found, key=len)


@pytest.mark.spec("P46")
def test_an_answer_that_is_not_valid_fails_the_test_that_asked_for_it(client: Client, monkeypatch) -> None:
    schemas.require()
    monkeypatch.setattr(render, "identify", lambda _: b"<Identify><baseURL>x</baseURL></Identify>")
    with pytest.raises(AssertionError, match="baseURL"):
        client.get("/oai?verb=Identify")


@pytest.mark.spec("P46", "P50", "P48")
def test_each_record_of_a_page_is_as_valid_by_itself_as_the_file_it_came_from(client: Client, settings) -> None:
    schemas.require()
    settings.GISC_PAGE_RECORDS = 20
    given = {}
    for document in sources.documents([SAMPLES]):
        identifier = "".join(etree.fromstring(document.content).find("{*}fileIdentifier").itertext()).strip()
        given[identifier] = faults(document.content)
    ingest.ingest(sources.documents([SAMPLES]), into=world.own_set())
    checked: dict[str, set[str]] = {}
    for page in asking.walk(client, verb="ListRecords", metadataPrefix="iso19139"):
        payloads = re.findall(rb"<metadata>(.*?)</metadata>\n</record>", page.content, re.DOTALL)
        assert len(payloads) == len(page.identifiers)
        checked |= {name: faults(payload) for name, payload in zip(page.identifiers, payloads, strict=True)}
    assert checked == given
    assert len([name for name, told in checked.items() if not told]) > 40
