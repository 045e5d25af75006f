"""Which interfaces for programs this node offers, besides OAI-PMH: operators may switch each off (`GISC_INTERFACES_OFF`)."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

OGC_API, SRU, MONITORING, DCAT = "ogcapi", "sru", "monitoring", "dcat"
Response = TypeVar("Response", bound=HttpResponseBase)


def is_offered(name: str) -> bool:
    """Whether this node offers an interface."""
    return name not in settings.GISC_INTERFACES_OFF


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
