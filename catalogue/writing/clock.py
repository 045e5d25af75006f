"""Read and move the datestamp clock: its lock, its stamps and its high-water mark (promise 1, P92)."""

from datetime import datetime

from django.db import connection, transaction

from catalogue.models import DatestampClock


def take_stamp() -> datetime:
    """Take the clock's lock until the end of the transaction, and return the datestamp for all that it writes (promise 1)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT catalogue_stamp()")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def database_now() -> datetime:
    """Return the time of the database's clock, in whole seconds. The high-water mark may lie ahead of it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT date_trunc('second', gisc_clock())")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def current_mark() -> datetime:
    """Return the clock's high-water mark without raising it, as `lists.instant` would."""
    return DatestampClock.objects.get().stamp


@transaction.atomic
def raise_mark(to: datetime | None = None) -> None:
    """Raise the high-water mark of all datestamps (P92) to the present, and to `to` if that is later."""
    take_stamp()
    if to is not None:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE catalogue_datestampclock SET stamp = date_trunc('second', %(to)s) WHERE stamp < %(to)s",
                {"to": to},
            )
