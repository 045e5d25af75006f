"""Profiles of harvesters and containers of Identify in the admin, and the preview of what a harvester would see.

The models validate what is saved; only the sets of a profile, which are saved after it, are checked here.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from catalogue.admin.base import Admin, preformatted
from catalogue.admin.sets import follow
from catalogue.models import MetadataSet
from catalogue.pages import display
from oaiprovider import gcube_export, preview, rights
from oaiprovider.models import IdentifyDescription, Profile
from oaiprovider.protocol import arguments
from oaiprovider.terms import ANY, WILDCARD, Terms

MAX_CHARACTERS = 20_000  # chosen: of an answer that are shown


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """Form of a profile and its sets."""

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if "sets" not in data:  # the field has an error of its own
            return data
        chosen = list(data["sets"])
        if data.get("everything"):
            if chosen:
                self.add_error("sets", gettext("These sets have no effect: untick “shows everything”, or choose none."))
        elif not chosen:
            self.add_error("sets", gettext("Choose at least one set, or tick “shows everything”."))
        elif self.instance.name == ANY and not any(chosen_set.kind == MetadataSet.Kind.OWN for chosen_set in chosen):
            own = MetadataSet.objects.filter(kind=MetadataSet.Kind.OWN).first()
            self.add_error(
                "sets",
                gettext("Choose {own} too: peer GISCs are served by {ANY}, and harvest it.").format(own=own, ANY=ANY),
            )  # G17
        return data


class PreviewForm(forms.Form):
    """User-Agent and address of the harvester to preview, and the request that it sends."""

    user_agent = forms.CharField(
        label=_("User-Agent"),
        required=False,
        strip=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("the whole header, such as DRIVER/2.1 (harvester); empty: a request without one"),
    )
    address = forms.GenericIPAddressField(
        label=_("Address"),
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("where the request comes from"),
    )
    verb = forms.ChoiceField(
        label=_("Request"),
        required=False,
        choices=[("", _("none")), *((verb, verb) for verb in arguments.VERBS)],
        widget=UnfoldAdminSelectWidget,
        help_text=_("its answer is shown as this harvester would get it"),
    )
    identifier = forms.CharField(
        label=_("identifier"),
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("of a record: whether this harvester sees it, and if not, why"),
    )
    metadata_prefix = forms.CharField(label=_("metadataPrefix"), required=False, widget=UnfoldAdminTextInputWidget)
    set = forms.CharField(label=_("set"), required=False, widget=UnfoldAdminTextInputWidget)
    from_ = forms.CharField(label=_("from"), required=False, widget=UnfoldAdminTextInputWidget)
    until = forms.CharField(label=_("until"), required=False, widget=UnfoldAdminTextInputWidget)

    @property
    def harvester_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("user_agent", "address")]

    @property
    def request_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("verb", "identifier", "metadata_prefix", "set", "from_", "until")]

    @property
    def request(self) -> dict[str, str]:
        """The arguments of the request, by their names in OAI-PMH."""
        names = ("verb", arguments.IDENTIFIER, arguments.PREFIX, arguments.SET, arguments.FROM, arguments.UNTIL)
        fields = ("verb", "identifier", "metadata_prefix", "set", "from_", "until")
        return {name: str(self.cleaned_data[field]) for name, field in zip(names, fields, strict=True)}


@admin.register(Profile)
class ProfileAdmin(Admin):
    """Profiles: which harvester gets which sets, in which pages. `Any` cannot be deleted."""

    empty_words = _("No profile: all harvesters are served alike. A profile says how one harvester is served.")
    form = ProfileForm
    list_display = ("name", "match", "networks_column", "sets_column", "page_sizes", "rate_limit")
    sortable_by = ("name", "match")
    search_fields = ("name", "match")
    actions_list = ("preview", "export")
    actions_detail = ("preview_one",)
    fieldsets = (
        (
            _("Which harvester"),
            {
                "fields": ("name", "match", "networks"),
                "description": _(
                    "A User-Agent proves nothing: anybody can send it. A profile that shows more than Any must name networks."
                ),
            },
        ),
        (
            _("What it is shown"),
            {
                "fields": ("everything", "sets", "set_tombstones"),
                "description": _(
                    "A record in none of the chosen sets does not exist for this harvester. To hide a set's records from "
                    "everybody else, choose the sets of Any too, without that set. A peer GISC needs this node's own set, the "
                    "sets of the other GISCs and WIS-CATALOGUE."  # G17
                ),
            },
        ),
        (
            _("Records that not everybody sees"),
            {
                "fields": ("categories",),
                "description": _(
                    "The harvester is told of each change: what it may not see any more comes as deleted. Without networks, a "
                    "profile sees none of these, because anybody can send its User-Agent."
                ),
            },
        ),
        (_("How much at once"), {"fields": ("page_records", "page_headers", "page_sets")}),
        (_("How fast"), {"fields": ("requests_per_minute", "may_be_limited")}),
        (_("How this node names itself to it"), {"fields": ("repository_name", "admin_emails")}),
        (_("Formats"), {"fields": ("formats",)}),
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
        if db_field.name == "sets":
            field.label_from_instance = _set_label
        return field

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in ("networks", "admin_emails", "formats"):
            kwargs["widget"] = UnfoldAdminTextInputWidget()
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Store the sets; remind the operator of what harvesters cannot find out by themselves (G15, G17)."""
        profile: Profile = form.instance
        before = set() if not change else set(profile.sets.all())
        seen = rights.audiences_of(profile)
        super().save_related(request, form, formsets, change)
        if "categories" in form.changed_data:
            rights.note_difference(profile, seen)
            follow(self, request)
        after = set(profile.sets.all())
        if change and before != after:
            self.message_user(
                request,
                gettext(
                    "Ask the operator of {profile}'s harvester for a full harvest: records that it now sees for the "
                    "first time keep their old datestamps, and those that it no longer sees do not come as deleted."
                ).format(profile=profile),  # G15
                messages.WARNING,
            )
        if not profile.everything and (hidden := _hidden_from_peers(after)):
            self.message_user(
                request,
                gettext("{profile} does not show {hidden}; never give this profile to a peer GISC.").format(
                    profile=profile, hidden=hidden
                ),  # G17
                messages.INFO,
            )

    # --- Columns -------------------------------------------------------------------------------------

    @admin.display(description=_("networks"))
    def networks_column(self, profile: Profile) -> str:
        return ", ".join(profile.networks) or gettext("anywhere")

    @admin.display(description=_("shows"))
    def sets_column(self, profile: Profile) -> str:
        if profile.everything:
            return gettext("everything public")
        return ", ".join(sorted(metadata_set.spec for metadata_set in profile.sets.all()))

    @admin.display(description=_("records, headers, sets on a page"))
    def page_sizes(self, profile: Profile) -> str:
        sizes = (profile.page_records, profile.page_headers, profile.page_sets)
        return ", ".join(gettext("default") if size is None else str(size) for size in sizes)

    @admin.display(description=_("requests per minute"))
    def rate_limit(self, profile: Profile) -> str:
        if not profile.may_be_limited:
            return gettext("unlimited")
        return gettext("default") if profile.requests_per_minute is None else str(profile.requests_per_minute)

    # --- Preview -------------------------------------------------------------------------------------

    @action(description=_("What would a harvester see?"), url_path="preview", permissions=["view"], icon="visibility")  # type: ignore[untyped-decorator]
    def preview(self, request: HttpRequest) -> HttpResponse:
        """Show the profile and the answers that a harvester with this User-Agent and address would get."""
        form = PreviewForm(request.GET if "user_agent" in request.GET else None)
        context: dict[str, Any] = {"form": form}
        if form.is_bound and form.is_valid():
            context |= _preview_context(form)
        page = {
            **self.admin_site.each_context(request),
            "title": gettext("What would a harvester see?"),
            "opts": Profile._meta,
        }
        return TemplateResponse(request, "admin/oaiprovider/profile/preview.html", page | context)

    @action(description=_("Export as user-agents"), url_path="export", permissions=["view"], icon="download")  # type: ignore[untyped-decorator]
    def export(self, request: HttpRequest) -> HttpResponse:
        """Say what a file of the profiles cannot express; by POST, answer with it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        exported = gcube_export.export()
        if request.method == "POST":
            headers = {"Content-Disposition": 'attachment; filename="user-agents.xml"'}
            return HttpResponse(exported.document, content_type="application/xml", headers=headers)
        page = {
            **self.admin_site.each_context(request),
            "title": gettext("Export profiles as user-agents"),
            "opts": Profile._meta,
            "exported": exported,
            "document": preformatted(exported.document.decode()),
        }
        return TemplateResponse(request, "admin/oaiprovider/profile/export.html", page)

    @action(description=_("What does it see?"), url_path="preview", permissions=["view"], icon="visibility")  # type: ignore[untyped-decorator]
    def preview_one(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Redirect to the preview of a harvester that this profile fits."""
        profile = get_object_or_404(Profile, pk=object_id)
        address = profile.networks[0].partition("/")[0] if profile.networks else "127.0.0.1"
        query = {"user_agent": profile.match.replace(WILDCARD, ""), "address": address}
        return redirect(f"{reverse('admin:oaiprovider_profile_preview')}?{urlencode(query)}")


def _preview_context(form: PreviewForm) -> dict[str, Any]:
    result = preview.preview(form.cleaned_data["user_agent"], form.cleaned_data["address"])
    terms = result.terms
    limit = (
        gettext("never made to wait")
        if not terms.may_be_limited
        else terms.requests_per_minute or gettext("as the node limits everybody")
    )
    return {
        "chosen": gettext("{name} is the profile for this request.").format(name=terms.name),
        "candidates": result.candidates,
        "content": preview.content(terms),
        "terms": [
            (gettext("Records on a page"), terms.page_records),
            (gettext("Headers on a page"), terms.page_headers),
            (gettext("Sets on a page"), terms.page_sets),
            (gettext("Requests per minute"), limit),
            (gettext("Set tombstones"), gettext("yes") if terms.scope.set_tombstones else gettext("no")),
            (gettext("Name of the repository"), terms.repository_name),
            (gettext("E-mail"), ", ".join(terms.admin_emails)),
        ],
        "identify": preformatted(display.indented(result.identify)),
        "formats": result.formats,
        "sets_fault": result.sets_fault,
        "more_sets": result.more_sets,
        **_answer_context(form, terms),
    }


def _answer_context(form: PreviewForm, terms: Terms) -> dict[str, Any]:
    """Return what the page shows of one request and its answer."""
    given = form.request
    if not given["verb"]:
        identifier = given["identifier"].strip()
        return {"of_record": preview.explain(identifier, terms.scope)} if identifier else {}
    try:
        answer = preview.ask(given, terms)
    except preview.TryAgain as exc:
        return {"answer_fault": gettext("There is no answer now: {reason}. Try again.").format(reason=exc)}
    text = display.indented(answer.document)
    return {
        "of_record": answer.of_record,
        "answer": preformatted(text[:MAX_CHARACTERS]),
        "answer_url": answer.url,
        "answer_bytes": len(answer.document),
        "is_cut_off": len(text) > MAX_CHARACTERS,
    }


def _set_label(metadata_set: MetadataSet) -> str:
    hidden = "" if metadata_set.public else gettext(", hidden")
    return f"{metadata_set.spec} ({metadata_set.get_kind_display().partition(':')[0]}{hidden})"


def _hidden_from_peers(visible: set[MetadataSet]) -> str:
    """List the setSpecs that a peer needs (W1) and that are not visible; empty if none is missing."""
    kinds = (MetadataSet.Kind.OWN, MetadataSet.Kind.PEER, MetadataSet.Kind.CATALOGUE)
    needed = MetadataSet.objects.filter(kind__in=kinds, public=True)
    return ", ".join(metadata_set.spec for metadata_set in needed if metadata_set not in visible)


@admin.register(IdentifyDescription)
class IdentifyDescriptionAdmin(Admin):
    """Descriptions in Identify; `friends` is rendered from the links."""

    empty_words = _("No description of your own stands in the answer to Identify.")
    list_display = ("name", "root", "shown")
    sortable_by = ()
    fieldsets = (
        (
            None,
            {
                "fields": ("name", "xml", "shown"),
                "description": _(
                    "Further descriptions of this repository: branding, oai-identifier, rightsManifest, gateway. "
                    "The base URLs of peers (friends) are added automatically."
                ),
            },
        ),
    )

    @admin.display(description=_("element"))
    def root(self, container: IdentifyDescription) -> str:
        return container.container.name
