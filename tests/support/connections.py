"""Connections of the database that end, as when it is restarted."""

import psycopg2
from django.db import connection

from tests.support.waiting import until


def cut(backend: int) -> None:
    """End one connection of the database, as its restart does."""
    parameters = {name: value for name, value in connection.get_connection_params().items() if name != "cursor_factory"}
    other = psycopg2.connect(**parameters)
    other.autocommit = True  # else it would see the same activity for ever
    try:
        with other.cursor() as cursor:

            def gone() -> bool:
                cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s", [backend])
                return cursor.fetchone() is None

            until(gone, timeout_s=10, what="the connection has ended")
    finally:
        other.close()


def backend() -> int:
    connection.ensure_connection()
    return int(connection.connection.info.backend_pid)
