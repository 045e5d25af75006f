"""Records that are kept ready to be sent with gzip: rendered and deflated, in the memory of each web process.

What has just changed many harvesters ask for soon after one another. Of a page nothing is read at first but the state of
each row; what is kept of that state needs no more, and only the others are read whole.
"""

import functools
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from django.conf import settings

from catalogue import oai
from catalogue.reading import lists
from catalogue.reading.lists import ListPosition, ListRow, RowVersion, Window
from catalogue.reading.scopes import Scope
from oaiprovider.builtin_formats import FORMATS
from oaiprovider.list_entries import ListEntry, oai_entry, stored_entry
from oaiprovider.protocol import compression, render

_LARGEST = 64 * 1024  # bytes of metadata, so that so many records are so many kilobytes


class Kept:
    """So many records; the one that nobody has asked for longest goes first. Threads share it."""

    def __init__(self, records: int) -> None:
        self._records = records
        self._made: OrderedDict[RowVersion, ListEntry] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = 0

    def __len__(self) -> int:
        return len(self._made)

    def find(self, versions: Iterable[RowVersion]) -> dict[RowVersion, ListEntry]:
        """Those of them that are there."""
        with self._lock:
            found = {version: made for version in versions if (made := self._made.get(version)) is not None}
            for version in found:
                self._made.move_to_end(version)
            self.hits += len(found)
        return found

    def keep(self, made: Mapping[RowVersion, ListEntry]) -> None:
        """Keep these, too."""
        with self._lock:
            self._made.update(made)
            while len(self._made) > self._records:
                self._made.popitem(last=False)


@functools.cache
def kept(records: int, rights: str) -> Kept:
    """What this process keeps, made with these rights. What has the version of one is as that was: nothing is out of date."""
    return Kept(records)


def page(window: Window, *, after: ListPosition | None, size: int, scope: Scope) -> list[ListEntry] | None:
    """Up to `size` records behind `after`, shown in iso19139.

    None where rows have no versions, or one has changed while the page was read.
    """
    versions = lists.versions(window, after=after, size=size, scope=scope)
    if versions is None:
        return None
    store = kept(settings.GISC_READY_RECORDS, settings.GISC_RIGHTS_URL)
    shown = store.find(versions)
    if len(shown) < len(versions):
        made = _make(window, after, size, scope, [version for version in versions if version not in shown])
        if made is None:
            return None
        shown |= made
        store.keep({version: here for version, here in made.items() if here.ready and here.size <= _LARGEST})
    return [shown[version] for version in versions]


def _make(
    window: Window, after: ListPosition | None, size: int, scope: Scope, missing: list[RowVersion]
) -> dict[RowVersion, ListEntry] | None:
    """These records, read whole; None where one of them is not any more what it was."""
    rows = lists.page_with_versions(
        window, after=after, size=size, scope=scope, only=[version.pk for version in missing]
    )
    made = {version: _show(row) for version, row in rows}
    return made if made.keys() == set(missing) else None


def _show(row: ListRow) -> ListEntry:
    known = FORMATS[oai.ISO19139]
    here = stored_entry(row, known)
    if here.damaged:
        return here
    bare = row._replace(packed=None, provenance_json=None)
    return ListEntry(bare, size=here.size, ready=compression.piece(render.record(oai_entry(here, known))))
