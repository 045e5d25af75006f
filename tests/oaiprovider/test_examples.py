"""The worked examples (E1 to E22, E25) of GISC_SHARED, asked of a node that holds what theirs holds, and compared.

What a node chooses is left out of the comparison: times of answers, tokens, the words of errors, the size of sets.
"""

import re
from typing import Any

import pytest
from django.test import Client
from lxml import etree

from catalogue import datestamps, oai
from catalogue.models import DatestampClock, MetadataSet
from catalogue.provenance import Provenance
from catalogue.writing import set_inclusion, store
from harvester.models import Link
from tests.support import asking, world
from tests.support.paths import shared

pytestmark = pytest.mark.django_db
OAI = f"{{{oai.OAI_NS}}}"
EXETER, TOKYO = "WIS-GISC-EXETER", "WIS-GISC-TOKYO"
TAF, GONE, UUID = (
    "urn:x-wmo:md:int.wmo.wis::FCUK31EGRR",
    "urn:x-wmo:md:int.wmo.wis::FCUK32EGRR",
    "9b0d4f0e-6f7a-4c1e-8f0e-2d1f9a7b3c55",
)
WAID, WAIX = (f"urn:x-wmo:md:jp.go.jma.wis.dcpc-sat::{name}" for name in ("WAID", "WAIX"))
LAST = "urn:x-wmo:md:uk.gov.metoffice::model.last"


def example(number: int) -> Any:
    """The XML document of an example, as the file in GISC_SHARED has it."""
    text = shared("reference", "oai-pmh.md").read_text(encoding="utf-8")
    [section] = re.findall(rf"^### E{number} .*?(?=^### |^## )", text, re.MULTILINE | re.DOTALL)
    return etree.fromstring(re.search(r"```xml\n(.*?)```", section, re.DOTALL)[1].encode())


def comparable(root: Any) -> list[Any]:
    """The document as nested lists, without what a node may choose."""
    root.find(f"{OAI}responseDate").text = ""
    for error in root.findall(f"{OAI}error"):
        error.text = ""
    for token in root.iter(f"{OAI}resumptionToken"):
        token.text = "a token" if token.text else None
        if "expirationDate" in token.attrib:
            token.set("expirationDate", "")
    request = root.find(f"{OAI}request")
    if "resumptionToken" in request.attrib:
        request.set("resumptionToken", "")
    for offered in list(root.iter(f"{OAI}compression")):  # we offer deflate besides (P115)
        if offered.text == "deflate":
            offered.getparent().remove(offered)
    for described in root.iter(f"{OAI}set"):  # we tell how many records there are besides
        for description in described.findall(f"{OAI}setDescription"):
            container = description[0]
            for said in list(container):
                if said.text.startswith("Live records: "):
                    container.remove(said)
            if not len(container):
                described.remove(description)
    for metadata in root.iter(f"{OAI}metadata"):
        for inside in list(metadata[0]):
            metadata[0].remove(inside)
    return nested(root)


def nested(element: Any) -> list[Any]:
    children = [nested(child) for child in element.iterchildren("*")]
    return [element.tag, dict(element.attrib), (element.text or "").strip(), children]


@pytest.fixture
def node(settings) -> None:
    """GISC Exeter, with the records of E5: 175 of its own from 1 March, and Tokyo's two, which a relay brought."""
    settings.GISC_BASE_URL = "http://gisc.example.org"
    settings.GISC_REPOSITORY_NAME = "GISC Example catalogue"
    settings.GISC_ADMIN_EMAIL = "oai-admin@gisc.example.org"
    settings.GISC_TOMBSTONE_RETENTION_DAYS = None
    settings.GISC_NAME = EXETER
    settings.GISC_PAGE_HEADERS = 3
    MetadataSet.objects.filter(kind="own").update(spec=EXETER, name="Area of responsibility of GISC Exeter")
    DatestampClock.objects.update(earliest=datestamps.parse("2011-01-01T00:00:00Z")[0])
    tokyo = set_inclusion.ensure_set(TOKYO, name="GISC Tokyo")
    MetadataSet.objects.create(spec="shared01", name="Shared responsibility 01", kind="shared")
    london = world.iso_record(
        TAF, title="Aerodrome forecasts (TAF) & amendments, London", organisation="Met Office", role="publisher"
    )
    others = [f"urn:x-wmo:md:uk.gov.metoffice::model.{number:03}" for number in range(171)]
    world.put(london, *map(world.iso_record, (GONE, UUID, *others, LAST)))
    world.bury(GONE)
    there = {TAF: "2025-03-01T00:00:00Z", GONE: "2025-03-02T11:15:00Z", UUID: "2025-03-03T23:59:59Z"}
    there |= dict.fromkeys(others, "2025-03-04T08:00:00Z") | {LAST: "2025-03-04T08:59:40Z"}
    way = {
        "link": "relay",
        "baseURL": "http://gisc-b.example.net/oai",
        "identifier": WAID,
        "datestamp": "2025-03-04T07:45:12Z",
        "metadataNamespace": oai.GMD_NS,
        "harvestDate": "2025-03-04T08:31:00Z",
        "altered": False,
        "origin": {
            "baseURL": "http://gisc-tokyo.example.jp/oai",
            "identifier": WAID,
            "datestamp": "2025-03-04",
            "metadataNamespace": oai.GMD_NS,
            "harvestDate": "2025-03-04T07:45:02Z",
            "altered": False,
        },
    }
    relayed = store.prepare(world.iso_record(WAID), provenance=Provenance.from_json(way))
    store.put_entries([relayed, store.prepare_deletion(WAIX)], into=tokyo, source="relay")
    for identifier, stamp in {**there, WAID: "2025-03-04T08:31:07Z", WAIX: "2025-03-04T08:31:07Z"}.items():
        world.restamp(identifier, stamp)
    for name, base_url in (("b", "http://gisc-b.example.net/oai"), ("c", "http://gisc-c.example.net/oaipmh")):
        peer = set_inclusion.ensure_set(f"WIS-GISC-{name.upper()}", name=name)
        MetadataSet.objects.filter(pk=peer.pk).update(public=False)  # E4 does not name them
        Link.objects.create(name=name, base_url=base_url, remote_set=peer.spec, local_set=peer)


ASKED = {
    1: "verb=Identify",
    2: "verb=ListMetadataFormats",
    3: f"verb=ListMetadataFormats&identifier={TAF.replace(':', '%3A')}",
    4: "verb=ListSets",
    5: f"verb=ListIdentifiers&metadataPrefix=iso19139&set={EXETER}&from=2025-03-01",
    7: f"verb=ListRecords&metadataPrefix=iso19139&set={TOKYO}&from=2025-03-04T08:00:00Z&until=2025-03-04T08:59:59Z",
    9: f"verb=GetRecord&identifier={GONE}&metadataPrefix=iso19139",
    10: "metadataPrefix=oai_dc",
    11: "verb=Identify&verb=Identify",
    12: "verb=ListRecords&foo=1&metadataprefix=oai_dc&from=2025-02-30&set=a&set=a",
    13: "verb=ListIdentifiers&metadataPrefix=iso19139&from=2025-03-01&until=2025-03-02T00:00:00Z",
    14: "verb=ListRecords&metadataPrefix=iso19139&resumptionToken=abc&until=2025-01-10",
    15: "verb=ListRecords&resumptionToken=abc",
    16: "verb=ListRecords&metadataPrefix=ISO19139",
    17: "verb=GetRecord&identifier=urn:x-wmo:md:none&metadataPrefix=iso19139",
    18: "verb=GetRecord&identifier=urn:x-wmo:md:none&metadataPrefix=marcxml",
    19: "verb=ListRecords&metadataPrefix=oai_dc&until=2010-01-01T00:00:00Z",
    20: "verb=ListIdentifiers&metadataPrefix=iso19139&set=WIS-GISC-TOKIO",
    21: f"verb=ListMetadataFormats&identifier={GONE}",
}


@pytest.mark.spec("E1", "E2", "E3", "E4", "E5", "E7", "E9", "E10", "E11", "E12", "E13", "E14")
@pytest.mark.spec("E15", "E16", "E17", "E18", "E19", "E20", "E21")
@pytest.mark.parametrize("number", ASKED)
def test_the_answer_of_the_example_is_ours(client: Client, node: None, number: int) -> None:
    answer = asking.raw_get(client, ASKED[number])
    for description in answer.find("//o:description[*[local-name()='eprints']]"):  # P147: the examples have none
        description.getparent().remove(description)
    for further in answer.find("//o:metadataFormat[o:metadataPrefix='dcat_ap']"):  # the examples have two formats
        further.getparent().remove(further)
    assert comparable(answer.root) == comparable(example(number))


@pytest.mark.spec("E6", "P96", "P104")
def test_the_last_page_of_the_example_is_ours(client: Client, node: None) -> None:
    arguments = {"verb": "ListIdentifiers", "metadataPrefix": "iso19139", "set": EXETER, "from_": "2025-03-01"}
    pages = asking.walk(client, **arguments)
    assert len(pages) == 59
    assert comparable(pages[-1].root) == comparable(example(6))


@pytest.mark.spec("E8", "P2", "P61")
def test_a_record_asked_for_by_post_is_crosswalked_as_in_the_example(client: Client, node: None) -> None:
    body = f"verb=GetRecord&metadataPrefix=oai_dc&identifier={TAF.replace(':', '%3A')}"
    assert len(body) == 94
    answer = asking.read(client.post("/oai", body, content_type=asking.FORM))
    ours = nested(answer.root.find(f".//{OAI}metadata")[0])[3]
    theirs = nested(example(8).find(f".//{OAI}metadata")[0])[3]
    assert [line for line in theirs if line not in ours] == []
    assert comparable(answer.root) == comparable(example(8))


@pytest.mark.spec("E17", "T3.24", "P26")
def test_an_identifier_that_is_no_uri_is_a_bad_argument_with_a_bare_request(client: Client, node: None) -> None:
    answer = asking.raw_get(client, "verb=GetRecord&metadataPrefix=iso19139&identifier=a%22b")
    assert answer.codes == ["badArgument"] and not answer.request.attrib


@pytest.mark.spec("E22", "P79")
def test_a_repository_without_sets_answers_as_in_the_example(client: Client, node: None) -> None:
    MetadataSet.objects.update(public=False)
    assert comparable(asking.raw_get(client, "verb=ListSets").root) == comparable(example(22))


@pytest.mark.spec("E25", "P115")
@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        (None, None),
        ("gzip;q=1.0, identity;q=0.5", "gzip"),
        ("gzip, identity", "gzip"),
        ("gzip;q=0, identity", None),
        ("identity", None),
        ("br", None),
        ("*", None),
        ("GZIP", "gzip"),
    ],
)
def test_what_is_accepted_decides_the_coding_as_in_the_example(client: Client, accepted, coding) -> None:
    headers = {} if accepted is None else {"accept-encoding": accepted}
    assert client.get("/oai?verb=Identify", headers=headers).get("Content-Encoding") == coding
