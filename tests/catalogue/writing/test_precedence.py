"""Which of two versions counts when they came by different ways (W33)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue.provenance import LOCAL_ORIGIN, Origin, Provenance, compare_versions, origin_of

NC = "http://nc.example.org/oai"


def day(number: int) -> datetime:
    return datetime(2026, 1, number, tzinfo=UTC)


def at_nc(number: int, *, direct: bool = False) -> Origin:
    return Origin(NC, "urn:1", day(number), direct)


DIRECT, RELAYED = Origin("http://g.example.org/oai", "urn:1", day(1)), Origin(direct=False)

# What is offered, its gmd:dateStamp, what is held, its gmd:dateStamp; whether the offered one takes over.
CASES = {
    "later at the origin of both, though its gmd:dateStamp is older": (at_nc(3), day(1), at_nc(2), day(2), True),
    "earlier at the origin of both, though its gmd:dateStamp is newer": (at_nc(2), day(2), at_nc(3), day(1), False),
    "at the origin itself, later than what a relay had of it": (at_nc(3, direct=True), day(1), at_nc(2), day(1), True),
    "the same datestamp at the origin: gmd:dateStamp": (at_nc(2), day(2), at_nc(2), day(1), True),
    "another record of that repository: gmd:dateStamp": (
        at_nc(1), day(2), at_nc(2)._replace(key="urn:2"), day(1), True
    ),
    "another origin, gmd:dateStamp later": (at_nc(1), day(2), DIRECT, day(1), True),
    "another origin, gmd:dateStamp earlier": (at_nc(9), day(1), DIRECT, day(2), False),
    "no gmd:dateStamp is earlier than any": (at_nc(9), None, DIRECT, day(2), False),
    "as new, and direct against relayed": (DIRECT, day(1), RELAYED, day(1), True),
    "as new, and relayed against direct": (RELAYED, day(1), DIRECT, day(1), False),
    "as new, none direct: the one that is here": (at_nc(1), day(1), RELAYED, day(1), False),
    "as new, both direct: the one that is here": (DIRECT, day(1), LOCAL_ORIGIN, day(1), False),
}  # fmt: skip


@pytest.mark.spec("W33")
@pytest.mark.parametrize("what", CASES)
def test_which_of_two_versions_counts(what: str) -> None:
    offered, offered_date, held, held_date, expected = CASES[what]
    assert compare_versions(offered, offered_date, held, held_date)[0] is expected


dates = st.none() | st.integers(1, 4).map(day)
origins = st.builds(Origin, st.sampled_from(["", NC, "http://g"]), st.sampled_from(["a", "b"]), dates, st.booleans())


@pytest.mark.spec("W33")
@given(origins, dates, origins, dates)
def test_never_do_two_versions_replace_one_another_in_turn(
    one: Origin, one_date: datetime | None, other: Origin, other_date: datetime | None
) -> None:
    """Else a record with two ways would be stamped anew with every harvest."""
    there, back = (
        compare_versions(one, one_date, other, other_date)[0],
        compare_versions(other, other_date, one, one_date)[0],
    )
    assert not (there and back)


@pytest.mark.spec("W33")
def test_the_origin_is_the_innermost_step_or_the_provider_itself() -> None:
    step = Provenance("http://G.example.org/oai/", " urn:1 ", "2026-01-02")
    nc = Provenance(NC, "urn:1", "2026-01-01T00:00:00Z")
    assert origin_of(None) == LOCAL_ORIGIN
    assert origin_of(step) == Origin("http://g.example.org/oai", "urn:1", day(2), True)
    assert origin_of(replace(step, relayed=True)) == Origin(direct=False)
    way = replace(step, relayed=True, origin=replace(step, origin=nc))
    assert origin_of(way) == Origin(NC, "urn:1", day(1), False)
