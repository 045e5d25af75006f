"""The one view of the protocol: bytes of a request in, an OAI-PMH document out. It knows HTTP and no rules of OAI.

Every OAI answer, errors included, has status 200 (P9); other statuses speak about transport only. A bug is
left to Django, which makes it a 500.
"""

import logging
from datetime import UTC, datetime

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt

from catalogue import lists
from oaiprovider import addresses, arguments, render, verbs
from oaiprovider.errors import Behind, Refused
from oaiprovider.models import Profile
from oaiprovider.sandbox import Busy

logger = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "POST")
FORM = "application/x-www-form-urlencoded"
LONGEST_URL = 8192  # P12, path and query
LONGEST_BODY = 65536  # P12
RETRY_AFTER_S = 30  # chosen; P112 allows 1 to 600


@csrf_exempt  # P11, S30: a POST here changes nothing
def oai(request: HttpRequest) -> HttpResponse:
    """Answer one request; the checks come in the order of P14."""
    refused = _transport(request)
    if refused is not None:
        return _finish(request, refused)
    given = arguments.split(request.META.get("QUERY_STRING", "").encode("latin-1"))  # PEP 3333: bytes in disguise
    if request.method == "POST":
        given += arguments.split(request.body)  # P3: the union; a name in both is repeated
    try:
        document = answer(given, user_agent=request.META.get("HTTP_USER_AGENT", ""), address=_address(request))
    except (OperationalError, InterfaceError):
        logger.exception("database did not answer")
        return _finish(request, _later())
    except Busy:
        logger.exception("crosswalk is not done")
        return _finish(request, _later())
    except Behind as exc:
        logger.warning("this database lags behind the one that began the list", extra={"reason": str(exc)})
        return _finish(request, _later())
    return _finish(request, HttpResponse(document, content_type=render.CONTENT_TYPE))


def answer(given: list[arguments.Argument], *, user_agent: str, address: str) -> bytes:
    """The OAI-PMH document that answers these arguments, whatever they are, to this harvester (G2)."""
    base_url = verbs.base_url()
    try:
        asked = arguments.read(given)
    except Refused as refused:
        # No query is made, so no list depends on this time and our own clock will do.
        now = datetime.now(UTC)
        return render.refusal(at=now, base_url=base_url, given=(), faults=refused.faults)
    at = lists.instant()  # P39, S6: before any query
    try:
        body = verbs.ANSWERS[asked.verb](asked, at, Profile.objects.terms_for(user_agent, address))
    except Refused as refused:
        return render.refusal(at=at, base_url=base_url, given=asked.given, faults=refused.faults)
    return render.document(at=at, base_url=base_url, given=asked.given, body=body)


def _transport(request: HttpRequest) -> HttpResponse | None:
    """P4, P12: what is wrong before a single argument is read."""
    if request.method not in METHODS:
        response = _plain(f"OAI-PMH is spoken with {', '.join(METHODS)}.", 405)
        response["Allow"] = ", ".join(METHODS)
        return response
    if len(request.META.get("QUERY_STRING", "")) + len(request.path) >= LONGEST_URL:
        return _plain(f"The URL is longer than {LONGEST_URL} bytes; send the arguments in the body of a POST.", 414)
    if request.method == "POST":
        length = _content_length(request)
        if length > LONGEST_BODY:
            return _plain(f"The body is longer than {LONGEST_BODY} bytes.", 413)
        # P4: an empty body is "no arguments", and nobody need give the media type of nothing.
        if request.content_type != FORM and (length or request.content_type):
            return _plain(f"The body of a POST must be {FORM}.", 415)
    return None


def _address(request: HttpRequest) -> str:
    """Where the request comes from, through the proxies that are trusted; empty where that has no address."""
    found = addresses.client(
        request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", ""), settings.GISC_TRUSTED_PROXIES
    )
    return "" if found is None else str(found)


def _content_length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0  # as Django, which then reads nothing


def _later() -> HttpResponse:
    busy = _plain("The catalogue cannot be read at the moment; please try again later.", 503)
    busy["Retry-After"] = str(RETRY_AFTER_S)
    return busy


def _plain(text: str, status: int) -> HttpResponse:
    return HttpResponse(f"{text}\n", content_type="text/plain; charset=UTF-8", status=status)


def _finish(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "no-cache"  # P116
    patch_vary_headers(response, ["User-Agent"])  # P116: profiles
    if request.method == "HEAD":  # P4: the headers of the GET, its length too, without the body
        response["Content-Length"] = str(len(response.content))
        response.content = b""
    return response
