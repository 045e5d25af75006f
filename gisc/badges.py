"""Status badges: the state of a link, or of the links of a set, as a small SVG for other pages. Routes and views; public."""

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils.translation import gettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from catalogue.models import MetadataSet
from harvester.models import Link
from harvester.monitoring import status

_LETTER, _PADDING = 7, 8  # pixels; no letter of the size of a badge is wider
# White is legible on each of them (WCAG AA).
_GOOD, _FAIR, _BAD, _NEUTRAL = "#1a7f37", "#8a5300", "#b42318", "#57606a"
_COLOURS = {"done": _GOOD, status.RUNNING: _GOOD, status.PARTIAL: _FAIR, status.OVERDUE: _BAD, "failed": _BAD}


@require_safe
@cache_control(public=True, max_age=60)
def link_badge(request: HttpRequest, name: str) -> HttpResponse:
    """Draw the state of a link."""
    return _badge(request, name, Link.objects.filter(name=name, category=None))


@require_safe
@cache_control(public=True, max_age=60)
def set_badge(request: HttpRequest, spec: str) -> HttpResponse:
    """Draw the state of a public set: the worst one of the links that bring it."""
    found = get_object_or_404(MetadataSet, spec=spec, public=True, category=None)
    return _badge(request, spec, Link.objects.filter(local_set=found, enabled=True, category=None))


def _badge(request: HttpRequest, label: str, links: QuerySet[Link]) -> HttpResponse:
    states = [status.describe_state(link) for link in status.with_last_run(links)]
    if not states:
        raise Http404
    worst = min(states, key=lambda state: status.URGENCY.index(state.key))
    label = f"{gettext('harvest')} {label}"
    width, middle = (_LETTER * len(text) + 2 * _PADDING for text in (label + worst.word, label))
    width += 2 * _PADDING
    facts = {
        "label": label,
        "word": worst.word,
        "colour": _COLOURS.get(worst.key, _NEUTRAL),
        "width": width,
        "split": middle,
        "word_width": width - middle,
        "label_at": middle / 2,
        "word_at": (width + middle) / 2,
    }
    return render(request, "harvester/badge.svg", facts, content_type="image/svg+xml")


urlpatterns = [
    path("set/<path:spec>.svg", set_badge, name="set-badge"),
    path("<slug:name>.svg", link_badge, name="link-badge"),
]
