"""Switch a link to another provider of its set, and back (W31, W32, W37); probe the own provider meanwhile.

Each provider has a position of its own, on its own clock; none is carried over to another. A provider that is new to
the link is asked for its whole list; one that comes back goes on from its position, where that is safe. In either case
all headers are compared afterwards, and nothing is deleted because it is not listed.
"""

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from catalogue import seams
from catalogue.datestamps import Granularity
from catalogue.models import Membership
from harvester import schedule
from harvester.errors import FaultCode, HarvestError, RefusedByProvider
from harvester.models import Alternative, Conflict, Link, Run, Standby
from harvester.net import client
from harvester.net.session import Session
from harvester.protocol.conversation import Conversation
from harvester.protocol.probe import set_state
from harvester.rows import links, remote_headers
from harvester.runs import lifecycle

logger = logging.getLogger(__name__)

MAX_DOUBTFUL = 1000  # chosen: so many GetRecord requests cost less than a whole list
PROBE_EVERY = timedelta(minutes=10)  # chosen
_PROBE_IS_STALE_AFTER = 3 * PROBE_EVERY  # chosen: an older answer says nothing of now


# --- Switching --------------------------------------------------------------------------------------


@transaction.atomic
def switch(link: Link, to: Alternative | None, *, max_doubtful: int = MAX_DOUBTFUL) -> Link | None:
    """Switch to an alternative, or to the link's own provider (None), and make the link due at once.

    The link as it is then; None if this provider serves it already. A provider that comes back is asked for its whole
    list if more than `max_doubtful` records have changed meanwhile.
    """
    # The run before the link, as workers lock them; a page under way finds `restarts` moved on, and is dropped.
    list(Run.objects.select_for_update().filter(link=link, state=Run.State.OPEN))
    current = Link.objects.select_for_update(of=("self",)).select_related("local_set", "serving").get(pk=link.pk)
    if current.serving_id == (to.pk if to else None):
        return None
    now = seams.now()
    standby = current.standbys.filter(alternative=to).first()
    goes_on, doubtful = False, dict[str, str]()
    if standby is not None and _still_has_deletions(current, standby, now):
        doubtful = _changed_since(current, standby.left, max_doubtful + 1)
        goes_on = len(doubtful) <= max_doubtful
    links.remember_position(current, left=now)
    if standby is not None:
        links.forget_position(standby)
    position = {name: getattr(standby, name) for name in links.POSITION} if goes_on else links.NO_POSITION
    for name, value in position.items():
        setattr(current, name, value)
    granularity = Granularity(current.granularity or Granularity.SECOND)
    since = schedule.list_from(current.harvested_to, granularity, current.overlap_s)
    lifecycle.start_over(current, since=since)
    if goes_on:
        remote_headers.mark_doubtful(current, to, doubtful)
    else:
        remote_headers.prepare_for_whole_list(current, to)
    links.switch_provider(current, to, position=position, now=now)
    logger.warning(
        "link turned to another provider",
        extra={"link": link.name, "provider": str(to or "its own"), "goes_on": goes_on, "doubtful": len(doubtful)},
    )
    return Link.objects.select_related("local_set", "serving").get(pk=link.pk)


def _still_has_deletions(link: Link, standby: Standby, now: datetime) -> bool:
    """Whether the provider still reports all deletions since the link left it (H15)."""
    if standby.harvested_to is None or standby.first_response is None:
        return False
    return not schedule.silence_days(
        standby.first_response, now, standby.deleted_record, link.tombstone_days, link.longest_wait_s
    )


def _changed_since(link: Link, since: datetime, most: int) -> dict[str, str]:
    """Identifiers by key that were changed in the link's set, or disputed, since then; up to `most` of each.

    A provider that had no part in the change may have another version, and would not list it, as nothing changed there.
    """
    since = since.replace(microsecond=0)
    changed = Membership.objects.filter(set=link.local_set, datestamp__gte=since)
    disputed = Conflict.objects.filter(link=link, last_seen__gte=since)
    return dict(
        [
            *changed.values_list("record__key", "record__identifier")[:most],
            *disputed.values_list("key", "identifier")[:most],
        ]
    )


def restart_alternative(alternative: Alternative) -> None:
    """Forget the position at an alternative whose address, prefix or set was edited; if it serves, ask for its whole list."""
    link = alternative.link
    links.forget_position_of(link, alternative)
    if link.serving_id != alternative.pk:
        return
    with transaction.atomic():
        lifecycle.start_over(link)
        current = Link.objects.select_for_update(of=("self",)).get(pk=link.pk)
        remote_headers.prepare_for_whole_list(current, alternative)
        links.begin_again(current, now=seams.now())


# --- By schedule ------------------------------------------------------------------------------------


def switch_failing(now: datetime) -> list[Link]:
    """Switch the links whose provider has failed for too long to another one; those that were switched.

    An alternative that fails is left for the link's own provider, if that answers again, else for the next one.
    """
    switched = []
    failing = Link.objects.filter(enabled=True, switch_after_h__gt=0, failing_since__isnull=False)
    for link in failing.select_related("serving"):
        assert link.failing_since is not None
        if now - link.failing_since < timedelta(hours=link.switch_after_h):
            continue
        own_answers = own_provider_answers_since(link, now) is not None
        to = None if own_answers else next_alternative(link)
        if (own_answers or to is not None) and switch(link, to):
            switched.append(link)
    return switched


def return_answering(now: datetime) -> list[Link]:
    """Switch the links back whose own provider has answered for long enough; those that were switched."""
    switched = []
    relayed = Link.objects.filter(enabled=True, return_after_h__gt=0, serving__isnull=False)
    for link in relayed:
        since = own_provider_answers_since(link, now)
        if since is not None and now - since >= timedelta(hours=link.return_after_h) and switch(link, None):
            switched.append(link)
    return switched


def next_alternative(link: Link) -> Alternative | None:
    """The alternative after the one that serves; after the last, the first. None if there is no other."""
    others = list(link.alternatives.all())
    if link.serving is not None:
        after = [other for other in others if other.position > link.serving.position]
        others = [*after, *(other for other in others if other.position < link.serving.position)]
    return others[0] if others else None


# --- Probing the own provider (W37) -----------------------------------------------------------------


def take_due_probes(now: datetime) -> list[Standby]:
    """The own providers that are due to be asked; each is taken once, by however many processes."""
    due = Standby.objects.filter(
        # Later than the next probe can be: our clock was ahead when it was planned.
        Q(next_probe__isnull=True) | Q(next_probe__lte=now) | Q(next_probe__gt=now + PROBE_EVERY),
        alternative=None,
        link__enabled=True,
        link__serving__isnull=False,
    )
    return [standby for standby in due if links.take_probe(standby, next_probe=now + PROBE_EVERY)]


def probe(standby_id: int) -> None:
    """Ask one provider to identify itself, and for its sets; store since when it can serve the link, or why it cannot."""
    standby = Standby.objects.select_related("link").filter(pk=standby_id, alternative=None).first()
    if standby is None:
        return  # the link has returned meanwhile
    link = standby.link
    error: HarvestError | None = None
    try:
        with Session(link.access_to_own_provider()) as session:
            conversation = Conversation(session, link.base_url, link.prefix, limits=client.INTERACTIVE_LIMITS)
            conversation.identify()
            if link.remote_set and (state := set_state(conversation, link.remote_set)) in Link.LACKING:
                # The link would fail there, and turn away again.
                raise RefusedByProvider(FaultCode.SET_MISSING, {"set": link.remote_set, "state": str(state)})
    except HarvestError as exc:
        error = exc
    now = seams.now()
    # Not across a time when it was not asked: this node may have been off.
    is_unbroken = standby.probed is not None and now - standby.probed < _PROBE_IS_STALE_AFTER
    before = standby.answers_since if is_unbroken else None
    answers_since = before or now if error is None else None
    fault = "" if error is None else str(error)
    links.record_probe(standby, answers_since=answers_since, fault=fault, probed=now)
    logger.info("own provider asked", extra={"link": link.name, "fault": fault})


def own_provider_answers_since(link: Link, now: datetime) -> datetime | None:
    """Since when the link's own provider has answered each probe; None if it does not, or was not asked of late."""
    if link.serving_id is None:
        return None
    standby = link.standbys.filter(alternative=None, probed__gte=now - _PROBE_IS_STALE_AFTER).first()
    return standby.answers_since if standby is not None else None


# --- For operators ----------------------------------------------------------------------------------


def describe_relay(link: Link) -> str:
    """Which alternative serves the link, and since when; empty while its own provider does."""
    if link.serving is None or link.serving_since is None:
        return ""
    since = f"{link.serving_since:%Y-%m-%d %H:%M}"
    return gettext("by relay {relay} since {since}").format(relay=link.serving, since=since)


def describe_next_list(link: Link) -> str:
    """What a link that was just switched asks its provider for."""
    if link.harvested_to is None:
        return gettext(
            "the whole list is asked for, then all headers are compared; nothing is deleted because it is not listed"
        )
    return gettext(
        "it goes on from where it was with that provider ({harvested_to}), then all headers are compared; nothing is "
        "deleted because it is not listed"
    ).format(harvested_to=f"{link.harvested_to:%Y-%m-%d %H:%M:%S}")


def describe_return(link: Link) -> str:
    """Whether the link's own provider answers while another one serves, and when the link returns; empty if it serves."""
    if link.serving is None:
        return ""
    standby = link.standbys.filter(alternative=None).first()
    if standby is None or standby.probed is None:
        return gettext("its own provider has not been asked yet")
    if standby.answers_since is None:
        return gettext("its own provider cannot serve it ({probed}): {fault}").format(
            probed=f"{standby.probed:%Y-%m-%d %H:%M}", fault=standby.fault
        )
    since = f"{standby.answers_since:%Y-%m-%d %H:%M}"
    if not link.return_after_h:
        return gettext("its own provider has answered since {since}; switch back by hand").format(since=since)
    due = f"{standby.answers_since + timedelta(hours=link.return_after_h):%Y-%m-%d %H:%M}"
    return gettext(
        "its own provider has answered since {since}; the link returns to it at {due}, if it keeps answering"
    ).format(since=since, due=due)
