"""Links, runs and rejects in the admin. Links can be edited; all that is written about runs is read-only.

No rule lives here: pages and actions call the functions that commands and tasks call.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.validators import URLValidator
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.text import slugify
from kombu.exceptions import OperationalError
from unfold.widgets import UnfoldAdminTextInputWidget

from catalogue import display, oai
from catalogue.admin import Admin, ReadOnly, breakable, coloured, preformatted
from catalogue.models import MetadataSet
from harvester import discovery, exports, links, overview, runs, tasks
from harvester.errors import HarvestError
from harvester.models import Link, Reject, Run
from harvester.parse import RemoteSet

OUTCOME_COLOURS = {"done": "success", overview.PARTIAL: "warning", "failed": "danger", "open": "info"}
RUNS_SHOWN = 10
BAD_SKEW_S = 60  # chosen: more than the network and a busy provider explain
COUNTERS = ("received", "new", "updated", "unchanged", "deleted", "rejected")


class LookForm(forms.Form):
    """Which provider to ask, and what a link would want of it."""

    base_url = forms.CharField(
        label="Base URL",
        max_length=500,
        validators=[URLValidator(schemes=["http", "https"])],
        widget=UnfoldAdminTextInputWidget,
        help_text="the provider's OAI-PMH address, without arguments",
    )
    prefix = forms.CharField(  # type: ignore[assignment]  # named as the field of Link is
        label="Metadata prefix", max_length=100, initial=oai.ISO19139, widget=UnfoldAdminTextInputWidget
    )
    remote_set = forms.CharField(
        label="Remote setSpec", max_length=200, required=False, widget=UnfoldAdminTextInputWidget
    )


@admin.register(Link)
class LinkAdmin(Admin):
    """Links: what is harvested from whom, how the last run went, and the buttons that start one."""

    list_display = (
        "name",
        "sets",
        "enabled",
        "last_state",
        "last_message",
        "harvested_to",
        "failed_in_a_row",
        "next_due",
    )
    list_filter = ("enabled", "local_set")
    search_fields = ("name", "base_url", "remote_set")
    list_display_links = ("name",)
    sortable_by = ("name", "harvested_to", "failed_in_a_row", "next_due")
    actions = ("run_now", "run_now_whole")
    readonly_fields = ("harvested_to", "next_due", "failures", "granularity")
    change_form_template = "admin/harvester/link/change_form.html"
    delete_confirmation_template = "admin/harvester/link/delete_confirmation.html"
    delete_selected_confirmation_template = "admin/harvester/link/delete_selected_confirmation.html"
    _fieldsets = (
        (None, {"fields": ("name",)}),
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
                "description": "A peer or shared set. When any of the provider's fields or the local set changes, "
                "the next run asks for the whole list.",
            },
        ),
        (
            "Schedule",
            {
                "fields": ("enabled", "interval_s", "overlap_s"),
                "description": "3600 s are an hour, 21600 s six hours, 86400 s a day. A link that is not enabled runs "
                "only when somebody starts it.",
            },
        ),
    )
    _state = ("State", {"fields": ("harvested_to", "next_due", "failures", "granularity")})

    def get_fieldsets(self, request: HttpRequest, obj: Link | None = None) -> tuple[Any, ...]:
        return self._fieldsets if obj is None else (*self._fieldsets, self._state)

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

    # --- Columns -------------------------------------------------------------------------------------

    @admin.display(description="harvests")
    def sets(self, link: Link) -> str:
        from_where = breakable(link.base_url)
        return format_html("{}<br>{} → {}", from_where, link.remote_set or "everything", link.local_set.spec)

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

    def run_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """POST: start a run of one link; with `full` in the form, over the whole list."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        link = get_object_or_404(Link, pk=object_id)
        if not self.has_change_permission(request, link):
            raise PermissionDenied
        self._start(request, [link], full="full" in request.POST)
        return redirect("admin:harvester_link_change", link.pk)

    def _start(self, request: HttpRequest, chosen: Iterable[Link], *, full: bool) -> None:
        for link in chosen:
            # Durable: it is committed at the end of the block, so that the queued task finds the run.
            with transaction.atomic(durable=True):
                run = runs.open_run(link, trigger="operator", full=full)
            self.message_user(request, *_queued(link, run))

    # --- Retrieve info -------------------------------------------------------------------------------

    def look_view(self, request: HttpRequest) -> HttpResponse:
        """Ask the provider of a form, saved or not, what it is and what it offers. Stores nothing."""
        if not (self.has_add_permission(request) or self.has_change_permission(request)):
            raise PermissionDenied
        form = LookForm(request.POST if request.method == "POST" else None)
        context: dict[str, Any] = {"form": form}
        if form.is_bound and form.is_valid():
            context |= self._ask(**form.cleaned_data)
        return TemplateResponse(
            request,
            "admin/harvester/link/look.html",
            {**self.admin_site.each_context(request), "title": "Retrieve info", "opts": Link._meta, **context},
        )

    def _ask(self, *, base_url: str, prefix: str, remote_set: str) -> dict[str, Any]:
        try:
            offer = discovery.look(base_url)
        except (HarvestError, ValueError) as exc:  # ValueError: an address that requests cannot take apart
            return {"fault": f"{base_url} gave no answer that a link could use: {exc}"}
        return {
            "offer": offer,
            "faults": offer.faults(prefix, remote_set),
            "agreement": f"A link with the prefix {prefix} and {_set_in_words(remote_set)} will work.",
            "clock_warning": _clock_warning(offer.skew_s),
            "identity_table": {"rows": _identity_rows(offer)},
            "formats_table": {
                "headers": ["prefix", "namespace"],
                "rows": [[item.prefix, item.namespace] for item in offer.formats],
            },
            "sets_warning": f"The sets cannot be listed: {offer.sets_fault}",
            "sets_table": {
                "headers": ["setSpec", "name", "local set", ""],
                "rows": _set_rows(base_url, prefix, offer.sets),
            },
        }

    # --- Pages ---------------------------------------------------------------------------------------

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
            overview.outcome(run)[1],
            run.trigger,
            *(str(getattr(run, name)) for name in COUNTERS),
            run.message,
        ]
        for run in newest
    ]
    return {"headers": ["begun, UTC", "state", "started by", *COUNTERS, "message"], "rows": rows}


def _set_in_words(spec: str) -> str:
    return f"the set {spec}" if spec else "all that the provider has"


def _clock_warning(skew_s: float) -> str:
    if abs(skew_s) <= BAD_SKEW_S:
        return ""
    return (
        f"The provider's clock is {abs(skew_s):.0f} s {'ahead of' if skew_s > 0 else 'behind'} ours. Harvests go by the "
        "provider's clock, so nothing is missed; but one of the two is wrong."
    )


def _identity_rows(offer: discovery.Offer) -> list[list[str]]:
    """What Identify says, in words."""
    identity = offer.identity
    deletions = {
        "no": "no: deletions are not told; only a comparison finds them",
        "transient": "transient: deletions are told for a while",
        "persistent": "persistent: every deletion is told, for ever",
    }
    return [
        ["Repository", identity.repository_name],
        ["Protocol version", identity.protocol_version],
        ["Granularity", identity.granularity.value],
        ["Deleted records", deletions.get(identity.deleted_record, identity.deleted_record or "not said")],
        ["Earliest datestamp", identity.earliest_datestamp],
        ["Clock", f"{offer.skew_s:+.0f} s against ours"],
    ]


def _set_rows(base_url: str, prefix: str, offered: Iterable[RemoteSet]) -> list[list[str]]:
    """A row for each set on offer: the local set of that name, and where to go on from here."""
    local = {item.spec: item for item in MetadataSet.objects.all()}
    rows = []
    for item in offered:
        held = local.get(item.spec)
        if held is None:
            there = "none"
            fields = {"spec": item.spec, "name": item.name[:200] or item.spec, "kind": MetadataSet.Kind.PEER}
            step = _anchor("admin:catalogue_metadataset_add", fields, "Add a local set")
        elif held.kind in (MetadataSet.Kind.PEER, MetadataSet.Kind.SHARED):
            there = held.spec
            fields = {"name": _link_name(item.spec), "base_url": base_url, "prefix": prefix}
            fields |= {"remote_set": item.spec, "local_set": str(held.pk)}
            step = _anchor("admin:harvester_link_add", fields, "Add a link")
        else:
            there, step = f"{held.spec} ({held.get_kind_display().partition(':')[0]})", "not for harvesting"
        rows.append([item.spec, item.name, there, step])
    return rows


def _anchor(to: str, query: dict[str, str], text: str) -> str:
    return format_html('<a class="text-link" href="{}?{}">{}</a>', reverse(to), urlencode(query), text)


def _link_name(spec: str) -> str:
    """A short name for the link that harvests this set."""
    return slugify(spec.lower().removeprefix("wis-gisc-").replace(":", "-").replace(".", "-"))[:60]


# --- Runs and rejects --------------------------------------------------------------------------------


@admin.register(Run)
class RunAdmin(ReadOnly, Admin):
    """Runs, newest first."""

    list_display = ("begun", "link", "state_word", "trigger", "took", *COUNTERS, "message")
    list_filter = ("state", "link", "trigger")
    list_select_related = ("link",)
    sortable_by = ()
    ordering = ("-begun", "-pk")
    search_fields = ("link__name", "message")
    actions = ("download_rejects",)
    fieldsets = (
        ("Outcome", {"fields": ("link", "state", "trigger", "begun", "finished", "took", "message")}),
        ("Entries", {"fields": ("counts", "reject_links")}),
        (
            "Place in the list",
            {"fields": ("list_from", "granularity", "pages", "list_size", "restarts", "first_response", "newest")},
        ),
        ("Next try", {"fields": ("attempts", "not_before", "holder", "leased_until", "queued", "token")}),
    )

    @coloured(OUTCOME_COLOURS, description="state")
    def state_word(self, run: Run) -> tuple[str, str]:
        return overview.outcome(run)

    @admin.display
    def took(self, run: Run) -> timedelta:
        return timedelta(seconds=round(((run.finished or timezone.now()) - run.begun).total_seconds()))

    @admin.display(description="received")
    def counts(self, run: Run) -> str:
        total, *parts = (f"{getattr(run, name)} {name}" for name in COUNTERS)
        return f"{total}: {', '.join(parts)}"

    @admin.display(description="rejects")
    def reject_links(self, run: Run) -> str:
        if not run.rejected:
            return "none"
        return format_html(
            '<a class="text-link" href="{}?run__id__exact={}">Show all {}, with reasons</a> · '
            '<a class="text-link" href="{}">Download as CSV</a>',
            reverse("admin:harvester_reject_changelist"),
            run.pk,
            run.rejected,
            reverse("admin:harvester_run_rejects", args=[run.pk]),
        )

    @admin.action(description="Download the rejects as CSV", permissions=["view"])
    def download_rejects(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponseBase:
        return _csv(Reject.objects.filter(run__in=queryset.values("pk")), "rejects")

    def rejects_view(self, request: HttpRequest, object_id: int) -> HttpResponseBase:
        """The rejects of one run as CSV."""
        run = get_object_or_404(Run.objects.select_related("link"), pk=object_id)
        if not self.has_view_permission(request, run):
            raise PermissionDenied
        return _csv(run.rejects.all(), f"rejects-{run.link.name}-{run.begun:%Y%m%dT%H%M%SZ}")

    def get_urls(self) -> list[URLPattern]:
        urls: list[URLPattern] = super().get_urls()
        view = self.admin_site.admin_view(self.rejects_view)
        return [path("<int:object_id>/rejects.csv", view, name="harvester_run_rejects"), *urls]


@admin.register(Reject)
class RejectAdmin(ReadOnly, Admin):
    """Entries that were not stored, newest first, each with its reason and what was received."""

    list_display = ("shown_identifier", "reason", "link", "run_begun", "datestamp")
    list_filter = ("run__link",)
    list_select_related = ("run__link",)
    sortable_by = ()
    ordering = ("-pk",)
    search_fields = ("identifier", "reason")
    search_help_text = "Part of an identifier or of a reason"
    actions = ("download",)
    fieldsets = (
        (None, {"fields": ("link", "run", "shown_identifier", "datestamp", "reason")}),
        ("Metadata as received", {"fields": ("received",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Reject]:
        found: QuerySet[Reject] = super().get_queryset(request)
        return found.defer("raw")

    @admin.display(description="identifier")
    def shown_identifier(self, reject: Reject) -> str:
        return breakable(str(reject))

    @admin.display(description="link")
    def link(self, reject: Reject) -> str:
        return reject.run.link.name

    @admin.display(description="run")
    def run_begun(self, reject: Reject) -> str:
        return f"{reject.run.begun:%Y-%m-%d %H:%M:%S}"

    @admin.display(description="XML")
    def received(self, reject: Reject) -> str:
        return "nothing but the header" if reject.raw is None else preformatted(display.indented(bytes(reject.raw)))

    @admin.action(description="Download as CSV", permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[Reject]) -> HttpResponseBase:
        return _csv(queryset, "rejects")


def _csv(rejects: QuerySet[Reject], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(exports.rejects_csv(rejects), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response
