"""Texts that must come through COPY, arrays, JSON and the text index unharmed."""

from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue import oai
from catalogue.documents import iso19139, xml_tree
from catalogue.models import Description
from catalogue.provenance import Provenance
from catalogue.reading.query import search
from catalogue.writing import store
from catalogue.writing.decisions import Action
from tests.support import looking, world

pytestmark = pytest.mark.django_db

ODD = (
    "\\", "\\\\", "\\N", "\\.", "\\n", "a\\tb", "\\x41", "{", "}", "{}", "{a,b}", "NULL", "null", "'", "''", '"', '\\"', ",", "a,b",
    "%s", "%(x)s", "%%", "$1", "$$", "E'\\n'", "--", "/*", ";", "\u2028", "\u0085", "\u200b", "\ufeff", "\u202e", "\x7f", "\x9f",
    "😀", "👩‍🚀", "é", "e\u0301", "気温", "עברית", "𐐷", "\U0010fffd", "\ufffd", "\ue000", "<b>&amp;</b>", "]]>", "\\u0000",
)  # fmt: skip


def stored(document: bytes) -> Description:
    (result,) = store.put_entries([store.prepare(document)], into=world.own_set())
    assert result.action is Action.NEW
    return looking.record(result.identifier).description


@pytest.mark.parametrize("text", ODD, ids=[f"U+{ord(text[0]):04X}-{number}" for number, text in enumerate(ODD)])
def test_an_odd_text_is_stored_as_it_was_said(text: str) -> None:
    document = world.iso_record("urn:a", title=text, abstract=f"x {text} x", keywords=[text, f"{text}{text}", "plain"])
    said = iso19139.read(xml_tree.root_element(document))
    held = stored(document)
    assert (held.title, held.abstract, tuple(held.keywords)) == (said.title, said.abstract, said.keywords)
    assert held.title == " ".join(text.split())
    assert search.records("plain").count() == 1


@pytest.mark.parametrize("white", ["a\tb", "a\nb", "a\r\nb", "a\u00a0b", "a \u3000 b", "a&#13;b", "a&#9;b"])
def test_white_space_in_a_text_is_one_space(white: str) -> None:
    document = world.iso_record("urn:a", title="TITLE").replace(b"TITLE", white.encode())
    assert stored(document).title == "a b"


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=30).filter(lambda text: not oai.NOT_XML.search(text)),
    st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=10), max_size=5),
)
def test_any_text_XML_can_carry_is_stored(text: str, keywords: list[str]) -> None:
    keywords = [keyword for keyword in keywords if not oai.NOT_XML.search(keyword)]
    document = world.iso_record("urn:a", title=text, abstract=text, keywords=keywords)
    said = iso19139.read(xml_tree.root_element(document))
    assert store.put_entries([store.prepare(document)], into=world.own_set())[0].action is not Action.REJECTED
    held = looking.record("urn:a").description
    assert (held.title, held.abstract, tuple(held.keywords)) == (said.title, said.abstract, said.keywords)


@pytest.mark.parametrize(
    "identifier", ["a\\b", "urn:a'b", "urn:$1", "urn:%41", "urn:(a,b)", "urn:気温😀", "urn:\u200b", "urn:*"]
)
def test_an_odd_identifier_is_stored_and_found(identifier: str) -> None:
    stored(world.iso_record(identifier))
    assert store.withdraw([identifier])[0].action is Action.DELETED


def words(number: int, alphabet: range, length: int, join: str) -> str:
    """Different words of letters from `alphabet`."""
    letters = [chr(code) for code in alphabet]
    made = []
    for value in range(number):
        word = ""
        for _ in range(length):
            value, rest = divmod(value, len(letters))
            word += letters[rest]
        made.append(word)
    return join.join(made)


HUGE = {
    "200,000 letters without a space": "x" * 200_000,
    "a word of 3,000 letters": "y" * 3000 + " wind",
    "40,000 short words": words(40_000, range(ord("a"), ord("z") + 1), 4, " "),
    "hyphenated": words(60_000, range(ord("a"), ord("z") + 1), 4, "-"),
    "hyphenated in threes": " ".join(
        f"{word}-{'気温' * 3}" for word in words(20_000, range(0x4E00, 0x9FFF), 3, " ").split()
    ),
    "Chinese, hyphenated": words(70_000, range(0x4E00, 0x9FFF), 2, "-"),
    "letters of four bytes": words(60_000, range(0x20000, 0x2A6DF), 2, " "),
    "letters of four bytes, hyphenated": words(70_000, range(0x20000, 0x2A6DF), 2, "-"),
    "letters of four bytes, in hyphenated pairs": words(100_000, range(0x20000, 0x2A6DF), 1, " ").replace(" ", "-\U00020000 "),
    "addresses": " ".join(f"http://h{number}.example.org/p{number}/q" for number in range(6000)),
    "mail": " ".join(f"a{number}@h{number}.org" for number in range(10_000)),
    "numbers": " ".join(str(number) for number in range(40_000)),
    "one word 100,000 times": "wind " * 100_000,
    "tags": "&lt;a b=c&gt; " * 20_000,
}  # fmt: skip


@pytest.mark.parametrize("name", HUGE)
def test_no_abstract_is_too_much_for_the_text_index(name: str) -> None:
    """One bad record costs one record (promise 7): it must not make the whole batch fail."""
    held = stored(world.iso_record("urn:a", title="Kept", abstract=HUGE[name]))
    assert held.abstract == " ".join(HUGE[name].split())[: iso19139.MAX_ABSTRACT]
    assert search.records("kept").count() == 1


@pytest.mark.parametrize("name", HUGE)
def test_nor_is_an_abstract_together_with_such_a_title_and_such_keywords(name: str) -> None:
    text = HUGE[name]
    held = stored(world.iso_record("urn:a", title=text, abstract=text, keywords=text.split()[:20_000]))
    assert len(held.keywords) == min(len(set(text.split()[:20_000])), iso19139.MAX_KEYWORDS)


def test_very_many_keywords_are_kept_in_their_order_up_to_the_limit() -> None:
    keywords = [f'keyword {number} é\\"{{}}' for number in range(20_000)]
    assert stored(world.iso_record("urn:a", keywords=keywords)).keywords == keywords[: iso19139.MAX_KEYWORDS]


def test_a_long_language_is_cut_to_what_the_column_holds() -> None:
    document = world.iso_record("urn:a").replace(
        b'codeListValue="eng">eng<', f'codeListValue="e">{"é" * 300}<'.encode(), 1
    )
    assert stored(document).language == "é" * 100


@pytest.mark.parametrize(("begin", "end"), [("0001-01-01", "9999-12-31"), ("1582-10-10", "1900-02-28"), ("0099", "")])
def test_time_extents_far_away_are_stored(begin: str, end: str) -> None:
    document = world.in_time(world.iso_record("urn:a"), begin, end)
    said = iso19139.read(xml_tree.root_element(document))
    held = stored(document)
    assert (held.begins, held.ends) == (said.begins, said.ends)
    assert held.begins is not None


def test_boxes_are_stored_as_numbers() -> None:
    held = stored(world.iso_record("urn:a", box=(170.25, -20, -170, 1e-7)))
    assert held.boxes == [[170.25, -20, -170, 1e-7]]


def test_a_provenance_with_odd_texts_is_stored() -> None:
    for number, text in enumerate([*ODD, escape("<\\N>")]):
        provenance = Provenance(text, "urn:a", text, origin=Provenance(identifier=text), link=text)
        store.put_entries(
            [store.prepare(world.iso_record(f"urn:{number}"), provenance=provenance)], into=world.own_set()
        )
        assert looking.record(f"urn:{number}").provenance == provenance.to_json()
        assert Provenance.from_json(looking.record(f"urn:{number}").provenance) == provenance
