"""Run PostgreSQL's own tools, pg_dump and pg_restore, on the node's database, and keep a scratch database for checks.

A dump is read and written through pipes, so that it needs no second place on disk. Passwords travel in the environment,
never in a command line.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import psycopg2
from django.db import connection
from django.utils.translation import gettext
from psycopg2.extensions import make_dsn, quote_ident

from catalogue import seams
from gisc import embedded
from gisc.backup.errors import BackupFailed, NotVerified

_CHUNK_BYTES = 1024 * 1024
_DUMP = (
    "--format=custom",
    "--compress=1",  # the payloads are compressed already; what their notation adds goes at any level
    "--no-owner",
    "--no-privileges",
    # Whoever was signed in when the backup was made, and has signed out since, must not be signed in by a restore.
    "--exclude-table-data=django_session",
)
_RESTORE = ("--format=custom", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
# Lines of a table of contents. A node needs no extension, and only a superuser may make some of those that others need.
_OF_EXTENSION = re.compile(r"\d+; \d+ \d+ (EXTENSION -|COMMENT - EXTENSION) ")
_OF_SCHEMA = re.compile(r"\d+; \d+ \d+ (?:SCHEMA -|COMMENT - SCHEMA) (.+) \S*$")


@dataclass(frozen=True)
class Tools:
    """The tools of one major version of PostgreSQL."""

    folder: Path

    @cached_property
    def pg_dump(self) -> str:
        return str(self.folder / "pg_dump")

    @cached_property
    def pg_restore(self) -> str:
        return str(self.folder / "pg_restore")


def server_version() -> str:
    """Return the version of the server, such as 18.4."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0]).split()[0]


def find_tools() -> Tools:
    """Find the tools of the server's own major version. Raises BackupFailed."""
    major = int(server_version().partition(".")[0])
    found = []
    for folder in _folders(major):
        version = _version(folder)
        if version == major and (folder / "pg_restore").exists():
            return Tools(folder)
        if version is not None:
            found.append(gettext("{folder} has version {version}").format(folder=folder, version=version))
    text = (
        gettext(
            "pg_dump and pg_restore of PostgreSQL {major}, the version of the server, were not found ({found}); install "
            "the package postgresql-client-{major}, or put its folder on PATH. Nothing was done."
        )
        if found
        else gettext(
            "pg_dump and pg_restore of PostgreSQL {major}, the version of the server, were not found; install the package "
            "postgresql-client-{major}, or put its folder on PATH. Nothing was done."
        )
    )
    raise BackupFailed(text.format(major=major, found="; ".join(found)))


def _folders(major: int) -> Iterator[Path]:
    """Yield the folders where the tools may be: the embedded server's package, Debian's packages, PATH."""
    yield from embedded.program_folders()
    yield Path(f"/usr/lib/postgresql/{major}/bin")
    for place in os.get_exec_path():
        if shutil.which("pg_dump", path=place):
            yield Path(place)


def _version(folder: Path) -> int | None:
    """Return the major version of the pg_dump in a folder; None if there is none that runs."""
    try:
        answer = seams.run_program([str(folder / "pg_dump"), "--version"], capture_output=True, text=True)
    except OSError:
        return None
    match = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    return int(match[1]) if match else None


# --- Dump and restore -------------------------------------------------------------------------------


def dump(tools: Tools, snapshot: str) -> Generator[bytes]:
    """Yield the dump of the node's database as of an exported snapshot. Raises BackupFailed if pg_dump does not end well."""
    command = [tools.pg_dump, *_DUMP, f"--snapshot={snapshot}", f"--dbname={_address()}"]
    with tempfile.TemporaryFile() as errors:
        process = seams.start_program(command, stdout=subprocess.PIPE, stderr=errors, env=_environment())
        assert process.stdout is not None
        try:
            while chunk := process.stdout.read(_CHUNK_BYTES):
                yield chunk
            if process.wait() != 0:
                raise BackupFailed(
                    gettext("{end}. No archive was made.").format(
                        end=_describe_end("pg_dump", process.returncode, errors)
                    )
                )
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            process.stdout.close()
            process.wait()


def restore(tools: Tools, read: Callable[[], Iterable[bytes]], database: str | None = None) -> None:
    """Restore a dump into a database that is empty, the node's own unless another is named: all of it or nothing.

    `read` returns the dump from its beginning. What the dump has of extensions is left out, and a schema that is there
    already is used. Raises NotVerified if pg_restore does not end well.
    """
    with connect(database) as session, session.cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace")
        schemas = {name for (name,) in cursor.fetchall()}
    with tempfile.NamedTemporaryFile() as contents:
        _pg_restore(tools, read(), "--list", output=contents)
        contents.seek(0)
        wanted = [line for line in contents.read().splitlines() if _is_restored(line.decode(), schemas)]
        contents.seek(0)
        contents.truncate()
        contents.write(b"\n".join(wanted))
        contents.flush()
        _pg_restore(tools, read(), *_RESTORE, f"--use-list={contents.name}", f"--dbname={_address(database)}")


def _is_restored(line: str, schemas: Collection[str]) -> bool:
    """Whether what a line of a table of contents stands for is restored into a database that has these schemas."""
    schema = _OF_SCHEMA.match(line)
    return not _OF_EXTENSION.match(line) and (schema is None or schema[1] not in schemas)


def _pg_restore(
    tools: Tools, chunks: Iterable[bytes], *options: str, output: int | IO[bytes] = subprocess.DEVNULL
) -> None:
    """Run pg_restore on a dump. Raises NotVerified if it does not end well."""
    with tempfile.TemporaryFile() as errors:
        process = seams.start_program(
            [tools.pg_restore, *options], stdin=subprocess.PIPE, stdout=output, stderr=errors, env=_environment()
        )
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):  # it has ended, and has said why
                for chunk in chunks:
                    process.stdin.write(chunk)
                process.stdin.close()
            if process.wait() != 0:
                raise NotVerified(_describe_end("pg_restore", process.returncode, errors))
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            with suppress(BrokenPipeError):
                process.stdin.close()
            process.wait()


def _describe_end(tool: str, status: int, errors: IO[bytes]) -> str:
    """Say how a tool ended: with its first error, or by which signal it was killed."""
    if status < 0:
        return gettext("{tool} was killed ({signal})").format(tool=tool, signal=signal.Signals(-status).name)
    errors.seek(0)
    lines = [line.strip() for line in errors.read().decode(errors="replace").splitlines()]
    first = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
    return gettext("{tool} ended with status {status} ({error})").format(tool=tool, status=status, error=first)


# --- Databases --------------------------------------------------------------------------------------


def _parameters() -> dict[str, Any]:
    """Return what libpq needs to connect to the node's database, password included."""
    parameters = dict(connection.get_connection_params())
    parameters.pop("cursor_factory", None)  # Django's own
    return parameters


def _address(database: str | None = None) -> str:
    """Return the address of a database on the node's server, without its password."""
    parameters = _parameters() | ({"dbname": database} if database else {})
    parameters.pop("password", None)
    return str(make_dsn(**parameters))


def _environment() -> dict[str, str]:
    """Return the environment of the tools. In another time zone, pg_restore would refuse what versions up to 1.0.0 have dumped."""
    password = _parameters().get("password")
    return os.environ | {"PGTZ": "UTC"} | ({"PGPASSWORD": str(password)} if password else {})


@contextmanager
def connect(database: str | None = None) -> Iterator[Any]:
    """Open a connection to a database on the node's server, beside Django's: each statement is a transaction.

    It looks for tables in the schemas in which the node does, whatever is set for that other database.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('search_path')")
        (search_path,) = cursor.fetchone()
    session = psycopg2.connect(**(_parameters() | ({"dbname": database} if database else {})))
    with closing(session):
        session.autocommit = True
        with session.cursor() as cursor:
            cursor.execute("SELECT set_config('search_path', %s, false)", [search_path])
        yield session


@contextmanager
def scratch_database() -> Iterator[str]:
    """Create an empty database on the node's server for the length of the block. Raises NotVerified.

    Its name is made of the node's own, so that one that a killed backup left is removed here.
    """
    name = f"{_parameters()['dbname'][:40]}_backup_check"
    with connect() as session, session.cursor() as cursor:
        quoted = quote_ident(name, cursor)
        drop = f"DROP DATABASE IF EXISTS {quoted} WITH (FORCE)"
        try:
            cursor.execute(drop)
            cursor.execute(f"CREATE DATABASE {quoted} TEMPLATE template0")
        except psycopg2.errors.InsufficientPrivilege as exc:
            raise NotVerified(
                gettext(
                    "the database role may not create a scratch database; a superuser permits it by "
                    "ALTER ROLE {role} CREATEDB"
                ).format(role=quote_ident(_parameters().get("user") or "", cursor))
            ) from exc
        except psycopg2.Error as exc:
            raise NotVerified(
                gettext("no scratch database could be created ({reason})").format(reason=" ".join(str(exc).split()))
            ) from exc
        try:
            yield name
        finally:
            cursor.execute(drop)


def drop_everything() -> None:
    """Drop the tables, sequences, views and functions that the node sees in its database, so that a dump can be restored into it.

    What an extension has put there stays.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT format('DROP %s IF EXISTS %I.%I CASCADE', kind, nspname, relname) FROM pg_class c
            JOIN pg_namespace n ON n.oid = relnamespace
            JOIN (VALUES ('v', 'VIEW', 1), ('m', 'MATERIALIZED VIEW', 1), ('p', 'TABLE', 2), ('r', 'TABLE', 2),
                         ('S', 'SEQUENCE', 3)) AS kinds (letter, kind, place) ON letter = relkind
            WHERE nspname = ANY(current_schemas(false))
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY place
            """
        )
        statements = cursor.fetchall()
        cursor.execute(
            """
            SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure)
            FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
            WHERE nspname = ANY(current_schemas(false))
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
            """
        )
        for (statement,) in [*statements, *cursor.fetchall()]:
            cursor.execute(statement)
