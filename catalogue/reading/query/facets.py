"""What hits are distributed over: counted where they are few, else estimated from a sample of the catalogue."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.db import connection

from catalogue.reading.query.search_limits import LIMITS
from catalogue.reading.query.statements import FROM, Sql, array_of
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

    `found`: the condition on the description, and what needs the record as well.
    """

    def __init__(self, found: tuple[Sql, Sql], audiences: Sequence[int]) -> None:
        self._found, self._audiences = found, list(audiences)

    @property
    def is_all(self) -> bool:
        """Whether the catalogue is so small that the sample is all of it: what it tells is exact then."""
        return self._percent >= 100

    def hits(self) -> int:
        """Return how many hits the catalogue has."""
        return self._of_catalogue(len(self._rows))

    def count(self, names: Sequence[str]) -> dict[str, Counts]:
        """Return what the hits of the catalogue are distributed over, by the names of facets; estimates have two digits."""
        return {name: self._count(list(FACETS).index(name)) for name in names}

    def _count(self, column: int) -> Counts:
        found: Counter[str] = Counter()
        for row in self._rows:
            found.update(row[column] if isinstance(row[column], list) else [row[column]])
        return {
            value: number if self.is_all else two_digits(self._of_catalogue(number))
            for value, number in found.items()
            if value
        }

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
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM catalogue_description TABLESAMPLE {self._method}")
            (size,) = cursor.fetchone()
        return max(int(size), 1)

    @property
    def _method(self) -> str:
        return f"SYSTEM ({self._percent}) REPEATABLE (1)"

    @cached_property
    def _rows(self) -> list[tuple[Any, ...]]:
        """The columns of FACETS of the hits."""
        columns = ", ".join(facet.column for facet in FACETS.values())
        narrow, rest = self._found
        with connection.cursor() as cursor:
            cursor.execute(
                # A step of its own: without statistics, PostgreSQL would look into each description for each record.
                f"WITH d AS MATERIALIZED (SELECT d.* FROM catalogue_description d TABLESAMPLE {self._method}"
                f" WHERE {narrow.text})"
                f" SELECT {columns} FROM d JOIN catalogue_record r ON r.id = d.record_id"
                f" WHERE r.audience = ANY(%s) AND ({rest.text})",
                [*narrow.values, self._audiences, *rest.values],
            )
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def count(names: Sequence[str], keys: list[int]) -> dict[str, Counts]:
    """Return what these records are distributed over, by the names of facets. Each record is read once for all of them."""
    found: dict[str, Counter[str]] = {name: Counter() for name in names}
    if not names:
        return {}
    asked = [FACETS[name] for name in names]
    source = FROM if any(facet.column.startswith("r.") for facet in asked) else "catalogue_description d"
    columns = ", ".join(f"{facet.column} AS f{place}" for place, facet in enumerate(asked))
    parts = (
        f"SELECT {place}, value, count(*) FROM (SELECT {facet._replace(column=f'f{place}').rows} FROM hits) AS each (value)"
        " WHERE value <> '' GROUP BY value"
        for place, facet in enumerate(asked)
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH hits AS MATERIALIZED (SELECT {columns} FROM {source} WHERE d.record_id = ANY(%s::bigint[])) {' UNION ALL '.join(parts)}",
            [array_of(keys)],
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
