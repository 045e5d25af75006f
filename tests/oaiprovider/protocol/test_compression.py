"""Accept-Encoding, gzip and deflate: pure."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oaiprovider.protocol import compression


@pytest.mark.spec("P115", "S31")
@pytest.mark.parametrize(
    "accepted",
    [
        "gzip;q=1.0, identity;q=0.5",
        "gzip, identity",
        "GZIP",
        "gzip",
        "x-gzip",
        "br, gzip",
        "gzip, deflate, br, zstd",
        "gzip ; q=0.5",
        "gzip;Q=1",
        ", ,gzip,",
        "gzip;q=0.5, identity;q=0",
        "*;q=0, gzip",
        "identity;q=0, gzip;q=1.000",
        "identity;q=0.3,\tgzip;q=0.3",
    ],
)
def test_gzip_is_used_where_it_is_listed(accepted: str) -> None:
    assert compression.choose_coding(accepted) == "gzip"


@pytest.mark.spec("P115")
@pytest.mark.parametrize(
    "accepted",
    [
        "deflate",
        "gzip;q=0, deflate",
        "gzip;q=0.5, deflate",
        "br, Deflate;q=0.3",
        "deflate, gzip;q=0.001",
        "deflate, identity;q=0.9",
    ],
)
def test_deflate_is_used_where_it_is_preferred(accepted: str) -> None:
    assert compression.choose_coding(accepted) == "deflate"


@pytest.mark.spec("P115", "S31")
@pytest.mark.parametrize(
    "accepted",
    [
        None,
        "",
        "identity",
        "br",
        "*",
        "*;q=1.0",
        "deflate;q=0",
        "deflate;q=0.5, identity",
        "compress",
        "gzip;q=0",
        "gzip;q=0, identity",
        "gzip;q=0.000",
        "x-gzip;q=0",
        "gzip;q=0, x-gzip",
        "identity;q=1, gzip;q=0.5",
        "identity;q=0",
        "*;q=0",
        "notgzip",
        "gzipped",
        "gzip2, br",
        # unparsable
        "gzip;q=2",
        "gzip;q=-1",
        "gzip;q=1.5",
        "gzip;q=0.1234",
        "gzip;q=a",
        "gzip;level=9",
        "gzip br",
        "gzip, b r",
        "gzip\x00",
        "gzip, \xff",
        "gzip;",
    ],
)
def test_otherwise_the_answer_is_identity(accepted: str | None) -> None:
    assert compression.choose_coding(accepted) == "identity"


@pytest.mark.spec("P115")
@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["gzip", "deflate", "*", "identity", ";q=0", ";q=1", ",", " ", "br"])).map("".join)
)
def test_no_header_is_an_error_and_none_without_the_word_is_compressed(accepted: str) -> None:
    coding = compression.choose_coding(accepted)
    assert coding == "identity" or coding in accepted.lower()


@pytest.mark.spec("P115")
@given(st.binary(max_size=3000), st.integers(1, 50))
def test_what_is_compressed_is_one_stream_and_always_the_same(body: bytes, times: int) -> None:
    parts = [body] * times
    for coding, bits in (("gzip", 31), ("deflate", 15)):
        packed = compression.encode(parts, coding)
        assert _whole(packed, bits) == body * times
        assert packed == compression.encode([body * times], coding)
    assert compression.encode(parts, "identity") == body * times


@pytest.mark.spec("P115")
@given(st.lists(st.tuples(st.binary(max_size=3000), st.integers(1, 30), st.booleans()), max_size=20))
def test_pieces_and_bytes_in_any_order_are_one_gzip_member(made: list[tuple[bytes, int, bool]]) -> None:
    contents = [body * times for body, times, _ in made]
    parts = [
        compression.piece(content) if ready else content for content, (*_, ready) in zip(contents, made, strict=True)
    ]
    packed = compression.encode(parts, "gzip")
    assert _whole(packed, 31) == b"".join(contents)
    assert gzip.decompress(packed) == b"".join(contents)


def _whole(packed: bytes, bits: int) -> bytes:
    """What zlib reads in one stream; nothing may follow it, and its checksum must be right."""
    reader = zlib.decompressobj(bits)
    content = reader.decompress(packed)
    assert reader.eof and not reader.unused_data
    return content
