"""`manage.py copy` against providers on real sockets: whole, incremental, broken off, killed, refused, hostile."""

import gzip
import hashlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError
from lxml import etree
from sickle import Sickle
from sickle.iterator import OAIResponseIterator
from werkzeug import Response

from catalogue import bootstrap, oai
from catalogue.documents.sources import SAMPLES
from harvester.copying.folder import CopiedRecord, CopyFolder
from tests.support.commands import command
from tests.support.habits import OAI
from tests.support.nodes import environment
from tests.support.paths import ROOT
from tests.support.provider import Provider, continued, fill, identifier, once, times, xml
from tests.support.world import iso_record

LATER = "2026-02-28T00:00:00Z"


@pytest.fixture(autouse=True)
def _short_waits(settings: Any) -> None:
    settings.GISC_RETRY_SECONDS = 0.001


def manifest(folder: Path) -> dict[str, dict[str, Any]]:
    """The lines of the manifest by identifier; none is there twice, and each names a file with its digest, or none."""
    lines = [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    found = {line["identifier"]: line for line in lines}
    assert len(found) == len(lines)
    files = {line["file"]: line["sha256"] for line in lines if line["file"]}
    assert {f"records/{file.name}" for file in (folder / "records").iterdir()} == set(files)
    for file, digest in files.items():
        content = (folder / file).read_bytes()
        content = gzip.decompress(content) if file.endswith(".gz") else content
        assert hashlib.sha256(content).hexdigest() == digest
    return found


def root_of(document: bytes) -> bytes:
    return document.split(b"?>", 1)[1].strip()


def test_a_copy_is_whole_then_incremental_and_deletions_remove_files(provider: Provider, tmp_path: Path) -> None:
    fill(provider, range(5))
    folder = tmp_path / "copy"
    status, out, err = command("copy", provider.base_url, folder)
    assert (status, out) == (0, f"complete: 5 new; 5 records in {folder}\n")
    assert "page 3: 5 of 5 records listed; 5 new" in err
    first = manifest(folder)
    for name, (stamp, document) in provider.entries.items():
        assert document is not None
        assert (folder / first[name]["file"]).read_bytes() == root_of(document)
        assert (first[name]["datestamp"], first[name]["sets"]) == (stamp, ["WIS-GISC-TOULOUSE"])

    provider.entries[identifier(0)] = (LATER, iso_record(identifier(0), title="Another"))
    provider.entries[identifier(1)] = (LATER, None)
    fill(provider, range(5, 6), LATER)
    provider.asked.clear()
    status, out, _ = command("copy", provider.base_url, folder)
    assert (status, out) == (0, f"complete: 1 new, 1 changed, 1 deleted; 5 records in {folder}\n")
    # 72 hours before the last answer, as a provider may list a record late; and the overlap of a link.
    assert [asked.get("from") for asked in provider.lists][0] == "2026-02-26T11:58:59Z"
    second = manifest(folder)
    assert second[identifier(1)] == first[identifier(1)] | {
        "datestamp": LATER, "deleted": True, "file": None, "sha256": None,
    }  # fmt: skip
    assert second[identifier(2)] == first[identifier(2)]

    files = {file: file.stat().st_mtime_ns for file in (folder / "records").iterdir()}
    assert command("copy", provider.base_url, folder)[1].startswith("complete: 3 unchanged; ")
    assert {file: file.stat().st_mtime_ns for file in (folder / "records").iterdir()} == files


def test_kill_9_at_any_request_loses_and_doubles_nothing(provider: Provider, tmp_path: Path) -> None:
    """Each call is killed at its second request for a further page, until one has only one left."""
    provider.page_size = 3
    fill(provider, range(12))
    provider.entries[identifier(3)] = ("2026-02-01T00:00:00Z", None)
    folder, killed = tmp_path / "copy", 0
    process: subprocess.Popen[bytes] | None = None

    def kill_at_second_page(arguments: dict[str, str]) -> Response | None:
        if continued(arguments) and len([asked for asked in provider.asked if continued(asked)]) == 2:
            assert process is not None
            process.kill()
        return None

    provider.faults.append(kill_at_second_page)
    while True:
        provider.asked.clear()
        data = tmp_path / "data"
        process = subprocess.Popen(
            [sys.executable, "manage.py", "copy", provider.base_url, str(folder)],
            cwd=ROOT,
            env=environment(GISC_DATA_DIR=str(data)),
            stderr=subprocess.DEVNULL,
        )
        status = process.wait(timeout=60)
        assert not (data / "postgres").exists()
        if status == 0:
            break
        assert status == -signal.SIGKILL
        killed += 1
    assert killed >= 1
    assert not any(asked["verb"] == "Identify" for asked in provider.asked)  # it went on with its token
    found = manifest(folder)
    assert set(found) == set(provider.entries)
    assert {name for name, line in found.items() if line["deleted"]} == {identifier(3)}


def test_what_could_not_be_written_is_written_by_the_next_call(tmp_path: Path) -> None:
    """The page is stored with its position first: a disk that is full, or a kill, cannot come between."""
    record = CopiedRecord("urn:a", LATER, ("S",), b"<a/>")
    obstacle = tmp_path / "records" / ".unfinished"
    with CopyFolder(tmp_path) as folder:
        obstacle.mkdir()
        with pytest.raises(OSError, match="Is a directory"):
            folder.store([record], {"list": {"token": "next"}}, is_compressed=False)
    obstacle.rmdir()
    with CopyFolder(tmp_path) as folder:
        assert folder.load("list") == {"token": "next"}
        assert folder.store([record], {}, is_compressed=False) == {"unchanged": 1}
    assert list(manifest(tmp_path)) == ["urn:a"]


def test_hostile_identifiers_get_files_of_their_own_in_the_folder(provider: Provider, tmp_path: Path) -> None:
    names = ["../../../escape", "urn:A", "urn:a", "x" * 3000, "x" * 3000 + "y", "a/b", "a%2fb", "con", "ü"]
    for name in names:
        provider.entries[name] = (LATER, iso_record("urn:same", title=name[:20]))
    folder = tmp_path / "copy"
    assert command("copy", provider.base_url, folder)[0] == 0
    found = manifest(folder)
    assert set(found) == set(names)
    assert len({line["file"].casefold() for line in found.values()}) == len(names)
    assert {file.name for file in tmp_path.iterdir()} == {"copy"}


def test_options_say_what_is_asked_for_and_how_it_is_kept(provider: Provider, tmp_path: Path) -> None:
    fill(provider, range(3))
    options = ["--set", "WIS-GISC-TOULOUSE", "--prefix", "iso19139", "--gzip", "--delay", "0.01"]
    bounds = ["--from", "2026-02-01", "--until", "2026-02-03"]
    status, _, _ = command("copy", provider.base_url, tmp_path, *options, *bounds)
    assert status == 0
    assert provider.lists[0] == {
        "verb": "ListRecords", "metadataPrefix": "iso19139", "set": "WIS-GISC-TOULOUSE",
        "from": "2026-02-01T00:00:00Z", "until": "2026-02-03T23:59:59Z",
    }  # fmt: skip
    assert all(line["file"].endswith(".xml.gz") for line in manifest(tmp_path).values())
    assert provider.requests[0].headers["Accept-Encoding"].startswith("gzip")
    before = len(provider.lists)
    assert command("copy", provider.base_url, tmp_path, "--until", "2026-02-03")[0] == 0
    assert len(provider.lists) == before  # complete up to there
    assert command("copy", provider.base_url, tmp_path)[0] == 0
    asked = provider.lists[-1]
    assert (asked["set"], asked["from"]) == ("WIS-GISC-TOULOUSE", "2026-02-03T23:58:58Z")
    for wrong, sentence in (
        (["--set", "other"], "has a copy with --set 'WIS-GISC-TOULOUSE', not 'other'"),
        (["--prefix", "oai_dc"], "has a copy with --prefix 'iso19139', not 'oai_dc'"),
    ):
        with pytest.raises(CommandError, match=sentence) as refusal:
            command("copy", provider.base_url, tmp_path, *wrong)
        assert refusal.value.returncode == 2


def test_a_folder_with_other_things_or_another_copy_at_work_is_refused(provider: Provider, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(CommandError, match="is not empty, and has no copy in it"):
        command("copy", provider.base_url, tmp_path)
    with (
        CopyFolder(tmp_path / "copy"),
        pytest.raises(CommandError, match="Another copy is working in"),
    ):
        command("copy", provider.base_url, tmp_path / "copy")
    assert not provider.asked


def test_faults_are_told_as_for_links_and_the_next_call_goes_on(provider: Provider, tmp_path: Path) -> None:
    fill(provider, range(6))
    provider.faults.append(once(continued, lambda: xml("", 503, **{"Retry-After": "1"})))
    lost = provider.envelope('<error code="badResumptionToken">expired</error>')
    provider.faults.append(once(lambda asked: asked.get("resumptionToken", "").endswith("/4"), lambda: xml(lost)))
    status, _, err = command("copy", provider.base_url, tmp_path)
    assert status == 0
    assert "Page 2 is asked for again in 1 s (1 of 10 tries has failed)." in err
    assert "the list is started again from the same `from` (restart 1 of 2)" in err
    assert len(manifest(tmp_path)) == 6

    provider.faults = [lambda _: xml("", 403)]
    status, out, err = command("copy", provider.base_url, tmp_path)
    assert (status, out) == (1, f"not complete, call again to go on: nothing new; 6 records in {tmp_path}\n")
    assert "403" in err
    provider.faults = []
    assert command("copy", provider.base_url, tmp_path)[0] == 0


def test_a_page_that_cannot_be_had_is_read_as_headers_and_record_by_record(provider: Provider, tmp_path: Path) -> None:
    fill(provider, range(5))
    provider.faults.append(
        times(99, lambda asked: asked["verb"] == "ListRecords" and continued(asked), lambda: Response(status=500))
    )
    status, _, err = command("copy", provider.base_url, tmp_path)
    assert status == 0
    assert "the list is read again as headers" in err
    assert set(manifest(tmp_path)) == set(provider.entries)
    assert len(provider.asked_for("GetRecord")) == 3  # the first page was stored already


def test_a_record_that_cannot_be_read_is_told_and_asked_for_again(provider: Provider, tmp_path: Path) -> None:
    fill(provider, range(4))
    broken = identifier(2).encode()

    def spoil(_: dict[str, str], body: bytes) -> bytes:
        return body.replace(broken + b"</gco:CharacterString>", broken + b"</gco:Character>")

    provider.edits.append(spoil)
    status, out, err = command("copy", provider.base_url, tmp_path)
    assert status == 3, err
    assert "3 new, 1 refused" in out
    assert f"refused: {identifier(2)} " in err
    line = manifest(tmp_path)[identifier(2)]
    assert line["file"] is None
    assert line["refused"]
    provider.edits.clear()
    assert command("copy", provider.base_url, tmp_path)[0] == 0
    assert manifest(tmp_path)[identifier(2)]["file"]


def test_a_set_that_the_provider_lacks_is_told(provider: Provider, tmp_path: Path) -> None:
    empty = provider.envelope('<error code="noRecordsMatch">no</error>')
    provider.faults.append(lambda asked: xml(empty) if asked["verb"] == "ListRecords" else None)
    status, _, err = command("copy", provider.base_url, tmp_path, "--set", "gone")
    assert status == 1
    assert "gone" in err


@pytest.mark.django_db(transaction=True)
def test_identifiers_and_bytes_of_this_node_are_those_that_sickle_gets(live_server: Any, tmp_path: Path) -> None:
    """This node's own `/oai`, with its samples: each file is in the answers byte for byte."""
    bootstrap.ensure_sets()
    command("ingest", *sorted(SAMPLES.glob("WIS-GISC-T*")))
    url, folder = f"{live_server.url}/oai", tmp_path / "copy"
    assert command("copy", url, folder)[0] == 0
    records = {record.header.identifier: record for record in Sickle(url).ListRecords(metadataPrefix=oai.ISO19139)}
    found = manifest(folder)
    assert len(records) > 30
    assert set(found) == set(records)
    listed, without_blanks = b"".join(whole_list(url)), etree.XMLParser(remove_blank_text=True)  # as Sickle reads
    for name, record in records.items():
        (metadata,) = record.xml.iterfind(f"{OAI}metadata")
        content = (folder / found[name]["file"]).read_bytes()
        assert content in listed
        assert canonical(etree.fromstring(content, without_blanks)) == canonical(metadata[0])
        assert found[name]["sets"] == record.header.setSpecs
    assert command("copy", url, folder)[1].startswith("complete: 32 unchanged;")


def whole_list(url: str) -> Iterator[bytes]:
    """The pages of the list as they come."""
    for page in Sickle(url, iterator=OAIResponseIterator).ListRecords(metadataPrefix=oai.ISO19139):
        yield page.http_response.content


def canonical(element: etree._Element) -> bytes:
    return etree.tostring(element, method="c14n", exclusive=True)
