"""Check and pack the entries of a page, so that they can be stored. Nothing here asks the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from catalogue import datestamps, oai, seams
from catalogue.bulk.pool import ReadPool
from catalogue.documents import iso19139, xml_tree
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.reasons import Reason
from catalogue.writing import read_apart, read_document, store
from catalogue.writing.entry import PreparedEntry, deletion_entry, parsed_entry, unchanged_entry
from harvester.header import is_unknown
from harvester.link_rules import Identifiers, Kind
from harvester.models import Run
from harvester.protocol.answers import ReceivedEntry
from harvester.protocol.unchanged import StoredVersion
from harvester.reasons import EntryCode

CheckedEntry = tuple[ReceivedEntry, PreparedEntry]
RefusedEntry = tuple[ReceivedEntry, xml_tree.Unusable]  # an entry that cannot be stored, and why
StoredVersions = Mapping[str, StoredVersion]  # by key


@dataclass(frozen=True, slots=True)
class EntrySource:
    """Where entries come from, for their provenance (P122): the link, and the time when the provider gave them, as text."""

    link: str
    base_url: str
    is_recovery: bool
    is_relayed: bool
    harvest_date: str
    identifiers: str = Identifiers.SAME
    is_promised: bool = False  # the provider is a node of this software


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """The entries of a page, checked and packed; and those that cannot be stored."""

    checked: list[CheckedEntry]
    refused: list[RefusedEntry]


class OtherIdentifier(xml_tree.Unusable):
    """The record's gmd:fileIdentifier is not the identifier of its header (H38). `key`: its OAI identifier."""

    def __init__(self, key: str, digest: bytes | None, reason: Reason) -> None:
        super().__init__(reason)
        self.key, self.digest = key, digest


def source_of(run: Run, at: datetime | None) -> EntrySource:
    """Where the run's entries come from. `at`: the provider's time; None where it is not known."""
    link = run.link
    is_recovery, is_relayed = link.kind == Kind.RECOVERY, link.is_relayed
    return EntrySource(
        *(link.name, link.provider.base_url, is_recovery, is_relayed, datestamps.write(at or seams.now())),
        identifiers=link.identifiers,
        is_promised=run.is_promised,
    )


def prepare_page(
    entries: Sequence[ReceivedEntry], source: EntrySource, stored: StoredVersions, processes: ReadPool | None = None
) -> PreparedPage:
    """Check and pack the entries, as far as they differ from what is stored. Asks the database for nothing.

    With `processes`, these read what differs: they parse it again, and this process is free for other pages.
    """
    page = PreparedPage([], [])
    results = _read_in_processes(processes, entries, stored) if processes else {}
    for index, received in enumerate(entries):
        try:
            page.checked.append((received, prepare(received, source, stored, results.get(index))))
        except xml_tree.Unusable as exc:
            page.refused.append((received, exc))
    return page


def _read_in_processes(
    processes: ReadPool, entries: Sequence[ReceivedEntry], stored: StoredVersions
) -> dict[int, read_document.ReadResult]:
    """Read those records in other processes that differ from the stored bytes; the results by index in `entries`."""
    documents: list[bytes] = []
    stored_digests: dict[int, bytes] = {}  # by index in `documents`
    indexes: list[int] = []  # in `entries`
    for index, received in enumerate(entries):
        element = received.metadata
        if element is None or received.stored or received.fault or len(element) > xml_tree.MAX_RECORD_BYTES:
            continue
        version = stored.get(received.header.key)
        if version is not None:
            if version.equals(element):
                continue
            stored_digests[len(documents)] = version.digest
        documents.append(element)
        indexes.append(index)
    if not documents:
        return {}
    return dict(zip(indexes, processes.submit(documents, stored_digests).result(), strict=True))


def prepare(
    received: ReceivedEntry,
    source: EntrySource,
    stored: StoredVersions,
    result: read_document.ReadResult | None = None,
) -> PreparedEntry:
    """Check one entry and pack it with its provenance (P122 to P125). Raises Unusable.

    A version that is stored already needs no payload. `result`: of another process that has read the record, if one has.
    """
    header = received.header
    if not header.identifier:
        raise xml_tree.Unusable(received.fault or Reason(EntryCode.NO_IDENTIFIER))
    if received.fault is not None:
        raise xml_tree.Unusable(received.fault)
    if header.deleted:
        if is_unknown(header.key):  # which is not offered to the catalogue
            return deletion_entry(header.identifier, header.key)
        named = header.identifier if source.identifiers == Identifiers.SAME else header.key
        return store.prepare_deletion(named, header.key)
    if received.metadata is None:
        raise xml_tree.Unusable(Reason(EntryCode.NO_METADATA))
    if received.stored is not None:
        entry = _unchanged(received, received.stored)
    elif result is None:
        entry = _read_here(received, source, stored.get(header.key))
    else:
        entry = _pack(received, source, result)
    # Where the header has only a name, its key was made of the gmd:fileIdentifier.
    if header.identifier == entry.identifier or source.identifiers == Identifiers.FILE:
        return entry
    return _named(entry, received, source)


def _named(entry: PreparedEntry, received: ReceivedEntry, source: EntrySource) -> PreparedEntry:
    """Return the entry under the identifier that counts by the link (H38, W3). Raises OtherIdentifier."""
    header = received.header
    if header.identifier == oai.oai_identifier(entry.identifier):  # P68
        return entry
    shared = oai.folded(header.key)
    if shared is not None and entry.key != header.key and shared == oai.folded(entry.key):
        return entry.called(header.key, header.identifier)  # by which the provider lists and deletes it (F74)
    if source.identifiers == Identifiers.HEADER or (source.is_promised and _is_named_by_origin(received)):
        return entry.called(header.key, header.key)
    facts = {"header": header.identifier, "record": entry.identifier}
    key = oai.oai_identifier(entry.identifier)
    raise OtherIdentifier(key, entry.digest, Reason(EntryCode.OTHER_IDENTIFIER, facts))


def _is_named_by_origin(received: ReceivedEntry) -> bool:
    """Whether the record came from its origin under the identifier of its header, as its provenance says (P122)."""
    origin = received.provenance
    while origin is not None and origin.origin is not None:
        origin = origin.origin
    return origin is not None and oai.oai_identifier(origin.identifier) == received.header.key


def _unchanged(received: ReceivedEntry, version: StoredVersion) -> PreparedEntry:
    """Make the entry of a record that is stored byte for byte: it is not parsed, nor made canonical for its digest."""
    return PreparedEntry(version.identifier, received.header.key, version.digest, version.metadata_date, b"")


def _read_here(received: ReceivedEntry, source: EntrySource, stored: StoredVersion | None) -> PreparedEntry:
    """Prepare a record from the tree that its page was parsed to, if it was. Raises Unusable."""
    element, header = received.metadata, received.header
    assert element is not None
    if len(element) > xml_tree.MAX_RECORD_BYTES:
        raise xml_tree.Unusable(xml_tree.oversized(len(element)))
    if stored is not None and stored.equals(element):
        return _unchanged(received, stored)
    if len(element) > read_apart.LIMITS.in_force.above_bytes:
        return _pack(received, source, read_apart.read(element, None if stored is None else stored.digest))
    if received.root is not None:
        xml_tree.check_complexity(element)  # else `parse` does so
    root = xml_tree.parse(element) if received.root is None else received.root
    digest = xml_tree.digest_of(root)
    if stored is not None and digest == stored.digest:
        return unchanged_entry(root, digest)
    version = iso19139.read_tree(root, element, digest, received.file_identifier)
    provenance = provenance_of(received, source)
    packed = payload.pack(element, is_to_splice=not version.has_bare_elements)
    key = header.key if version.identifier == header.identifier else None
    return parsed_entry(version, key).with_payload(packed, provenance)


def _pack(received: ReceivedEntry, source: EntrySource, result: read_document.ReadResult) -> PreparedEntry:
    """Pack a record that another process has read. Raises Unusable."""
    if isinstance(result, Reason):
        raise xml_tree.Unusable(result)
    assert received.metadata is not None
    return store.pack_document(received.metadata, result, provenance_of(received, source))


def provenance_of(received: ReceivedEntry, source: EntrySource) -> Provenance | None:
    """Where this version comes from, with its `about` containers; None for what was recovered, which is ours."""
    if source.is_recovery:
        return None
    return Provenance(
        source.base_url,
        received.header.identifier,
        received.header.datestamp,
        oai.GMD_NS,
        source.harvest_date,
        altered=bool(received.repairs),
        origin=received.provenance,
        link=source.link,
        relayed=source.is_relayed and received.provenance is None,  # the relay does not say from whom it has it (W33)
        abouts=received.abouts,
    )
