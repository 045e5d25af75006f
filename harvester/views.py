"""Show the links and their runs to everybody: pages for people, Atom feeds, and JSON for programs. Reads only."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from catalogue import seams
from catalogue.pages import viewers
from catalogue.pages.momentary import for_a_moment
from harvester.links import failover
from harvester.models import Link, Reject, Run
from harvester.monitoring import coverage, csv_export, feeds, overview, provider_report, status

LOGGED = 25  # runs on a page of a link
BARS = 15  # of a link among all: with 200 links a page has thousands


@require_safe
@viewers.by_viewer
@for_a_moment
def status_page(request: HttpRequest) -> HttpResponse:
    """Show all links, each with its state, its last runs, and how long ago it was complete."""
    now = seams.now()
    links = list(status.with_last_run(_visible_links(request), successes=True))
    rows = overview.read(sorted(links, key=lambda link: link.name), _run_url(), now=now, bars=BARS)
    due = [row for row in rows if row.link.enabled]
    covered = coverage.read_coverage()
    names = {each.centre.set_spec: each.centre.name for each in covered.centres}
    context = {
        "rows": [(row, names.get(row.link.local_set.spec, "")) for row in rows],
        "well": sum(row.is_in_step for row in due),
        "number": len(due),
        "coverage": covered.text if covered.counted else "",
        "node_state": _node_state(),
    }
    return render(request, "harvester/status.html", context)


@require_safe
@viewers.by_viewer
@for_a_moment
def status_json(request: HttpRequest) -> HttpResponse:
    """Give the state of the node and `harvester.monitoring.status.status_report` as JSON."""
    return JsonResponse({**_node_state(), **status.status_report(_visible_links(request))})


@require_safe
@viewers.by_viewer
def link_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show one link: how it stands, and a page of the log of its runs, the newest first."""
    link = _find(request, name)
    (row,) = overview.read([link], _run_url())
    runs = list(_log(link, request.GET.get("before", ""))[: LOGGED + 1])
    older = _place_of(runs[LOGGED - 1]) if len(runs) > LOGGED else ""
    return render(
        request,
        "harvester/link.html",
        {
            "link": link,
            "row": row,
            "log": [(run, status.describe_run_state(run)) for run in runs[:LOGGED]],
            "older": older,
            "is_first": "before" not in request.GET,
            "relay": failover.describe_relay(link),
            "base_url": provider_report.public_base_url(link),
        },
    )


@require_safe
@viewers.by_viewer
def link_json(request: HttpRequest, name: str) -> HttpResponse:
    """Give one link, as in the report of all, and its last runs as JSON."""
    link = _find(request, name)
    runs = Run.objects.filter(link=link).defer("token").order_by("-begun", "-pk")[:LOGGED]
    return JsonResponse({**status.link_report(link), "runs": [status.run_facts(run) for run in runs]})


@require_safe
@viewers.by_viewer
@for_a_moment
def feed(request: HttpRequest, name: str = "") -> HttpResponse:
    """Give the last runs of one link, or of all, as an Atom feed."""
    links = _visible_links(request)
    link = get_object_or_404(links, name=name) if name else None
    return HttpResponse(feeds.runs_feed(links, link), content_type="application/atom+xml; charset=utf-8")


@require_safe
def report_page(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Show a provider which of its records were not stored, why, and what it can do."""
    link = get_object_or_404(Link, report_key=key)
    return _unlisted(render(request, "harvester/report.html", {"report": provider_report.report(link), "key": key}))


@require_safe
def report_json(_request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Give the same as JSON."""
    return _unlisted(JsonResponse(provider_report.report(get_object_or_404(Link, report_key=key))))


@require_safe
def report_csv(_request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Give all rejects that stand as CSV, with the metadata as received."""
    link = get_object_or_404(Link, report_key=key)
    lines = csv_export.rejects_csv(Reject.objects.standing().filter(link=link), csv_export.MAX_PUBLIC)
    response = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="rejects-{link.name}.csv"'
    return _unlisted(response)


def _unlisted(response: HttpResponse) -> HttpResponse:
    """Keep the page out of search engines, and its address from other hosts: who has it was given it."""
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    return response


def _visible_links(request: HttpRequest) -> QuerySet[Link]:
    """The links that the reader of a page may see; of those with a category, people who are signed in see some."""
    is_for_all = Q(category=None)
    if viewers.is_signed_in(request):
        is_for_all |= Q(category__signed_in=True)
    return Link.objects.filter(is_for_all)


def _find(request: HttpRequest, name: str) -> Link:
    key = get_object_or_404(_visible_links(request).only("pk"), name=name).pk
    return status.with_last_run(Link.objects.filter(pk=key), successes=True, only=key).get()


def _run_url() -> Callable[[int], str]:
    """The address of a run, by its key. (To reverse thousands takes long.)"""
    address = reverse("harvester:run", args=[0])
    return lambda run: address.replace("/0/", f"/{run}/")


@require_safe
@viewers.by_viewer
def run_page(request: HttpRequest, run: int) -> HttpResponse:
    """Show the log of the run's link, beginning with this run."""
    runs = Run.objects.filter(link__in=_visible_links(request)).select_related("link")
    found = get_object_or_404(runs.only("begun", "link__name"), pk=run)
    return HttpResponse(
        status=302,
        headers={
            "Location": f"{reverse('harvester:link', args=[found.link.name])}?before={_place_of(found, 1)}#run-{run}"
        },
    )


def _place_of(run: Run, later: int = 0) -> str:
    """Where the log goes on after this run, or `later` keys before it."""
    return f"{round(run.begun.timestamp() * 1_000_000)}-{run.pk + later}"


def _log(link: Link, before: str) -> Any:
    """The runs of a link, the newest first, after a place in the log. The index of its runs serves any place alike."""
    runs = Run.objects.filter(link=link).defer("token", "sealed_cookies").order_by("-begun", "-pk")
    if not before:
        return runs
    microseconds, _, key = before.partition("-")
    if not (microseconds.isdecimal() and key.isdecimal()) or len(microseconds) > 17 or len(key) > 18:
        raise Http404
    begun = datetime.fromtimestamp(int(microseconds) // 1_000_000, UTC).replace(
        microsecond=int(microseconds) % 1_000_000
    )
    return runs.filter(Q(begun__lt=begun) | Q(begun=begun, pk__lt=int(key)), begun__lte=begun)


def _node_state() -> dict[str, Any]:
    """Return the state of the node and of each of its parts, without details: strangers read it."""
    state: dict[str, Any] = import_string(settings.NODE_STATE)()
    return state
