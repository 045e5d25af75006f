"""Look for the set that a link asks for among the sets of its provider: an unknown one and an empty one answer alike (H17)."""

import logging
from datetime import timedelta

from catalogue import seams
from harvester.errors import FaultCode, RefusedByProvider
from harvester.models import Link, Run
from harvester.protocol import probe
from harvester.protocol.conversation import Conversation
from harvester.rows import links

logger = logging.getLogger(__name__)

LOOK_EVERY = timedelta(hours=23)  # H17: at least daily, and links run by the clock


def look_before_list(run: Run, conversation: Conversation) -> None:
    """Look for the set before the link's first list and once a day; while the provider lacks it, before each list.

    A set that is missing is asked for all the same.
    """
    link = run.link
    is_recent = link.set_checked is not None and seams.now() - link.set_checked < LOOK_EVERY
    if (link.set_state in Link.LACKING or not is_recent) and link.provider.remote_set:
        _look(run, conversation)


def look_after_empty_list(run: Run, conversation: Conversation) -> None:
    """Look for the set if nothing of it was seen in this run: then the empty list does not say that it is still there."""
    link = run.link
    was_there = link.set_state == Link.SetState.LISTED or (link.has_unlisted_set and run.list_from is None)
    is_looked_for = link.set_checked is not None and link.set_checked >= run.begun
    if was_there and not (run.compares or is_looked_for or conversation.has_seen_records):
        _look(run, conversation)


def is_missing(run: Run, conversation: Conversation) -> bool:
    """Whether the provider, which has refused the list, lacks the set."""
    if run.link.provider.remote_set:
        _look(run, conversation)
    return run.link.lacks_remote_set


def fault(link: Link) -> RefusedByProvider:
    """The fault of a link whose provider lacks the set (H2, H17, H18)."""
    return RefusedByProvider(FaultCode.SET_MISSING, link.set_facts)


def _look(run: Run, conversation: Conversation) -> None:
    link = run.link
    found = probe.set_state(conversation, link.provider.remote_set)
    if found in Link.LACKING and (
        conversation.has_seen_records or (link.has_unlisted_set and run.list_from is not None)
    ):
        found = Link.SetState.UNLISTED
    links.record_set_state(link, set_state=found, checked=seams.now())
    if found in Link.LACKING:
        facts = {"set": link.provider.remote_set, "state": link.set_state}
        logger.error("remote set is not listed", extra=facts)
