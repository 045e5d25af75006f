"""The audit log in the admin: read-only."""

from operator import itemgetter
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist
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
        named = ((label, _name_of_table(label)) for label in {*roles.edited_tables(), *roles.RIGHTS})
        return sorted(named, key=itemgetter(1))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Act]) -> QuerySet[Act]:
        return queryset if self.value() is None else queryset.filter(model=self.value())


@admin.register(Act)
class ActAdmin(ReadOnly, Admin):
    """What people did, the newest first."""

    empty_words = _("Nothing was done yet. What people do in the administration and by commands comes here.")
    list_display = ("at_column", "who", "act_column", "object_column", "summary", "address")
    list_display_links = ("at_column",)
    list_filter = ("source", KindFilter, ("at", admin.DateFieldListFilter))
    search_fields = ("who", "act", "object_name", "address")
    search_help_text = _("Names of people or objects, words of what was done, or an address")
    sortable_by = ()
    ordering = ("-at", "-pk")
    fieldsets = (
        (None, {"fields": ("at", "who", "source", "address")}),
        (_("What was done"), {"fields": ("act", "kind_column", "object_name", "answer")}),
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
        return breakable(" ".join(filter(None, (_name_of_table(act.model), act.object_name))))

    @admin.display(description=_("kind of object"))
    def kind_column(self, act: Act) -> str:
        return _name_of_table(act.model)

    @admin.display(description=_("what changed"))
    def summary(self, act: Act) -> str:
        """The names of the changed fields; what the node said, where no field did."""
        parts = []
        for change in act.changes[:3]:
            names = (_name_of_field(change["model"], field) for field in list(change["fields"])[:6])
            parts.append(", ".join(names) if change["what"] == "changed" else _what(change["what"]))
        return breakable("; ".join(parts) or act.answer[:200])

    @admin.display(description=_("fields"))
    def table(self, act: Act) -> str:
        if not act.changes:
            return gettext("no field of an audited object was changed")
        rows = (
            (
                change["name"],
                _what(change["what"]),
                _name_of_field(change["model"], name),
                _value(before),
                _value(after),
            )
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


_WHAT = {"added": _("added"), "changed": _("changed"), "deleted": _("deleted")}


def _what(word: str) -> str:
    return str(_WHAT.get(word, word))


def _name_of_table(label: str) -> str:
    """The name of a table's rows in words; empty for none. The log may name a table that is no longer there."""
    try:
        return str(apps.get_model(label)._meta.verbose_name)
    except (LookupError, ValueError):
        return label.partition(".")[2]


def _name_of_field(label: str, name: str) -> str:
    """The name of a field in words; that of the log, if the field is no longer there."""
    try:
        found = apps.get_model(label)._meta.get_field(name)
        return str(getattr(found, "verbose_name", name))
    except (LookupError, ValueError, FieldDoesNotExist):
        return name.replace("_", " ")


def _value(text: str | None) -> str:
    return "–" if text in (None, "") else breakable(str(text))
