"""What an operator does to a link besides editing it: enable, disable or reset it, quieten a cause of its rejects."""

import logging
import uuid
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from catalogue import datestamps
from catalogue.reasons import ActRefused, Reason
from harvester.links import edit
from harvester.models import Link, QuietCause, Run
from harvester.reasons import ActCode
from harvester.rows import links
from harvester.runs import lifecycle

logger = logging.getLogger(__name__)


def enable(link: Link) -> bool:
    """Harvest a link by its schedule; False if it is so already. Raises ActRefused where it may not be beside the others."""
    return _set_enabled(link, True)


def disable(link: Link) -> bool:
    """Harvest a link by hand only; False if it is so already. An open run goes on to its end; what is stored stays."""
    return _set_enabled(link, False)


@transaction.atomic
def _set_enabled(link: Link, enabled: bool) -> bool:
    current = Link.objects.select_for_update(of=("self",)).select_related("local_set", "serving").get(pk=link.pk)
    if current.enabled == enabled:
        return False
    current.enabled = enabled
    if enabled:
        try:
            current.clean()
        except ValidationError as exc:
            raise ActRefused(Reason(ActCode.LINK_INVALID, {"faults": exc.messages})) from exc
    edit.save(current, {"enabled"})
    logger.info("link enabled" if enabled else "link disabled", extra={"link": current.name})
    return True


@transaction.atomic
def reset(link: Link, to: datetime | None = None) -> None:
    """Ask for the whole list again with the next run, or for all that has changed since `to`. Nothing is deleted.

    An open run begins its list again. Raises ActRefused if the link is not complete up to `to`: what lies between would
    never be asked for.
    """
    # The run before the link, as workers lock them; a page under way finds `restarts` moved on, and is dropped.
    list(Run.objects.select_for_update().filter(link=link, state=Run.State.OPEN))
    current = Link.objects.select_for_update(of=("self",)).get(pk=link.pk)
    if to is not None and (current.harvested_to is None or to > current.harvested_to):
        complete_to = current.harvested_to and datestamps.write(current.harvested_to)
        raise ActRefused(Reason(ActCode.NOT_COMPLETE_UP_TO, {"date": datestamps.write(to), "end": complete_to}))
    lifecycle.start_over(current, since=to)
    links.reset_position(current, to=to)
    logger.info("link reset", extra={"link": current.name, "to": to and datestamps.write(to)})


def quieten(link: Link, reason: str, up_to: int) -> None:
    """Let rejects of the link with this code be nothing to do, as long as they are no more than so many; 0: always to do."""
    if up_to:
        QuietCause.objects.update_or_create(link=link, reason=reason, defaults={"up_to": up_to})
    else:
        QuietCause.objects.filter(link=link, reason=reason).delete()


def renew_report(link: Link) -> uuid.UUID:
    """Give the report for the provider another address, which is returned; the one before finds nothing any more."""
    link.report_key = uuid.uuid4()
    link.save(update_fields=["report_key"])
    return link.report_key
