"""Whatever changes while a list is read, and in which second: the lists that follow leave no harvester wrong (promise 1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogue.models import MetadataSet, Record
from tests.support import harvesting, world
from tests.support.sql import run

pytestmark = pytest.mark.django_db(transaction=True)
START = datetime(2031, 5, 1, tzinfo=UTC)
RECORDS = 7


@dataclass(frozen=True)
class Write:
    """Records are stored into a set, deleted or withdrawn, or moved there."""

    act: str
    numbers: frozenset[int]
    into_ours: bool


@dataclass
class Meanwhile:
    """What happens between two pages, one list of steps after the other: writes, and seconds by which the clock goes on."""

    steps: list[list[Write | int]]
    sets: tuple[MetadataSet, MetadataSet]
    writes: int = 0

    def go_on(self) -> None:
        for step in self.steps.pop(0) if self.steps else ():
            if isinstance(step, Write):
                self.write(step)
            else:
                run("SELECT setval('fake.microseconds', nextval('fake.microseconds') + %s)", step * 1_000_000)

    def write(self, step: Write) -> None:
        self.writes += 1
        names, into = [f"urn:{number}" for number in sorted(step.numbers)], self.sets[0 if step.into_ours else 1]
        harvesting.change(step.act, names, into, f"Version {self.writes}")


def ours(*numbers: int) -> Write:
    return Write(act="put", numbers=frozenset(numbers), into_ours=True)


NUMBERS = st.frozensets(st.integers(0, RECORDS - 1), min_size=1)
STEPS = st.lists(
    st.builds(
        Write,
        act=st.sampled_from(["put", "put", "delete", "withdraw", "move"]),
        numbers=NUMBERS,
        into_ours=st.booleans(),
    )
    | st.integers(1, 2),
    max_size=3,
)


@pytest.fixture
def _still() -> Iterator[None]:
    """The clock stands still but for what the test says."""
    with harvesting.fake_clock(START):
        run("ALTER SEQUENCE fake.microseconds INCREMENT 1")
        yield


@pytest.mark.spec("P91", "P92", "P101", "P106", "P146", "W14")
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(steps=[[ours(0, 1, 2, 3, 4, 5)], [], [ours(0), 1, ours(4, 5)]], size=2, follows="largest datestamp", spec=None)
@given(
    steps=st.lists(STEPS, max_size=9),
    size=st.integers(1, 3),
    follows=st.sampled_from(["largest datestamp", "responseDate"]),
    spec=st.sampled_from([None, world.OUR_SPEC, world.TOULOUSE.spec]),
)
@pytest.mark.usefixtures("_still")
def test_no_harvester_is_left_with_an_old_state(
    settings, steps: list[list[Write | int]], size: int, follows: str, spec: str | None
) -> None:
    settings.GISC_PAGE_RECORDS = size
    Record.objects.all().delete()
    meanwhile = Meanwhile(list(steps), (world.own_set(), world.peer_set(world.TOULOUSE)))
    harvester = harvesting.Harvester(follows, spec, between_pages=meanwhile.go_on)
    while meanwhile.steps:
        meanwhile.go_on()
        harvester.visit()
    harvester.visit()
    assert harvester.lacks() == set()
