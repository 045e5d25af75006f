"""A backup is one archive that was restored once before it counts, or no archive at all; health says how old it is."""

import hashlib
import json
import math
import os
import resource
import stat
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from catalogue import bootstrap, journal, seams
from catalogue.database_identity import database_identity
from catalogue.writing import store
from gisc.backup import BackupFailed, RestoreRefused, archive, backup, checks, postgres_tools, restore, schedule
from gisc.backup.archive import Archive, ArchiveWriter, Figures, Manifest
from gisc.parts.reasons import PartCode
from tests.support.clock import SetClock
from tests.support.commands import command
from tests.support.threads import TIMEOUT_S, threads
from tests.support.waiting import until
from tests.support.world import iso_record, put

NODE = "WIS-GISC-TOKYO"
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def journal_dir(settings, tmp_path: Path) -> Path:
    settings.GISC_JOURNAL_DIR = tmp_path / "journal"
    return settings.GISC_JOURNAL_DIR


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def catalogue(transactional_db: None, journal_dir: Path) -> None:
    """Three records, one of them withdrawn."""
    bootstrap.ensure_sets()
    put(*(iso_record(f"urn:x:{number}") for number in range(3)))
    store.withdraw(["urn:x:2"])


def databases() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database")
        return {name for (name,) in cursor.fetchall()}


# --- Made and verified ------------------------------------------------------------------------------


@pytest.mark.spec("W11")
def test_a_backup_is_one_file_for_its_owner_alone_and_what_its_manifest_says(catalogue: None, folder: Path) -> None:
    before = databases()
    report = backup.back_up(folder)
    assert [path.name for path in folder.iterdir()] == [report.path.name]
    assert stat.S_IMODE(report.path.stat().st_mode) == 0o600
    assert databases() == before
    with tarfile.open(report.path) as tar:
        content = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
    manifest = json.loads(content.pop("manifest.json"))
    assert {part["name"]: (part["bytes"], part["sha256"]) for part in manifest["parts"]} == {
        name: (len(data), hashlib.sha256(data).hexdigest()) for name, data in content.items()
    }
    assert (manifest["node"], manifest["verified"], manifest["software"]) == (NODE, True, settings.GISC_VERSION)
    assert (manifest["records"], manifest["deleted"], manifest["tables"]["catalogue_record"]) == (3, 1, 3)
    assert int(manifest["postgresql"].split(".")[0]) == connection.pg_version // 10000
    assert "catalogue.0001_initial" in manifest["migrations"]
    (events,) = [data for name, data in content.items() if name.startswith("journal/")]
    assert b"urn:x:2" in events
    assert settings.SECRET_KEY.encode() not in report.path.read_bytes()
    assert archive.read_manifest(report.path) == report.manifest
    archive.check_parts(report.path, report.manifest)


def test_a_backup_that_was_not_verified_says_so(catalogue: None, folder: Path, settings, client: Client) -> None:
    settings.GISC_BACKUP_DIR = folder
    status, out, _ = command("backup", folder, "--no-verify")
    (path,) = folder.iterdir()
    assert (status, path.name.endswith("-unverified.tar"), "NOT VERIFIED" in out) == (0, True, True)
    assert archive.read_manifest(path).verified is False
    health = client.get("/health/ready").json()
    assert health["backup"] == {
        "state": "no backup is verified", "age_s": None, "late": True, "last_is_verified": False
    }  # fmt: skip
    settings.GISC_BACKUP_DIR = folder / "others"
    status, out, _ = command("backup")
    assert (status, "Verified" in out) == (0, True)
    assert client.get("/health/ready").json()["backup"]["state"] == "ok"


def test_a_dump_that_did_not_reach_the_disk_whole_is_not_called_verified(
    catalogue: None, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    read = ArchiveWriter.read
    monkeypatch.setattr(ArchiveWriter, "read", lambda self, part: [b"".join(read(self, part))[:-2000]])
    before = databases()
    status, out, _ = command("backup", folder)
    assert (status, "NOT VERIFIED: pg_restore ended" in out) == (1, True)
    assert [each.verified for each in archive.list_archives(folder, NODE)] == [False]
    assert databases() == before
    assert "backup made, and not verified" in caplog.text


def test_a_copy_with_other_records_is_not_called_verified(
    catalogue: None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restore = postgres_tools.restore

    def restore_and_change(tools, chunks, database) -> None:
        restore(tools, chunks, database)
        with postgres_tools.connect(database) as session, session.cursor() as cursor:
            cursor.execute("UPDATE catalogue_record SET datestamp = datestamp - interval '1 second' WHERE deleted")

    monkeypatch.setattr(postgres_tools, "restore", restore_and_change)
    report = backup.back_up(folder)
    assert (report.manifest.verified, "datestamps" in report.manifest.not_verified) == (False, True)


def test_a_role_that_may_not_create_a_database_leaves_the_archive_unverified(
    catalogue: None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    role = f"no_createdb_{os.getpid()}"
    with postgres_tools.connect() as session, session.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{role}' IN ROLE pg_read_all_data")
        try:
            parameters = postgres_tools._parameters() | {"user": role, "password": role}
            monkeypatch.setattr(postgres_tools, "_parameters", lambda: dict(parameters))
            status, out, _ = command("backup", folder)
        finally:
            cursor.execute(f"DROP ROLE {role}")
    assert (status, [each.verified for each in archive.list_archives(folder, NODE)]) == (1, [False])
    assert f'ALTER ROLE "{role}" CREATEDB' in out


# --- Not made ---------------------------------------------------------------------------------------


@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    """As on a disk that is full after so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_no_archive(catalogue: None, folder: Path) -> None:
    with files_no_longer_than(20_000), pytest.raises(BackupFailed, match=f"{folder} cannot be written: File too large"):
        backup.back_up(folder)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(catalogue: None) -> None:
    with pytest.raises(BackupFailed, match="/dev/null/backups cannot be written"):
        backup.back_up(Path("/dev/null/backups"))


@contextmanager
def dump_held_up() -> Iterator[None]:
    """Keep a table from being dumped, so that pg_dump waits."""
    with postgres_tools.connect() as session:
        session.autocommit = False
        with session.cursor() as cursor:
            cursor.execute("LOCK TABLE auth_user IN ACCESS EXCLUSIVE MODE")
            yield


def pg_dump() -> psutil.Process | None:
    children = psutil.Process().children(recursive=True)
    return next((child for child in children if child.name().startswith("pg_dump")), None)


def test_a_killed_dump_and_a_second_backup_at_the_same_time_leave_no_archive(catalogue: None, folder: Path) -> None:
    with threads(1) as pool, dump_held_up():
        first = pool.start(backup.back_up, folder)
        dumping = until(pg_dump, TIMEOUT_S, "pg_dump runs")
        assert [path.suffix for path in folder.iterdir()] == [".part"]
        with pytest.raises(BackupFailed, match="Another backup of this node is being made"):
            backup.back_up(folder)
        assert len(list(folder.iterdir())) == 1
        dumping.kill()
        with pytest.raises(BackupFailed, match=r"pg_dump was killed \(SIGKILL\)"):
            first.result(TIMEOUT_S)
    assert list(folder.iterdir()) == []
    until(
        no_dump_is_served, TIMEOUT_S, "the server has noticed that pg_dump is gone"
    )  # its locks are in the way of the next test


def no_dump_is_served() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pg_dump'")
        (number,) = cursor.fetchone()
    return number == 0


def test_what_a_killed_backup_left_is_removed_by_the_next(catalogue: None, folder: Path) -> None:
    folder.mkdir()
    ours = archive.database_in_name(database_identity())
    left = [folder / f"gisc-{NODE}-20260501T120000Z{of}.tar.part" for of in ("", f"-{ours}")]
    names = (
        "gisc-WIS-GISC-TOULOUSE-20260501T120000Z.tar.part",
        "my.tar.part",
        f"gisc-{NODE}-20260501T120000Z-{THEIRS}.tar.part",
    )
    foreign = [folder / name for name in names]
    for path in (*left, *foreign):
        path.touch()
    with postgres_tools.connect() as session, session.cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{connection.settings_dict["NAME"]}_backup_check"')
    before = databases()
    assert backup.back_up(folder).manifest.verified
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in foreign)
    assert databases() == before - {f"{connection.settings_dict['NAME']}_backup_check"}


def test_tools_of_another_version_are_not_used(catalogue: None, folder: Path, monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "pg_dump").write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.1'\n")
    (tmp_path / "pg_dump").chmod(0o755)
    monkeypatch.setattr(postgres_tools, "_folders", lambda major: [tmp_path])
    with pytest.raises(
        BackupFailed, match=r"were not found \(.* has version 9\); install the package postgresql-client"
    ):
        backup.back_up(folder)


# --- Rotation ---------------------------------------------------------------------------------------


def archives(*texts: str) -> list[Archive]:
    """Archives by the day of May on which they were made; `?`: not verified."""
    return [
        Archive(Path(text), datetime(2026, 5, int(text.rstrip("?")), tzinfo=UTC), verified="?" not in text)
        for text in texts
    ]


@pytest.mark.parametrize(
    ("there", "keep", "removed"),
    [
        (["1", "2", "3"], 2, ["1"]),
        (["1", "2", "3"], 5, []),
        (["1", "2", "3?", "4?"], 1, ["1", "3?"]),  # never the last one that is known to be good
        (["1?", "2?"], 1, ["1?"]),
        (["1", "2", "30"], 2, ["30"]),  # made while the clock was ahead
        (["1", "30"], 1, ["30"]),
    ],
)
def test_rotation_keeps_the_newest_and_the_last_verified_one(there: list[str], keep: int, removed: list[str]) -> None:
    now = datetime(2026, 5, 10, tzinfo=UTC)
    assert [str(each.path) for each in archive.to_remove(archives(*there), keep, now)] == removed


def test_rotation_touches_no_file_of_anybody_else(catalogue: None, folder: Path) -> None:
    folder.mkdir()
    old = f"gisc-{NODE}-20200101T000000Z.tar"
    others = {"gisc-WIS-GISC-TOULOUSE-20200101T000000Z.tar", f"gisc-{NODE}-20200101.tar", f"gisc-{NODE}-20209901T000000Z.tar", "x"}  # fmt: skip
    for name in (old, *others):
        (folder / name).touch()
    report = backup.back_up(folder, keep=1)
    assert report.removed == (folder / old,)
    assert {path.name for path in folder.iterdir()} == others | {report.path.name}


OURS, THEIRS = "0000aaaa", "0000bbbb"


def of_databases(*texts: str) -> list[Archive]:
    """Archives by the day of May and the database: `a` ours, `b` another one, none: the name does not say."""
    names = {"a": OURS, "b": THEIRS}
    days = [(text, datetime(2026, 5, int(text.rstrip("ab")), tzinfo=UTC)) for text in texts]
    return [Archive(Path(text), made, verified=True, database=names.get(text[-1], "")) for text, made in days]


@pytest.mark.parametrize(
    ("there", "others", "rotated"),
    [
        (["1", "2", "3"], [], ["1", "2", "3"]),
        (["1", "2a", "3"], [], ["1", "2a", "3"]),  # a version before has made the last one
        (["1b", "2b", "9a"], [], ["9a"]),  # after a restore: perhaps the other one goes on
        (["1b", "2b", "7a", "9a"], [], ["1b", "2b", "7a", "9a"]),  # it did not
        (["1", "1b", "2b", "7a", "8b", "9a"], ["8b"], ["1", "7a", "9a"]),  # it did
        (["2a", "3b", "4b"], ["3b", "4b"], ["2a"]),
        (["1b", "2b"], [], []),
    ],
)
def test_archives_of_another_database_that_goes_on_do_not_count_and_are_not_removed(
    there: list[str], others: list[str], rotated: list[str]
) -> None:
    found, now = of_databases(*there), datetime(2026, 5, 9, tzinfo=UTC)
    assert [str(each.path) for each in archive.of_another_node(found, OURS)] == others
    kept = archive.removable(found, OURS, now, timedelta(days=2))
    assert [str(each.path) for each in kept] == rotated
    assert archive.removable(found, "", now, timedelta(days=2)) == found, "where it is not known which database this is"


def test_two_nodes_of_one_name_that_share_a_folder_keep_the_archives_of_each_other_and_say_so(
    catalogue: None, folder: Path, settings, client: Client
) -> None:
    """As a copy for tests that has the settings of the node, with another number of archives to keep."""
    settings.GISC_BACKUP_DIR, settings.GISC_BACKUP_KEEP = folder, 1
    begun = datetime.now(UTC).replace(microsecond=0) - timedelta(days=3)
    for hours in (0, 1, 70):
        touch(folder, begun + timedelta(hours=hours), database=THEIRS)
    assert schedule.back_up_if_due(), "none is of this database"
    assert len(list(folder.iterdir())) == 4
    assert client.get("/health/ready").json()["parts"]["backup"]["state"] == "ok", "nobody knows yet"

    (ours,) = [each for each in archive.list_archives(folder, NODE) if each.database != THEIRS]
    touch(folder, ours.made + timedelta(seconds=1), database=THEIRS)
    part = client.get("/health/ready").json()["parts"]["backup"]
    assert (part["state"], part["code"]) == ("degraded", PartCode.BACKUP_SHARED)
    with pytest.raises(RestoreRefused, match="archives of two databases of"):
        restore.find_archive(folder)
    assert restore.find_archive(ours.path) == ours.path

    report = backup.back_up(folder, keep=1)
    assert report.removed == (ours.path,)
    assert len([each for each in archive.list_archives(folder, NODE) if each.database == THEIRS]) == 4


# --- Schedule, health, metrics ----------------------------------------------------------------------


def touch(folder: Path, made: datetime, *, verified: bool = True, database: str = "") -> None:
    folder.mkdir(exist_ok=True)
    name = f"gisc-{NODE}-{made:%Y%m%dT%H%M%SZ}{f'-{database}' if database else ''}{'' if verified else '-unverified'}"
    (folder / f"{name}.tar").touch()


@pytest.fixture
def clock(settings, folder: Path) -> Iterator[SetClock]:
    settings.GISC_BACKUP_DIR, settings.GISC_BACKUP_HOURS = folder, 24
    clock = SetClock(NOW)
    with seams.replaced(clock=clock):
        yield clock


def figures(client: Client) -> dict[str, float]:
    lines = client.get("/metrics").content.decode().splitlines()
    return {line.split()[0]: float(line.split()[1]) for line in lines if line.startswith("gisc_backup_")}


@pytest.mark.django_db
def test_without_a_folder_health_says_that_there_is_no_backup_and_is_not_degraded_by_it(client: Client) -> None:
    state = client.get("/health/ready").json()["backup"]
    assert state == {"state": "no backup configured", "age_s": None, "late": False, "last_is_verified": None}
    found = figures(client)
    assert math.isnan(found.pop("gisc_backup_age_seconds"))
    assert found == {
        "gisc_backup_configured": 0, "gisc_backup_late": 0, "gisc_backup_last_success_timestamp_seconds": 0
    }  # fmt: skip


@pytest.mark.django_db
def test_health_and_metrics_have_the_age_of_the_newest_verified_archive_that_is_there(
    client: Client, clock: SetClock, folder: Path
) -> None:
    assert client.get("/health/ready").json()["backup"]["state"] == "no backup yet"
    assert figures(client)["gisc_backup_age_seconds"] == math.inf
    touch(folder, NOW - timedelta(hours=47))
    touch(folder, NOW - timedelta(hours=1), verified=False)
    touch(folder, NOW + timedelta(days=100))  # the clock was ahead
    expected = {"state": "ok", "age_s": 47 * 3600, "late": False, "last_is_verified": False}
    assert client.get("/health/ready").json()["backup"] == expected
    found = figures(client)
    assert found == {
        "gisc_backup_configured": 1,
        "gisc_backup_late": 0,
        "gisc_backup_age_seconds": 47 * 3600,
        "gisc_backup_last_success_timestamp_seconds": (NOW - timedelta(hours=47)).timestamp(),
    }
    (folder / f"gisc-{NODE}-{NOW - timedelta(hours=47):%Y%m%dT%H%M%SZ}.tar").unlink()
    touch(folder, NOW - timedelta(hours=49))
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["status"], answer.json()["backup"]["state"]) == (200, "degraded", "late")
    assert figures(client)["gisc_backup_late"] == 1


@pytest.mark.django_db
def test_a_backup_is_due_when_the_newest_is_as_old_as_the_interval(clock: SetClock, folder: Path) -> None:
    assert schedule.is_due()
    touch(folder, NOW - timedelta(hours=24))
    touch(folder, NOW + timedelta(days=100))
    assert schedule.is_due()
    touch(folder, NOW - timedelta(hours=1), database=THEIRS)
    assert schedule.is_due(), "that is of another database"
    touch(folder, NOW - timedelta(hours=23), verified=False)
    assert not schedule.is_due()


def test_the_schedule_makes_a_backup_once_it_is_due_and_rotates(
    catalogue: None, folder: Path, settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.GISC_BACKUP_DIR, settings.GISC_BACKUP_KEEP = folder, 1
    touch(folder, NOW)
    assert schedule.back_up_if_due()
    (made,) = folder.iterdir()
    assert schedule.back_up_if_due()
    assert list(folder.iterdir()) == [made]
    settings.GISC_BACKUP_DIR = Path("/dev/null/backups")
    assert not schedule.back_up_if_due()
    assert "no backup was made" in caplog.text


def test_the_schedule_makes_no_backup_of_a_database_that_was_put_back(catalogue: None, folder: Path, settings) -> None:
    settings.GISC_BACKUP_DIR = folder
    journal.mark_behind()
    assert not schedule.back_up_if_due()
    assert not folder.exists()


def test_backups_on_the_disk_of_the_database_or_where_nobody_can_write_are_warned_of(settings, tmp_path: Path) -> None:
    def found(folder: Path | None) -> set[str]:
        settings.GISC_BACKUP_DIR = folder
        return {str(message.id) for message in checks.backups_are_on_another_disk(databases=["default"])}

    assert found(None) == set()
    assert "gisc.W001" in found(Path(settings.GISC_DATA_DIR) / "backups")
    assert "gisc.W002" in found(Path("/dev/null/backups"))


# --- Damaged archives -------------------------------------------------------------------------------


def write_archive(folder: Path, parts: dict[str, bytes]) -> Path:
    folder.mkdir(exist_ok=True)
    with ArchiveWriter(folder, NODE, NOW) as writer:
        for name, content in parts.items():
            writer.add(name, [content[:5], content[5:]])
        manifest = Manifest(
            node=NODE, made=NOW, mark=NOW, software="1", migrations=(), postgres="18.4", figures=Figures(0, 0, "", {}),
            position={}, parts=tuple(writer.parts), key_check="", verified=True,
        )  # fmt: skip
        return writer.finish(manifest)


def test_what_is_damaged_in_an_archive_is_found_before_a_restore(folder: Path) -> None:
    path = write_archive(folder, {archive.DATABASE: b"database" * 1000, "journal/one": b"first line\n"})
    archive.check_parts(path, archive.read_manifest(path))
    content = path.read_bytes()
    path.write_bytes(content.replace(b"first line", b"First line"))
    with pytest.raises(RestoreRefused, match=r"journal/one in .* is damaged"):
        archive.check_parts(path, archive.read_manifest(path))
    for size in (0, 300, 5000, len(content) - 3000):
        path.write_bytes(content[:size])
        with pytest.raises(RestoreRefused, match="take another"):
            archive.check_parts(path, archive.read_manifest(path))
    path.write_bytes(os.urandom(5000))
    with pytest.raises(RestoreRefused, match="is no archive"):
        archive.read_manifest(path)
