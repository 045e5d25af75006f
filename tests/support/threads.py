"""Threads with a database connection of their own, and a look at who waits for the clock's lock."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections

TIMEOUT_S = 60


class Threads:
    """Starts functions, each in its thread and with its own connection, which is closed when it returns."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    def start(self, function: Callable[..., Any], *arguments: object) -> "Future[Any]":
        return self._pool.submit(self._run, function, arguments)

    @staticmethod
    def _run(function: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
        try:
            return function(*arguments)
        finally:
            connections.close_all()


@contextmanager
def threads(number: int) -> Iterator[Threads]:
    with ThreadPoolExecutor(number) as pool:
        yield Threads(pool)


def waiting_for_the_clock() -> int:
    """How many connections of this database wait for an advisory lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        )
        return cursor.fetchone()[0]
