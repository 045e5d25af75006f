"""One migration an app stands for those of the versions before 0.9.0: their databases go on, or are refused.

`tests/data/before-0.9.0.sql` is what pg_dump wrote of a database that the old migrations had made: the whole schema, and
the rows that say which migrations were applied.
"""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from gisc import database
from tests.support import databases
from tests.support.nodes import refused
from tests.upgrade import dumps
from tests.upgrade.make_fixture import DATA

BEFORE = DATA / "before-0.9.0.sql"
APPS = ("catalogue", "oaiprovider", "harvester")
WHAT_TO_DO = "install the last version before 0.9.0, run its manage.py migrate, then install this version again"


@pytest.fixture
def old(django_db_setup: None, django_db_blocker) -> Iterator[str]:
    """A database of the versions before 0.9.0."""
    with django_db_blocker.unblock(), databases.scratch() as name:
        dumps.load(name, BEFORE)
        yield name


@pytest.fixture
def new(migrated, django_db_blocker) -> Iterator[str]:
    """A database that this version has made."""
    with django_db_blocker.unblock(), databases.scratch(migrated("")) as name:
        yield name


def schema(name: str) -> list[str]:
    return dumps.dump(databases.url(name), "--schema-only").splitlines()


def schema_after_a_reload(name: str) -> list[str]:
    """The schema as PostgreSQL writes it of a database that was loaded from a dump: casts stand elsewhere."""
    with databases.scratch() as copy:
        databases.execute(copy, dumps.dump(databases.url(name), "--schema-only"))
        return schema(copy)


def recorded(name: str) -> set[tuple[str, str]]:
    with databases.in_place_of_the_tests(name):
        return {key for key in MigrationRecorder(connection).applied_migrations() if key[0] in APPS}


def test_a_database_of_before_goes_on_and_equals_one_made_from_scratch(old: str, new: str) -> None:
    answer = dumps.command(old, "migrate", "-v0")
    assert answer.returncode == 0, answer.stderr

    assert schema_after_a_reload(old) == schema_after_a_reload(new)
    assert recorded(old) == recorded(new)
    assert {(app, "0001_initial") for app in APPS} <= recorded(old)


def test_each_command_that_needs_the_tables_says_that_migrate_is_to_be_run_first(old: str) -> None:
    """Nothing is lacking but a row in django_migrations; without it a later version would make all tables again."""
    sentence = refused(dumps.command(old, "createsuperuser", "--noinput"))
    assert "lacks migrations of this version; run: manage.py migrate" in sentence


def test_a_node_with_an_embedded_database_records_that_by_itself(old: str) -> None:
    with databases.in_place_of_the_tests(old):
        assert "oaiprovider.0001_initial" in database.unapplied()
        database.prepare()
        assert database.unapplied() == []


@pytest.mark.parametrize(
    ("app", "missing", "first"),
    [
        ("catalogue", "'0007_ledger'", "catalogue.0007_ledger"),
        ("harvester", "'0016_conflicts_and_sets', '0017_holding'", "harvester.0016_conflicts_and_sets"),
        ("oaiprovider", "'0002_crosswalk'", "oaiprovider.0002_crosswalk"),
    ],
)
def test_a_database_that_stopped_between_two_old_migrations_is_refused_with_a_sentence(
    old: str, app: str, missing: str, first: str
) -> None:
    databases.execute(old, f"DELETE FROM public.django_migrations WHERE app = '{app}' AND name IN ({missing})")
    sentence = refused(dumps.command(old, "migrate"))
    assert sentence.endswith(f"by a version before 0.9.0 that had not applied {first}; {WHAT_TO_DO}")


def test_one_that_had_applied_the_first_old_migration_alone_is_refused_by_other_commands_too(old: str) -> None:
    """The first of an app had the name that the one for all of them has now."""
    databases.execute(old, "DELETE FROM public.django_migrations WHERE app = 'harvester' AND name <> '0001_initial'")
    for command in ("showmigrations", "createsuperuser"):
        assert WHAT_TO_DO in refused(dumps.command(old, command))


def test_a_node_on_a_database_that_is_refused_is_not_ready(old: str) -> None:
    databases.execute(old, "DELETE FROM public.django_migrations WHERE name = '0017_holding'")
    with databases.in_place_of_the_tests(old):
        answer = Client().get("/health/ready")
    assert (answer.status_code, answer.json()["database"]) == (503, "not migrated")


def test_all_migrations_go_back_to_nothing_and_forth_again(new: str) -> None:
    before = schema(new)
    with databases.in_place_of_the_tests(new):
        for app in reversed(APPS):
            call_command("migrate", app, "zero", verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
                " UNION SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            )
            left = {name for (name,) in cursor.fetchall()}
        assert not any(name.startswith(APPS) for name in left), left
        call_command("migrate", verbosity=0)
    assert schema(new) == before
