"""Links in the admin: their columns and forms, and the actions that run, compare, switch and cancel.

No rule is decided here: pages and actions call the functions that commands and tasks call.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import flatten
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.views.decorators.debug import sensitive_post_parameters
from kombu.exceptions import OperationalError
from unfold.admin import TabularInline

from catalogue.admin.base import Admin, breakable, coloured
from catalogue.reasons import ActRefused
from harvester import tasks
from harvester.admin import access_form, retrieve_info, runs
from harvester.admin.runs import OUTCOME_COLOURS, moment, wide
from harvester.links import edit, failover
from harvester.models import Alternative, Link, Reject, Run
from harvester.monitoring import status
from harvester.monitoring.status import COUNTERS
from harvester.rows import moved_address
from harvester.runs import finish, lifecycle

MAX_RUNS = 10


class LinkColumns:
    """The columns of the list of links; some are on the page of a link, too."""

    @admin.display(description="link", ordering="name")
    def name_column(self, link: Link) -> str:
        base_url = breakable(link.provider.base_url)
        remote, local = link.provider.remote_set or "everything", link.local_set.spec
        sets = local if remote == local else f"{remote} → {local}"
        lines = format_html_join(
            "", "<br>{}", ((line,) for line in (base_url, sets, failover.describe_relay(link)) if line)
        )
        cell = '<strong>{}</strong> ({})<span class="font-normal text-xs">{}</span>'
        return wide(cell, link.name, link.kind, lines, rem=11)

    @admin.display(description="remote set")
    def remote_set_state(self, link: Link) -> str:
        return finish.describe_remote_set(link)

    @admin.display(description="return to its own provider")
    def return_state(self, link: Link) -> str:
        return failover.describe_return(link) or "none: its own provider serves it"

    @admin.display(description="provider")
    def serving_provider(self, link: Link) -> str:
        return failover.describe_relay(link) or "the link's own"

    @coloured(OUTCOME_COLOURS, description="state")
    def state_column(self, link: Link) -> tuple[str, str]:
        return status.link_state(link)

    @admin.display(description="last success, UTC", ordering="harvested_to")
    def last_success(self, link: Link) -> str:
        run = status.last_success(link)
        complete_to = format_html("complete up to {}", moment(link.harvested_to)) if link.harvested_to else ""
        return wide(
            '{}<br><span class="text-xs">{}</span>', moment(run.finished) if run else "none yet", complete_to, rem=8
        )

    @admin.display(description="next run, UTC", ordering="next_due")
    def next_run(self, link: Link) -> str:
        run = status.last_run(link)
        if run is not None and run.is_open:
            return "runs now"
        if not link.enabled:
            return "by hand only"
        return moment(link.next_due) or "at once"

    @admin.display(description="found by comparing")
    def drift_in_full(self, link: Link) -> str:
        if link.cycle_begun is None and link.content_begun is None:
            return "not compared yet"
        return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in status.drift_of(link).items())

    @admin.display(description="remarks on the provider")
    def remarks_in_full(self, link: Link) -> str:
        return " ".join(map(str, link.remarks)) or "none"

    @admin.display(description="in doubt")
    def doubts_in_full(self, link: Link) -> str:
        return " ".join(link.doubt_sentences) or "nothing"

    @admin.display(description="drift")
    def drift_column(self, link: Link) -> str:
        counts = {name: number for name, number in status.drift_of(link).items() if number}
        drift = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items())
        newest = {"compared": status.last_comparison(link), "re-harvested": status.last_reharvest(link)}
        lines = [
            f"{what} {run.begun:%Y-%m-%d}: {status.run_outcome(run)[1]}"
            for what, run in newest.items()
            if run is not None
        ]
        if not lines:
            return "not compared yet"
        if link.size_is_estimate:
            lines.append("its completeListSize is an estimate")
        when = format_html_join("", '<br><span class="text-xs">{}</span>', ((line,) for line in lines))
        return wide("{}{}", drift or "none", when, rem=7)

    @admin.display(description="what to do")
    def todo_column(self, link: Link) -> str:
        lines = [(page_url(link, todo.page), todo.text) for todo in status.find_todos(link)]
        if not lines:
            return "nothing"
        items = format_html_join("", '<li><a class="text-link" href="{}">{}</a></li>', lines)
        return wide('<ul style="list-style: disc; margin-left: 1rem">{}</ul>', items, rem=17)


def page_url(link: Link, page: str) -> str:
    """The URL of the page of a `status.Todo`."""
    run = status.last_run(link)
    if page == status.CONFLICTS:
        return f"{reverse('admin:harvester_conflict_changelist')}?link__id__exact={link.pk}&state=waits"
    if page == status.REJECTS:
        return f"{reverse('admin:harvester_reject_changelist')}?link__id__exact={link.pk}&state=stands"
    if page == status.RUN and run is not None:
        return reverse("admin:harvester_run_change", args=[run.pk])
    return reverse("admin:harvester_link_change", args=[link.pk])


def runs_table(link_id: str) -> dict[str, Any]:
    """The table of a link's newest runs, for its page."""
    newest = Run.objects.filter(link_id=link_id).defer("token")[:MAX_RUNS] if link_id.isdecimal() else ()
    rows = [
        [
            format_html(
                '<a class="text-link" href="{}">{}</a>',
                reverse("admin:harvester_run_change", args=[run.pk]),
                f"{run.begun:%Y-%m-%d %H:%M:%S}",
            ),
            run.purpose,
            status.run_outcome(run)[1],
            run.trigger,
            *(str(getattr(run, name)) for name in COUNTERS),
            run.message,
        ]
        for run in newest
    ]
    return {"headers": ["begun, UTC", "purpose", "state", "started by", *COUNTERS, "message"], "rows": rows}


_HIDE_PASSWORDS = sensitive_post_parameters("password", "proxy_password")  # in error reports
_FAILOVER_FIELDS = ("switch_after_h", "return_after_h")


class AlternativeInline(TabularInline):  # type: ignore[misc]  # unfold comes without types
    """The alternatives of a link in their order, on its page."""

    model = Alternative
    form = access_form.AlternativeForm
    fields = ("position", "name", "base_url", "prefix", "remote_set")
    extra = 0
    tab = False


@method_decorator(_HIDE_PASSWORDS, name="retrieve_info_view")
@method_decorator(_HIDE_PASSWORDS, name="change_view")
@method_decorator(_HIDE_PASSWORDS, name="add_view")
@admin.register(Link)
class LinkAdmin(LinkColumns, Admin):
    """The pages of links."""

    list_display = ("name_column", "state_column", "last_success", "next_run", "drift_column", "todo_column")
    list_filter = ("enabled", "kind", "local_set")
    search_fields = ("name", "base_url", "remote_set")
    list_display_links = ("name_column",)
    sortable_by = ("name_column", "last_success", "next_run")
    actions = (
        "run_now",
        "run_now_whole",
        "compare",
        "compare_beyond_ceiling",
        "reharvest",
        "switch",
        "switch_back",
        "accept_move",
        "cancel_run",
    )
    inlines = (AlternativeInline,)
    form = access_form.CheckedLinkForm
    readonly_fields = (
        *("harvested_to", "first_response", "newest", "next_due", "failures", "granularity", "deleted_record"),
        *("serving_provider", "return_state", "failing_since", "skew_s", "moved_to", "remote_set_state"),
        *("remarks_in_full", "doubts_in_full", "size_is_estimate"),
        *("drift_in_full", "next_slice", "compared_to", "cycle_begun", "cycle_ended", "reconciles"),
        *("next_content", "content_to", "content_begun", "content_ended"),
    )
    change_form_template = "admin/harvester/link/change_form.html"
    delete_confirmation_template = "admin/harvester/link/delete_confirmation.html"
    delete_selected_confirmation_template = "admin/harvester/link/delete_selected_confirmation.html"
    _fieldsets = (
        (None, {"fields": ("name", "kind")}),
        (
            "Provider",
            {
                "fields": ("base_url", "prefix", "remote_set", "identifiers"),
                "description": "“Retrieve info” asks the provider which prefixes and sets it offers, and which identifiers it "
                "has. Records that were stored under other identifiers are deleted after a change, as if the provider had "
                "deleted them.",
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
                "classes": ("tab",),
                "fields": (
                    *("enabled", "interval_s", "strategy", "at_once", "lateness_h", "overlap_s"),
                    *_FAILOVER_FIELDS,
                ),
                "description": "3600 s are an hour, 21600 s six hours, 86400 s a day. A link that is not enabled runs "
                "only when somebody starts it.",
            },
        ),
        (
            "Access",
            {
                "classes": ("tab",),
                "fields": access_form.FIELDS,
                "description": "What the provider wants before it answers; WIS metadata are public, and most want nothing. "
                "Passwords are kept sealed and shown to nobody. They go to this provider and to no other.",
            },
        ),
        (
            "Comparison",
            {
                "classes": ("tab",),
                "fields": (
                    *("cycle_days", "content_days"),
                    *("tombstone_days", "ceiling_records", "ceiling_percent", "hold_percent"),
                ),
                "description": "Headers are compared, a slice a day, and all records are harvested again with their content, "
                "as often as “total re-harvest” says. Nothing is deleted because it is not listed: the "
                "provider is asked for it, and only its deleted header deletes. The larger of the two ceilings counts.",
            },
        ),
    )
    _state = (
        (
            "State",
            {
                "classes": ("tab",),
                "fields": (
                    *("harvested_to", "first_response", "newest", "next_due"),
                    *(
                        "remote_set_state",
                        "serving_provider",
                        "return_state",
                        "failures",
                        "failing_since",
                        "granularity",
                        "deleted_record",
                    ),
                    *("skew_s", "moved_to"),
                ),
            },
        ),
        (
            "Drift",
            {
                "classes": ("tab",),
                "fields": (
                    *("remarks_in_full", "doubts_in_full", "size_is_estimate"),
                    *("drift_in_full", "next_slice", "compared_to", "cycle_begun", "cycle_ended", "reconciles"),
                    *("next_content", "content_to", "content_begun", "content_ended"),
                ),
                "description": "What the comparisons and the total re-harvest of this cycle have found; “changed”: content "
                "that differs though the datestamp is the same. Their history is in the runs.",
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Link | None = None) -> tuple[Any, ...]:
        fieldsets: tuple[Any, ...] = self._fieldsets if obj is None else (*self._fieldsets, *self._state)
        if obj is not None and not self.has_change_permission(request, obj):
            # Users who may only view see the values of fields, and a password has none.
            fieldsets = tuple(
                (name, {**part, "fields": _without_passwords(part["fields"])}) for name, part in fieldsets
            )
        return fieldsets

    def get_queryset(self, request: HttpRequest) -> QuerySet[Link]:
        return status.with_last_run(super().get_queryset(request), successes=True)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if db_field.name == "local_set":
            field.label_from_instance = lambda item: f"{item.spec} ({item.get_kind_display().partition(':')[0]})"
        return field

    def save_model(self, request: HttpRequest, obj: Link, form: Any, change: bool) -> None:
        if obj.sealed_password and obj.base_url.startswith("http://"):
            warning = "The password is sent unencrypted, because the base URL does not begin with https://."
            self.message_user(request, warning, messages.WARNING)
        if form.prefix_warning:
            self.message_user(request, form.prefix_warning, messages.WARNING)
        if not change:
            super().save_model(request, obj, form, change)
        elif edit.save(obj, form.changed_fields):
            self.message_user(
                request, f"The next run of {obj} asks for the whole list, because of what was changed.", messages.INFO
            )

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        for warning in (getattr(each, "prefix_warning", "") for each in formset.forms):
            if warning:
                self.message_user(request, warning, messages.WARNING)
        for alternative, fields in formset.changed_objects if formset.model is Alternative else ():
            if set(fields) & {"base_url", "prefix", "remote_set"}:
                failover.restart_alternative(alternative)

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
                run = lifecycle.open_comparison(link, trigger="operator", whole=True, beyond_ceiling=beyond_ceiling)
            self.message_user(request, *_queue(link, run))

    @admin.action(description="Compare all content now (total re-harvest)", permissions=["change"])
    def reharvest(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            with transaction.atomic(durable=True):
                run = lifecycle.open_total_reharvest(link, trigger="operator", whole=True)
            self.message_user(request, *_queue(link, run))

    @admin.action(description="Turn to the next provider", permissions=["change"])
    def switch(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            following = failover.next_alternative(link)
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
        switched = failover.switch(link, to)
        if switched is None:
            self.message_user(request, f"{link} is served by {name} already.", messages.WARNING)
        else:
            message = f"{link} turns to {name}: {failover.describe_next_list(switched)}."
            self.message_user(request, message, messages.SUCCESS)

    @admin.action(description="Accept the address that the provider has moved to", permissions=["change"])
    def accept_move(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            self._accept_move(request, link, link.moved_to)

    def _accept_move(self, request: HttpRequest, link: Link, moved_to: str) -> None:
        try:
            self.message_user(request, moved_address.accept(link, moved_to), messages.SUCCESS)
        except ActRefused as exc:
            self.message_user(request, f"The base URL of {link} stays as it is: {exc}.", messages.ERROR)

    @admin.action(description="Cancel the open run", permissions=["change"])
    def cancel_run(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for run in Run.objects.filter(link__in=queryset, state=Run.State.OPEN).select_related("link"):
            self.message_user(request, *runs.cancel_run(run))

    def run_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Start a run by POST, with `full` in the form of the whole list; or `compare`, `reharvest`, `cancel` or
        `accept_move` a link."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        link = get_object_or_404(Link, pk=object_id)
        if not self.has_change_permission(request, link):
            raise PermissionDenied
        if "compare" in request.POST:
            self._compare(request, [link], beyond_ceiling=False)
        elif "reharvest" in request.POST:
            self.reharvest(request, Link.objects.filter(pk=link.pk))
        elif "accept_move" in request.POST:
            self._accept_move(request, link, request.POST["accept_move"])
        elif "cancel" in request.POST:
            self.cancel_run(request, Link.objects.filter(pk=link.pk))
        else:
            self._start(request, [link], full="full" in request.POST)
        return redirect("admin:harvester_link_change", link.pk)

    def _start(self, request: HttpRequest, chosen: Iterable[Link], *, full: bool) -> None:
        for link in chosen:
            # Durable: it is committed at the end of the block, so that the queued task finds the run.
            with transaction.atomic(durable=True):
                run = lifecycle.open_run(link, trigger="operator", full=full)
            self.message_user(request, *_queue(link, run))

    # --- Pages ----------------------------------------------------------------------------------------

    def retrieve_info_view(self, request: HttpRequest) -> HttpResponse:
        """Ask the provider of a form, saved or not, what it is and what it offers. Stores nothing."""
        if not (self.has_add_permission(request) or self.has_change_permission(request)):
            raise PermissionDenied
        link_id = request.GET.get("link", "")
        link = Link.objects.filter(pk=link_id).first() if link_id.isdecimal() and len(link_id) < 19 else None
        if link is not None and not self.has_change_permission(request, link):
            raise PermissionDenied
        form = retrieve_info.form_for(link, request.POST if request.method == "POST" else None)
        context: dict[str, Any] = {"form": form}
        if form.is_bound and form.is_valid():
            context |= retrieve_info.retrieve(form.instance)
        return TemplateResponse(
            request,
            "admin/harvester/link/look.html",
            {**self.admin_site.each_context(request), "title": "Retrieve info", "opts": Link._meta, **context},
        )

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own_urls = [
            path("retrieve-info/", view(self.retrieve_info_view), name="harvester_link_look"),
            path("<int:object_id>/run/", view(self.run_view), name="harvester_link_run"),
        ]
        urls: list[URLPattern] = super().get_urls()
        return own_urls + urls

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        retrieve_info_url = f"{reverse('admin:harvester_link_look')}?{urlencode({'link': object_id})}"
        context: dict[str, Any] = {"retrieve_info_url": retrieve_info_url, "runs_table": runs_table(object_id)}
        link = self.get_object(request, object_id)
        if link is not None:
            context["todos"] = [(page_url(link, todo.page), todo.text) for todo in status.find_todos(link)]
            context["state"] = status.link_state(link)[1]
            context["is_running"] = Run.objects.filter(link=link, state=Run.State.OPEN).exists()
            context["next_run"] = self.next_run(link)
            context["last_success"] = moment(run.finished) if (run := status.last_success(link)) else "none yet"
        page: HttpResponse = super().change_view(request, object_id, form_url, context | (extra_context or {}))
        return page

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"retrieve_info_url": reverse("admin:harvester_link_look")}
        page: HttpResponse = super().add_view(request, form_url, context | (extra_context or {}))
        return page

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, dict[str, int], set[str], list[str]]:
        """Count what is deleted with these links instead of listing it: there may be thousands of runs and rejects."""
        deleted_links = list(objs)
        counts = {
            "links": len(objs),
            "runs": Run.objects.filter(link__in=deleted_links).count(),
            "rejects": Reject.objects.filter(link__in=deleted_links).count(),
        }
        refused = set() if self.has_delete_permission(request) else {str(Link._meta.verbose_name)}
        return [f"link {obj}, with its runs and rejects" for obj in objs], counts, refused, []


def _without_passwords(fields: tuple[str | tuple[str, ...], ...]) -> list[str]:
    return [name for name in flatten(fields) if name not in ("password", "proxy_password")]


def _queue(link: Link, run: Run | None) -> tuple[str, int]:
    """Queue a run that was just opened (None: one was open already); the message for the operator, and its level."""
    if run is None:
        return f"{link}: a run is open already, so none was started; it goes on by itself.", messages.WARNING
    try:
        tasks.call_worker()
    except OperationalError as exc:
        return (
            f"{link}: the run is opened, but the broker cannot be reached ({exc}). "
            "Nothing is lost: the scheduler takes the run up when the broker is back.",
            messages.WARNING,
        )
    scope = "changes only" if run.list_from else "the whole list"
    if run.is_comparison:
        scope = "a comparison of all headers"
    if run.is_of_content:
        scope = "a total re-harvest: all records with their content"
    run_url = reverse("admin:harvester_run_change", args=[run.pk])
    message = '{}: a run was started ({}). <a class="underline" href="{}">Watch it</a>'
    return format_html(message, link, scope, run_url), messages.SUCCESS
