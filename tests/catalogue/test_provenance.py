"""The type of a provenance: what is stored comes back, whatever a provider wrote, and old rows are read (P122, P123)."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue.provenance import MAX_ORIGIN_CHARS, MAX_ORIGINS, About, Provenance, chain

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
STEP = st.builds(Provenance, TEXT, TEXT, TEXT, TEXT, TEXT, altered=st.booleans())
ABOUTS = st.lists(st.builds(About, TEXT, TEXT.map(str.encode)), max_size=3).map(tuple)
HARVEST = st.builds(replace, STEP, link=TEXT, relayed=st.booleans(), abouts=ABOUTS)


@pytest.mark.spec("P122")
@given(latest=HARVEST, earlier=st.lists(STEP, max_size=4))
def test_what_is_stored_comes_back(latest: Provenance, earlier: list[Provenance]) -> None:
    provenance = chain([latest, *earlier])
    stored = json.dumps(provenance.to_json())
    assert Provenance.from_text(stored) == provenance
    assert provenance.steps()[1:] == (provenance.origin.steps() if provenance.origin else [])


@pytest.mark.spec("P123", "W33")
@given(steps=st.lists(STEP, min_size=1, max_size=40))
def test_a_chain_is_bounded_and_keeps_the_latest_and_the_first(steps: list[Provenance]) -> None:
    kept = chain(steps).steps()
    texts = ("base_url", "identifier", "datestamp", "metadata_namespace", "harvest_date")
    assert len(kept) <= MAX_ORIGINS
    assert len(kept) == 1 or sum(len(getattr(step, name)) for step in kept for name in texts) <= MAX_ORIGIN_CHARS
    assert [replace(kept[0], origin=None), kept[-1]] == [steps[0], steps[-1]]


@pytest.mark.parametrize("stored", [None, "null", "{}"])
def test_no_provenance_is_none_however_it_was_written(stored: str | None) -> None:
    assert Provenance.from_text(stored) is None


def test_what_a_row_lacks_or_has_as_null_is_empty() -> None:
    stored = {"link": "toulouse", "baseURL": None, "origin": None, "unknown": 7}
    assert Provenance.from_json(stored) == Provenance(link="toulouse")
