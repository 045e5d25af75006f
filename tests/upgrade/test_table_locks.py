"""A migration beside processes that run: it waits for their statements, and they for it, but never each for the other."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import psycopg2
import pytest
from django.core.management import call_command
from django.db import connection, migrations
from django.db.migrations.state import ProjectState

from catalogue.migration_operations import LockTables
from tests.support import databases
from tests.support.waiting import until

_LOCKED = """
    SELECT relname FROM pg_locks JOIN pg_class ON pg_class.oid = relation
    WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock' AND relkind = 'r'
"""
_WAITING = """
    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE datname = current_database() AND mode = 'AccessExclusiveLock' AND NOT granted
"""


class LinkThenRun(migrations.Migration):
    operations = (
        migrations.RunSQL("ALTER TABLE link ADD COLUMN one integer"),
        migrations.RunSQL("ALTER TABLE run ADD COLUMN one integer"),
    )


class LockedFirst(migrations.Migration):
    operations = (LockTables("link", "run"), *LinkThenRun.operations)


@pytest.fixture
def database(django_db_setup: None, django_db_blocker) -> Iterator[str]:
    with django_db_blocker.unblock(), databases.scratch() as name:
        yield name


@contextmanager
def session(database: str) -> Iterator[psycopg2.extensions.cursor]:
    opened = psycopg2.connect(databases.url(database))
    try:
        with opened.cursor() as cursor:
            yield cursor
    finally:
        opened.close()


def migrate(database: str, migration: type[migrations.Migration]) -> None:
    with databases.in_place_of_the_tests(database), connection.schema_editor(atomic=True) as editor:
        migration("one", "app").apply(ProjectState(), editor)


@pytest.mark.parametrize("order", [("run", "link"), ("link", "run")])
def test_a_reader_of_two_tables_and_a_migration_of_both_do_not_wait_for_each_other(
    database: str, order: tuple[str, str]
) -> None:
    databases.execute(database, "CREATE TABLE link (id integer); CREATE TABLE run (id integer)")
    first, second = order
    with session(database) as reader, session(database) as watcher, ThreadPoolExecutor(1) as pool:
        reader.execute(f"SELECT FROM {first}")
        migrated = pool.submit(migrate, database, LockedFirst)
        until_it_waits(watcher, migrated)
        reader.execute("SET statement_timeout = '30s'")
        reader.execute(f"SELECT FROM {second}")
        reader.connection.commit()
        migrated.result(60)
        watcher.execute("SELECT one FROM link UNION SELECT one FROM run")


def until_it_waits(watcher: psycopg2.extensions.cursor, migrated: "Future[None]") -> None:
    def waits() -> bool:
        assert not migrated.done(), migrated.result()
        watcher.execute(_WAITING)
        watcher.connection.commit()
        return bool(watcher.fetchone()[0])

    until(waits, timeout_s=60, what="the migration waits for a table")


def test_a_migration_that_changes_several_tables_locks_them_first(database: str, monkeypatch) -> None:
    apply, found = migrations.Migration.apply, {}

    def apply_and_look(self, project_state, schema_editor, collect_sql=False):
        before = set(connection.introspection.table_names())
        state = apply(self, project_state, schema_editor, collect_sql)
        with connection.cursor() as cursor:
            cursor.execute(_LOCKED)
            changed = {table for (table,) in cursor.fetchall()} & before
        if len(changed) > 1:
            first = self.operations[0]
            found[f"{self.app_label}.{self.name}"] = changed, set(getattr(first, "tables", ()))
        return state

    monkeypatch.setattr(migrations.Migration, "apply", apply_and_look)
    with databases.in_place_of_the_tests(database):
        call_command("migrate", verbosity=0)

    assert "harvester.0004_lateness" in found
    assert {name: each for name, each in found.items() if not each[0] <= each[1]} == {}
