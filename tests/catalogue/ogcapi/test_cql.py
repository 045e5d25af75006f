"""CQL2 becomes the condition that it says, NOT of the unknown is unknown, and no filter breaks the parser or the process."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue.discovery.ogcapi import cql
from catalogue.discovery.ogcapi.problems import Problem
from catalogue.reading.query import conditions
from catalogue.reading.query.conditions import All, Among, Any, Compare, During, Is, IsNull, Like, Meets, Not
from tests.support.paths import ROOT

JULY = datetime(2020, 7, 31, tzinfo=UTC)
END_OF_JULY = datetime(2020, 7, 31, 23, 59, 59, 999999, tzinfo=UTC)
NOON = datetime(2020, 7, 31, 12, tzinfo=UTC)
WORLD = Meets(-180, -90, 180, 90)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("title = 'Sea'", Compare("title", "=", "Sea")),
        ("title <> 'Sea'", Compare("title", "<>", "Sea")),
        ("'Sea' < title", Compare("title", ">", "Sea")),
        ("NOT title > 'Sea'", Compare("title", "<=", "Sea")),
        ("title = 'it''s'", Compare("title", "=", "it's")),
        ("type = 'dataset'", Is("type", ("dataset",))),
        ("type <> 'dataset'", All((Not(IsNull("type")), Not(Is("type", ("dataset",)))))),
        ("type = ''", Compare("type", "=", "")),
        ("id = 'urn:a'", All((Among(("urn:a",)), Compare("id", "=", "urn:a")))),
        ("type IN ('a', 'b')", Any((Is("type", ("a",)), Is("type", ("b",))))),
        ("title LIKE 'Sea%'", Like("title", "Sea%")),
        ("title NOT LIKE 'Sea%'", All((Not(IsNull("title")), Not(Like("title", "Sea%"))))),
        ("CASEI(title) LIKE CASEI('sea%')", Like("title", "sea%", ignores_case=True)),
        ("CASEI(title) = CASEI('50%_')", Like("title", "50\\%\\_", ignores_case=True)),
        ("description IS NULL", IsNull("abstract")),
        ("description IS NOT NULL", Not(IsNull("abstract"))),
        ("keywords IS NULL", IsNull("keyword")),
        ("geometry IS NULL", Not(WORLD)),
        ("time IS NOT NULL", During(None, None)),
        ("A_CONTAINS(keywords, ('a', 'b'))", All((Is("keyword", ("a",)), Is("keyword", ("b",))))),
        ("A_OVERLAPS(keywords, ('a', 'b'))", Is("keyword", ("a", "b"))),
        ("NOT A_OVERLAPS(keywords, ('a'))", Not(Is("keyword", ("a",)))),
        ("updated = DATE('2020-07-31')", All((Compare("updated", ">=", JULY), Compare("updated", "<=", END_OF_JULY)))),
        ("updated > DATE('2020-07-31')", Compare("updated", ">", END_OF_JULY)),
        ("updated >= DATE('2020-07-31')", Compare("updated", ">=", JULY)),
        ("updated < TIMESTAMP('2020-07-31T12:00:00Z')", Compare("updated", "<", NOON)),
        ("created BETWEEN DATE('2020-07-31') AND DATE('2020-07-31')", All((Compare("created", ">=", JULY), Compare("created", "<=", END_OF_JULY)))),
        ("T_AFTER(updated, TIMESTAMP('2020-07-31T12:00:00Z'))", All((Compare("updated", ">", NOON),))),
        ("T_BEFORE(updated, DATE('2020-07-31'))", All((Compare("updated", "<", JULY),))),
        ("T_DURING(updated, INTERVAL('2020-07-31', '..'))", All((Compare("updated", ">", JULY),))),
        ("T_INTERSECTS(time, INTERVAL('2020-07-31', '2020-07-31'))", During(JULY, END_OF_JULY)),
        ("NOT T_INTERSECTS(time, INTERVAL('2020-07-31', '..'))", All((During(None, None), Not(During(JULY, None))))),
        ("S_INTERSECTS(geometry, BBOX(-10, -5, 10, 5))", Meets(-10, -5, 10, 5)),
        ("S_INTERSECTS(geometry, BBOX(170, -5, 0, -170, 5, 100))", Meets(170, -5, -170, 5)),
        ("S_INTERSECTS(POINT(7 50), geometry)", Meets(7, 50, 7, 50)),
        ("S_INTERSECTS(geometry, POLYGON((0 0, 2 0, 2 1, 0 1, 0 0)))", Meets(0, 0, 2, 1)),
        ("NOT S_INTERSECTS(geometry, BBOX(-10, -5, 10, 5))", All((WORLD, Not(Meets(-10, -5, 10, 5))))),
        ("TRUE", All()),
        ("NOT TRUE", Any(())),
        ("title = 'a' OR NOT (title = 'b' AND title = 'c')", Any((Compare("title", "=", "a"), Any((Compare("title", "<>", "b"), Compare("title", "<>", "c")))))),
    ],
)  # fmt: skip
def test_a_filter_is_read_as_the_condition_that_it_says(text: str, condition: conditions.Condition) -> None:
    assert cql.read(text, cql.TEXT) == condition


def test_json_says_the_same_as_text() -> None:
    text = "title LIKE 'Sea%' AND NOT type IN ('series', 'service')"
    inner = {"op": "in", "args": [{"property": "type"}, ["series", "service"]]}
    like = {"op": "like", "args": [{"property": "title"}, "Sea%"]}
    whole = json.dumps({"op": "and", "args": [like, {"op": "not", "args": [inner]}]})
    assert cql.read(whole, cql.JSON) == cql.read(text, cql.TEXT)


@pytest.mark.parametrize(
    "text",
    [
        "title = 'a'", "title <> 'a'", "type = 'a'", "type <> 'a'", "title LIKE 'a'", "title NOT LIKE 'a'", "type IN ('a')",
        "CASEI(title) <> CASEI('a')", "S_INTERSECTS(geometry, POINT(1 1))", "T_INTERSECTS(time, DATE('2020-01-01'))",
        "geometry IS NULL", "keywords IS NOT NULL", "updated <> DATE('2020-01-01')", "NOT type = 'a' OR title < 'b'",
    ],
)  # fmt: skip
def test_what_is_denied_twice_is_what_it_was(text: str) -> None:
    """Else a record without a value, of which neither is true, would be let in."""
    assert cql.read(f"NOT (NOT ({text}))", cql.TEXT) == cql.read(text, cql.TEXT)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no CQL2 text"),
        ("title = 'a' AND", "no CQL2 text"),
        ("color = 'red'", "property “color”"),
        ("title = 1", "a text in quotes"),
        ("title = NULL", "a text in quotes"),
        ("title = description", "a text in quotes"),
        ("1 = 1", "no property"),
        ("updated > 'yesterday'", "a time has to be"),
        ("updated = INTERVAL('..', '..')", "a time has to be"),
        ("T_INTERSECTS(time, INTERVAL('2020-07-31', '2019-01-01'))", "a time has to be"),
        ("T_AFTER(time, DATE('2020-07-31'))", "goes with time"),
        ("T_DISJOINT(time, DATE('2020-07-31'))", "operator “t_disjoint”"),
        ("keywords = 'a'", "A_CONTAINS"),
        ("geometry = 'a'", "S_INTERSECTS"),
        ("A_CONTAINS(title, ('a'))", "no list"),
        ("S_INTERSECTS(title, POINT(1 1))", "only geometry"),
        ("S_INTERSECTS(geometry, BBOX(0, 50, 10, 40))", "none of these"),
        ("S_INTERSECTS(geometry, BBOX(0, 50, 10, 95))", "none of these"),
        ("S_INTERSECTS(geometry, POLYGON((0 0, 1 0, 2 1, 0 1, 0 0)))", "none of these"),
        ("S_INTERSECTS(geometry, POLYGON((0 0, 1 1, 1 0, 0 1, 0 0)))", "none of these"),
        ("S_WITHIN(geometry, POINT(1 1))", "operator “s_within”"),
        ("CASEI(title) = 'a'", "on one side alone"),
        ("CASEI(title) < CASEI('a')", "CASEI with <"),
        ("CASEI(updated) = CASEI('a')", "no text"),
        ("updated LIKE 'a'", "LIKE with updated"),
        ("title LIKE 'a\\'", "ends with a backslash"),
        ("ACCENTI(title) = ACCENTI('a')", "no property"),
        ("title = 'a' + 'b'", "a text in quotes"),
        ("foo(title)", "operator “foo”"),
        ("title", "a condition has to be"),
        ("'title'", "a condition has to be"),
        ("title = 'a\0'", "NUL"),
        ("title = '" + "x" * 4000 + "'", "longer than 4000"),
        ("(" * 7 + "title = 'a'" + ")" * 7, "brackets within one another"),
        (" OR ".join(["id='a'"] * 60), "more than 100 comparisons"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_filter_is_told(text: str, said: str) -> None:
    with pytest.raises(Problem) as refused:
        cql.read(text, cql.TEXT)
    assert said in str(refused.value)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "1", '"a"', "{}", '{"op": "and", "args": []}', '{"op": "not", "args": [true, true]}',
     '{"op": "=", "args": [{"property": "title"}, "\\ud800"]}', '{"op": "=", "args": [{"property": "title"}, "\\u0000"]}',
     '{"op": "=", "args": [{"property": ["title"]}, "a"]}', '{"op": "isNull", "args": []}', '{"op": ["="], "args": []}',
     '{"op": "s_intersects", "args": [{"property": "geometry"}, {"bbox": [NaN, 0, 1, 1]}]}',
     '{"op": "s_intersects", "args": [{"property": "geometry"}, {"bbox": ["x"]}]}',
     '{"op": "s_intersects", "args": [{"property": "geometry"}, {"bbox": 5}]}',
     '{"op": "s_intersects", "args": [{"property": "geometry"}, {"type": "Polygon", "coordinates": 5}]}',
     '{"op": "s_intersects", "args": [{"property": "geometry"}, {"type": "Point", "coordinates": [1e999, 0]}]}',
     '{"op": "t_intersects", "args": [{"property": "time"}, {"interval": [1, 2, 3]}]}',
     '{"op": "t_intersects", "args": [{"property": "time"}, {"interval": [{"property": "updated"}, ".."]}]}',
     '{"op": "in", "args": [{"property": "type"}, []]}', '{"op": "casei", "args": []}',
     '{"op": "=", "args": [{"op": "casei", "args": []}, {"op": "casei", "args": []}]}',
     '{"op": "not", "args": [' * 20 + "true" + "]}" * 20, "[" * 3000, '{"a":' * 700],
)  # fmt: skip
def test_json_that_is_no_filter_is_refused(text: str) -> None:
    with pytest.raises(Problem):
        cql.read(text, cql.JSON)


PIECES = ["title", "keywords", "updated", "geometry", "time", "=", "<>", "<", "'a'", "1", "(", ")", "AND", "OR", "NOT", "IN", "LIKE", "IS NULL", "BETWEEN", "CASEI(", "A_CONTAINS(", "S_INTERSECTS(", "BBOX(1,2,3,4)", "POINT(1 2)", "DATE('2020-01-01')", "INTERVAL('..','2020-01-01')", "T_INTERSECTS(", ",", "TRUE", "\"", "'", "%", "é", "全"]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.sampled_from(["title", "2020-01-01", ".."]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.builds(lambda op, args: {"op": op, "args": args}, st.sampled_from([*cql._READERS, "and", "or", "not", "casei", "x"]), st.lists(inner, max_size=3))
        | st.sampled_from(list(cql.QUERYABLES)).map(lambda name: {"property": name})
        | st.builds(lambda name, part: {name: part}, st.sampled_from(["bbox", "interval", "date", "timestamp", "coordinates", "type"]), inner)
    ),
    max_leaves=15,
)  # fmt: skip


@hypothesis_settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join) | st.text(max_size=80))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    try:
        assert isinstance(cql.read(text, cql.TEXT), conditions.Condition)
    except Problem as problem:
        str(problem)


@hypothesis_settings(max_examples=400, deadline=None)
@given(JSON)
def test_any_json_is_a_condition_or_refused(value: object) -> None:
    try:
        assert isinstance(cql.read(json.dumps(value), cql.JSON), conditions.Condition)
    except Problem as problem:
        str(problem)


# What makes the parser recurse, or try again and again. In a child: it could end the process.
_HOSTILE = """
import threading
from django.conf import settings
settings.configure(USE_I18N=False)
from catalogue.discovery.ogcapi import cql
from catalogue.discovery.ogcapi.problems import Problem

most = cql.LIMITS.in_force.characters
deep = cql.LIMITS.in_force.brackets
openings = ("(", "NOT ", "NOT (", "-", "-(", "f(", "f((", "1=(", "a in (", "a in ((", "a between (", "casei(", "2^", "2^(", "1 = ",
            "a < ", "1+", "1+(", "POLYGON((", "GEOMETRYCOLLECTION(", "a_contains(a, (", "interval(", "BBOX(", '"', "'", "a.", "a OR ", "x is null ")
middles = ("a=1", "a=1 or " * 200, "a in ('x','y') or " * 100, "1," * 1000, "'" + "x" * 1900 + "'", "$", "not " * 500, "")
texts = []
for opening in openings:
    for middle in middles:
        for often in (deep, most // len(opening), 50_000):
            for closing in ("", ")" * often, "$"):
                texts += [opening * often + middle + closing, (opening * often + middle)[:most - 1] + closing[:1]]
texts += ['{"op":"not","args":[' * often for often in (10, 100, 10_000)] + ["[" * 100_000]

def read_all():
    for text in texts:
        for language in cql.LANGUAGES:
            try:
                cql.read(text, language)
            except Problem:
                pass
    print("all", len(texts))

thread = threading.Thread(target=read_all)  # as requests are answered
thread.start()
thread.join()
"""


def test_hostile_filters_neither_end_nor_hold_up_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _HOSTILE], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("all ")
