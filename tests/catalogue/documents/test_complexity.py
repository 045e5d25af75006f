"""What a document may consist of: limits far above real records, looked for in the bytes before anything is parsed."""

import pytest

from catalogue.documents import complexity, xml_tree
from catalogue.documents.complexity import Excess
from catalogue.reasons import ReasonCode
from tests.support import bombs
from tests.support.paths import shared


def attributes(number: int, unit: str = ' a%="<>"') -> bytes:
    return b"".join(unit.replace("%", str(each)).encode() for each in range(number)).replace(b"<>", b"'>")


TOO_MUCH = {
    "attributes": (b"<a" + attributes(251) + b"/>", Excess("element-attributes", 251, 250)),
    "attributes and namespaces": (
        b"<a" + attributes(126) + attributes(125, ' xmlns:p%="u"') + b"/>",
        Excess("element-attributes", 251, 250),
    ),
    "attributes with white space": (b"<a" + attributes(251, "\n a% = 'b'") + b"/>", Excess("element-attributes", 251, 250)),
    "far too many attributes": (b"<a" + attributes(9_000) + b"/>", Excess("element-attributes", 2_500, 250)),
    "a name": (b"<a" + b"n" * 4_000 + b"/>", Excess("name", 4_001, 4_000)),
    "a name of an attribute": (b"<a " + b"n" * 4_001 + b'="1"/>', Excess("name", 4_001, 4_000)),
    "tags": (b"<a>" + b"<b/>" * 99_999 + b"</a>", Excess("tags", 100_001, 100_000)),
    "attributes in all": (b"<a>" + (b"<b" + attributes(200) + b"/>") * 501 + b"</a>", Excess("attributes", 100_200, 100_000)),
    "namespaces in force": (
        b"<a" + attributes(249, ' xmlns:p%="u"') + b">" + b"<b" + attributes(249, ' xmlns:q%="u"') + b">"
        + b"<c" + attributes(9, ' xmlns:r%="u"') + b">" + b"x" * 100_000 + b"</c></b></a>",
        Excess("namespaces", 507, 500),
    ),
}  # fmt: skip
ENOUGH = {
    "attributes": b"<a" + attributes(250) + b"/>",
    "equals signs in a value": b'<a b="' + b"c='d' " * 1000 + b'"/>',
    "equals signs in a text": b"<a>" + b' b="c"' * 50_000 + b"</a>",
    "a long value": b'<a b="' + b"x" * 1_000_000 + b'"/>',
    "tags": b"<a>" + b"<b/>" * 99_998 + b"</a>",
    "a tag in a comment": b"<a><!-- <a" + attributes(1000) + b"/> --></a>",
    "a tag in a CDATA section": b"<a><![CDATA[<a" + attributes(1000) + b"/>]]></a>",
    "a tag in an instruction": b"<a><?a <a" + attributes(1000) + b"/>?></a>",
    "namespaces of one element after the other": b"<a>" + b'<b xmlns:p="u">text of some length</b>' * 3_000 + b"</a>",
}


@pytest.mark.parametrize(("element", "excess"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_is_too_much_is_found_and_refused_before_it_is_parsed(element: bytes, excess: Excess) -> None:
    assert complexity.excess_of_record(element) == excess
    with pytest.raises(xml_tree.Unusable, match=f"at least {excess.number:,}") as refusal:
        xml_tree.parse(element)
    assert refusal.value.reason == (ReasonCode.TOO_COMPLEX, excess.facts())


@pytest.mark.parametrize("element", ENOUGH.values(), ids=ENOUGH)
def test_what_is_within_the_limits_is_parsed(element: bytes) -> None:
    assert complexity.excess_of_record(element) is None
    xml_tree.parse(element)


@pytest.mark.parametrize(
    "document", [b"\n" * 1_100_000 + b"<a/>", b"<a/><!--" + b"x" * 1_100_000 + b"-->", b"<a/>" + b" " * 1_100_000]
)
def test_white_space_and_comments_outside_the_root_are_limited(document: bytes) -> None:
    with pytest.raises(xml_tree.Unusable, match="before or after the root element"):
        xml_tree.root_element(document)


def test_other_limits_can_be_put_in_force() -> None:
    with complexity.LIMITS.replaced(element_attributes=10):
        assert complexity.excess_of_record(b"<a" + attributes(11) + b"/>") == Excess("element-attributes", 11, 10)


def test_real_records_have_a_tenth_of_the_limits_at_most() -> None:
    """What the docstring of `XmlLimits` says of them."""
    records = [path.read_bytes() for path in sorted(shared("data", "iso19139").rglob("*.xml"))]
    assert len(records) > 1_000
    tenth = {"tags": 10_000, "attributes": 10_000, "element_attributes": 25, "namespaces": 50, "name_bytes": 400}
    with complexity.LIMITS.replaced(**tenth):
        assert [excess for record in records if (excess := complexity.excess_of_record(record))] == []


def test_a_long_start_tag_is_kept_in_no_cache() -> None:
    tag = b' a="%s"' % (b"x" * 1_000_000)
    assert xml_tree.attribute_names(tag) == {b"a"}
    assert xml_tree.attribute_names(tag) is not xml_tree.attribute_names(tag)


@pytest.mark.parametrize("number", [1, 3, 40])
def test_prefixes_are_found_one_by_one_and_in_one_pass_alike(number: int) -> None:
    element = b"<p1:a xp2:b='p3:'>:p0 p1:: \xc3\xa4p4:</p1:a>" + b" " * (25_000_000 // 40)
    prefixes = [f"p{each}" for each in range(number)]
    one_by_one = {prefix for prefix in prefixes if xml_tree.uses_prefix(element, prefix)}
    assert xml_tree.used_prefixes(element, prefixes) == one_by_one == {"p1", "p3"} & set(prefixes)


def test_every_shape_of_a_bomb_is_judged_from_its_bytes_alone() -> None:
    """The check itself never raises, whatever it is given."""
    for seed in range(20):
        text = bombs.mixture(seed, 300_000)
        complexity.excess_of_record(text)
        complexity.excess_of_answer(text, 0)
