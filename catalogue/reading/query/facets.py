"""What hits are distributed over: counted where they are few, else estimated from a sample of the catalogue."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.db import connection

from catalogue.reading.query.search_limits import LIMITS
from catalogue.reading.query.statements import FROM, Sql, all_of, array_of, column_of
from catalogue.reading.stats import size_of


class Facet(NamedTuple):
    """What a facet counts, as SQL of one row: a text or, where a record has several values, an array of texts."""

    column: str
    is_array: bool = False

    @property
    def rows(self) -> str:
        """The SQL of one row for each value."""
        return f"unnest({self.column})" if self.is_array else self.column


FACETS = {
    "type": Facet("d.kind"),
    "language": Facet("d.language"),
    "policy": Facet("d.policy"),
    "centre": Facet("coalesce(d.organisations[1], '')"),
    "organisation": Facet("d.organisations", is_array=True),
    "keyword": Facet("d.keywords", is_array=True),
    "category": Facet("d.categories", is_array=True),
    "set": Facet("r.set_specs", is_array=True),
}
# Of the description, those that FACETS name.
_COLUMNS = ", ".join(sorted({"d.record_id", *re.findall(r"\bd\.\w+", str([each.column for each in FACETS.values()]))}))
Counts = Mapping[str, int]  # records by value


@dataclass(frozen=True, slots=True)
class Facets:
    """By the name of a facet its values with their numbers of hits, the largest first. Not exact: estimates, as in `Count`.

    `counted_at`: when; None: now.
    """

    values: dict[str, list[tuple[str, int]]]
    is_exact: bool = True
    counted_at: datetime | None = None


class Sample:
    """The hits among some records of the catalogue, which are the same for each search. Of a small catalogue, they are all.

    `found`: the condition on the description, and what needs the record as well. `audiences`: who may see a hit; None: all.
    """

    def __init__(self, found: tuple[Sql, Sql], audiences: Sequence[int] | None) -> None:
        self._found = found
        self._audience = Sql("true") if audiences is None else Sql("r.audience = ANY(%s)", (list(audiences),))

    @property
    def is_all(self) -> bool:
        """Whether the catalogue is so small that the sample is all of it: what it tells is exact then."""
        return self._percent >= 100

    @cached_property
    def hits(self) -> int:
        """How many hits the catalogue has."""
        narrow, _rest = self._found
        if self._of_record.text == "true":
            source = f"catalogue_description d TABLESAMPLE {self._method} WHERE {narrow.text}"
            (number,) = column_of(f"SELECT count(*) FROM {source}", narrow.values)
        else:
            statement = f"{self._described('d.record_id')} SELECT count(*) FROM {self._matching}"
            (number,) = column_of(statement, self._values)
        return self._of_catalogue(number)

    def count(self, names: Sequence[str]) -> dict[str, Counts]:
        """Return what the hits of the catalogue are distributed over, by the names of facets; estimates have two digits."""
        of_sample = _count(names, self._described(_COLUMNS), self._matching, self._values)
        return {
            name: {value: self._as_shown(number) for value, number in counts.items()}
            for name, counts in of_sample.items()
        }

    def _as_shown(self, number: int) -> int:
        return number if self.is_all else two_digits(self._of_catalogue(number))

    def _of_catalogue(self, number: int) -> int:
        return number if self.is_all else round(number / self._size * self._live)

    @cached_property
    def _live(self) -> int:
        return size_of().live

    @cached_property
    def _percent(self) -> float:
        return min(100.0, 100 * LIMITS.in_force.sample / max(self._live, 1))

    @cached_property
    def _size(self) -> int:
        """How many records the sample has."""
        (size,) = column_of(f"SELECT count(*) FROM catalogue_description TABLESAMPLE {self._method}", [])
        return max(int(size), 1)

    @property
    def _method(self) -> str:
        return f"SYSTEM ({self._percent}) REPEATABLE (1)"

    def _described(self, columns: str) -> str:
        """The begin of a statement: descriptions `d` of the sample that match, with so many columns as `_matching` or facets need.

        A step of its own: without statistics, PostgreSQL would look into each description for each record.
        """
        narrow, rest = self._found
        columns = "d.*" if "d." in rest.text else columns
        return (
            f"WITH d AS MATERIALIZED (SELECT {columns} FROM catalogue_description d TABLESAMPLE {self._method}"
            f" WHERE {narrow.text})"
        )

    @property
    def _of_record(self) -> Sql:
        return all_of(self._audience, self._found[1])

    @property
    def _matching(self) -> str:
        """What follows FROM: those that match the rest as well, and that may be seen."""
        return f"d JOIN catalogue_record r ON r.id = d.record_id WHERE {self._of_record.text}"

    @property
    def _values(self) -> list[Any]:
        return [*self._found[0].values, *self._of_record.values]


def count(names: Sequence[str], keys: list[int]) -> dict[str, Counts]:
    """Return what these records are distributed over, by the names of facets. Each record is read once for all of them."""
    of_record = any(FACETS[name].column.startswith("r.") for name in names)
    source = FROM if of_record else "catalogue_description d"
    return _count(names, "WITH", f"{source} WHERE d.record_id = ANY(%s::bigint[])", [array_of(keys)])


def _count(names: Sequence[str], begin: str, source: str, values: Sequence[Any]) -> dict[str, Counts]:
    """Count the values of facets in the rows of `source`; `begin`: of the statement, WITH or its first steps."""
    found: dict[str, dict[str, int]] = {name: {} for name in names}
    if not names:
        return {}
    asked = [FACETS[name] for name in names]
    columns = ", ".join(f"{facet.column} AS f{place}" for place, facet in enumerate(asked))
    parts = (
        f"SELECT {place}, value, count(*) FROM (SELECT {facet._replace(column=f'f{place}').rows} FROM hits) AS each (value)"
        " WHERE value <> '' GROUP BY value"
        for place, facet in enumerate(asked)
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"{begin}{' ' if begin == 'WITH' else ', '}hits AS MATERIALIZED (SELECT {columns} FROM {source})"
            f" {' UNION ALL '.join(parts)}",
            values,
        )
        for place, value, number in cursor.fetchall():
            found[names[place]][value] = number
    return dict(found)


def largest(counts: Counts, most: int, among: Collection[str] | None) -> list[tuple[str, int]]:
    """Return so many values with the largest numbers; `among`: those that may be told, None: all."""
    kept = [pair for pair in counts.items() if among is None or pair[0] in among]
    return sorted(kept, key=lambda pair: (-pair[1], pair[0]))[:most]


def two_digits(number: int) -> int:
    """Return an estimate as it is shown."""
    if number < 100:
        return number
    step: int = 10 ** (len(str(number)) - 2)
    return round(number / step) * step
