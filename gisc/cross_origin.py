"""Let scripts in pages of other sites read what anybody may read: `/oai` and the public pages (CORS). No cookie goes with it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from catalogue.pages.private_pages import is_private_path
from gisc.public_pages import is_public

_A_DAY_S = 86_400  # chosen: for which a browser need not ask again


class CrossOrigin:
    """Middleware that sets the headers for other origins, and answers the question of a browser before a request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_endpoint = request.path.startswith("/oai")
        if not is_endpoint and (is_private_path(request.path) or not is_public(request.path)):
            return self._get_response(request)
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            response = HttpResponse(status=204)
            response["Access-Control-Allow-Methods"] = "GET, HEAD, POST" if is_endpoint else "GET, HEAD"
            response["Access-Control-Allow-Headers"] = "*"
            response["Access-Control-Max-Age"] = str(_A_DAY_S)
        else:
            response = self._get_response(request)
            response["Access-Control-Expose-Headers"] = "ETag, Link, Retry-After, X-Request-ID"
        response["Access-Control-Allow-Origin"] = "*"
        return response
