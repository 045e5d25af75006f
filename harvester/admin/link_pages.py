"""The page of a link: what stands above its form, what the script that refreshes it asks for, and its rejects by cause."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from harvester.admin import runs
from harvester.admin.link_acts import acts_of
from harvester.admin.link_columns import live_parts, look_at, overview_of
from harvester.links import acts
from harvester.models import Link, Reject, Run
from harvester.monitoring import reject_groups, status
from harvester.monitoring.admin_pages import page_url

MAX_RUNS = 15  # of the timeline
MAX_LIVE = 100  # links that are refreshed at once
_WAIT_S, _WAIT_IDLE_S = 3, 20  # chosen: until a page asks again, while something runs and while nothing does
_MAX_QUIET = 1_000_000


class LinkPages:
    """The sections of the page, and the views behind them."""

    message_user: Any
    has_view_permission: Any
    has_change_permission: Any

    class Media:
        js = ("harvester/links.js", "harvester/next_times.js")
        css = {"all": ("harvester/links.css",)}

    def sections(self, request: HttpRequest, link: Link) -> dict[str, Any]:
        """What stands above the form of a link that came from `status.with_last_run`."""
        may_act = self.has_change_permission(request, link)
        possible = list(acts_of(link)) if may_act else []
        newest = Run.objects.filter(link=link).defer("token")[:MAX_RUNS]
        return {
            "overview": overview_of(link),
            "parts": live_parts(link),
            "todos": [(page_url(link, todo.page), todo.text) for todo in status.find_todos(link)],
            "acts": [act for act in possible if not act.is_apart],
            "acts_apart": [act for act in possible if act.is_apart],
            "timeline": [(run, status.describe_run_state(run)) for run in newest],
            "reject_groups": reject_groups.read_groups(link),
            "report_url": request.build_absolute_uri(reverse("harvester:report", args=[link.report_key])),
            "last_comparison": status.last_comparison(link),
            "last_reharvest": status.last_reharvest(link),
        }

    def live_view(self, request: HttpRequest) -> HttpResponse:
        """Give the parts of links that change while runs go on, and when to ask again."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        ids = [int(part) for part in request.GET.get("links", "").split(",") if part.isdecimal() and len(part) < 19]
        links = list(status.with_last_run(Link.objects.filter(pk__in=ids[:MAX_LIVE]), successes=True))
        parts = {f"{link.pk}:{name}": html for link in look_at(links) for name, html in live_parts(link).items()}
        if len(links) == 1 and self.has_change_permission(request, links[0]):  # else it is a list
            parts |= {f"{links[0].pk}:{name}": html for name, html in _acts(links[0]).items()}
        is_running = any(overview_of(link).open_run is not None for link in links)
        return JsonResponse({"parts": parts, "wait_s": _WAIT_S if is_running else _WAIT_IDLE_S})

    def quiet_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Store by POST up to how many rejects with the code `reason` are nothing to do."""
        link = self._link_to_change(request, object_id)
        if not isinstance(link, Link):
            return link
        reason, number = request.POST.get("reason", ""), request.POST.get("up_to", "").strip() or "0"
        if not reason or not number.isdecimal() or len(number) > 7 or int(number) > _MAX_QUIET:
            self.message_user(
                request, _("Write a number of rejects, such as 20; 0 to be told of each."), messages.ERROR
            )
        else:
            acts.quieten(link, reason, int(number))
            words = _("Rejects of this cause are quiet up to %(number)s. More of them, and other causes, are told.")
            if number == "0":
                words = _("Every reject of this cause is told again.")
            self.message_user(request, words % {"number": number}, messages.SUCCESS)
        return redirect(f"{reverse('admin:harvester_link_change', args=[link.pk])}#rejects")

    def renew_report_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Give the report for the provider another address, by POST."""
        link = self._link_to_change(request, object_id)
        if not isinstance(link, Link):
            return link
        acts.renew_report(link)
        words = _(
            "The report has a new address; the one before finds nothing any more. Send the new one to the provider."
        )
        self.message_user(request, words, messages.SUCCESS)
        return redirect(f"{reverse('admin:harvester_link_change', args=[link.pk])}#rejects")

    def rejects_view(self, request: HttpRequest, object_id: int) -> HttpResponseBase:
        """Download the rejects of a link that stand, of one cause if `reason` names it, as CSV."""
        link = get_object_or_404(Link, pk=object_id)
        if not self.has_view_permission(request, link) or not request.user.has_perm("harvester.view_reject"):
            raise PermissionDenied
        found, reason = Reject.objects.standing().filter(link=link), request.GET.get("reason")
        if reason is not None:
            found = found.filter(reason=reason)
        return runs.rejects_download(found, f"rejects-{link.name}")

    def _link_to_change(self, request: HttpRequest, object_id: int) -> Link | HttpResponse:
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        link = get_object_or_404(Link, pk=object_id)
        if not self.has_change_permission(request, link):
            raise PermissionDenied
        return link


def _acts(link: Link) -> dict[str, str]:
    """The lists of what can be done to a link now, as HTML."""
    possible = list(acts_of(link))
    context = {
        "link": link,
        "acts": [act for act in possible if not act.is_apart],
        "acts_apart": [act for act in possible if act.is_apart],
    }
    return {
        name: render_to_string(f"admin/harvester/link/cells/{name}.html", context) for name in ("acts", "acts_apart")
    }
