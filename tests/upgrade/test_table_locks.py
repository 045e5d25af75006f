"""A migration beside processes that run: it waits for their statements, and they for it, but never each for the other."""

from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import psycopg2
import pytest
from django.core.management import call_command
from django.db import connection, migrations
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.migrations.state import ProjectState

from catalogue.migration_operations import LockTables
from tests.support import databases
from tests.support.waiting import until

_LOCKED = """
    SELECT relname, bool_or(mode = 'AccessExclusiveLock') FROM pg_locks JOIN pg_class ON pg_class.oid = relation
    WHERE pid = pg_backend_pid() AND relkind = 'r'
        AND mode IN ('RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    GROUP BY relname
"""
_WAITING = """
    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE datname = current_database() AND mode IN ('ExclusiveLock', 'AccessExclusiveLock') AND NOT granted
"""


class LinkThenRun(migrations.Migration):
    operations = (
        migrations.RunSQL("ALTER TABLE link ADD COLUMN one integer"),
        migrations.RunSQL("ALTER TABLE run ADD COLUMN one integer"),
    )


class LockedFirst(migrations.Migration):
    operations = (LockTables("link", "run"), *LinkThenRun.operations)


class ReadableRun(migrations.Migration):
    operations = (
        LockTables("link", readable=("run",)),
        LinkThenRun.operations[0],
        migrations.RunSQL("CREATE INDEX runs ON run (id)"),
    )


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


_READ_RUN, _READ_LINK, _WRITE_RUN = "SELECT FROM run", "SELECT FROM link", "INSERT INTO run VALUES (1)"


@pytest.mark.parametrize(
    ("migration", "statements"),
    [
        (LockedFirst, (_READ_RUN, _READ_LINK)),
        (LockedFirst, (_READ_LINK, _READ_RUN)),
        (LockedFirst, (_READ_RUN, _WRITE_RUN)),
        (ReadableRun, (_READ_LINK, _WRITE_RUN)),
        (ReadableRun, (_WRITE_RUN, _READ_LINK)),
        (ReadableRun, ("SELECT FROM run FOR UPDATE", _WRITE_RUN)),
    ],
)
def test_a_user_of_two_tables_and_a_migration_of_both_do_not_wait_for_each_other(
    database: str, migration: type[migrations.Migration], statements: tuple[str, str]
) -> None:
    databases.execute(database, "CREATE TABLE link (id integer); CREATE TABLE run (id integer)")
    first, second = statements
    with session(database) as user, session(database) as watcher, ThreadPoolExecutor(1) as pool:
        user.execute(first)
        migrated = pool.submit(migrate, database, migration)
        until_it_waits(watcher, migrated)
        user.execute("SET statement_timeout = '30s'")
        user.execute(second)
        user.connection.commit()
        migrated.result(60)
        watcher.execute("SELECT one FROM link")


def test_what_a_migration_only_writes_to_is_read_meanwhile(database: str) -> None:
    databases.execute(database, "CREATE TABLE link (id integer); CREATE TABLE run (id integer)")
    with session(database) as user, databases.in_place_of_the_tests(database):
        user.execute("SET lock_timeout = '0.2s'")
        user.connection.commit()
        with connection.schema_editor(atomic=True) as editor:
            ReadableRun("one", "app").apply(ProjectState(), editor)
            user.execute(_READ_RUN)
            for statement in (_WRITE_RUN, _READ_LINK):
                with pytest.raises(psycopg2.errors.LockNotAvailable):
                    user.execute(statement)
                user.connection.rollback()


def until_it_waits(watcher: psycopg2.extensions.cursor, migrated: "Future[None]") -> None:
    def waits() -> bool:
        assert not migrated.done(), migrated.result()
        watcher.execute(_WAITING)
        watcher.connection.commit()
        return bool(watcher.fetchone()[0])

    until(waits, timeout_s=60, what="the migration waits for a table")


_OURS = ("catalogue.", "harvester.", "oaiprovider.", "gisc.")  # the modules; labels are shorter


class Locks:
    """Which tables that were there before it each migration of ours locks against those who write."""

    def __init__(self) -> None:
        self.migration = "the table of migrations"
        self.before: set[str] = set()
        self.first: dict[str, object] = {}  # operation
        self.tables: dict[str, set[str]] = defaultdict(set)  # of these the migration has anything locked
        self.whole: dict[str, set[str]] = defaultdict(set)  # and of these also against readers
        self.raised: dict[str, set[str]] = defaultdict(set)  # these against readers only after writers

    def begin(self, migration: migrations.Migration) -> None:
        self.migration = f"{migration.app_label}.{migration.name}"
        if migration.__module__.startswith(_OURS):
            self.first[self.migration] = next(iter(migration.operations), None)
        self.before = set(connection.introspection.table_names())

    def look(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_LOCKED)
            now = {table: whole for table, whole in cursor.fetchall() if table in self.before}
        whole = {table for table in now if now[table]}
        self.raised[self.migration] |= (whole - self.whole[self.migration]) & self.tables[self.migration]
        self.tables[self.migration] |= now.keys()
        self.whole[self.migration] |= whole


@pytest.fixture
def locks(database: str, monkeypatch) -> Locks:
    """The locks of all migrations, looked at before and after each statement of the schema, those at the end included."""
    locks, apply, execute = Locks(), migrations.Migration.apply, DatabaseSchemaEditor.execute

    def apply_and_look(self, project_state, schema_editor, collect_sql=False):
        locks.begin(self)
        state = apply(self, project_state, schema_editor, collect_sql)
        locks.look()
        return state

    def execute_and_look(self, statement, params=()):
        locks.look()
        execute(self, statement, params)
        locks.look()

    monkeypatch.setattr(migrations.Migration, "apply", apply_and_look)
    monkeypatch.setattr(DatabaseSchemaEditor, "execute", execute_and_look)
    with databases.in_place_of_the_tests(database):
        call_command("migrate", verbosity=0)
    assert {name.partition(".")[0] for name in locks.first} >= {
        "catalogue",
        "harvester",
        "oaiprovider",
        "alerts",
        "audit",
    }
    return locks


def test_a_migration_locks_all_that_it_changes_first(locks: Locks) -> None:
    """Those of Django and other packages, which are older than any release of ours, excepted."""
    wrong = {}
    for name, first in locks.first.items():
        tables, whole, raised = locks.tables[name], locks.whole[name], locks.raised[name]
        if len(tables) < 2 and not raised:
            continue
        if not isinstance(first, LockTables) or not (
            tables <= {*first.tables, *first.readable} and whole <= {*first.tables}
        ):
            wrong[name] = tables, whole, raised
    assert wrong == {}
