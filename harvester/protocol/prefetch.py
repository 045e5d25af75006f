"""Wait for a provider, and request the next page of a list before the last one is parsed: the provider works while we parse.

The token of a page stands at its end, where it can be found without parsing the page. It is only used to request early:
the page is parsed strictly all the same, and an answer that the parsed token does not call for is dropped. One page is
fetched ahead at most, and only if the last page was valid and its parsed token was the one found at its end. All
requests go through one thread, so a provider is never asked two things at once (H4).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from catalogue import seams
from harvester.net.client import Reply
from harvester.protocol import list_checks

MAX_BYTES = 32 * 1024 * 1024  # chosen: of a page; beside a larger one nothing is fetched, so that memory stays bounded

Fetch = Callable[[Mapping[str, str]], Reply]
Result = TypeVar("Result")

_END_BYTES = 8192  # chosen: the page of a longer token is not fetched early
_AT_END = re.compile(
    rb"<(?:[\w.\-]+:)?resumptionToken(?:\s[^<>]*)?>([!-%'-;=?-~]+)</(?:[\w.\-]+:)?resumptionToken\s*>\s*"
    rb"</(?:[\w.\-]+:)?List(?:Records|Identifiers)\s*>\s*</(?:[\w.\-]+:)?OAI-PMH\s*>\s*\Z"
)


def token_at_end(body: bytes) -> str | None:
    """Return the resumption token at the end of a list page, if it has plain characters only. Only a guess."""
    end = body[-_END_BYTES:]
    # The element begins at the last mark but one of its name: searching for the pattern from everywhere takes 2 ms.
    opening = end.rfind(b"resumptionToken", 0, max(end.rfind(b"resumptionToken"), 0))
    found = _AT_END.match(end, end.rfind(b"<", 0, opening)) if opening > 0 else None
    token = found.group(1).decode("ascii") if found else None
    return None if token == list_checks.CSW_END else token


@dataclass
class Turn:
    """The turn of a worker that waits for its provider as long as that takes: of commands. `until`: of `seams.monotonic`.

    That of a worker which meanwhile works on other runs is `harvester.runs.shared_worker.SharedTurn`. Only it has
    `is_wanted`, whether another run of its process waits, and calls `on_asking` where a thread beside that of the run
    waits for the provider longer than a moment: the thread of the run then calls `lend_worker`.
    """

    until: float
    on_asking: Callable[[], object] = lambda: None
    is_wanted: ClassVar[bool] = False

    @property
    def is_over(self) -> bool:
        """Whether no further page is to be asked for."""
        return seams.monotonic() >= self.until

    def result_of(self, request: Future[Result]) -> Result:
        """Wait for the result of a request to the provider. Raises what the request raised."""
        return request.result()

    def results_of(self, requests: Sequence[Future[Result]]) -> list[Result]:
        """Wait for the results of requests that are under way side by side. Raises what the first to fail raised."""
        return [self.result_of(request) for request in requests]

    def lend_worker(self) -> None:
        """Let the worker take another run, if this one waits for its provider."""

    def pause(self) -> None:
        """Let others of this process go first. Called between two pages, outside of a transaction."""


class Prefetcher(AbstractContextManager["Prefetcher"]):
    """The requests of one conversation. Nothing is fetched early once the turn is over."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._guesses_well = True
        self._thread = seams.thread_pool(1)
        self._pending: tuple[dict[str, str], Future[Reply]] | None = None
        self._token_at_end: str | None = None  # of the last page

    def __exit__(self, *_: object) -> None:
        if self._pending is not None and not self._pending[1].cancel():
            with suppress(Exception):  # nobody asks for this answer any more
                self._turn.result_of(self._pending[1])
        self._thread.shutdown(cancel_futures=True)

    def get(self, fetch: Fetch, arguments: Mapping[str, str]) -> Reply:
        """Return the answer to a request, which may be under way already. Raises what `fetch` does."""
        if not arguments["verb"].startswith("List"):
            return self._turn.result_of(self._thread.submit(fetch, arguments))
        # What is asked for now is the parsed token of the last page: is it the one that was found at its end?
        is_trusted = self._token_at_end is not None and arguments.get("resumptionToken") == self._token_at_end
        pending, self._pending = self._pending, None
        if pending is not None and pending[0] == arguments:
            reply = self._turn.result_of(pending[1])
        else:
            self._guesses_well = self._guesses_well and pending is None  # after a wrong guess nothing is fetched early
            reply = self._turn.result_of(self._thread.submit(fetch, arguments))
        self._token_at_end = token_at_end(reply.body)
        in_bounds = len(reply.body) <= MAX_BYTES and not self._turn.is_over
        if self._token_at_end is not None and is_trusted and self._guesses_well and in_bounds:
            next_arguments = {**arguments, "resumptionToken": self._token_at_end}
            self._pending = next_arguments, self._thread.submit(fetch, next_arguments)
        return reply

    def is_fetching(self, token: str) -> bool:
        """Whether the page of this token is under way: then it must be used, as the token may be good only once."""
        return self._pending is not None and self._pending[0]["resumptionToken"] == token

    def distrust(self) -> None:
        """Drop what was fetched early, as the last page could not be parsed: its end says nothing."""
        self._token_at_end, self._pending = None, None
