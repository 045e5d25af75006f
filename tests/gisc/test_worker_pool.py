"""The processes of the worker's pool: one that was killed is replaced at once, and shares memory with its parent."""

import gc
import subprocess
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

from celery.signals import worker_before_create_process
from kombu.asynchronous import Hub
from kombu.asynchronous.timer import Timer

from gisc.node import worker
from tests.support.nodes import environment
from tests.support.paths import ROOT


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


def test_what_is_loaded_is_left_out_of_the_garbage_collections_of_new_processes() -> None:
    """A whole collection writes to each object it looks at, and so makes a copy of all memory shared with the parent."""

    class Garbage:
        me: object

    def circle() -> weakref.ref[Garbage]:
        made = Garbage()
        made.me = made
        return weakref.ref(made)

    garbage = circle()
    gc.freeze()  # as when the process before was made

    worker_before_create_process.send(sender=None)

    assert gc.get_freeze_count() > 1_000
    assert garbage() is None, "what became garbage meanwhile would be kept for good"


def test_a_worker_loads_no_page_of_the_administration(tmp_path: Path) -> None:
    """Each process of the pool would keep what the web server alone needs."""
    load = "from gisc.node import worker; worker.app.loader.import_default_modules(); import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", load],
        cwd=ROOT,
        env=environment(GISC_DATA_DIR=str(tmp_path), GISC_JOURNAL_DIR=str(tmp_path / "journal")),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert {"harvester.tasks", "gisc.alerts.tasks"} <= set(loaded)
    apps = ("catalogue", "gisc", "harvester", "oaiprovider")
    assert [each for each in loaded if each.split(".")[0] in apps and "admin" in each.split(".")] == []
