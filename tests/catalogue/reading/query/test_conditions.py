"""Whatever is asked of all real records, search finds what a naive filter in Python finds, in the right order, page by page."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogue.reading.query import search, search_limits
from catalogue.reading.query.conditions import (
    Condition,
    Words,
)
from catalogue.reading.query.search import Query, Search
from tests.support.naive_search import World
from tests.support.some_conditions import some_conditions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("patient_searches")]


@pytest.fixture
def world(db: None) -> World:
    return World()


# --- What is asked -------------------------------------------------------------------------------------


def pages_of(query: Query, size: int) -> list[int]:
    keys: list[int] = []
    cursor = ""
    while True:
        page = Search(query).page(size, cursor)
        keys += page.keys
        if not page.next:
            return keys
        cursor = page.next


@pytest.mark.parametrize("most_exact", [10_000, 5], ids=["sorted", "looked through"])
def test_search_finds_what_a_naive_filter_finds(world: World, most_exact: int) -> None:
    by_key = {each.record.pk: each for each in world.records}

    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(some_conditions(world), st.sampled_from(["relevance", "-updated", "updated", "id", "-id"]))
    @example(Words("data"), "relevance")  # a word, and how the last part of some identifiers begins
    def check(condition: Condition, order: search.Order) -> None:
        query = Query(condition, order)
        found = pages_of(query, 97)
        expected = {each.record.pk for each in world.records if world.matches(condition, each)}
        assert len(found) == len(set(found))
        assert {by_key[key].identifier for key in found} == {by_key[key].identifier for key in expected}
        count = Search(query).count()
        assert not count.is_exact or count.number == len(expected)
        if order == "id":
            keys = [by_key[key].record.key for key in found]
            assert keys == sorted(keys)
        elif order == "-updated":
            stamps = [(by_key[key].record.datestamp, key) for key in found]
            assert stamps == sorted(stamps, reverse=True)
        elif order == "relevance" and isinstance(condition, Words):
            ranks = [
                (-(world.tier(condition.text, by_key[key]) or 0), by_key[key].record.datestamp, key) for key in found
            ]
            assert ranks == sorted(ranks, reverse=True)

    with search_limits.LIMITS.replaced(exact=most_exact, margin=most_exact, of_tier=most_exact, chunks=(50, 400)):
        check()
