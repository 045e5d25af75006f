"""Base classes and helpers for the admin pages of every app.

The admin has no rules of its own: it displays, and calls the functions that the command line calls.
"""

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from django.db.models import Model
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.views import ChangeList as UnfoldChangeList

from catalogue.pages.paging import EstimatedPaginator

Column = TypeVar("Column", bound=Callable[..., Any])


class ChangeList(UnfoldChangeList):  # type: ignore[misc]
    """A list that offers "show all" only where something is filtered out."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if not self.query and not self.has_active_filters:
            self.full_result_count = self.result_count


class Admin(ModelAdmin):  # type: ignore[misc]  # unfold comes without types
    """The base of all our admin pages: a large table is never counted."""

    paginator = EstimatedPaginator
    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 0
    list_filter_sheet = False
    empty_words: str | Promise = _("There is nothing here yet.")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ChangeList


class ReadOnly:
    """Mixin: rows can be viewed, not added, changed or deleted."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def coloured(colours: Mapping[str, str], *, description: str | Promise) -> Callable[[Column], Column]:
    """Decorate a column method so that its value is coloured.

    The method returns a key of `colours`, or that and the text to display.
    """

    def mark(method: Column) -> Column:
        @wraps(method)
        def column(*arguments: Any) -> Any:
            value = method(*arguments)
            return _Coloured(value) if isinstance(value, tuple) else value

        column.short_description = description  # type: ignore[attr-defined]
        column.label = dict(colours)  # type: ignore[attr-defined]
        return cast(Column, column)

    return mark


class _Coloured(tuple[str, Any]):
    """A key of colours and a text. The page of one row, which has no colours, shows the text alone."""

    def __str__(self) -> str:
        return str(self[1])


_PARTS = re.compile(r"[^:./]*[:./]*")  # of a long word, each with the sign that it may be broken after


def breakable(text: str) -> str:
    """Format a long word, such as an identifier, so that it may be broken: after `:`, `.` or `/` if that is enough."""
    parts = format_html_join(mark_safe("<wbr>"), "{}", ((part,) for part in _PARTS.findall(text)))  # nosec: no text of others
    return format_html('<span class="gisc-breakable" style="overflow-wrap: anywhere">{}</span>', parts)


def preformatted(text: str) -> str:
    """Format text as it is, in a box that scrolls; empty if there is no text."""
    if not text:
        return ""
    return format_html(
        '<pre tabindex="0" class="bg-base-50 border border-base-200 rounded-default p-3 text-xs overflow-auto dark:bg-base-800 '
        'dark:border-base-700" style="max-height: 40rem; white-space: pre-wrap; overflow-wrap: anywhere">{}</pre>',
        text,
    )
