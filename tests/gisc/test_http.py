"""HTTP as the real server speaks it, byte by byte: bodies in chunks, raw bytes in URLs, HEAD, connections, other origins."""

import http.client
import io
import runpy
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from catalogue import bootstrap
from tests.support import asking, world
from tests.support.served import Served, served

FORM = "Content-Type: application/x-www-form-urlencoded"
CHUNKED = f"{FORM}\r\nTransfer-Encoding: chunked"
READABLE = ["/oai?verb=Identify", "/oai", "/", "/?q=data", "/record?id=urn:0", "/record.xml?id=urn:0", "/stats.json"]
READABLE += ["/harvest/", "/harvest/status.json", "/record?id=none", "/record.xml?id=none", "/?page=0"]


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0", title="Données été"))
    with served(tmp_path) as running:
        yield running


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it came over the wire; `rest` is what came after it."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    rest: bytes = b""


class _Wire:
    """Bytes as a socket, for http.client."""

    def __init__(self, data: bytes) -> None:
        self.stream = io.BytesIO(data)

    def makefile(self, *_: object) -> io.BytesIO:
        return self.stream


def talk(server: Served, sent: bytes, method: str = "GET") -> Reply:
    """Send these bytes, say that no more come, and read to the end."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as link:
        link.sendall(sent)
        link.shutdown(socket.SHUT_WR)
        received = b"".join(iter(lambda: link.recv(65536), b""))
    wire = _Wire(received)
    answer = http.client.HTTPResponse(wire, method=method)
    answer.begin()
    body = answer.read()
    return Reply(answer.status, answer.headers, body, wire.stream.read() if not wire.stream.closed else b"")


def ask(server: Served, line: str | bytes, *headers: str, body: bytes = b"") -> Reply:
    raw = line if isinstance(line, bytes) else line.encode()
    rest = "".join(f"{header}\r\n" for header in ("Host: 127.0.0.1", "Connection: close", *headers))
    return talk(
        server, raw + b" HTTP/1.1\r\n" + rest.encode() + b"\r\n" + body, method=raw.partition(b" ")[0].decode("latin-1")
    )


def chunks(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))


@pytest.mark.spec("P1", "P2", "P4", "P12", "S30")
def test_a_body_in_chunks_is_read_up_to_the_limit(server: Served) -> None:
    for path in ("/oai", "/oai/"):
        answer = ask(
            server,
            f"POST {path}",
            CHUNKED,
            body=chunks(b"verb=Get", b"Record&metadataPrefix=iso19139&identifier=urn:0"),
        )
        assert answer.status == 200
        assert asking.identifiers(answer.body) == ["urn:0"]
        assert ask(server, f"POST {path}", CHUNKED, body=chunks(b"verb=Identify", b"&" * 70_000)).status == 413
    assert b"badVerb" in ask(server, "POST /oai", CHUNKED, body=chunks()).body
    assert ask(server, "POST /oai", "Transfer-Encoding: chunked", body=chunks(b"verb=Identify")).status == 415
    signed_in = ask(server, "POST /admin/login/", CHUNKED, body=chunks(b"username=x&password=y"))
    assert signed_in.status == 403, "without a CSRF token"


NO_BODIES = [
    (b"5\r\nverb", CHUNKED),
    (b"zz\r\nverb=Identify\r\n0\r\n\r\n", CHUNKED),
    (b"4\r\nverb=Identify\r\n0\r\n\r\n", CHUNKED),
    (b"verb=Identify", f"{FORM}\r\nContent-Length: 100"),
    (b"verb=Identify", f"{FORM}\r\nContent-Length: -1"),
    (b"verb=Identify", f"{FORM}\r\nContent-Length: x"),
    (b"verb=Identify", f"{FORM}\r\nContent-Length: 13\r\nContent-Length: 12"),
    (b"verb=Identify", f"{FORM}\r\nTransfer-Encoding: gzip"),
    (chunks(b"verb=Identify"), f"{CHUNKED}\r\nContent-Length: 13"),
]


@pytest.mark.spec("P4", "P9")
def test_a_body_that_is_cut_off_or_no_body_is_400_and_never_500(server: Served) -> None:
    for body, headers in NO_BODIES:
        try:
            assert ask(server, "POST /oai", headers, body=body).status == 400, (body, headers)
        except http.client.BadStatusLine:
            pass  # it was closed without a word: the client had gone
        assert "Traceback" not in server.log.read_text(encoding="utf-8"), (body, headers)
    assert ask(server, "GET /oai?verb=Identify").status == 200


@pytest.mark.spec("P4")
def test_a_compressed_body_is_refused_in_a_sentence(server: Served) -> None:
    body, length = b"verb=Identify", "Content-Length: 13"
    for coding in ("gzip", "deflate", "br", "x-gzip", "gzip, identity", "\u00e9"):
        answer = ask(server, "POST /oai", FORM, f"Content-Encoding: {coding}", length, body=body)
        assert (answer.status, answer.headers["Accept-Encoding"]) == (415, "identity"), coding
        assert answer.body == b"The body of a POST must not be compressed; send it without Content-Encoding.\n"
        assert answer.headers["Content-Type"].startswith("text/plain")
    assert ask(server, "POST /oai", FORM, "Content-Encoding: identity", length, body=body).status == 200


RAW_QUERIES = [
    (b"verb=\xff", b"badVerb"),
    (b"\xff=Identify", b"badVerb"),
    (b"verb=Identify&\xc3\xa9=1", b"badArgument"),
    (b"verb=ListRecords&metadataPrefix=\xe5\x85\xa8", b"badArgument"),
    (b"verb=GetRecord&metadataPrefix=iso19139&identifier=\xff", b"badArgument"),
    (b"verb=ListRecords&resumptionToken=\x80\xfe", b"bad"),
]


@pytest.mark.spec("P7", "P9", "P15", "P68")
def test_raw_bytes_in_a_query_get_the_error_of_the_protocol(server: Served) -> None:
    for query, code in RAW_QUERIES:
        for path in (b"/oai", b"/oai/"):
            answer = ask(server, b"GET " + path + b"?" + query)
            assert (answer.status, answer.headers["Content-Type"]) == (200, "text/xml; charset=UTF-8"), query
            assert b'<error code="' + code in answer.body, query


def test_raw_bytes_elsewhere_are_read_and_never_500(server: Served) -> None:
    assert "<mark>Données</mark> été" in ask(server, "GET /?q=Données").body.decode()
    for line in (b"GET /\xff", b"GET /?q=\xff", b"GET /record?id=\xff", b"GET /record.xml?id=\xe9", b"GET /admin/\xff"):
        assert ask(server, line).status in (200, 302, 404), line
    assert ask(server, b"G\xcbT /").status == 400


@pytest.mark.spec("P1", "P4", "S30")
def test_the_endpoint_with_a_slash_is_the_endpoint(server: Served) -> None:
    for slash in ("", "/"):
        got = ask(server, f"GET /oai{slash}?verb=Identify")
        assert (got.status, got.headers["Content-Type"]) == (200, "text/xml; charset=UTF-8")
        assert b"<baseURL>http://127.0.0.1:%d/oai</baseURL>" % server.port in got.body
        assert b">http://127.0.0.1:%d/oai</request>" % server.port in got.body
        posted = ask(server, f"POST /oai{slash}", FORM, "Content-Length: 13", body=b"verb=ListSets")
        assert (posted.status, b"<ListSets>" in posted.body) == (200, True)
        assert ask(server, f"PUT /oai{slash}").headers["Allow"] == "GET, HEAD, POST"
        person = ask(server, f"GET /oai{slash}?verb=Identify", "Accept: text/html", "User-Agent: Mozilla/5.0")
        assert (person.status, person.headers["Location"]) in ((302, "/oai/browse?verb=Identify"), (200, None))


@pytest.mark.spec("P4")
def test_head_has_the_headers_of_get_and_no_body(server: Served) -> None:
    changing = {"Date", "Set-Cookie", "X-Request-ID"}
    for path in READABLE:
        got, head = ask(server, f"GET {path}"), ask(server, f"HEAD {path}")
        assert (head.status, head.body, head.rest) == (got.status, b"", b""), path
        assert {k: v for k, v in head.headers.items() if k not in changing} == {
            k: v for k, v in got.headers.items() if k not in changing
        }, path


def test_other_origins_may_read_what_anybody_may(server: Served) -> None:
    for path in READABLE:
        assert ask(server, f"GET {path}", "Origin: https://example.org").headers["Access-Control-Allow-Origin"] == "*"
        asked = ask(server, f"OPTIONS {path}", "Origin: https://example.org", "Access-Control-Request-Method: GET")
        assert (asked.status, asked.body) == (204, b"")
        assert "GET" in asked.headers["Access-Control-Allow-Methods"]
        assert asked.headers["Access-Control-Allow-Origin"] == "*"
    for path in ("/admin/", "/admin/login/", "/metrics", "/health/ready"):
        for method in ("GET", "OPTIONS"):
            answer = ask(
                server, f"{method} {path}", "Origin: https://example.org", "Access-Control-Request-Method: GET"
            )
            assert "Access-Control-Allow-Origin" not in answer.headers


def test_no_header_moves_the_root_of_the_node(server: Served) -> None:
    for header in ("SCRIPT_NAME: /elsewhere", "SCRIPT-NAME: /elsewhere", "PATH_INFO: /admin/"):
        answer = ask(server, "GET /oai?verb=Identify", header)
        assert (answer.status, b"<Identify>" in answer.body) == (200, True)


def test_a_connection_is_kept_for_75_seconds_after_an_answer_and_not_before_the_first(server: Served) -> None:
    """Longer than the 60 s after which a proxy gives up a connection of its own."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as silent:
        opened = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        opened.request("GET", "/health/live")
        opened.getresponse().read()
        link = opened.sock
        assert silent.recv(1) == b"", "closed by the server, which gives up sooner on one that never sent anything"
        opened.request("GET", "/health/live")
        assert opened.getresponse().read() == b"ok\n"
        assert opened.sock is link
    conf = runpy.run_module("gisc.gunicorn_conf")
    assert conf["keepalive"] == 75


@pytest.mark.spec("P2")
def test_no_charset_of_a_request_is_500(server: Served) -> None:
    """Python knows some that are none of texts; what a request has is UTF-8 in any case."""
    for charset in ("rot13", "zlib", "idna", "utf-16", "utf-7", "nonsense", "\u00e9", '"', ""):
        for path in (
            "/",
            "/record?id=urn:0",
            "/record.xml?id=urn:0",
            "/harvest/status.json",
            "/oai?verb=Identify",
            "/robots.txt",
        ):
            assert ask(server, f"GET {path}", f"Content-Type: text/html; charset={charset}").status == 200, (
                path,
                charset,
            )
        form = f"Content-Type: application/x-www-form-urlencoded; charset={charset}"
        posted = ask(server, "POST /oai", form, "Content-Length: 13", body=b"verb=Identify")
        assert (posted.status, b"<Identify>" in posted.body) == (200, True), charset
        found = ask(server, "GET /?q=Donn%C3%A9es", f"Content-Type: text/html; charset={charset}")
        assert "<mark>Données</mark> été" in found.body.decode()


def test_what_anybody_can_cause_is_no_traceback_in_the_log(transactional_db: None, tmp_path: Path) -> None:
    bootstrap.ensure_sets()
    with served(tmp_path, ALLOWED_HOSTS="127.0.0.1") as running:
        for host in ("evil.example.org", "a b", "[::1", "127.0.0.1:x", ""):
            reply = talk(running, f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            assert reply.status == 400, host
        assert ask(running, "GET /?" + "a&" * 3000).status == 400
        assert "Traceback" not in running.log.read_text(encoding="utf-8")
        assert "evil.example.org" in running.log.read_text(encoding="utf-8")
