"""What exists for containers only: the first administrator, and the marks that worker and beat leave."""

import importlib
import logging
import queue
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from celery.signals import after_task_publish, beat_init, task_postrun, worker_ready
from celery.utils.dispatch import Signal
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import CommandError

from gisc.node import worker
from tests.support.commands import printed
from tests.support.nodes import environment
from tests.support.paths import ROOT

ACTIVITIES = (task_postrun, after_task_publish)


@pytest.fixture
def container() -> Iterator[ModuleType]:
    """The module, which listens to signals of Celery for no longer than the test."""
    sys.modules.pop("gisc.node.container", None)
    module = importlib.import_module("gisc.node.container")
    # No heartbeat of a worker or a beat that is none.
    worker_ready.disconnect(worker._start_heartbeat_of_worker)
    beat_init.disconnect(worker._start_heartbeat_of_beat)
    for signal in ACTIVITIES:
        assert signal.disconnect(module.activity.record)  # its file is that of a real container
    yield module
    for signal in (worker_ready, beat_init):
        assert signal.disconnect(module._start_idle_watch)


@contextmanager
def recorded(container: ModuleType, file: Path) -> Iterator[None]:
    """Record what counts as activity in this file."""
    activity = container.Activity(file)
    for signal in ACTIVITIES:
        signal.connect(activity.record, weak=False)
    yield
    for signal in ACTIVITIES:
        signal.disconnect(activity.record)


def _administrator() -> str:
    return printed("administrator")


@pytest.mark.django_db
def test_the_first_administrator_gets_the_given_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GISC_ADMIN_PASSWORD", "a long one, 1873")
    assert "created" in _administrator()
    user = get_user_model().objects.get()
    assert (user.username, user.is_superuser, user.check_password("a long one, 1873")) == ("admin", True, True)


@pytest.mark.django_db
def test_a_second_start_leaves_the_administrator_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GISC_ADMIN_PASSWORD", "a long one, 1873")
    _administrator()
    monkeypatch.setenv("GISC_ADMIN_PASSWORD", "another one, 1951")
    assert "not used" in _administrator()
    assert get_user_model().objects.get().check_password("a long one, 1873")


@pytest.mark.django_db
def test_no_password_is_made_up_and_the_start_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GISC_ADMIN_PASSWORD", raising=False)
    assert "set GISC_ADMIN_PASSWORD" in _administrator()
    assert not get_user_model().objects.exists()


@pytest.mark.django_db
def test_a_weak_password_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GISC_ADMIN_PASSWORD", "short")
    with pytest.raises(CommandError, match="Write another one"):
        _administrator()
    assert not get_user_model().objects.exists()


@pytest.mark.parametrize("signal", ACTIVITIES)
def test_a_useful_act_leaves_a_mark(signal: Signal, container: ModuleType, tmp_path: Path) -> None:
    with recorded(container, tmp_path / "mark"):
        signal.send(sender=None)
    assert (tmp_path / "mark").exists()


def test_a_mark_that_cannot_be_left_does_not_fail_the_task(
    container: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), recorded(container, tmp_path / "missing" / "mark"):
        task_postrun.send(sender=None)
    assert "file of the health check not written" in caplog.text


def test_the_worker_of_a_container_runs_as_many_processes_as_the_setting_says(container: ModuleType) -> None:
    assert container.app.conf.worker_concurrency == settings.GISC_HARVEST_WORKERS
    limit_mb = container.app.conf.worker_max_memory_per_child * 1024 / 1e6
    assert 499 < limit_mb <= settings.GISC_WORKER_MAX_MB == 500


IDLE = """
import sys, threading, time
from pathlib import Path
from gisc.node import container
activity = container.Activity(Path(sys.argv[1]))
threading.Thread(target=container.exit_when_idle, args=(activity, 1, 0.05), daemon=True).start()
for _ in range(int(sys.argv[2])):
    activity.record()
    time.sleep(0.1)
print("no mark any more", flush=True)
threading.Event().wait()
"""


@pytest.mark.parametrize("marks", [0, 20], ids=["from the start", "after two seconds of work"])
def test_a_process_that_does_nothing_any_more_ends_and_one_that_works_does_not(tmp_path: Path, marks: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", IDLE, str(tmp_path / "mark"), str(marks)],
        cwd=ROOT,
        env=environment(GISC_DATA_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "no mark any more\n"), ended.stderr
    assert "no activity for too long" in ended.stderr


def test_a_clock_that_is_set_makes_no_process_idle_and_hides_none_that_is(container: ModuleType) -> None:
    noon = 1_800_000_000.0
    watch = container.IdleWatch(noon, 100.0)
    assert watch.idle_s(noon, 130.0) == 30.0
    assert watch.idle_s(noon - 3600, 140.0) == 0.0, "it worked, and the clock was set back meanwhile"
    assert watch.idle_s(noon - 3600, 800.0) == 660.0, "whatever the clock says"


@pytest.mark.parametrize("signal", [worker_ready, beat_init])
def test_worker_and_beat_of_a_container_are_watched_from_their_start(
    signal: Signal, container: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = queue.SimpleQueue[tuple[object, ...]]()
    monkeypatch.setattr(container, "exit_when_idle", lambda *values: watched.put(values))
    signal.send(sender=None)
    assert watched.get(timeout=10) == (container.activity, settings.GISC_CANARY_SECONDS, 10)
