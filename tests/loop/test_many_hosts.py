"""Two whole hosts, with data directories of their own, for one catalogue: one PostgreSQL and one Redis are all that they share."""

import subprocess
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import psutil
import pytest
import requests
from lxml import etree
from pytest_httpserver import HTTPServer

from catalogue.oai import OAI_NS
from gisc import embedded
from tests.support.many_commands import manage_loaded
from tests.support.nodes import Node, free_port
from tests.support.provider import Provider, fill
from tests.support.waiting import until
from tests.support.world import iso_record

RECORDS, PASSWORD = 12, "a password of an administrator"
PER_MINUTE = 30


class Hosts:
    """Two nodes with the same settings."""

    def __init__(self, folder: Path, redis_port: int) -> None:
        self.settings = {
            "DATABASE_URL": embedded.database_url(folder / "servers"),
            "REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
            "SECRET_KEY": "known to both",
            "ALLOWED_HOSTS": "127.0.0.1,gisc.example.org",
            "GISC_NAME": "WIS-GISC-TOKYO",
            "GISC_BASE_URL": "http://gisc.example.org",
            "GISC_UPLOAD_DIR": str(folder / "uploads"),
            "GISC_PAGE_RECORDS": "5",
            "GISC_TRUSTED_PROXIES": "127.0.0.1",
            "GISC_REQUESTS_PER_MINUTE": str(PER_MINUTE),
            "GISC_BEAT_SECONDS": "1",
            "GISC_LEASE_SECONDS": "5",
            "GISC_HARVEST_WORKERS": "1",
            "GISC_ADMIN_PASSWORD": PASSWORD,
            "GISC_JOURNAL_DIR": str(folder / "journal of a shell"),
        }
        self.folder = folder
        self.both: list[Node] = []

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        data_dir = str(self.folder / "data of a shell")
        done = manage_loaded(*arguments, timeout_s=300, **self.settings, GISC_DATA_DIR=data_dir)
        assert done.returncode == 0, done.stderr
        return done

    def start(self) -> None:
        for name in ("one", "two"):
            own = {"GISC_JOURNAL_DIR": str(self.folder / f"journal of {name}"), "LOG_JSON": "False"}
            self.both.append(Node(self.folder / name, free_port(), **self.settings | own))
        for node in self.both:
            until(node.answers, 120, node.output)

    def host_of(self, port: int) -> Node:
        """The host that one of its processes has connected from this port."""
        (pid,) = {each.pid for each in psutil.net_connections("tcp") if each.laddr.port == port and each.pid}
        family = {pid, *(parent.pid for parent in psutil.Process(pid).parents())}
        (node,) = (node for node in self.both if node.process.pid in family)
        return node


def kill(node: Node) -> None:
    """End all processes of a host at once, as a power cut does."""
    head = psutil.Process(node.process.pid)
    for process in [head, *head.children(recursive=True)]:
        process.kill()
    node.process.wait(60)


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    folder, port = tmp_path, free_port()
    with embedded.database(folder / "servers"):
        redis = subprocess.Popen(
            [*embedded.redis_command(folder / "servers"), "--port", str(port), "--bind", "127.0.0.1"],
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
        )
        hosts = Hosts(folder, port)
        try:
            until(lambda: embedded.has_socket(folder / "servers"), 60, "Redis runs")
            hosts.manage("migrate")
            hosts.start()
            yield hosts
        finally:
            for node in hosts.both:
                node.close()
            redis.terminate()
            redis.wait(60)


def test_two_hosts_are_one_node_for_harvesters_and_people(hosts: Hosts) -> None:
    walk_from_host_to_host(hosts)
    upload_at_the_other_host(hosts)
    ask_both_hosts_too_often(hosts)


def walk_from_host_to_host(hosts: Hosts) -> None:
    """A list goes on at the other host, page by page."""
    records = hosts.folder / "records"
    records.mkdir()
    for number in range(RECORDS):
        (records / f"{number}.xml").write_bytes(iso_record(f"urn:{number}"))
    hosts.manage("ingest", str(records))
    found: list[str] = []
    arguments = {"verb": "ListRecords", "metadataPrefix": "iso19139"}
    for number in range(3):
        answer = requests.get(f"{hosts.both[number % 2].url}/oai", arguments, timeout=60)
        page = etree.fromstring(answer.content)
        found += [each.text or "" for each in page.iterfind(f".//{{{OAI_NS}}}identifier")]
        token = page.find(f".//{{{OAI_NS}}}resumptionToken")
        assert token is not None, answer.text
        arguments = {"verb": "ListRecords", "resumptionToken": token.text or ""}
    assert sorted(found) == sorted(f"urn:{number}" for number in range(RECORDS)) and arguments["resumptionToken"] == ""


def upload_at_the_other_host(hosts: Hosts) -> None:
    """Who has signed in at one host uploads at the other, and a worker of either checks the documents."""
    one, two = hosts.both
    person = requests.Session()
    login = f"{one.url}/admin/login/?next=/admin/"
    person.get(login, timeout=60)
    form = {"username": "admin", "password": PASSWORD, "csrfmiddlewaretoken": person.cookies["csrftoken"]}
    assert person.post(login, form, timeout=60, headers={"Referer": login}).url == f"{one.url}/admin/"
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        for number in range(3):
            packed.writestr(f"{number}.xml", iso_record(f"urn:uploaded:{number}"))
    page = f"{two.url}/admin/catalogue/upload/add/"
    person.get(page, timeout=60)
    sent = person.post(
        page,
        {"set": "WIS-GISC-TOKYO", "csrfmiddlewaretoken": person.cookies["csrftoken"]},
        files={"files": ("three.zip", archive.getvalue())},
        headers={"Referer": page},
        timeout=60,
    )
    assert sent.ok and "/admin/catalogue/upload/add/" not in sent.url, sent.text
    until(lambda: "3 new" in person.get(sent.url, timeout=60).text, 120, lambda: person.get(sent.url, timeout=60).text)


def ask_both_hosts_too_often(hosts: Hosts) -> None:
    """A harvester has one limit, however many hosts it asks."""

    def ask(number: int) -> int:
        return requests.get(
            f"{hosts.both[number % 2].url}/oai?verb=Identify", timeout=60, headers={"X-Forwarded-For": "203.0.113.9"}
        ).status_code

    first = next(number for number in range(4 * PER_MINUTE) if ask(number) == 503)
    assert PER_MINUTE <= first < 2 * PER_MINUTE, "two hosts give no more than one"


def test_a_run_of_a_host_that_dies_is_gone_on_with_by_the_other(hosts: Hosts, httpserver: HTTPServer) -> None:
    provider = Provider(httpserver, page_size=2)
    fill(provider, range(20))
    killed: list[Node] = []

    def power_cut(arguments: dict[str, str]) -> None:
        if len(provider.lists) == 4 and not killed:
            killed.append(hosts.host_of(int(provider.requests[-1].environ["REMOTE_PORT"])))
            kill(killed[0])

    provider.faults.append(power_cut)
    hosts.manage("set", "add", "WIS-GISC-TOULOUSE", "--name", "Toulouse")
    into = ("--set", "WIS-GISC-TOULOUSE", "--into", "WIS-GISC-TOULOUSE", "--prefix", "ISO19139")
    hosts.manage("link", "add", "toulouse", provider.base_url, *into)
    (living,) = (node for node in hosts.both if node not in until(lambda: killed, 120, "the run has begun"))

    def complete() -> bool:
        figures = requests.get(f"{living.url}/stats.json", timeout=60).json()
        return any((row["set"], row["live"]) == ("WIS-GISC-TOULOUSE", 20) for row in figures["sets"])

    until(complete, 180, living.output)
