"""Differences of two records as fields, which a reader sees before the lines of the XML."""

from django.template import Context, Template

from catalogue.documents.differences import Kind, differences
from catalogue.documents.field_differences import MAX_VALUE, Field, FieldDifference, field_differences
from tests.support import world

RECORD = world.iso_record("a", title="Wind", keywords=["wind", "rain"], organisation="JMA", box=(120, 20, 150, 46))


def test_the_same_record_has_no_differing_field() -> None:
    assert field_differences(RECORD, RECORD.replace(b"\n", b"\n  ")) == ()


def test_each_field_that_differs_is_named_with_both_values() -> None:
    other = world.iso_record(
        "a",
        title="Wind and rain",
        keywords=["rain", "hail"],
        organisation="Japan Meteorological Agency",
        metadata_date="2025-01-02",
        box=(120, 20, 150, 47),
    )
    found = field_differences(RECORD, other)
    assert found is not None
    assert found[0] == FieldDifference(Field.TITLE, "Wind", "Wind and rain")
    assert [(difference.before, difference.after) for difference in found if difference.field is Field.KEYWORD] == [
        ("wind", ""),
        ("", "hail"),
    ]
    areas = [(difference.before, difference.after) for difference in found if difference.field is Field.AREA]
    assert areas == [("120 20 150 46", ""), ("", "120 20 150 47")]
    dates = [difference for difference in found if difference.field is Field.METADATA_DATE]
    assert [(date.before[:10], date.after[:10]) for date in dates] == [("2024-03-01", "2025-01-02")]
    names = [difference for difference in found if difference.field is Field.CONTACT_NAME]
    assert names == [FieldDifference(Field.CONTACT_NAME, "JMA", "Japan Meteorological Agency", of="JMA")]


def test_long_texts_are_cut_around_the_first_difference() -> None:
    long = "word " * 1000
    found = field_differences(
        world.iso_record("a", abstract=long + "old"), world.iso_record("a", abstract=long + "new")
    )
    assert found is not None
    (difference,) = found
    assert difference.before.endswith("old") and difference.after.endswith("new")
    assert difference.before.startswith("… ") and len(difference.before) <= MAX_VALUE + 4


def test_what_is_no_record_has_no_fields_and_its_lines_are_compared_all_the_same() -> None:
    assert field_differences(RECORD, b"<x/>") is None
    assert differences(b"<x>1</x>", b"<x>2</x>").fields is None
    # Attributes of one element beyond the limit would cost far more than their size.
    bomb = b"<x " + b" ".join(b'a%d=""' % number for number in range(20_000)) + b"/>"
    assert field_differences(RECORD, bomb) is None


def test_the_page_names_fields_first_and_folds_the_lines_of_the_xml() -> None:
    found = differences(RECORD, RECORD.replace(b"rain", b"&lt;b&gt;snow"))
    assert found.kind is Kind.CONTENT
    template = Template("{% load gisc_differences %}{% show_differences found 'here' 'provider' %}")
    html = str(template.render(Context({"found": found})))
    assert 'Keyword <span class="gisc-field-sign">removed</span></th><td data-label="here">rain</td>' in html
    assert "&lt;b&gt;snow" in html and "<b>snow" not in html
    assert (
        html.index("Keyword")
        < html.index("<summary>The differences in the XML</summary>")
        < html.index("gisc-diff-scroll")
    )
    unread = differences(RECORD, RECORD.replace(b"gmxCodelists.xml", b"other.xml", 1))
    assert (unread.kind, unread.fields) == (Kind.CONTENT, ())
    assert "None of the fields that this catalogue reads differs" in template.render(Context({"found": unread}))
