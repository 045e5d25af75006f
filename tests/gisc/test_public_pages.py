"""The public pages: no input gives 500, none takes the node from its harvesters, and 503 is one plain sentence."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2
import pytest
import requests
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue import bootstrap
from catalogue.discovery.ogcapi import parameters
from catalogue.pages import interfaces
from gisc.public_pages import BUSY, is_public
from tests.support import world
from tests.support.nodes import answers
from tests.support.served import Served, served
from tests.support.waiting import until

PAGES = ["/", "/?q=data", "/?set=WIS-GISC-TOKYO", "/record?id=urn:0", "/record.xml?id=urn:0", "/stats.json"]
PAGES += ["/glossary", "/harvest/", "/harvest/status.json"]
PAGES += ["/ogcapi/collections", "/ogcapi/collections/WIS-CATALOGUE/items"]
AWAY = "The catalogue cannot be read at the moment; please try again later."
OPERATORS = ["-", "--", '"', "'", "\\", "&", "|", "!", ":*", "<->", "(", ")", "or", "OR", "*", "%", "_", "\0", "\n"]
WORDS = [
    "data",
    "sea-ice",
    "the",
    "a",
    "http://example.org/x?y=z",
    "a@b.org",
    "1e400",
    "-1.5",
    "1.2.3",
    "全国合成レーダー",
    "ß",
]
TEXT = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(OPERATORS + WORDS), max_size=60).map("".join),
    st.lists(st.sampled_from(OPERATORS + WORDS), max_size=60).map(" ".join),
    st.sampled_from(["-" * 40, "- " * 500, '"' * 41, "a" * 100_000, "a-" * 50_000, "'" * 99, "(" * 500, "or " * 700]),
    st.binary(max_size=40).map(lambda raw: raw.decode("latin-1")),
    st.text(st.characters(categories=["Cs", "Lo", "Co"]), max_size=10),
)
NUMBER = st.one_of(st.integers().map(str), st.floats().map(str), st.sampled_from(["9" * 5000, "0x1", "٣", "-0"]), TEXT)
MANY = hypothesis_settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def paths() -> list[str]:
    """The paths of all routes that are public."""
    found = []

    def walk(prefix: str, patterns: list[URLPattern | URLResolver]) -> None:
        for item in patterns:
            path = prefix + str(item.pattern)
            if isinstance(item, URLResolver):
                walk(path, item.url_patterns)
            elif is_public(path):
                found.append(path)

    walk("/", get_resolver().url_patterns)
    return found


def encoded(text: str) -> str:
    """Percent-encoded, lone surrogates as well."""
    return "".join(f"%{byte:02x}" for byte in text.encode("utf-8", "surrogatepass"))


@pytest.fixture
def one_record(db: None) -> None:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0", title="Data of the sea-ice"))


@MANY
@example(path="/", text="-" * 40, number="1", spec=world.OUR_SPEC)
@given(path=st.sampled_from(paths()), text=TEXT, number=NUMBER, spec=st.one_of(st.just(world.OUR_SPEC), TEXT))
def test_no_input_of_a_public_page_gives_500(
    client: Client, one_record: None, path: str, text: str, number: str, spec: str
) -> None:
    for query in (f"q={encoded(text)}&page={encoded(number)}", f"q={encoded(text)}&set={encoded(spec)}"):
        # OGC API - Records and GeoDCAT-AP refuse parameters that they do not have.
        allowed = (400, 404) if path.startswith(("/ogcapi/", "/dcat/")) else (200, 404, 410)
        assert client.get(f"{path}?{query}&id={encoded(text)}").status_code in allowed


@MANY
@given(
    path=st.sampled_from(["/ogcapi/collections/WIS-CATALOGUE/items", "/ogcapi/collections/{}/items", "/ogcapi/collections/WIS-CATALOGUE/items/{}", "/ogcapi/{}"]),
    name=st.sampled_from([*parameters.OF_ITEMS, "lang", "profile", "f"]),
    language=st.sampled_from(["cql2-text", "cql2-json"]),
    text=TEXT,
    number=NUMBER,
)  # fmt: skip
def test_no_parameter_of_ogc_api_gives_500(
    client: Client, one_record: None, path: str, name: str, language: str, text: str, number: str
) -> None:
    filter_lang = f"&filter-lang={language}" if name == "filter" else ""
    for value in (encoded(text), encoded(number)):
        answer = client.get(f"{path.format(value)}?{name}={value}{filter_lang}")
        assert answer.status_code in (200, 301, 400, 404, 410)


def test_what_is_public_is_what_is_neither_of_harvesters_nor_of_operators() -> None:
    of_harvests = ("", "status.json", "runs.atom", "run/<int:run>/")
    of_links = ("<slug:name>/", "<slug:name>/link.json", "<slug:name>/runs.atom")
    reports = ("report/<uuid:key>/", "report/<uuid:key>/report.json", "report/<uuid:key>/rejects.csv")
    badges = ("badge/set/<path:spec>.svg", "badge/<slug:name>.svg")
    assert paths() == [
        "/glossary",
        *(f"/monitoring/{path}" for path in ("monitor.json", "centres.json", "history.json")),
        *(f"/harvest/{path}" for path in (*badges, *of_harvests, *reports, *of_links)),
        *("/", "/record", "/contacts", "/record.xml", "/stats.json"),
        *("/feed.atom", "/search.<slug:form>", "/opensearch.xml", "/sitemap.xml", "/sitemap-<int:number>.xml"),
        *("/sru", "/csw"),
        *("/dcat/", "/dcat/catalog.<slug:form>", "/dcat/dataset.<slug:form>"),
        *(f"/ogcapi/{path}" for path in ("", "conformance", "openapi", "collections", "collections/<str:spec>")),
        *(f"/ogcapi/collections/<str:spec>/{path}" for path in ("queryables", "sortables", "facets", "items")),
        *("/ogcapi/collections/<str:spec>/items/<path:identifier>", "/ogcapi/<path:path>"),
    ]
    assert not any(map(is_public, ("/oai", "/oai/browse", "/admin/", "/health/ready", "/metrics", "/static/x.css")))


# --- As it is served --------------------------------------------------------------------------------


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0", title="Data"))
    with served(tmp_path, GISC_PUBLIC_STATEMENT_SECONDS="1", GISC_WEB_THREADS="2") as running:
        yield running


@contextmanager
def without_database() -> Iterator[None]:
    """Cut all connections but those of this test, and let nobody connect."""
    database = connection.settings_dict
    host = database["OPTIONS"].get("host") or database["HOST"]
    other = psycopg2.connect(dbname="postgres", user=database["USER"], host=host, port=database["PORT"] or 5432)
    other.autocommit = True
    connection.close()
    with other.cursor() as cursor:
        cursor.execute(f'ALTER DATABASE "{database["NAME"]}" ALLOW_CONNECTIONS false')
        try:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [database["NAME"]]
            )
            yield
        finally:
            cursor.execute(f'ALTER DATABASE "{database["NAME"]}" ALLOW_CONNECTIONS true')
            other.close()


def refused_in_a_sentence(answer: requests.Response, sentence: str) -> None:
    assert answer.status_code == 503, answer.text[:500]
    assert int(answer.headers["Retry-After"]) > 0
    kind = answer.headers["Content-Type"].partition(";")[0]
    if "/ogcapi/" in answer.url:
        told = answer.json()
        assert (kind, told["status"], told["detail"]) == ("application/problem+json", 503, sentence)
    elif ".json" in answer.url:
        assert (kind, answer.json()) == ("application/json", {"error": sentence})
    else:
        assert kind == ("text/plain" if ".xml" in answer.url else "text/html")
        assert sentence in answer.text


def test_without_the_database_each_page_is_503_and_comes_back_by_itself(server: Served) -> None:
    for path in PAGES:
        assert requests.get(server.url + path, timeout=60).status_code == 200, path
    with without_database():
        for path in PAGES:
            refused_in_a_sentence(requests.get(server.url + path, timeout=60), AWAY)
        assert requests.get(f"{server.url}/nowhere", timeout=60).status_code == 404
    for path in PAGES:
        assert requests.get(server.url + path, timeout=60).status_code == 200, path
    assert "Traceback" not in server.log.read_text()


def test_without_the_database_the_administration_is_503_and_comes_back_by_itself(server: Served) -> None:
    signed_in = {"Cookie": "sessionid=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
    with without_database():
        for path in ("/admin/", "/admin/harvester/link/", "/admin/login/"):
            answer = requests.get(server.url + path, timeout=60, headers=signed_in)
            assert answer.status_code == 503, path
            assert "database of this node cannot be used at the moment" in answer.text
    assert requests.get(f"{server.url}/admin/", timeout=60, headers=signed_in).status_code == 200


@contextmanager
def locked() -> Iterator[None]:
    """Let nobody read descriptions, and links."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE catalogue_description, harvester_link, catalogue_metadataset")
        yield


def test_a_statement_that_takes_too_long_is_503_and_the_next_request_is_answered(server: Served) -> None:
    for path in (
        "/?q=data",
        "/?set=WIS-GISC-TOKYO",
        "/harvest/",
        "/harvest/status.json",
        "/stats.json",
        "/ogcapi/collections",
    ):
        with locked():
            refused_in_a_sentence(requests.get(server.url + path, timeout=60), AWAY)
        assert requests.get(server.url + path, timeout=60).status_code == 200


@pytest.fixture
def patient(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    bootstrap.ensure_sets()
    with served(tmp_path, GISC_PUBLIC_STATEMENT_SECONDS="60", GISC_WEB_THREADS="2") as running:
        yield running


# Each interface that searches.
OF_CROWD = (
    "/?q=data",
    "/sru?operation=searchRetrieve&version=1.2&query=data",
    *(
        ["/csw?service=CSW&version=2.0.2&request=GetRecords&typeNames=csw:Record&resultType=results"]
        if interfaces.is_offered(interfaces.CSW)
        else []
    ),
    "/dcat/?q=data",
    "/ogcapi/collections/WIS-CATALOGUE/items?q=data",
)


def test_a_crowd_on_the_public_pages_keeps_no_harvester_waiting_and_is_told_to_come_back(patient: Served) -> None:
    server = patient
    crowd = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=120) for _ in range(100)]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE catalogue_description")
        for number, link in enumerate(crowd):
            link.request("GET", OF_CROWD[number % len(OF_CROWD)])
        # More than all threads are waiting. With one queue for all this would be answered when they have given up.
        for _ in range(10):
            assert requests.get(f"{server.url}/oai?verb=Identify", timeout=15).status_code == 200
        refused = [link.getresponse() for link in crowd[-20:]]
        assert {answer.status for answer in refused} == {503}
        assert any(answer.read().decode() == f"{BUSY}\n" for answer in refused)
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)
    for link in crowd:
        link.close()
    until(lambda: answers(f"{server.url}/?q=data"), timeout_s=60, what="the public pages are answered again")


def test_clients_that_send_half_a_request_keep_nobody_waiting(server: Served) -> None:
    slow = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=60) for _ in range(3)]
    for link in slow:
        link.connect()
        link.sock.sendall(b"GET /?q=da")
    for path in ("/oai?verb=Identify", "/?q=data"):
        assert requests.get(server.url + path, timeout=5).status_code == 200
    for link in slow:
        link.close()
