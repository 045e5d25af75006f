"""Save an edited link, and restart what the edit makes wrong: its position, its table of headers, an open run. Mute a link."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction

from catalogue import seams
from catalogue.writing import visibility
from harvester import schedule
from harvester.models import Link, Run
from harvester.models.link_schedule import SCHEDULE
from harvester.rows import conflicts, links, remote_headers
from harvester.runs import lifecycle

# Where records come from, how they are called, and where they go: `harvested_to` is right for these six together only.
_FOLLOWING_S = (
    5.0  # chosen: for which a person waits until records follow a change of who sees them; the tick does the rest
)
ARRANGEMENT = frozenset({"kind", "base_url", "prefix", "remote_set", "local_set", "identifiers"})


@transaction.atomic
def save(link: Link, changed: Collection[str]) -> bool:
    """Save the `changed` fields of an existing link, and leave the others as workers have written them meanwhile.

    True if the arrangement changed: then `harvested_to` is empty, and the whole list is asked for by the next run, or by
    an open run from its first page. A new schedule counts from now on, an interval from the last run's start.
    """
    fields = set(changed)
    starts_over = not ARRANGEMENT.isdisjoint(fields)
    if starts_over:
        # The run before the link, as workers lock them. A page under way finds `restarts` moved on, and is dropped.
        lifecycle.start_over(link)
        if "identifiers" in fields:
            remote_headers.forget_unstored(link)
        remote_headers.forget_datestamps(link)
        conflicts.close_all(link)
        links.forget_positions(link)
        for name, value in (links.NO_POSITION | links.NO_DOUBTS).items():
            setattr(link, name, value)
        # W31: after the whole list all that was stored before is compared; nothing is deleted because it is not listed.
        link.compare_all()
        link.content_to = link.next_content = None
        link.failures, link.failing_since = 0, None
        if "base_url" in fields:
            link.moved_to = ""
            fields.add("moved_to")
        link.set_state, link.set_checked = "", None
        fields |= {"set_state", "set_checked"}
        fields |= {"failing_since", "reconciles", "compared_to", "content_to", "next_content"}
        fields |= {*links.NO_POSITION, *links.NO_DOUBTS, "failures"}
    elif "lateness_h" in fields:
        link.update_harvested_to()
        fields.add("harvested_to")
    others = Link.objects.filter(local_set=link.local_set).exclude(pk=link.pk)
    if "enabled" in fields and link.enabled and link.harvested_to and not starts_over and others.exists():
        # Another link may have stored into the set meanwhile; this one's provider has the last word (W31).
        link.compare_all()
        link.next_slice = seams.now()
        fields |= {"reconciles", "compared_to", "next_slice"}
    if not SCHEDULE.isdisjoint(fields):
        link.next_due = _next_due(link)
        fields |= {*SCHEDULE, "next_due"}
    if fields:
        link.save(update_fields=fields)
    if "category" in fields:
        transaction.on_commit(lambda: visibility.settle_pending(seconds=_FOLLOWING_S))
    return starts_over


def mute(link: Link, hours: int) -> None:
    """Keep the problems of a link out of the way for so many hours: nobody is alerted. 0: alert again from now on."""
    link.muted_until = seams.now() + timedelta(hours=hours) if hours else None
    link.save(update_fields=["muted_until"])


def _next_due(link: Link) -> datetime | None:
    """When a link whose schedule was changed is due; None: at once, as it was never harvested."""
    newest = Run.objects.filter(link=link, purpose=Run.Purpose.HARVEST).order_by("-begun").first()
    if newest is None:
        return None
    if link.schedule.at is None:
        return schedule.next_start(link.schedule, newest.begun)
    return schedule.next_start(link.schedule, max(newest.begun, seams.now()))
