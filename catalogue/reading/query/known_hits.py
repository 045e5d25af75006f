"""The hits of a search where an index has told all of them: they are counted, and a page reads the rows of its tiers alone."""

from django.db import connection

from catalogue.reading.query.cursors import Hit
from catalogue.reading.query.orders import ByTier, Order, follows, key_of, sorting
from catalogue.reading.query.search_limits import LIMITS
from catalogue.reading.query.statements import array_of
from catalogue.reading.stats import size_of


class KnownHits:
    """The records with these ids: all are live, and whoever asks may see them."""

    def __init__(self, by_tier: ByTier, order: Order) -> None:
        self._by_tier = {tier: keys for tier, keys in by_tier.items() if keys}
        self._order = order

    def __len__(self) -> int:
        return sum(map(len, self._by_tier.values()))

    def keys(self) -> list[int]:
        """Return the ids of all hits, in no order."""
        return [key for keys in self._by_tier.values() for key in keys]

    def page(self, position: Hit | None, most: int) -> list[Hit]:
        """Return the hits after a position in order, at most so many; the position itself need not be among them."""
        hits: list[Hit] = []
        for tier in sorted(self._by_tier):
            if len(hits) < most and (position is None or position.tier <= tier):
                start = position if position is not None and position.tier == tier else None
                hits += self._of_tier(tier, start, most - len(hits))
        return hits

    def _of_tier(self, tier: int, position: Hit | None, most: int) -> list[Hit]:
        """Return the next hits of a tier: from the next records of all where several times as many are expected among these, else sorted."""
        keys = self._by_tier[tier]
        expected = round(2 * most * size_of().live / len(keys))
        if expected <= LIMITS.in_force.chunks[-1] and len(keys) > most:
            hits = self._next(tier, position, "NOT r.deleted", [], expected)
            hits = [hit for hit in hits if hit.key in keys]
            if len(hits) >= most:
                return hits[:most]
        return self._next(tier, position, "r.id = ANY(%s::bigint[])", [array_of(sorted(keys))], most)

    def _next(self, tier: int, position: Hit | None, among: str, values: list[str], most: int) -> list[Hit]:
        following, of_position = follows(self._order, position)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT r.id, {tier}, r.datestamp, {key_of(self._order)} FROM catalogue_record r"
                f" WHERE {among} AND {following} ORDER BY {sorting(self._order)} LIMIT %s",
                [*values, *of_position, most],
            )
            return [Hit(*row) for row in cursor.fetchall()]
