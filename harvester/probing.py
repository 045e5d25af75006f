"""Ask the own providers of links that others serve whether they answer again (W37). Storing nothing but that."""

import logging
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from harvester import client
from harvester.conversation import Conversation
from harvester.errors import HarvestError
from harvester.models import Link, Standby

logger = logging.getLogger(__name__)

EVERY = timedelta(minutes=10)  # chosen
_STALE = 3 * EVERY  # chosen: an answer as old as that says nothing of now


def take_due(now: datetime) -> list[Standby]:
    """The own providers that it is time to ask. Each is taken once, however many look."""
    due = Standby.objects.filter(
        Q(next_probe__isnull=True) | Q(next_probe__lte=now),
        alternative=None,
        link__enabled=True,
        link__serving__isnull=False,
    )
    return [
        standby
        for standby in due
        if Standby.objects.filter(pk=standby.pk, next_probe=standby.next_probe).update(next_probe=now + EVERY)
    ]


def probe(standby_id: int) -> None:
    """Ask one provider to identify itself, and write down since when it does, or why it does not."""
    standby = Standby.objects.select_related("link").filter(pk=standby_id, alternative=None).first()
    if standby is None:
        return  # the link has returned meanwhile
    link, fault = standby.link, ""
    try:
        with client.new_session(link.access_with()) as session:
            Conversation(session, link.base_url, link.prefix, limits=client.INTERACTIVE_LIMITS).identify()
    except HarvestError as exc:
        fault = str(exc)
    now = timezone.now()
    # Not across a time when it was not asked: this node may have been off.
    unbroken = standby.probed is not None and now - standby.probed < _STALE
    before = standby.answers_since if unbroken else None
    Standby.objects.filter(pk=standby.pk).update(
        answers_since=None if fault else before or now, fault=fault, probed=now
    )
    logger.info("own provider asked", extra={"link": link.name, "fault": fault})


def own_answers_since(link: Link, now: datetime) -> datetime | None:
    """Since when the link's own provider has answered whenever it was asked; None if it does not, or was not asked."""
    if link.serving_id is None:
        return None
    standby = link.standbys.filter(alternative=None, probed__gte=now - _STALE).first()
    return standby.answers_since if standby is not None else None
