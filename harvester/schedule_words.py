"""Write the schedule of a link in words, and read it: "every 6 hours, between 20:00 and 05:00 UTC"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.utils import translation
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext, ngettext

from catalogue.reasons import ActRefused, Reason
from harvester import schedule
from harvester.reasons import ActCode
from harvester.schedule import DAY_S, Schedule, Window

SHORTEST_S = 5  # chosen
LONGEST_S = 3660 * DAY_S  # chosen
MAX_WINDOWS = 6  # chosen
UNITS = {"days": DAY_S, "hours": 3600, "minutes": 60, "seconds": 1}  # from the longest

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TIME = r"(\d{1,2}):(\d{2})"
_EVERY = re.compile(r"(?:every )?(?:(\d{1,9}) ?)?((?:second|minute|hour|day|week)(?=s?$)|[smhdw]$)s?")
_DAILY = re.compile(rf"(?:daily|every day)(?: at)? {_TIME}")
_WEEKLY = re.compile(rf"(?:weekly |every )?(?:on )?([a-z]{{3,9}}?)s?(?: at)? {_TIME}")
_WINDOW = re.compile(rf"(?:between )?{_TIME} ?(?:-|–|and|to) ?{_TIME}")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": DAY_S, "w": 7 * DAY_S}


# --- Writing ----------------------------------------------------------------------------------------


def describe(of: Schedule) -> str:
    """Write a schedule in words for people, in the language of the page."""
    return ", ".join(filter(None, (describe_rhythm(of), describe_windows(of.windows))))


def write(of: Schedule) -> str:
    """Write a schedule in the English words that `read` reads, for commands, JSON and CSV, whatever the language."""
    with translation.override("en"):
        return describe(of)


def describe_rhythm(of: Schedule) -> str:
    """Write how often a link is harvested, without its windows."""
    if of.at is None:
        number, unit = split_interval(of.interval_s)
        return _EVERY_WORDS[unit](number)
    if of.weekday is None:
        return gettext("daily at %(time)s UTC") % {"time": write_time(of.at)}
    facts = {"day": str(WEEKDAYS[of.weekday]), "time": write_time(of.at)}
    return gettext("weekly on %(day)s at %(time)s UTC") % facts


def describe_windows(windows: Sequence[Window]) -> str:
    """Write at which times of the day a link may run; empty: at any."""
    if not windows:
        return ""
    words = gettext("between %(begin)s and %(end)s")
    written = (words % {"begin": write_time(each.begin), "end": write_time(each.end)} for each in windows)
    return gettext("%(windows)s UTC") % {"windows": gettext(" or ").join(written)}


def write_windows(windows: Sequence[Window]) -> str:
    """Write windows as forms, commands and the database have them: "20:00-05:00, 12:00-13:00"."""
    return ", ".join(f"{write_time(each.begin)}-{write_time(each.end)}" for each in windows)


def write_time(minute: int) -> str:
    """Write a minute of the day: "03:15"."""
    return f"{minute // 60:02}:{minute % 60:02}"


def describe_next(of: Schedule, first: datetime, number: int = 3) -> list[str]:
    """Write the times at which the next runs begin, if the first is due then: "2026-11-22 18:00 UTC"."""
    return [f"{start:%Y-%m-%d %H:%M} UTC" for start in schedule.next_starts(of, first, number)]


def split_interval(interval_s: int) -> tuple[int, str]:
    """Return a number and the longest of UNITS in which an interval is a whole number. One day is 24 hours."""
    for unit, seconds in UNITS.items():
        if interval_s % seconds == 0 and not (unit == "days" and interval_s == DAY_S):
            return interval_s // seconds, unit
    raise AssertionError("every interval is a number of seconds")


_EVERY_WORDS = {
    "days": lambda number: ngettext("every day", "every %(number)d days", number) % {"number": number},
    "hours": lambda number: ngettext("every hour", "every %(number)d hours", number) % {"number": number},
    "minutes": lambda number: ngettext("every minute", "every %(number)d minutes", number) % {"number": number},
    "seconds": lambda number: ngettext("every second", "every %(number)d seconds", number) % {"number": number},
}


# --- Reading ----------------------------------------------------------------------------------------


def read(text: str) -> Schedule:
    """Read a schedule from words. Raises ActRefused with how to write it."""
    rhythm, _, windows = _plain(text).partition(",")
    found = read_rhythm(rhythm)
    return check(replace(found, windows=read_windows(windows)))


def check(of: Schedule) -> Schedule:
    """Return the schedule. Raises ActRefused if its time of the day is in none of its windows."""
    if of.at is not None and not schedule.is_open_at(of.windows, of.at):
        raise _refusal(ActCode.OUTSIDE_WINDOWS, time=write_time(of.at), windows=describe_windows(of.windows))
    return of


def read_rhythm(text: str) -> Schedule:
    """Read how often a link is harvested: "every 6 hours", "daily at 03:15", "weekly on Monday at 03:15".

    "6 hours", "6h" and "Mon 03:15" will do. Raises ActRefused.
    """
    words = _plain(text)
    if found := _EVERY.fullmatch(words):
        return read_interval(int(found[1] or 1), found[2])
    if found := _DAILY.fullmatch(words):
        return Schedule.daily(_minute(*found.groups()))
    if found := _WEEKLY.fullmatch(words):
        return Schedule.weekly(_weekday(found[1]), _minute(found[2], found[3]))
    raise _refusal(ActCode.NOT_A_SCHEDULE, text=text.strip()[:80])


def read_interval(number: int, unit: str) -> Schedule:
    """Return the schedule of an interval; `unit`: its first letter counts. Raises ActRefused."""
    interval_s = number * _UNIT_SECONDS[unit[0]]
    if not SHORTEST_S <= interval_s <= LONGEST_S:
        raise _refusal(ActCode.NOT_AN_INTERVAL)
    return Schedule(interval_s)


def read_time(text: str) -> int:
    """Read a time of the day, "03:15". Raises ActRefused."""
    found = re.fullmatch(_TIME, _plain(text))
    if found is None:
        raise _refusal(ActCode.NOT_A_TIME, text=text.strip()[:40])
    return _minute(*found.groups())


def read_windows(text: str) -> tuple[Window, ...]:
    """Read windows: "20:00-05:00, 12:00-13:00"; empty: at any time. Raises ActRefused."""
    words = _plain(text)
    if not words:
        return ()
    parts = re.split(r",| or ", words)
    if len(parts) > MAX_WINDOWS:
        raise _refusal(ActCode.TOO_MANY_WINDOWS, most=MAX_WINDOWS)
    return tuple(_read_window(part.strip()) for part in parts)


def _read_window(text: str) -> Window:
    found = _WINDOW.fullmatch(text)
    if found is None:
        raise _refusal(ActCode.NOT_A_WINDOW, text=text[:40])
    window = Window(_minute(found[1], found[2]), _minute(found[3], found[4]))
    if window.begin == window.end:
        raise _refusal(ActCode.WINDOW_EMPTY, text=text[:40])
    return window


def _plain(text: str) -> str:
    """The text in small letters and single spaces, without "UTC" at its end."""
    return " ".join(text.lower().split()).removesuffix("utc").rstrip()


def _minute(hours: str, minutes: str) -> int:
    if int(hours) > 23 or int(minutes) > 59:
        raise _refusal(ActCode.NOT_A_TIME, text=f"{hours}:{minutes}")
    return int(hours) * 60 + int(minutes)


def _weekday(name: str) -> int:
    for number, day in enumerate(_DAYS):
        if len(name) >= 3 and day.startswith(name):
            return number
    raise _refusal(ActCode.NOT_A_WEEKDAY, text=name[:40])


def _refusal(code: ActCode, **facts: object) -> ActRefused:
    return ActRefused(Reason(code, facts))
