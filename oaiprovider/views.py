"""The one view of the protocol: bytes of a request in, an OAI-PMH document out. It knows HTTP and no rules of OAI.

Every OAI answer, errors included, has status 200 (P9); other statuses speak about transport only. A bug is
left to Django, which makes it a 500.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.encoding import iri_to_uri
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from catalogue.reading import lists
from oaiprovider import browsing, flow_control, metrics, verbs
from oaiprovider.formats.sandbox import Busy
from oaiprovider.models import Profile
from oaiprovider.protocol import arguments, compression, render
from oaiprovider.protocol.compression import Piece
from oaiprovider.protocol.errors import Behind, Refused
from oaiprovider.terms import Terms

logger = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "POST")
FORM = "application/x-www-form-urlencoded"
LONGEST_URL = 8192  # P12, path and query
LONGEST_BODY = 65536  # P12
RETRY_AFTER_S = 30  # chosen; P112 allows 1 to 600
_NOT_FOR_ROBOTS = ("/oai", "/admin/", "/harvest/", "/metrics", "/health/")


@csrf_exempt  # P11, S30: a POST here changes nothing
def oai(request: HttpRequest) -> HttpResponse:
    """Answer one request; the checks come in the order of P14."""
    return _transport(request) or _to_page(request) or _respond(request, _document)


@require_safe
def browse(request: HttpRequest) -> HttpResponse:
    """The same answers as HTML, for people. No part of the protocol, but under the same flow control."""
    return _transport(request) or _respond(request, _page)


@require_safe
def robots(_request: HttpRequest) -> HttpResponse:
    """Search engines are welcome on the records' pages; a walk through the lists is for harvesters."""
    return _plain("\n".join(("User-agent: *", *(f"Disallow: {path}" for path in _NOT_FOR_ROBOTS))), 200)


def _respond(request: HttpRequest, make: Callable[[HttpRequest, Terms], HttpResponse]) -> HttpResponse:
    """What `make` makes of the document; or the reason why the client must wait, or why there is no document now."""
    number = flow_control.in_progress.enter()
    try:
        with flow_control.slot():
            response = _permitted(request, number, make)
        _finish(request, response)
    except BaseException:
        flow_control.in_progress.leave()
        metrics.not_answered(500)
        raise
    if response.status_code != 200:
        metrics.not_answered(response.status_code)
    # When the client has all of it, or has gone. django-stubs do not know the list.
    response._resource_closers.append(flow_control.in_progress.leave)  # type: ignore[attr-defined]
    return response


def _permitted(request: HttpRequest, number: int, make: Callable[[HttpRequest, Terms], HttpResponse]) -> HttpResponse:
    try:
        address = _address(request)
        terms = _terms(request.META.get("HTTP_USER_AGENT", ""), "" if address is None else str(address))
        return _turned_away(request, number, address, terms) or make(request, terms)
    except (OperationalError, InterfaceError):
        logger.exception("database did not answer")
    except Busy:
        logger.exception("crosswalk is not done")
    except Behind as exc:
        logger.warning("this database lags behind the one that began the list", extra={"reason": str(exc)})
    return _later()


def _terms(user_agent: str, address: str) -> Terms:
    """The first query of a request tells as well whether its connection still lives: to ask that before would cost one more."""
    connection.health_check_done = True  # type: ignore[attr-defined]
    try:
        return Profile.objects.terms_for(user_agent, address)
    except (OperationalError, InterfaceError):
        connection.close()
        return Profile.objects.terms_for(user_agent, address)


def _document(request: HttpRequest, terms: Terms) -> HttpResponse:
    styled, coding = browsing.wants_stylesheet(request), _coding(request)
    if coding == compression.GZIP and not styled:
        terms = replace(terms, in_pieces=True)
    document = _answered(request, terms)
    return _encoded(browsing.styled(document) if styled else document, coding, content_type=render.CONTENT_TYPE)


def _page(request: HttpRequest, terms: Terms) -> HttpResponse:
    xml = _with_query(request, urlsplit(verbs.base_url()).path)
    document = compression.encode(_answered(request, terms), compression.IDENTITY)
    page = _encoded([browsing.page(document, xml=xml)], _coding(request), content_type="text/html; charset=UTF-8")
    page["Content-Security-Policy"] = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'"
    return page


def _answered(request: HttpRequest, terms: Terms) -> Sequence[bytes | Piece]:
    begun = time.perf_counter()
    made = answer(_arguments(request), terms)
    metrics.answered(made.verb, made.outcome, time.perf_counter() - begun)
    return made.document


def _arguments(request: HttpRequest) -> list[arguments.Argument]:
    given = arguments.split(request.META.get("QUERY_STRING", "").encode("latin-1"))  # PEP 3333: bytes in disguise
    # P3: the union; a name in both is repeated.
    return given + arguments.split(request.body) if request.method == "POST" else given


def _coding(request: HttpRequest) -> str:
    return compression.chosen(request.META.get("HTTP_ACCEPT_ENCODING"))


def _encoded(document: Sequence[bytes | Piece], coding: str, *, content_type: str) -> HttpResponse:
    response = HttpResponse(compression.encode(document, coding), content_type=content_type)
    if coding != compression.IDENTITY:
        response["Content-Encoding"] = coding
    return response


def _to_page(request: HttpRequest) -> HttpResponse | None:
    if request.method == "POST" or not browsing.wants_page(request):
        return None
    away = _plain("This is for programs; people are shown the same elsewhere.", 302)
    away["Location"] = _with_query(request, f"{request.path}/browse")
    return _finish(request, away)


def _with_query(request: HttpRequest, address: str) -> str:
    return iri_to_uri(f"{address}?{request.META.get('QUERY_STRING', '')}")


def _turned_away(
    request: HttpRequest, number: int, address: IPv4Address | IPv6Address | None, terms: Terms
) -> HttpResponse | None:
    """P112-P114: 503, 302 to the mirror or 403 for a client that must wait; `number` requests are in progress."""
    if address is None or not terms.may_be_limited:
        return None
    client = flow_control.address_key(address)
    decision = flow_control.decide(
        client,
        at=time.time(),
        requests_per_minute=_rate(address, terms),
        busy=settings.GISC_REQUESTS_AT_ONCE is not None and number > settings.GISC_REQUESTS_AT_ONCE,
    )
    if decision.verdict is flow_control.Verdict.SERVE:
        return None
    if decision.verdict is flow_control.Verdict.REFUSE:
        logger.warning("client refused", extra={"client": client, "for_s": decision.wait_s})
        return _plain(
            f"Refused: many requests of {client} came before the time that Retry-After had named. Stop asking for "
            f"{decision.wait_s} seconds, then go on, with the same resumptionToken if you have one.",
            403,
        )
    if settings.GISC_MIRROR_URL and request.method != "POST" and not _was_sent_here(request):
        # P114. A redirect would lose the body of a POST.
        away = _plain("The same is answered elsewhere.", 302)
        away["Location"] = _with_query(request, f"{settings.GISC_MIRROR_URL}{request.path}")
        return away
    logger.info("client told to wait", extra={"client": client, "for_s": decision.wait_s})
    wait = _plain(f"Too many requests; retry after {decision.wait_s} seconds. No resumptionToken is lost.", 503)
    wait["Retry-After"] = str(decision.wait_s)
    return wait


def _was_sent_here(request: HttpRequest) -> bool:
    """Whether this is the mirror itself, with the settings of the node that sends clients here: it must not send them on."""
    host = str(request.META.get("HTTP_HOST", ""))
    return host.lower() == str(urlsplit(settings.GISC_MIRROR_URL).netloc).lower()


def _rate(address: IPv4Address | IPv6Address, terms: Terms) -> int | None:
    """Requests per minute: as the profile says, else as the node limits everybody; None for no limit."""
    if terms.requests_per_minute is not None:
        return terms.requests_per_minute
    # Who asks from this host is its operator, or a proxy that nobody has named in GISC_TRUSTED_PROXIES.
    return None if address.is_loopback else settings.GISC_REQUESTS_PER_MINUTE


class Answer(NamedTuple):
    """An OAI-PMH document, in parts; which verb was asked for, empty if none was, and how it went."""

    document: Sequence[bytes | Piece]
    verb: str
    outcome: str = metrics.OK


def answer(given: list[arguments.Argument], terms: Terms) -> Answer:
    """The answer to these arguments, whatever they are, on these terms (G2)."""
    base_url = verbs.base_url()
    try:
        asked = arguments.read(given)
    except Refused as refused:
        # No query is made, so no list depends on this time and our own clock will do.
        now = datetime.now(UTC)
        document = render.refusal(at=now, base_url=base_url, given=(), faults=refused.faults)
        return Answer(document, "", refused.faults[0].code)
    at = lists.instant()  # P39, S6: before any query
    try:
        body = verbs.ANSWERS[asked.verb](asked, at, terms)
    except Refused as refused:
        document = render.refusal(at=at, base_url=base_url, given=asked.given, faults=refused.faults)
        return Answer(document, asked.verb, refused.faults[0].code)
    return Answer(render.document(at=at, base_url=base_url, given=asked.given, body=body), asked.verb)


def _transport(request: HttpRequest) -> HttpResponse | None:
    """P4, P12: what is wrong before a single argument is read."""
    refused = _fault(request)
    if refused is None:
        return None
    metrics.not_answered(refused.status_code)
    return _finish(request, refused)


def _fault(request: HttpRequest) -> HttpResponse | None:
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


def _address(request: HttpRequest) -> IPv4Address | IPv6Address | None:
    """Where the request comes from, through the proxies that are trusted; None where that has no address."""
    return flow_control.client_address(
        request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", ""), settings.GISC_TRUSTED_PROXIES
    )


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
    patch_vary_headers(response, ["Accept", "Accept-Encoding", "User-Agent"])  # P51, P115, P116: profiles
    response["Content-Length"] = str(len(response.content))
    if request.method == "HEAD":  # P4: the headers of the GET, its length too, without the body
        response.content = b""
    return response
