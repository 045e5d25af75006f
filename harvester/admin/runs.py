"""Runs and rejects in the admin, read-only: what was received, what was not stored, and why."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import seams
from catalogue.admin.base import Admin, ReadOnly, breakable, coloured, preformatted
from catalogue.pages import display
from harvester.admin.reasons import SEARCH_HELP, ReasonFilter
from harvester.messages import OUTCOME_NAMES, OutcomeCode, describe_cause
from harvester.models import Link, LinkDay, Reject, Run
from harvester.monitoring import csv_export, status
from harvester.monitoring.status import COUNTERS, count_in_words
from harvester.protocol import warnings
from harvester.rows import queue
from harvester.runs import lifecycle

OUTCOME_COLOURS = {
    "done": "success",
    status.PARTIAL: "warning",
    "failed": "danger",
    "open": "info",
    "waiting": "warning",
    "never": "info",
    "disabled": "warning",
    status.OVERDUE: "danger",
    "cancelled": "warning",
}


_LINES_AROUND, _LINE_LENGTH = 12, 2000  # chosen: of the XML of a reject

_COMPARISON = ("missing", "stale", "not_served", "extra", "changed", "vanished", "held_back", "beyond_ceiling")
_FAULTS: tuple[str, ...] = ("attempts", "crashes", "first_fault_text", "last_fault_text")
_POSITION = ("pages", "listed", "list_size", "fetched", "restarts", "first_response", "newest")


class OutcomeFilter(admin.SimpleListFilter):
    """Filter by the code of what happened last to a run."""

    title = _("outcome")
    parameter_name = "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(code.value, gettext(text)) for code, text in OUTCOME_NAMES.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        return queryset if self.value() is None else queryset.filter(outcome=self.value())


class TriggerFilter(admin.SimpleListFilter):
    """Filter by what started a run. Looking for the values in a million runs would take a second."""

    title = _("started by")
    parameter_name = "trigger"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(each.value, str(each.label)) for each in Run.Trigger]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        return queryset if self.value() is None else queryset.filter(trigger=self.value())


@admin.register(Run)
class RunAdmin(ReadOnly, Admin):
    """Runs, newest first."""

    empty_words = _(
        "No run yet. A run is one pass over a link; the first one begins when a link is due, or when you run it."
    )
    list_display = ("begun_column", "link", "purpose_column", "state_column", "took", "entries", "message_column")
    list_filter = ("state", OutcomeFilter, "purpose", "link", TriggerFilter)
    list_select_related = ("link",)
    sortable_by = ()
    ordering = ("-begun", "-pk")
    search_fields = ("link__name",)
    change_form_template = "admin/harvester/run/change_form.html"
    actions = ("cancel", "download_report", "download_rejects")
    fieldsets = (
        (
            _("Outcome"),
            {
                "fields": (
                    *("link", "state_column", "outcome_column", "message_column", "warnings_column"),
                    *("purpose", "trigger", "phase", "begun", "finished", "took"),
                )
            },
        ),
        (_("Entries"), {"fields": ("counts", "reject_links")}),
        (_("Comparison"), {"fields": _COMPARISON}),
        (
            _("Position in the list"),
            {"fields": ("strategy", "list_from", "list_until", "granularity", *_POSITION)},
        ),
        (
            _("Next try"),
            {
                "fields": (
                    *("waits", *_FAULTS),
                    *("not_before", "worker", "leased_until", "queued", "asking_since", "token"),
                )
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Run | None = None) -> Any:
        """Leave out what says nothing of this run: what was compared, and what an open run waits for."""
        first, entries, comparison, position, next_try = self.fieldsets
        if obj is not None and not obj.is_open:
            next_try = (_("Faults"), {"fields": _FAULTS})
        is_compared = obj is None or obj.compares
        return [first, entries, *([comparison] if is_compared else []), position, next_try]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        found: QuerySet[Run] = super().get_queryset(request)
        return found.defer("token", "marked_token", "marked_page", "sealed_cookies")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Run], search_term: str
    ) -> tuple[QuerySet[Run], bool]:
        """Find the runs of the links whose name has these words: by the ids of the links, which an index serves."""
        links = Link.objects.all()
        for word in search_term.split():
            links = links.filter(name__icontains=word)
        return (queryset.filter(link__in=[link.pk for link in links.only("pk")]) if search_term else queryset), False

    @coloured(OUTCOME_COLOURS, description=_("state"))
    def state_column(self, run: Run) -> tuple[str, str]:
        state = status.describe_run_state(run)
        return state.key, state.reason or state.word

    @admin.display(description=_("begun, UTC"))
    def begun_column(self, run: Run) -> str:
        return moment(run.begun)

    @admin.display(description=_("purpose"))
    def purpose_column(self, run: Run) -> str:
        by = gettext("by {trigger}").format(trigger=run.get_trigger_display())
        return wide('{}<br><span class="text-xs">{}</span>', run.get_purpose_display(), by, rem=6)

    @admin.display(description=_("entries"))
    def entries(self, run: Run) -> str:
        received, *parts = (
            count_in_words(name, number) for name in COUNTERS if (number := getattr(run, name)) or name == COUNTERS[0]
        )
        return wide("{}<br>{}", received, ", ".join(parts), rem=7)

    @admin.display(description=_("outcome"))
    def outcome_column(self, run: Run) -> str:
        return gettext(OUTCOME_NAMES[OutcomeCode(run.outcome)]) if run.outcome in OUTCOME_NAMES else run.outcome

    @admin.display(description=_("message"))
    def message_column(self, run: Run) -> str:
        return wide("{}", run.message, rem=16)

    @admin.display(description=_("waits for"))
    def waits(self, run: Run) -> str:
        found = queue.report_wait(run.pk, queue.read_queue(seams.now()))
        return str(found["text"]) if found else gettext("nothing")

    @admin.display(description=_("first fault"))
    def first_fault_text(self, run: Run) -> str:
        return _fault_text(run.first_fault)

    @admin.display(description=_("last fault"))
    def last_fault_text(self, run: Run) -> str:
        return _fault_text(run.last_fault)

    @admin.display(description=_("took"))
    def took(self, run: Run) -> timedelta:
        return timedelta(seconds=round(((run.finished or seams.now()) - run.begun).total_seconds()))

    @admin.display(description=_("received"))
    def counts(self, run: Run) -> str:
        total, *parts = (count_in_words(name, getattr(run, name)) for name in COUNTERS)
        return f"{total}: {', '.join(parts)}"

    @admin.display(description=_("rejects"))
    def reject_links(self, run: Run) -> str:
        if not run.rejected:
            return gettext("none")
        return format_html(
            '<a class="text-link" href="{}?{}">{}</a> · <a class="text-link" href="{}">{}</a>',
            reverse("admin:harvester_reject_changelist"),
            urlencode(_seen_by(run)),
            gettext("Show them, with reasons"),
            reverse("admin:harvester_run_rejects", args=[run.pk]),
            gettext("Download as CSV"),
        )

    @admin.display(description=_("warnings"))
    def warnings_column(self, run: Run) -> str:
        lines = format_html_join(
            "", "<li>{}</li>", ((sentence,) for sentence in warnings.describe_warnings(run.warnings))
        )
        return (
            format_html('<ul style="list-style: disc; margin-left: 1rem">{}</ul>', lines) if lines else gettext("none")
        )

    @admin.action(description=_("Download a report of the runs as CSV"), permissions=["view"])
    def download_report(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponseBase:
        return _attached(csv_export.runs_csv(queryset), "runs")

    @admin.action(description=_("Cancel"), permissions=["cancel"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Run]) -> None:
        for run in queryset.select_related("link"):
            self.message_user(request, *cancel_run(run))

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        """Users who may change links may cancel their runs."""
        return request.user.has_perm("harvester.change_link")

    @admin.action(description=_("Download the rejects as CSV"), permissions=["view"])
    def download_rejects(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponseBase:
        seen = [Reject.objects.seen_by(run).values("pk") for run in queryset.defer("token")]
        return rejects_download(Reject.objects.filter(reduce(or_, (Q(pk__in=pks) for pks in seen))), "rejects")

    def rejects_view(self, request: HttpRequest, object_id: int) -> HttpResponseBase:
        """Download the rejects of one run as CSV."""
        run = get_object_or_404(Run.objects.select_related("link"), pk=object_id)
        if not self.has_view_permission(request, run):
            raise PermissionDenied
        return rejects_download(Reject.objects.seen_by(run), f"rejects-{run.link.name}-{run.begun:%Y%m%dT%H%M%SZ}")

    def get_urls(self) -> list[URLPattern]:
        urls: list[URLPattern] = super().get_urls()
        view = self.admin_site.admin_view(self.rejects_view)
        return [path("<int:object_id>/rejects.csv", view, name="harvester_run_rejects"), *urls]


def wide(text: str, *parts: object, rem: int) -> str:
    """A table cell that is at least `rem` wide."""
    return format_html(f'<div style="min-width: {rem}rem; overflow-wrap: anywhere">{text}</div>', *parts)


def moment(at: datetime | None) -> str:
    """An instant to the minute, on one line; empty for none."""
    return "" if at is None else format_html('<span style="white-space: nowrap">{}</span>', f"{at:%Y-%m-%d %H:%M}")


def cancel_run(run: Run) -> tuple[str, int]:
    """Cancel a run; the message for the operator, and its level."""
    if lifecycle.cancel(run):
        return gettext("{link}: the run is cancelled; what it stored stays.").format(link=run.link), messages.SUCCESS
    return gettext("{link}: the run is not open, so there is nothing to cancel.").format(
        link=run.link
    ), messages.WARNING


class StandingFilter(admin.SimpleListFilter):
    """Filter by whether a reject stands or is over."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("stands", gettext("stands")), ("over", gettext("over"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Reject]) -> QuerySet[Reject]:
        return queryset if self.value() is None else queryset.filter(settled__isnull=self.value() == "stands")


@admin.register(Reject)
class RejectAdmin(ReadOnly, Admin):
    """Rejects, the one that was seen last first."""

    empty_words = _("No record was rejected: all that came was stored.")
    list_display = ("identifier_column", "reason_column", "link", "state_column", "last_seen_column", "count")
    list_filter = (StandingFilter, ReasonFilter, "link")
    list_select_related = ("link",)
    sortable_by = ()
    ordering = ("-last_seen", "-pk")
    search_fields = ("identifier", "reason", "reason_data")
    search_help_text = SEARCH_HELP
    actions = ("download",)
    fieldsets = (
        (None, {"fields": ("link", "identifier_column", "datestamp", "reason_column", "reason")}),
        (_("When"), {"fields": ("state_column", "settled", "first_seen", "last_seen", "count", "run")}),
        (_("Metadata as received"), {"fields": ("received",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Reject]:
        found: QuerySet[Reject] = super().get_queryset(request)
        return found.defer("raw")

    @admin.display(description=_("identifier"))
    def identifier_column(self, reject: Reject) -> str:
        return breakable(str(reject))

    @admin.display(description=_("reason"))
    def reason_column(self, reject: Reject) -> str:
        return wide("{}", reject.reason_text, rem=14)

    @coloured({"stands": "warning", "over": "success"}, description=_("state"))
    def state_column(self, reject: Reject) -> tuple[str, str]:
        return ("stands", gettext("stands")) if reject.settled is None else ("over", gettext("over"))

    @admin.display(description=_("last seen, UTC"))
    def last_seen_column(self, reject: Reject) -> str:
        return moment(reject.last_seen)

    @admin.display(description=_("XML"))
    def received(self, reject: Reject) -> str:
        if reject.raw is None:
            return gettext("nothing but the header")
        raw, line = bytes(reject.raw), _line_of(reject.reason_data)
        lines = raw.decode("utf-8", errors="replace").replace("\0", "\ufffd").splitlines() if line else []
        if 0 < line <= len(lines):
            return _marked(lines, line)
        return preformatted(display.indented(raw))

    @admin.action(description=_("Download as CSV"), permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[Reject]) -> HttpResponseBase:
        return rejects_download(queryset, "rejects")


@admin.register(LinkDay)
class LinkDayAdmin(ReadOnly, Admin):
    """What the runs of each link did on each day, also of runs that are pruned."""

    empty_words = _("No run has ended yet. Each link gets a row for each day on which one ends.")
    list_display = ("day", "link", "runs", "failed", *COUNTERS[1:], "pages", "seconds")
    list_display_links = None
    list_filter = ("link",)
    list_select_related = ("link",)
    sortable_by = ()
    ordering = ("-day", "link_id")
    actions = ("download",)

    @admin.action(description=_("Download as CSV"), permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[LinkDay]) -> HttpResponseBase:
        return _attached(csv_export.days_csv(queryset), "daily-sums")


def _line_of(facts: Mapping[str, Any]) -> int:
    """The line of the XML that a reason, or the one within it, names; 0: none."""
    within = [facts, *(part.get("facts", {}) for part in facts.values() if isinstance(part, dict))]
    return next((part["line"] for part in within if isinstance(part.get("line"), int)), 0)


def _marked(lines: Sequence[str], line: int) -> str:
    """The lines around one of them, with their numbers, and that one marked in word and colour."""
    first = max(0, line - 1 - _LINES_AROUND)
    shown = lines[first : line + _LINES_AROUND]
    numbered = (
        (
            "gisc-line gisc-line-marked" if number == line else "gisc-line",
            number,
            text[:_LINE_LENGTH],
            gettext(" ← here") if number == line else "",
        )
        for number, text in enumerate(shown, first + 1)
    )
    return format_html(
        '<pre tabindex="0" class="gisc-xml">{}</pre>',
        format_html_join("", '<span class="{}">{}  {}<strong>{}</strong>\n</span>', numbered),
    )


def _seen_by(run: Run) -> dict[str, Any]:
    """The parameters of the list of rejects that `RejectQuerySet.seen_by` gives."""
    seen = {"link__id__exact": run.link_id, "last_seen__gte": run.begun.isoformat()}
    return seen if run.finished is None else {**seen, "first_seen__lte": run.finished.isoformat()}


def rejects_download(rejects: QuerySet[Reject], name: str) -> StreamingHttpResponse:
    """The rejects as CSV, as a file of this name."""
    return _attached(csv_export.rejects_csv(rejects), name)


def _attached(lines: Iterator[str], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _fault_text(fault: Mapping[str, Any] | None) -> str:
    return f"{fault['at']}: {describe_cause(fault)}" if fault else gettext("none")
