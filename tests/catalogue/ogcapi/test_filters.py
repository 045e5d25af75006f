"""Every parameter, alone and combined, finds what a naive filter in Python finds among all real records; pages stay whole."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from django.test import Client
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue.documents import search_terms
from catalogue.documents.languages import language_code
from catalogue.models import Record
from catalogue.reading.query.conditions import During, Meets, Phrase, Words
from tests.support.naive_search import Naive, World
from tests.support.world import TOULOUSE, bury, in_language, iso_record, put, restamp_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("patient_searches")]
ITEMS = "/ogcapi/collections/{}/items"
Holds = Callable[[Naive], bool | None]


class Asked(NamedTuple):
    """A text of a request, and what it says of a record; None: that this is not known."""

    text: str
    holds: Holds


@pytest.fixture
def world(db: None) -> World:
    return World(each=3)  # the query language below is tried with all of them


def walk(client: Client, spec: str = "WIS-CATALOGUE", limit: int = 500, **parameters: str) -> list[str]:
    """The ids of all pages."""
    found: list[str] = []
    address, arguments = ITEMS.format(spec), {**parameters, "limit": str(limit)}
    while True:
        answer = client.get(address, arguments or None)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        ids = [feature["id"] for feature in page["features"]]
        assert page["numberReturned"] == len(ids)
        found += ids
        following = [link["href"] for link in page["links"] if link["rel"] == "next"]
        if not following:
            assert page["numberMatched"] == len(found)
            return found
        address, arguments = following[0].removeprefix("http://testserver"), {}


# --- Query parameters -----------------------------------------------------------------------------------


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _term(world: World, term: str, each: Naive) -> bool:
    pieces = search_terms.pieces(term)
    if " " in term.strip() or len(pieces) > 1 and not all(map(search_terms.is_unspaced, pieces)):
        return world.matches(Phrase(term), each) or each.identifier == term
    return world.matches(Words(term), each)


def degrees(low: float, high: float) -> st.SearchStrategy[float]:
    return st.integers(int(low * 2), int(high * 2)).map(lambda half: half / 2)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[float, float, float, float]:
    south, north = sorted((draw(degrees(-90, 90)), draw(degrees(-90, 90))))
    return draw(degrees(-180, 180)), south, draw(degrees(-180, 180)), north


DATES = st.dates(datetime(1950, 1, 1).date(), datetime(2025, 1, 1).date())


@st.composite
def periods(draw: st.DrawFn) -> tuple[str, str, During]:
    """The two ends of an interval as they are written, and the condition."""
    begins, ends = sorted((draw(DATES), draw(DATES)))
    first = datetime(begins.year, begins.month, begins.day, tzinfo=UTC)
    last = datetime(ends.year, ends.month, ends.day, tzinfo=UTC) + timedelta(days=1, microseconds=-1)
    texts = begins.isoformat(), ends.isoformat()
    match draw(st.integers(0, 3)):
        case 0:
            return "..", texts[1], During(None, last)
        case 1:
            return texts[0], "..", During(first, None)
        case 2:
            return f"{texts[0]}T00:00:00+00:00", f"{texts[1]}t23:59:59.999999z", During(first, last)
    return *texts, During(first, last)


def parameters(world: World) -> dict[str, st.SearchStrategy[Asked]]:
    """A strategy for each parameter of the request that narrows it."""
    chooser = random.Random(2)
    vocabulary = sorted({word.folded for each in world.records for words in each.words for word in words})
    words = st.sampled_from(chooser.sample(vocabulary, 300) + ["sea", "temperature", "données", "降水", "氷"])
    titles = [each.fields.title.split() for each in world.records if len(each.fields.title.split()) > 3]
    phrases = st.sampled_from(titles).map(lambda parts: " ".join(parts[1:3]).replace(",", ""))
    terms = st.lists(words | phrases, min_size=1, max_size=3)
    identifiers = st.lists(st.sampled_from([each.identifier for each in world.records]), min_size=1, max_size=4)

    def of_values(field: str) -> st.SearchStrategy[Asked]:
        values = sorted(
            {value for each in world.records for value in world.values(field, each) if value and "," not in value}
        )
        return st.lists(st.sampled_from([*values, "none"]), min_size=1, max_size=3).map(
            lambda some: Asked(",".join(some), lambda each: bool(set(some) & world.values(field, each)))
        )

    def of_identifiers(begin: str) -> st.SearchStrategy[Asked]:
        return identifiers.map(
            lambda some: Asked(",".join(f"{begin}{one}" for one in some), lambda each: each.identifier in some)
        )

    return {
        "q": terms.map(lambda some: Asked(",".join(some), lambda each: any(_term(world, term, each) for term in some))),
        "bbox": boxes().map(lambda box: Asked(",".join(map(str, box)), lambda each: world.matches(Meets(*box), each))),
        "datetime": periods().map(lambda period: Asked("/".join(period[:2]), lambda each: world.matches(period[2], each))),
        "ids": of_identifiers(""),
        "externalIds": of_identifiers("fileIdentifier:") | of_identifiers(""),
        "type": of_values("type"),
        "dataPolicy": of_values("policy"),
        "centre": of_values("centre"),
        "organisations": of_values("organisation"),
        "keywords": of_values("keyword"),
        "categories": of_values("category"),
        "filter": filters(world),
    }  # fmt: skip


# --- CQL2, decided naively, with three values -----------------------------------------------------------


def _and(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _not(one: bool | None) -> bool | None:
    return None if one is None else not one


def _or(one: bool | None, other: bool | None) -> bool | None:
    return _not(_and(_not(one), _not(other)))


FIELDS = {"id": "id", "title": "title", "description": "abstract", "type": "type", "language": "language", "dataPolicy": "policy", "centre": "centre"}  # fmt: skip
LISTS = {"keywords": "keyword", "categories": "category", "organisations": "organisation"}
COMPARE: dict[str, Callable] = {
    "=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def _are_one_language(one: str, other: str) -> bool:
    return language_code(one) == language_code(other)


def filters(world: World) -> st.SearchStrategy[Asked]:
    chooser = random.Random(3)

    def some_values(field: str) -> list[str]:
        fitting = sorted(
            value for value in {str(world.value(field, each)) for each in world.records} if value and len(value) < 300
        )
        return chooser.sample(fitting, min(len(fitting), 150))

    values = {name: some_values(field) for name, field in FIELDS.items()}
    in_lists = {
        name: sorted({value for each in world.records for value in world.values(field, each)})
        for name, field in LISTS.items()
    }

    def of_text(name: str) -> st.SearchStrategy[Asked]:
        some = st.sampled_from([*values[name], "en", "fr", "English"] if name == "language" else values[name])
        equals = _are_one_language if name == "language" else str.__eq__

        def compare(op: str, own: str, value: str) -> bool:
            if op in ("=", "<>"):
                return equals(own, value) == (op == "=")
            return COMPARE[op](own, value)

        def known(each: Naive, decide: Callable[[str], bool]) -> bool | None:
            own = world.value(FIELDS[name], each)
            return decide(own) if own else None

        return st.one_of(
            st.builds(
                lambda op, value: Asked(f"{name} {op} {quoted(value)}", lambda each: known(each, lambda own: compare(op, own, value))),
                st.sampled_from(sorted(COMPARE)), some,
            ),
            some.map(lambda value: Asked(f"{name} LIKE {quoted('%' + value[2:5].replace(chr(92), '').replace('%', '').replace('_', '') + '%')}",
                     lambda each: known(each, lambda own: value[2:5].replace("\\", "").replace("%", "").replace("_", "") in own))),
            some.map(lambda value: Asked(f"CASEI({name}) = CASEI({quoted(value.upper())})",
                     lambda each: known(each, lambda own: equals(own.lower(), value.upper().lower())))).filter(lambda asked: asked.text.isascii()),
            st.lists(some, min_size=1, max_size=3).map(
                lambda several: Asked(f"{name} IN ({', '.join(map(quoted, several))})", lambda each: known(each, lambda own: any(equals(own, value) for value in several)))
            ),
            st.just(Asked(f"{name} IS NULL", lambda each: not world.value(FIELDS[name], each))),
        )  # fmt: skip

    def of_list(name: str) -> st.SearchStrategy[Asked]:
        return st.builds(
            lambda op, several: Asked(
                f"{op}({name}, ({', '.join(map(quoted, several))}))",
                lambda each: (all if op == "A_CONTAINS" else any)(value in world.values(LISTS[name], each) for value in several),
            ),
            st.sampled_from(["A_CONTAINS", "A_OVERLAPS"]), st.lists(st.sampled_from(in_lists[name]), min_size=1, max_size=2),
        )  # fmt: skip

    def of_instant(name: str) -> st.SearchStrategy[Asked]:
        def holds(each: Naive, op: str, day: datetime) -> bool | None:
            own = each.record.datestamp if name == "updated" else each.fields.metadata_date
            return None if own is None else COMPARE[op](own.date(), day)

        return st.builds(
            lambda op, day: Asked(f"{name} {op} DATE('{day.isoformat()}')", lambda each: holds(each, op, day)),
            st.sampled_from(sorted(COMPARE)), DATES | st.just(datetime(2020, 8, 1).date()),
        )  # fmt: skip

    def in_place(box: tuple[float, float, float, float]) -> Asked:
        text = f"S_INTERSECTS(geometry, BBOX({', '.join(map(str, box))}))"
        return Asked(text, lambda each: world.matches(Meets(*box), each) if each.fields.boxes else None)

    def in_time(period: tuple[str, str, During]) -> Asked:
        text = f"T_INTERSECTS(time, INTERVAL('{period[0]}', '{period[1]}'))"
        return Asked(
            text, lambda each: world.matches(period[2], each) if each.fields.begins or each.fields.ends else None
        )

    leaf = st.one_of(
        *map(of_text, FIELDS),
        *map(of_list, LISTS),
        *map(of_instant, ("updated", "created")),
        boxes().map(in_place),
        periods().map(in_time),
    )
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds(lambda a, b: Asked(f"({a.text}) AND ({b.text})", lambda each: _and(a.holds(each), b.holds(each))), inner, inner),
            st.builds(lambda a, b: Asked(f"({a.text}) OR ({b.text})", lambda each: _or(a.holds(each), b.holds(each))), inner, inner),
            inner.map(lambda a: Asked(f"NOT ({a.text})", lambda each: _not(a.holds(each)))),
        ),
        max_leaves=3,
    )  # fmt: skip


def test_parameters_find_what_a_naive_filter_finds(world: World, client: Client) -> None:
    strategies = parameters(world)
    several = st.lists(st.sampled_from(sorted(strategies)), min_size=1, max_size=2, unique=True)
    requests = several.flatmap(lambda names: st.fixed_dictionaries({name: strategies[name] for name in names}))

    @hypothesis_settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        requests,
        st.sampled_from(["WIS-CATALOGUE", TOULOUSE.spec]),
        st.sampled_from(["", "-updated", "updated", "id", "-id"]),
    )
    def check(asked: dict[str, Asked], spec: str, order: str) -> None:
        assume(len(asked.get("filter", Asked("", bool)).text) < 4000)
        texts = {name: each.text for name, each in asked.items()} | ({"sortby": order} if order else {})
        found = walk(client, spec, **texts)
        expected = [
            each.identifier
            for each in world.records
            if spec in (each.spec, "WIS-CATALOGUE") and all(one.holds(each) is True for one in asked.values())
        ]
        assert sorted(found) == sorted(expected), texts

    check()


@pytest.mark.parametrize("name", ["q", "bbox", "datetime", "ids", "externalIds", "type", "keywords", "filter"])
def test_each_parameter_alone_finds_what_a_naive_filter_finds(world: World, client: Client, name: str) -> None:
    @hypothesis_settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(parameters(world)[name])
    def check(asked: Asked) -> None:
        found = walk(client, **{name: asked.text})
        assert sorted(found) == sorted(each.identifier for each in world.records if asked.holds(each) is True)

    check()


def test_a_language_is_found_by_the_code_that_its_records_and_facets_show(client: Client) -> None:
    put(
        *(
            in_language(iso_record(f"urn:x:{text}"), text)
            for text in ("eng", "en", "English", "eng; USA", "fre", "Klingon")
        )
    )
    path = "/ogcapi/collections/WIS-CATALOGUE/items"
    shown = {
        each["id"]: each["properties"]["language"]["code"]
        for each in client.get(path, {"limit": 100}).json()["features"]
    }
    assert set(shown.values()) == {"en", "fr", "und"}
    for code in ("en", "fr"):
        of_code = {name for name, its in shown.items() if its == code}
        for asked in (f"language = '{code}'", f"language IN ('{code}')", f"CASEI(language) = CASEI('{code.upper()}')"):
            assert set(walk(client, filter=asked)) == of_code, asked
        assert set(walk(client, filter=f"language <> '{code}'")) == set(shown) - of_code
    buckets = client.get(path, {"facets": "language"}).json()["facets"]["language"]["buckets"]
    assert {each["value"]: each["count"] for each in buckets} == {"en": 4, "fr": 1, "Klingon": 1}
    for each in buckets:
        assert len(walk(client, filter=f"language = '{each['value']}'")) == each["count"]
    assert walk(client, filter="language LIKE 'Eng%'") == ["urn:x:English"]


# --- Order and pages ------------------------------------------------------------------------------------


def test_records_come_in_the_order_that_is_asked_for(world: World, client: Client) -> None:
    stamps = dict(Record.objects.values_list("identifier", "datestamp"))
    keys = dict(Record.objects.values_list("identifier", "key"))
    newest = [stamps[one] for one in walk(client)]
    assert newest == sorted(newest, reverse=True)
    oldest = [stamps[one] for one in walk(client, sortby="+updated")]
    assert oldest == sorted(oldest)
    by_id = [keys[one].encode() for one in walk(client, sortby="id")]
    assert by_id == sorted(by_id)
    assert walk(client, sortby="-id") == walk(client, sortby="id,-updated")[::-1]


@pytest.mark.parametrize("sortby", ["-relevance", "-updated", "updated", "id"])
def test_what_does_not_change_comes_once_while_other_records_change(client: Client, sortby: str) -> None:
    names = [f"urn:x:{number:03}" for number in range(60)]
    put(*(iso_record(name, title=f"Sea ice {name}") for name in names))
    restamp_all({name: f"2020-01-{1 + number % 28:02}T00:00:00Z" for number, name in enumerate(names)})
    found: list[str] = []
    address = ITEMS.format("WIS-CATALOGUE") + f"?q=ice&limit=7&sortby={sortby}"
    changed = 0
    while address:
        page = client.get(address).json()
        found += [feature["id"] for feature in page["features"]]
        address = next((link["href"] for link in page["links"] if link["rel"] == "next"), "")
        if changed < 12:  # one is withdrawn, one changed, one added
            bury(names[changed])
            put(
                iso_record(names[changed + 1], title=f"Sea ice again {changed}"),
                iso_record(f"urn:y:{changed}", title="Ice"),
            )
            changed += 2
    unchanged = names[changed:]
    assert changed == 12
    assert sorted(one for one in found if one in unchanged) == unchanged
    assert len(found) == len(set(found)) or sortby == "updated", "only what changed may come again, as the last"
