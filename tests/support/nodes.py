"""Run `manage.py` and whole nodes as an operator does: another process, an environment of its own, real signals."""

import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import psutil
import requests

from tests.support.paths import ROOT
from tests.support.waiting import until

MANAGE = (sys.executable, "manage.py")
_OURS = ("GISC_", "DATABASE_", "REDIS_", "SECRET_KEY", "ALLOWED_HOSTS", "DJANGO_", "DEBUG", "LOG_", "SAMPLES")


def environment(**settings: str) -> dict[str, str]:
    """Return the environment without the settings of the test run, with `settings` added. Pages are as new as they can be."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return others | {"GISC_STATUS_SECONDS": "0"} | settings


def manage(*arguments: str, timeout_s: float = 120, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run `manage.py` to its end."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def refused(answer: subprocess.CompletedProcess[str]) -> str:
    """Return the only sentence on stderr of a command that did not start."""
    assert answer.returncode == 2, answer
    lines = answer.stderr.splitlines()
    assert len(lines) == 1, answer.stderr
    assert lines[0].startswith("manage.py: ")
    return lines[0]


_given_ports: set[int] = set()


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that is free now and that no other call returns in this run.

    Another process could get the same port before it is used, so each worker process of a parallel run has its own
    share of the ports: in pairs, because Linux prefers odd ports when it chooses one.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    ours = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % workers
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port // 2 % workers == ours and port not in _given_ports:
            _given_ports.add(port)
            return port


def answers(url: str) -> bool:
    """Whether a server answers this request with success; False also if it is too slow."""
    try:
        return requests.get(url, timeout=10).ok
    except (requests.ConnectionError, requests.Timeout):
        return False


def living(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Return the processes that still run; zombies do not count."""
    found = []
    for process in processes:
        try:
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


_DATABASES = "TESTS_DATABASES"


def migrated_database(name: str, *, is_new: bool) -> Path:
    """A database of the node of this name that is initialised and migrated, which nothing runs on.

    Made once for all processes of a parallel run, in the folder that tests/servers.py gives them. One that is not new has an
    administrator, who has no password.
    """
    folder = Path(os.environ[_DATABASES]) / f"{name}{'-new' if is_new else ''}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        data_dir = folder / "var"
        if not (folder / "is-made").exists():
            shutil.rmtree(data_dir, ignore_errors=True)
            own = {"GISC_NAME": name, "GISC_DATA_DIR": str(data_dir), "GISC_JOURNAL_DIR": str(folder / "journal")}
            command = ["migrate"] if is_new else ["createsuperuser", "--noinput", "--username=admin", "--email="]
            done = manage(*command, timeout_s=300, **own)
            assert done.returncode == 0, done.stderr
            (folder / "is-made").touch()
    return data_dir / "postgres"


class Node:
    """A `manage.py node` process with its data directory; stopped by `stop` or by the fixture.

    It gets a copy of a migrated database with an administrator, as these take most of a first start: one that `is_new` has no
    administrator, and one that `migrates`, as it does where no tests run but a drill, no database.
    `program`: the command line, of another version or an installed one, that runs in the folder `inside`.
    """

    def __init__(
        self,
        data_dir: Path,
        port: int,
        *,
        migrates: bool = False,
        is_new: bool = False,
        program: Sequence[str] = MANAGE,
        inside: Path = ROOT,
        **settings: str,
    ) -> None:
        self.data_dir, self.port = data_dir, port
        data_dir.mkdir(parents=True, exist_ok=True)
        migrates = migrates or _DATABASES not in os.environ
        if not migrates and not (data_dir / "postgres").exists() and "DATABASE_URL" not in settings:
            # With owners and modes: as root, PostgreSQL runs as another user.
            is_new = is_new or "GISC_ADMIN_PASSWORD" in settings
            database = migrated_database(settings.get("GISC_NAME", "WIS-GISC-DEMO"), is_new=is_new)
            subprocess.run(["cp", "-a", str(database), str(data_dir / "postgres")], check=True)
        self._log = (data_dir / f"output-{port}-{len(list(data_dir.glob('output-*')))}.txt").open("w+b")
        self.process = subprocess.Popen(
            [*program, "node"],
            cwd=inside,
            env=environment(**{"GISC_DATA_DIR": str(data_dir), "PORT": str(port), "GISC_WEB_WORKERS": "1"} | settings),
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def output(self) -> str:
        """Return what the node has printed so far."""
        return Path(self._log.name).read_text(encoding="utf-8")

    def traceback(self) -> str:
        """Return what the node has printed from the line of its first traceback on; empty: none."""
        before, found, after = self.output().partition("Traceback")
        return before.rpartition("\n")[2] + found + after if found else ""

    def ready(self) -> "Node":
        """Wait until the node has printed that it is ready."""

        def is_printed() -> bool:
            assert self.process.poll() is None, self.output()
            return " is ready." in self.output() and "administration" in self.output()

        until(is_printed, timeout_s=120, what="the node says it is ready")
        return self

    def answers(self) -> bool:
        return answers(f"{self.url}/health/ready")

    def pid_of(self, program: str) -> int:
        """Return the latest pid of a child, from the supervisor's log."""
        log = (self.data_dir / "supervisor.log").read_text(encoding="utf-8")
        return int(re.findall(rf"spawned: '{program}' with pid (\d+)", log)[-1])

    def postmaster(self) -> int:
        return int((self.data_dir / "postgres" / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])

    def family(self) -> list[psutil.Process]:
        """Return every process of the node, with those of the embedded PostgreSQL."""
        heads = [psutil.Process(self.process.pid), psutil.Process(self.postmaster())]
        return [*heads, *(child for head in heads for child in head.children(recursive=True))]

    def stop(self, number: int = signal.SIGTERM, timeout_s: float = 60) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout_s)

    def close(self) -> None:
        """Stop the node if it still runs; kill it if it does not stop."""
        if self.process.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._log.close()
