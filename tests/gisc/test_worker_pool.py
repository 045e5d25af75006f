"""The processes of the worker's pool: one that was killed is replaced at once."""

from types import SimpleNamespace

from kombu.asynchronous import Hub
from kombu.asynchronous.timer import Timer

from gisc.node import worker


def test_dead_processes_are_looked_for_often_and_once_only_after_the_broker_was_away() -> None:
    """Celery alone looks when a process closes its pipes, at which moment the kernel may not say yet that it is dead."""
    looked: list[int] = []
    timer = Timer()
    hub = Hub(timer=timer)
    node = SimpleNamespace(pool=SimpleNamespace(maintain_pool=lambda: looked.append(1)))
    step = worker.ReplaceDeadProcesses(node)

    step.register_with_event_loop(node, hub)
    step.register_with_event_loop(node, hub)

    waiting = [each.entry for each in timer.queue if not each.entry.canceled]
    assert len(waiting) == 1
    waiting[0]()
    assert looked == [1]
    assert worker.ReplaceDeadProcesses in worker.app.steps["worker"]
