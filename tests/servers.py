"""A pytest plugin that starts the embedded PostgreSQL and Redis for a test run, and stops them at its end.

Loaded by `-p tests.servers` in pyproject.toml. Servers given in DATABASE_URL and REDIS_URL are used instead. What
the tests do to the data directory is done to one of their own, never to the developer's.

With `-n` each worker process of pytest-xdist is such a run: with servers, a data directory, and from pytest-xdist a
basetemp, of its own. pytest-django gives each worker a database of its own name as well, which is all that keeps the
workers apart in a server of DATABASE_URL. The controlling process runs no test and starts nothing.
"""

import atexit
import os
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Generator
from pathlib import Path

import pytest


# Around pytest-django's, which reads the settings, and therefore no conftest.py's.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    data_dir = tempfile.mkdtemp(prefix="gisc-tests-")
    needed = [
        server for server, name in (("postgres", "DATABASE_URL"), ("redis", "REDIS_URL")) if not os.environ.get(name)
    ]
    _set_environment(data_dir)
    if _distributes(early_config.known_args_namespace):
        needed = []
    _serve(data_dir, needed)
    yield


def _distributes(options: Namespace) -> bool:
    """Whether pytest-xdist distributes the tests to worker processes; False in a worker."""
    processes = getattr(options, "numprocesses", None) or getattr(options, "tx", None)
    return bool(processes) and not options.usepdb and "PYTEST_XDIST_WORKER" not in os.environ


def _set_environment(data_dir: str) -> None:
    # tests/support/world.py: our node is Tokyo, whatever the name of the developer's node.
    for name in [name for name in os.environ if name.startswith("GISC_") and name != "GISC_SHARED"]:
        del os.environ[name]
    os.environ.update(GISC_DATA_DIR=data_dir, GISC_JOURNAL_DIR=f"{data_dir}/deletions", GISC_NAME="WIS-GISC-TOKYO")
    os.environ["GISC_STATUS_SECONDS"] = "0"  # a test sees at once what it has done
    # A worker process has that of the controlling one.
    os.environ.setdefault("TESTS_DATABASES", f"{data_dir}/databases")
    os.environ.setdefault("SECRET_KEY", "known to everyone, and good for nothing but these tests")
    os.environ.setdefault("ALLOWED_HOSTS", "*")


def _serve(data_dir: str, needed: list[str]) -> None:
    """Start the process that runs the servers and, at the end, removes the data directory."""
    servers = subprocess.Popen(
        [sys.executable, "-m", "tests.support.serving", data_dir, *needed],
        cwd=Path(__file__).resolve().parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C must reach pytest only, which may still need the servers
    )
    # Not pytest_unconfigure, which is not called when the settings cannot be read.
    atexit.register(servers.communicate)
    assert servers.stdout is not None
    if servers.stdout.readline() != "ready\n":
        sys.exit("The servers for the tests did not start.")
