from datetime import datetime

from django.db import connection, transaction

from catalogue.models import DatestampClock


def take_stamp() -> datetime:
    """Take the clock's lock until the end of the transaction; the datestamp of everything it writes (promise 1)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT catalogue_stamp()")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def database_now() -> datetime:
    """The present by the database's clock. Not the high-water mark, which may lie ahead of it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT date_trunc('second', clock_timestamp())")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def mark_now() -> datetime:
    """The clock's high-water mark as it stands; to ask for the instant of a list would raise it."""
    return DatestampClock.objects.get().stamp


@transaction.atomic
def raise_mark(to: datetime | None = None) -> None:
    """Raise the high-water mark of all datestamps (P92) to the present, and to `to` where that is later."""
    take_stamp()
    if to is not None:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE catalogue_datestampclock SET stamp = date_trunc('second', %(to)s) WHERE stamp < %(to)s",
                {"to": to},
            )
