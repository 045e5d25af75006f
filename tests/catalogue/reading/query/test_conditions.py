"""Whatever is asked of all real records, search finds what a naive filter in Python finds, in the right order, page by page."""

import random
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogue.reading.query import conditions, search, search_limits
from catalogue.reading.query.conditions import (
    All,
    Among,
    Changed,
    Compare,
    Condition,
    During,
    InSet,
    Is,
    IsNull,
    Like,
    Meets,
    MetadataDate,
    Not,
    Phrase,
    Words,
)
from catalogue.reading.query.search import Query, Search
from tests.support.naive_search import World
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db
SETS = (TOULOUSE.spec, "WIS-CATALOGUE", "WIS-NOWHERE")


@pytest.fixture
def world(db: None) -> World:
    return World()


# --- What is asked -------------------------------------------------------------------------------------


def some_conditions(world: World) -> st.SearchStrategy[Condition]:
    chooser = random.Random(1)
    vocabulary = sorted({word.folded for each in world.records for words in each.words for word in words})
    words = st.sampled_from(chooser.sample(vocabulary, 400) + ["data", "sea", "temperature", "données", "wetter"])
    instants = st.datetimes(datetime(1900, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))
    some_instants = st.none() | instants
    degrees = st.sampled_from([-190.0, -180, -179.5, -170, -90, -12.3, 0, 45, 90, 170, 180, 200])
    heights = st.lists(st.sampled_from([-90.0, -60, -10, 0, 33.3, 60, 90]), min_size=2, max_size=2).map(sorted)
    boxes = st.builds(lambda w, e, h: Meets(w, h[0], e, h[1]), degrees, degrees, heights)
    fields = ("type", "language", "policy", "organisation", "centre", "keyword", "category")
    values = {
        name: sorted({value for each in world.records for value in world.values(name, each)} | {"no such value"})
        for name in fields
    }
    is_field = st.sampled_from(fields).flatmap(
        lambda name: st.builds(Is, st.just(name), st.lists(st.sampled_from(values[name]), max_size=3).map(tuple))
    )
    texts = ("id", "title", "abstract", "type", "language", "policy", "centre")
    compared = st.sampled_from(texts).flatmap(
        lambda name: st.builds(
            Compare,
            st.just(name),
            st.sampled_from(["=", "<>", "<", ">", "<=", ">="]),
            st.sampled_from([world.value(name, each) or "x" for each in world.records[::40]]),
        )
    )
    titles = [each.fields.title.split() for each in world.records if len(each.fields.title.split()) > 3]
    leaf = st.one_of(
        words.map(Words),
        words.map(lambda word: Words(word[: 3 + len(word) // 3])),
        st.lists(words, min_size=2, max_size=3).map(lambda several: Words(" ".join(several))),
        st.sampled_from(titles).map(lambda parts: Words(f"{parts[0]} {parts[2]}")),
        st.sampled_from(titles).map(lambda parts: Phrase(" ".join(parts[:2]))),
        boxes,
        st.builds(During, some_instants, some_instants),
        st.builds(MetadataDate, some_instants, some_instants),
        st.builds(Changed, some_instants, some_instants),
        st.sampled_from(SETS).map(InSet),
        st.lists(st.sampled_from([each.identifier for each in world.records]), max_size=3).map(
            lambda i: Among(tuple(i))
        ),
        is_field,
        compared,
        st.builds(Compare, st.sampled_from(["updated", "created"]), st.sampled_from(["<", ">", "="]), instants),
        st.builds(Like, st.sampled_from(texts), words.map(lambda word: f"%{word}%"), st.booleans()),
        st.sampled_from((*texts, "created", "keyword", "category", "organisation")).map(IsNull),
    )
    return st.recursive(
        leaf,
        lambda parts: (
            st.lists(parts, max_size=3).map(lambda some: All(tuple(some)))
            | st.lists(parts, min_size=1, max_size=3).map(lambda some: conditions.Any(tuple(some)))
            | parts.map(Not)
        ),
        max_leaves=4,
    )


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
