"""The harvester's tick: what it starts by itself, decided in the database; and what a worker does when it is called."""

from collections.abc import Iterator

import pytest

from harvester import schedule, tasks
from harvester.models import Link, Run
from tests.support.broker import calls
from tests.support.provider import Provider, fill


@pytest.fixture(autouse=True)
def _empty_queue() -> Iterator[None]:
    calls()
    yield
    calls()


def test_a_tick_opens_a_run_for_each_due_link_once_and_calls_one_worker(link: Link) -> None:
    tasks.tick()
    tasks.tick()

    assert Run.objects.get(link=link).is_open
    assert calls() == 1


def test_a_call_that_was_lost_is_made_again_by_the_next_tick(link: Link) -> None:
    tasks.tick()
    assert calls() == 1, "this takes it out of the queue"

    tasks.tick()

    assert calls() == 1


@pytest.mark.django_db(transaction=True)
@schedule.LIMITS.replaced(work_s=0)
def test_a_turn_that_did_not_reach_the_end_calls_for_the_next(link: Link, provider: Provider) -> None:
    fill(provider, range(5))
    tasks.tick()
    made = [calls()]

    for _ in range(3):
        tasks.harvest()
        made.append(calls())

    assert made == [1, 1, 1, 0], "two more turns, and none after the last page"
    assert Run.objects.get().state == Run.State.DONE


@pytest.mark.django_db(transaction=True)
def test_one_call_serves_all_that_wait(link: Link, provider: Provider, settings) -> None:
    settings.GISC_MAX_RUNS_PER_HOST = 1
    fill(provider, range(3))
    for number in range(5):
        Link.objects.create(name=f"l{number}", base_url=provider.base_url, local_set=link.local_set)
    tasks.tick()
    assert calls() == 1, "there is room for one at the host"

    tasks.harvest()

    assert [run.state for run in Run.objects.all()] == [Run.State.DONE] * 6
    assert calls() == 0


@pytest.mark.django_db(transaction=True)
def test_a_message_of_the_version_before_is_a_call_too(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    tasks.tick()

    tasks.harvest(12345)

    assert Run.objects.get().state == Run.State.DONE


@pytest.mark.parametrize("failing", ["clocks.check_host_clock", "failover.switch_failing"])
def test_a_chore_that_fails_does_not_keep_a_tick_from_the_others(
    link: Link, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, failing: str
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no good")

    module, _, name = failing.partition(".")
    fail.__name__ = name
    monkeypatch.setattr(getattr(tasks, module), name, fail)

    tasks.tick()

    assert calls() == 1
    assert "a chore of the tick failed" in caplog.text
    assert "no good" in caplog.text
