"""File names of hostile identifiers: safe on every file system, and one for each identifier."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvester.copying.file_names import MAX_BYTES, file_name

HOSTILE = [
    *("../../etc/passwd", "/etc/passwd", "..", ".", ".hidden", "con", "NUL", "com1.x", "a/b\\c:d*e?f", "a b", "a%2fb"),
    *("a\nb", "a\0b", "-rf", "~", "ä", "Ä", "a\u0308", "ſ", "K", "x" * 4000, "X" * 4000, "x" * 3999 + "y"),
    *("urn:x-wmo:md:int.wmo.wis::SMDL01EDZW", "urn:x-wmo:md:int.wmo.wis::smdl01edzw", "Urn:x-wmo:md:int.wmo.wis::smdl01edzw"),
]  # fmt: skip


@pytest.mark.parametrize("identifier", HOSTILE)
def test_a_name_is_safe_everywhere(identifier: str) -> None:
    name = file_name(identifier, ".xml")
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789%.~_-")
    assert len(name) <= MAX_BYTES + len(".xml")
    assert not name.startswith(".")
    assert name.split(".")[0] not in ("con", "nul", "com1")


def test_an_ordinary_identifier_can_be_read_in_the_name() -> None:
    assert file_name("urn:x-wmo:md:de.dwd::ab_1", ".xml") == "urn%3ax-wmo%3amd%3ade.dwd%3a%3aab_1.xml"


@given(st.text(st.sampled_from("aAbB.~%/-0"), max_size=8), st.text(st.sampled_from("aAbB.~%/-0"), max_size=8))
def test_two_identifiers_never_share_a_file(one: str, other: str) -> None:
    assert (file_name(one, "") == file_name(other, "")) == (one == other)


def test_no_two_of_the_hostile_ones_share_a_file() -> None:
    assert len({file_name(identifier, ".xml").casefold() for identifier in HOSTILE}) == len(HOSTILE)
