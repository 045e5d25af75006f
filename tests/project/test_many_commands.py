"""Commands that are forked from a process with Django loaded are processes of their own, and none is left of one that takes too long."""

import json
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.support.many_commands import manage_loaded, of_this_test
from tests.support.nodes import living
from tests.support.waiting import until

pytestmark = pytest.mark.django_db
WHO = "import json, os, sys; print(json.dumps([os.getpid(), os.getppid(), os.environ['LOG_LEVEL']])); sys.exit(3)"


def shell(code: str, level: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
    return manage_loaded("shell", "-v0", "-c", code, timeout_s=timeout_s, LOG_LEVEL=level, **of_this_test())


def test_commands_with_the_same_settings_are_forked_from_one_process() -> None:
    answers = [shell(WHO, level) for level in ("ERROR", "ERROR", "WARNING")]
    assert {answer.returncode for answer in answers} == {3}, answers
    first, second, other = [json.loads(answer.stdout) for answer in answers]
    assert first[1] == second[1] != other[1]
    assert len({first[0], second[0], other[0]}) == 3
    assert [first[2], second[2], other[2]] == ["ERROR", "ERROR", "WARNING"]


def test_a_command_that_takes_too_long_is_killed_and_the_next_one_runs(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    hangs = f"import os, pathlib, time; pathlib.Path({str(file)!r}).write_text(str(os.getpid())); time.sleep(600)"
    with pytest.raises(subprocess.TimeoutExpired):
        shell(hangs, "ERROR", timeout_s=15)
    pid = int(file.read_text(encoding="ascii"))
    until(
        lambda: not psutil.pid_exists(pid) or not living([psutil.Process(pid)]),
        timeout_s=60,
        what="the command is gone",
    )
    assert shell("print(1)", "ERROR").stdout == "1\n"
