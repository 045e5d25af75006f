"""Accept-Encoding and gzip: pure."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oaiprovider import compression


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
        "deflate, gzip;q=0.001",
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
    assert compression.wants_gzip(accepted)


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
        "deflate",
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
    assert not compression.wants_gzip(accepted)


@pytest.mark.spec("P115")
@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["gzip", "*", "identity", ";q=0", ";q=1", ",", " ", "br"])).map("".join)
)
def test_no_header_is_an_error_and_none_without_the_word_is_compressed(accepted: str) -> None:
    assert not compression.wants_gzip(accepted) or "gzip" in accepted.lower()


@pytest.mark.spec("P115")
@given(st.binary(max_size=3000), st.integers(1, 50))
def test_what_is_compressed_is_one_gzip_member_and_always_the_same(body: bytes, times: int) -> None:
    packed = compression.gzip(body * times)
    assert gzip.decompress(packed) == body * times
    assert packed == compression.gzip(body * times)
