"""The start page of the administration, what it reads again while it is open, the JSON of its charts, and muting a link."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from catalogue import seams
from gisc.dashboard import figures
from gisc.parts import parts
from harvester.links import edit
from harvester.models import Link

MUTE_H = 24


def add_context(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add to the context of the start page what it shows (unfold calls this)."""
    context |= figures.read_live(request.user)
    if context["has_database"] and figures.may(request.user, "view", "harvester.link"):
        context["days"] = figures.read_days(context["now"])
    if context["has_database"] and figures.may(request.user, "view", "catalogue.metadataset"):
        context["sets"] = figures.read_sets()
    return context


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """Return the parts of the start page that change, for a page that is open."""
    return render(request, "admin/dashboard/live.html", figures.read_live(request.user))


@require_safe
def charts(request: HttpRequest) -> JsonResponse:
    """Return what the charts draw: changes a day, duration and rate of runs, records of each set."""
    found: dict[str, Any] = {}
    if not parts.recent().read.has_database:
        return JsonResponse(found, status=503)
    if figures.may(request.user, "view", "harvester.link"):
        days = figures.read_days(seams.now())
        found["days"] = [
            {
                "day": day.day.isoformat(),
                "new": day.new,
                "updated": day.updated,
                "deleted": day.deleted,
                "runs": day.runs,
                "seconds_a_run": day.seconds_a_run,
                "entries_a_second": day.entries_a_second,
            }
            for day in days
        ]
    if figures.may(request.user, "view", "catalogue.metadataset"):
        found["sets"] = figures.read_sets()
    return JsonResponse(found)


@require_POST
def mute(request: HttpRequest, link_id: int) -> HttpResponse:
    """Keep the problems of a link out of the way for a day; with `unmute` in the form, show them again."""
    if not figures.may(request.user, "change", "harvester.link"):
        raise PermissionDenied
    link = get_object_or_404(Link, pk=link_id)
    hours = 0 if "unmute" in request.POST else MUTE_H
    edit.mute(link, hours)
    text = _("%(link)s is muted for %(hours)s hours: its problems are at the end of the list, and nobody is alerted.")
    messages.success(
        request,
        text % {"link": link.name, "hours": hours}
        if hours
        else _("%(link)s is no longer muted.") % {"link": link.name},
    )
    return redirect("admin:index")


urlpatterns = [
    path("live/", admin.site.admin_view(live), name="dashboard-live"),
    path("charts.json", admin.site.admin_view(charts), name="dashboard-charts"),
    path("mute/<int:link_id>/", admin.site.admin_view(mute), name="dashboard-mute"),
]
