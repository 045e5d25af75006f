"""The hits of a search where an index finds all of them: the database sorts them, cuts out a page and counts, in one statement."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from django.db import connection

from catalogue.reading.query.cursors import Hit
from catalogue.reading.query.statements import Sql, array_of, column_of

Order = Literal["relevance", "-updated", "updated", "id", "-id"]

# For hits that have columns id, tier, datestamp and text: the key of the record, where they are sorted by it.
_SORTING: Mapping[Order, str] = {
    "relevance": "tier, datestamp DESC, id DESC",
    "-updated": "tier, datestamp DESC, id DESC",
    "updated": "datestamp, id",
    "id": "text",
    "-id": "text DESC",
}


class FewHits:
    """The records with these ids, each with its tier, that match `rest` as well and that one of `audiences` may see."""

    def __init__(self, tiers: Mapping[int, int], rest: Sql, audiences: Sequence[int], order: Order) -> None:
        self._candidates = sorted(tiers.items())
        self._rest, self._audiences, self._order = rest, list(audiences), order
        self._total: int | None = None

    def __len__(self) -> int:
        if self._total is None:
            (self._total,) = column_of(f"SELECT count(*) FROM {self._source}", self._values)
        return self._total

    def page(self, position: Hit | None, most: int) -> list[Hit]:
        """Return the hits after a position in order, at most so many; the position itself need not be among them."""
        after, values = self._after(position)
        text = "r.key" if self._order in ("id", "-id") else "''"
        with connection.cursor() as cursor:
            cursor.execute(
                f"WITH hits AS MATERIALIZED (SELECT r.id, k.tier, r.datestamp, {text} AS text FROM {self._source})"
                f" SELECT id, tier, datestamp, text, (SELECT count(*) FROM hits) FROM hits WHERE {after}"
                f" ORDER BY {_SORTING[self._order]} LIMIT %s",
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

    def _after(self, position: Hit | None) -> tuple[str, list[Any]]:
        if position is None:
            return "true", []
        if self._order in ("id", "-id"):
            return f"text {'>' if self._order == 'id' else '<'} %s", [position.text]
        if self._order == "updated":
            return "(datestamp, id) > (%s, %s)", [position.stamp, position.key]
        after = "(tier > %s OR tier = %s AND (datestamp, id) < (%s, %s))"
        return after, [position.tier, position.tier, position.stamp, position.key]
