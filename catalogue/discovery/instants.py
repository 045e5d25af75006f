"""Read dates and times of requests (RFC 3339), and intervals of them. A date is its whole day, in UTC."""

import re
from datetime import UTC, date, datetime, time
from typing import NamedTuple

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DATE_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
OPEN = ("", "..")


class Span(NamedTuple):
    """From the first to the last instant, both included; None: open."""

    begins: datetime | None
    ends: datetime | None


def read(text: str) -> Span:
    """Read a date or a date with a time. Raises ValueError."""
    if _DATE.fullmatch(text):
        day = date.fromisoformat(text)
        return Span(datetime.combine(day, time.min, UTC), datetime.combine(day, time.max, UTC))
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no date or time of RFC 3339")
    day_text, minutes, seconds, fraction, offset = found.groups()
    is_leap = seconds == "60"  # RFC 3339, 5.6: taken for the second before it
    zone = "+00:00" if offset in "Zz" else offset
    micro = (fraction or "")[:6].ljust(6, "0")
    instant = datetime.fromisoformat(f"{day_text}T{minutes}:{'59' if is_leap else seconds}.{micro}{zone}")
    try:
        instant = instant.astimezone(UTC)
    except OverflowError as exc:
        raise ValueError(f"{text!r} is before or after all dates") from exc
    return Span(instant, instant)


def read_interval(begin: str, end: str) -> Span:
    """Read the two ends of an interval; `..` or nothing is open. Raises ValueError, also for an end before the beginning."""
    begins = None if begin in OPEN else read(begin).begins
    ends = None if end in OPEN else read(end).ends
    if begins is not None and ends is not None and ends < begins:
        raise ValueError("the end is before the beginning")
    return Span(begins, ends)
