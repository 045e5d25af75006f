"""Count what the whole catalogue, as everybody sees it, is distributed over: facets and a map for the start page.

Of a large catalogue no request can count this. The ticks do, if anything has changed since, and so rarely that counting takes
at most a hundredth of the time (10 s with a million records, so every quarter of an hour). Each number is exact at the moment at
which it is counted; the time of the whole count stands beside them.
"""

import itertools
import json
from collections import Counter
from datetime import timedelta
from typing import Any

from django.db import connection

from catalogue import seams
from catalogue.documents import bounding_box
from catalogue.models import Overview, Record
from catalogue.reading import overview
from catalogue.reading.overview import COLUMNS, ROWS
from catalogue.reading.query.facets import FACETS, Facet
from catalogue.reading.stats import live_of_everybody

MOST_VALUES = 100  # chosen: of one facet
MOST_TEXTS = 10_000  # chosen: of one facet in which several texts are one value
_DEGREES = 5
_SHARE = 100  # the time between two counts is so many times what the last one took
_WHOLE_WORLD = (340.0, 160.0)  # degrees, chosen: a box of so much says nothing of a place
_BOXES_AT_ONCE = 5_000
_SEEN = "catalogue_description d JOIN catalogue_record r ON r.id = d.record_id WHERE r.audience = 0 AND NOT r.deleted"


def count_if_outdated() -> bool:
    """Count anew if records have changed and the last count is old enough; returns whether it counted."""
    before = overview.latest()
    live, newest = live_of_everybody(), _newest()
    if before is not None and before.facets.keys() == FACETS.keys():
        is_due = seams.now() - before.counted_at >= timedelta(seconds=_SHARE * before.took_s)
        if not is_due or (before.live, before.newest) == (live, newest):
            return False
    began, mark = seams.monotonic(), overview.hidden_mark()  # what is hidden while it counts makes the count void
    facets = {name: _count_facet(facet) for name, facet in FACETS.items()}
    coverage, everywhere = _count_boxes()
    Overview.objects.update_or_create(
        pk=1,
        defaults={
            "counted_at": seams.now(),
            "took_s": seams.monotonic() - began,
            "live": live,
            "newest": newest,
            "hidden_mark": mark,
            "facets": facets,
            "coverage": coverage,
            "everywhere": everywhere,
        },
    )
    return True


def _newest() -> Any:
    return Record.objects.filter(audience=0).order_by("-datestamp").values_list("datestamp", flat=True).first()


def _count_facet(facet: Facet) -> list[tuple[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT value, count(*) FROM (SELECT {facet.rows} FROM {_SEEN}) AS each (value)
            WHERE value <> '' GROUP BY value ORDER BY 2 DESC, 1 LIMIT {MOST_TEXTS if facet.value_of else MOST_VALUES}
            """
        )
        rows: list[tuple[str, int]] = cursor.fetchall()
    if facet.value_of is None:
        return rows
    counts: Counter[str] = Counter()
    for text, number in rows:
        counts[facet.value_of(text)] += number
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_VALUES]


def _count_boxes() -> tuple[list[int], int]:
    """Return how many records touch each cell, and how many are of the whole world. A record counts once for each of its boxes."""
    # Each box changes four numbers, and the sums over rows and columns are the counts: a large box costs what a small one does.
    changes = [[0] * (COLUMNS + 1) for _ in range(ROWS + 1)]
    everywhere = 0
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT d.boxes::text, count(*) FROM {_SEEN} AND d.boxes <> '[]' GROUP BY d.boxes")
        while rows := cursor.fetchmany(_BOXES_AT_ONCE):
            for text, number in rows:
                boxes = json.loads(text)
                if any(_is_everywhere(box) for box in boxes):
                    everywhere += number
                    continue
                for box in boxes:
                    _add(changes, box, number)
    return _summed(changes), everywhere


def _summed(changes: list[list[int]]) -> list[int]:
    """Return the number of each cell, row by row."""
    rows = [list(itertools.accumulate(row)) for row in changes]
    summed = list(itertools.accumulate(rows, lambda above, row: [a + b for a, b in zip(above, row, strict=True)]))
    return [number for row in summed[:ROWS] for number in row[:COLUMNS]]


def _is_everywhere(box: list[float]) -> bool:
    west, south, east, north = box
    return bounding_box.breadth(west, east) >= _WHOLE_WORLD[0] and north - south >= _WHOLE_WORLD[1]


def _add(changes: list[list[int]], box: list[float], number: int) -> None:
    west, south, east, north = box
    left = bounding_box.around_the_world(west + 180) / _DEGREES
    first, last = int(left), int(left + bounding_box.breadth(west, east) / _DEGREES)
    top, bottom = min(int((90 - north) / _DEGREES), ROWS - 1), min(int((90 - south) / _DEGREES), ROWS - 1)
    # Across the date line a box is two.
    for start, end in (
        (first, min(last, COLUMNS - 1)),
        *(((0, min(last - COLUMNS, first - 1)),) if last >= COLUMNS else ()),
    ):
        for row, sign in ((top, 1), (bottom + 1, -1)):
            changes[row][start] += sign * number
            changes[row][end + 1] -= sign * number
