"""Turn a link to another provider of its set, and back (W31, W32, W37).

Each provider has a place of its own, on its own clock; none is carried over to another. A provider that is new to the
link is asked for its whole list; one that comes back goes on from its place, where that is safe. In either case all
headers are compared afterwards, and nothing goes by absence.

Ask the own providers of links that others serve whether they answer again (W37). Storing nothing but that.
"""

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from catalogue.datestamps import Granularity
from catalogue.models import Membership
from harvester import schedule
from harvester.errors import HarvestError
from harvester.models import Alternative, Conflict, Link, Run, Standby
from harvester.net import client
from harvester.protocol.conversation import Conversation
from harvester.rows import remote_headers
from harvester.runs import lifecycle

logger = logging.getLogger(__name__)

MAX_DOUBTED = 1000  # chosen: so many GetRecord requests cost less than a whole list
_PLACE = ("harvested_to", "first_response", "newest", "granularity", "deleted_record")
_NO_PLACE = {"harvested_to": None, "first_response": None, "newest": None}


@transaction.atomic
def switch(link: Link, to: Alternative | None) -> Link | None:
    """Turn to an alternative, or to the link's own provider (None). The link as it is then; None if it serves already.

    The link is due at once.
    """
    # The run before the link, as workers lock them; a page under way finds `restarts` moved on, and is dropped.
    list(Run.objects.select_for_update().filter(link=link, state=Run.State.OPEN))
    held = Link.objects.select_for_update(of=("self",)).select_related("local_set", "serving").get(pk=link.pk)
    if held.serving_id == (to.pk if to else None):
        return None
    now = timezone.now()
    standby = held.standbys.filter(alternative=to).first()
    goes_on, doubted = False, dict[str, str]()
    if standby is not None and _remembers(held, standby, now):
        doubted = _doubted(held, standby.left)
        goes_on = len(doubted) <= MAX_DOUBTED
    _leave(held, now)
    if standby is not None:
        standby.delete()
    place = {name: getattr(standby, name) for name in _PLACE} if goes_on else _NO_PLACE
    for name, value in place.items():
        setattr(held, name, value)
    granularity = Granularity(held.granularity or Granularity.SECOND)
    lifecycle.start_over(held, since=held.list_from(granularity))
    if goes_on:
        remote_headers.mark_doubtful(held, to, doubted)
    else:
        remote_headers.begin_anew(held, to)
    Link.objects.filter(pk=link.pk).update(
        **place,
        serving=to,
        serving_since=now,
        failing_since=None,
        failures=0,
        skew_s=None,
        set_state="",
        set_checked=None,
        compared_to=None,
        reconciles=True,
        next_slice=None,  # the comparison begins when the list has come
        next_due=now,
    )
    logger.warning(
        "link turned to another provider",
        extra={"link": link.name, "provider": str(to or "its own"), "goes_on": goes_on, "doubted": len(doubted)},
    )
    return Link.objects.select_related("local_set", "serving").get(pk=link.pk)


def _leave(link: Link, now: datetime) -> None:
    """Write down how far the link has come with the provider that it turns away from."""
    Standby.objects.update_or_create(
        link=link,
        alternative=link.serving,
        defaults={name: getattr(link, name) for name in _PLACE} | {"left": now},
    )


def _remembers(link: Link, standby: Standby, now: datetime) -> bool:
    """Whether the provider still tells all that has happened there since the link left it (H15)."""
    if standby.harvested_to is None or standby.first_response is None:
        return False
    return not schedule.silence_days(
        standby.first_response, now, standby.deleted_record, link.tombstone_days, link.interval_s
    )


def _doubted(link: Link, since: datetime) -> dict[str, str]:
    """What was changed in the link's set, or disputed, since then: identifiers by key, one too many at most.

    A provider that had no part in it may say otherwise and would not list it, as nothing has changed there.
    """
    since = since.replace(microsecond=0)
    changed = Membership.objects.filter(set=link.local_set, datestamp__gte=since)
    disputed = Conflict.objects.filter(link=link, last_seen__gte=since)
    return dict(
        [
            *changed.values_list("record__key", "record__identifier")[: MAX_DOUBTED + 1],
            *disputed.values_list("key", "identifier")[: MAX_DOUBTED + 1],
        ]
    )


def forget(alternative: Alternative) -> None:
    """What an alternative is has changed: its place counts no more, and what it is asked for is asked anew."""
    link = alternative.link
    link.standbys.filter(alternative=alternative).delete()
    if link.serving_id != alternative.pk:
        return
    with transaction.atomic():
        lifecycle.start_over(link)
        held = Link.objects.select_for_update(of=("self",)).get(pk=link.pk)
        remote_headers.begin_anew(held, alternative)
        Link.objects.filter(pk=held.pk).update(
            **_NO_PLACE,
            set_state="",
            set_checked=None,
            compared_to=None,
            reconciles=True,
            next_slice=None,
            next_due=timezone.now(),
        )


# --- Of itself --------------------------------------------------------------------------------------


def switch_failing(now: datetime) -> list[Link]:
    """Turn the links whose provider has failed for too long to another one; those that were turned.

    An alternative that fails is left for the link's own provider, if that answers again, else for the next one.
    """
    turned = []
    failing = Link.objects.filter(enabled=True, switch_after_h__gt=0, failing_since__isnull=False)
    for link in failing.select_related("serving"):
        assert link.failing_since is not None
        if now - link.failing_since < timedelta(hours=link.switch_after_h):
            continue
        own_answers = own_answers_since(link, now) is not None
        following = None if own_answers else next_alternative(link)
        if (own_answers or following is not None) and switch(link, following):
            turned.append(link)
    return turned


def return_answering(now: datetime) -> list[Link]:
    """Turn the links back whose own provider has answered for as long as they ask; those that were turned."""
    turned = []
    away = Link.objects.filter(enabled=True, return_after_h__gt=0, serving__isnull=False)
    for link in away:
        since = own_answers_since(link, now)
        if since is not None and now - since >= timedelta(hours=link.return_after_h) and switch(link, None):
            turned.append(link)
    return turned


def next_alternative(link: Link) -> Alternative | None:
    """Whom to turn to next: the one after the one that serves; after the last, the first. None if there is no other."""
    others = list(link.alternatives.all())
    if link.serving is not None:
        after = [other for other in others if other.position > link.serving.position]
        others = [*after, *(other for other in others if other.position < link.serving.position)]
    return others[0] if others else None


# --- Words ------------------------------------------------------------------------------------------


def describe_provider(link: Link) -> str:
    """Who serves the link, as the operator is told; empty for its own provider."""
    if link.serving is None or link.serving_since is None:
        return ""
    return f"by relay {link.serving} since {link.serving_since:%Y-%m-%d %H:%M}"


def next_list(link: Link) -> str:
    """What a link that has just turned asks its provider for."""
    if link.harvested_to is None:
        return "the whole list is asked for, then all headers are compared; nothing is deleted by absence"
    return (
        f"it goes on from where it was with that provider ({link.harvested_to:%Y-%m-%d %H:%M:%S}), then all headers are "
        "compared; nothing is deleted by absence"
    )


def way_back(link: Link) -> str:
    """How it stands with the link's own provider while another one serves it; empty while it serves itself."""
    if link.serving is None:
        return ""
    standby = link.standbys.filter(alternative=None).first()
    if standby is None or standby.probed is None:
        return "its own provider has not been asked yet"
    if standby.answers_since is None:
        return f"its own provider does not answer ({standby.probed:%Y-%m-%d %H:%M}): {standby.fault}"
    answers = f"its own provider has answered since {standby.answers_since:%Y-%m-%d %H:%M}"
    if not link.return_after_h:
        return f"{answers}; turn back by hand"
    due = standby.answers_since + timedelta(hours=link.return_after_h)
    return f"{answers}; the link returns to it at {due:%Y-%m-%d %H:%M}, if it goes on so"


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
        with client.new_session(link.access_to_own_provider()) as session:
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
    if not link.is_served_by_alternative:
        return None
    standby = link.standbys.filter(alternative=None, probed__gte=now - _STALE).first()
    return standby.answers_since if standby is not None else None
