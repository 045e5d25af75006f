"""Two hosts with one database, each with a journal of its own, and the database put back in between (W11)."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from gisc import embedded
from tests.support import archives
from tests.support.many_commands import manage_loaded
from tests.support.threads import TIMEOUT_S, threads

SPEC = "WIS-GISC-TOKYO"
NAMES = [f"REC{number:04}" for number in range(40)]

Host = Callable[..., CompletedProcess[str]]


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def on(data_dir: Path, tmp_path: Path) -> Host:
    """Run a command on the host with this name: all share the database, and each has a journal."""

    def on(host: str, *arguments: str) -> CompletedProcess[str]:
        return manage_loaded(
            *arguments,
            timeout_s=300,
            DATABASE_URL=embedded.database_url(data_dir),
            GISC_DATA_DIR=str(tmp_path / f"data of {host}"),
            GISC_JOURNAL_DIR=str(tmp_path / host),
            GISC_NAME=SPEC,
            SECRET_KEY="known to all",
            ALLOWED_HOSTS="*",
        )

    return on


def withdraw(on: Host, host: str, number: int) -> CompletedProcess[str]:
    return on(host, "withdraw", archives.identifier(NAMES[number]))


def withdraw_on_both(on: Host, first: int, last: int) -> None:
    """One by one, both hosts at the same time."""
    half = (first + last) // 2

    def on_one(host: str, numbers: range) -> None:
        for number in numbers:
            done = withdraw(on, host, number)
            assert done.returncode == 0, (host, number, done.stdout, done.stderr)

    with threads(2) as running:
        both = [running.start(on_one, "one", range(first, half)), running.start(on_one, "two", range(half, last))]
        for future in both:
            future.result(10 * TIMEOUT_S)


def deleted(on: Host) -> int:
    rows = json.loads(on("one", "catalogue", "stats", "--json").stdout)["sets"]
    return int(next(row["deleted"] for row in rows if row["set"] == SPEC))


@pytest.mark.spec("W11", "W34")
def test_two_hosts_write_one_journal_and_a_restore_in_between_forgets_nothing(
    data_dir: Path, tmp_path: Path, on: Host
) -> None:
    archive = archives.make(tmp_path / "archive.tar", NAMES)
    with embedded.database(data_dir):
        assert on("one", "migrate").returncode == 0
        assert on("one", "ingest", str(archive)).returncode == 0
        withdraw_on_both(on, 0, 4)
    subprocess.run(["cp", "-a", str(data_dir), str(tmp_path / "copy")], check=True)
    with embedded.database(data_dir):
        withdraw_on_both(on, 4, 8)
        assert on("two", "ingest", "--revive", str(archives.make(tmp_path / "back.tar", NAMES[:1]))).returncode == 0
    shutil.rmtree(data_dir)
    (tmp_path / "copy").rename(data_dir)

    with embedded.database(data_dir):
        put_back = on("two", "journal", "status")
        assert (put_back.returncode, "manage.py restore --in-place" in put_back.stderr) == (1, True)
        assert withdraw(on, "one", 8).returncode == 1, "not in the journal"
        alone = on("one", "journal", "replay")
        assert alone.returncode == 1
        assert "events are missing: " in alone.stderr and "Nothing was changed" in alone.stderr
        assert deleted(on) == 5
        assert on("one", "journal", "replay", str(tmp_path / "two")).returncode == 0
        assert deleted(on) == 9, "the first one is brought back again by who has it"
        assert [on(host, "journal", "status").returncode for host in ("one", "two")] == [0, 0]
        withdraw_on_both(on, 9, 11)

    shutil.rmtree(data_dir)
    with embedded.database(data_dir):
        assert on("one", "migrate").returncode == 0
        assert on("one", "ingest", str(archive)).returncode == 0
        assert on("two", "journal", "replay", str(tmp_path / "one")).returncode == 0
        assert deleted(on) == 10, "all but the one that came back"
