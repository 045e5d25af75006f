"""Unchanged means unchanged (promise 3): what the digest overlooks, and what it must not."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue.documents import iso19139, xml_tree

GMD = 'xmlns:gmd="http://www.isotc211.org/2005/gmd"'
GCO = 'xmlns:gco="http://www.isotc211.org/2005/gco"'
INSIDE = (
    "<gmd:fileIdentifier><gco:CharacterString>urn:a</gco:CharacterString></gmd:fileIdentifier>"
    '<gmd:language><gmd:LanguageCode codeList="l" codeListValue="eng">eng</gmd:LanguageCode></gmd:language>'
    "<gmd:abstract><gco:CharacterString>A &amp; B é{}</gco:CharacterString></gmd:abstract>"
)


def record(inside: str = INSIDE.format(""), attributes: str = f"{GMD} {GCO}") -> str:
    return f"<gmd:MD_Metadata {attributes}>{inside}</gmd:MD_Metadata>"


def digest(document: str | bytes) -> bytes:
    return iso19139.read(xml_tree.root_element(document.encode() if isinstance(document, str) else document)).digest


def spread(indentation: str) -> str:
    return record().replace("><", f">{indentation}<")


ORIGINAL = digest(record())

SAME = {
    "declaration": '<?xml version="1.0" encoding="UTF-8"?>\n' + record(),
    "encoding": ('<?xml version="1.0" encoding="ISO-8859-1"?>' + record()).encode("latin-1"),
    "UTF-16": record().encode("utf-16"),
    "indentation": spread("\n  "),
    "tabs and CRLF": spread("\r\n\t\t"),
    "deep indentation": spread("\n" + " " * 20_000),
    "many empty lines": spread("\r\n  " * 200),
    "old line breaks": spread("\r\r\r"),
    "comments": record(f"<!-- x -->{INSIDE.format('')}<!-- y -->").replace("A &amp;", "A <!-- z -->&amp;"),
    "order of attributes": record().replace('codeList="l" codeListValue="eng"', 'codeListValue="eng" codeList="l"'),
    "space between attributes": record().replace('codeList="l" ', 'codeList = "l"\n\t'),
    "other quotes": record().replace('"', "'"),
    "order of declarations": record(attributes=f"{GCO} {GMD}"),
    "a namespace not used": record(attributes=f'{GMD} {GCO} xmlns:gmx="http://www.isotc211.org/2005/gmx"'),
    "declarations further in": record(attributes=GMD).replace("<gco:CharacterString>", f"<gco:CharacterString {GCO}>"),
    "CDATA": record().replace("A &amp; B", "<![CDATA[A & B]]>"),
    "character references": record().replace("é", "&#233;").replace("A ", "&#x41; "),
    "prologue and epilogue": f"<?xml-stylesheet href='x'?><!-- x -->{record()}<!-- y -->\n",
    "space in tags": record().replace("</gco:CharacterString>", "</gco:CharacterString  >"),
}  # fmt: skip
DIFFERENT = {
    "a character": record().replace("A &amp; B", "A &amp; C"),
    "a letter's case": record().replace("A &amp; B", "a &amp; B"),
    "space in a leaf": record().replace("A &amp; B", "A  &amp; B"),
    "space at a leaf's end": record().replace("é<", "é <"),
    "a line break in a leaf": record().replace("A &amp;", "A\n&amp;"),
    "an attribute's value": record().replace('codeListValue="eng"', 'codeListValue="fra"'),
    "an attribute more": record().replace('codeList="l"', 'codeList="l" codeSpace="x"'),
    "an element more": record(INSIDE.format("") + "<gmd:contact/>"),
    "an element less": record().replace('<gmd:language><gmd:LanguageCode codeList="l" codeListValue="eng">eng</gmd:LanguageCode></gmd:language>', ""),
    "the order of elements": record("<gmd:contact/>" + INSIDE.format("")),
    "a leaf of white space": record(INSIDE.format("") + "<gmd:contact> </gmd:contact>"),
    "the identifier's case": record().replace("urn:a", "urn:A"),
    "another namespace": record().replace("2005/gco", "2007/gco"),
    "composed and decomposed letters": record().replace("é", "e\u0301"),
}  # fmt: skip


@pytest.mark.spec("P90", "S10", "S12", "S51")
@pytest.mark.parametrize("name", SAME)
def test_the_digest_overlooks(name: str) -> None:
    assert digest(SAME[name]) == ORIGINAL


@pytest.mark.spec("P89")
@pytest.mark.parametrize("name", DIFFERENT)
def test_the_digest_does_not_overlook(name: str) -> None:
    assert digest(DIFFERENT[name]) != ORIGINAL


def test_all_different_records_differ_from_one_another() -> None:
    assert len({digest(document) for document in DIFFERENT.values()}) == len(DIFFERENT)


@pytest.mark.parametrize("indentation", ["", "\n  ", "\r\n\t"])
def test_a_relative_namespace_has_a_digest_that_overlooks_the_same(indentation: str) -> None:
    """Canonical XML 1.0 refuses such a document; real ones have been seen."""
    relative = record().replace(
        "</gmd:MD_Metadata>", '<x:y xmlns:x="relative/uri"><x:z a="1" b="2">t</x:z></x:y></gmd:MD_Metadata>'
    )
    turned = relative.replace('a="1" b="2"', "b='2' a='1'").replace("><", f">{indentation}<!-- x -->{indentation}<")
    assert digest(turned) == digest(relative)
    assert digest(relative.replace(">t<", ">u<")) != digest(relative)


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40), st.sampled_from(["utf-8", "utf-16"]))
def test_text_written_in_three_ways_has_one_digest(text: str, encoding: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    cdata = "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>"
    numbers = "".join(f"&#{ord(character)};" for character in text)
    forms = [f"x{form}x" for form in (escaped, cdata, numbers) if not set(text) & {"\ufffe", "\uffff"}]
    assert len({digest(record(INSIDE.format(form)).encode(encoding)) for form in forms}) <= 1


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(" \n\t", min_size=1, max_size=5), min_size=5, max_size=5), st.data())
def test_any_white_space_between_elements_is_overlooked(spaces: list[str], data: st.DataObject) -> None:
    parts = record().split("><")
    between = data.draw(st.lists(st.sampled_from(spaces), min_size=len(parts) - 1, max_size=len(parts) - 1))
    document = "".join(f"{part}>{space}<" for part, space in zip(parts, between, strict=False)) + parts[-1]
    assert digest(document) == ORIGINAL


@pytest.mark.parametrize(
    "before", [b"<a/>x", *(b'<a b="c"/>' * number for number in range(18, 42, 2)), b"y" + b" " * 199]
)
def test_each_long_white_space_between_tags_is_found_wherever_it_begins(before: bytes) -> None:
    """It is looked for by samples of every twentieth byte, which may all be blanks where the text is none."""
    for offset in range(20):
        for length in range(195, 225):
            text = b"x" * offset + before + b">" + b" " * length + b"<"
            expected = re.sub(rb">[ \t\r\n]{200,}<", b"> <", text)
            assert xml_tree.shorten_blanks(text) == expected, (offset, length)
