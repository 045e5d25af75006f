"""Gives the database back, after a test that commits, the rows that a flush leaves, at a fraction of what a flush costs.

Django truncates every table and has all permissions, roles and content types made again, which is half a second for each of
the hundreds of tests that commit. Here that is done once; its rows are copied, and from then on only the tables that a test
has changed are emptied and filled again.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper

_SAVED = "rows_before"
# As with a flush, what is migrated stays as it is.
_TABLES = """
    SELECT relname FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'django_migrations' ORDER BY 1
"""
_REFERENCES = "SELECT confrelid::regclass::text, conrelid::regclass::text FROM pg_constraint WHERE contype = 'f'"
_COLUMNS = (
    "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
)
# A migration to and fro, which makes tables anew, has begun their numbers again.
_COUNT_ON = """
    SELECT setval(sequence, greatest(nextval(sequence), (SELECT max(id) FROM public.{table})))
    FROM pg_get_serial_sequence('public.{table}', 'id') AS sequence
"""
_HAS_NUMBERS = "SELECT FROM pg_attribute WHERE attrelid = %s::regclass AND attname = 'id' AND attidentity <> ''"

# Of each database, for its tables that have rows: what tells whether they are the same.
_saved: dict[str, dict[str, Any]] = {}


def restore(alias: str) -> None:
    """Leave the rows of a flush in the database, whatever the test has committed. Triggers do not fire.

    It is a flush where the user of an external database is no superuser, who alone may put triggers off.
    """
    connection = connections[alias]
    database = str(connection.settings_dict["NAME"])
    with connection.cursor() as cursor, transaction.atomic(using=alias):
        cursor.execute("SELECT current_setting('is_superuser') = 'on'")
        (is_superuser,) = cursor.fetchone()
        tables = tables_of(cursor)
        if database in _saved:
            _put_back(cursor, tables, _saved[database])
            return
    call_command("flush", verbosity=0, interactive=False, database=alias, reset_sequences=False)
    if is_superuser:
        with connection.cursor() as cursor, transaction.atomic(using=alias):
            _saved[database] = _save(cursor, tables)


def tables_of(cursor: CursorWrapper) -> list[str]:
    """Return the tables that a flush empties."""
    cursor.execute(_TABLES)
    return [table for (table,) in cursor.fetchall()]


def _save(cursor: CursorWrapper, tables: list[str]) -> dict[str, Any]:
    filled = _with_rows(cursor, tables)
    cursor.execute(f"DROP SCHEMA IF EXISTS {_SAVED} CASCADE; CREATE SCHEMA {_SAVED}")
    for table in filled:
        cursor.execute(f"CREATE TABLE {_SAVED}.{table} AS TABLE public.{table}")
    return _digests(cursor, filled)


def _put_back(cursor: CursorWrapper, tables: list[str], saved: dict[str, Any]) -> None:
    changed = _with_rows(cursor, [table for table in tables if table not in saved])
    now = _digests(cursor, saved)
    changed += [table for table in saved if now[table] != saved[table]]
    if not changed:
        return
    emptied = _with_those_that_refer(cursor, changed)
    cursor.execute("SET LOCAL session_replication_role = replica")
    cursor.execute(f"TRUNCATE {', '.join(sorted(emptied))}")
    for table in sorted(emptied & saved.keys()):
        cursor.execute(_COLUMNS, [f"{_SAVED}.{table}"])
        columns = cursor.fetchone()[0]
        cursor.execute(f"INSERT INTO public.{table} ({columns}) SELECT {columns} FROM {_SAVED}.{table}")
        cursor.execute(_HAS_NUMBERS, [f"public.{table}"])
        if cursor.rowcount:
            cursor.execute(_COUNT_ON.format(table=table))
    ContentType.objects.clear_cache()


def _with_rows(cursor: CursorWrapper, tables: list[str]) -> list[str]:
    cursor.execute(
        " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM public.{table})" for table in tables)
    )
    return [table for (table,) in cursor.fetchall()]


def _digests(cursor: CursorWrapper, tables: Iterable[str]) -> dict[str, Any]:
    """Of each table its number of rows and the sum of their hashes."""
    cursor.execute(
        " UNION ALL ".join(
            f"(SELECT '{table}', count(*), sum(hashtextextended(row::text, 0)) FROM public.{table} AS row)"
            for table in tables
        )
    )
    return {table: tuple(digest) for table, *digest in cursor.fetchall()}


def _with_those_that_refer(cursor: CursorWrapper, tables: list[str]) -> set[str]:
    """The tables, and those with a foreign key to one of them: PostgreSQL truncates them together or not at all."""
    cursor.execute(_REFERENCES)
    references = cursor.fetchall()
    found: set[str] = set()
    new = set(tables)
    while new - found:
        found |= new
        new = {referring for referred, referring in references if referred in found}
    return found
