"""How long a run waits before it asks again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvester import schedule


@given(
    attempt=st.integers(1, 50), wish=st.none() | st.floats(0, 1e9), chance=st.floats(0, 1), first_s=st.integers(1, 600)
)
def test_no_wait_is_longer_than_an_hour_or_shorter_than_the_provider_wishes(
    attempt: int, wish: float | None, chance: float, first_s: int
) -> None:
    wait_s = schedule.retry_wait_s(attempt, wish, first_s=first_s)
    jitter_s = schedule.jitter_s(wait_s, chance)
    assert jitter_s >= 0
    assert wait_s + jitter_s <= 3600
    assert wait_s >= min(wish or 0, 3600)


def test_those_who_wait_do_not_all_come_back_at_once() -> None:
    assert schedule.jitter_s(60, 0.0) != schedule.jitter_s(60, 0.5) != schedule.jitter_s(60, 1.0)


@pytest.mark.spec("H21")
def test_the_waits_after_a_failed_page_grow_from_ten_seconds_to_ten_minutes(settings) -> None:
    waits = [schedule.retry_wait_s(attempt, None, first_s=settings.GISC_RETRY_SECONDS) for attempt in range(1, 8)]
    assert waits == [10, 30, 90, 270, 600, 600, 600]
