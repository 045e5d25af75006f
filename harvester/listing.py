"""Take a list page by page to its end: one is stored while the next is made ready, and those after it are read.

Pages are stored in their order, each when all before it are.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from django.utils import timezone

from catalogue import datestamps, store
from catalogue.datestamps import Granularity
from harvester import ahead, client, clock, discovery, flapping, leases, making, pages, readying, schedule
from harvester.conversation import Conversation
from harvester.errors import HarvestError
from harvester.models import Link, Run
from harvester.parse import Identity
from harvester.reading import Mark, Place, Read, Reading

logger = logging.getLogger(__name__)
_SET_EVERY = timedelta(hours=23)  # H17: at least daily, and links run by the clock
Progress = Callable[[Run], None]


@dataclass(frozen=True, slots=True)
class _Taken:
    """A page that is made ready to be stored. `readied`: None where only headers count."""

    read: Read
    readied: making.Coming | None


def take_pages(run: Run, *, until: float, progress: Progress) -> None:
    """Store pages until the list ends or the time (of `time.monotonic`) is over. Raises HarvestError."""
    with (
        client.new_session(run.link.access(run.cookies)) as session,
        ahead.Line(until) as line,
        making.Makers() as makers,
    ):
        asked = run.link.provider
        provider = Conversation(
            session,
            asked.base_url,
            asked.prefix,
            asked.remote_set,
            received=run.listed,
            list_size=run.list_size,
            line=line,
            held=store.held_versions,
        )
        if not run.token and not run.pages:
            _prepare(run, provider.identify())
            _look_for_set(run, provider)
        with Reading(provider, line, _arguments(run), _place(run), until=until) as reading:
            _take(run, reading, makers, provider, progress)


def _take(run: Run, reading: Reading, makers: making.Makers, provider: Conversation, progress: Progress) -> None:
    restarts = run.restarts
    waiting: _Taken | None = None

    def store() -> bool:
        """Store the page that waits, if one does; False if there is nothing more to do for this worker."""
        nonlocal waiting
        taken, waiting = waiting, None
        if taken is None:
            return True
        if (run.restarts, run.pages) != (restarts, taken.read.before.pages):
            return False  # the list was started again meanwhile, and this is a page of the one before
        readied = taken.readied
        if not pages.store_page(run, taken.read.page, taken.read.mark, readied() if readied else None):
            return False  # another worker was faster, and its page stands; or the run was cancelled
        run.refresh_from_db(from_queryset=Run.objects.select_related("link__local_set", "link__serving"))
        progress(run)
        return run.holder == leases.me()

    try:
        for read in reading:
            next_one = None if read is None else _Taken(read, _begun(run, read, makers))
            if not store():
                return
            waiting = None if next_one is None else _settled(run, next_one, makers, provider)
    except HarvestError:
        if store():  # what came before the fault
            raise
        return
    store()


def _settled(run: Run, taken: _Taken, makers: making.Makers, provider: Conversation) -> _Taken:
    """The page with what its list has contradicted settled (72), now that the pages before it are stored.

    Raises what an error beside its entries means, with these stored (39).
    """
    page = flapping.decided(run, taken.read.page, provider)
    if page.fault is not None:
        pages.store_beside_error(run, page)
        raise page.fault
    if page is taken.read.page:
        return taken
    read = replace(taken.read, page=page)
    return _Taken(read, _begun(run, read, makers))


def _begun(run: Run, read: Read, makers: making.Makers) -> making.Coming | None:
    if run.strategy == Link.Strategy.IDENTIFIERS:
        return None
    entries = read.page.entries
    origin, held = pages.origin(run, read.page.response_date), readying.look_up(entries)
    return makers.begin(entries, origin, held, goes_on=read.page.token is not None)


def _place(run: Run) -> Place:
    return Place(run.pages, run.listed, run.token, Mark(run.marked_token, bytes(run.marked_page or b"")))


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
