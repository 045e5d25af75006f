"""A status page for people, and the same as JSON for programs: the links and their last runs. Reads only."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from harvester.links import failover
from harvester.models import Link
from harvester.monitoring import status


@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    """All links, each with its newest run and comparison."""
    links = []
    for link in status.with_last_run(Link.objects.all()):
        run = status.last_run(link)
        compared = status.last_comparison(link)
        outcome = status.outcome(run) if run else ("", "none yet")
        links.append((link, run, outcome, compared, failover.describe_provider(link)))
    return render(request, "harvester/status.html", {"links": links})


@require_safe
def status_json(_request: HttpRequest) -> HttpResponse:
    """The same for programs: see `harvester.monitoring.status`."""
    return JsonResponse(status.status_report())
