"""A pytest plugin that starts the embedded PostgreSQL and Redis for a test run, and stops them at its end.

Loaded by `-p tests.servers` in pyproject.toml, because pytest-django reads the settings before any conftest.py
is imported. Servers given in DATABASE_URL and REDIS_URL are used instead. What the tests do to the data
directory is done to one of their own, never to the developer's.
"""

import atexit
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def _start() -> None:
    data_dir = tempfile.mkdtemp(prefix="gisc-tests-")
    wanted = [
        server for server, name in (("postgres", "DATABASE_URL"), ("redis", "REDIS_URL")) if not os.environ.get(name)
    ]
    # The cast of tests/world.py: we are Tokyo, whatever the developer's own node is called.
    for name in [name for name in os.environ if name.startswith("GISC_") and name != "GISC_SHARED"]:
        del os.environ[name]
    os.environ.update(GISC_DATA_DIR=data_dir, GISC_NAME="WIS-GISC-TOKYO")
    os.environ.setdefault("SECRET_KEY", "known to everyone, and good for nothing but these tests")
    os.environ.setdefault("ALLOWED_HOSTS", "*")
    servers = subprocess.Popen(
        [sys.executable, "-m", "tests.serving", data_dir, *wanted],
        cwd=Path(__file__).resolve().parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for pytest, which may still need them
    )
    # Not pytest_unconfigure, which is not called when the settings cannot be read.
    atexit.register(servers.communicate)
    assert servers.stdout is not None
    if servers.stdout.readline() != "ready\n":
        sys.exit("The servers for the tests did not start.")


_start()
