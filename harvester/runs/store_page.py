"""Store one page of a list: its entries, the run's position and its counters, in one transaction (promise 2).

What needs no database was done before, by `harvester.runs.prepare_entries` in a thread of the pipeline.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db import transaction

from catalogue import datestamps, oai, provenance, seams
from catalogue.writing import abouts, current, decisions, staging, store
from catalogue.writing.entry import PreparedEntry
from harvester.guards import mass_deletion, refusals, shared_set_backup
from harvester.link_rules import Kind
from harvester.models import Conflict, Link, Reject, RemoteHeader, Run
from harvester.protocol import answers, warnings
from harvester.rows import conflicts, moved_address, remote_headers, runs
from harvester.rows.conflicts import ConflictReport
from harvester.runs import finish, prepare_entries
from harvester.runs.prepare_entries import CheckedEntry, PreparedPage
from harvester.runs.run_position import LoopMark

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class SortedEntries:
    """The entries of a page by what is done with them."""

    checked: list[CheckedEntry] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    to_request: list[oai.Header] = field(default_factory=list)
    unchanged: list[oai.Header] = field(default_factory=list)
    missing: int = 0
    stale: int = 0


def store_page(run: Run, page: answers.Page, mark: LoopMark, prepared: PreparedPage | None) -> bool:
    """Store one page and the run's position in one transaction; False if the run stands elsewhere by now.

    `prepared`: the page's entries; None where only its headers count.
    """
    if prepared is None:
        entries = _sort_by_header(run, page)
    else:
        entries = SortedEntries(prepared.checked, _rejects_of(run, prepared))
    number = run.pages + 1
    with transaction.atomic():
        now = seams.now()
        if not runs.advance_list(
            run,
            now=now,
            entries=len(page.entries),
            token=page.token or "",
            marked_token=mark.token,
            marked_page=mark.page,
            # A list that is read again by headers keeps its own.
            first_response=run.first_response or page.response_date,
            newest=_newest(run.newest if run.pages else None, page),
            list_size=page.list_size if page.list_size is not None else run.list_size,
            warnings=warnings.merge_warnings(run.warnings, page.warnings),
            sealed_cookies=run.seal_cookies(page.cookies),
        ):
            return False
        _store_entries(run, page, entries)
        moved_address.propose(run.link, page.moved_to)
        if page.token is None:
            run.refresh_from_db()
            finish.end_list(run, now=now)
    logger.info(
        "page stored", extra=run.log_facts(page=number, entries=len(page.entries), rejects=len(entries.rejects))
    )
    return True


def store_beside_error(run: Run, page: answers.Page) -> None:
    """Store the entries of a page that has an error, too; the run's position stays (F39)."""
    by_header = run.strategy == Link.Strategy.IDENTIFIERS
    if by_header:
        entries = _sort_by_header(run, page)
    else:
        entries = SortedEntries(*prepare(run, page.entries, at=page.response_date))
    with transaction.atomic():
        if runs.lock_position(run):
            _store_entries(run, page, entries)


def _store_entries(run: Run, page: answers.Page, entries: SortedEntries) -> None:
    """Store all that a page brought but the run's position, in the caller's transaction."""
    remote_headers.record(run.link, ((header, RemoteHeader.State.WANTED) for header in entries.to_request))
    runs.add_to_counters(run, received=len(entries.unchanged), unchanged=len(entries.unchanged))
    store_prepared(run, entries.checked, entries.rejects, at=page.response_date)
    if run.is_comparison:
        runs.add_to_counters(run, missing=entries.missing, stale=entries.stale)
        remote_headers.mark_seen(
            run, [oai.identifier_key(received.entry.header.identifier) for received in page.entries]
        )


# --- Headers ----------------------------------------------------------------------------------------


def _sort_by_header(run: Run, page: answers.Page) -> SortedEntries:
    """Sort the headers of a page: deletions to store, new and changed records to request, and what is unchanged."""
    found = SortedEntries()
    keys = [oai.identifier_key(received.entry.header.identifier) for received in page.entries]
    known_headers = remote_headers.load_known(run.link, keys)
    settled_before = _settled_before(run)
    for key, received in zip(keys, page.entries, strict=True):
        header = received.entry.header
        known = known_headers.get(key)
        if known is None:
            found.missing += not header.deleted
        elif known.differs_from(header):
            found.stale += 1
        if header.deleted or not header.identifier:
            checked, rejects = prepare(run, (received,), at=page.response_date)
            found.checked += checked
            found.rejects += rejects
        elif known is not None and known.proves_unchanged(header, settled_before=settled_before):
            found.unchanged.append(header)
        else:
            found.to_request.append(header)
    return found


def _settled_before(run: Run) -> datetime | None:
    """The instant before which a datestamp is final: the record cannot have changed again under it. None if none is.

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


# --- Preparing --------------------------------------------------------------------------------------


def prepare(
    run: Run, entries: Sequence[answers.ReceivedEntry], *, at: datetime | None
) -> tuple[list[CheckedEntry], list[Reject]]:
    """Check and pack entries at once; those that cannot be stored as rejects. `at`: the provider's time."""
    page = prepare_entries.prepare_page(entries, origin_of(run, at), prepare_entries.load_stored(entries))
    return page.checked, _rejects_of(run, page)


def origin_of(run: Run, at: datetime | None) -> prepare_entries.Origin:
    """Where the run's entries come from."""
    link = run.link
    is_recovery = link.kind == Kind.RECOVERY
    return prepare_entries.Origin(link.name, link.provider.base_url, is_recovery, link.is_relayed, at or seams.now())


def _rejects_of(run: Run, page: PreparedPage) -> list[Reject]:
    return [
        _reject_other_identifier(run, received, fault)
        if isinstance(fault, prepare_entries.OtherIdentifier)
        else _reject(run, received, str(fault))
        for received, fault in page.refused
    ]


def _reject_other_identifier(
    run: Run, received: answers.ReceivedEntry, fault: prepare_entries.OtherIdentifier
) -> Reject:
    """The reject for a record whose gmd:fileIdentifier is not the identifier of its header (H38, F75)."""
    reason = str(fault)
    if current.current_digests([fault.key]).get(fault.key) == fault.digest:
        reason += "; the same record is stored here under that identifier: the provider calls it otherwise now"
    return _reject(run, received, reason, fault.key)


# --- Storing ----------------------------------------------------------------------------------------


def store_prepared(run: Run, checked: list[CheckedEntry], rejects: list[Reject], *, at: datetime | None) -> None:
    """Store prepared entries with rejects, headers, conflicts and counters, in the caller's transaction (W29)."""
    link = run.link
    if link.kind == Kind.BACKUP:
        _report_backup(run, checked, rejects, at=at)
        return
    is_recovery = link.kind == Kind.RECOVERY
    deletions = [] if is_recovery else [entry.key for _, entry in checked if entry.deleted]
    listed_before = mass_deletion.listed_as_live(link, deletions)
    awaiting_operator = _awaiting_operator(run, deletions, listed_before, rejects)
    refusal_reasons = _refusal_reasons(link, [entry for _, entry in checked])
    refusal_reasons |= {key: reason for key, (_, reason) in awaiting_operator.items()}
    taken = [(received, entry) for received, entry in checked if entry.key not in refusal_reasons]
    source = "" if is_recovery else link.name  # what is recovered is ours again
    taken, results = _put_entries(run, taken, source, at=at)
    refused = [
        _reject(run, received, f"the record {refusal_reasons[entry.key]}")
        for received, entry in checked
        if entry.key in refusal_reasons
    ]
    headers = [(_header_of(reject), RemoteHeader.State.REJECTED) for reject in [*rejects, *refused]]
    reports = []
    abouts_of_unchanged: dict[str, tuple[provenance.About, ...]] = {}
    for (received, entry), result in zip(taken, results, strict=True):
        is_refused = result.action is decisions.Action.REJECTED
        if is_refused:
            refused.append(_reject(run, received, f"the record {result.reason}"))
        headers.append(
            (received.entry.header, RemoteHeader.State.REJECTED if is_refused else RemoteHeader.State.STORED)
        )
        if result.action is decisions.Action.UNCHANGED and not entry.deleted:
            abouts_of_unchanged[entry.key] = received.abouts
        kind = conflicts.kind_of(result)
        reports.append(ConflictReport(entry, received.entry.metadata, kind, f"The record {result.reason}."))
    reports += [
        ConflictReport(entry, None, awaiting_operator[entry.key][0], f"The record {awaiting_operator[entry.key][1]}.")
        for _, entry in checked
        if entry.key in awaiting_operator
    ]
    remote_headers.record(link, headers)
    if abouts_of_unchanged and source:  # what is recovered is ours, and has no containers of others
        abouts.replace(abouts_of_unchanged, source=source)
    conflicts.record(run, reports)
    actions = Counter(result.action.value for result in results)
    del actions[decisions.Action.REJECTED.value]
    rejected = len(rejects) + len(refused)
    removed = len(listed_before - refusal_reasons.keys())
    runs.add_to_counters(run, received=len(checked) + len(rejects), rejected=rejected, removed=removed, **actions)
    runs.add_rejects([*rejects, *refused])


def _put_entries(
    run: Run, taken: list[CheckedEntry], source: str, *, at: datetime | None
) -> tuple[list[CheckedEntry], list[decisions.Result]]:
    """Put entries into the catalogue. They are prepared again where one was found unchanged and is not any more."""
    into = run.link.local_set
    try:
        return taken, store.put_entries([entry for _, entry in taken], into=into, source=source)
    except staging.PayloadNeeded:  # the stored version was changed meanwhile, or is of another set now
        origin = origin_of(run, at)
        taken = [
            (received, prepare_entries.prepare(replace(received, stored=None), origin, {})) for received, _ in taken
        ]
        return taken, store.put_entries([entry for _, entry in taken], into=into, source=source)


def _report_backup(run: Run, checked: list[CheckedEntry], rejects: list[Reject], *, at: datetime | None) -> None:
    """Record how a co-owner's records of a shared set differ from ours, and store none of them (W43, W44)."""
    remote_headers.record(
        run.link,
        [
            *((_header_of(reject), RemoteHeader.State.REJECTED) for reject in rejects),
            *((received.entry.header, RemoteHeader.State.STORED) for received, _ in checked),
        ],
    )
    reports = shared_set_backup.compare(run.link, [(entry, received.entry) for received, entry in checked])
    origin = origin_of(run, at)
    provenances = {entry.key: prepare_entries.provenance_of(received, origin) for received, entry in checked}
    conflicts.record(run, [replace(report, provenance=provenances[report.entry.key]) for report in reports])
    count = len(checked)
    runs.add_to_counters(run, received=count + len(rejects), unchanged=count, rejected=len(rejects))
    runs.add_rejects(rejects)


# --- What is not stored -----------------------------------------------------------------------------


def _awaiting_operator(
    run: Run, deletions: list[str], listed_before: set[str], rejects: list[Reject]
) -> Mapping[str, tuple[Conflict.Kind, str]]:
    """Deletions that wait for the operator, by key: the kind of conflict, and the reason as the end of a sentence."""
    if not deletions:
        return {}
    too_many = mass_deletion.awaiting_operator(run, listed_before)
    renamed = _renamed(run.link, deletions, rejects)
    return {
        **{key: (Conflict.Kind.MASS, reason) for key, reason in too_many.items()},
        **{key: (Conflict.Kind.RENAMED, reason) for key, reason in renamed.items()},
    }


def _renamed(link: Link, deletions: list[str], rejects: list[Reject]) -> dict[str, str]:
    """Hold deletions whose record now arrives under another identifier (F75): the reasons by key."""
    new_names = dict(
        Reject.objects.filter(run__link=link, file_key__in=deletions).values_list("file_key", "identifier")
    )
    new_names |= {reject.file_key: reject.identifier for reject in rejects if reject.file_key}
    return {
        key: f"is deleted by this identifier and listed by the identifier {new_names[key]}, so it is kept until you decide"
        for key in deletions
        if key in new_names
    }


def _refusal_reasons(link: Link, entries: list[PreparedEntry]) -> dict[str, str]:
    """Why entries are not taken, as this node knows better: the reasons by key, each the end of a sentence."""
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


def _newest(before: datetime | None, page: answers.Page) -> datetime | None:
    """The largest datestamp of the list so far."""
    stamps = [datestamps.lenient(received.entry.header.datestamp) for received in page.entries]
    return max(filter(None, [before, *stamps]), default=None)
