"""The ticks count what the whole public catalogue is distributed over: right, not too often, and never what is hidden since."""

from collections import Counter
from datetime import timedelta

import pytest
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogue import seams, tasks
from catalogue.models import Category, Overview
from catalogue.reading.overview import COLUMNS, ROWS
from catalogue.reading.query import search_limits
from catalogue.reading.query.search import Query, Search
from catalogue.writing import overview, visibility
from tests.support.world import in_language, iso_record, put

pytestmark = pytest.mark.django_db
SIDES = st.integers(-36, 36).map(lambda number: number * 5.0) | st.floats(-180, 180).map(lambda side: round(side, 2))


def boxes() -> st.SearchStrategy[tuple[float, float, float, float]]:
    heights = st.lists(
        st.integers(-18, 18).map(lambda n: n * 5.0) | st.floats(-90, 90).map(lambda side: round(side, 2)),
        min_size=2,
        max_size=2,
    )
    return st.tuples(SIDES, heights.map(sorted), SIDES).map(lambda box: (box[0], box[1][0], box[2], box[1][1]))


def touched(box: tuple[float, float, float, float]) -> set[tuple[int, int]]:
    """The cells that a box touches, looked at one by one."""
    west, south, east, north = box
    found = set()
    for row in range(ROWS):
        upper, lower = 90 - 5.0 * row, 90 - 5.0 * (row + 1)
        if south > upper or north < lower:
            continue
        for column in range(COLUMNS):
            left = -180 + 5.0 * column
            right = left + 5.0
            spans = [(west, east)] if west <= east else [(west, 180.0), (-180.0, east)]
            spans += [(-180.0, -180.0), (180.0, 180.0)] if 180 in (-west, east) else []  # one meridian
            if any(start <= right and end >= left for start, end in spans):
                found.add((row, column))
    return found


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(boxes())
@example((170.0, -10.0, -170.0, 10.0))
@example((0.0, 0.0, 0.0, 0.0))
@example((5.0, -5.0, 10.0, 5.0))
def test_a_box_darkens_the_cells_that_it_touches(box: tuple[float, float, float, float]) -> None:
    changes = [[0] * (COLUMNS + 1) for _ in range(ROWS + 1)]
    overview._add(changes, list(box), 7)
    numbers = overview._summed(changes)
    found = {divmod(place, COLUMNS) for place, number in enumerate(numbers) if number}
    assert set(numbers) <= {0, 7}
    assert found, "each box is seen"
    # Of a side that lies on the border of cells either is right.
    assert {cell for cell in touched(box) if _is_inside(box, cell)} <= found <= touched(box)


def _is_inside(box: tuple[float, float, float, float], cell: tuple[int, int]) -> bool:
    """Whether the middle of a cell is in the box."""
    west, south, east, north = box
    latitude, longitude = 90 - 5 * cell[0] - 2.5, -180 + 5 * cell[1] + 2.5
    across = west <= longitude <= east if west <= east else longitude >= west or longitude <= east
    return south <= latitude <= north and across


def test_what_is_counted_is_what_there_is() -> None:
    put(*(iso_record(f"urn:{n}", title="Sea", keywords=("ice", f"k{n % 3}"), box=(1, 1, 4, 4)) for n in range(9)))
    put(iso_record("urn:world", box=(-180, -90, 180, 90)), iso_record("urn:nowhere"))
    assert overview.count_if_outdated()
    counted = Overview.objects.get()
    assert (counted.live, counted.everywhere) == (11, 1)
    assert dict(counted.facets["keyword"]) == {"ice": 9, "k0": 3, "k1": 3, "k2": 3}
    assert Counter(counted.coverage)[9] == 1


def test_it_counts_again_when_something_has_changed_and_not_too_often() -> None:
    put(iso_record("urn:a"))
    assert overview.count_if_outdated()
    Overview.objects.update(counted_at=seams.now() - timedelta(days=1))
    assert not overview.count_if_outdated(), "nothing has changed"
    put(iso_record("urn:b"))
    Overview.objects.update(counted_at=seams.now(), took_s=10)
    assert not overview.count_if_outdated(), "it takes a hundredth of the time at most"
    Overview.objects.update(counted_at=seams.now() - timedelta(seconds=1001))
    assert overview.count_if_outdated()
    assert Overview.objects.get().live == 2


def test_the_start_page_and_a_search_without_conditions_have_it(
    client: Client,
) -> None:
    put(*(iso_record(f"urn:{n}", keywords=("ice",), box=(1, 1, 4, 4)) for n in range(5)))
    assert "Where the data are</h2>" not in client.get("/").content.decode()
    tasks.tick()
    page = client.get("/").content.decode()
    assert page.count('class="shade"') == 1 and "Counted 20" in page
    facets = Search(Query()).facets(["keyword"])
    assert (facets.values, facets.counted_at) == ({"keyword": [("ice", 5)]}, None), "few are counted now"
    with search_limits.LIMITS.replaced(sample=2):
        facets = Search(Query()).facets(["keyword"])
    assert (facets.values, facets.is_exact) == ({"keyword": [("ice", 5)]}, True)
    assert facets.counted_at is not None


def test_what_is_hidden_since_is_not_told(client: Client) -> None:
    put(iso_record("urn:a", keywords=("secret",), box=(1, 1, 4, 4)), iso_record("urn:b", keywords=("open",)))
    tasks.tick()
    with search_limits.LIMITS.replaced(sample=1):
        assert ("secret", 1) in Search(Query()).facets(["keyword"]).values["keyword"]
        visibility.restrict_records(["urn:a"], Category.objects.create(name="partners"))
        visibility.settle_pending()
        assert "secret" not in dict(Search(Query()).facets(["keyword"]).values["keyword"])
        assert 'class="shade"' not in client.get("/").content.decode()
        overview.count_if_outdated()
        assert Search(Query()).facets(["keyword"]).values["keyword"] == [("open", 1)]


def test_a_count_that_lacks_a_facet_is_made_again_and_not_used() -> None:
    """A former version of the node knew less."""
    put(*(iso_record(f"urn:{n}", keywords=("ice",)) for n in range(5)))
    tasks.tick()
    Overview.objects.update(facets={"keyword": [["ice", 5]]}, took_s=10_000)
    with search_limits.LIMITS.replaced(sample=2):
        assert Search(Query()).facets(["keyword"]).counted_at is not None
        assert Search(Query()).facets(["keyword", "language_code"]).counted_at is None
        assert overview.count_if_outdated()
        assert Search(Query()).facets(["language_code"]).values == {"language_code": [("eng", 5)]}
    assert not overview.count_if_outdated()


def test_of_all_records_a_language_is_counted_once_however_it_is_written() -> None:
    put(*(in_language(iso_record(f"urn:{n}"), text) for n, text in enumerate(("eng", "en", "English", "fre", "fra"))))
    overview.count_if_outdated()
    facets = Overview.objects.get().facets
    assert facets["language_code"] == [["eng", 3], ["fra", 2]]
    assert len(facets["language"]) == 5
