"""The public pages: what people find, what a stranger's input cannot do."""

from urllib.parse import quote

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.utils.http import urlencode

from catalogue.models import MetadataSet, Record
from catalogue.pages import paging, views
from catalogue.payloads import payload
from tests.support.world import OFFENBACH, OUR_SPEC, TOULOUSE, bury, iso_record, own_set, peer_set, put

pytestmark = pytest.mark.django_db

SYNOP = "urn:x-wmo:md:int.wmo.wis::SMJP01RJTD"


def text(client: Client, path: str, status: int = 200, **arguments: str) -> str:
    response = client.get(path, arguments)
    assert response.status_code == status, response.content[:500]
    return response.content.decode()


# --- Start page --------------------------------------------------------------------------------------


def test_an_empty_catalogue_says_how_to_load_records(client: Client) -> None:
    page = text(client, "/")
    assert "manage.py ingest PATH" in page
    assert "make run SAMPLES=1" in page


def test_the_start_page_counts_the_live_records_of_each_public_set(client: Client) -> None:
    put(iso_record("a"), iso_record("b"), iso_record("c"))
    bury("c")
    peer_set(TOULOUSE)
    MetadataSet.objects.create(spec="HIDDEN", name="Hidden", public=False)
    page = text(client, "/")
    assert "manage.py ingest" not in page
    rows = [row.split("</tr>")[0] for row in page.split("<tr>")[2:]]
    numbers = {row.split("</a>")[0].rsplit(">", 1)[1]: row.split('class="number">')[1].split("<")[0] for row in rows}
    assert numbers == {"WIS-CATALOGUE": "2", OUR_SPEC: "2", TOULOUSE.spec: "0"}


def test_the_figures_as_json_leave_out_sets_that_are_not_public(client: Client) -> None:
    put(iso_record("a"))
    MetadataSet.objects.create(spec="HIDDEN", name="Hidden", public=False)
    figures = client.get("/stats.json").json()
    assert [(row["set"], row["live"]) for row in figures["sets"]] == [("WIS-CATALOGUE", 1), (OUR_SPEC, 1)]


# --- Search ------------------------------------------------------------------------------------------


def test_a_word_of_the_title_finds_the_record_and_shows_title_abstract_and_identifier(client: Client) -> None:
    put(
        iso_record(SYNOP, title="Synoptic reports", abstract="Every six hours."),
        iso_record("other", title="Radar", abstract="Echoes."),
    )
    page = text(client, "/", q="synoptic")
    assert "1 record<" in page
    assert "Synoptic reports" in page
    assert "Every six hours." in page
    assert SYNOP in page
    assert "Radar" not in page


def test_the_whole_identifier_finds_the_record(client: Client) -> None:
    put(iso_record(SYNOP, title="Synoptic reports"))
    assert "Synoptic reports" in text(client, "/", q=SYNOP)


def test_searching_the_identifier_of_a_withdrawn_record_says_so(client: Client) -> None:
    put(iso_record(SYNOP))
    bury(SYNOP)
    page = text(client, "/", q=SYNOP)
    assert "was withdrawn on" in page


def test_a_title_of_any_script_is_shown_as_it_is(client: Client) -> None:
    put(iso_record("radar", title="全国合成レーダー", abstract="بيانات الرادار"))
    page = text(client, "/", q="全国合成レーダー")
    assert "全国合成レーダー" in page
    assert "بيانات الرادار" in page


def test_a_set_shows_its_own_live_records_only(client: Client) -> None:
    put(iso_record("ours", title="Ours"))
    put(iso_record("theirs", title="Theirs"), iso_record("gone", title="Gone"), into=peer_set(TOULOUSE))
    bury("gone", into=peer_set(TOULOUSE))
    page = text(client, "/", set=TOULOUSE.spec)
    assert "Theirs" in page
    assert "Ours" not in page
    assert "Gone" not in page
    assert "Ours" in text(client, "/", set="WIS-CATALOGUE")


def test_a_set_that_is_not_public_is_not_found(client: Client) -> None:
    MetadataSet.objects.create(spec="HIDDEN", name="Hidden", public=False)
    assert "has no set" in text(client, "/", status=404, set="HIDDEN")


def test_pages_of_hits_follow_one_another_without_gap_or_repeat(client: Client) -> None:
    put(*(iso_record(f"r{n:03d}", title=f"Buoy {n:03d}") for n in range(45)))
    found = []
    for number in ("1", "2", "3"):
        page = text(client, "/", q="buoy", page=number)
        assert "45 records" in page
        assert f"Page {number} of 3" in page
        found += [part.split("<")[0] for part in page.split('dir="auto">')[1:] if part.startswith("Buoy")]
    assert sorted(found) == [f"Buoy {n:03d}" for n in range(45)]


@paging.LIMITS.replaced(hits=25)
def test_hits_are_counted_no_further_than_they_are_shown(client: Client) -> None:
    put(*(iso_record(f"r{n}", title="Buoy") for n in range(30)))
    last = text(client, "/", q="buoy", page="99")
    assert "25 records or more" in last
    assert "Page 2 of 2" in last
    assert last.count('class="title"') == 5


def test_a_page_of_hits_costs_the_same_few_queries_however_many_there_are(
    client: Client, django_assert_max_num_queries
) -> None:
    put(*(iso_record(f"r{n}", title="Buoy") for n in range(50)))
    with django_assert_max_num_queries(10):  # of them four are of the transaction and its limits
        text(client, "/", q="buoy")


ODD = {
    "NUL": "\0",
    "NUL in a word": "ab\0cd",
    "quote": "'",
    "open quote": '"radar',
    "operators": "& | ! <-> :*",
    "hyphens": "-" * 40,
    "or and minus": "-or -",
    "like": "%_\\",
    "lone surrogate": "%ED%A0%80",
    "markup": "<script>alert(1)</script>",
    "no character": "￾",
    "long": "radar " * 2000,
    "long word": "x" * 100_000,
    "template": "{{ 7|add:7 }}{% now %}",
}


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("path", ["/", "/record", "/record.xml"])
def test_odd_input_is_answered_and_never_taken_for_markup(client: Client, path: str, case: str) -> None:
    put(iso_record(SYNOP))
    for name in ("q", "id", "set", "page"):
        response = client.get(path, {name: ODD[case]})
        assert response.status_code in (200, 404)
        assert b"<script>" not in response.content


@pytest.mark.parametrize("number", ["0", "-1", "9" * 30, "9" * 5000, "1.5", "x", "\0", "", "٣", "NaN", "1e9"])
def test_an_absurd_page_number_is_answered_with_some_page(client: Client, number: str) -> None:
    put(*(iso_record(f"r{n}", title="Buoy") for n in range(30)))
    assert "of 2" in text(client, "/", q="buoy", page=number)


def test_bytes_that_are_not_utf8_are_answered(client: Client) -> None:
    assert client.get("/?q=%ff%fe").status_code == 200
    assert client.get("/record?id=%ed%a0%80").status_code == 404


@pytest.mark.parametrize("path", ["/", "/record?id=x", "/record.xml?id=x", "/stats.json"])
def test_the_pages_only_read(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405


# --- Record page -------------------------------------------------------------------------------------


def test_a_record_page_tells_what_the_record_says(client: Client) -> None:
    put(
        iso_record(
            SYNOP,
            title="Synoptic reports",
            abstract="Every six hours.",
            keywords=("SYNOP", "気圧"),
            box=(-10.5, 20, 150, 48),
            metadata_date="2024-03-01",
        )
    )
    page = text(client, "/record", id=SYNOP)
    for said in (
        "Synoptic reports",
        "Every six hours.",
        "SYNOP · 気圧",
        "20°N to 48°N, 10.5°W to 150°E",
        "2024-03-01",
        OUR_SPEC,
        f"/record.xml?{urlencode({'id': SYNOP})}",
        "verb=GetRecord&amp;metadataPrefix=iso19139",
    ):
        assert said in page, said


def test_the_links_of_a_record_page_lead_to_its_xml_and_its_oai_record(client: Client) -> None:
    identifier = "urn:x-wmo:md:a::b?c=d&e=f#g"
    document = iso_record(identifier, title="Odd")
    put(document)
    page = text(client, "/record", id=identifier)
    links = [part.split('"')[0].replace("&amp;", "&") for part in page.split('href="')[1:]]
    xml = client.get(next(link for link in links if link.startswith("/record.xml")))
    assert xml["Content-Type"] == "application/xml; charset=utf-8"
    assert xml.content in document
    oai = client.get(next(link for link in links if "GetRecord" in link))
    assert b"<error" not in oai.content
    assert identifier.replace("&", "&amp;").encode() in oai.content


def test_metadata_is_shown_as_text_and_never_as_markup(client: Client) -> None:
    attack = "<script>alert(1)</script>"
    put(iso_record("x", title=attack, abstract=attack, keywords=(attack,)))
    for page in (text(client, "/record", id="x"), text(client, "/", q="x"), text(client, "/", set=OUR_SPEC)):
        assert "<script>" not in page
        assert "&lt;script&gt;" in page


def test_a_withdrawn_record_says_so_with_its_date(client: Client) -> None:
    put(iso_record(SYNOP))
    bury(SYNOP)
    when = Record.objects.get(identifier=SYNOP).datestamp
    page = text(client, "/record", status=410, id=SYNOP)
    assert "This record was withdrawn" in page
    assert f"{when:%Y-%m-%d}" in page
    assert client.get("/record.xml", {"id": SYNOP}).status_code == 410


@pytest.mark.spec("F74")
def test_a_withdrawn_spelling_names_the_one_that_is_live(client: Client) -> None:
    put(iso_record(SYNOP))
    put(iso_record(SYNOP.lower()))
    page = text(client, "/record", status=410, id=SYNOP)
    assert "is spelled otherwise now" in page
    assert f'href="/record?id={quote(SYNOP.lower(), safe="")}"' in page
    assert f"It has “{SYNOP.lower()}”." in text(client, "/record", status=404, id=SYNOP.upper())
    assert "was withdrawn on" not in text(client, "/", q=SYNOP)
    assert "1 record<" in text(client, "/", q=SYNOP.upper())


def test_an_unknown_record_is_not_found_and_the_page_says_which(client: Client) -> None:
    page = text(client, "/record", status=404, id="urn:x-wmo:md:none")
    assert "urn:x-wmo:md:none" in page


def test_only_the_whole_identifier_names_a_record(client: Client) -> None:
    put(iso_record("urn:a"), iso_record("urn:ab"))
    assert "urn:ab" not in text(client, "/record", id="urn:a")
    text(client, "/record", status=404, id="urn:")


def test_a_damaged_payload_is_said_in_a_sentence(client: Client) -> None:
    put(iso_record(SYNOP, title="Synoptic reports"))
    Record.objects.filter(identifier=SYNOP).update(payload=payload.pack(b"<x/>")[:-1])
    page = text(client, "/record", id=SYNOP)
    assert "Synoptic reports" in page
    assert "The metadata cannot be shown" in page
    assert b"cannot be read back" in client.get("/record.xml", {"id": SYNOP}).content


def test_a_very_long_record_is_cut_on_the_page_and_whole_as_xml(client: Client) -> None:
    put(iso_record(SYNOP, abstract="long " * 100_000))
    page = text(client, "/record", id=SYNOP)
    assert "... cut here;" in page
    assert len(client.get("/record.xml", {"id": SYNOP}).content) > 500_000


# --- All pages ---------------------------------------------------------------------------------------


def test_an_unknown_address_has_a_page_of_its_own(client: Client) -> None:
    assert "There is no such page." in text(client, "/nowhere", status=404)


def test_the_page_for_a_fault_needs_no_database(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(views.stats, "by_set", fail)
    client.raise_request_exception = False
    with django_assert_num_queries(4):  # of the transaction in which the page would have been made
        assert "Something went wrong" in text(client, "/", status=500)


@pytest.mark.parametrize("path", ["/", "/?q=x", "/record?id=x", "/nowhere", "/harvest/"])
def test_pages_fetch_nothing_from_elsewhere_and_need_no_script(client: Client, path: str) -> None:
    put(iso_record("x"), into=own_set())
    put(iso_record("y"), into=peer_set(OFFENBACH))
    page = client.get(path).content.decode()
    assert "<script" not in page
    for attribute in ('href="', 'src="', 'action="'):
        for address in (part.split('"')[0] for part in page.split(attribute)[1:]):
            assert address.startswith(("/", "#", "?")), address
            assert not address.startswith("//"), address


def test_the_style_sheet_is_served(client: Client) -> None:
    page = text(client, "/")
    sheet = next(part.split('"')[0] for part in page.split('href="')[1:] if ".css" in part.split('"')[0])
    assert sheet.startswith(django_settings.STATIC_URL)
    assert client.get(sheet).status_code == 200
