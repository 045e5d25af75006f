"""HTTP views of the provider: `/oai` (XML), `/oai/browse` (HTML) and `robots.txt`.

Only HTTP is handled here; the rules of OAI-PMH are in `verbs` and `protocol`. Every OAI answer has status 200, OAI
errors included (P9). Other statuses are about transport: 4xx for a bad HTTP request, 503 and 403 of flow control.
An unexpected exception becomes Django's 500.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection, connections
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.encoding import iri_to_uri
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from catalogue import datestamps, outage, seams
from catalogue.payloads.payload import DictionaryDamaged
from catalogue.reading import lists, replica
from catalogue.reading.replica import Cause
from oaiprovider import browsing, flow_control, metrics, verbs
from oaiprovider.formats.sandbox import SandboxBusy
from oaiprovider.models import Profile
from oaiprovider.protocol import arguments, compression, render, tokens
from oaiprovider.protocol.arguments import LONGEST_BODY
from oaiprovider.protocol.compression import Piece
from oaiprovider.protocol.errors import Refused, ReplicaLags
from oaiprovider.terms import Terms

logger = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "POST")
FORM = "application/x-www-form-urlencoded"
LONGEST_URL = 8192  # P12, path and query
RETRY_AFTER_S = 30  # chosen; P112 allows 1 to 600
# Of `/oai/browse`, whose pages have links, a style sheet and an icon: stricter than that of other pages (SECURITY.md).
_PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_LISTS_OF_RECORDS = ("ListIdentifiers", "ListRecords")
_MARK_AHEAD = timedelta(minutes=1)  # chosen: clocks of two hosts may differ by seconds
_SHARED_S = 600  # chosen: so long a cache may give a page that has changed
_NOT_FOR_ROBOTS = (
    "/oai",
    "/admin/",
    "/harvest/",
    "/metrics",
    "/health/",
    "/contacts",
    "/record.xml",
    "/search.",
    "/dcat/",
    "/ogcapi/",
    "/sru",
    "/csw",
)


@csrf_exempt  # P11, S30: a POST here changes nothing
def oai(request: HttpRequest) -> HttpResponse:
    """Answer one OAI-PMH request; the checks come in the order of P14."""
    return _transport_error(request) or _redirect_to_browse(request) or _respond(request, _xml_response)


@require_safe
def browse(request: HttpRequest) -> HttpResponse:
    """Give the same answers as HTML, for people; the same flow control applies. Whoever asks nothing sees who answers here."""
    return _transport_error(request) or _redirect_to_identify(request) or _respond(request, _html_response)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Let search engines read the public pages of records, which the site map lists, but not the lists of `/oai`."""
    site_map = request.build_absolute_uri(reverse("catalogue:site_map"))
    lines = ("User-agent: *", *(f"Disallow: {path}" for path in _NOT_FOR_ROBOTS), "", f"Sitemap: {site_map}")
    return _plain_text("\n".join(lines), 200)


def _respond(request: HttpRequest, build: Callable[[HttpRequest, Terms], HttpResponse]) -> HttpResponse:
    """Answer with what `build` returns, or with 503, 403 or a redirect of flow control; count the request meanwhile."""
    busy = flow_control.in_progress.enter(settings.GISC_REQUESTS_AT_ONCE)
    try:
        with flow_control.slot():
            response = _build_if_allowed(request, build, busy=busy)
        _finish(request, response)
    except BaseException:
        flow_control.in_progress.leave()
        metrics.count_other_response(500)
        raise
    if response.status_code != 200:
        metrics.count_other_response(response.status_code)
    # Called when the response has been sent completely or the client has disconnected. django-stubs lack the list.
    response._resource_closers.append(flow_control.in_progress.leave)  # type: ignore[attr-defined]
    return response


def _build_if_allowed(
    request: HttpRequest, build: Callable[[HttpRequest, Terms], HttpResponse], *, busy: bool
) -> HttpResponse:
    """Choose the harvester's terms, apply flow control, then build; 503 where the answer cannot be built now."""
    try:
        address = _client_address(request)
        terms = _terms_for(request.META.get("HTTP_USER_AGENT", ""), "" if address is None else str(address))
        return _limit(request, address, terms, busy=busy) or build(request, terms)
    except outage.ERRORS as exc:
        if not outage.is_unanswered(exc):
            raise
        logger.exception("database did not answer")
    except DictionaryDamaged:
        logger.exception("stored records cannot be read back")
    except SandboxBusy:
        logger.exception("crosswalk did not finish in time")
    except ReplicaLags as exc:
        logger.warning("this database lags behind the one that began the list", extra={"reason": str(exc)})
    return _unavailable()


def _terms_for(user_agent: str, address: str) -> Terms:
    """Choose the terms for this harvester; reconnect once if the database connection was lost.

    This is the first query of a request, so it replaces Django's health check of the connection, which is one query more.
    """
    connection.health_check_done = True  # type: ignore[attr-defined]
    try:
        return Profile.objects.terms_for(user_agent, address)
    except outage.ERRORS as exc:
        if not outage.is_unanswered(exc):
            raise
        connection.close()
        return Profile.objects.terms_for(user_agent, address)


def _xml_response(request: HttpRequest, terms: Terms) -> HttpResponse:
    styled = browsing.wants_stylesheet(request)
    coding = compression.choose_coding(request.META.get("HTTP_ACCEPT_ENCODING"))
    if coding == compression.GZIP and not styled:
        terms = replace(terms, in_pieces=True)
    result = _counted_answer(request, terms, for_program=True)
    document = browsing.styled(result.document) if styled else result.document
    response = _encoded(document, coding, content_type=render.CONTENT_TYPE)
    if result.is_shared and request.method == "GET" and not styled:
        response["Cache-Control"] = f"public, max-age={_SHARED_S}"
        response["Vary"] = "Accept-Encoding"
    return response


def _html_response(request: HttpRequest, terms: Terms) -> HttpResponse:
    xml = _with_query(request, urlsplit(verbs.base_url()).path)
    document = compression.encode(_counted_answer(request, terms, for_program=False).document, compression.IDENTITY)
    coding = compression.choose_coding(request.META.get("HTTP_ACCEPT_ENCODING"))
    page = _encoded([browsing.page(document, xml=xml)], coding, content_type="text/html; charset=UTF-8")
    page["Content-Security-Policy"] = _PAGE_POLICY
    return page


def _counted_answer(request: HttpRequest, terms: Terms, *, for_program: bool) -> "Answer":
    """Answer the request and count the answer with its time. People, who look for what they have just done, ask the primary."""
    started = seams.monotonic()
    given = _arguments(request)
    by_replica = for_program and replica.ALIAS in connections.databases
    result = answer_by_replica_or_primary(given, terms) if by_replica else answer(given, terms)
    metrics.count_answer(result.verb, result.outcome, seams.monotonic() - started)
    return result


def _arguments(request: HttpRequest) -> list[arguments.Argument]:
    given = arguments.split(
        request.META.get("QUERY_STRING", "").encode("latin-1")
    )  # PEP 3333: each character is one byte
    # P3: arguments of URL and body together; a name that is in both counts as repeated.
    return given + arguments.split(request.body) if request.method == "POST" else given


def _encoded(document: Sequence[bytes | Piece], coding: str, *, content_type: str) -> HttpResponse:
    response = HttpResponse(compression.encode(document, coding), content_type=content_type)
    if coding != compression.IDENTITY:
        response["Content-Encoding"] = coding
    return response


def _redirect_to_browse(request: HttpRequest) -> HttpResponse | None:
    """Redirect a person's browser to the HTML pages; None for a harvester."""
    if request.method == "POST" or not browsing.wants_page(request):
        return None
    redirect = _plain_text("This address is for programs; the same answers for people are at /oai/browse.", 302)
    redirect["Location"] = _with_query(request, f"{request.path.rstrip('/')}/browse")
    return _finish(request, redirect)


def _redirect_to_identify(request: HttpRequest) -> HttpResponse | None:
    """Redirect a person who asks nothing to the first page; None for one who asks something."""
    if request.META.get("QUERY_STRING"):
        return None
    redirect = _plain_text("The first page is that of Identify.", 302)
    redirect["Location"] = f"{request.path}?verb=Identify"
    redirect["Content-Security-Policy"] = _PAGE_POLICY
    return _finish(request, redirect)


def _with_query(request: HttpRequest, address: str) -> str:
    return iri_to_uri(f"{address}?{request.META.get('QUERY_STRING', '')}")


def _limit(
    request: HttpRequest, address: IPv4Address | IPv6Address | None, terms: Terms, *, busy: bool
) -> HttpResponse | None:
    """Answer a client that exceeds the rate limit with 503, 403, or 302 to the mirror (P112-P114); None to serve it."""
    if address is None or not terms.may_be_limited:
        return None
    client = flow_control.address_key(address)
    decision = flow_control.decide(
        client,
        at=seams.now().timestamp(),
        requests_per_minute=_requests_per_minute(address, terms),
        busy=busy,
    )
    if decision.verdict is flow_control.Verdict.SERVE:
        return None
    if decision.verdict is flow_control.Verdict.REFUSE:
        logger.warning("client refused", extra={"client": client, "for_s": decision.wait_s})
        return _plain_text(
            f"Refused: too many requests of {client} came earlier than Retry-After allowed. Send no request for "
            f"{decision.wait_s} seconds, then go on, with the same resumptionToken if you have one.",
            403,
        )
    if settings.GISC_MIRROR_URL and request.method != "POST" and not _is_mirror(request):
        # P114. A redirect would lose the body of a POST.
        redirect = _plain_text("This node is busy; the mirror gives the same answer.", 302)
        redirect["Location"] = _with_query(request, f"{settings.GISC_MIRROR_URL}{request.path.rstrip('/')}")
        return redirect
    logger.info("client told to wait", extra={"client": client, "for_s": decision.wait_s})
    wait = _plain_text(f"Too many requests; retry after {decision.wait_s} seconds. No resumptionToken is lost.", 503)
    wait["Retry-After"] = str(decision.wait_s)
    return wait


def _is_mirror(request: HttpRequest) -> bool:
    """Whether this node is the mirror itself, with the same settings: it must not redirect to itself."""
    host = str(request.META.get("HTTP_HOST", ""))
    return host.lower() == str(urlsplit(settings.GISC_MIRROR_URL).netloc).lower()


def _requests_per_minute(address: IPv4Address | IPv6Address, terms: Terms) -> int | None:
    """Return the limit of the harvester's profile, else that of the node; None for no limit."""
    if terms.requests_per_minute is not None:
        return terms.requests_per_minute
    # A request from this host comes from its operator, or from a proxy that is missing in GISC_TRUSTED_PROXIES.
    return None if address.is_loopback else settings.GISC_REQUESTS_PER_MINUTE


class Answer(NamedTuple):
    """An OAI-PMH document in parts, its verb (empty if the request had no valid one), and `ok` or the first error code.

    `is_shared`: it is the same for everybody who has the token that was asked for.
    """

    document: Sequence[bytes | Piece]
    verb: str
    outcome: str = metrics.OK
    is_shared: bool = False


def answer(given: list[arguments.Argument], terms: Terms) -> Answer:
    """Answer these arguments, valid or not, on these terms (G2)."""
    try:
        request = arguments.read(given)
    except Refused as refused:
        # No list depends on this time, so it need not come from the database.
        document = render.refusal(at=seams.now(), base_url=verbs.base_url(), given=(), faults=refused.faults)
        return Answer(document, "", refused.faults[0].code)
    return _answer_at(lists.instant(), request, terms)  # P39, S6: before any query


def _answer_at(at: datetime, request: arguments.Request, terms: Terms) -> Answer:
    """Answer by what the database had at an instant, or begin a list that others may share by what it had somewhat earlier."""
    if settings.GISC_SHARED_CACHE and not terms.shared and (first := _first_page_of_shared_list(at, request, terms)):
        return first
    base_url = verbs.base_url()
    try:
        body = verbs.ANSWERS[request.verb](request, at, terms)
    except Refused as refused:
        document = render.refusal(at=at, base_url=base_url, given=request.given, faults=refused.faults)
        return Answer(document, request.verb, refused.faults[0].code)
    is_shared = settings.GISC_SHARED_CACHE and tokens.is_shared(request.token or "", request.verb)
    document = render.document(at=at, base_url=base_url, given=request.given, body=body)
    return Answer(document, request.verb, is_shared=is_shared)


def _first_page_of_shared_list(at: datetime, request: arguments.Request, terms: Terms) -> Answer | None:
    """Begin a list at the last second of the minute before; None where there is nothing to share.

    All who begin such a list within a minute get equal tokens, if the records did not change meanwhile. Their responseDate is that
    second, too: a page of the cache may lack what has changed since it was made, which is later, so their next list has it. With
    `until`, or a `from` after that second, the date would not fit what was asked for; a profile shows what is not for everybody.
    """
    if request.verb not in _LISTS_OF_RECORDS or request.token is not None or request.end is not None or terms.key:
        return None
    earlier = at.replace(second=0) - timedelta(seconds=1)
    if request.start is not None and request.start > earlier:
        return None
    if at - seams.now() > _MARK_AHEAD:
        return None  # the mark stands until the clock has passed it, and with it the end of such a list
    try:
        result = _answer_at(earlier, request, replace(terms, shared=True))
    except verbs.FitsOnePage:
        return None
    return result if result.outcome == metrics.OK else None


_last_outcome = ""


def answer_by_replica_or_primary(given: list[arguments.Argument], terms: Terms) -> Answer:
    """Answer from the replica, which is set up, if the request is for a list that can be read there; else as `answer` does.

    Lists alone: who has seen a record in a list must find it by GetRecord, and formats and sets as they are. All errors are the
    primary's: what a harvester has just learnt of, a set or a format, may not have arrived at the replica.
    """
    try:
        request = arguments.read(given)
    except Refused:
        return answer(given, terms)
    if request.verb not in _LISTS_OF_RECORDS:
        return answer(given, terms)
    try:
        with replica.reading() as at:
            result = _answer_from_replica(at, request, terms)
    except replica.Unfit as exc:
        _note_outcome(exc.cause, str(exc))
        return answer(given, terms)
    _note_outcome(metrics.OK)
    return result


def _answer_from_replica(at: datetime, request: arguments.Request, terms: Terms) -> Answer:
    """Answer a list from what was replayed up to an instant. Raises replica.Unfit.

    A harvester may take its `until` for the time up to which it has everything; the primary knows that later time. A `from`
    after the instant comes of an answer of the primary: "no record" would be an answer about a time that nobody knows here.
    Nor is the second of the instant known as a whole: of a record that changed twice in it the first state may be all that was
    replayed, when the harvester has the second one.
    """
    if (request.start is not None and request.start >= at) or (request.end is not None and request.end > at):
        raise replica.Unfit(Cause.TOO_NEW, f"replayed up to {datestamps.write(at)}")
    try:
        result = _answer_at(at, request, terms)
    except ReplicaLags as exc:
        raise replica.Unfit(Cause.TOO_NEW, str(exc)) from exc
    if result.outcome != metrics.OK:
        raise replica.Unfit(Cause.REFUSED, result.outcome)
    return result


def _note_outcome(outcome: str, detail: str = "") -> None:
    """Count where a list was read, and log it when it becomes another one; what concerns one list alone is only counted."""
    global _last_outcome
    metrics.count_replica(outcome)
    if outcome in (Cause.TOO_NEW, Cause.REFUSED) or outcome == _last_outcome:
        return
    before, _last_outcome = _last_outcome, outcome
    if outcome != metrics.OK:
        logger.warning("lists are read from the primary, not from the replica", extra={"reason": detail})
    elif before:
        logger.info("lists are read from the replica again")


def _transport_error(request: HttpRequest) -> HttpResponse | None:
    """Refuse a bad HTTP request with 4xx before any argument is read (P4, P12); None if HTTP is in order."""
    response = _bad_http(request)
    if response is None:
        return None
    metrics.count_other_response(response.status_code)
    return _finish(request, response)


def _bad_http(request: HttpRequest) -> HttpResponse | None:
    if request.method not in METHODS:
        response = _plain_text(f"Method not allowed; OAI-PMH requests use {', '.join(METHODS)}.", 405)
        response["Allow"] = ", ".join(METHODS)
        return response
    if len(request.META.get("QUERY_STRING", "")) + len(request.path) >= LONGEST_URL:
        return _plain_text(
            f"The URL is longer than {LONGEST_URL} bytes; send the arguments in the body of a POST.", 414
        )
    return _bad_body(request) if request.method == "POST" else None


def _bad_body(request: HttpRequest) -> HttpResponse | None:
    length = _content_length(request)
    if length > LONGEST_BODY:
        return _plain_text(f"The body is longer than {LONGEST_BODY} bytes.", 413)
    # P4: an empty body means no arguments; then the media type may be missing.
    if request.content_type != FORM and (length or request.content_type):
        return _plain_text(f"The body of a POST must be {FORM}.", 415)
    if request.headers.get("Content-Encoding", "").strip().lower() not in ("", compression.IDENTITY):
        refusal = _plain_text("The body of a POST must not be compressed; send it without Content-Encoding.", 415)
        refusal["Accept-Encoding"] = compression.IDENTITY  # RFC 9110, 12.5.3: what the request may have
        return refusal
    try:
        is_whole = len(request.body) == length
    except UnreadablePostError:
        is_whole = False
    return None if is_whole else _plain_text("The body ended before its announced length.", 400)


def _client_address(request: HttpRequest) -> IPv4Address | IPv6Address | None:
    """Return the client's address, looking through trusted proxies; None where there is none, as on a Unix socket."""
    return flow_control.client_address(
        request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", ""), settings.GISC_TRUSTED_PROXIES
    )


def _content_length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0  # as Django does; it then reads no body


def _unavailable() -> HttpResponse:
    busy = _plain_text("The catalogue cannot be read at the moment; please try again later.", 503)
    busy["Retry-After"] = str(RETRY_AFTER_S)
    return busy


def _plain_text(text: str, status: int) -> HttpResponse:
    return HttpResponse(f"{text}\n", content_type="text/plain; charset=UTF-8", status=status)


def _finish(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Set the headers that every response has; drop the body for HEAD."""
    if not response.has_header("Cache-Control"):
        response["Cache-Control"] = "no-cache"  # P116
        patch_vary_headers(
            response, ["Accept", "Accept-Encoding", "User-Agent"]
        )  # P51, P115, P116; User-Agent chooses the profile
    response["Content-Length"] = str(len(response.content))
    if request.method == "HEAD":  # P4: the headers of the GET, its length too, without the body
        response.content = b""
    return response
