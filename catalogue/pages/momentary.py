"""Keep a page for a moment for those who are not signed in: a crowd that asks for the state of this node gets one page.

It is the same for all of them, costs much to make with hundreds of links, and may be a moment old.
"""

import functools
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_page

from catalogue.pages import viewers


def for_a_moment(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Keep what a view answers to GET without arguments for GISC_STATUS_SECONDS, in the memory of this process; caches may, too."""

    @functools.wraps(view)
    def respond(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        seconds = settings.GISC_STATUS_SECONDS
        if not seconds or request.META.get("QUERY_STRING") or viewers.is_signed_in(request):
            return view(request, *args, **kwargs)
        answer: HttpResponse = cache_page(seconds)(view)(request, *args, **kwargs)
        return answer

    return respond
