"""Crosswalks in the admin: uploaded metadata formats, tried before they are offered to harvesters.

The trial is in `oaiprovider.formats.trial`; a trigger of the database stamps the change of a format.
"""

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminTextareaWidget

from catalogue.admin.base import Admin, coloured
from catalogue.reading import stats
from catalogue.reasons import ActRefused
from oaiprovider.admin import crosswalk_trial
from oaiprovider.formats import stylesheet, trial
from oaiprovider.models import Crosswalk

_STATE_COLOURS = {"offered": "success", "withdrawn": "warning", "not offered yet": "info"}


class CrosswalkForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Form of a crosswalk: its stylesheet is uploaded or typed, and tried before it is stored."""

    upload = forms.FileField(
        required=False,
        label=_("Upload"),
        widget=UnfoldAdminFileFieldWidget,
        help_text=_("an .xsl file, which takes the place of the text above"),
    )

    class Meta:
        model = Crosswalk
        fields = ("prefix", "namespace", "schema", "stylesheet", "enabled", "for_everybody")
        widgets = {
            "stylesheet": UnfoldAdminTextareaWidget(
                attrs={"rows": 24, "wrap": "off", "style": "font-family: monospace"}
            )
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "stylesheet" in self.fields:  # the field is missing for users with the view permission only
            self.fields["stylesheet"].required = False

    def clean(self) -> dict[str, Any]:
        """Decode and try the stylesheet; add every fault as an error."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        uploaded = data.get("upload")
        if (
            uploaded and uploaded.size > 4 * stylesheet.MAX_BYTES
        ):  # too large in every encoding: UTF-32 has 4 bytes a character
            self.add_error(
                "upload", gettext("The file has {size:,} bytes, too many for a stylesheet.").format(size=uploaded.size)
            )
            return data
        try:
            typed = data.get("stylesheet", "")
            text = stylesheet.decode(uploaded.read()) if uploaded else stylesheet.without_declaration(typed)
        except ActRefused as exc:
            self.add_error("upload", ValidationError(str(exc), code=exc.reason.code))
            return data
        # A browser sends each line end as CR LF; that alone must not count as a change (P90).
        text = text.replace("\r\n", "\n")
        data["stylesheet"] = text.strip()
        if not text.strip():
            self.add_error("stylesheet", gettext("Upload a stylesheet, or write one here."))
        elif not self.errors:
            # Not stripped: its line numbers are those of the file.
            result = trial.run(text, namespace=data["namespace"], schema=data["schema"])
            for fault in result.faults:
                self.add_error("upload" if uploaded else "stylesheet", fault)
        return data


@admin.register(Crosswalk)
class CrosswalkAdmin(Admin):
    """The formats besides iso19139 and oai_dc."""

    empty_words = _(
        "No format of your own. A crosswalk makes a further metadata format of each record, by a stylesheet."
    )
    form = CrosswalkForm
    list_display = ("prefix", "namespace", "state", "changed")
    sortable_by = ("prefix",)
    actions = None
    change_form_template = "admin/oaiprovider/crosswalk/change_form.html"
    fieldsets = (
        (None, {"fields": ("prefix", "namespace", "schema")}),
        (
            _("Stylesheet"),
            {
                "fields": ("stylesheet", "upload"),
                "description": _(
                    "XSLT 1.0. It is tried on the sample records and on the newest records of the catalogue "
                    "before it is stored. It can read one record and nothing else: no other file, no network. Of extension "
                    "functions, those of EXSLT common, strings and sets are allowed."
                ),
            },
        ),
        (
            _("Offer"),
            {
                "fields": ("enabled", "for_everybody", "changed"),
                "description": _(
                    "When the format changes, every record gets a new datestamp in it, and its harvesters "
                    "fetch all records again. A format that is switched off is withdrawn: its harvesters get all records as "
                    "deleted. Delete the format only after all of them have harvested that."
                ),
            },
        ),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Crosswalk | None = None) -> tuple[str, ...]:
        return ("changed",) if obj is None else ("prefix", "changed")  # another prefix is another format

    def has_delete_permission(self, request: HttpRequest, obj: Crosswalk | None = None) -> bool:
        """Allow it only for a withdrawn format, so that its harvesters get the records as deleted first (P87)."""
        return bool(super().has_delete_permission(request, obj)) and (obj is None or not obj.enabled)

    def save_model(self, request: HttpRequest, obj: Crosswalk, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        before = obj.changed
        obj.refresh_from_db()  # a trigger of the database sets `changed`
        if obj.changed != before and change:
            effect = gettext("fetch all records again") if obj.enabled else gettext("get all its records as deleted")
            text = gettext("{obj} has changed: from now on its harvesters {effect}, {number} live ones.")
            live = stats.size_of().live
            self.message_user(request, text.format(obj=obj, effect=effect, number=f"{live:,}"))

    @coloured(_STATE_COLOURS, description=_("state"))
    def state(self, crosswalk: Crosswalk) -> tuple[str, str]:
        if crosswalk.changed is None:
            return "not offered yet", gettext("not offered yet")
        return ("offered", gettext("offered")) if crosswalk.enabled else ("withdrawn", gettext("withdrawn"))

    # --- Pages ---------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        urls: list[URLPattern] = super().get_urls()
        view = self.admin_site.admin_view(self.preview_view)
        trial_view = self.admin_site.admin_view(partial(crosswalk_trial.trial_view, self))
        return [
            path("<int:object_id>/preview/", view, name="oaiprovider_crosswalk_preview"),
            path("try/", trial_view, name="oaiprovider_crosswalk_try"),
            *urls,
        ]

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        crosswalk = None if object_id is None else self.get_object(request, object_id)
        context = {"records": crosswalk_trial.RecordsForm(), "offer": crosswalk_trial.describe_offer(crosswalk)}
        if crosswalk is not None and request.method == "GET":
            result = trial.run(crosswalk.stylesheet, namespace=crosswalk.namespace, schema=crosswalk.schema)
            context |= {"trial": result, "trial_result": _summary(result)}
        page: HttpResponse = super().changeform_view(request, object_id, form_url, context | (extra_context or {}))
        return page

    def preview_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Show one record in this format as it is saved, offered or not, beside the record as it is stored."""
        crosswalk = get_object_or_404(Crosswalk, pk=object_id)
        if not self.has_view_permission(request, crosswalk):
            raise PermissionDenied
        identifier = request.GET.get("identifier", "").strip()
        chosen = crosswalk_trial.choose_records({"identifiers": identifier, "of_set": None, "awkward": False})
        rows = crosswalk_trial.try_records(
            crosswalk.stylesheet, crosswalk.namespace, crosswalk.schema, dict(list(chosen.items())[:1])
        )
        context = {
            "title": gettext("Preview of {crosswalk}").format(crosswalk=crosswalk),
            "crosswalk": crosswalk,
            "faults": [] if rows else [gettext("The catalogue is empty; nothing can be shown.")],
        }
        return crosswalk_trial.render(self, request, context, rows)


def _summary(result: trial.Trial) -> str:
    without = (
        gettext("; {warnings} of them will lack this format").format(warnings=len(result.warnings))
        if result.warnings
        else ""
    )
    return gettext("Tried on {records} records{without}. The slowest took {slowest_s:.1f} ms.").format(
        records=result.records, without=without, slowest_s=result.slowest_s * 1000
    )
