"""The version before runs on while this one migrates its database, and this one goes on where it stopped.

The old code is taken from git and runs with the packages of this version: what differs is the code, and the database that both use.

What 0.9.0 writes here has identifiers without capital letters. It looks others up by a key in lower case, which a migration
replaces (catalogue 0005): it goes on listing them, but does not find them. Therefore docs/deployment.md stops it first.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from lxml import etree
from pytest_httpserver import HTTPServer

from tests.support import archives, asking, databases, world
from tests.support.nodes import Node, environment, free_port
from tests.support.paths import ROOT
from tests.support.provider import Provider
from tests.support.waiting import until
from tests.upgrade import dumps
from tests.upgrade.make_fixture import DATA, SECRET_KEY

# The commits that were released, for a clone without their tags. For 0.9.0 it is the one that made its fixture.
COMMITS = {"0.9.0": "df71bf1a075818f72f8392c4aeeac9bc92985ee0", "1.0.0": "973d5b3ac4eac66ba3f19bf6694c0126c3f16e07"}
VERSIONS = sorted(file.parent.name for file in DATA.glob("*/observed.json"))
CHANGED, WITHDRAWN, MEANWHILE, NEW = (
    f"urn:x-wmo:md:jp.jma::{name}" for name in ("changed", "withdrawn", "meanwhile", "new")
)
HARVESTED = {f"urn:x-wmo:md:kr.kma::{number}" for number in range(5)}
# Several commands in one process of the old code.
_COMMANDS = """
import json, sys
from gisc import cli
sys.exit(any(cli.main(["manage.py", *arguments]) for arguments in json.loads(sys.argv[1])))
"""


class OldVersion:
    """The code of a released version in a folder of its own, with a node of it that runs on a database of the time."""

    def __init__(self, code: Path, folder: Path, database: str) -> None:
        self.code, self.database = code, database
        self.settings = {
            "DATABASE_URL": databases.url(database),
            "SECRET_KEY": SECRET_KEY,
            "ALLOWED_HOSTS": "*",
            "GISC_NAME": "WIS-GISC-TOKYO",
            "GISC_JOURNAL_DIR": str(folder / "journal"),
            "GISC_TOMBSTONE_RETENTION_DAYS": "",  # or those of the fixture would be forgotten some day
            "GISC_BEAT_SECONDS": "1",
        }
        self.node = Node(folder / "var", free_port(), inside=code, **self.settings)

    def run(self, *commands: list[str]) -> None:
        """Run commands of the old version on the database of its node."""
        done = subprocess.run(
            [sys.executable, "-c", _COMMANDS, json.dumps(commands)],
            cwd=self.code,
            env=environment(GISC_DATA_DIR=str(self.node.data_dir), **self.settings),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(params=VERSIONS)
def old_code(request, tmp_path: Path) -> Path:
    """The files of a released version. Skips the test where git does not have them, as in a shallow clone."""
    commit = COMMITS.get(request.param, request.param)
    archive = tmp_path / "code.tar"
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", "archive", f"--output={archive}", f"{commit}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"git does not have version {request.param} ({commit[:12]}): {done.stderr.strip()}")
    folder = tmp_path / "code"
    with tarfile.open(archive) as tar:
        archives.unpack(tar, folder)
    return folder


@pytest.fixture
def old(request, old_code: Path, tmp_path: Path, django_db_setup: None, django_db_blocker) -> Iterator[OldVersion]:
    released = DATA / request.node.callspec.params["old_code"]
    shutil.copytree(released / "journal", tmp_path / "journal")
    with django_db_blocker.unblock(), databases.scratch() as name:
        dumps.load(name, released / "database.sql")
        databases.execute(name, "UPDATE harvester_link SET enabled = false")  # their providers are nowhere
        version = OldVersion(old_code, tmp_path, name)
        try:
            version.node.ready()
            yield version
        finally:
            version.node.close()


def listed(node: Node) -> dict[str, tuple[object, ...]]:
    """What a node lists: of each record its datestamp, sets, whether it is deleted, and the digest of its metadata."""
    found: dict[str, tuple[object, ...]] = {}
    arguments = {"verb": "ListRecords", "metadataPrefix": "iso19139"}
    while arguments:
        answer = asking.read(requests.get(f"{node.url}/oai", params=arguments, timeout=60))
        assert answer.codes == []
        metadata = [record.find("o:metadata", asking.NS) for record in answer.find("//o:record")]
        for header, part in zip(answer.headers, metadata, strict=True):
            digest = hashlib.sha256(etree.tostring(part, method="c14n")).hexdigest() if part is not None else ""
            found[header.identifier] = (header.datestamp, set(header.sets), header.deleted, digest)
        arguments = {"verb": "ListRecords", "resumptionToken": answer.token} if answer.token else {}
    return found


def test_the_version_before_goes_on_while_it_is_migrated_and_this_one_takes_over(
    old: OldVersion, tmp_path: Path, httpserver: HTTPServer
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, identifiers in ((first, (CHANGED, WITHDRAWN)), (second, (CHANGED, NEW))):
        folder.mkdir()
        for each in identifiers:
            (folder / f"{each.rpartition(':')[2]}.xml").write_bytes(
                world.iso_record(each, title=f"Kaleidoscope, {folder.name}")
            )
    old.run(["ingest", str(first)])
    before = listed(old.node)
    assert {CHANGED, WITHDRAWN} <= before.keys()
    assert {entry[2] for entry in before.values()} == {True, False}

    # While the migrations run, its web server lists what it did, and a record is stored.
    file = tmp_path / "meanwhile.xml"
    file.write_bytes(world.iso_record(MEANWHILE, title="Kaleidoscope"))
    with ThreadPoolExecutor(2) as pool:
        migrating = pool.submit(dumps.command, old.database, "migrate", "-v0")
        writing = pool.submit(old.run, ["ingest", str(file)])
        walks = 0
        while not (migrating.done() and writing.done()):
            seen = listed(old.node)
            assert {key: entry for key, entry in seen.items() if key != MEANWHILE} == before
            walks += 1
    migrated = migrating.result()
    assert migrated.returncode == 0, migrated.stderr
    writing.result()
    assert walks

    # After them it goes on as well: it stores, withdraws, and its worker harvests a link that is new.
    provider = Provider(httpserver)
    provider.entries = {each: ("2026-02-01T00:00:00Z", world.iso_record(each)) for each in HARVESTED}
    old.run(
        ["ingest", str(second)],
        ["withdraw", WITHDRAWN],
        ["link", "add", "seoul", provider.base_url, "--prefix", "ISO19139", "--set", "WIS-GISC-SEOUL"],
    )
    until(lambda: listed(old.node).keys() >= HARVESTED, timeout_s=120, what="the worker of before harvests")
    last = listed(old.node)
    assert last.keys() == before.keys() | HARVESTED | {NEW, MEANWHILE}
    assert last[WITHDRAWN][2]
    assert last[CHANGED][3] != before[CHANGED][3]
    assert {key: last[key] for key in before.keys() - {CHANGED, WITHDRAWN}} == {
        key: before[key] for key in before.keys() - {CHANGED, WITHDRAWN}
    }
    assert old.node.stop() == 0
    assert old.node.traceback() == ""

    # This version starts where the other stopped.
    node = Node(old.node.data_dir, free_port(), **old.settings)
    try:
        node.ready()
        assert listed(node) == last
        found = f"{node.url}/search.csv?q=Kaleidoscope"
        until(
            lambda: all(each in requests.get(found, timeout=60).text for each in (CHANGED, NEW, MEANWHILE)),
            timeout_s=120,
            what="search finds what the version before has written",
        )
        assert node.stop() == 0
        assert node.traceback() == ""
    finally:
        node.close()
