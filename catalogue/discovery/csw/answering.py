"""Answer a request of CSW. Imported at the first one: pycsw and what it needs take a second to load, and memory."""

from django.http import HttpRequest
from django.urls import reverse

from catalogue.discovery.csw import parameters, records, server


def answer(request: HttpRequest) -> bytes:
    """Return the answer. Raises Refused and QueryTooCostly."""
    asked = parameters.read(request)
    # Before pycsw is called, which would take an error of the database for a mistake of the client.
    found = records.find(asked)
    return server.write(asked, found, request.build_absolute_uri(reverse("catalogue:csw")))
