"""One seam for time and one for threads and processes: nothing reads the host beside `catalogue.seams` and `gisc_clock()`."""

import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection, transaction

from catalogue import seams
from catalogue.models import Record
from catalogue.writing import clock
from tests.support import world
from tests.support.clock import SetClock
from tests.support.paths import ROOT

APPS = ("catalogue", "oaiprovider", "harvester", "gisc")

IMPORTS = (
    "import concurrent.futures, subprocess, threading, time; from datetime import date, datetime, UTC; "
    "from django.utils import timezone"
)


def lint(tmp_path: Path, statement: str) -> str:
    """What ruff says of the second line of a module of the harvester, which is this statement."""
    module = tmp_path / "harvester" / "planted.py"
    module.parent.mkdir(exist_ok=True)
    module.write_text(f"{IMPORTS}\n{statement}\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--select", "TID251", "--output-format=concise"]
    answer = subprocess.run([*command, "harvester"], cwd=tmp_path, capture_output=True, text=True, check=False)
    return "\n".join(line for line in answer.stdout.splitlines() if "planted.py:2:" in line)


@pytest.mark.parametrize("statement", [
    "time.time()", "time.sleep(1)", "time.monotonic()", "time.perf_counter()",
    "datetime.now(UTC)", "date.today()", "timezone.now()",
    "concurrent.futures.ThreadPoolExecutor(1)", "threading.Thread()", "threading.Timer(1, print)", "threading.Lock()",
    "subprocess.Popen(['true'])", "subprocess.run(['true'])", "from multiprocessing import Process",
])  # fmt: skip
def test_make_check_refuses_the_originals(tmp_path: Path, statement: str) -> None:
    assert "TID251" in lint(tmp_path, statement)


def test_make_check_lets_the_seams_pass(tmp_path: Path) -> None:
    assert lint(tmp_path, "threading.local(), subprocess.PIPE, datetime(2031, 1, 1, tzinfo=UTC)") == ""


def test_no_sql_reads_the_time_but_by_the_one_function() -> None:
    """The files that a later version replaced are history."""
    newest = {(file.parent, file.name.split(".")[0]): file for file in sorted(ROOT.glob("*/sql/*.sql"))}
    texts = [*newest.values(), *(file for app in APPS for file in (ROOT / app).rglob("*.py"))]
    reads_time = re.compile(
        r"\b(clock_timestamp|transaction_timestamp|statement_timestamp)\b|\b(?<!\.)(now|NOW)\(\)|\bCURRENT_(TIMESTAMP|DATE)\b"
    )
    found = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for file in texts
        if "migrations" not in file.parts and file.name not in ("seams.py", "clock.0001.sql")
        for line in file.read_text(encoding="utf-8").splitlines()
        if reads_time.search(line)
    ]
    assert found == []


def test_everything_asks_the_module_so_that_a_replacement_is_seen_at_once() -> None:
    imported = re.compile(r"^\s*from catalogue\.seams import", re.MULTILINE)
    files = [file for app in APPS for file in (ROOT / app).rglob("*.py")]
    assert [str(file) for file in files if imported.search(file.read_text(encoding="utf-8"))] == []


def test_another_clock_takes_the_place_of_the_host_s_in_every_thread_and_leaves_again() -> None:
    then = datetime(2031, 5, 1, 12, tzinfo=UTC)
    with seams.replaced(clock=SetClock(then)), seams.thread_pool(1) as pool:
        assert pool.submit(seams.now).result() == seams.now() == then
        before = seams.monotonic()
        seams.sleep(3600)
        assert seams.monotonic() - before == 3600
        assert seams.now() == then + timedelta(hours=1)
    assert abs(seams.now() - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.usefixtures("toulouse")
def test_the_clock_of_the_database_is_one_function_that_a_simulation_replaces() -> None:
    ahead = datetime(2041, 7, 1, tzinfo=UTC)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION gisc_clock() RETURNS timestamptz LANGUAGE sql AS"
            " $$ SELECT timestamptz '2041-07-01 00:00:00+00' $$"
        )
        assert clock.database_now() == ahead
        world.put(world.iso_record("urn:a"))
        assert Record.objects.get(key="urn:a").datestamp == ahead
        transaction.set_rollback(True)
