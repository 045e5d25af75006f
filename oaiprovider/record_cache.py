"""Cache of records that are rendered and compressed for gzip answers, in the memory of each web process.

Many harvesters ask for the newest records soon after one another. For a page, only the version of each row is read
first; records whose version is in the cache are sent from there, and only the others are read from the database.
"""

import functools
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from django.conf import settings

from catalogue import oai, seams
from catalogue.reading import lists
from catalogue.reading.lists import ListPosition, ListRow, RowVersion, Window
from catalogue.reading.scopes import Scope
from oaiprovider.builtin_formats import FORMATS
from oaiprovider.list_entries import ListEntry, oai_entry, stored_entry
from oaiprovider.protocol import compression, render

_LARGEST = 64 * 1024  # bytes of metadata; larger records are not cached, which bounds the memory of the cache


class RecordCache:
    """A least-recently-used cache of `max_records` entries by version; safe for threads."""

    def __init__(self, max_records: int) -> None:
        self._max_records = max_records
        self._entries: OrderedDict[RowVersion, ListEntry] = OrderedDict()
        self._lock = seams.Lock()
        self.hits = 0

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, versions: Iterable[RowVersion]) -> dict[RowVersion, ListEntry]:
        """Return the entries of those versions that are cached."""
        with self._lock:
            found = {version: entry for version in versions if (entry := self._entries.get(version)) is not None}
            for version in found:
                self._entries.move_to_end(version)
            self.hits += len(found)
        return found

    def add(self, entries: Mapping[RowVersion, ListEntry]) -> None:
        """Add these entries and drop the ones that were not used for longest."""
        with self._lock:
            self._entries.update(entries)
            while len(self._entries) > self._max_records:
                self._entries.popitem(last=False)


@functools.cache
def process_cache(max_records: int, rights_url: str) -> RecordCache:
    """Return this process's cache for these settings: the rights are part of each rendered record.

    No entry goes out of date: a record that changes gets another version.
    """
    return RecordCache(max_records)


def page(window: Window, *, after: ListPosition | None, size: int, scope: Scope) -> list[ListEntry] | None:
    """Return up to `size` entries in iso19139 after `after`, from the cache where possible.

    None where rows have no versions (lists of several sets), or where a row changed while the page was read.
    """
    versions = lists.versions(window, after=after, size=size, scope=scope)
    if versions is None:
        return None
    cache = process_cache(settings.GISC_READY_RECORDS, settings.GISC_RIGHTS_URL)
    entries = cache.find(versions)
    if len(entries) < len(versions):
        missing = [version for version in versions if version not in entries]
        loaded = _load(window, after, size, scope, missing)
        if loaded is None:
            return None
        entries |= loaded
        cache.add({version: entry for version, entry in loaded.items() if entry.rendered and entry.size <= _LARGEST})
    return [entries[version] for version in versions]


def _load(
    window: Window, after: ListPosition | None, size: int, scope: Scope, missing: list[RowVersion]
) -> dict[RowVersion, ListEntry] | None:
    """Read and render these records; None if one of them has another version by now."""
    rows = lists.page_with_versions(
        window, after=after, size=size, scope=scope, only=[version.pk for version in missing]
    )
    entries = {version: _rendered_entry(row) for version, row in rows}
    return entries if entries.keys() == set(missing) else None


def _rendered_entry(row: ListRow) -> ListEntry:
    metadata_format = FORMATS[oai.ISO19139]
    entry = stored_entry(row, metadata_format)
    if entry.damaged:
        return entry
    bare_row = row._replace(packed=None, harvest_json=None, remote_identifier=None, remote_datestamp=None)
    rendered = compression.piece(render.record(oai_entry(entry, metadata_format)))
    return ListEntry(bare_row, size=entry.size, rendered=rendered)
