"""The pages of a list, fetched and read in a thread of their own while others are stored.

Pages made ready beside the worker that stores them: by threads, and of a long list of new records by processes.

What a page needs before it is stored is Python for the larger part, of which a process does one thing at a time.

Take a list page by page to its end: one is stored while the next is made ready, and those after it are read.

Pages are stored in their order, each when all before it are.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from queue import SimpleQueue
from threading import Semaphore
from typing import Self

from django.db import connections
from django.utils import timezone

from catalogue import datestamps
from catalogue.bulk import ingest
from catalogue.bulk.pool import ReadPool
from catalogue.datestamps import Granularity
from catalogue.writing.current import current_versions
from harvester import schedule
from harvester.errors import Endless, HarvestError
from harvester.guards import contradictions
from harvester.models import Link, Run
from harvester.net import client
from harvester.protocol import prefetch, probe
from harvester.protocol.answers import Identity, Page, ReceivedEntry
from harvester.protocol.conversation import Conversation
from harvester.rows import health, runs
from harvester.runs import prepare_entries, store_page

_READ_AHEAD = 2  # chosen: pages read, or being read, that nobody has taken yet; all of them are in memory


@dataclass(frozen=True, slots=True)
class LoopMark:
    """The token and the page that further ones are compared with (H23)."""

    token: str
    page: bytes


@dataclass(frozen=True, slots=True)
class ListPosition:
    """How far a list has come: so many pages and entries, the token that goes on, and the mark."""

    pages: int
    listed: int
    token: str
    mark: LoopMark


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page, the place before it, and the mark to go on with."""

    page: Page
    before: ListPosition
    mark: LoopMark


class PageReader:
    """Reads pages until the list ends, or the time (of `time.monotonic`) is over, or the block is left.

    What has been asked for when the time is over is still read: a token may be good only once.
    """

    def __init__(
        self,
        provider: Conversation,
        prefetcher: prefetch.Prefetcher,
        arguments: Mapping[str, str],
        place: ListPosition,
        *,
        until: float,
    ) -> None:
        self._provider, self._prefetcher, self._until = provider, prefetcher, until
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._read: SimpleQueue[ReadPage | Exception | None] = SimpleQueue()
        self._room = Semaphore(_READ_AHEAD)
        self._is_left = False
        self._thread.submit(self._go_on, arguments, place)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_left = True
        self._room.release()
        self._thread.shutdown()

    def __iter__(self) -> Iterator[ReadPage | None]:
        """The pages in their order; None each time that one must be waited for. Raises what reading raised."""
        while True:
            if self._read.empty():
                yield None
            read = self._read.get()
            if read is None:
                return
            if isinstance(read, Exception):
                raise read
            self._room.release()
            yield read

    def _go_on(self, arguments: Mapping[str, str], place: ListPosition) -> None:
        try:
            goes_on = True
            while goes_on:
                self._room.acquire()
                if self._is_left:
                    return
                page = self._provider.page(arguments)
                read = ReadPage(page, place, loop_mark(place, page))
                token = page.token or ""
                goes_on = bool(token) and (time.monotonic() < self._until or self._prefetcher.is_fetching(token))
                self._read.put(read)
                place = ListPosition(place.pages + 1, place.listed + len(page.entries), token, read.mark)
                arguments = {"verb": arguments["verb"], "resumptionToken": token}
            self._read.put(None)
        except Exception as exc:
            self._read.put(exc)
        finally:
            connections.close_all()  # of this thread: pages are compared with what is held


def loop_mark(place: ListPosition, page: Page) -> LoopMark:
    """The token and the page to compare further ones with. Raises Endless where the list does not end (H23).

    One mark is enough to find any loop, if it is moved on at the 1st, 2nd, 4th, 8th ... page (Brent).
    """
    digest = hashlib.sha256()
    for received in page.entries:
        header = received.entry.header
        digest.update(repr((header.identifier, header.datestamp, header.deleted)).encode())
    number = place.pages + 1
    listed = place.listed + len(page.entries)
    if page.token is not None:
        if page.token in (place.token, place.mark.token):
            raise Endless(f"page {number} gives a resumption token that was given before")
        if number > schedule.MAX_PAGES:
            raise Endless(f"the list did not end after {schedule.MAX_PAGES} pages")
        if page.list_size and listed > schedule.MAX_EXCESS * page.list_size + schedule.MIN_EXCESS:
            raise Endless(f"{listed} entries came of a list that is said to have {page.list_size}")
    if place.pages and page.entries and place.mark.page == digest.digest():
        raise Endless(f"page {number} is a page that came before")
    if number & (number - 1) == 0:
        return LoopMark(page.token or "", digest.digest())
    return place.mark


_THREADS = 2  # chosen: digests, comparing and packing keep no other thread waiting
_PROCESSES = 2  # chosen: at most; beside them work PostgreSQL and the worker
WORTH_PROCESSES = 50  # chosen: new records of a page that is not the last; starting them takes as long as reading 500

PendingPage = Callable[[], prepare_entries.PreparedPage]


class PreparePool:
    """Threads and, from when they are worth it, processes. They end with the block."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(max_workers=_THREADS)
        self._pool: ReadPool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()
        if self._pool is not None:
            self._pool.close()

    def begin(
        self,
        entries: Sequence[ReceivedEntry],
        origin: prepare_entries.Origin,
        held: prepare_entries.Held,
        *,
        goes_on: bool,
    ) -> PendingPage:
        """Begin to make a page ready; what is returned waits for it. `goes_on`: other pages will follow."""
        if self._pool is None and goes_on and _new(entries, held) >= WORTH_PROCESSES:
            self._pool = ReadPool(min(_PROCESSES, ingest.default_processes()))
        share = len(entries) // _THREADS + 1
        shares = [entries[first : first + share] for first in range(0, len(entries), share)]
        futures = [self._threads.submit(_ready, part, origin, held, self._pool) for part in shares]

        def joined() -> prepare_entries.PreparedPage:
            parts = [future.result() for future in futures]
            return prepare_entries.PreparedPage(
                [each for part in parts for each in part.checked], [each for part in parts for each in part.refused]
            )

        return joined


def _new(entries: Sequence[ReceivedEntry], held: prepare_entries.Held) -> int:
    return sum(received.stored is None for received in entries) - len(held)


def _ready(
    entries: Sequence[ReceivedEntry], origin: prepare_entries.Origin, held: prepare_entries.Held, pool: ReadPool | None
) -> prepare_entries.PreparedPage:
    try:
        return prepare_entries.prepare_page(entries, origin, held, pool)
    finally:
        connections.close_all()  # of this thread, should it have had to look for a newer dictionary


logger = logging.getLogger(__name__)
_SET_EVERY = timedelta(hours=23)  # H17: at least daily, and links run by the clock
Progress = Callable[[Run], None]


@dataclass(frozen=True, slots=True)
class _Taken:
    """A page that is made ready to be stored. `readied`: None where only headers count."""

    read: ReadPage
    readied: PendingPage | None


def take_pages(run: Run, *, until: float, progress: Progress) -> None:
    """Store pages until the list ends or the time (of `time.monotonic`) is over. Raises HarvestError."""
    with (
        client.new_session(run.link.access(run.cookies)) as session,
        prefetch.Prefetcher(until) as prefetcher,
        PreparePool() as makers,
    ):
        asked = run.link.provider
        provider = Conversation(
            session,
            asked.base_url,
            asked.prefix,
            asked.remote_set,
            received=run.listed,
            list_size=run.list_size,
            prefetcher=prefetcher,
            load_stored=current_versions,
        )
        if not run.token and not run.pages:
            _prepare(run, provider.identify())
            _look_for_set(run, provider)
        with PageReader(provider, prefetcher, _arguments(run), _place(run), until=until) as reading:
            _take(run, reading, makers, provider, progress)


def _take(run: Run, reading: PageReader, makers: PreparePool, provider: Conversation, progress: Progress) -> None:
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
        if not store_page.store_page(run, taken.read.page, taken.read.mark, readied() if readied else None):
            return False  # another worker was faster, and its page stands; or the run was cancelled
        run.refresh_from_db(from_queryset=Run.objects.select_related("link__local_set", "link__serving"))
        progress(run)
        return run.holder == runs.this_worker()

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


def _settled(run: Run, taken: _Taken, makers: PreparePool, provider: Conversation) -> _Taken:
    """The page with what its list has contradicted settled (F72), now that the pages before it are stored.

    Raises what an error beside its entries means, with these stored (F39).
    """
    page = contradictions.resolve(run, taken.read.page, provider)
    if page.fault is not None:
        store_page.store_beside_error(run, page)
        raise page.fault
    if page is taken.read.page:
        return taken
    read = replace(taken.read, page=page)
    return _Taken(read, _begun(run, read, makers))


def _begun(run: Run, read: ReadPage, makers: PreparePool) -> PendingPage | None:
    if run.strategy == Link.Strategy.IDENTIFIERS:
        return None
    entries = read.page.entries
    origin, held = store_page.origin(run, read.page.response_date), prepare_entries.look_up(entries)
    return makers.begin(entries, origin, held, goes_on=read.page.token is not None)


def _place(run: Run) -> ListPosition:
    return ListPosition(run.pages, run.listed, run.token, LoopMark(run.marked_token, bytes(run.marked_page or b"")))


def list_verb(run: Run) -> str:
    """The verb that the run's list is asked for with (W18)."""
    return "ListIdentifiers" if run.strategy == Link.Strategy.IDENTIFIERS else "ListRecords"


def _prepare(run: Run, identity: Identity) -> None:
    """Set the run's bounds before its first page: granularity from Identify each time, `from` from the link (H7, H8)."""
    run.granularity = identity.granularity
    if run.restarts == 0 and run.list_from is not None and not run.is_comparison:
        run.list_from = run.link.list_from(identity.granularity)
    Run.objects.filter(pk=run.pk, holder=runs.this_worker()).update(
        granularity=run.granularity, list_from=run.list_from
    )
    Link.objects.filter(pk=run.link_id).update(
        granularity=identity.granularity,
        deleted_record=identity.deleted_record[:20],
        skew_s=health.skew_s(identity.response_date),
    )


def _look_for_set(run: Run, provider: Conversation) -> None:
    """Before a link's first list, and once a day (H17). What is not listed is asked for all the same, and told."""
    link, now = run.link, timezone.now()
    if not link.provider.remote_set or (link.set_checked is not None and now - link.set_checked < _SET_EVERY):
        return
    link.set_state, link.set_checked = probe.set_state(provider, link.provider.remote_set), now
    Link.objects.filter(pk=link.pk).update(set_state=link.set_state, set_checked=now)
    if link.lacks_remote_set:
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
