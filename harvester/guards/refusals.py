"""What a link brings and this node knows better: entries that are not taken, with the reason. Reads only.

A recovery brings our own set back from another GISC (W35): the guard of our own set (W23) is lifted for it, but it
never undoes what we know better. A relay that stands in for a provider may be behind, and so may be the provider when it comes back: an older version
never replaces a newer one (W31).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from catalogue.models import MetadataSet, Record
from catalogue.provenance import Origin, compare_versions, origin_of
from catalogue.writing.entry import PreparedEntry


class _Held(NamedTuple):
    deleted: bool
    digest: bytes
    metadata_date: datetime | None
    datestamp: datetime
    came_from: str
    origin: Origin


def to_recovery(entries: Sequence[PreparedEntry], into: MetadataSet) -> dict[str, str]:
    """Why some entries are not taken, by key."""
    found = {}
    for entry, held in _pairs(entries, into):
        if held.deleted:
            if not entry.deleted:
                found[entry.key] = "was withdrawn here, and a recovery does not bring it back"
        elif entry.deleted:
            found[entry.key] = "is deleted there and live here; withdraw it, if that is right"
        elif held.digest != entry.digest and not _is_after(entry.metadata_date, held.metadata_date):
            found[entry.key] = "differs from the version held here, which is not older"
    return found


def to_another_provider(
    entries: Sequence[PreparedEntry], into: MetadataSet, base_url: str, *, own: bool
) -> dict[str, str]:
    """Why some entries are not taken, by key, where what is held came by another provider of the link (W31, W33).

    `own`: the link's own provider has come back. What either says to be deleted, is (W9); a deletion that is known here
    is undone by the own provider alone, or by a version of a relay that is newer.
    """
    found = {}
    for entry, held in _pairs(entries, into):
        if entry.deleted or held.came_from == base_url:
            continue
        if held.deleted:
            if not own and not _is_after(entry.metadata_date, held.datestamp):
                found[entry.key] = "was deleted by its own provider, and the relay may not know yet (W31)"
        elif held.digest != entry.digest:
            newer, why = compare_versions(entry.origin, entry.metadata_date, held.origin, held.metadata_date)
            if not newer:
                found[entry.key] = f"is not newer than the version held here, which counts {why} (W31, W33)"
    return found


def _pairs(entries: Sequence[PreparedEntry], into: MetadataSet) -> list[tuple[PreparedEntry, _Held]]:
    rows = Record.objects.filter(key__in=[entry.key for entry in entries], owner=into)
    held = {
        key: _Held(deleted, bytes(digest or b""), date, datestamp, (said or {}).get("baseURL", ""), origin_of(said))
        for key, deleted, digest, date, datestamp, said in rows.values_list(
            "key", "deleted", "digest", "metadata_date", "datestamp", "provenance"
        )
    }
    return [(entry, held[entry.key]) for entry in entries if entry.key in held]


def _is_after(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and other is not None and one > other
