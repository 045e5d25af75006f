"""What the start and the end of each process of a node spare."""

import subprocess
import sys

from django.conf import settings

from gisc.celery import app
from tests.support.nodes import environment
from tests.support.paths import ROOT


def said(code: str) -> list[str]:
    """The lines that a new process prints which runs this code."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_beat_loads_settings_and_logging_but_no_app() -> None:
    code = """
import logging, sys
from django.apps import apps
from gisc.node.worker import app
beat = app.Beat(quiet=True)
beat.init_loader()
print(apps.ready, [name for name in sys.modules if name.endswith(".models") and not name.startswith("django.")])
print(len(app.conf.beat_schedule), bool(logging.getLogger().handlers))
"""
    assert said(code) == ["False []", f"{len(settings.CELERY_BEAT_SCHEDULE)} True"]


def test_what_beat_sends_by_name_is_a_task_of_the_worker() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(app.tasks)


def test_a_process_leaves_to_the_kernel_what_it_has_loaded() -> None:
    code = """
import atexit
{}
class Circle:
    def __init__(self):
        self.me = self
    def __del__(self):
        print("freed")
circle = Circle()
atexit.register(print, "ended")
"""
    assert said(code.format("import gisc")) == ["ended"]
    assert said(code.format("")) == ["ended", "freed"]


def test_the_worker_loads_no_page_of_the_administration() -> None:
    code = """
import sys
from gisc.node.worker import app
app.loader.import_default_modules()
print("harvester.tasks.tick" in app.tasks, "gisc.urls" in sys.modules)
"""
    assert said(code) == ["True False"]


def test_the_node_loads_no_page_of_the_administration() -> None:
    code = """
import sys, django, gisc
django.setup()
from django.core.management import call_command
from gisc.management.commands import node
node.node.run = lambda: print("gisc.urls" in sys.modules)
call_command(node.Command(), skip_checks=False)
"""
    assert said(code) == ["False"]
