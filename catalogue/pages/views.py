"""Answer requests for public pages: search, one record, and the statistics as JSON. Reads only."""

from typing import Any

from django.core.paginator import Page
from django.db.models import F, QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from catalogue import oai, validation
from catalogue.models import MetadataSet, Record
from catalogue.pages import display, viewers
from catalogue.pages.paging import LIMITS, HitsPaginator
from catalogue.payloads import payload
from catalogue.reading import lists, search, stats
from catalogue.reading.viewers import Viewer

HITS_PER_PAGE = 20
EXCERPT_CHARACTERS = 300
MAX_QUESTION_CHARACTERS = oai.MAX_IDENTIFIER_BYTES  # so that every identifier can be searched for


@require_safe
@viewers.by_viewer
def search_page(request: HttpRequest) -> HttpResponse:
    """Show the start page: a search field and the sets; with `q` the hits, with `set` the newest records of that set."""
    text = _argument(request, "q").strip()[:MAX_QUESTION_CHARACTERS]
    spec = _argument(request, "set")
    viewer = viewers.of(request)
    selected_set = viewer.sets().filter(spec=spec).first() if spec else None
    if spec and selected_set is None:
        return _not_found(request, gettext("This catalogue has no set “{value}”.").format(value=spec[:200]))
    context: dict[str, Any] = {"text": text, "chosen": selected_set}
    if text or selected_set:
        hits = _hits(text, selected_set, request.GET.get("page"), viewer)
        context |= {"hits": hits, "withdrawn": None if hits else _withdrawn(text, viewer)}
    else:
        rows = stats.by_set(with_hidden=viewer.is_signed_in)
        sets = sorted(viewer.sets(), key=lists.order_of_set)
        context["sets"] = [(item, rows.get(item.spec, {})) for item in sets]
        context["is_empty"] = not rows[oai.CATALOGUE_SET]["live"]
    return render(request, "catalogue/search.html", context)


def _hits(text: str, selected_set: MetadataSet | None, number: str | None, viewer: Viewer) -> Page[Any]:
    found: Any = search.NewestHits(text, selected_set, LIMITS.in_force.hits, audiences=viewer.audiences)
    page = HitsPaginator(found, HITS_PER_PAGE).get_page(number)
    keys = list(page.object_list)
    rows = (
        Record.objects.select_related("description")
        .only("identifier", "datestamp", "description__title")
        .annotate(excerpt=Left(F("description__abstract"), EXCERPT_CHARACTERS + 1))
        .in_bulk(keys)
    )
    page.object_list = [rows[key] for key in keys if key in rows]
    return page


def _withdrawn(text: str, viewer: Viewer) -> Record | None:
    """Find the tombstone with this identifier."""
    return _named(text, viewer).defer("provenance").filter(deleted=True).first()


@require_safe
@viewers.by_viewer
def record_page(request: HttpRequest) -> HttpResponse:
    """Show one record, `?id=IDENTIFIER`: its description, where it came from, and its XML. 410 if it was withdrawn."""
    identifier, viewer = _argument(request, "id"), viewers.of(request)
    record = _find_record(identifier, viewer)
    if record is None:
        return _unknown(request, identifier, viewer)
    context = {
        "record": record,
        "description": getattr(record, "description", None),
        "sets": viewer.sets().filter(memberships__record=record, memberships__deleted=False),
        "validation": validation.current_label(record),
        "details": display.details(record.payload),
        "xml": display.stored(record.payload),
        "spelled": _other_spellings(identifier, viewer) if record.deleted else (),
    }
    return render(request, "catalogue/record.html", context, status=410 if record.deleted else 200)


@require_safe
@viewers.by_viewer
def record_xml(request: HttpRequest) -> HttpResponse:
    """Return the metadata of one live record as it was received."""
    identifier, viewer = _argument(request, "id"), viewers.of(request)
    record = _find_record(identifier, viewer)
    if record is None:
        return _unknown(request, identifier, viewer)
    if record.payload is None:
        return HttpResponse(
            gettext("This record has been withdrawn.\n"), content_type="text/plain; charset=utf-8", status=410
        )
    try:
        element = payload.unpack(record.payload)
    except payload.PayloadDamaged as exc:
        return HttpResponseServerError(f"{exc}\n", content_type="text/plain; charset=utf-8")
    return HttpResponse(element, content_type="application/xml; charset=utf-8")


@require_safe
def stats_json(_request: HttpRequest) -> HttpResponse:
    """Return the statistics of `manage.py catalogue stats --json`, of the public sets."""
    return JsonResponse(stats.public())


def _argument(request: HttpRequest, name: str) -> str:
    """Return an argument of the query, without NUL, which PostgreSQL accepts in no text."""
    return request.GET.get(name, "").replace("\0", "")


def _named(identifier: str, viewer: Viewer) -> QuerySet[Record]:
    return Record.objects.named(identifier).filter(audience__in=viewer.audiences)


def _find_record(identifier: str, viewer: Viewer) -> Record | None:
    return _named(identifier, viewer).select_related("owner", "description", "validation").first()


def _other_spellings(identifier: str, viewer: Viewer) -> list[str]:
    """The identifiers of live records that differ from this one in their case alone, where that means nothing (F74)."""
    others = Record.objects.in_another_case(identifier).filter(audience__in=viewer.audiences)
    return list(others.values_list("identifier", flat=True))


def _unknown(request: HttpRequest, identifier: str, viewer: Viewer) -> HttpResponse:
    reason = gettext("This catalogue has no record with the identifier “{value}”.").format(value=identifier[:200])
    spelled = " and ".join(f"“{other}”" for other in _other_spellings(identifier, viewer))
    return _not_found(
        request, gettext("{reason} It has {spelled}.").format(reason=reason, spelled=spelled) if spelled else reason
    )


def _not_found(request: HttpRequest, reason: str) -> HttpResponse:
    return render(request, "404.html", {"reason": reason}, status=404)
