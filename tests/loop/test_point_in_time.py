"""A database that was put back to an earlier second, by the commands of docs/point-in-time-recovery.md, leaves nobody wrong."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests
from pytest_httpserver import HTTPServer

from gisc.parts.reasons import PartCode
from tests.loop import archived_server
from tests.loop.archived_server import ArchivedServer
from tests.loop.data_managers import SPEC, Centre, harvesters, visit_all
from tests.loop.handbook import Checkout, wait_for_ready
from tests.support import asking, provider
from tests.support.nodes import free_port
from tests.support.provider import Provider
from tests.support.waiting import until
from tests.support.world import iso_record

CHANGED, GONE, STAYS, NEW = map(provider.identifier, range(4))  # of the provider that the node harvests


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ArchivedServer]:
    with archived_server.running(tmp_path / "server") as made:
        yield made


@pytest.fixture
def checkout(server: ArchivedServer, tmp_path: Path) -> Checkout:
    made = Checkout(
        tmp_path / "gisc",
        GISC_NAME=SPEC,
        DATABASE_URL=server.url(server.port),
        GISC_JOURNAL_DIR=str(tmp_path / "journal"),
        SECRET_KEY="one of the test, and good for nothing else",
        ALLOWED_HOSTS="127.0.0.1",
        PORT=str(free_port()),
        GISC_WEB_WORKERS="1",
        GISC_PAGE_RECORDS="10",
        LOG_JSON="False",
        **server.environment,
    )
    server.add_programs(made.folder / "programs")
    return made


def second(server: ArchivedServer) -> datetime:
    """Wait for a full second of the server's clock, and return it: all that was is before it, and all that comes later."""
    full = server.sql("SELECT date_trunc('second', clock_timestamp()) + '1 s'")[0][0]
    until(lambda: server.sql("SELECT clock_timestamp()")[0][0] > full, 5, "the second has come")
    return datetime.fromtimestamp(full.timestamp(), UTC)


def stored(server: ArchivedServer) -> list[tuple[object, ...]]:
    return server.sql("SELECT identifier, deleted, datestamp, digest FROM catalogue_record ORDER BY identifier")


def backed_up(server: ArchivedServer, checkout: Checkout) -> None:
    """Set the server up, and make what its timer makes."""
    checkout.run(server.commands("Set up", "stanza-create"))
    checkout.run(server.commands("Set up", "systemctl enable"))


def by_timer(server: ArchivedServer, kind: str) -> None:
    unit = (server.configuration / "pgbackrest@.service").read_text(encoding="utf-8")
    [command] = re.findall(r"^ExecStart=(.*)$", unit, re.M)
    server.run("sudo", "-u", "postgres", *command.replace("%i", kind).split())


def ask(base_url: str, **arguments: str) -> asking.Answer:
    return asking.read(requests.get(base_url, arguments, timeout=60))


def headers(base_url: str, spec: str) -> dict[str, asking.Header]:
    answer = ask(base_url, verb="ListIdentifiers", metadataPrefix="iso19139", set=spec)
    assert not answer.token
    return {header.identifier: header for header in answer.headers}


def check_that_a_silent_archive_is_seen(server: ArchivedServer, base_url: str) -> None:
    """The node says that its log cannot be archived, and that it can again."""

    def is_told() -> bool:
        server.sql("SELECT pg_switch_wal()")
        parts = requests.get(base_url.replace("/oai", "/health/ready"), timeout=30).json()["parts"]
        return bool(parts["backup"]["code"] == PartCode.WAL_NOT_ARCHIVED)

    assert not is_told()
    repository, away = server.folder / "repository", server.folder / "away"
    repository.rename(away)
    until(is_told, 60, "the node says that nothing is archived")
    away.rename(repository)
    until(lambda: not is_told(), 90, "the node says that its log is archived again")


@pytest.mark.spec("W11", "W34", "P92", "P105")
def test_a_database_that_was_put_back_to_an_earlier_second_leaves_no_harvester_wrong(
    server: ArchivedServer, checkout: Checkout, httpserver: HTTPServer
) -> None:
    centre, base_url = Centre(checkout), f"http://127.0.0.1:{checkout.settings['PORT']}/oai"
    peer = Provider(httpserver)
    provider.fill(peer, range(3))
    link = ["link", "add", "toulouse", peer.base_url, "--set", "WIS-GISC-TOULOUSE", "--lateness", "8784"]
    centre.before_the_backup()
    backed_up(server, checkout)
    checkout.manage(link, ["harvest", "toulouse"], ["link", "disable", "toulouse"])
    by_timer(server, "incr")
    checkout.manage(centre.ingest(["NEW0001"]))  # after the last backup
    server.sql("INSERT INTO django_session VALUES ('signed in', '', now() + '1 day')")
    before, at = stored(server), second(server)

    copies = harvesters(base_url)
    with checkout.serving() as log:
        wait_for_ready(log)
        visit_all(copies)
        check_that_a_silent_archive_is_seen(server, base_url)
        centre.after_the_backup()
        server.sql("DELETE FROM django_session")
        peer.now = "2026-03-02T12:00:00Z"
        for name, document in ((CHANGED, iso_record(CHANGED, title="Changed")), (GONE, None), (NEW, iso_record(NEW))):
            peer.entries[name] = (peer.now, document)
        checkout.manage(["harvest", "toulouse"])
        visit_all(copies)
        begun = ask(base_url, verb="ListRecords", metadataPrefix="iso19139")
        assert begun.token
        seen = {spec: headers(base_url, spec) for spec in copies}
    centre.at_last()
    server.sql("DROP TABLE catalogue_membership CASCADE")

    checkout.run(server.commands("Recover", "--type=time", at=at))
    assert stored(server) == before
    assert server.sql("SELECT count(*) FROM django_session") == [(1,)]
    assert "manage.py restore --in-place" in checkout.fails(".venv/bin/python manage.py journal status")
    with checkout.serving(server.commands("Recover", "--in-place")) as log:
        wait_for_ready(log)
        text = log.read_text(encoding="utf-8")
        assert "9 records deleted again, 4 moved again" in text
        assert server.sql("SELECT count(*) FROM django_session") == [(0,)], "nobody is signed in again"
        health = requests.get(base_url.replace("/oai", "/health/ready"), timeout=30).json()
        assert (health["ready"], health["journal"]) == (True, "ok")
        refused = ask(base_url, verb="ListRecords", resumptionToken=begun.token)
        assert refused.codes == ["badResumptionToken"] and "restored" in refused.texts[0]
        # What harvesters have seen is before what they see now, wherever that may differ.
        latest = max(begun.date, *(header.datestamp for header in seen[SPEC].values()))
        assert min(header.datestamp for header in headers(base_url, SPEC).values()) > latest
        asked = len(peer.lists)
        checkout.manage(["harvest", "toulouse"])
        assert peer.lists[asked]["from"] < peer.now, "the link goes on from where it was at that second"
        centre.check(copies, base_url, of_others={CHANGED, STAYS, NEW})
        check_that_a_mistake_is_undone(server, checkout)
        centre.check(copies, base_url, of_others={CHANGED, STAYS, NEW})


def check_that_a_mistake_is_undone(server: ArchivedServer, checkout: Checkout) -> None:
    """Withdraw all own records, and bring them back from a copy of the second before."""
    before, at = stored(server), second(server)
    checkout.manage(["withdraw", "--set", SPEC, "--all"])
    heading, port = "Records that were withdrawn by mistake", str(free_port())
    checkout.run(server.commands(heading, "--target-action=pause", at=at))
    checkout.run(server.commands(heading, "--revive", port=port))
    checkout.run(server.commands(heading, "pg_dropcluster"))
    live = [row[0] for row in before if not row[1]]
    assert [row[0] for row in stored(server) if not row[1]] == live
