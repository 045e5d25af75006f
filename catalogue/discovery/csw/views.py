"""Answer requests to `/csw`. Reads only. What is wrong with a request is an ExceptionReport, with status 200 (as pycsw has it)."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from catalogue.discovery.csw import reports
from catalogue.discovery.csw.reports import INVALID, NO_CODE, Refused
from catalogue.pages import interfaces
from catalogue.reading.query.search import QueryTooCostly

logger = logging.getLogger(__name__)
_ANSWER = "catalogue.discovery.csw.answering.answer"


@csrf_exempt  # a POST here changes nothing
@interfaces.offered(interfaces.CSW)
@gzip_page
@require_http_methods(["GET", "HEAD", "POST"])
def csw(request: HttpRequest) -> HttpResponse:
    """Answer one request of CSW 2.0.2."""
    answer = _load()
    if answer is None:
        return unavailable(request, "The packages for CSW cannot be loaded; the log says why.")
    try:
        return _xml(answer(request))
    except Refused as refused:
        return _xml(reports.write(refused))
    except QueryTooCostly as exc:
        return _xml(reports.write(_too_costly(str(exc))))


def unavailable(_request: HttpRequest, sentence: str) -> HttpResponse:
    """Return the answer of a node that cannot answer now, with status 503."""
    return _xml(reports.write(Refused(NO_CODE, "", sentence)), 503)


def _load() -> Callable[[HttpRequest], bytes] | None:
    try:
        loaded: Callable[[HttpRequest], bytes] = import_string(_ANSWER)
        return loaded
    except Exception:  # packages that are there, but not in the versions that pycsw insists on
        logger.exception("CSW cannot be loaded")
        return None


def _too_costly(code: str) -> Refused:
    if code == "phrase":
        advice = "words of one field are compared with too many records; add a BBOX, a dc:type, or ask for csw:AnyText"
    else:
        advice = "this search takes too long; add another word, a BBOX or a dc:type"
    return Refused(INVALID, "constraint", advice)


def _xml(body: bytes, status: int = 200) -> HttpResponse:
    return HttpResponse(body, content_type="application/xml; charset=utf-8", status=status)
