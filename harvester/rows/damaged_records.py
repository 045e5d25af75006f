"""Tell links to ask for records again whose stored metadata cannot be read back (`catalogue.payloads.read_back`)."""

import logging
from collections import defaultdict

from django.db import transaction

from catalogue.models import DamagedRecord
from catalogue.payloads import read_back
from harvester.models import Link
from harvester.rows import remote_headers

logger = logging.getLogger(__name__)


def request_damaged() -> None:
    """Have each link ask, in its next run, for the damaged records that came by it; once for each time of being damaged."""
    found = read_back.damaged().filter(asked_link=False)
    by_link: dict[str, dict[str, int]] = defaultdict(dict)
    for pk, key, provenance in found.values_list("pk", "record__key", "record__provenance"):
        if name := (provenance or {}).get("link"):
            by_link[name][key] = pk
    for link in Link.objects.filter(name__in=by_link):
        with transaction.atomic():
            if remote_headers.request(link, list(by_link[link.name])):
                DamagedRecord.objects.filter(pk__in=by_link[link.name].values()).update(asked_link=True)
                logger.info(
                    "damaged records are asked for again", extra={"link": link.name, "records": len(by_link[link.name])}
                )
