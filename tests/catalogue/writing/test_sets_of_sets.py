"""Sets that hold others: by hierarchy, or because a virtual set names them. Their lists are rows like any other's."""

import json
from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from catalogue.models import Membership, MetadataSet, SetChange
from catalogue.oai import CATALOGUE_SET
from catalogue.writing import set_changes, set_inclusion, store
from catalogue.writing.set_changes import Foreseen
from tests.support import looking, world
from tests.support.commands import printed

pytestmark = pytest.mark.django_db


def live(spec: str) -> set[str]:
    return {identifier for identifier, listed in looking.listed(spec).items() if not listed.deleted}


def gone(spec: str) -> set[str]:
    return {identifier for identifier, listed in looking.listed(spec).items() if listed.deleted}


def virtual(spec: str = "DRIVER") -> MetadataSet:
    return set_inclusion.ensure_set(spec, kind=MetadataSet.Kind.VIRTUAL)


@pytest.mark.spec("P74", "T3.49")
def test_an_inner_node_holds_what_is_below_it_though_nobody_defined_it() -> None:
    world.put(world.iso_record("urn:deep"), into=set_inclusion.ensure_set("a:b:c"))

    assert live("a") == live("a:b") == live("a:b:c") == {"urn:deep"}
    assert looking.record("urn:deep").set_specs == ["a:b:c"], "ancestors go without saying (P75)"


@pytest.mark.spec("G4")
def test_a_virtual_set_shows_what_its_members_hold_also_what_was_there_before() -> None:
    world.put(world.iso_record("urn:before"), into=world.peer_set(world.TOULOUSE))
    union = virtual()
    set_inclusion.include(union, [world.peer_set(world.TOULOUSE), world.own_set()])

    world.put(world.iso_record("urn:after"))

    assert live("DRIVER") == {"urn:before", "urn:after"}
    assert all("DRIVER" not in listed.set_specs for listed in looking.listed("DRIVER").values())


@pytest.mark.spec("G15")
def test_what_becomes_visible_late_carries_the_datestamp_of_that_moment() -> None:
    world.put(world.iso_record("urn:old"))
    world.restamp("urn:old", "2024-01-01T00:00:00Z")

    set_inclusion.include(virtual(), [world.own_set()])

    assert looking.listed("DRIVER")["urn:old"].position.datestamp.year > 2024
    assert looking.record("urn:old").datestamp.year == 2024, "nothing changed for the other harvesters"


def test_updates_and_deletions_reach_the_virtual_sets_harvesters() -> None:
    set_inclusion.include(virtual(), [world.own_set()])
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    Membership.objects.update(datestamp="2024-01-01T00:00:00Z")

    world.put(world.iso_record("urn:a", title="Changed"))
    world.bury("urn:b")

    listed = looking.listed("DRIVER")
    assert (live("DRIVER"), gone("DRIVER")) == ({"urn:a"}, {"urn:b"})
    assert all(one.position.datestamp.year > 2024 for one in listed.values())


def test_a_record_in_two_members_leaves_the_virtual_set_with_the_last_of_them() -> None:
    toulouse, offenbach = world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)
    union = virtual()
    set_inclusion.include(union, [toulouse, offenbach])
    world.put(world.iso_record("urn:a"), into=toulouse)
    world.put(world.iso_record("urn:a"), into=offenbach)

    world.bury("urn:a", into=toulouse)
    assert live("DRIVER") == {"urn:a"}
    world.bury("urn:a", into=offenbach)
    assert gone("DRIVER") == {"urn:a"}


def test_a_member_taken_out_takes_its_records_along() -> None:
    union = virtual()
    set_inclusion.include(union, [world.own_set(), world.peer_set(world.TOULOUSE)])
    world.put(world.iso_record("urn:ours"))
    world.put(world.iso_record("urn:theirs"), into=world.peer_set(world.TOULOUSE))

    set_inclusion.exclude(union, [world.own_set()])

    assert (live("DRIVER"), gone("DRIVER")) == ({"urn:theirs"}, {"urn:ours"})
    assert live(world.OUR_SPEC) == {"urn:ours"}


def test_only_a_virtual_set_is_made_of_others_and_not_of_virtual_ones() -> None:
    with pytest.raises(ValidationError):
        set_inclusion.include(world.own_set(), [world.peer_set(world.TOULOUSE)])
    with pytest.raises(ValidationError):
        set_inclusion.include(virtual(), [virtual("OTHER")])


def test_a_set_that_is_there_is_not_made_again() -> None:
    assert set_inclusion.ensure_set(world.OUR_SPEC) == world.own_set()
    with pytest.raises(ValidationError):
        set_inclusion.ensure_set("not a spec")


def test_the_command_does_the_same() -> None:
    world.put(world.iso_record("urn:a"))
    call_command("set", "add", "shared01", "--kind", "shared", stdout=StringIO())
    call_command("set", "add", "DRIVER", "--kind", "virtual", stdout=StringIO())
    call_command("set", "include", "DRIVER", "shared01", stdout=StringIO())
    out = StringIO()
    call_command("set", "move", "shared01", "urn:a", stdout=out)

    assert "moved: 1" in out.getvalue()
    assert live("DRIVER") == live("shared01") == {"urn:a"}
    assert gone(world.OUR_SPEC) == {"urn:a"}
    with pytest.raises(CommandError, match="There is no set 'NOPE'"):
        call_command("set", "move", "NOPE", "urn:a")
    with pytest.raises(SystemExit):
        call_command("set", "move", world.OUR_SPEC, "urn:none", stdout=StringIO())


# --- What a change will do, and one that is interrupted ------------------------------------------------


@pytest.fixture
def stored() -> tuple[MetadataSet, MetadataSet, MetadataSet]:
    """A virtual set of Offenbach's, and Toulouse's: `urn:both` is in both, `urn:gone` is deleted."""
    union, ours, theirs = virtual(), world.peer_set(world.OFFENBACH), world.peer_set(world.TOULOUSE)
    world.put(*(world.iso_record(f"urn:{name}") for name in ("both", "ours")), into=ours)
    world.put(*(world.iso_record(f"urn:{name}") for name in ("both", "t1", "t2", "gone")), into=theirs)
    world.bury("urn:gone", into=theirs)
    set_inclusion.include(union, [ours])
    return union, ours, theirs


@pytest.mark.spec("P91")
def test_what_is_foreseen_is_what_is_done_and_what_is_there_stays_as_it_is(
    stored: tuple[MetadataSet, MetadataSet, MetadataSet],
) -> None:
    union, ours, theirs = stored
    Membership.objects.update(datestamp="2024-01-01T00:00:00Z")
    assert set_changes.foresee_include(union, [theirs]) == Foreseen(added=2, deleted=1, stay=1)
    set_inclusion.include(union, [theirs])
    moved = {name for name, listed in looking.listed("DRIVER").items() if listed.position.datestamp.year > 2024}
    assert (moved, gone("DRIVER")) == ({"urn:t1", "urn:t2", "urn:gone"}, {"urn:gone"})
    assert set_changes.foresee_include(union, [theirs]) == Foreseen(stay=3)
    assert set_changes.foresee_exclude(union, [theirs]) == Foreseen(deleted=2, stay=1)
    assert set_changes.foresee_exclude(union, [theirs, ours]) == Foreseen(deleted=4)
    set_inclusion.exclude(union, [theirs])
    assert (live("DRIVER"), gone("DRIVER")) == ({"urn:both", "urn:ours"}, {"urn:t1", "urn:t2", "urn:gone"})
    assert set_changes.begin_exclude(union, [theirs]) is None


@pytest.mark.parametrize("batch", [1, 2])
def test_an_interrupted_change_is_gone_on_with_by_the_next_tick(
    stored: tuple[MetadataSet, MetadataSet, MetadataSet], batch: int
) -> None:
    union, _, theirs = stored

    def die(_number: int) -> None:
        raise KeyboardInterrupt

    with set_changes.LIMITS.replaced(batch=batch), pytest.raises(KeyboardInterrupt):
        set_inclusion.include(union, [theirs], advance=die)
    change = SetChange.objects.get(ended=None)
    assert (change.done, change.total) == (batch, 4)
    assert "urn:t2" not in live("DRIVER")
    assert set_changes.go_on_with_all()
    assert {"urn:t1", "urn:t2", "urn:both"} <= live("DRIVER")
    ended = SetChange.objects.get(pk=change.pk)
    assert ended.ended is not None and ended.done == ended.total


def test_what_is_in_a_set_by_its_name_is_not_taken_out() -> None:
    below = set_inclusion.ensure_set("a:b")
    with pytest.raises(ValidationError, match="a:b is below a by its name"):
        set_inclusion.exclude(MetadataSet.objects.get(spec="a"), [below])


def test_the_command_says_first_what_harvesters_will_see(stored: tuple[MetadataSet, MetadataSet, MetadataSet]) -> None:
    out = StringIO()
    call_command("set", "include", "DRIVER", world.TOULOUSE.spec, "--dry-run", stdout=out)
    assert "added: 2, deleted: 1, unchanged: 1" in out.getvalue()
    assert not live("DRIVER") & {"urn:t1"}


def test_all_sets_are_listed_with_what_they_are_made_of_and_who_sees_them(monkeypatch: pytest.MonkeyPatch) -> None:
    world.put(world.iso_record("urn:a", title="Sea ice"), world.iso_record("urn:b"))
    store.withdraw(["urn:b"])
    world.put(world.iso_record("urn:c"), into=world.peer_set(world.TOULOUSE))
    set_inclusion.include(virtual(), [world.own_set(), world.peer_set(world.TOULOUSE)])
    call_command("set", "add", "ICE", "--kind", "virtual", stdout=StringIO())
    call_command("set", "search", "ICE", "--search", "q=ice", stdout=StringIO())
    call_command("set", "category", "members only", stdout=StringIO())
    call_command("set", "visible", world.TOULOUSE.spec, "--to", "members only", stdout=StringIO())
    call_command("set", "visible", world.TOULOUSE.spec, "--unlisted", stdout=StringIO())

    rows = {row["set"]: row for row in json.loads(printed("set", "list", "--json"))}
    assert list(rows)[:2] == [CATALOGUE_SET, world.OUR_SPEC]
    numbers = {spec: (row["kind"], row["live"], row["deleted"]) for spec, row in rows.items()}
    assert numbers == {
        CATALOGUE_SET: ("catalogue", 2, 1),
        world.OUR_SPEC: ("own", 1, 1),
        world.TOULOUSE.spec: ("peer", 1, 0),
        "DRIVER": ("virtual", 2, 1),
        "ICE": ("virtual", 1, 0),
    }
    assert rows["DRIVER"]["made_of"] == sorted([world.OUR_SPEC, world.TOULOUSE.spec])
    assert (rows["ICE"]["made_of"], rows["ICE"]["search"]) == ([], "q=ice")
    hidden = rows[world.TOULOUSE.spec]
    assert (hidden["category"], hidden["listed"]) == ("members only", False)
    monkeypatch.setenv("COLUMNS", "400")  # the table is as wide as a terminal, if there is one
    (line,) = (line for line in printed("set", "list").splitlines() if world.TOULOUSE.spec in line and "peer" in line)
    assert "members only; not listed" in line
