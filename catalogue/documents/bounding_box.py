"""Bounding boxes on the round earth: west, south, east, north in degrees; west > east crosses the date line. No Django.

What records cover is in two columns of the database as ranges, made by `catalogue/sql/search_terms` from the stored boxes.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

Box = Sequence[float]
_NOTHING = 1e-9  # degrees: a smaller difference counts as none, in the database too
_UNITS = 1_000_000  # a degree; what is nearer than one of them touches
_POLE = 90


class Place(NamedTuple):
    """Ranges of longitudes and of latitudes, both ends included, in millionths of a degree."""

    west: int
    east: int
    south: int
    north: int


def around_the_world(value: float) -> float:
    """Return an angle in degrees as one from 0 to 360. A very small one is nothing, as it is in the database."""
    if abs(value) < _NOTHING:
        return 0.0
    return value - 360 * math.floor(value / 360)


def breadth(west: float, east: float) -> float:
    """Return how many degrees a box reaches from west to east, across the date line if it must; 360: around the world."""
    if east - west >= 360:
        return 360.0
    return east - west if east >= west else around_the_world(east - west)


def places_asked(box: Box) -> list[Place]:
    """Return where the columns of a record lie that meets this box: they overlap one of these, which go around the world."""
    west, south, east, north = box
    start = around_the_world(west + 180) - 180
    end = start + breadth(west, east)
    # Records lie from -180 to 540 degrees: what crosses the date line ends beyond 180.
    turns = (-360, 0, 360) if end >= 180 else (0, 360)
    bottom, top = (max(-_POLE - 1, min(_POLE + 1, side)) for side in (south, north))
    return [
        Place(
            math.floor((start + turn) * _UNITS),
            math.ceil((end + turn) * _UNITS),
            math.floor(bottom * _UNITS),
            math.ceil(top * _UNITS),
        )
        for turn in turns
    ]
