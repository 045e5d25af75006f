"""Harvesters of ten habits, not of this software, end equal to the catalogue, whatever happens in the middle of their walks (P75, P101, P106).

What happens comes from a seed: changes, moves between sets, withdrawals, records that come back, changes of spelling, claims
of another set that come and go, and bulk reloads and restamps of everything.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import pytest
from lxml import etree

from catalogue import bootstrap
from catalogue.models import MetadataSet, Record
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.writing import restamp, store
from tests.support import habits, world
from tests.support.habits import Habit

pytestmark = pytest.mark.django_db
SETS = (world.OUR_SPEC, world.TOULOUSE.spec, world.OFFENBACH.spec)
NAMES = [f"urn:x:{number}" for number in range(14)] + [f"URN:Y:{number}" for number in range(6)]
ROUNDS = 6


class Catalogue:
    """The catalogue, and all that a seed does to it."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.version = 0
        self.sets = {spec: MetadataSet.objects.get(spec=spec) for spec in SETS}
        self.reload()

    def put(self, *names: str, spec: str = "") -> None:
        self.version += 1
        for name in names:
            record = Record.objects.filter(identifier=name).select_related("owner").first()
            into = spec or (record.owner.spec if record else self.random.choice(SETS))
            source = "" if into == world.OUR_SPEC else into
            entry = store.prepare(
                world.iso_record(
                    name, title=f"Version {self.version}", metadata_date=f"2024-01-{self.version % 28 + 1:02}"
                ),
                provenance=Provenance(link=source) if source else None,
            )
            store.put_entries([entry], into=self.sets[into], source=source)

    def change(self) -> None:
        self.put(*self.random.sample(NAMES, 3))

    def claim(self) -> None:
        """Another set offers the record as well; or what was deleted comes back there."""
        self.put(self.random.choice(NAMES), spec=self.random.choice(SETS[1:]))

    def take_back(self) -> None:
        spec = self.random.choice(SETS[1:])
        store.put_entries([store.prepare_deletion(self.random.choice(NAMES))], into=self.sets[spec], source=spec)

    def move(self) -> None:
        store.move(self.random.sample(NAMES, 3), into=self.sets[self.random.choice(SETS)])

    def rename(self) -> None:
        """The owner of a record writes its identifier in other case."""
        live = Record.objects.filter(deleted=False).select_related("owner").order_by("key")
        record = self.random.choice(list(live)) if live else None
        if record is not None:
            self.put(record.key.swapcase(), spec=record.owner.spec)

    def withdraw(self) -> None:
        store.withdraw(self.random.sample(NAMES, 2))

    def reload(self) -> None:
        self.put(*NAMES)

    def restamp(self) -> None:
        catalogue = MetadataSet.objects.get(kind=MetadataSet.Kind.CATALOGUE)
        restamp.restamp(catalogue, datetime(2000, 1, 1, tzinfo=UTC))

    def happen(self) -> None:
        """Now and then, one of all that can happen."""
        if self.random.random() < 0.3:
            ordinary: list[Callable[[], None]] = [self.change, self.claim, self.take_back, self.move, self.withdraw]
            self.random.choice([*ordinary * 2, self.rename, self.reload, self.restamp])()

    def live(self) -> dict[str, str]:
        return {
            record.identifier: habits.digest(etree.fromstring(payload.unpack(record.payload)))
            for record in Record.objects.filter(deleted=False)
            if record.payload is not None
        }


def ten_habits() -> list[Habit]:
    by_headers = habits.SetSpecsOfHeaders()
    by_headers.wanted = SETS
    return [
        habits.FromFirstPage(),
        habits.FromFirstPage(SETS),
        habits.FromLargestDatestamp(SETS),
        habits.OneCursorForAll(SETS),
        habits.HeadersFirst(SETS),
        habits.ErrorIsTheEnd(SETS),
        habits.AnewEachTime(SETS),
        habits.ByDay(),
        habits.SetsFromTheEnd(SETS),
        habits.PostAndGzip((*SETS, "WIS-CATALOGUE")),
        by_headers,
    ]


@pytest.mark.spec("P75", "P101", "P106", "P146")
@pytest.mark.parametrize("seed", range(4))
def test_harvesters_of_all_habits_end_equal_to_the_catalogue(settings, seed: int) -> None:
    bootstrap.ensure_sets()
    world.peer_set(world.TOULOUSE)
    world.peer_set(world.OFFENBACH)
    settings.GISC_PAGE_RECORDS = settings.GISC_PAGE_HEADERS = 3
    catalogue = Catalogue(Random(seed))
    harvesters = ten_habits()
    for harvester in harvesters:
        harvester.between = catalogue.happen
    for _ in range(ROUNDS):
        for harvester in harvesters:
            harvester.visit()
            catalogue.happen()
    catalogue.reload()
    for name in NAMES[::5]:
        store.move([name], into=catalogue.sets[SETS[0]])
    store.withdraw(NAMES[:3])
    catalogue.rename()
    for harvester in harvesters:
        harvester.between = lambda: None
        harvester.visit()
    live = catalogue.live()
    assert live
    assert {type(each).__name__: each.stops for each in harvesters if each.stops} == {}, "no walk met an error"
    assert {type(each).__name__: each.store.keys() ^ live.keys() for each in harvesters if each.store != live} == {}
