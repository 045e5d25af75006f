"""The pages of a list, fetched and read in a thread of their own while others are stored."""

import hashlib
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Semaphore
from typing import Self

from django.db import connections

from harvester import ahead, schedule
from harvester.conversation import Conversation
from harvester.errors import Endless
from harvester.parse import Page

_READ_AHEAD = 2  # chosen: pages read, or being read, that nobody has taken yet; all of them are in memory


@dataclass(frozen=True, slots=True)
class Mark:
    """The token and the page that further ones are compared with (H23)."""

    token: str
    page: bytes


@dataclass(frozen=True, slots=True)
class Place:
    """How far a list has come: so many pages and entries, the token that goes on, and the mark."""

    pages: int
    listed: int
    token: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Read:
    """A page, the place before it, and the mark to go on with."""

    page: Page
    before: Place
    mark: Mark


class Reading:
    """Reads pages until the list ends, or the time (of `time.monotonic`) is over, or the block is left.

    What has been asked for when the time is over is still read: a token may be good only once.
    """

    def __init__(
        self, provider: Conversation, line: ahead.Line, arguments: Mapping[str, str], place: Place, *, until: float
    ) -> None:
        self._provider, self._line, self._until = provider, line, until
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._read: SimpleQueue[Read | Exception | None] = SimpleQueue()
        self._room = Semaphore(_READ_AHEAD)
        self._is_left = False
        self._thread.submit(self._go_on, arguments, place)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_left = True
        self._room.release()
        self._thread.shutdown()

    def __iter__(self) -> Iterator[Read | None]:
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

    def _go_on(self, arguments: Mapping[str, str], place: Place) -> None:
        try:
            goes_on = True
            while goes_on:
                self._room.acquire()
                if self._is_left:
                    return
                page = self._provider.page(arguments)
                read = Read(page, place, mark_of(place, page))
                token = page.token or ""
                goes_on = bool(token) and (time.monotonic() < self._until or self._line.has_asked(token))
                self._read.put(read)
                place = Place(place.pages + 1, place.listed + len(page.entries), token, read.mark)
                arguments = {"verb": arguments["verb"], "resumptionToken": token}
            self._read.put(None)
        except Exception as exc:
            self._read.put(exc)
        finally:
            connections.close_all()  # of this thread: pages are compared with what is held


def mark_of(place: Place, page: Page) -> Mark:
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
        return Mark(page.token or "", digest.digest())
    return place.mark
