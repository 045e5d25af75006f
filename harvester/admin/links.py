"""Links in the admin: their forms. Columns, acts and the sections of a link's page are in `link_*`.

No rule is decided here: pages and actions call the functions that commands and tasks call.
"""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import flatten
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters
from unfold.admin import TabularInline

from harvester.admin import access_form, retrieve_info, schedule_form
from harvester.admin.add_link import page as add_link
from harvester.admin.exchange import ExchangePages
from harvester.admin.link_acts import LinkActs
from harvester.admin.link_columns import LinkColumns
from harvester.admin.link_pages import LinkPages
from harvester.admin.offers import OfferPages
from harvester.links import edit, exchange, failover
from harvester.models import Alternative, Link, Reject, Run
from harvester.monitoring import status

_HIDE_PASSWORDS = sensitive_post_parameters("password", "proxy_password")  # in error reports
_FAILOVER_FIELDS = ("switch_after_h", "return_after_h")


class AlternativeInline(TabularInline):  # type: ignore[misc]  # unfold comes without types
    """The alternatives of a link in their order, on its page."""

    model = Alternative
    form = access_form.AlternativeForm
    fields = ("position", "name", "base_url", "prefix", "remote_set")
    extra = 0
    tab = False


@method_decorator(_HIDE_PASSWORDS, name="retrieve_info_view")
@method_decorator(_HIDE_PASSWORDS, name="change_view")
@method_decorator(_HIDE_PASSWORDS, name="add_view")
@method_decorator(_HIDE_PASSWORDS, name="plain_add_view")
@admin.register(Link)
class LinkAdmin(ExchangePages, OfferPages, LinkActs, LinkPages, LinkColumns):
    """The pages of links."""

    empty_words = _(
        "A link is the standing arrangement to harvest one set of one provider. Nothing is harvested before there is one."
    )
    list_display = (
        *("name_column", "state_column", "strip_column", "counts_column"),
        *("last_success", "next_run", "todo_column"),
    )
    list_filter = ("enabled", "kind", "local_set")
    search_fields = ("name", "base_url", "remote_set")
    list_display_links = ("name_column",)
    sortable_by = ("name_column", "last_success", "next_run")
    actions = (
        "run_now",
        "run_now_whole",
        "compare",
        "compare_beyond_ceiling",
        "reharvest",
        "enable",
        "disable",
        "switch",
        "switch_back",
        "accept_move",
        "cancel_run",
    )
    inlines = (AlternativeInline,)
    form = schedule_form.CheckedLinkForm
    exchanged = exchange.LINKS
    readonly_fields = (
        *("harvested_to", "first_response", "newest", "next_due", "failures", "granularity", "deleted_record"),
        *("next_times", "schedule_in_words"),
        *("serving_provider", "return_state", "failing_since", "skew_s", "moved_to", "remote_set_state"),
        *("remarks_in_full", "doubts_in_full", "size_is_estimate"),
        *("drift_in_full", "next_slice", "compared_to", "cycle_begun", "cycle_ended", "reconciles"),
        *("next_content", "content_to", "content_begun", "content_ended"),
    )
    change_form_template = "admin/harvester/link/change_form.html"
    delete_confirmation_template = "admin/harvester/link/delete_confirmation.html"
    delete_selected_confirmation_template = "admin/harvester/link/delete_selected_confirmation.html"
    _fieldsets = (
        (None, {"fields": ("name", "kind")}),
        (
            _("Provider"),
            {
                "fields": ("base_url", "prefix", "remote_set", "identifiers", "is_told"),
                "description": _(
                    "“Retrieve info” asks the provider which prefixes and sets it offers, and which identifiers it "
                    "has. Records that were stored under other identifiers are deleted after a change, as if the provider had "
                    "deleted them."
                ),
            },
        ),
        (
            _("Where the records go"),
            {
                "fields": ("local_set", "category"),
                "description": _(
                    "A peer's set from a peer or relay, a shared set from one of its owners, our own set from "
                    "our centres. When any of the provider's fields or the local set changes, "
                    "the next run asks for the whole list."
                ),
            },
        ),
        (
            _("Schedule"),
            {
                "classes": ("tab",),
                "fields": (
                    *(
                        "enabled",
                        "schedule",
                        "windows",
                        "next_times",
                        "strategy",
                        "at_once",
                        "lateness_h",
                        "overlap_s",
                        "grace_h",
                    ),
                    *_FAILOVER_FIELDS,
                ),
                "description": _("A link that is not enabled runs only when somebody starts it."),
            },
        ),
        (
            _("Access"),
            {
                "classes": ("tab",),
                "fields": access_form.FIELDS,
                "description": _(
                    "What the provider wants before it answers; WIS metadata are public, and most want nothing. "
                    "Passwords are kept sealed and shown to nobody. They go to this provider and to no other."
                ),
            },
        ),
        (
            _("Comparison"),
            {
                "classes": ("tab",),
                "fields": (
                    *("cycle_days", "content_days"),
                    *("tombstone_days", "ceiling_records", "ceiling_percent", "hold_percent"),
                ),
                "description": _(
                    "Headers are compared, a slice a day, and all records are harvested again with their content, "
                    "as often as “total re-harvest” says. Nothing is deleted because it is not listed: the "
                    "provider is asked for it, and only its deleted header deletes. The larger of the two ceilings counts."
                ),
            },
        ),
    )
    _state = (
        (
            _("State"),
            {
                "classes": ("tab",),
                "fields": (
                    *("harvested_to", "first_response", "newest", "next_due"),
                    *(
                        "remote_set_state",
                        "serving_provider",
                        "return_state",
                        "failures",
                        "failing_since",
                        "granularity",
                        "deleted_record",
                    ),
                    *("skew_s", "moved_to"),
                ),
            },
        ),
        (
            _("Drift"),
            {
                "classes": ("tab",),
                "fields": (
                    *("remarks_in_full", "doubts_in_full", "size_is_estimate"),
                    *("drift_in_full", "next_slice", "compared_to", "cycle_begun", "cycle_ended", "reconciles"),
                    *("next_content", "content_to", "content_begun", "content_ended"),
                ),
                "description": _(
                    "What the comparisons and the total re-harvest of this cycle have found; “changed”: content "
                    "that differs though the datestamp is the same. Their history is in the runs."
                ),
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Link | None = None) -> tuple[Any, ...]:
        fieldsets: tuple[Any, ...] = self._fieldsets if obj is None else (*self._fieldsets, *self._state)
        if obj is not None and not self.has_change_permission(request, obj):
            # Users who may only view see the values of fields, and a password has none.
            fieldsets = tuple((name, {**part, "fields": _to_view(part["fields"])}) for name, part in fieldsets)
        return fieldsets

    def get_queryset(self, request: HttpRequest) -> QuerySet[Link]:
        return status.with_last_run(super().get_queryset(request), successes=True)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if db_field.name == "local_set":
            field.label_from_instance = lambda item: f"{item.spec} ({item.get_kind_display().partition(':')[0]})"
        return field

    def save_model(self, request: HttpRequest, obj: Link, form: Any, change: bool) -> None:
        if obj.sealed_password and obj.base_url.startswith("http://"):
            warning = gettext("The password is sent unencrypted, because the base URL does not begin with https://.")
            self.message_user(request, warning, messages.WARNING)
        if form.prefix_warning:
            self.message_user(request, form.prefix_warning, messages.WARNING)
        if not change:
            super().save_model(request, obj, form, change)
        elif edit.save(obj, form.changed_fields):
            text = gettext("The next run of {link} asks for the whole list, because of what was changed.")
            self.message_user(request, text.format(link=obj), messages.INFO)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        for warning in (getattr(each, "prefix_warning", "") for each in formset.forms):
            if warning:
                self.message_user(request, warning, messages.WARNING)
        for alternative, fields in formset.changed_objects if formset.model is Alternative else ():
            if set(fields) & {"base_url", "prefix", "remote_set"}:
                failover.restart_alternative(alternative)

    # --- Pages ----------------------------------------------------------------------------------------

    def retrieve_info_view(self, request: HttpRequest) -> HttpResponse:
        """Ask the provider of a form, saved or not, what it is and what it offers. Stores nothing."""
        if not (self.has_add_permission(request) or self.has_change_permission(request)):
            raise PermissionDenied
        link_id = request.GET.get("link", "")
        link = Link.objects.filter(pk=link_id).first() if link_id.isdecimal() and len(link_id) < 19 else None
        if link is not None and not self.has_change_permission(request, link):
            raise PermissionDenied
        form = retrieve_info.form_for(link, request.POST if request.method == "POST" else None)
        context: dict[str, Any] = {"form": form}
        if form.is_bound and form.is_valid():
            context |= retrieve_info.retrieve(form.instance)
            context |= self.offers_context(request, link or form.instance, saved=link, asked=context.get("offer"))
        return TemplateResponse(
            request,
            "admin/harvester/link/look.html",
            {**self.admin_site.each_context(request), "title": gettext("Retrieve info"), "opts": Link._meta, **context},
        )

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own_urls = [
            path("retrieve-info/", view(self.retrieve_info_view), name="harvester_link_look"),
            path("add/plain/", view(self.plain_add_view), name="harvester_link_add_plain"),
            path("next-times/", view(self.next_times_view), name="harvester_link_next_times"),
            path("progress/<int:run_id>/", view(self.progress_view), name="harvester_link_progress"),
            path("live/", view(self.live_view), name="harvester_link_live"),
            path("<int:object_id>/run/", view(self.run_view), name="harvester_link_run"),
            path("<int:object_id>/alternative/", view(self.alternative_view), name="harvester_link_alternative"),
            path("<int:object_id>/act/<slug:name>/", view(self.act_view), name="harvester_link_act"),
            path("<int:object_id>/quiet/", view(self.quiet_view), name="harvester_link_quiet"),
            path("<int:object_id>/renew-report/", view(self.renew_report_view), name="harvester_link_renew_report"),
            path("<int:object_id>/rejects.csv", view(self.rejects_view), name="harvester_link_rejects"),
        ]
        urls: list[URLPattern] = super().get_urls()
        return own_urls + urls

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        retrieve_info_url = f"{reverse('admin:harvester_link_look')}?{urlencode({'link': object_id})}"
        context: dict[str, Any] = {"retrieve_info_url": retrieve_info_url}
        link = self.get_object(request, object_id)
        if link is not None:
            context |= self.sections(request, link)
            context |= self.offers_context(request, link, saved=link)
        page: HttpResponse = super().change_view(request, object_id, form_url, context | (extra_context or {}))
        return page

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return add_link.respond(self, request)

    def plain_add_view(self, request: HttpRequest) -> HttpResponse:
        """Add a link by a form of all its fields: its provider need not answer now."""
        page: HttpResponse = super().add_view(request)
        return page

    def next_times_view(self, request: HttpRequest) -> HttpResponse:
        """Answer when a link runs next by the schedule that is being typed."""
        return add_link.next_times(self, request)

    def progress_view(self, request: HttpRequest, run_id: int) -> HttpResponse:
        """Answer how far a run has come, for a page that refreshes itself."""
        return add_link.progress(self, request, run_id)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, dict[str, int], set[str], list[str]]:
        """Count what is deleted with these links instead of listing it: there may be thousands of runs and rejects."""
        deleted_links = list(objs)
        counts = {
            gettext("links"): len(objs),
            gettext("runs"): Run.objects.filter(link__in=deleted_links).count(),
            gettext("rejects"): Reject.objects.filter(link__in=deleted_links).count(),
        }
        refused = set() if self.has_delete_permission(request) else {str(Link._meta.verbose_name)}
        named = [gettext("link {link}, with its runs and rejects").format(link=obj) for obj in objs]
        return named, counts, refused, []


def _to_view(fields: tuple[str | tuple[str, ...], ...]) -> list[str]:
    """The fields without those of the form only: the schedule is displayed as one, and passwords are not."""
    shown = {"schedule": "schedule_in_words"}
    left_out = ("password", "proxy_password", "windows")
    return [shown.get(name, name) for name in flatten(fields) if name not in left_out]
