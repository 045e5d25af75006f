"""Profiles of harvesters and containers of Identify in the admin, and what a harvester would see.

What may be saved is decided by the models; only the sets of a profile, which are chosen with it, are checked here.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from unfold.decorators import action
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextInputWidget

from catalogue.admin.base import Admin, preformatted
from catalogue.models import MetadataSet
from catalogue.pages import display
from oaiprovider import preview
from oaiprovider.models import IdentifyDescription, Profile
from oaiprovider.terms import ANY, WILDCARD


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """A profile and its sets."""

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        if "sets" not in given:  # the field itself says what is wrong
            return given
        chosen = list(given["sets"])
        if given.get("everything"):
            if chosen:
                self.add_error("sets", "These would not count: untick “shows everything”, or choose none.")
        elif not chosen:
            self.add_error("sets", "Choose at least one set, or tick “shows everything”.")
        elif self.instance.name == ANY and not any(one.kind == MetadataSet.Kind.OWN for one in chosen):
            own = MetadataSet.objects.filter(kind=MetadataSet.Kind.OWN).first()
            self.add_error("sets", f"Choose {own} too: peer GISCs are served by {ANY}, and harvest it (G17).")
        return given


class PreviewForm(forms.Form):
    """Who asks, and from where."""

    user_agent = forms.CharField(
        label="User-Agent",
        required=False,
        strip=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="the whole header, such as DRIVER/2.1 (harvester); empty: a request without one",
    )
    address = forms.GenericIPAddressField(
        label="Address", required=False, widget=UnfoldAdminTextInputWidget, help_text="where the request comes from"
    )


@admin.register(Profile)
class ProfileAdmin(Admin):
    """Profiles: who is shown what, in which pages. `Any` stays."""

    form = ProfileForm
    list_display = ("name", "match", "from_where", "shown", "pages", "limit")
    sortable_by = ("name", "match")
    search_fields = ("name", "match")
    actions_list = ("preview",)
    actions_detail = ("preview_one",)
    fieldsets = (
        (
            "Which harvester",
            {
                "fields": ("name", "match", "networks"),
                "description": "A User-Agent proves nothing: anybody may send it. A profile that shows more than "
                f"{ANY} does needs networks.",
            },
        ),
        (
            "What it is shown",
            {
                "fields": ("everything", "sets"),
                "description": "A record in none of the chosen sets does not exist for this harvester. To keep a set's records "
                f"from everybody else, {ANY} must show chosen sets too, without it. A peer GISC needs this node's own set, "
                "the sets of the other GISCs and WIS-CATALOGUE (G17).",
            },
        ),
        ("How much at once", {"fields": ("page_records", "page_headers", "page_sets")}),
        ("How fast", {"fields": ("requests_per_minute", "may_be_limited")}),
        ("Identify", {"fields": ("repository_name", "admin_emails")}),
        ("Formats", {"fields": ("formats",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Profile]:
        found: QuerySet[Profile] = super().get_queryset(request)
        return found.prefetch_related("sets")

    def get_readonly_fields(self, request: HttpRequest, obj: Profile | None = None) -> tuple[str, ...]:
        return ("name", "match", "networks") if obj is not None and obj.name == ANY else ()

    def has_delete_permission(self, request: HttpRequest, obj: Profile | None = None) -> bool:
        return bool(super().has_delete_permission(request, obj)) and not (obj is not None and obj.name == ANY)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_manytomany(
            db_field, request, **kwargs, widget=UnfoldAdminCheckboxSelectMultipleWidget()
        )
        field.label_from_instance = _set_in_words
        return field

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in ("networks", "admin_emails", "formats"):
            kwargs["widget"] = UnfoldAdminTextInputWidget()
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """G15, G17: what harvesters cannot learn by themselves, the operator tells theirs."""
        profile: Profile = form.instance
        before = set() if not change else set(profile.sets.all())
        super().save_related(request, form, formsets, change)
        after = set(profile.sets.all())
        if change and before != after:
            self.message_user(
                request,
                f"Ask the operator of {profile}'s harvester for a full harvest: records that it now sees for the first "
                "time keep their old datestamps, and those that it no longer sees are not told as deleted (G15).",
                messages.WARNING,
            )
        if not profile.everything and (hidden := _hidden_from_peers(after)):
            self.message_user(
                request,
                f"{profile} does not show {hidden}; never give this profile to a peer GISC (G17).",
                messages.INFO,
            )

    # --- Columns -------------------------------------------------------------------------------------

    @admin.display(description="networks")
    def from_where(self, profile: Profile) -> str:
        return ", ".join(profile.networks) or "anywhere"

    @admin.display(description="shows")
    def shown(self, profile: Profile) -> str:
        return "everything public" if profile.everything else ", ".join(sorted(one.spec for one in profile.sets.all()))

    @admin.display(description="records, headers, sets on a page")
    def pages(self, profile: Profile) -> str:
        sizes = (profile.page_records, profile.page_headers, profile.page_sets)
        return ", ".join("default" if size is None else str(size) for size in sizes)

    @admin.display(description="requests per minute")
    def limit(self, profile: Profile) -> str:
        if not profile.may_be_limited:
            return "unlimited"
        return "default" if profile.requests_per_minute is None else str(profile.requests_per_minute)

    # --- Preview -------------------------------------------------------------------------------------

    @action(description="What would a harvester see?", url_path="preview", permissions=["view"], icon="visibility")  # type: ignore[untyped-decorator]
    def preview(self, request: HttpRequest) -> HttpResponse:
        """GET with a User-Agent and an address: the profile and the answers."""
        form = PreviewForm(request.GET if "user_agent" in request.GET else None)
        context: dict[str, Any] = {"form": form}
        if form.is_bound and form.is_valid():
            context |= _shown(**form.cleaned_data)
        page = {**self.admin_site.each_context(request), "title": "What would a harvester see?", "opts": Profile._meta}
        return TemplateResponse(request, "admin/oaiprovider/profile/preview.html", page | context)

    @action(description="What does it see?", url_path="preview", permissions=["view"], icon="visibility")  # type: ignore[untyped-decorator]
    def preview_one(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The same, filled in for a harvester that this profile is for."""
        profile = get_object_or_404(Profile, pk=object_id)
        address = profile.networks[0].partition("/")[0] if profile.networks else "127.0.0.1"
        asked = {"user_agent": profile.match.replace(WILDCARD, ""), "address": address}
        return redirect(f"{reverse('admin:oaiprovider_profile_preview')}?{urlencode(asked)}")


def _shown(user_agent: str, address: str) -> dict[str, Any]:
    seen = preview.of(user_agent, address)
    terms = seen.terms
    limit = "never" if not terms.may_be_limited else terms.requests_per_minute or "as the node limits everybody"
    return {
        "chosen": f"{terms.name} is the profile for this request.",
        "verdicts_table": {
            "headers": ["profile", "User-Agent contains", "networks", ""],
            "rows": [
                [
                    one.profile.name,
                    one.profile.match or "anything",
                    ", ".join(one.profile.networks) or "anywhere",
                    one.reason,
                ]
                for one in seen.verdicts
            ],
        },
        "terms_table": {
            "rows": [
                ["Records on a page", terms.page_records],
                ["Headers on a page", terms.page_headers],
                ["Sets on a page", terms.page_sets],
                ["Requests per minute", limit],
            ]
        },
        "identify": preformatted(display.indented(seen.identify)),
        "formats_table": {"headers": ["prefix", "namespace", "schema"], "rows": seen.formats},
        "sets_table": {"headers": ["setSpec", "name", "description"], "rows": seen.sets},
        "sets_fault": seen.sets_fault,
        "more_sets": seen.more_sets,
    }


def _set_in_words(item: MetadataSet) -> str:
    hidden = "" if item.public else ", hidden"
    return f"{item.spec} ({item.get_kind_display().partition(':')[0]}{hidden})"


def _hidden_from_peers(shown: set[MetadataSet]) -> str:
    """The W1 sets that are not among these, in words; empty where there are all."""
    kinds = (MetadataSet.Kind.OWN, MetadataSet.Kind.PEER, MetadataSet.Kind.CATALOGUE)
    wanted = MetadataSet.objects.filter(kind__in=kinds, public=True)
    return ", ".join(one.spec for one in wanted if one not in shown)


@admin.register(IdentifyDescription)
class IdentifyDescriptionAdmin(Admin):
    """Containers of Identify. `friends` needs none: it is made of the links."""

    list_display = ("name", "root", "shown")
    sortable_by = ()
    fieldsets = (
        (
            None,
            {
                "fields": ("name", "xml", "shown"),
                "description": "Who we are, beyond what the protocol asks for: branding, oai-identifier, rightsManifest, "
                "gateway. The base URLs of peers (friends) are shown by themselves.",
            },
        ),
    )

    @admin.display(description="element")
    def root(self, container: IdentifyDescription) -> str:
        return container.element.name
