"""A condition as SQL, and the statements on descriptions that run it.

A statement that uses it joins catalogue_description d and catalogue_record r (`FROM`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any as AnyValue

from django.db import connection

from catalogue.limits import Replaceable

_KEYS_AT_ONCE = 60  # chosen: the index takes a time for each hit that grows with the keys of one condition


@dataclass(frozen=True, slots=True)
class LookupLimits:
    """How much one word or phrase may make the database look up. All are chosen."""

    begun: int = 500  # words of the vocabulary that one beginning stands for; more are a beginning that says nothing
    identifiers: int = 1000  # with one beginning
    compared: int = 5000  # records whose texts are read for one phrase, about 0.4 s
    languages: int = 2000  # ways to write one; more are written to do harm
    read_again: int = 300  # records whose metadata are read again for one word, about 0.4 s


LIMITS = Replaceable(LookupLimits())


class QueryTooCostly(Exception):
    """A search would cost too much: `str` says how to ask for less."""


@dataclass(frozen=True, slots=True)
class Sql:
    """A condition as SQL with its values. `is_indexed`: an index finds the rows."""

    text: str
    values: tuple[AnyValue, ...] = ()
    is_indexed: bool = False

    @property
    def needs_record(self) -> bool:
        """Whether it looks into the row of the record as well."""
        return _OF_RECORD.search(self.text) is not None


_OF_RECORD = re.compile(r"\br\.")


def all_of(*parts: Sql) -> Sql:
    """Return what all of these are true of."""
    return join(" AND ", parts, "true", is_indexed=any(part.is_indexed for part in parts))


def none_of(found: Sql) -> Sql:
    """Return what a condition is not true of."""
    return Sql("true") if found.text == "false" else Sql(f"({found.text}) IS NOT TRUE", found.values)


def join(operator: str, parts: Sequence[Sql], if_none: str, *, is_indexed: bool) -> Sql:
    """Join conditions by ` AND ` or ` OR `; those that say nothing are left out. `if_none`: what is true of none.

    Where one of all is false, no statement need be run to find that out.
    """
    if operator == " AND " and any(part.text == "false" for part in parts):
        return Sql("false", is_indexed=True)
    parts = [part for part in parts if part.text != ("true" if operator == " AND " else "false")]
    if not parts:
        return Sql(if_none, is_indexed=is_indexed)
    if len(parts) == 1:
        return replace(parts[0], is_indexed=is_indexed)
    text = operator.join(f"({part.text})" for part in parts)
    return Sql(text, tuple(value for part in parts for value in part.values), is_indexed)


ALL_RECORDS = Sql("true")
Separated = tuple[Sql, Sql]  # a condition in two parts: on the description alone, and what needs the record as well


def separated(*parts: Sql) -> Separated:
    """Return what all of these are true of, in two parts."""
    return (
        all_of(*(part for part in parts if not part.needs_record)),
        all_of(*(part for part in parts if part.needs_record)),
    )


def has_term(terms: Sequence[int]) -> Sql:
    """Find the records that have at least one of these terms. Where no index is read, those that come first are found soonest."""
    parts = [
        # PostgreSQL looks for each element of the first array in the second, until one is there.
        Sql("%s && d.terms", (list(terms[start : start + _KEYS_AT_ONCE]),))
        for start in range(0, len(terms), _KEYS_AT_ONCE)
    ]
    return join(" OR ", parts, "false", is_indexed=True)


def keys_among(keys: Sequence[int]) -> Sql:
    """Find the records with these ids."""
    return Sql("d.record_id = ANY(%s)", (list(keys),), is_indexed=True)


def is_of_terms(found: Sql) -> bool:
    """Whether a condition looks into nothing but terms and ids, so that the indexes alone tell what it finds."""
    return _OTHER_COLUMN.search(found.text) is None


_OTHER_COLUMN = re.compile(r"\b[dr]\.(?!terms\b|record_id\b)")


# --- Statements -----------------------------------------------------------------------------------------

FROM = "catalogue_description d JOIN catalogue_record r ON r.id = d.record_id"


def column_of(statement: str, values: Sequence[AnyValue]) -> list[AnyValue]:
    """Return the first column of what a statement finds."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [row[0] for row in cursor.fetchall()]


def read(columns: str, keys: Sequence[int]) -> list[tuple[AnyValue, ...]]:
    """Read columns of these records."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {FROM} WHERE d.record_id = ANY(%s)", [list(keys)])
        rows: list[tuple[AnyValue, ...]] = cursor.fetchall()
    return rows


@contextmanager
def database_settings(**values: str) -> Iterator[None]:
    """Give settings of the database other values within the block, which is in a transaction; then those that they had."""
    change = ", ".join(["set_config(%s, %s, true)"] * len(values))
    before = ", ".join(["current_setting(%s)"] * len(values))
    with connection.cursor() as cursor:
        # PostgreSQL computes the columns of a row from left to right.
        cursor.execute(f"SELECT {before}, {change}", [*values, *_pairs(values, values.values())])
        former = cursor.fetchone()[: len(values)]
        yield  # after an error the transaction or its savepoint is rolled back, and with it the values
        cursor.execute(f"SELECT {change}", _pairs(values, former))


def _pairs(names: Iterable[str], values: Iterable[str]) -> list[str]:
    return [text for pair in zip(names, values, strict=True) for text in pair]


def by_index_alone() -> AbstractContextManager[None]:
    """Let PostgreSQL read by index within the block: it takes a comparison of arrays for cheap, and would rather look into each row."""
    return database_settings(enable_seqscan="off", enable_indexscan="off")


def by_index(found: Sql, most: int) -> list[int]:
    """Return the ids of at most so many records that a condition on descriptions finds, in no order. Only in a transaction."""
    with by_index_alone():
        return _ids(found, most)


def count_by_index(found: Sql, most: int) -> int:
    """Return how many records `by_index` finds, at most so many. Only in a transaction."""
    with by_index_alone():
        (number,) = column_of(
            f"SELECT count(*) FROM (SELECT FROM catalogue_description d WHERE {found.text} LIMIT %s) AS found",
            [*found.values, most],
        )
    return int(number)


def count_by_index_with_some(found: Sql, most: int, step: int) -> tuple[int, list[int]]:
    """Return the same as `count_by_index`, and the ids of about one of so many of them, the same each time."""
    with by_index_alone(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), array_agg(record_id) FILTER (WHERE hashint8(record_id) %% %s = 0)"
            f" FROM (SELECT d.record_id FROM catalogue_description d WHERE {found.text} LIMIT %s) AS found",
            [step, *found.values, most],
        )
        number, some = cursor.fetchone()
    return int(number), some or []


def by_index_each(first: Sql, others: Iterable[Sql], most: int) -> tuple[list[int], list[list[int]]] | None:
    """Return what `by_index` does of each of these conditions, of which the first finds most; None if it finds more than so many.

    The settings of the database are changed once for all of them.
    """
    with by_index_alone():
        keys = _ids(first, most + 1)
        return None if len(keys) > most else (keys, [_ids(found, most) for found in others])


def _ids(found: Sql, most: int) -> list[int]:
    return column_of(
        f"SELECT d.record_id FROM catalogue_description d WHERE {found.text} LIMIT %s", [*found.values, most]
    )


def by_index_with(column: Sql, found: Sql, most: int) -> list[tuple[int, AnyValue]]:
    """Return the ids of records as `by_index` does, each with the value of a column of its description."""
    with by_index_alone(), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT d.record_id, {column.text} FROM catalogue_description d WHERE {found.text} LIMIT %s",
            [*column.values, *found.values, most],
        )
        rows: list[tuple[int, AnyValue]] = cursor.fetchall()
    return rows


def array_of(numbers: Iterable[int]) -> str:
    """Return numbers as the text of an array, for `%s::bigint[]`: of an array of thousands, PostgreSQL would parse each as an expression."""
    return f"{{{','.join(map(str, numbers))}}}"


def estimate(found: Sql) -> float:
    """Return how many descriptions PostgreSQL expects that a condition finds: its statistics know the common terms."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"EXPLAIN (FORMAT JSON) SELECT d.record_id FROM catalogue_description d WHERE {found.text}", found.values
        )
        ((plans,),) = cursor.fetchall()
    return float(plans[0]["Plan"]["Plan Rows"])
