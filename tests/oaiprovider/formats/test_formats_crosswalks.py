"""Uploaded formats as harvesters see them: announced, listed, served, and missing where the crosswalk fails."""

import logging

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from lxml import etree

from oaiprovider import list_entries
from oaiprovider.formats import sandbox, supported
from oaiprovider.models import Crosswalk
from tests.support import asking, world
from tests.support.stylesheets import NAMESPACE, PREFIX, SCHEMA, add, brief, change, root, sheet

pytestmark = pytest.mark.django_db
PAST = "2025-03-01T00:00:00Z"


def formats(client: Client, **arguments: str) -> list[str]:
    answer = asking.get(client, verb="ListMetadataFormats", **arguments)
    return [element.text for element in answer.find("//o:metadataPrefix")]


def put(*names: str, failing: tuple[str, ...] = ()) -> None:
    """Records `urn:...`; the crosswalk to `brief` fails on those named in `failing`."""
    for name in names:
        world.put(world.iso_record(f"urn:{name}", title="impossible" if name in failing else f"Title {name}"))


@pytest.mark.spec("P63", "P66", "G8")
def test_an_uploaded_format_is_announced_and_served_by_every_verb(client: Client) -> None:
    add()
    put("a")
    answer = asking.get(client, verb="ListMetadataFormats")
    told = [tuple(child.text for child in line) for line in answer.find("//o:metadataFormat")]
    assert told[3:] == [(PREFIX, SCHEMA, NAMESPACE)]
    assert formats(client, identifier="urn:a") == ["iso19139", "oai_dc", "dcat_ap", PREFIX]
    for arguments in ({"verb": "GetRecord", "identifier": "urn:a"}, {"verb": "ListRecords"}):
        record = asking.get(client, metadataPrefix=PREFIX, **arguments)
        [element] = record.find("//o:metadata/*")
        assert (element.tag, [child.text for child in element]) == (f"{{{NAMESPACE}}}brief", ["urn:a", "Title a"])
    assert asking.get(client, verb="ListIdentifiers", metadataPrefix=PREFIX).headers == record.headers


@pytest.mark.spec("P48", "P65")
def test_its_element_stands_by_itself_in_the_answer(client: Client) -> None:
    add()
    put("a")
    content = asking.get(client, verb="ListRecords", metadataPrefix=PREFIX).content
    element = content.partition(b"<metadata>")[2].partition(b"</metadata>")[0]
    location = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
    assert etree.fromstring(element).get(location) == f"{NAMESPACE} {SCHEMA}"


@pytest.mark.spec("P48")
def test_elements_of_an_uploaded_format_that_are_in_no_namespace_stay_in_none(client: Client) -> None:
    add(stylesheet=sheet(root(f'<b:brief xmlns:b="{NAMESPACE}"><id xmlns="">1</id></b:brief>')))
    put("a")
    for verb in ({"verb": "GetRecord", "identifier": "urn:a"}, {"verb": "ListRecords"}):
        [element] = asking.get(client, metadataPrefix=PREFIX, **verb).find("//o:metadata/*")
        assert [child.tag for child in element] == ["id"]


@pytest.mark.spec("P66", "P140", "S39", "T3.28")
def test_a_record_on_which_the_crosswalk_fails_is_missing_in_that_format_alone(client: Client, caplog) -> None:
    add()
    put("a", "b", "c", failing=("b",))
    world.bury("urn:c")
    with caplog.at_level(logging.WARNING, "oaiprovider"):
        for _ in range(3):
            listed = asking.get(client, verb="ListRecords", metadataPrefix=PREFIX)
            assert listed.identifiers == ["urn:a", "urn:c"]
            assert asking.get(client, verb="ListIdentifiers", metadataPrefix=PREFIX).headers == listed.headers
            missing = asking.get(client, verb="GetRecord", metadataPrefix=PREFIX, identifier="urn:b")
            assert missing.codes == ["cannotDisseminateFormat"]
            assert "not available" in missing.texts[0]
            assert formats(client, identifier="urn:b") == ["iso19139", "oai_dc", "dcat_ap"]
    assert [record.identifier for record in caplog.records] == ["urn:b"]  # logged once
    assert "no title" in caplog.records[0].error
    assert asking.get(client, verb="ListRecords", metadataPrefix="oai_dc").identifiers == ["urn:a", "urn:b", "urn:c"]
    # What is put right is there again.
    world.put(world.iso_record("urn:b", title="possible"))
    assert asking.get(client, verb="GetRecord", metadataPrefix=PREFIX, identifier="urn:b").identifiers == ["urn:b"]


@pytest.mark.spec("P66", "P143", "P106", "S17", "S39")
@pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers"])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("failing", ["", "a", "f", "cd", "def", "abc", "abde"])
def test_pages_are_full_and_the_last_one_is_known_whoever_fails(client, settings, verb, size, failing) -> None:
    settings.GISC_PAGE_RECORDS = size
    add()
    put(*"abcdef", failing=tuple(failing))
    left = [f"urn:{name}" for name in "abcdef" if name not in failing]
    pages = asking.walk(client, verb=verb, metadataPrefix=PREFIX)
    assert [header.identifier for header in asking.headers_of(pages)] == left
    assert [len(page.headers) for page in pages[:-1]] == [size] * (len(pages) - 1)
    assert len(pages) == -(-len(left) // size)
    assert not any(page.codes for page in pages)


@pytest.mark.spec("P66", "T3.35")
def test_where_no_record_has_the_format_the_list_is_empty(client: Client, settings) -> None:
    settings.GISC_PAGE_RECORDS = 2
    add()
    put(*"abcde", failing=tuple("abcde"))
    for verb in ("ListRecords", "ListIdentifiers"):
        assert asking.get(client, verb=verb, metadataPrefix=PREFIX).codes == ["noRecordsMatch"]


@pytest.mark.spec("P66")
@sandbox.LIMITS.replaced(cpu_s=0.1)
@list_entries.LIMITS.replaced(crosswalks_s=0.15)
def test_records_that_take_for_ever_cost_the_page_no_more_than_its_budget(client: Client, settings) -> None:
    """A page ends early where time is over; where it has nothing yet, the harvester is asked to come again."""
    each, end = "<xsl:for-each select='//node()'>", "</xsl:for-each>"
    endless = (
        f"<xsl:if test=\"contains(//gmd:title, 'impossible')\">{each * 6}<xsl:if test='false()'/>{end * 6}</xsl:if>"
    )
    add(stylesheet=sheet(root(f"<a>{endless}</a>")))
    sandbox.close()
    put(*"abcde", failing=tuple("abc"))
    statuses = []
    while 200 not in statuses:
        response = client.get("/oai", {"verb": "ListRecords", "metadataPrefix": PREFIX})
        statuses.append(response.status_code)
        assert response.status_code == 200 or response["Retry-After"]
        assert len(statuses) < 6  # what failed is remembered
    assert statuses[0] == 503
    pages = asking.walk(client, verb="ListRecords", metadataPrefix=PREFIX)
    assert [header.identifier for header in asking.headers_of(pages)] == ["urn:d", "urn:e"]


@pytest.mark.spec("T3.27", "T3.34", "P87")
def test_a_crosswalk_that_was_never_enabled_does_not_exist_to_harvesters(client: Client) -> None:
    crosswalk = add(enabled=False)
    put("a")
    assert crosswalk.changed is None
    assert formats(client) == ["iso19139", "oai_dc", "dcat_ap"]
    answer = asking.get(client, verb="ListRecords", metadataPrefix=PREFIX)
    assert answer.codes == ["cannotDisseminateFormat"]
    assert answer.texts == ["Format 'brief' is not supported; supported: iso19139, oai_dc, dcat_ap."]
    change(crosswalk, enabled=True)
    assert formats(client) == ["iso19139", "oai_dc", "dcat_ap", PREFIX]


@pytest.mark.spec("P87", "P83", "T3.30")
def test_a_format_that_is_withdrawn_has_tombstones_until_it_comes_back(client: Client, settings) -> None:
    settings.GISC_PAGE_RECORDS = settings.GISC_PAGE_HEADERS = 2
    crosswalk = add()
    put("a", "b", "c", failing=("b",))
    change(crosswalk, enabled=False)
    assert formats(client) == formats(client, identifier="urn:a") == ["iso19139", "oai_dc", "dcat_ap"]
    for verb in ("ListRecords", "ListIdentifiers"):
        headers = asking.headers_of(asking.walk(client, verb=verb, metadataPrefix=PREFIX))
        assert [(header.identifier, header.deleted) for header in headers] == [
            ("urn:a", True),
            ("urn:b", True),
            ("urn:c", True),
        ]
    gone = asking.get(client, verb="GetRecord", metadataPrefix=PREFIX, identifier="urn:a")
    assert [header.deleted for header in gone.headers] == [True] and not gone.find("//o:metadata | //o:about")
    assert not any(header.deleted for header in asking.get(client, verb="ListRecords", metadataPrefix="oai_dc").headers)
    change(crosswalk, enabled=True)
    back = asking.headers_of(asking.walk(client, verb="ListRecords", metadataPrefix=PREFIX))
    assert [(header.identifier, header.deleted) for header in back] == [("urn:a", False), ("urn:c", False)]
    crosswalk.delete()
    assert asking.get(client, verb="ListRecords", metadataPrefix=PREFIX).codes == ["cannotDisseminateFormat"]


def test_a_stylesheet_that_no_longer_compiles_takes_its_format_away_and_is_logged_once(client, caplog) -> None:
    """As after an upgrade of libxslt; an upload would have been refused."""
    add(stylesheet=sheet(root('<xsl:apply-templates select="]"/>')))
    put("a", "b")
    with caplog.at_level(logging.WARNING, "oaiprovider"):
        assert asking.get(client, verb="ListRecords", metadataPrefix=PREFIX).codes == ["noRecordsMatch"]
        assert formats(client, identifier="urn:a") == ["iso19139", "oai_dc", "dcat_ap"]
    assert [record.message for record in caplog.records] == ["crosswalk does not compile"]


@pytest.mark.spec("P60")
@pytest.mark.parametrize("prefix", ["", "a b", "a:b", "iso19139", "ISO19139", "OAI_DC", "all", "\u00e9"])
def test_a_prefix_that_is_none_or_taken_is_refused(prefix: str) -> None:
    with pytest.raises(ValidationError):
        Crosswalk(prefix=prefix, namespace=NAMESPACE, schema=SCHEMA, stylesheet=brief()).full_clean()


@pytest.mark.spec("P48", "P63")
@pytest.mark.parametrize(
    "changes",
    [
        {"namespace": "http://www.openarchives.org/OAI/2.0/"},
        {"namespace": "not a uri"},
        {"schema": "file:///etc/passwd"},
        {"schema": "brief.xsd"},
    ],
)
def test_a_format_must_be_announced_with_a_namespace_and_a_schema(changes: dict[str, str]) -> None:
    fields = {"prefix": PREFIX, "namespace": NAMESPACE, "schema": SCHEMA, "stylesheet": brief()}
    with pytest.raises(ValidationError) as refused:
        Crosswalk(**(fields | changes)).full_clean()
    assert list(refused.value.message_dict) == list(changes)


# --- The spelling ISO19139 ------------------------------------------------------------------------------


@pytest.mark.spec("W2", "P25", "T3.27")
def test_the_spelling_ISO19139_can_be_switched_on_and_is_served_identically(client: Client, settings) -> None:
    put("a", "b")
    off = asking.get(client, verb="ListRecords", metadataPrefix="ISO19139")
    assert off.codes == ["cannotDisseminateFormat"]
    settings.GISC_UPPERCASE_PREFIX = True
    settings.GISC_PAGE_RECORDS = 1
    pages = {
        prefix: asking.walk(client, verb="ListRecords", metadataPrefix=prefix) for prefix in ("ISO19139", "iso19139")
    }
    for page, same in zip(pages["ISO19139"], pages["iso19139"], strict=True):
        assert page.headers == same.headers
        assert [etree.tostring(m) for m in page.find("//o:metadata")] == [
            etree.tostring(m) for m in same.find("//o:metadata")
        ]
    assert pages["ISO19139"][0].request.get("metadataPrefix") == "ISO19139"
    assert formats(client) == ["iso19139", "oai_dc", "dcat_ap", "ISO19139"]
    assert asking.get(client, verb="ListRecords", metadataPrefix="Iso19139").codes == ["cannotDisseminateFormat"]
    record = asking.get(client, verb="GetRecord", identifier="urn:a", metadataPrefix="ISO19139")
    assert record.identifiers == ["urn:a"]


@pytest.mark.spec("W49")
def test_iso19139_costs_no_query_for_its_format(django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert supported.find("iso19139") is not None
