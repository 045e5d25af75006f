"""The part of an abstract that stands below a hit."""

import itertools
import re
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalogue.documents import search_terms
from catalogue.reading.query import conditions
from catalogue.reading.query.highlight import Highlighter

TEXT = "Himawari-8 was the source until 13 December 2022, and Himawari-9 is the source since then."


def excerpt(text: str, characters: int, words: str = "") -> str:
    asked = conditions.Words(words) if words else conditions.All()
    return re.sub("</?mark>", "", Highlighter(asked).excerpt(text, characters))


@pytest.mark.parametrize("characters", [46, 47, 48])
def test_it_ends_with_a_word_and_cuts_no_number(characters: int) -> None:
    assert excerpt(TEXT, characters) == "Himawari-8 was the source until 13 December …"


@pytest.mark.parametrize("characters", [49, 50])
def test_the_last_word_stays_where_it_is_whole(characters: int) -> None:
    assert excerpt(TEXT, characters) == "Himawari-8 was the source until 13 December 2022, …"


def test_a_text_without_spaces_is_cut_at_the_length() -> None:
    assert excerpt("全国合成レーダーエコー強度", 5) == "全国合成レ …"


def test_it_begins_before_what_was_asked_for() -> None:
    assert excerpt(TEXT, 40, "since") == "… the source since then."


@given(st.text("ab 気", max_size=60), st.integers(1, 30))
def test_it_is_a_part_of_the_text_and_no_longer_than_asked(text: str, characters: int) -> None:
    part = excerpt(text, characters)
    assert part == text or (part.endswith(" …") and text.startswith(part[:-2]) and len(part) - 2 <= characters)


_PARTS = ("snow", "Snow", "SNOWS", "snowfall", "ice", "T2m", "1979", "x_y", "sea-level", "the", "(snow)", "wind")


@given(st.lists(st.sampled_from(_PARTS)).map(" ".join))
def test_a_text_of_ascii_alone_is_marked_as_one_with_other_letters(text: str) -> None:
    marks = Highlighter(conditions.Words("snow level -ice T2m 1979 y"))
    assert marks.mark(f"{text} é") == f"{marks.mark(text)} é"


@pytest.mark.parametrize("algorithm", search_terms.ALGORITHMS)
def test_a_stem_begins_as_its_word_does_but_for_words_with_ge_in_dutch(algorithm: str) -> None:
    begins = map("".join, itertools.product(string.ascii_lowercase + string.digits, repeat=2))
    ends = ("", "s", "en", "ing", "ation", "nest", "nesten", "lopen", "winkel", "heid", "lar", "isch")
    words = [f"{begin}{end}" for begin in begins for end in ends]
    others = {word for word in words if not search_terms.word_of(word, algorithm).stem.startswith(word[0])}
    assert {word[:2] for word in others} <= ({"ge"} if algorithm == "dutch" else set())


_WORD = st.text("egnstAy9", min_size=3, max_size=9).filter(lambda word: word.lower() not in search_terms.STOP_WORDS)


@given(_WORD, st.sampled_from(("", "ge", "GE", "x")), st.sampled_from(("", "s", "en", "ing", "heid")))
@example("nest", "ge", "")  # the Dutch algorithm takes "ge" off the beginning
def test_a_word_is_marked_where_it_begins_so_or_has_a_common_stem(asked: str, before: str, after: str) -> None:
    word = f"{before}{asked}{after}"
    stems = [search_terms.stems_asked(each.lower()) for each in (asked, word)]
    is_found = word.lower().startswith(asked.lower()) or not stems[0].isdisjoint(stems[1])
    marked = Highlighter(conditions.Words(asked)).mark(f"{word} é")
    assert marked == (f"<mark>{word}</mark> é" if is_found else f"{word} é")
