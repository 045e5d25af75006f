"""The resources beside the records: landing page, conformance, collections, what can be asked of them. In English: for programs."""

from typing import Any

from django.conf import settings

from catalogue import oai
from catalogue.discovery.ogcapi import links, parameters
from catalogue.discovery.ogcapi.links import Addresses, Link, link
from catalogue.discovery.ogcapi.properties import FACETS, QUERYABLES, SORTABLES, Property
from catalogue.models import MetadataSet
from catalogue.reading import lists, stats
from catalogue.reading.viewers import Viewer

_FEATURES = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf"
_FILTER = "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf"
_RECORDS = "http://www.opengis.net/spec/ogcapi-records-1/1.0/conf"
_CQL2 = "http://www.opengis.net/spec/cql2/1.0/conf"
# docs/ogcapi.md names the tests that show each of them.
CONFORMANCE = (
    *(f"{_FEATURES}/{name}" for name in ("core", "oas30", "geojson", "html")),
    *(f"{_RECORDS}/{name}" for name in ("record-core", "record-collection", "record-core-query-parameters", "records-api")),
    *(f"{_RECORDS}/{name}" for name in ("searchable-catalog", "searchable-catalog-sorting", "searchable-catalog-filtering")),
    *(f"{_RECORDS}/{name}" for name in ("sorting", "json", "html", "oas30", "autodiscovery", "query-param-profile")),
    *(f"{_FILTER}/{name}" for name in ("queryables", "filter", "features-filter")),
    *(f"{_CQL2}/{name}" for name in ("cql2-text", "cql2-json", "basic-cql2")),
    *(f"{_CQL2}/{name}" for name in ("advanced-comparison-operators", "basic-spatial-functions")),
)  # fmt: skip
_SCHEMA = "https://json-schema.org/draft/2019-09/schema"


def landing(addresses: Addresses, own: list[Link]) -> dict[str, Any]:
    """Return the landing page."""
    home = addresses.home
    whole = addresses.collection(oai.CATALOGUE_SET)
    return {
        "title": settings.GISC_REPOSITORY_NAME,
        "description": "Records of the metadata catalogue of a GISC of the WMO Information System, by OGC API - Records.",
        "links": [
            *own,
            link("service-desc", f"{home}openapi?f=json", links.OPENAPI, "The OpenAPI document"),
            link("service-doc", f"{home}openapi?f=html", links.HTML, "The OpenAPI document for people"),
            link("conformance", f"{home}conformance", links.JSON, "What this interface conforms to"),
            link(links.CONFORMANCE_REL, f"{home}conformance", links.JSON, "What this interface conforms to"),
            link("data", f"{home}collections", links.JSON, "The collections of records"),
            link(links.DATA_REL, f"{home}collections", links.JSON, "The collections of records"),
            link(links.CATALOG_REL, f"{whole}/items", links.GEOJSON, "The records of the whole catalogue"),
            link("search", addresses.page("search"), links.HTML, "Search for people"),
            link("related", f"{addresses.root}/oai?verb=Identify", "text/xml", "The same records by OAI-PMH"),
        ],
    }


def conformance(_addresses: Addresses, own: list[Link]) -> dict[str, Any]:
    """Return the conformance classes."""
    return {"conformsTo": list(CONFORMANCE), "links": own}


def collections(addresses: Addresses, own: list[Link], viewer: Viewer) -> dict[str, Any]:
    """Return all collections: the whole catalogue, and one for each set that is to be seen."""
    figures = stats.by_set(with_hidden=viewer.is_signed_in)
    sets = sorted(viewer.sets(), key=lists.order_of_set)
    return {
        "collections": [collection(item, figures.get(item.spec, {}), addresses) for item in sets],
        "links": own,
    }


def collection(
    item: MetadataSet, figures: dict[str, Any], addresses: Addresses, own: list[Link] | None = None
) -> dict[str, Any]:
    """Return one collection. `own`: its links to itself, where it is a document of its own."""
    spec = item.spec
    here = addresses.collection(spec)
    made = {
        "id": spec,
        "type": "Collection",
        "itemType": "record",
        "title": item.name or spec,
        "description": item.description or f"The records of the set {spec} of OAI-PMH.",
        "updated": figures.get("newest"),
        "crs": [parameters.CRS84],
        "defaultSortOrder": [
            {"field": "relevance", "direction": "desc"},
            {"field": "updated", "direction": "desc"},
        ],
        "links": [
            *(own or [link("self", here, links.CATALOG, "This collection")]),
            link("items", f"{here}/items", links.GEOJSON, "The records"),
            link("items", f"{here}/items?f=html", links.HTML, "The records as HTML"),
            link(links.QUERYABLES_REL, f"{here}/queryables", links.SCHEMA, "What a filter may ask for"),
            link(links.SORTABLES_REL, f"{here}/sortables", links.SCHEMA, "What records are sorted by"),
            link("related", f"{here}/facets", links.JSON, "What hits can be counted by"),
            link("root", addresses.home, links.JSON, "The landing page"),
            link("parent", f"{addresses.home}collections", links.JSON, "All collections"),
            link("profile", links.CATALOG_PROFILE),
        ],
    }
    return {name: value for name, value in made.items() if value is not None}


def queryables(addresses: Addresses) -> dict[str, Any]:
    """Return the properties that a filter may ask for, as a JSON Schema."""
    return _schema(addresses, "Queryables", QUERYABLES)


def sortables(addresses: Addresses) -> dict[str, Any]:
    """Return the properties that records are sorted by, as a JSON Schema."""
    return _schema(addresses, "Sortables", SORTABLES)


def _schema(addresses: Addresses, title: str, properties: dict[str, Property]) -> dict[str, Any]:
    return {
        "$schema": _SCHEMA,
        "$id": addresses.own_without_query,
        "type": "object",
        "title": title,
        "properties": {name: _schema_of(found) for name, found in properties.items()},
        "additionalProperties": False,
    }


def _schema_of(found: Property) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "text": {"type": "string"},
        "instant": {"type": "string", "format": "date-time"},
        "list": {"type": "array", "items": {"type": "string"}},
        "geometry": {"format": "geometry-any"},
        "interval": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 2,
            "maxItems": 2,
            "x-ogc-role": "primary-interval",
        },
    }
    made = {"title": found.title, "description": found.description, **kinds[found.kind]}
    return {name: value for name, value in made.items() if value != ""}


def facets(_addresses: Addresses, own: list[Link], spec: str) -> dict[str, Any]:
    """Return what hits can be counted by."""
    return {
        "id": spec,
        "facets": {name: {"type": "term", "property": name, "title": QUERYABLES[name].title} for name in FACETS},
        "links": own,
    }
