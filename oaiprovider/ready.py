"""Records that are kept ready to be sent with gzip: rendered and deflated, in the memory of each web process.

What has just changed many harvesters ask for soon after one another. Of a page the rows are read without their payloads;
those that are kept as they are now need nothing else, and only the others are read whole.
"""

import functools
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.conf import settings

from catalogue import lists, oai
from catalogue.lists import Listed, Place, Window
from catalogue.scopes import Scope
from oaiprovider import compression, render
from oaiprovider.compression import Piece
from oaiprovider.formats import FORMATS
from oaiprovider.shown import Shown, entry, stored

_LARGEST = 64 * 1024  # bytes of metadata, so that so many records are so many kilobytes

_Key = tuple[Listed, str]  # the row without its payload, and what else the record is rendered from


class _Made(NamedTuple):
    piece: Piece
    size: int  # bytes of metadata


class Kept:
    """So many records; the one that nobody has asked for longest goes first. Threads share it."""

    def __init__(self, records: int) -> None:
        self._records = records
        self._made: OrderedDict[_Key, _Made] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = 0

    def __len__(self) -> int:
        return len(self._made)

    def find(self, keys: Iterable[_Key]) -> dict[_Key, _Made]:
        """Those of them that are there."""
        with self._lock:
            found = {key: made for key in keys if (made := self._made.get(key)) is not None}
            for key in found:
                self._made.move_to_end(key)
            self.hits += len(found)
        return found

    def keep(self, made: Mapping[_Key, _Made]) -> None:
        """Keep these, too."""
        with self._lock:
            self._made.update(made)
            while len(self._made) > self._records:
                self._made.popitem(last=False)


@functools.cache
def kept(records: int) -> Kept:
    """What this process keeps. A row that is equal to one that was kept is shown as that was: nothing is out of date."""
    return Kept(records)


def page(window: Window, *, after: Place | None, size: int, scope: Scope) -> list[Shown] | None:
    """As `lists.page`, shown in iso19139; None where a row has no version, or has changed while the page was read."""
    rights = settings.GISC_RIGHTS_URL  # which `entry` reads: records made under another one are others
    store = kept(settings.GISC_READY_RECORDS)
    rows = lists.page(window, after=after, size=size, payloads=False, scope=scope)
    if any(row.version is None for row in rows):
        return None
    keys = [(row, rights) for row in rows]
    found = store.find(keys)
    shown = {key: Shown(key[0], ready=made.piece, size=made.size) for key, made in found.items()}
    missing = [key[0].place.pk for key in keys if key not in found]
    if missing:
        read = lists.page(window, after=after, size=size, payloads=True, scope=scope, only=missing)
        made = {(row.bare, rights): _show(row) for row in read}
        if made.keys() != set(keys) - found.keys():
            return None
        shown |= made
        store.keep(
            {key: _Made(here.ready, here.size) for key, here in made.items() if here.ready and here.size <= _LARGEST}
        )
    return [shown[key] for key in keys]


def _show(row: Listed) -> Shown:
    known = FORMATS[oai.ISO19139]
    here = stored(row, known)
    if here.damaged:
        return here
    return Shown(row, size=here.size, ready=compression.piece(render.record(entry(here, known))))
