"""Conditions of every kind, for property tests of what searches the catalogue: with words and values of real records."""

import random
from datetime import UTC, datetime

from hypothesis import strategies as st

from catalogue.reading.query import conditions
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
from tests.support.naive_search import World
from tests.support.world import TOULOUSE

SETS = (TOULOUSE.spec, "WIS-CATALOGUE", "WIS-NOWHERE")


def some_conditions(world: World) -> st.SearchStrategy[Condition]:
    chooser = random.Random(1)
    vocabulary = sorted({word.folded for each in world.records for words in each.words for word in words})
    words = st.sampled_from(chooser.sample(vocabulary, 400) + ["data", "sea", "temperature", "données", "wetter"])
    instants = st.datetimes(datetime(1900, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))
    some_instants = st.none() | instants
    degrees = st.sampled_from([-190.0, -180, -179.5, -170, -90, -12.3, 0, 45, 90, 170, 180, 200])
    heights = st.lists(st.sampled_from([-90.0, -60, -10, 0, 33.3, 60, 90]), min_size=2, max_size=2).map(sorted)
    boxes = st.builds(lambda w, e, h: Meets(w, h[0], e, h[1]), degrees, degrees, heights)
    fields = ("type", "language", "language_code", "policy", "organisation", "centre", "keyword", "category")
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
        st.builds(lambda begins, ends: All((During(begins, None), During(None, ends))), instants, instants),
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
