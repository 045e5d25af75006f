"""Links in the admin: what is harvested from whom, how the last run went, and the buttons that start one.

No rule lives here: pages and actions call the functions that commands and tasks call.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from kombu.exceptions import OperationalError
from unfold.admin import TabularInline

from catalogue.admin import Admin, breakable, coloured
from harvester import admin_conflicts as _admin_conflicts  # noqa: F401  (registers its page)
from harvester import admin_look, admin_runs, ending, links, overview, runs, slices, switching, tasks
from harvester.admin_runs import OUTCOME_COLOURS
from harvester.models import Alternative, Link, Reject, Run
from harvester.status import COUNTERS

RUNS_SHOWN = 10
_TURNING = ("switch_after_h", "return_after_h")


class AlternativeInline(TabularInline):  # type: ignore[misc]  # unfold comes without types
    """The providers that a link turns to when its own cannot be had, in order."""

    model = Alternative
    extra = 0
    tab = False


@admin.register(Link)
class LinkAdmin(Admin):
    """Links: what is harvested from whom, how the last run went, and the buttons that start one."""

    list_display = (
        "name",
        "kind_word",
        "sets",
        "enabled",
        "last_state",
        "last_message",
        "compared",
        "harvested_to",
        "failed_in_a_row",
        "next_due",
    )
    list_filter = ("enabled", "kind", "local_set")
    search_fields = ("name", "base_url", "remote_set")
    list_display_links = ("name",)
    sortable_by = ("name", "harvested_to", "failed_in_a_row", "next_due")
    actions = ("run_now", "run_now_whole", "compare", "compare_beyond_ceiling", "switch", "switch_back", "cancel_run")
    inlines = (AlternativeInline,)
    readonly_fields = (
        *("harvested_to", "first_response", "newest", "next_due", "failures", "granularity", "deleted_record"),
        *("served", "way_back", "failing_since", "skew_s", "set_word"),
        *("drift", "next_slice", "compared_to", "cycle_begun", "cycle_ended", "reconciles"),
    )
    change_form_template = "admin/harvester/link/change_form.html"
    delete_confirmation_template = "admin/harvester/link/delete_confirmation.html"
    delete_selected_confirmation_template = "admin/harvester/link/delete_selected_confirmation.html"
    _fieldsets = (
        (None, {"fields": ("name", "kind")}),
        (
            "Provider",
            {
                "fields": ("base_url", "prefix", "remote_set"),
                "description": "“Retrieve info” asks the provider which prefixes and sets it offers.",
            },
        ),
        (
            "Where the records go",
            {
                "fields": ("local_set",),
                "description": "A peer's set from a peer or relay, a shared set from one of its owners, our own set from "
                "our centres. When any of the provider's fields or the local set changes, "
                "the next run asks for the whole list.",
            },
        ),
        (
            "Schedule",
            {
                "fields": ("enabled", "interval_s", "strategy", "from_policy", "overlap_s", *_TURNING),
                "description": "3600 s are an hour, 21600 s six hours, 86400 s a day. A link that is not enabled runs "
                "only when somebody starts it.",
            },
        ),
        (
            "Comparison",
            {
                "fields": ("cycle_days", "tombstone_days", "ceiling_records", "ceiling_percent"),
                "description": "Headers are compared, a slice a day. Nothing is deleted because it is not listed: the "
                "provider is asked for it, and only its deleted header deletes. The larger of the two ceilings counts.",
            },
        ),
    )
    _state = (
        (
            "State",
            {
                "fields": (
                    *("harvested_to", "first_response", "newest", "next_due"),
                    *(
                        "set_word",
                        "served",
                        "way_back",
                        "failures",
                        "failing_since",
                        "granularity",
                        "deleted_record",
                        "skew_s",
                    ),
                )
            },
        ),
        (
            "Drift",
            {
                "fields": ("drift", "next_slice", "compared_to", "cycle_begun", "cycle_ended", "reconciles"),
                "description": "What the comparisons of this cycle have found. Their history is in the runs.",
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Link | None = None) -> tuple[Any, ...]:
        return self._fieldsets if obj is None else (*self._fieldsets, *self._state)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Link]:
        return overview.with_last_run(super().get_queryset(request))

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if db_field.name == "local_set":
            field.label_from_instance = lambda item: f"{item.spec} ({item.get_kind_display().partition(':')[0]})"
        return field

    def save_model(self, request: HttpRequest, obj: Link, form: Any, change: bool) -> None:
        if not change:
            super().save_model(request, obj, form, change)
        elif links.save(obj, form.changed_data):
            self.message_user(
                request, f"The next run of {obj} asks for the whole list, because of what was changed.", messages.INFO
            )

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        for alternative, fields in formset.changed_objects if formset.model is Alternative else ():
            if set(fields) & {"base_url", "prefix", "remote_set"}:
                switching.forget(alternative)

    # --- Columns -------------------------------------------------------------------------------------

    @admin.display(description="kind")
    def kind_word(self, link: Link) -> str:
        return link.kind

    @admin.display(description="harvests")
    def sets(self, link: Link) -> str:
        from_where = breakable(link.provider.base_url)
        remote = link.provider.remote_set or "everything"
        return format_html("{}<br>{} → {}<br>{}", from_where, remote, link.local_set.spec, switching.told(link))

    @admin.display(description="provider")
    def served(self, link: Link) -> str:
        return switching.told(link) or "the link's own"

    @admin.display(description="remote set")
    def set_word(self, link: Link) -> str:
        return ending.set_in_words(link)

    @admin.display(description="way back")
    def way_back(self, link: Link) -> str:
        return switching.way_back(link) or "none: its own provider serves it"

    @admin.display(description="failures", ordering="failures")
    def failed_in_a_row(self, link: Link) -> int:
        return link.failures

    @coloured(OUTCOME_COLOURS, description="last run")
    def last_state(self, link: Link) -> tuple[str, str] | str:
        run = overview.last_run(link)
        if run is None:
            return "none yet"
        key, words = overview.outcome(run)
        return key, f"{words} {run.begun:%m-%d %H:%M}"

    @admin.display(description="found by comparing")
    def drift(self, link: Link) -> str:
        if link.cycle_begun is None:
            return "not compared yet"
        return ", ".join(
            f"{number} {name.replace('_', ' ')}" for name, number in slices.drifts().get(link.pk, {}).items()
        )

    @admin.display(description="last comparison")
    def compared(self, link: Link) -> str:
        run = overview.last_comparison(link)
        if run is None:
            return "none yet"
        found = f"{run.missing} missing, {run.stale} stale, {run.extra} extra"
        return f"{overview.outcome(run)[1]} {run.begun:%m-%d %H:%M}: {found}"

    @admin.display(description="message")
    def last_message(self, link: Link) -> str:
        run = overview.last_run(link)
        return run.message if run else ""

    # --- Runs ----------------------------------------------------------------------------------------

    @admin.action(description="Run now", permissions=["change"])
    def run_now(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        self._start(request, queryset, full=False)

    @admin.action(description="Run now, whole list", permissions=["change"])
    def run_now_whole(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        self._start(request, queryset, full=True)

    @admin.action(description="Compare everything now", permissions=["change"])
    def compare(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        self._compare(request, queryset, beyond_ceiling=False)

    @admin.action(description="Compare everything now, beyond the ceiling", permissions=["change"])
    def compare_beyond_ceiling(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        self._compare(request, queryset, beyond_ceiling=True)

    def _compare(self, request: HttpRequest, chosen: Iterable[Link], *, beyond_ceiling: bool) -> None:
        for link in chosen:
            with transaction.atomic(durable=True):
                run = runs.open_comparison(link, trigger="operator", whole=True, beyond_ceiling=beyond_ceiling)
            self.message_user(request, *_queued(link, run))

    @admin.action(description="Turn to the next provider", permissions=["change"])
    def switch(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            following = switching.next_alternative(link)
            if following is None:
                self.message_user(request, f"{link} has no other provider to turn to; add one to it.", messages.ERROR)
            else:
                self._switch(request, link, following)

    @admin.action(description="Turn back to the link's own provider", permissions=["change"])
    def switch_back(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            self._switch(request, link, None)

    def _switch(self, request: HttpRequest, link: Link, to: Alternative | None) -> None:
        name = to or "its own provider"
        turned = switching.switch(link, to)
        if turned is None:
            self.message_user(request, f"{link} is served by {name} already.", messages.WARNING)
        else:
            said = f"{link} turns to {name}: {switching.next_list(turned)}."
            self.message_user(request, said, messages.SUCCESS)

    @admin.action(description="Cancel the open run", permissions=["change"])
    def cancel_run(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for run in Run.objects.filter(link__in=queryset, state=Run.State.OPEN).select_related("link"):
            self.message_user(request, *admin_runs.cancelled(run))

    def run_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """POST: start a run of one link; with `full` in the form over the whole list; or `compare`, or `cancel` it."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        link = get_object_or_404(Link, pk=object_id)
        if not self.has_change_permission(request, link):
            raise PermissionDenied
        if "compare" in request.POST:
            self._compare(request, [link], beyond_ceiling=False)
        elif "cancel" in request.POST:
            self.cancel_run(request, Link.objects.filter(pk=link.pk))
        else:
            self._start(request, [link], full="full" in request.POST)
        return redirect("admin:harvester_link_change", link.pk)

    def _start(self, request: HttpRequest, chosen: Iterable[Link], *, full: bool) -> None:
        for link in chosen:
            # Durable: it is committed at the end of the block, so that the queued task finds the run.
            with transaction.atomic(durable=True):
                run = runs.open_run(link, trigger="operator", full=full)
            self.message_user(request, *_queued(link, run))

    # --- Pages ----------------------------------------------------------------------------------------

    def look_view(self, request: HttpRequest) -> HttpResponse:
        """Ask the provider of a form, saved or not, what it is and what it offers. Stores nothing."""
        if not (self.has_add_permission(request) or self.has_change_permission(request)):
            raise PermissionDenied
        form = admin_look.LookForm(request.POST if request.method == "POST" else None)
        context: dict[str, Any] = {"form": form}
        if form.is_bound and form.is_valid():
            context |= admin_look.ask(**form.cleaned_data)
        return TemplateResponse(
            request,
            "admin/harvester/link/look.html",
            {**self.admin_site.each_context(request), "title": "Retrieve info", "opts": Link._meta, **context},
        )

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = [
            path("retrieve-info/", view(self.look_view), name="harvester_link_look"),
            path("<int:object_id>/run/", view(self.run_view), name="harvester_link_run"),
        ]
        urls: list[URLPattern] = super().get_urls()
        return own + urls

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"look_url": reverse("admin:harvester_link_look"), "runs_table": _runs_table(object_id)}
        page: HttpResponse = super().change_view(request, object_id, form_url, context | (extra_context or {}))
        return page

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"look_url": reverse("admin:harvester_link_look")}
        page: HttpResponse = super().add_view(request, form_url, context | (extra_context or {}))
        return page

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, dict[str, int], set[str], list[str]]:
        """What goes when these links go, counted and not listed: a run may have thousands of rejects."""
        gone_runs = Run.objects.filter(link__in=list(objs))
        counts = {
            "links": len(objs),
            "runs": gone_runs.count(),
            "rejects": Reject.objects.filter(run__in=gone_runs).count(),
        }
        refused = set() if self.has_delete_permission(request) else {str(Link._meta.verbose_name)}
        return [f"link {obj}, with its runs and their rejects" for obj in objs], counts, refused, []


def _queued(link: Link, run: Run | None) -> tuple[str, int]:
    """Queue a run that was just opened; what to tell the operator, and how loudly. None: one was open already."""
    if run is None:
        return f"{link}: a run is open already, so none was started; it goes on by itself.", messages.WARNING
    try:
        tasks.queue(run)
    except OperationalError as exc:
        return (
            f"{link}: the run is opened, but the broker cannot be reached ({exc}). "
            "Nothing is lost: the scheduler takes the run up when the broker is back.",
            messages.WARNING,
        )
    what = "changes only" if run.list_from else "the whole list"
    if run.is_comparison:
        what = "a comparison of all headers"
    return f"{link}: a run was started ({what}). Load this page again to see how it goes.", messages.SUCCESS


def _runs_table(link_id: str) -> dict[str, Any]:
    """The newest runs of a link, for its page."""
    newest = Run.objects.filter(link_id=link_id).defer("token")[:RUNS_SHOWN] if link_id.isdecimal() else ()
    rows = [
        [
            format_html(
                '<a class="text-link" href="{}">{}</a>',
                reverse("admin:harvester_run_change", args=[run.pk]),
                f"{run.begun:%Y-%m-%d %H:%M:%S}",
            ),
            run.purpose,
            overview.outcome(run)[1],
            run.trigger,
            *(str(getattr(run, name)) for name in COUNTERS),
            run.message,
        ]
        for run in newest
    ]
    return {"headers": ["begun, UTC", "purpose", "state", "started by", *COUNTERS, "message"], "rows": rows}
