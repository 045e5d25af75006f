"""Read the boxes of requests: west, south, east, north in degrees; west > east crosses the date line."""

import math
from collections.abc import Sequence

from catalogue.reading.query import conditions


def condition(sides: Sequence[float]) -> conditions.Meets:
    """Return the condition of a box: west, south, east, north in degrees. Raises ValueError."""
    west, south, east, north = sides
    if not all(map(math.isfinite, sides)) or abs(west) > 360 or abs(east) > 360 or not -90 <= south <= north <= 90:
        raise ValueError("no box on the earth")
    return conditions.Meets(west, south, east, north)
