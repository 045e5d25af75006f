"""How far a list has come, and whether it ever ends (H23). No network, no database."""

import hashlib
from dataclasses import dataclass

from harvester.errors import Endless, FaultCode
from harvester.protocol.answers import Page
from harvester.schedule import RunLimits


@dataclass(frozen=True, slots=True)
class LoopMark:
    """The token and the page digest that later pages are compared with, to find a list without end (H23)."""

    token: str
    page: bytes


@dataclass(frozen=True, slots=True)
class RunPosition:
    """How far a list has come: pages and entries before, the token of the next page, and the mark."""

    pages: int
    listed: int
    token: str
    mark: LoopMark


def next_loop_mark(position: RunPosition, page: Page, limits: RunLimits) -> LoopMark:
    """The mark to compare later pages with. Raises Endless where the list repeats itself or does not end (H23).

    One mark is enough to find any loop, if it is moved on at the 1st, 2nd, 4th, 8th ... page (Brent).
    """
    digest = hashlib.sha256()
    for received in page.entries:
        header = received.header
        digest.update(repr((header.identifier, header.datestamp, header.deleted)).encode())
    number = position.pages + 1
    listed = position.listed + len(page.entries)
    if page.token is not None:
        if page.token in (position.token, position.mark.token):
            raise Endless(FaultCode.TOKEN_REPEATED, {"page": number})
        if number > limits.max_pages:
            raise Endless(FaultCode.LIST_TOO_LONG, {"pages": limits.max_pages})
        if page.list_size and listed > limits.max_excess * page.list_size + limits.min_excess:
            raise Endless(FaultCode.MORE_THAN_ANNOUNCED, {"listed": listed, "announced": page.list_size})
        if position.pages and page.entries and position.mark.page == digest.digest():
            raise Endless(FaultCode.PAGE_REPEATED, {"page": number})
    if number & (number - 1) == 0:
        return LoopMark(page.token or "", digest.digest())
    return position.mark
