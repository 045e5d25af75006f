"""Show the links and their last runs: as a page for people, and as JSON for programs. Reads only."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from harvester.links import failover
from harvester.models import Link
from harvester.monitoring import status


@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    """Show all links, each with its state, its newest run and comparison."""
    rows = []
    for link in status.with_last_run(Link.objects.all()):
        run, state = status.last_run(link), status.link_state(link)
        rows.append((link, run, state, status.last_comparison(link), failover.describe_relay(link)))
    return render(request, "harvester/status.html", {"links": rows})


@require_safe
def status_json(_request: HttpRequest) -> HttpResponse:
    """Give `harvester.monitoring.status.status_report` as JSON."""
    return JsonResponse(status.status_report())
