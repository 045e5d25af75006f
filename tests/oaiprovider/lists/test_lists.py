"""ListRecords, ListIdentifiers and GetRecord: which records, in which pages, with which token element."""

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from lxml import etree

from catalogue import datestamps, oai
from catalogue.models import Record
from catalogue.reading import lists
from tests.support import asking, stylesheets, world

pytestmark = pytest.mark.django_db
PAST = "2025-03-01T00:00:00Z"


def put_many(number: int) -> list[str]:
    """`urn:0`, `urn:1`, ... all of one second, as a bulk load leaves them."""
    names = [f"urn:{n}" for n in range(number)]
    world.put(*(world.iso_record(name) for name in names))
    return names


@pytest.mark.spec("P35", "P141", "E26")
@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2025-03-01", None, "bcd"),
        (None, "2025-03-01", "abc"),
        ("2025-03-01", "2025-03-01", "bc"),
        ("2025-03-01T00:00:00Z", "2025-03-01T23:59:59Z", "bc"),
        ("2025-03-01T00:00:00Z", "2025-03-01T23:59:58Z", "b"),
        ("2025-03-02T00:00:00Z", "2025-03-02T00:00:00Z", "d"),
        ("2025-03-02T00:00:01Z", None, ""),
    ],
)
def test_both_bounds_are_inclusive_and_a_day_is_a_whole_day(
    client: Client, start: str | None, end: str | None, expected: str
) -> None:
    stamps = ("2025-02-28T23:59:59Z", "2025-03-01T00:00:00Z", "2025-03-01T23:59:59Z", "2025-03-02T00:00:00Z")
    for name, stamp in zip("abcd", stamps, strict=True):
        world.put(world.iso_record(f"urn:{name}"))
        world.restamp(f"urn:{name}", stamp)
    bounds = {name: bound for name, bound in (("from_", start), ("until", end)) if bound}
    for verb in ("ListRecords", "ListIdentifiers"):
        answer = asking.get(client, verb=verb, metadataPrefix="iso19139", **bounds)
        assert "".join(name[-1] for name in answer.identifiers) == expected
        assert answer.codes == ([] if expected else ["noRecordsMatch"])
        backwards = asking.get(client, verb=verb, metadataPrefix="iso19139", from_="2025-03-02", until="2025-03-01")
        assert backwards.codes == ["badArgument"]


@pytest.mark.spec("P141", "P38", "P40", "S4", "S11")
def test_a_record_is_found_at_its_own_datestamp_and_not_a_second_before(client: Client) -> None:
    world.put(world.iso_record("urn:a"))
    (header,) = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139").headers
    stamp, _ = datestamps.parse(header.datestamp)
    arguments = {"verb": "ListIdentifiers", "metadataPrefix": "iso19139"}
    found = asking.get(client, **arguments, from_=header.datestamp, until=header.datestamp)
    assert found.headers == [header]
    before = datestamps.write(stamp - timedelta(seconds=1))
    assert asking.get(client, **arguments, from_=before, until=before).codes == ["noRecordsMatch"]


@pytest.mark.spec("P94", "P39", "P91", "S7")
def test_a_record_is_listed_as_soon_as_it_is_stored_and_never_later_than_the_response_date(client: Client) -> None:
    for number in range(3):
        world.put(world.iso_record(f"urn:{number}"))
        answer = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139", set=world.OUR_SPEC)
        assert f"urn:{number}" in answer.identifiers
        assert all(header.datestamp <= answer.date for header in answer.headers)


@pytest.mark.spec("P39", "S6")
def test_the_response_date_is_taken_before_the_list_is_read(client: Client, monkeypatch) -> None:
    order: list[str] = []

    def noting(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            order.append(name)
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr(lists, "instant", noting("instant", lists.instant))
    monkeypatch.setattr(lists, "page", noting("page", lists.page))
    put_many(1)
    asking.get(client, verb="ListRecords", metadataPrefix="iso19139")
    assert order == ["instant", "page"]


@pytest.mark.spec("P48", "P49", "S36", "S37", "W3")
def test_the_metadata_is_the_stored_root_element_byte_for_byte(client: Client) -> None:
    document = b"\xef\xbb\xbf" + world.iso_record("urn:a", title="Niveaux de la mer \u2013 \u6771\u4eac")
    world.put(document)
    answer = asking.get(client, verb="GetRecord", metadataPrefix="iso19139", identifier="urn:a")
    element = document[document.index(b"<gmd:MD_Metadata") :].rstrip()
    assert b"<metadata>" + element + b"</metadata>" in answer.content
    assert answer.find("string(//*[local-name()='fileIdentifier'])") == "urn:a"


@pytest.mark.spec("P61", "P66", "P140", "S39", "P87", "P110")
def test_every_live_record_is_in_both_formats_and_both_lists(client: Client) -> None:
    names = put_many(3)
    world.bury(names[1])
    seen = [
        asking.get(client, verb=verb, metadataPrefix=prefix).headers
        for verb in ("ListRecords", "ListIdentifiers")
        for prefix in ("iso19139", "oai_dc")
    ]
    assert all(headers == seen[0] for headers in seen)
    for header in seen[0]:
        for prefix in ("iso19139", "oai_dc"):
            record = asking.get(client, verb="GetRecord", metadataPrefix=prefix, identifier=header.identifier)
            assert record.headers == [header]
            assert len(record.find("//o:metadata/*")) == (0 if header.deleted else 1)


@pytest.mark.spec("P83", "P84", "P88", "S34", "S35", "E5", "E9")
def test_a_deletion_is_listed_at_its_own_time_with_its_sets_and_without_metadata(client: Client) -> None:
    names = put_many(2)
    for name in names:
        world.restamp(name, PAST)
    world.bury(names[0])
    answer = asking.get(client, verb="ListRecords", metadataPrefix="iso19139", set=world.OUR_SPEC, from_="2025-03-02")
    (header,) = answer.headers
    assert header.deleted
    assert header.identifier == names[0]
    assert header.datestamp > PAST
    assert header.sets == ("WIS-CATALOGUE", world.OUR_SPEC)
    assert answer.find("//o:metadata") == []
    assert answer.find("//o:about") == []


@pytest.mark.spec("P86")
def test_a_deleted_identifier_may_come_back_with_a_later_datestamp(client: Client) -> None:
    world.put(world.iso_record("urn:a"))
    world.bury("urn:a")
    world.restamp("urn:a", PAST)
    world.put(world.iso_record("urn:a"))
    (header,) = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139").headers
    assert not header.deleted
    assert header.datestamp > PAST


@pytest.mark.spec("P96", "P102", "P103", "P104", "S16", "S19", "S20", "P42")
@pytest.mark.parametrize(
    ("number", "cursors"), [(3, [None]), (4, ["0", "3"]), (6, ["0", "3"]), (7, ["0", "3", "6"]), (1, [None])]
)
def test_the_token_element_on_first_middle_and_last_pages(
    client: Client, settings, number: int, cursors: list[str | None]
) -> None:
    settings.GISC_PAGE_HEADERS = settings.GISC_PAGE_RECORDS = 3
    put_many(number)
    for verb in ("ListRecords", "ListIdentifiers"):
        pages = asking.walk(client, verb=verb, metadataPrefix="iso19139")
        elements = [page.token_element for page in pages]
        if cursors == [None]:
            assert elements == [None]
            continue
        assert [element.get("cursor") for element in elements] == cursors
        assert {element.get("completeListSize") for element in elements} == {str(number)}
        assert [bool(element.text) for element in elements] == [True] * (len(pages) - 1) + [False]
        for page, element in zip(pages, elements, strict=True):
            life = element.get("expirationDate")
            if element.text:
                day = datestamps.parse(life)[0] - datestamps.parse(page.date)[0]
                assert day == timedelta(hours=24)
            else:
                assert life is None


@pytest.mark.spec("P106", "S17")
def test_a_last_page_that_is_exactly_full_gives_no_token(client: Client, settings) -> None:
    settings.GISC_PAGE_RECORDS = 2
    put_many(4)
    pages = asking.walk(client, verb="ListRecords", metadataPrefix="iso19139")
    assert [len(page.headers) for page in pages] == [2, 2]


@pytest.mark.spec("P109")
def test_records_and_headers_have_page_sizes_of_their_own(client: Client, settings) -> None:
    settings.GISC_PAGE_RECORDS, settings.GISC_PAGE_HEADERS = 2, 3
    put_many(6)
    records = asking.walk(client, verb="ListRecords", metadataPrefix="oai_dc")
    headers = asking.walk(client, verb="ListIdentifiers", metadataPrefix="oai_dc")
    assert [len(page.headers) for page in records] == [2, 2, 2]
    assert [len(page.headers) for page in headers] == [3, 3]


@pytest.mark.spec("P97", "P25", "E6")
def test_a_continuation_echoes_verb_and_token_only(client: Client, settings) -> None:
    settings.GISC_PAGE_HEADERS = 2
    put_many(3)
    first = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139", set=world.OUR_SPEC)
    assert dict(first.request.attrib) == {
        "verb": "ListIdentifiers",
        "metadataPrefix": "iso19139",
        "set": world.OUR_SPEC,
    }
    second = asking.post(client, verb="ListIdentifiers", resumptionToken=first.token)
    assert dict(second.request.attrib) == {"verb": "ListIdentifiers", "resumptionToken": first.token}


@pytest.mark.spec("P100")
def test_every_token_works_any_number_of_times(client: Client, settings) -> None:
    settings.GISC_PAGE_HEADERS = 2
    put_many(7)
    pages = asking.walk(client, verb="ListIdentifiers", metadataPrefix="iso19139")
    for page, following in reversed(list(zip(pages, pages[1:], strict=False))):
        again = asking.get(client, verb="ListIdentifiers", resumptionToken=page.token)
        assert again.headers == following.headers


@pytest.mark.spec("T3.52", "P105")
def test_a_token_of_the_other_list_is_refused(client: Client, settings) -> None:
    settings.GISC_PAGE_HEADERS = 1
    put_many(2)
    token = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139").token
    answer = asking.get(client, verb="ListRecords", resumptionToken=token)
    assert answer.codes == ["badResumptionToken"]
    assert "issued for ListIdentifiers" in answer.texts[0]
    assert dict(answer.request.attrib) == {"verb": "ListRecords", "resumptionToken": token}


@pytest.mark.spec("T3.53", "P106", "P105")
def test_a_token_behind_which_nothing_is_left_brings_the_last_record_again(client: Client, settings) -> None:
    settings.GISC_PAGE_HEADERS = 1
    put_many(2)
    first = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139")
    Record.objects.filter(identifier="urn:1").delete()
    last = asking.get(client, verb="ListIdentifiers", resumptionToken=first.token)
    assert (last.headers, last.token, last.token_element.get("cursor")) == (first.headers, "", "1")
    Record.objects.all().delete()
    gone = asking.get(client, verb="ListIdentifiers", resumptionToken=first.token)
    assert gone.codes == ["badResumptionToken"]
    assert "no longer" in gone.texts[0]


@pytest.mark.spec("P105")
def test_a_token_whose_format_is_there_no_more_is_bad(client: Client, settings) -> None:
    settings.GISC_PAGE_HEADERS = 1
    put_many(2)
    crosswalk = stylesheets.add()
    token = asking.get(client, verb="ListIdentifiers", metadataPrefix=stylesheets.PREFIX).token
    assert token
    crosswalk.delete()
    assert asking.get(client, verb="ListIdentifiers", resumptionToken=token).codes == ["badResumptionToken"]


@pytest.mark.spec("P101", "S21")
def test_what_is_written_after_the_first_page_does_not_lengthen_the_list(client: Client, settings, monkeypatch) -> None:
    settings.GISC_PAGE_HEADERS = 2
    names = put_many(4)
    for name in names:
        world.restamp(name, PAST)
    real_instant = lists.instant
    monkeypatch.setattr(lists, "instant", lambda: real_instant() - timedelta(seconds=10))
    first = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139")
    monkeypatch.setattr(lists, "instant", real_instant)
    world.put(world.iso_record("urn:late"))
    rest = asking.get(client, verb="ListIdentifiers", resumptionToken=first.token)
    assert rest.identifiers == names[2:]
    assert rest.token == ""


@pytest.mark.spec("P101", "S13")
def test_a_record_that_changes_between_pages_pushes_no_other_out(client: Client, settings) -> None:
    settings.GISC_PAGE_HEADERS = 2
    names = put_many(6)
    for name in names:
        world.restamp(name, PAST)
    first = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139")
    world.put(world.iso_record(names[0], title="changed"))
    pages = [first]
    while pages[-1].token:
        pages.append(asking.get(client, verb="ListIdentifiers", resumptionToken=pages[-1].token))
    assert set(names) <= {header.identifier for header in asking.headers_of(pages)}


@pytest.mark.spec("S20", "P103")
@pytest.mark.parametrize(("since", "counted"), [({}, 0), ({"from": "2000-01-01"}, 1)], ids=["whole list", "part"])
def test_only_the_first_page_of_a_part_counts_and_no_page_reads_the_whole_list(
    client: Client, settings, since: dict[str, str], counted: int
) -> None:
    settings.GISC_PAGE_RECORDS = 2
    put_many(8)
    with CaptureQueriesContext(connection) as first:
        page = asking.get(client, verb="ListRecords", metadataPrefix="iso19139", set=world.OUR_SPEC, **since)
    with CaptureQueriesContext(connection) as second:
        asking.get(client, verb="ListRecords", resumptionToken=page.token)
    counting = [[query["sql"] for query in captured if "count(*)" in query["sql"]] for captured in (first, second)]
    # What a harvester may not see any more is counted apart: mostly nothing.
    counts = [sum("FROM catalogue_withdrawal" not in statement for statement in each) for each in counting]
    assert counts == [counted, 0]
    assert [len(each) for each in counting] == [counted + 1, 0]
    assert page.find("//o:resumptionToken")[0].get("completeListSize") == "8"
    assert len(second) <= 5, [query["sql"] for query in second]
    assert not any("OFFSET" in query["sql"] for query in (*first, *second))


@pytest.mark.spec("P50", "P107")
def test_a_page_holds_whole_records_with_namespaces_of_their_own(client: Client) -> None:
    put_many(3)
    answer = asking.get(client, verb="ListRecords", metadataPrefix="iso19139")
    for element in answer.find("//o:metadata/*"):
        assert etree.QName(element).localname == "MD_Metadata"
        assert "gmd" in element.nsmap
        assert element.nsmap[None] == "http://www.openarchives.org/OAI/2.0/"


@pytest.mark.spec("P70", "P6", "S40")
@pytest.mark.parametrize(
    "identifier", ["urn:x-wmo:md:int.wmo.wis::FCUK31EGRR", "oai:a.org:x%3Cy", "a,b;c+d&e=f", "donn\u00e9es/\u6771?q#1"]
)
def test_what_a_header_says_can_be_asked_for_encoded_and_as_far_as_possible_as_it_stands(
    client: Client, identifier: str
) -> None:
    world.put(world.iso_record(identifier))
    (header,) = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139").headers
    assert header.identifier == identifier
    for written in (quote(header.identifier, safe=""), quote(header.identifier, safe=":,;/?#")):
        answer = asking.raw_get(client, f"verb=GetRecord&metadataPrefix=oai_dc&identifier={written}")
        assert answer.headers == [header]


@pytest.mark.spec("P69")
def test_identifiers_are_compared_exactly(client: Client) -> None:
    world.put(world.iso_record("urn:X-WMO:md:A"))
    for asked, codes in (("urn:X-WMO:md:A", []), ("urn:x-wmo:md:a", ["idDoesNotExist"])):
        answer = asking.get(client, verb="GetRecord", metadataPrefix="iso19139", identifier=asked)
        assert answer.codes == codes


@pytest.mark.spec("P68", "W3", "T3.24", "T3.13")
def test_a_fileIdentifier_that_is_no_uri_is_served_encoded_and_asked_for_in_either_form(client: Client) -> None:
    document = world.iso_record("{E15C 7}:1")
    world.put(document)
    encoded = "%7BE15C%207%7D%3A1"
    listed = asking.get(client, verb="ListRecords", metadataPrefix="iso19139")
    assert listed.identifiers == [encoded]
    assert b"{E15C 7}:1" in listed.content, "the document is untouched"
    for asked in ("{E15C 7}:1", encoded):
        for arguments in ({"verb": "GetRecord", "metadataPrefix": "iso19139"}, {"verb": "ListMetadataFormats"}):
            answer = asking.get(client, identifier=asked, **arguments)
            assert answer.codes == []
            assert answer.request.get("identifier") == encoded
    for arguments in ({"verb": "GetRecord", "metadataPrefix": "iso19139"}, {"verb": "ListMetadataFormats"}):
        assert asking.get(client, identifier="{E15C 8}:1", **arguments).codes == ["badArgument"]
        assert asking.get(client, identifier="%7BE15C%208%7D%3A1", **arguments).codes == ["idDoesNotExist"]


@pytest.mark.spec("P68")
def test_the_pair_decides_and_not_the_encoding(client: Client) -> None:
    world.put(world.iso_record("a%20b"))
    asked = {"verb": "GetRecord", "metadataPrefix": "iso19139"}
    assert asking.get(client, identifier="a%20b", **asked).codes == []
    assert asking.get(client, identifier="a b", **asked).codes == ["badArgument"]


@pytest.mark.spec("P75", "P81", "S9")
def test_a_record_that_moved_to_another_set_is_deleted_for_the_harvesters_of_the_first() -> None:
    client = Client(headers={"user-agent": f"{oai.USER_AGENT}/1"})  # who is told so: test_set_tombstones
    toulouse = world.peer_set(world.TOULOUSE)
    world.put(world.iso_record("urn:a"), into=toulouse)
    world.bury("urn:a", into=toulouse)
    world.restamp("urn:a", PAST)
    world.put(world.iso_record("urn:a"))
    lists_of = {
        spec: asking.get(client, verb="ListRecords", metadataPrefix="iso19139", set=spec).headers
        for spec in (world.TOULOUSE.spec, world.OUR_SPEC, "WIS-CATALOGUE")
    }
    (left,) = lists_of[world.TOULOUSE.spec]
    (here,) = lists_of[world.OUR_SPEC]
    assert not here.deleted
    # It had been deleted everywhere; now its header names the set that it has left, with a datestamp of that change.
    assert (left.deleted, left.sets, left.datestamp) == (True, (world.TOULOUSE.spec,), here.datestamp)
    assert here.datestamp > PAST
    assert here.sets == ("WIS-CATALOGUE", world.OUR_SPEC)
    assert lists_of["WIS-CATALOGUE"] == [here]
