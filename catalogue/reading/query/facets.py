"""What hits are distributed over: counted where they are few, else estimated from a sample of the catalogue."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from django.db import connection

from catalogue.documents.languages import language_code, shortest_name
from catalogue.reading.query.search_limits import LIMITS
from catalogue.reading.query.statements import FROM, Separated, Sql, all_of, array_of, by_index_alone, column_of


class Facet(NamedTuple):
    """What a facet counts, as SQL of one row: a text or, where a record has several values, an array of texts.

    `value_of`: the value of the facet for a text, where several texts mean one value.
    """

    column: str
    is_array: bool = False
    value_of: Callable[[str], str] | None = None

    @property
    def rows(self) -> str:
        """The SQL of one row for each value."""
        return f"unnest({self.column})" if self.is_array else self.column


FACETS = {
    "type": Facet("d.kind"),
    "language": Facet("d.language"),  # as records write it
    "language_code": Facet("d.language", value_of=language_code),
    "language_tag": Facet("d.language", value_of=shortest_name),
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

    `found`: the condition on the description, and what needs the record as well. `audiences`: who may see a hit; None: all.
    `live`: how many records the catalogue has. `likely`: how many hits; None: not known before.
    """

    def __init__(self, found: Separated, audiences: Sequence[int] | None, *, live: int, likely: float | None) -> None:
        self._found, self._live, self._likely = found, live, likely
        self._audience = Sql("true") if audiences is None else Sql("r.audience = ANY(%s)", (list(audiences),))

    @property
    def is_all(self) -> bool:
        """Whether the catalogue is so small that the sample is all of it: what it tells is exact then."""
        return self._live <= LIMITS.in_force.sample

    @cached_property
    def hits(self) -> int:
        """How many hits the catalogue has."""
        return self._of_catalogue(len(self._keys))

    def count(self, names: Sequence[str]) -> dict[str, Counts]:
        """Return what the hits of the catalogue are distributed over, by the names of facets; estimates have two digits."""
        if self.is_all:
            return count(names, self._keys)
        return estimate(names, self._keys, self._live / self._size)

    @cached_property
    def _keys(self) -> list[int]:
        """The ids of the hits in the sample.

        The descriptions are a step of their own: without statistics, PostgreSQL would look into each of them for each record.
        """
        narrow, rest = self._found
        of_record = all_of(self._audience, rest)
        source = f"catalogue_description d TABLESAMPLE {self._method} WHERE {narrow.text}"
        if of_record.text == "true":
            return column_of(f"SELECT d.record_id FROM {source}", narrow.values)
        columns = "d.*" if "d." in of_record.text else "d.record_id"
        return column_of(
            f"WITH d AS MATERIALIZED (SELECT {columns} FROM {source})"
            f" SELECT d.record_id FROM d JOIN catalogue_record r ON r.id = d.record_id WHERE {of_record.text}",
            [*narrow.values, *of_record.values],
        )

    def _of_catalogue(self, number: int) -> int:
        return number if self.is_all else round(number / self._size * self._live)

    @property
    def _percent(self) -> float:
        if self.is_all:
            return 100
        limits = LIMITS.in_force
        # Of a common word, fewer records have as many hits as facets are estimated from.
        enough = limits.of_hits * self._live / self._likely if self._likely else limits.sample
        return 100 * min(limits.sample, enough) / self._live

    @cached_property
    def _size(self) -> int:
        """How many records the sample has."""
        (size,) = column_of(f"SELECT count(*) FROM catalogue_description TABLESAMPLE {self._method}", [])
        return max(int(size), 1)

    @property
    def _method(self) -> str:
        return f"SYSTEM ({self._percent}) REPEATABLE (1)"


def estimate(names: Sequence[str], keys: Collection[int], scale: float = 1) -> dict[str, Counts]:
    """Return an estimate, of two digits, of what these records are distributed over, each of which stands for so many: of some of them."""
    step = -(-len(keys) // LIMITS.in_force.of_hits) or 1
    return _scaled(count(names, sorted(keys)[::step]), step * scale)


def estimate_of(names: Sequence[str], number: int, some: Collection[int]) -> dict[str, Counts]:
    """Return an estimate of what so many records are distributed over, from some of them, all of which are counted."""
    return _scaled(count(names, sorted(some)), number / max(len(some), 1))


def _scaled(counted: Mapping[str, Counts], scale: float) -> dict[str, Counts]:
    return {
        name: {value: two_digits(round(number * scale)) for value, number in counts.items()}
        for name, counts in counted.items()
    }


def count_found(names: Sequence[str], found: Sql, most: int) -> tuple[int, dict[str, Counts]]:
    """Return how many records an index finds, at most so many, and what they are distributed over. Only in a transaction."""
    with by_index_alone():
        return _count(names, Sql(f"{found.text} LIMIT %s", (*found.values, most)))


def count(names: Sequence[str], keys: Iterable[int]) -> dict[str, Counts]:
    """Return what these records are distributed over, by the names of facets. Each record is read once for all of them."""
    _number, counts = _count(names, Sql("d.record_id = ANY(%s::bigint[])", (array_of(keys),)))
    return counts


def _count(names: Sequence[str], found: Sql) -> tuple[int, dict[str, Counts]]:
    asked = [FACETS[name] for name in names]
    counts: dict[str, dict[str, int]] = {name: {} for name in names}
    number = 0
    with connection.cursor() as cursor:
        cursor.execute(_counting(asked, found.text), found.values)
        for place, value, records in cursor.fetchall():
            if place == _ALL:
                number = records
            else:
                value_of = asked[place].value_of
                value = value_of(value) if value_of else value
                counts[names[place]][value] = counts[names[place]].get(value, 0) + records
    return number, dict(counts)


_ALL = -1  # instead of the place of a facet: all records


def _counting(asked: Sequence[Facet], found: str) -> str:
    """Return the statement that counts the values of facets: their places, the values, the numbers of records.

    Records that are alike in all facets of one value are counted once for these, and those that have the same values of another
    facet once for it. Where rows are of one group, the columns of the others are NULL. Each record is read once.
    """
    source = FROM if any(facet.column.startswith("r.") for facet in asked) else "catalogue_description d"
    columns = ", ".join(f"{facet.column} AS f{place}" for place, facet in enumerate(asked))
    single = ", ".join(f"f{place}" for place, facet in enumerate(asked) if not facet.is_array)
    groups = f"(), ({single})" + "".join(f", (f{place})" for place, facet in enumerate(asked) if facet.is_array)
    parts = [f"SELECT {_ALL}, '', max(number) FROM alike"]  # of the group of all
    for place, facet in enumerate(asked):
        rows = f"(SELECT unnest(f{place}) AS f{place}, number FROM alike) AS each" if facet.is_array else "alike"
        parts.append(
            f"SELECT {place}, f{place}, sum(number)::bigint FROM {rows} WHERE f{place} <> '' GROUP BY f{place}"
        )
    return (
        f"WITH alike AS MATERIALIZED (SELECT {''.join(f'f{place}, ' for place in range(len(asked)))}count(*) AS number"
        f" FROM (SELECT {columns} FROM {source} WHERE {found}) AS hits GROUP BY GROUPING SETS ({groups}))"
        f" {' UNION ALL '.join(parts)}"
    )


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
