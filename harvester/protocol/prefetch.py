"""Ask for the next page of a list before the last one is read: the provider works while we parse.

The token of a page stands at its end, where it can be seen without reading the page. It is only used to ask early: the
page is read strictly all the same, and an answer that its token does not call for is dropped unread. It is done only
for a provider whose last page was sound and had its token where it was looked for, and one page ahead at most. All
requests go through one thread, so a provider is never asked two things at once (H4).
"""

import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

from harvester.net.client import Reply
from harvester.protocol import list_checks

MAX_BYTES = 32 * 1024 * 1024  # chosen: of a page; a larger one is worked on alone, so that memory stays bounded

Ask = Callable[[Mapping[str, str]], Reply]

_END_BYTES = 8192  # chosen: a token that is longer is not asked for early
_AT_END = re.compile(
    rb"<(?:[\w.\-]+:)?resumptionToken(?:\s[^<>]*)?>([!-%'-;=?-~]+)</(?:[\w.\-]+:)?resumptionToken\s*>\s*"
    rb"</(?:[\w.\-]+:)?List(?:Records|Identifiers)\s*>\s*</(?:[\w.\-]+:)?OAI-PMH\s*>\s*\Z"
)


def token_at_end(body: bytes) -> str | None:
    """The resumption token at the end of a list page, if it is one of plain characters; never relied on."""
    found = _AT_END.search(body[-_END_BYTES:])
    token = found.group(1).decode("ascii") if found else None
    return None if token == list_checks.CSW_END else token


class Prefetcher:
    """The requests of one conversation. `until` (of `time.monotonic`): what is not asked by then is not asked early."""

    def __init__(self, until: float) -> None:
        self._until = until
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._coming: tuple[dict[str, str], Future[Reply]] | None = None
        self._seen: str | None = None  # at the end of the last page
        self._is_sound = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(cancel_futures=True)

    def get(self, ask: Ask, arguments: Mapping[str, str]) -> Reply:
        """The answer to a request, which may be under way already. Raises what `ask` does."""
        if not arguments["verb"].startswith("List"):
            return self._thread.submit(ask, arguments).result()
        coming, self._coming = self._coming, None
        if coming is not None and coming[0] == arguments:
            reply = coming[1].result()
        else:
            self._until = self._until if coming is None else 0  # asked for the wrong thing: not once more
            reply = self._thread.submit(ask, arguments).result()
        self._seen = token_at_end(reply.body)
        if self._may_go_on(reply, arguments):
            following = {**arguments, "resumptionToken": self._seen or ""}
            self._coming = following, self._thread.submit(ask, following)
        return reply

    def _may_go_on(self, reply: Reply, arguments: Mapping[str, str]) -> bool:
        if not self._seen or not self._is_sound or "resumptionToken" not in arguments:
            return False
        return len(reply.body) <= MAX_BYTES and time.monotonic() < self._until

    def has_asked(self, token: str) -> bool:
        """Whether the page of this token is under way: then it is to be taken, as the token may be good only once."""
        return self._coming is not None and self._coming[0]["resumptionToken"] == token

    def was_sound(self, token: str | None) -> None:
        """The last page was read strictly, and this is its token."""
        self._is_sound = token is not None and token == self._seen

    def was_broken(self) -> None:
        """The last page could not be read as it was: its end is not to be trusted, nor is what was asked for by it."""
        self._is_sound, self._coming = False, None
