"""Schedules in words, written and read."""

import pytest
from hypothesis import given

from catalogue.reasons import ActRefused
from harvester import schedule, schedule_words
from harvester.reasons import ActCode
from harvester.schedule import DAY_S, Schedule, Window
from tests.support.schedules import NOON, schedules, windows

NIGHT = Window(20 * 60, 5 * 60)


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (Schedule(6 * 3600), "every 6 hours"),
        (Schedule(3600), "every hour"),
        (Schedule(5400), "every 90 minutes"),
        (Schedule(61), "every 61 seconds"),
        (Schedule(DAY_S), "every 24 hours"),
        (Schedule(2 * DAY_S), "every 2 days"),
        (Schedule.daily(195), "daily at 03:15 UTC"),
        (Schedule.weekly(0, 195), "weekly on Monday at 03:15 UTC"),
        (Schedule(3600, windows=(NIGHT,)), "every hour, between 20:00 and 05:00 UTC"),
        (
            Schedule.daily(720, NIGHT, Window(720, 780)),
            "daily at 12:00 UTC, between 20:00 and 05:00 or between 12:00 and 13:00 UTC",
        ),
    ],
)
def test_each_schedule_has_its_words(of: Schedule, words: str):
    assert schedule_words.describe(of) == words
    assert schedule_words.read(words) == of


@given(schedules)
def test_what_is_written_is_read_as_it_was(of: Schedule):
    if of.at is None or schedule.is_open_at(of.windows, of.at):
        assert schedule_words.read(schedule_words.write(of)) == of


@given(windows)
def test_windows_are_read_as_they_were_written(of: tuple[Window, ...]):
    assert schedule_words.read_windows(schedule_words.write_windows(of)) == of
    assert schedule_words.read_windows(schedule_words.describe_windows(of)) == of


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("6 hours", Schedule(6 * 3600)),
        ("6h", Schedule(6 * 3600)),
        ("every day", Schedule(DAY_S)),
        ("30 minutes", Schedule(1800)),
        ("2 weeks", Schedule(14 * DAY_S)),
        ("  Every   2 Days ", Schedule(2 * DAY_S)),
        ("every day at 3:15", Schedule.daily(195)),
        ("Mon 03:15", Schedule.weekly(0, 195)),
        ("every Monday at 03:15 utc", Schedule.weekly(0, 195)),
        ("weekly on thursdays at 23:59", Schedule.weekly(3, 1439)),
        ("6 hours, 20:00-05:00", Schedule(6 * 3600, windows=(NIGHT,))),
    ],
)
def test_people_may_write_less(text: str, of: Schedule):
    assert schedule_words.read(text) == of


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", ActCode.NOT_A_SCHEDULE),
        ("now and then", ActCode.NOT_A_SCHEDULE),
        ("every 6 fortnights", ActCode.NOT_A_SCHEDULE),
        ("4 seconds", ActCode.NOT_AN_INTERVAL),
        ("999999 days", ActCode.NOT_AN_INTERVAL),
        ("daily at 24:00", ActCode.NOT_A_TIME),
        ("weekly on Fooday at 03:15", ActCode.NOT_A_WEEKDAY),
        ("6 hours, at night", ActCode.NOT_A_WINDOW),
        ("6 hours, 05:00-05:00", ActCode.WINDOW_EMPTY),
        ("6 hours, " + ", ".join(f"{hour:02}:00-{hour:02}:30" for hour in range(7)), ActCode.TOO_MANY_WINDOWS),
        ("daily at 12:00, 20:00-05:00", ActCode.OUTSIDE_WINDOWS),
    ],
)
def test_what_cannot_be_read_is_refused_with_how_to_write_it(text: str, code: ActCode):
    with pytest.raises(ActRefused) as refused:
        schedule_words.read(text)
    assert refused.value.reason.code == code
    assert "{" not in str(refused.value), "a fact of the sentence is missing"


def test_the_next_three_times_are_told():
    assert schedule_words.describe_next(Schedule(6 * 3600), NOON) == [
        "2026-11-22 12:00 UTC",
        "2026-11-22 18:00 UTC",
        "2026-11-23 00:00 UTC",
    ]
