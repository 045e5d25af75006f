"""What is sent of a row of a list: its header and, in the format asked for, its metadata and what is said about it."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, cast

from catalogue import datestamps, oai, payload
from catalogue.lists import Listed, Place
from oaiprovider import abouts
from oaiprovider.compression import Piece
from oaiprovider.formats import Format


class Shown(NamedTuple):
    """A row and its element in a format; `size` of its metadata, in bytes. `ready`: instead, the whole record.

    `damaged`: a live record that cannot be read back; it is left out, and comes with a new datestamp once it is mended.
    """

    row: Listed
    metadata: bytes | None = None
    damaged: bool = False
    size: int = 0
    ready: Piece | None = None

    @property
    def place(self) -> Place:
        return self.row.place


def stored(row: Listed, known: Format) -> Shown:
    """The row in a format that every record has."""
    if row.packed is None or known.withdrawn:
        return Shown(row)
    content = payload.unpack_or_tell(row.packed, identifier=row.identifier)
    if content is None:
        return Shown(row, None, True)
    return Shown(row, known.disseminate(content, row.identifier), False, len(content))


def entries(rows: Iterable[Shown], known: Format) -> Iterator[oai.Entry | Piece]:
    """The records (P83, P85), but for those that are ready."""
    ours = abouts.of_our_own()
    for row, metadata, _, _, ready in rows:
        if ready:
            yield ready
            continue
        above = header(row, known)
        if metadata is None or above.deleted:
            yield oai.Entry(above)
        elif row.way is None:
            yield oai.Entry(above, metadata, ours)
        else:
            yield oai.Entry(above, metadata, abouts.containers(row.provenance, altered=known.altered))


def entry(shown: Shown, known: Format) -> oai.Entry:
    """The one record, which is not ready."""
    [made] = entries([shown], known)
    return cast(oai.Entry, made)


def header(row: Listed, known: Format) -> oai.Header:
    """The header, with the datestamp that the record has in this format (P93)."""
    stamp, specs = _of_many(row.stamp, row.specs, known.changed)
    return oai.Header(row.identifier, stamp, specs, row.deleted or known.withdrawn)


@functools.lru_cache(maxsize=1024)
def _of_many(stamp: int, specs: str, changed: datetime | None) -> tuple[str, tuple[str, ...]]:
    """The datestamp, in seconds however the request was written (P38), and the sets. Loaded together, stamped together."""
    own = datestamps.from_seconds(stamp)
    return datestamps.write(own if changed is None else max(own, changed)), minimal(specs.split())


def minimal(set_specs: Sequence[str]) -> tuple[str, ...]:
    """P75: the fewest setSpecs that say where a record is; an ancestor of a listed set goes without saying."""
    specs = tuple(dict.fromkeys(set_specs))
    return tuple(spec for spec in specs if not any(other.startswith(f"{spec}:") for other in specs))
