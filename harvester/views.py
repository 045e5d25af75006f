"""Show the links and their last runs: as a page for people, and as JSON for programs. Reads only."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from harvester.links import failover
from harvester.models import Link, Run
from harvester.monitoring import status


@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    """Show all links, each with its state, its newest run and comparison."""
    rows = []
    purposes = Run.Purpose.HARVEST, Run.Purpose.COMPARISON
    for link in status.with_last_run(Link.objects.all(), purposes=purposes):
        run, state = status.last_run(link), status.link_state(link)
        rows.append((link, run, state, status.last_comparison(link), failover.describe_relay(link)))
    return render(request, "harvester/status.html", {"links": rows, "node_state": _node_state()})


@require_safe
def status_json(_request: HttpRequest) -> HttpResponse:
    """Give the state of the node and `harvester.monitoring.status.status_report` as JSON."""
    return JsonResponse({**_node_state(), **status.status_report()})


def _node_state() -> dict[str, Any]:
    """Return the state of the node and of each of its parts, without details: strangers read it."""
    state: dict[str, Any] = import_string(settings.NODE_STATE)()
    return state
