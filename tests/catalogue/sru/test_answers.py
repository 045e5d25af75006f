"""SRU's three operations: their answers are as the standard describes them, every wrong parameter gets its diagnostic."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from lxml import etree

from catalogue import bootstrap
from catalogue.documents import dublin_core
from catalogue.models import Record
from catalogue.reading.query import search_limits, statements
from gisc import public_pages
from tests.support import sru_answers
from tests.support.sru_answers import SruAnswer
from tests.support.world import bury, iso_record, put, restamp

pytestmark = pytest.mark.django_db
Ask = Callable[..., SruAnswer]
GMD = "{http://www.isotc211.org/2005/gmd}MD_Metadata"
SRW_DC = f"{{{dublin_core.SRW_DC_NS}}}dc"


@pytest.fixture
def ask(client: Client, db: None) -> Ask:
    """Ask, and check the answer; `_` in front of a parameter leaves it as it is given, without version and operation."""
    bootstrap.ensure_sets()

    def get(query: str | None = None, **given: object) -> SruAnswer:
        usual = {"version": "1.2", "operation": "searchRetrieve"} | ({"query": query} if query is not None else {})
        answer = client.get("/sru", usual | given)
        assert answer.status_code == 200
        assert answer["Content-Type"] == "text/xml; charset=utf-8"
        return sru_answers.read(answer.content)

    return get


def some() -> None:
    put(
        iso_record("urn:x:1", title="Sea ice drift", keywords=["ice"], box=(-10, 40, 10, 60)),
        iso_record("urn:x:2", title="Sea temperature", keywords=["ocean", "sea ice"]),
        iso_record("urn:x:3", title="Wind <at> 10 m & more", abstract="The sea is rough."),
    )


# --- searchRetrieve -------------------------------------------------------------------------------------


def test_records_come_in_the_schema_and_packing_that_are_asked_for(ask: Ask) -> None:
    some()
    for schema, root in (("iso19139", GMD), ("http://www.isotc211.org/2005/gmd", GMD), ("dc", SRW_DC), ("info:srw/schema/1/dc-v1.1", SRW_DC)):  # fmt: skip
        (data,) = ask("urn:x:3", recordSchema=schema).root.iterfind(".//sru:recordData", sru_answers.NS)
        assert [child.tag for child in data] == [root]
        packed = ask("urn:x:3", recordSchema=schema, recordPacking="string")
        assert etree.fromstring(packed.texts(".//sru:recordData")[0]).tag == root
        assert packed.texts("sru:records/sru:record/sru:recordPacking") == ["string"]
    title = ask("urn:x:3", recordSchema="dc").root.find(f".//{{{dublin_core.DC_NS}}}title")
    assert title is not None and title.text == "Wind <at> 10 m & more"


def test_1_1_and_1_2_are_answered_as_each_has_it(ask: Ask) -> None:
    some()
    for version in ("1.1", "1.2"):
        answer = ask("sea", version=version)
        assert answer.texts("sru:version") == [version]
        assert answer.number == 3
        assert bool(answer.identifiers) == (version == "1.2")  # recordIdentifier is new in 1.2


def test_positions_page_through_all_hits(ask: Ask) -> None:
    put(*(iso_record(f"urn:x:{number}", title="Sea") for number in range(25)))
    everything = ask("sea", maximumRecords=100).identifiers
    found: list[str] = []
    position: int | None = 1
    while position:
        answer = ask("sea", startRecord=position, maximumRecords=10)
        assert answer.number == 25
        assert answer.texts(".//sru:recordPosition") == [
            str(position + place) for place in range(len(answer.identifiers))
        ]
        found += answer.identifiers
        position = answer.following
    assert found == everything and len(set(found)) == 25
    none = ask("sea", maximumRecords=0)
    assert (none.number, none.identifiers, none.following) == (25, [], None)
    assert ask("sea", startRecord=26).codes == [61]
    assert ask("sea", startRecord=100_000).codes == [61]
    assert ask("nothing").number == 0 and ask("nothing").codes == []


def test_the_number_may_be_an_estimate_and_says_so(ask: Ask) -> None:
    put(*(iso_record(f"urn:x:{number}", title="Sea") for number in range(60)))
    with search_limits.LIMITS.replaced(exact=10, margin=5, of_tier=10, sample=20, newest=10, chunks=(10, 20)):
        answer = ask("sea", maximumRecords=5)
        last = ask("sea", startRecord=58, maximumRecords=20)
    assert len(answer.identifiers) == 5 and answer.following == 6
    assert answer.root.find(".//sru:extraResponseData", sru_answers.NS) is not None
    assert (last.number, last.following, len(last.identifiers)) == (60, None, 3)
    assert last.root.find(".//sru:extraResponseData", sru_answers.NS) is None


def test_records_are_sorted_as_asked(ask: Ask) -> None:
    some()
    restamp("urn:x:3", "2020-01-01T00:00:00Z")
    ids = ["urn:x:1", "urn:x:2", "urn:x:3"]
    assert ask("cql.allRecords = 1 sortBy rec.identifier").identifiers == ids
    assert ask("cql.allRecords = 1 sortBy rec.identifier/sort.descending").identifiers == ids[::-1]
    assert ask("cql.allRecords = 1 sortBy rec.lastModificationDate").identifiers[0] == "urn:x:3"
    assert ask("cql.allRecords=1", version="1.1", sortKeys="rec.identifier,,0").texts(".//sru:recordPosition") == [
        *"123"
    ]


def test_what_was_withdrawn_is_no_hit(ask: Ask) -> None:
    some()
    bury("urn:x:1")
    assert ask("cql.allRecords = 1").number == 2
    assert ask('rec.identifier = "urn:x:1"').number == 0


def test_damaged_metadata_are_a_diagnostic_in_place_of_the_record(ask: Ask) -> None:
    some()
    Record.objects.filter(identifier="urn:x:2").update(payload=b"damaged")
    answer = ask("cql.allRecords = 1 sortBy rec.identifier")
    assert answer.identifiers == ["urn:x:1", "urn:x:2", "urn:x:3"]
    assert answer.texts(".//sru:recordSchema")[1] == "info:srw/schema/1/diagnostics-v1.1"
    assert answer.texts(".//sru:recordData/diag:diagnostic/diag:uri") == ["info:srw/diagnostic/1/64"]


@pytest.mark.parametrize(
    ("given", "code", "details"),
    [
        ({"operation": "update"}, 4, ["update"]),
        ({"version": "2.0"}, 5, ["1.2"]),
        ({"startRecord": "0"}, 6, ["startRecord"]),
        ({"startRecord": "first"}, 6, ["startRecord"]),
        ({"startRecord": "99999999999999999999"}, 6, ["startRecord"]),
        ({"maximumRecords": "-1"}, 6, ["maximumRecords"]),
        ({"query": ["sea", "ice"]}, 6, ["query"]),
        ({"query": " "}, 7, ["query"]),
        ({"color": "red"}, 8, ["color"]),
        ({"recordSchema": "marcxml"}, 66, ["marcxml"]),
        ({"recordPacking": "json"}, 71, ["json"]),
        ({"recordXPath": "/a"}, 72, []),
        ({"sortKeys": "dc.title"}, 88, ["dc.title"]),
        ({"stylesheet": "http://127.0.0.1/a.xsl"}, 110, []),
        ({"query": "dc.coverage = sea"}, 16, ["dc.coverage"]),
        ({"query": '"sea'}, 10, None),
        ({"query": "\x01 &"}, 10, None),
    ],
)
def test_a_wrong_parameter_gets_its_diagnostic(ask: Ask, given: dict, code: int, details: list[str] | None) -> None:
    answer = ask(**({"query": "sea"} | given))
    assert answer.codes == [code]
    if details is not None:
        assert answer.details == details
    if given.get("operation") is None:
        assert answer.number == 0


def test_what_is_missing_is_named(client: Client, db: None) -> None:
    def details(address: str) -> tuple[list[int], list[str]]:
        answer = sru_answers.read(client.get(address).content)
        return answer.codes, answer.details

    assert details("/sru?operation=searchRetrieve&version=1.2") == ([7], ["query"])
    assert details("/sru?operation=searchRetrieve&query=sea") == ([7], ["version"])
    assert details("/sru?version=1.2&query=sea") == ([7], ["operation"])
    assert details("/sru?operation=scan&version=1.2") == ([7], ["scanClause"])


def test_extensions_are_passed_over_and_post_is_answered(ask: Ask, client: Client) -> None:
    some()
    assert ask("sea", **{"x-info-1": "a"}).codes == []
    answer = client.post("/sru", {"operation": "searchRetrieve", "version": "1.2", "query": "sea"})
    assert sru_answers.read(answer.content).number == 3
    assert client.put("/sru").status_code == 405


def test_a_word_that_begins_too_many_is_not_passed_over_in_silence(ask: Ask) -> None:
    some()
    with statements.LIMITS.replaced(begun=0):
        answer = ask("sea*")
    assert answer.number == 3
    assert answer.codes == [59]
    assert "“sea” begins too many words" in answer.texts(".//diag:message")[0]


def test_what_would_be_compared_with_too_many_records_says_how_to_ask_for_less(ask: Ask) -> None:
    some()
    with statements.LIMITS.replaced(compared=1):
        answer = ask("dc.subject = ice")
        fewer = ask('dc.subject = ice and wis.box = "0 50 1 51"')
    assert (answer.number, answer.codes) == (0, [60])
    assert "wis.box" in answer.texts(".//diag:message")[0]
    assert (fewer.number, fewer.codes) == (1, [])


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("dc.description = sea", []),  # “se” is a stop word, and its French stem is that of “sea”
        ('dc.description adj "mesures de la mer"', ["urn:x:1"]),
        ('dc.description adj "mesure de la mer"', ["urn:x:1"]),  # another form of a word
        ('dc.description adj "mesures sur la mer"', []),  # another stop word
        ('dc.description adj "de la mer"', ["urn:x:1"]),
        ("dc.subject = mer", []),
        ('dc.subject adj "vent fort"', []),  # next to one another only across two keywords
        ('dc.subject = "vent fort"', ["urn:x:1"]),
        ("dc.title = mesures", []),
    ],
)
def test_words_of_a_field_are_found_there_alone(ask: Ask, query: str, found: list[str]) -> None:
    abstract, keywords = "Elle se mesure : mesures de la mer.", ["vent", "fort"]
    document = iso_record("urn:x:1", title="Océan", abstract=abstract, keywords=keywords)
    put(document.replace(b"eng", b"fre"))
    assert ask(query).identifiers == found


# --- scan -----------------------------------------------------------------------------------------------


def test_scan_lists_values_with_their_numbers_around_a_term(ask: Ask) -> None:
    put(*(iso_record(f"urn:x:{number}", keywords=["ab", "c", "d"][: number + 1]) for number in range(3)))

    def scan(clause: str, **given: object) -> dict[str, int]:
        return ask(operation="scan", scanClause=clause, **given).terms

    assert scan('wis.keyword = ""') == {"ab": 3, "c": 2, "d": 1}
    assert list(scan("wis.keyword = b")) == ["c", "d"]
    assert list(scan("wis.keyword = c", responsePosition=2)) == ["ab", "c", "d"]
    assert list(scan("wis.keyword = c", responsePosition=0)) == ["d"]
    assert list(scan('wis.keyword = ""', maximumTerms=1)) == ["ab"]
    assert scan("wis.keyword = e") == {}
    assert list(scan('rec.identifier = "urn:x:1"')) == ["urn:x:1", "urn:x:2"]
    assert list(scan('rec.identifier = "urn:x:1"', responsePosition=2)) == ["urn:x:0", "urn:x:1", "urn:x:2"]
    assert list(scan('rec.identifier = "urn:x:1"', responsePosition=0)) == ["urn:x:2"]
    assert list(scan('rec.identifier = ""', maximumTerms=2)) == ["urn:x:0", "urn:x:1"]


def test_scan_refuses_what_it_has_not(ask: Ask) -> None:
    def codes(clause: str, **given: object) -> list[int]:
        return ask(operation="scan", scanClause=clause, **given).codes

    assert codes("dc.title = sea") == [16]
    assert codes("a and b") == [10]
    assert codes("dc.type = a", maximumTerms=201) == [121]
    assert codes("dc.type = a", maximumTerms=0) == [6]
    assert codes("dc.type = a", responsePosition=30) == [120]


def test_scan_says_where_its_list_is_not_complete(ask: Ask) -> None:
    put(iso_record("urn:x:1", keywords=[f"k{number:03}" for number in range(120)]))
    answer = ask(operation="scan", scanClause='wis.keyword = ""', maximumTerms=200)
    assert len(answer.terms) == 100
    assert answer.codes == [59]


# --- explain --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/sru", "/sru?operation=explain", "/sru?operation=explain&version=1.1&recordPacking=xml"])  # fmt: skip
def test_explain_describes_what_there_is(client: Client, db: None, address: str) -> None:
    answer = sru_answers.read(client.get(address).content)
    assert answer.texts(".//zr:host") == ["testserver"]
    assert answer.texts(".//zr:database") == ["sru"]
    assert "lastModificationDate" in answer.texts(".//zr:index/zr:map/zr:name")
    assert answer.texts(".//zr:schemaInfo/zr:schema/zr:title") == ["ISO 19139", "Dublin Core"]


def test_each_index_that_explain_names_can_be_searched_and_scanned_as_it_says(ask: Ask, client: Client) -> None:
    some()
    explained = sru_answers.read(client.get("/sru").content).root
    tried = 0
    for index in explained.iterfind(".//zr:index", sru_answers.NS):
        name = index.find("zr:map/zr:name", sru_answers.NS)
        assert name is not None
        full = f"{name.get('set')}.{name.text}"
        term = {"wis.box": '"0 0 1 1"', "cql.allRecords": "1"}.get(full, "2020-01")
        for relation in index.iterfind("zr:configInfo/zr:supports", sru_answers.NS):
            assert ask(f"{full} {relation.text} {term}").codes == []
            tried += 1
        assert (ask(operation="scan", scanClause=f"{full} = {term}").codes == []) == (index.get("scan") == "true")
        assert (ask(f"cql.allRecords = 1 sortBy {full}").codes == []) == (index.get("sort") == "true")
    assert tried > 80


# --- As a part of the node ------------------------------------------------------------------------------


def test_it_is_switched_off_by_the_setting(client: Client, db: None, settings: Any) -> None:
    settings.GISC_INTERFACES_OFF = ["sru", "ogcapi"]
    for address in ("/sru", "/ogcapi/", "/ogcapi/collections"):
        answer = client.get(address)
        assert (answer.status_code, answer.content) == (404, b"This node does not offer this interface.\n")
    assert b"/ogcapi/" not in client.get("/").content


def test_who_has_to_wait_too_long_gets_503_with_a_diagnostic(rf) -> None:
    answer = public_pages._unavailable(rf.get("/sru", {"operation": "searchRetrieve"}), public_pages.BUSY)
    assert answer.status_code == 503 and answer["Retry-After"] == "10"
    assert sru_answers.read(answer.content).codes == [2]
