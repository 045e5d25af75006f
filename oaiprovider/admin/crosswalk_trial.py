"""The trial of a stylesheet on chosen records in the admin, saved or not: what goes in beside what comes out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldBooleanWidget,
)

from catalogue.admin.base import preformatted
from catalogue.models import ListSize, Membership, MetadataSet, Record
from catalogue.pages import display
from catalogue.reading import unusual
from catalogue.reasons import ActRefused
from oaiprovider.formats import stylesheet, trial
from oaiprovider.formats.trial import Tried
from oaiprovider.models import Crosswalk

MOST = trial.DEFAULTS.shown


class RecordsForm(forms.Form):
    """Which records a stylesheet is tried on."""

    identifiers = forms.CharField(
        label=_("These records"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("identifiers, one on a line"),
    )
    of_set = forms.ModelChoiceField(
        label=_("The newest of a set"),
        queryset=MetadataSet.objects.all(),
        required=False,
        empty_label=_("none"),
        widget=UnfoldAdminSelectWidget,
    )
    number = forms.IntegerField(
        label=_("How many of it"),
        required=False,
        min_value=1,
        max_value=MOST,
        initial=3,
        widget=UnfoldAdminIntegerFieldWidget,
    )
    awkward = forms.BooleanField(
        label=_("Awkward ones"),
        required=False,
        initial=True,
        widget=UnfoldBooleanWidget,
        help_text=_("the largest, without title or place, with letters beyond English and more, of the newest 20,000"),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One record of the trial as the page shows it."""

    tried: Tried
    why: str
    stored: str
    result: str


def trial_view(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Try what stands in the form of a crosswalk, saved or not, on chosen records. Nothing is stored."""
    if not (model_admin.has_add_permission(request) or model_admin.has_change_permission(request)):
        raise PermissionDenied
    records = RecordsForm(request.POST if request.method == "POST" else None)
    text, faults = read_stylesheet(request)
    namespace, schema = (request.POST.get(name, "").strip() for name in ("namespace", "schema"))
    rows: list[Row] = []
    if request.method != "POST":
        faults = [gettext("Open a crosswalk, or begin a new one, and press “Try on records” there.")]
    elif not faults and records.is_valid():
        rows = try_records(text, namespace, schema, choose_records(records.cleaned_data))
    context = {
        "title": gettext("Trial of a stylesheet"),
        "records": records,
        "namespace": namespace,
        "schema": schema,
        "stylesheet": text,
        "faults": faults,
        "numbered": preformatted(number_lines(text)),
        "offer": describe_offer(),
    }
    return render(model_admin, request, context, rows)


def render(model_admin: Any, request: HttpRequest, context: Mapping[str, Any], rows: list[Row]) -> HttpResponse:
    """Answer the page with the results of a trial."""
    page = {
        **model_admin.admin_site.each_context(request),
        "opts": Crosswalk._meta,
        "rows": rows,
        "failed": sum(bool(row.tried.fault) for row in rows),
        **context,
    }
    return TemplateResponse(request, "admin/oaiprovider/crosswalk/trial.html", page)


def read_stylesheet(request: HttpRequest) -> tuple[str, list[str]]:
    """Read the stylesheet of a form, uploaded or typed, and what is wrong with it before it is tried."""
    uploaded = request.FILES.get("upload")
    try:
        if uploaded is not None:
            text = stylesheet.decode(uploaded.read(stylesheet.MAX_BYTES * 4 + 1))
        else:
            text = stylesheet.without_declaration(request.POST.get("stylesheet", ""))
    except ActRefused as exc:
        return "", [str(exc)]
    text = text.replace("\r\n", "\n")
    if not text.strip():
        return "", [gettext("Upload a stylesheet, or write one, before it is tried.")]
    return text, stylesheet.faults(text)


def choose_records(chosen: Mapping[str, Any]) -> dict[str, str]:
    """Return the identifiers to try with the reason for each; the newest records, if none is chosen."""
    found = {line.strip(): gettext("chosen") for line in chosen["identifiers"].splitlines() if line.strip()}
    if chosen["of_set"] is not None:
        number = chosen["number"] or 1
        found = {
            each: gettext("of {set}").format(set=chosen["of_set"]) for each in _newest(chosen["of_set"], number)
        } | found
    if chosen["awkward"]:
        for identifier, kinds in unusual.find_unusual().items():
            found.setdefault(identifier, ", ".join(map(gettext, kinds)))
    return found or {each: gettext("newest") for each in _newest(None, 3)}


def _newest(of_set: MetadataSet | None, number: int) -> list[str]:
    if of_set is None or of_set.kind == MetadataSet.Kind.CATALOGUE:
        live = Record.objects.filter(deleted=False).order_by("-datestamp", "-pk")
        return list(live.values_list("identifier", flat=True)[:number])
    rows = Membership.objects.filter(set=of_set, deleted=False).order_by("-datestamp", "-record_id")
    return list(rows.values_list("record__identifier", flat=True)[:number])


def try_records(text: str, namespace: str, schema: str, chosen: Mapping[str, str]) -> list[Row]:
    """Try a stylesheet on these records, each of which has a reason."""
    return [
        Row(
            tried,
            chosen[tried.identifier],
            preformatted(display.indented(tried.stored) if tried.stored else ""),
            preformatted(display.indented(tried.result) if tried.result else ""),
        )
        for tried in trial.try_each(text, chosen, namespace=namespace, schema=schema)
    ]


def number_lines(text: str) -> str:
    """Write a text with the numbers of its lines."""
    return "\n".join(f"{number:4} {line}" for number, line in enumerate(text.splitlines(), 1))


def describe_offer(crosswalk: Crosswalk | None = None) -> str:
    """Say what saving a crosswalk moves for its harvesters, with the number of live records."""
    live = sum(ListSize.objects.filter(pk=0).values_list("live", flat=True))
    number = {"number": f"{live:,}", "prefix": crosswalk or ""}
    if crosswalk is None or crosswalk.changed is None:
        text = ngettext(
            "Once it is enabled, harvesters can fetch {number} record in this format.",
            "Once it is enabled, harvesters can fetch {number} records in this format.",
            live,
        )
    elif crosswalk.enabled:
        text = ngettext(
            "Another stylesheet, namespace or schema gives {number} record a new datestamp in {prefix}, and its harvesters fetch it "
            "again. Switched off, {prefix} is withdrawn, and they get it as deleted. Datestamps in other formats stay.",
            "Another stylesheet, namespace or schema gives {number} records a new datestamp in {prefix}, and its harvesters fetch all "
            "of them again. Switched off, {prefix} is withdrawn, and they get all as deleted. Datestamps in other formats stay.",
            live,
        )
    else:
        text = ngettext(
            "{prefix} is withdrawn. Enabled again, {number} record comes back to its harvesters with a new datestamp.",
            "{prefix} is withdrawn. Enabled again, {number} records come back to its harvesters with new datestamps.",
            live,
        )
    return text.format_map(number)
