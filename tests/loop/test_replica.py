"""A primary that is put back from a copy of its files, and a replica that has what it has lost."""

import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg2
import pytest

from gisc import embedded
from tests.support.nodes import manage
from tests.support.replicas import ReplicaServer, replica_of


def check(data_dir: Path, server: ReplicaServer) -> str:
    """What `manage.py check` says."""
    done = manage(
        *("check", "--database", "default"),
        timeout_s=300,
        GISC_DATA_DIR=str(data_dir),
        GISC_JOURNAL_DIR=f"{data_dir}-journal",
        DATABASE_REPLICA_URL=server.url,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr + done.stdout


def write(url: str) -> str:
    """Write some megabytes of log, and return how far it goes."""
    session = psycopg2.connect(url)
    session.autocommit = True
    try:
        with session.cursor() as cursor:
            cursor.execute("SET synchronous_commit = on")
            cursor.execute("CREATE TABLE much AS SELECT repeat('x', 1000) AS text FROM generate_series(1, 5000)")
            cursor.execute("SELECT pg_current_wal_flush_lsn()::text")
            return str(cursor.fetchone()[0])
    finally:
        session.close()


@pytest.mark.spec("S2", "W34")
def test_a_replica_that_has_what_the_primary_has_lost_is_not_used(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    url = embedded.database_url(data_dir)
    with embedded.database(data_dir):
        done = manage("migrate", timeout_s=300, GISC_DATA_DIR=str(data_dir), GISC_JOURNAL_DIR=f"{data_dir}-journal")
        assert done.returncode == 0, done.stderr
    subprocess.run(["cp", "-a", str(data_dir), str(tmp_path / "copy")], check=True)
    with ExitStack() as stack:
        with embedded.database(data_dir):
            sockets, name = parse_qs(urlsplit(url).query)["host"][0], urlsplit(url).path[1:]
            server = stack.enter_context(replica_of(sockets, name))
            server.reach(write(url))
            assert "gisc.W006" not in check(data_dir, server)
        shutil.rmtree(data_dir)
        (tmp_path / "copy").rename(data_dir)
        with embedded.database(data_dir):
            answer = check(data_dir, server)
            assert "gisc.W006" in answer and "The replica has what the primary has lost" in answer
