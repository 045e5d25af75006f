"""A status page for people, and the same as JSON for programs: the links and their last runs. Reads only."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from harvester import overview, status, switching
from harvester.models import Link


@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    """All links, each with its newest run and comparison."""
    links = []
    for link in overview.with_last_run(Link.objects.all()):
        run = overview.last_run(link)
        compared = overview.last_comparison(link)
        outcome = overview.outcome(run) if run else ("", "none yet")
        links.append((link, run, outcome, compared, switching.told(link)))
    return render(request, "harvester/status.html", {"links": links})


@require_safe
def status_json(_request: HttpRequest) -> HttpResponse:
    """The same for programs: see `harvester.status`."""
    return JsonResponse(status.status())
