"""The orders of hits as SQL: for statements in which `r` has the id, the datestamp and the key of a record."""

from collections.abc import Mapping, Set
from typing import Any, Literal

from catalogue.reading.query.cursors import Hit

ByTier = Mapping[int, Set[int]]  # ids of records by their tier; each in one
Order = Literal["relevance", "-updated", "updated", "id", "-id"]


def key_of(order: Order) -> str:
    """Return what a hit is sorted by besides its datestamp and id: the key of its record, or nothing."""
    return "r.key" if order in ("id", "-id") else "''"


def sorting(order: Order) -> str:
    """Return what follows ORDER BY, for hits of one tier."""
    return {"id": "r.key", "-id": "r.key DESC", "updated": "r.datestamp, r.id"}.get(
        order, "r.datestamp DESC, r.id DESC"
    )


def follows(order: Order, position: Hit | None) -> tuple[str, list[Any]]:
    """Return what is true of the hits of one tier that follow a position in it, with its values; None: of all."""
    if position is None:
        return "true", []
    if order in ("id", "-id"):
        return f"r.key {'>' if order == 'id' else '<'} %s", [position.text]
    values = [position.stamp, position.key]
    return f"(r.datestamp, r.id) {'>' if order == 'updated' else '<'} (%s, %s)", values
