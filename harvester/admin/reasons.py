"""Filter rejects and conflicts by the code of their reason."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

_NEWEST = (
    5000  # chosen: rows that are looked at for their codes; the tables grow without bound, and have no index of codes
)

SEARCH_HELP = _("Part of an identifier, or of a code of docs/codes.md or its facts")


class ReasonFilter(admin.SimpleListFilter):
    """Filter by reason: the codes that the newest rows of the table have."""

    title = _("reason")
    parameter_name = "reason"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        newest = model_admin.model.objects.order_by("-pk").values_list("reason", flat=True)[:_NEWEST]
        return [(code, code) for code in sorted({*newest, *filter(None, [self.value()])})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        return queryset if self.value() is None else queryset.filter(reason=self.value())
