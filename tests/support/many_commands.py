"""Run many commands of `manage.py`, each in a process of its own, for the price of one start: Django is loaded once.

`python -m tests.support.many_commands` reads a JSON list of argument lists and prints a list of `[status, stdout, stderr]`.
"""

import json
import os
import subprocess
import sys
import tempfile

from tests.support.nodes import environment
from tests.support.paths import ROOT


def run_commands(commands: list[list[str]], **settings: str) -> list[tuple[int, str, str]]:
    """Run each command with these settings; exit status, standard output and standard error of each."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.many_commands"],
        cwd=ROOT,
        env=environment(**settings),
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [(status, out, err) for status, out, err in json.loads(done.stdout)]


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


if __name__ == "__main__":
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "gisc.settings"
    django.setup()
    print(json.dumps([_run(arguments) for arguments in json.load(sys.stdin)]))
