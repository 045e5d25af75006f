"""Check and pack the entries of a page, so that they can be stored. Only `load_stored` asks the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalogue import datestamps, oai
from catalogue.bulk.pool import ReadPool
from catalogue.documents import iso19139, xml_tree
from catalogue.payloads import payload
from catalogue.provenance import with_abouts
from catalogue.writing import current, read_document, store
from catalogue.writing.entry import PreparedEntry, parsed_entry, unchanged_entry
from harvester.protocol import answers

CheckedEntry = tuple[answers.ReceivedEntry, PreparedEntry]
RefusedEntry = tuple[answers.ReceivedEntry, xml_tree.Unusable]  # an entry that cannot be stored, and why
StoredVersions = Mapping[str, current.CurrentVersion]  # by key


@dataclass(frozen=True, slots=True)
class Origin:
    """Where entries come from, for their provenance (P122): the link, and when the provider gave them."""

    link: str
    base_url: str
    is_recovery: bool
    is_relayed: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """The entries of a page, checked and packed; and those that cannot be stored."""

    checked: list[CheckedEntry]
    refused: list[RefusedEntry]


class OtherIdentifier(xml_tree.Unusable):
    """The record's gmd:fileIdentifier, as a key, is not the identifier of its header (H38)."""

    def __init__(self, key: str, digest: bytes | None, reason: str) -> None:
        super().__init__(reason)
        self.key, self.digest = key, digest


def load_stored(entries: Sequence[answers.ReceivedEntry]) -> StoredVersions:
    """The stored versions of these entries, without those that were found unchanged byte for byte already.

    To be called in the thread that has the database's connection.
    """
    payload.newest()  # so that `prepare` has the dictionary without asking
    keys = [oai.identifier_key(received.entry.header.identifier) for received in entries if received.stored is None]
    return current.current_versions(keys) if keys else {}


def prepare_page(
    entries: Sequence[answers.ReceivedEntry], origin: Origin, stored: StoredVersions, processes: ReadPool | None = None
) -> PreparedPage:
    """Check and pack the entries, as far as they differ from what is stored. Asks the database for nothing.

    With `processes`, these read what differs: they parse it again, and this process is free for other pages.
    """
    page = PreparedPage([], [])
    results = _read_in_processes(processes, entries, origin, stored) if processes else {}
    for index, received in enumerate(entries):
        try:
            page.checked.append((received, prepare(received, origin, stored, results.get(index))))
        except xml_tree.Unusable as exc:
            page.refused.append((received, exc))
    return page


def _read_in_processes(
    processes: ReadPool, entries: Sequence[answers.ReceivedEntry], origin: Origin, stored: StoredVersions
) -> dict[int, read_document.ReadResult]:
    """Read those records in other processes that differ from the stored bytes; the results by index in `entries`."""
    documents: list[bytes] = []
    stored_digests: dict[int, bytes] = {}  # by index in `documents`
    indexes: list[int] = []  # in `entries`
    for index, received in enumerate(entries):
        element, header = received.entry.metadata, received.entry.header
        if element is None or received.stored or received.fault or len(element) > xml_tree.MAX_RECORD_BYTES:
            continue
        version = stored.get(oai.identifier_key(header.identifier))
        if version is not None:
            if version.equals(element):
                continue
            stored_digests[len(documents)] = version.digest
        documents.append(element)
        indexes.append(index)
    if not documents:
        return {}
    provenances = [provenance_of(entries[index], origin) for index in indexes]
    return dict(zip(indexes, processes.submit(documents, stored_digests, provenances).result(), strict=True))


def prepare(
    received: answers.ReceivedEntry,
    origin: Origin,
    stored: StoredVersions,
    result: read_document.ReadResult | None = None,
) -> PreparedEntry:
    """Check one entry and pack it with its provenance (P122 to P125). Raises Unusable.

    A version that is stored already needs no payload. `result`: of another process that has read the record, if one has.
    """
    header = received.entry.header
    if not header.identifier:
        raise xml_tree.Unusable(received.fault or "the entry has no identifier in its header")
    if received.fault:
        raise xml_tree.Unusable(received.fault)
    if header.deleted:
        return store.prepare_deletion(header.identifier)
    if received.entry.metadata is None:
        raise xml_tree.Unusable("the record has no metadata and is not deleted")
    key = oai.identifier_key(header.identifier)
    if isinstance(received.stored, current.CurrentVersion):
        return current.entry_of_version(key, received.stored)
    try:
        entry = _read_here(received, origin, stored.get(key)) if result is None else _pack_result(received, result)
    except xml_tree.Unusable as exc:
        raise xml_tree.Unusable(f"the record {exc}") from exc
    if entry.key != key:  # H38, W3
        raise OtherIdentifier(
            entry.key,
            entry.digest,
            f"the header says {header.identifier!r}, the record's gmd:fileIdentifier says {entry.identifier!r}",
        )
    return entry


def _read_here(received: answers.ReceivedEntry, origin: Origin, stored: current.CurrentVersion | None) -> PreparedEntry:
    """Prepare a record from the tree that its page was parsed to, if it was. Raises Unusable.

    What is stored byte for byte has the stored digest; it is not made canonical to compute that.
    """
    element = received.entry.metadata
    assert element is not None
    if len(element) > xml_tree.MAX_RECORD_BYTES:
        raise xml_tree.Unusable(xml_tree.describe_oversized(len(element)))
    if stored is not None and stored.equals(element):
        return current.entry_of_version(oai.identifier_key(received.entry.header.identifier), stored)
    root = xml_tree.parse(element) if received.root is None else received.root
    digest = xml_tree.digest_of(root)
    if stored is not None and digest == stored.digest:
        return unchanged_entry(root, digest)
    version = iso19139.read_tree(root, element, digest)
    return parsed_entry(version, provenance_of(received, origin)).with_payload(payload.pack(element))


def _pack_result(received: answers.ReceivedEntry, result: read_document.ReadResult) -> PreparedEntry:
    """Pack a record that another process has read. Raises Unusable."""
    if isinstance(result, str):
        raise xml_tree.Unusable(result)
    assert received.entry.metadata is not None
    return store.pack_document(received.entry.metadata, result)


def provenance_of(received: answers.ReceivedEntry, origin: Origin) -> dict[str, Any] | None:
    """Where this version comes from, with its `about` containers; None for what was recovered, which is ours."""
    if origin.is_recovery:
        return None
    provenance: dict[str, Any] = {
        "link": origin.link,
        "baseURL": origin.base_url,
        "identifier": received.entry.header.identifier,
        "datestamp": received.entry.header.datestamp,
        "metadataNamespace": oai.GMD_NS,
        "harvestDate": datestamps.write(origin.at),
        "altered": bool(received.repairs),
    }
    if received.provenance is not None:
        provenance["origin"] = received.provenance
    elif origin.is_relayed:
        provenance["relayed"] = True  # the relay does not say from whom it has it (W33)
    return with_abouts(provenance, received.abouts)
