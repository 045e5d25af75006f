"""Refuse an address of the administration with a null character, which no text of PostgreSQL can have."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

_NUL = "\x00"


class RefuseNullCharacters:
    """Middleware. Forms check what is sent to them, and public pages and `/oai` have answers of their own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Raises BadRequest."""
        if request.path.startswith("/admin/"):
            arguments = (text for name, values in request.GET.lists() for text in (name, *values))
            if _NUL in request.path or any(_NUL in text for text in arguments):
                raise BadRequest("the address has a null character")
        return self._get_response(request)
