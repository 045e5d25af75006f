"""Anything at all is sent to the real server: never a 500, never XML that is not valid, never memory that grows.

FUZZ_REQUESTS is how many changed requests are sent, and twice as many made of words; by default a few thousand in all.
"""

import gzip
import http.client
import os
import random
import re
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from lxml import etree

from catalogue import bootstrap
from tests.support import asking, schemas, world
from tests.support.served import Served, served

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "1500"))
MAY_GROW_BYTES = 80 * 1024 * 1024
# 501: gunicorn, of a transfer coding it does not know. The others are P9's, and HTTP's own for what is no request.
ALLOWED = {200, 302, 400, 404, 405, 413, 414, 415, 431, 501, 505}
NAMES = ["verb", "metadataPrefix", "identifier", "set", "from", "until", "resumptionToken", "Verb", "x", ""]
VALUES = [*asking.VERBS, "iso19139", "oai_dc", "WIS-CATALOGUE", world.OUR_SPEC, "2025-01-01", "2025-03-01T00:00:00Z"]
VALUES += ["urn:0", "urn:é", "urn:a&b", "%ff", "%00", "9999-12-31T23:59:59Z", "0000-00-00", "a:b:c", "", "<&>\"'"]


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    """A catalogue with live and deleted records of several sets, served three a page."""
    bootstrap.ensure_sets()
    world.put(*(world.iso_record(f"urn:{number}") for number in range(8)), world.iso_record("urn:é"))
    world.put(world.iso_record("urn:a&b"), into=world.peer_set(world.TOULOUSE))
    world.bury("urn:3")
    # Requests may follow one another on one connection, and go on when we have left it: the node must not be busy.
    given = {"GISC_PAGE_RECORDS": "3", "GISC_PAGE_HEADERS": "3", "GISC_WEB_THREADS": "4", "GISC_REQUESTS_AT_ONCE": ""}
    with served(tmp_path, **given) as running:
        yield running
        # Django tells of a Host that is none with a traceback; gunicorn and Django of anything unforeseen as well.
        told = [line for line in running.log.read_text().splitlines() if "Traceback" in line]
        assert [line for line in told if "DisallowedHost" not in line] == []


def tokens(server: Served) -> list[str]:
    """A token of each list."""
    found = []
    for verb in ("ListRecords", "ListIdentifiers"):
        body = send(server, f"GET /oai?verb={verb}&metadataPrefix=iso19139 HTTP/1.0\r\n\r\n".encode())[2]
        found.append(re.search(rb"<resumptionToken[^>]*>([^<]+)<", body)[1].decode())
    return found


def send(server: Served, raw: bytes) -> tuple[int, http.client.HTTPMessage | None, bytes]:
    """Send these bytes and nothing after them; status, headers and body, or status 0 where nothing came back."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as link:
        try:
            link.sendall(raw)
            link.shutdown(socket.SHUT_WR)
            response = http.client.HTTPResponse(link, method=raw.split(b" ", 1)[0].decode("latin-1"))
            response.begin()
            return response.status, response.headers, response.read()
        except (http.client.RemoteDisconnected, ConnectionError):
            return 0, None, b""  # half a request, or none


def check(server: Served, raw: bytes, seen: Counter[int]) -> None:
    """Whatever was sent, what came back is an answer."""
    status, headers, body = send(server, raw)
    seen[status] += 1
    assert status in ALLOWED | {0}, (status, raw, body[:500])
    if headers is None or not body:
        return
    if headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    if headers.get("Content-Type") == "text/xml; charset=UTF-8":
        root = etree.fromstring(body)
        assert etree.QName(root).localname == "OAI-PMH"
        assert schemas.envelope_faults(body) == [], raw
        assert status == 200


def request(method: str, query: bytes, body: bytes, lines: list[str]) -> bytes:
    head = [f"Host: 127.0.0.1\r\nContent-Length: {len(body)}"] if body or method == "POST" else ["Host: 127.0.0.1"]
    return (
        method.encode() + b" /oai" + (b"?" + query if query else b"") + b" HTTP/1.1\r\n"
        + "\r\n".join([*head, *lines]).encode("latin-1", "replace") + b"\r\n\r\n" + body
    )  # fmt: skip


ENCODERS = (quote, quote_plus, lambda text: "".join(f"%{byte:02x}" for byte in text.encode("utf-8", "replace")))
TEXTS = st.sampled_from(VALUES) | st.text(max_size=12)
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES), TEXTS, st.sampled_from(ENCODERS)), max_size=6)
LINES = st.lists(
    st.sampled_from(
        [
            "Accept-Encoding: gzip",
            "Accept-Encoding: *;q=0, gzip;q=1.0",
            "Accept-Encoding: gzip;q=1.0000, \x00",
            "Accept: text/html,application/xhtml+xml",
            "Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate",
            "X-Forwarded-For: 198.51.100.7, [::1]:x",
            f"Content-Type: {asking.FORM}",
            f"Content-Type: {asking.FORM}; charset=latin-9",
            "Content-Type: multipart/form-data; boundary=x",
            "Cookie: sessionid=x; csrftoken=\xff",
            "Host: nobody.example.org",
            "Range: bytes=0-3",
            "Expect: 100-continue",
            "Transfer-Encoding: chunked",
            "Connection: keep-alive",
        ]
    ),
    max_size=4,
    unique=True,
)


@pytest.mark.spec("P145", "P9", "P46", "P47", "P117")
def test_requests_made_of_the_words_of_the_protocol_get_an_answer(server: Served) -> None:
    known = tokens(server)
    seen: Counter[int] = Counter()

    @hypothesis_settings(deadline=None, max_examples=REQUESTS, suppress_health_check=list(HealthCheck), database=None)
    @given(
        method=st.sampled_from(["GET"] * 5 + ["POST"] * 3 + ["HEAD", "PUT", "OPTIONS"]),
        verb=st.sampled_from([*asking.VERBS, ""]),
        pairs=PAIRS,
        token=st.sampled_from([None, None, *known]),
        cut=st.integers(0, 400),
        raw=st.binary(max_size=8),
        lines=LINES,
        split=st.integers(0, 6),
    )
    def fuzz(method, verb, pairs, token, cut, raw, lines, split) -> None:
        encoded = [f"{name}={encode(text)}".encode("latin-1", "replace") for name, text, encode in pairs]
        encoded = [f"verb={verb}".encode(), *encoded] if verb else encoded
        if token:
            encoded = [encoded[0] if encoded else b"", f"resumptionToken={token[:cut]}".encode()]
        if raw and not cut % 5:
            encoded.append(raw.translate(None, b" \r\n"))
        query, body = (encoded[:split], encoded[split:]) if method == "POST" else (encoded, [])
        if method == "POST" and not any(line.startswith("Content-Type") for line in lines):
            lines = [*lines, f"Content-Type: {asking.FORM}"]
        check(server, request(method, b"&".join(query), b"&".join(body), lines), seen)

    fuzz()
    before = server.memory()
    fuzz()
    print(dict(seen))
    assert server.memory() - before < MAY_GROW_BYTES
    assert seen[200] > REQUESTS / 2, "much of it is OAI-PMH"


def mutated(source: random.Random, raw: bytes) -> bytes:
    """The request with a few of its bytes changed, left out, doubled, moved or cut off."""
    data = bytearray(raw)
    for _ in range(source.choice((1, 1, 2, 3, 8))):
        start = source.randrange(len(data) + 1)
        end = min(len(data), start + source.choice((1, 1, 2, 5, 20, 200)))
        match source.randrange(6):
            case 0:
                data[start:end] = source.randbytes(end - start)
            case 1:
                del data[start:end]
            case 2:
                data[start:start] = data[start:end] * source.choice((1, 2, 50))
            case 3:
                data[start:start] = source.choice(
                    (b"&", b"%", b"=", b"\x00", b"\r\n", b"%C0%AF", b"\xf0\x9f", b"<", b"%25")
                )
            case 4:
                data[start:end] = bytes(byte ^ 0x20 for byte in data[start:end])
            case 5 if source.random() < 0.2:
                del data[start:]
    return bytes(data)


@pytest.mark.spec("P145", "P9", "P46", "P117")
def test_sound_requests_with_bytes_changed_get_an_answer(server: Served) -> None:
    form = f"Content-Type: {asking.FORM}"
    record = b"verb=GetRecord&metadataPrefix=oai_dc&identifier=" + quote("urn:a&b", safe="").encode()
    window = b"verb=ListRecords&metadataPrefix=iso19139&from=2025-01-01&until=2031-01-01&set=WIS-CATALOGUE"
    sound = [request("GET", window, b"", ["Accept-Encoding: gzip"]), request("POST", b"", window, [form])]
    sound += [request("GET", record, b"", []), request("POST", b"verb=ListSets", b"", [form])]
    sound += [request("GET", b"verb=Identify", b"", ["Accept-Encoding: gzip;q=0.5, identity;q=0.1"])]
    for token in tokens(server):
        sound += [request("GET", f"verb={verb}&resumptionToken={token}".encode(), b"", []) for verb in asking.VERBS[3:]]
    seen: Counter[int] = Counter()
    before = 0
    for number in range(REQUESTS):
        source = random.Random(number)
        raw = source.choice(sound)
        # Half of the changes are in the arguments, so that they reach further than gunicorn's own parser.
        if source.random() < 0.5 and raw.startswith(b"GET"):
            line, rest = raw.split(b" HTTP/1.1\r\n", 1)
            query = b"".join(
                bytes([byte]) if 0x20 < byte < 0x7F and byte != 0x23 else b"%%%02X" % byte
                for byte in mutated(source, line.removeprefix(b"GET /oai?"))
            )
            raw = b"GET /oai?" + query + b" HTTP/1.1\r\n" + rest
        else:
            raw = mutated(source, raw)
        check(server, raw, seen)
        if number == REQUESTS // 2:
            before = server.memory()
    print(dict(seen))
    assert server.memory() - before < MAY_GROW_BYTES
    assert seen[200] > REQUESTS / 4
