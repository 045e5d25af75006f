"""Connections that a thread of a worker closes go to the next thread, and only those that are as good as new ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from celery.signals import worker_process_init
from django.db import DatabaseError, connection, connections, transaction
from psycopg2.extensions import ISOLATION_LEVEL_SERIALIZABLE

from gisc.node import worker
from gisc.reused_connections import base
from tests.support.clock import SetClock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def keeping(transactional_db: None) -> Iterator[None]:
    ask()  # what the test itself asks goes on a connection of its own, which was not kept before
    base.idle.keep(2)
    yield
    base.idle.forget()


def in_thread(action: Callable[[], Any]) -> Any:
    """What the action returns in a new thread, which closes its connection as the threads of a run do."""

    def act() -> Any:
        try:
            return action()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(act).result()


def ask(statement: str = "SELECT pg_backend_pid()") -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def end(backend: int) -> None:
    """End a process of the server, and wait until it is gone."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [backend])


def test_a_thread_has_the_connection_that_the_thread_before_has_closed() -> None:
    first = in_thread(ask)
    assert in_thread(ask) == first != ask()


def test_two_threads_at_a_time_have_two() -> None:
    mine, other = in_thread(lambda: (ask(), in_thread(ask)))
    assert mine != other
    assert {in_thread(ask) for _ in range(3)} <= {mine, other}


def test_no_more_are_kept_than_was_said() -> None:
    def deep(levels: int) -> list[int]:
        return [ask(), *(in_thread(lambda: deep(levels - 1)) if levels else [])]

    backends = set(in_thread(lambda: deep(4)))
    assert len(backends) == 5
    again = set(in_thread(lambda: deep(4)))
    assert len(again) == 5 and len(again & backends) == 2


def test_a_connection_that_the_server_has_ended_is_not_given_to_anybody() -> None:
    first = in_thread(ask)
    end(first)
    assert in_thread(ask) not in (None, first)


def test_a_connection_with_an_open_transaction_is_closed() -> None:
    def leave_open() -> Any:
        connection.set_autocommit(False)
        return ask()

    first = in_thread(leave_open)
    assert in_thread(ask) != first
    assert ask(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {first}") == 0


def test_a_connection_that_is_closed_within_a_transaction_is_closed_and_nothing_is_committed() -> None:
    def close_within() -> Any:
        with transaction.atomic():
            backend = ask()
            with connection.cursor() as cursor:
                cursor.execute("CREATE TABLE made_within ()")
            connection.close()
        return backend

    first = in_thread(close_within)
    assert in_thread(ask) != first
    assert ask("SELECT to_regclass('made_within')") is None


def test_a_connection_on_which_a_statement_failed_is_closed() -> None:
    def fail() -> Any:
        backend = ask()
        with pytest.raises(DatabaseError):
            ask("SELECT * FROM no_such_table")
        return backend

    first = in_thread(fail)
    assert in_thread(ask) != first


def test_a_connection_does_not_grow_older_than_it_may_by_being_handed_on(standing_clock: SetClock) -> None:
    first = in_thread(ask)
    for _ in range(3):
        standing_clock.move(25)
        last = in_thread(ask)
    assert last != first


def test_a_child_process_does_not_use_the_connections_of_its_parent() -> None:
    in_thread(ask)
    child = os.fork()
    if not child:
        os._exit(0 if base.idle.take() is None else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert base.idle.take() is not None


def test_a_kept_connection_is_in_the_isolation_that_the_settings_ask_for() -> None:
    def level() -> Any:
        ask()
        return connection.connection.isolation_level, connection.isolation_level

    options = connection.settings_dict["OPTIONS"]
    connection.settings_dict["OPTIONS"] = options | {"isolation_level": ISOLATION_LEVEL_SERIALIZABLE}
    try:
        assert in_thread(level) == in_thread(level) == (ISOLATION_LEVEL_SERIALIZABLE, ISOLATION_LEVEL_SERIALIZABLE)
    finally:
        connection.settings_dict["OPTIONS"] = options


def test_the_processes_of_a_worker_keep_connections() -> None:
    base.idle.forget()
    assert worker._reuse_connections in worker_process_init._live_receivers(None)
    worker._reuse_connections()
    first = in_thread(ask)
    assert in_thread(ask) == first


def test_nothing_is_kept_where_nobody_asked_for_it() -> None:
    base.idle.forget()
    first = in_thread(ask)
    assert in_thread(ask) != first
