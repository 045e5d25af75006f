"""Make many records of a few by SQL: copies under other identifiers, spread over sets. Loading a million takes an hour."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from django.db import connection, models, transaction

from catalogue.models import Description, Membership, MetadataSet, Record, Validation
from catalogue.writing import set_inclusion
from gisc.bench import catalogue

LOADED = 20_000  # records that are loaded as they are; more are copies of these


def fill(folder: Path, records: int, processes: int, *, small: bool, say: Callable[[str], None]) -> None:
    """Make a catalogue of so many records in an empty database: some loaded, the others copies in four further sets."""
    archive = folder / "records.tar"
    loaded = min(records, LOADED)
    say(f"making and loading {loaded:,} records ...")
    catalogue.make(archive, loaded, small=small)
    catalogue.load(archive, processes)
    archive.unlink()
    multiply(records, [set_inclusion.ensure_set(f"WIS-GISC-BENCH-{number}") for number in range(4)], say)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")  # else it writes what was loaded while something is measured


def multiply(records: int, sets: Sequence[MetadataSet], say: Callable[[str], None]) -> None:
    """Copy the live records that are there until there are so many; the copies belong to `sets` in turn."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id), count(*) FROM catalogue_record WHERE NOT deleted")
        last, number = cursor.fetchone()
    for copy in range(1, -(-records // number)):
        wanted = min(number, records - copy * number)
        _copy(copy, sets[copy % len(sets)], last=last, wanted=wanted)
        if copy % 10 == 0:
            say(f"{(copy + 1) * number:,} records ...")


def _copy(copy: int, into: MetadataSet, *, last: int, wanted: int) -> None:
    """Add one copy of the first `wanted` records up to the id `last`, with what other tables say of them."""
    original = f"(SELECT * FROM catalogue_record WHERE NOT deleted AND id <= {last} ORDER BY id LIMIT {wanted})"
    pair = f"{original} AS old JOIN catalogue_record new ON new.key = old.key || ':' || %(copy)s"
    values: dict[str, str | int] = {"copy": str(copy), "set": into.pk, "spec": into.spec}
    with transaction.atomic(), connection.cursor() as cursor:
        changed = {
            "identifier": "old.identifier || ':' || %(copy)s",
            "key": "old.key || ':' || %(copy)s",
            "owner_id": "%(set)s",
            "set_specs": "ARRAY[%(spec)s]",
        }
        cursor.execute(_insert(Record, changed, f"{original} AS old", skipped=("id",)), values)
        for model in (Description, Validation):
            table = model._meta.db_table
            source = f"{pair} JOIN {table} AS its ON its.record_id = old.id"
            cursor.execute(_insert(model, {"record_id": "new.id"}, source, row="its"), values)
        columns = "record_id, set_id, datestamp, deleted, direct"
        cursor.execute(
            f"INSERT INTO {Membership._meta.db_table} ({columns}) "
            f"SELECT new.id, %(set)s, new.datestamp, false, true FROM {pair}",
            values,
        )


def _insert(
    model: type[models.Model],
    changed: Mapping[str, str],
    source: str,
    *,
    row: str = "old",
    skipped: Sequence[str] = (),
) -> str:
    """The statement that copies rows of a table, with other values in the columns that are changed."""
    fields = [field for field in model._meta.concrete_fields if not field.generated]
    columns = [field.column for field in fields if field.column and field.column not in skipped]
    selected = ", ".join(changed.get(column, f"{row}.{column}") for column in columns)
    return f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) SELECT {selected} FROM {source}"
