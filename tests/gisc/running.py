"""Run `manage.py` and whole nodes as an operator does: another process, an environment of its own, real signals."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import psutil
import requests

from tests.waiting import until

ROOT = Path(__file__).resolve().parent.parent.parent
_OURS = ("GISC_", "DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DJANGO_", "DEBUG", "LOG_", "SAMPLES")


def environment(**settings: str) -> dict[str, str]:
    """The environment without any setting of the test run, and with `settings`."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OURS)} | settings


def manage(*arguments: str, timeout_s: float = 60, **settings: str) -> subprocess.CompletedProcess[str]:
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
    """The one sentence on stderr of a command that did not begin."""
    assert answer.returncode == 2, answer
    lines = answer.stderr.splitlines()
    assert len(lines) == 1, answer.stderr
    assert lines[0].startswith("manage.py: ")
    return lines[0]


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def living(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Those that still run. One that is dead and waits to be reaped does not."""
    found = []
    for process in processes:
        try:
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


class Node:
    """`manage.py node` in a data directory. `stop` it, or leave it to the fixture."""

    def __init__(self, data_dir: Path, port: int, **settings: str) -> None:
        self.data_dir, self.port = data_dir, port
        data_dir.mkdir(parents=True, exist_ok=True)
        self._log = (data_dir / f"output-{port}-{len(list(data_dir.glob('output-*')))}.txt").open("w+b")
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "node"],
            cwd=ROOT,
            env=environment(GISC_DATA_DIR=str(data_dir), PORT=str(port), GISC_WEB_WORKERS="1", **settings),
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def output(self) -> str:
        """All that the node has printed so far."""
        return Path(self._log.name).read_text(encoding="utf-8")

    def ready(self) -> "Node":
        """Wait until the node has said that it is."""

        def said() -> bool:
            assert self.process.poll() is None, self.output()
            return " is ready." in self.output() and "administration" in self.output()

        until(said, timeout_s=40, what="the node says it is ready")
        return self

    def answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/health/ready", timeout=5).ok
        except requests.RequestException:
            return False

    def pid_of(self, program: str) -> int:
        """The pid of the child that the output names last."""
        return int(re.findall(rf"spawned: '{program}' with pid (\d+)", self.output())[-1])

    def postmaster(self) -> int:
        return int((self.data_dir / "postgres" / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])

    def family(self) -> list[psutil.Process]:
        """Every process of the node, the embedded PostgreSQL and its backends among them."""
        heads = [psutil.Process(self.process.pid), psutil.Process(self.postmaster())]
        return [*heads, *(child for head in heads for child in head.children(recursive=True))]

    def stop(self, number: int = signal.SIGTERM, timeout_s: float = 30) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout_s)

    def close(self) -> None:
        """Stop the node if it still runs, by force if need be."""
        if self.process.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._log.close()
