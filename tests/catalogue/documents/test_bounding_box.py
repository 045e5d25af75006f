"""Which boxes meet: the ranges that the database makes of a record's boxes, and those that are looked up."""

import json

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogue.documents import bounding_box
from catalogue.documents.bounding_box import Place

pytestmark = pytest.mark.django_db
NEAR = 3e-6  # degrees: the ranges are of millionths, rounded outwards
TINY = [5e-324, -1e-310, 1e-300, -1e-20, 1e-10, -1e-10]
EDGES = [-360.0, -180.0, 180.0, 360.0, 0.0, 359.999, -0.0, 90.0, 22.5, 0.1, -0.3, *TINY]
DEGREES = st.floats(-360, 360) | st.sampled_from(EDGES)
ASKED = st.floats(-36_000, 36_000) | DEGREES
HEIGHTS = st.tuples(*[st.floats(-90, 90) | st.sampled_from([-90.0, 90.0, 0.0, *TINY])] * 2).map(sorted)
BOXES = st.builds(lambda w, e, h: (w, h[0], e, h[1]), DEGREES, DEGREES, HEIGHTS)
BOXES_ASKED = st.builds(lambda w, e, h: (w, h[0], e, h[1]), ASKED, ASKED, HEIGHTS)


def boxes_meet(one, other, *, near: float = 0) -> bool:
    """Whether two boxes have a point in common, or are as near as this."""
    if one[3] < other[1] - near or other[3] < one[1] - near:
        return False
    return _begins_in(one, other, near) or _begins_in(other, one, near)


def _begins_in(one, other, near: float) -> bool:
    apart = bounding_box.around_the_world(other[0] - one[0])
    return apart <= bounding_box.breadth(one[0], one[2]) + near or apart >= 360 - near


def ranges(boxes) -> tuple[int, int, int, int] | None:
    """What the database makes of the boxes of a record: west, east, south, north in millionths; None: nothing."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT lower(x), upper(x) - 1, lower(y), upper(y) - 1"
            " FROM catalogue_longitudes(%(boxes)s) AS x, catalogue_latitudes(%(boxes)s) AS y",
            {"boxes": json.dumps(boxes)},
        )
        found = cursor.fetchone()
    return None if None in found else found


def overlap(stored: tuple[int, int, int, int] | None, asked: Place) -> bool:
    if stored is None:
        return False
    west, east, south, north = stored
    return west <= asked.east and asked.west <= east and south <= asked.north and asked.south <= north


MANY = settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@example((170.0, 0.0, -170.0, 1.0), (-180.0, 1.0, -175.0, 2.0))
@example((10.0, 0.0, 20.0, 1.0), (20.0, 0.0, 30.0, 1.0))
@example((-180.0, -90.0, 180.0, 90.0), (5.0, 90.0, 5.0, 90.0))
@example((170.0, 0.0, 180.0, 1.0), (-180.0, 0.0, -180.0, 1.0))
@example((-180.0, 0.0, -170.0, 1.0), (170.0, 0.0, 180.0, 1.0))
@example((0.0, 0.0, 360.0, 1.0), (-1.0, 0.0, -1.0, 1.0))
@example((1e-10, 0.0, 0.0, 1.0), (90.0, 0.0, 90.0, 1.0))
@MANY
@given(BOXES, BOXES_ASKED)
def test_a_record_of_one_box_is_found_by_its_ranges_if_the_boxes_meet_and_not_else(one, other) -> None:
    found = any(overlap(ranges([one]), place) for place in bounding_box.places_asked(other))
    if boxes_meet(one, other):
        assert found
    if not boxes_meet(one, other, near=NEAR):
        assert not found


@MANY
@given(st.lists(BOXES, min_size=2, max_size=4), BOXES_ASKED)
def test_the_ranges_of_several_boxes_leave_none_out(several, other) -> None:
    if any(boxes_meet(one, other) for one in several):
        assert any(overlap(ranges(several), place) for place in bounding_box.places_asked(other))


@example((5e-324, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0), (0.0, 5e-324, 1e-310, 1.0))
@example((0.0, 0.0, 1.0, 1.0), (-1e-310, 0.0, -5e-324, 1.0), (5e-324, 0.0, -5e-324, 1.0))
@MANY
@given(BOXES, BOXES, BOXES)
def test_the_database_tells_exactly_whether_one_of_several_boxes_meets(one, other, third) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT catalogue_boxes_meet(to_jsonb(%s::float8[][]), %s, %s, %s, %s)",
            [[list(one), list(third)], *other],
        )
        (found,) = cursor.fetchone()
    assert found == (boxes_meet(one, other) or boxes_meet(third, other))


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        ([], None),
        ([[1e308, 0, -1e308, 1]], None),
        ([[-361, 0, 0, 1], [10, 20, 30.5, 40]], (10_000_000, 30_500_000, 0, 40_000_000)),
        ([[0, 2, 1, 1]], None),
        ([[170, 0, -170, 1]], (170_000_000, 190_000_000, 0, 1_000_000)),
        ([[0, 0, 360, 1]], (0, 360_000_000, 0, 1_000_000)),
        ([[350, 0, 10, 1]], (-10_000_000, 10_000_000, 0, 1_000_000)),
    ],
)
def test_the_ranges_are_of_the_boxes_on_the_earth(boxes, expected) -> None:
    assert ranges(boxes) == expected
