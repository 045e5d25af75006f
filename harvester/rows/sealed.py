"""Seal the secrets of a column anew, under the present SECRET_KEY; and count which key opens them."""

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Model

from harvester.models import Link, Run, link_access
from harvester.models import run as run_module
from harvester.net import access


class SealedColumn(NamedTuple):
    """A column with sealed secrets. `is_needed`: without its secret something stops, until a person enters it again."""

    model: type[Model]
    field: str
    purpose: str
    is_needed: bool = True


class KeysFound(NamedTuple):
    """How many secrets the present key opens, how many a former one, and what has one that no key opens: `toulouse: password`."""

    present: int
    former: int
    unreadable: tuple[str, ...]


# A run whose cookies cannot be read goes on without them.
COLUMNS = (
    *(SealedColumn(Link, field, purpose) for field, purpose in link_access.SEALED.items()),
    *(SealedColumn(Run, field, purpose, is_needed=False) for field, purpose in run_module.SEALED.items()),
)


def find_keys(column: SealedColumn) -> KeysFound:
    """Count the secrets of a column by the key that opens them."""
    return _walk(column, write=False)


def reseal(column: SealedColumn) -> KeysFound:
    """Seal the secrets of a column that a former key opens under the present one; what was found is returned.

    One that somebody changes meanwhile stays as they have written it.
    """
    return _walk(column, write=True)


def _walk(column: SealedColumn, *, write: bool) -> KeysFound:
    present = former = 0
    unreadable = []
    for row, sealed in _secrets(column):
        try:
            new = access.reseal(sealed, column.purpose)
        except access.UnreadableSecret:
            if column.is_needed:
                unreadable.append(f"{row}: {column.purpose}")
            continue
        if new == sealed:
            present += 1
            continue
        former += 1
        if write:
            same = column.model._default_manager.filter(pk=row.pk, **{column.field: sealed})
            same.update(**{column.field: new})
    return KeysFound(present, former, tuple(sorted(unreadable)))


def _secrets(column: SealedColumn) -> Iterator[tuple[Model, str]]:
    rows = column.model._default_manager.exclude(**{column.field: ""}).order_by("pk")
    for row in rows.iterator(chunk_size=200):
        yield row, getattr(row, column.field)
