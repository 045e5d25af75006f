"""Limit what the public pages may use: a few of them at a time, each statement a short time; 503 in one plain sentence.

Everything is public that is not in `_OTHERS`: search, records, statistics, the status of harvesting. People can wait;
harvesters must not wait for them. `gisc/web_worker.py` serves public requests in threads of their own; here their views
run one or a few at a time, because all threads of a process share one processor.
"""

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.module_loading import import_string
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from catalogue import outage, seams

logger = logging.getLogger(__name__)

RETRY_AFTER_S = 10  # chosen
BUSY = _("Too many people are asking this catalogue at the moment; please try again in a few seconds.")
_AWAY = _("The catalogue cannot be read at the moment; please try again later.")
_LONGEST_WAIT_S = 10  # chosen: for one's turn; who waits longer has gone
# Measured: in a crowd, each turn lasts nine times as long as the page takes, so that harvesters get the processor (four times: the
# 95th percentile of `/oai` is 2.2 times as long as alone; nine times: 1.6).
_RESTS, _LONGEST_REST_S = 8, 1.0
# Of harvesters, operators and monitors. `/oai` has limits of its own (oaiprovider/flow_control.py).
_OTHERS = ("/oai", "/admin", "/health/", "/metrics", "/static/", "/robots.txt")
# Besides the time: no processor but one, and no table read from end to end where an index will do, as PostgreSQL would do
# for words that most records have.
_LIMITS = """
    SELECT set_config('statement_timeout', %s, true), set_config('max_parallel_workers_per_gather', '0', true),
        set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)
"""
# The modules import models: not before the apps are loaded.
_OWN_UNAVAILABLE = {f"/{name}": f"catalogue.discovery.{name}.views.unavailable" for name in ("sru", "csw")}
_turns = seams.BoundedSemaphore(settings.GISC_PUBLIC_AT_ONCE)


def is_public(path: str) -> bool:
    return not path.startswith(_OTHERS)


class PublicPages:
    """Middleware that runs the views of public pages within the limits, and answers 503 for them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], values: Any, names: Any
    ) -> HttpResponse | None:
        if not is_public(request.path):
            return None
        is_crowded = not _turns.acquire(blocking=False)
        if is_crowded and not _turns.acquire(timeout=_LONGEST_WAIT_S):
            return _unavailable(request, BUSY)
        started = seams.monotonic()
        try:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute(_LIMITS, [f"{settings.GISC_PUBLIC_STATEMENT_SECONDS}s"])
                return view(request, *values, **names)
        except outage.ERRORS as exc:
            if not outage.is_unanswered(exc):
                raise
            # The database is away, or a statement took too long.
            logger.warning("public page not made", extra={"path": request.path, "reason": " ".join(str(exc).split())})
            return _unavailable(request, _AWAY)
        finally:
            if is_crowded:
                seams.sleep(min(_RESTS * (seams.monotonic() - started), _LONGEST_REST_S))
            _turns.release()


def _wants_page(request: HttpRequest) -> bool:
    """Whether somebody looks at OGC API - Records in a browser."""
    form = request.GET.get("f")
    return form == "html" or (
        form is None and request.get_preferred_type(["application/json", "text/html"]) == "text/html"
    )


def _unavailable(request: HttpRequest, sentence: str) -> HttpResponse:
    if request.path.startswith("/ogcapi/") and not _wants_page(request):
        problem = {"type": "about:blank", "title": "Not available now", "status": 503, "detail": sentence}
        answer: HttpResponse = JsonResponse(problem, status=503, content_type="application/problem+json")
    elif request.path in _OWN_UNAVAILABLE:
        answer = import_string(_OWN_UNAVAILABLE[request.path])(request, sentence)
    elif request.path.endswith(".json"):
        answer = JsonResponse({"error": sentence}, status=503)
    elif request.path.endswith((".xml", ".atom", ".csv")) or request.path.startswith("/dcat/"):
        answer = HttpResponse(f"{sentence}\n", content_type="text/plain; charset=utf-8", status=503)
    else:
        answer = render(request, "503.html", {"reason": gettext(sentence)}, status=503)
    answer["Retry-After"] = str(RETRY_AFTER_S)
    answer["Cache-Control"] = "no-store"
    return answer
