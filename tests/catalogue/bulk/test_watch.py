"""A watched folder: what appears, changes and vanishes is added, updated and withdrawn, whatever happens to the watcher."""

import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from catalogue import seams
from catalogue.bulk import watch
from catalogue.bulk.watch import LookReport, Watcher
from catalogue.ceilings import Ceiling
from catalogue.models import MetadataSet, Record, WatchedFile, WatchedFolder, WatchedRecord
from catalogue.reasons import ActRefused
from catalogue.writing import read_back, store
from tests.support import world
from tests.support.clock import SetClock
from tests.support.paths import ROOT
from tests.support.threads import TIMEOUT_S, threads
from tests.support.waiting import until

pytestmark = pytest.mark.django_db
record = world.iso_record


@pytest.fixture
def folder(db: None, tmp_path: Path) -> Path:
    (tmp_path / "watched" / "deep").mkdir(parents=True)
    return tmp_path / "watched"


def fill(folder: Path, *names: str, **words: str) -> None:
    for name in names:
        (folder / f"{name}.xml").write_bytes(record(f"urn:{name}", **words))


def watcher(folder: Path, **options) -> Watcher:
    return Watcher(folder, world.own_set(), **options)


def settle(watching: Watcher) -> LookReport:
    """Look until nothing waits; the counts of all looks."""
    total = LookReport()
    while True:
        found = watching.look()
        total.files += found.files
        total.withdrawn += found.withdrawn
        total.ingested.counts += found.ingested.counts
        total.ingested.rejects += found.ingested.rejects
        total.ingested.remarks += found.ingested.remarks
        total.not_withdrawn += found.not_withdrawn
        total.above_ceiling, total.ceiling = found.above_ceiling, found.ceiling
        if not found.waiting:
            return total


def live() -> set[str]:
    return {
        name.removeprefix("urn:") for name in Record.objects.filter(deleted=False).values_list("identifier", flat=True)
    }


def test_what_appears_changes_and_vanishes_is_added_updated_and_withdrawn(folder: Path) -> None:
    watching = watcher(folder)
    fill(folder, "a", "b", "c", "deep/d")
    (folder / ".hidden.xml").write_bytes(record("urn:hidden"))
    (folder / "e.xml.part").write_bytes(record("urn:part"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("z.xml", record("urn:z"))
    (folder / "z.zip").write_bytes(packed.getvalue())
    report = settle(watching)
    assert (report.files, report.ingested.counts) == (5, {"new": 5})
    assert live() == {"a", "b", "c", "deep/d", "z"}
    assert watching.look().files == 0, "what has not changed is not read again"

    fill(folder, "a", title="Other words")
    (folder / "b.xml").unlink()
    (folder / "c.xml").rename(folder / "renamed.xml")
    report = settle(watching)
    assert report.ingested.counts == {"updated": 1, "unchanged": 1} and report.withdrawn == 1
    assert live() == {"a", "c", "deep/d", "z"}, "a file that is renamed withdraws nothing"

    fill(folder, "b")
    assert settle(watching).ingested.counts == {"brought_back": 1}, "what vanished comes back with its file"
    store.withdraw(["urn:a"])
    fill(folder, "a", title="Words of today")
    report = settle(watching)
    assert report.ingested.counts == {"rejected": 1}, "what a person has withdrawn does not"
    assert live() == {"b", "c", "deep/d", "z"}


def test_a_file_that_takes_the_place_of_another_ones_record_is_named(folder: Path) -> None:
    watching = watcher(folder)
    fill(folder, "a", "b")
    settle(watching)
    (folder / "copied.xml").write_bytes(record("urn:a", title="Another one"))
    report = settle(watching)
    assert report.ingested.counts == {"repeated": 1}
    (remark,) = report.ingested.remarks
    assert f"has the identifier of {folder / 'a.xml'}, and takes its place" in str(remark.reason)
    (folder / "copied.xml").unlink()
    assert settle(watching).ingested.counts == {"updated": 1}, "the first is what the folder has"
    assert (
        Record.objects.select_related("description").get(identifier="urn:a").description.title == "Surface observations"
    )
    fill(folder, "b", title="Changed")
    assert settle(watching).ingested.counts == {"updated": 1}, "its own file"
    (folder / "a.xml").unlink()
    (folder / "moved.xml").write_bytes(record("urn:a", title="Changed and moved"))
    assert settle(watching).ingested.counts == {"updated": 1}, "the files that had it before are gone"


def test_a_file_is_not_read_while_it_is_being_written(folder: Path) -> None:
    watching = watcher(folder)
    content = record("urn:a")
    path = folder / "a.xml"
    for end in (100, 500, len(content)):
        path.write_bytes(content[:end])
        os.utime(path, ns=(end, end))
        report = watching.look()
        assert (report.files, report.waiting) == (0, 1)
    assert watching.look().ingested.counts == {"new": 1}


def test_records_that_leave_their_file_are_withdrawn_unless_it_cannot_be_read_to_its_end(folder: Path) -> None:
    watching = watcher(folder)

    def write(*parts: bytes) -> None:
        records = b"".join(part.partition(b"?>")[2] for part in parts)
        wrapped = b"<r:metadata xmlns:r='http://www.openarchives.org/OAI/2.0/'>" + records + b"</r:metadata>"
        (folder / "all.xml").write_bytes(wrapped)

    write(record("urn:a"), record("urn:b"), record("urn:c"))
    assert settle(watching).ingested.counts == {"new": 3}
    write(record("urn:a"), record("").replace(b"Identifier", b"Identifiers"))
    assert settle(watching).withdrawn == 0 and live() == {"a", "b", "c"}
    write(record("urn:a"), record("urn:b"))
    assert settle(watching).withdrawn == 1 and live() == {"a", "b"}


def test_a_watcher_that_starts_again_sees_what_happened_meanwhile(folder: Path) -> None:
    fill(folder, "a", "b", "c")
    settle(watcher(folder))
    (folder / "a.xml").unlink()
    fill(folder, "b", title="Other words")
    fill(folder, "d")
    report = settle(watcher(folder))
    assert report.ingested.counts == {"updated": 1, "new": 1} and report.withdrawn == 1
    assert live() == {"b", "c", "d"}


def test_more_than_the_ceiling_stays_also_if_it_vanishes_bit_by_bit(folder: Path) -> None:
    fill(folder, *(f"r{number}" for number in range(12)))
    watching = watcher(folder, ceiling=Ceiling(3, 1))
    settle(watching)
    for number in range(2):
        (folder / f"r{number}.xml").unlink()
    assert settle(watching).withdrawn == 2
    for number in (2, 3):
        (folder / f"r{number}.xml").unlink()
    report = settle(watching)
    assert (report.withdrawn, report.above_ceiling, report.ceiling) == (0, 2, 3), "four within a day"
    for file in folder.glob("*.xml"):
        file.unlink()
    assert settle(watcher(folder, ceiling=Ceiling(1000, 1))).above_ceiling == 10, (
        "a disk that is gone takes nothing along"
    )
    assert len(live()) == 10
    fill(folder, "r5")
    assert settle(watching).above_ceiling == 9
    report = settle(watcher(folder, beyond_ceiling=True))
    assert report.withdrawn == 9 and live() == {"r5"}


def test_a_folder_that_cannot_be_listed_has_not_vanished(folder: Path) -> None:
    fill(folder, "a", "b")
    watching = watcher(folder)
    settle(watching)
    folder.rename(folder.with_name("away"))
    with pytest.raises(OSError, match="No such file"):
        watching.look()
    folder.with_name("away").rename(folder)
    assert settle(watching).files == 0 and live() == {"a", "b"}


def test_only_what_was_put_into_the_set_here_is_withdrawn_from_it(folder: Path, toulouse: MetadataSet) -> None:
    fill(folder, "a", "b")
    watching = Watcher(folder, toulouse)
    settle(watching)
    Record.objects.filter(identifier="urn:a").update(provenance={"link": "toulouse"})
    (folder / "a.xml").unlink()
    assert settle(watching).withdrawn == 0 and live() == {"a", "b"}
    assert not WatchedRecord.objects.filter(identifier="urn:a").exists(), "it is not asked again"


def test_the_command_ends_when_all_has_settled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(folder, "a", "b")
    call_command("ingest", watch=folder, once=True, every=1)
    assert "2 files read\n2 offered: 2 new" in capsys.readouterr().out
    for options, words in (
        ({"watch": folder, "beyond_ceiling": True}, "--beyond-ceiling goes with --once"),
        ({"watch": folder / "no", "once": True}, "No such file"),
        ({"watch": folder, "as_json": True}, "--watch goes without"),
        ({}, "Name an XML file"),
    ):
        with pytest.raises(CommandError, match=words):
            call_command("ingest", **options)


class StoppedClock(SetClock):
    """Ends the process at the third sleep, as a signal does."""

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if len(self.slept) == 3:
            raise SystemExit(143)


def test_a_watcher_that_somebody_ends_is_missed_by_nobody(folder: Path) -> None:
    fill(folder, "a")
    clock = StoppedClock(seams.now())
    with seams.replaced(clock=clock), pytest.raises(SystemExit):
        call_command("ingest", watch=folder, every=7)
    assert clock.slept == [7, 7, 7] and live() == {"a"}
    found = WatchedFolder.objects.get()
    assert (found.folder, found.every_s) == (str(folder), None)


def test_looks_that_take_long_are_made_less_often(folder: Path) -> None:
    clock = StoppedClock(seams.now())

    class Slow(Watcher):
        """Takes so long for each look, in turn."""

        takes_s: ClassVar = [0.5, 2.0, 600.0]

        def look(self) -> LookReport:
            clock.move(self.takes_s[len(clock.slept)])
            return super().look()

    with seams.replaced(clock=clock), pytest.raises(SystemExit):
        watch.keep_looking(Slow(folder, world.own_set()), every_s=5, once=False, tell=lambda report: None)
    assert clock.slept == pytest.approx([5, 18, 60])


def test_a_watcher_that_ends_by_itself_is_missed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watching = watcher(folder, every_s=5)
    watching.look()
    folder.rename(folder.parent / "elsewhere")
    with pytest.raises(CommandError, match="is watched no longer"):
        call_command("ingest", watch=folder, every=5)
    assert WatchedFolder.objects.get().every_s == 5


def test_the_file_of_a_record_that_is_damaged_is_read_again_once(folder: Path) -> None:
    """The file has not changed, so that nothing else would read it."""
    watching = watcher(folder)
    fill(folder, "a", "b", "c")
    settle(watching)
    whole = Record.objects.get(identifier="urn:b").payload
    Record.objects.filter(identifier__in=("urn:b", "urn:c")).update(payload=b"damaged")
    (folder / "c.xml").write_text("no record")
    settle(watching)
    read_back.read_all_back()
    report = settle(watching)
    assert (report.files, report.ingested.counts) == (2, {"updated": 1, "rejected": 1})
    assert Record.objects.get(identifier="urn:b").payload == whole
    assert [row.record.identifier for row in read_back.damaged()] == ["urn:c"]
    read_back.read_all_back()
    assert settle(watching).files == 0


def test_a_watcher_at_work_is_not_missed(folder: Path) -> None:
    """Each minute it writes down that it has looked, and with each batch of a load, which may take long."""
    clock = SetClock(seams.now())
    with seams.replaced(clock=clock):
        watching = watcher(folder, every_s=5)
        seen = []
        for after_s in (0, 5, 60, 5):
            clock.move(after_s)
            watching.look()
            seen.append(WatchedFolder.objects.get().looked == clock.now())
        assert seen == [True, False, True, False]
        fill(folder, "a")
        watching.look()
        clock.move(5)
        assert watching.look().files == 1
        assert WatchedFolder.objects.get().looked == clock.now()


def test_a_watcher_whose_looks_never_succeed_is_missed(folder: Path) -> None:
    """It is started again and again; that it was hides nothing."""
    clock = SetClock(seams.now())
    begun = clock.now()
    with seams.replaced(clock=clock):
        for _ in range(3):
            with pytest.raises(FileNotFoundError):
                watcher(folder / "nothing", every_s=5).look()
            clock.move(60)
    found = WatchedFolder.objects.get()
    assert (found.every_s, found.looked, found.unreadable) == (5, begun, [str(folder / "nothing")])
    with pytest.raises(FileNotFoundError):
        watcher(folder / "typed wrongly").look()
    assert WatchedFolder.objects.count() == 1, "who looks once sees what it says"


def test_a_file_whose_name_is_not_utf_8_costs_no_other(folder: Path) -> None:
    fill(folder, "a")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.xml")).write_bytes(record("urn:b"))
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.xml")).write_bytes(b"<broken>")
    watching = watcher(folder)
    settle(watching)
    assert live() == {"a", "b"}
    (broken,) = WatchedFile.objects.exclude(fault=None)
    assert (broken.path, broken.fault["source"]) == ("caf\\xe9.xml", f"{folder}/caf\\xe9.xml")
    os.unlink(os.fsencode(folder) + b"/\xff.xml")
    assert settle(watching).withdrawn == 1 and live() == {"a"}


def test_a_folder_that_is_forgotten_leaves_its_records_and_is_new_when_it_is_watched_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(folder, "a", "b")
    settle(watcher(folder))
    for path in folder.glob("*.xml"):
        path.unlink()
    call_command("ingest", watch=folder, forget=True)
    assert "is forgotten. 2 records of it stay." in capsys.readouterr().out
    assert not any(model.objects.exists() for model in (WatchedFolder, WatchedFile, WatchedRecord))
    assert settle(watcher(folder)).above_ceiling == 0 and live() == {"a", "b"}


@pytest.mark.django_db(transaction=True)
def test_a_second_watcher_of_a_folder_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    fill(folder, "a")
    settle(watcher(folder))

    def look_elsewhere(where: Path) -> LookReport:
        return watcher(where).look()

    other = tmp_path / "other"
    other.mkdir()
    with threads(1) as running:
        with pytest.raises(ActRefused, match="another process of this node watches a folder of this path"):
            running.start(look_elsewhere, folder).result(TIMEOUT_S)
        running.start(look_elsewhere, other).result(TIMEOUT_S)
    assert live() == {"a"}
    connection.close()  # as the end of the first process does: the server gives the lock back a moment later

    def look_when_let() -> LookReport | None:
        try:
            return look_elsewhere(folder)
        except ActRefused:
            return None

    with threads(1) as running:
        let = running.start(
            until, look_when_let, TIMEOUT_S, "the first has ended, and the second is still refused"
        ).result()
    assert let is not None and let.withdrawn == 0


WATCHER = """
import sys, django
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from django.conf import settings
django.setup()
settings.DATABASES["default"]["NAME"] = sys.argv[1]
from catalogue import bootstrap
from catalogue.bulk.watch import Watcher
watching = Watcher(Path(sys.argv[2]), bootstrap.own_set())
while watching.look().waiting:
    pass
"""


KILLED = "killed-watcher"


def killed_is_connected() -> bool:
    """Whether PostgreSQL still works for the watcher of that name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = %s", [KILLED])
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_kill_9_in_the_middle_forgets_no_record_whose_file_vanishes_then(folder: Path, toulouse: MetadataSet) -> None:
    number = 1300
    for each in range(number):
        fill(folder, f"{each:05}")
    process = subprocess.Popen(
        [sys.executable, "-c", WATCHER, str(connection.settings_dict["NAME"]), str(folder)],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "gisc.settings", "PGAPPNAME": KILLED},
        stderr=subprocess.PIPE,
    )
    while not Record.objects.exists():
        assert process.poll() is None, process.stderr.read().decode()
    assert killed_is_connected()
    process.kill()
    process.wait()
    until(lambda: not killed_is_connected(), TIMEOUT_S, "PostgreSQL has given back the lock of the killed process")
    stored = live()
    assert 0 < len(stored) < number
    for name in sorted(stored)[:5]:
        (folder / f"{name}.xml").unlink()
    report = settle(watcher(folder))
    assert report.withdrawn == 5, "what was stored before the kill is known"
    assert live() == {f"{each:05}" for each in range(number)} - set(sorted(stored)[:5])


@pytest.mark.parametrize("damaged", [b"", b"<html>Bad gateway</html>", b"PK\x03\x04 and no more"])
def test_an_archive_that_is_none_any_more_withdraws_nothing_and_is_named(folder: Path, damaged: bytes) -> None:
    """It was written by a program that failed: its records have not left it."""
    watching = watcher(folder)
    fill(folder, "a", "b")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("z.xml", record("urn:z"))
    (folder / "z.zip").write_bytes(packed.getvalue())
    settle(watching)
    (folder / "z.zip").write_bytes(damaged)
    report = settle(watching)
    assert report.withdrawn == 0 and live() == {"a", "b", "z"}
    assert [reject.source for reject in report.ingested.rejects] == [str(folder / "z.zip")]
    assert settle(watching).withdrawn == 0 and live() == {"a", "b", "z"}


def test_an_archive_without_any_record_withdraws_none_until_it_is_deleted(folder: Path) -> None:
    watching = watcher(folder)
    fill(folder, "a")

    def pack(*names: str) -> None:
        with zipfile.ZipFile(folder / "z.zip", "w") as archive:
            for name in names:
                archive.writestr(f"{name}.xml", record(f"urn:{name}"))

    pack("y", "z")
    settle(watching)
    pack()
    report = settle(watching)
    assert report.withdrawn == 0 and live() == {"a", "y", "z"}
    assert [(each.identifier, each.reason.code) for each in report.not_withdrawn] == [("z.zip", "emptied")]
    pack("z")
    assert settle(watching).withdrawn == 1 and live() == {"a", "z"}, "what is in it counts again"
    pack()
    settle(watching)
    (folder / "z.zip").unlink()
    assert settle(watching).withdrawn == 1 and live() == {"a"}


def test_files_behind_links_are_watched_and_a_link_to_nothing_withdraws_nothing(folder: Path, tmp_path: Path) -> None:
    """The disk behind a link is away: that says nothing of the records."""
    watching = watcher(folder)
    disk = tmp_path / "disk"
    (disk / "records").mkdir(parents=True)
    fill(disk / "records", "a", "b")
    fill(disk, "c")
    fill(folder, "d")
    (folder / "records").symlink_to(disk / "records")
    (folder / "c.xml").symlink_to(disk / "c.xml")
    (disk / "records" / "circle").symlink_to(folder)
    settle(watching)
    assert live() == {"a", "b", "c", "d"}
    disk.rename(tmp_path / "away")
    (folder / "d.xml").unlink()
    reports = [watching.look() for _ in range(6)]
    assert live() == {"a", "b", "c", "d"}
    assert {*reports[-1].unreadable} == {str(folder / "records"), str(folder / "c.xml")}
    (tmp_path / "away").rename(disk)
    assert settle(watching).withdrawn == 1 and live() == {"a", "b", "c"}


@pytest.fixture
def shared_folder(db: None) -> Iterator[Path]:
    """A folder that any user of this host may list."""
    path = Path(tempfile.mkdtemp(prefix="watched"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@contextmanager
def as_other_user() -> Iterator[None]:
    """Read files as a user who is not root, who may read any."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def test_a_file_that_may_not_be_read_is_named_once_and_read_when_it_may(shared_folder: Path) -> None:
    watching = watcher(shared_folder)
    fill(shared_folder, "a", "b")
    settle(watching)
    fill(shared_folder, "b", title="Other words")
    fill(shared_folder, "c")
    for name in "bc":
        (shared_folder / f"{name}.xml").chmod(0)
    with as_other_user():
        reports = [watching.look() for _ in range(6)]
    assert [len(report.unread) for report in reports] == [0, 2, 0, 0, 0, 0]
    assert str(reports[1].unread[0].reason) == "cannot be read: Permission denied"
    assert reports[-1].waiting == 0, "a look until all has settled ends"
    assert live() == {"a", "b"}
    for name in "bc":
        (shared_folder / f"{name}.xml").chmod(0o644)
    assert settle(watching).ingested.counts == {"updated": 1, "new": 1}
