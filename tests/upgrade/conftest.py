"""Databases that this version has made or migrated, for all tests of this folder: each is made once, as migrating takes seconds."""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from django.core.management import call_command
from django.test import override_settings

from tests.support import databases
from tests.upgrade import dumps
from tests.upgrade.make_fixture import DATA, SECRET_KEY


@pytest.fixture(scope="session")
def migrated(
    django_db_setup: None, django_db_blocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., str]]:
    """A function that returns the name of a database to copy (`databases.scratch`); nothing may write to it.

    It takes a released version, whose database it is, or "" for an empty one; and an app and its migration, if it is to be migrated
    up to that one alone.
    """
    with ExitStack() as stack:

        @functools.cache
        def make(version: str, *target: str) -> str:
            journal = tmp_path_factory.mktemp("journal")
            # The key that sealed a password and cookies there.
            with django_db_blocker.unblock(), override_settings(SECRET_KEY=SECRET_KEY, GISC_JOURNAL_DIR=journal):
                name = stack.enter_context(databases.scratch())
                if version:
                    dumps.load(name, DATA / version / "database.sql")
                with databases.in_place_of_the_tests(name):
                    call_command("migrate", *target, verbosity=0)
            assert not list(journal.iterdir()), "a migration has written to the journal, which is not copied"
            return name

        yield make
        with django_db_blocker.unblock():
            stack.close()
