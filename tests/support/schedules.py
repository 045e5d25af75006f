"""Schedules of links, any that there can be, for tests of properties."""

from datetime import UTC, datetime

from hypothesis import strategies as st

from harvester.schedule import DAY_S, Schedule, Window

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)  # a Sunday

minutes = st.integers(0, 1439)
windows = st.lists(
    st.tuples(minutes, minutes).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: Window(*pair)), max_size=4
).map(tuple)
schedules = st.one_of(
    st.builds(Schedule, st.integers(5, 30 * DAY_S), windows=windows),
    st.builds(lambda at, each: Schedule.daily(at, *each), minutes, windows),
    st.builds(lambda day, at, each: Schedule.weekly(day, at, *each), st.integers(0, 6), minutes, windows),
)
instants = st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))
