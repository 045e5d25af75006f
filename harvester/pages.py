"""Store one page of a list: its entries, the run's place and its counters, in one transaction (promise 2).

What can be done without the database, `readied` does: `harvester.listing` has it done in a thread of its own.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from catalogue import abouts, datestamps, fields, metadata, oai, payload, prepared, preparing, store
from harvester import backup, conflicts, counting, ending, headers, holding, leases, moves, objections, parse, remarks
from harvester.models import Conflict, Link, Reject, RemoteHeader, Run
from harvester.reading import Mark
from harvester.words import Kind

logger = logging.getLogger(__name__)

Checked = tuple[parse.ReceivedEntry, store.Prepared]
Refusal = tuple[parse.ReceivedEntry, metadata.Unusable]  # an entry that cannot be stored, and why
Held = Mapping[str, store.HeldVersion]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where entries come from, for their provenance (P122): the link, and when the provider gave them."""

    link: str
    base_url: str
    is_recovery: bool
    is_relayed: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Readied:
    """The entries of a page, checked and packed; and those that cannot be stored."""

    checked: list[Checked]
    refused: list[Refusal]


class _CalledOtherwise(metadata.Unusable):
    """The record's gmd:fileIdentifier, as a key, is not the identifier of its header (H38)."""

    def __init__(self, key: str, digest: bytes | None, reason: str) -> None:
        super().__init__(reason)
        self.key, self.digest = key, digest


@dataclass(slots=True)
class _Sorted:
    """The entries of a page by what is done with them."""

    prepared: list[Checked] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    wanted: list[oai.Header] = field(default_factory=list)
    unchanged: list[oai.Header] = field(default_factory=list)
    missing: int = 0
    stale: int = 0


def store_page(run: Run, page: parse.Page, mark: Mark, readied: Readied | None) -> bool:
    """Store one page and the run's place in one transaction; False if that place is no longer the run's.

    `readied`: the page's entries; None where only its headers count.
    """
    entries = _by_header(run, page) if readied is None else _Sorted(readied.checked, _rejects(run, readied))
    number = run.pages + 1
    first_response = run.first_response or page.response_date  # a list that is read again by headers keeps its own
    newest = _newest(run.newest if run.pages else None, page)
    with transaction.atomic():
        now = timezone.now()
        won = Run.objects.filter(
            pk=run.pk, state=Run.State.OPEN, pages=run.pages, restarts=run.restarts, holder=leases.me()
        ).update(
            pages=F("pages") + 1,
            listed=F("listed") + len(page.entries),
            token=page.token or "",
            marked_token=mark.token,
            marked_page=mark.page,
            first_response=first_response,
            newest=newest,
            list_size=page.list_size if page.list_size is not None else run.list_size,
            attempts=0,
            not_before=None,
            message="",
            warnings=remarks.added(run.warnings, page.warnings),
            sealed_cookies=run.with_cookies(page.cookies),
            leased_until=now + timedelta(seconds=settings.GISC_LEASE_SECONDS),
        )
        if won != 1:
            return False
        _store_entries(run, page, entries)
        moves.note(run.link, page.moved_to)
        if page.token is None:
            run.refresh_from_db()
            ending.end_list(run, now=now)
    logger.info(
        "page stored", extra=run.log_facts(page=number, entries=len(page.entries), rejects=len(entries.rejects))
    )
    return True


def store_beside_error(run: Run, page: parse.Page) -> None:
    """Store the entries of a page that has an error, too; the run stays where it is (fault catalogue 39)."""
    by_header = run.strategy == Link.Strategy.IDENTIFIERS
    entries = _by_header(run, page) if by_header else _Sorted(*prepare(run, page.entries, at=page.response_date))
    with transaction.atomic():
        place = {"pages": run.pages, "restarts": run.restarts, "state": Run.State.OPEN, "holder": leases.me()}
        if Run.objects.select_for_update().filter(pk=run.pk, **place).exists():
            _store_entries(run, page, entries)


def _store_entries(run: Run, page: parse.Page, entries: _Sorted) -> None:
    """In the caller's transaction: what a page brought, but for the run's place."""
    headers.note(run.link, ((header, RemoteHeader.State.WANTED) for header in entries.wanted))
    counting.count(run, received=len(entries.unchanged), unchanged=len(entries.unchanged))
    put(run, entries.prepared, entries.rejects, at=page.response_date)
    if run.is_comparison:
        counting.count(run, missing=entries.missing, stale=entries.stale)
        headers.see(run, [oai.identifier_key(received.entry.header.identifier) for received in page.entries])


def _by_header(run: Run, page: parse.Page) -> _Sorted:
    """The headers of a page: deletions to be stored, what is new or changed to be asked for, what is as it was."""
    found = _Sorted()
    keys = [oai.identifier_key(received.entry.header.identifier) for received in page.entries]
    known = headers.known(run.link, keys)
    settled_before = _settled_before(run)
    for key, received in zip(keys, page.entries, strict=True):
        header = received.entry.header
        before = known.get(key)
        if before is None:
            found.missing += not header.deleted
        elif before.differs_from(header):
            found.stale += 1
        if header.deleted or not header.identifier:
            checked, rejects = prepare(run, (received,), at=page.response_date)
            found.prepared += checked
            found.rejects += rejects
        elif before is not None and before.says(header, settled_before=settled_before):
            found.unchanged.append(header)
        else:
            found.wanted.append(header)
    return found


def _settled_before(run: Run) -> datetime | None:
    """What was stamped before this had its last word when it was noted; none: nothing is sure.

    In a link's first run that is what the list brought before it was read again by headers.
    """
    settled = run.link.first_response
    if settled is None and not run.is_comparison and not run.link.runs.exclude(pk=run.pk).exists():
        settled = run.first_response if run.link.strategy != run.strategy else None
    return settled and _granule(settled, run.granularity)


def _granule(stamp: datetime, granularity: str) -> datetime:
    if granularity == datestamps.Granularity.DAY:
        return stamp.replace(hour=0, minute=0, second=0, microsecond=0)
    return stamp


def prepare(
    run: Run, entries: Sequence[parse.ReceivedEntry], *, at: datetime | None
) -> tuple[list[Checked], list[Reject]]:
    """The entries that can be stored, checked, and the others as rejects. `at`: the provider's time."""
    readied = ready(entries, origin(run, at), look_up(entries))
    return readied.checked, _rejects(run, readied)


def origin(run: Run, at: datetime | None) -> Origin:
    """Where what the run brings comes from."""
    link = run.link
    recovers = link.kind == Kind.RECOVERY
    return Origin(link.name, link.provider.base_url, recovers, link.is_relayed, at or timezone.now())


def look_up(entries: Sequence[parse.ReceivedEntry]) -> Held:
    """What is held of these entries, by key, those left out that are known to be held as they came.

    To be asked for by who has the database's connection.
    """
    payload.newest()  # so that `ready` finds the dictionary at hand
    keys = [oai.identifier_key(received.entry.header.identifier) for received in entries if received.held is None]
    return store.held_versions(keys) if keys else {}


def ready(
    entries: Sequence[parse.ReceivedEntry], origin: Origin, held: Held, pool: preparing.Pool | None = None
) -> Readied:
    """The entries checked and packed, as far as they differ from what is held. Asks the database for nothing.

    With a pool, its processes read what differs: they parse it again, and this one is free for other pages.
    """
    readied = Readied([], [])
    made = _read_elsewhere(pool, entries, origin, held) if pool else {}
    for place, received in enumerate(entries):
        try:
            readied.checked.append((received, _prepare(received, origin, held, made.get(place))))
        except metadata.Unusable as exc:
            readied.refused.append((received, exc))
    return readied


def _read_elsewhere(
    pool: preparing.Pool, entries: Sequence[parse.ReceivedEntry], origin: Origin, held: Held
) -> dict[int, preparing.Made]:
    """What the processes of the pool have made of those records that are not held byte for byte, by place."""
    documents: list[bytes] = []
    digests: dict[int, bytes] = {}  # held, by place among the documents
    places: list[int] = []
    for place, received in enumerate(entries):
        element, header = received.entry.metadata, received.entry.header
        if element is None or received.held or received.fault or len(element) > metadata.MAX_RECORD_BYTES:
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
    provenances = [_provenance(entries[place], origin) for place in places]
    return dict(zip(places, pool.submit(documents, digests, provenances).result(), strict=True))


def _rejects(run: Run, readied: Readied) -> list[Reject]:
    return [
        _called_otherwise(run, received, fault)
        if isinstance(fault, _CalledOtherwise)
        else _reject(run, received, str(fault))
        for received, fault in readied.refused
    ]


def _called_otherwise(run: Run, received: parse.ReceivedEntry, fault: _CalledOtherwise) -> Reject:
    """The reject for a record whose gmd:fileIdentifier is not the identifier of its header (H38, fault catalogue 75)."""
    reason = str(fault)
    if store.held_digests([fault.key]).get(fault.key) == fault.digest:
        reason += "; the same is held here by that identifier: the provider calls it otherwise now"
    return _reject(run, received, reason, fault.key)


def put(run: Run, checked: list[Checked], rejects: list[Reject], *, at: datetime | None) -> None:
    """Store what was prepared, with rejects, headers, conflicts and counters, in the caller's transaction (W29)."""
    link = run.link
    if link.kind == Kind.BACKUP:
        _show(run, checked, rejects, at=at)
        return
    recovers = link.kind == Kind.RECOVERY
    deletions = [] if recovers else [entry.key for _, entry in checked if entry.deleted]
    going = holding.listed(link, deletions)
    held_back = _held_back(run, deletions, going, rejects)
    against = _against(link, [entry for _, entry in checked]) | {key: reason for key, (_, reason) in held_back.items()}
    taken = [(received, entry) for received, entry in checked if entry.key not in against]
    source = "" if recovers else link.name  # what is recovered is ours again
    try:
        results = store.put_entries([entry for _, entry in taken], into=link.local_set, source=source)
    except store.PayloadNeeded:  # what was held is held no more, or by another set
        again = origin(run, at)
        taken = [(received, _prepare(replace(received, held=None), again, {})) for received, _ in taken]
        results = store.put_entries([entry for _, entry in taken], into=link.local_set, source=source)
    refused = [
        _reject(run, received, f"the record {against[entry.key]}")
        for received, entry in checked
        if entry.key in against
    ]
    said = [(_header_of(reject), RemoteHeader.State.REJECTED) for reject in [*rejects, *refused]]
    words = []
    beside: dict[str, tuple[oai.About, ...]] = {}
    for (received, entry), result in zip(taken, results, strict=True):
        is_refused = result.action is store.Action.REJECTED
        if is_refused:
            refused.append(_reject(run, received, f"the record {result.reason}"))
        said.append((received.entry.header, RemoteHeader.State.REJECTED if is_refused else RemoteHeader.State.HELD))
        if result.action is store.Action.UNCHANGED and not entry.deleted:
            beside[entry.key] = received.abouts
        kind = conflicts.kind_of(result)
        words.append(conflicts.Word(entry, received.entry.metadata, kind, f"The record {result.reason}."))
    words += [
        conflicts.Word(entry, None, held_back[entry.key][0], f"The record {held_back[entry.key][1]}.")
        for _, entry in checked
        if entry.key in held_back
    ]
    headers.note(link, said)
    if beside and source:  # what is recovered is ours, and nobody else's word on it counts
        abouts.replace(beside, source=source)
    conflicts.note(run, words)
    actions = Counter(result.action.value for result in results)
    del actions[store.Action.REJECTED.value]
    rejected = len(rejects) + len(refused)
    removed = len(going - against.keys())
    counting.count(run, received=len(checked) + len(rejects), rejected=rejected, removed=removed, **actions)
    Reject.objects.bulk_create([*rejects, *refused])


def _show(run: Run, checked: list[Checked], rejects: list[Reject], *, at: datetime | None) -> None:
    """Write down what a co-owner of a shared set has otherwise, and store none of it (W43, W44)."""
    headers.note(
        run.link,
        [
            *((_header_of(reject), RemoteHeader.State.REJECTED) for reject in rejects),
            *((received.entry.header, RemoteHeader.State.HELD) for received, _ in checked),
        ],
    )
    words = backup.words(run.link, [(entry, received.entry) for received, entry in checked])
    way = origin(run, at)
    provenances = {entry.key: _provenance(received, way) for received, entry in checked}
    conflicts.note(run, [replace(word, provenance=provenances[word.entry.key]) for word in words])
    count = len(checked)
    counting.count(run, received=count + len(rejects), unchanged=count, rejected=len(rejects))
    Reject.objects.bulk_create(rejects)


def _held_back(
    run: Run, deletions: list[str], going: set[str], rejects: list[Reject]
) -> dict[str, tuple[Conflict.Kind, str]]:
    """Deletions that wait for the operator, by key: what they are a case of, and why, as the end of a sentence."""
    if not deletions:
        return {}
    too_many = {key: (Conflict.Kind.MASS, reason) for key, reason in holding.too_many(run, going).items()}
    renamed = _renamed(run.link, deletions, rejects)
    return too_many | {key: (Conflict.Kind.RENAMED, reason) for key, reason in renamed.items()}


def _renamed(link: Link, deletions: list[str], rejects: list[Reject]) -> dict[str, str]:
    """Deletions that a migration of identifiers makes, by key: the record is still there by another name (75)."""
    names = dict(Reject.objects.filter(run__link=link, file_key__in=deletions).values_list("file_key", "identifier"))
    names |= {reject.file_key: reject.identifier for reject in rejects if reject.file_key}
    return {
        key: f"is deleted by this identifier and listed by the identifier {names[key]}, so it is kept until you decide"
        for key in deletions
        if key in names
    }


def _against(link: Link, entries: list[store.Prepared]) -> dict[str, str]:
    """Why some entries are not taken, by key."""
    if link.kind == Kind.RECOVERY:
        return objections.to_recovery(entries, link.local_set)
    if link.serving_since is None:  # no other provider has ever served it
        return {}
    return objections.to_another_provider(entries, link.local_set, link.provider.base_url, own=link.serving_id is None)


def _header_of(reject: Reject) -> oai.Header:
    return oai.Header(reject.identifier, reject.datestamp)


def _prepare(
    received: parse.ReceivedEntry, origin: Origin, held: Held, made: preparing.Made | None = None
) -> store.Prepared:
    """The entry, checked, with its provenance (P122 to P125). Raises metadata.Unusable.

    A version that is held needs no payload. `made`: what another process has made of it, if one has.
    """
    header = received.entry.header
    if not header.identifier:
        raise metadata.Unusable(received.fault or "the entry has no identifier in its header")
    if received.fault:
        raise metadata.Unusable(received.fault)
    if header.deleted:
        return store.prepare_deletion(header.identifier)
    if received.entry.metadata is None:
        raise metadata.Unusable("the record has no metadata and is not deleted")
    key = oai.identifier_key(header.identifier)
    if isinstance(received.held, store.HeldVersion):
        return store.unchanged(key, received.held)
    try:
        entry = _version(received, origin, held.get(key)) if made is None else _packed(received, made)
    except metadata.Unusable as exc:
        raise metadata.Unusable(f"the record {exc}") from exc
    if entry.key != key:  # H38, W3
        raise _CalledOtherwise(
            entry.key,
            entry.digest,
            f"the header says {header.identifier!r}, the record's gmd:fileIdentifier says {entry.identifier!r}",
        )
    return entry


def _version(received: parse.ReceivedEntry, origin: Origin, held: store.HeldVersion | None) -> store.Prepared:
    """The record made ready from the tree that its page was parsed to, if it was. Raises Unusable.

    What came byte for byte as it is held is not made canonical to find that out: its digest is the one held.
    """
    element = received.entry.metadata
    assert element is not None
    if len(element) > metadata.MAX_RECORD_BYTES:
        raise metadata.Unusable(metadata.oversized(len(element)))
    if held is not None and held.equals(element):
        return store.unchanged(oai.identifier_key(received.entry.header.identifier), held)
    root = metadata.parse(element) if received.root is None else received.root
    digest = metadata.digest_of(root)
    if held is not None and digest == held.digest:
        return prepared.unchanged(root, digest)
    said = fields.read_tree(root, element, digest)
    return prepared.version(said, _provenance(received, origin)).with_payload(payload.pack(element))


def _packed(received: parse.ReceivedEntry, made: preparing.Made) -> store.Prepared:
    """The record as another process has read it. Raises Unusable."""
    if isinstance(made, str):
        raise metadata.Unusable(made)
    assert received.entry.metadata is not None
    return store.pack(received.entry.metadata, made)


def _provenance(received: parse.ReceivedEntry, origin: Origin) -> dict[str, Any] | None:
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
    return abouts.with_abouts(provenance, received.abouts)


def _reject(run: Run, received: parse.ReceivedEntry, reason: str, file_key: str = "") -> Reject:
    header = received.entry.header
    return Reject(
        run=run,
        identifier=header.identifier,
        datestamp=header.datestamp[:100],
        reason=reason,
        raw=received.entry.metadata,
        file_key=file_key,
    )


def _newest(so_far: datetime | None, page: parse.Page) -> datetime | None:
    stamps = [datestamps.lenient(received.entry.header.datestamp) for received in page.entries]
    return max(filter(None, [so_far, *stamps]), default=None)
