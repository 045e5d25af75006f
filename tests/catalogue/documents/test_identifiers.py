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
def test_a_deletion_is_taken_exactly_for_what_a_record_may_be_called(text: str) -> None:
    try:
        taken = store.prepare_deletion(text)
    except xml_tree.Unusable:
        assert oai.file_identifier_fault(text.strip()) is not None
    else:
        assert oai.file_identifier_fault(text.strip()) is None
        assert (taken.identifier, taken.key) == (text.strip(), oai.oai_identifier(text))


# --- What is no URI is percent-encoded -------------------------------------------------------------------

ENCODED = (
    ("gov.noaa.ngdc.mgg.photo_image:1037", "gov.noaa.ngdc.mgg.photo_image%3A1037"),
    ("{E15CD0B3-7E7B-4B0C-9C55-6A5C1D2B9D37}", "%7BE15CD0B3-7E7B-4B0C-9C55-6A5C1D2B9D37%7D"),
    ("a b", "a%20b"),
    (" a b\n", "a%20b"),
    ("a\u3000b", "a%E3%80%80b"),
    ("100%", "100%25"),
    ("a%20b %zz", "a%20b%20%25zz"),
    ("a#b#c#", "a#b%23c%23"),
    (":a", "%3Aa"),
    ("a_b:c:d/e:f", "a_b%3Ac%3Ad/e:f"),
    ("é:b?c:d", "é%3Ab?c:d"),
    ("http://a@b@c/d@e", "http://a%40b@c/d@e"),
    ("http://example.org:port/a:b", "http://example.org%3Aport/a:b"),
    ("//a:b", "//a%3Ab"),
    ('<"\\^`{|}[]>', "%3C%22%5C%5E%60%7B%7C%7D%5B%5D%3E"),
    ("@@fileId@@", "@@fileId@@"),
)


@pytest.mark.spec("P68", "W3")
@pytest.mark.parametrize(("written", "expected"), ENCODED)
def test_of_a_fileIdentifier_that_is_no_uri_only_what_offends_is_encoded(written: str, expected: str) -> None:
    assert oai.oai_identifier(written) == expected
    assert oai.is_identifier(expected)


@pytest.mark.parametrize("identifier", GOOD)
def test_what_is_a_uri_is_its_own_oai_identifier(identifier: str) -> None:
    assert oai.oai_identifier(identifier) == identifier


@pytest.mark.spec("P68", "S24")
@settings(max_examples=1500, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=20))
def test_whatever_a_record_may_be_called_has_an_oai_identifier_that_is_a_uri_and_its_own(text: str) -> None:
    if oai.file_identifier_fault(text.strip()) is None:
        encoded = oai.oai_identifier(text)
        assert oai.is_identifier(encoded)
        assert oai.oai_identifier(encoded) == encoded
        assert (encoded == text.strip()) == oai.is_identifier(text.strip())


@pytest.mark.spec("P69")
@pytest.mark.parametrize(
    ("one", "other"), [("urn:a", "urn:b"), ("urn:a", "urn:A"), ("urn:a", "urn:a/"), ("a%41", "aA"), ("urn:e", "urn:é")]
)
def test_different_identifiers_have_different_oai_identifiers(one: str, other: str) -> None:
    assert oai.oai_identifier(one) != oai.oai_identifier(other)


@pytest.mark.parametrize(
    "text", ["", "a\x00", "a\x7f\x01", "a\ud800", "a\ufffe", " " + "{" * (oai.MAX_IDENTIFIER_BYTES // 3 + 1)]
)
def test_what_no_record_can_be_called_is_refused(text: str) -> None:
    assert oai.file_identifier_fault(text.strip()) is not None


@given(st.text(min_size=500, max_size=2000))
def test_what_a_record_may_be_called_fits_an_index_row(text: str) -> None:
    if oai.file_identifier_fault(text) is None:
        assert len(oai.oai_identifier(text).encode()) <= oai.MAX_IDENTIFIER_BYTES


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
