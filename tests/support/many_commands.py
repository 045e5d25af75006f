"""Run many commands of `manage.py`, each in a process of its own, for the price of one start: Django is loaded once.

`python -m tests.support.many_commands` reads lines, each a JSON list of arguments, and answers each by a line `[status, stdout, stderr]`.
What a command does at its very start, which is to read the settings, is done once: tests of that use `tests.support.nodes.manage`.
"""

import atexit
import gc
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections import OrderedDict
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from django.conf import settings as test_settings
from django.core.management import get_commands
from django.db import connection

from tests.support.nodes import environment
from tests.support.paths import ROOT


class LoadedProgram:
    """A process that has loaded `manage.py` of a checkout with these variables of the environment, and waits for commands."""

    def __init__(self, variables: dict[str, str], code: Path = ROOT) -> None:
        self._one_at_a_time = threading.RLock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.many_commands"],
            cwd=code,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a command that takes too long is killed with it
        )

    def run(self, *arguments: str, timeout_s: float) -> subprocess.CompletedProcess[str]:
        """Run a command to its end. Raises TimeoutExpired, and runs no further command then."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        with self._one_at_a_time:
            stdin.write(json.dumps(arguments) + "\n")
            stdin.flush()
            if not select.select([stdout], [], [], timeout_s)[0]:
                self.close()
                raise subprocess.TimeoutExpired(["manage.py", *arguments], timeout_s)
            answer = stdout.readline()
        assert answer, "the process with manage.py has ended; standard error says why"
        return subprocess.CompletedProcess(["manage.py", *arguments], *json.loads(answer))

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def close(self) -> None:
        """End the process, once the command that it runs has ended or taken too long."""
        with self._one_at_a_time:
            if not self.has_ended:
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()


def run_commands(commands: list[list[str]], *, code: Path = ROOT, **settings: str) -> list[tuple[int, str, str]]:
    """Run each command of a checkout with these settings; exit status, standard output and standard error of each."""
    with closing(LoadedProgram(environment(**settings), code)) as program:
        answers = [program.run(*arguments, timeout_s=300) for arguments in commands]
    return [(answer.returncode, answer.stdout, answer.stderr) for answer in answers]


_MOST_LOADED = 2  # chosen: two hosts at once; each takes some 80 MB
_loaded: OrderedDict[tuple[tuple[str, str], ...], LoadedProgram] = OrderedDict()
_loading = threading.Lock()


def manage_loaded(*arguments: str, timeout_s: float = 120, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, as `tests.support.nodes.manage` does, with little of its start where others had the same settings."""
    variables = environment(**settings)
    key = tuple(sorted(variables.items()))
    with _loading:
        if key not in _loaded or _loaded[key].has_ended:
            _loaded[key] = LoadedProgram(variables)
        _loaded.move_to_end(key)
        program = _loaded[key]
        former = [_loaded.popitem(last=False)[1] for _ in range(len(_loaded) - _MOST_LOADED)]
    for each in former:
        each.close()
    return program.run(*arguments, timeout_s=timeout_s)


@atexit.register
def _end_all() -> None:
    for program in _loaded.values():
        program.close()


def of_this_test(**options: str) -> dict[str, str]:
    """The environment of a command that uses the database of the test, with options of PostgreSQL."""
    database = connection.settings_dict
    given = quote(" ".join(f"-c {name}={value}" for name, value in options.items()))
    host = quote(database["OPTIONS"].get("host") or database["HOST"], safe="")
    return {
        "DATABASE_URL": f"postgresql://{database['USER']}:{database['PASSWORD']}@/{database['NAME']}?host={host}"
        f"&port={database['PORT'] or 5432}" + (f"&options={given}" if given else ""),
        "GISC_DATA_DIR": str(test_settings.GISC_DATA_DIR),
        "GISC_JOURNAL_DIR": str(test_settings.GISC_JOURNAL_DIR),
        "GISC_NAME": test_settings.GISC_NAME,
        "SECRET_KEY": test_settings.SECRET_KEY,
        "ALLOWED_HOSTS": "*",
        "DJANGO_SUPERUSER_PASSWORD": "a-long-one-of-this-test",
    }


def _run(arguments: list[str]) -> tuple[int, str, str]:
    from gisc.cli import main

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        pid = os.fork()
        if pid == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.argv = ["manage.py", *arguments]
            sys.exit(main(sys.argv))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read()


def _load() -> None:
    """Load what nearly every command loads, and look for all commands, so that not each process does so again."""
    for name in ("gisc.urls", "gisc.cli", "gisc.command_errors", "harvester.tasks"):
        importlib.import_module(name)
    get_commands()
    gc.freeze()  # a process that looks at all of this for garbage makes a copy of it


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    django.setup()
    _load()
    for line in sys.stdin:
        print(json.dumps(_run(json.loads(line))), flush=True)
