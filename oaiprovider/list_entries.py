"""What is sent of a row of a list: its header and, in the format asked for, its metadata and what is said about it.

Records in a format that not every one of them has: those on which the crosswalk fails are passed over (P66).

Both lists come from here, so both show the same records (P140, S39). A row keeps its place and gets, instead of the
stored payload, its element in the format.
"""

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, cast

from catalogue import datestamps, oai
from catalogue.payloads import payload
from catalogue.reading.lists import ListPosition, ListRow
from oaiprovider.builtin_formats import Format
from oaiprovider.formats.sandbox import Busy
from oaiprovider.protocol import provenance
from oaiprovider.protocol.compression import Piece


class ListEntry(NamedTuple):
    """A row and its element in a format; `size` of its metadata, in bytes. `ready`: instead, the whole record.

    `damaged`: a live record that cannot be read back; it is left out, and comes with a new datestamp once it is mended.
    """

    row: ListRow
    metadata: bytes | None = None
    damaged: bool = False
    size: int = 0
    ready: Piece | None = None

    @property
    def position(self) -> ListPosition:
        return self.row.position


def stored_entry(row: ListRow, known: Format) -> ListEntry:
    """The row in a format that every record has."""
    if row.packed is None or known.withdrawn:
        return ListEntry(row)
    content = payload.unpack_or_log(row.packed, identifier=row.identifier)
    if content is None:
        return ListEntry(row, None, True)
    return ListEntry(row, known.disseminate(content, row.identifier), False, len(content))


def oai_entries(rows: Iterable[ListEntry], known: Format) -> Iterator[oai.Entry | Piece]:
    """The records (P83, P85), but for those that are ready."""
    ours = provenance.of_our_own()
    for row, metadata, _, _, ready in rows:
        if ready:
            yield ready
            continue
        above = header(row, known)
        if metadata is None or above.deleted:
            yield oai.Entry(above)
        elif row.provenance_json is None:
            yield oai.Entry(above, metadata, ours)
        else:
            yield oai.Entry(above, metadata, provenance.containers(row.provenance, altered=known.altered))


def oai_entry(shown: ListEntry, known: Format) -> oai.Entry:
    """The one record, which is not ready."""
    [made] = oai_entries([shown], known)
    return cast(oai.Entry, made)


def header(row: ListRow, known: Format) -> oai.Header:
    """The header, with the datestamp that the record has in this format (P93)."""
    stamp, specs = _of_many(row.stamp, row.specs, known.changed)
    return oai.Header(row.identifier, stamp, specs, row.deleted or known.withdrawn)


@functools.lru_cache(maxsize=1024)
def _of_many(stamp: int, specs: str, changed: datetime | None) -> tuple[str, tuple[str, ...]]:
    """The datestamp, in seconds however the request was written (P38), and the sets. Loaded together, stamped together."""
    own = datestamps.from_seconds(stamp)
    return datestamps.write(own if changed is None else max(own, changed)), minimal_set_specs(specs.split())


def minimal_set_specs(set_specs: Sequence[str]) -> tuple[str, ...]:
    """P75: the fewest setSpecs that say where a record is; an ancestor of a listed set goes without saying."""
    specs = tuple(dict.fromkeys(set_specs))
    return tuple(spec for spec in specs if not any(other.startswith(f"{spec}:") for other in specs))


BUDGET_S = 30.0  # chosen: a quarter of what the web server gives a request


def crosswalked_entry(row: ListRow, known: Format) -> ListEntry | None:
    """The row in this format; None where the record is not available in it. Raises Busy."""
    if row.packed is None or known.withdrawn:
        return ListEntry(row)
    payload = row.payload
    if payload is None:
        return ListEntry(row, None, True)
    made = known.disseminate(payload, row.identifier)
    return None if made is None else ListEntry(row, made)


def crosswalked_page(
    known: Format, read: Callable[[ListPosition | None, int], list[ListRow]], *, after: ListPosition | None, size: int
) -> tuple[list[ListEntry], bool]:
    """Up to `size` records behind `after` that are available in the format, and whether another one follows them.

    `read(after, number)` reads rows with their payloads. Where so many fail that the time is over, the page ends
    early, and Busy is raised where it holds nothing yet: what failed is remembered, so the next try comes further.
    """
    deadline = time.monotonic() + BUDGET_S
    found: list[ListEntry] = []
    while len(found) <= size:
        wanted = size + 1 - len(found)
        rows = read(after, wanted)
        for row in rows:
            if time.monotonic() > deadline:
                if not found:
                    raise Busy(f"no record of {known.prefix} could be made within {BUDGET_S:g} s")
                return found[:size], True
            shown = crosswalked_entry(row, known)
            if shown is not None and not shown.damaged:
                found.append(shown)
        if len(rows) < wanted:
            break
        after = rows[-1].position
    return found[:size], len(found) > size
