"""Decide what the list of a run is asked for with: granularity, `from` and verb (H7, H8, H48, H50).

What a link asks for again is what it was given in the last list, but for what came late. So the headers of that window are
asked for first, and what is stored already is not fetched again.
"""

from datetime import datetime

from django.db import transaction

from catalogue import datestamps, seams
from catalogue.datestamps import Granularity
from catalogue.writing import current
from harvester import schedule
from harvester.errors import HarvestError
from harvester.guards import names
from harvester.header import ReceivedHeader
from harvester.link_rules import BETWEEN_CO_OWNERS, Identifiers
from harvester.models import Link, RemoteHeader, Run
from harvester.protocol import list_checks
from harvester.protocol.answers import Identity, Page
from harvester.protocol.conversation import Conversation
from harvester.rows import links, remote_headers, runs
from harvester.rows.remote_headers import HeaderRow, KnownHeader
from harvester.runs import doubts


def set_bounds(run: Run, conversation: Conversation) -> None:
    """Ask Identify, and store what the run's first page is asked for with. Raises HarvestError.

    Where only the first page has failed, Identify is not asked again: some providers refuse what follows it too soon.
    """
    if run.granularity == Granularity.SECOND and run.attempts:  # a provider of days may be one of OAI-PMH 1.x
        run.first_asked = seams.now() if run.first_response is None else run.first_asked
        runs.set_bounds(run)
        return
    identity = conversation.identify()
    now, link = seams.now(), run.link
    late: list[ReceivedHeader] = []
    run.granularity, run.is_promised = identity.granularity, identity.is_promised
    if run.first_response is None:  # else the list is read again as headers, and keeps its first responseDate
        run.first_asked = now
    if run.compares and link.first_response is not None:
        run.asked_before = schedule.list_from(link.first_response, identity.granularity, link.overlap_s)
    if run.restarts == 0 and run.list_from is not None and not run.compares:
        window_end = _go_on(run, identity, now)
        late = [] if window_end is None else _skip_known(run, window_end, conversation)
    with transaction.atomic():
        if late:
            remote_headers.record(link, (HeaderRow(header, RemoteHeader.State.WANTED) for header in late))
        runs.set_bounds(run)
        links.record_identity(
            link.pk,
            granularity=identity.granularity,
            deleted_record=identity.deleted_record,
            response_date=identity.response_date,
            brand=identity.brand,
        )


def _go_on(run: Run, identity: Identity, now: datetime) -> datetime | None:
    """Go on from the last list: by the provider's clock, or by ours where that went back (H48).

    Returns the end of what was listed then and is asked for again; None where nothing is known of that.
    """
    link, granularity = run.link, identity.granularity
    first_response = link.first_response
    is_same_granularity = link.granularity == granularity  # else datestamps of before may be days now, or seconds
    from_granularity = granularity if is_same_granularity else Granularity.DAY
    run.list_from = schedule.list_from(link.harvested_to, from_granularity, link.overlap_s)
    if run.list_from is None or first_response is None:
        return None
    asked_before = schedule.list_from(first_response, granularity, link.overlap_s)
    settled = schedule.settled_to(first_response, link.newest, granularity)
    if link.first_asked is not None:
        begin, run.stepped_back_s = schedule.by_our_clock(
            first_response, link.first_asked, identity.list_date, now, link.overlap_s
        )
        run.list_from = min(run.list_from, schedule.begin_of(begin, granularity))
    run.asked_before = None if run.stepped_back_s else asked_before
    is_window = is_same_granularity and not run.stepped_back_s and settled is not None and settled >= run.list_from
    return settled if is_window else None


def _skip_known(run: Run, end: datetime, conversation: Conversation) -> list[ReceivedHeader]:
    """Look at a page of headers of what was listed before, up to `end`, and begin the list after it if all is known.

    Returns what is to be asked for by GetRecord: what came late, was rejected, or is not served as it was given. Where the
    page does not tell, the list begins as if it had not been asked for, as headers.
    """
    begin = run.list_from
    assert begin is not None
    granularity = Granularity(run.granularity)
    known_before = remote_headers.within(run.link, begin, datestamps.end_of(end, granularity)).count()
    if not known_before:
        return []
    provider = run.link.provider
    arguments = {
        "metadataPrefix": provider.prefix,
        **({"set": provider.remote_set} if provider.remote_set else {}),
        "from": datestamps.write(begin, granularity),
        "until": datestamps.write(end, granularity),
    }
    try:
        page = conversation.headers(arguments)
    except HarvestError:
        return []  # a provider without ListIdentifiers, or without `until`: the list brings all of it again
    has_names = provider.identifiers == Identifiers.FILE
    entries = names.resolve(run.link, page.entries) if has_names else page.entries
    headers = [received.header for received in entries if received.header.identifier]
    known = remote_headers.load_known(run.link, [header.key for header in headers])
    if list_checks.strays(headers, provider.remote_set) - known.keys():
        return []  # its ListIdentifiers ignores the set
    # What has changed has left the window, so that headers in days tell enough.
    late = [header for header in headers if header.key not in known or known[header.key].differs_by_day(header)]
    if page.token is None:  # few: what was not stored, or is not served any more, may be stored now (H33)
        stored = current.digests_for_source(list(known), run.link.local_set_id, run.link.name)
        lost = {key for key, row in known.items() if _is_lost(run.link, row, stored.get(key))}
        late += [header for header in headers if header.key in lost and header not in late]
    if page.token is None and not any(header.deleted for header in late):
        run.came_late += doubts.count_late(run, late, known)
    elif late or not _tells_all(page, known_before, run.link):
        # As headers, which also have the deletions; unless most of what is listed is new.
        if page.list_size is None or page.list_size <= 2 * known_before:
            run.strategy = Link.Strategy.IDENTIFIERS
        return []
    elif page.list_size is not None:
        run.skipped_from, run.skipped_size = begin, page.list_size
    run.list_from = datestamps.end_of(end, granularity)
    return late


def _is_lost(link: Link, row: KnownHeader, stored: current.SourceDigests | None) -> bool:
    """Whether what the provider has was rejected, or was stored and is not served any more."""
    if row.state == RemoteHeader.State.REJECTED:
        return True
    if row.deleted or (link.kind in BETWEEN_CO_OWNERS and link.only_reports):
        return False
    return not row.is_current(stored)


def _tells_all(page: Page, known_before: int, link: Link) -> bool:
    """Whether one page of several is enough: no more headers are announced than are known."""
    if page.list_size is None or link.size_is_estimate:
        return link.relisted_to is not None and link.relisted_to == link.newest
    return page.list_size <= known_before
