"""Answer a request of CSW. Imported at the first one: pycsw and what it needs take a second to load, and memory."""

import logging

from django.http import HttpRequest
from django.urls import reverse

from catalogue.discovery.csw import parameters, records, server
from catalogue.discovery.csw.reports import NO_CODE, Refused

logger = logging.getLogger(__name__)


def answer(request: HttpRequest) -> bytes:
    """Return the answer. Raises Refused and QueryTooCostly."""
    asked = parameters.read(request)
    # Before pycsw is called, which would take an error of the database for a mistake of the client.
    found = records.find(asked)
    address = request.build_absolute_uri(reverse("catalogue:csw"))
    try:
        return server.write(asked, found, address)
    except Exception as exc:  # of code that is not ours
        logger.exception("CSW answer not written")
        raise Refused(NO_CODE, "", "the answer cannot be written; the node's log says why") from exc
