"""Worker and beat that live and do nothing: when they are given up, and that the node then starts them again."""

import json
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import requests

from gisc.node.watchdog import StandIn, Watchdog
from tests.support.nodes import Node, free_port
from tests.support.waiting import until


def health(*, ready: bool = True, redis: str = "ok", late: bool = True) -> str:
    return json.dumps({"ready": ready, "redis": redis, "tasks": {"age_s": 700.0, "late": late}})


@pytest.fixture
def watchdog() -> Watchdog:
    return Watchdog(late_s=600, patience_s=120, now=0)


def test_what_hangs_is_given_up_after_the_patience_and_has_twice_the_time_after_each_start_in_vain(
    watchdog: Watchdog,
) -> None:
    given_up = [now for now in range(0, 15_000, 10) if watchdog.must_restart(health(), now)]
    assert given_up == [600, 1800, 4200, 9000, 13800], "after 600 s, 1200, 2400, and not more than 4800"


@pytest.mark.parametrize("start_s", [5, 15, 65])
def test_a_worker_that_needs_longer_to_start_than_ticks_may_be_late_is_not_killed_for_ever(start_s: int) -> None:
    watchdog = Watchdog(late_s=10, patience_s=4, now=0)
    begun = last_tick = 0
    for now in range(1000):
        if now - begun >= start_s:
            last_tick = now
        if watchdog.must_restart(health(late=now - last_tick > 10), now):
            begun = now
    assert last_tick == 999


@pytest.mark.parametrize(("answer", "next_one"), [(health(late=False), 600), (health(ready=False), 1200), ("", 1200)])
def test_a_tick_that_comes_through_and_nothing_else_shows_that_a_start_was_not_in_vain(
    watchdog: Watchdog, answer: str, next_one: int
) -> None:
    assert not watchdog.must_restart(health(), 0) and watchdog.must_restart(health(), 600)
    assert not watchdog.must_restart(answer, 610)
    assert not watchdog.must_restart(health(), 620)
    again = next(now for now in range(630, 5000, 10) if watchdog.must_restart(health(), now))
    assert again == 600 + next_one


def test_a_node_that_begins_with_an_old_canary_is_given_time(watchdog: Watchdog) -> None:
    assert not any(watchdog.must_restart(health(), now) for now in range(0, 600, 10))


def parts(**states: str) -> str:
    well = {"redis": "ok", "workers": "ok", "beat": "ok"}
    return json.dumps({"ready": True, "parts": {name: {"state": state} for name, state in (well | states).items()}})


@pytest.mark.parametrize("part", ["redis", "workers", "beat"])
def test_where_no_worker_can_send_alerts_the_supervisor_does_again_and_again(part: str) -> None:
    stand_in = StandIn(every_s=120)
    assert not any(stand_in.must_tick(parts(), now) for now in range(0, 500, 10))
    ill = parts(**{part: "degraded"})
    assert [now for now in range(1000, 1500, 10) if stand_in.must_tick(ill, now)] == [1120, 1240, 1360, 1480]
    assert not any(stand_in.must_tick(answer, 1600) for answer in ("", "[]", parts()))
    assert not stand_in.must_tick(ill, 1610)


@pytest.mark.parametrize(
    "answer",
    [
        health(late=False),
        health(ready=False),
        health(redis="not reachable"),
        '{"ready": false, "tasks": null}',
        "timed out",
        "",
        "[]",
    ],
    ids=["a task came", "no database", "no Redis", "nothing known", "no answer", "an empty one", "another"],
)
def test_patience_begins_anew_with_any_other_answer(watchdog: Watchdog, answer: str) -> None:
    for now in range(1000, 10_000, 10):
        assert not watchdog.must_restart(answer if now % 100 == 0 else health(), now)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    running = Node(tmp_path, free_port(), GISC_NAME="WIS-GISC-TOKYO", GISC_BEAT_SECONDS="1", GISC_CANARY_SECONDS="10")
    try:
        yield running.ready()
    finally:
        running.close()


def tasks_come_through(node: Node) -> bool:
    return requests.get(f"{node.url}/health/tasks", timeout=5).ok


def test_a_beat_that_is_stopped_is_started_again(node: Node) -> None:
    """For a worker with a run in its hands: tests/loop/test_survival.py."""
    until(lambda: tasks_come_through(node), timeout_s=30, what="a task has come through")
    stopped = psutil.Process(node.pid_of("beat"))
    stopped.suspend()

    until(lambda: not tasks_come_through(node), timeout_s=30, what="health says that no task comes through")
    until(lambda: node.pid_of("beat") != stopped.pid, timeout_s=60, what="beat has a new process")
    until(lambda: tasks_come_through(node), timeout_s=60, what="a task has come through again")

    assert "a scheduler tick is too late; worker and beat are killed and started again" in node.output()
