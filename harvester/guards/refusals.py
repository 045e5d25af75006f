"""Refuse entries of a link that would replace what this node knows better, and say why. Reads the database only.

A recovery brings our own set back from another GISC (W35). The guard of our own set (W23) is lifted for it, but it
never undoes what we know better. A relay that replaces a provider may be behind, and so may be the provider when it
comes back: an older version never replaces a newer one (W31).
"""

from collections.abc import Sequence
from datetime import datetime

from catalogue.models import MetadataSet
from catalogue.provenance import compare_versions, origin_of
from catalogue.reasons import Reason
from catalogue.writing.current import load_current
from catalogue.writing.decisions import CurrentRecord
from catalogue.writing.entry import PreparedEntry
from harvester.reasons import EntryCode


def refused_from_recovery(entries: Sequence[PreparedEntry], into: MetadataSet) -> dict[str, Reason]:
    """Return why some entries of a recovery are refused, by key."""
    refused = {}
    for entry, current in _with_current(entries, into):
        if current.deleted:
            if not entry.deleted:
                refused[entry.key] = Reason(EntryCode.WITHDRAWN_HERE)
        elif entry.deleted:
            refused[entry.key] = Reason(EntryCode.DELETED_THERE)
        elif current.digest != entry.digest and not _is_later(entry.metadata_date, current.metadata_date):
            refused[entry.key] = Reason(EntryCode.NOT_LATER)
    return refused


def refused_from_another_provider(
    entries: Sequence[PreparedEntry], into: MetadataSet, base_url: str, *, is_own: bool
) -> dict[str, Reason]:
    """Return why some entries are refused, by key, if the current version came from another provider (W31, W33).

    `is_own`: the entries are from the link's own provider, which has come back. A deletion is stored whichever provider
    sends it (W9). A deletion that is stored is undone only by the own provider, or by a newer version of a relay.
    """
    refused = {}
    for entry, current in _with_current(entries, into):
        came_from = current.provenance.base_url if current.provenance else ""
        if entry.deleted or came_from == base_url:
            continue
        if current.deleted:
            if not is_own and not _is_later(entry.metadata_date, current.datestamp):
                refused[entry.key] = Reason(EntryCode.DELETED_BY_PROVIDER)
        elif current.digest != entry.digest:
            is_newer, why = compare_versions(
                origin_of(entry.provenance), entry.metadata_date, origin_of(current.provenance), current.metadata_date
            )
            if not is_newer:
                refused[entry.key] = Reason(EntryCode.NOT_NEWER, {"why": why.to_json()})
    return refused


def _with_current(entries: Sequence[PreparedEntry], into: MetadataSet) -> list[tuple[PreparedEntry, CurrentRecord]]:
    current = load_current([entry.key for entry in entries])
    return [
        (entry, record)
        for entry in entries
        if (record := current.get(entry.key)) is not None and record.owner_id == into.pk
    ]


def _is_later(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and other is not None and one > other
