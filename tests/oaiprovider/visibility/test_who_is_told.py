"""Who sees what, and what those are told who see it no more: any order of changes, harvested step by step."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from django.db.models import Case, When
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue import oai
from catalogue.models import (
    Category,
    Membership,
    MetadataSet,
    Record,
    RecordCategory,
    SourceCategory,
    VisibilityChange,
)
from catalogue.provenance import Provenance
from catalogue.reading import lists
from catalogue.reading.lists import ListPosition, Window
from catalogue.writing import clock, set_inclusion, store, visibility
from oaiprovider import rights
from oaiprovider.models import Profile
from tests.support import world

pytestmark = pytest.mark.django_db
SPECS, LINKS, RECORDS = ("WIS-GISC-TOULOUSE", "x", "x:y"), ("zero", "one", "two"), ("urn:a", "urn:b")
HERE = "127.0.0.1"


@dataclass
class Harvester:
    """Keeps a copy of what it is served, by asking for what changed since its last answer."""

    agent: str
    copy: dict[str, bytes] = field(default_factory=dict)
    ever: set[str] = field(default_factory=set)  # what it might have seen
    since: datetime | None = None

    def harvest(self, size: int) -> None:
        scope = Profile.objects.terms_for(self.agent, HERE).scope
        at = lists.instant()
        window = Window(None, self.since, at + timedelta(seconds=1))
        after: ListPosition | None = None
        seen: list[str] = []
        while page := lists.page(window, after=after, size=size, payloads=True, scope=scope):
            after = page[-1].position
            for row in page:
                seen.append(row.identifier)
                if row.deleted:
                    assert row.identifier in self.ever, f"{self.agent} is told of what it never saw"
                    self.copy.pop(row.identifier, None)
                else:
                    assert row.payload is not None
                    self.copy[row.identifier] = row.payload
        assert len(seen) == len(set(seen)), "a record comes once in a list"
        assert lists.count(window, scope) >= len(seen)
        self.since = at


def may_see(record: Record, agent: str) -> bool:
    """The rule of docs/ARCHITECTURE.md, in Python, by what was said and not by what was stored of it."""
    profile = Profile.objects.filter(match=agent).first() if agent else None
    held = set(profile.categories.values_list("pk", flat=True)) if profile else set()
    sets = [membership.set for membership in Membership.objects.filter(record=record, deleted=False)]
    chosen = set(profile.sets.all()) if profile and not profile.everything else None
    if chosen is not None and not chosen & set(sets):
        return False
    link = record.provenance["link"] if record.provenance else ""
    needed = {each.category_id for each in sets if each.category_id}
    needed |= set(SourceCategory.objects.filter(pk=link).values_list("category_id", flat=True))
    needed |= set(RecordCategory.objects.filter(pk=record.key).values_list("category_id", flat=True))
    is_listed = any(each.public for each in sets) or bool(chosen and chosen & set(sets))
    return needed <= held and is_listed


def put(identifier: str, spec: str, link: str, number: int) -> None:
    provenance = Provenance(link=link) if link else None
    entry = store.prepare(world.iso_record(identifier, title=f"number {number}"), provenance=provenance)
    store.put_entries([entry], into=MetadataSet.objects.get(spec=spec), source=link)


def run(change: tuple[str, int, int]) -> None:
    """Make a change. What is restricted is given back, so that both come often."""
    name, one, two = change
    category = Category.objects.order_by("pk")[two % 2]
    match name:
        case "put":
            put(RECORDS[one % 2], SPECS[two], LINKS[two], one)
        case "bury":
            entry = store.prepare_deletion(RECORDS[one % 2])
            into = MetadataSet.objects.get(spec=SPECS[two])
            store.put_entries([entry], into=into, source=LINKS[two], known_only=True)
        case "set":
            found = MetadataSet.objects.get(spec=SPECS[one])
            MetadataSet.objects.filter(pk=found.pk).update(category=None if found.category else category)
        case "list":
            MetadataSet.objects.filter(spec=SPECS[one]).update(public=Case(When(public=True, then=False), default=True))
        case "link":
            if not SourceCategory.objects.filter(pk=LINKS[one]).delete()[0]:
                SourceCategory.objects.create(pk=LINKS[one], category=category)
        case "record":
            key = RECORDS[one % 2]
            visibility.restrict_records([key], None if RecordCategory.objects.filter(pk=key) else category)
        case "profile":
            profile = Profile.objects.get(match=("ALL", "SOME")[one % 2])
            rights.set_categories(profile, {*profile.categories.all()} ^ {category})


CHANGES = ("put", "bury", "set", "list", "link", "record", "record", "profile")
# What is changed, how, whether the records have followed, and who harvests then (a bit for each).
STEPS = st.lists(
    st.tuples(
        st.tuples(st.sampled_from(CHANGES), st.integers(0, 2), st.integers(0, 2)),
        st.sampled_from((True, True, False)),
        st.sampled_from((7, 7, 0, 1, 2, 4)),
    ),
    min_size=5,
    max_size=12,
)
Step = tuple[tuple[str, int, int], bool, int]


@pytest.mark.spec("P75", "P84", "P91")
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, size=st.integers(1, 3))
def test_each_harvester_has_what_it_may_see_whatever_was_changed_between_its_harvests(
    steps: list[Step], size: int
) -> None:
    with transaction.atomic():
        world.own_set()
        for spec in SPECS:
            set_inclusion.ensure_set(spec)
        for name in ("members", "partners"):
            Category.objects.create(name=name)
        Profile.objects.create(name="all", match="ALL", networks=[HERE])
        some = Profile.objects.create(name="some", match="SOME", networks=[HERE], everything=False)
        some.sets.set(MetadataSet.objects.filter(spec__in=SPECS[:2]))
        harvesters = [Harvester(""), Harvester("ALL"), Harvester("SOME")]
        for number, identifier in enumerate(RECORDS):
            put(identifier, SPECS[number], LINKS[number], 0)
        note_what_may_be_seen(harvesters)
        for change, is_settled, who in steps:
            clock.raise_mark(clock.current_mark() + timedelta(seconds=1))
            run(change)
            note_what_may_be_seen(harvesters)
            if is_settled:
                visibility.settle_pending()
            for place, harvester in enumerate(harvesters):
                if who & 1 << place:
                    harvester.harvest(size)
        visibility.settle_pending()
        assert not VisibilityChange.objects.exists()
        clock.raise_mark(clock.current_mark() + timedelta(seconds=1))
        for harvester in harvesters:
            harvester.harvest(size)
            visible = {each.key for each in Record.objects.filter(deleted=False) if may_see(each, harvester.agent)}
            assert set(harvester.copy) == visible, harvester.agent
            scope = Profile.objects.terms_for(harvester.agent, HERE).scope
            for identifier in RECORDS:
                found = lists.find(identifier, scope)
                assert (found is not None and not found.deleted) == (identifier in visible)
                assert found is None or identifier in harvester.ever
        transaction.set_rollback(True)


def note_what_may_be_seen(harvesters: list[Harvester]) -> None:
    for record in Record.objects.filter(deleted=False):
        for harvester in harvesters:
            if may_see(record, harvester.agent):
                harvester.ever.add(oai.oai_identifier(record.key))
