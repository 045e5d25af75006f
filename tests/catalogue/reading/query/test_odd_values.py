"""What no record has, or the database refuses, is not found; it is never a fault of the node."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from catalogue.models import Description, Record
from catalogue.reading.query import conditions, facets, statements
from catalogue.reading.query.conditions import (
    All,
    Among,
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
)
from catalogue.reading.query.search import Query, Search
from tests.support.world import iso_record, put

pytestmark = pytest.mark.django_db
ONE, OTHER = "gbafap", "diedobmefrl"  # have one checksum, as test_exactness tells of other words


def found(condition: Condition) -> int:
    asked = Search(Query(condition))
    asked.facets(list(facets.FACETS))
    assert len(asked.page(100).keys) == asked.count().number
    return asked.count().number


@pytest.mark.parametrize("odd", ["\0", "\ud800", "sea\0", "\udfffsea"], ids=ascii)
@pytest.mark.parametrize(
    "made",
    [
        lambda odd: Among((odd, "urn:none")),
        lambda odd: InSet(odd),
        lambda odd: Is("keyword", (odd,)),
        lambda odd: Is("label", (odd,)),
        lambda odd: Compare("title", "=", odd),
        lambda odd: Like("title", f"%{odd}%", ignores_case=True),
    ],
)
def test_characters_that_no_record_has_find_nothing(made, odd: str) -> None:
    put(iso_record("urn:a", title="Sea", keywords=("sea",)))
    assert found(made(odd)) == 0
    assert found(Not(made(odd))) == 1
    assert found(All((Words("sea"), Not(made(odd))))) == 1


def test_such_characters_part_words() -> None:
    put(iso_record("urn:a", title="Sea ice"), iso_record("urn:b", title="Seaice"))
    for part in "\0\ud800":
        assert found(Words(f"sea{part}ice")) == 1
        assert found(Phrase(f"sea{part}ice")) == 1
        assert found(Words(part)) == 0


def test_a_backslash_at_the_end_of_a_pattern_stands_for_itself() -> None:
    put(iso_record("urn:a", title="ab"), iso_record("urn:b", title="a\\"), iso_record("urn:c", title="a%"))
    assert [found(Like("title", pattern)) for pattern in ("a\\", "a\\\\", "a\\%", "a_", "%\\")] == [1, 1, 1, 3, 1]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 1e308])
@pytest.mark.parametrize("side", range(4))
def test_a_box_has_degrees(side: int, number: float) -> None:
    sides = [0.0, 0.0, 1.0, 1.0]
    sides[side] = number
    with pytest.raises(ValueError, match="degrees"):
        Meets(*sides)


@pytest.mark.parametrize("tiny", [5e-324, -5e-324, 1e-310, -1e-310, 1e-20, -1e-20])
def test_a_box_may_be_very_near_to_nothing(tiny: float) -> None:
    put(iso_record("urn:a", box=(tiny, 0, 1, 1)), iso_record("urn:b", box=(0, 0, tiny, 1)))
    for asked in (Meets(0, 0, 1, 1), Meets(tiny, 0, 1, 1), Meets(-1, 0, tiny, 1), Meets(tiny, tiny, tiny, 1)):
        assert found(asked) == 2
    assert found(Meets(2, 0, 3, 1)) == 0


def test_a_time_that_ends_before_it_begins_finds_nothing_and_swapped_ends_of_a_record_are_a_time() -> None:
    put(iso_record("urn:a"))
    one, other = datetime(2001, 1, 1, tzinfo=UTC), datetime(2003, 1, 1, tzinfo=UTC)
    assert found(During(other, one)) == 0
    Description.objects.update(begins=other, ends=one)
    assert [found(During(year, year)) for year in (one, datetime(2002, 1, 1, tzinfo=UTC), other)] == [1, 1, 1]
    assert (
        found(During(None, datetime(2000, 1, 1, tzinfo=UTC)))
        == found(During(datetime(2004, 1, 1, tzinfo=UTC), None))
        == 0
    )
    Description.objects.update(begins=None, ends=None)
    assert found(During(None, None)) == 0
    assert found(Not(During(None, None))) == 1


@pytest.mark.parametrize(("least", "most"), [(1, 1), (1, 3), (2, 4), (3, 2), (4, 1)])
def test_an_open_begin_and_an_open_end_are_one_time_where_they_meet(least: int, most: int) -> None:
    """Where the end comes before the begin, a record has an instant in each if its time extends over what is between."""
    years = [(first, last) for first in range(6) for last in range(first, 6)]
    put(*(iso_record(f"urn:{first}:{last}") for first, last in years))
    for first, last in years:
        described = Description.objects.filter(record__key=f"urn:{first}:{last}")
        described.update(begins=instant(first), ends=instant(last))
    parts = (During(instant(least), None), During(None, instant(most)), During(None, None))

    asked = conditions.with_one_time(parts)
    hits = Search(Query(All(parts))).page(100).keys

    assert asked == ([During(instant(least), instant(most))] if least <= most else list(parts))
    wanted = {f"urn:{first}:{last}" for first, last in years if last >= least and first <= most}
    assert set(Record.objects.filter(pk__in=hits).values_list("key", flat=True)) == wanted


def instant(year: int) -> datetime:
    return datetime(2000 + year, 1, 1, tzinfo=UTC)


def test_times_that_are_open_on_the_same_side_or_on_none_stay_as_they_are() -> None:
    one, two, three = instant(1), instant(2), instant(3)
    unlike: list[list[Condition]] = [
        [During(one, None), During(two, None)],
        [During(one, two), During(two, three)],
        [Words("sea")],
    ]
    for parts in unlike:
        assert conditions.with_one_time(parts) == parts
    mixed = [During(one, None), Words("sea"), During(None, three), During(two, None), During(one, two)]
    assert conditions.with_one_time(mixed) == [Words("sea"), During(one, two), During(two, three)]


def test_instants_may_be_of_any_year() -> None:
    put(iso_record("urn:a"))
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    assert (found(Compare("updated", ">", first)), found(Compare("created", ">", last))) == (1, 0)


def test_an_odd_word_with_the_checksum_of_a_common_one_does_not_make_that_unusable(client: Client) -> None:
    put(*(iso_record(f"urn:{number}", title=ONE) for number in range(8)), iso_record("urn:odd", title=OTHER))
    exact = Search(Query(Words(ONE))).page(100)
    assert (len(exact.keys), exact.notes) == (8, ())
    with statements.LIMITS.replaced(compared=5):
        page = Search(Query(Words(ONE))).page(100)
        assert (len(page.keys), page.notes) == (9, (("unchecked", ONE),))
        assert f"may not have “{ONE}”" in client.get("/", {"q": ONE}).content.decode()


def test_words_that_are_stored_in_no_text_are_looked_for_in_the_metadata() -> None:
    """Titles in other languages are in the terms and in the metadata alone."""
    put(
        *(iso_record(f"urn:{number}", title="x", translations={"fre": ONE}) for number in range(4)),
        iso_record("urn:odd", title="x", translations={"fre": OTHER}),
    )
    assert len(Search(Query(Words(ONE))).page(100).keys) == 4
    with statements.LIMITS.replaced(read_again=2):
        page = Search(Query(Words(ONE))).page(100)
        assert (len(page.keys), page.notes) == (5, (("unchecked", ONE),))
