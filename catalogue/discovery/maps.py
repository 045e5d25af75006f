"""Place bounding boxes on the map of the world that `gisc/coastline.svg` draws: four units a degree, from 180° W and 84° N."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from catalogue.documents import bounding_box

_UNITS = 4  # a degree
_NORTH = 84.0  # degrees, where the picture has its zero
_LEAST = 3.0  # degrees, chosen: what is smaller is drawn so large that it is seen
_MOST = 50  # chosen: rectangles of one map


class Rectangle(NamedTuple):
    """A rectangle of the map, from its left upper corner."""

    x: float
    y: float
    width: float
    height: float


def rectangles(boxes: Iterable[Sequence[float]]) -> list[Rectangle]:
    """Return the rectangles of boxes [west, south, east, north]; two of a box that crosses the date line."""
    made: list[Rectangle] = []
    for west, south, east, north in boxes:
        left = bounding_box.around_the_world(west + 180)
        width = max(bounding_box.breadth(west, east), _LEAST)
        height = max(north - south, _LEAST)
        top = min(_NORTH - north, _NORTH + 90 - _LEAST)
        made.append(_rectangle(left, top, min(width, 360 - left), height))
        if left + width > 360 + 1e-6:
            made.append(_rectangle(0.0, top, left + width - 360, height))
    return made[:_MOST]


class Picture:
    """Draws maps of a page as SVG. What is the same in each is made once: a page of hits has twenty."""

    def __init__(self) -> None:
        self._begin = format_html(
            '<svg class="map" viewBox="0 -24 1440 720" role="img" aria-label="{}"><use class="land" href="{}#land"></use>',
            gettext("Where the data are"),
            static("gisc/coastline.svg"),
        )

    def of(self, places: Sequence[Rectangle]) -> SafeString:
        """Return the map with these rectangles; nothing without any."""
        if not places:
            return SafeString()
        drawn = "".join(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}"></rect>' for x, y, width, height in places
        )
        return mark_safe(f"{self._begin}{drawn}</svg>")  # of numbers  # nosec B308


class Shade(NamedTuple):
    """A cell of the map of coverage: its rectangle, how dark it is (0 to 1), and how many records it has."""

    cell: Rectangle
    opacity: float
    number: int


def shades(numbers: Sequence[int], columns: int) -> list[Shade]:
    """Return the cells that have records. `numbers`: of each cell, row by row from 180° W and 90° N, with so many columns.

    Darkness goes by the logarithm: else only the busiest place would be seen.
    """
    size = 360 / columns
    most = math.log1p(max(numbers, default=0))
    return [
        Shade(
            _rectangle(place % columns * size, place // columns * size - (90 - _NORTH), size, size),
            round(0.1 + 0.8 * math.log1p(number) / most, 2),
            number,
        )
        for place, number in enumerate(numbers)
        if number > 0
    ]


def _rectangle(*degrees: float) -> Rectangle:
    return Rectangle(*(round(value * _UNITS, 1) for value in degrees))
