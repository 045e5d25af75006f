"""Take a list page by page to its end: fetch and parse ahead, prepare beside, and store in order.

Three pages of a list are worked on at a time. `PageReader` fetches and parses in a thread of its own. `PreparePool`
checks and packs what was parsed, in threads, and for a long list of new records in processes: preparing is Python for
the larger part, of which a process does one thing at a time. The worker itself stores a page when all before it are.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Self

from django.db import connections

from catalogue import datestamps, seams
from catalogue.bulk import ingest
from catalogue.bulk.pool import ReadPool
from catalogue.datestamps import Granularity
from catalogue.writing.current import current_versions
from harvester.errors import HarvestError
from harvester.guards import contradictions
from harvester.models import Link, Run
from harvester.net import client
from harvester.protocol import prefetch, probe
from harvester.protocol.answers import Identity, Page, ReceivedEntry
from harvester.protocol.conversation import Conversation
from harvester.rows import health, links, runs
from harvester.runs import prepare_entries, store_page
from harvester.runs.run_position import LoopMark, RunPosition, next_loop_mark

logger = logging.getLogger(__name__)

_READ_AHEAD = 2  # chosen: pages parsed, or being parsed, that are not prepared yet; all of them are in memory
_THREADS = 2  # chosen: digests, comparing and packing keep no other thread waiting
_PROCESSES = 2  # chosen: at most; beside them work PostgreSQL and the worker
WORTH_PROCESSES = 50  # chosen: new records of a page that is not the last; starting them takes as long as reading 500
_CHECK_SET_EVERY = timedelta(hours=23)  # H17: at least daily, and links run by the clock

Progress = Callable[[Run], None]  # called with the run after each page
PendingPage = Callable[[], prepare_entries.PreparedPage]  # waits for the page


# --- Fetching and parsing ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A parsed page, the position before it, and the mark to go on with."""

    page: Page
    position: RunPosition
    mark: LoopMark


class PageReader:
    """Reads pages until the list ends, or the time (of `seams.monotonic`) is over, or the block is left.

    A page that was asked for before the time was over is still read: a token may be good only once.
    """

    def __init__(
        self,
        conversation: Conversation,
        prefetcher: prefetch.Prefetcher,
        arguments: Mapping[str, str],
        position: RunPosition,
        *,
        until: float,
    ) -> None:
        self._conversation, self._prefetcher, self._until = conversation, prefetcher, until
        self._thread = seams.thread_pool(1)
        self._pages: seams.SimpleQueue[ReadPage | Exception | None] = seams.SimpleQueue()
        self._free_slots = seams.Semaphore(_READ_AHEAD)
        self._is_closed = False
        self._thread.submit(self._read_pages, arguments, position)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closed = True
        self._free_slots.release()
        self._thread.shutdown()

    def __iter__(self) -> Iterator[ReadPage | None]:
        """The pages in their order; None each time before the caller would wait for one. Raises what reading raised."""
        while True:
            if self._pages.empty():
                yield None
            page = self._pages.get()
            if page is None:
                return
            if isinstance(page, Exception):
                raise page
            self._free_slots.release()
            yield page

    def _read_pages(self, arguments: Mapping[str, str], position: RunPosition) -> None:
        try:
            goes_on = True
            while goes_on:
                self._free_slots.acquire()
                if self._is_closed:
                    return
                page = self._conversation.page(arguments)
                mark = next_loop_mark(position, page)
                token = page.token or ""
                goes_on = bool(token) and (seams.monotonic() < self._until or self._prefetcher.is_fetching(token))
                self._pages.put(ReadPage(page, position, mark))
                position = RunPosition(position.pages + 1, position.listed + len(page.entries), token, mark)
                arguments = {"verb": arguments["verb"], "resumptionToken": token}
            self._pages.put(None)
        except Exception as exc:
            self._pages.put(exc)
        finally:
            connections.close_all()  # of this thread: parsing compares pages with what is stored


# --- Preparing --------------------------------------------------------------------------------------


class PreparePool:
    """Threads and, once a page is large enough, processes that prepare pages. They end with the block."""

    def __init__(self) -> None:
        self._threads = seams.thread_pool(_THREADS)
        self._processes: ReadPool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()
        if self._processes is not None:
            self._processes.close()

    def submit(
        self,
        entries: Sequence[ReceivedEntry],
        origin: prepare_entries.Origin,
        stored: prepare_entries.StoredVersions,
        *,
        goes_on: bool,
    ) -> PendingPage:
        """Begin to prepare a page; the function returned waits for it. `goes_on`: other pages will follow."""
        if self._processes is None and goes_on and _count_new(entries, stored) >= WORTH_PROCESSES:
            self._processes = ReadPool(min(_PROCESSES, ingest.default_processes()))
        size = len(entries) // _THREADS + 1
        parts = [entries[first : first + size] for first in range(0, len(entries), size)]
        futures = [self._threads.submit(_prepare_part, part, origin, stored, self._processes) for part in parts]

        def result() -> prepare_entries.PreparedPage:
            prepared = [future.result() for future in futures]
            return prepare_entries.PreparedPage(
                [each for part in prepared for each in part.checked],
                [each for part in prepared for each in part.refused],
            )

        return result


def _count_new(entries: Sequence[ReceivedEntry], stored: prepare_entries.StoredVersions) -> int:
    return sum(received.stored is None for received in entries) - len(stored)


def _prepare_part(
    entries: Sequence[ReceivedEntry],
    origin: prepare_entries.Origin,
    stored: prepare_entries.StoredVersions,
    processes: ReadPool | None,
) -> prepare_entries.PreparedPage:
    try:
        return prepare_entries.prepare_page(entries, origin, stored, processes)
    finally:
        connections.close_all()  # of this thread, should it have had to load a newer dictionary


# --- Storing ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageToStore:
    """A page that is being prepared. `pending`: None where only headers count."""

    read: ReadPage
    pending: PendingPage | None


def store_list(run: Run, *, until: float, progress: Progress) -> None:
    """Store pages until the list ends or the time (of `seams.monotonic`) is over. Raises HarvestError."""
    with (
        client.new_session(run.link.access(run.cookies)) as session,
        prefetch.Prefetcher(until) as prefetcher,
        PreparePool() as pool,
    ):
        provider = run.link.provider
        conversation = Conversation(
            session,
            provider.base_url,
            provider.prefix,
            provider.remote_set,
            received=run.listed,
            list_size=run.list_size,
            prefetcher=prefetcher,
            load_stored=current_versions,
        )
        if not run.token and not run.pages:
            _set_bounds(run, conversation.identify())
            _check_remote_set(run, conversation)
        arguments = _request_arguments(run)
        with PageReader(conversation, prefetcher, arguments, _position_of(run), until=until) as reader:
            _store_in_order(run, reader, pool, conversation, progress)


def _store_in_order(
    run: Run, reader: PageReader, pool: PreparePool, conversation: Conversation, progress: Progress
) -> None:
    """Store each page while the next one is prepared; those read before a fault are stored before it is raised."""
    restarts = run.restarts
    waiting: PageToStore | None = None

    def store_waiting() -> bool:
        """Store the page that waits, if one does; False if there is nothing more to do for this worker."""
        nonlocal waiting
        current, waiting = waiting, None
        if current is None:
            return True
        if (run.restarts, run.pages) != (restarts, current.read.position.pages):
            return False  # the list was started again meanwhile, and this is a page of the one before
        prepared = None if current.pending is None else current.pending()
        if not store_page.store_page(run, current.read.page, current.read.mark, prepared):
            return False  # another worker was faster, and its page stands; or the run was cancelled
        run.refresh_from_db(from_queryset=Run.objects.select_related("link__local_set", "link__serving"))
        progress(run)
        return run.worker == runs.this_worker()

    try:
        for read in reader:
            following = None if read is None else PageToStore(read, _begin_preparing(run, read, pool))
            if not store_waiting():
                return
            waiting = None if following is None else _resolve(run, following, pool, conversation)
    except HarvestError:
        if store_waiting():  # the page before the fault
            raise
        return
    store_waiting()


def _resolve(run: Run, following: PageToStore, pool: PreparePool, conversation: Conversation) -> PageToStore:
    """The page with its contradictions resolved (F72), which depends on the pages before it being stored.

    Raises the fault that an error beside the entries means, after storing these (F39).
    """
    page = contradictions.resolve(run, following.read.page, conversation)
    if page.fault is not None:
        store_page.store_beside_error(run, page)
        raise page.fault
    if page is following.read.page:
        return following
    read = replace(following.read, page=page)
    return PageToStore(read, _begin_preparing(run, read, pool))


def _begin_preparing(run: Run, read: ReadPage, pool: PreparePool) -> PendingPage | None:
    if run.strategy == Link.Strategy.IDENTIFIERS:
        return None
    entries = read.page.entries
    origin, stored = store_page.origin_of(run, read.page.response_date), prepare_entries.load_stored(entries)
    return pool.submit(entries, origin, stored, goes_on=read.page.token is not None)


# --- The run's first request ------------------------------------------------------------------------


def _position_of(run: Run) -> RunPosition:
    return RunPosition(run.pages, run.listed, run.token, LoopMark(run.marked_token, bytes(run.marked_page or b"")))


def _set_bounds(run: Run, identity: Identity) -> None:
    """Set granularity and `from` before the run's first page: from Identify each time, and from the link (H7, H8)."""
    run.granularity = identity.granularity
    if run.restarts == 0 and run.list_from is not None and not run.is_comparison:
        run.list_from = run.link.list_from(identity.granularity)
    runs.set_bounds(run, granularity=run.granularity, list_from=run.list_from)
    links.record_identity(
        run.link_id,
        granularity=identity.granularity,
        deleted_record=identity.deleted_record,
        skew_s=health.skew_s(identity.response_date),
    )


def _check_remote_set(run: Run, conversation: Conversation) -> None:
    """Look for the link's set before its first list, and once a day (H17). A set that is missing is asked for all the same."""
    link, now = run.link, seams.now()
    remote_set = link.provider.remote_set
    if not remote_set or (link.set_checked is not None and now - link.set_checked < _CHECK_SET_EVERY):
        return
    links.record_set_state(link, set_state=probe.set_state(conversation, remote_set), checked=now)
    if link.lacks_remote_set:
        logger.error("remote set is not listed", extra=run.log_facts(set=remote_set, state=link.set_state))


def _request_arguments(run: Run) -> dict[str, str]:
    """The arguments of the run's next request; the verb is that of its strategy (W18)."""
    verb = "ListIdentifiers" if run.strategy == Link.Strategy.IDENTIFIERS else "ListRecords"
    if run.token:
        return {"verb": verb, "resumptionToken": run.token}
    provider = run.link.provider
    arguments = {"verb": verb, "metadataPrefix": provider.prefix}
    if provider.remote_set:
        arguments["set"] = provider.remote_set
    for name, bound in (("from", run.list_from), ("until", run.list_until)):
        if bound is not None:
            arguments[name] = datestamps.write(bound, Granularity(run.granularity))
    return arguments
