"""UTCdatetime and granularity (OAI-PMH 3.3)."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue import datestamps
from catalogue.datestamps import Granularity

SECONDS = st.datetimes(timezones=st.just(UTC)).map(lambda stamp: stamp.replace(microsecond=0))
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))

BAD = (
    ("2011", "2011-07", "2011-7-1", "2011-07-1", "20110701", "12011-07-01", "-2011-07-01", "", " ", "0")
    + ("2011-07-01T", "2011-07-01T00:00Z", "2011-07-01T00:00:00", "2011-07-01 00:00:00Z", "2011-07-01T00:00:00z")
    + ("2011-07-01t00:00:00Z", "2011-07-01T00:00:00.0Z", "2011-07-01T00:00:00+00:00", "2011-07-01Z")
    + (" 2011-07-01", "2011-07-01 ", "2011-07-01\n", "２011-07-01", "٢011-07-01", "2011-07-01T00:00:00Z\n")
)
NOT_REAL = ("2023-02-29", "1900-02-29", "2011-13-01", "2011-00-01", "2011-01-00", "2011-04-31", "0000-01-01") + (
    "2016-12-31T23:59:60Z",
    "2011-07-01T24:00:00Z",
    "2011-07-01T23:60:00Z",
    "2011-07-01T25:00:00Z",
)


@pytest.mark.spec("P29")
@pytest.mark.parametrize("text", BAD)
def test_anything_but_the_two_forms_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="neither"):
        datestamps.parse(text)


@pytest.mark.spec("P30")
@pytest.mark.parametrize("text", NOT_REAL)
def test_a_date_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        datestamps.parse(text)


@pytest.mark.spec("P29")
@pytest.mark.parametrize(
    ("text", "stamp", "granularity"),
    [
        ("2024-02-29", datetime(2024, 2, 29, tzinfo=UTC), Granularity.DAY),
        ("2024-02-29T23:59:59Z", datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC), Granularity.SECOND),
        ("0001-01-01", datetime(1, 1, 1, tzinfo=UTC), Granularity.DAY),
        ("9999-12-31T23:59:59Z", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC), Granularity.SECOND),
    ],
)
def test_both_forms_are_read(text: str, stamp: datetime, granularity: Granularity) -> None:
    assert datestamps.parse(text) == (stamp, granularity)
    assert datestamps.write(stamp, granularity) == text


@pytest.mark.spec("P39")
@given(SECONDS)
def test_what_is_written_in_seconds_is_read_back(stamp: datetime) -> None:
    assert datestamps.parse(datestamps.write(stamp)) == (stamp, Granularity.SECOND)
    assert datestamps.lenient(datestamps.write(stamp)) == stamp


@given(SECONDS)
def test_what_is_written_in_days_is_the_start_of_its_day(stamp: datetime) -> None:
    midnight = stamp.replace(hour=0, minute=0, second=0)
    assert datestamps.parse(datestamps.write(stamp, Granularity.DAY)) == (midnight, Granularity.DAY)
    assert datestamps.lenient(datestamps.write(stamp, Granularity.DAY)) == midnight


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=OFFSETS))
def test_an_instant_is_written_in_UTC_and_cut_off(stamp: datetime) -> None:
    read = datestamps.parse(datestamps.write(stamp))[0]
    assert timedelta() <= stamp - read < timedelta(seconds=1)


@given(SECONDS, SECONDS)
def test_the_written_form_sorts_as_the_instants_do(one: datetime, other: datetime) -> None:
    assert (one < other) == (datestamps.write(one) < datestamps.write(other))


@pytest.mark.spec("P35")
@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2024-02-28", "2024-02-29T00:00:00Z"),
        ("2024-12-31", "2025-01-01T00:00:00Z"),
        ("2024-12-31T23:59:59Z", "2025-01-01T00:00:00Z"),
        ("0001-01-01", "0001-01-02T00:00:00Z"),
    ],
)
def test_a_granule_ends_where_the_next_begins(text: str, end: str) -> None:
    assert datestamps.end_of(*datestamps.parse(text)) == datestamps.parse(end)[0]


@pytest.mark.spec("P35")
@pytest.mark.parametrize("text", ["9999-12-31", "9999-12-31T23:59:59Z"])
def test_the_last_granule_ends_after_its_last_second(text: str) -> None:
    end = datestamps.end_of(*datestamps.parse(text))
    assert end > datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert end.tzinfo is UTC


@given(SECONDS, st.sampled_from(Granularity))
def test_an_instant_lies_in_its_own_granule(stamp: datetime, granularity: Granularity) -> None:
    start = datestamps.parse(datestamps.write(stamp, granularity))[0]
    assert start <= stamp < datestamps.end_of(start, granularity)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2024-03-01", "2024-03-01T00:00:00Z"),
        ("2024-03-01T10:20:30.999Z", "2024-03-01T10:20:30Z"),
        ("2024-03-01T10:20:30", "2024-03-01T10:20:30Z"),
        ("2024-03-01T10:20:30+09:00", "2024-03-01T01:20:30Z"),
        ("2024-03-01T00:20:30+09:00", "2024-02-29T15:20:30Z"),
        ("2024-03-01 10:20:30", "2024-03-01T10:20:30Z"),
        (" 2024-03-01T10:20:30Z\n", "2024-03-01T10:20:30Z"),
        ("2024-03-01T10:20Z", "2024-03-01T10:20:00Z"),
    ],
)
def test_a_remote_datestamp_is_read_as_it_was_meant(text: str, meant: str) -> None:
    assert datestamps.lenient(text) == datestamps.parse(meant)[0]


@pytest.mark.parametrize(
    "text", ["", " ", "now", "2024", "2024-03", "2023-02-29", "01/03/2024", "0001-01-01T00:00:00+01:00", "1709251200"]
)
def test_what_is_no_instant_at_all_is_none(text: str) -> None:
    assert datestamps.lenient(text) is None


@given(st.text() | st.from_regex(r"[0-9]{4}-?[0-9W]{2}-?[0-9]{1,2}.?[0-9:,.+Z-]{0,20}", fullmatch=True))
def test_lenient_reading_never_fails_and_gives_whole_seconds_in_UTC(text: str) -> None:
    stamp = datestamps.lenient(text)
    if stamp is not None:
        assert stamp.microsecond == 0
        assert stamp.utcoffset() == timedelta()
        assert datestamps.parse(datestamps.write(stamp))[0] == stamp
