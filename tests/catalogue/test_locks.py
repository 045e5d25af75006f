"""The register of advisory locks: numbers that never change, and no lock beside it."""

import re

import pytest
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError

from catalogue import locks
from tests.support.paths import ROOT
from tests.support.threads import TIMEOUT_S, threads

APPS = ("catalogue", "harvester", "oaiprovider", "gisc")
ADVISORY = re.compile(r"\bpg_(?:try_)?advisory_\w*")


def test_the_numbers_are_those_that_other_versions_of_the_node_know() -> None:
    assert {lock.name: lock.number for lock in locks.ALL} == {
        "datestamp clock": 1195987779,
        "validation": 1195987798,
        "dictionary training": 1145652052,
        "run claims": 7451613929420451443,
        "database preparation": 1632854833,
        "backup": 306172871490,
        "alerts": 1195987777,
        "uploads": 1195987797,
        "watched folder": 1195987799,
    }


def test_every_lock_of_the_module_is_in_the_register_once() -> None:
    defined = {value for value in vars(locks).values() if isinstance(value, locks.AdvisoryLock)}
    assert set(locks.ALL) == defined
    assert len({lock.number for lock in locks.ALL}) == len(locks.ALL) == len({lock.name for lock in locks.ALL})


def test_no_other_python_code_takes_an_advisory_lock() -> None:
    sources = [file for app in APPS for file in (ROOT / app).rglob("*.py")]
    taking = {str(file.relative_to(ROOT)) for file in sources if ADVISORY.search(file.read_text(encoding="utf-8"))}
    assert taking == {"catalogue/locks.py"}


def test_the_sql_functions_take_the_locks_of_the_register() -> None:
    """In SQL the number is written out, and the name of the function says the level."""
    calls = re.compile(r"\bpg_(?:try_)?advisory_(xact_)?lock(?:_shared)?\((\d+)\)")
    for file in (file for app in APPS for file in (ROOT / app).rglob("*.sql")):
        text = file.read_text(encoding="utf-8")
        found = [(int(number), bool(xact)) for xact, number in calls.findall(text)]
        assert len(found) == len(ADVISORY.findall(text)), f"{file} takes a lock in a way that this test does not see"
        assert set(found) <= {(lock.number, lock.level is locks.Level.TRANSACTION) for lock in locks.ALL}, file


@pytest.mark.django_db(transaction=True)
def test_a_lock_of_a_transaction_is_given_up_when_that_ends() -> None:
    def try_it() -> bool:
        with transaction.atomic():
            return locks.try_lock_transaction(locks.DICTIONARY_TRAINING)

    with threads(1) as running:
        with transaction.atomic():
            locks.lock_transaction(locks.DICTIONARY_TRAINING)
            assert not running.start(try_it).result(TIMEOUT_S)
        assert running.start(try_it).result(TIMEOUT_S)


@pytest.mark.django_db(transaction=True)
def test_outside_of_a_transaction_its_lock_is_refused() -> None:
    for function in (locks.lock_transaction, locks.try_lock_transaction):
        with pytest.raises(TransactionManagementError, match="run claims"):
            function(locks.RUN_CLAIMS)


@pytest.mark.django_db(transaction=True)
def test_a_lock_of_a_session_is_given_up_at_the_end_of_the_block_whatever_happens_there() -> None:
    def try_it() -> bool:
        with locks.session_lock(locks.VALIDATION, wait=False) as taken:
            return taken

    def fail() -> None:
        with locks.session_lock(locks.VALIDATION) as taken:
            assert taken
            assert not running.start(try_it).result(TIMEOUT_S)
            raise ZeroDivisionError

    with threads(1) as running:
        with pytest.raises(ZeroDivisionError):
            fail()
        assert running.start(try_it).result(TIMEOUT_S)


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_breaks_under_a_lock_hides_no_error() -> None:
    """The lock went with the connection; what broke it is what the caller is to see."""

    def lose_it() -> None:
        with locks.session_lock(locks.VALIDATION):
            connection.connection.close()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        lose_it()
    connection.close()
