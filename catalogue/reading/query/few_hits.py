"""The hits of a search among few records that an index has told: the database sees which of them are hits, sorts them, cuts out a page
and counts, in one statement."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from catalogue.reading.query.cursors import Hit
from catalogue.reading.query.orders import ByTier, Order, follows, key_of, sorting
from catalogue.reading.query.statements import Sql, array_of, column_of


class FewHits:
    """The records with these ids that match `rest` as well and that one of `audiences` may see."""

    def __init__(self, by_tier: ByTier, rest: Sql, audiences: Sequence[int], order: Order) -> None:
        self._candidates = sorted((key, tier) for tier, keys in by_tier.items() for key in keys)
        self._rest, self._audiences, self._order = rest, list(audiences), order
        self._total: int | None = None

    def __len__(self) -> int:
        if self._total is None:
            (self._total,) = column_of(f"SELECT count(*) FROM {self._source}", self._values)
        return self._total

    def page(self, position: Hit | None, most: int) -> list[Hit]:
        """Return the hits after a position in order, at most so many; the position itself need not be among them."""
        following, values = follows(self._order, position)
        if position is not None:
            following = f"(r.tier > %s OR r.tier = %s AND {following})"
            values = [position.tier, position.tier, *values]
        with connection.cursor() as cursor:
            cursor.execute(
                f"WITH hits AS MATERIALIZED (SELECT r.id, k.tier, r.datestamp, {key_of(self._order)} AS key"
                f" FROM {self._source})"
                f" SELECT id, tier, datestamp, key, (SELECT count(*) FROM hits) FROM hits AS r WHERE {following}"
                f" ORDER BY tier, {sorting(self._order)} LIMIT %s",
                [*self._values, *values, most],
            )
            rows = cursor.fetchall()
        if rows:
            self._total = rows[0][-1]
        elif position is None and most:
            self._total = 0
        return [Hit(*row[:-1]) for row in rows]

    def keys(self) -> list[int]:
        """Return the ids of all hits, in no order."""
        if len(self) == len(self._candidates):
            return [key for key, _tier in self._candidates]
        return column_of(f"SELECT r.id FROM {self._source}", self._values)

    @property
    def _source(self) -> str:
        """What follows FROM, for the `_values`."""
        source = "unnest(%s::bigint[], %s::integer[]) AS k (id, tier) JOIN catalogue_record r ON r.id = k.id"
        if self._rest.text != "true":
            source += " JOIN catalogue_description d ON d.record_id = k.id"
        return f"{source} WHERE r.audience = ANY(%s) AND ({self._rest.text})"

    @property
    def _values(self) -> list[Any]:
        columns = (array_of(row[place] for row in self._candidates) for place in (0, 1))
        return [*columns, self._audiences, *self._rest.values]
