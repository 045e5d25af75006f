"""Every filter of CSW, as XML and as CQL, finds what a naive filter in Python finds among all real records."""

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from xml.sax.saxutils import escape

import pytest
from django.test import Client
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue.documents import search_terms
from catalogue.reading.query.conditions import Among, Compare, Is, IsNull, Like, Meets, Words, WordsIn
from tests.support import csw_answers
from tests.support.csw_answers import comparison, envelope, get_records, needs_packages
from tests.support.naive_search import Naive, World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("patient_searches"), needs_packages]


class Asked(NamedTuple):
    """A filter as XML and as CQL, and what it says of a record."""

    xml: str
    cql: str
    holds: Callable[[Naive], bool]


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def compared(name: str, sign: str, prop: str, text: str, holds: Callable[[Naive], bool]) -> Asked:
    return Asked(comparison(name, prop, [escape(text)]), f"{prop} {sign} {quoted(text)}", holds)


def like(prop: str, inside: str, holds: Callable[[Naive], bool], *, ignores_case: bool = False) -> Asked:
    """What contains a text; in CQL no letters are alike, so there it is another comparison."""
    in_xml = inside.replace("!", "!!").replace("*", "!*").replace("#", "!#")
    attributes = f' wildCard="*" singleChar="#" escapeChar="!" matchCase="{str(not ignores_case).lower()}"'
    in_cql = inside.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    xml = comparison("PropertyIsLike", prop, [escape(f"*{in_xml}*")], attributes)
    return Asked(xml, "" if ignores_case else f"{prop} LIKE {quoted(f'%{in_cql}%')}", holds)


SIGNS = {
    "PropertyIsEqualTo": "=",
    "PropertyIsNotEqualTo": "<>",
    "PropertyIsLessThan": "<",
    "PropertyIsGreaterThan": ">",
    "PropertyIsLessThanOrEqualTo": "<=",
    "PropertyIsGreaterThanOrEqualTo": ">=",
}


def of_texts(world: World, chooser: random.Random) -> st.SearchStrategy[Asked]:
    properties = {"dc:title": "title", "dct:abstract": "abstract", "apiso:Identifier": "id", "Type": "type", "dc:language": "language", "dc:rights": "policy"}  # fmt: skip
    some = chooser.sample(world.records, 100)

    def make(prop: str, name: str, each: Naive) -> Asked:
        field, sign = properties[prop], SIGNS[name]
        text = str(world.value(field, each) or "x").strip()[:300]
        if sign == "<>":
            return compared(name, sign, prop, text, lambda one: not world.matches(Compare(field, "=", text), one))
        return compared(name, sign, prop, text, lambda one: world.matches(Compare(field, sign, text), one))

    def make_like(prop: str, each: Naive, ignores_case: bool) -> Asked:
        field = properties[prop]
        text = str(world.value(field, each) or "x").strip()[2:9].strip(" %") or "x"
        pattern = text.upper() if ignores_case else text
        return like(prop, pattern, lambda one: world.matches(Like(field, f"%{pattern}%", ignores_case), one), ignores_case=ignores_case)  # fmt: skip

    def make_null(prop: str) -> Asked:
        xml = f"<ogc:PropertyIsNull><ogc:PropertyName>{prop}</ogc:PropertyName></ogc:PropertyIsNull>"
        return Asked(xml, f"{prop} IS NULL", lambda one: world.matches(IsNull(properties[prop]), one))

    names, records = st.sampled_from(sorted(properties)), st.sampled_from(some)
    return st.one_of(
        st.builds(make, names, st.sampled_from(sorted(SIGNS)), records),
        st.builds(make_like, names, records, st.booleans()),
        names.map(make_null),
    )


def of_words(world: World, chooser: random.Random) -> st.SearchStrategy[Asked]:
    vocabulary = sorted({word.folded for each in world.records for words in each.words for word in words})
    words = [word for word in chooser.sample(vocabulary, 400) if word.isalpha() and len(word.encode()) > 3]
    keywords = sorted({value for each in world.records for value in each.fields.keywords if value.strip() == value})
    parts = sorted({piece for text in chooser.sample(keywords, 80) for piece in search_terms.pieces(text)} - search_terms.STOP_WORDS)  # fmt: skip
    centres = sorted({value for each in world.records for value in each.fields.organisations if value.strip() == value})
    return st.one_of(
        st.sampled_from(words).map(
            lambda word: like("csw:AnyText", word, lambda each: world.matches(Words(word), each))
        ),
        st.sampled_from(parts).map(
            lambda word: like("dc:subject", word, lambda each: world.matches(WordsIn("subject", word), each))
        ),
        st.sampled_from(keywords).map(
            lambda text: compared("PropertyIsEqualTo", "=", "dc:subject", text, lambda each: world.matches(Is("keyword", (text,)), each) or world.matches(Is("category", (text,)), each))
        ),
        st.sampled_from(centres).map(
            lambda text: compared("PropertyIsNotEqualTo", "<>", "apiso:OrganisationName", text, lambda each: not world.matches(Is("organisation", (text,)), each))
        ),
        st.sampled_from([each.identifier for each in world.records]).map(
            lambda text: compared("PropertyIsEqualTo", "=", "AnyText", text, lambda each: world.matches(Among((text,)), each))
        ),
    )  # fmt: skip


def of_places(world: World) -> st.SearchStrategy[Asked]:
    def make(west: int, east: int, latitudes: tuple[int, int], form: int) -> Asked:
        south, north = sorted(latitudes)
        place = envelope(west, south, east, north)
        if form == 1:  # latitude first
            place = envelope(south, west, north, east, ' srsName="urn:ogc:def:crs:EPSG::4326"')
        inside = f"<ogc:PropertyName>ows:BoundingBox</ogc:PropertyName>{place}"
        return Asked(
            f"<ogc:BBOX>{inside}</ogc:BBOX>" if form < 2 else f"<ogc:Intersects>{inside}</ogc:Intersects>",
            f"BBOX(ows:BoundingBox, {west}, {south}, {east}, {north})",
            lambda each: world.matches(Meets(west, south, east, north), each),
        )

    longitudes, latitudes = st.integers(-180, 180), st.integers(-90, 90)
    return st.builds(make, longitudes, longitudes, st.tuples(latitudes, latitudes), st.integers(0, 2))


def holds_of(begins: datetime | None, ends: datetime | None, sign: str, day: datetime) -> bool:
    """Compare an instant that lies between two, both of the same sort, with a day; None: before, or after, all."""
    last = day + timedelta(days=1, microseconds=-1)
    low, high = begins or datetime.min.replace(tzinfo=UTC), ends or datetime.max.replace(tzinfo=UTC)
    return {"<": low < day, ">": high > last, "<=": low <= last, ">=": high >= day, "=": low <= last and high >= day}[
        sign
    ]


def of_times(world: World) -> st.SearchStrategy[Asked]:
    def make(prop: str, name: str, day: date) -> Asked:
        sign, start = SIGNS[name], datetime(day.year, day.month, day.day, tzinfo=UTC)

        def holds(each: Naive) -> bool:
            fields = each.fields
            if prop == "dct:modified":
                return fields.metadata_date is not None and holds_of(fields.metadata_date, fields.metadata_date, sign, start)  # fmt: skip
            first, last = fields.begins, fields.ends
            if first is None and last is None:
                return False
            if first is not None and last is not None and first > last:
                first, last = last, first
            if prop == "apiso:TempExtent_begin":
                first = first or datetime.min.replace(tzinfo=UTC)
                return holds_of(first, first, sign, start)
            last = last or datetime.max.replace(tzinfo=UTC)
            return holds_of(last, last, sign, start)

        return compared(name, sign, prop, day.isoformat(), holds)

    def between(one: date, other: date) -> Asked:
        low, high = sorted((one, other))
        lower = make("dct:modified", "PropertyIsGreaterThanOrEqualTo", low)
        upper = make("dct:modified", "PropertyIsLessThanOrEqualTo", high)
        xml = "".join(f"<ogc:{side}><ogc:Literal>{day}</ogc:Literal></ogc:{side}>" for side, day in (("LowerBoundary", low), ("UpperBoundary", high)))  # fmt: skip
        return Asked(
            f"<ogc:PropertyIsBetween><ogc:PropertyName>dct:modified</ogc:PropertyName>{xml}</ogc:PropertyIsBetween>",
            f"dct:modified BETWEEN '{low}' AND '{high}'",
            lambda each: lower.holds(each) and upper.holds(each),
        )

    days = st.dates(date(1980, 1, 1), date(2022, 1, 1))
    names = st.sampled_from([name for name in SIGNS if name != "PropertyIsNotEqualTo"])
    properties = st.sampled_from(["dct:modified", "apiso:TempExtent_begin", "apiso:TempExtent_end"])
    return st.builds(make, properties, names, days) | st.builds(between, days, days)


def filters(world: World) -> st.SearchStrategy[Asked]:
    chooser = random.Random(7)
    leaf = st.one_of(of_texts(world, chooser), of_words(world, chooser), of_places(world), of_times(world))

    def combined(parts: list[Asked], operator: str) -> Asked:
        decide = all if operator == "And" else any
        cql = f" {operator} ".join(f"({part.cql})" for part in parts) if all(part.cql for part in parts) else ""
        xml = f"<ogc:{operator}>{''.join(part.xml for part in parts)}</ogc:{operator}>"
        return Asked(xml, cql, lambda each: decide(part.holds(each) for part in parts))

    def negated(part: Asked) -> Asked:
        return Asked(f"<ogc:Not>{part.xml}</ogc:Not>", part.cql and f"NOT ({part.cql})", lambda each: not part.holds(each))  # fmt: skip

    several = lambda inner: st.lists(inner, min_size=2, max_size=3)  # noqa: E731 (a strategy of one line)
    return st.recursive(
        leaf,
        lambda inner: st.builds(combined, several(inner), st.sampled_from(["And", "Or"])) | st.builds(negated, inner),
        max_leaves=4,
    )


def walk(client: Client, constraint: str) -> list[str]:
    found: list[str] = []
    start = 1
    while start:
        sent = get_records(constraint, start=start)
        answer = csw_answers.read(client.post("/csw", sent, content_type="text/xml").content)
        assert answer.codes == [], (constraint, answer.texts(".//ows:ExceptionText"))
        assert answer.returned == len(answer.records)
        found += answer.identifiers
        start = answer.following
    assert answer.matched == len(found)
    return found


def test_every_filter_finds_what_a_naive_filter_finds(client: Client, db: None) -> None:
    world = World(each=3)
    strategy = filters(world)

    @hypothesis_settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategy, st.booleans())
    def find(asked: Asked, in_cql: bool) -> None:
        assume(len(asked.cql) < 3000)
        as_cql = f"<csw:CqlText>{escape(asked.cql)}</csw:CqlText>"
        constraint = as_cql if in_cql and asked.cql else f"<ogc:Filter>{asked.xml}</ogc:Filter>"
        found = walk(client, constraint)
        assert sorted(found) == sorted(each.identifier for each in world.records if asked.holds(each)), constraint

    find()
    assert len(walk(client, "")) == len(world.records)
