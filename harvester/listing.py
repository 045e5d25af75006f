"""Read a list to its end, page by page; each is stored by `harvester.pages` while the next is fetched."""

import hashlib
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta

from django.utils import timezone

from catalogue import datestamps
from catalogue.datestamps import Granularity
from harvester import client, clock, discovery, flapping, leases, pages, schedule
from harvester.conversation import Conversation
from harvester.errors import Endless
from harvester.models import Link, Run
from harvester.parse import Identity, Page

logger = logging.getLogger(__name__)
_SET_EVERY = timedelta(hours=23)  # H17: at least daily, and links run by the clock
Progress = Callable[[Run], None]


def take_pages(run: Run, *, until: float, progress: Progress) -> None:
    """Store pages until the list ends or the time (of `time.monotonic`) is over. Raises HarvestError."""
    with client.new_session() as session, ThreadPoolExecutor(max_workers=1) as ahead:
        asked = run.link.provider
        provider = Conversation(
            session, asked.base_url, asked.prefix, asked.remote_set, received=run.listed, list_size=run.list_size
        )
        if not run.token and not run.pages:
            _prepare(run, provider.identify())
            _look_for_set(run, provider)
        verb = list_verb(run)
        reply: Future[Page] = ahead.submit(provider.page, _arguments(run))
        while True:
            came = reply.result()
            page = flapping.decided(run, came, provider)
            if page.fault is not None:
                pages.store_beside_error(run, page)
                raise page.fault
            mark = _mark(run, came)
            goes_on = page.token is not None and time.monotonic() < until
            if goes_on:  # the next page is fetched while this one is stored
                reply = ahead.submit(provider.page, {"verb": verb, "resumptionToken": page.token or ""})
            if not pages.store_page(run, page, mark):
                return  # another worker was faster, and its page stands; or the run was cancelled
            run.refresh_from_db()
            progress(run)
            if not goes_on or run.holder != leases.me():
                return


def list_verb(run: Run) -> str:
    """The verb that the run's list is asked for with (W18)."""
    return "ListIdentifiers" if run.strategy == Link.Strategy.IDENTIFIERS else "ListRecords"


def _prepare(run: Run, identity: Identity) -> None:
    """Set the run's bounds before its first page: granularity from Identify each time, `from` from the link (H7, H8)."""
    run.granularity = identity.granularity
    if run.restarts == 0 and run.list_from is not None and not run.is_comparison:
        run.list_from = schedule.list_from(run.link.harvested_to, identity.granularity, run.link.overlap_s)
    Run.objects.filter(pk=run.pk, holder=leases.me()).update(granularity=run.granularity, list_from=run.list_from)
    Link.objects.filter(pk=run.link_id).update(
        granularity=identity.granularity,
        deleted_record=identity.deleted_record[:20],
        skew_s=clock.skew_s(identity.response_date),
    )


def _look_for_set(run: Run, provider: Conversation) -> None:
    """Before a link's first list, and once a day (H17). What is not listed is asked for all the same, and told."""
    link, now = run.link, timezone.now()
    if not link.provider.remote_set or (link.set_checked is not None and now - link.set_checked < _SET_EVERY):
        return
    link.set_state, link.set_checked = discovery.set_state(provider, link.provider.remote_set), now
    Link.objects.filter(pk=link.pk).update(set_state=link.set_state, set_checked=now)
    if link.set_state in (Link.SetState.MISSING, Link.SetState.NO_SETS):
        logger.error(
            "remote set is not listed", extra=run.log_facts(set=link.provider.remote_set, state=link.set_state)
        )


def _arguments(run: Run) -> dict[str, str]:
    """The arguments of the run's next request."""
    verb = list_verb(run)
    if run.token:
        return {"verb": verb, "resumptionToken": run.token}
    arguments = {"verb": verb, "metadataPrefix": run.link.provider.prefix}
    if run.link.provider.remote_set:
        arguments["set"] = run.link.provider.remote_set
    for name, bound in (("from", run.list_from), ("until", run.list_until)):
        if bound is not None:
            arguments[name] = datestamps.write(bound, Granularity(run.granularity))
    return arguments


def _mark(run: Run, page: Page) -> pages.Mark:
    """The token and the page to compare further ones with. Raises Endless where the list does not end (H23).

    One mark is enough to find any loop, if it is moved on at the 1st, 2nd, 4th, 8th ... page (Brent).
    """
    digest = hashlib.sha256()
    for received in page.entries:
        header = received.entry.header
        digest.update(repr((header.identifier, header.datestamp, header.deleted)).encode())
    number = run.pages + 1
    listed = run.listed + len(page.entries)
    if page.token is not None:
        if page.token in (run.token, run.marked_token):
            raise Endless(f"page {number} gives a resumption token that was given before")
        if number > schedule.MAX_PAGES:
            raise Endless(f"the list did not end after {schedule.MAX_PAGES} pages")
        if page.list_size and listed > schedule.MAX_EXCESS * page.list_size + schedule.MIN_EXCESS:
            raise Endless(f"{listed} entries came of a list that is said to have {page.list_size}")
    if run.pages and page.entries and bytes(run.marked_page or b"") == digest.digest():
        raise Endless(f"page {number} is a page that came before")
    if number & (number - 1) == 0:
        return pages.Mark(page.token or "", digest.digest())
    return pages.Mark(run.marked_token, bytes(run.marked_page or b""))
