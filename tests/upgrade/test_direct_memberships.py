"""What an earlier version stored as following from a lower set, though a source has it in the upper one, is mended."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command

from catalogue.models import Membership
from catalogue.writing import set_inclusion
from tests.support import databases, looking, world

BEFORE = "0020"


@pytest.fixture
def empty(migrated, django_db_blocker) -> Iterator[None]:
    """A database of this version, in which nothing else happens."""
    with (
        django_db_blocker.unblock(),
        databases.scratch(migrated("0.9.0")) as name,
        databases.in_place_of_the_tests(name),
    ):
        yield


def test_a_record_stays_in_the_upper_set_after_the_upgrade(empty: None) -> None:
    other, upper, lower = (set_inclusion.ensure_set(spec) for spec in ("other", "upper", "upper:lower"))
    for into in (other, lower, upper):
        world.put(world.iso_record("urn:shared"), into=into)
    there = Membership.objects.filter(record__key="urn:shared", set=upper)
    assert there.update(direct=False) == 1, "as the version before left it"
    before = there.values_list("deleted", "datestamp").get()
    call_command("migrate", "catalogue", BEFORE, verbosity=0)
    call_command("migrate", verbosity=0)
    assert there.values_list("deleted", "datestamp").get() == before
    world.bury("urn:shared", into=lower)
    assert [
        (entry.identifier, entry.deleted) for entry in looking.walk(looking.Window("upper", None, looking.FAR), 5)
    ] == [("urn:shared", False)]


def test_one_that_has_left_comes_back_when_its_source_brings_it_again(empty: None) -> None:
    other, upper = (set_inclusion.ensure_set(spec) for spec in ("other", "upper"))
    for into in (other, upper):
        world.put(world.iso_record("urn:shared"), into=into)
    assert Membership.objects.filter(record__key="urn:shared", set=upper).update(direct=False, deleted=True) == 1
    world.put(world.iso_record("urn:shared"), into=upper)
    assert not Membership.objects.get(record__key="urn:shared", set=upper).deleted
