"""The page of a search that defines a virtual set: what it finds, what its harvesters would see, and the act."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext, ngettext

from catalogue.admin import set_change_pages
from catalogue.discovery import set_searches as reading
from catalogue.discovery.set_searches import DefinedSearch
from catalogue.models import MetadataSet, Record
from catalogue.reading import stats
from catalogue.writing import set_changes, set_searches
from catalogue.writing.set_searches import ForeseenSearch


def search_view(model_admin: Any, request: HttpRequest, object_id: int) -> HttpResponse:
    """By GET, say what a search would put into the set and take out of it, and ask; by POST, do it."""
    virtual = get_object_or_404(MetadataSet, pk=object_id)
    if not model_admin.has_change_permission(request, virtual):
        raise PermissionDenied
    asked = request.POST if request.method == "POST" else request.GET
    address, filter_text = (asked.get(name, "").replace("\0", "") for name in ("address", "filter"))
    is_taken_away = bool(asked.get("none"))
    context: dict[str, Any] = {
        **model_admin.admin_site.each_context(request),
        "opts": MetadataSet._meta,
        "virtual": virtual,
        "address": address,
        "filter": filter_text,
        "is_taken_away": is_taken_away,
    }
    try:
        defined = None if is_taken_away else reading.read(address, filter_text)
        if request.method == "POST":
            _change(model_admin, request, virtual, defined)
            return redirect("admin:catalogue_metadataset_change", virtual.pk)
        condition = None if defined is None else defined.condition
        foreseen = set_searches.foresee(virtual, condition, seconds=set_searches.LIMITS.in_force.foresee_s)
        context["is_so_already"] = set_searches.is_defined_by(virtual, condition)
        context |= _foreseen_context(virtual, defined, foreseen)
    except ValidationError as exc:
        context["faults"] = exc.messages
    title = (
        gettext("Take the search of {virtual} away?") if is_taken_away else gettext("Define {virtual} by this search?")
    )
    context["title"] = title.format(virtual=virtual)
    return TemplateResponse(request, "admin/catalogue/set/search.html", context)


def _foreseen_context(virtual: MetadataSet, defined: DefinedSearch | None, foreseen: ForeseenSearch) -> dict[str, Any]:
    examples = Record.objects.filter(pk__in=foreseen.examples).select_related("description").order_by("-pk")
    return {
        "defined": defined,
        "foreseen": foreseen,
        "finds": foreseen.added + foreseen.stay,
        "sentences": describe_foreseen(virtual, foreseen),
        "examples": list(examples),
        "waiting": stats.count_waiting_for_search(),
    }


def describe_foreseen(virtual: MetadataSet, foreseen: ForeseenSearch) -> list[str]:
    """Say what harvesters of a set will see of its new search, with numbers of records."""
    said = []
    if not foreseen.is_exact:
        said.append(gettext("The numbers are estimates: the newest records were looked at in the time that there was."))
    said += set_change_pages.describe_added(virtual, foreseen.added)
    said += set_change_pages.describe_leaving(virtual, foreseen.deleted)
    if foreseen.stay:
        text = ngettext(
            "{number} record is in {virtual} already and stays there as it is.",
            "{number} records are in {virtual} already and stay there as they are.",
            foreseen.stay,
        )
        said.append(text.format(number=f"{foreseen.stay:,}", virtual=virtual))
    return said + set_change_pages.describe_rest(foreseen.moved)


def _change(model_admin: Any, request: HttpRequest, virtual: MetadataSet, defined: DefinedSearch | None) -> None:
    if defined is None:
        change = set_searches.begin(virtual, None)
    else:
        change = set_searches.begin(
            virtual, defined.condition, address=defined.address, filter_text=defined.filter_text
        )
    if change is None:
        model_admin.message_user(request, gettext("That is so already; nothing was changed."), messages.WARNING)
    elif set_changes.is_small(change.total):
        set_changes.go_on(change)
        model_admin.message_user(request, gettext("Done: the records of {virtual} follow.").format(virtual=virtual))
    else:
        text, level = set_change_pages.queue_or_wait(
            gettext("Begun: the records of {virtual} follow. This page shows how far it has come."),
            gettext("The records of {virtual} follow when the queue can be reached again; nothing is lost."),
        )
        model_admin.message_user(request, text.format(virtual=virtual), level)
