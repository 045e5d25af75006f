"""One request over a real socket: its limits, its redirects, its secrets."""

import gzip
import re
import socket
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from harvester.errors import BrokenReply, HarvestError, RefusedByProvider, Unreachable
from harvester.messages import describe_fault
from harvester.net import client, networks
from harvester.net.client import Access
from harvester.net.session import Session
from tests.support.certificates import folder, server_context
from tests.support.misbehaving import RawServer
from tests.support.provider import Provider, fill
from tests.support.sockets import serving

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
IDENTIFY = {"verb": "Identify"}


def ask(base_url: str, access: Access | None = None, arguments: dict[str, str] = IDENTIFY) -> client.Reply:
    with Session(access) as session:
        return client.get(session, base_url, arguments, client.INTERACTIVE_LIMITS)


def closed_port() -> int:
    """A port of this machine at which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        ("http://127.0.0.1:{closed}/oai", "connection refused"),
        ("http://gisc-nowhere.invalid/oai", "no such host"),
        ("http://127.0.0.1:{cutting}/oai", "the connection was cut"),
        ("https://127.0.0.1:{plain}/oai", "does not speak https"),
    ],
)
def test_a_connection_that_fails_is_told_in_words(httpserver: HTTPServer, base_url: str, words: str) -> None:
    with serving(socket.socket.close) as cutting:
        ports = {"closed": closed_port(), "cutting": cutting, "plain": httpserver.port}
        with pytest.raises(HarvestError) as refused:
            ask(base_url.format(**ports))
    assert words in str(refused.value)
    assert not re.search(r"\d+\] |_ssl|Error|object at", str(refused.value))


def test_the_number_of_an_error_that_an_earlier_version_stored_is_not_shown() -> None:
    facts = {"url": "http://a.example/", "detail": "[Errno 111] Connection refused"}
    assert describe_fault("no-answer", facts) == "no answer from http://a.example/: Connection refused"


@pytest.mark.spec("H26")
@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0),
        (" 120 ", 120),
        (format_datetime(NOW + timedelta(minutes=2), usegmt=True), 120),
        (format_datetime(NOW - timedelta(minutes=2), usegmt=True), 0),
        ("Sun, 01 Mar 2026 12:00:30", 30),
        ("soon", None),
        ("-5", None),
        ("1e3", None),
        ("99999999999999", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_read_in_both_forms(header: str | None, seconds: float | None) -> None:
    assert client.retry_after_s(header, NOW) == seconds


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 507, 520])
def test_statuses_that_pass_are_worth_another_try(httpserver: HTTPServer, status: int) -> None:
    httpserver.expect_request("/oai").respond_with_data("no", status=status)
    with pytest.raises(Unreachable) as raised:
        ask(httpserver.url_for("/oai"))
    assert raised.value.status == status
    assert raised.value.retry_after_s == {429: 60, 503: 300}.get(status)


@pytest.mark.spec("H28")
@pytest.mark.parametrize("status", [401, 402, 403, 404, 406, 410, 418, 451])
def test_other_statuses_are_for_a_person(httpserver: HTTPServer, status: int) -> None:
    httpserver.expect_request("/oai").respond_with_data("no", status=status)
    with pytest.raises(RefusedByProvider) as raised:
        ask(httpserver.url_for("/oai"))
    assert raised.value.status == status


@pytest.mark.spec("H6")
def test_a_long_question_is_asked_by_post_and_arguments_arrive_as_they_are(httpserver: HTTPServer) -> None:
    seen: list[tuple[str, dict[str, str]]] = []

    def answer(request: Request) -> Response:
        seen.append((request.method, dict((request.form or request.args).items())))
        return Response("x")

    httpserver.expect_request("/oai").respond_with_handler(answer)
    short = {"verb": "ListRecords", "resumptionToken": "a+b&c=d%2F é/\\?#\n"}
    long = short | {"resumptionToken": "€" * 900}
    ask(httpserver.url_for("/oai"), arguments=short)
    ask(httpserver.url_for("/oai"), arguments=long)
    assert seen == [("GET", short), ("POST", long)]


@pytest.mark.spec("H3")
def test_user_agent_and_sender_are_ours_unless_the_link_has_others(httpserver: HTTPServer, settings) -> None:
    seen: list[tuple[str, str]] = []

    def answer(request: Request) -> Response:
        seen.append((request.headers["User-Agent"], request.headers["From"]))
        return Response("x")

    httpserver.expect_request("/oai").respond_with_handler(answer)
    ask(httpserver.url_for("/oai"))
    ask(httpserver.url_for("/oai"), Access(user_agent="Other/1", sender="other@example.org"))
    ours = f"GISC-catalogue-node/{settings.GISC_VERSION} ({settings.GISC_NAME})"
    assert seen == [(ours, settings.GISC_ADMIN_EMAIL), ("Other/1", "other@example.org")]


# --- Bodies ------------------------------------------------------------------------------------------


@pytest.mark.spec("H30")
@given(body=st.binary(max_size=5000).map(lambda tail: b"<" + tail), layers=st.integers(0, 2))
def test_a_body_comes_out_as_it_was_however_it_was_packed(body: bytes, layers: int) -> None:
    packed = body
    for _ in range(layers):
        packed = gzip.compress(packed)
    assert client.decompress(packed) == body
    assert client.decompress(zlib.compress(body)) == body


@given(body=st.binary(min_size=50, max_size=500), cut=st.integers(1, 20))
def test_a_packed_body_that_was_cut_short_is_never_taken_for_whole(body: bytes, cut: int) -> None:
    with pytest.raises(zlib.error):
        client.decompress(gzip.compress(body)[:-cut])


def test_members_of_a_gzip_body_are_joined_and_padding_is_dropped() -> None:
    assert client.decompress(gzip.compress(b"<a>") + gzip.compress(b"</a>") + bytes(10)) == b"<a></a>"


def test_an_answer_that_is_no_http_is_no_answer(provider: Provider) -> None:
    def speak_nonsense(connection: socket.socket, _: dict[str, str]) -> bool:
        connection.sendall(b"220 smtp.example.org ESMTP\r\n")
        return True

    with RawServer(provider, [speak_nonsense]).serving() as raw, pytest.raises((Unreachable, BrokenReply)):
        ask(raw.base_url)


# --- Redirects ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("here", "there", "allowed"),
    [
        (["128.1.1.1"], ["129.2.2.2"], True),
        (["127.0.0.1"], ["129.2.2.2"], True),
        (["10.0.0.1"], ["10.0.0.1", "129.2.2.2"], True),
        (["10.0.0.1"], ["10.9.9.9", "129.2.2.2"], False),
        (["127.0.0.1", "::1"], ["127.0.0.1"], True),
        (["127.0.0.1", "::1"], ["127.0.0.9"], False),
        (["128.1.1.1"], ["127.0.0.1"], False),
        (["128.1.1.1"], ["10.0.0.1"], False),
        (["128.1.1.1"], ["129.2.2.2", "192.168.1.1"], False),
        (["128.1.1.1"], ["::ffff:127.0.0.1"], False),
        (["128.1.1.1"], ["fe80::1%eth0"], False),
        (["128.1.1.1"], ["0.0.0.0"], False),
        (["10.0.0.1"], ["169.254.169.254"], False),
        (["127.0.0.1"], ["169.254.169.254"], False),
        ([], ["127.0.0.1"], False),
    ],
)
def test_a_redirect_leads_to_public_places_or_back_to_the_provider(
    here: list[str], there: list[str], allowed: bool
) -> None:
    assert networks.is_redirect_allowed(here, there) is allowed


@pytest.mark.spec("H27")
@pytest.mark.parametrize("location", ["", "ftp://127.0.0.1/oai", "javascript:alert(1)", "http:///oai"])
def test_a_redirect_to_nowhere_is_refused(httpserver: HTTPServer, location: str) -> None:
    headers = {"Location": location} if location else {}
    httpserver.expect_request("/oai").respond_with_data("", status=302, headers=headers)
    with pytest.raises(RefusedByProvider):
        ask(httpserver.url_for("/oai"))


@pytest.mark.spec("H27")
def test_a_post_keeps_its_arguments_through_a_redirect(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/oai").respond_with_data("", status=301, headers={"Location": "/new"})
    httpserver.expect_request("/new", method="POST", data="verb=Identify").respond_with_data("<here/>")
    reply = ask(httpserver.url_for("/oai"), Access(post=True))
    assert (reply.body, reply.moved_to) == (b"<here/>", httpserver.url_for("/new"))


def test_a_passing_redirect_on_the_way_proposes_only_what_is_permanent(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/a").respond_with_data("", status=301, headers={"Location": "/b?verb=Identify"})
    httpserver.expect_request("/b").respond_with_data("", status=302, headers={"Location": "/c?verb=Identify"})
    httpserver.expect_request("/c").respond_with_data("<here/>")
    assert ask(httpserver.url_for("/a")).moved_to == httpserver.url_for("/b")


# --- Secrets -----------------------------------------------------------------------------------------


def test_credentials_do_not_follow_to_another_host(httpserver: HTTPServer) -> None:
    seen: list[object] = []

    def note(request: Request) -> Response:
        seen.append(request.authorization)
        return Response("<x/>")

    there = httpserver.url_for("/there").replace("localhost", "127.0.0.1")
    httpserver.expect_request("/there").respond_with_handler(note)
    httpserver.expect_request("/here").respond_with_data("", status=302, headers={"Location": f"{there}?verb=Identify"})
    ask(httpserver.url_for("/here"), Access(user="tokyo", password="s3cret"))
    assert seen == [None]


@pytest.mark.parametrize(
    "base_url",
    ["http://tokyo:s3cret@127.0.0.1:1/oai", "http://tokyo:s3cret@nowhere.invalid/oai", "http://tokyo:s3cret@[bad/oai"],
)
def test_no_password_and_no_token_is_told(base_url: str) -> None:
    arguments = {"verb": "ListRecords", "resumptionToken": "t0ken"}
    with pytest.raises((HarvestError, ValueError)) as raised:
        ask(base_url, arguments=arguments)
    if isinstance(raised.value, HarvestError):
        assert "s3cret" not in str(raised.value)
        assert "t0ken" not in str(raised.value)


def test_what_a_link_is_let_in_with_is_not_shown() -> None:
    shown = repr(
        Access(
            user="tokyo",
            password="s3cret",
            proxy="http://u:s3cret@proxy",
            cookies=({"name": "session", "value": "s3cret"},),
        )
    )
    assert "s3cret" not in shown


def test_netrc_is_left_alone(httpserver: HTTPServer, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine localhost login someone password s3cret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    seen: list[object] = []

    def answer(request: Request) -> Response:
        seen.append(request.authorization)
        return Response("x")

    httpserver.expect_request("/oai").respond_with_handler(answer)
    ask(httpserver.url_for("/oai"))
    assert seen == [None]


# --- TLS, proxies, cookies ---------------------------------------------------------------------------


def test_an_authority_of_the_providers_own_is_trusted_where_the_link_names_it(provider: Provider) -> None:
    fill(provider, range(1))
    with RawServer(provider, context=server_context("good")).serving() as raw:
        assert b"<Identify>" in ask(raw.base_url, Access(certificates=str(folder() / "ca.pem"))).body
        with pytest.raises(RefusedByProvider, match="cannot be trusted"):
            ask(raw.base_url)


def test_a_proxy_of_the_link_is_used(provider: Provider) -> None:
    proxy = provider.base_url.removesuffix("/oai")
    assert b"<Identify>" in ask("http://gisc-toulouse.example.org/oai", Access(proxy=proxy)).body
    assert provider.requests[-1].host == "gisc-toulouse.example.org"


def test_cookies_of_a_run_go_on_in_the_session_that_takes_it_up(httpserver: HTTPServer) -> None:
    def answer(request: Request) -> Response:
        response = Response(request.cookies.get("session", "none"))
        response.set_cookie("session", "abc")
        return response

    httpserver.expect_request("/oai").respond_with_handler(answer)
    base_url = httpserver.url_for("/oai")
    with Session() as first:
        assert client.get(first, base_url, IDENTIFY).body == b"none"
        assert client.get(first, base_url, IDENTIFY).body == b"abc"
        kept = first.export_cookies()
    assert ask(base_url, Access(cookies=kept)).body == b"abc"
