"""Store one page of a list: its entries, the run's place and its counters, in one transaction (promise 2).

What can be done without the database, `readied` does: `harvester.runs.pipeline` has it done in a thread of its own.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from catalogue import datestamps, oai, provenance
from catalogue.writing import abouts, current, decisions, staging, store
from catalogue.writing.entry import PreparedEntry
from harvester.guards import mass_deletion, refusals, shared_set_backup
from harvester.link_rules import Kind
from harvester.models import Conflict, Link, Reject, RemoteHeader, Run
from harvester.protocol import answers, warnings
from harvester.rows import conflicts, moved_address, remote_headers, runs
from harvester.runs import finish, prepare_entries
from harvester.runs.pipeline import LoopMark

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Sorted:
    """The entries of a page by what is done with them."""

    prepared: list[prepare_entries.Checked] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    wanted: list[oai.Header] = field(default_factory=list)
    unchanged: list[oai.Header] = field(default_factory=list)
    missing: int = 0
    stale: int = 0


def store_page(run: Run, page: answers.Page, mark: LoopMark, readied: prepare_entries.PreparedPage | None) -> bool:
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
            pk=run.pk, state=Run.State.OPEN, pages=run.pages, restarts=run.restarts, holder=runs.this_worker()
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
            warnings=warnings.merge_warnings(run.warnings, page.warnings),
            sealed_cookies=run.seal_cookies(page.cookies),
            leased_until=now + timedelta(seconds=settings.GISC_LEASE_SECONDS),
        )
        if won != 1:
            return False
        _store_entries(run, page, entries)
        moved_address.note(run.link, page.moved_to)
        if page.token is None:
            run.refresh_from_db()
            finish.end_list(run, now=now)
    logger.info(
        "page stored", extra=run.log_facts(page=number, entries=len(page.entries), rejects=len(entries.rejects))
    )
    return True


def store_beside_error(run: Run, page: answers.Page) -> None:
    """Store the entries of a page that has an error, too; the run stays where it is (F39)."""
    by_header = run.strategy == Link.Strategy.IDENTIFIERS
    entries = _by_header(run, page) if by_header else _Sorted(*prepare(run, page.entries, at=page.response_date))
    with transaction.atomic():
        place = {"pages": run.pages, "restarts": run.restarts, "state": Run.State.OPEN, "holder": runs.this_worker()}
        if Run.objects.select_for_update().filter(pk=run.pk, **place).exists():
            _store_entries(run, page, entries)


def _store_entries(run: Run, page: answers.Page, entries: _Sorted) -> None:
    """In the caller's transaction: what a page brought, but for the run's place."""
    remote_headers.note(run.link, ((header, RemoteHeader.State.WANTED) for header in entries.wanted))
    runs.add_to_counters(run, received=len(entries.unchanged), unchanged=len(entries.unchanged))
    put(run, entries.prepared, entries.rejects, at=page.response_date)
    if run.is_comparison:
        runs.add_to_counters(run, missing=entries.missing, stale=entries.stale)
        remote_headers.mark_seen(
            run, [oai.identifier_key(received.entry.header.identifier) for received in page.entries]
        )


def _by_header(run: Run, page: answers.Page) -> _Sorted:
    """The headers of a page: deletions to be stored, what is new or changed to be asked for, what is as it was."""
    found = _Sorted()
    keys = [oai.identifier_key(received.entry.header.identifier) for received in page.entries]
    known = remote_headers.known(run.link, keys)
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
    run: Run, entries: Sequence[answers.ReceivedEntry], *, at: datetime | None
) -> tuple[list[prepare_entries.Checked], list[Reject]]:
    """The entries that can be stored, checked, and the others as rejects. `at`: the provider's time."""
    readied = prepare_entries.prepare_page(entries, origin(run, at), prepare_entries.look_up(entries))
    return readied.checked, _rejects(run, readied)


def origin(run: Run, at: datetime | None) -> prepare_entries.Origin:
    """Where what the run brings comes from."""
    link = run.link
    recovers = link.kind == Kind.RECOVERY
    return prepare_entries.Origin(link.name, link.provider.base_url, recovers, link.is_relayed, at or timezone.now())


def _rejects(run: Run, readied: prepare_entries.PreparedPage) -> list[Reject]:
    return [
        _called_otherwise(run, received, fault)
        if isinstance(fault, prepare_entries.CalledOtherwise)
        else _reject(run, received, str(fault))
        for received, fault in readied.refused
    ]


def _called_otherwise(run: Run, received: answers.ReceivedEntry, fault: prepare_entries.CalledOtherwise) -> Reject:
    """The reject for a record whose gmd:fileIdentifier is not the identifier of its header (H38, F75)."""
    reason = str(fault)
    if current.current_digests([fault.key]).get(fault.key) == fault.digest:
        reason += "; the same is held here by that identifier: the provider calls it otherwise now"
    return _reject(run, received, reason, fault.key)


def put(run: Run, checked: list[prepare_entries.Checked], rejects: list[Reject], *, at: datetime | None) -> None:
    """Store what was prepared, with rejects, headers, conflicts and counters, in the caller's transaction (W29)."""
    link = run.link
    if link.kind == Kind.BACKUP:
        _show(run, checked, rejects, at=at)
        return
    recovers = link.kind == Kind.RECOVERY
    deletions = [] if recovers else [entry.key for _, entry in checked if entry.deleted]
    going = mass_deletion.listed_as_live(link, deletions)
    held_back = _held_back(run, deletions, going, rejects)
    against = _against(link, [entry for _, entry in checked]) | {key: reason for key, (_, reason) in held_back.items()}
    taken = [(received, entry) for received, entry in checked if entry.key not in against]
    source = "" if recovers else link.name  # what is recovered is ours again
    try:
        results = store.put_entries([entry for _, entry in taken], into=link.local_set, source=source)
    except staging.PayloadNeeded:  # what was held is held no more, or by another set
        again = origin(run, at)
        taken = [
            (received, prepare_entries.prepare(replace(received, stored=None), again, {})) for received, _ in taken
        ]
        results = store.put_entries([entry for _, entry in taken], into=link.local_set, source=source)
    refused = [
        _reject(run, received, f"the record {against[entry.key]}")
        for received, entry in checked
        if entry.key in against
    ]
    said = [(_header_of(reject), RemoteHeader.State.REJECTED) for reject in [*rejects, *refused]]
    words = []
    beside: dict[str, tuple[provenance.About, ...]] = {}
    for (received, entry), result in zip(taken, results, strict=True):
        is_refused = result.action is decisions.Action.REJECTED
        if is_refused:
            refused.append(_reject(run, received, f"the record {result.reason}"))
        said.append((received.entry.header, RemoteHeader.State.REJECTED if is_refused else RemoteHeader.State.HELD))
        if result.action is decisions.Action.UNCHANGED and not entry.deleted:
            beside[entry.key] = received.abouts
        kind = conflicts.kind_of(result)
        words.append(conflicts.ConflictReport(entry, received.entry.metadata, kind, f"The record {result.reason}."))
    words += [
        conflicts.ConflictReport(entry, None, held_back[entry.key][0], f"The record {held_back[entry.key][1]}.")
        for _, entry in checked
        if entry.key in held_back
    ]
    remote_headers.note(link, said)
    if beside and source:  # what is recovered is ours, and nobody else's word on it counts
        abouts.replace(beside, source=source)
    conflicts.note(run, words)
    actions = Counter(result.action.value for result in results)
    del actions[decisions.Action.REJECTED.value]
    rejected = len(rejects) + len(refused)
    removed = len(going - against.keys())
    runs.add_to_counters(run, received=len(checked) + len(rejects), rejected=rejected, removed=removed, **actions)
    Reject.objects.bulk_create([*rejects, *refused])


def _show(run: Run, checked: list[prepare_entries.Checked], rejects: list[Reject], *, at: datetime | None) -> None:
    """Write down what a co-owner of a shared set has otherwise, and store none of it (W43, W44)."""
    remote_headers.note(
        run.link,
        [
            *((_header_of(reject), RemoteHeader.State.REJECTED) for reject in rejects),
            *((received.entry.header, RemoteHeader.State.HELD) for received, _ in checked),
        ],
    )
    words = shared_set_backup.compare(run.link, [(entry, received.entry) for received, entry in checked])
    way = origin(run, at)
    provenances = {entry.key: prepare_entries.provenance(received, way) for received, entry in checked}
    conflicts.note(run, [replace(word, provenance=provenances[word.entry.key]) for word in words])
    count = len(checked)
    runs.add_to_counters(run, received=count + len(rejects), unchanged=count, rejected=len(rejects))
    Reject.objects.bulk_create(rejects)


def _held_back(
    run: Run, deletions: list[str], going: set[str], rejects: list[Reject]
) -> dict[str, tuple[Conflict.Kind, str]]:
    """Deletions that wait for the operator, by key: what they are a case of, and why, as the end of a sentence."""
    if not deletions:
        return {}
    too_many = {
        key: (Conflict.Kind.MASS, reason) for key, reason in mass_deletion.awaiting_operator(run, going).items()
    }
    renamed = _renamed(run.link, deletions, rejects)
    return too_many | {key: (Conflict.Kind.RENAMED, reason) for key, reason in renamed.items()}


def _renamed(link: Link, deletions: list[str], rejects: list[Reject]) -> dict[str, str]:
    """Deletions that a migration of identifiers makes, by key: the record is still there by another name (F75)."""
    names = dict(Reject.objects.filter(run__link=link, file_key__in=deletions).values_list("file_key", "identifier"))
    names |= {reject.file_key: reject.identifier for reject in rejects if reject.file_key}
    return {
        key: f"is deleted by this identifier and listed by the identifier {names[key]}, so it is kept until you decide"
        for key in deletions
        if key in names
    }


def _against(link: Link, entries: list[PreparedEntry]) -> dict[str, str]:
    """Why some entries are not taken, by key."""
    if link.kind == Kind.RECOVERY:
        return refusals.refused_from_recovery(entries, link.local_set)
    if link.serving_since is None:  # no other provider has ever served it
        return {}
    return refusals.refused_from_another_provider(
        entries, link.local_set, link.provider.base_url, is_own=not link.is_served_by_alternative
    )


def _header_of(reject: Reject) -> oai.Header:
    return oai.Header(reject.identifier, reject.datestamp)


def _reject(run: Run, received: answers.ReceivedEntry, reason: str, file_key: str = "") -> Reject:
    header = received.entry.header
    return Reject(
        run=run,
        identifier=header.identifier,
        datestamp=header.datestamp[:100],
        reason=reason,
        raw=received.entry.metadata,
        file_key=file_key,
    )


def _newest(so_far: datetime | None, page: answers.Page) -> datetime | None:
    stamps = [datestamps.lenient(received.entry.header.datestamp) for received in page.entries]
    return max(filter(None, [so_far, *stamps]), default=None)
