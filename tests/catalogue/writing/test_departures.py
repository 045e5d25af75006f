"""A record that leaves a set is deleted to that set's harvesters: the journal knows it, and a replay tells it again."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogue import bootstrap, journal, replay
from catalogue.models import (
    Claim,
    DatestampClock,
    JournalOutbox,
    JournalPosition,
    JournalWriter,
    Membership,
    MetadataSet,
    Record,
    SetInclusion,
)
from catalogue.provenance import Provenance
from catalogue.writing import set_inclusion, store
from catalogue.writing.decisions import Action
from tests.support import looking, world
from tests.support.harvesting import Harvester, held_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spec("W11")]

FRENCH, GERMAN, SHARED, UNION = world.TOULOUSE.spec, world.OFFENBACH.spec, "shared01", "DRIVER"
OURS = world.OUR_SPEC


def the_sets() -> dict[str, MetadataSet]:
    """All the sets of these tests. The union holds what we and Toulouse hold."""
    made = {OURS: world.own_set(), FRENCH: world.peer_set(world.TOULOUSE), GERMAN: world.peer_set(world.OFFENBACH)}
    made[SHARED] = set_inclusion.ensure_set(SHARED, kind=MetadataSet.Kind.SHARED)
    made[UNION] = set_inclusion.ensure_set(UNION, kind=MetadataSet.Kind.VIRTUAL)
    set_inclusion.include(made[UNION], [made[OURS], made[FRENCH]])
    return made


@pytest.fixture
def known() -> dict[str, MetadataSet]:
    return the_sets()


def lose_the_database() -> None:
    Record.objects.all().delete()
    SetInclusion.objects.all().delete()
    MetadataSet.objects.exclude(kind__in=("own", "catalogue")).delete()
    for model in (DatestampClock, JournalOutbox, JournalPosition, JournalWriter):
        model.objects.all().delete()
    bootstrap.ensure_sets()


def offer(title: str, *, into: MetadataSet, source: str = "", name: str = "urn:a") -> Action:
    """One entry; an empty title is a deletion."""
    provenance = Provenance(link=source) if source else None
    if title:
        entry = store.prepare(world.iso_record(name, title=title), provenance=provenance)
    else:
        entry = store.prepare_deletion(name)
    return store.put_entries([entry], into=into, source=source)[0].action


def told(folder: Path) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(event.event, event.identifier, event.set_specs) for event in journal.JournalReader(folder)]


def counts(report: replay.ReplayReport) -> tuple[int, int, int, int, int]:
    return report.deleted, report.moved, report.departed, report.unchanged, report.left_alone


def standing(spec: str) -> dict[str, bool]:
    """Whether each record of a set is live in its list."""
    return {identifier: not listed.deleted for identifier, listed in looking.listed(spec).items()}


# --- What the journal is told ---------------------------------------------------------------------------


def test_a_move_is_told_with_the_set_it_left_and_its_new_owner(journal_dir: Path, known) -> None:
    offer("One", into=known[OURS])
    store.move(["urn:a"], into=known[SHARED])
    assert sorted(told(journal_dir)) == [
        ("left", "urn:a", (UNION,)),
        ("left", "urn:a", (OURS,)),
        ("moved", "urn:a", (SHARED,)),
    ]
    assert {event.datestamp for event in journal.JournalReader(journal_dir)} == {looking.record("urn:a").datestamp}


def test_a_word_taken_back_and_given_again_is_told(journal_dir: Path, known) -> None:
    offer("One", into=known[FRENCH], source="t")
    offer("Two", into=known[GERMAN], source="o")
    assert not journal_dir.exists()
    offer("", into=known[GERMAN], source="o")
    offer("Two", into=known[GERMAN], source="o")
    offer("Three", into=known[GERMAN], source="o")
    assert told(journal_dir) == [("left", "urn:a", (GERMAN,)), ("joined", "urn:a", (GERMAN,))]


def test_a_hand_over_is_told_in_the_set_of_the_first_owner(journal_dir: Path, known) -> None:
    offer("One", into=known[GERMAN], source="o")
    offer("Two", into=known[SHARED], source="s")
    offer("", into=known[GERMAN], source="o")
    assert told(journal_dir) == [("left", "urn:a", (GERMAN,))]


def test_a_set_taken_out_of_a_virtual_one_and_put_back_is_told(journal_dir: Path, known) -> None:
    offer("One", into=known[OURS])
    set_inclusion.exclude(known[UNION], [known[OURS]])
    set_inclusion.exclude(known[UNION], [known[OURS]])
    assert told(journal_dir) == [("left", "urn:a", (UNION,))]
    set_inclusion.include(known[UNION], [known[OURS]])
    assert told(journal_dir)[1:] == [("joined", "urn:a", (UNION,))]


def test_a_deletion_is_told_with_its_sets_and_also_for_the_virtual_set_it_ends_in(journal_dir: Path, known) -> None:
    offer("One", into=known[FRENCH], source="t")
    offer("Two", into=known[GERMAN], source="o")
    offer("", into=known[GERMAN], source="o")
    offer("", into=known[FRENCH], source="t")
    assert told(journal_dir) == [
        ("left", "urn:a", (GERMAN,)),
        ("left", "urn:a", (UNION,)),
        ("deleted", "urn:a", (FRENCH,)),
    ]


def test_a_move_rolled_back_is_no_event(journal_dir: Path, known) -> None:
    offer("One", into=known[OURS])
    with transaction.atomic():
        store.move(["urn:a"], into=known[SHARED])
        assert journal.count_waiting() == 3
        transaction.set_rollback(True)
    assert (journal.count_waiting(), list(journal_dir.glob("*.jsonl"))) == (0, [])


@pytest.mark.spec("W23")
def test_a_claim_of_the_set_a_record_moves_to_does_not_outlive_that_sets_deletion(known) -> None:
    offer("One", into=known[SHARED])
    offer("Two", into=known[FRENCH], source="t")
    store.move(["urn:a"], into=known[FRENCH])
    assert not Claim.objects.exists()
    assert offer("", into=known[FRENCH], source="t") is Action.DELETED
    assert looking.record("urn:a").deleted


@pytest.mark.spec("W23")
def test_a_record_that_becomes_our_own_leaves_the_sets_of_all_others(journal_dir: Path, known) -> None:
    """Their word counts no longer, so they could not even take it back."""
    offer("One", into=known[SHARED])
    offer("Two", into=known[SHARED], source="s")
    offer("One", into=known[GERMAN], source="o")
    store.move(["urn:a"], into=known[OURS])
    assert not Claim.objects.exists()
    assert [standing(spec) for spec in (SHARED, GERMAN, OURS)] == [{"urn:a": False}] * 2 + [{"urn:a": True}]
    assert ("left", "urn:a", (GERMAN,)) in told(journal_dir)
    assert offer("", into=known[OURS]) is Action.DELETED
    assert looking.record("urn:a").deleted


# --- Replay ---------------------------------------------------------------------------------------------


def test_rebuilt_from_an_archive_a_moved_record_is_where_it_was_and_told_where_it_had_been(journal_dir, known) -> None:
    offer("One", into=known[OURS])
    store.move(["urn:a"], into=known[SHARED])
    store.move(["urn:a"], into=known[GERMAN])
    lose_the_database()
    known = the_sets()
    offer("One", into=known[OURS])
    assert counts(replay.replay([journal_dir])) == (0, 1, 1, 2, 0)
    assert looking.record("urn:a").owner == known[GERMAN]
    assert [standing(spec) for spec in (OURS, SHARED, UNION, GERMAN)] == [{"urn:a": False}] * 3 + [{"urn:a": True}]
    before, told_before = looking.row_versions(), told(journal_dir)
    assert counts(replay.replay([journal_dir])) == (0, 0, 0, 4, 0)
    assert (looking.row_versions(), told(journal_dir)) == (before, told_before)


def test_a_record_that_moved_and_was_deleted_there_is_buried_where_the_archive_has_it(journal_dir, known) -> None:
    offer("One", into=known[OURS])
    store.move(["urn:a"], into=known[SHARED])
    offer("", into=known[SHARED])
    lose_the_database()
    known = the_sets()
    offer("One", into=known[OURS])
    assert counts(replay.replay([journal_dir]))[0] == 1
    assert looking.record("urn:a").deleted
    assert standing(SHARED) == standing(OURS) == standing(UNION) == {"urn:a": False}


def test_what_it_came_back_to_is_left_alone_also_by_an_old_export(journal_dir: Path, tmp_path: Path, known) -> None:
    offer("One", into=known[FRENCH], source="t")
    offer("Two", into=known[GERMAN], source="o")
    offer("", into=known[GERMAN], source="o")
    export = tmp_path / "export.jsonl"
    export.write_text("".join(event.line() for event in journal.JournalReader(journal_dir)))
    offer("Two", into=known[GERMAN], source="o")
    before = looking.row_versions()
    assert counts(replay.replay([export])) == (0, 0, 0, 0, 0)
    (journal_dir / "deletions-2000-0001.jsonl").touch()
    for file in journal_dir.glob("*.jsonl"):
        file.unlink()
    with pytest.raises(replay.HistoryIncomplete, match=r"events are missing: \d+-2$"):
        replay.replay([export])  # our own journal is lost
    report = replay.replay([export], accept_gap=True)
    assert counts(report) == (0, 0, 0, 0, 1)
    assert f"is in the set {GERMAN}, which it had left" in str(report.left[0].reason)
    assert looking.row_versions() == before


def test_a_tombstone_is_told_in_a_set_that_it_had_left_before(journal_dir: Path, known) -> None:
    offer("One", into=known[OURS])
    store.move(["urn:a"], into=known[SHARED])
    offer("", into=known[SHARED])
    lose_the_database()
    assert counts(replay.replay([journal_dir])) == (1, 0, 2, 0, 0)
    assert standing(SHARED) == standing(OURS) == standing(UNION) == {"urn:a": False}


def test_what_is_not_here_is_told_and_done_by_a_later_replay(journal_dir: Path, known) -> None:
    offer("One", into=known[FRENCH], source="t")
    offer("Two", into=known[GERMAN], source="o")
    offer("", into=known[FRENCH], source="t")
    lose_the_database()
    known = the_sets()
    report = replay.replay([journal_dir])
    assert counts(report) == (0, 0, 0, 0, 2)
    assert "is not in the catalogue; replay again" in str(report.left[0].reason)
    assert not Record.objects.exists(), "a record that lives is not told as deleted to everybody"
    offer("Two", into=known[GERMAN], source="o")
    assert counts(replay.replay([journal_dir])) == (0, 0, 2, 0, 0)
    assert standing(FRENCH) == {"urn:a": False}
    assert standing(GERMAN) == {"urn:a": True}


def test_a_departure_replayed_from_elsewhere_is_in_our_own_journal_then(journal_dir: Path, tmp_path: Path) -> None:
    offer("One", into=world.own_set())
    at = datetime(2024, 3, 1, tzinfo=UTC)
    file = tmp_path / "x.jsonl"
    file.write_text(journal.Event("left", "urn:a", at, ("a:b",)).line())
    assert counts(replay.replay([file])) == (0, 0, 1, 0, 0)
    assert standing("a:b") == standing("a") == {"urn:a": False}, "the sets above it have harvesters too (P74)"
    assert told(journal_dir) == [("left", "urn:a", ("a:b",))]


# --- Whatever happened ----------------------------------------------------------------------------------

_NAMES = ("urn:a", "urn:b")
_LINKS = {FRENCH: ("t",), GERMAN: ("o",), SHARED: ("", "s", "r"), OURS: ("",)}
_acts = st.one_of(
    st.tuples(
        st.just("offer"), st.sampled_from(_NAMES), st.sampled_from(sorted(_LINKS)), st.integers(0, 2),
        st.sampled_from(("", "One", "Two")),
    ),
    st.tuples(st.just("move"), st.sampled_from(_NAMES), st.sampled_from((OURS, SHARED))),
    st.tuples(st.just("include"), st.sampled_from((OURS, FRENCH, SHARED)), st.booleans()),
    st.tuples(st.just("visit"), st.integers(0, 5)),
)  # fmt: skip


def _do(act: tuple, known: dict[str, MetadataSet], harvesters: list[Harvester], words: dict) -> None:
    """Do what is drawn; note in `words` what was offered, in the order of the offers, and whether it still stands."""
    match act:
        case ("offer", name, spec, which, title):
            source = _LINKS[spec][which % len(_LINKS[spec])]
            action = offer(title, into=known[spec], source=source, name=name)
            if action is Action.REJECTED:
                return
            if title:
                words.pop((name, spec, source), None)
                words[name, spec, source] = (title, True)
            elif (name, spec, source) in words:
                words[name, spec, source] = (words[name, spec, source][0], False)
        case ("move", name, spec):
            store.move([name], into=known[spec])
        case ("include", spec, is_in):
            (set_inclusion.include if is_in else set_inclusion.exclude)(known[UNION], [known[spec]])
        case ("visit", number):
            harvesters[number].visit()


def _differences(harvesters: list[Harvester]) -> list[str]:
    """What a harvester has wrongly. A tombstone of what is no longer known at all is as good as nothing (P85)."""
    held = {harvester.spec: held_in(harvester.spec) for harvester in harvesters}
    return [
        f"{name}, {harvester}"
        for harvester in harvesters
        for name in sorted(harvester.lacks())
        if name in held[harvester.spec] or not harvester.copy[name].deleted
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@example(
    acts=[("offer", "urn:b", SHARED, 0, "One"), ("offer", "urn:b", GERMAN, 0, "One"), ("move", "urn:b", OURS)],
    whole_archive=False,
    up_to_date=True,
)
@given(acts=st.lists(_acts, max_size=12), whole_archive=st.booleans(), up_to_date=st.booleans())
def test_rebuilt_from_records_and_journal_the_harvesters_of_every_set_end_equal_to_the_catalogue(
    journal_dir: Path, acts: list[tuple], whole_archive: bool, up_to_date: bool
) -> None:
    """As docs/deployment.md has it: the archive, the journal, a full harvest of the links, the journal again.

    The archive has everything that was ever offered, or only what of our own still stood when the database was lost.
    """
    journal_dir.mkdir(exist_ok=True)
    for file in journal_dir.iterdir():
        file.unlink()
    lose_the_database()
    known = the_sets()
    harvesters = [Harvester("responseDate", spec) for spec in (OURS, FRENCH, GERMAN, SHARED, UNION, None)]
    words: dict[tuple[str, str, str], tuple[str, bool]] = {}
    for act in acts:
        _do(act, known, harvesters, words)
    if up_to_date:
        for harvester in harvesters:
            harvester.visit()
    included = set(SetInclusion.objects.filter(parent=known[UNION]).values_list("child__spec", flat=True))

    lose_the_database()
    known = the_sets()
    set_inclusion.exclude(known[UNION], [known[spec] for spec in (OURS, FRENCH) if spec not in included])
    set_inclusion.include(known[UNION], [known[spec] for spec in included])
    for (name, spec, source), (title, stands) in words.items():
        if whole_archive or (stands and not source):
            offer(title, into=known[spec], name=name)
    replay.replay([journal_dir])
    for (name, spec, source), (title, stands) in words.items():
        if stands and source:  # what a full harvest of the links brings
            offer(title, into=known[spec], source=source, name=name)
    replay.replay([journal_dir])

    for harvester in harvesters:
        harvester.visit()
    assert not _differences(harvesters)
    assert not JournalOutbox.objects.exists()
    assert not Membership.objects.filter(record__deleted=True, deleted=False).exists()
