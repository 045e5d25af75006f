"""OAI identifiers, their keys and setSpecs: what `catalogue.oai` takes and what it refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from catalogue import oai
from catalogue.documents import xml_tree
from catalogue.writing import store

GOOD = (
    "urn:x-wmo:md:int.wmo.wis::FCUK31EGRR",
    "URN:X-WMO:MD:int.wmo.wis::fcuk31egrr",
    "9c4aa4cb-5fca-4ba5-9a4b-2d8a1e1e0c3f",
    "oai:example.org:a/b",
    "http://example.org/md/1?x=1&y=2#part",
    "http://user@example.org:8080/md",
    "http://user:password@example.org/md",
    "//example.org/md",
    "a",
    "a/b:c",  # the colon comes after a slash: no scheme
    "?a:b",
    "#",
    "urn:x-wmo:md:jp.go.jma::気象",
    "urn:x-wmo:md:fr::Météo",
    "a%20b",
    "a%c3%A9",
    "a'b(c)*!~,;=+$&@",
    "x" * oai.MAX_IDENTIFIER_BYTES,
    "é" * (oai.MAX_IDENTIFIER_BYTES // 2),
    "..",
    "-",
)
BAD = (
    ("", "is empty"),
    (" ", "white space"),
    ("a b", "white space"),
    (" a", "white space"),
    ("a\n", "white space"),
    ("a\tb", "white space"),
    ("a\u00a0b", "white space"),
    ("a\u3000b", "white space"),
    ("a\u2028b", "white space"),
    ("a\x00", "control character"),
    ("a\x7f", "control character"),
    ("a\x9f", "control character"),
    ("a\ufffe", "control character"),
    ("a\ud800", "control character"),
    ("{7A0F}", "contains { }"),
    ("a<b>", "contains < >"),
    ('a"b', 'contains "'),
    ("a\\b", "contains \\"),
    ("a^b", "contains ^"),
    ("a`b", "contains `"),
    ("a|b", "contains |"),
    ("a[1]", "contains [ ]"),
    ("100%", "hexadecimal"),
    ("a%2", "hexadecimal"),
    ("a%zz", "hexadecimal"),
    ("a%2gb", "hexadecimal"),
    ("a#b#c", "more than one #"),
    (":a", "no URI scheme"),
    ("1a:b", "no URI scheme"),
    ("é:b", "no URI scheme"),
    ("a_b:c", "no URI scheme"),
    ("http://example.org:port/", "host"),
    ("http://example.org:/", "host"),
    ("http://a@b@c/", "host"),
    ("//a:b", "host"),
    ("x" * (oai.MAX_IDENTIFIER_BYTES + 1), "longer than"),
    ("é" * (oai.MAX_IDENTIFIER_BYTES // 2 + 1), "longer than"),
    ("\u0390" * 700, "longer than"),  # 1,400 bytes, but three times as many once folded
)

ANY_URI = etree.XMLSchema(
    etree.fromstring(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="i" type="xs:anyURI"/></xs:schema>'
    )
)


def is_any_uri(text: str) -> bool:
    element = etree.Element("i")
    element.text = text
    return ANY_URI.validate(element)


@pytest.mark.spec("P68", "W3")
@pytest.mark.parametrize("identifier", GOOD)
def test_an_identifier_that_is_a_uri_is_taken(identifier: str) -> None:
    assert oai.identifier_fault(identifier) is None
    assert oai.is_identifier(identifier)
    assert is_any_uri(identifier)


@pytest.mark.spec("P68")
@pytest.mark.parametrize(("identifier", "reason"), BAD)
def test_what_is_no_uri_is_refused_with_a_reason(identifier: str, reason: str) -> None:
    assert reason in str(oai.identifier_fault(identifier) or "")
    assert not oai.is_identifier(identifier)


PIECES = st.sampled_from(
    [
        "a",
        "b",
        "é",
        "日",
        "1",
        ":",
        "::",
        "/",
        "//",
        "?",
        "#",
        "@",
        "%",
        "%41",
        "%zz",
        ".",
        "-",
        "~",
        "&",
        "'",
        "[",
        "]",
    ]
    + ["urn:", "http://", "h:80", ":99999999999", "\u200b", "\U0001f600", "{", "\\", "\x85"]
)


@pytest.mark.spec("P68")
@settings(max_examples=1500, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=20))
def test_everything_taken_is_valid_as_anyURI(text: str) -> None:
    if oai.is_identifier(text):
        assert is_any_uri(text)


@pytest.mark.spec("P68")
@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=20))
def test_a_deletion_is_taken_exactly_for_what_is_an_identifier_without_the_space_around_it(text: str) -> None:
    try:
        taken = store.prepare_deletion(text)
    except xml_tree.Unusable:
        assert not oai.is_identifier(text.strip())
    else:
        assert oai.is_identifier(taken.identifier)
        assert taken.identifier == text.strip()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("urn:A", "urn:a"),
        (" urn:a\n", "urn:a"),
        ("urn:STRASSE", "urn:straße"),
        ("urn:Σ", "urn:ς"),
        ("urn:É", "urn:é"),
    ],
)
def test_two_spellings_of_one_identifier_have_one_key(one: str, other: str) -> None:
    assert oai.identifier_key(one) == oai.identifier_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("urn:a", "urn:b"), ("urn:a", "urn:a/"), ("a%41", "aA"), ("urn:e", "urn:é")]
)
def test_different_identifiers_have_different_keys(one: str, other: str) -> None:
    assert oai.identifier_key(one) != oai.identifier_key(other)


@given(st.text())
def test_the_key_of_a_key_is_itself(text: str) -> None:
    key = oai.identifier_key(text)
    assert oai.identifier_key(key.casefold()) == oai.identifier_key(key)


@given(st.text(min_size=500, max_size=2000))
def test_an_accepted_identifier_fits_an_index_row(text: str) -> None:
    if oai.is_identifier(text):
        assert len(oai.identifier_key(text).encode()) <= oai.MAX_IDENTIFIER_BYTES


@pytest.mark.spec("P72")
@pytest.mark.parametrize(
    "spec", ["WIS-GISC-TOKYO", "shared01", "a", "a:b", "a:b:c", "-_.!~*'()", "0", "WIS-CATALOGUE", "a:-"]
)
def test_a_setSpec_is_words_with_single_colons_between(spec: str) -> None:
    assert oai.is_set_spec(spec)


@pytest.mark.spec("P72")
@pytest.mark.parametrize(
    "spec", ["", ":", "a:", ":a", "a::b", "a b", "a/b", "é", "a\n", "a%20b", "a,b", "a:b:", "a@b", "a+b", "a\x00", "１"]
)
def test_anything_else_is_no_setSpec(spec: str) -> None:
    assert not oai.is_set_spec(spec)
