"""Run statements of SQL on the database of the tests, or on another one."""

import psycopg2
from django.db import connection


def run(sql: str, *values: object) -> list[tuple]:
    """Run a statement and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return cursor.fetchall() if cursor.description else []


def run_at(statement: str, **where: object) -> list[tuple]:
    """Run a statement on another database, in a transaction of its own, and return its rows. `where`: what libpq wants."""
    session = psycopg2.connect(connect_timeout=10, **where)  # type: ignore[call-overload]
    session.autocommit = True
    try:
        with session.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []
    finally:
        session.close()
