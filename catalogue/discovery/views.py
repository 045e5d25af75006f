"""Answer requests for public pages: search, one record, and the statistics as JSON. Reads only."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from catalogue import oai, validation
from catalogue.discovery import maps, schema_org, search_form
from catalogue.discovery.outputs import record_address
from catalogue.documents import details, xml_tree
from catalogue.models import Description, Record
from catalogue.pages import display, score_words, viewers
from catalogue.payloads import payload, readable
from catalogue.provenance import Provenance
from catalogue.reading import lists, overview, stats
from catalogue.reading.overview import COLUMNS
from catalogue.reading.query import conditions
from catalogue.reading.query.highlight import Highlighter
from catalogue.reading.query.search import CursorInvalid, QueryTooCostly, Search
from catalogue.reading.viewers import Viewer

HITS_PER_PAGE = 20
LATEST = 5  # records on the start page
EXCERPT_CHARACTERS = 300
ORGANISATION_CHARACTERS = 80
FACET_CHARACTERS = 70
_ADDRESS = re.compile(r"([\w.+-]+)@([\w-]+\.)")  # robots do not find it so
MOST_OF_FACET = 8  # chosen: values that a facet shows before it is opened


@require_safe
@viewers.by_viewer
def search_page(request: HttpRequest) -> HttpResponse:
    """Show the start page; with arguments the records that are searched for, and what narrows the search."""
    viewer = viewers.of(request)
    form = search_form.read(request.GET, viewer)
    if "set" in form.faults:
        return _not_found(request, form.faults["set"])
    context: dict[str, Any] = {"form": form, "text": form.text, "chosen": form.chosen_set}
    if form.is_empty:
        rows = stats.by_set(with_hidden=viewer.is_signed_in)
        sets = sorted(viewer.sets(), key=lists.order_of_set)
        context["sets"] = [(item, rows.get(item.spec, {})) for item in sets]
        context["waiting"] = stats.count_waiting_for_search()
        context["live"] = rows[oai.CATALOGUE_SET]["live"]
        context["base_url"] = request.build_absolute_uri(reverse("oai"))
        context["facets"] = _facets(form, Search(form.query(viewer))) if context["live"] else []
        context["latest"] = _hits(form, Search(form.query(viewer)).page(LATEST).keys)
        context |= _coverage()
        return render(request, "catalogue/home.html", context)
    found = Search(form.query(viewer))
    try:
        with found.bounded():
            page = found.page(HITS_PER_PAGE, form.after)
            context |= {
                "page": page,
                "hits": _hits(form, page.keys),
                "facets": _facets(form, found),  # before the number, which is counted with them
                "count": found.count(),
                "waiting": stats.count_waiting_for_search(),
                "withdrawn": None if page.keys or form.after else _withdrawn(form.text, viewer),
                "next": form.following(page.next) if page.next else "",
            }
    except CursorInvalid:
        return redirect(f"{reverse('catalogue:search')}?{form.address}")
    except QueryTooCostly as exc:
        context["too_costly"] = str(exc)
    context["orders"], context["labels"] = search_form.ORDERS, search_form.LABELS
    box = form.box
    context["chosen_box"] = maps.rectangles([(box.west, box.south, box.east, box.north)]) if box else []
    if form.chosen_set is not None:
        context["figures"] = stats.by_set(with_hidden=viewer.is_signed_in).get(form.chosen_set.spec, {})
        context["base_url"] = request.build_absolute_uri(reverse("oai"))
    status = 503 if context.get("too_costly") == "time" else 400 if form.faults else 200
    return render(request, "catalogue/search.html", context, status=status)


def _coverage() -> dict[str, Any]:
    """Return the map of where the data of all records are, as it was counted last; nothing before the first count."""
    counted = overview.latest()
    if counted is None or not any(counted.coverage):
        return {}
    return {"coverage": maps.shades(counted.coverage, COLUMNS), "counted": counted}


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of a list of records. `title`, `excerpt` and `map` are HTML; `period` and `changed` are in words."""

    identifier: str
    title: str
    excerpt: str
    policy: str
    kind: str
    organisation: str
    period: str
    changed: str
    map: str


def _hits(form: search_form.SearchForm, keys: list[int]) -> list[Hit]:
    """Read the records of a page, in its order."""
    rows = Description.objects.filter(pk__in=keys).values_list(
        "pk",
        *("record__identifier", "record__datestamp", "title", "abstract"),
        *("policy", "kind", "organisations", "begins", "ends", "boxes"),
    )
    marks, picture = Highlighter(conditions.All(form.parts)), maps.Picture()
    changed = gettext("changed %(date)s UTC")
    hits = {
        key: Hit(
            identifier,
            marks.mark(title or identifier),
            marks.excerpt(abstract, EXCERPT_CHARACTERS),
            policy,
            kind,
            display.shortened(organisations[0], ORGANISATION_CHARACTERS) if organisations else "",
            display.span(begins, ends),
            changed % {"date": f"{datestamp:%Y-%m-%d %H:%M}"},
            picture.of(maps.rectangles(boxes)),
        )
        for key, identifier, datestamp, title, abstract, policy, kind, organisations, begins, ends, boxes in rows
    }
    return [hits[key] for key in keys if key in hits]


def _facets(form: search_form.SearchForm, found: Search) -> list[dict[str, Any]]:
    """Return the facets with their values, each with its number of hits and the address with it chosen or not."""
    facets = found.facets(list(search_form.FIELDS.values()), MOST_OF_FACET)
    made = []
    for name, title in search_form.FACETS.items():
        chosen = form.chosen.get(name, [])
        numbers = dict(facets.values[search_form.FIELDS[name]])
        values = list(dict.fromkeys([*chosen, *numbers]))
        words = _facet_in_words(name, values)
        lines = [
            (
                display.shortened(words[value], FACET_CHARACTERS),
                numbers.get(value),
                value in chosen,
                form.toggled(name, value),
            )
            for value in values
        ]
        if len(lines) > 1 or chosen:
            made.append({"name": name, "title": title, "lines": lines, "facets": facets})
    return made


_FACETS_IN_WORDS = {
    "type": display.code_in_words,
    "category": display.code_in_words,
    "language": display.language_in_words,
}


def _facet_in_words(name: str, values: list[str]) -> dict[str, str]:
    """Return the values of a facet as people read them; with the code where two are called the same."""
    words = {value: _FACETS_IN_WORDS.get(name, str)(value) for value in values}
    often = Counter(words.values())
    return {value: word if often[word] == 1 else f"{word} ({value})" for value, word in words.items()}


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
    text = getattr(record, "description", None)
    said = _details(record)
    language = _argument(request, "lang")
    titles, abstracts = said.titles or {}, said.abstracts or {}
    label = validation.current_label(record)
    context = {
        "record": record,
        "description": text,
        "title": titles.get(language) or (text.title if text else ""),
        "abstract": abstracts.get(language) or (text.abstract if text else ""),
        "lang": language if language in {*titles, *abstracts} else "",
        "languages": list(dict.fromkeys([*titles, *abstracts])),
        "map": maps.Picture().of(maps.rectangles(text.boxes)) if text else "",
        "sets": viewer.sets().filter(memberships__record=record, memberships__deleted=False),
        "validation": label,
        "grade": score_words.grade(label) if label is not None else "",
        "scores": list(score_words.scores(label)) if label is not None else [],
        "details": said,
        "way": _way(record),
        "xml": _ADDRESS.sub(r"\1 [at] \2", display.stored(record.payload)),
        "spelled": _other_spellings(identifier, viewer) if record.deleted else (),
        "form": search_form.SearchForm(),
    }
    if text is not None:
        page, home = (request.build_absolute_uri(path) for path in (record_address(record.identifier), "/"))
        context["canonical"] = page
        if record.audience == 0:  # what search engines may have
            context["schema_org"] = schema_org.as_script(schema_org.dataset(record, text, said, page, home))
    return render(request, "catalogue/record.html", context, status=410 if record.deleted else 200)


def _way(record: Record) -> list[Provenance]:
    """Return the harvests that brought a record here, the first of them first."""
    return list(reversed(Provenance.from_json(record.provenance).steps())) if record.provenance else []


def _details(record: Record) -> details.RecordDetails:
    """Read what the metadata says beside the stored fields; nothing, if it is damaged or gone, which the page tells."""
    try:
        return details.RecordDetails() if record.payload is None else details.read(payload.unpack(record.payload))
    except (payload.PayloadDamaged, xml_tree.Unusable):
        return details.RecordDetails()


@require_safe
@viewers.by_viewer
def contacts_page(request: HttpRequest) -> HttpResponse:
    """Show the e-mail addresses of one live record, `?id=IDENTIFIER`: on a page of their own, which robots are asked to leave."""
    identifier, viewer = _argument(request, "id"), viewers.of(request)
    record = _find_record(identifier, viewer)
    if record is None or record.deleted:
        return _unknown(request, identifier, viewer)
    context = {"record": record, "description": getattr(record, "description", None), "details": _details(record)}
    response = render(request, "catalogue/contacts.html", context | {"form": search_form.SearchForm()})
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


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
    return readable.first(_named(identifier, viewer).select_related("owner", "description", "validation"))


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
