"""A database that may forget what it has committed is told to the administrator."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from catalogue import checks
from tests.support.sql import run
from tests.support.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)

SETTINGS = ("fsync", "full_page_writes", "synchronous_commit")


def reload() -> None:
    run("SELECT pg_reload_conf()")


@pytest.fixture
def safe() -> Iterator[None]:
    """The tests' server as a node has it. It runs without these settings, to be fast."""
    for name in SETTINGS:
        run(f"ALTER SYSTEM SET {name} = on")
    reload()
    until(lambda: not checks.disabled_durability(), 30, "the server has read its settings")
    yield
    for name in SETTINGS:
        run(f"ALTER SYSTEM RESET {name}")
    reload()


@contextmanager
def set_off(where: str) -> Iterator[None]:
    """`synchronous_commit` is off for a database or a role, as new connections find it."""
    run(f"ALTER {where} SET synchronous_commit = off")
    connection.close()
    yield
    run(f"ALTER {where} RESET synchronous_commit")
    connection.close()


def checked() -> str:
    out = StringIO()
    call_command("check", "--database", "default", stdout=out, stderr=out)
    return out.getvalue()


def told_by_health() -> object:
    return Client(headers={"host": "localhost"}).get("/health/ready").json()["durable"]


@pytest.mark.usefixtures("safe")
@pytest.mark.parametrize("where", ["DATABASE", "ROLE"])
def test_a_database_or_role_that_commits_asynchronously_is_told(where: str) -> None:
    assert ("catalogue.W001" in checked(), told_by_health()) == (False, True)
    with set_off(f"DATABASE {connection.settings_dict['NAME']}" if where == "DATABASE" else "ROLE current_user"):
        assert "(catalogue.W001) PostgreSQL runs with synchronous_commit = off" in checked()
        assert told_by_health() is False
    assert ("catalogue.W001" in checked(), told_by_health()) == (False, True)


@pytest.mark.usefixtures("safe")
@pytest.mark.parametrize("name", ["fsync", "full_page_writes"])
def test_a_server_that_does_not_force_to_disk_is_told(name: str) -> None:
    run(f"ALTER SYSTEM SET {name} = off")
    reload()
    until(lambda: checks.disabled_durability() == [name], 30, "the server has read its settings")
    assert f"(catalogue.W001) PostgreSQL runs with {name} = off" in checked()
    assert told_by_health() is False


def test_without_a_database_to_check_nothing_is_asked() -> None:
    out = StringIO()
    call_command("check", stdout=out, stderr=out)
    assert "catalogue.W001" not in out.getvalue()
