"""What an earlier version stored as boxes and is none on the earth goes; the others stay, and search answers."""

import json
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection

from catalogue.models import Description
from tests.support import databases

BEFORE = "0017"
GOOD = [170.0, 0.0, -170.0, 1.0]
BOXES = [
    ([[1e308, 0.0, -1e308, 1.0]], []),
    ([[-361.0, 0.0, 1.0, 1.0], GOOD, [0.0, 0.0, 1e300, 1.0]], [GOOD]),
    ([GOOD], [GOOD]),
    ([], []),
]


@pytest.fixture
def before(migrated, django_db_blocker) -> Iterator[dict[int, list[list[float]]]]:
    """A database of 0.9.0, migrated to the version before search had terms, whose records have such boxes. What is expected."""
    with (
        django_db_blocker.unblock(),
        databases.scratch(migrated("0.9.0", "catalogue", BEFORE)) as name,
        databases.in_place_of_the_tests(name),
    ):
        with connection.cursor() as cursor:
            cursor.execute("SELECT record_id FROM catalogue_description JOIN catalogue_record r ON r.id = record_id")
            expected = {}
            for place, (record_id,) in enumerate(cursor.fetchall()):
                stored, left = BOXES[place % len(BOXES)]
                cursor.execute(
                    "UPDATE catalogue_description SET boxes = %s WHERE record_id = %s",
                    [json.dumps(stored), record_id],
                )
                expected[record_id] = left
        assert len(expected) >= len(BOXES)
        yield expected


def test_what_is_no_box_on_the_earth_goes(before: dict[int, list[list[float]]]) -> None:
    call_command("migrate", verbosity=0)
    assert dict(Description.objects.values_list("record_id", "boxes")) == before
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM catalogue_description WHERE catalogue_boxes_meet(boxes, -175, 0, -174, 1)")
        assert cursor.fetchone() == (sum(left == [GOOD] for left in before.values()),)
