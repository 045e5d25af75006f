"""Read payloads where PostgreSQL itself may be unable to read one: a page of its own files is damaged.

A statement that asks for one such payload fails as a whole. It is made once more then, with a function that gives an empty
payload in the place of each that cannot be read. An empty one cannot be unpacked, so that whoever reads it does
what is done with a damaged record; `catalogue.writing.read_back` names it.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction
from django.db.models import BinaryField, F, Func, QuerySet

from catalogue import outage
from catalogue.models import Record
from catalogue.payloads import payload

_READABLE = "catalogue_readable"
T = TypeVar("T")


def instead_of(column: str, failed: DatabaseError, *, using: str = DEFAULT_DB_ALIAS) -> str:
    """Return the SQL to ask for in the place of that of a column of payloads, after the statement that asked for it has failed.

    Raises the error again where it has another cause, or has ended the transaction that it was in.
    """
    if not outage.is_data_damaged(failed) or connections[using].in_atomic_block:
        raise failed
    return f"{_READABLE}({column})"


def with_readable(read: Callable[[str], T], column: str, *, using: str = DEFAULT_DB_ALIAS) -> T:
    """Return what `read` returns for the SQL of a column of payloads; where that fails, for what can be read of the column.

    Within a transaction this costs a savepoint, without which the failed statement would be its end.
    """
    try:
        with transaction.atomic(using=using) if connections[using].in_atomic_block else nullcontext():
            return read(column)
    except DatabaseError as exc:
        if not outage.is_data_damaged(exc):
            raise
    return read(f"{_READABLE}({column})")


def records(rows: QuerySet[Record]) -> list[Record]:
    """Read records with their payloads, of which one may be unreadable; the dictionaries that they need are fetched."""
    stored = "payload"

    def read(column: str) -> list[Record]:
        if column == stored:
            return list(rows)
        readable = Func(F(stored), function=_READABLE, output_field=BinaryField())
        found: list[Any] = list(rows.defer(stored).annotate(readable_payload=readable))
        for record in found:
            record.payload = record.readable_payload
        return found

    found = with_readable(read, stored, using=rows.db)
    payload.fetch_dictionaries(record.payload for record in found if record.payload is not None)
    return found


def first(rows: QuerySet[Record]) -> Record | None:
    """Read the first record by its primary key, as `records` does; None if there is none."""
    return next(iter(records(rows.order_by("pk")[:1])), None)


def by_key(rows: QuerySet[Record], keys: Iterable[int]) -> dict[int, Record]:
    """Read the records with these primary keys, as `records` does."""
    return {record.pk: record for record in records(rows.filter(pk__in=list(keys)))}


def payload_of(record: Record) -> bytes | memoryview | None:
    """Return the payload of a record that was read without it: None if it is deleted, an empty one if it cannot be read."""
    if "payload" in record.get_deferred_fields():
        found = first(Record.objects.only("identifier", "payload").filter(pk=record.pk))
        record.payload = None if found is None else found.payload
    return record.payload
