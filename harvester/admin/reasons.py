"""Filter rejects and conflicts by the code of their reason."""

from operator import itemgetter
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from harvester.messages import name_reason

_NEWEST = (
    5000  # chosen: rows that are looked at for their codes; the tables grow without bound, and have no index of codes
)

SEARCH_HELP = _("Identifier, code or fact of the reason")


class ReasonFilter(admin.SimpleListFilter):
    """Filter by reason: the codes that the newest rows of the table have."""

    title = _("reason")
    parameter_name = "reason"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        newest = model_admin.model.objects.order_by("-pk").values_list("reason", flat=True)[:_NEWEST]
        codes = {*newest, *filter(None, [self.value()])}
        return sorted(((code, name_reason(code)) for code in codes), key=itemgetter(1))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        return queryset if self.value() is None else queryset.filter(reason=self.value())
