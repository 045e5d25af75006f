"""What is said about a record: where it was harvested, step by step, and the rights in a record of our own."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from lxml import etree

from catalogue import oai
from catalogue.documents import dublin_core
from catalogue.models import Record
from catalogue.provenance import MAX_ORIGIN_CHARS, MAX_ORIGINS, Provenance
from catalogue.reading import lists
from catalogue.reading.lists import ListRow
from catalogue.writing import store
from harvester.protocol import answers
from oaiprovider.protocol.provenance import containers
from tests.support import asking, schemas, world
from tests.support.stylesheets import PREFIX, add

PROVENANCE = "http://www.openarchives.org/OAI/2.0/provenance"
P = f"{{{PROVENANCE}}}"
LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
OURS: dict[str, Any] = {
    "link": "toulouse",
    "baseURL": "http://gisc-b.example.net/oai",
    "identifier": "urn:a",
    "datestamp": "2025-03-04T07:45:12Z",
    "metadataNamespace": oai.GMD_NS,
    "harvestDate": "2025-03-04T08:31:00Z",
    "altered": False,
}
# E7: Tokyo was reached through a relay.
EARLIER: dict[str, Any] = {
    "baseURL": "http://gisc-tokyo.example.jp/oai",
    "identifier": "urn:a",
    "datestamp": "2025-03-04",
    "metadataNamespace": oai.GMD_NS,
    "harvestDate": "2025-03-04T07:45:02Z",
    "altered": True,
}


def harvested(identifier: str = "urn:a", **changes: Any) -> None:
    """A record as a link brings it."""
    provenance = Provenance.from_json(OURS | {"identifier": identifier} | changes)
    prepared = store.prepare(world.iso_record(identifier), provenance=provenance)
    store.put_entries([prepared], into=world.peer_set(world.TOULOUSE), source="toulouse")


def steps(about: Any) -> list[dict[str, str]]:
    """The originDescriptions in an about, the outermost first."""
    [container] = about
    assert container.tag == f"{P}provenance"
    found = []
    [inner] = container
    while inner is not None:
        children = {etree.QName(child).localname: child.text for child in inner if child.tag != f"{P}originDescription"}
        assert list(children) == ["baseURL", "identifier", "datestamp", "metadataNamespace"]
        found.append(children | dict(inner.attrib))
        inner = inner.find(f"{P}originDescription")
    return found


def told(provenance: dict[str, Any], *, altered: bool = False) -> list[dict[str, str]]:
    """What a valid about says of this way."""
    values = {name: None if value is None else str(value) for name, value in provenance.items()}
    common = {name: value for name, value in provenance.items() if name not in ("identifier", "datestamp")}
    own = (json.dumps(common), values.get("identifier"), values.get("datestamp"))
    [container] = containers(ListRow(1, 0, "urn:a", False, "", None, *own), altered=altered)
    root = etree.fromstring(container)
    if schemas.available():
        schema = schemas.load("oai-pmh.xsd")
        assert schema.validate(root), schema.error_log
    about = etree.Element("about")
    about.append(root)
    return steps(about)


@pytest.mark.django_db
@pytest.mark.spec("P120", "P121", "P122", "P123", "P125", "H41")
@pytest.mark.parametrize("verb", ["GetRecord", "ListRecords"])
def test_a_harvested_record_says_by_which_way_it_came(client: Client, verb: str) -> None:
    """E7; the answer is validated as all answers of the tests are."""
    harvested(origin=EARLIER)
    asked = {"identifier": "urn:a"} if verb == "GetRecord" else {}
    [record] = asking.get(client, verb=verb, metadataPrefix="iso19139", **asked).find("//o:record")
    assert [etree.QName(child).localname for child in record] == ["header", "metadata", "about"]
    assert steps(record[2]) == [
        {
            "baseURL": "http://gisc-b.example.net/oai",
            "identifier": "urn:a",
            "datestamp": "2025-03-04T07:45:12Z",
            "metadataNamespace": oai.GMD_NS,
            "harvestDate": "2025-03-04T08:31:00Z",
            "altered": "false",
        },
        {
            "baseURL": "http://gisc-tokyo.example.jp/oai",
            "identifier": "urn:a",
            "datestamp": "2025-03-04",
            "metadataNamespace": oai.GMD_NS,
            "harvestDate": "2025-03-04T07:45:02Z",
            "altered": "true",
        },
    ]
    assert record[2][0].get(LOCATION) == f"{PROVENANCE} {PROVENANCE}.xsd"


@pytest.mark.django_db
@pytest.mark.spec("P124")
def test_what_a_crosswalk_makes_is_altered_and_names_what_was_harvested(client: Client) -> None:
    add()
    harvested()
    for prefix, altered in (("iso19139", "false"), ("oai_dc", "true"), (PREFIX, "true")):
        [about] = asking.get(client, verb="ListRecords", metadataPrefix=prefix).find("//o:about")
        [step] = steps(about)
        assert (step["altered"], step["metadataNamespace"]) == (altered, oai.GMD_NS)


@pytest.mark.django_db
@pytest.mark.spec("P120", "P121", "P83")
def test_our_own_records_tombstones_and_headers_have_no_provenance(client: Client) -> None:
    world.put(world.iso_record("urn:ours"))
    harvested("urn:gone")
    world.bury("urn:gone", into=world.peer_set(world.TOULOUSE))
    harvested("urn:theirs")
    listed = asking.get(client, verb="ListRecords", metadataPrefix="iso19139")
    with_about = [record[0].findtext("{*}identifier") for record in listed.find("//o:record[o:about]")]
    assert with_about == ["urn:theirs"]
    assert not asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139").find("//o:about")


@pytest.mark.django_db
@pytest.mark.spec("P126")
def test_rights_are_told_of_our_own_records_where_the_operator_says_so(client: Client, settings) -> None:
    world.put(world.iso_record("urn:ours"))
    harvested("urn:theirs")

    def rights() -> list[tuple[str, str]]:
        listed = asking.get(client, verb="ListRecords", metadataPrefix="iso19139")
        return [
            (element.getparent().getparent().getparent()[0].findtext("{*}identifier"), element.get("ref"))
            for element in listed.root.iter("{http://www.openarchives.org/OAI/2.0/rights/}rightsReference")
        ]

    assert rights() == []
    settings.GISC_RIGHTS_URL = "https://gisc.example.org/rights?a=1&b=2"
    assert rights() == [("urn:ours", "https://gisc.example.org/rights?a=1&b=2")]


@pytest.mark.django_db
@pytest.mark.spec("P123", "P125", "H41")
def test_the_way_told_by_a_relay_grows_by_one_step_at_each_node(client: Client) -> None:
    """What we tell, another node of ours reads, keeps and tells on."""
    harvested(origin=EARLIER)
    content = asking.get(client, verb="ListRecords", metadataPrefix="iso19139").content
    [received] = answers.parse_page(content, continued=False).entries
    assert received.provenance is not None
    second = OURS | {"baseURL": "http://third.example.org/oai", "origin": received.provenance.to_json()}
    assert [step["baseURL"] for step in told(second)] == [
        "http://third.example.org/oai",
        "http://gisc-b.example.net/oai",
        "http://gisc-tokyo.example.jp/oai",
    ]


def way(length: int, **changes: Any) -> dict[str, Any]:
    """A way of so many steps, ours among them."""
    made: dict[str, Any] = {}
    for number in range(length, 0, -1):
        step = EARLIER | {"baseURL": f"http://step-{number}.example.org/oai"} | changes
        made = step | ({"origin": made} if made else {})
    return OURS | ({"origin": made} if made else {})


@pytest.mark.spec("P123")
def test_a_way_without_end_keeps_its_last_steps_and_its_first_one() -> None:
    found = told(way(300))
    assert len(found) == MAX_ORIGINS
    assert found[0]["baseURL"] == OURS["baseURL"]
    assert found[1]["baseURL"] == "http://step-1.example.org/oai"
    assert found[-1]["baseURL"] == "http://step-300.example.org/oai"


@pytest.mark.spec("P123")
def test_a_way_of_many_words_is_cut_likewise() -> None:
    long = "urn:" + "x" * 1900
    found = told(way(10, identifier=long))
    assert sum(len(text) for step in found for text in step.values()) <= MAX_ORIGIN_CHARS + 100
    assert [found[0]["baseURL"], found[-1]["baseURL"]] == [OURS["baseURL"], "http://step-10.example.org/oai"]


@pytest.mark.spec("P123")
def test_what_is_received_is_bounded_before_it_is_kept() -> None:
    description = (
        "".join(
            f"<originDescription harvestDate='2025-01-01' altered=' 1 '><baseURL>http://{number}.example.org</baseURL>"
            "<identifier>urn:a</identifier><datestamp>2025-01-01</datestamp><metadataNamespace>urn:m</metadataNamespace>"
            for number in range(60)
        )
        + "</originDescription>" * 60
    )
    page = (
        "<OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><responseDate>2025-01-01T00:00:00Z</responseDate>"
        "<ListRecords><record><header><identifier>urn:a</identifier><datestamp>2025-01-01</datestamp></header>"
        f"<metadata><a xmlns='urn:x'/></metadata><about><provenance xmlns='{PROVENANCE}'>{description}</provenance>"
        "</about></record></ListRecords></OAI-PMH>"
    )
    [entry] = answers.parse_page(page.encode(), continued=False).entries
    kept, way_there = entry.provenance, []
    while kept:
        assert kept.altered is True
        way_there.append(kept.base_url)
        kept = kept.origin
    assert way_there == [*(f"http://{number}.example.org" for number in range(15)), "http://59.example.org"]


@pytest.mark.spec("P46", "P123")
@pytest.mark.parametrize(
    "wrong",
    [
        {"datestamp": "yesterday"},
        {"datestamp": ""},
        {"harvestDate": "2025-02-30"},
        {"baseURL": ""},
        {"baseURL": "http://a:b:c/"},
        {"baseURL": "http://a/[::1]"},
        {"baseURL": "http://[::1]]/"},
        {"identifier": "urn:[::1]"},
        {"identifier": "<a>"},
        {"metadataNamespace": "a b"},
    ],
)
def test_a_step_that_would_make_the_page_invalid_is_left_out(wrong: dict[str, str]) -> None:
    first = EARLIER | {"baseURL": "http://first.example.org/oai"}
    found = told(OURS | {"origin": EARLIER | wrong | {"origin": first}})
    assert [step["baseURL"] for step in found] == [OURS["baseURL"], "http://first.example.org/oai"]


# As the code wrote them that made each about anew; identifiers that are no URIs are percent-encoded since (P68).
KNOWN = json.loads((Path(__file__).parent / "data" / "abouts.json").read_text(encoding="utf-8"))


@pytest.mark.django_db
@pytest.mark.spec("P121", "P122", "P123", "P124", "P125", "P126")
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: f"{known['name']}{' altered' if known['altered'] else ''}")
def test_the_abouts_are_byte_for_byte_what_harvesters_have_had(known: dict[str, Any], settings) -> None:
    settings.GISC_RIGHTS_URL = known["rights"]
    world.put(world.iso_record("urn:a"))
    Record.objects.update(provenance=known["provenance"])
    row = lists.find("urn:a")
    assert row is not None
    for _ in range(2):  # the second time from what is cached
        assert [about.decode() for about in containers(row, altered=known["altered"])] == known["abouts"]


@pytest.mark.spec("P121", "P125")
@pytest.mark.parametrize(
    ("received", "shown"),
    [
        ("2025-03-04", "2025-03-04"),
        ("2025-03-04T07:45:12Z", "2025-03-04T07:45:12Z"),
        ("2025-03-04T07:45:12.5Z", "2025-03-04T07:45:12.5Z"),
        ("2025-03-04T07:45:12+01:00", "2025-03-04T07:45:12+01:00"),
        ("2025-03-04 07:45:12", "2025-03-04T07:45:12Z"),
        ("20250304T074512Z", "2025-03-04T07:45:12Z"),
        ("yesterday", "2025-03-04T08:31:00Z"),
        ("", "2025-03-04T08:31:00Z"),
    ],
)
def test_our_own_step_is_told_whatever_the_provider_wrote_for_a_datestamp(received: str, shown: str) -> None:
    assert [step["datestamp"] for step in told(OURS | {"datestamp": received})] == [shown]


def test_a_provider_with_an_address_of_ipv6_is_told() -> None:
    address = "http://[2001:db8::1]:8000/oai"
    found = told(OURS | {"baseURL": address, "origin": EARLIER | {"baseURL": address}})
    assert [step["baseURL"] for step in found] == [address, address]


ANYTHING = (
    st.text(max_size=30)
    | st.from_regex(r"\A(http://)?[a-z\[\]:/.@1]{0,12}\Z")
    | st.sampled_from(["2025-01-01", "2025-01-01T00:00:00Z", "http://a/", "urn:a", "9" * 400])
)
STEP = st.fixed_dictionaries(
    dict.fromkeys(("baseURL", "identifier", "datestamp", "metadataNamespace", "harvestDate"), ANYTHING)
    | {"altered": st.booleans()}
)


@pytest.mark.spec("P46", "P123", "P145")
@hypothesis_settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(received=st.lists(STEP, max_size=4))
def test_whatever_a_peer_says_of_a_way_the_about_is_valid(received: list[dict[str, Any]]) -> None:
    provenance: dict[str, Any] = {}
    for step in reversed([OURS, *received]):
        if step is not OURS:  # most of what is made up is no date, and would hide the rest
            step = step | {"datestamp": "2025-01-01", "harvestDate": "2025-01-01"} if received[0]["altered"] else step
        provenance = step | ({"origin": provenance} if provenance else {})
    assert told(provenance)[0]["baseURL"] == OURS["baseURL"]


def test_the_fallback_of_oai_dc_counts_as_altered_too() -> None:
    assert dublin_core.to_oai_dc(b"<broken", "urn:a")
    assert told(OURS, altered=True)[0]["altered"] == "true"
