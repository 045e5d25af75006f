"""The map of the mesh: where on it a place is, and the arc between two places. Numbers only; a template draws it."""

from dataclasses import dataclass

WIDTH, HEIGHT = 1440, 580  # units of the map: a quarter of a degree each
_WEST, _NORTH, SOUTH = -180.0, 84.0, -61.0  # degrees at the edges; Antarctica is left out
_UNITS = 4
_RISE = 0.18  # chosen: how far the middle of an arc lies above the straight line, as a part of its length
_MAX_RISE = 110


def project(latitude: float, longitude: float) -> tuple[float, float]:
    """Return where a place is on the map, from its left upper corner."""
    return (longitude - _WEST) * _UNITS, (_NORTH - latitude) * _UNITS


@dataclass(frozen=True, slots=True)
class Place:
    """A centre on the map. `key`: of the state of its links (`status.WORDS`); `url`: where one looks at it, or adds a link."""

    name: str
    x: int
    y: int
    key: str
    title: str
    url: str
    is_own: bool = False
    is_labelled_left: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """A link on the map: the path from its provider to this node; two of them where it crosses the date line."""

    paths: tuple[str, ...]
    key: str
    title: str
    url: str


def paths(begin: tuple[float, float], end: tuple[float, float]) -> tuple[str, ...]:
    """Return the arc between two places, the shorter way round the earth: what leaves the map on one side comes in on the other."""
    (x, y), (to_x, to_y) = begin, end
    if abs(to_x - x) <= WIDTH / 2:
        return (_path(x, y, to_x, to_y),)
    turn = WIDTH if to_x < x else -WIDTH
    return _path(x, y, to_x + turn, to_y), _path(x - turn, y, to_x, to_y)


def _path(x: float, y: float, to_x: float, to_y: float) -> str:
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    rise = min(length * _RISE, _MAX_RISE)
    return f"M{x:.0f} {y:.0f}Q{(x + to_x) / 2:.0f} {(y + to_y) / 2 - 2 * rise:.0f} {to_x:.0f} {to_y:.0f}"
