"""`/dcat/` and the OAI format `dcat_ap`: a portal harvests all records page by page, and bad requests get a sentence."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import rdflib
import requests
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from rdflib import DCAT, DCTERMS, FOAF, RDF, Namespace, URIRef

from catalogue import bootstrap
from catalogue.models import MetadataSet, Record
from tests.support import asking, stylesheets, world
from tests.support.naive_search import World
from tests.support.served import Served, served

HYDRA = Namespace("http://www.w3.org/ns/hydra/core#")
MEDIA = {"ttl": "turtle", "rdf": "xml", "jsonld": "json-ld"}


def datasets(found: rdflib.Graph) -> set[str]:
    return {str(value) for kind in (DCAT.Dataset, DCAT.DataService) for subject in found.subjects(RDF.type, kind) for value in found.objects(subject, DCTERMS.identifier)}  # fmt: skip


def harvest(address: str, form: str) -> tuple[set[str], list[rdflib.Graph]]:
    """Walk as portals do (ckanext-dcat): parse a page, then go on at hydra:nextPage. Returns the identifiers, and the pages."""
    session, found, pages = requests.Session(), set[str](), []
    while address:
        answer = session.get(address, timeout=60)
        assert answer.status_code == 200, answer.text[:500]
        page = rdflib.Graph().parse(data=answer.content, format=MEDIA[form])
        pages.append(page)
        found |= datasets(page)
        [paging] = page.subjects(RDF.type, HYDRA.PagedCollection)
        assert str(paging) == address
        address = next((str(each) for each in page.objects(paging, HYDRA.nextPage)), "")
    return found, pages


@pytest.fixture
def full(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    """A server with a third of the real records."""
    bootstrap.ensure_sets()
    World(3)
    with served(tmp_path, GISC_WEB_THREADS="2") as running:
        yield running


def test_a_portal_harvests_every_record_once_in_each_form(full: Served) -> None:
    live = set(Record.objects.filter(deleted=False).values_list("identifier", flat=True))
    of_toulouse = set(Record.objects.filter(owner__spec=world.TOULOUSE.spec).values_list("identifier", flat=True))
    for form in MEDIA:
        found, pages = harvest(f"{full.url}/dcat/catalog.{form}", form)
        assert found == live
        assert sum(len(datasets(page)) for page in pages) == len(live) > 300
        assert {str(number) for page in pages for number in page.objects(None, HYDRA.totalItems)} == {str(len(live))}
        [catalog] = {catalog for page in pages for catalog in page.subjects(RDF.type, DCAT.Catalog)}
        first = pages[0]
        for name in (DCTERMS.title, DCTERMS.description, DCTERMS.publisher, DCAT.dataset):  # mandatory in DCAT-AP
            assert list(first.objects(catalog, name)), name
        [publisher] = first.objects(catalog, DCTERMS.publisher)
        assert list(first.objects(publisher, FOAF.name))
    of_set, _ = harvest(f"{full.url}/dcat/catalog.ttl?set={world.TOULOUSE.spec}&limit=200", "ttl")
    assert of_set == of_toulouse
    assert "Traceback" not in full.log.read_text()


# --- One page -----------------------------------------------------------------------------------------


@pytest.fixture
def records(db: None) -> None:
    bootstrap.ensure_sets()
    for number in range(5):
        world.put(world.iso_record(f"urn:{number}", title="Sea ice" if number % 2 else "Soil"))
        world.restamp(f"urn:{number}", f"2020-01-0{number + 1}T00:00:00Z")


def page(client: Client, address: str, form: str = "ttl", **headers: str) -> rdflib.Graph:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200, answer.content[:500]
    return rdflib.Graph().parse(data=answer.content, format=MEDIA[form])


def test_what_changes_while_a_portal_walks_comes_again_and_nothing_is_missed(client: Client, records: None) -> None:
    found: set[str] = set()
    address = "/dcat/catalog.ttl?limit=2"
    for _ in range(10):
        got = page(client, address)
        found |= datasets(got)
        following = [str(each) for each in got.objects(None, HYDRA.nextPage)]
        if not following:
            break
        world.put(world.iso_record("urn:0", title=f"Changed {len(found)}"), world.iso_record("urn:new", title="New"))
        address = following[0].removeprefix("http://testserver")
    assert found == {*(f"urn:{number}" for number in range(5)), "urn:new"}


def test_it_can_be_searched_as_the_public_page(client: Client, records: None) -> None:
    assert datasets(page(client, "/dcat/?q=ice")) == {"urn:1", "urn:3"}
    assert datasets(page(client, "/dcat/?q=nothing")) == set()


@pytest.mark.parametrize(
    ("accept", "media", "form"),
    [
        ("", "text/turtle", "ttl"),
        ("*/*", "text/turtle", "ttl"),
        ("application/rdf+xml", "application/rdf+xml", "rdf"),
        ("application/ld+json, text/turtle;q=0.5", "application/ld+json", "jsonld"),
        ("text/html", "text/turtle", "ttl"),
    ],
)
def test_the_form_is_what_is_asked_for(client: Client, records: None, accept: str, media: str, form: str) -> None:
    headers = {"accept": accept} if accept else {}
    answer = client.get("/dcat/", headers=headers)
    assert answer["Content-Type"] == f"{media}; charset=utf-8"
    assert "Accept" in answer["Vary"]
    assert len(datasets(rdflib.Graph().parse(data=answer.content, format=MEDIA[form]))) == 5
    again = client.get("/dcat/", headers=headers | {"if-none-match": answer["ETag"]})
    assert again.status_code == 304
    assert client.get("/dcat/?f=rdf")["Content-Type"].startswith("application/rdf+xml")


def test_one_record_is_described_alone(client: Client, records: None) -> None:
    found = page(client, "/dcat/dataset.jsonld?id=urn:1", "jsonld")
    assert datasets(found) == {"urn:1"}
    assert (URIRef("urn:1"), DCAT.landingPage, URIRef("http://testserver/record?id=urn%3A1")) in found
    world.bury("urn:1")
    assert client.get("/dcat/dataset.ttl?id=urn:1").status_code == 404


@pytest.mark.parametrize(
    ("address", "status", "why"),
    [
        ("/dcat/catalog.csv", 404, "there are ttl, rdf, jsonld"),
        ("/dcat/?f=csv", 404, "there are ttl, rdf, jsonld"),
        ("/dcat/?limit=0", 400, "from 1 to 200"),
        ("/dcat/?limit=١", 400, "from 1 to 200"),
        ("/dcat/?bbox=1", 400, "no argument bbox"),
        ("/dcat/?set=NOWHERE", 404, "no set “NOWHERE”"),
        ("/dcat/?west=1", 400, "four numbers"),
        ("/dcat/?after=x", 400, "begin again"),
        ("/dcat/dataset.ttl", 400, "?id=IDENTIFIER"),
        ("/dcat/dataset.ttl?id=%00", 400, "?id=IDENTIFIER"),
        ("/dcat/dataset.ttl?id=urn:none", 404, "no such record"),
    ],
)
def test_a_bad_request_gets_a_sentence(client: Client, records: None, address: str, status: int, why: str) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert why in answer.content.decode()


def test_nothing_acceptable_is_406(client: Client, records: None) -> None:
    assert client.get("/dcat/", headers={"accept": "image/png"}).status_code == 406


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(
    name=st.sampled_from(["q", "set", "after", "limit", "f", "west", "begins", "type", "label", "id"]),
    value=st.text(max_size=40) | st.sampled_from(["1", "sea", "ttl", "\x00", "9" * 30, '"' * 30]),
)
def test_no_argument_gives_500(client: Client, records: None, name: str, value: str) -> None:
    for path in ("/dcat/", "/dcat/dataset.rdf"):
        answer = client.get(path, {name: value.encode("utf-8", "replace").decode()})
        assert answer.status_code in (200, 400, 404)


def test_it_can_be_switched_off(client: Client, records: None, settings) -> None:
    settings.GISC_INTERFACES_OFF = ["dcat"]
    assert client.get("/dcat/").status_code == client.get("/dcat/dataset.ttl?id=urn:1").status_code == 404


# --- The format of OAI-PMH ----------------------------------------------------------------------------


@pytest.mark.spec("P63", "P65", "P66")
def test_the_format_is_announced_and_has_every_record(client: Client, records: None) -> None:
    formats = asking.get(client, verb="ListMetadataFormats").content.decode()
    assert "<metadataPrefix>dcat_ap</metadataPrefix>" in formats
    assert "http://www.w3.org/1999/02/22-rdf-syntax-ns#" in formats
    answer = asking.get(client, verb="ListRecords", metadataPrefix="dcat_ap")
    found = {dataset for element in answer.root.iterfind(".//{*}metadata/*") for dataset in datasets(rdf_of(element))}
    assert found == {f"urn:{number}" for number in range(5)}
    [element] = asking.get(client, verb="GetRecord", metadataPrefix="dcat_ap", identifier="urn:1").root.iterfind(
        ".//{*}metadata/*"
    )
    location = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
    assert element.get(location) == f"{RDF} http://www.openarchives.org/OAI/2.0/rdf.xsd"


def rdf_of(element) -> rdflib.Graph:
    return rdflib.Graph().parse(data=etree.tostring(element), format="xml")


def test_a_format_of_this_name_that_was_uploaded_before_stays_the_one_that_is_served(
    client: Client, records: None
) -> None:
    stylesheets.add(prefix="dcat_ap")
    formats = asking.get(client, verb="ListMetadataFormats").content.decode()
    assert formats.count("<metadataPrefix>dcat_ap</metadataPrefix>") == 1
    assert stylesheets.NAMESPACE in formats
    answer = asking.get(client, verb="GetRecord", metadataPrefix="dcat_ap", identifier="urn:1")
    assert stylesheets.NAMESPACE.encode() in answer.content


def test_sets_have_their_own_catalogue(client: Client, records: None, toulouse: MetadataSet) -> None:
    world.put(world.iso_record("urn:theirs"), into=toulouse)
    assert datasets(page(client, f"/dcat/?set={toulouse.spec}")) == {"urn:theirs"}
