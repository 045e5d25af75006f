"""A PostgreSQL of Debian, which has another version than the embedded one, another order of letters, and a role with odd settings."""

import os
import pwd
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.nodes import free_port
from tests.support.sql import run_at

ROLE = "centre"
_INSTALLED = Path("/usr/lib/postgresql")
_ACCOUNT = "postgres"
# What a database administrator may have set, and nothing in PostgreSQL forbids.
_SETTINGS = {
    "IntervalStyle": "iso_8601",
    "DateStyle": "German",
    "bytea_output": "escape",
    "TimeZone": "Asia/Tokyo",
    "standard_conforming_strings": "off",
    "transform_null_equals": "on",
    "quote_all_identifiers": "on",
    "plan_cache_mode": "force_generic_plan",
}


@dataclass(frozen=True, slots=True)
class OtherServer:
    """The server. `sockets`: its folder, with a short path."""

    sockets: Path
    port: int

    def url(self, name: str) -> str:
        return f"postgresql://{ROLE}@127.0.0.1:{self.port}/{name}"

    def sql(self, statement: str, *, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement as the superuser, in a transaction of its own."""
        return run_at(statement, host=str(self.sockets), port=self.port, user="postgres", dbname=database)

    def make_database(self, name: str, template: str = "") -> None:
        """Make a database for the role, in a schema of its own, beside an extension that only a superuser may make; or copy one."""
        self.sql(f"CREATE DATABASE {name} OWNER {ROLE} {f'TEMPLATE {template}' if template else ''}")
        if template:
            return
        self.sql(f"CREATE SCHEMA {ROLE} AUTHORIZATION {ROLE}", database=name)
        self.sql("CREATE EXTENSION pg_stat_statements", database=name)
        self.sql("REVOKE ALL ON SCHEMA public FROM public, pg_database_owner", database=name)


@contextmanager
def running() -> Iterator[OtherServer]:
    """Run the server for the length of the block, and make the role. Skips where there is no PostgreSQL of Debian."""
    versions = sorted(_INSTALLED.glob("*/bin/initdb"), key=lambda path: int(path.parents[1].name))
    if not versions:
        pytest.skip("PostgreSQL of Debian is not here; `apt-get install postgresql` brings it")
    programs = versions[-1].parent
    account = _ACCOUNT if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="gisc-pg-") as folder:
        if account:
            os.chown(folder, pwd.getpwnam(account).pw_uid, -1)
        server, data = OtherServer(Path(folder), free_port()), f"{folder}/data"

        def run(program: str, *options: str) -> None:
            command = [str(programs / program), "--pgdata", data, *options]
            done = subprocess.run(
                command,
                cwd="/",
                user=account,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr

        order = ("--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8")
        run("initdb", "--username=postgres", "--encoding=UTF8", "--auth=trust", "--no-sync", *order)
        options = (
            f"-c port={server.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        )
        run("pg_ctl", "start", "--wait", f"--log={folder}/log", f"--options={options}")
        try:
            server.sql(f"CREATE ROLE {ROLE} LOGIN CREATEDB")
            for name, value in _SETTINGS.items():
                server.sql(f"ALTER ROLE {ROLE} SET {name} TO '{value}'")
            yield server
        finally:
            run("pg_ctl", "stop", "--wait", "--mode=immediate")
