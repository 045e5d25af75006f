"""A node behind PgBouncer, of Debian: refused where it shares sessions among transactions, whole where each connection has its own."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from gisc import embedded
from tests.support import archives
from tests.support.nodes import free_port, manage
from tests.support.waiting import until

PGBOUNCER = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed (apt-get install pgbouncer)")
NAMES = [f"REC{number:04}" for number in range(3)]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[str]:
    """The URL of a PostgreSQL that this test has for itself."""
    with embedded.database(tmp_path / "data"):
        yield embedded.database_url(tmp_path / "data")


@contextmanager
def pooler(folder: Path, database: str, mode: str) -> Iterator[str]:
    """PgBouncer in front of a database; yields the URL through it."""
    sockets = Path(parse_qs(urlsplit(database).query)["host"][0])
    owner = pwd.getpwuid((sockets / ".s.PGSQL.5432").stat().st_uid)
    user, name, port = urlsplit(database).username, urlsplit(database).path[1:], free_port()
    folder.mkdir()
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(
        f"[databases]\n{name} = host={sockets} user={user}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        f"unix_socket_dir =\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = 8\nignore_startup_parameters = options\n",
        encoding="ascii",
    )
    account: dict[str, Any] = {} if os.geteuid() else {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    for path in (folder, *folder.parents)[:3] if account else ():
        path.chmod(path.stat().st_mode | 0o011)
    configuration.chmod(0o644)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([str(PGBOUNCER), str(configuration)], stderr=log, stdout=log, **account)
    try:
        until(
            lambda: "process up" in (folder / "log").read_text(encoding="utf-8") or process.poll() is not None,
            60,
            lambda: (folder / "log").read_text(encoding="utf-8"),
        )
        assert process.poll() is None, (folder / "log").read_text(encoding="utf-8")
        yield f"postgresql://{user}@127.0.0.1:{port}/{name}"
    finally:
        process.terminate()
        process.wait(60)


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
