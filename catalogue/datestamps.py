"""Read and write UTCdatetime and granularity (OAI-PMH 3.3), and find the end of a granule.

No Django and no clock: instants are passed in. Every datetime here is aware, in UTC and in whole
seconds; ranges are half-open.
"""

import calendar
import enum
import re
from datetime import UTC, datetime, timedelta

from catalogue.reasons import gettext


class Granularity(enum.StrEnum):
    """The two granularities of OAI-PMH 3.3, as `Identify` writes them."""

    DAY = "YYYY-MM-DD"
    SECOND = "YYYY-MM-DDThh:mm:ssZ"


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# P29: exactly two forms, ASCII digits only, matched in full.
_FORM = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})Z)?")


def parse(text: str) -> tuple[datetime, Granularity]:
    """Return the first instant of the granule that `text` names, and its granularity.

    Raises ValueError for anything but the two forms of P29 and for dates that do not exist (P30).
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(gettext("{text!r} is neither YYYY-MM-DD nor YYYY-MM-DDThh:mm:ssZ").format(text=text))
    fields = [int(group) for group in match.groups() if group is not None]
    return datetime(*fields, tzinfo=UTC), (Granularity.SECOND if len(fields) == 6 else Granularity.DAY)  # type: ignore[arg-type, misc]


def write(stamp: datetime, granularity: Granularity = Granularity.SECOND) -> str:
    """Format `stamp` for OAI-PMH. What is finer than the granularity is cut off, never rounded (P39)."""
    stamp = stamp.astimezone(UTC)
    if granularity is Granularity.DAY:
        return f"{stamp:%Y-%m-%d}".zfill(10)
    return f"{stamp:%Y-%m-%dT%H:%M:%SZ}".zfill(20)


def to_seconds(stamp: datetime) -> int:
    """Return the whole seconds since the beginning of 1970."""
    return int((stamp - _EPOCH).total_seconds())


def from_seconds(seconds: int) -> datetime:
    """Return the instant so many seconds after the beginning of 1970, also in years that the C library cannot represent."""
    return _EPOCH + timedelta(seconds=seconds)


def start_of(stamp: datetime, granularity: Granularity) -> datetime:
    """Return the first instant of the granule of `stamp`."""
    return stamp.replace(hour=0, minute=0, second=0) if granularity is Granularity.DAY else stamp


def end_of(stamp: datetime, granularity: Granularity) -> datetime:
    """Return the first instant after the granule of `stamp`.

    OAI-PMH 2.7.1: `until` is inclusive at the granularity it was written in, so a day runs up to, not
    including, the next midnight UTC (P35). The last granule of year 9999 ends at the largest datetime.
    """
    step = timedelta(days=1) if granularity is Granularity.DAY else timedelta(seconds=1)
    try:
        return stamp + step
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?")


def of_date(text: str, *, is_end: bool = False) -> datetime | None:
    """Parse a year, a month or a day (ISO 19108) as its first instant, as an end as its last second; anything else as `lenient` does.

    An offset from UTC beside a date is not reckoned with. None if it is no date.
    """
    date = _DATE.fullmatch(text)
    if date is None:
        return lenient(text)
    year, month, day = (int(part) if part else 0 for part in date.groups())
    try:
        if not is_end:
            return datetime(year, month or 1, day or 1, tzinfo=UTC)
        month = month or 12
        return datetime(year, month, day or calendar.monthrange(year, month)[1], 23, 59, 59, tzinfo=UTC)
    except ValueError:
        return None


def lenient(text: str) -> datetime | None:
    """Parse a datestamp of a remote provider that may be badly formed (F57, F58); None if it cannot be understood.

    Fractions are cut off, an offset is converted, a missing zone is taken for UTC. What `parse` accepts means the same.
    """
    try:
        stamp = datetime.fromisoformat(text.strip())
        if stamp.tzinfo is not UTC:
            stamp = stamp.replace(tzinfo=UTC) if stamp.tzinfo is None else stamp.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return stamp.replace(microsecond=0) if stamp.microsecond else stamp
