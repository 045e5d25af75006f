"""Identify and ListMetadataFormats."""

import re

import pytest
from django.test import Client
from lxml import etree

from tests.support import asking, world

pytestmark = pytest.mark.django_db


@pytest.mark.spec("P52", "P53", "P57", "P58", "P1", "W4", "P59", "P110", "E1")
def test_identify_says_who_we_are_in_the_order_of_the_schema(client: Client, settings) -> None:
    settings.GISC_REPOSITORY_NAME = "GISC Tokyo <catalogue>"
    settings.GISC_BASE_URL = world.OUR_BASE_URL
    settings.GISC_ADMIN_EMAIL = world.OUR_EMAIL
    answer = asking.get(client, verb="Identify")
    said = [(etree.QName(child).localname, child.text) for child in answer.find("//o:Identify")[0]]
    assert [name for name, _ in said] == [
        "repositoryName",
        "baseURL",
        "protocolVersion",
        "adminEmail",
        "earliestDatestamp",
        "deletedRecord",
        "granularity",
        "compression",
        "compression",
        "description",
    ]
    told = dict(said)
    assert told["repositoryName"] == "GISC Tokyo <catalogue>"
    assert told["baseURL"] == "http://gisc-tokyo.example.org/oai"
    assert told["protocolVersion"] == "2.0"
    assert told["adminEmail"] == world.OUR_EMAIL
    assert told["granularity"] == "YYYY-MM-DDThh:mm:ssZ"


@pytest.mark.spec("P55", "S38", "P38")
def test_the_earliest_datestamp_is_a_new_year_before_every_record(client: Client) -> None:
    world.put(world.iso_record("urn:a"))
    earliest = asking.get(client, verb="Identify").find("string(//o:earliestDatestamp)")
    assert re.fullmatch(r"[0-9]{4}-01-01T00:00:00Z", earliest)
    (header,) = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139").headers
    assert earliest <= header.datestamp


@pytest.mark.spec("P56", "P82", "W8")
@pytest.mark.parametrize(("days", "policy"), [(92, "transient"), (365, "transient"), (None, "persistent")])
def test_the_deletion_policy_follows_the_retention(client: Client, settings, days: int | None, policy: str) -> None:
    settings.GISC_TOMBSTONE_RETENTION_DAYS = days
    assert asking.get(client, verb="Identify").find("string(//o:deletedRecord)") == policy


@pytest.mark.spec("P61", "P62", "P63", "W2", "E2")
def test_the_repository_has_three_formats(client: Client) -> None:
    answer = asking.get(client, verb="ListMetadataFormats")
    assert [tuple(child.text for child in known) for known in answer.find("//o:metadataFormat")] == [
        ("iso19139", "http://www.isotc211.org/2005/gmd/gmd.xsd", "http://www.isotc211.org/2005/gmd"),
        ("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/"),
        ("dcat_ap", "http://www.openarchives.org/OAI/2.0/rdf.xsd", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ]
    assert answer.token_element is None


@pytest.mark.spec("P63", "P64", "E3", "E21")
def test_a_live_item_has_all_formats_and_a_deleted_one_none(client: Client) -> None:
    world.put(world.iso_record("urn:a"))
    arguments = {"verb": "ListMetadataFormats", "identifier": "urn:a"}
    prefixes = asking.get(client, **arguments).find("//o:metadataPrefix/text()")
    assert prefixes == ["iso19139", "oai_dc", "dcat_ap"]
    world.bury("urn:a")
    assert asking.get(client, **arguments).codes == ["noMetadataFormats"]
