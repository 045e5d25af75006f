"""kill -9 while an ingest runs: what is left is whole batches, and nothing that was promised is missing (promise 6).

The instants are drawn from a seed and found by what the database shows: a number of committed records, then a
number of bytes in its log, so that they fall within a batch as well. Three of each kind are tried; for more:

    CRASH_INSTANTS=10 make test
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg2
import pytest

from catalogue.bulk import ingest
from gisc import embedded
from tests.support import archives
from tests.support.many_commands import manage_loaded
from tests.support.nodes import environment, living
from tests.support.paths import ROOT
from tests.support.waiting import until

INSTANTS = int(os.environ.get("CRASH_INSTANTS", "3"))
SPEC = "WIS-GISC-TOKYO"
BATCH_RECORDS = ingest.DEFAULTS.batch_records
NEW = [f"NEW{number:05}" for number in range(6 * BATCH_RECORDS + 100)]
OLD = [f"OLD{number:03}" for number in range(240)]
WITHDRAWN_AT_ONCE = 20
EARLY = OLD[:WITHDRAWN_AT_ONCE]
OURS = f"identifier LIKE '{archives.identifier('NEW')}%'"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archives.make(tmp_path_factory.mktemp("archive") / "new.tar", NEW)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A node at rest that holds some records, of which a few are withdrawn."""
    folder = tmp_path_factory.mktemp("template")
    data_dir = folder / "data"
    command(data_dir, "ingest", str(archives.make(folder / "old.tar", OLD)))
    withdraw(data_dir, EARLY)
    return data_dir


def settings(data_dir: Path) -> dict[str, str]:
    return {"GISC_DATA_DIR": str(data_dir), "GISC_JOURNAL_DIR": str(data_dir / "journal"), "GISC_NAME": SPEC}


def command(data_dir: Path, *arguments: str) -> dict[str, Any]:
    done = manage_loaded(*arguments, "--json", timeout_s=120, **settings(data_dir))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def withdraw(data_dir: Path, names: list[str]) -> bool:
    """Whether it was reported as done."""
    done = manage_loaded("withdraw", *map(archives.identifier, names), timeout_s=120, **settings(data_dir))
    return done.returncode == 0


@contextmanager
def asking(data_dir: Path) -> Iterator:
    """A function that asks the running database."""
    connection = psycopg2.connect(embedded.database_url(data_dir))
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:

            def ask(sql: str) -> list[tuple]:
                cursor.execute(sql)
                return cursor.fetchall()

            yield ask
    finally:
        connection.close()


class Crash:
    """One ingest with withdrawals beside it, and the instant at which one of its processes is killed."""

    def __init__(self, data_dir: Path, archive: Path, victim: str, chance: random.Random) -> None:
        self.data_dir, self.victim, self.chance = data_dir, victim, chance
        self.withdrawn: list[str] = []
        self.committed = 0
        with (data_dir / "ingest.txt").open("wb") as output, embedded.database(data_dir), asking(data_dir) as ask:
            self.ingest = subprocess.Popen(
                [sys.executable, "manage.py", "ingest", str(archive), "--json"],
                cwd=ROOT,
                env=environment(**settings(data_dir)),
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            try:
                with ThreadPoolExecutor(1) as pool:
                    others = pool.submit(self._withdraw)
                    self._await_the_instant(ask)
                    left_behind = self._kill()
                    self.ingest.wait(60)
                    others.result(120)
                until(
                    lambda: not living(left_behind), timeout_s=120, what="what the killed process had started is gone"
                )
            finally:
                self.ingest.kill()
                self.ingest.wait()
        assert self.ingest.returncode != 0

    def _withdraw(self) -> None:
        """One `manage.py withdraw` after the other, for as long as the ingest runs."""
        for first in range(WITHDRAWN_AT_ONCE, len(OLD), WITHDRAWN_AT_ONCE):
            if self.ingest.poll() is not None:
                return
            names = OLD[first : first + WITHDRAWN_AT_ONCE]
            if withdraw(self.data_dir, names):
                self.withdrawn += names

    def _await_the_instant(self, ask) -> None:
        records = self.chance.randrange(len(NEW) - 2 * BATCH_RECORDS)
        begin = self._log_bytes(ask)
        self._watch(lambda: ask(f"SELECT count(*) FROM catalogue_record WHERE {OURS}")[0][0] >= records)
        reached = self._log_bytes(ask)
        batch_bytes = (reached - begin) * BATCH_RECORDS // max(records, BATCH_RECORDS)
        until_bytes = reached + self.chance.randrange(batch_bytes + 1)
        self._watch(lambda: self._log_bytes(ask) >= until_bytes)

    def _watch(self, reached) -> None:
        """Look as often as the database answers: `until` looks too rarely to fall within a batch."""
        deadline = time.monotonic() + 60
        while not reached():
            assert self.ingest.poll() is None, (self.data_dir / "ingest.txt").read_text()
            assert time.monotonic() < deadline, "the ingest does not move"

    @staticmethod
    def _log_bytes(ask) -> int:
        return int(ask("SELECT pg_current_wal_insert_lsn() - '0/0'")[0][0])

    def _kill(self) -> list[psutil.Process]:
        """Kill the victim; what must go with it without being killed."""
        assert self.ingest.poll() is None, "the ingest was over before the kill"
        workers = psutil.Process(self.ingest.pid).children(recursive=True)
        if self.victim == "writer":
            self.ingest.kill()
            return workers
        postmaster = psutil.Process(int((self.data_dir / "postgres" / "postmaster.pid").read_text().split("\n", 1)[0]))
        servers = [postmaster, *postmaster.children(recursive=True)]
        for process in servers:
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue
        return [*servers, *workers]


def journal_events(data_dir: Path) -> list[tuple[str, str]]:
    lines = [line for file in sorted((data_dir / "journal").glob("*.jsonl")) for line in file.read_text().splitlines()]
    return [(event["event"], event["identifier"]) for event in map(json.loads, lines)]


def journal_numbers(data_dir: Path) -> set[int]:
    lines = [line for file in (data_dir / "journal").glob("*.jsonl") for line in file.read_text().splitlines()]
    return {json.loads(line)["number"] for line in lines}


def check(crash: Crash) -> int:
    """What is left is consistent; how many of the new records are there."""
    with embedded.database(crash.data_dir), asking(crash.data_dir) as ask:
        stored = [row[0] for row in ask(f"SELECT identifier FROM catalogue_record WHERE {OURS} ORDER BY identifier")]
        assert len(stored) % BATCH_RECORDS == 0 or len(stored) == len(NEW)
        assert stored == list(map(archives.identifier, NEW[: len(stored)]))
        assert ask("SELECT count(*) FROM catalogue_record") == [(len(OLD) + len(stored),)]
        assert not ask(
            """
            SELECT r.identifier FROM catalogue_record r FULL JOIN catalogue_membership m ON m.record_id = r.id
            WHERE m.record_id IS NULL OR r.id IS NULL OR m.deleted <> r.deleted OR m.datestamp <> r.datestamp
            """
        )
        assert not ask(
            """
            SELECT r.identifier FROM catalogue_record r FULL JOIN catalogue_description d ON d.record_id = r.id
            WHERE r.id IS NULL OR (d.record_id IS NULL) <> r.deleted
            """
        )
        assert ask("SELECT stamp >= (SELECT max(datestamp) FROM catalogue_record) FROM catalogue_datestampclock") == [
            (True,)
        ]
        tombstones = {row[0] for row in ask("SELECT identifier FROM catalogue_record WHERE deleted")}
        waiting = {row[0] for row in ask("SELECT identifier FROM catalogue_journaloutbox")}
        numbers = {row[0] for row in ask("SELECT number FROM catalogue_journaloutbox")}
        (last,) = ask("SELECT number FROM catalogue_journalposition")[0]
    assert numbers | journal_numbers(crash.data_dir) == set(range(1, last + 1)), "an event is missing"
    on_disk = {identifier for event, identifier in journal_events(crash.data_dir)}
    assert {event for event, _ in journal_events(crash.data_dir)} == {"deleted"}
    assert on_disk | waiting == tombstones
    assert set(map(archives.identifier, [*EARLY, *crash.withdrawn])) <= on_disk
    assert len(tombstones) % WITHDRAWN_AT_ONCE == 0
    return len(stored)


@pytest.mark.spec("W11")
@pytest.mark.parametrize("number", range(INSTANTS))
@pytest.mark.parametrize("victim", ["database", "writer"])
def test_what_a_crash_leaves_is_whole_batches_and_a_second_ingest_completes_them(
    victim: str, number: int, template: Path, archive: Path, tmp_path: Path
) -> None:
    data_dir = tmp_path / "data"
    # The database's account owns its files, and a copy by Python would not keep that.
    subprocess.run(["cp", "-a", str(template), str(data_dir)], check=True)
    crash = Crash(data_dir, archive, victim, random.Random(f"{victim} {number}"))
    stored = check(crash)
    print(f"{victim} {number}: {stored} of {len(NEW)} records, {len(crash.withdrawn)} withdrawals reported")

    report = command(data_dir, "ingest", str(archive))
    assert (report["new"], report["unchanged"]) == (len(NEW) - stored, stored)
    assert report["offered"] == len(NEW)
    assert check(crash) == len(NEW)
    again = command(data_dir, "ingest", str(archive))
    assert again["unchanged"] == len(NEW)
    exported = manage_loaded("journal", "export", str(tmp_path / "export.jsonl"), **settings(data_dir))
    assert exported.returncode == 0
    with embedded.database(data_dir), asking(data_dir) as ask:
        assert ask("SELECT count(*) FROM catalogue_journaloutbox") == [(0,)]
