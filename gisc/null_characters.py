"""Read a null character in an address of the administration as U+FFFD: no text of PostgreSQL can have one, and nothing is named so."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse, QueryDict

_NUL = "\x00"
_ENCODED_REPLACEMENT = "%EF%BF%BD"


class ReplaceNullCharacters:
    """Middleware. Forms check what is sent to them, and public pages and `/oai` have answers of their own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Raises Http404 for a path with one."""
        if request.path.startswith("/admin/"):
            if _NUL in request.path:
                raise Http404
            if any(_NUL in text for name, values in request.GET.lists() for text in (name, *values)):
                request.GET = QueryDict(request.GET.urlencode().replace("%00", _ENCODED_REPLACEMENT))
        return self._get_response(request)
