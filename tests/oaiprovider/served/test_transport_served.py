"""What only the real server shows: connections that stay open, clients that are slow, statements that take too long."""

import gzip
import http.client
import itertools
import socket
from pathlib import Path

import pytest
import requests
from django.db import connection, transaction

from catalogue import bootstrap
from tests.support import asking, world
from tests.support.served import served
from tests.support.waiting import until


@pytest.fixture
def catalogue(transactional_db: None) -> None:
    bootstrap.ensure_sets()
    world.put(*(world.iso_record(f"urn:{number}", abstract="snow " * 40_000) for number in range(60)))


@pytest.mark.spec("P115", "P4")
def test_one_connection_serves_a_whole_list_compressed_or_not(catalogue: None, tmp_path: Path) -> None:
    with served(tmp_path, GISC_PAGE_RECORDS="20") as server:
        link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        link.connect()
        opened = link.sock
        query, found, number = "verb=ListRecords&metadataPrefix=iso19139", [], 0
        while query:
            encoding = ("gzip", "identity")[number % 2]
            for method in ("HEAD", "GET"):
                link.request(method, f"/oai?{query}", headers={"Accept-Encoding": encoding})
                response = link.getresponse()
                length, body = int(response.headers["Content-Length"]), response.read()
                assert len(body) == (0 if method == "HEAD" else length)
            assert response.headers.get("Content-Encoding", "identity") == encoding
            page = body if encoding == "identity" else gzip.decompress(body)
            found += asking.identifiers(page)
            query = (token := asking.token(page)) and f"verb=ListRecords&resumptionToken={token}"
            number += 1
        assert link.sock is opened
    assert found == [f"urn:{number}" for number in range(60)]


@pytest.mark.spec("P11", "W6", "P1")
def test_the_endpoint_knows_no_session_and_the_administration_does(transactional_db: None, tmp_path: Path) -> None:
    bootstrap.ensure_sets()
    with served(tmp_path) as server:
        given = {"Cookie": "sessionid=x; csrftoken=y", "Host": "any.example.org"}
        for answer in (
            requests.get(f"{server.url}/oai?verb=Identify", headers=given, timeout=60),
            requests.post(f"{server.url}/oai", data={"verb": "Identify"}, headers=given, timeout=60),
        ):
            assert answer.status_code == 200
            assert "Set-Cookie" not in answer.headers
            assert "Cookie" not in answer.headers["Vary"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        login = requests.get(f"{server.url}/admin/login/", timeout=60)
        assert "csrftoken" in login.cookies
        refused = requests.post(f"{server.url}/admin/login/", data={"username": "x", "password": "y"}, timeout=60)
        assert refused.status_code == 403, "without a CSRF token"
        assert "/oai" in requests.get(f"{server.url}/robots.txt", timeout=60).text


def test_answers_are_counted_by_what_they_say_over_all_processes(transactional_db: None, tmp_path: Path) -> None:
    bootstrap.ensure_sets()
    figures = tmp_path / "figures"
    figures.mkdir()
    with served(tmp_path, GISC_WEB_WORKERS="2", PROMETHEUS_MULTIPROC_DIR=str(figures)) as server:
        for query in ("verb=ListSets", "verb=ListSets", "verb=Guess", "verb=ListRecords&metadataPrefix=iso19139"):
            requests.get(f"{server.url}/oai?{query}", timeout=60)
        requests.put(f"{server.url}/oai", timeout=60)
        counted = requests.get(f"{server.url}/metrics", timeout=60).text.splitlines()
    for line in (
        'gisc_oai_answers_total{outcome="ok",verb="ListSets"} 2.0',
        'gisc_oai_answers_total{outcome="badVerb",verb=""} 1.0',
        'gisc_oai_answers_total{outcome="noRecordsMatch",verb="ListRecords"} 1.0',
        'gisc_oai_answers_total{outcome="405",verb=""} 1.0',
        'gisc_oai_seconds_count{verb="ListSets"} 2.0',
    ):
        assert line in counted


@pytest.mark.spec("P117", "P112")
def test_clients_that_read_nothing_do_not_block_the_others(catalogue: None, tmp_path: Path) -> None:
    """Each asks for 12 MB and lets it lie. Those beyond GISC_REQUESTS_AT_ONCE wait; health and others are answered."""
    given = {"GISC_WEB_THREADS": "4", "GISC_REQUESTS_AT_ONCE": "2", "GISC_PAGE_BYTES": "1000000000"}
    with served(tmp_path, GISC_TRUSTED_PROXIES="127.0.0.1", **given) as server:
        slow = []
        for _ in range(2):
            link = socket.create_connection(("127.0.0.1", server.port), timeout=60)
            link.sendall(b"GET /oai?verb=ListRecords&metadataPrefix=iso19139 HTTP/1.1\r\nHost: x\r\n\r\n")
            assert link.recv(12) == b"HTTP/1.1 200"  # the answer has begun
            slow.append(link)
        assert requests.get(f"{server.url}/health/live", timeout=60).status_code == 200
        told = requests.get(f"{server.url}/oai?verb=Identify", timeout=60)
        assert (told.status_code, told.headers["Retry-After"]) == (503, "10")
        for link in slow:
            link.close()
        others = (f"203.0.113.{number}" for number in itertools.count())

        def served_again() -> bool:
            """Asked as one who has not been told to wait."""
            from_elsewhere = {"X-Forwarded-For": next(others)}
            return requests.get(f"{server.url}/oai?verb=Identify", headers=from_elsewhere, timeout=60).ok

        until(served_again, timeout_s=60, what="those that went away count no longer")


@pytest.mark.spec("P117", "P9")
def test_a_statement_that_takes_too_long_is_503_and_the_next_request_is_answered(
    catalogue: None, tmp_path: Path
) -> None:
    with served(tmp_path, GISC_WEB_STATEMENT_SECONDS="1") as server:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT catalogue_stamp()")  # a writer that does not come to its end
            held = requests.get(f"{server.url}/oai?verb=ListSets", timeout=60)
        assert (held.status_code, held.headers["Retry-After"]) == (503, "30")
        assert requests.get(f"{server.url}/oai?verb=ListSets", timeout=60).status_code == 200
