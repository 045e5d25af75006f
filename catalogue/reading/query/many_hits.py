"""Hits that are too many to be read: the next records are looked through in order, or the database sorts all hits."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection

from catalogue.reading.query.cursors import Hit
from catalogue.reading.query.orders import Order, follows, key_of, sorting
from catalogue.reading.query.statements import ALL_RECORDS, Separated, Sql, all_of, array_of, by_index

_ALL = 10_000_000  # records


class ManyHits:
    """The hits of one tier in the order of a search. `audiences`: who may see a hit."""

    def __init__(self, found: Separated, tier: int, order: Order, audiences: Sequence[int]) -> None:
        self._found, self._tier, self._order, self._audiences = found, tier, order, list(audiences)

    def look_through(self, position: Hit | None, most: int, chunks: Iterable[int]) -> tuple[list[Hit], Hit | None]:
        """Look through the next records, chunk by chunk. Returns the hits, at most so many, and after which record there may be more:
        None where there are as many as wanted, or no more records."""
        hits: list[Hit] = []
        for chunk in chunks:
            more, position, number = self._among_next(position, chunk)
            hits += more
            if len(hits) >= most or number < chunk:
                return hits[:most], None
        return hits, position

    def _among_next(self, position: Hit | None, chunk: int) -> tuple[list[Hit], Hit | None, int]:
        """Return the hits among so many of the next records, in order; the last of these records, and how many they are."""
        following, values = follows(self._order, position)
        described, narrow = _described(self._found, Sql("d.record_id = ANY(ARRAY(SELECT id FROM next))"))
        source, rest = _with_records(self._found) if self._found[1] != ALL_RECORDS else ("h", ())
        with connection.cursor() as cursor:
            cursor.execute(
                "WITH next AS MATERIALIZED (SELECT id, datestamp, key, row_number() OVER () AS place FROM"
                f" (SELECT r.id, r.datestamp, {key_of(self._order)} AS key FROM catalogue_record r"
                f" WHERE NOT r.deleted AND r.audience = ANY(%s) AND {following}"
                f" ORDER BY {sorting(self._order)} LIMIT %s) AS sorted),"
                f" {described.removeprefix('WITH ')}, matching AS MATERIALIZED (SELECT h.record_id FROM {source})"
                f" SELECT id, {self._tier}, datestamp, key, place, record_id IS NOT NULL"
                " FROM next LEFT JOIN matching ON record_id = id"
                " WHERE record_id IS NOT NULL OR place = (SELECT max(place) FROM next) ORDER BY place",
                [self._audiences, *values, chunk, *narrow, *rest],
            )
            rows = cursor.fetchall()
        if not rows:
            return [], position, 0
        return [Hit(*row[:4]) for row in rows if row[5]], Hit(*rows[-1][:4]), rows[-1][4]

    def by_sorting(self, position: Hit | None, most: int) -> list[Hit]:
        """Return so many hits after a position, all of which are read and sorted for it."""
        following, values = follows(self._order, position)
        narrow, _rest = self._found
        of_description: tuple[Any, ...]
        if narrow.is_indexed:
            described = "WITH h AS (SELECT unnest(%s::bigint[]) AS record_id)"
            of_description = (array_of(by_index(narrow, _ALL)),)
        else:
            described, of_description = _described(self._found)
        source, rest = _with_records(self._found)
        with connection.cursor() as cursor:
            cursor.execute(
                f"{described} SELECT r.id, {self._tier}, r.datestamp, {key_of(self._order)} FROM {source}"
                f" AND r.audience = ANY(%s) AND {following} ORDER BY {sorting(self._order)} LIMIT %s",
                [*of_description, *rest, self._audiences, *values, most],
            )
            return [Hit(*row) for row in cursor.fetchall()]


def _described(found: Separated, among: Sql = ALL_RECORDS) -> tuple[str, tuple[Any, ...]]:
    """Return the begin of a statement, and its values: the records `h` whose descriptions match.

    A step of its own: without statistics of a table that has just been filled, PostgreSQL would look into each description for
    each record.
    """
    narrow = all_of(among, found[0])
    return (
        f"WITH h AS MATERIALIZED (SELECT d.record_id FROM catalogue_description d WHERE {narrow.text})",
        narrow.values,
    )


def _with_records(found: Separated) -> tuple[str, tuple[Any, ...]]:
    """Return what follows FROM: the records of `h` that match the rest as well; conditions on the record may be added."""
    rest = found[1]
    descriptions = "" if rest.text == "true" else " JOIN catalogue_description d ON d.record_id = h.record_id"
    return f"h JOIN catalogue_record r ON r.id = h.record_id{descriptions} WHERE ({rest.text})", rest.values
