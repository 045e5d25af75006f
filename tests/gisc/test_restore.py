"""A restore is refused before anything is changed: wrong archive, wrong version, a database that is not empty or in use.

What a restore does is in tests/loop/test_restore.py.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection

from catalogue import bootstrap
from catalogue.models import MetadataSet
from catalogue.reasons import Reason, ReasonCode
from catalogue.replay import ReplayReport
from catalogue.writing.decisions import Action, Result
from gisc import database, file_locks
from gisc.backup import RestoreRefused, archive, follow_up, journals, postgres_tools, restore
from gisc.backup.archive import ArchiveWriter, Figures, Manifest
from gisc.backup.follow_up import FollowUpReport
from gisc.backup.sign_off import SignOff
from tests.support.commands import command
from tests.support.world import iso_record, put

NODE = "WIS-GISC-TOKYO"
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def empty(transactional_db: None) -> None:
    bootstrap.ensure_sets()
    end_other_connections()


def end_other_connections() -> None:
    """End what else is connected to the database of the tests: the server for browsers keeps its connections for a minute."""
    others = (
        "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend' AND state = 'idle'"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_terminate_backend(pid, 10000) {others}")


def manifest_of(writer: ArchiveWriter) -> Manifest:
    return Manifest(
        node=NODE,
        made=NOW,
        mark=NOW,
        software=settings.GISC_VERSION,
        migrations=(),
        postgres="18.4",
        figures=Figures(0, 0, "", {}),
        position={},
        parts=tuple(writer.parts),
        key_check="",
        verified=True,
    )


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write an archive with a manifest that differs so from a right one."""

    def write(**changes: Any) -> Path:
        with ArchiveWriter(tmp_path, NODE, NOW) as writer:
            writer.add(archive.DATABASE, [b"no dump"])
            right = manifest_of(writer)
            right = replace(right, migrations=tuple(database.applied()), postgres=postgres_tools.server_version())
            return writer.finish(replace(right, **changes))

    return write


def refused(path: Path, reason: str) -> None:
    """Restoring the archive is refused for this reason, and the database is as it was."""
    with pytest.raises(RestoreRefused, match=reason) as refusal:
        restore.restore_database(path)
    assert str(refusal.value).endswith("Nothing was changed.")
    assert MetadataSet.objects.exists()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"node": "WIS-GISC-TOULOUSE"}, "is of WIS-GISC-TOULOUSE, and GISC_NAME is WIS-GISC-TOKYO"),
        ({"software": "77.1"}, "made by version 77.1; this is version"),
        ({"migrations": ("catalogue.0099_to_come",)}, "whose database has catalogue.0099_to_come; this is version"),
        ({"postgres": "99.1"}, "is of PostgreSQL 99.1, and the server has version"),
    ],
)
def test_an_archive_of_another_node_or_a_newer_version_is_refused(
    empty: None, write: Callable[..., Path], changes: dict[str, Any], reason: str
) -> None:
    refused(write(**changes), reason)


def test_an_archive_of_an_older_version_is_not(empty: None, write: Callable[..., Path], monkeypatch) -> None:
    dropped: list[bool] = []
    monkeypatch.setattr(postgres_tools, "drop_everything", lambda: dropped.append(True))
    with pytest.raises(
        RestoreRefused, match=r"pg_restore ended .*\. The database is empty"
    ):  # of this stand-in for a dump
        restore.restore_database(write(software="0.1", migrations=tuple(database.applied()[:3])))
    assert dropped


def test_a_damaged_archive_is_refused(empty: None, write: Callable[..., Path]) -> None:
    path = write()
    path.write_bytes(path.read_bytes().replace(b"no dump", b"on dump"))
    refused(path, "database.dump in .* is damaged")


def test_a_catalogue_is_not_replaced(empty: None, write: Callable[..., Path]) -> None:
    put(iso_record("urn:x:1"))
    refused(write(), "The database has 1 record, and a restore would replace it. To restore nevertheless, stop the")


def test_a_database_in_use_is_not_replaced(empty: None, write: Callable[..., Path]) -> None:
    with postgres_tools.connect():
        refused(write(), "1 other connection uses the database; stop the node")


def test_a_running_node_is_named(empty: None, write: Callable[..., Path], settings) -> None:
    settings.GISC_EMBEDDED_DATABASE = True
    node = file_locks.FileLock(settings.GISC_DATA_DIR / "node.lock")
    node.acquire()
    try:
        with pytest.raises(Exception, match="The node runs; stop it first. Nothing was changed."):
            command("restore", write())
    finally:
        node.release()


def test_who_was_signed_in_when_the_copy_was_made_is_signed_out(empty: None) -> None:
    Session.objects.create(session_key="of who has signed out since", session_data="", expire_date=NOW)
    assert follow_up.follow_up([]).signed_out == 1
    assert not Session.objects.exists()


def test_all_records_that_the_replay_left_alone_are_counted_though_few_are_named() -> None:
    reason = Reason(ReasonCode.CAME_BACK, {"date": "2026-05-01"})
    left = [Result(f"urn:{number}", Action.REJECTED, reason) for number in range(30)]
    text = SignOff(FollowUpReport(0, 0, {}, replay=ReplayReport(left=left, left_alone=5000))).text()
    assert "5,000 not changed by the replay" in text and "and 4,980 more" in text


def test_the_archive_s_journal_is_added_to_the_folder_and_changes_nothing_there(settings, tmp_path: Path) -> None:
    folder, copies = tmp_path / "journal", tmp_path / "copies"
    settings.GISC_JOURNAL_DIR = folder
    folder.mkdir()
    copies.mkdir()
    there = {"newer": b"1\n2\n3\n", "shorter": b"1\n", "other": b"x\n"}
    for name, content in there.items():
        (folder / f"deletions-{name}.jsonl").write_bytes(content)
    with ArchiveWriter(tmp_path, NODE, NOW) as writer:
        for name in (*there, "lost"):
            writer.add(f"{archive.JOURNAL}deletions-{name}.jsonl", [b"1\n2\n"])
        writer.add(f"{archive.JOURNAL}../../deletions-evil.jsonl", [b""])
        path = writer.finish(manifest_of(writer))
    report = journals.put_back(path, archive.read_manifest(path), copies)
    assert (report.continued, report.left) == (["deletions-shorter.jsonl"], ["deletions-other.jsonl"])
    assert report.added == ["deletions-lost.jsonl", "deletions-evil.jsonl"]
    found = {file.name.split("-")[1][:-6]: file.read_bytes() for file in folder.iterdir()}
    assert found == there | {"shorter": b"1\n2\n", "lost": b"1\n2\n", "evil": b""}
    assert (copies / "deletions-other.jsonl").read_bytes() == b"1\n2\n"


def test_of_a_folder_the_newest_verified_archive_is_taken(tmp_path: Path) -> None:
    with pytest.raises(RestoreRefused, match="has no verified archive of WIS-GISC-TOKYO. Nothing"):
        restore.find_archive(tmp_path)
    names = [f"gisc-{NODE}-2026050{day}T120000Z{kind}.tar" for day, kind in ((1, ""), (2, ""), (3, "-unverified"))]
    (tmp_path / names[2]).touch()
    with pytest.raises(RestoreRefused, match=f"{names[2]} is not verified: name it to restore it"):
        restore.find_archive(tmp_path)
    for name in names:
        (tmp_path / name).touch()
    assert restore.find_archive(tmp_path).name == names[1]
    assert restore.find_archive(tmp_path / names[2]).name == names[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Name an archive, or a folder with archives; or say --in-place"),
        (["x.tar", "--in-place"], "Name an archive"),
        (["/dev/null/x.tar"], "x.tar cannot be read or written: Not a directory"),
        (["x.tar", "--journal", "/dev/null/x"], "cannot be read: Not a directory. Nothing was changed"),
        (["x.tar", "--records", "shared01=/dev/null/x"], "x does not exist"),
    ],
)
def test_what_was_written_wrongly_is_named_first(empty: None, arguments: list[str], message: str) -> None:
    with pytest.raises(Exception, match=message):
        command("restore", *arguments)
