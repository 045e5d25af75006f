"""nginx of Debian, with the files of docker/nginx, keeps the pages of lists that a node lets everybody have, and nothing else."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import psycopg2
import pytest
import requests

from gisc import embedded
from gisc.bench.servers import FILES_OF_NGINX, NGINX, Server, nginx
from tests.support import archives, asking, certificates
from tests.support.nodes import Node, free_port, manage
from tests.support.paths import ROOT

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed (apt-get install nginx-light)")
LIST = "verb=ListIdentifiers&metadataPrefix=iso19139"
NAMES = [f"REC{number:04}" for number in range(7)]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    folder = tmp_path_factory.mktemp("shared")
    own = {"GISC_JOURNAL_DIR": str(folder / "journal"), "GISC_SHARED_CACHE": "True", "GISC_PAGE_HEADERS": "2"}
    running = Node(folder / "var", free_port(), **own)
    try:
        running.ready()
        archive = archives.make(folder / "archive.tar", NAMES)
        done = manage("ingest", str(archive), timeout_s=300, GISC_DATA_DIR=str(running.data_dir), **own)
        assert done.returncode == 0, done.stderr
        sql(
            running, "UPDATE catalogue_record SET datestamp = datestamp - interval '1 hour'"
        )  # a shared list ends with a minute
        yield running
    finally:
        running.close()


@pytest.fixture
def proxy(node: Node, tmp_path: Path) -> Iterator[str]:
    """The address of `/oai` through nginx, whose cache is empty."""
    behind = Server("node", "/oai", node.port, SimpleNamespace())
    with nginx(tmp_path, behind, cached=True) as running:
        yield f"http://127.0.0.1:{running.port}/oai"


def sql(node: Node, statement: str) -> None:
    with psycopg2.connect(embedded.database_url(node.data_dir)) as session, session.cursor() as cursor:
        cursor.execute(statement)
    session.close()


def answered(node: Node) -> float:
    """How many lists the node itself has answered."""
    text = requests.get(f"{node.url}/metrics", timeout=60).text
    return sum(
        float(value) for value in re.findall(r'^gisc_oai_answers_total\{.*verb="ListIdentifiers"\} (\S+)$', text, re.M)
    )


def get(proxy: str, query: str, **headers: str) -> requests.Response:
    return requests.get(f"{proxy}?{query}", timeout=60, headers=headers)


def walk(proxy: str, **headers: str) -> list[Any]:
    pages = [asking.read(get(proxy, LIST, **headers))]
    while pages[-1].token:
        query = f"verb=ListIdentifiers&resumptionToken={quote(pages[-1].token)}"
        pages.append(asking.read(get(proxy, query, **headers)))
    return pages


@pytest.mark.spec("P116")
def test_a_second_harvester_gets_the_pages_from_the_cache_but_the_first(node: Node, proxy: str) -> None:
    before = answered(node)
    one, two = walk(proxy), walk(proxy)
    if one[0].token != two[0].token:  # a minute has begun between the two
        before, one, two = answered(node), walk(proxy), walk(proxy)
    assert len(asking.headers_of(one)) == len(NAMES)
    assert [page.headers for page in one] == [page.headers for page in two]
    assert answered(node) == before + len(one) + 1


@pytest.mark.spec("P116")
def test_each_coding_is_kept_by_itself_and_each_way_to_write_gzip_is_one(node: Node, proxy: str) -> None:
    token = quote(walk(node.url + "/oai")[0].token)
    query, before = f"verb=ListIdentifiers&resumptionToken={token}", answered(node)
    for written in ("gzip", "gzip, deflate", "br;q=1.0, gzip;q=0.8, *;q=0.1", "x, GZIP"):
        assert get(proxy, query, **{"Accept-Encoding": written}).headers["Content-Encoding"] == "gzip", written
    assert answered(node) == before + 1
    for written in ("identity", "gzip;q=0", "gzip; q=0.0, identity"):
        assert "Content-Encoding" not in get(proxy, query, **{"Accept-Encoding": written}).headers, written


def test_a_browser_gets_its_own_answer_and_leaves_none_in_the_cache(node: Node, proxy: str) -> None:
    token = quote(walk(node.url + "/oai")[0].token)
    query = f"verb=ListIdentifiers&resumptionToken={token}"
    for _ in range(2):
        assert b"xml-stylesheet" in get(proxy, query, Accept="text/html, application/xhtml+xml").content
        assert b"xml-stylesheet" not in get(proxy, query).content


@pytest.mark.spec("P39", "P116")
def test_a_withdrawn_record_may_come_from_the_cache_and_the_next_list_says_that_it_is_gone(
    node: Node, proxy: str
) -> None:
    one = walk(proxy)
    last = one[-1].headers[-1].identifier
    own = {"GISC_DATA_DIR": str(node.data_dir), "GISC_JOURNAL_DIR": str(node.data_dir.parent / "journal")}
    assert manage("withdraw", last, timeout_s=300, **own).returncode == 0
    kept = asking.read(get(proxy, f"verb=ListIdentifiers&resumptionToken={quote(one[-2].token)}"))
    assert [(header.identifier, header.deleted) for header in kept.headers] == [(last, False)]
    following = asking.read(get(proxy, f"{LIST}&from={one[0].date}"))
    assert [(header.identifier, header.deleted) for header in following.headers] == [(last, True)]


def test_the_configuration_of_the_containers_is_one(tmp_path: Path) -> None:
    """As nginx reads it, with the folders of this test in place of the container's."""
    folder = tmp_path / "gisc"
    shutil.copytree(FILES_OF_NGINX, folder)
    keys = certificates.folder()
    places = {
        "/tmp/": f"{tmp_path}/",  # first: the others may lead there
        "/etc/gisc": str(folder),
        "/var/cache/nginx": str(tmp_path),
        "user nginx;": "",
        "/run/secrets/tls_certificate": str(keys / "good.pem"),
        "/run/secrets/tls_key": str(keys / "good.key"),
    }
    for file in folder.glob("*.conf"):
        text = file.read_text(encoding="utf-8")
        for there, here in places.items():
            text = text.replace(there, here)
        file.write_text(text, encoding="utf-8")
    (tmp_path / "gisc.conf").write_text("resolver 127.0.0.1;\nclient_max_body_size 10m;\n", encoding="utf-8")
    done = subprocess.run(
        [str(NGINX), "-t", "-p", str(tmp_path), "-c", str(folder / "nginx.conf")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
