"""Run many commands of `manage.py`, each in a process of its own, for the price of one start: Django is loaded once.

`python -m tests.support.many_commands` reads a JSON list of argument lists and prints a list of `[status, stdout, stderr]`.
"""

import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from django.conf import settings as test_settings
from django.core.management import get_commands
from django.db import connection

from tests.support.nodes import environment
from tests.support.paths import ROOT


def run_commands(commands: list[list[str]], *, code: Path = ROOT, **settings: str) -> list[tuple[int, str, str]]:
    """Run each command of a checkout with these settings; exit status, standard output and standard error of each."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.many_commands"],
        cwd=code,
        env=environment(**settings),
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [(status, out, err) for status, out, err in json.loads(done.stdout)]


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
    print(json.dumps([_run(arguments) for arguments in json.load(sys.stdin)]))
