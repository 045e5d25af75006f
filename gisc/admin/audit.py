"""The audit log in the admin: read-only."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.admin.base import Admin, ReadOnly, breakable
from gisc import roles
from gisc.audit.models import Act


class KindFilter(admin.SimpleListFilter):
    """Filter by the kind of object. The kinds are those that can be edited: the log is not read for them."""

    title = _("kind of object")
    parameter_name = "model"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(label, label.partition(".")[2]) for label in sorted({*roles.edited_tables(), *roles.RIGHTS})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Act]) -> QuerySet[Act]:
        return queryset if self.value() is None else queryset.filter(model=self.value())


@admin.register(Act)
class ActAdmin(ReadOnly, Admin):
    """What people did, the newest first."""

    list_display = ("at_column", "who", "act_column", "object_column", "summary", "address")
    list_display_links = ("at_column",)
    list_filter = ("source", KindFilter, ("at", admin.DateFieldListFilter))
    search_fields = ("who", "act", "object_name", "address")
    search_help_text = _("Names of people or objects, words of what was done, or an address")
    sortable_by = ()
    ordering = ("-at", "-pk")
    fieldsets = (
        (None, {"fields": ("at", "who", "source", "address")}),
        (_("What was done"), {"fields": ("act", "model", "object_name", "answer")}),
        (_("Before and after"), {"fields": ("table",)}),
    )

    @admin.display(description=_("when, UTC"))
    def at_column(self, act: Act) -> str:
        return format_html('<span style="white-space: nowrap">{}</span>', f"{act.at:%Y-%m-%d %H:%M:%S}")

    @admin.display(description=_("what"))
    def act_column(self, act: Act) -> str:
        return breakable(act.act)

    @admin.display(description=_("object"))
    def object_column(self, act: Act) -> str:
        return breakable(" ".join(filter(None, (act.model.partition(".")[2], act.object_name))))

    @admin.display(description=_("what changed"))
    def summary(self, act: Act) -> str:
        """The names of the changed fields; what the node said, where no field did."""
        parts = []
        for change in act.changes[:3]:
            fields = ", ".join(list(change["fields"])[:6]) if change["what"] == "changed" else change["what"]
            parts.append(fields)
        return breakable("; ".join(parts) or act.answer[:200])

    @admin.display(description=_("fields"))
    def table(self, act: Act) -> str:
        if not act.changes:
            return gettext("no field of an audited object was changed")
        rows = (
            (change["name"], change["what"], name.replace("_", " "), _value(before), _value(after))
            for change in act.changes
            for name, (before, after) in change["fields"].items()
        )
        head = format_html_join("", '<th class="p-2 text-left">{}</th>', ((each,) for each in _HEAD))
        cells = (
            '<tr class="border-t border-base-200 dark:border-base-700">'
            + '<td class="p-2 align-top">{}</td>' * 5
            + "</tr>"
        )
        body = format_html_join("", cells, rows)
        return format_html('<div class="overflow-auto"><table><thead><tr>{}</tr></thead>{}</table></div>', head, body)


_HEAD = (_("object"), _("what"), _("field"), _("before"), _("after"))


def _value(text: str | None) -> str:
    return "–" if text in (None, "") else breakable(str(text))
