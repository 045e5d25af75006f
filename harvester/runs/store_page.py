"""Store one page of a list: its entries, the run's position and its counters, in one transaction (promise 2).

What needs no database was done before (`harvester.runs.prepare_entries`). What the database knows about the entries is
loaded as `PageFacts`; `plan_page` decides from it what becomes of each, and `_apply` does that.
"""

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db import transaction

from catalogue import datestamps, oai, seams
from catalogue.documents import xml_tree
from catalogue.provenance import About
from catalogue.reasons import Reason
from catalogue.writing import abouts, current, staging, store
from catalogue.writing.current import SourceDigests
from catalogue.writing.decisions import Action, Disagreement, Result
from catalogue.writing.entry import PreparedEntry
from harvester.guards import mass_deletion, names, refusals, shared_set_backup
from harvester.header import ReceivedHeader
from harvester.link_rules import BETWEEN_CO_OWNERS, Identifiers, Kind
from harvester.models import Conflict, Link, Reject, RemoteHeader, Run
from harvester.protocol import list_checks, warnings
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.reasons import EntryCode
from harvester.rows import conflicts, moved_address, rejects, remote_headers, runs
from harvester.rows.conflicts import ConflictReport
from harvester.rows.rejects import Refusal
from harvester.rows.remote_headers import HeaderRow, KnownHeader
from harvester.runs import doubts, finish, prepare_entries
from harvester.runs.prepare_entries import CheckedEntry, PreparedPage
from harvester.runs.run_position import LoopMark

logger = logging.getLogger(__name__)

_MAX_OLDER = 10  # records of a page; chosen
_NEW_CONTENT = (Action.NEW, Action.UPDATED)


@dataclass(slots=True)
class PageEntries:
    """The entries of a page by what is known of them without the stored records.

    `to_request`: headers whose records are asked for later; `unchanged`: headers that prove that nothing changed.
    `completed`: rows of an earlier version, with the digests that they lack. `unknown`: deletions of what never came.
    `missing`, `stale`, `not_served`, `came_late`: what a comparison counts. `same_header`: keys of entries whose header is
    the one that was known.
    """

    checked: list[CheckedEntry] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    to_request: list[ReceivedHeader] = field(default_factory=list)
    completed: list[HeaderRow] = field(default_factory=list)
    unknown: list[ReceivedHeader] = field(default_factory=list)
    unchanged: int = 0
    missing: int = 0
    stale: int = 0
    not_served: int = 0
    came_late: int = 0
    same_header: frozenset[str] = frozenset()


def store_page(
    run: Run, page: Page, mark: LoopMark, prepared: PreparedPage | None, apart: Collection[str] = ()
) -> bool:
    """Store one page and the run's position in one transaction; False if the run stands elsewhere by now.

    `prepared`: the page's entries; None where only its headers count. `apart`: keys of records of their own beside others
    with another spelling (`guards.spellings`).
    """
    number = run.pages + 1
    first_response = run.first_response or page.response_date  # a list that is read again by headers keeps its own
    newest = _newest([received.header for received in page.entries], first_response, page.response_date)
    entries = _sort_by_header(run, page) if prepared is None else _entries_of(prepared)
    if prepared is not None and not run.compares and run.granularity == datestamps.Granularity.SECOND:
        _request_older(run, entries)
    with transaction.atomic():
        now = seams.now()
        if not runs.advance_list(
            run,
            now=now,
            entries=len(page.entries),
            token=page.token or "",
            marked_token=mark.token,
            marked_page=mark.page,
            first_response=first_response,
            newest=max(filter(None, (run.newest if run.pages else None, newest)), default=None),
            list_size=page.list_size if page.list_size is not None else run.list_size,
            warnings=warnings.merge_warnings(run.warnings, page.warnings) if page.warnings else run.warnings,
            sealed_cookies=run.seal_cookies(page.cookies),
        ):
            return False
        _store_entries(run, page, entries, apart, now=now)
        if page.moved_to != run.link.moved_to:
            moved_address.propose(run.link, page.moved_to)
        if page.token is None:
            run.refresh_from_db(from_queryset=Run.objects.select_related("link"))
            finish.end_list(run, now=now)
    facts = {"page": number, "entries": len(page.entries), "rejects": len(entries.refused)}
    logger.info("page stored", extra=facts)
    return True


def _newest(headers: Iterable[ReceivedHeader], first_response: datetime, at: datetime) -> datetime | None:
    """Return the largest datestamp of a page that was answered at `at`.

    What has changed since the first page belongs to the next list (P106): it counts as of the time of the first page, and is
    no datestamp of the provider's future (H11).
    """
    stamps = (header.stamp for header in headers if header.stamp is not None)
    return max((first_response if first_response < stamp <= at else stamp for stamp in stamps), default=None)


def store_beside_error(run: Run, page: Page, apart: Collection[str] = ()) -> None:
    """Store the entries of a page that has an error, too; the run's position stays (F39)."""
    if run.strategy == Link.Strategy.IDENTIFIERS:
        entries = _sort_by_header(run, page)
    else:
        entries = prepare(run, page.entries, at=page.response_date)
    with transaction.atomic():
        if runs.lock_position(run):
            _store_entries(run, page, entries, apart, now=seams.now())


def _store_entries(run: Run, page: Page, entries: PageEntries, apart: Collection[str], *, now: datetime) -> None:
    """Store all that a page brought but the run's position, in the caller's transaction."""
    oldest = min((received.header.stamp for received in page.entries if received.header.stamp), default=None)
    is_late = oldest is not None and run.asked_before is not None and oldest < run.asked_before
    if not run.compares and (run.link.shortfall or is_late):
        arrivals = doubts.count_arrivals(run, [received.header for received in page.entries])
        runs.add_to_counters(run, **arrivals)
    compares = run.compares
    if compares and run.strategy == Link.Strategy.RECORDS:
        _compare_headers(run, page, entries)
    store_prepared(run, entries, now=now, at=page.response_date, apart=apart)
    if entries.to_request or entries.completed:  # after the deletions, whose share is of what was listed before
        remote_headers.record(run.link, [*_requested_headers(run, entries), *entries.completed])
    if compares:
        remote_headers.mark_seen(run, [received.header.key for received in page.entries])


def _requested_headers(run: Run, entries: PageEntries) -> Iterator[HeaderRow]:
    """The rows of records to ask for; a total re-harvest also asks for those whose header says that nothing has changed."""
    for header in entries.to_request:
        is_unproven = run.is_of_content and header.key in entries.same_header
        yield HeaderRow(header, RemoteHeader.State.UNPROVEN if is_unproven else RemoteHeader.State.WANTED)


def _request_older(run: Run, entries: PageEntries) -> None:
    """Ask for records by GetRecord that a page has with an older datestamp than was known, instead of storing them.

    A host that lags behind may have sent the page. Where many are older, the provider was restored, and is believed (S46).
    """
    known_headers = remote_headers.load_known(run.link, [entry.key for _, entry in entries.checked])
    older = {
        entry.key: received.header._replace(stamp=known.datestamp)  # of the version that stays until then
        for received, entry in entries.checked
        if (known := known_headers.get(entry.key)) is not None and known.is_later_than(received.header)
    }
    if 0 < len(older) <= _MAX_OLDER:
        entries.to_request += older.values()
        entries.checked = [(received, entry) for received, entry in entries.checked if entry.key not in older]


# --- Headers ----------------------------------------------------------------------------------------


def _sort_by_header(run: Run, page: Page) -> PageEntries:
    """Sort the headers of a page: deletions to store, new and changed records to request, and what is unchanged.

    What was rejected, or is not served as the provider has it, is not unchanged: other sources write records as well.
    """
    found = PageEntries()
    if run.compares and run.link.strategy == Link.Strategy.RECORDS:
        page = _in_seconds(run, _without_strays(run, page))
    keys = [received.header.key for received in page.entries]
    stored = current.digests_for_source(keys, run.link.local_set_id, run.link.name)
    known_headers = _compare_headers(run, page, found, stored)
    settled_before = _settled_before(run)
    complete = []  # deletions, and entries without an identifier, which become rejects
    for received in page.entries:
        header = received.header
        known, digests = known_headers.get(header.key), stored.get(header.key)
        is_overruled = known is not None and known.is_overruled(digests)
        if header.deleted or not header.identifier:
            complete.append(received)
        elif known is None or not known.proves_unchanged(header, settled_before=settled_before):
            found.to_request.append(header)
        elif is_overruled or known.is_served(digests):
            found.unchanged += 1
            found.not_served += is_overruled
            if known.digest is None and digests is not None:
                version = digests.served if digests.claimed is None else digests.claimed
                found.completed.append(HeaderRow(header, RemoteHeader.State.STORED, version))
        else:
            found.to_request.append(header)
    if complete:
        prepared = prepare(run, complete, at=page.response_date)
        found.checked, found.refused, found.unknown = prepared.checked, prepared.refused, prepared.unknown
    return found


def _without_strays(run: Run, page: Page) -> Page:
    """Leave out headers of other sets that the link's lists never had: this provider's ListIdentifiers ignores the set."""
    strays = list_checks.strays([received.header for received in page.entries], run.link.provider.remote_set)
    strays -= remote_headers.load_known(run.link, list(strays)).keys()
    return replace(page, entries=tuple(entry for entry in page.entries if entry.header.key not in strays))


def _in_seconds(run: Run, page: Page) -> Page:
    """Give headers in days the datestamp that is known of them, if it is of that day.

    For providers that give days in lists of headers and seconds in lists of records. Changes within the day come with these.
    """
    known_headers = remote_headers.load_known(run.link, [received.header.key for received in page.entries])

    def in_seconds(entry: ReceivedEntry) -> ReceivedEntry:
        known = known_headers.get(entry.header.key)
        if known is None or known.differs_by_day(entry.header):
            return entry
        return entry._replace(header=entry.header._replace(stamp=known.datestamp))

    return replace(page, entries=tuple(map(in_seconds, page.entries)))


def _compare_headers(
    run: Run, page: Page, found: PageEntries, stored: Mapping[str, SourceDigests] | None = None
) -> Mapping[str, KnownHeader]:
    """Load the headers that were known of a page's entries; if the run compares, count in `found` how they differ.

    With `stored`, what is not served as the provider has it differs as well.
    """
    known_headers = remote_headers.load_known(run.link, [received.header.key for received in page.entries])
    if not run.compares:
        return known_headers
    same = set()
    for header in (received.header for received in page.entries):
        known = known_headers.get(header.key)
        if known is None:
            found.missing += not header.deleted
        elif known.differs_from(header) or _is_lost(known, header, stored):
            found.stale += 1
        elif known.state != RemoteHeader.State.WANTED:  # else its content has never come
            same.add(header.key)
    found.same_header = frozenset(same)
    found.came_late = doubts.count_late(run, [received.header for received in page.entries], known_headers)
    return known_headers


def _is_lost(known: KnownHeader, header: ReceivedHeader, stored: Mapping[str, SourceDigests] | None) -> bool:
    """Whether the version that this header had brought is not here any more, nor overruled by another source's."""
    if stored is None or header.deleted:
        return False
    digests = stored.get(header.key)
    return known.is_overruled(digests) or not known.is_served(digests)


def _settled_before(run: Run) -> datetime | None:
    """The instant before which a datestamp is final: the record cannot have changed again under it. None if none is.

    In a link's first run that is what the list brought before it was read again by headers. To a total re-harvest none is.
    """
    if run.is_of_content:
        return None
    settled = run.link.first_response
    if settled is None and not run.compares and not run.link.runs.exclude(pk=run.pk).exists():
        settled = run.first_response if run.link.strategy != run.strategy else None
    return settled and datestamps.start_of(settled, datestamps.Granularity(run.granularity))


# --- Preparing --------------------------------------------------------------------------------------


def prepare(run: Run, entries: Sequence[ReceivedEntry], *, at: datetime | None) -> PageEntries:
    """Check and pack entries at once. `at`: the provider's time."""
    stored = current.current_versions([received.header.key for received in entries])
    return _entries_of(prepare_entries.prepare_page(entries, prepare_entries.source_of(run, at), stored))


def _entries_of(page: PreparedPage) -> PageEntries:
    has_deletions = any(entry.deleted for _, entry in page.checked)
    checked, unknown = names.split_unknown(page.checked) if has_deletions else (page.checked, [])
    return PageEntries(checked, [_refusal(received, fault) for received, fault in page.refused], unknown=unknown)


def _refusal(received: ReceivedEntry, fault: xml_tree.Unusable) -> Refusal:
    """Refuse an entry. One whose gmd:fileIdentifier is not the identifier of its header is stored with both (H38, F75)."""
    reason, file_key = fault.reason, names.record_key(fault.reason)
    if isinstance(fault, prepare_entries.OtherIdentifier):
        file_key = fault.key
        if current.current_digests([file_key]).get(file_key) == fault.digest:
            reason = Reason(EntryCode.CALLED_OTHERWISE, reason.facts)
    return Refusal(received.header, reason, received.metadata, file_key)


# --- Planning ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the database knows about the entries of a page; reasons by key.

    `removals`: records that are live here and that the page would remove. `awaiting_operator`: deletions that wait, with the
    kind of conflict. `refused`: entries that this node knows better.
    """

    removals: frozenset[str] = frozenset()
    awaiting_operator: Mapping[str, tuple[Conflict.Kind, Reason]] = field(default_factory=dict)
    refused: Mapping[str, Reason] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PagePlan:
    """What becomes of the checked entries of a page: offered to the catalogue, refused, or kept for an operator.

    `removed`: keys of the offered deletions that remove a record.
    """

    offered: list[CheckedEntry]
    refused: list[Refusal]
    awaiting_operator: list[ConflictReport]
    removed: frozenset[str]


def plan_page(checked: Sequence[CheckedEntry], facts: PageFacts) -> PagePlan:
    """Decide what becomes of each entry. Pure.

    A deletion that waits for the operator is refused like other entries, and is a conflict as well.
    """
    offered, refused, awaiting_operator = [], [], []
    for received, entry in checked:
        reason = facts.refused.get(entry.key)
        if waits := facts.awaiting_operator.get(entry.key):
            kind, reason = waits
            awaiting_operator.append(ConflictReport(entry, None, kind, reason))
        if reason is not None:
            refused.append(Refusal(received.header, reason, received.metadata))
        else:
            offered.append((received, entry))
    not_removed = facts.refused.keys() | facts.awaiting_operator.keys()
    return PagePlan(offered, refused, awaiting_operator, removed=facts.removals - not_removed)


def _load_facts(run: Run, entries: PageEntries, apart: Collection[str]) -> PageFacts:
    link = run.link
    if link.kind == Kind.RECOVERY:
        prepared = [entry for _, entry in entries.checked]
        return PageFacts(refused=refusals.refused_from_recovery(prepared, link.local_set))
    deletions = [entry for _, entry in entries.checked if entry.deleted]
    removals = mass_deletion.removals(link, deletions, apart) if deletions else frozenset()
    if removals:
        removals -= _listed_with_another_spelling(entries, removals)
    awaiting_operator = _awaiting_operator(run, deletions, removals, entries.refused) if deletions else {}
    if link.kind != Kind.RELAY and link.serving_id is None:  # asked directly, a provider has the last word on its set
        return PageFacts(removals, awaiting_operator)
    refused = refusals.refused_from_relay([entry for _, entry in entries.checked], link, apart)
    return PageFacts(removals, awaiting_operator, refused)


def _listed_with_another_spelling(entries: PageEntries, keys: Iterable[str]) -> frozenset[str]:
    """Those of these keys that the page has live with another spelling: no deletions, but changes of the spelling (F74)."""
    live = [received.header.key for received, entry in entries.checked if not entry.deleted]
    live += [header.key for header in entries.to_request]
    listed = {oai.folded(key) for key in live} - {None}
    return frozenset(key for key in keys if oai.folded(key) in listed)


def _awaiting_operator(
    run: Run, deletions: Sequence[PreparedEntry], removals: frozenset[str], refused: list[Refusal]
) -> Mapping[str, tuple[Conflict.Kind, Reason]]:
    """Deletions that wait for the operator, by key: the kind of conflict, and the reason."""
    renamed = _renamed(run.link, [entry.key for entry in deletions], refused)
    too_many = mass_deletion.awaiting_operator(run, removals - renamed.keys())
    return {
        **{key: (Conflict.Kind.MASS, reason) for key, reason in too_many.items()},
        **{key: (Conflict.Kind.RENAMED, reason) for key, reason in renamed.items()},
    }


def _renamed(link: Link, deletions: list[str], refused: list[Refusal]) -> dict[str, Reason]:
    """Hold deletions whose record now arrives under another identifier (F75): the reasons by key."""
    new_names = dict(Reject.objects.filter(link=link, file_key__in=deletions).values_list("file_key", "identifier"))
    new_names |= {refusal.file_key: refusal.header.identifier for refusal in refused if refusal.file_key}
    return {key: Reason(EntryCode.RENAMED, {"identifier": new_names[key]}) for key in deletions if key in new_names}


# --- Storing ----------------------------------------------------------------------------------------


def store_prepared(
    run: Run, entries: PageEntries, *, now: datetime, at: datetime | None, apart: Collection[str] = ()
) -> None:
    """Store prepared entries with rejects, headers, conflicts and counters, in the caller's transaction (W29)."""
    # After an edit of the link, or a change of its provider, names may mean other records (H38).
    if run.link.identifiers == Identifiers.FILE or (run.link.reconciles and run.list_from is None):
        entries.checked += names.left_behind(run, entries.checked)
    if run.link.kind in BETWEEN_CO_OWNERS and run.link.only_reports:
        _report_backup(run, entries, now=now, at=at)
        return
    plan = plan_page(entries.checked, _load_facts(run, entries, apart))
    _apply(run, entries, plan, now=now, at=at, apart=apart)


def _apply(
    run: Run, entries: PageEntries, plan: PagePlan, *, now: datetime, at: datetime | None, apart: Collection[str]
) -> None:
    """Store what the plan says, and what the catalogue makes of it."""
    link = run.link
    source = "" if link.kind == Kind.RECOVERY else link.name  # what is recovered is ours again
    offered, results = _put_entries(run, plan.offered, source, at=at, apart=apart)
    refused = [*entries.refused, *plan.refused]
    headers = _refused_headers(refused)
    headers += [HeaderRow(header, RemoteHeader.State.STORED) for header in entries.unknown]
    unchanged = entries.unchanged + len(entries.unknown)
    reports: list[ConflictReport] = []
    overruled = 0
    abouts_of_unchanged: dict[str, tuple[About, ...]] = {}
    counts = Counter(received=len(entries.checked) + len(entries.refused) + unchanged, unchanged=unchanged)
    for (received, entry), result in zip(offered, results, strict=True):
        if result.action is Action.REJECTED:
            assert result.reason is not None, "what is rejected has a reason"
            refused.append(Refusal(received.header, result.reason, received.metadata))
            headers.append(HeaderRow(received.header, RemoteHeader.State.REJECTED))
        else:
            counts[result.action.value] += 1
            overruled += result.disagreement is Disagreement.DIFFERS
            if entry.key in entries.same_header and result.action in _NEW_CONTENT and not entry.deleted:
                counts["changed"] += 1
            headers.append(HeaderRow(received.header, RemoteHeader.State.STORED, entry.digest))
        if result.action is Action.UNCHANGED and not entry.deleted:
            abouts_of_unchanged[result.key or entry.key] = received.abouts
        kind = None if result.disagreement is None else Conflict.Kind(result.disagreement.value)
        if not result.key:
            reports.append(ConflictReport(entry, received.metadata, kind, result.reason))
        elif entry.deleted or kind is not None:  # else a claim, about which `finish` reports (W47)
            of_other = entry._replace(key=result.key)
            reports.append(ConflictReport(of_other, received.metadata, kind, result.reason))
    removed = _keys_that_count(run, plan) if plan.removed or plan.awaiting_operator else ()
    compared = _compared(run, entries, not_served=overruled + len(refused))
    remote_headers.record(link, headers, removed=removed)
    if replaced := [result.replaced for result in results if result.replaced]:
        remote_headers.mark_replaced(link, replaced)
    if run.removed:
        _forget_removals(link, offered, results)
    if abouts_of_unchanged and source:  # what is recovered is ours, and has no containers of others
        abouts.replace(abouts_of_unchanged, source=source)
    taken = names.conflicts_of(entries.refused) if entries.refused else ()
    conflicts.record(run, [*reports, *plan.awaiting_operator, *taken])
    runs.add_to_counters(run, rejected=len(refused), removed=len(plan.removed), **counts, **compared)
    if refused:
        rejects.add(run, refused, now=now)


def _forget_removals(link: Link, offered: Sequence[CheckedEntry], results: Sequence[Result]) -> None:
    """Let deletions of this run not count whose records now come with another spelling (F74)."""
    new = [
        oai.folded(entry.key)
        for (_, entry), result in zip(offered, results, strict=True)
        if result.action is Action.NEW and not entry.deleted
    ]
    if folded := {shared for shared in new if shared is not None}:
        remote_headers.forget_removals_of(link, folded)


def _compared(run: Run, entries: PageEntries, *, not_served: int) -> dict[str, int]:
    """What a comparison counts of these entries; nothing in a harvest."""
    if not run.compares:
        return {}
    counted = {"missing": entries.missing, "stale": entries.stale, "came_late": entries.came_late}
    return {**counted, "not_served": entries.not_served + not_served}


def _keys_that_count(run: Run, plan: PagePlan) -> frozenset[str]:
    """The deletions of a page that count for the day (`mass_deletion`): stored or waiting, if no operator has asked for them."""
    if run.beyond_ceiling:
        return frozenset()
    waiting = (report.entry.key for report in plan.awaiting_operator if report.kind == Conflict.Kind.MASS)
    return plan.removed.union(waiting)


def _refused_headers(refused: Iterable[Refusal]) -> list[HeaderRow]:
    """The rows of the link's table for entries that are refused; none is deleted there, as no deletion was stored."""
    return [HeaderRow(refusal.header._replace(deleted=False), RemoteHeader.State.REJECTED) for refusal in refused]


def _put_entries(
    run: Run, offered: list[CheckedEntry], source: str, *, at: datetime | None, apart: Collection[str]
) -> tuple[list[CheckedEntry], list[Result]]:
    """Put entries into the catalogue. They are prepared again where one was found unchanged and is not any more."""
    into = run.link.local_set
    try:
        return offered, store.put_entries([entry for _, entry in offered], into=into, source=source, apart=apart)
    except staging.PayloadNeeded:  # the stored version was changed meanwhile, or is of another set now
        entry_source = prepare_entries.source_of(run, at)
        offered = [
            (received, prepare_entries.prepare(received._replace(stored=None), entry_source, {}))
            for received, _ in offered
        ]
        return offered, store.put_entries([entry for _, entry in offered], into=into, source=source, apart=apart)


def _report_backup(run: Run, entries: PageEntries, *, now: datetime, at: datetime | None) -> None:
    """Record how a co-owner's records of a shared set differ from ours, and store none of them (W43, W44)."""
    remote_headers.record(
        run.link,
        [
            *_refused_headers(entries.refused),
            *(
                HeaderRow(received.header, RemoteHeader.State.STORED, entry.digest)
                for received, entry in entries.checked
            ),
        ],
    )
    reports = shared_set_backup.compare(run.link, [(entry, received) for received, entry in entries.checked])
    source = prepare_entries.source_of(run, at)
    provenances = {entry.key: prepare_entries.provenance_of(received, source) for received, entry in entries.checked}
    conflicts.record(run, [replace(report, provenance=provenances[report.entry.key]) for report in reports])
    unchanged, rejected = len(entries.checked) + entries.unchanged, len(entries.refused)
    served = current.current_digests([entry.key for _, entry in entries.checked])
    differing = sum(served.get(entry.key) != entry.digest for _, entry in entries.checked)
    compared = _compared(run, entries, not_served=differing + rejected)
    runs.add_to_counters(run, received=unchanged + rejected, unchanged=unchanged, rejected=rejected, **compared)
    rejects.add(run, entries.refused, now=now)
