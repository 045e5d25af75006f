"""Several hosts write the journal of one database: numbers, writers, copies that were put back, the merged history."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from catalogue import bootstrap, checks, history, journal, journal_state, replay
from catalogue.journal import Event, Position
from catalogue.models import DatestampClock, JournalOutbox, JournalPosition, JournalWriter, MetadataSet, Record
from catalogue.writing import store
from tests.support import looking, world
from tests.support.commands import command, printed
from tests.support.threads import TIMEOUT_S, threads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spec("W11")]

OURS = world.OUR_SPEC
AT = datetime(2024, 3, 1, tzinfo=UTC)


@pytest.fixture
def host(settings, tmp_path: Path):
    """A context manager: what its block does, the host with this name does."""

    @contextmanager
    def host(name: str) -> Iterator[Path]:
        before, settings.GISC_JOURNAL_DIR = settings.GISC_JOURNAL_DIR, tmp_path / name
        yield tmp_path / name
        settings.GISC_JOURNAL_DIR = before

    return host


def lose_the_database() -> None:
    Record.objects.all().delete()
    MetadataSet.objects.exclude(kind__in=("own", "catalogue")).delete()
    for model in (DatestampClock, JournalOutbox, JournalPosition, JournalWriter):
        model.objects.all().delete()
    bootstrap.ensure_sets()


class Copy:
    """A copy of the database's rows, as of a dump, that can be put back."""

    TABLES = ("record", "description", "membership", "claim", "journaloutbox", "journalposition", "journalwriter")

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            for table in self.TABLES:
                cursor.execute(f"DROP TABLE IF EXISTS copy_of_{table}")
                cursor.execute(f"CREATE TABLE copy_of_{table} AS TABLE catalogue_{table}")

    def put_back(self) -> None:
        with connection.cursor() as cursor, transaction.atomic():
            cursor.execute("SET LOCAL session_replication_role = replica")  # without triggers, as a dump is restored
            for table in reversed(self.TABLES):
                cursor.execute(f"DELETE FROM catalogue_{table}")
            for table in self.TABLES:
                cursor.execute(
                    "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns"
                    " WHERE table_name = %s AND is_generated = 'NEVER'",
                    [f"catalogue_{table}"],
                )
                columns = cursor.fetchone()[0]
                cursor.execute(f"INSERT INTO catalogue_{table} ({columns}) SELECT {columns} FROM copy_of_{table}")
                cursor.execute(f"DROP TABLE copy_of_{table}")


def put(*names: str) -> None:
    world.put(*(world.iso_record(f"urn:{name}") for name in names))


def withdraw(*names: str) -> None:
    store.withdraw([f"urn:{name}" for name in names])


def deleted() -> set[str]:
    return {it.removeprefix("urn:") for it in Record.objects.filter(deleted=True).values_list("identifier", flat=True)}


def numbers(folder: Path) -> list[int]:
    return [event.number for event in journal.JournalReader(folder)]


def replay_refused(*paths: Path) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("journal", "replay", *map(str, paths))
    return str(refused.value)


def replayed(*arguments: object) -> dict:
    return dict(json.loads(printed("journal", "replay", *arguments, "--json")))


# --- Numbers --------------------------------------------------------------------------------------------


def test_events_are_numbered_without_a_gap_in_the_order_of_their_commits(journal_dir: Path) -> None:
    put("a", "b", "c")
    withdraw("a", "b")
    with transaction.atomic():
        withdraw("c")
        transaction.set_rollback(True)
    put("a")
    own = world.own_set()

    def bury(writer: int) -> None:
        for number in range(5):
            store.put_entries([store.prepare_deletion(f"urn:{writer}:{number}")], into=own)

    with threads(4) as running:
        for future in [running.start(bury, writer) for writer in range(4)]:
            future.result(TIMEOUT_S)
    events = list(journal.JournalReader(journal_dir))
    assert [event.number for event in events] == list(range(1, 24))
    assert len({event.epoch for event in events}) == 1
    stamps = {event.identifier: event.datestamp for event in events[3:]}
    assert all(looking.record(identifier).datestamp == stamp for identifier, stamp in stamps.items())
    assert [event.datestamp for event in events] == sorted(event.datestamp for event in events)


def test_a_statement_counts_up_once_however_many_events_it_adds() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for n in (1, 1000):
            cursor.execute(
                "INSERT INTO catalogue_journaloutbox (event, identifier, datestamp, set_specs)"
                " SELECT 'deleted', 'urn:' || n, now(), '{}' FROM generate_series(1, %s) n",
                [n],
            )
        cursor.execute(
            "SELECT n_tup_ins, n_tup_upd FROM pg_stat_xact_user_tables WHERE relname = 'catalogue_journalposition'"
        )
        assert cursor.fetchone() == (1, 1)
    assert JournalPosition.objects.get().number == 1001
    assert list(JournalOutbox.objects.order_by("pk").values_list("number", flat=True)) == list(range(1, 1002))


# --- Two hosts ------------------------------------------------------------------------------------------


def test_the_files_of_two_hosts_may_be_put_into_one_folder(host, tmp_path: Path) -> None:
    """Files of both had one name, the second took the place of the first, and with it went a deletion and a return."""
    put("a", "b", "c")
    for name, act in (("one", lambda: withdraw("a", "b")), ("two", lambda: put("a")), ("two", lambda: withdraw("c"))):
        with host(name):
            act()
    copies = tmp_path / "copies"
    copies.mkdir()
    for name in ("one", "two"):
        for file in (tmp_path / name).glob("deletions-*.jsonl"):
            shutil.copy(file, copies)

    lose_the_database()
    put("a", "b", "c")
    assert deleted() == set()
    call_command("journal", "replay", str(copies))
    assert deleted() == {"b", "c"}


def test_the_journal_of_one_of_two_hosts_is_refused_and_what_is_missing_is_named(host) -> None:
    put("a", "b", "c")
    with host("one") as one:
        withdraw("a")
    with host("two") as two:
        put("a")
        withdraw("b")
    with host("one"):
        withdraw("c")
    assert (numbers(one), numbers(two)) == ([1, 4], [2, 3])
    epoch = JournalPosition.objects.get().epoch
    lose_the_database()
    put("a", "b", "c")
    before = looking.row_versions()
    assert f"events are missing: {epoch}-2 to {epoch}-3." in replay_refused(one)
    assert looking.row_versions() == before
    assert replayed(one, two)["deleted"] == 2
    assert deleted() == {"b", "c"}


def test_who_accepts_a_gap_is_told_what_is_forgotten(host, capsys) -> None:
    put("a", "b")
    with host("one") as one:
        withdraw("a")
    with host("two"):
        withdraw("b")
    with host("one"):
        put("a")
    lose_the_database()
    put("a", "b")
    report = replayed(one, "--accept-gap")
    assert (len(report["missing"]), report["deleted"]) == (1, 0)
    _, _, said = command("journal", "replay", one, "--accept-gap")
    assert f"missing: {report['missing'][0]}\n" in said


def test_what_waits_in_the_outbox_is_not_missing(host) -> None:
    put("a", "b")
    with host("one") as one:
        withdraw("a")
    with host("two") as two:
        two.write_text("a file in the folder's place")
        withdraw("b")
        two.unlink()
    with host("one"), history.History([one]) as found:
        assert found.missing() == []
        assert [event.number for event in found.merged()] == [1, 2]


def test_the_last_events_of_a_host_are_missed_as_the_database_knows_how_far_it_came(host) -> None:
    put("a", "b")
    with host("one") as one:
        withdraw("a")
    with host("two") as two:
        withdraw("b")
    with host("one"), history.History([one]) as found:
        epoch = JournalPosition.objects.get().epoch
        assert found.missing() == [(epoch, 2, 2)]
    assert numbers(two) == [2]


def test_both_hosts_may_write_the_same_event(host, monkeypatch) -> None:
    """Each reads the outbox before the other has emptied it."""
    put("a")
    real = journal._empty_outbox

    def flush_by_the_other(rows, writer: str, directory: Path) -> None:
        if directory.name == "one":
            with host("two"):
                journal.flush()
        real(rows, writer, directory)

    monkeypatch.setattr(journal, "_empty_outbox", flush_by_the_other)
    with host("one") as one:
        withdraw("a")
    with host("two") as two:
        assert (numbers(one), numbers(two)) == ([1], [1])
        assert JournalOutbox.objects.count() == 0
        with history.History([one]) as found:
            assert len(list(found.merged())) == 1
        assert {str(it.position) for it in journal_state.status().writers} == {f"{found.end}"}


def test_an_export_has_the_events_of_all_hosts_in_their_order_each_once(host, tmp_path: Path) -> None:
    put("a", "b")
    with host("one") as one:
        withdraw("a")
    with host("two") as two:
        withdraw("b")
    with host("one"):
        put("a")
        export = tmp_path / "export.jsonl"
        assert command("journal", "export", export, two, one, two) == (0, "", "3 events exported\n")
        assert [(event.event, event.number) for event in journal.JournalReader(export)] == [
            ("deleted", 1),
            ("deleted", 2),
            ("returned", 3),
        ]
        epoch = JournalPosition.objects.get().epoch
        assert command("journal", "export", tmp_path / "half.jsonl") == (
            1, "", f"2 events exported\nmissing: {epoch}-2\n"
        )  # fmt: skip


# --- A writer and its folder ----------------------------------------------------------------------------


def test_a_writer_has_an_id_of_its_own_and_the_database_knows_how_far_it_has_come(host) -> None:
    put("a", "b")
    with host("one") as one:
        withdraw("a")
    with host("two") as two:
        withdraw("b")
    ids = [journal.writer_id(folder) for folder in (one, two)]
    assert len(set(ids)) == 2
    assert [file.name.rpartition("-")[2] for folder in (one, two) for file in folder.glob("deletions-*")] == [
        f"{writer}.jsonl" for writer in ids
    ]
    stored = {it.writer: (it.number, it.directory) for it in JournalWriter.objects.all()}
    assert stored == {ids[0]: (1, str(one)), ids[1]: (2, str(two))}


def test_a_host_that_has_a_copy_of_anothers_folder_takes_an_id_of_its_own(host, tmp_path: Path, caplog) -> None:
    put("a", "b", "c")
    with host("one") as one:
        withdraw("a")
        shutil.copytree(one, tmp_path / "two")
        withdraw("b")
    with host("two") as two:
        withdraw("c")
        assert "it gets a new writer id" in caplog.text
    with host("one"):
        put("a")
    assert journal.writer_id(one) != journal.writer_id(two)
    assert (sorted(numbers(one)), sorted(numbers(two))) == ([1, 2, 4], [1, 3])


def test_a_folder_that_was_lost_or_put_back_is_a_warning_that_names_what_is_missing(
    journal_dir: Path, tmp_path: Path, settings
) -> None:
    settings.GISC_EMBEDDED_DATABASE = True
    put("a", "b", "c")
    withdraw("a")
    shutil.copytree(journal_dir, tmp_path / "older")
    writer, epoch = journal.writer_id(journal_dir), JournalPosition.objects.get().epoch
    withdraw("b")

    def lacking() -> list[str]:
        status = journal_state.status()
        assert status.is_ready
        return [str(it) for it in status.warnings if it.code == "files-behind"]

    assert lacking() == []
    shutil.rmtree(journal_dir)
    assert f"lacks events of the writer {writer}" in lacking()[0] and f"after none, up to {epoch}-2" in lacking()[0]
    (tmp_path / "older").rename(journal_dir)
    assert f"after {epoch}-1, up to {epoch}-2" in lacking()[0]
    withdraw("c")
    assert len(lacking()) == 1
    assert command("journal", "status")[0] == 0
    assert Client().get("/health/ready").json()["journal_warnings"] == ["files-behind", "on-disk-of-data"]


# --- A copy that was put back ---------------------------------------------------------------------------


@pytest.fixture
def put_back(journal_dir: Path) -> None:
    """The database is put back: of the deletion of b, and the return of a, it knows nothing."""
    put("a", "b", "c", "d")
    withdraw("a")
    copy = Copy()
    withdraw("b")
    put("a")
    copy.put_back()
    assert deleted() == {"a"}


def ready() -> tuple[int, str]:
    answer = Client().get("/health/ready")
    return answer.status_code, answer.json()["journal"]


@pytest.mark.usefixtures("put_back")
def test_a_database_that_was_put_back_is_not_ready_and_the_commands_are_named(journal_dir: Path, caplog) -> None:
    epoch = JournalPosition.objects.get().epoch
    assert ready() == (503, "database-behind")
    status, _, said = command("journal", "status")
    assert status == 1
    assert f"{journal_dir} has events up to {epoch}-3 that the database has not" in said
    assert "manage.py restore --in-place [--journal" in said
    report = json.loads(command("journal", "status", "--json")[1])
    assert (report["ready"], report["state"], report["problem"]["code"]) == (False, "behind", "database-behind")
    journal_state.check()
    assert "manage.py restore --in-place" in caplog.text

    assert replayed()["epoch"] > epoch
    assert ready() == (200, "ok")
    assert deleted() == {"a", "b"}, "that a came back is for who has it: it is ingested again"


@pytest.mark.usefixtures("put_back")
def test_nothing_is_written_to_the_journal_of_a_database_that_was_put_back(journal_dir: Path, host, caplog) -> None:
    before = numbers(journal_dir)
    withdraw("c")
    assert (numbers(journal_dir), journal.count_waiting()) == (before, 1)
    assert "the database was put back from an older copy" in caplog.records[-1].error
    with host("two") as two:  # knows it from the database
        withdraw("d")
        assert numbers(two) == []
        assert "another host's journal has events that the database has not" in str(journal_state.status().problem)
    with pytest.raises(CommandError, match=r"put back.*Nothing was exported"):
        call_command("journal", "export", "-")
    replayed()
    assert deleted() >= {"b", "c", "d"}
    assert journal.count_waiting() == 0


def test_events_of_a_copy_that_was_used_before_its_journal_was_replayed_are_later_than_the_journal(
    journal_dir: Path,
) -> None:
    put("a", "b", "c", "d")
    withdraw("a")
    copy = Copy()
    withdraw("b")
    put("b", "a")
    copy.put_back()
    withdraw("d")  # has the number of the first deletion of b
    withdraw("b")
    put("a")
    assert journal.count_waiting() == 3
    assert replayed()["conflicts"] == []
    assert deleted() == {"b", "d"}
    events = list(journal.JournalReader(journal_dir))
    assert [event.number for event in events] == [1, 2, 3, 4, 1, 2, 3]
    assert events[4].epoch > events[3].epoch
    lose_the_database()
    put("a", "b", "c", "d")
    replayed()
    assert deleted() == {"b", "d"}


def test_an_outbox_that_was_put_back_is_not_written_after_what_came_later(journal_dir: Path, host) -> None:
    put("a", "b")
    journal_dir.write_text("a file in the folder's place")
    withdraw("a")
    copy = Copy()
    journal_dir.unlink()
    put("a")
    withdraw("b")
    assert numbers(journal_dir) == [1, 2, 3]
    writer = journal.writer_id(journal_dir)
    copy.put_back()
    assert journal.count_waiting() == 1
    replayed()
    assert (deleted(), journal.count_waiting()) == ({"a", "b"}, 0), "a is ingested again by who has it"
    assert [event.number for event in journal.JournalReader(journal_dir)] == [1, 2, 3, 1]
    assert journal.writer_id(journal_dir) == writer


def test_a_database_made_anew_beside_its_journal_is_not_ready_until_that_was_replayed(journal_dir: Path) -> None:
    put("a", "b")
    withdraw("a")
    lose_the_database()
    assert ready() == (503, "database-behind")
    put("a", "b")
    withdraw("b")
    assert numbers(journal_dir) == [1]
    report = replayed()
    assert (report["deleted"], deleted(), ready()) == (1, {"a", "b"}, (200, "ok"))
    assert replayed()["epoch"] is None


def test_a_crash_between_file_and_database_is_no_copy_put_back(host, monkeypatch) -> None:
    class Crash(BaseException):
        pass

    def crash(*_arguments: object) -> None:
        raise Crash

    put("a", "b")
    monkeypatch.setattr(journal, "_empty_outbox", crash)
    with host("one") as one:
        with pytest.raises(Crash):
            withdraw("a")
        assert (ready(), numbers(one)) == ((200, "ok"), [1])
    monkeypatch.undo()
    with host("two"):
        withdraw("b")  # takes the other's event along
    with host("one"):
        assert ready() == (200, "ok")
        put("a")
        assert numbers(one) == [1, 3]


def test_a_restore_that_was_begun_and_not_ended_is_not_ready(journal_dir: Path) -> None:
    put("a", "b")
    withdraw("a")
    first = JournalPosition.objects.get().epoch
    second = journal_state.begin_epoch()
    assert second > first
    assert ready() == (503, "restore-not-ended")
    withdraw("b")
    assert [(event.epoch, event.number) for event in journal.JournalReader(journal_dir)] == [(first, 1), (second, 1)]
    assert replayed()["epoch"] is None  # the restore has one
    assert ready() == (200, "ok")
    assert journal_state.begin_epoch(after=second + 10**9) == second + 10**9 + 1


# --- The place of the folder ----------------------------------------------------------------------------


def codes() -> list[str]:
    return [str(reason.code) for reason in journal_state.placement()]


def test_a_journal_inside_the_data_directory_or_on_its_disk_is_a_warning(settings, tmp_path: Path) -> None:
    settings.GISC_EMBEDDED_DATABASE, settings.GISC_DATA_DIR = True, tmp_path / "data"
    settings.GISC_JOURNAL_DIR = tmp_path / "data" / "journal"
    assert codes() == ["in-data-directory"]
    settings.GISC_JOURNAL_DIR = tmp_path / "data-journal"
    assert codes() == ["on-disk-of-data"]
    assert [it.id for it in checks.journal_is_elsewhere(databases=["default"])] == ["catalogue.W004"]
    settings.GISC_JOURNAL_DIR = Path("/dev/shm/journal")
    assert codes() == []
    (tmp_path / "data" / "journal").mkdir(parents=True)
    (tmp_path / "data" / "journal" / "deletions-2025-0001.jsonl").touch()
    assert codes() == ["files-not-read"]
    settings.GISC_EMBEDDED_DATABASE, settings.GISC_JOURNAL_DIR = False, tmp_path / "data" / "journal"
    assert codes() == []


# --- Lines of before, and lines that an operator added --------------------------------------------------


def line(name: str, identifier: str, number: int = 0, epoch: int = 0) -> Event:
    return Event(name, f"urn:{identifier}", AT, (OURS,), number, epoch)


def write(folder: Path, name: str, *events: Event | str) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [event if isinstance(event, str) else event.line() for event in events]
    (folder / name).write_text("".join(lines))
    return folder


def by_hand(name: str, identifier: str) -> str:
    fields = {"event": name, "identifier": f"urn:{identifier}", "datestamp": "2024-03-01", "sets": [OURS]}
    return json.dumps(fields) + "\n"


def merged(*paths: Path) -> list[tuple[str, str]]:
    with history.History(paths) as found:
        return [(event.event, event.identifier.removeprefix("urn:")) for event in found.merged()]


def test_lines_of_before_come_first_and_those_of_two_hosts_are_merged_by_their_numbers(tmp_path: Path) -> None:
    one = write(tmp_path / "one", "deletions-2025-0001.jsonl", line("deleted", "a", 3), line("deleted", "b", 7))
    two = write(tmp_path / "two", "deletions-2025-0001.jsonl", line("returned", "a", 5), line("returned", "b", 6))
    new = write(tmp_path / "new", "deletions-2020-0001-0123456789abcdef.jsonl", line("deleted", "c", 1, 9))
    expected = [("deleted", "a"), ("returned", "a"), ("returned", "b"), ("deleted", "b"), ("deleted", "c")]
    assert merged(new, two, one) == expected
    # One that was restored counted some numbers again: the order of the lines stands.
    again = write(tmp_path / "three", "x.jsonl", line("deleted", "a", 8), line("returned", "a", 2))
    assert merged(again / "x.jsonl", one)[-3:] == [("deleted", "b"), ("deleted", "a"), ("returned", "a")]


def test_a_line_that_an_operator_added_follows_the_line_before_it(tmp_path: Path) -> None:
    one = write(
        tmp_path / "one", "deletions-2026-0001-0123456789abcdef.jsonl",
        by_hand("deleted", "first"), line("deleted", "a", 1, 9), by_hand("returned", "a"), line("deleted", "b", 4, 9),
    )  # fmt: skip
    write(tmp_path / "one", "deletions-2026-0002-0123456789abcdef.jsonl", by_hand("deleted", "d"))
    two = write(
        tmp_path / "two",
        "deletions-2026-0001-fedcba9876543210.jsonl",
        line("deleted", "a", 2, 9),
        line("left", "c", 5, 9),
    )
    expected = ["first", "a", "a", "a", "b", "d", "c"]
    assert [identifier for _, identifier in merged(two, one)] == expected
    assert merged(two, one)[1:4] == [("deleted", "a"), ("returned", "a"), ("deleted", "a")]
    export = tmp_path / "export.jsonl"
    with history.History([one, two]) as found:
        export.write_text("".join(event.line() for event in found.merged()))
    assert merged(export) == merged(export, two, one) == merged(one, two)


def test_two_events_with_one_number_both_count_and_are_named(tmp_path: Path) -> None:
    one = write(tmp_path / "one", "a.jsonl", line("deleted", "a", 1, 9))
    later = Event("deleted", "urn:b", AT.replace(year=2025), (OURS,), 1, 9)
    two = write(tmp_path / "two", "a.jsonl", later)
    paths = [two / "a.jsonl", one / "a.jsonl"]
    with history.History(paths) as found:
        assert found.conflicts() == [Position(9, 1)]
        assert [event.identifier for event in found.merged()] == ["urn:a", "urn:b"]
    status, out, said = command("journal", "replay", *paths)
    assert (status, deleted()) == (0, {"a", "b"})
    assert "two events have the number 9-1" in said


# --- Whatever the files -----------------------------------------------------------------------------------

_events = st.lists(
    st.tuples(
        st.sampled_from(("deleted", "returned", "left", "joined", "moved")),
        st.sampled_from(("a", "b", "c")),
        st.sampled_from((OURS, "shared01")),
        st.booleans(),  # a new epoch begins
        st.sets(st.integers(0, 2), min_size=1),  # the writers that have it
        st.integers(0, 3),  # the file
        st.integers(0, 4),  # how often it is written again
    ),
    max_size=14,
)


def _numbered(drawn: list[tuple]) -> list[Event]:
    events, epoch, number = [], 1, 0
    for name, identifier, spec, begins, *_ in drawn:
        epoch, number = (epoch + 1, 1) if begins and number else (epoch, number + 1)
        events.append(Event(name, f"urn:{identifier}", AT, (spec,), number, epoch))
    return events


def _state() -> list[tuple]:
    rows = Record.objects.order_by("identifier").values_list("identifier", "deleted", "owner__spec", "set_specs")
    ended = Record.objects.filter(memberships__deleted=True).order_by("identifier", "memberships__set__spec")
    return [*rows, *ended.values_list("identifier", "memberships__set__spec")]


def _rebuild(paths: list[Path], journal_dir: Path) -> list[tuple]:
    put("a", "b")
    replay.replay(paths)
    state = _state()
    lose_the_database()
    shutil.rmtree(journal_dir, ignore_errors=True)
    return state


@examples(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=_events, order=st.permutations(range(3)), chance=st.randoms(use_true_random=False))
def test_any_split_over_writers_any_doubling_and_any_order_replays_to_the_same_state(
    tmp_path_factory, journal_dir: Path, drawn: list[tuple], order: list[int], chance
) -> None:
    folder = tmp_path_factory.mktemp("split")
    events = _numbered(drawn)
    single = write(folder / "single", f"deletions-2024-0001-{'0' * 16}.jsonl", *events)
    files: dict[Path, list[str]] = {}
    for event, (*_, writers, file, again) in zip(events, drawn, strict=True):
        for writer in writers:
            name = folder / str(writer) / f"deletions-2024-{file:04}-{str(writer) * 16}.jsonl"
            files.setdefault(name, []).extend([event.line()] * (1 + again))
    for file, lines in files.items():
        chance.shuffle(lines)
        write(file.parent, file.name, *lines)
    paths = [folder / str(writer) for writer in order if (folder / str(writer)).is_dir()]
    with history.History([single]) as one:
        assert (list(one.merged()), one.missing(), one.conflicts()) == (events, [], [])
    with history.History(paths) as several:
        assert (list(several.merged()), several.missing(), several.conflicts()) == (events, [], [])
    assert _rebuild([single], journal_dir) == _rebuild(paths, journal_dir)
