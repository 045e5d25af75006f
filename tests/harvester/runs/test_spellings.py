"""Identifiers of providers that change their case, or have both cases live (F74, W47)."""

from datetime import timedelta

import pytest
from django.db.models import F
from werkzeug import Response

from catalogue.models import Claim, MetadataSet, Record
from catalogue.payloads import payload
from harvester.links import conflict_acts
from harvester.links.conflict_acts import Act
from harvester.models import Conflict, Link, RemoteHeader, Run
from harvester.reasons import EntryCode
from harvester.rows import conflicts
from harvester.runs import comparison, lifecycle
from tests.support import looking, world
from tests.support.provider import Provider, xml
from tests.support.runs import counters, go_on, harvest, held
from tests.support.world import iso_record

pytestmark = pytest.mark.django_db(transaction=True)

OLD, NEW = "urn:x-wmo:md:ABC", "urn:x-wmo:md:abc"
STRATEGIES = pytest.mark.parametrize("strategy", list(Link.Strategy))


def put(provider: Provider, identifier: str, day: int, title: str | None = "Wind") -> None:
    """Give the provider a record, or its deletion, changed on a day of February."""
    document = None if title is None else iso_record(identifier, title=title)
    provider.entries[identifier] = (f"2026-02-{day:02}T00:00:00Z", document)


def compare(link: Link) -> dict[str, int]:
    """What a comparison of everything finds."""
    link.refresh_from_db()
    run = lifecycle.open_comparison(link, trigger="test", whole=True)
    assert run is not None
    after = go_on(run)
    assert after.state == Run.State.DONE, after.message
    return {name: getattr(after, name) for name in comparison.DRIFT if getattr(after, name)}


def members(spec: str = world.TOULOUSE.spec) -> dict[str, bool]:
    """Whether the members of a set are deleted there."""
    return {identifier: entry.deleted for identifier, entry in looking.listed(spec).items()}


def asked_for(provider: Provider) -> list[str]:
    return [arguments["identifier"] for arguments in provider.asked_for("GetRecord")]


@pytest.fixture
def harvested(link: Link, provider: Provider) -> Link:
    """A link that has harvested the old spelling, and another record."""
    put(provider, OLD, 1)
    put(provider, "urn:other", 2)
    assert counters(harvest(link)) == {"received": 2, "new": 2}
    provider.asked.clear()
    return link


# --- Both live -------------------------------------------------------------------------------------------


@STRATEGIES
@pytest.mark.spec("F74", "P69")
@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("first", [OLD, NEW])
def test_two_spellings_that_a_list_has_live_are_two_records(
    link: Link, provider: Provider, strategy: str, size: int, first: str
) -> None:
    Link.objects.update(strategy=strategy)
    link.refresh_from_db()
    provider.page_size = size
    put(provider, OLD, 1 if first == OLD else 2)
    put(provider, NEW, 2 if first == OLD else 1)

    run = harvest(link)

    assert counters(run) == {"received": 2, "new": 2}, run.message
    assert held() == {OLD, NEW}
    if strategy == Link.Strategy.RECORDS:
        assert len(asked_for(provider)) == (size == 1)
    assert counters(harvest(link, full=True)) == {"received": 2, "unchanged": 2}
    assert compare(link) == {}
    put(provider, first, 5, None)
    harvest(link)
    assert held() == {OLD, NEW} - {first}


@STRATEGIES
@pytest.mark.spec("F74", "P69")
def test_a_spelling_that_comes_beside_a_live_one_is_a_record_of_its_own(
    harvested: Link, provider: Provider, strategy: str
) -> None:
    Link.objects.update(strategy=strategy)
    harvested.refresh_from_db()
    put(provider, NEW, 10)
    run = harvest(harvested)
    assert run.new == 1, run.message
    assert OLD in asked_for(provider)
    assert held() == {OLD, NEW, "urn:other"}
    assert compare(harvested) == {}


# --- The spelling changes ----------------------------------------------------------------------------------


def answers_with_the_new_one(provider: Provider) -> None:
    def fault(arguments: dict[str, str]) -> Response | None:
        if arguments["verb"] == "GetRecord" and arguments["identifier"] == OLD:
            return xml(provider.say({**arguments, "identifier": NEW}))
        return None

    provider.entries.pop(OLD)
    provider.faults.append(fault)


def forgets_the_old_one(provider: Provider) -> None:
    provider.entries.pop(OLD)


def deletes_the_old_one_long_ago(provider: Provider) -> None:
    put(provider, OLD, 1, None)


@STRATEGIES
@pytest.mark.spec("F74", "P84", "P69")
@pytest.mark.parametrize("ends", [answers_with_the_new_one, forgets_the_old_one, deletes_the_old_one_long_ago])
def test_a_spelling_in_place_of_the_old_one_is_a_change_of_spelling(
    harvested: Link, provider: Provider, strategy: str, ends
) -> None:
    Link.objects.update(strategy=strategy, harvested_to="2026-02-20T00:00:00Z")
    harvested.refresh_from_db()
    ends(provider)
    put(provider, NEW, 25, "Waves")

    run = harvest(harvested)

    assert counters(run) | {"received": 1, "unchanged": 0} == {"received": 1, "updated": 1, "unchanged": 0}, run.message
    assert run.removed == 0
    assert members() == {OLD: True, NEW: False, "urn:other": False}
    assert looking.record(OLD).datestamp == looking.record(NEW).datestamp
    assert b"Waves" in payload.unpack(looking.record(NEW).payload)
    assert not Conflict.objects.exists()
    assert compare(harvested) == {}
    assert members() == {OLD: True, NEW: False, "urn:other": False}


@STRATEGIES
@pytest.mark.spec("F74", "P84")
@pytest.mark.parametrize("size", [1, 10])
@pytest.mark.parametrize(("old_on", "new_on"), [(11, 12), (12, 11), (11, 11)])
def test_a_relay_gets_the_tombstone_of_an_old_spelling_before_and_after_the_new_one(
    harvested: Link, provider: Provider, strategy: str, size: int, old_on: int, new_on: int
) -> None:
    Link.objects.update(strategy=strategy)
    harvested.refresh_from_db()
    theirs = world.peer_set(world.OFFENBACH)
    world.put(iso_record(OLD, title="Theirs"), into=theirs)
    provider.page_size = size
    put(provider, OLD, old_on, None)
    put(provider, NEW, new_on)

    run = harvest(harvested)

    assert run.state == Run.State.DONE, run.message
    assert members() == {OLD: True, NEW: False, "urn:other": False}
    assert members(world.OFFENBACH.spec) == {OLD: True, NEW: False}
    assert looking.record(NEW).owner.spec == world.TOULOUSE.spec
    assert Claim.objects.get().record == looking.record(NEW)
    conflicts.settle_agreed()
    assert not Conflict.objects.filter(settled=None).exists()
    assert compare(harvested) == {}


@STRATEGIES
@pytest.mark.spec("F74", "W12")
@pytest.mark.parametrize("size", [1, 10])
@pytest.mark.parametrize(("old_on", "new_on"), [(11, 12), (12, 11)])
def test_a_new_relay_stores_the_tombstone_of_a_spelling_that_it_never_had(
    link: Link, provider: Provider, strategy: str, size: int, old_on: int, new_on: int
) -> None:
    Link.objects.update(strategy=strategy)
    link.refresh_from_db()
    provider.page_size = size
    put(provider, OLD, old_on, None)
    put(provider, NEW, new_on)
    run = harvest(link)
    assert counters(run) == {"received": 2, "new": 1, "deleted": 1}, run.message
    assert members() == {OLD: True, NEW: False}


@pytest.mark.spec("F74")
def test_a_deletion_in_a_spelling_that_the_provider_never_had_means_the_live_record(
    harvested: Link, provider: Provider
) -> None:
    forgets_the_old_one(provider)
    put(provider, NEW, 12, None)
    run = harvest(harvested)
    assert (run.deleted, run.removed) == (1, 1), run.message
    assert members() == {OLD: True, "urn:other": False}


@pytest.mark.spec("F74", "W31")
@pytest.mark.parametrize("size", [3, 100])
@pytest.mark.parametrize("tombstones", ["before", "beside", "none"])
def test_a_change_of_all_spellings_is_no_mass_deletion(
    link: Link, provider: Provider, size: int, tombstones: str
) -> None:
    provider.page_size = size
    for number in range(12):
        put(provider, f"urn:ID:{number}", 1)
    harvest(link)
    for number in range(12):
        if tombstones == "none":
            del provider.entries[f"urn:ID:{number}"]
        else:
            put(provider, f"urn:ID:{number}", 11 if tombstones == "before" else 12, None)
        put(provider, f"urn:id:{number}", 12)

    run = harvest(link)

    assert run.state == Run.State.DONE, run.message
    assert held() == {f"urn:id:{number}" for number in range(12)}
    assert Record.objects.filter(deleted=True).count() == 12
    assert not Conflict.objects.filter(settled=None).exclude(kind=Conflict.Kind.MASS).exists()
    assert not RemoteHeader.objects.filter(removed_at__isnull=False).exists()
    assert compare(link) == {}


@pytest.mark.spec("F74")
def test_the_third_change_within_a_week_is_not_made_and_the_run_says_so(harvested: Link, provider: Provider) -> None:
    provider.page_size = 10
    for day, spelling, other in ((10, NEW, OLD), (11, OLD, NEW), (12, NEW, OLD)):
        put(provider, other, day, None)
        put(provider, spelling, day, f"Of the {day}th")
        run = harvest(harvested)
    assert held() == {OLD, "urn:other"}
    assert b"Of the 12th" in payload.unpack(looking.record(OLD).payload)
    assert "1 record keeps the spelling" in run.message
    assert compare(harvested) == {}


@pytest.mark.spec("H38", "F74")
def test_a_header_may_spell_what_the_metadata_spell_otherwise(link: Link, provider: Provider) -> None:
    provider.entries[OLD] = ("2026-02-01T00:00:00Z", iso_record(NEW))
    provider.entries["Doc1"] = ("2026-02-01T00:00:00Z", iso_record("doc1"))
    assert counters(harvest(link)) == {"received": 2, "new": 1, "rejected": 1}
    assert held() == {OLD}
    assert counters(harvest(link, full=True)) == {"received": 2, "unchanged": 1, "rejected": 1}
    put(provider, OLD, 9, None)
    harvest(link)
    assert held() == set()


# --- Another source ----------------------------------------------------------------------------------------


@pytest.mark.spec("W47", "F74")
def test_another_sources_old_spelling_is_a_conflict_after_its_next_complete_list(
    harvested: Link, provider: Provider
) -> None:
    theirs: MetadataSet = world.peer_set(world.OFFENBACH)
    put(provider, OLD, 3)
    Record.objects.filter(key=OLD).delete()
    world.put(iso_record(NEW), into=theirs)  # by its owner's link, and before this one
    reported = Conflict.objects.filter(link=harvested)

    harvest(harvested, full=True)

    assert held() == {NEW, "urn:other"}
    assert Claim.objects.get().spelling == OLD
    assert not reported.exists()
    assert compare(harvested) == {"stale": 1, "not_served": 1}  # as every version that another source overrules
    assert asked_for(provider) == []
    Claim.objects.update(
        first_seen=F("first_seen") - timedelta(seconds=1)
    )  # the next run does not begin in that second

    harvest(harvested)

    conflict = reported.get()
    assert (conflict.key, conflict.identifier, conflict.kind, conflict.settled) == (
        NEW,
        OLD,
        Conflict.Kind.DIFFERS,
        None,
    )
    assert conflict.reason == EntryCode.OLD_SPELLING
    assert "its owner, WIS-GISC-OFFENBACH, as urn:x-wmo:md:abc" in conflict.reason_text
    put(provider, OLD, 11, None)
    put(provider, NEW, 12, "Surface observations")

    harvest(harvested)

    conflict.refresh_from_db()
    assert conflict.settled is not None
    assert Claim.objects.get().spelling == ""
    assert members()[NEW] is False


@pytest.mark.spec("W23", "F74")
def test_our_record_may_be_handed_over_to_who_spells_it_otherwise(link: Link, provider: Provider) -> None:
    world.put(iso_record(NEW))
    put(provider, OLD, 3)
    assert counters(harvest(link)) == {"received": 1, "rejected": 1}
    conflict = Conflict.objects.get()
    assert (conflict.key, conflict.identifier, conflict.kind) == (NEW, OLD, Conflict.Kind.MISPLACED)

    conflict_acts.settle(Act.HAND_OVER, [conflict.pk], by="me")
    harvest(link)

    assert members(world.OUR_SPEC) == {NEW: True}
    assert members() == {NEW: True, OLD: False}
