"""Run the commands of docs/deployment.md, and of another page, as they are printed, in a checkout of its own.

The checkout has links to the files of the project, and a data directory, journal and records of its own. `make run` starts
the node as the Makefile does; `docker` is a program that runs on this host what the containers would run, with the
PostgreSQL of the tests.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from tests.support.nodes import environment
from tests.support.paths import ROOT
from tests.support.waiting import until

PAGE = ROOT / "docs" / "deployment.md"
_MAKE = """#!/bin/sh
[ "$1" = run ] || exit 64
exec {python} manage.py node
"""
_DOCKER = """#!/bin/sh
exec {python} -m tests.loop.docker "$@"
"""


def blocks(heading: str, page: Path = PAGE) -> list[str]:
    """Return the blocks of commands under a heading of the page, up to the next heading."""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    assert found, f"{page.name} has no heading {heading!r}"
    return [
        re.sub(r"^    ", "", block, flags=re.MULTILINE).strip()
        for block in re.findall(r"(?:^    .*\n)+", found[1], flags=re.MULTILINE)
    ]


# Several commands in one process, which keeps the embedded database running between them.
_MANAGE = """
import contextlib, json, sys
from django.conf import settings
from gisc import cli, embedded
data_dir = settings.GISC_DATA_DIR
with embedded.database(data_dir) if settings.GISC_EMBEDDED_DATABASE else contextlib.nullcontext():
    for arguments in json.loads(sys.argv[1]):
        if status := cli.main(["manage.py", *arguments]):
            sys.exit(status)
"""


class Checkout:
    """A folder as an operator has it after `git clone`, and a shell in it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        for path in ROOT.iterdir():
            if path.name not in (".git", ".venv", "var"):
                (folder / path.name).symlink_to(path)
        programs = folder / "programs"
        programs.mkdir()
        for name, text in (("make", _MAKE), ("docker", _DOCKER)):
            (programs / name).write_text(text.format(python=sys.executable), encoding="utf-8")
            (programs / name).chmod(0o755)
        python = folder / ".venv" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        self.settings = {"GISC_DATA_DIR": str(folder / "var"), **settings}

    def _environment(self) -> Mapping[str, str]:
        path = f"{self.folder / 'programs'}:{os.environ['PATH']}"
        return environment(**self.settings) | {"PATH": path, "PYTHONPATH": str(ROOT)}

    def run(self, commands: str, timeout_s: float = 120) -> str:
        """Run commands to their end, and return what they printed. Each must end well."""
        done = subprocess.run(
            ["bash", "-euc", commands],
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def manage(self, *commands: Sequence[str]) -> None:
        """Run commands of `manage.py` one after the other."""
        done = subprocess.run(
            [sys.executable, "-c", _MANAGE, json.dumps(commands)],
            cwd=ROOT,
            env={**self._environment(), "DJANGO_SETTINGS_MODULE": "gisc.settings"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"

    def fails(self, commands: str) -> str:
        """Run a command that must not end well, and return its message."""
        done = subprocess.run(
            ["bash", "-euc", commands], cwd=self.folder, env=self._environment(), capture_output=True, text=True, check=False
        )  # fmt: skip
        assert done.returncode != 0, done.stdout
        return done.stderr

    @contextmanager
    def serving(self, commands: str = "make run") -> Iterator[Path]:
        """Run commands of which the last starts the node; the value is the file with all that they print."""
        log = self.folder / f"output-{len(list(self.folder.glob('output-*')))}.txt"
        with log.open("wb") as out:
            process = subprocess.Popen(
                ["bash", "-euc", commands],
                cwd=self.folder,
                env=self._environment(),
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:

            def is_printed(text: str) -> bool:
                assert process.poll() is None, log.read_text(encoding="utf-8")
                return text in log.read_text(encoding="utf-8")

            until(lambda: is_printed("Starting web server"), timeout_s=120, what="the node has started")
            yield log
        finally:
            _stop_node(process.pid)
            process.wait(60)


def _stop_node(shell: int) -> None:
    """Stop the node that a shell runs, as Ctrl-C in its terminal does; the shell ends with it."""
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(shell)
        for process in (parent, *parent.children(recursive=True)):
            if process.cmdline()[-2:] == ["manage.py", "node"]:
                process.send_signal(signal.SIGTERM)
                return
        parent.terminate()


def wait_for_ready(log: Path) -> None:
    until(lambda: " is ready." in log.read_text(encoding="utf-8"), timeout_s=120, what="the node says it is ready")


def commands_of(blocks_found: Sequence[str], containing: str) -> str:
    """Return the only block that has this text."""
    (found,) = [block for block in blocks_found if containing in block]
    return found
