"""Write the coastline under the map of the mesh, from the land of npm's package world-atlas. Run once, by a developer.

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    .venv/bin/python -m gisc.dashboard.coastline package/land-110m.json > gisc/static/gisc/coastline.svg

The shapes are those of Natural Earth 1:110m (https://www.naturalearthdata.com), which are in the public domain; world-atlas
(https://github.com/topojson/world-atlas, licence ISC, Michael Bostock) packs them as TopoJSON.
"""

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from gisc.dashboard.world_map import HEIGHT, SOUTH, WIDTH, project

Point = tuple[float, float]

_HALF = 180.0  # degrees
_SMALLEST = 4  # chosen: an island that is no wider and no higher, in units of the map, is left out
_NOTE = (
    "Land: Natural Earth 1:110m, public domain (naturalearthdata.com), by world-atlas 2.0.2 (ISC); "
    "made by gisc/dashboard/coastline.py"
)


def arcs(topology: dict[str, Any]) -> list[list[Point]]:
    """Return the arcs of a quantized topology as longitudes and latitudes."""
    (x_scale, y_scale), (x_start, y_start) = topology["transform"]["scale"], topology["transform"]["translate"]
    found = []
    for arc in topology["arcs"]:
        x, y, points = 0, 0, []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((x * x_scale + x_start, y * y_scale + y_start))
        found.append(points)
    return found


def rings(topology: dict[str, Any]) -> Iterator[list[Point]]:
    """Yield the rings of the land; an arc with a number below zero runs backwards."""
    known = arcs(topology)
    for geometry in topology["objects"]["land"]["geometries"]:
        for polygon in geometry["arcs"]:
            for numbers in polygon:
                yield [
                    point for number in numbers for point in (known[number] if number >= 0 else known[~number][::-1])
                ]


def unrolled(ring: list[Point]) -> list[Point]:
    """Return a ring that crosses the antimeridian in one piece: its longitudes go on beyond 180 degrees."""
    turns, points, before = 0, [], ring[0][0]
    for longitude, latitude in ring:
        turns += (longitude - before < -_HALF) - (longitude - before > _HALF)
        points.append((longitude + turns * 2 * _HALF, latitude))
        before = longitude
    return points


def outline(ring: list[Point]) -> str:
    """Return a ring as a path of whole units of the map; empty where it is too small, or all of it is below the map.

    What lies beyond one edge of the map is drawn again at the other edge.
    """
    if all(latitude < SOUTH for _, latitude in ring):
        return ""
    points = [(round(x), round(y)) for x, y in (project(latitude, longitude) for longitude, latitude in unrolled(ring))]
    if all(max(axis) - min(axis) <= _SMALLEST for axis in zip(*points, strict=True)):
        return ""
    steps = [(x - before_x, y - before_y) for (before_x, before_y), (x, y) in pairwise(points)]
    drawn = "".join(f"{dx}{dy if dy < 0 else f' {dy}'} " for dx, dy in steps if (dx, dy) != (0, 0))
    shape = f"l{drawn.replace(' -', '-').strip()}z"
    beyond = (WIDTH,) if min(x for x, _ in points) < 0 else (-WIDTH,) if max(x for x, _ in points) > WIDTH else ()
    return "".join(f"M{points[0][0] + shift} {points[0][1]}{shape}" for shift in (0, *beyond))


def svg(topology: dict[str, Any]) -> str:
    """Return the file: a symbol that the map refers to."""
    path = "".join(outline(ring) for ring in rings(topology))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"><!-- {_NOTE} -->'
        f'<path id="land" d="{path}"/></svg>\n'
    )


if __name__ == "__main__":
    sys.stdout.write(svg(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
