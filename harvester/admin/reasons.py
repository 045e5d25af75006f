"""Filter rejects and conflicts by the code of their reason."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

SEARCH_HELP = "Part of an identifier, or of a code of docs/codes.md or its facts"


class ReasonFilter(admin.SimpleListFilter):
    """Filter by reason: the codes that rows of the table have."""

    title = "reason"
    parameter_name = "reason"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        codes = model_admin.model.objects.order_by("reason").values_list("reason", flat=True).distinct()
        return [(code, code) for code in codes]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        return queryset if self.value() is None else queryset.filter(reason=self.value())
