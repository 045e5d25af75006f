"""The harvester's tick: what it starts by itself, decided in the database."""

import pytest

from harvester import schedule, tasks
from harvester.models import Link, Run
from tests.support.provider import Provider, fill


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The runs for which a task was queued, in place of the broker."""
    runs: list[int] = []
    monkeypatch.setattr(tasks.harvest, "delay", runs.append)
    return runs


def test_a_tick_queues_each_due_link_once(link: Link, queued: list[int]) -> None:
    tasks.tick()
    tasks.tick()

    assert queued == [Run.objects.get(link=link).pk]


def test_a_run_whose_task_was_lost_is_queued_again(link: Link, queued: list[int]) -> None:
    tasks.tick()
    Run.objects.update(queued=None)

    tasks.tick()

    assert len(queued) == 2


@schedule.LIMITS.replaced(work_s=0)
def test_a_slice_that_did_not_reach_the_end_queues_its_successor(
    link: Link, provider: Provider, queued: list[int]
) -> None:
    fill(provider, range(5))
    tasks.tick()

    for _ in range(3):
        tasks.harvest(queued[-1])

    assert queued == [queued[0]] * 3, "two successors, and none after the last page"
    assert Run.objects.get().state == Run.State.DONE


@pytest.mark.parametrize("failing", ["health.check_host_clock", "failover.switch_failing", "lifecycle.claimable"])
def test_a_chore_that_fails_does_not_keep_a_tick_from_the_others(
    link: Link, queued: list[int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, failing: str
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no good")

    module, _, name = failing.partition(".")
    fail.__name__ = name
    monkeypatch.setattr(getattr(tasks, module), name, fail)

    tasks.tick()

    assert queued == [Run.objects.get(link=link).pk]
    assert "a chore of the tick failed" in caplog.text
    assert "no good" in caplog.text
