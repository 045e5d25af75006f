"""Turn rows of the catalogue into entries of an answer: header, metadata in the requested format, and `about` containers.

ListIdentifiers and ListRecords both take their rows from here, so both list the same records (P140, S39). In a format
that not every record has, the records on which the crosswalk fails are left out (P66).
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, cast

from django.utils.translation import gettext_noop

from catalogue import datestamps, oai, seams
from catalogue.limits import Replaceable
from catalogue.payloads import payload
from catalogue.reading import lists, replica
from catalogue.reading.lists import ListPosition, ListRow, Window
from catalogue.reading.scopes import Scope
from oaiprovider.builtin_formats import Format
from oaiprovider.formats.sandbox import SandboxBusy
from oaiprovider.protocol import provenance
from oaiprovider.protocol.compression import Piece


class ListEntry(NamedTuple):
    """A row of a list and its element in the requested format; None where the header is all that is sent.

    `damaged`: the stored metadata of a live record cannot be read back. The record is left out of the answer; once it
    is repaired, it has a new datestamp. `size`: of the metadata, in bytes. `rendered`: the whole record, rendered and
    compressed; `metadata` is None then.
    """

    row: ListRow
    metadata: bytes | None = None
    damaged: bool = False
    size: int = 0
    rendered: Piece | None = None

    @property
    def position(self) -> ListPosition:
        return self.row.position


def stored_entry(row: ListRow, metadata_format: Format) -> ListEntry:
    """Make the entry of a row in a format that every record has."""
    if row.packed is None or metadata_format.withdrawn:
        return ListEntry(row)
    content = _read_back(row)
    if content is None:
        return ListEntry(row, None, True)
    return ListEntry(row, metadata_format.disseminate(content, row.identifier), False, len(content))


def crosswalked_entry(row: ListRow, metadata_format: Format) -> ListEntry | None:
    """Make the entry of a row in an uploaded format; None if the record is not available in it. Raises SandboxBusy."""
    if row.packed is None or metadata_format.withdrawn:
        return ListEntry(row)
    content = _read_back(row)
    if content is None:
        return ListEntry(row, None, True)
    metadata = metadata_format.disseminate(content, row.identifier)
    return None if metadata is None else ListEntry(row, metadata)


def _read_back(row: ListRow) -> bytes | None:
    """Return the stored metadata; None if it is damaged. Raises replica.Unfit where the primary may have it whole."""
    try:
        content = row.payload
    except payload.DictionaryDamaged:
        replica.distrust_damage(row.identifier)
        raise
    if content is None:
        replica.distrust_damage(row.identifier)
    return content


def oai_entries(entries: Iterable[ListEntry], metadata_format: Format) -> Iterator[oai.Entry | Piece]:
    """Yield what `render` needs of each record (P83, P85): its values, or the piece that is rendered already."""
    own_abouts = provenance.of_own_records()
    for row, metadata, _, _, rendered in entries:
        if rendered:
            yield rendered
            continue
        its_header = header(row, metadata_format)
        if metadata is None or its_header.deleted:
            yield oai.Entry(its_header)
        elif row.harvest_json is None:
            yield oai.Entry(its_header, metadata, own_abouts)
        else:
            abouts = provenance.containers(row, altered=metadata_format.altered)
            yield oai.Entry(its_header, metadata, abouts)


def oai_entry(entry: ListEntry, metadata_format: Format) -> oai.Entry:
    """Return what `render` needs of one record that is not rendered yet."""
    [result] = oai_entries([entry], metadata_format)
    return cast(oai.Entry, result)


def header(row: ListRow, metadata_format: Format) -> oai.Header:
    """Make the header, with the datestamp that the record has in this format (P93)."""
    stamp, specs = _stamp_and_specs(row.stamp, row.specs, metadata_format.changed)
    return oai.Header(row.identifier, stamp, specs, row.deleted or metadata_format.withdrawn)


@functools.lru_cache(maxsize=1024)  # records that were loaded together have the same datestamp and sets
def _stamp_and_specs(stamp: int, specs: str, changed: datetime | None) -> tuple[str, tuple[str, ...]]:
    """Return datestamp and setSpecs as a header has them. The datestamp is in seconds however `from` was written (P38)."""
    own = datestamps.from_seconds(stamp)
    return datestamps.write(own if changed is None else max(own, changed)), minimal_set_specs(specs.split())


def minimal_set_specs(set_specs: Sequence[str]) -> tuple[str, ...]:
    """Leave out each setSpec that is an ancestor of another one: membership in the descendant implies it (P75)."""
    specs = tuple(dict.fromkeys(set_specs))
    return tuple(spec for spec in specs if not any(other.startswith(f"{spec}:") for other in specs))


@dataclass(frozen=True, slots=True)
class ListLimits:
    """How long a page may take."""

    crosswalks_s: float = 30.0  # chosen: a quarter of what the web server gives a request


LIMITS = Replaceable(ListLimits())


def crosswalked_page(
    metadata_format: Format, window: Window, *, after: ListPosition | None, size: int, scope: Scope
) -> tuple[list[ListEntry], bool]:
    """Return up to `size` records after `after` that are available in an uploaded format, and whether another one follows.

    After `crosswalks_s` the page ends early; SandboxBusy is raised if it is still empty then. Failed records are remembered,
    so the next request gets further.
    """
    limit_s = LIMITS.in_force.crosswalks_s
    deadline = seams.monotonic() + limit_s
    found: list[ListEntry] = []
    while len(found) <= size:
        missing = size + 1 - len(found)
        rows = lists.page(window, after=after, size=missing, payloads=True, scope=scope)
        for row in rows:
            if seams.monotonic() > deadline:
                if not found:
                    raise SandboxBusy(
                        gettext_noop("no record of {prefix} could be made within {limit_s:g} s"),
                        prefix=metadata_format.prefix,
                        limit_s=limit_s,
                    )
                return found[:size], True
            entry = crosswalked_entry(row, metadata_format)
            if entry is not None and not entry.damaged:
                found.append(entry)
        if len(rows) < missing:
            break
        after = rows[-1].position
    return found[:size], len(found) > size
