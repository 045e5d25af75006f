"""The store against a model of it: any sequence of batches for our set and a peer's gives what a dozen lines say."""

from copy import deepcopy
from dataclasses import dataclass

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue import history, oai
from catalogue.models import Description, JournalOutbox, Membership, Record
from catalogue.writing import store
from catalogue.writing.decisions import Action
from tests.support import looking, world

pytestmark = pytest.mark.django_db

IDENTIFIERS = ("a", "A", "urn:b", "URN:B", "{c}")
SETS = (world.OUR_SPEC, world.TOULOUSE.spec)


@dataclass(frozen=True)
class Row:
    owner: str
    content: tuple[str, int] | None  # spelling and version; None in a tombstone


class Model:
    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.members: dict[tuple[str, str], bool] = {}  # (key, spec) -> deleted there
        self.buried: set[str] = set()  # what replaying the journal would bury
        self.changes = 0  # of the spelling; all within a week

    def other(self, key: str) -> str | None:
        """The live row of another spelling, if this one has none."""
        if key in self.rows and self.rows[key].content is not None:
            return None
        folded = oai.folded(key)
        found = [each for each, row in self.rows.items() if row.content and folded and oai.folded(each) == folded]
        return found[0] if found else None

    def offer(self, identifier: str, version: int | None, spec: str, known_only: bool) -> Action:
        key = oai.oai_identifier(identifier)
        other = self.other(key)
        if other is not None and version is not None:
            return self.change(key, other, (identifier, version), spec)
        if other is not None and key not in self.rows and not known_only:
            key = other  # it was never seen: the live one is meant
        return self.put_row(key, None if version is None else (identifier, version), spec, known_only)

    def change(self, key: str, other: str, content: tuple[str, int], spec: str) -> Action:
        """The owner changes the spelling, or, for the third time within a week, the content alone."""
        if self.changes == 2 or self.rows[other].owner != spec:
            return self.put_row(other, content, spec, False)
        self.changes += 1
        self.put_row(other, None, spec, False)
        self.put_row(key, content, spec, False)
        return Action.UPDATED

    def put_row(self, key: str, content: tuple[str, int] | None, spec: str, known_only: bool) -> Action:
        row = self.rows.get(key)
        if row is None and known_only:
            return Action.REJECTED
        if row is not None and row.content is not None and row.owner != spec:
            return Action.REJECTED
        if row is not None and row.content == content:
            return Action.UNCHANGED
        self.rows[key] = Row(spec, content)
        self.members[key, spec] = content is None
        (self.buried.discard if content else self.buried.add)(key)
        if content is None:
            return Action.DELETED
        return Action.NEW if row is None else Action.UPDATED

    def put(self, offers: list[tuple[str, int | None]], spec: str, *, known_only: bool = False) -> list[Action]:
        """Told of each in its order, but for other spellings; of an identifier offered several times the last is kept."""
        told = deepcopy(self)
        actions = [told.offer(identifier, version, spec, known_only) for identifier, version in offers]
        respelled = {identifier for identifier, _ in offers if self.other(oai.oai_identifier(identifier)) is not None}
        last = {}
        for identifier, version in {
            oai.oai_identifier(identifier): (identifier, version) for identifier, version in offers
        }.values():
            last[identifier] = self.offer(identifier, version, spec, known_only)
        return [
            last[identifier] if identifier in respelled else action
            for (identifier, _), action in zip(offers, actions, strict=True)
        ]


OFFERS = st.tuples(st.sampled_from(IDENTIFIERS), st.none() | st.integers(1, 2))
OF_ONE_SPELLING = st.lists(OFFERS, min_size=1, max_size=4).filter(
    lambda offers: len({identifier for identifier, _ in offers if identifier.lower() == "urn:b"}) < 2
)
BATCHES = st.tuples(st.sampled_from(SETS), OF_ONE_SPELLING, st.booleans())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(BATCHES, max_size=6))
def test_the_store_does_what_its_model_does(batches: list) -> None:
    sets = {
        world.OUR_SPEC: world.own_set(),
        world.TOULOUSE.spec: world.peer_set(world.TOULOUSE),
    }
    with transaction.atomic():
        model = Model()
        for spec, offers, withdraw in batches:
            if withdraw:
                identifiers = [identifier for identifier, _ in offers]
                expected = model.put(
                    [(identifier, None) for identifier in identifiers], world.OUR_SPEC, known_only=True
                )
                results = store.withdraw(identifiers)
            else:
                expected = model.put(offers, spec)
                results = store.put_entries(
                    [
                        store.prepare_deletion(identifier)
                        if version is None
                        else store.prepare(world.iso_record(identifier, title=f"Version {version}"))
                        for identifier, version in offers
                    ],
                    into=sets[spec],
                )
            assert [result.action for result in results] == expected
            assert [result.identifier for result in results] == [identifier for identifier, _ in offers]
            assert all(
                result.action is Action.UPDATED if result.rejection is None and result.reason else True
                for result in results
            )
            check(model)
        transaction.set_rollback(True)


def check(model: Model) -> None:
    held = {record.key: record for record in Record.objects.select_related("owner")}
    assert held.keys() == model.rows.keys()
    for key, record in held.items():
        row = model.rows[key]
        assert (record.owner.spec, record.set_specs, record.deleted) == (row.owner, [row.owner], row.content is None)
        if row.content is not None:
            spelling, version = row.content
            assert oai.oai_identifier(record.identifier) == key
            assert (record.identifier == spelling) == (record.spelling == "")
            expected = store.prepare(world.iso_record(spelling, title=f"Version {version}"))
            assert bytes(record.digest) == expected.digest
            assert Description.objects.get(record=record).title == f"Version {version}"
    assert Description.objects.count() == sum(row.content is not None for row in model.rows.values())
    members = {(m.record.key, m.set.spec): m.deleted for m in Membership.objects.select_related("record", "set")}
    assert members == model.members
    assert looking.sizes_that_are_wrong() == []
    for spec in SETS:
        listed = looking.listed(spec)
        assert {oai.oai_identifier(name): entry.deleted for name, entry in listed.items()} == {
            key: gone for (key, member_of), gone in model.members.items() if member_of == spec
        }
    with history.History() as told:
        assert {
            oai.oai_identifier(word.identifier)
            for word in told.last_events()
            if word.event and word.event.event == JournalOutbox.Event.DELETED
        } == model.buried
