"""One language, however a record writes it."""

import pytest
from django.conf.locale import LANG_INFO
from hypothesis import given
from hypothesis import strategies as st

from catalogue.documents.languages import authority_code, language_code, language_tag


@pytest.mark.parametrize(
    ("written", "code", "tag", "authority"),
    [
        *((text, "eng", "en", "ENG") for text in ("eng", "Eng", "en", "English", "eng; USA", "eng; usa", "eng USA", "en-GB")),
        *((text, "eng", "en", "ENG") for text in ("en_US", " Engelsk ", "eng;CAN", "english (UK)")),
        *((text, "nld", "nl", "NLD") for text in ("dut", "nld", "nl", "Nederlands", "Nederlands; Vlaams", "Flemish")),
        *((text, "fra", "fr", "FRA") for text in ("fre", "fra", "FR", "Français", "French", "fr-CA")),
        *((text, "deu", "de", "DEU") for text in ("ger", "deu", "Deutsch", "GERMAN")),
        *((text, "zho", "zh", "ZHO") for text in ("chi", "zh-Hant", "中文")),
        ("हिन्दी", "hin", "hi", "HIN"),
        ("swe", "swe", "sv", "SWE"),
        ("tlh", "tlh", "tlh", "TLH"),
        ("und", "und", "und", ""),
        ("", "", "und", ""),
        ("Klingon", "Klingon", "und", ""),
        ("zz", "zz", "zz", ""),
        ("; USA", "; USA", "und", ""),
    ],
)  # fmt: skip
def test_a_language_has_one_code_however_it_is_written(written: str, code: str, tag: str, authority: str) -> None:
    assert (language_code(written), language_tag(written), authority_code(written)) == (code, tag, authority)


@given(st.text() | st.from_regex("[A-Za-z]{2,3}", fullmatch=True))
def test_the_code_of_a_code_is_the_code(written: str) -> None:
    assert language_code(language_code(written)) == language_code(written)


def test_codes_of_two_and_three_letters_and_their_names_agree_with_those_of_django() -> None:
    two_letters = {tag for tag in LANG_INFO if len(tag) == 2}
    assert {tag for tag in two_letters if language_tag(tag) != tag} == set()
    assert {
        tag for tag in two_letters if len(language_code(tag)) != 3 or language_tag(language_code(tag)) != tag
    } == set()
    for tag in (
        "ar",
        "cs",
        "da",
        "de",
        "el",
        "en",
        "es",
        "fi",
        "fr",
        "he",
        "hi",
        "hu",
        "it",
        "ja",
        "ko",
        "nl",
        "pl",
        "pt",
        "ru",
        "sv",
        "tr",
    ):
        names = {LANG_INFO[tag]["name"], LANG_INFO[tag]["name_local"]}
        assert {language_tag(name) for name in names} == {tag}, names
