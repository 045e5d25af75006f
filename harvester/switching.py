"""Turn a link to another provider of its set, and back (W31, W32, W37).

No cursor and no datestamp is carried over: the whole list is asked for, then compared, and nothing goes by absence.
"""

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from harvester import headers, runs
from harvester.models import Alternative, Link

logger = logging.getLogger(__name__)


@transaction.atomic
def switch(link: Link, to: Alternative | None) -> bool:
    """Turn to an alternative, or to the link's own provider (None); False if it serves already. Due at once."""
    runs.start_over(link)  # the run before the link, as workers lock them
    held = Link.objects.select_for_update().get(pk=link.pk)
    if held.serving_id == (to.pk if to else None):
        return False
    now = timezone.now()
    headers.distrust(link.pk)
    Link.objects.filter(pk=link.pk).update(
        serving=to,
        serving_since=now,
        failing_since=None,
        failures=0,
        harvested_to=None,
        first_response=None,
        newest=None,
        compared_to=None,
        reconciles=True,
        next_due=now,
    )
    logger.warning("link turned to another provider", extra={"link": link.name, "provider": str(to or "its own")})
    return True


def switch_failing(now: datetime) -> list[Link]:
    """Turn the links whose provider has failed for too long to their next alternative; those that were turned."""
    turned = []
    failing = Link.objects.filter(enabled=True, switch_after_h__gt=0, failing_since__isnull=False)
    for link in failing.select_related("serving"):
        assert link.failing_since is not None
        if now - link.failing_since < timedelta(hours=link.switch_after_h):
            continue
        following = next_alternative(link)
        if following is not None and switch(link, following):
            turned.append(link)
    return turned


def next_alternative(link: Link) -> Alternative | None:
    """Whom to turn to next: the one after the one that serves; after the last, the first. None if there is no other."""
    others = list(link.alternatives.all())
    if link.serving is not None:
        after = [other for other in others if other.position > link.serving.position]
        others = [*after, *(other for other in others if other.position < link.serving.position)]
    return others[0] if others else None


def told(link: Link) -> str:
    """Who serves the link, as the operator is told; empty for its own provider."""
    if link.serving is None or link.serving_since is None:
        return ""
    return f"by relay {link.serving} since {link.serving_since:%Y-%m-%d %H:%M}"
