"""What a person with a browser sees: the same answers, readable and clickable, without script and without the network."""

from urllib.parse import urljoin

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from lxml import etree, html

from tests.support import asking, world

pytestmark = pytest.mark.django_db
# What Firefox and Chromium send when a person opens a page.
BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"}
JAVA = {"accept": "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"}  # the default of HttpURLConnection
# Besides, over https or from this host, when the address was typed in.
TYPED = {"sec-fetch-dest": "document", "sec-fetch-mode": "navigate", "sec-fetch-site": "none"}
AWKWARD = "urn:x-wmo:md:a&b%41+c#d;e?f:é"


@pytest.fixture
def records(settings) -> None:
    settings.GISC_PAGE_RECORDS = settings.GISC_PAGE_HEADERS = 2
    world.put(world.iso_record(AWKWARD, title="<b>Snow & ice</b>"), *(world.iso_record(f"urn:{n}") for n in range(4)))
    world.bury("urn:0")
    # One second for all of them, so that their order is that of their keys: the tombstone on the first page of each list.
    world.restamp_all(dict.fromkeys((AWKWARD, *(f"urn:{n}" for n in range(4))), "2026-01-01T00:00:00Z"))


@pytest.mark.spec("P51", "P43", "P46")
def test_a_browser_is_given_a_stylesheet_and_nobody_else(client: Client, records: None) -> None:
    query = "verb=ListRecords&metadataPrefix=oai_dc"
    plain = client.get("/oai", QUERY_STRING=query)
    styled = client.get("/oai", QUERY_STRING=query, headers=BROWSER)
    asking.read(styled)
    first, instruction, rest = styled.content.split(b"\n", 2)
    assert first == b'<?xml version="1.0" encoding="UTF-8"?>'
    assert instruction == b'<?xml-stylesheet type="text/xsl" href="/static/oaiprovider/oai.xsl"?>'
    assert rest.startswith(b"<OAI-PMH xmlns=")
    assert finders.find("oaiprovider/oai.xsl")
    assert "Accept" in plain["Vary"].split(", ")
    for headers in ({}, {"accept": "*/*"}, {"accept": "text/xml"}, JAVA):
        assert b"<?xml-stylesheet" not in client.get("/oai", QUERY_STRING=query, headers=headers).content


@pytest.mark.spec("P1", "P9", "P10")
def test_a_person_who_opens_the_endpoint_is_led_to_the_page_and_programs_never_are(client: Client, records) -> None:
    query = "verb=GetRecord&metadataPrefix=oai_dc&identifier=urn%3A1%26%2541%C3%A9"
    away = client.get("/oai", QUERY_STRING=query, headers=BROWSER | TYPED)
    assert (away.status_code, away["Location"]) == (302, f"/oai/browse?{query}")
    assert client.get("/oai", QUERY_STRING=query, headers=TYPED | {"sec-fetch-site": "cross-site"}).status_code == 302
    stays = [
        {"sec-fetch-site": "same-origin"},  # our own link "the same as XML"
        {"sec-fetch-dest": "empty", "sec-fetch-mode": "cors"},  # a script
    ]
    for headers in stays:
        answer = asking.read(client.get("/oai", QUERY_STRING=query, headers=BROWSER | TYPED | headers))
        assert b"<?xml-stylesheet" not in answer.content
    posted = client.post("/oai", "verb=Identify", content_type=asking.FORM, headers=TYPED)
    assert posted.status_code == 200, "a redirect would lose the body"
    page = html.fromstring(client.get("/oai/browse", QUERY_STRING=query).content)
    assert page.xpath("//footer//a/@href") == [f"/oai?{query}"]


def test_the_stylesheet_and_the_page_fetch_nothing_from_elsewhere_and_run_no_script(
    client: Client, records: None
) -> None:
    sheet = etree.parse(finders.find("oaiprovider/oai.xsl"))
    assert not sheet.xpath("//*[local-name()='script' or local-name()='import' or local-name()='include']")
    response = client.get("/oai/browse?verb=Identify")
    page = html.fromstring(response.content)
    assert all(link.startswith(("/", "?")) and not link.startswith("//") for *_, link, _ in page.iterlinks())
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert response["Content-Type"] == "text/html; charset=UTF-8"


def test_every_link_leads_to_an_answer_and_all_records_are_reached(client: Client, records: None) -> None:
    """Click on everything, as the pages show it, beginning at Identify."""
    seen, texts, todo = set(), "", ["/oai/browse?verb=Identify"]
    while todo:
        url = todo.pop()
        if url in seen:
            continue
        seen.add(url)
        response = client.get(url)
        assert response.status_code == 200, url
        page = html.fromstring(response.content)
        texts += page.text_content()
        if "verb=" in url:
            assert client.get(url.replace("/oai/browse", "/oai")).content.count(b"<error") == page.text_content().count(
                "No answer"
            )
        links = [link for _, name, link, _ in page.iterlinks() if name == "href" and link.startswith("?")]
        todo += [urljoin(url, link) for link in links]
    shown = [url for url in seen if "GetRecord" in url]
    assert len(shown) == 3 * 5, "five records in three formats"
    assert "idDoesNotExist" not in texts
    assert "badArgument" not in texts
    assert "<b>Snow & ice</b>" in texts
    assert AWKWARD in texts
    assert sum("resumptionToken" in url for url in seen) >= 8
    assert sum("set=WIS-GISC-TOKYO" in url for url in seen) == 2


@pytest.mark.parametrize("prefix", ["oai_dc", "iso19139"])
def test_a_record_has_its_title_for_a_heading_in_each_format_and_a_tombstone_its_identifier(
    client: Client, records: None, settings, prefix: str
) -> None:
    settings.GISC_PAGE_RECORDS = 9

    def shown(**arguments: str) -> html.HtmlElement:
        return html.fromstring(client.get("/oai/browse", {"metadataPrefix": prefix, **arguments}).content)

    assert shown(verb="GetRecord", identifier=AWKWARD).findtext(".//h1") == "<b>Snow & ice</b>"
    assert shown(verb="GetRecord", identifier="urn:0").findtext(".//h1") == "urn:0"
    titles = [one.text for one in shown(verb="ListRecords").find_class("title")]
    assert sorted(titles) == ["<b>Snow & ice</b>", *["Surface observations"] * 3]


def test_what_is_said_of_a_set_stands_on_lines_of_its_own(client: Client, records: None) -> None:
    page = html.fromstring(client.get("/oai/browse?verb=ListSets").content)
    [ours] = [row for row in page.iter("tr") if "WIS-GISC-TOKYO" in row.text_content()]
    assert [line.text.split(":")[0] for line in ours.find_class("quiet")] == [
        "Records this node is responsible for.",
        "Live records",
    ]


def test_an_error_is_a_page_too(client: Client) -> None:
    page = html.fromstring(client.get("/oai/browse?verb=nothing").content)
    assert "badVerb" in page.text_content()
    several = html.fromstring(client.get("/oai/browse?verb=ListRecords&foo=1&from=x").content)
    assert several.text_content().count("badArgument") == 3
    assert [heading.text for heading in several.iter("h1")] == ["No answer"]
    assert client.post("/oai/browse", "verb=Identify", content_type=asking.FORM).status_code == 405


@pytest.mark.spec("P4")
@pytest.mark.parametrize("path", ["/oai?verb=Identify", "/oai/browse?verb=ListSets", "/robots.txt", "/", "/stats.json"])
def test_head_has_the_headers_of_get_and_no_body(client: Client, path: str) -> None:
    head, got = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert {name: head[name] for name in ("Content-Type", "Content-Length")} == {
        name: got[name] for name in ("Content-Type", "Content-Length")
    }


def test_robots_are_kept_off_the_lists_and_welcome_elsewhere(client: Client) -> None:
    lines = client.get("/robots.txt").content.decode().splitlines()
    assert lines[0] == "User-agent: *"
    assert "Disallow: /oai" in lines
    assert "Disallow: /" not in lines


def test_a_person_who_asks_nothing_sees_who_answers_here(client: Client, records: None) -> None:
    answer = client.get("/oai/browse")
    assert (answer.status_code, answer["Location"]) == (302, "/oai/browse?verb=Identify")
    assert "No answer" not in client.get(answer["Location"]).content.decode()
    assert "badVerb" in client.get("/oai").content.decode(), "a program is told what is wrong"
