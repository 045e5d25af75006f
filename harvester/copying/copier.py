"""Copy the list of a provider into a folder, page by page, and go on where the last call ended.

The first list is whole; the next ones begin where the copy is complete, by the provider's clock and with the overlap of a
link. A list that was broken off goes on with its resumption token.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.utils.translation import gettext, ngettext

from catalogue import datestamps, oai, seams
from catalogue.datestamps import Granularity
from catalogue.reasons import Reason
from harvester import messages, schedule
from harvester.copying.folder import OUTCOMES, CopiedRecord, CopyFolder
from harvester.errors import FaultCode, HarvestError, RefusedByProvider, Retry, TokenLost, is_fault_of_page
from harvester.messages import OutcomeCode
from harvester.models import Link
from harvester.net.access import Access
from harvester.net.client import Session
from harvester.protocol import answers, probe
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.protocol.conversation import Conversation
from harvester.protocol.list_checks import ListChecker
from harvester.protocol.prefetch import Prefetcher, Turn
from harvester.reasons import EntryCode
from harvester.runs.run_position import LoopMark, RunPosition, next_loop_mark

Report = Callable[[str], None]
Answer = TypeVar("Answer")

_PROGRESS_S = 1  # chosen: between two lines


@dataclass(frozen=True, slots=True)
class CopyRequest:
    """What is copied: of which provider, which set ("": all), by which prefix, and whether files are compressed."""

    base_url: str
    remote_set: str
    prefix: str
    is_compressed: bool


@dataclass(frozen=True, slots=True)
class ListBounds:
    """What a call asks for: datestamps from and until, both inclusive, each with its granularity; None: not limited."""

    begin: tuple[datetime, Granularity] | None = None
    end: tuple[datetime, Granularity] | None = None

    @property
    def last(self) -> datetime | None:
        """The last second that `end` includes."""
        return None if self.end is None else datestamps.end_of(*self.end) - timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class CompleteList:
    """The last complete list, as a link stores it. `harvested_to`: the copy is complete up to here."""

    harvested_to: str
    first_response: str
    first_asked: str
    newest: str | None
    granularity: str


@dataclass(slots=True)
class OpenList:
    """The list that is being copied, and how far it has come. Datestamps as text, as all of it is stored as JSON."""

    granularity: str
    is_promised: bool
    list_from: str | None
    list_until: str | None
    first_asked: str
    first_response: str | None = None
    newest: str | None = None
    token: str = ""
    pages: int = 0
    listed: int = 0
    list_size: int | None = None
    marked_token: str = ""
    marked_page: str = ""
    by_headers: bool = False
    restarts: int = 0

    def start_again(self, *, by_headers: bool) -> None:
        """Ask for the list from its first page. Its first responseDate stays only where it is read as headers."""
        self.first_response = self.first_response if by_headers else None
        self.token, self.pages, self.listed, self.list_size = "", 0, 0, None
        self.marked_token = self.marked_page = ""
        self.by_headers = self.by_headers or by_headers
        self.restarts += 1


class Copier:
    """One call of the command. `report` gets a line for each page and each fault; `delay_s`: between two requests."""

    def __init__(
        self,
        folder: CopyFolder,
        request: CopyRequest,
        access: Access,
        *,
        delay_s: float = 0,
        first_wait_s: float,
        report: Report,
    ) -> None:
        self.counted: Counter[str] = Counter()
        self.warnings: tuple[str, ...] = ()
        self._folder, self._request, self._access = folder, request, access
        self._delay_s, self._first_wait_s, self._report = delay_s, first_wait_s, report
        self._prefetcher: Prefetcher | None = None
        self._next_line = 0.0

    @property
    def summary(self) -> str:
        """What this call has stored, as "3 new, 1 deleted"."""
        texts = {
            "new": gettext("{number} new"),
            "changed": gettext("{number} changed"),
            "deleted": gettext("{number} deleted"),
            "unchanged": gettext("{number} unchanged"),
            "refused": gettext("{number} refused"),
        }
        counted = (texts[name].format(number=self.counted[name]) for name in OUTCOMES if self.counted[name])
        return ", ".join(counted) or gettext("nothing new")

    def copy(self, bounds: ListBounds) -> None:
        """Copy what is new. Raises HarvestError where that has to wait for another call; what came until then is stored."""
        # With a pause between requests, none is sent ahead.
        ahead = nullcontext() if self._delay_s else Prefetcher(Turn(float("inf")))
        with Session(self._access) as session, ahead as self._prefetcher:
            conversation = self._conversation(session)
            try:
                self._copy(conversation, bounds)
            finally:
                self.warnings = conversation.warnings

    def _conversation(self, session: Session) -> Conversation:
        return Conversation(session, self._request.base_url, self._request.prefix, prefetcher=self._prefetcher)

    def _copy(self, conversation: Conversation, bounds: ListBounds) -> None:
        if not self._request.prefix:
            prefix = _choose_prefix(self._try(conversation.formats))
            self._request, conversation.prefix = replace(self._request, prefix=prefix), prefix
        self._folder.write_state("request", asdict(self._request))
        text = (
            gettext("copies {prefix} of {remote_set}")
            if self._request.remote_set
            else gettext("copies {prefix} of all sets")
        )
        self._report(text.format(prefix=self._request.prefix, remote_set=self._request.remote_set))
        kept = self._folder.load("list")
        if kept is not None:
            open_list = OpenList(**kept)
            text = ngettext(
                "goes on after {pages} page of the list that was begun at {begun}",
                "goes on after {pages} pages of the list that was begun at {begun}",
                open_list.pages,
            )
            self._report(text.format(pages=open_list.pages, begun=open_list.first_asked))
        else:
            self._ask_for_refused(conversation)
            found = self._begin_list(conversation, bounds)
            if found is None:
                self._report(
                    gettext("is complete up to {end}").format(end=datestamps.write(bounds.last))
                    if bounds.last
                    else gettext("is complete")
                )
                return
            open_list = found
        while not self._take_list(conversation, open_list):
            pass

    # --- Begin ------------------------------------------------------------------------------------------

    def _begin_list(self, conversation: Conversation, bounds: ListBounds) -> OpenList | None:
        """Decide what is asked for, as a link does (H7 to H9, H48); None if the copy is complete up to its end."""
        identity = self._try(conversation.identify)
        if identity.deleted_record == "no":
            self._report(gettext("the provider keeps no deletions: what it drops stays in the copy"))
        now, granularity = seams.now().replace(microsecond=0), identity.granularity
        stored = self._folder.load("complete")
        begin = None if bounds.begin is None else bounds.begin[0]
        if stored is not None:
            last = CompleteList(**stored)
            harvested_to = _read(last.harvested_to)
            if bounds.last is not None and harvested_to >= bounds.last and begin is None:
                return None
            same = granularity if granularity == last.granularity else Granularity.DAY
            next_begin = schedule.list_from(harvested_to, same, schedule.DEFAULT_OVERLAP_S)
            by_clock, stepped_back_s = schedule.by_our_clock(
                *(_read(last.first_response), _read(last.first_asked), identity.list_date, now),
                schedule.DEFAULT_OVERLAP_S,
            )
            assert next_begin is not None
            next_begin = min(next_begin, schedule.begin_of(by_clock, granularity))
            if stepped_back_s:
                text = gettext("the provider's clock was set back by {seconds} s; asks from {begin}")
                self._report(text.format(seconds=stepped_back_s, begin=_write(next_begin)))
            begin = next_begin if begin is None else min(begin, next_begin)
        return OpenList(
            granularity=granularity,
            is_promised=identity.is_promised,
            list_from=_write_or_none(begin),
            list_until=_write_or_none(bounds.last),
            first_asked=_write(now),
        )

    def _ask_for_refused(self, conversation: Conversation) -> None:
        """Ask again for the records whose last version could not be stored."""
        records = []
        for identifier, fault in self._folder.refused():
            try:
                records.append(_copied(conversation.record(identifier)))
            except HarvestError as exc:
                text = gettext("{identifier} is still refused: {fault}; asked for by itself: {reason}")
                self._report(text.format(identifier=identifier, fault=fault, reason=exc))
        self._store(records, {})

    # --- Pages ------------------------------------------------------------------------------------------

    def _take_list(self, conversation: Conversation, open_list: OpenList) -> bool:
        """Copy pages to the end of the list; False if it has to be started again. Raises HarvestError."""
        granularity = Granularity(open_list.granularity)
        begin, end = _read_or_none(open_list.list_from), _read_or_none(open_list.list_until)
        conversation.list_checker = ListChecker(
            self._request.remote_set,
            start=begin,
            end=None if end is None else datestamps.end_of(end, granularity),
            received=open_list.listed,
            list_size=open_list.list_size,
        )
        try:
            while True:
                arguments = self._arguments(open_list, begin, end)
                page = self._try(lambda: conversation.page(arguments), page=open_list.pages + 1)  # noqa: B023
                self._check_set(conversation, open_list, page)
                if self._store_page(conversation, open_list, page):
                    return True
        except HarvestError as exc:
            is_whole = not open_list.by_headers
            if isinstance(exc, TokenLost) and open_list.restarts < schedule.MAX_RESTARTS:
                self._start_again(open_list, exc, OutcomeCode.LIST_RESTARTED)
            elif is_whole and is_fault_of_page(exc, pages=open_list.pages, is_identified=True):
                self._start_again(open_list, exc, OutcomeCode.RESTARTED_BY_HEADERS)
            else:
                if isinstance(exc, RefusedByProvider) and not open_list.pages:
                    self._look_for_set(conversation, exc)
                raise
            return False

    def _arguments(self, open_list: OpenList, begin: datetime | None, end: datetime | None) -> dict[str, str]:
        verb = "ListIdentifiers" if open_list.by_headers else "ListRecords"
        if open_list.token:
            return {"verb": verb, "resumptionToken": open_list.token}
        arguments = {"verb": verb, "metadataPrefix": self._request.prefix}
        if self._request.remote_set:
            arguments["set"] = self._request.remote_set
        for name, bound in (("from", begin), ("until", end)):
            if bound is not None:
                arguments[name] = datestamps.write(bound, Granularity(open_list.granularity))
        return arguments

    def _check_set(self, conversation: Conversation, open_list: OpenList, page: Page) -> None:
        """Raise RefusedByProvider where an empty first list is that of a set which the provider does not have (H17)."""
        is_empty = not (page.entries or page.token or open_list.pages)
        if is_empty and not self._folder.live:
            self._look_for_set(conversation, None)

    def _look_for_set(self, conversation: Conversation, refusal: HarvestError | None) -> None:
        if not self._request.remote_set:
            return
        state = probe.set_state(conversation, self._request.remote_set)
        if state in Link.LACKING:
            facts = {"set": self._request.remote_set, "state": str(state)}
            raise RefusedByProvider(FaultCode.SET_MISSING, facts) from refusal

    def _store_page(self, conversation: Conversation, open_list: OpenList, page: Page) -> bool:
        """Store a page with the position after it; whether it was the last. Raises the fault beside its entries (F39)."""
        mark = LoopMark(open_list.marked_token, bytes.fromhex(open_list.marked_page))
        position = RunPosition(open_list.pages, open_list.listed, open_list.token, mark)
        mark = next_loop_mark(position, page, schedule.LIMITS.in_force)
        records = list(self._records(conversation, page, by_headers=open_list.by_headers))
        if page.fault is not None:
            self._store(records, {})
            raise page.fault
        if open_list.first_response is None:
            open_list.first_response = _write(page.response_date)
        open_list.token, open_list.list_size = page.token or "", page.list_size
        open_list.pages, open_list.listed = open_list.pages + 1, open_list.listed + len(page.entries)
        open_list.marked_token, open_list.marked_page = mark.token, mark.page.hex()
        open_list.newest = _newest(open_list, page)
        is_last = page.token is None
        self._store(
            records,
            {"complete": self._complete(open_list), "list": None} if is_last else {"list": asdict(open_list)},
        )
        if is_last or seams.monotonic() >= self._next_line:
            self._next_line = seams.monotonic() + _PROGRESS_S
            text = (
                gettext("page {page}: {listed} records listed; {summary}")
                if page.list_size is None
                else gettext("page {page}: {listed} of {list_size} records listed; {summary}")
            )
            facts = {"page": open_list.pages, "listed": open_list.listed, "list_size": page.list_size}
            self._report(text.format(**facts, summary=self.summary))
        return is_last

    def _records(self, conversation: Conversation, page: Page, *, by_headers: bool) -> Iterator[CopiedRecord]:
        for entry in page.entries:
            header = entry.header
            if not header.identifier:
                self.counted["refused"] += 1
                self._report(gettext("refused: a record that {reason}").format(reason=Reason(EntryCode.NO_IDENTIFIER)))
            elif not by_headers or header.deleted:
                yield _copied(entry)
            elif not self._folder.is_current(header.identifier, header.datestamp):
                yield self._single(conversation, header.identifier, entry)

    def _single(self, conversation: Conversation, identifier: str, entry: ReceivedEntry) -> CopiedRecord:
        try:
            return _copied(self._try(lambda: conversation.record(identifier)))
        except Retry:
            raise
        except HarvestError as exc:
            return _copied(entry)._replace(content=None, fault=exc)

    def _store(self, records: list[CopiedRecord], states: dict[str, dict[str, Any] | None]) -> None:
        for record in records:
            if record.fault:
                text = gettext("refused: {identifier} {reason}")
                self._report(text.format(identifier=record.identifier, reason=record.fault))
        self.counted.update(self._folder.store(records, states, is_compressed=self._request.is_compressed))

    def _complete(self, open_list: OpenList) -> dict[str, Any]:
        """Return the state of a complete list: up to where the copy is complete now, which never goes back."""
        assert open_list.first_response is not None
        stored = self._folder.load("complete")
        newest = open_list.newest or (stored["newest"] if stored else None)
        lateness_h = 0 if open_list.is_promised else schedule.DEFAULT_LATENESS_H
        harvested_to = schedule.complete_to(_read(open_list.first_response), _read_or_none(newest), lateness_h)
        end = _read_or_none(open_list.list_until)
        return asdict(
            CompleteList(
                _write(harvested_to if end is None else min(harvested_to, end)),
                open_list.first_response,
                open_list.first_asked,
                newest,
                open_list.granularity,
            )
        )

    # --- Faults -----------------------------------------------------------------------------------------

    def _try(self, ask: Callable[[], Answer], *, page: int | None = None) -> Answer:
        """Return the answer to a request, asked for again after a wait as a link does (H21, H26). Raises HarvestError."""
        attempt = 0
        while True:
            if self._delay_s:
                seams.sleep(self._delay_s)
            try:
                return ask()
            except Retry as exc:
                attempt += 1
                if attempt >= schedule.MAX_ATTEMPTS:
                    raise
                wait_s = schedule.retry_wait_s(attempt, exc.retry_after_s, first_s=self._first_wait_s)
                facts = {"cause": exc.to_json(), "wait_s": wait_s, "attempt": attempt}
                facts |= {"max_attempts": schedule.MAX_ATTEMPTS} | ({} if page is None else {"page": page})
                self._report(messages.describe_outcome(OutcomeCode.POSTPONED, facts))
                seams.sleep(wait_s)

    def _start_again(self, open_list: OpenList, error: HarvestError, code: OutcomeCode) -> None:
        facts = {"cause": error.to_json(), "pages": open_list.pages, "restart": open_list.restarts + 1}
        self._report(messages.describe_outcome(code, {**facts, "max_restarts": schedule.MAX_RESTARTS}))
        open_list.start_again(by_headers=code == OutcomeCode.RESTARTED_BY_HEADERS)
        self._folder.write_state("list", asdict(open_list))


def _copied(entry: ReceivedEntry) -> CopiedRecord:
    header = entry.header
    fault = None
    if not header.deleted and (entry.fault is not None or entry.metadata is None):
        fault = entry.fault or Reason(EntryCode.NO_METADATA)
    content = None if fault or header.deleted else entry.metadata
    return CopiedRecord(header.identifier, header.datestamp, header.set_specs, content, header.deleted, fault)


def _choose_prefix(offered: list[answers.Format]) -> str:
    """Return the prefix of ISO 19139 where that is offered (F48, W2), else the one that every provider has (P61)."""
    prefixes = answers.iso_prefixes(offered)
    return oai.ISO19139 if oai.ISO19139 in prefixes else next(iter(prefixes), oai.OAI_DC)


def _newest(open_list: OpenList, page: Page) -> str | None:
    """Return the largest datestamp of the list; those of more than a day in the provider's future do not count (H8)."""
    assert open_list.first_response is not None
    limit = _read(open_list.first_response) + timedelta(days=1)
    stamps = [entry.header.stamp for entry in page.entries if entry.header.stamp and entry.header.stamp <= limit]
    before = _read_or_none(open_list.newest)
    return _write_or_none(max(stamps if before is None else [before, *stamps], default=None))


_write = datestamps.write


def _read(text: str) -> datetime:
    return datestamps.parse(text)[0]


def _read_or_none(text: str | None) -> datetime | None:
    return None if text is None else _read(text)


def _write_or_none(stamp: datetime | None) -> str | None:
    return None if stamp is None else _write(stamp)
