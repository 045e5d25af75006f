"""`withdraw` and `catalogue stats`; what a node has before its first record."""

import json
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

import pytest
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction

from catalogue import bootstrap, checks, journal, oai
from catalogue.models import DatestampClock, JournalOutbox, Membership, MetadataSet, Record, validate_set_spec
from catalogue.provenance import Provenance
from catalogue.reading import lists, stats
from catalogue.writing import store
from tests.support import looking, world
from tests.support.commands import command

pytestmark = pytest.mark.django_db(transaction=True)


# --- withdraw -------------------------------------------------------------------------------------------


def test_withdraw_says_how_many_and_ends_with_0(journal_dir: Path) -> None:
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    world.bury("urn:b")
    assert command("withdraw", "urn:a", "urn:b") == (0, "2 offered: 1 withdrawn, 1 withdrawn before, 0 rejected\n", "")
    assert looking.record("urn:a").deleted
    assert '"urn:a"' in "".join(file.read_text() for file in journal_dir.glob("*.jsonl"))


def test_withdraw_names_what_it_refused_and_ends_with_1() -> None:
    world.put(world.iso_record("urn:a"))
    status, out, err = command("withdraw", "urn:a", "urn:unknown", "not\x00known")
    assert (status, out) == (1, "3 offered: 1 withdrawn, 0 withdrawn before, 2 rejected\n")
    assert "rejected: urn:unknown is not in the catalogue\n" in err
    assert "the identifier 'not\\x00known' contains a control character\n" in err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_withdraw_reads_identifiers_from_a_file(tmp_path: Path, encoding: str, line_end: str) -> None:
    world.put(world.iso_record("urn:気温"), world.iso_record("urn:b"), world.iso_record("urn:c"))
    file = tmp_path / "list.txt"
    file.write_bytes(line_end.join(["urn:気温", "", "  urn:b  ", ""]).encode(encoding))
    status, out, _ = command("withdraw", "urn:c", "--file", file, "--json")
    assert status == 0
    assert json.loads(out) == {
        "offered": 3, "deleted": 3, "unchanged": 0, "rejected": 0, "rejects": [], "still_live": [], "waiting_for_journal": 0
    }  # fmt: skip


def test_withdraw_without_identifiers_or_with_an_unreadable_file_changes_nothing(tmp_path: Path) -> None:
    world.put(world.iso_record("urn:a"))
    (tmp_path / "empty").write_text("\n \n")
    (tmp_path / "latin").write_bytes("urn:é".encode("latin-1"))
    with pytest.raises(CommandError, match="at least one identifier"):
        command("withdraw")
    with pytest.raises(CommandError, match="at least one identifier"):
        command("withdraw", "--file", tmp_path / "empty")
    for name in ("latin", "no-such"):
        with pytest.raises(CommandError, match="Nothing was withdrawn"):
            command("withdraw", "urn:a", "--file", tmp_path / name)
    assert not looking.record("urn:a").deleted


def test_withdraw_ends_with_1_when_the_journal_could_not_be_written(journal_dir: Path) -> None:
    journal_dir.write_text("a file in the folder's place")
    world.put(world.iso_record("urn:a"))
    status, _, err = command("withdraw", "urn:a")
    assert status == 1
    assert "1 deletion is in the database but not yet in the journal" in err
    assert (looking.record("urn:a").deleted, journal.count_waiting()) == (True, 1)


@pytest.mark.spec("W11")
def test_withdraw_ends_with_0_while_another_process_has_yet_to_write_its_deletion() -> None:
    world.put(world.iso_record("urn:a"))
    flush = journal.flush

    def flush_before_the_other_commits() -> int:
        written = flush()
        JournalOutbox.objects.create(event="deleted", identifier="urn:b", datestamp=datetime(2024, 3, 1, tzinfo=UTC))
        return written

    with mock.patch("catalogue.journal.flush", flush_before_the_other_commits):
        status, out, err = command("withdraw", "urn:a", "--json")
    assert (status, json.loads(out)["waiting_for_journal"], err, journal.count_waiting()) == (0, 0, "", 1)


def peer_and_shared() -> tuple[MetadataSet, MetadataSet]:
    """Sets with `urn:both` uploaded into both, `urn:p` into that of the peer, `urn:linked` harvested into that."""
    peer = world.peer_set(world.TOULOUSE)
    shared = MetadataSet.objects.create(spec="shared01", name="Shared", kind="shared")
    world.put(world.iso_record("urn:p"), world.iso_record("urn:both"), into=peer)
    world.put(world.iso_record("urn:both"), into=shared)
    harvested = store.prepare(world.iso_record("urn:linked"), provenance=Provenance(link="toulouse"))
    store.put_entries([harvested], into=peer, source="toulouse")
    world.put(world.iso_record("urn:ours"))
    return peer, shared


def live_in(into: MetadataSet) -> list[str]:
    rows = Membership.objects.filter(set=into, deleted=False).order_by("record__key")
    return list(rows.values_list("record__identifier", flat=True))


def test_withdraw_from_a_set_touches_that_set_alone() -> None:
    peer, shared = peer_and_shared()
    status, out, err = command("withdraw", "--set", peer.spec, "urn:p", "urn:linked", "urn:ours", "urn:none")
    assert (status, out) == (1, "4 offered: 1 withdrawn, 0 withdrawn before, 3 rejected\n")
    assert "urn:linked came by the link toulouse, whose provider decides" in err
    assert "urn:ours belongs to" in err
    assert "urn:none is not in the catalogue" in err
    assert live_in(peer) == ["urn:both", "urn:linked"]
    command("withdraw", "--set", shared.spec, "urn:both")
    assert (live_in(shared), "urn:both" in live_in(peer)) == ([], True)


def test_withdraw_of_a_whole_set_needs_a_word_and_can_be_counted_before() -> None:
    peer, _ = peer_and_shared()
    with pytest.raises(CommandError, match="all 2 records that were uploaded into"):
        command("withdraw", "--set", peer.spec)
    counted = f"2 records of {peer.spec} would be withdrawn\n"
    assert command("withdraw", "--set", peer.spec, "--all", "--dry-run") == (0, counted, "")
    assert (
        json.loads(command("withdraw", "--set", peer.spec, "--all", "--dry-run", "--json")[1])["would_be_withdrawn"]
        == 2
    )
    assert live_in(peer) == ["urn:both", "urn:linked", "urn:p"]
    status, out, _ = command("withdraw", "--set", peer.spec, "--all")
    assert (status, out.split(":")[0]) == (0, "2 offered")
    assert live_in(peer) == ["urn:linked"]
    assert command("withdraw", "--set", peer.spec, "--all")[:2] == (
        0,
        "0 offered: 0 withdrawn, 0 withdrawn before, 0 rejected\n",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--all"],
        ["--all", "urn:ours"],
        ["--set", "WIS-NOWHERE", "urn:ours"],
        ["--set", oai.CATALOGUE_SET, "--all"],
        ["--set", world.OUR_SPEC, "--all", "urn:ours"],
        ["--set", world.OUR_SPEC, "--all", "--file", "/dev/null"],
        ["--set", world.OUR_SPEC, "--file", "/dev/null"],
        ["--set", "", "--all"],
        ["--dry-run", "urn:ours"],
    ],
)
def test_withdraw_with_what_may_be_a_mistake_changes_nothing(arguments: list[str]) -> None:
    peer_and_shared()
    with pytest.raises(CommandError, match="Nothing was withdrawn"):
        command("withdraw", *arguments)
    assert not Record.objects.filter(deleted=True).exists()


# --- catalogue stats ------------------------------------------------------------------------------------


def test_stats_count_live_records_and_tombstones_of_each_set() -> None:
    toulouse = world.peer_set(world.TOULOUSE)
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    world.put(world.iso_record("urn:t"), into=toulouse)
    world.bury("urn:b")
    world.bury("urn:u", into=toulouse)
    world.restamp("urn:t", "2024-03-01T10:20:30Z")
    world.restamp("urn:u", "2024-02-01T00:00:00Z")
    status, out, _ = command("catalogue", "stats", "--json")
    figures = json.loads(out)
    rows = {row["set"]: row for row in figures["sets"]}
    assert status == 0
    assert figures["sets"][0]["set"] == oai.CATALOGUE_SET
    assert (rows[oai.CATALOGUE_SET]["live"], rows[oai.CATALOGUE_SET]["deleted"]) == (2, 2)
    assert (rows[world.OUR_SPEC]["live"], rows[world.OUR_SPEC]["deleted"]) == (1, 1)
    assert rows[toulouse.spec] == {"set": toulouse.spec, "live": 1, "deleted": 1, "newest": "2024-03-01T10:20:30Z"}
    assert figures["bytes"] > 0
    assert figures["waiting_for_journal"] == 0


def test_stats_of_an_empty_catalogue_are_zeros() -> None:
    assert [(row["live"], row["deleted"], row["newest"]) for row in stats.stats()["sets"]] == [(0, 0, None)] * 2
    assert "WIS-GISC-TOKYO" in command("catalogue", "stats")[1]


def test_stats_for_people_tell_of_a_journal_that_waits(journal_dir: Path) -> None:
    journal_dir.write_text("a file in the folder's place")
    world.put(world.iso_record("urn:a"))
    world.bury("urn:a")
    assert "1 event waits for the journal" in command("catalogue", "stats")[1]


# --- The beginning --------------------------------------------------------------------------------------


@pytest.mark.spec("W1", "P55")
def test_a_new_node_has_its_set_the_catalogue_set_and_a_clock() -> None:
    MetadataSet.objects.all().delete()
    DatestampClock.objects.all().delete()
    bootstrap.ensure_sets()
    assert {(s.spec, s.kind) for s in MetadataSet.objects.all()} == {
        ("WIS-GISC-TOKYO", "own"),
        ("WIS-CATALOGUE", "catalogue"),
    }
    assert lists.earliest() == datetime(lists.instant().year, 1, 1, tzinfo=UTC)


@pytest.mark.spec("P55")
def test_starting_again_changes_nothing() -> None:
    DatestampClock.objects.update(earliest=datetime(2020, 1, 1, tzinfo=UTC))
    MetadataSet.objects.filter(kind="own").update(name="Renamed", public=False)
    before = list(MetadataSet.objects.values()), list(DatestampClock.objects.values())
    bootstrap.ensure_sets()
    assert (list(MetadataSet.objects.values()), list(DatestampClock.objects.values())) == before


def test_a_node_under_another_name_does_not_start(settings) -> None:
    settings.GISC_NAME = "WIS-GISC-OFFENBACH"
    with pytest.raises(ImproperlyConfigured, match="write GISC_NAME=WIS-GISC-TOKYO, or start with another database"):
        bootstrap.ensure_sets()


@pytest.mark.spec("P72", "W1")
@pytest.mark.parametrize("name", ["WIS GISC TOKYO", "WIS-GISC-TOKYO:", "WIS-CATALOGUE", "", "東京"])
def test_a_name_that_cannot_be_the_own_set_is_a_system_check_error(settings, name: str) -> None:
    settings.GISC_NAME = name
    assert [error.id for error in checks.own_set_is_a_set_spec()] == ["catalogue.E001"]
    settings.GISC_NAME = "WIS-GISC-TOKYO"
    assert checks.own_set_is_a_set_spec() == []


# --- What must always hold is a constraint --------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "change", "name"),
    [
        (Record, {"payload": None}, "a_tombstone_has_no_metadata"),
        (Record, {"deleted": True}, "a_tombstone_has_no_metadata"),
        (Record, {"digest": None}, "a_tombstone_has_no_metadata"),
        (Record, {"key": "urn:b"}, "one_record_per_identifier"),
        (Record, {"datestamp": datetime(2024, 1, 1, 0, 0, 0, 1, tzinfo=UTC)}, "a_record_datestamp_is_whole_seconds"),
        (
            Membership,
            {"datestamp": datetime(2024, 1, 1, 0, 0, 0, 1, tzinfo=UTC)},
            "a_membership_datestamp_is_whole_seconds",
        ),
        (DatestampClock, {"id": 2}, "there_is_one_clock"),
        (MetadataSet, {"kind": "own"}, "one_own_set_and_one_catalogue_set"),
    ],
)
def test_what_must_always_hold_is_kept_by_the_database(model, change: dict, name: str) -> None:
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        model.objects.filter(pk=model.objects.first().pk).update(**change) if model is not MetadataSet else (
            model.objects.create(spec="another", name="another", **change)
        )


@pytest.mark.spec("P72")
def test_a_spec_typed_in_the_admin_is_checked() -> None:
    validate_set_spec("shared01:b")
    with pytest.raises(ValidationError, match="is not a setSpec"):
        validate_set_spec("shared 01")
