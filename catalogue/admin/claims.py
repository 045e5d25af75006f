"""Admin pages of claims: which records other sets or sources offer too, and whether their versions differ."""

from typing import Any

from django.contrib import admin
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.admin.base import Admin, ReadOnly, preformatted
from catalogue.models import Claim
from catalogue.pages import display


class ContentFilter(admin.SimpleListFilter):
    """Filters by whether a claim differs from the version that is served."""

    title = _("content")
    parameter_name = "content"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("differs", gettext("differs from the owner's")), ("same", gettext("the same as the owner's"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Claim]) -> QuerySet[Claim]:
        if self.value() == "differs":
            return queryset.exclude(digest=F("record__digest"))
        return queryset.filter(digest=F("record__digest")) if self.value() == "same" else queryset


@admin.register(Claim)
class ClaimAdmin(ReadOnly, Admin):
    """Versions that others offer of records that are not theirs; the owner's version is served (promise 9)."""

    empty_words = _(
        "No record is offered by a second set or source. Such other versions come here; the owner's version is served."
    )
    list_display = ("record_link", "owner", "set", "source", "differs", "metadata_date", "first_seen")
    list_filter = (ContentFilter, "set")
    list_select_related = ("record__owner", "set")
    fields = ("record_link", "owner", "set", "source", "spelling", "differs", "metadata_date", "first_seen", "xml")
    readonly_fields = fields
    sortable_by = ("first_seen",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Claim]:
        found: QuerySet[Claim] = super().get_queryset(request)
        return found.defer("payload", "record__payload")

    @admin.display(description=_("record"))
    def record_link(self, claim: Claim) -> str:
        address = reverse("admin:catalogue_record_change", args=[claim.record_id])
        return format_html('<a href="{}">{}</a>', address, claim.record.identifier)

    @admin.display(description=_("owner"))
    def owner(self, claim: Claim) -> str:
        return claim.record.owner.spec

    @admin.display(description=_("differs"), boolean=True)
    def differs(self, claim: Claim) -> bool:
        return bytes(claim.digest) != bytes(claim.record.digest or b"")

    @admin.display(description=_("XML"))
    def xml(self, claim: Claim) -> str:
        return preformatted(display.stored(claim.payload))
