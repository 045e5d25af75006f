"""A deletion, once given, is not forgotten (promise 6): outbox, files, damage, replay."""

import json
import logging
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction

from catalogue import bootstrap, history, journal, replay, seams
from catalogue.models import DatestampClock, JournalOutbox, JournalPosition, JournalWriter, MetadataSet, Purged, Record
from catalogue.provenance import Provenance
from catalogue.reading.stats import stats
from catalogue.tasks import tick
from catalogue.writing import purge, store
from catalogue.writing.decisions import Action
from tests.support import looking, world
from tests.support.clock import SetClock
from tests.support.threads import TIMEOUT_S, threads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spec("W11")]


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("deletions-*.jsonl"))


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for file in files(folder) for line in file.read_text(encoding="utf-8").splitlines()]


def told(folder: Path) -> list[tuple[str, str]]:
    return [(line["event"], line["identifier"]) for line in lines(folder)]


def event(name: str, identifier: str, second: int = 0, *specs: str) -> journal.Event:
    return journal.Event(name, identifier, datetime(2024, 3, 1, 0, 0, second, tzinfo=UTC), specs or (world.OUR_SPEC,))


def empty_the_catalogue() -> None:
    """As a node rebuilt from scratch."""
    Record.objects.all().delete()
    for model in (DatestampClock, JournalOutbox, JournalPosition, JournalWriter):
        model.objects.all().delete()
    MetadataSet.objects.exclude(kind__in=("own", "catalogue")).delete()
    bootstrap.ensure_sets()


def counts(report: replay.ReplayReport) -> tuple[int, int, int]:
    """Tombstones made, tombstones that were there, records left alone."""
    return report.deleted, report.unchanged, report.left_alone


def written(file: Path, *events: journal.Event) -> Path:
    file.write_text("".join(event.line() for event in events), encoding="utf-8")
    return file


def read(path: Path) -> tuple[list[str], list[str]]:
    """The identifiers of the events, and what could not be read."""
    reading = journal.JournalReader(path)
    identifiers = [event.identifier for event in reading]
    assert reading.events == len(identifiers)
    return identifiers, [str(damage) for damage in reading.damaged]


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """Put a file in the folder's place for the length of the block: deletions then wait in the outbox."""
    folder.write_text("a file in the folder's place")
    yield
    folder.unlink()


def buried() -> set[str]:
    return set(Record.objects.filter(deleted=True).values_list("identifier", flat=True))


# --- From the outbox to the file ------------------------------------------------------------------------


def test_a_withdrawal_is_on_disk_before_it_is_reported_as_done(journal_dir: Path) -> None:
    world.put(world.iso_record("urn:気温"), world.iso_record("urn:b"))
    assert [result.action for result in store.withdraw(["urn:気温"])] == [Action.DELETED]
    (line,) = lines(journal_dir)
    assert (line.pop("epoch") > 1_700_000_000, line.pop("number")) == (True, 1)
    assert len(line.pop("crc32")) == 8
    assert line == {
        "event": "deleted",
        "identifier": "urn:気温",
        "datestamp": f"{looking.record('urn:気温').datestamp:%Y-%m-%dT%H:%M:%SZ}",
        "sets": [world.OUR_SPEC],
    }
    assert journal.count_waiting() == 0


def test_what_is_appended_is_forced_to_disk_before_the_outbox_is_emptied(journal_dir: Path, monkeypatch) -> None:
    seen = []

    def look(_descriptor: int) -> None:
        seen.append((told(journal_dir), journal.count_waiting()))

    world.put(world.iso_record("urn:a"))
    monkeypatch.setattr(journal.os, "fsync", look)
    store.withdraw(["urn:a"])
    # The folder that has the new folder; the writer's id and its folder; then the file, and the folder that has it.
    assert seen == [([], 1)] * 3 + [([("deleted", "urn:a")], 1)] * 2
    assert journal.count_waiting() == 0


def test_deletions_of_peers_and_of_records_never_seen_are_events_too(journal_dir: Path) -> None:
    world.bury("urn:a", "urn:b", into=world.peer_set(world.TOULOUSE))
    assert {(line["identifier"], *line["sets"]) for line in lines(journal_dir)} == {
        ("urn:a", "WIS-GISC-TOULOUSE"),
        ("urn:b", "WIS-GISC-TOULOUSE"),
    }


def test_a_return_is_an_event_and_ordinary_changes_are_none(journal_dir: Path) -> None:
    world.put(world.iso_record("urn:a"))
    world.put(world.iso_record("urn:a", title="Two"))
    assert files(journal_dir) == []
    world.bury("urn:a")
    world.bury("urn:a")
    world.put(world.iso_record("urn:a"))
    world.put(world.iso_record("urn:a", title="Two"))
    assert told(journal_dir) == [("deleted", "urn:a"), ("returned", "urn:a")]


def test_a_deletion_rolled_back_is_no_event(journal_dir: Path) -> None:
    world.put(world.iso_record("urn:a"))
    with transaction.atomic():
        store.withdraw(["urn:a"])
        assert journal.count_waiting() == 1
        transaction.set_rollback(True)
    assert (journal.count_waiting(), files(journal_dir), buried()) == (0, [], set())


def test_a_journal_that_cannot_be_written_leaves_the_event_in_the_outbox(journal_dir: Path, caplog) -> None:
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    with caplog.at_level(logging.ERROR), unwritable(journal_dir):
        assert [result.action for result in store.withdraw(["urn:a"])] == [Action.DELETED]
        assert buried() == {"urn:a"}
        assert journal.count_waiting() == 1
    (record,) = [record for record in caplog.records if record.name == "catalogue.journal"]
    assert (record.levelname, record.waiting, record.directory) == ("ERROR", 1, str(journal_dir))
    store.withdraw(["urn:b"])  # the next flush takes it along
    assert told(journal_dir) == [("deleted", "urn:a"), ("deleted", "urn:b")]
    assert journal.count_waiting() == 0


class Crash(BaseException):
    """The process dies here."""


def crash(*_arguments: object) -> None:
    raise Crash


def test_a_crash_between_commit_and_flush_loses_nothing(journal_dir: Path, monkeypatch) -> None:
    world.put(world.iso_record("urn:a"))
    monkeypatch.setattr(journal, "flush", crash)
    with pytest.raises(Crash):
        store.withdraw(["urn:a"])
    monkeypatch.undo()
    assert (buried(), journal.count_waiting(), files(journal_dir)) == ({"urn:a"}, 1, [])
    assert journal.flush() == 1
    assert (told(journal_dir), journal.count_waiting()) == ([("deleted", "urn:a")], 0)
    assert journal.flush() == 0


def test_a_crash_between_append_and_emptying_the_outbox_tells_it_twice_which_is_harmless(
    journal_dir: Path, monkeypatch
) -> None:
    world.put(world.iso_record("urn:a"))
    real = journal._append

    def append_and_crash(file, events) -> None:
        real(file, events)
        raise Crash

    monkeypatch.setattr(journal, "_append", append_and_crash)
    with pytest.raises(Crash):
        store.withdraw(["urn:a"])
    monkeypatch.setattr(journal, "_append", real)
    journal.flush()
    assert told(journal_dir) == [("deleted", "urn:a")] * 2
    with history.History() as found:
        assert [event.number for event in found.merged()] == [1]
        assert (found.missing(), found.conflicts()) == ([], [])
    empty_the_catalogue()
    assert counts(replay.replay([journal_dir])) == (1, 0, 0)


def test_many_events_are_written_in_their_order_though_read_in_parts(journal_dir: Path) -> None:
    with unwritable(journal_dir):
        for number in range(4):
            world.bury(*(f"urn:{number}:{i}" for i in range(2)))
    assert journal.flush(journal.JournalLimits(batch_rows=3)) == 8
    assert [identifier.split(":")[1] for _, identifier in told(journal_dir)] == ["0", "0", "1", "1", "2", "2", "3", "3"]


def test_many_writers_leave_each_event_once_and_no_line_torn(journal_dir: Path) -> None:
    own = world.own_set()

    def bury(writer: int) -> None:
        for number in range(10):
            store.put_entries([store.prepare_deletion(f"urn:{writer}:{number}")], into=own)

    with threads(8) as running:
        for future in [running.start(bury, writer) for writer in range(8)]:
            future.result(TIMEOUT_S)
    assert journal.count_waiting() == 0
    assert sorted(told(journal_dir)) == sorted(("deleted", f"urn:{w}:{n}") for w in range(8) for n in range(10))


# --- Rotation -------------------------------------------------------------------------------------------


def test_a_full_file_is_followed_by_the_next_in_the_order_of_names(journal_dir: Path) -> None:
    with unwritable(journal_dir):
        for number in range(12):
            world.bury(f"urn:{number}")
    journal.flush(journal.JournalLimits(batch_rows=1, full_bytes=300))
    names = [file.name for file in files(journal_dir)]
    year, writer = datetime.now(UTC).year, journal.writer_id(journal_dir)
    assert names == [f"deletions-{year}-{number:04}-{writer}.jsonl" for number in range(1, len(names) + 1)]
    assert len(names) > 3
    assert [identifier for _, identifier in told(journal_dir)] == [f"urn:{number}" for number in range(12)]


OUR_ID, OTHER_ID = "0123456789abcdef", "fedcba9876543210"


@pytest.mark.parametrize(("held", "next_file"), [
    ([], f"deletions-2031-0001-{OUR_ID}.jsonl"),
    ([f"deletions-2031-000{n}-{OUR_ID}.jsonl" for n in (1, 2)], f"deletions-2031-0002-{OUR_ID}.jsonl"),
    ([f"deletions-2030-0007-{OUR_ID}.jsonl"], f"deletions-2031-0001-{OUR_ID}.jsonl"),
    # The clock stepped back.
    ([f"deletions-2030-0007-{OUR_ID}.jsonl", f"deletions-2032-0001-{OUR_ID}.jsonl"], f"deletions-2032-0001-{OUR_ID}.jsonl"),
    # Of the versions before, of another writer, and no journal.
    (["deletions-2031-0003.jsonl", f"deletions-2031-0005-{OTHER_ID}.jsonl", "notes.txt"], f"deletions-2031-0001-{OUR_ID}.jsonl"),
])  # fmt: skip
def test_a_new_year_begins_a_new_file_and_no_earlier_file_grows(
    journal_dir: Path, held: list[str], next_file: str
) -> None:
    journal_dir.mkdir()
    (journal_dir / "writer").write_text(OUR_ID)
    for name in held:
        (journal_dir / name).touch()
    with seams.replaced(clock=SetClock(datetime(2031, 1, 1, tzinfo=UTC))):
        world.bury("urn:a")
    assert [file.name for file in files(journal_dir) if file.stat().st_size] == [next_file]


# --- Damage ---------------------------------------------------------------------------------------------


def test_a_last_line_cut_short_is_told_and_does_not_swallow_the_next(journal_dir: Path) -> None:
    world.bury("urn:a")
    (file,) = files(journal_dir)
    file.write_bytes(file.read_bytes() + event("deleted", "urn:b").line().encode()[:-20])
    told_so = f"{file}, line 2: cut short, as by a crash"
    assert read(journal_dir) == (["urn:a"], [told_so])
    world.bury("urn:c")
    assert files(journal_dir) == [file]
    assert read(journal_dir) == (["urn:a", "urn:c"], [told_so])


def test_a_last_line_that_lacks_only_its_end_of_line_counts(journal_dir: Path) -> None:
    world.bury("urn:a", "urn:b")
    (file,) = files(journal_dir)
    file.write_bytes(file.read_bytes()[:-1])
    world.bury("urn:c")
    assert read(journal_dir) == (["urn:a", "urn:b", "urn:c"], [])


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"null",
        b'"deleted"',
        b"\xff\xfe",
        b"\x00" * 40,
        b'{"event": "deleted"}',
        b'{"event": "deleted", "identifier": "urn:b", "datestamp": "yesterday", "sets": []}',
        b'{"event": "deleted", "identifier": "urn:b", "datestamp": 5, "sets": []}',
        b'{"event": "deleted", "identifier": 5, "datestamp": "2024-03-01T00:00:00Z", "sets": []}',
        b'{"event": "deleted", "identifier": null, "datestamp": "2024-03-01T00:00:00Z", "sets": []}',
        b'{"event": "deleted", "identifier": "urn:\\u0000", "datestamp": "2024-03-01T00:00:00Z", "sets": []}',
        b'{"event": "deleted", "identifier": "urn:\\ud800", "datestamp": "2024-03-01T00:00:00Z", "sets": []}',
        b'{"event": "deleted", "identifier": "urn:b", "datestamp": "2024-03-01T00:00:00Z", "sets": "abc"}',
        b'{"event": "deleted", "identifier": "urn:b", "datestamp": "2024-03-01T00:00:00Z", "sets": [1]}',
        b'{"event": "deleted", "identifier": "urn:b", "datestamp": "2024-03-01T00:00:00Z", "sets": ["a b"]}',
        b'{"event": "exploded", "identifier": "urn:b", "datestamp": "2024-03-01T00:00:00Z", "sets": []}',
        b'{"event": [], "identifier": "urn:b", "datestamp": "2024-03-01T00:00:00Z", "sets": []}',
        b'{"event": "deleted", "identifier": "urn:b", "datestamp": "2024-03-01T00:00:00Z", "sets": [], "number": "1"}',
        b'{"event": "deleted", "identifier": "urn:b", "datestamp": "2024-03-01T00:00:00Z", "sets": [], "number": -1}',
        b'{"event": "deleted", "identifier": "urn:b", "datestamp": "2024-03-01T00:00:00Z", "sets": [], "crc32": 5}',
        b'{"crc32": "00000000", "event": "deleted", "identifier": "urn:b", "datestamp": "2024-03-01T00:00:00Z", "sets": []}',
    ],
)
def test_a_damaged_line_costs_itself_only(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "deletions-2024-0001.jsonl"
    before, after = event("deleted", "urn:a").line().encode(), event("deleted", "urn:c").line().encode()
    file.write_bytes(before + line + b"\n\n" + after)
    assert read(file) == (["urn:a", "urn:c"], [f"{file}, line 2: damaged"])


def test_a_bit_that_tips_over_anywhere_in_a_line_is_noticed(tmp_path: Path) -> None:
    good = event("deleted", "urn:b").line().encode()
    file = tmp_path / "one.jsonl"
    for place in range(len(good) - 1):
        for bit in range(8):
            file.write_bytes(good[:place] + bytes([good[place] ^ 1 << bit]) + good[place + 1 :])
            identifiers, damaged = read(file)
            assert (identifiers, bool(damaged)) == ([], True), file.read_bytes()


def test_a_line_written_by_hand_needs_no_checksum(tmp_path: Path) -> None:
    file = tmp_path / "hand.jsonl"
    file.write_text('{"event": "deleted", "identifier": "urn:a", "datestamp": "2024-03-01", "sets": []}\n')
    assert read(file) == (["urn:a"], [])


def test_an_event_is_read_as_it_was_written(tmp_path: Path) -> None:
    events = [
        event("deleted", text)
        for text in ("urn:\u2028", "urn:\\\"'", "urn:気温", "urn:\u0085", "urn:\u200b", 'urn:, "crc32": "')
    ]
    assert list(journal.JournalReader(written(tmp_path / "x.jsonl", *events))) == events


def test_files_of_a_folder_are_read_oldest_first(tmp_path: Path) -> None:
    for name in ("2025-0001", "2024-0010", "2024-0009", "2023-0001"):
        written(tmp_path / f"deletions-{name}.jsonl", event("deleted", f"urn:{name}"))
    (tmp_path / "notes.txt").write_text("not a journal")
    assert read(tmp_path) == (["urn:2023-0001", "urn:2024-0009", "urn:2024-0010", "urn:2025-0001"], [])


# --- Replay ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "standing"),
    [
        ([], set()),
        ([("deleted", 0, 1)], {"urn:a"}),
        ([("deleted", 0, 1), ("returned", 1, 2)], set()),
        ([("deleted", 0, 1), ("returned", 0, 2)], set()),
        ([("deleted", 0, 1), ("returned", 0, 2), ("deleted", 0, 3)], {"urn:a"}),
        ([("deleted", 0, 1), ("returned", 1, 2), ("deleted", 2, 3)], {"urn:a"}),
        ([("returned", 5, 1), ("deleted", 2, 1)], {"urn:a"}),  # another database's clock: the order decides
        ([("returned", 1, 1)], set()),
        ([("deleted", 0, 1), ("deleted", 0, 1)], {"urn:a"}),
        # The flush died before it emptied the outbox, and all was written again.
        ([("deleted", 0, 1), ("returned", 0, 2), ("deleted", 0, 1), ("returned", 0, 2)], set()),
        # An outbox restored from a backup is written again after what came later.
        ([("returned", 1, 2), ("deleted", 2, 3), ("returned", 1, 2)], {"urn:a"}),
    ],
)
def test_a_deletion_stands_unless_the_record_came_back_later(tmp_path: Path, events: list, standing: set[str]) -> None:
    at = datetime(2024, 3, 1, tzinfo=UTC)
    made = [
        journal.Event(name, "urn:a", at.replace(second=second), (world.OUR_SPEC,), number)
        for name, second, number in events
    ]
    with history.History([written(tmp_path / "x.jsonl", *made)]) as found:
        last = list(found.last_events())
    assert {e.identifier for e in last if e.event and e.event.event == "deleted"} == standing
    assert len(last) == bool(events)


@pytest.mark.spec("W8")
def test_a_node_rebuilt_from_scratch_shows_its_tombstones_again(journal_dir: Path) -> None:
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"), world.iso_record("urn:c"))
    world.put(world.iso_record("urn:t"), into=world.peer_set(world.TOULOUSE))
    world.bury("urn:a", "urn:b")
    world.bury("urn:t", into=world.peer_set(world.TOULOUSE))
    world.put(world.iso_record("urn:b"))
    empty_the_catalogue()
    assert counts(replay.replay([journal_dir])) == (2, 0, 0)
    assert buried() == {"urn:a", "urn:t"}
    assert looking.listed(world.OUR_SPEC)["urn:a"].deleted
    assert looking.listed("WIS-GISC-TOULOUSE")["urn:t"].deleted
    assert MetadataSet.objects.get(spec="WIS-GISC-TOULOUSE").kind == MetadataSet.Kind.PEER


def test_a_backup_older_than_a_deletion_does_not_bring_the_record_back(journal_dir: Path) -> None:
    world.put(world.iso_record("urn:a"))
    store.withdraw(["urn:a"])
    empty_the_catalogue()
    world.put(world.iso_record("urn:a", title="Another version", metadata_date="2035-01-01"))  # as the archive has it
    assert counts(replay.replay([journal_dir])) == (1, 0, 0)
    assert buried() == {"urn:a"}
    world.put(world.iso_record("urn:a"))  # somebody wants it back after all
    assert counts(replay.replay([journal_dir])) == (0, 0, 1)
    assert buried() == set()


def test_what_came_back_after_its_tombstone_was_purged_is_not_buried_by_a_replay(journal_dir: Path) -> None:
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    world.bury("urn:a", "urn:b")
    for identifier in ("urn:a", "urn:b"):
        world.restamp(identifier, "2020-01-01T00:00:00Z")
    world.live_days(92)
    assert purge.purge().tombstones == 2
    world.put(world.iso_record("urn:a"), world.iso_record("urn:c"))
    assert told(journal_dir)[2:] == [("returned", "urn:a")]
    empty_the_catalogue()
    Purged.objects.all().delete()
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"), world.iso_record("urn:c"))  # the archive has all
    assert counts(replay.replay([journal_dir])) == (1, 0, 1)
    assert buried() == {"urn:b"}


def test_what_is_deleted_again_after_the_purge_is_told_once(journal_dir: Path) -> None:
    world.bury("urn:a")
    world.restamp("urn:a", "2020-01-01T00:00:00Z")
    world.live_days(92)
    purge.purge()
    world.bury("urn:a")
    assert told(journal_dir) == [("deleted", "urn:a")] * 2


def test_replaying_again_writes_nothing(journal_dir: Path) -> None:
    world.bury("urn:a", "urn:b")
    empty_the_catalogue()
    replay.replay([journal_dir])
    before, told_before = looking.row_versions(), told(journal_dir)
    assert counts(replay.replay([journal_dir])) == (0, 2, 0)
    assert (looking.row_versions(), told(journal_dir)) == (before, told_before)


def test_a_record_that_came_back_is_left_alone_and_told(journal_dir: Path) -> None:
    world.bury("urn:a", "urn:b")
    world.put(world.iso_record("urn:a"))
    before = looking.row_versions()
    report = replay.replay([journal_dir])
    assert counts(report) == (0, 1, 1)
    assert [(left.identifier, "came back on 20" in str(left.reason)) for left in report.left] == [("urn:a", True)]
    assert looking.row_versions() == before


def test_an_old_export_does_not_bury_what_came_back_since(journal_dir: Path, tmp_path: Path) -> None:
    world.bury("urn:a", "urn:b")
    export = tmp_path / "export.jsonl"
    command("journal", "export", str(export))
    world.put(world.iso_record("urn:a"))
    assert counts(replay.replay([export])) == (0, 1, 1)
    journal_dir.rename(tmp_path / "unreadable for now")
    journal_dir.write_text("a file in the folder's place")
    world.put(world.iso_record("urn:b"))  # its return is in the outbox only
    journal_dir.unlink()
    (tmp_path / "unreadable for now").rename(journal_dir)
    assert counts(replay.replay([export])) == (0, 0, 2)
    assert buried() == set()


def test_the_mark_of_datestamps_goes_on_from_where_the_journal_had_come(tmp_path: Path) -> None:
    """A rebuilt database does not know what was given before it, and the clock may be behind that (P92)."""
    ahead = (datetime.now(UTC) + timedelta(hours=3)).replace(microsecond=0)
    wrong = datetime(2099, 1, 1, tzinfo=UTC)
    events = [journal.Event("deleted", f"urn:{at.year}", at, (world.OUR_SPEC,)) for at in (ahead, wrong)]
    replay.replay([written(tmp_path / "x.jsonl", *events)])
    assert DatestampClock.objects.get().stamp == ahead
    assert set(Record.objects.values_list("datestamp", flat=True)) == {ahead}


def test_a_record_that_another_set_holds_now_is_left_alone_and_told(tmp_path: Path) -> None:
    world.put(world.iso_record("urn:a"), into=world.peer_set(world.OFFENBACH))
    report = replay.replay([written(tmp_path / "x.jsonl", event("deleted", "urn:a", 0, "WIS-GISC-TOULOUSE"))])
    assert counts(report) == (0, 0, 1)
    assert "belongs to the set WIS-GISC-OFFENBACH now" in str(report.left[0].reason)
    assert buried() == set()


@pytest.mark.spec("P84")
@pytest.mark.parametrize("held", [True, False])
def test_a_tombstone_is_told_again_in_every_set_it_was_in(journal_dir: Path, tmp_path: Path, held: bool) -> None:
    file = written(tmp_path / "x.jsonl", event("deleted", "urn:a", 0, "shared01", "WIS-GISC-OFFENBACH"))
    if held:
        world.put(world.iso_record("urn:a"), into=world.peer_set(world.OFFENBACH))
    assert counts(replay.replay([file])) == (1, 0, 0)
    for spec in ("shared01", "WIS-GISC-OFFENBACH"):
        assert looking.listed(spec)["urn:a"].deleted
    assert looking.record("urn:a").set_specs == ["WIS-GISC-OFFENBACH", "shared01"]
    assert lines(journal_dir)[-1]["sets"] == ["WIS-GISC-OFFENBACH", "shared01"]  # for the next replay
    empty_the_catalogue()
    replay.replay([journal_dir])
    assert looking.listed("shared01")["urn:a"].deleted


def test_a_record_of_a_shared_set_is_buried_whichever_link_brought_it(tmp_path: Path) -> None:
    shared = MetadataSet.objects.create(spec="shared01", kind=MetadataSet.Kind.SHARED)
    entry = store.prepare(world.iso_record("urn:a"), provenance=Provenance(link="toulouse"))
    store.put_entries([entry], into=shared, source="toulouse")
    assert counts(replay.replay([written(tmp_path / "x.jsonl", event("deleted", "urn:a", 0, "shared01"))])) == (1, 0, 0)
    assert buried() == {"urn:a"}


def test_an_event_without_a_set_belongs_to_our_own_and_an_impossible_identifier_is_told(tmp_path: Path) -> None:
    without = journal.Event("deleted", "urn:a", datetime(2024, 3, 1, tzinfo=UTC), ())
    file = written(tmp_path / "x.jsonl", without, event("deleted", "{" * 2000), event("deleted", "urn:b"))
    report = replay.replay([file])
    assert counts(report) == (2, 0, 1)
    assert [left.identifier for left in report.left] == ["{" * 2000]
    assert looking.record("urn:a").owner == world.own_set()


def test_a_long_journal_is_replayed_in_batches_and_in_bounded_memory(tmp_path: Path) -> None:
    limits = replay.ReplayLimits(batch=100, journal=journal.JournalLimits(batch_rows=500))

    def taken_at_most(number: int) -> int:
        """The largest amount of memory that Python took at once for so many events of 250 records."""
        at = datetime(2024, 3, 1, tzinfo=UTC)
        events = (journal.Event("deleted", f"urn:{n % 250}", at, (), n) for n in range(number))
        file = written(tmp_path / f"{number}.jsonl", *events)
        tracemalloc.start()
        try:
            replay.replay([file], limits=limits)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    once = taken_at_most(1000)
    assert Record.objects.filter(deleted=True).count() == 250
    assert taken_at_most(10_000) < 1.5 * once


# --- Commands -------------------------------------------------------------------------------------------


def command(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_what_is_exported_can_be_replayed_elsewhere(journal_dir: Path, tmp_path: Path) -> None:
    world.bury("urn:a", "urn:気温")
    world.bury("urn:t", into=world.peer_set(world.TOULOUSE))
    export = tmp_path / "export.jsonl"
    assert command("journal", "export", str(export))[1] == "3 events exported\n"
    empty_the_catalogue()
    out, _ = command("journal", "replay", str(export))
    assert out == (
        "3 events read: 3 tombstones made again, 0 moved again, 0 deleted again in a set they had left; "
        "0 needed no change, 0 left alone\n"
    )
    assert buried() == {"urn:a", "urn:気温", "urn:t"}
    report = json.loads(command("journal", "replay", str(export), "--json")[0])
    assert report == {
        "events": 3, "deleted": 0, "moved": 0, "departed": 0, "unchanged": 3, "left_alone": 0, "damaged_lines": [],
        "missing": [], "conflicts": [], "epoch": None, "left": [],
    }  # fmt: skip


def test_export_takes_along_what_waits_in_the_outbox(journal_dir: Path, tmp_path: Path, capsys) -> None:
    JournalOutbox.objects.create(event="deleted", identifier="urn:a", datestamp=datetime(2024, 3, 1, tzinfo=UTC))
    command("journal", "export", "-")
    assert json.loads(capsys.readouterr().out)["identifier"] == "urn:a"
    assert journal.count_waiting() == 0


@pytest.mark.parametrize(
    ("line", "what", "fails"), [("damaged}", "damaged", True), ('{"event": "del', "cut short", False)]
)
def test_damage_and_refusals_are_told_by_replay(tmp_path: Path, capsys, line: str, what: str, fails: bool) -> None:
    world.put(world.iso_record("urn:held"), into=world.peer_set(world.OFFENBACH))
    file = tmp_path / "events.jsonl"
    file.write_text(event("deleted", "urn:held").line() + line + "\n" + event("deleted", "urn:a").line())
    with pytest.raises(SystemExit, match="1") if fails else nullcontext():
        call_command("journal", "replay", str(file))
    out, err = capsys.readouterr()
    assert out == (
        "2 events read: 1 tombstones made again, 0 moved again, 0 deleted again in a set they had left; "
        "0 needed no change, 1 left alone\n"
    )
    assert f"left out: {file}, line 2: {what}" in err
    assert "left alone: urn:held belongs to the set WIS-GISC-OFFENBACH now" in err


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"cannot be read: No such file or directory\. Nothing was changed"):
        command("journal", "replay", str(tmp_path / "no.jsonl"))
    with pytest.raises(CommandError, match="cannot be written"):
        command("journal", "export", str(tmp_path / "no" / "folder.jsonl"))


def test_export_says_so_when_the_journal_cannot_be_written(journal_dir: Path, tmp_path: Path) -> None:
    with unwritable(journal_dir), pytest.raises(CommandError, match="journal"):
        command("journal", "export", str(tmp_path / "export.jsonl"))


def test_a_failed_export_leaves_the_one_before(journal_dir: Path, tmp_path: Path, monkeypatch) -> None:
    world.bury("urn:a")
    export = tmp_path / "export.jsonl"
    command("journal", "export", str(export))
    before = export.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("catalogue.management.commands.journal.os.fsync", full)
    with pytest.raises(CommandError, match="No space left"):
        command("journal", "export", str(export))
    assert export.read_bytes() == before


# --- Figures --------------------------------------------------------------------------------------------


def test_figures_say_how_many_events_wait_and_since_when(client) -> None:
    def scraped() -> dict[str, float]:
        text = client.get("/metrics").content.decode()
        return {n: float(v) for n, v in (line.split() for line in text.splitlines() if line.startswith("gisc_journal"))}

    assert scraped() == {"gisc_journal_waiting": 0, "gisc_journal_waiting_since_seconds": 0}
    assert (stats()["waiting_for_journal"], stats()["waiting_for_journal_since"]) == (0, None)
    for day in (2, 1):
        JournalOutbox.objects.create(event="deleted", identifier="urn:a", datestamp=datetime(2024, 3, day, tzinfo=UTC))
    assert scraped() == {
        "gisc_journal_waiting": 2,
        "gisc_journal_waiting_since_seconds": datetime(2024, 3, 2, tzinfo=UTC).timestamp(),
    }
    assert (stats()["waiting_for_journal"], stats()["waiting_for_journal_since"]) == (2, "2024-03-02T00:00:00Z")


def test_the_tick_writes_what_waits() -> None:
    JournalOutbox.objects.create(event="deleted", identifier="urn:a", datestamp=datetime(2024, 3, 1, tzinfo=UTC))
    tick()
    assert journal.count_waiting() == 0
