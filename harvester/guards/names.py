"""Decide what the names mean that a provider has for its records, where gmd:fileIdentifier counts (`Identifiers.FILE`).

A name means the record that it brought last. One record has one name: another name for it is a conflict and stores nothing,
while the provider still has the record under the first. A name that brings another record deletes the one that it had
brought, as the provider's deleted header would.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from catalogue.documents import xml_tree
from catalogue.reasons import Reason
from catalogue.writing import store
from catalogue.writing.entry import PreparedEntry
from harvester.header import ReceivedHeader, is_unknown, unknown_key
from harvester.models import Conflict, Link, Run
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.reasons import EntryCode
from harvester.rows import remote_headers
from harvester.rows.conflicts import ConflictReport
from harvester.rows.rejects import Refusal


def resolve_page(run: Run, page: Page) -> Page:
    """Return the page with the keys that its names mean; the same page where nothing is to be changed.

    The pages before it are stored.
    """
    entries = resolve(run.link, page.entries)
    return page if entries is page.entries else replace(page, entries=entries)


def resolve(link: Link, entries: Sequence[ReceivedEntry]) -> tuple[ReceivedEntry, ...]:
    """Return the entries with the keys that their names mean, and with a fault where a record has another name already."""
    meant = remote_headers.keys_of_names(link, [entry.header.identifier for entry in entries])
    brought = {entry.header.identifier: entry.header for entry in entries if _is_record(entry)}
    names = remote_headers.names_of_keys(link, [header.key for header in brought.values()])
    gone = {entry.header.identifier for entry in entries if entry.header.deleted}
    # A name that is deleted here, or brings another record here, means its former record no longer.
    holders = {
        key: name
        for key, name in names.items()
        if name not in gone and (name not in brought or brought[name].key == key)
    }
    for name, header in brought.items():
        holders.setdefault(header.key, name)
    resolved = []
    for entry in entries:
        header = entry.header
        if _is_record(entry):
            holder = holders[header.key]
            if holder != header.identifier:
                facts = {"header": header.identifier, "stored": holder, "record": header.key}
                entry = entry._replace(
                    header=header._replace(key=unknown_key(header.identifier)),
                    fault=Reason(EntryCode.TWO_NAMES, facts),
                )
        elif is_unknown(header.key):
            record = brought.get(header.identifier)
            key = meant.get(header.identifier, "") if record is None else record.key
            if key and not (header.deleted and holders.get(key, header.identifier) != header.identifier):
                entry = entry._replace(header=header._replace(key=key))
        resolved.append(entry)
    return entries if list(entries) == resolved and isinstance(entries, tuple) else tuple(resolved)


def _is_record(entry: ReceivedEntry) -> bool:
    """Whether the entry says by itself which record its name means."""
    return bool(entry.header.identifier) and not entry.header.deleted and not is_unknown(entry.header.key)


def left_behind(
    run: Run, entries: Sequence[tuple[ReceivedEntry, PreparedEntry]]
) -> list[tuple[ReceivedEntry, PreparedEntry]]:
    """Make deletions of the records that these names had brought before, and that no entry here brings."""
    live = {received.header.identifier: received.header for received, entry in entries if not entry.deleted}
    keys = {entry.key for _, entry in entries}
    found = []
    for name, key in remote_headers.keys_left(run.link, {name: header.key for name, header in live.items()}):
        if key not in keys:
            header = live[name]._replace(identifier=key, key=key, deleted=True)
            found.append((ReceivedEntry(header), store.prepare_deletion(key, key)))
    return found


def split_unknown(
    entries: Sequence[tuple[ReceivedEntry, PreparedEntry]],
) -> tuple[list[tuple[ReceivedEntry, PreparedEntry]], list[ReceivedHeader]]:
    """Part the deletions of names that never brought a record, of which there is nothing to delete, from the other entries."""
    known = [(received, entry) for received, entry in entries if not is_unknown(entry.key)]
    return known, [received.header for received, entry in entries if is_unknown(entry.key)]


def record_key(reason: Reason) -> str:
    """Return the key of the record that has another name already; empty where the reason is another one."""
    return str(reason.facts["record"]) if reason.code == EntryCode.TWO_NAMES else ""


def conflicts_of(refused: Collection[Refusal]) -> list[ConflictReport]:
    """Return a conflict for each record that came under a second name."""
    found = []
    for refusal in refused:
        if not record_key(refusal.reason):
            continue
        digest = xml_tree.digest_of(xml_tree.parse(refusal.raw or b""))
        entry = PreparedEntry(refusal.file_key, refusal.file_key, digest, None, b"")
        found.append(ConflictReport(entry, refusal.raw, Conflict.Kind.TAKEN, refusal.reason))
    return found
