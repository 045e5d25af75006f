"""A PostgreSQL of Debian with pgBackRest, set up by the commands of docs/point-in-time-recovery.md, in a folder of a test."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.loop import handbook
from tests.support.nodes import free_port
from tests.support.paths import ROOT
from tests.support.sql import run_at

PAGE = ROOT / "docs" / "point-in-time-recovery.md"
_INSTALLED = Path("/usr/lib/postgresql")
_VERSION_OF_PAGE = "15"
_PORT_OF_COPY, _PORT_OF_WEB = "5433", "8001"
_PASSWORD = "PASSWORD"
_URL_OF_COPY = f"postgresql://gisc:{_PASSWORD}@127.0.0.1:{_PORT_OF_COPY}/gisc"
_TIME_OF_PAGE = "2026-05-01 12:34:56+00"
_ACCOUNT = "postgres"
_PROGRAM = """#!/bin/sh
exec {python} -m tests.loop.host {name} "$@"
"""


@dataclass(frozen=True, slots=True)
class ArchivedServer:
    """The cluster `main` of this version, which the commands of the page start and stop, and the copy that they make of it.

    `account`: whose it is, if the test is run by root; else empty. `sockets`: a folder with a short path.
    """

    folder: Path
    version: str
    account: str
    sockets: Path
    port: int
    port_of_copy: int

    def url(self, port: int) -> str:
        return f"postgresql://gisc:{_PASSWORD}@127.0.0.1:{port}/gisc"

    @property
    def clusters(self) -> Path:
        return self.folder / "clusters"

    @property
    def configuration(self) -> Path:
        return self.folder / "etc"

    @property
    def environment(self) -> dict[str, str]:
        """What the commands of the page need to find this cluster, instead of one of the host."""
        return {
            "PYTHONPATH": str(ROOT),
            "TEST_CLUSTERS": str(self.clusters),
            "TEST_ACCOUNT": self.account,
            "PG_CLUSTER_CONF_ROOT": str(self.configuration),
            "PGHOST": str(self.sockets),
            "PGPORT": str(self.port),
            "PGUSER": "postgres",
            "PGBACKREST_CONFIG": str(self.configuration / "pgbackrest.conf"),
            "PGBACKREST_LOG_PATH": str(self.folder / "log"),
            "PGBACKREST_LOCK_PATH": str(self.folder / "lock"),
            "PGBACKREST_PG1_PORT": str(self.port),
            "PGBACKREST_PG1_SOCKET_PATH": str(self.sockets),
            "PGBACKREST_PG1_USER": "postgres",
        }

    def commands(self, heading: str, containing: str, *, at: datetime | None = None, port: str = "") -> str:
        """The block of the page under this heading that has this text, with the places of this server and this time.

        `port`: where the page's second web server listens.
        """
        text = handbook.commands_of(handbook.blocks(heading, PAGE), containing)
        for on_page, here in (
            ("/srv/pgbackrest", self.folder / "repository"),
            ("/etc/pgbackrest.conf", self.configuration / "pgbackrest.conf"),
            ("/etc/systemd/system", self.configuration),
            (f"/etc/postgresql/{_VERSION_OF_PAGE}", self.configuration / self.version),
            (f"/var/lib/postgresql/{_VERSION_OF_PAGE}", self.clusters / self.version),
            (f"cluster {_VERSION_OF_PAGE} ", f"cluster {self.version} "),
            (_URL_OF_COPY, self.url(self.port_of_copy)),
            (f"--port={_PORT_OF_COPY}", f"--port={self.port_of_copy}"),
            (_PORT_OF_WEB, port),
            (_TIME_OF_PAGE, f"{at:%Y-%m-%d %H:%M:%S}+00" if at else ""),
        ):
            text = text.replace(on_page, str(here))
        return text

    def sql(self, statement: str, *, database: str = "gisc") -> list[tuple[Any, ...]]:
        """Run a statement as the superuser, in a transaction of its own."""
        return run_at(statement, host=str(self.sockets), port=self.port, user="postgres", dbname=database)

    def run(self, *command: str) -> None:
        """Run a command of a Debian host, such as `sudo`, to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.loop.host", *command],
            env=os.environ | self.environment,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"

    def add_programs(self, folder: Path) -> None:
        """Write the stand-ins for the commands of a Debian host into a folder of PATH."""
        for name in ("sudo", "pg_createcluster", "pg_ctlcluster", "pg_dropcluster", "systemctl"):
            (folder / name).write_text(_PROGRAM.format(python=sys.executable, name=name), encoding="utf-8")
            (folder / name).chmod(0o755)


@contextmanager
def running(folder: Path) -> Iterator[ArchivedServer]:
    """Make a cluster as Debian has one, without any archive yet, and the role and database of a node in it."""
    version = _version()
    folder.mkdir(parents=True)
    _open_to_others(folder)
    account = _ACCOUNT if os.geteuid() == 0 else ""
    owner = pwd.getpwnam(account).pw_uid if account else os.geteuid()
    with tempfile.TemporaryDirectory(prefix="gisc-pg-") as sockets:
        server = ArchivedServer(folder, version, account, Path(sockets), free_port(), free_port())
        own = (server.clusters / version, server.configuration, folder / "log", folder / "lock", server.sockets)
        for place in own:
            place.mkdir(parents=True, exist_ok=True)
            os.chown(place, owner, -1)
        options = f"--port={server.port}", "--encoding=UTF8", "--locale=C.UTF-8"
        server.run("pg_createcluster", version, "main", *options, "--", "--auth=trust", "--no-sync")
        (server.configuration / version / "main" / "conf.d" / "test.conf").write_text("fsync = off\n", encoding="utf-8")
        server.run("pg_ctlcluster", version, "main", "start")
        try:
            server.sql(f"CREATE ROLE gisc LOGIN CREATEDB PASSWORD '{_PASSWORD}'", database="postgres")
            server.sql("CREATE DATABASE gisc OWNER gisc", database="postgres")
            yield server
        finally:
            for running_now in (server.clusters / version).glob("*/postmaster.pid"):
                server.run("pg_ctlcluster", version, running_now.parent.name, "stop")


def _version() -> str:
    """The newest version of PostgreSQL that is installed. Skips the test where there is none, or no pgBackRest."""
    found = [path.parents[1].name for path in _INSTALLED.glob("*/bin/initdb")]
    if not found or shutil.which("pgbackrest") is None:
        pytest.skip(
            "PostgreSQL and pgBackRest of Debian are not here; `apt-get install postgresql pgbackrest` brings them"
        )
    return max(found, key=int)


def _open_to_others(folder: Path) -> None:
    """Let the account of the server pass through to a folder, as the tests' own folders are for their account alone."""
    for place in (folder, *folder.parents):
        if not place.stat().st_mode & 0o001:
            place.chmod(place.stat().st_mode | 0o011)
