"""What is sent of a row of a list: its header and, in the format asked for, its metadata and what is said about it.

Records that many harvesters ask for soon after one another, because they have just changed, are kept ready: rendered and
deflated, in the memory of each web process.
"""

import functools
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.conf import settings

from catalogue import datestamps, oai
from catalogue.lists import Listed
from catalogue.payload import PayloadDamaged
from oaiprovider import abouts, compression, render
from oaiprovider.compression import Piece
from oaiprovider.formats import FORMATS, Format

_LARGEST_READY = 64 * 1024  # bytes of metadata, so that so many records are so many kilobytes


class Shown(NamedTuple):
    """A row and its element in a format. `ready` is the whole record instead, where it was kept.

    `damaged`: a live record that cannot be read back; it is left out, and comes with a new datestamp once it is mended.
    """

    row: Listed
    metadata: bytes | None = None
    damaged: bool = False
    ready: Piece | None = None


def stored(row: Listed, known: Format) -> Shown:
    """The row in a format that every record has."""
    if row.packed is None or known.withdrawn:
        return Shown(row)
    payload = row.payload
    if payload is None:
        return Shown(row, damaged=True)
    return Shown(row, known.disseminate(payload, row.identifier))


def ready() -> Callable[[Listed], Shown]:
    """What shows rows as they are stored, in iso19139, from memory or made ready now."""
    kept, rights = _kept(settings.GISC_READY_RECORDS), settings.GISC_RIGHTS_URL

    def show(row: Listed) -> Shown:
        try:
            return Shown(row, ready=(kept if row.size <= _LARGEST_READY else _make)(row, rights))
        except PayloadDamaged:
            return Shown(row, damaged=True)

    return show


@functools.cache
def _kept(records: int) -> Callable[[Listed, str], Piece]:
    """Equal rows are shown alike, so nothing that is kept can be out of date; the longest unasked for goes first."""
    return functools.lru_cache(maxsize=records)(_make)


def _make(row: Listed, _rights: str) -> Piece:
    """`_rights`, which `entry` reads in the settings, tells apart what is made under different ones."""
    known = FORMATS[oai.ISO19139]
    shown = stored(row, known)
    if shown.damaged:
        raise PayloadDamaged(f"the stored metadata of {row.identifier} cannot be read back")
    return compression.piece(render.record(entry(shown, known)))


def entry(shown: Shown, known: Format) -> oai.Entry:
    """The record (P83, P85)."""
    above = header(shown.row, known)
    if shown.metadata is None or above.deleted:
        return oai.Entry(above)
    return oai.Entry(above, shown.metadata, abouts.containers(shown.row.provenance, altered=known.altered))


def header(row: Listed, known: Format) -> oai.Header:
    """The header, with the datestamp that the record has in this format (P93)."""
    stamp = _stamp(known.datestamp(row.place.datestamp))
    return oai.Header(row.identifier, stamp, minimal(row.set_specs), row.deleted or known.withdrawn)


@functools.lru_cache(maxsize=1024)
def _stamp(datestamp: datetime) -> str:
    """P38: in seconds, however the request was written. What was loaded together is stamped together."""
    return datestamps.write(datestamp)


@functools.lru_cache(maxsize=1024)
def minimal(set_specs: tuple[str, ...]) -> tuple[str, ...]:
    """P75: the fewest setSpecs that say where a record is; an ancestor of a listed set goes without saying."""
    specs = tuple(dict.fromkeys(set_specs))
    return tuple(spec for spec in specs if not any(other.startswith(f"{spec}:") for other in specs))
