"""Refuse entries of a link that would replace what this node knows better, and say why. Reads the database only.

A recovery brings our own set back from another GISC (W35). The guard of our own set (W23) is lifted for it, but it
never undoes what we, or the centres of our area, know better. A relay that replaces a provider may be behind: its older
version never replaces a newer one (W31). The provider itself always has the last word on its set.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from catalogue.models import MetadataSet
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import decisions, spellings
from catalogue.writing.current import load_current_in_any_case
from catalogue.writing.decisions import CurrentRecord, StoredVersion
from catalogue.writing.entry import PreparedEntry
from harvester.models import Link
from harvester.reasons import EntryCode
from harvester.rows import remote_headers


def refused_from_recovery(entries: Sequence[PreparedEntry], into: MetadataSet) -> dict[str, Reason]:
    """Return why some entries of a recovery are refused, by key."""
    refused = {}
    current = load_current_in_any_case([entry.key for entry in entries])
    for entry in entries:
        record = spellings.record_of(entry.key, current)
        if record is None or record.owner_id != into.pk:
            continue
        if record.deleted:
            if not entry.deleted:
                refused[entry.key] = Reason(EntryCode.WITHDRAWN_HERE)
        elif entry.deleted:
            refused[entry.key] = Reason(EntryCode.DELETED_THERE)
        elif record.digest == entry.digest:
            continue
        elif record.source:
            refused[entry.key] = Reason(EntryCode.CENTRE_DECIDES, {"link": record.source})
        elif not _is_later(entry.metadata_date, record.metadata_date):
            refused[entry.key] = Reason(EntryCode.NOT_LATER)
    return refused


def refused_from_relay(entries: Sequence[PreparedEntry], link: Link, apart: Collection[str] = ()) -> dict[str, Reason]:
    """Return why some entries of a relay are refused, by key: what another provider gave directly is newer (W31, W33).

    Nothing is refused of a link's own provider, asked directly: it has the last word on its set, whatever the dates say.
    Each provider replaces what it gave itself. What it gave before, and another one has replaced since, is not newer. A
    deletion is stored whichever provider sends it (W9). A deletion that came from another provider is undone only by a
    version that is newer than it. `apart`: keys of records of their own beside others with another spelling.
    """
    into, is_own = link.local_set, not link.is_served_by_alternative
    current = load_current_in_any_case([entry.key for entry in entries])
    known = remote_headers.load_known(link, list(current))
    refused = {}
    for entry in entries:
        record = current.get(entry.key) if entry.key in apart else spellings.record_of(entry.key, current)
        if entry.deleted or record is None or (record.deleted and record.owner_id != into.pk):
            continue
        if record.deleted:
            deleted_by_it = is_own and entry.key in known and known[entry.key].deleted
            if not deleted_by_it and not _is_later(entry.metadata_date, record.datestamp):
                refused[entry.key] = Reason(EntryCode.DELETED_BY_PROVIDER)
            continue
        version = _version_to_keep(record, link)
        if version is None or version.digest == entry.digest or version.provenance is None:
            continue
        came = version.provenance
        if (is_own and came.link == link.name) or came.base_url == link.provider.base_url:
            continue
        is_newer, why = decisions.is_newer(entry, version)
        if entry.key in known and known[entry.key].digest == entry.digest:
            is_newer, why = False, Reason(ReasonCode.GIVEN_SINCE)
        if not is_newer:
            refused[entry.key] = Reason(EntryCode.NOT_NEWER, {"why": why.to_json()})
    return refused


def _version_to_keep(record: CurrentRecord, link: Link) -> StoredVersion | CurrentRecord | None:
    """Return the version that an entry of this link would replace; None if it replaces none.

    In a peer's set the links of the set replace one another's versions, in other sets each its own.
    """
    into = link.local_set
    is_replaced = into.kind == MetadataSet.Kind.PEER or record.source == link.name
    if record.owner_id == into.pk and is_replaced:
        return record
    return record.claims.get((into.pk, link.name))


def _is_later(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and other is not None and one > other
