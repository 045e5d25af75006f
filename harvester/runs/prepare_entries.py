"""The entries of a page checked and packed, so that they can be stored. Nothing here asks the database but `look_up`."""

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

Checked = tuple[answers.ReceivedEntry, PreparedEntry]
Refusal = tuple[answers.ReceivedEntry, xml_tree.Unusable]  # an entry that cannot be stored, and why
Held = Mapping[str, current.CurrentVersion]


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

    checked: list[Checked]
    refused: list[Refusal]


class CalledOtherwise(xml_tree.Unusable):
    """The record's gmd:fileIdentifier, as a key, is not the identifier of its header (H38)."""

    def __init__(self, key: str, digest: bytes | None, reason: str) -> None:
        super().__init__(reason)
        self.key, self.digest = key, digest


def look_up(entries: Sequence[answers.ReceivedEntry]) -> Held:
    """What is held of these entries, by key, those left out that are known to be held as they came.

    To be asked for by who has the database's connection.
    """
    payload.newest()  # so that `ready` finds the dictionary at hand
    keys = [oai.identifier_key(received.entry.header.identifier) for received in entries if received.held is None]
    return current.current_versions(keys) if keys else {}


def prepare_page(
    entries: Sequence[answers.ReceivedEntry], origin: Origin, held: Held, pool: ReadPool | None = None
) -> PreparedPage:
    """The entries checked and packed, as far as they differ from what is held. Asks the database for nothing.

    With a pool, its processes read what differs: they parse it again, and this one is free for other pages.
    """
    readied = PreparedPage([], [])
    made = _read_elsewhere(pool, entries, origin, held) if pool else {}
    for place, received in enumerate(entries):
        try:
            readied.checked.append((received, prepare(received, origin, held, made.get(place))))
        except xml_tree.Unusable as exc:
            readied.refused.append((received, exc))
    return readied


def _read_elsewhere(
    pool: ReadPool, entries: Sequence[answers.ReceivedEntry], origin: Origin, held: Held
) -> dict[int, read_document.ReadResult]:
    """What the processes of the pool have made of those records that are not held byte for byte, by place."""
    documents: list[bytes] = []
    digests: dict[int, bytes] = {}  # held, by place among the documents
    places: list[int] = []
    for place, received in enumerate(entries):
        element, header = received.entry.metadata, received.entry.header
        if element is None or received.held or received.fault or len(element) > xml_tree.MAX_RECORD_BYTES:
            continue
        version = held.get(oai.identifier_key(header.identifier))
        if version is not None:
            if version.equals(element):
                continue
            digests[len(documents)] = version.digest
        documents.append(element)
        places.append(place)
    if not documents:
        return {}
    provenances = [provenance(entries[place], origin) for place in places]
    return dict(zip(places, pool.submit(documents, digests, provenances).result(), strict=True))


def prepare(
    received: answers.ReceivedEntry, origin: Origin, held: Held, made: read_document.ReadResult | None = None
) -> PreparedEntry:
    """The entry, checked, with its provenance (P122 to P125). Raises metadata.Unusable.

    A version that is held needs no payload. `made`: what another process has made of it, if one has.
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
    if isinstance(received.held, current.CurrentVersion):
        return current.entry_of_version(key, received.held)
    try:
        entry = _version(received, origin, held.get(key)) if made is None else _packed(received, made)
    except xml_tree.Unusable as exc:
        raise xml_tree.Unusable(f"the record {exc}") from exc
    if entry.key != key:  # H38, W3
        raise CalledOtherwise(
            entry.key,
            entry.digest,
            f"the header says {header.identifier!r}, the record's gmd:fileIdentifier says {entry.identifier!r}",
        )
    return entry


def _version(received: answers.ReceivedEntry, origin: Origin, held: current.CurrentVersion | None) -> PreparedEntry:
    """The record made ready from the tree that its page was parsed to, if it was. Raises Unusable.

    What came byte for byte as it is held is not made canonical to find that out: its digest is the one held.
    """
    element = received.entry.metadata
    assert element is not None
    if len(element) > xml_tree.MAX_RECORD_BYTES:
        raise xml_tree.Unusable(xml_tree.describe_oversized(len(element)))
    if held is not None and held.equals(element):
        return current.entry_of_version(oai.identifier_key(received.entry.header.identifier), held)
    root = xml_tree.parse(element) if received.root is None else received.root
    digest = xml_tree.digest_of(root)
    if held is not None and digest == held.digest:
        return unchanged_entry(root, digest)
    said = iso19139.read_tree(root, element, digest)
    return parsed_entry(said, provenance(received, origin)).with_payload(payload.pack(element))


def _packed(received: answers.ReceivedEntry, made: read_document.ReadResult) -> PreparedEntry:
    """The record as another process has read it. Raises Unusable."""
    if isinstance(made, str):
        raise xml_tree.Unusable(made)
    assert received.entry.metadata is not None
    return store.pack_document(received.entry.metadata, made)


def provenance(received: answers.ReceivedEntry, origin: Origin) -> dict[str, Any] | None:
    """Where this version comes from, and what came beside it; None for what was recovered, which is ours."""
    if origin.is_recovery:
        return None
    provenance: dict[str, Any] = {
        "link": origin.link,
        "baseURL": origin.base_url,
        "identifier": received.entry.header.identifier,
        "datestamp": received.entry.header.datestamp,
        "metadataNamespace": oai.GMD_NS,
        "harvestDate": datestamps.write(origin.at),
        "altered": bool(received.mended),
    }
    if received.provenance is not None:
        provenance["origin"] = received.provenance
    elif origin.is_relayed:
        provenance["relayed"] = True  # by whom it came first is not told (W33)
    return with_abouts(provenance, received.abouts)
