"""Harvesters that take only what changed: after any sequence of words of any sets, each has what the list shows.

The model-based half of promises 1, 3 and 9. Each word comes a second after the one before, so a harvester that asks
from there is told only of what was stamped anew: a change without a new datestamp would be missing from its copy, and
a word that is said to change nothing must bring it nothing.
"""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue.models import DatestampClock, MetadataSet
from catalogue.provenance import Provenance
from catalogue.reading import lists
from catalogue.reading.lists import ListRow, Window
from catalogue.writing import decisions, set_inclusion, store
from tests.support import looking, world

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
NO_CHANGE = (decisions.Action.UNCHANGED, decisions.Action.REJECTED)
UNION = "DRIVER"  # a virtual set of Toulouse and of `a`
SPECS = (world.OUR_SPEC, world.TOULOUSE.spec, world.OFFENBACH.spec, "a", "a:b", "shared01")


def shown(entry: ListRow) -> tuple[object, ...]:
    """What a harvester keeps. The setSpecs beside a deletion may differ from list to list, and nobody needs them."""
    return entry.identifier, entry.deleted, () if entry.deleted else entry.set_specs, entry.payload


@dataclass
class Harvester:
    """Its copy, by record; `told`: how many entries the last visit brought."""

    spec: str | None
    copy: dict[int, tuple[object, ...]] = field(default_factory=dict)
    told: int = 0

    def visit(self, start: object) -> None:
        found = looking.walk(Window(self.spec, start, looking.FAR), 3, payloads=True)
        self.copy |= {entry.position.pk: shown(entry) for entry in found}
        self.told = len(found)


WORDS = st.tuples(
    st.sampled_from(["urn:a", "urn:b"]),
    st.none() | st.integers(1, 2),  # a version, or a deletion
    st.sampled_from(SPECS),
    st.sampled_from(["one", "two"]),  # the link it came by, for the shared set
)


@pytest.fixture
def all_sets() -> dict[str, MetadataSet]:
    made = {spec: set_inclusion.ensure_set(spec) for spec in (world.TOULOUSE.spec, world.OFFENBACH.spec, "a", "a:b")}
    made["shared01"] = set_inclusion.ensure_set("shared01", kind=MetadataSet.Kind.SHARED)
    set_inclusion.include(
        set_inclusion.ensure_set(UNION, kind=MetadataSet.Kind.VIRTUAL), [made[world.TOULOUSE.spec], made["a"]]
    )
    return made | {world.OUR_SPEC: world.own_set()}


def say(name: str, version: int | None, spec: str, link: str, into: MetadataSet) -> decisions.Result:
    source = {world.OUR_SPEC: "", "shared01": link}.get(spec, spec)
    provenance = Provenance(link=source) if source else None
    if version is None:
        entry = store.prepare_deletion(name)
    else:
        document = world.iso_record(name, title=f"Version {version}", metadata_date=f"2024-03-0{version}")
        entry = store.prepare(document, provenance=provenance)
    (result,) = store.put_entries([entry], into=into, source=source)
    return result


@pytest.mark.spec("P81", "P84", "P89", "P90", "W16", "W23", "W45")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, max_size=10))
def test_every_harvesters_copy_is_what_the_list_shows(all_sets: dict[str, MetadataSet], words: list) -> None:
    with transaction.atomic():
        harvesters = [Harvester(spec) for spec in (None, *SPECS, UNION)]
        for name, version, spec, link in words:
            DatestampClock.objects.update(stamp=F("stamp") + 3600 * SECOND)
            before = lists.instant()
            result = say(name, version, spec, link, all_sets[spec])
            assert looking.sizes_that_are_wrong() == []
            for harvester in harvesters:
                harvester.visit(before)
                whole = looking.walk(Window(harvester.spec, None, looking.FAR), 100, payloads=True)
                assert harvester.copy == {entry.position.pk: shown(entry) for entry in whole}, harvester.spec
                assert harvester.told == 0 or result.action not in NO_CHANGE, harvester.spec
        transaction.set_rollback(True)


@pytest.mark.spec("P90", "W16")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, max_size=8))
def test_a_word_said_again_writes_nothing(all_sets: dict[str, MetadataSet], words: list) -> None:
    """Promise 3: a mesh falls silent. Whatever became of a word, saying it again at once changes no row."""
    with transaction.atomic():
        for name, version, spec, link in words:
            say(name, version, spec, link, all_sets[spec])
            before = looking.row_versions()
            say(name, version, spec, link, all_sets[spec])
            after = looking.row_versions()
            assert {table for table in after if after[table] != before[table]} == set()
        transaction.set_rollback(True)


@pytest.mark.spec("W33", "W45")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.none() | st.integers(1, 4), st.sampled_from(["", "one", "two"])), max_size=10))
def test_the_newest_word_on_a_shared_record_counts_whatever_the_order(
    all_sets: dict[str, MetadataSet], words: list
) -> None:
    """Each source may take its own version back; then the newest of the others counts again, at every node alike."""
    with transaction.atomic():
        last: dict[str, int | None] = {}
        for version, source in words:
            if version is None and source not in last:
                continue
            last[source] = version
            say("urn:a", version, "shared01", source, all_sets["shared01"])
            newest = max((number for number in last.values() if number is not None), default=None)
            found = looking.record("urn:a")
            assert found.deleted is (newest is None)
            assert found.deleted or found.description.title == f"Version {newest}"
        transaction.set_rollback(True)
