"""Identifiers that differ in their case alone, where case means nothing (F74, P69, W47)."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue import history, journal, oai, replay
from catalogue.models import Claim, JournalOutbox, Membership, MetadataSet, Record, SpellingChange
from catalogue.payloads import payload
from catalogue.reading.query import search
from catalogue.writing import store
from catalogue.writing.decisions import Action, Result
from tests.support import looking, world

pytestmark = pytest.mark.django_db

OLD, NEW, THIRD = "urn:x-wmo:md:ABC", "urn:x-wmo:md:abc", "URN:X-WMO:MD:ABC"


def put(*offered: bytes | str, into: MetadataSet | None = None, source: str = "", apart=()) -> list[Result]:
    """Put records (bytes) and deletions (identifiers)."""
    entries = [store.prepare(o) if isinstance(o, bytes) else store.prepare_deletion(o) for o in offered]
    return store.put_entries(entries, into=into or toulouse(), source=source, apart=apart)


def a(identifier: str, title: str = "Wind") -> bytes:
    return world.iso_record(identifier, title=title)


def toulouse() -> MetadataSet:
    return world.peer_set(world.TOULOUSE)


def offenbach() -> MetadataSet:
    return world.peer_set(world.OFFENBACH)


def live() -> dict[str, str]:
    """The live records' identifiers with the specs of their owners."""
    return dict(Record.objects.filter(deleted=False).values_list("key", "owner__spec"))


def members(spec: str) -> dict[str, bool]:
    """Whether the members of a set are deleted there, as an exact-string harvester sees them."""
    return {identifier: entry.deleted for identifier, entry in looking.listed(spec).items()}


def claims() -> dict[tuple[str, str], str]:
    """The spellings of claims by record and set."""
    return {(c.record.key, c.set.spec): c.spelling for c in Claim.objects.select_related("record", "set")}


def buried_by_the_journal() -> set[str]:
    """What replaying the journal would delete."""
    with history.History() as told:
        events = [last.event for last in told.last_events() if last.event]
    return {event.identifier for event in events if event.event == JournalOutbox.Event.DELETED}


def a_week_later() -> None:
    SpellingChange.objects.update(datestamp=world.restamp(OLD, "2026-01-01T00:00:00Z") - timedelta(days=8))


# --- What is folded ------------------------------------------------------------------------------------

UUID = "E15CD0B3-7E7B-4B0C-9C55-6A5C1D2B9D37"


@pytest.mark.spec("F74")
@pytest.mark.parametrize("identifier", ["URN:a", "urn:X-wmo:Md:é%C3%A9", UUID, f"{{{UUID}}}", f"urn:uuid:{UUID}"])
def test_case_means_nothing_in_urns_and_uuids(identifier: str) -> None:
    key = oai.oai_identifier(identifier)
    lowered = oai.oai_identifier(identifier.lower())
    assert oai.folded(key) == oai.folded(lowered) == key.lower()


@pytest.mark.spec("F74", "P69")
@pytest.mark.parametrize(
    "identifier",
    ["Doc1", "http://example.org/A", "oai:URN:a", f"x{UUID}", f"{UUID}x", f"{UUID[:-1]}G", "int.wmo.URN:A"],
)
def test_case_counts_in_all_others(identifier: str) -> None:
    assert oai.folded(oai.oai_identifier(identifier)) is None


@pytest.mark.spec("F74")
def test_only_ascii_letters_are_folded() -> None:
    assert oai.folded("urn:É") == "urn:É"
    assert oai.folded("URN:\u212aelvin") == "urn:\u212aelvin"


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=10).map(lambda text: oai.oai_identifier(f"URN:x{text}")))
def test_the_database_folds_alike(key: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute('SELECT lower(%s COLLATE "C")', [key.replace("\0", "")])
        assert cursor.fetchone()[0] == oai.folded(key.replace("\0", ""))


@pytest.mark.spec("P69")
def test_records_whose_case_counts_are_two() -> None:
    put(a("Doc1"))
    assert [result.action for result in put(a("doc1"))] == [Action.NEW]
    assert live().keys() == {"Doc1", "doc1"}


# --- The owner changes the spelling ------------------------------------------------------------------------


@pytest.mark.spec("F74", "P69", "P84")
def test_the_owners_change_of_spelling_is_a_tombstone_and_a_record_in_one_transaction() -> None:
    put(a(OLD))
    world.restamp(OLD, "2026-01-01T00:00:00Z")

    (result,) = put(a(NEW, "Waves"))

    assert (result.action, result.replaced) == (Action.UPDATED, OLD)
    old, new = looking.record(OLD), looking.record(NEW)
    assert (old.deleted, new.deleted) == (True, False)
    assert old.datestamp == new.datestamp
    assert new.datestamp.year != 2026 or new.datestamp.month != 1
    assert b"Waves" in payload.unpack(new.payload)
    assert members(world.TOULOUSE.spec) == {OLD: True, NEW: False}
    assert old.set_specs == new.set_specs == [world.TOULOUSE.spec]
    assert looking.sizes_that_are_wrong() == []
    assert [(event.identifier, event.event) for event in JournalOutbox.objects.all()] == [(OLD, "deleted")]


@pytest.mark.spec("F74", "W12")
def test_a_spelling_that_comes_back_is_in_the_journal_and_so_is_the_one_that_goes() -> None:
    put(a(OLD))
    put(a(NEW))
    put(a(OLD, "Waves"))
    assert live() == {OLD: world.TOULOUSE.spec}
    assert members(world.TOULOUSE.spec) == {OLD: False, NEW: True}
    events = [(event.identifier, event.event) for event in JournalOutbox.objects.order_by("pk")]
    assert events[:1] == [(OLD, "deleted")]
    assert sorted(events[1:]) == [(OLD, "returned"), (NEW, "deleted")]


@pytest.mark.spec("F74", "W47")
def test_the_new_spelling_has_the_sets_and_the_claims_of_the_old_one() -> None:
    put(a(OLD), source="toulouse")
    put(a(OLD, "Theirs"), into=offenbach(), source="offenbach")

    put(a(NEW), source="toulouse")

    for spec in (world.TOULOUSE.spec, world.OFFENBACH.spec):
        assert members(spec) == {OLD: True, NEW: False}
    assert looking.record(NEW).set_specs == sorted([world.TOULOUSE.spec, world.OFFENBACH.spec])
    assert claims() == {(NEW, world.OFFENBACH.spec): OLD}


@pytest.mark.spec("F74")
@pytest.mark.parametrize("order", [(OLD, a(NEW)), (a(NEW), OLD)])
def test_the_tombstone_of_the_old_spelling_may_come_in_one_batch_with_the_new_one(
    order: tuple[bytes | str, ...],
) -> None:
    put(a(OLD), source="toulouse")
    put(a(OLD, "Theirs"), into=offenbach(), source="offenbach")

    put(*order, source="toulouse")

    assert live() == {NEW: world.TOULOUSE.spec}
    for spec in (world.TOULOUSE.spec, world.OFFENBACH.spec):
        assert members(spec) == {OLD: True, NEW: False}
    assert claims() == {(NEW, world.OFFENBACH.spec): OLD}


@pytest.mark.spec("F74")
@pytest.mark.parametrize("order", [(OLD, a(NEW)), (a(NEW), OLD)])
@pytest.mark.parametrize("claimed", [False, True])
def test_the_tombstone_of_the_old_spelling_may_come_before_the_new_one_or_after(
    order: tuple[bytes | str, ...], claimed: bool
) -> None:
    put(a(OLD), source="toulouse")
    if claimed:
        put(a(OLD, "Theirs"), into=offenbach(), source="offenbach")

    for each in order:
        put(each, source="toulouse")

    assert live() == {NEW: world.TOULOUSE.spec}
    assert members(world.TOULOUSE.spec) == {OLD: True, NEW: False}
    if claimed:
        assert members(world.OFFENBACH.spec) == {OLD: True, NEW: False}
        assert claims() == {(NEW, world.OFFENBACH.spec): OLD}
    assert looking.sizes_that_are_wrong() == []


@pytest.mark.spec("F74")
def test_two_spellings_that_one_batch_has_live_are_two_records() -> None:
    put(a(OLD))
    assert [result.action for result in put(a(NEW), a(OLD))] == [Action.NEW, Action.UNCHANGED]
    assert live().keys() == {OLD, NEW}
    put(a(NEW, "Waves"), a(OLD, "Swell"))
    assert live().keys() == {OLD, NEW}
    put(OLD)
    assert live().keys() == {NEW}


@pytest.mark.spec("F74")
def test_a_spelling_that_its_provider_has_beside_the_other_is_a_record_of_its_own() -> None:
    put(a(OLD))
    assert [result.action for result in put(a(NEW), apart={NEW})] == [Action.NEW]
    assert live().keys() == {OLD, NEW}


@pytest.mark.spec("F74")
def test_an_upload_changes_the_spelling_of_our_own_record() -> None:
    put(a(OLD), into=world.own_set())
    put(a(NEW), into=world.own_set())
    assert members(world.OUR_SPEC) == {OLD: True, NEW: False}


@pytest.mark.spec("W23", "F74")
def test_a_peer_does_not_change_the_spelling_of_our_record() -> None:
    put(a(OLD), into=world.own_set())
    (result,) = put(a(NEW), source="toulouse")
    assert (result.action, result.key) == (Action.REJECTED, OLD)
    assert live() == {OLD: world.OUR_SPEC}


@pytest.mark.spec("F74", "P90")
def test_the_third_change_within_a_week_is_not_made_and_the_content_is_stored() -> None:
    put(a(OLD))
    put(a(NEW))
    put(a(OLD))

    (result,) = put(a(NEW, "Waves"))

    assert (result.action, result.key, result.replaced) == (Action.UPDATED, OLD, "")
    held = looking.record(OLD)
    assert (held.deleted, held.spelling) == (False, NEW)
    assert b"Waves" in payload.unpack(held.payload)
    assert members(world.TOULOUSE.spec) == {OLD: False, NEW: True}
    assert [result.action for result in put(a(NEW, "Waves"))] == [Action.UNCHANGED]
    assert [result.action for result in put(a(OLD, "Waves"))] == [Action.UPDATED]
    assert looking.record(OLD).spelling == ""


@pytest.mark.spec("F74")
def test_after_a_week_the_spelling_changes_again_even_if_the_content_does_not() -> None:
    put(a(OLD))
    put(a(NEW))
    put(a(OLD))
    put(a(NEW, "Waves"))
    a_week_later()

    assert put(a(NEW, "Waves"))[0].replaced == OLD

    assert live() == {NEW: world.TOULOUSE.spec}
    assert looking.record(NEW).spelling == ""
    assert SpellingChange.objects.count() == 1


# --- Deletions in another spelling -----------------------------------------------------------------------


@pytest.mark.spec("F74")
def test_a_deletion_means_the_live_record_if_its_own_spelling_was_never_seen() -> None:
    put(a(NEW))
    (result,) = put(OLD)
    assert (result.action, result.key) == (Action.DELETED, NEW)
    assert members(world.TOULOUSE.spec) == {NEW: True}


@pytest.mark.spec("F74")
def test_of_two_deletions_in_spellings_never_seen_one_means_the_live_record() -> None:
    put(a(NEW))
    assert [result.action for result in put(OLD, THIRD)] == [Action.DELETED, Action.DELETED]
    assert live() == {}
    assert members(world.TOULOUSE.spec) == {NEW: True, THIRD: True}


@pytest.mark.spec("F74")
def test_a_deletion_in_a_spelling_that_was_seen_deletes_nothing_else() -> None:
    put(a(OLD))
    put(a(NEW))
    assert [result.action for result in put(OLD)] == [Action.UNCHANGED]
    assert live() == {NEW: world.TOULOUSE.spec}


@pytest.mark.spec("F74", "W12")
def test_a_deletion_of_a_record_apart_is_a_tombstone_of_its_own() -> None:
    put(a(NEW))
    assert [result.action for result in put(OLD, apart={OLD})] == [Action.DELETED]
    assert members(world.TOULOUSE.spec) == {OLD: True, NEW: False}


@pytest.mark.spec("F74")
def test_records_are_withdrawn_by_their_exact_identifier_alone() -> None:
    put(a(NEW), into=world.own_set())
    assert [result.action for result in store.withdraw([OLD])] == [Action.REJECTED]
    assert live() == {NEW: world.OUR_SPEC}


@pytest.mark.spec("W34", "F74")
def test_a_replay_deletes_by_the_exact_identifier_alone(tmp_path) -> None:
    put(a(NEW), into=world.own_set())
    event = journal.Event("deleted", OLD, looking.record(NEW).datestamp, (world.OUR_SPEC,))
    (tmp_path / "journal.jsonl").write_text(event.line())
    report = replay.replay([tmp_path / "journal.jsonl"])
    assert members(world.OUR_SPEC) == {OLD: True, NEW: False}, report


# --- Other sources -------------------------------------------------------------------------------------


@pytest.mark.spec("W47", "F74")
def test_another_sources_old_spelling_is_a_claim_and_no_second_record() -> None:
    put(a(NEW), source="toulouse")

    (result,) = put(a(OLD), into=offenbach(), source="offenbach")

    assert (result.action, result.key, result.disagreement) == (Action.UPDATED, NEW, None)
    assert live() == {NEW: world.TOULOUSE.spec}
    assert claims() == {(NEW, world.OFFENBACH.spec): OLD}
    assert members(world.OFFENBACH.spec) == {NEW: False}
    assert [result.action for result in put(a(OLD), into=offenbach(), source="offenbach")] == [Action.UNCHANGED]


@pytest.mark.spec("W47", "F74")
@pytest.mark.parametrize("order", [(OLD, a(NEW)), (a(NEW), OLD)])
@pytest.mark.parametrize("together", [True, False])
def test_another_source_follows_the_owner_in_either_order(order: tuple[bytes | str, ...], together: bool) -> None:
    put(a(OLD), source="toulouse")
    put(a(OLD), into=offenbach(), source="offenbach")
    put(a(NEW), source="toulouse")

    for batch in [order] if together else [(each,) for each in order]:
        put(*batch, into=offenbach(), source="offenbach")

    assert live() == {NEW: world.TOULOUSE.spec}
    assert claims() == {(NEW, world.OFFENBACH.spec): ""}
    assert members(world.OFFENBACH.spec) == {OLD: True, NEW: False}


@pytest.mark.spec("W47", "F74")
def test_another_sources_deletion_of_its_spelling_ends_its_claim() -> None:
    put(a(OLD), source="toulouse")
    put(a(OLD), into=offenbach(), source="offenbach")
    put(a(NEW), source="toulouse")
    (result,) = put(OLD, into=offenbach(), source="offenbach")
    assert (result.action, result.disagreement) == (Action.DELETED, None)
    assert claims() == {}
    assert members(world.OFFENBACH.spec) == {OLD: True, NEW: True}


@pytest.mark.spec("W23", "F74")
def test_a_claim_with_another_spelling_that_becomes_the_record_changes_the_spelling() -> None:
    put(a(OLD), source="toulouse")
    put(a(OLD, "Theirs"), into=offenbach(), source="offenbach")
    put(a(NEW), source="toulouse")

    put(NEW, source="toulouse")

    assert live() == {OLD: world.OFFENBACH.spec}
    assert looking.record(OLD).set_specs == [world.OFFENBACH.spec]
    assert members(world.TOULOUSE.spec) == {OLD: True, NEW: True}
    assert members(world.OFFENBACH.spec) == {OLD: False, NEW: True}
    assert claims() == {}
    buried = buried_by_the_journal()
    assert buried == {NEW}


@pytest.mark.spec("F74", "P75")
def test_a_deletion_of_another_spelling_by_a_set_that_never_had_the_record_says_nothing_of_this_one() -> None:
    put(a(NEW), source="toulouse")
    [result] = put(THIRD, into=offenbach(), source="offenbach")
    assert result.action is Action.UNCHANGED
    assert members(world.OFFENBACH.spec) == {}
    [result] = put(NEW, into=offenbach(), source="offenbach")
    assert result.action is Action.DELETED, "to the harvesters of that set"
    assert members(world.OFFENBACH.spec) == {NEW: True}
    assert live() == {NEW: world.TOULOUSE.spec}


# --- Reading and costs -----------------------------------------------------------------------------------


@pytest.mark.spec("F74")
def test_search_finds_the_live_record_by_another_spelling() -> None:
    put(a(OLD))
    put(a(NEW))
    for text in (OLD, NEW, THIRD, f" {THIRD} "):
        assert [record.key for record in search.records(text)] == [NEW]
    put(a("Doc1"))
    assert not Record.objects.named("doc1").exists() and not Record.objects.in_another_case("doc1").exists()
    assert [record.key for record in search.records("doc1")] == ["Doc1"], "by how its last part begins, for people"


def test_nothing_is_looked_up_where_no_case_can_be_folded() -> None:
    def lookups(*documents: bytes) -> int:
        with CaptureQueriesContext(connection) as queries:
            put(*documents)
        return sum("live.spelling" in query["sql"] for query in queries)

    assert lookups(a("Doc1"), a("http://example.org/a")) == 0
    assert lookups(a(OLD), a("Doc2")) == 2  # before the lock, and under it
    assert lookups(a(OLD, "Waves"), a("Doc2", "Waves")) == 0


# --- An exact-string harvester ---------------------------------------------------------------------------

SPELLINGS = (OLD, NEW, THIRD)
SOURCES: Mapping[str, str] = {
    "toulouse": world.TOULOUSE.spec,
    "offenbach": world.OFFENBACH.spec,
    "again": world.TOULOUSE.spec,
}
OFFERS = st.tuples(st.sampled_from(SPELLINGS), st.none() | st.integers(1, 2))
BATCHES = st.tuples(st.sampled_from(sorted(SOURCES)), st.lists(OFFERS, min_size=1, max_size=3), st.booleans())


class ExactHarvester:
    """A foreign harvester of one list, which stores what it lists by the exact identifier."""

    def __init__(self, spec: str | None) -> None:
        self.spec, self.live, self.seen = spec, set[str](), 0

    def harvest(self) -> None:
        """List what is stamped at the latest datestamp that it has seen, or later."""
        for identifier, entry in sorted(looking.listed(self.spec).items(), key=lambda item: item[1].position):
            if entry.stamp >= self.seen:
                self.seen = entry.stamp
                (self.live.discard if entry.deleted else self.live.add)(identifier)


@pytest.mark.spec("F74", "P69", "P81")
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(BATCHES, max_size=7))
def test_whatever_comes_an_exact_string_harvester_ends_equal_to_the_catalogue(batches: list) -> None:
    sets = {spec: world.peer_set(centre) for spec, centre in ((c.spec, c) for c in (world.TOULOUSE, world.OFFENBACH))}
    with transaction.atomic():
        harvesters = [ExactHarvester(spec) for spec in (None, *sets)]
        for source, offers, is_apart in batches:
            entries = [
                store.prepare_deletion(spelling)
                if version is None
                else store.prepare(world.iso_record(spelling, title=f"Version {version}"))
                for spelling, version in offers
            ]
            live_here = {spelling for spelling, version in dict(offers).items() if version is not None}
            before = set(Record.objects.filter(deleted=False).values_list("key", flat=True))
            apart = {spelling for spelling, _ in offers} if is_apart else set()
            results = store.put_entries(entries, into=sets[SOURCES[source]], source=source, apart=apart)
            assert [result.identifier for result in results] == [spelling for spelling, _ in offers]
            after = set(Record.objects.filter(deleted=False).values_list("key", flat=True))
            if len(before) <= 1 and not is_apart and len(live_here) <= 1:
                assert len(after) <= 1
            for foreign in harvesters:
                for identifier in foreign.live - looking.listed(foreign.spec).keys():
                    raise AssertionError(f"{identifier} has vanished from {foreign.spec}")
                foreign.harvest()
            assert looking.sizes_that_are_wrong() == []
            buried = buried_by_the_journal()
            assert buried == set(Record.objects.filter(deleted=True).values_list("key", flat=True))
        assert harvesters[0].live == set(Record.objects.filter(deleted=False).values_list("key", flat=True))
        for foreign in harvesters[1:]:
            here = Membership.objects.filter(set__spec=foreign.spec, deleted=False)
            assert foreign.live == set(here.values_list("record__key", flat=True))
        for record in Record.objects.filter(deleted=False):
            assert set(record.set_specs) == set(
                record.memberships.filter(deleted=False, direct=True).values_list("set__spec", flat=True)
            )
            assert {claim.set_id for claim in record.claims.all()} <= set(
                record.memberships.filter(deleted=False).values_list("set_id", flat=True)
            )
        transaction.set_rollback(True)
