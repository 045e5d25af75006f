"""How much of the workers' time ticks take: they go before all other messages, and runs must get their turn all the same."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

import catalogue.tasks
import gisc.alerts.tasks
import harvester.tasks
from catalogue import seams, ticks
from catalogue.models import CatalogueCanary, TickCanary
from gisc.alerts.models import AlertCanary
from harvester.models import Canary
from tests.support.clock import SetClock

KINDS = pytest.mark.parametrize(
    ("canary", "tick"),
    [
        (Canary, harvester.tasks.tick),
        (CatalogueCanary, catalogue.tasks.tick),
        (AlertCanary, gisc.alerts.tasks.tick),
    ],
)


@pytest.fixture(autouse=True)
def _limits_of_a_node() -> Iterator[None]:
    """Take back what all other tests have, where no tick comes too soon."""
    with ticks.LIMITS.replaced(share=ticks.TickLimits().share):
        yield


def share_of_ticks(took_s: float, messages_a_second: int, seconds: int) -> float:
    """The part of the time of one process that ticks take, each so long, where so many messages come a second."""
    clock = SetClock(datetime(2026, 1, 1, tzinfo=UTC))
    worked_s = 0.0

    def work() -> None:
        nonlocal worked_s
        worked_s += took_s
        clock.move(took_s)

    with seams.replaced(clock=clock):
        begun = clock.at
        while clock.at - begun < timedelta(seconds=seconds):
            ticks.run(CatalogueCanary, work)
            clock.move(1 / messages_a_second)
        return worked_s / (clock.at - begun).total_seconds()


@pytest.mark.django_db
@pytest.mark.parametrize("took_s", [0.1, 0.5, 5])
@pytest.mark.parametrize("messages_a_second", [1, 3])
def test_slow_ticks_take_an_eighth_of_one_process(settings, took_s: float, messages_a_second: int) -> None:
    settings.GISC_BEAT_SECONDS = 1
    last_tick = took_s / 120  # whose pause is not over at the end
    assert 1 / 16 < share_of_ticks(took_s, messages_a_second, seconds=120) <= 1 / 8 + last_tick


@pytest.mark.django_db
def test_ticks_that_take_minutes_leave_a_minute_after_each(settings) -> None:
    settings.GISC_BEAT_SECONDS = 30
    assert share_of_ticks(120, 1, seconds=3600) == pytest.approx(2 / 3, abs=0.05)


@pytest.mark.django_db
def test_ticks_that_cost_little_come_with_each_beat(settings) -> None:
    settings.GISC_BEAT_SECONDS = 60
    clock = SetClock(datetime(2026, 1, 1, tzinfo=UTC))
    with seams.replaced(clock=clock):
        for _ in range(10):
            begun = clock.at
            ticks.run(CatalogueCanary, lambda: clock.move(3))
            assert clock.at > begun
            clock.move(57)


@pytest.mark.django_db
def test_however_long_a_tick_took_the_next_comes_before_ticks_count_as_late(settings) -> None:
    settings.GISC_BEAT_SECONDS, settings.GISC_CANARY_SECONDS = 1, 30
    clock = SetClock(datetime(2026, 1, 1, tzinfo=UTC))
    with seams.replaced(clock=clock):
        ticks.run(Canary, lambda: clock.move(9))
        assert not ticks.begin(Canary)
        clock.move(10)
        assert ticks.begin(Canary)


@KINDS
@pytest.mark.django_db
def test_a_tick_of_each_kind_that_comes_too_soon_does_nothing(
    settings, canary: type[TickCanary], tick: Callable[[], None]
) -> None:
    settings.GISC_BEAT_SECONDS = 1
    tick()
    canary.objects.update(took_s=20)
    last = canary.objects.get().last

    tick()
    assert canary.objects.get().last == last, "the next tick is left out"

    canary.objects.update(last=timezone.now() - timedelta(seconds=81))
    tick()
    assert canary.objects.get().took_s < 20, "and comes when runs have had their time"


@KINDS
@pytest.mark.django_db
def test_a_tick_of_a_clock_that_was_ahead_does_not_silence_the_next(
    settings, canary: type[TickCanary], tick: Callable[[], None]
) -> None:
    settings.GISC_BEAT_SECONDS = 1
    tick()
    canary.objects.update(took_s=20, last=timezone.now() + timedelta(hours=5))

    tick()

    assert canary.objects.get().last <= timezone.now()


@pytest.mark.django_db
def test_where_ticks_may_take_all_the_time_none_is_left_out(settings) -> None:
    settings.GISC_BEAT_SECONDS = 1
    with ticks.LIMITS.replaced(share=1):
        assert share_of_ticks(5, messages_a_second=10, seconds=120) > 0.95
