"""Run statements of SQL on the database of the tests."""

from django.db import connection


def run(sql: str, *values: object) -> list[tuple]:
    """Run a statement and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return cursor.fetchall() if cursor.description else []
