"""Let only signed-in people and this node's own monitoring read `/metrics`, `/harvest/` and `/health/`, where GISC_PRIVATE_PAGES says so.

A monitor is known by its address (GISC_MONITORING_ADDRESSES), seen through GISC_TRUSTED_PROXIES; no table is read for it, so it sees
also a node whose database is away. The processes that started the web server ask with a pass that is signed with SECRET_KEY.
"""

from collections.abc import Callable
from ipaddress import ip_address

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from catalogue.pages import viewers
from catalogue.pages.private_pages import is_private_path
from gisc.access_log import client_of

PASS = "X-GISC-Own-Node"
_SALT = "gisc.private_pages"
_PASS_LIFE_S = 60  # chosen: it is made for one request to this host
_SENTENCE = _("Only people who are signed in and the monitoring of this node may read this.")


class PrivatePages:
    """Middleware that answers 403 to everybody else, and keeps these pages out of every cache."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_private_path(request.path):
            return self._get_response(request)
        may_read = _is_monitor(request) or _is_own_node(request) or viewers.is_signed_in(request)
        response = self._get_response(request) if may_read else _refuse(request)
        response.headers.pop("Cache-Control", None)
        add_never_cache_headers(response)  # private, no-store
        patch_vary_headers(response, ["Cookie"])
        return response


def own_pass() -> str:
    """Return the value of the header `PASS` for a request of this node to itself."""
    return signing.dumps("", salt=_SALT)


def _is_own_node(request: HttpRequest) -> bool:
    try:
        signing.loads(request.headers.get(PASS, ""), salt=_SALT, max_age=_PASS_LIFE_S)
    except signing.BadSignature:
        return False
    return True


def _is_monitor(request: HttpRequest) -> bool:
    client = client_of(request.META)
    return bool(client) and any(ip_address(client) in network for network in settings.GISC_MONITORING_ADDRESSES)


def _refuse(request: HttpRequest) -> HttpResponse:
    path = request.path
    if path.endswith(".json") or path.startswith("/health/"):
        return JsonResponse({"error": _SENTENCE}, status=403)
    if path.startswith("/metrics") or path.endswith((".atom", ".svg")):
        return HttpResponse(f"{_SENTENCE}\n", content_type="text/plain; charset=utf-8", status=403)
    return render(request, "403.html", {"reason": gettext(_SENTENCE)}, status=403)
