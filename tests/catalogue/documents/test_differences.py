"""Differences of two documents, as a reader sees them."""

import random
from collections.abc import Callable, Iterator

import pytest
from django.template import Context, Template

from catalogue.documents.differences import (
    DEFAULTS,
    Cell,
    DifferenceLimits,
    Differences,
    Kind,
    Namespace,
    Notation,
    Row,
    Sign,
    differences,
)
from tests.support import world

RECORD = world.iso_record("a", title="Surface observations of the day", keywords=["wind", "rain", "snow"])


def _text(cell: Cell | None) -> str | None:
    return None if cell is None else "".join(f"[{part.text}]" if part.is_marked else part.text for part in cell.parts)


def _changes(found: Differences) -> list[tuple[str, str | None, str | None]]:
    return [
        (row.sign.value, _text(row.before), _text(row.after))
        for hunk in found.hunks
        for row in hunk.rows
        if row.sign is not Sign.SAME
    ]


def test_a_changed_word_is_marked_in_its_line_and_the_path_of_its_element_is_told() -> None:
    found = differences(RECORD, RECORD.replace(b"Surface observations of", b"Upper air observations of"))
    assert found.kind is Kind.CONTENT
    assert (found.total, found.shown, found.paths) == (1, 1, ("identificationInfo / citation / title",))
    string = "<gco:CharacterString>{} observations of the day</gco:CharacterString>"
    assert _changes(found) == [("changed", string.format("[Surface]"), string.format("[Upper air]"))]
    assert [hunk.paths for hunk in found.hunks] == [found.paths]
    same = [_text(row.before) for row in found.hunks[0].rows if row.sign is Sign.SAME]
    assert same == ["<gmd:CI_Citation>", "<gmd:title>", "</gmd:title>", "<gmd:date>"]  # and no more of it


@pytest.mark.parametrize("date", ["2024-03-01", "2026-01-11"])  # it is aligned from either side
@pytest.mark.parametrize("at", range(4))
def test_an_added_element_is_shown_from_its_start_tag_to_its_end_tag(at: int, date: str) -> None:
    keywords = ["wind", "rain", "snow"]
    old = world.iso_record("a", keywords=keywords, metadata_date=date)
    more = world.iso_record("a", keywords=[*keywords[:at], "hail", *keywords[at:]])
    keyword = [
        ("<gmd:keyword>",),
        ("<gco:CharacterString>hail</gco:CharacterString>",),
        ("</gmd:keyword>",),
    ]
    added = differences(old, more)
    assert [change for change in _changes(added) if change[0] != "changed"] == [
        ("added", None, text) for (text,) in keyword
    ]
    assert added.paths[-1] == f"identificationInfo / descriptiveKeywords / keyword {at + 1}"
    removed = [change for change in _changes(differences(more, old)) if change[0] != "changed"]
    assert removed == [("removed", text, None) for (text,) in keyword]


@pytest.mark.parametrize(
    ("rewrite", "notation"),
    [
        (lambda text: text.replace(b"><gmd:", b">\n\t<gmd:").replace(b"of the day", b"of\n the  day"), "white-space"),
        (lambda text: text.replace(b"gmd:", b"iso:").replace(b":gmd=", b":iso="), "prefixes"),
        (lambda text: text.replace(b"<gmd:contact>", b"<!-- who --><gmd:contact>"), "comments"),
        (lambda text: text.replace(b'encoding="UTF-8"', b"encoding='utf-8'"), "other"),
    ],
)
def test_what_only_the_notation_changes_is_told_as_such(rewrite: Callable[[bytes], bytes], notation: str) -> None:
    found = differences(RECORD, rewrite(RECORD))
    assert (found.kind, found.notations, found.hunks) == (Kind.NOTATION, (Notation(notation),), ())
    assert found.is_same_content
    with_more = differences(RECORD, rewrite(RECORD).replace(b"snow", b"ice"))
    assert with_more.total == 1
    assert notation == "other" or with_more.notations == (Notation(notation),), "told beside what differs"


def test_the_order_of_attributes_and_the_prefix_of_a_type_are_notation() -> None:
    xsi = b'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    one = b'<a xmlns:x="urn:x" ' + xsi + b'><b c="1" d="2" xsi:type="x:T"/></a>'
    other = b'<a xmlns:y="urn:x" ' + xsi + b'><b d="2" c="1" xsi:type="y:T"/></a>'
    assert differences(one, other).notations == (Notation.ATTRIBUTE_ORDER,)
    assert differences(one, other.replace(b'"y:T"', b'"y:S"')).total == 1


def test_a_namespace_that_only_one_has_is_named_and_never_hidden_behind_its_prefix() -> None:
    old = b'<r xmlns:gml="http://www.opengis.net/gml"><gml:beginPosition>1</gml:beginPosition></r>'
    found = differences(old, old.replace(b"/gml", b"/gml/3.2", 1))
    assert [_text(row.after) for row in found.hunks[0].rows if row.after] == [
        "<r>",
        "<gml2:beginPosition>1</gml2:beginPosition>",
        "</r>",
    ]
    assert found.namespaces == (
        Namespace("before", "gml", "http://www.opengis.net/gml"),
        Namespace("after", "gml2", "http://www.opengis.net/gml/3.2"),
    )


def test_documents_that_are_not_there_not_xml_or_the_same() -> None:
    assert differences(None, None).kind is differences(b"x", b"x").kind is Kind.SAME
    new, gone = differences(None, RECORD), differences(RECORD, None)
    assert (new.kind, gone.kind) == (Kind.ADDED, Kind.REMOVED)
    assert new.total == gone.total == len(_changes(new)) > 50
    broken = differences(b"<a>one\n<b>two", b"<a>one\n<b>three\0</a>")
    assert broken.is_text
    assert _changes(broken) == [("changed", "<b>[two]", "<b>[three\ufffd</a>]")]
    assert differences(b"", b"\xff\xfe<").is_text


def test_mixed_content_entities_and_instructions_are_compared() -> None:
    found = differences(b"<p>one <b>two</b> three<?x y?></p>", b"<p>one <b>two</b> four<?x z?></p>")
    assert _changes(found) == [("changed", "[three]", "[four]"), ("changed", "<?x [y]?>", "<?x [z]?>")]
    entity = b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>'
    assert "&amp;e;" in str(differences(entity, b"<a>e</a>").hunks), "not expanded"


def _nasty() -> Iterator[tuple[str, bytes, bytes]]:
    """Pairs of documents that are costly to align."""
    random_numbers = random.Random(1)
    letters = [b"".join(random_numbers.choices([b"<a/>", b"<b/>"], k=9_000)) for _ in range(2)]
    yield "two letters", *letters
    yield "periodic", b"<a/>" * 9_000, b"<a/><b/>" * 4_500
    numbers = [b"<a>%d</a>" % number for number in range(9_000)]
    yield "reversed", b"".join(numbers), b"".join(reversed(numbers))
    yield "one text of 10 MB", b"word " * 1_990_000, b"ward " * 1_900_000
    words = b" ".join([b"%d"] * 900)
    lines = [[words % tuple(random_numbers.choices(range(9), k=900)) for _ in range(100)] for _ in range(2)]
    yield "long lines", *(b"".join(b"<a>%s</a>" % line for line in each) for each in lines)


def test_hostile_documents_end_within_the_steps_and_are_cut_honestly() -> None:
    limits = DifferenceLimits(steps=100_000)
    for name, old, new in _nasty():
        found = differences(b"<r>" + old + b"</r>", b"<r>" + new + b"</r>", limits)
        assert found.kind is Kind.CONTENT, name
        assert found.shown == min(found.total, DEFAULTS.shown), name
        assert found.left_out == found.total - found.shown
        rows = [row for hunk in found.hunks for row in hunk.rows]
        assert sum(row.sign is not Sign.SAME for row in rows) == found.shown, name
        assert max(_width(row) for row in rows) < 4 * DEFAULTS.marked * 10, name
    assert found.is_coarse, "the lines of the last have more words than there are steps"


def _width(row: Row) -> int:
    return sum(len(part.text) for cell in (row.before, row.after) if cell for part in cell.parts)


def test_what_is_longer_than_the_limits_is_told() -> None:
    limits = DifferenceLimits(lines=20, shown=2)
    long = b"<r>" + b"".join(b"<a>%d</a>" % number for number in range(40)) + b"</r>"
    found = differences(long, long.replace(b"<a>1", b"<a>x"), limits)
    assert (found.total, found.shown, found.left_out, found.compared_lines) == (10, 2, 8, 20)
    later = differences(long, long.replace(b"<a>39", b"<a>x"), limits)
    assert (later.kind, later.notations, later.compared_lines) == (Kind.NOTATION, (), 20)
    html = _display(found)
    assert "Only the first 2 of 10 differences are shown." in html
    assert "Only the first 20 lines of each were compared." in html
    assert "No difference was found as far as they were compared." in _display(later)


def _display(found: Differences) -> str:
    template = Template("{% load gisc_differences %}{% show_differences found 'here' 'provider' %}")
    return str(template.render(Context({"found": found})))


def test_the_page_says_in_text_what_is_removed_and_added_and_escapes_what_documents_hold() -> None:
    evil = RECORD.replace(b"snow", b"&lt;script&gt;alert(1)&lt;/script&gt;")
    html = _display(differences(RECORD, evil))
    assert '<span class="gisc-unseen">removed: </span>' in html
    assert '<span class="gisc-unseen">added: </span>' in html
    assert "<script" not in html
    assert "style=" not in html
    assert "1 line differs." in html
    assert "Both say the same. Only this differs: white space." in " ".join(
        _display(differences(RECORD, RECORD.replace(b"\n", b"\n "))).split()
    )
