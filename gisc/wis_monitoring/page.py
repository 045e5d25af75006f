"""Routes and views of `/monitoring/`: the messages of WIS monitoring as JSON. Public."""

from datetime import date, timedelta
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from catalogue import seams
from catalogue.pages import interfaces
from gisc.wis_monitoring import messages
from gisc.wis_monitoring.models import DailyFigures, ResponseTimes

MOST_DAYS = 400  # of the history, chosen
_ROUNDS = timedelta(days=30)


def _answer(body: dict[str, Any], status: int = 200) -> JsonResponse:
    return JsonResponse(body, status=status, json_dumps_params={"indent": 1})


def _not_yet() -> JsonResponse:
    answer = _answer({"error": "Nothing has been measured yet; the worker does it within minutes."}, 404)
    answer["Cache-Control"] = "no-store"
    return answer


@interfaces.offered(interfaces.MONITORING)
@require_safe
@cache_control(public=True, max_age=60)
def monitor(request: HttpRequest) -> JsonResponse:
    """Return the message of today, or of `?day=YYYY-MM-DD`."""
    text = request.GET.get("day", "")
    try:
        day = date.fromisoformat(text) if text else None
    except ValueError:
        return _answer({"error": "day has to be a date such as 2026-11-23."}, 400)
    figures = messages.newest_day(seams.now().date(), day)
    if figures is None:
        return _not_yet() if day is None else _answer({"error": "There are no figures of this day."}, 404)
    return _answer(messages.monitor(figures))


@interfaces.offered(interfaces.MONITORING)
@require_safe
@cache_control(public=True, max_age=60)
def centres(_request: HttpRequest) -> JsonResponse:
    """Return how fast the other centres answered last."""
    times = messages.newest_round(seams.now())
    return _not_yet() if times is None else _answer(messages.centres(times))


@interfaces.offered(interfaces.MONITORING)
@require_safe
@cache_control(public=True, max_age=600)
def history(_request: HttpRequest) -> JsonResponse:
    """Return the figures of the last 400 days, and the availability of the other centres over 30 days."""
    days = DailyFigures.objects.filter(day__lte=seams.now().date())[:MOST_DAYS]
    rounds = ResponseTimes.objects.filter(at__gt=seams.now() - _ROUNDS, at__lte=seams.now())
    return _answer(messages.history(days, rounds.iterator()))


urlpatterns = [
    path("monitor.json", monitor, name="monitoring-monitor"),
    path("centres.json", centres, name="monitoring-centres"),
    path("history.json", history, name="monitoring-history"),
]
