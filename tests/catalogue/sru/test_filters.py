"""Every query in CQL finds what a naive filter in Python finds among all real records."""

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import pytest
from django.test import Client
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue.documents import search_terms
from catalogue.reading.query.conditions import Among, Changed, During, InSet, Is, Meets, MetadataDate, WordsIn
from tests.support import sru_answers
from tests.support.naive_search import Naive, World
from tests.support.world import TOULOUSE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("patient_searches")]


class Asked(NamedTuple):
    """A query, and what it says of a record."""

    query: str
    holds: Callable[[Naive], bool]


def quoted(text: str) -> str:
    """A term in quotes, with its masks, anchors and backslashes escaped."""
    for character in "\\*?^":
        text = text.replace(character, f"\\{character}")
    return '"' + text.replace('"', '\\"') + '"'


def walk(client: Client, query: str) -> list[str]:
    found: list[str] = []
    position: int | None = 1
    while position:
        arguments = {"operation": "searchRetrieve", "version": "1.2", "query": query, "recordSchema": "dc"}
        given = arguments | {"startRecord": str(position), "maximumRecords": "100"}
        answer = sru_answers.read(client.get("/sru", given).content)
        assert answer.codes == [], (query, answer.texts(".//diag:message"))
        found += answer.identifiers
        position = answer.following
    assert answer.number == len(found)
    return found


def of_words(world: World, chooser: random.Random) -> st.SearchStrategy[Asked]:
    """Words of one field, as titles, keywords and abstracts have them."""
    fields = {"dc.title": "title", "dc.subject": "subject", "dc.description": "abstract", "dc.creator": "organisation"}
    some = chooser.sample(world.records, 200)
    texts = [each.fields.title for each in some] + [word for each in some for word in each.fields.keywords[:2]]
    texts += [word for each in some for word in each.fields.organisations[:1]]
    runs = [pieces[start : start + 2] for text in texts if (pieces := search_terms.pieces(text)) for start in (0, 1)]
    usable = [run for run in runs if any(piece not in search_terms.STOP_WORDS for piece in run)]

    def make(index: str, relation: str, run: list[str]) -> Asked:
        name = fields[index]
        if relation == "adj":
            return Asked(f"{index} adj {quoted(' '.join(run))}", lambda each: world.matches(WordsIn(name, " ".join(run), True), each))  # fmt: skip
        decide = any if relation == "any" else all
        asked = [piece for piece in run if piece not in search_terms.STOP_WORDS]
        return Asked(
            f"{index} {relation} {quoted(' '.join(run))}",
            lambda each: decide(world.matches(WordsIn(name, piece), each) for piece in asked),
        )

    return st.builds(
        make, st.sampled_from(sorted(fields)), st.sampled_from(["=", "all", "any", "adj"]), st.sampled_from(usable)
    )


def of_values(world: World) -> st.SearchStrategy[Asked]:
    indexes = {
        "dc.type": "type",
        "dc.language": "language",
        "wis.policy": "policy",
        "wis.centre": "centre",
        "wis.keyword": "keyword",
        "wis.category": "category",
        "wis.organisation": "organisation",
    }
    values = {
        index: sorted({value for each in world.records for value in world.values(name, each) if value.strip()})
        for index, name in indexes.items()
    }

    def make(index: str) -> st.SearchStrategy[Asked]:
        def asked(value: str, relation: str) -> Asked:
            holds = Is(indexes[index], (value,))
            return Asked(
                f"{index} {relation} {quoted(value)}",
                lambda each: world.matches(holds, each) == (relation == "="),
            )

        return st.builds(asked, st.sampled_from(values[index]), st.sampled_from(["=", "<>"]))

    return st.sampled_from(sorted(indexes)).flatmap(make)


def of_places_and_times(world: World) -> st.SearchStrategy[Asked]:
    def box(west: int, east: int, latitudes: tuple[int, int]) -> Asked:
        south, north = sorted(latitudes)
        condition = Meets(west, south, east, north)
        return Asked(f'wis.box = "{west} {south} {east} {north}"', lambda each: world.matches(condition, each))

    def period(one: date, other: date) -> tuple[str, datetime, datetime]:
        first, last = sorted((one, other))
        begins = datetime(first.year, first.month, first.day, tzinfo=UTC)
        ends = datetime(last.year, last.month, last.day, tzinfo=UTC) + timedelta(days=1, microseconds=-1)
        return f"{first.isoformat()}/{last.isoformat()}", begins, ends

    days = st.dates(date(1980, 1, 1), date(2022, 1, 1))
    periods = st.builds(period, days, days)
    latitudes, longitudes = st.integers(-90, 90), st.integers(-180, 180)
    return st.one_of(
        st.builds(box, longitudes, longitudes, st.tuples(latitudes, latitudes)),
        periods.map(lambda p: Asked(f'wis.time = "{p[0]}"', lambda each: world.matches(During(p[1], p[2]), each))),
        periods.map(lambda p: Asked(f'rec.creationDate = "{p[0]}"', lambda each: world.matches(MetadataDate(p[1], p[2]), each))),
        periods.map(lambda p: Asked(f'rec.lastModificationDate within "{p[0]}"', lambda each: world.matches(Changed(p[1], p[2]), each))),
    )  # fmt: skip


def queries(world: World) -> st.SearchStrategy[Asked]:
    chooser = random.Random(3)
    identifiers = [each.identifier for each in world.records]
    leaf = st.one_of(
        of_words(world, chooser),
        of_values(world),
        of_places_and_times(world),
        st.sampled_from(identifiers).map(
            lambda one: Asked(f"rec.identifier = {quoted(one)}", lambda each: world.matches(Among((one,)), each))
        ),
        st.just(Asked(f"wis.set = {TOULOUSE.spec}", lambda each: world.matches(InSet(TOULOUSE.spec), each))),
        st.just(Asked("cql.allRecords = 1", lambda each: True)),
    )

    def combined(one: Asked, operator: str, other: Asked) -> Asked:
        decide = {
            "and": lambda each: one.holds(each) and other.holds(each),
            "or": lambda each: one.holds(each) or other.holds(each),
            "not": lambda each: one.holds(each) and not other.holds(each),
        }[operator]
        return Asked(f"({one.query}) {operator} ({other.query})", decide)

    operators = st.sampled_from(["and", "or", "not"])
    return st.recursive(leaf, lambda inner: st.builds(combined, inner, operators, inner), max_leaves=4)


def test_every_query_finds_what_a_naive_filter_finds(client: Client, db: None) -> None:
    world = World(each=3)
    strategy = queries(world)

    @hypothesis_settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def find(asked: Asked) -> None:
        assume(len(asked.query) < 3000)
        found = walk(client, asked.query)
        assert sorted(found) == sorted(each.identifier for each in world.records if asked.holds(each)), asked.query

    find()
    assert len(walk(client, "cql.allRecords = 1")) == len(world.records)
