"""The program of tests/loop/drills.py: `python -m tests.loop.drill [NAME...]`."""

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import django


@contextmanager
def set_up() -> Iterator[None]:
    """Set Django up for a program of drills, with a folder of its own for data. SIGTERM ends it as an error does: all is undone."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"GISC_DATA_DIR": folder, "GISC_JOURNAL_DIR": f"{folder}/journal"}
        django.setup()
        yield


if __name__ == "__main__":
    with set_up():
        from tests.loop import drills

        drills.main(sys.argv[1:])
