"""Admin pages of the list of centres: which GISCs there are, which are harvested, and the next step for each."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextareaWidget

from catalogue.admin.base import Admin, breakable, coloured
from harvester.admin.exchange import ExchangePages
from harvester.links import exchange
from harvester.models import Centre
from harvester.monitoring.coverage import CentreCoverage, CoverageState, read_coverage

_COLOURS = {
    CoverageState.HARVESTED: "success",
    CoverageState.FAILING: "danger",
    CoverageState.NOT_YET: "warning",
    CoverageState.DISABLED: "warning",
    CoverageState.NO_LINK: "warning",
    CoverageState.OWN: "info",
    "not-counted": "default",
}


class CentreForm(forms.ModelForm):  # type: ignore[type-arg]
    """A centre, whose addresses are written one in a line."""

    class Meta:
        model = Centre
        fields: tuple[str, ...] = ()  # set by the page that uses the form

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["base_urls"] = "\n".join(self.instance.base_urls)

    def clean_base_urls(self) -> list[str]:
        return str(self.cleaned_data["base_urls"]).split()


@admin.register(Centre)
class CentreAdmin(ExchangePages, Admin):
    """The pages of centres."""

    empty_words = _("No centre is known here. A centre is an organisation whose sets may be harvested.")
    list_display = ("name_column", "set_spec", "state_column", "links_column", "addresses_column", "next_step")
    list_display_links = ("name_column",)
    list_filter = ("is_active",)
    search_fields = ("name", "country", "set_spec")
    sortable_by = ("name_column", "set_spec")
    form = CentreForm
    fieldsets = (
        (None, {"fields": ("name", "country", "set_spec", "is_active")}),
        (
            _("Address"),
            {
                "fields": ("base_urls", "portal_url", "sru_url", "contact"),
                "description": _(
                    "A new node has the names and places of the known GISCs, but no base URLs: ask the centre or the WMO "
                    "Secretariat for them. “Retrieve info” of a link shows how the centre calls its set."
                ),
            },
        ),
        (_("Place on the map"), {"fields": (("latitude", "longitude"),)}),
    )
    actions = ("mark_active", "mark_inactive")
    exchanged = exchange.CENTRES
    change_list_template = "admin/harvester/centre/change_list.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type:
        """A list whose rows know how their centre is harvested, from one reading."""

        class ChangeList(super().get_changelist(request, **kwargs)):  # type: ignore[misc]
            def get_results(self, request: HttpRequest) -> None:
                super().get_results(request)
                self.coverage = read_coverage()
                of_centre = {each.centre.pk: each for each in self.coverage.centres}
                for centre in self.result_list:
                    centre.coverage = of_centre.get(centre.pk)

        return ChangeList

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "base_urls":
            return forms.CharField(
                label=capfirst(db_field.verbose_name),
                help_text=db_field.help_text,
                required=False,
                widget=UnfoldAdminTextareaWidget,
            )
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description=_("centre"), ordering="name")
    def name_column(self, centre: Centre) -> str:
        return format_html('<strong>{}</strong><br><span class="text-xs">{}</span>', centre.name, centre.country)

    @coloured(_COLOURS, description=_("state"))
    def state_column(self, centre: Centre) -> tuple[str, str]:
        found = _coverage(centre)
        if not found.counts and found.state != CoverageState.OWN:
            return "not-counted", gettext("not to be harvested")
        return found.state, found.text

    @admin.display(description=_("links"))
    def links_column(self, centre: Centre) -> str:
        page = "admin:harvester_link_change"
        links = ((reverse(page, args=[link.pk]), link.name) for link in _coverage(centre).links)
        return format_html_join(", ", '<a class="text-link" href="{}">{}</a>', links) or "–"

    @admin.display(description=_("base URLs"))
    def addresses_column(self, centre: Centre) -> str:
        return format_html_join("", "{}<br>", ((breakable(url),) for url in centre.base_urls)) or gettext("not known")

    @admin.display(description=_("next step"))
    def next_step(self, centre: Centre) -> str:
        found = _coverage(centre)
        if found.links or found.state == CoverageState.OWN:
            return "–"
        fields = {"set": centre.set_spec}
        if centre.base_urls:
            fields["base_url"] = centre.base_urls[0]
        url = f"{reverse('admin:harvester_link_add')}?{urlencode(fields)}"
        return format_html('<a class="text-link" href="{}">{}</a>', url, gettext("Add a link"))

    @admin.action(description=_("To be harvested"), permissions=["change"])
    def mark_active(self, request: HttpRequest, queryset: QuerySet[Centre]) -> None:
        number = queryset.update(is_active=True)
        self.message_user(request, gettext("%d centres are to be harvested.") % number)

    @admin.action(description=_("Not to be harvested"), permissions=["change"])
    def mark_inactive(self, request: HttpRequest, queryset: QuerySet[Centre]) -> None:
        number = queryset.update(is_active=False)
        message = gettext("%d centres are not to be harvested; links that they have go on.") % number
        self.message_user(request, message)


def _coverage(centre: Centre) -> CentreCoverage:
    """How a centre of the list is harvested."""
    found: CentreCoverage = centre.coverage  # type: ignore[attr-defined]
    return found
