"""HTTP around the protocol: methods, media types, limits, caching, failures."""

import gzip
import re
import zlib
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.db import OperationalError
from django.test import Client, RequestFactory
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue.models import DatestampClock
from catalogue.reading import lists
from catalogue.reading.lists import ListPosition
from oaiprovider import views
from oaiprovider.models import Profile
from oaiprovider.protocol import tokens
from oaiprovider.protocol.tokens import Token
from tests.support import asking, world
from tests.support.connections import backend, cut

pytestmark = pytest.mark.django_db


@pytest.mark.spec("P4")
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_not_allowed(client: Client, method: str) -> None:
    response = client.generic(method, "/oai?verb=Identify")
    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD, POST"
    assert b"OAI-PMH xmlns" not in response.content


@pytest.mark.spec("P2", "P4")
@pytest.mark.parametrize(
    "media_type",
    [
        "application/x-www-form-urlencoded",
        "application/x-www-form-urlencoded; charset=utf-8",
        "application/x-www-form-urlencoded;charset=UTF-8",
        "Application/X-WWW-Form-URLencoded",
    ],
)
def test_a_form_is_accepted(client: Client, media_type: str) -> None:
    answer = asking.read(client.post("/oai", "verb=Identify", content_type=media_type))
    assert answer.request.get("verb") == "Identify"


@pytest.mark.spec("P4", "S30")
@pytest.mark.parametrize(
    "media_type", ["multipart/form-data; boundary=x", "text/plain", "application/json", "text/xml"]
)
@pytest.mark.parametrize("body", ["verb=Identify", ""])
def test_a_body_of_another_media_type_is_refused(client: Client, media_type: str, body: str) -> None:
    response = client.post("/oai", body, content_type=media_type, CONTENT_TYPE=media_type)
    assert response.status_code == 415
    assert b"OAI-PMH xmlns" not in response.content


@pytest.mark.spec("P4")
@pytest.mark.parametrize("media_type", ["", asking.FORM])
def test_a_post_without_a_body_has_no_arguments(client: Client, media_type: str) -> None:
    assert asking.read(client.post("/oai", b"", content_type=media_type, CONTENT_TYPE=media_type)).codes == ["badVerb"]


@pytest.mark.spec("P144", "P2")
@pytest.mark.parametrize(
    "arguments",
    [
        {"verb": "Identify"},
        {"verb": "ListSets"},
        {"verb": "ListRecords", "metadataPrefix": "oai_dc"},
        {"verb": "GetRecord", "identifier": "urn:x-wmo:md:int.wmo.wis::A%41+", "metadataPrefix": "iso19139"},
        {"verb": "ListRecords", "from_": "junk"},
        {"verb": "nothing"},
    ],
)
def test_get_and_post_give_the_same_document(client: Client, arguments: dict[str, str]) -> None:
    world.put(world.iso_record("urn:x-wmo:md:int.wmo.wis::A%41+"))
    world.restamp("urn:x-wmo:md:int.wmo.wis::A%41+", "2024-01-01T00:00:00Z")  # not the date of an answer
    got, posted = asking.get(client, **arguments), asking.post(client, **arguments)
    assert posted.content == got.content.replace(got.date.encode(), posted.date.encode())


@pytest.mark.spec("P3")
def test_arguments_in_url_and_body_are_one_list(client: Client) -> None:
    both = client.post("/oai?verb=ListRecords", "metadataPrefix=iso19139", content_type=asking.FORM)
    assert asking.read(both).codes == ["noRecordsMatch"]
    twice = client.post("/oai?verb=Identify", "verb=Identify", content_type=asking.FORM)
    assert asking.read(twice).codes == ["badVerb"]


@pytest.mark.spec("P4", "G2")
@pytest.mark.parametrize("user_agent", ["curl/8", "DRIVER/2.1"])
@pytest.mark.parametrize(
    "query",
    [
        "verb=Identify",
        "verb=ListMetadataFormats",
        "verb=ListSets",
        "verb=ListIdentifiers&metadataPrefix=oai_dc",
        "verb=ListRecords&metadataPrefix=iso19139",
        "verb=GetRecord&metadataPrefix=iso19139&identifier=urn:a",
        "verb=GetRecord&metadataPrefix=oai_dc&identifier=urn:none",
        "verb=junk",
        "",
    ],
)
def test_head_is_get_without_the_body(client: Client, rf: RequestFactory, query: str, user_agent: str) -> None:
    """For every verb and for errors, and as the profile of the harvester has it."""
    world.put(world.iso_record("urn:a"))
    Profile.objects.create(name="DRIVER", match="DRIVER", repository_name="A name that is longer than the other one")
    headers = {"user-agent": user_agent}
    got = client.get("/oai", QUERY_STRING=query, headers=headers)
    # The test client would take the body away by itself.
    head = views.oai(rf.head("/oai", QUERY_STRING=query, headers=headers))
    head.close()
    assert (got.status_code, head.status_code) == (200, 200)
    assert got.content and head.content == b""
    assert dict(head.headers) == {name: got[name] for name in head.headers}
    assert head["Content-Length"] == str(len(got.content))
    if query == "verb=Identify":
        assert (b"longer than" in got.content) is (user_agent != "curl/8")


@pytest.mark.spec("P11", "S30", "W6")
def test_no_cookie_session_or_csrf_token_is_needed_or_given() -> None:
    response = Client(enforce_csrf_checks=True).post("/oai", "verb=Identify", content_type=asking.FORM)
    assert response.status_code == 200
    assert not response.cookies
    assert "Cookie" not in response.get("Vary", "")


@pytest.mark.spec("P1", "S30")
def test_the_base_url_answers_without_a_redirect(client: Client) -> None:
    assert client.get("/oai?verb=Identify").status_code == 200
    assert client.get("/oai").status_code == 200


@pytest.mark.spec("P1", "P24", "S32")
def test_the_base_url_is_the_setting_whatever_the_host_header_says(client: Client, settings) -> None:
    settings.ALLOWED_HOSTS = ["internal"]
    answer = asking.read(client.get("/oai?verb=Identify", headers={"host": "internal:8000"}))
    assert answer.request.text == f"{settings.GISC_BASE_URL}/oai"
    assert answer.find("string(//o:baseURL)") == answer.request.text
    error = asking.read(client.post("/oai?verb=junk", b"", content_type=asking.FORM, headers={"host": "internal:8000"}))
    assert error.request.text == answer.request.text


@pytest.mark.spec("P12")
def test_a_body_of_64_kib_is_read_and_a_longer_one_refused(client: Client) -> None:
    start = b"verb=Identify&"
    body = start + b"&" * (65536 - len(start))
    assert asking.read(client.post("/oai", body, content_type=asking.FORM)).codes == []
    assert client.post("/oai", body + b"&", content_type=asking.FORM).status_code == 413


@pytest.mark.spec("P12")
def test_a_url_of_8_kib_is_read_and_a_much_longer_one_refused(client: Client) -> None:
    base = "http://testserver/oai?verb=Identify"
    assert asking.raw_get(client, "verb=Identify" + "&" * (8192 - len(base))).codes == []
    assert client.get("/oai", QUERY_STRING="verb=Identify" + "&" * 9000).status_code == 414


@pytest.mark.spec("P116")
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/oai?verb=Identify"), ("GET", "/oai"), ("PUT", "/oai"), ("HEAD", "/oai?verb=ListSets")],
)
def test_no_answer_is_fresh_in_a_cache(client: Client, method: str, path: str) -> None:
    assert client.generic(method, path)["Cache-Control"] == "no-cache"


@pytest.mark.spec("P115", "P58")
@pytest.mark.parametrize(
    ("asked", "coding", "unpack"),
    [("gzip;q=1.0, identity;q=0.5", "gzip", gzip.decompress), ("deflate, br", "deflate", zlib.decompress)],
)
@pytest.mark.parametrize("query", ["verb=Identify", "verb=ListRecords&metadataPrefix=iso19139", "verb=junk", ""])
def test_an_answer_is_compressed_where_that_is_asked_for_and_else_is_not(
    client: Client, query: str, asked: str, coding: str, unpack: Callable[[bytes], bytes]
) -> None:
    world.put(world.iso_record("urn:a"))
    plain = client.get("/oai", QUERY_STRING=query)
    packed = client.get("/oai", QUERY_STRING=query, headers={"accept-encoding": asked})
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == coding
    dates = re.compile(rb"<responseDate>[^<]*</responseDate>")
    assert dates.sub(b"", unpack(packed.content)) == dates.sub(b"", plain.content)
    for response in (plain, packed):
        assert response["Content-Length"] == str(len(response.content))
        assert response["Content-Type"] == "text/xml; charset=UTF-8"
        assert response["Vary"] == "Accept, Accept-Encoding, User-Agent"


@pytest.mark.spec("P58", "P115")
def test_identify_announces_gzip_and_deflate(client: Client) -> None:
    announced = [element.text for element in asking.get(client, verb="Identify").find("//o:compression")]
    assert announced == ["gzip", "deflate"]


@pytest.mark.spec("P4", "P115")
def test_head_tells_the_length_of_the_compressed_answer(client: Client, rf: RequestFactory) -> None:
    headers = {"accept-encoding": "gzip"}
    got = client.get("/oai?verb=ListMetadataFormats", headers=headers)
    head = views.oai(rf.head("/oai?verb=ListMetadataFormats", headers=headers))
    head.close()
    assert head.content == b""
    assert {name: head[name] for name in ("Content-Encoding", "Content-Length", "Content-Type", "Vary")} == {
        name: got[name] for name in ("Content-Encoding", "Content-Length", "Content-Type", "Vary")
    }


@pytest.mark.spec("P115", "P4")
@pytest.mark.parametrize(("method", "status"), [("PUT", 405), ("POST", 415)])
def test_what_is_no_document_is_plain_text_and_never_compressed(client: Client, method: str, status: int) -> None:
    response = client.generic(method, "/oai", "x", content_type="text/plain", headers={"accept-encoding": "gzip"})
    assert response.status_code == status
    assert "Content-Encoding" not in response
    assert response["Vary"] == "Accept, Accept-Encoding, User-Agent"


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_has_died_meanwhile_is_replaced(client: Client) -> None:
    """As after a restart of the database: no harvester is told to come again."""
    assert client.get("/oai?verb=Identify").status_code == 200
    cut(backend())
    assert b"<repositoryName>" in client.get("/oai?verb=Identify").content


@pytest.mark.spec("P9")
def test_a_database_that_does_not_answer_is_503_and_no_oai_error(client: Client, monkeypatch) -> None:
    def fail() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(lists, "instant", fail)
    response = client.get("/oai?verb=Identify")
    assert response.status_code == 503
    assert 1 <= int(response["Retry-After"]) <= 600
    assert response["Content-Type"].startswith("text/plain")
    assert b"connection refused" not in response.content
    assert asking.raw_get(client, "verb=junk").codes == ["badVerb"], "a bad verb needs no database"


@pytest.mark.spec("S2", "P9", "P106")
@pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers", "ListSets"])
def test_a_token_newer_than_the_database_is_503_and_is_good_when_that_has_caught_up(
    client: Client, caplog, verb: str
) -> None:
    """As at a read replica that has not received yet what its primary has told."""
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    at = lists.instant()

    def token(seconds: int) -> str:
        issued = at + timedelta(seconds=seconds)
        prefix, place = (
            ("", ListPosition(at, world.own_set().pk)) if verb == "ListSets" else ("iso19139", ListPosition(at, 0))
        )
        return tokens.encode(Token(verb, prefix, "", None, issued + timedelta(days=1), place, 0, 2, issued))

    future = token(3600)
    response = client.get("/oai", {"verb": verb, "resumptionToken": future})
    assert (response.status_code, response["Content-Type"].split(";")[0]) == (503, "text/plain")
    assert 1 <= int(response["Retry-After"]) <= 600
    assert [record.levelname for record in caplog.records if record.name == "oaiprovider.views"] == ["WARNING"]
    assert client.get("/oai", {"verb": verb, "resumptionToken": token(0)}).status_code == 200
    DatestampClock.objects.update(stamp=at + timedelta(seconds=3600))  # it has arrived
    assert client.get("/oai", {"verb": verb, "resumptionToken": future}).status_code == 200


@pytest.mark.spec("P9")
def test_a_bug_is_500_and_no_oai_error(client: Client, monkeypatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(lists, "instant", fail)
    client.raise_request_exception = False
    response = client.get("/oai?verb=ListSets")
    assert response.status_code == 500
    assert b"OAI-PMH xmlns" not in response.content


@pytest.mark.spec("P25", "P28")
def test_the_request_element_echoes_the_arguments_decoded_and_escaped(client: Client) -> None:
    answer = asking.raw_get(client, f"metadataPrefix=oai_dc&verb=GetRecord&identifier={quote('urn:a&b%41', safe='')}")
    assert dict(answer.request.attrib) == {
        "verb": "GetRecord",
        "metadataPrefix": "oai_dc",
        "identifier": "urn:a&b%41",
    }
    assert b'identifier="urn:a&amp;b%41"' in answer.content


WORDS = st.sampled_from(
    [
        *asking.VERBS,
        "iso19139",
        "oai_dc",
        "2025-01-01",
        "2025-01-01T00:00:00Z",
        "a:b",
        "urn:x",
        "WIS-CATALOGUE",
        "",
        "%00",
    ]
    + ["%FF", "%EF%BF%BF", "a%22b", "%0A", "+", "//h:1/", "//%C3%A9:x@y"]
)
NAMES = st.sampled_from(["verb", "metadataPrefix", "identifier", "set", "from", "until", "resumptionToken", "junk", ""])
GARBAGE = st.lists(st.tuples(NAMES, WORDS | st.text().map(lambda text: quote(text, safe="")))).map(
    lambda pairs: "&".join(f"{name}={value}" for name, value in pairs)
)


@pytest.mark.spec("P145", "P9", "P46", "P10", "P45", "S28")
@hypothesis_settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(verb=st.sampled_from(asking.VERBS), rest=GARBAGE)
def test_random_arguments_get_a_valid_document_with_status_200(client: Client, verb: str, rest: str) -> None:
    asking.raw_get(client, f"verb={verb}&{rest}")
    asking.raw_get(client, rest)


@pytest.mark.spec("P68", "P145")
@hypothesis_settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    identifier=st.text(min_size=1) | st.from_regex(r"[a-z]{0,3}:?(//)?[a-z@:#?%/0-9\u00e9\u4e00]{1,12}", fullmatch=True)
)
def test_any_identifier_that_is_accepted_is_echoed_in_a_valid_document(client: Client, identifier: str) -> None:
    asking.raw_get(client, f"verb=GetRecord&metadataPrefix=oai_dc&identifier={quote(identifier, safe='')}")
