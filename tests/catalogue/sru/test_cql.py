"""A query in CQL becomes the condition that it says; what is not had is refused with the standard's diagnostic; nothing breaks the parser."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue.discovery.sru import cql
from catalogue.discovery.sru.diagnostics import Diagnostic
from catalogue.reading.query.conditions import (
    All,
    Among,
    Any,
    Compare,
    Condition,
    During,
    InSet,
    Is,
    Like,
    Meets,
    Not,
    Phrase,
    Words,
    WordsIn,
)

JULY = datetime(2020, 7, 1, tzinfo=UTC)
END_OF_JULY = datetime(2020, 7, 31, 23, 59, 59, 999999, tzinfo=UTC)
END_OF_2020 = datetime(2020, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


def in_july(name: str) -> Condition:
    return All((Compare(name, ">=", JULY), Compare(name, "<=", END_OF_JULY)))


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("cql.allRecords = 1", All()),
        ("typhoon", Any((Among(("typhoon",)), All((Words('"typhoon"'),))))),
        ("typhoo*", All((Words("typhoo"),))),
        ('"sea-ice drift"', Any((Among(("sea-ice drift",)), All((All((Words('"sea"'), Words('"ice"'))), Words('"drift"')))))),
        ('cql.anywhere any "sea or ice"', Any((Among(("sea or ice",)), Any((Words('"sea"'), Words('"ice"')))))),
        ('anywhere adj "sea ice"', Phrase("sea ice")),
        ('dc.title = "The Sea"', All((WordsIn("title", "sea"),))),
        ('dc.title any "sea ice"', Any((WordsIn("title", "sea"), WordsIn("title", "ice")))),
        ('dc.title adj "sea ice"', WordsIn("title", "sea ice", are_adjacent=True)),
        ('dc.title == "Sea ice"', Compare("title", "=", "Sea ice")),
        ('dc.title =/string "Sea*"', Like("title", "Sea%")),
        (r'dc.title == "50\* 10%_?"', Like("title", r"50* 10\%\__")),
        ('DC.Title =/stem/relevant/cql.ignoreCase sea', All((WordsIn("title", "sea"),))),
        ("dc.subject = wind", All((WordsIn("subject", "wind"),))),
        ("dc.description = wind", All((WordsIn("abstract", "wind"),))),
        ("dc.creator = noaa", All((WordsIn("organisation", "noaa"),))),
        ("dc.type = dataset", All((Is("type", ("dataset",)),))),
        ('dc.type any "dataset series"', Any((Is("type", ("dataset",)), Is("type", ("series",))))),
        ("wis.policy <> WMOEssential", Not(All((Is("policy", ("WMOEssential",)),)))),
        ('rec.identifier = "urn:a"', Among(("urn:a",))),
        ('dc.identifier = "urn:a*"', Like("id", "urn:a%")),
        ("wis.set = WIS-GISC-TOKYO", All((InSet("WIS-GISC-TOKYO"),))),
        ('wis.box = "170 -5 -170 5"', Meets(170, -5, -170, 5)),
        ('wis.box within/partial "170, -5, -170, 5"', Meets(170, -5, -170, 5)),
        ('wis.time = "2020-07"', During(JULY, END_OF_JULY)),
        ('wis.time within/partial "2020-07 2020"', During(JULY, END_OF_2020)),
        ('wis.time = "2020-07-01/.."', During(JULY, None)),
        ('rec.lastModificationDate = "2020-07"', in_july("updated")),
        ('rec.lastModificationDate within "2020-07-01 2020-07-31"', in_july("updated")),
        ('rec.creationDate > "2020-07"', Compare("created", ">", END_OF_JULY)),
        ('rec.creationDate >= "2020-07-01T00:00:00Z"', Compare("created", ">=", JULY)),
        ('rec.creationDate < "2020-07"', Compare("created", "<", JULY)),
        ('> d = "info:srw/cql-context-set/1/dc-v1.1" d.type = dataset', All((Is("type", ("dataset",)),))),
        ('> "info:srw/cql-context-set/1/dc-v1.1" type = dataset', All((Is("type", ("dataset",)),))),
        ("dc.type = a and dc.type = b or dc.type = c", Any((All((All((Is("type", ("a",)),)), All((Is("type", ("b",)),)))), All((Is("type", ("c",)),))))),
        ("dc.type = a not (dc.type = b OR dc.type = c)", All((All((Is("type", ("a",)),)), Not(Any((All((Is("type", ("b",)),)), All((Is("type", ("c",)),)))))))),
    ],
)  # fmt: skip
def test_a_query_is_read_as_the_condition_that_it_says(query: str, condition: Condition) -> None:
    assert cql.read(query).condition == condition


@pytest.mark.parametrize(
    ("query", "code", "details"),
    [
        ("sea ice", 10, None),
        ('"', 10, None),
        ("(sea", 10, None),
        ("sea and", 10, None),
        ("sea sortBy", 10, None),
        ("\0", 10, ""),
        ("x" * 4001, 12, "4000"),
        ("bath.title = sea", 15, "bath"),
        ('> b = "info:other" b.title = sea', 15, "info:other"),
        ("dc.coverage = sea", 16, "dc.coverage"),
        ("color = red", 16, "color"),
        ("dc.title contains sea", 19, "contains"),
        ("dc.title =/fuzzy sea", 20, "fuzzy"),
        ("dc.title =/locale=fr sea", 20, "locale=fr"),
        ("dc.title < sea", 22, "dc.title <"),
        ("dc.type adj dataset", 22, "dc.type adj"),
        ("wis.box within '1'", 22, "wis.box within"),
        ("cql.allRecords = 2", 22, None),
        ('dc.title = ""', 27, ""),
        ("dc.title = se?", 28, "?"),
        ("dc.type = data*", 28, "*"),
        ("a*", 29, "3"),
        ("cql.anywhere = ^sea", 31, "^"),
        ('dc.title = "of the"', 35, "of the"),
        ('wis.box = "1 2 3"', 36, "1 2 3"),
        ('wis.box = "0 50 10 40"', 36, "0 50 10 40"),
        ('wis.box = "0 nan 10 40"', 36, "0 nan 10 40"),
        ('wis.time = "July"', 36, "July"),
        ('wis.time = "2020-13"', 36, "2020-13"),
        ('wis.time = "2021/2020"', 36, "2021/2020"),
        ('rec.creationDate = "0000"', 36, "0000"),
        (" or ".join(["sea"] * 101), 38, "99"),
        (" or ".join(["a"] * 660), 38, "99"),
        ("a or (" * 560 + "a" + ")" * 560, 38, "99"),
        (f'cql.anywhere any "{" ".join(["sea"] * 101)}"', 38, "100"),
        (f'dc.title adj "{" ".join(["sea"] * 101)}"', 38, "100"),
        ("sea prox/distance<3 ice", 39, ""),
        ("sea and/rel.mean ice", 46, "rel.mean"),
        ("sea sortBy dc.title", 88, "dc.title"),
        ("sea sortBy color", 88, "color"),
        ("sea sortBy rec.identifier dc.type", 84, "1"),
        ("sea sortBy rec.identifier/sort.missingOmit", 90, "sort.missingomit"),
    ],
)  # fmt: skip
def test_what_is_not_had_gets_the_diagnostic_of_the_standard(query: str, code: int, details: str | None) -> None:
    with pytest.raises(Diagnostic) as refused:
        cql.read(query)
    assert refused.value.code == code
    if details is not None:
        assert refused.value.details == details


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("sea", None),
        ("sea sortBy rec.identifier", "id"),
        ("sea sortBy dc.identifier/sort.descending", "-id"),
        ("sea and ice SORTBY rec.lastModificationDate/sort.descending", "-updated"),
        ("(sea) sortBy lastModificationDate/sort.ascending", "updated"),
    ],
)
def test_sort_keys_are_orders_of_the_catalogue(query: str, order: str | None) -> None:
    assert cql.read(query).order == order


@pytest.mark.parametrize(
    ("keys", "order"), [("", None), ("rec.identifier", "id"), ("rec.identifier,,0", "-id"), ("identifier,,true", "id")]
)
def test_the_sort_keys_of_1_1_are_read(keys: str, order: str | None) -> None:
    assert cql.order_of_keys(keys) == order


@pytest.mark.parametrize("keys", ["rec.identifier dc.title", "dc.title", "rec.identifier,,up"])
def test_other_sort_keys_of_1_1_are_refused(keys: str) -> None:
    with pytest.raises(Diagnostic):
        cql.order_of_keys(keys)


def test_each_thread_has_a_parser_of_its_own() -> None:
    queries = [f"dc.type = a{number} and (dc.type = b{number} or dc.type = c)" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(cql.read, queries))
    for number, asked in enumerate(read):
        assert asked.condition == All(
            (
                All((Is("type", (f"a{number}",)),)),
                Any((All((Is("type", (f"b{number}",)),)), All((Is("type", ("c",)),)))),
            )
        )


PIECES = st.sampled_from(
    ["dc.title", "cql.anywhere", "wis.box", "wis.time", "rec.creationDate", "=", "==", "<", ">=", "adj", "any", "within", "(", ")", "and", "or", "not", "prox"]
    + ["sea", '"sea ice"', '"', "\\", "*", "?", "^", "/stem", "/partial", "/", "> a =", "sortBy", "2020-07", '"0 0 1 1"', "海氷", "\ud800", "urn:a", "\x01"]
)  # fmt: skip


@hypothesis_settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=60))
def test_every_text_is_a_query_or_a_diagnostic(text: str) -> None:
    with suppress(Diagnostic):
        assert isinstance(cql.read(text), cql.Asked)


@pytest.mark.parametrize("text", ["(" * 2000 + "a" + ")" * 1999, "not " * 1000, "/a" * 2000, "> " * 2000, '\\"' * 2000])
def test_what_is_deep_or_long_does_not_break_the_parser(text: str) -> None:
    with pytest.raises(Diagnostic):
        cql.read(text)
