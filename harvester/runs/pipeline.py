"""Take a list page by page to its end: fetch | parse | prepare | store, each page in its order.

    fetch     one thread: requests the next page while the last one is parsed (`harvester.protocol.prefetch`)
    parse     one thread: parses a page strictly, checks the list, and stays at most READ_AHEAD pages before the next stage
    prepare   threads, and processes for a long list of new records: digest, read and pack what is not stored yet
    store     the worker's own thread: stores a page in one transaction when all before it are stored

Preparing is Python for the larger part, of which a process does one thing at a time; hence the processes.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial

from django.db import connections

from catalogue import datestamps, oai, seams
from catalogue.bulk import ingest
from catalogue.bulk.pool import ReadPool
from catalogue.datestamps import Granularity
from catalogue.payloads import payload
from catalogue.writing.current import current_versions
from harvester import schedule
from harvester.errors import Endless, FaultCode, HarvestError, RefusedByProvider
from harvester.guards import contradictions, names, spellings
from harvester.link_rules import Identifiers
from harvester.models import Link, Provider, Run
from harvester.net.session import Session
from harvester.protocol import answers, prefetch
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.protocol.conversation import Conversation
from harvester.protocol.list_checks import ListChecker
from harvester.protocol.prefetch import Turn
from harvester.rows import remote_headers
from harvester.runs import bounds, prepare_entries, remote_set, store_page
from harvester.runs.prepare_entries import EntrySource, PreparedPage, StoredVersions
from harvester.runs.run_position import LoopMark, RunPosition, next_loop_mark

logger = logging.getLogger(__name__)

READ_AHEAD = 2  # chosen: pages parsed, or being parsed, that are not prepared yet; all of them are in memory
THREADS = 2  # chosen: digests, comparing and packing keep no other thread waiting
PROCESSES = 2  # chosen: at most; beside them work PostgreSQL and the worker

Progress = Callable[[Run], None]  # called with the run after each page


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page, the position of the list before it, and the mark to go on with."""

    page: Page
    position: RunPosition
    mark: LoopMark


@dataclass(frozen=True, slots=True)
class PendingPage:
    """A page whose parts are being prepared; there are none where only headers count.

    `new`: keys of entries that are not live here. `apart`: of those that are records of their own beside another spelling.
    """

    parsed: ParsedPage
    parts: Sequence[Future[PreparedPage]] | None
    new: Set[str] = frozenset()
    apart: Set[str] = frozenset()

    def result(self) -> PreparedPage | None:
        """Wait until all parts are prepared."""
        if self.parts is None:
            return None
        prepared = [part.result() for part in self.parts]
        return PreparedPage(
            [each for part in prepared for each in part.checked], [each for part in prepared for each in part.refused]
        )


class _Asking:
    """Stands among the parsed pages where the provider is waited for longer than a moment."""


def store_list(run: Run, *, turn: Turn, progress: Progress) -> None:
    """Store pages until the list ends or the turn is over. Raises HarvestError."""
    cookies, provider = run.cookies, run.link.provider
    has_names = provider.identifiers == Identifiers.FILE
    with Session(run.link.access(cookies)) as session, prefetch.Prefetcher(turn) as prefetcher:
        conversation = Conversation(
            session,
            provider.base_url,
            provider.prefix,
            prefetcher=prefetcher,
            load_stored=current_versions,
            has_names=has_names,
            load_keys=partial(remote_headers.keys_of_names, run.link) if has_names else None,
        )
        is_first = not run.token and not run.pages
        if is_first:
            bounds.set_bounds(run, conversation)
            if provider.prefix != oai.ISO19139:  # W2: this spelling is known
                _check_prefix(provider.prefix, conversation)
        until_asked = run.list_until and datestamps.end_of(run.list_until, Granularity(run.granularity))
        conversation.list_checker = ListChecker(
            provider.remote_set, start=run.list_from, end=until_asked, received=run.listed, list_size=run.list_size
        )
        if is_first:
            remote_set.look_before_list(run, conversation)
        pipeline = Pipeline(run, conversation, prefetcher, turn=turn, progress=progress)
        try:
            pipeline.store_pages(_request_arguments(run, provider))
        except RefusedByProvider as exc:
            if exc.codes and is_first and remote_set.is_missing(run, conversation):
                raise remote_set.fault(run.link) from exc
            raise


class Pipeline:
    """The stages of one list, with what is between them. They end when `store_pages` does."""

    def __init__(
        self,
        run: Run,
        conversation: Conversation,
        prefetcher: prefetch.Prefetcher,
        *,
        turn: Turn,
        progress: Progress,
    ) -> None:
        self._run, self._restarts, self._worker = run, run.restarts, run.worker
        self._conversation, self._prefetcher = conversation, prefetcher
        self._turn, self._progress = turn, progress
        self._parsing = seams.thread_pool(1)
        self._parsed: seams.SimpleQueue[ParsedPage | Exception | _Asking | None] = seams.SimpleQueue()
        turn.on_asking = partial(self._parsed.put, _Asking())
        self._room = seams.Semaphore(READ_AHEAD)  # of that queue
        self._is_parsed = self._is_closed = False
        self._preparing = seams.thread_pool(THREADS)
        self._processes: ReadPool | None = None
        self._waiting: PendingPage | None = None  # the next page to store
        self._new_before: Set[str] = frozenset()  # keys of the page before that were not live when it was prepared

    def store_pages(self, arguments: Mapping[str, str]) -> None:
        """Store the pages that these arguments ask for; those read before a fault are stored before it is raised."""
        run = self._run
        mark = LoopMark(run.marked_token, bytes(run.marked_page or b""))
        position = RunPosition(run.pages, run.listed, run.token, mark)
        parsing = self._parsing.submit(self._parse_pages, arguments, position)
        try:
            for parsed in self._parsed_pages():
                following = None if parsed is None else self._prepare(parsed)
                if not self._store_waiting():
                    return
                self._waiting = None if following is None else self._resolve(following)
        except HarvestError:
            if self._store_waiting():  # the page before the fault
                raise
        else:
            self._store_waiting()
        finally:
            self._close(parsing)

    def _close(self, parsing: Future[None]) -> None:
        """End the stages, and drop what they have not handed on."""
        self._is_closed = True
        self._room.release()
        if not self._is_parsed:
            self._turn.result_of(parsing)  # it may wait for the provider
        self._parsing.shutdown()
        self._preparing.shutdown()
        if self._processes is not None:
            self._processes.close()

    # --- fetch and parse --------------------------------------------------------------------------------

    def _parse_pages(self, arguments: Mapping[str, str], position: RunPosition) -> None:
        """Request and parse pages until the list ends, or the time is over, or the pipeline is left.

        A page that was requested before the time was over is still parsed: a token may be good only once.
        """
        try:
            goes_on = True
            while goes_on:
                self._room.acquire()
                if self._is_closed:
                    return
                page = self._conversation.page(arguments)
                mark = next_loop_mark(position, page, schedule.LIMITS.in_force)
                token = page.token or ""
                goes_on = bool(token) and (not self._turn.is_over or self._prefetcher.is_fetching(token))
                self._parsed.put(ParsedPage(page, position, mark))
                position = RunPosition(position.pages + 1, position.listed + len(page.entries), token, mark)
                arguments = {"verb": arguments["verb"], "resumptionToken": token}
            self._parsed.put(None)
        except Exception as exc:
            self._parsed.put(exc)
        finally:
            connections.close_all()  # of this thread: parsing compares pages with what is stored

    def _parsed_pages(self) -> Iterator[ParsedPage | None]:
        """The pages in their order; None each time before the caller would wait for one. Raises what parsing raised."""
        while True:
            if self._parsed.empty():
                yield None
            parsed = self._parsed.get()
            if isinstance(parsed, _Asking):
                yield None
                self._turn.lend_worker()
                continue
            self._is_parsed = parsed is None or isinstance(parsed, Exception)
            if parsed is None:
                return
            if isinstance(parsed, Exception):
                raise parsed
            self._room.release()
            yield parsed

    # --- prepare ----------------------------------------------------------------------------------------

    def _prepare(self, parsed: ParsedPage) -> PendingPage:
        """Begin to prepare a page."""
        page = parsed.page
        if not (page.entries or page.token or parsed.position.pages):
            remote_set.look_after_empty_list(self._run, self._conversation)
        if self._run.strategy == Link.Strategy.IDENTIFIERS:
            deleted = frozenset(entry.header.key for entry in page.entries if entry.header.deleted)
            return PendingPage(parsed, None, deleted)
        payload.newest()  # here, where the database's connection is: then preparing asks the database for nothing
        stored = page.versions
        if stored is None:
            stored = current_versions([received.header.key for received in page.entries])
        worth_processes = schedule.LIMITS.in_force.worth_processes
        if self._processes is None and page.token and _count_new(page.entries, stored) >= worth_processes:
            self._processes = ReadPool(min(PROCESSES, ingest.default_processes()))
        source = prepare_entries.source_of(self._run, page.response_date)
        size = len(page.entries) // THREADS + 1
        parts = [page.entries[first : first + size] for first in range(0, len(page.entries), size)]
        new = frozenset(entry.header.key for entry in page.entries) - stored.keys()
        return PendingPage(
            parsed,
            [self._preparing.submit(_prepare_part, part, source, stored, self._processes) for part in parts],
            new,
        )

    # --- store ------------------------------------------------------------------------------------------

    def _store_waiting(self) -> bool:
        """Store the page that waits, if one does; False if there is nothing more to do for this worker."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return True
        run, parsed = self._run, waiting.parsed
        if (run.restarts, run.pages) != (self._restarts, parsed.position.pages):
            return False  # the list was started again meanwhile, and this is a page of the one before
        if not store_page.store_page(run, parsed.page, parsed.mark, waiting.result(), waiting.apart):
            return False  # another worker was faster, and its page stands; or the run was cancelled
        self._refresh(is_last=parsed.page.token is None)
        self._progress(run)
        _check_that_it_ends(run)
        if self._turn.is_wanted:
            self._turn.pause()
        return run.worker == self._worker

    def _refresh(self, *, is_last: bool) -> None:
        """Load the run with its link as they stand now; after the last page first how it ended, which is all that most runs need."""
        run = self._run
        if is_last:
            run.refresh_from_db(fields=("state", "phase", "worker"))
        if not is_last or run.phase == Run.Phase.FETCHING:
            run.refresh_from_db(from_queryset=Run.objects.select_related("link__local_set", "link__serving"))

    def _resolve(self, following: PendingPage) -> PendingPage:
        """The page with what its names mean, its contradictions resolved (F72), and the spellings that are apart (F74).

        All that depends on the pages before it being stored. Raises the fault that an error beside the entries
        means, after storing these (F39).
        """
        run, listed = self._run, following.parsed.page
        page = names.resolve_page(run, listed) if run.link.identifiers == Identifiers.FILE else listed
        if run.deleted or any(entry.header.deleted for entry in listed.entries):  # else nothing is contradicted
            page = contradictions.resolve(run, page, self._conversation)
        following = following if page is listed else self._prepare(replace(following.parsed, page=page))
        apart = self._find_apart(following)
        if page.fault is not None:
            store_page.store_beside_error(run, page, apart)
            raise page.fault
        return replace(following, apart=apart) if apart else following

    def _find_apart(self, following: PendingPage) -> Set[str]:
        """The keys of entries beside which the provider has another spelling live.

        What the page before has made a tombstone, as another spelling, was live when this page was prepared.
        """
        before, self._new_before = self._new_before, following.new
        if not following.new and not before:
            return frozenset()
        headers = [entry.header for entry in following.parsed.page.entries]
        if self._run.strategy == Link.Strategy.IDENTIFIERS:  # what is live is asked for later
            return spellings.find_apart(self._run.link, headers, self._conversation.record) & following.new
        return spellings.find_apart(self._run.link, headers, self._conversation.record)


def _check_that_it_ends(run: Run) -> None:
    """Raise Endless where a list brings the same records again and again, with new tokens and new datestamps (H23)."""
    limits = schedule.LIMITS.in_force
    if not run.token or run.pages & (run.pages - 1) or run.listed <= limits.min_excess:
        return
    different = remote_headers.of_provider(run.link).count()
    if run.listed > limits.max_excess * different + limits.min_excess:
        raise Endless(FaultCode.MORE_THAN_DIFFERENT, {"listed": run.listed, "different": different})


def _count_new(entries: Sequence[ReceivedEntry], stored: StoredVersions) -> int:
    return len(entries) - len(stored)


def _prepare_part(
    entries: Sequence[ReceivedEntry], source: EntrySource, stored: StoredVersions, processes: ReadPool | None
) -> PreparedPage:
    try:
        return prepare_entries.prepare_page(entries, source, stored, processes)
    finally:
        connections.close_all()  # of this thread, should it have had to load a newer dictionary


# --- The run's first request ------------------------------------------------------------------------


def _check_prefix(prefix: str, conversation: Conversation) -> None:
    """Raise RefusedByProvider where the prefix brings something else than ISO 19139 (H1, H2)."""
    try:
        offered = conversation.formats()
    except HarvestError:
        return  # the list tells
    if fault := answers.find_prefix_fault(offered, prefix):
        raise fault


def _request_arguments(run: Run, provider: Provider) -> dict[str, str]:
    """The arguments of the run's next request; the verb is that of its strategy (W18)."""
    verb = "ListIdentifiers" if run.strategy == Link.Strategy.IDENTIFIERS else "ListRecords"
    if run.token:
        return {"verb": verb, "resumptionToken": run.token}
    arguments = {"verb": verb, "metadataPrefix": provider.prefix}
    if provider.remote_set:
        arguments["set"] = provider.remote_set
    for name, bound in (("from", run.list_from), ("until", run.list_until)):
        if bound is not None:
            arguments[name] = datestamps.write(bound, Granularity(run.granularity))
    return arguments
