"""Faults of provider, clock, relay and network that stand in no document, each over several runs and comparisons."""

from collections.abc import Iterator

import pytest

from catalogue import seams
from catalogue.models import MetadataSet, Record
from harvester.models import Link
from tests.harvester.faults import adversary_provider, adversary_wire
from tests.support.adversary import NOON, OFFENBACHS, OURS, Play, World
from tests.support.clock import SetClock
from tests.support.misbehaving import RawServer
from tests.support.provider import Provider
from tests.support.world import OFFENBACH, iso_record, own_set, peer_set, put


@pytest.fixture
def world(toulouse: MetadataSet, provider: Provider, link: Link) -> Iterator[World]:
    link.lateness_h = 72
    link.save()
    provider.page_size = 50
    clock = SetClock(NOON)
    with seams.replaced(clock=clock), RawServer(provider).serving() as raw:
        put(iso_record(OURS), into=own_set())
        put(iso_record(OFFENBACHS), into=peer_set(OFFENBACH))
        made = World(link, provider, raw, clock)
        made.go()
        made.load(range(5))
        yield made


@pytest.mark.parametrize("play", [*adversary_provider.FAULTS, *adversary_wire.FAULTS], ids=lambda play: play.__name__)
def test_a_fault_loses_nothing_in_silence(play: Play, world: World) -> None:
    others = Record.objects.exclude(owner=world.link.local_set).order_by("pk").values_list("pk", "datestamp", "deleted")
    before = list(others)

    play(world)

    assert world.titles() == world.provided()
    assert list(others) == before, "sets of others stay as they are"
    assert len(world.provider.asked) < 400
