"""Find out who reads a page; keep what signed-in people are shown out of every cache."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.module_loading import import_string

from catalogue.reading import viewers
from catalogue.reading.viewers import ANYBODY, Viewer

Response = TypeVar("Response", bound=HttpResponseBase)


def of(request: HttpRequest) -> Viewer:
    """Return what the reader of a page may see."""
    return viewers.signed_in() if is_signed_in(request) else ANYBODY


def is_signed_in(request: HttpRequest) -> bool:
    """Whether the reader is signed in, with the second factor where the account has one. (`gisc` knows: it has accounts.)"""
    return bool(import_string(settings.IS_SIGNED_IN)(request))


def by_viewer(view: Callable[..., Response]) -> Callable[..., Response]:
    """Tell caches that a page depends on who reads it, and to keep none that is for signed-in people."""

    @functools.wraps(view)
    def respond(request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        response = view(request, *args, **kwargs)
        patch_vary_headers(response, ["Cookie"])
        if is_signed_in(request):
            add_never_cache_headers(response)  # private, no-store
        return response

    return respond
