"""The public pages: what people find, what a stranger's input cannot do."""

import csv
import html
import json
import re
from datetime import datetime
from io import StringIO
from urllib.parse import quote

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from django.utils.http import urlencode
from lxml import etree

from catalogue import validation
from catalogue.discovery import site_map, views
from catalogue.models import MetadataSet, Record, Validation
from catalogue.pages import display
from catalogue.payloads import payload
from catalogue.reading.query import search_limits
from tests.support.world import (
    OFFENBACH,
    OUR_SPEC,
    TOULOUSE,
    bury,
    in_language,
    iso_record,
    own_set,
    peer_set,
    put,
    restamp,
)

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
    assert "<mark>Synoptic</mark> reports" in page
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


def pages_of(client: Client, address: str) -> list[str]:
    """All pages of a search, each by the link to the next one on the page before."""
    pages = []
    while address:
        pages.append(client.get(address).content.decode())
        found = re.search(r'rel="next nofollow" href="([^"]+)"', pages[-1])
        address = html.unescape(found[1]) if found else ""
    return pages


def test_pages_of_hits_follow_one_another_without_gap_or_repeat(client: Client) -> None:
    put(*(iso_record(f"r{n:03d}", title=f"Buoy {n:03d}") for n in range(45)))
    pages = pages_of(client, "/?q=buoy")
    assert len(pages) == 3 and all("45 records" in page for page in pages)
    found = [
        re.sub("<.*?>", "", title) for page in pages for title in re.findall(r'class="title"[^>]*>(.*?)</a>', page)
    ]
    assert found == [f"Buoy {n:03d}" for n in reversed(range(45))]
    assert "First page" in pages[1] and "First page" not in pages[0]


@pytest.mark.parametrize("cursor", ["x", "eyJ", "\0", "9" * 5000, "a:b:c"])
def test_a_cursor_that_is_not_ours_leads_to_the_first_page(client: Client, cursor: str) -> None:
    put(*(iso_record(f"r{n}", title="Buoy") for n in range(30)))
    response = client.get("/", {"q": "buoy", "after": cursor}, follow=True)
    assert response.status_code == 200 and response.content.decode().count('class="title"') == 20
    of_another = html.unescape(re.findall(r'rel="next nofollow" href="([^"]+)"', text(client, "/", q="buoy"))[0])
    moved = client.get(of_another.replace("q=buoy", "q=buo"))
    assert (moved.status_code, moved["Location"]) == (302, "/?q=buo")


def test_a_page_of_hits_costs_the_same_queries_however_many_there_are(client: Client) -> None:
    put(*(iso_record(f"r{n}", title="Buoy") for n in range(2)))
    text(client, "/", q="buoy")  # what a process does once
    with CaptureQueriesContext(connection) as of_few:
        text(client, "/", q="buoy")
    put(*(iso_record(f"s{n}", title="Buoy") for n in range(50)))
    with CaptureQueriesContext(connection) as of_many:
        text(client, "/", q="buoy")
    assert len(of_few) == len(of_many)


def test_facets_narrow_a_search_and_say_how_many_records_are_left(client: Client) -> None:
    put(
        iso_record("a", title="Buoys", keywords=["waves"]),
        iso_record("b", title="Buoys", keywords=["waves", "wind"]),
        iso_record("c", title="Buoys", keywords=["wind & rain"]),
        iso_record("d", title="Radar", keywords=["waves"]),
    )
    page = text(client, "/", q="buoys")
    found = {
        html.unescape(name): (html.unescape(address), int(number))
        for address, name, number in re.findall(
            r'<a href="([^"]+)" rel="nofollow" dir="auto">([^<]+)</a> <span class="quiet small number">(\d+)<', page
        )
    }
    assert {name: number for name, (_, number) in found.items()} == {"waves": 2, "wind": 1, "wind & rain": 1}
    for name, (address, number) in found.items():
        narrowed = client.get(address).content.decode()
        assert narrowed.count('class="title"') == number, name
        assert "aria-current" in narrowed and 'href="/?q=buoys"' in narrowed, "it can be taken away again"


def test_a_box_and_a_time_are_asked_for_by_fields_and_a_wrong_one_is_told(client: Client) -> None:
    put(iso_record("a", title="Here", box=(5, 45, 10, 50)), iso_record("b", title="There", box=(170, -50, -170, -30)))
    box = {"west": "175", "south": "-45", "east": "-175", "north": "-40,5"}
    assert "There" in text(client, "/", **box) and "Here" not in text(client, "/", **box)
    wrong = text(client, "/", status=400, **(box | {"north": "up"}))
    assert "four numbers of degrees" in wrong and 'value="up"' in wrong, "nothing typed is lost"
    assert "The south is north of the north" in text(client, "/", status=400, **(box | {"north": "-60"}))
    assert "Write a date such as" in text(client, "/", status=400, begins="yesterday")
    assert "The end is before the beginning" in text(client, "/", status=400, begins="2020", ends="2019-12")


def test_records_are_found_by_the_date_of_their_metadata_and_by_their_label(client: Client) -> None:
    put(
        iso_record("a", title="Old", metadata_date="2019-05-01"),
        iso_record("b", title="New", metadata_date="2024-03-01"),
    )
    validation.label_records(None, seconds=60)
    assert ">Old</a>" in text(client, "/", dated_to="2019") and ">New</a>" not in text(client, "/", dated_to="2019")
    assert ">New</a>" in text(client, "/", dated_from="2024-03-01") and "Old" not in text(
        client, "/", dated_from="2024"
    )
    assert "Write a date such as" in text(client, "/", status=400, dated_from="soon")
    label = Validation.objects.get(record__identifier="a").structure
    page = text(client, "/", label=label)
    assert ">Old</a>" in page and f'<option value="{label}" selected>' in page
    others = {value for value in Validation.Structure.values if value != label}
    assert all(">Old</a>" not in text(client, "/", label=other) for other in others)


@pytest.mark.parametrize("asked", ["the", "%", '"', "-buoys", "of the", "or"])
def test_a_text_in_which_nothing_is_looked_for_is_not_said_to_be_in_no_record(client: Client, asked: str) -> None:
    put(iso_record("a", title="The buoys of the sea", abstract="100 %"))
    page = text(client, "/", q=asked)
    assert "No word was looked for" in page and "No record has all of this" not in page
    assert "No record has all of this" in text(client, "/", q=f"{asked} radar")


def test_a_filter_that_finds_nothing_is_not_called_a_set_without_records(client: Client) -> None:
    put(iso_record("a", title="Buoys"))
    for name, value in (("ends", "1900"), ("dated_to", "1900"), ("label", "invalid"), ("type", "model")):
        page = text(client, "/", **{name: value})
        assert "No record has all of this" in page and "This set has no records" not in page, name


def test_a_text_with_more_words_than_are_looked_for_is_told_so(client: Client) -> None:
    many = [f"word{number}" for number in range(60)]
    put(
        iso_record("a", title="All", abstract=" ".join(many)),
        iso_record("b", title="Most", abstract=" ".join(many[:50])),
    )
    page = text(client, "/", q=" ".join(many))
    assert "Only the first 50 words were looked for" in page and ">Most</a>" in page
    assert "were looked for" not in text(client, "/", q=" ".join(many[:50]))
    answer = client.get("/sru", {"operation": "searchRetrieve", "version": "1.2", "query": f'"{" ".join(many)}"'})
    assert answer.status_code == 200
    items = client.get("/ogcapi/collections/WIS-CATALOGUE/items", {"q": " ".join(many)}).json()
    assert items["numberMatched"] == len(items["features"])


def test_a_box_that_is_asked_for_is_on_the_map(client: Client) -> None:
    put(iso_record("a", title="Here", box=(5, 45, 10, 50)))
    page = text(client, "/", west="-180", south="-6", east="-90", north="84")
    assert (
        '<rect x="0.0" y="0.0" width="360.0" height="360.0"></rect>'
        in page.split("data-draw-box")[1].split("</svg>")[0]
    )


def test_the_page_of_a_set_says_how_to_harvest_and_follow_it(client: Client) -> None:
    own = own_set()
    put(iso_record("a"), into=own)
    page = text(client, "/", set=own.spec)
    assert f"metadataPrefix=iso19139&amp;set={own.spec}" in page
    assert f'href="/ogcapi/collections/{own.spec}?f=html"' in page and f'href="/feed.atom?set={own.spec}"' in page
    assert "Harvest or follow this set" not in text(client, "/", set=own.spec, q="surface")


def test_all_hits_are_downloaded_as_csv_and_geojson(client: Client) -> None:
    put(*(iso_record(f"r{n:03d}", title=f"=Buoy {n:03d}", box=(170, 0, -170, 5)) for n in range(25)))
    put(iso_record("other", title="Radar"))
    lines = list(csv.DictReader(StringIO(_sent(client.get("/search.csv?q=buoy")))))
    assert [line["identifier"] for line in lines] == [f"r{n:03d}" for n in reversed(range(25))]
    assert lines[0]["title"] == "'=Buoy 024" and lines[0]["page"] == "http://testserver/record?id=r024"
    features = json.loads(_sent(client.get("/search.geojson?q=buoy")))["features"]
    assert len(features) == 25
    assert features[0]["geometry"]["type"] == "MultiPolygon", "a box is cut at the date line"
    assert client.get("/search.csv?q=buoy&west=x").status_code == 400
    assert client.get("/search.pdf?q=buoy").status_code == 404
    assert json.loads(_sent(client.get("/search.geojson?q=nothing")))["features"] == []


def _sent(response) -> str:
    return b"".join(response.streaming_content).decode()


@search_limits.LIMITS.replaced(exact=5, margin=5)
def test_no_download_is_cut_short_in_silence(client: Client) -> None:
    put(*(iso_record(f"r{n}", title="Buoy") for n in range(6)))
    response = client.get("/search.csv?q=buoy")
    assert response.status_code == 400 and "more than 5 records" in response.content.decode()


def test_a_search_is_a_feed_of_its_newest_records(client: Client) -> None:
    put(iso_record("a", title="Radar"), iso_record("b", title="Buoys & waves", abstract="a < b"))
    put(iso_record("c", title="Buoys"))
    restamp("b", "2030-01-01T00:00:00Z")
    feed = etree.fromstring(client.get("/feed.atom?q=buoys").content)
    atom = "{http://www.w3.org/2005/Atom}"
    assert [entry.findtext(f"{atom}title") for entry in feed.iter(f"{atom}entry")] == ["Buoys & waves", "Buoys"]
    assert feed.findtext(f"{atom}updated") == "2030-01-01T00:00:00Z"
    for link in feed.iter(f"{atom}link"):
        assert client.get(link.get("href").removeprefix("http://testserver")).status_code == 200
    newest = etree.fromstring(client.get("/feed.atom").content)
    assert len(list(newest.iter(f"{atom}entry"))) == 3
    assert [link.get("href") for link in newest.findall(f"{atom}link[2]")] == ["http://testserver/"]
    assert client.get("/feed.atom?set=NOWHERE").status_code == 404


@site_map.LIMITS.replaced(ids_of_part=7)
def test_the_site_maps_have_each_live_record_once_and_robots_are_told_of_them(client: Client) -> None:
    put(*(iso_record(f"urn:r:{n}&<") for n in range(30)))
    bury("urn:r:3&<")
    index = etree.fromstring(client.get("/sitemap.xml").content)
    parts = [loc.text.removeprefix("http://testserver") for loc in index.iter("{*}loc")]
    assert len(parts) > 3
    found = [str(loc.text) for part in parts for loc in etree.fromstring(client.get(part).content).iter("{*}loc")]
    assert sorted(found) == sorted(
        f"http://testserver/record?{urlencode({'id': f'urn:r:{n}&<'})}" for n in range(30) if n != 3
    )
    assert all(client.get(address.removeprefix("http://testserver")).status_code == 200 for address in found)
    assert client.get("/sitemap-9999.xml").status_code == client.get(f"/sitemap-{10**30}.xml").status_code == 404
    assert "Sitemap: http://testserver/sitemap.xml" in client.get("/robots.txt").content.decode()


def test_browsers_are_told_how_to_search(client: Client) -> None:
    description = etree.fromstring(client.get("/opensearch.xml").content)
    templates = [url.get("template") for url in description.iter("{*}Url")]
    put(iso_record("a", title="Buoys"))
    for template in templates:
        assert (
            b"Buoys" in client.get(template.removeprefix("http://testserver").replace("{searchTerms}", "buoys")).content
        )


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
    for name in ("q", "id", "set", "after", "west", "begins", "keyword", "sort"):
        response = client.get(path, {name: ODD[case]})
        assert response.status_code in (200, 302, 400, 404)
        assert b"<script>" not in response.content


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


def json_ld(page: str) -> dict:
    """The block of a page for search engines."""
    return json.loads(page.split('<script type="application/ld+json">')[1].split("</script>")[0])


def test_search_engines_get_a_dataset_with_what_the_record_says(client: Client) -> None:
    put(
        iso_record(
            SYNOP,
            title="Synoptic </script><b> & reports",
            keywords=("SYNOP",),
            box=(170, 20, -170, 48),
            abstract="x" * 60,
        )
    )
    page = text(client, "/record", id=SYNOP)
    dataset = json_ld(page)
    assert dataset["@type"] == "Dataset" and dataset["name"] == "Synoptic </script><b> & reports"
    assert "</script><b>" not in page
    assert len(dataset["description"]) >= 50
    assert (dataset["identifier"], dataset["keywords"]) == ([SYNOP], ["SYNOP"])
    assert dataset["creator"] == [{"@type": "Organization", "name": "Japan Meteorological Agency"}]
    assert dataset["spatialCoverage"][0]["geo"]["box"] == "20 170 48 -170"
    assert dataset["inLanguage"] == "en", "as BCP 47 has it, whatever the record writes"
    assert dataset["datePublished"] == "2020-01-01" and dataset["dateModified"] == "2024-03-01"
    assert dataset["url"] == f"http://testserver/record?{urlencode({'id': SYNOP})}"
    assert f'<link rel="canonical" href="{dataset["url"]}">' in page.replace("&amp;", "&")
    assert client.get(dataset["url"].removeprefix("http://testserver")).status_code == 200


@pytest.mark.parametrize(("written", "tag"), [("English", "en"), ("eng; USA", "en"), ("Klingon", None), ("", None)])
def test_search_engines_get_the_tag_of_a_language_or_none(client: Client, written: str, tag: str | None) -> None:
    put(in_language(iso_record(SYNOP), written))
    assert json_ld(text(client, "/record", id=SYNOP)).get("inLanguage") == tag


def test_a_record_in_several_languages_is_read_in_each(client: Client) -> None:
    put(iso_record(SYNOP, title="Radar", translations={"fre": "Radar météo", "jpn": "レーダー合成図"}))
    page = text(client, "/record", id=SYNOP)
    assert '<h1 dir="auto" lang="en">Radar</h1>' in page
    assert f"{urlencode({'id': SYNOP})}&amp;lang=jpn" in page
    assert '<h1 dir="auto" lang="ja">レーダー合成図</h1>' in text(client, "/record", id=SYNOP, lang="jpn")
    assert "Radar</h1>" in text(client, "/record", id=SYNOP, lang="<b>")
    assert text(client, "/", q="合成").count('class="title"') == 1


def test_addresses_of_people_are_on_a_page_that_robots_leave_alone(client: Client) -> None:
    put(
        iso_record(SYNOP).replace(
            b"<gmd:role>",
            b"<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address><gmd:electronicMailAddress><gco:CharacterString>ann@example.org</gco:CharacterString></gmd:electronicMailAddress></gmd:CI_Address></gmd:address></gmd:CI_Contact></gmd:contactInfo><gmd:role>",
            1,
        )
    )
    page = text(client, "/record", id=SYNOP)
    assert "Japan Meteorological Agency (point of contact)" in page
    assert "ann@example.org" not in page and "ann [at] example.org" in page, "in the XML as well"
    response = client.get("/contacts", {"id": SYNOP})
    assert "ann@example.org" in response.content.decode() and "noindex" in response["X-Robots-Tag"]
    told = client.get("/robots.txt").content.decode()
    assert "Disallow: /contacts" in told and "Disallow: /dcat/" in told
    assert client.get("/contacts", {"id": "urn:unknown"}).status_code == 404


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
    scripts = re.findall(
        r"<script[^>]*>", page.replace('<script type="application/ld+json">', "")
    )  # data are no script
    assert scripts == (['<script src="/static/catalogue/draw_box.js" defer>'] if path == "/?q=x" else []), "for the map"
    for attribute in ('href="', 'src="', 'action="'):
        for address in (part.split('"')[0].removeprefix("http://testserver") for part in page.split(attribute)[1:]):
            assert address.startswith(("/", "#", "?")), address
            assert not address.startswith("//"), address


def test_the_style_sheet_is_served(client: Client) -> None:
    page = text(client, "/")
    sheet = next(part.split('"')[0] for part in page.split('href="')[1:] if ".css" in part.split('"')[0])
    assert sheet.startswith(django_settings.STATIC_URL)
    assert client.get(sheet).status_code == 200


@pytest.mark.parametrize(
    ("begin", "end", "words"),
    [
        ("2001-02-03", "2004-05-06T23:59:59", "2001-02-03 to 2004-05-06"),
        ("2001-02-03", "2004-05-06", "2001-02-03 to 2004-05-06"),
        ("2001-02-03", "2001-02-03T23:59:59", "2001-02-03"),
        ("0099-02-03", "", "since 0099-02-03"),
        ("", "2001-02-03T23:59:59", "until 2001-02-03"),
        ("2001-02-03", "2001-02-03T12:00", "2001-02-03 00:00 to 2001-02-03 12:00 UTC"),
        ("2001-02-03T06:30", "2001-02-03T06:30", "2001-02-03 06:30 UTC"),
        ("2001-02-03T06:30", "", "since 2001-02-03 06:30 UTC"),
        ("", "2001-02-03T06:30", "until 2001-02-03 06:30 UTC"),
        ("", "", ""),
    ],
)
def test_a_time_of_whole_days_is_told_in_days(begin: str, end: str, words: str) -> None:
    begins, ends = (
        datetime.fromisoformat(f"{text}{'' if 'T' in text else 'T00:00'}+00:00") if text else None
        for text in (begin, end)
    )
    assert display.span(begins, ends) == words


@pytest.mark.parametrize(
    ("code", "german", "english"),
    [("ger", "Deutsch", "German"), ("ja", "Japanisch", "Japanese"), ("tlh", "tlh", "tlh"), ("", "", "")],
)
def test_languages_are_named_in_the_language_of_the_page(code: str, german: str, english: str) -> None:
    assert display.language_in_words(code) == english
    with translation.override("de"):
        assert display.language_in_words(code) == german
