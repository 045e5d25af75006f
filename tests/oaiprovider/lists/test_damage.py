"""A stored payload that cannot be read back costs one record, not the list, and is never answered with wrong bytes."""

import logging

import pytest
from django.test import Client

from catalogue.models import Description, Record
from catalogue.payloads.payload import PayloadDamaged
from tests.support import asking, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def damaged(settings) -> None:
    settings.GISC_PAGE_RECORDS = 2
    world.put(*(world.iso_record(f"urn:{letter}") for letter in "abcde"))
    for identifier in ("urn:b", "urn:c"):
        packed = bytes(Record.objects.get(identifier=identifier).payload)
        Record.objects.filter(identifier=identifier).update(payload=packed[:-8] + bytes(8))


@pytest.mark.parametrize("records", [1, 2, 3, 10])
@pytest.mark.parametrize("most_bytes", [1, 5_000, 10**9])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_no_page_ends_the_list_because_all_of_it_is_damaged(
    damaged: None, client: Client, settings, records: int, most_bytes: int, last: bool, coding: str
) -> None:
    settings.GISC_PAGE_RECORDS, settings.GISC_PAGE_BYTES = records, most_bytes
    expected = ["urn:a", "urn:d", "urn:e"]
    if last:
        Record.objects.filter(identifier="urn:e").update(payload=b"damaged")
        expected.remove("urn:e")
    pages = asking.walk(client, coding=coding, verb="ListRecords", metadataPrefix="iso19139")
    assert [header.identifier for header in asking.headers_of(pages)] == expected


def test_the_record_is_left_out_told_and_the_list_goes_on(damaged: None, client: Client, caplog) -> None:
    found: list[str] = []
    with caplog.at_level(logging.ERROR, logger="catalogue"):
        answer = asking.get(client, verb="ListRecords", metadataPrefix="iso19139")
        found += answer.identifiers
        while answer.token:
            answer = asking.get(client, verb="ListRecords", resumptionToken=answer.token)
            found += answer.identifiers
    assert found == ["urn:a", "urn:d", "urn:e"]
    assert {record.identifier for record in caplog.records} == {"urn:b", "urn:c"}


def test_asked_for_by_name_it_is_a_fault_of_ours_and_no_answer_of_OAI(damaged: None, client: Client) -> None:
    with pytest.raises(PayloadDamaged, match="urn:b"):
        client.get("/oai", {"verb": "GetRecord", "metadataPrefix": "iso19139", "identifier": "urn:b"})


@pytest.mark.spec("S53", "S33")
def test_what_the_index_has_lost_is_still_there_for_harvesters(client: Client) -> None:
    """As while search is being rebuilt: lists are read from the records, and a tombstone is made by a deletion alone."""
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    before = asking.get(client, verb="ListRecords", metadataPrefix="iso19139").headers
    Description.objects.all().delete()
    assert asking.get(client, verb="ListRecords", metadataPrefix="iso19139").headers == before
    assert not any(header.deleted for header in before)
    assert asking.get(client, verb="GetRecord", metadataPrefix="oai_dc", identifier="urn:a").codes == []
