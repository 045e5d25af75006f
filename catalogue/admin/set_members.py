"""What a set is made of, in the admin: who uses it, what including or excluding others would do, and how far that has come."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext, ngettext

from catalogue.admin import set_change_pages
from catalogue.models import Claim, Membership, MetadataSet, Record, SetChange, SetInclusion, SetSearch
from catalogue.reading import stats
from catalogue.writing import set_changes, set_searches
from catalogue.writing.set_changes import Foreseen

_NAMED = 5  # chosen: of what uses a set, so many are named
_REPORTS = 5  # chosen: changes on the page of a set
_INCLUDABLE = (MetadataSet.Kind.OWN, MetadataSet.Kind.PEER, MetadataSet.Kind.SHARED)
# Rows that are told of by their number, or on another part of the page.
_NOT_NAMED = (Claim, Membership, Record, SetInclusion, SetSearch)


def describe_usage(metadata_set: MetadataSet) -> list[str]:
    """Return what refers to a set, a sentence for each kind: its records, links, profiles, sets that it is part of."""
    said = []
    size = stats.size_of(metadata_set.pk)
    if size.live or size.deleted:
        said.append(
            gettext("it has {live} live and {deleted} deleted records").format(
                live=f"{size.live:,}", deleted=f"{size.deleted:,}"
            )
        )
    if metadata_set.claims.exists():
        said.append(gettext("other versions of records came by it"))
    for relation in MetadataSet._meta.related_objects:
        if relation.related_model in _NOT_NAMED:
            continue
        found = list(
            relation.related_model._default_manager.filter(**{relation.field.name: metadata_set})[: _NAMED + 1]
        )
        if found:
            more = ", …" if len(found) > _NAMED else ""
            names = f"{', '.join(map(str, found[:_NAMED]))}{more}"
            said.append(f"{relation.related_model._meta.verbose_name_plural}: {names}")
    for inclusions, words in (
        (metadata_set.included_in.values_list("parent__spec", flat=True), gettext("it is part of {specs}")),
        (metadata_set.inclusions.values_list("child__spec", flat=True), gettext("it is made of {specs}")),
    ):
        if inclusions:
            said.append(words.format(specs=", ".join(sorted(inclusions))))
    if naming := set_searches.naming(metadata_set):
        said.append(gettext("the searches of {specs} name it").format(specs=", ".join(naming)))
    return said


def describe_foreseen(act: str, virtual: MetadataSet, foreseen: Foreseen) -> list[str]:
    """Say what harvesters of a virtual set will see of a change, with numbers of records."""
    said = []
    if act == SetChange.Act.INCLUDE:
        said += set_change_pages.describe_added(virtual, foreseen.added)
        if foreseen.deleted:
            text = ngettext(
                "{number} record that is deleted comes as deleted, so that old copies go.",
                "{number} records that are deleted come as deleted, so that old copies go.",
                foreseen.deleted,
            )
            said.append(text.format(number=f"{foreseen.deleted:,}"))
    else:
        said += set_change_pages.describe_leaving(virtual, foreseen.deleted)
    if foreseen.stay:
        text = ngettext(
            "{number} record is in {virtual} by another member, too: it stays there as it is.",
            "{number} records are in {virtual} by other members, too: they stay there as they are.",
            foreseen.stay,
        )
        said.append(text.format(number=f"{foreseen.stay:,}", virtual=virtual))
    return said + set_change_pages.describe_rest(foreseen.moved)


def page_context(virtual: MetadataSet) -> dict[str, Any]:
    """Return what the page of a set shows of its members, of what can be included, and of the last changes."""
    sizes = stats.live_by_set(with_hidden=True)
    context: dict[str, Any] = {
        "size": stats.size_of(virtual.pk),
        "usage": describe_usage(virtual),
        "is_virtual": virtual.kind == MetadataSet.Kind.VIRTUAL,
    }
    if not context["is_virtual"]:
        return context
    included = list(MetadataSet.objects.filter(included_in__parent=virtual))
    named = [each for each in included if not any(each.spec.startswith(f"{other.spec}:") for other in included)]
    taken = {each.pk for each in included}
    rest = MetadataSet.objects.filter(kind__in=_INCLUDABLE).exclude(pk__in=taken)
    return {
        **context,
        "members": [(each, sizes.get(each.pk, 0), each.spec.startswith(f"{virtual.spec}:")) for each in named],
        "candidates": [(each, sizes.get(each.pk, 0)) for each in rest],
        "search": set_searches.search_of(virtual),
        "search_is_unreadable": virtual.pk in {each.pk for each in set_searches.unreadable()},
        **progress_context(virtual),
    }


def progress_context(virtual: MetadataSet) -> dict[str, Any]:
    """Return the last changes of a virtual set with how far they have come."""
    changes = list(SetChange.objects.filter(parent=virtual).order_by("-pk")[:_REPORTS])
    return {
        "changes": [(change, min(100 * change.done // max(change.total, 1), 100)) for change in changes],
        "is_open": any(change.ended is None for change in changes),
    }


def members_view(model_admin: Any, request: HttpRequest, object_id: int) -> HttpResponse:
    """By GET, say what including or excluding sets would do, and ask; by POST, do it."""
    virtual = get_object_or_404(MetadataSet, pk=object_id)
    if not model_admin.has_change_permission(request, virtual):
        raise PermissionDenied
    asked = request.POST if request.method == "POST" else request.GET
    act = SetChange.Act.EXCLUDE if asked.get("act") == SetChange.Act.EXCLUDE else SetChange.Act.INCLUDE
    specs = asked.getlist("spec")
    members = list(MetadataSet.objects.filter(spec__in=specs))
    page = redirect("admin:catalogue_metadataset_change", virtual.pk)
    if not members or len(members) != len(set(specs)):
        model_admin.message_user(request, gettext("Choose at least one set; nothing was changed."), messages.WARNING)
        return page
    try:
        if request.method == "POST":
            _change(model_admin, request, virtual, act, members)
            return page
        foresee = set_changes.foresee_include if act == SetChange.Act.INCLUDE else set_changes.foresee_exclude
        foreseen = foresee(virtual, members)
    except ValidationError as exc:
        text = f"{'; '.join(exc.messages)}. {gettext('Nothing was changed.')}"
        model_admin.message_user(request, text, messages.ERROR)
        return page
    title = (
        gettext("Include {specs} in {virtual}?")
        if act == SetChange.Act.INCLUDE
        else gettext("Take {specs} out of {virtual}?")
    )
    context = {
        **model_admin.admin_site.each_context(request),
        "title": title.format(specs=", ".join(sorted(specs)), virtual=virtual),
        "opts": MetadataSet._meta,
        "virtual": virtual,
        "act": act,
        "specs": sorted(specs),
        "sentences": describe_foreseen(act, virtual, foreseen),
        "usage": describe_usage(virtual),
        "in_background": not set_changes.is_small(foreseen.moved + foreseen.stay),
    }
    return TemplateResponse(request, "admin/catalogue/set/members.html", context)


def _change(
    model_admin: Any, request: HttpRequest, virtual: MetadataSet, act: SetChange.Act, members: Iterable[MetadataSet]
) -> None:
    begin = set_changes.begin_include if act == SetChange.Act.INCLUDE else set_changes.begin_exclude
    change = begin(virtual, members)
    if change is None:
        model_admin.message_user(request, gettext("That is so already; nothing was changed."), messages.WARNING)
    elif set_changes.is_small(change.total):
        set_changes.go_on(change)
        model_admin.message_user(
            request, gettext("Done: {change}.").format(change=describe_change(change)), messages.SUCCESS
        )
    else:
        text, level = set_change_pages.queue_or_wait(
            gettext("Begun: {change}. This page shows how far it has come."),
            gettext("{change}: it begins when the queue can be reached again; nothing is lost."),
        )
        model_admin.message_user(request, text.format(change=describe_change(change)), level)


def describe_change(change: SetChange) -> str:
    """Say in a few words what a change does."""
    words = (
        gettext("{specs} included in {parent}")
        if change.act == SetChange.Act.INCLUDE
        else gettext("{specs} taken out of {parent}")
    )
    return words.format(specs=", ".join(change.specs), parent=change.parent)


def progress_view(model_admin: Any, request: HttpRequest, object_id: int) -> HttpResponse:
    """Answer how far the changes of a set have come, as a part of its page."""
    virtual = get_object_or_404(MetadataSet, pk=object_id)
    if not model_admin.has_view_permission(request, virtual):
        raise PermissionDenied
    return TemplateResponse(request, "admin/catalogue/set/progress.html", progress_context(virtual))
