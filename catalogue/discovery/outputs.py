"""Hits of a search for programs: CSV, GeoJSON, Atom feeds, and the description of the search (OpenSearch)."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from xml.sax.saxutils import escape, quoteattr

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from catalogue import datestamps
from catalogue.discovery import search_form
from catalogue.models import Description, Record
from catalogue.pages import viewers
from catalogue.pages.csv_lines import Echo, escape_formula
from catalogue.reading.query.search import CursorInvalid, Query, QueryTooCostly, Search
from catalogue.reading.query.search_limits import LIMITS

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_PAGE = 500  # records that are read at a time
_ENTRIES = 50  # of a feed
_COLUMNS = (
    "identifier",
    "title",
    "type",
    "policy",
    "centre",
    "keywords",
    "categories",
    "boxes",
    "begins",
    "ends",
    "language",
    "metadata_date",
    "changed",
    "page",
)


@require_safe
@viewers.by_viewer
def export(request: HttpRequest, form: str) -> HttpResponseBase:
    """Return all hits of a search as `csv` or `geojson`. 400 if they are more than are counted, or the search is wrong."""
    write = _FORMS.get(form)
    if write is None:
        raise Http404
    viewer = viewers.of(request)
    asked = search_form.read(request.GET, viewer)
    if asked.faults:
        return _refused(asked.faults)
    query = asked.query(viewer)
    try:
        count = Search(query).count()
    except QueryTooCostly:
        return _refused({"q": gettext("This search takes too long. Add a word, a box or a set.")})
    if not count.is_exact or count.number > LIMITS.in_force.exact:
        words = gettext("The search finds more than {most} records: narrow it, or harvest the catalogue by OAI-PMH.")
        return _refused({"q": words.format(most=LIMITS.in_force.exact)})
    return write(query, request)


def _refused(faults: dict[str, str]) -> HttpResponse:
    """Say what is wrong with a search: 404 for a set that there is not, else 400."""
    text = " ".join(faults.values())
    return HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=404 if "set" in faults else 400)


def _rows(query: Query) -> Iterator[tuple[Record, Description]]:
    """Read all hits, in their order. What is changed or withdrawn meanwhile may be left out."""
    after = ""
    while True:
        page = Search(query).page(_PAGE, after)
        records = Record.objects.select_related("description").defer("payload", "provenance").in_bulk(page.keys)
        for key in page.keys:
            record = records.get(key)
            if record is not None and hasattr(record, "description"):
                yield record, record.description
        after = page.next
        if not after:
            return


def _page_of(request: HttpRequest, record: Record) -> str:
    return request.build_absolute_uri(record_address(record.identifier))


def record_address(identifier: str) -> str:
    """Return the path of the page of a record."""
    return f"{reverse('catalogue:record')}?{_quoted(identifier)}"


def _quoted(identifier: str) -> str:
    return urlencode({"id": identifier})


def _instant(value: datetime | None) -> str:
    return "" if value is None else datestamps.write(value)


def _csv(query: Query, request: HttpRequest) -> StreamingHttpResponse:
    writer = csv.writer(Echo())

    def lines() -> Iterator[str]:
        yield writer.writerow(_COLUMNS)
        for record, text in _rows(query):
            values = (
                record.identifier,
                text.title,
                text.kind,
                text.policy,
                next(iter(text.organisations), ""),
                "; ".join(text.keywords),
                "; ".join(text.categories),
                "; ".join(" ".join(f"{side:g}" for side in box) for box in text.boxes),
                _instant(text.begins),
                _instant(text.ends),
                text.language,
                _instant(record.metadata_date),
                _instant(record.datestamp),
                _page_of(request, record),
            )
            yield writer.writerow([escape_formula(value) for value in values])

    return _download(lines(), "text/csv; charset=utf-8", "records.csv")


def _geojson(query: Query, request: HttpRequest) -> StreamingHttpResponse:
    def lines() -> Iterator[str]:
        yield '{"type": "FeatureCollection", "features": [\n'
        separator = ""
        for record, text in _rows(query):
            yield separator + json.dumps(_feature(record, text, _page_of(request, record)), ensure_ascii=False)
            separator = ",\n"
        yield "\n]}\n"

    return _download(lines(), "application/geo+json", "records.geojson")


def _feature(record: Record, text: Description, page: str) -> dict[str, Any]:
    return {
        "type": "Feature",
        "id": record.identifier,
        "geometry": geometry(text.boxes),
        "properties": {
            "title": text.title,
            "description": text.abstract,
            "type": text.kind,
            "dataPolicy": text.policy,
            "organisations": text.organisations,
            "keywords": [*text.keywords, *text.categories],
            "begins": _instant(text.begins) or None,
            "ends": _instant(text.ends) or None,
            "language": text.language,
            "updated": _instant(record.datestamp),
            "page": page,
        },
    }


def geometry(boxes: list[list[float]]) -> dict[str, Any] | None:
    """Return boxes as a geometry of GeoJSON; one that crosses the date line is cut there (RFC 7946, 3.1.9)."""
    rings = []
    for west, south, east, north in boxes:
        parts = [(west, east)]
        if east < west:
            parts = [(west, 180.0), (-180.0, east)]
        rings += [
            [[[left, south], [right, south], [right, north], [left, north], [left, south]]] for left, right in parts
        ]
    if not rings:
        return None
    return (
        {"type": "Polygon", "coordinates": rings[0]}
        if len(rings) == 1
        else {"type": "MultiPolygon", "coordinates": rings}
    )


def _download(lines: Iterator[str], kind: str, name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


_FORMS: dict[str, Callable[[Query, HttpRequest], StreamingHttpResponse]] = {"csv": _csv, "geojson": _geojson}


# --- Atom and OpenSearch -------------------------------------------------------------------------------


@require_safe
@viewers.by_viewer
def feed(request: HttpRequest) -> HttpResponse:
    """Return the newest hits of a search, or of the catalogue, as an Atom feed (RFC 4287)."""
    viewer = viewers.of(request)
    asked = search_form.read(request.GET, viewer)
    if asked.faults:
        return _refused(asked.faults)
    query = Query(asked.query(viewer).condition, "-updated", viewer)
    try:
        keys = Search(query).page(_ENTRIES).keys
    except QueryTooCostly:
        return _refused({"q": gettext("This search takes too long. Add a word, a box or a set.")})
    except CursorInvalid:
        return redirect("catalogue:feed")
    columns = ("identifier", "datestamp", "description__title", "description__abstract")
    records = Record.objects.select_related("description").only(*columns).in_bulk(keys)
    found = [records[key] for key in keys if key in records and hasattr(records[key], "description")]
    home = request.build_absolute_uri(reverse("catalogue:search")) + (f"?{asked.address}" if asked.address else "")
    own = request.build_absolute_uri(request.get_full_path())
    title = settings.GISC_REPOSITORY_NAME
    if asked.text or asked.chosen_set:
        title += f": {asked.text or (asked.chosen_set and asked.chosen_set.spec)}"
    updated = _instant(found[0].datestamp) if found else "1970-01-01T00:00:00Z"
    xml = request.build_absolute_uri(reverse("catalogue:record_xml"))
    page = request.build_absolute_uri(reverse("catalogue:record"))
    entries = "".join(_entry(record, page, xml) for record in found)
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>{_text(title)}</title><id>{escape(own)}</id><updated>{updated}</updated>"
        f"<author><name>{_text(settings.GISC_NAME)}</name></author>"
        f'<link rel="self" href={quoteattr(own)}/><link href={quoteattr(home)}/>\n{entries}</feed>\n'
    )
    return HttpResponse(body, content_type="application/atom+xml; charset=utf-8")


def _entry(record: Record, pages: str, documents: str) -> str:
    """Write one entry; `pages` and `documents` are where records are, as pages and as XML."""
    page, xml = (f"{address}?{_quoted(record.identifier)}" for address in (pages, documents))
    return (
        f"<entry><title>{_text(record.description.title or record.identifier)}</title><id>{escape(page)}</id>"
        f"<updated>{_instant(record.datestamp)}</updated><link href={quoteattr(page)}/>"
        f'<link rel="alternate" type="application/xml" href={quoteattr(xml)}/>'
        f"<summary>{_text(record.description.abstract[:1000])}</summary></entry>\n"
    )


def _text(text: str) -> str:
    """Escape a text for XML, without the characters that XML does not have."""
    return escape(_NOT_IN_XML.sub("", text))


@require_safe
def opensearch(request: HttpRequest) -> HttpResponse:
    """Return the description of the search for browsers and aggregators (OpenSearch 1.1)."""
    search = request.build_absolute_uri(reverse("catalogue:search"))
    atom = request.build_absolute_uri(reverse("catalogue:feed"))
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
        f"<ShortName>{_text(settings.GISC_NAME[:16])}</ShortName><Description>{_text(settings.GISC_REPOSITORY_NAME)}</Description>"
        f'<Url type="text/html" template={quoteattr(search + "?q={searchTerms}")}/>'
        f'<Url type="application/atom+xml" template={quoteattr(atom + "?q={searchTerms}")}/>'
        "<InputEncoding>UTF-8</InputEncoding></OpenSearchDescription>\n"
    )
    return HttpResponse(body, content_type="application/opensearchdescription+xml; charset=utf-8")
