"""What the index says too much of is not found, and nobody who pages misses or repeats what does not change."""

import random
from string import ascii_lowercase

import pytest

from catalogue.documents import search_terms
from catalogue.models import Record
from catalogue.reading.query import conditions, search, search_limits, statements
from catalogue.reading.query.conditions import All, Meets, Not, Phrase, Words
from catalogue.reading.query.search import CursorInvalid, Query, QueryTooCostly, Search
from tests.support.world import bury, iso_record, put

pytestmark = pytest.mark.django_db


def same_checksum() -> tuple[str, str]:
    """Two words whose stems have one checksum: of some ten thousand words there are two."""
    seen: dict[int, tuple[str, str]] = {}
    chooser = random.Random(1)
    for _ in range(1_000_000):
        word = "".join(chooser.choices(ascii_lowercase, k=9))
        stem = search_terms.word_of(word, "english").stem
        number = search_terms.checksum(stem)
        if number in seen and seen[number][1] != stem:
            return seen[number][0], word
        seen[number] = (word, stem)
    raise AssertionError("no two words were found")


def found(*parts) -> list[str]:
    keys = Search(Query(All(parts))).page(1000).keys
    records = Record.objects.in_bulk(keys)
    return sorted(records[key].identifier for key in keys)


def test_two_words_with_one_checksum_are_two_words() -> None:
    one, other = same_checksum()
    put(
        iso_record("urn:one", title=one),
        iso_record("urn:other", title=other),
        iso_record("urn:both", title=f"{one} {other}"),
    )
    assert found(Words(one)) == ["urn:both", "urn:one"]
    assert found(Words(other)) == ["urn:both", "urn:other"]
    assert found(Words(f"{one} {other}")) == ["urn:both"]
    assert found(Words(f"{one} -{other}")) == ["urn:one"]
    assert found(Not(Words(one))) == ["urn:other"]
    assert found(Words(one[:5])) == ["urn:both", "urn:one"] if one[:5] != other[:5] else True
    assert Search(Query(Words(one))).count().number == 2


def test_a_phrase_is_its_words_next_to_one_another_in_one_text() -> None:
    put(
        iso_record("urn:a", title="Sea surface temperature"),
        iso_record("urn:b", title="Surface of the sea; temperature"),
        iso_record("urn:c", title="Sea", abstract="Surface temperature"),
        iso_record("urn:d", title="x", keywords=("sea surface", "temperature")),
        iso_record("urn:e", title="気象レーダー合成"),
    )
    assert found(Phrase("sea surface")) == ["urn:a", "urn:d"]
    assert found(Phrase("SURFACE temperature")) == ["urn:a", "urn:c"]
    assert found(Phrase("レーダー合")) == ["urn:e"]
    assert found(Words('"sea surface" temperature'), Meets(-180, -90, 180, 90)) == []


def test_a_phrase_of_too_many_records_is_refused_and_not_answered_in_part() -> None:
    put(*(iso_record(f"urn:{n}", title="Sea ice") for n in range(6)))
    assert len(found(Phrase("sea ice"))) == 6
    with statements.LIMITS.replaced(compared=5), pytest.raises(QueryTooCostly, match="phrase"):
        found(Phrase("sea ice"))


@pytest.mark.parametrize("order", ["relevance", "-updated", "updated", "id", "-id"])
@pytest.mark.parametrize("exact", [10_000, 5], ids=["sorted", "looked through"])
def test_what_does_not_change_comes_once_while_others_change(order: search.Order, exact: int) -> None:
    chooser = random.Random(3)
    names = [f"urn:{number:03}" for number in range(60)]
    put(
        *(
            iso_record(name, title="Buoy" if number % 3 else "Waves", abstract="buoy")
            for number, name in enumerate(names)
        )
    )
    changing = set(chooser.sample(names, 30))
    identifiers = dict(Record.objects.values_list("pk", "identifier"))
    with search_limits.LIMITS.replaced(exact=exact, margin=0, of_tier=exact, chunks=(10, 20)):
        query = Query(Words("buoy"), order)
        came: list[str] = []
        cursor, todo = "", list(changing)
        while True:
            page = Search(query).page(7, cursor)
            came += [identifiers[key] for key in page.keys if key in identifiers]
            for name in (todo.pop() for _ in range(min(5, len(todo)))):
                if chooser.random() < 0.4:
                    bury(name)
                else:
                    put(iso_record(name, title=chooser.choice(["Buoy", "Other"]), abstract=f"buoy {len(todo)}"))
            cursor = page.next
            if not cursor:
                break
    unchanged = [name for name in came if name not in changing]
    assert sorted(unchanged) == sorted(set(names) - changing)


def test_a_record_of_several_tiers_comes_once() -> None:
    """Without `alpha` in the better tiers it is a hit by what it has not; with all texts, by `beta`."""
    put(iso_record("urn:a", title="alpha", abstract="beta"), *(iso_record(f"urn:{n}", title="gamma") for n in range(6)))
    query = Query(conditions.Any((Not(Words("alpha")), Words("beta"))))
    with search_limits.LIMITS.replaced(exact=1, margin=0, of_tier=0, chunks=(3, 5)):
        keys: list[int] = []
        cursor = ""
        while True:
            page = Search(query).page(2, cursor)
            keys += page.keys
            cursor = page.next
            if not cursor:
                break
    assert sorted(keys) == sorted(Record.objects.values_list("pk", flat=True))


def test_a_cursor_belongs_to_its_search() -> None:
    put(*(iso_record(f"urn:{n}", title="Buoy") for n in range(5)))
    cursor = Search(Query(Words("buoy"))).page(2).next
    for query in (Query(Words("buo")), Query(Words("buoy"), "id"), Query(All((Words("buoy"),)))):
        with pytest.raises(CursorInvalid):
            Search(query).page(2, cursor)
    with pytest.raises(CursorInvalid):
        Search(Query(Words("buoy"))).page(2, f"{cursor}x")
