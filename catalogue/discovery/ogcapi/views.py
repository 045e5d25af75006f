"""Answer requests to `/ogcapi/`. Each function returns a document; `rendering` writes it. Reads only."""

from collections.abc import Collection, Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.text import Truncator
from django.utils.translation import gettext_noop as _

from catalogue import oai
from catalogue.discovery.ogcapi import documents, features, languages, links, openapi, parameters, problems
from catalogue.discovery.ogcapi.links import Addresses, Link, link
from catalogue.discovery.ogcapi.parameters import Asked
from catalogue.discovery.ogcapi.problems import Problem
from catalogue.discovery.ogcapi.properties import FACETS
from catalogue.discovery.ogcapi.rendering import FORMAT, Answer, as_html, resource
from catalogue.models import MetadataSet, Record
from catalogue.pages import viewers
from catalogue.payloads import readable
from catalogue.reading import stats
from catalogue.reading.query import conditions
from catalogue.reading.query.search import Count, Page, Query, Search
from catalogue.reading.viewers import ANYBODY, Viewer

MOST_OF_PAGE = 100  # records of a list in HTML, chosen: each costs five times what it costs as JSON
EXCERPT_CHARACTERS = 300  # of a list in HTML
PROFILE = "profile"  # passed over: each resource has one profile
Medias = Mapping[str, str]
_NOTES = {
    "left-out": "Only the first {word} words were looked for.",
    "unchecked": "Some of these records may not have “{word}”, but a word that is mistaken for it.",
    "words": "“{word}” begins too many words: only records with the word itself were looked for.",
    "identifiers": "“{word}” begins too many identifiers: it was only looked for as a word.",
}


def _given(request: HttpRequest, known: Collection[str] = ()) -> dict[str, str]:
    return parameters.named(request.GET, (*known, FORMAT))


def _collection(viewer: Viewer, spec: str) -> MetadataSet:
    """Return the set of a collection. Raises Problem if there is none that the viewer may see."""
    found = viewer.sets().filter(spec=spec.replace("\0", "")).first()
    if found is None:
        raise Problem(
            problems.NOT_FOUND,
            _("There is no collection “{value}”: /ogcapi/collections lists all of them."),
            value=spec,
        )
    return found


@resource(links.JSON)
def landing(request: HttpRequest, medias: Medias) -> Answer:
    """Return the landing page."""
    _given(request)
    addresses = Addresses(request)
    body = documents.landing(addresses, addresses.of_representations(medias))
    return Answer(body, _("OGC API - Records"), context={"is_landing": True})


@resource(links.JSON)
def conformance(request: HttpRequest, medias: Medias) -> Answer:
    """Return the conformance classes that this interface has."""
    _given(request)
    addresses = Addresses(request)
    return Answer(documents.conformance(addresses, addresses.of_representations(medias)), _("Conformance"))


@resource(links.OPENAPI, "application/vnd.oai.openapi+json", links.JSON)
def openapi_document(request: HttpRequest, _medias: Medias) -> Answer:
    """Return the OpenAPI document."""
    _given(request)
    body = openapi.document(Addresses(request))
    return Answer(body, _("OpenAPI document"), "catalogue/ogcapi/openapi.html", {"document": body})


@resource(links.JSON)
def collections(request: HttpRequest, medias: Medias) -> Answer:
    """Return all collections."""
    _given(request)
    addresses = Addresses(request)
    body = documents.collections(addresses, addresses.of_representations(medias), viewers.of(request))
    return Answer(body, _("Collections"))


@resource(links.CATALOG, links.JSON)
def collection(request: HttpRequest, medias: Medias, spec: str) -> Answer:
    """Return one collection."""
    _given(request, [PROFILE])
    viewer, addresses = viewers.of(request), Addresses(request)
    found = _collection(viewer, spec)
    figures = stats.by_set(with_hidden=viewer.is_signed_in).get(spec, {})
    body = documents.collection(found, figures, addresses, addresses.of_representations(medias))
    return Answer(body, _("Collection"), profile=links.CATALOG_PROFILE)


@resource(links.SCHEMA, links.JSON)
def queryables(request: HttpRequest, _medias: Medias, spec: str) -> Answer:
    """Return what a filter may ask for."""
    _given(request)
    _collection(viewers.of(request), spec)
    return Answer(documents.queryables(Addresses(request)), _("Queryables"))


@resource(links.SCHEMA, links.JSON)
def sortables(request: HttpRequest, _medias: Medias, spec: str) -> Answer:
    """Return what records are sorted by."""
    _given(request)
    _collection(viewers.of(request), spec)
    return Answer(documents.sortables(Addresses(request)), _("Sortables"))


@resource(links.JSON)
def facets(request: HttpRequest, medias: Medias, spec: str) -> Answer:
    """Return what hits can be counted by."""
    _given(request)
    _collection(viewers.of(request), spec)
    addresses = Addresses(request)
    return Answer(documents.facets(addresses, addresses.of_representations(medias), spec), _("Facets"))


# --- Records --------------------------------------------------------------------------------------------


@resource(links.GEOJSON, links.JSON)
def items(request: HttpRequest, medias: Medias, spec: str) -> Answer:
    """Return a page of the records of a collection."""
    given = _given(request, (*parameters.OF_ITEMS, languages.PARAMETER, PROFILE))
    viewer, addresses = viewers.of(request), Addresses(request)
    found = _collection(viewer, spec)
    asked = parameters.read(given, spec, viewer)
    search = Search(asked.query)
    is_page = _form_of(medias) == "html"
    with search.bounded():
        page = search.page(min(asked.limit, MOST_OF_PAGE) if is_page else asked.limit, asked.cursor)
        count, distribution = _count(search, asked.query, found), _facets(search, asked)
    made = _features(page.keys, spec, addresses, languages.asked(request))
    body = {
        "type": "FeatureCollection",
        **_counted(count),
        "numberReturned": len(made),
        **distribution,
        **_notes(page),
        "features": made,
        "links": _links_of_page(addresses, medias, spec, page),
    }
    rest = {name: part for name, part in body.items() if name != "features"}
    context = {
        "tree": as_html(rest) if is_page else "",
        "items": [(each, _excerpt(each), as_html(each)) for each in made] if is_page else [],
        "next": addresses.other(cursor=page.next) if page.next else "",
    }
    return Answer(body, _("Records"), "catalogue/ogcapi/items.html", context, profile=links.RECORD_PROFILE)


def _excerpt(record: dict[str, Any]) -> str:
    return as_html(Truncator(record["properties"].get("description", "")).chars(EXCERPT_CHARACTERS))


def _form_of(medias: Medias) -> str:
    return next(iter(medias))


def _features(keys: list[int], spec: str, addresses: Addresses, wanted: tuple[str, ...]) -> list[dict[str, Any]]:
    """Read the records of a page, in its order. What was withdrawn meanwhile is left out."""
    rows = readable.by_key(Record.objects.select_related("description").defer("provenance"), keys)
    found = [rows[key] for key in keys if key in rows and rows[key].payload is not None]
    return [features.of(record, spec, addresses, wanted) for record in found]


def _count(search: Search, query: Query, of: MetadataSet) -> Count:
    """Count the hits; of a whole set by its figures."""
    if query == Query(conditions.All((conditions.InSet(of.spec),)), query.order, ANYBODY):
        return Count(stats.live_by_set().get(of.pk, 0))
    return search.count()


def _counted(count: Count) -> dict[str, int]:
    return {"numberMatched" if count.is_exact else "numberMatchedEstimate": count.number}


def _facets(search: Search, asked: Asked) -> dict[str, Any]:
    if not asked.facets:
        return {}
    found = search.facets([FACETS[name] for name in asked.facets])
    return {
        "facets": {
            name: {
                "type": "term",
                "property": name,
                "isExact": found.is_exact,
                "buckets": [{"value": value, "count": number} for value, number in found.values[FACETS[name]]],
            }
            for name in asked.facets
        }
    }


def _notes(page: Page) -> dict[str, list[str]]:
    notes = [_NOTES[code].format(word=word) for code, word in page.notes if code in _NOTES]
    return {"notes": notes} if notes else {}


def _links_of_page(addresses: Addresses, medias: Medias, spec: str, page: Page) -> list[Link]:
    made = addresses.of_representations(medias)
    if page.next:
        made.append(link("next", addresses.other(cursor=page.next), medias[_form_of(medias)], "The next page"))
    return [
        *made,
        link("collection", addresses.collection(spec), links.CATALOG, "The collection"),
        link("profile", links.RECORD_PROFILE),
    ]


@resource(links.GEOJSON, links.JSON)
def item(request: HttpRequest, medias: Medias, spec: str, identifier: str) -> Answer:
    """Return one record of a collection."""
    _given(request, (languages.PARAMETER, PROFILE))
    viewer, addresses = viewers.of(request), Addresses(request)
    _collection(viewer, spec)
    identifier = identifier.replace("\0", "")
    condition = conditions.All((conditions.Among((identifier,)), conditions.InSet(spec)))
    keys = Search(Query(condition, viewer=viewer)).page(1).keys
    live = Record.objects.select_related("description").defer("provenance").filter(pk__in=keys, deleted=False)
    record = readable.first(live)
    if record is None:
        raise _missing(identifier, spec, viewer)
    own = addresses.of_representations(medias)
    made = features.of(record, spec, addresses, languages.asked(request), own)
    language = made["properties"].get("language", {}).get("code", "en")
    return Answer(made, _("Record"), "catalogue/ogcapi/item.html", {"record": made}, language, links.RECORD_PROFILE)


def _missing(identifier: str, spec: str, viewer: Viewer) -> Problem:
    withdrawn = viewer.records().filter(pk__in=Record.objects.named(identifier), deleted=True)
    if spec == oai.CATALOGUE_SET and withdrawn.exists():
        return Problem(problems.GONE, _("The record “{value}” has been withdrawn."), value=identifier)
    return Problem(
        problems.NOT_FOUND,
        _(
            "The collection {spec} has no record “{value}”: /ogcapi/collections/{spec}/items?q=… finds records by words."
        ),
        spec=spec,
        value=identifier,
    )


@resource(links.JSON)
def nowhere(_request: HttpRequest, _medias: Medias, path: str) -> Answer:
    """Say that there is nothing at an address below `/ogcapi/`."""
    raise Problem(problems.NOT_FOUND, _("There is nothing at /ogcapi/{path}: /ogcapi/ says what there is."), path=path)
