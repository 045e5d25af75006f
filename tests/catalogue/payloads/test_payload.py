"""How a root element is kept."""

import logging

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from catalogue.documents import xml_tree
from catalogue.models import Dictionary
from catalogue.payloads import payload, zstd
from catalogue.writing import read_document
from tests.support import world
from tests.support.threads import threads

pytestmark = pytest.mark.django_db


@given(st.binary())
def test_what_is_packed_is_unpacked(element: bytes) -> None:
    ready = xml_tree.to_splice(element)
    assert payload.unpack(payload.pack(element)) == ready
    assert payload.unpack(memoryview(payload.pack(element))) == ready


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


def test_a_list_goes_on_without_the_record_that_is_damaged_and_the_log_names_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    packed = payload.pack(b"<a:a/>")
    assert payload.unpack_or_log(packed, identifier="urn:a") == b"<a:a/>"
    with caplog.at_level(logging.ERROR, logger="catalogue.payloads.payload"):
        assert payload.unpack_or_log(packed[:-1], identifier="urn:a") is None
    (told,) = caplog.records
    assert told.identifier == "urn:a" and "cannot be read back" in told.reason


def test_threads_pack_and_unpack_side_by_side() -> None:
    elements = [bytes([number]) * 50_000 for number in range(8)]
    payload.newest()  # as in a server: the threads have no transaction in which to see the test's rows

    def back_and_forth(element: bytes) -> bool:
        return all(payload.unpack(payload.pack(element)) == element for _ in range(50))

    packed = payload.pack(b"<a/>")
    payload.unpack(packed)
    with threads(8) as running:
        futures = [running.start(back_and_forth, element) for element in elements]
        assert all(future.result() for future in futures)


def test_a_payload_made_before_there_were_dictionaries_is_read() -> None:
    assert Dictionary.objects.exists()
    old = zstd.packer(None)(b"<a:a/>")
    assert zstd.dictionary_id(old) == 0
    assert payload.unpack(old) == b"<a:a/>"


@pytest.mark.spec("P48")
@pytest.mark.parametrize(
    ("element", "spliced"),
    [
        ('<g:a xmlns:g="urn:g"><id/></g:a>', '<g:a xmlns="" xmlns:g="urn:g"><id/></g:a>'),
        ('<g:a xmlns:g="urn:g"><br /></g:a>', '<g:a xmlns="" xmlns:g="urn:g"><br /></g:a>'),
        ("<a/>", '<a xmlns=""/>'),
        ("<g:a xmlns:g='urn:g' b=\"'>\"\n><g:b/><!-- <id> --></g:a>", None),
        ('<g:a xmlns:g="urn:g"><id xmlns="urn:b"><c/></id><id xmlns=""/></g:a>', None),
        ('<a xmlns="urn:a"><id xmlns=""/></a>', None),
        ("<g:a xmlns:g='urn:g' xmlns\n= ''><id/></g:a>", None),
        ("<a", None),
        ("<a><b></a>", None),
    ],
)
def test_a_payload_is_ready_to_be_spliced_into_an_answer_whenever_it_was_packed(
    element: str, spliced: str | None
) -> None:
    ready = (spliced or element).encode()
    assert payload.unpack(payload.pack(element.encode())) == ready
    assert payload.unpack(zstd.packer(None)(element.encode())) == ready, "as an earlier version packed it"
    packed = payload.pack(element.encode(), zstd.packer(None))
    assert zstandard.ZstdDecompressor().decompress(packed) == ready, "as an earlier version unpacks it"


@pytest.mark.parametrize(
    "inside",
    ["", "<id/>", '<id xmlns=""/>', '<x xmlns="urn:x"><id xmlns=""/></x>', '<x xmlns="urn:x"><id/></x><id/>'],
)
def test_a_document_is_ready_to_be_spliced_as_soon_as_it_is_read(inside: str) -> None:
    document = world.iso_record("urn:a").replace(b"</gmd:MD_Metadata>", inside.encode() + b"</gmd:MD_Metadata>")
    parsed = read_document.read(document)
    assert isinstance(parsed, read_document.ParsedDocument)
    assert parsed.element_of(document) == xml_tree.to_splice(xml_tree.root_element(document))
