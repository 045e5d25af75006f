"""Tell links to ask for records again whose stored metadata cannot be read back (`catalogue.writing.read_back`)."""

import logging
from collections import defaultdict
from dataclasses import dataclass

from django.db import transaction

from catalogue.limits import Replaceable
from catalogue.models import DamagedRecord
from catalogue.writing import read_back
from harvester.models import Link
from harvester.rows import remote_headers

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskingLimits:
    """How much is asked for by itself. Chosen: where more is damaged, a person has to see to the disk first."""

    at_once: int = 1000  # records that were asked for and are still damaged


LIMITS = Replaceable(AskingLimits())


def request_damaged() -> None:
    """Have each link ask, in its next run, for the damaged records that came by it; once for each time of being damaged."""
    known = read_back.damaged()
    found = known.filter(asked=False).exclude(record__provenance=None)
    room = LIMITS.in_force.at_once - known.filter(asked=True).count() if found.exists() else 0
    by_link: dict[str, dict[str, int]] = defaultdict(dict)
    # In no order, so that those of a link that is gone are in nobody's way.
    rows = found.order_by("?").values_list("pk", "record__key", "record__provenance")
    for pk, key, provenance in rows[: max(room, 0)]:
        if name := (provenance or {}).get("link"):
            by_link[name][key] = pk
    for link in Link.objects.filter(name__in=by_link):
        with transaction.atomic():
            if remote_headers.request(link, list(by_link[link.name])):
                DamagedRecord.objects.filter(pk__in=by_link[link.name].values()).update(asked=True)
                logger.info(
                    "damaged records are asked for again", extra={"link": link.name, "records": len(by_link[link.name])}
                )
