"""Refuse entries of a link that would replace what this node knows better, and say why. Reads the database only.

A recovery brings our own set back from another GISC (W35). The guard of our own set (W23) is lifted for it, but it never
undoes what we know better. A relay that replaces a provider may be behind, and so may be the provider when it comes back: an
older version never replaces a newer one (W31).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from catalogue.models import MetadataSet, Record
from catalogue.provenance import Origin, compare_versions, origin_of
from catalogue.writing.entry import PreparedEntry


class _CurrentRecord(NamedTuple):
    deleted: bool
    digest: bytes
    metadata_date: datetime | None
    datestamp: datetime
    base_url: str
    origin: Origin


def refused_from_recovery(entries: Sequence[PreparedEntry], into: MetadataSet) -> dict[str, str]:
    """Return why some entries of a recovery are refused, by key."""
    refused = {}
    for entry, current in _with_current(entries, into):
        if current.deleted:
            if not entry.deleted:
                refused[entry.key] = "was withdrawn here, and a recovery does not bring it back"
        elif entry.deleted:
            refused[entry.key] = "is deleted there and live here; withdraw it, if that is right"
        elif current.digest != entry.digest and not _is_later(entry.metadata_date, current.metadata_date):
            refused[entry.key] = "differs from the version held here, which is not older"
    return refused


def refused_from_another_provider(
    entries: Sequence[PreparedEntry], into: MetadataSet, base_url: str, *, is_own: bool
) -> dict[str, str]:
    """Return why some entries are refused whose current version came from another provider of the link, by key (W31, W33).

    `is_own`: the entries are from the link's own provider, which has come back. A deletion is stored whichever provider sends
    it (W9). A deletion that is stored is undone only by the own provider, or by a newer version of a relay.
    """
    refused = {}
    for entry, current in _with_current(entries, into):
        if entry.deleted or current.base_url == base_url:
            continue
        if current.deleted:
            if not is_own and not _is_later(entry.metadata_date, current.datestamp):
                refused[entry.key] = "was deleted by its own provider, and the relay may not know yet (W31)"
        elif current.digest != entry.digest:
            is_newer, why = compare_versions(entry.origin, entry.metadata_date, current.origin, current.metadata_date)
            if not is_newer:
                refused[entry.key] = f"is not newer than the version held here, which counts {why} (W31, W33)"
    return refused


def _with_current(entries: Sequence[PreparedEntry], into: MetadataSet) -> list[tuple[PreparedEntry, _CurrentRecord]]:
    rows = Record.objects.filter(key__in=[entry.key for entry in entries], owner=into)
    current = {
        key: _CurrentRecord(
            deleted,
            bytes(digest or b""),
            date,
            datestamp,
            (provenance or {}).get("baseURL", ""),
            origin_of(provenance),
        )
        for key, deleted, digest, date, datestamp, provenance in rows.values_list(
            "key", "deleted", "digest", "metadata_date", "datestamp", "provenance"
        )
    }
    return [(entry, current[entry.key]) for entry in entries if entry.key in current]


def _is_later(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and other is not None and one > other
