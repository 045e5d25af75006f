"""A node behind PgBouncer, of Debian: refused where it shares sessions among transactions, whole where each connection has its own."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gisc import embedded
from tests.support import archives
from tests.support.nodes import manage
from tests.support.poolers import needs_pgbouncer, pooler

pytestmark = needs_pgbouncer
NAMES = [f"REC{number:04}" for number in range(3)]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[str]:
    """The URL of a PostgreSQL that this test has for itself."""
    with embedded.database(tmp_path / "data"):
        yield embedded.database_url(tmp_path / "data")


def run(folder: Path, url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return manage(
        *arguments,
        timeout_s=300,
        DATABASE_URL=url,
        GISC_DATA_DIR=str(folder / "of the node"),
        GISC_JOURNAL_DIR=str(folder / "journal"),
        SECRET_KEY="known to all",
        ALLOWED_HOSTS="*",
    )


def test_a_pooler_that_shares_sessions_is_refused_and_one_that_does_not_is_not(tmp_path: Path, database: str) -> None:
    archive = archives.make(tmp_path / "archive.tar", NAMES)
    with pooler(tmp_path / "session", database, "session") as url:
        for command in (["migrate"], ["ingest", str(archive)], ["catalogue", "stats"]):
            done = run(tmp_path, url, *command)
            assert done.returncode == 0, (command, done.stderr)
    assert run(tmp_path, database, "catalogue", "stats").returncode == 0, "without a pooler"
    for mode in ("transaction", "statement"):
        with pooler(tmp_path / mode, database, mode) as url:
            for command in (["migrate"], ["ingest", str(archive)], ["catalogue", "stats"]):
                done = run(tmp_path, url, *command)
                assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), (mode, command, done.stderr)
                assert "pool_mode = session" in done.stderr


def test_where_a_pooler_has_one_session_alone_the_node_does_not_wait_for_a_second(
    tmp_path: Path, database: str
) -> None:
    with pooler(tmp_path / "session", database, "session\nmax_db_connections = 1") as url:
        done = run(tmp_path, url, "migrate")
        assert done.returncode == 0, done.stderr
