"""Which interfaces for programs this node offers, besides OAI-PMH: operators may switch each off (`GISC_INTERFACES_OFF`)."""

import functools
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

OGC_API, SRU, MONITORING, DCAT, CSW = "ogcapi", "sru", "monitoring", "dcat", "csw"
# What an interface needs besides the packages of every node (`requirements-csw.txt`).
_PACKAGES = {CSW: ("pycsw", "pygeofilter", "pygml")}
Response = TypeVar("Response", bound=HttpResponseBase)


def is_offered(name: str) -> bool:
    """Whether this node offers an interface."""
    return name not in settings.GISC_INTERFACES_OFF and has_packages(name)


def has_packages(name: str) -> bool:
    """Whether the packages that an interface needs are installed. They are looked for, not loaded."""
    return all(map(_is_installed, _PACKAGES.get(name, ())))


@functools.cache
def _is_installed(package: str) -> bool:
    return find_spec(package) is not None


def offered(name: str) -> Callable[[Callable[..., Response]], Callable[..., Response | HttpResponse]]:
    """Make a view that answers 404 where its interface is switched off."""

    def decorate(view: Callable[..., Response]) -> Callable[..., Response | HttpResponse]:
        @functools.wraps(view)
        def respond(request: HttpRequest, *args: Any, **kwargs: Any) -> Response | HttpResponse:
            if is_offered(name):
                return view(request, *args, **kwargs)
            return HttpResponse(
                "This node does not offer this interface.\n", content_type="text/plain; charset=utf-8", status=404
            )

        return respond

    return decorate
