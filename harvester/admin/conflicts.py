"""Conflicts in the admin: where a provider and the catalogue disagree, and the actions that settle it."""

import difflib
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.admin.base import Admin, ReadOnly, breakable, coloured, preformatted
from catalogue.models import Record
from catalogue.pages import display
from catalogue.reasons import ActRefused
from harvester.admin.reasons import SEARCH_HELP, ReasonFilter
from harvester.guards import shared_set_backup
from harvester.models import Conflict
from harvester.rows import conflicts

_COLOURS = {"waits": "warning", "settled": "success"}


class StateFilter(admin.SimpleListFilter):
    """Filter by whether a conflict waits for the operator or is settled."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("waits", gettext("waits for the operator")), ("settled", "settled")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> QuerySet[Conflict]:
        return queryset if self.value() is None else queryset.filter(settled__isnull=self.value() == "waits")


@admin.register(Conflict)
class ConflictAdmin(ReadOnly, Admin):
    """Conflicts, read-only but for their actions. The record stays as its owner gives it meanwhile (promise 9)."""

    list_display = (
        "identifier_column",
        "kind_column",
        "link",
        "state_column",
        "reason_column",
        "their_date",
        "our_date",
    )
    list_filter = (StateFilter, "kind", ReasonFilter, "link")
    list_select_related = ("link__local_set",)
    sortable_by = ()
    search_fields = ("identifier", "reason", "reason_data")
    search_help_text = SEARCH_HELP
    actions = ("leave", "hand_over", "withdraw", "take_over")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "record_link",
                    "kind_column",
                    "link",
                    "reason_column",
                    "reason",
                    "settled",
                    "settlement_column",
                )
            },
        ),
        (_("Versions"), {"fields": ("their_date", "our_date", "first_seen", "last_seen")}),
        (
            _("Difference"),
            {
                "fields": ("difference",),
                "description": _("Lines that begin with - are of the catalogue, with + of the provider."),
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conflict]:
        found: QuerySet[Conflict] = super().get_queryset(request)
        return found.defer("raw")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Show no conflict as waiting that is over."""
        shared_set_backup.settle_outdated()
        return super().changelist_view(request, extra_context)

    # --- Columns -------------------------------------------------------------------------------------

    @admin.display(description=_("identifier"))
    def identifier_column(self, conflict: Conflict) -> str:
        return breakable(conflict.identifier)

    @admin.display(description=_("kind"))
    def kind_column(self, conflict: Conflict) -> str:
        return conflict.kind

    @coloured(_COLOURS, description=_("state"))
    def state_column(self, conflict: Conflict) -> tuple[str, str]:
        return ("waits", gettext("waits for you")) if conflict.settled is None else ("settled", "settled")

    @admin.display(description=_("reason"))
    def reason_column(self, conflict: Conflict) -> str:
        return conflict.reason_text

    @admin.display(description=_("settlement"))
    def settlement_column(self, conflict: Conflict) -> str:
        return conflict.settlement_text

    @admin.display(description=_("provider's gmd:dateStamp"))
    def their_date(self, conflict: Conflict) -> str:
        return _date(conflict.metadata_date)

    @admin.display(description=_("our gmd:dateStamp"))
    def our_date(self, conflict: Conflict) -> str:
        record = Record.objects.filter(key=conflict.key).only("metadata_date").first()
        return _date(record.metadata_date if record else None)

    @admin.display(description=_("record"))
    def record_link(self, conflict: Conflict) -> str:
        record = Record.objects.filter(key=conflict.key).only("pk").first()
        if record is None:
            return breakable(conflict.identifier)
        return format_html(
            '<a class="text-link" href="{}">{}</a>',
            reverse("admin:catalogue_record_change", args=[record.pk]),
            breakable(conflict.identifier),
        )

    @admin.display(description=_("lines"))
    def difference(self, conflict: Conflict) -> str:
        record = Record.objects.filter(key=conflict.key).only("payload").first()
        ours = display.stored(record.payload) if record else ""
        theirs = "" if conflict.raw is None else display.indented(bytes(conflict.raw))
        lines = difflib.unified_diff(ours.splitlines(), theirs.splitlines(), "here", "provider", lineterm="")
        return preformatted("\n".join(lines)) or gettext("no visible difference")

    # --- What the operator can do --------------------------------------------------------------------

    def has_settle_permission(self, request: HttpRequest) -> bool:
        """Users who may change links may settle their conflicts; so may those who may change conflicts alone."""
        return request.user.has_perm("harvester.change_conflict") or request.user.has_perm("harvester.change_link")

    @admin.action(description=_("Leave it as it is"), permissions=["settle"])
    def leave(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> None:
        self._settle(request, queryset, conflicts.leave_as_is)

    @admin.action(description=_("Misplaced: hand the record over to the provider's set"), permissions=["settle"])
    def hand_over(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> None:
        self._settle(request, queryset, conflicts.hand_over)

    @admin.action(
        description=_("Vanished, renamed or one of many: delete the record here, too"), permissions=["settle"]
    )
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> None:
        self._settle(request, queryset, conflicts.withdraw)

    @admin.action(description=_("Offered: take over the co-owner's versions …"), permissions=["settle"])
    def take_over(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> HttpResponse | None:
        """Display the versions again and ask for a confirmation of the batch (W44)."""
        chosen = queryset.select_related("link").filter(kind=Conflict.Kind.OFFERED, settled=None)
        if "confirmed" in request.POST:
            self._settle(request, queryset, shared_set_backup.take_over)
            return None
        if not chosen:
            self.message_user(
                request, gettext("None of these is offered by a co-owner of a shared set."), messages.WARNING
            )
            return None
        rows = [
            [
                conflict.identifier,
                str(conflict.link),
                conflict.reason_text,
                self.their_date(conflict),
                self.our_date(conflict),
            ]
            for conflict in chosen
        ]
        context = {
            "title": gettext("Take over a co-owner's versions"),
            "opts": Conflict._meta,
            "chosen": chosen,
            "action_checkbox_name": ACTION_CHECKBOX_NAME,
            "table": {"headers": ["identifier", "link", "what", gettext("their gmd:dateStamp"), "ours"], "rows": rows},
        }
        page = {**self.admin_site.each_context(request), **context}
        return TemplateResponse(request, "admin/harvester/conflict/take_over.html", page)

    def _settle(
        self, request: HttpRequest, queryset: QuerySet[Conflict], settle: Callable[[Conflict, str], str]
    ) -> None:
        for conflict in queryset.select_related("link__local_set"):
            try:
                message = settle(conflict, request.user.get_username())
            except ActRefused as exc:
                self.message_user(
                    request,
                    gettext("{conflict}: not done, because {exc}.").format(conflict=conflict, exc=exc),
                    messages.ERROR,
                )
            else:
                self.message_user(request, f"{conflict}: {message}.", messages.SUCCESS)


def _date(stamp: datetime | None) -> str:
    return "none" if stamp is None else f"{stamp:%Y-%m-%d %H:%M:%S}"
