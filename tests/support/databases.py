"""Databases beside that of the tests, on its server: made, written, and read as if the node had no other."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from urllib.parse import quote, urlencode

import psycopg2
from django.db import connection

from gisc import module_state
from tests.support.nodes import manage


@contextmanager
def scratch(template: str = "template0", options: str = "") -> Iterator[str]:
    """The name of an empty database on the server of the tests, or of a copy of another one; removed at the end."""
    name = f"scratch_{uuid.uuid4().hex[:12]}"
    as_superuser(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {options}')
    try:
        yield name
    finally:
        as_superuser(f'DROP DATABASE "{name}" WITH (FORCE)')


def as_superuser(statement: str) -> None:
    """Run a statement on the server of the tests, in no transaction."""
    with connection._nodb_cursor() as cursor:
        cursor.execute(statement)


def execute(name: str, sql: str) -> None:
    """Run statements in a database."""
    with psycopg2.connect(url(name)) as session, session.cursor() as cursor:
        cursor.execute(sql)
    session.close()


def url(name: str) -> str:
    """The URL of a database on the server of the tests."""
    known = connection.get_connection_params()
    account = quote(str(known["user"]), safe="")
    if known.get("password"):
        account += f":{quote(str(known['password']), safe='')}"
    place = {part: str(known[part]) for part in ("host", "port") if known.get(part)}
    return f"postgresql://{account}@/{name}?{urlencode(place)}"


def command(address: str, folder: Path, *arguments: str) -> CompletedProcess[str]:
    """Run `manage.py` on the database of this address, with its other files in a folder."""
    places = {"GISC_DATA_DIR": str(folder / "data"), "GISC_JOURNAL_DIR": str(folder / "journal")}
    own = {"SECRET_KEY": "x" * 50, "ALLOWED_HOSTS": "127.0.0.1", "GISC_NAME": "WIS-GISC-TOKYO"}
    return manage(*arguments, DATABASE_URL=address, **places, **own)


def done(answer: CompletedProcess[str]) -> str:
    """Return what a command printed that succeeded."""
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


@contextmanager
def in_place_of_the_tests(name: str, **elsewhere: str) -> Iterator[None]:
    """Read and write this database wherever the tests would read and write their own. `elsewhere`: HOST, PORT, USER."""
    own = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict |= {"NAME": name} | elsewhere
    module_state.reset_all()
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict |= own
        module_state.reset_all()
