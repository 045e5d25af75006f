"""How a root element is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue import payload
from tests.catalogue.parallel import threads


@given(st.binary())
def test_what_is_packed_is_unpacked(element: bytes) -> None:
    assert payload.unpack(payload.pack(element)) == element
    assert payload.unpack(memoryview(payload.pack(element))) == element


def test_a_record_is_kept_in_less_room() -> None:
    element = b"<gmd:keyword><gco:CharacterString>wind</gco:CharacterString></gmd:keyword>" * 100
    assert len(payload.pack(element)) < len(element) / 10


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "other"])
def test_a_damaged_payload_is_an_error_not_wrong_bytes(damage: str) -> None:
    packed = bytearray(payload.pack(b"<a>" + bytes(range(256)) * 20 + b"</a>"))
    if damage == "flipped":
        packed[len(packed) // 2] ^= 1
    broken = {"cut": packed[:-5], "flipped": packed, "empty": b"", "other": b"<a/>"}[damage]
    with pytest.raises(payload.PayloadDamaged, match="cannot be read back"):
        payload.unpack(bytes(broken))


def test_threads_pack_and_unpack_side_by_side() -> None:
    elements = [bytes([number]) * 50_000 for number in range(8)]

    def back_and_forth(element: bytes) -> bool:
        return all(payload.unpack(payload.pack(element)) == element for _ in range(50))

    with threads(8) as running:
        futures = [running.start(back_and_forth, element) for element in elements]
        assert all(future.result() for future in futures)
