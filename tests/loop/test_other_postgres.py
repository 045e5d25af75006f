"""On a PostgreSQL of another version, order of letters and role a node does as on the embedded one: answers, backup, restore."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from lxml import etree

from catalogue import bootstrap
from catalogue.documents.sources import SAMPLES
from catalogue.models import MetadataSet
from catalogue.writing import store
from tests.support import databases, other_postgres
from tests.support.databases import command, done
from tests.support.other_postgres import OtherServer
from tests.support.world import OFFENBACH, TOULOUSE, bury, in_time, iso_record, own_set, peer_set, put

MIGRATED = "migrated"
OAI = "{http://www.openarchives.org/OAI/2.0/}"
TITLES = ("alpha", "Beta", "_gamma", "Écho", "echo", "Zulu", "\u00e5ngstr\u00f6m", "10 m wind", "9 m wind", "気温")
PATHS = (
    "/oai?verb=ListSets",
    *(f"/ogcapi/collections/WIS-CATALOGUE/items?f=json&limit=4&sortby={key}" for key in ("id", "-id")),
    "/ogcapi/collections/WIS-CATALOGUE/items?f=json&filter=title%20%3E%20%27a%27%20AND%20title%20LIKE%20%27%25a%25%27",
    "/ogcapi/collections/WIS-CATALOGUE/items?f=json&facets=keywords&q=wind",
    "/ogcapi/collections?f=json",
    *(f"/sru?version=1.2&operation=scan&scanClause={index}=a" for index in ("dc.title", "dc.identifier", "dc.subject")),
    "/sru?version=1.2&operation=searchRetrieve&query=echo",
    "/search.csv?q=wind",
    "/search.geojson?q=10%20m",
    "/stats.json",
)  # fmt: skip
_MOMENT = re.compile(
    rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]+ GMT"
)
_OF_THE_MOMENT = re.compile(rb'"bytes": ?\d+|cursor=[\w%:-]+')


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OtherServer]:
    """The server, with the migrated database MIGRATED to copy."""
    with other_postgres.running() as running:
        running.make_database(MIGRATED)
        done(command(running.url(MIGRATED), tmp_path_factory.mktemp("migrated"), "migrate"))
        yield running


def fill() -> None:
    """Write records in sets whose names, as their own, are in another order for people than for machines."""
    bootstrap.ensure_sets()
    shared = MetadataSet.objects.create(spec="shared01", name="shared", kind=MetadataSet.Kind.SHARED)
    peers = [peer_set(OFFENBACH), peer_set(TOULOUSE), shared]
    for number, title in enumerate(TITLES):
        for name in (
            f"urn:x-wmo:md:int.wmo.wis::{title.split()[0]}{number}",
            f"urn:x-wmo:md:int.wmo.wis::{number}_{number}A",
        ):
            record = iso_record(
                name, title=title, keywords=[title, title.upper(), "wind"], box=(number, 1, number + 5, 9)
            )
            put(in_time(record, "2001-01-01", f"20{number + 10}-06-01"), into=peers[number % 3])
            if number % 4 == 0:  # in several sets
                put(record, into=peers[(number + 1) % 3])
                put(record, into=shared)
    put(
        iso_record("urn:x-wmo:md:jp.go.jma::own", title="alpha"),
        iso_record("urn:x-wmo:md:jp.go.jma::Own2", title="ALPHA"),
    )
    store.move(["urn:x-wmo:md:jp.go.jma::own"], into=shared)
    bury("urn:x-wmo:md:jp.go.jma::Own2", into=own_set())
    bury("urn:x-wmo:md:int.wmo.wis::Zulu5", into=shared)


def answers(client: Client) -> dict[str, object]:
    found: dict[str, object] = {path: _read(client, path) for path in PATHS}
    for given in ("", *(f"&set={spec}" for spec in ("shared01", "WIS-GISC-OFFENBACH"))):
        # Which were written within one second is not the same.
        found[f"ListRecords{given}"] = sorted(_list(client, f"metadataPrefix=iso19139{given}"))
    return found


def _read(client: Client, path: str) -> bytes:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return _OF_THE_MOMENT.sub(b"", _MOMENT.sub(b"", answer.getvalue()))


def _list(client: Client, arguments: str) -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """Yield identifier, status, sets and digest of the metadata of each record."""
    while arguments:
        root = etree.fromstring(client.get(f"/oai?verb=ListRecords&{arguments}").content)
        for record in root.iter(f"{OAI}record"):
            header = record.find(f"{OAI}header")
            specs = tuple(str(each.text) for each in header.iter(f"{OAI}setSpec"))
            content = record.find(f"{OAI}metadata")
            digest = "" if content is None else hashlib.sha256(etree.tostring(content, method="c14n")).hexdigest()
            yield str(header.findtext(f"{OAI}identifier")), header.get("status", ""), specs, digest
        token = root.findtext(f".//{OAI}resumptionToken")
        arguments = f"resumptionToken={token}" if token else ""


@pytest.mark.django_db(transaction=True)
def test_it_gives_the_answers_of_the_embedded_one(
    server: OtherServer, client: Client, tmp_path: Path, settings
) -> None:
    settings.GISC_PAGE_RECORDS = 4
    fill()
    here = answers(client)
    server.make_database("answers", MIGRATED)
    at = {"HOST": "127.0.0.1", "PORT": str(server.port), "USER": other_postgres.ROLE}
    settings.GISC_JOURNAL_DIR = tmp_path / "journal of the other"
    with databases.in_place_of_the_tests("answers", **at):
        fill()
        there = answers(client)
    for path, answer in here.items():
        assert there[path] == answer, path


def test_a_backup_of_it_is_verified_and_restored(server: OtherServer, tmp_path: Path) -> None:
    server.make_database("node", MIGRATED)
    server.make_database("other")
    first, second = server.url("node"), server.url("other")
    done(command(first, tmp_path, "ingest", str(SAMPLES / "WIS-GISC-TOKYO")))
    done(command(first, tmp_path, "backup", str(tmp_path / "backups")))
    done(
        command(
            second, tmp_path / "second", "restore", str(tmp_path / "backups"), "--journal", str(tmp_path / "journal")
        )
    )
    records = "SELECT identifier, encode(digest, 'hex'), deleted FROM centre.catalogue_record ORDER BY key"
    assert server.sql(records, database="other") == server.sql(records, database="node") != []
    # What others have put there is there.
    for name in ("node", "other"):
        assert server.sql("SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements'", database=name) == [
            (1,)
        ]
