"""Secrets in the database: opened with the node's key and for their purpose, and by nothing else."""

import base64

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from harvester.net.access import UnreadableSecret, seal, unseal

TEXTS = st.text(st.characters(codec="utf-8"), max_size=200)


@given(text=TEXTS)
def test_what_is_sealed_comes_out_as_it_was(text: str) -> None:
    assert unseal(seal(text, "password"), "password") == text


@given(text=st.text(st.characters(codec="utf-8"), min_size=4, max_size=200))
def test_a_seal_does_not_tell_the_text_nor_whether_two_are_alike(text: str) -> None:
    one, other = seal(text, "password"), seal(text, "password")
    assert one != other
    assert text.encode() not in base64.urlsafe_b64decode(one)


@given(text=TEXTS, place=st.integers(0), bit=st.integers(0, 7))
def test_a_seal_that_was_changed_is_not_opened(text: str, place: int, bit: int) -> None:
    raw = bytearray(base64.urlsafe_b64decode(seal(text, "password")))
    raw[place % len(raw)] ^= 1 << bit
    with pytest.raises(UnreadableSecret):
        unseal(base64.urlsafe_b64encode(raw).decode(), "password")


@pytest.mark.parametrize("text", ["", "s3cret", "é", "AAAA", "A" * 64, "A" * 100])
def test_what_is_no_seal_is_not_opened(text: str) -> None:
    with pytest.raises(UnreadableSecret):
        unseal(text, "password")


def test_a_seal_is_good_for_its_purpose_and_key_only() -> None:
    sealed = seal("s3cret", "password")
    with pytest.raises(UnreadableSecret):
        unseal(sealed, "cookies")
    with override_settings(SECRET_KEY="another"), pytest.raises(UnreadableSecret):
        unseal(sealed, "password")
