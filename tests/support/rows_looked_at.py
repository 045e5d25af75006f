"""Count the rows that statements look at, as EXPLAIN ANALYZE tells: a cost that no other load on the machine changes."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import connection, transaction

_EXPLAINED = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")
_LOOKED_AT = (
    "Actual Rows",
    "Rows Removed by Filter",
    "Rows Removed by Join Filter",
    "Rows Removed by Index Recheck",
)


class Done(NamedTuple):
    """A statement that was run, and how many rows it looks at."""

    statement: str
    values: Any
    looked_at: int


def rows_looked_at(statement: str, values: Any = None, *, table: str = "") -> int:
    """Run the statement, undo it, and return how many rows all steps of its plan look at; or those that read `table`."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}", values)
        ((plans,),) = cursor.fetchall()
        transaction.set_rollback(True)
    found = plans if isinstance(plans, list) else json.loads(plans)
    waiting, number = [found[0]["Plan"]], 0
    while waiting:
        step = waiting.pop()
        waiting += step.get("Plans", [])
        if not table or step.get("Relation Name") == table:
            number += round(sum(step.get(name, 0) for name in _LOOKED_AT) * step["Actual Loops"])
    return number


@contextmanager
def statements(*, on: str = "", table: str = "") -> Iterator[list[Done]]:
    """Note the statements of the block, or those that have the text `on`, with the rows that they look at."""
    done: list[Done] = []

    def execute(run: Callable[..., Any], statement: str, values: Any, many: bool, context: Any) -> Any:
        if on in statement and statement.lstrip().startswith(_EXPLAINED):
            done.append(Done(statement, values, rows_looked_at(statement, values, table=table)))
        return run(statement, values, many, context)

    with connection.execute_wrapper(execute):
        yield done


def take_tables_for_empty() -> None:
    """Make PostgreSQL believe that all tables of the catalogue are empty, as where it looked at them before they were filled."""
    _write_statistics("reltuples = 0, relpages = 1")


def take_tables_for_unknown() -> None:
    """Make PostgreSQL know nothing of the tables of the catalogue but how large their files are, as where they are new."""
    _write_statistics("reltuples = -1, relpages = 0")


def _write_statistics(values: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE pg_class SET {values} WHERE relname LIKE 'catalogue\\_%' AND relkind IN ('r', 'i')")
