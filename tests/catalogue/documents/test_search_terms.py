"""The terms of records: what is the same word for search."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalogue.documents import search_terms
from catalogue.documents.search_terms import KEYWORD, TEXT, TITLE, Text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Échouerie de l'Été", ["échouerie", "de", "l", "été"]),
        ("PM10-data, t2m_max", ["pm10", "data", "t2m", "max"]),
        ("気象レーダー", ["気象", "象レ", "レー", "ーダ", "ダー"]),
        ("海", ["海"]),
        ("Ａｌｔｉｔｕｄｅ ﬁle", ["altitude", "file"]),
        ("한국 기상청", ["한국", "기상청"]),
        ("الطَّقْس", ["الطقس"]),
        ("मौसम विज्ञान", ["मौसम", "विज्ञान"]),
        ("", []),
        ("-- ' \u0301", []),
    ],
)
def test_a_text_is_cut_into_words_and_where_there_are_no_spaces_into_pairs(text: str, pieces: list[str]) -> None:
    assert search_terms.pieces(text) == pieces


def plainly_cut(text: str) -> list[str]:
    """The words of a text in any script, without the short ways that `pieces` has for some."""
    lowered = search_terms._VOWEL_SIGNS.sub("", unicodedata.normalize("NFKC", text.casefold()).casefold())
    return [part for piece in search_terms._WORD.findall(lowered) for part in search_terms._pairs(piece)]


@given(st.text() | st.text(st.characters(max_codepoint=0x2FF)) | st.text(st.characters(codec="ascii")))
@example("ªº²³¼½¾ µ\u00a0x\u00ad")
@example("İ ŉ ǰ \u203f_\u2054 \u2070 ﬁ")
@example("\x1f1\x85é")
def test_the_short_ways_find_the_same_words(text: str) -> None:
    expected = plainly_cut(text)
    assert search_terms.pieces(text) == expected
    found = [piece if isinstance(piece, str) else piece.decode() for piece in search_terms._pieces_of_record(text)]
    assert found == expected


@pytest.mark.parametrize(
    ("asked", "written", "language"),
    [
        ("typhoons", "Typhoon", "eng"),
        ("typhoon", "TYPHOONS", "eng; USA"),
        ("echouerie", "échouerie", "fre"),
        ("ÉCHOUERIES", "échouerie", "Français"),
        ("etes", "étés", "fra"),
        ("Wettervorhersagen", "Wettervorhersage", "ger"),
        ("Boen", "Böen", "Deutsch"),
        ("прогнозы", "прогноз", "rus"),
        ("observacion", "observaciones", "es-ES"),
        ("Oceans", "ocean", "jpn"),
        ("Ёлка", "елка", "ru"),
        ("Straße", "STRASSE", "x"),
    ],
)
def test_words_of_one_stem_are_one_word_with_accents_or_without(asked: str, written: str, language: str) -> None:
    algorithm = search_terms.algorithm_of(language)
    (piece,), (word,) = search_terms.pieces(asked), search_terms.pieces(written)
    assert search_terms.word_of(word, algorithm).stem in search_terms.stems_asked(piece)


@pytest.mark.parametrize("tier", [TITLE, KEYWORD, TEXT])
def test_a_record_of_very_many_words_is_found_by_some_of_them(tier: int) -> None:
    many = Text("\n".join(f"k{number}" for number in range(2 * search_terms.MAX_WORDS)), tier, "eng")
    others = [Text(f"word{tier} number{tier}", tier, "eng") for tier in (TITLE, KEYWORD, TEXT)]
    made = search_terms.of_record("urn:a:b", [*others, many], [("type", "dataset")])
    assert len(made.terms) == search_terms.MAX_WORDS + 1
    words = {line.split(b" ")[0] for line in made.words}
    assert len(words) == search_terms.MAX_WORDS, "the vocabulary has no others"
    assert {f"word{best}".encode() for best in (TITLE, KEYWORD, TEXT) if best < tier} <= words


def test_a_word_stands_once_in_its_best_tier_and_stop_words_do_not_count() -> None:
    texts = [Text("the ocean", TITLE, "eng"), Text("oceans; waves", KEYWORD, "eng"), Text("Waves of rain", TEXT, "eng")]
    made = search_terms.of_record("urn:x-wmo:md:int.wmo.wis::ABC123", texts, [("type", "dataset")])
    assert made.terms.count(search_terms.filter_term("type", "dataset")) == 1
    words = {
        term
        for stem, tier in (("ocean", 1), ("wave", 2), ("rain", 3), ("wmo", 3), ("md", 3), ("int", 3), ("wis", 3))
        for term in search_terms.word_terms([stem], tier)[-1:]
    }
    assert set(made.terms) == words | {search_terms.filter_term("type", "dataset")}
    assert b"waves wave" in made.words and b"abc123" not in b" ".join(made.words)
