"""The OpenAPI document (version 3.0) of this interface: every path, parameter and answer. In English: for programs."""

from typing import Any

from django.conf import settings

from catalogue.discovery.ogcapi import cql, languages, links, parameters, problems
from catalogue.discovery.ogcapi.links import Addresses
from catalogue.discovery.ogcapi.properties import FACETS, QUERYABLES

VERSION = "1.0.0"  # of this interface
_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_INSTANT = {"type": "string", "format": "date-time"}
Node = dict[str, Any]


def document(addresses: Addresses) -> Node:
    """Return the document."""
    return {
        "openapi": "3.0.3",
        "info": {
            "title": settings.GISC_REPOSITORY_NAME,
            "description": "The records of this catalogue by OGC API - Records (OGC 20-004r1).",
            "version": VERSION,
            "contact": {"email": settings.GISC_ADMIN_EMAIL},
        },
        "servers": [{"url": addresses.home.rstrip("/")}],
        "tags": [
            {"name": "interface", "description": "What this interface is and has."},
            {"name": "records", "description": "Collections of records, and the records."},
        ],
        "paths": _paths(),
        "components": {"schemas": _schemas(), "parameters": _parameters(), "responses": _responses()},
    }


# --- Paths ----------------------------------------------------------------------------------------------


def _paths() -> Node:
    one = ["collectionId"]
    return {
        "/": _get("interface", "getLandingPage", "The landing page", "LandingPage", links.JSON),
        "/conformance": _get("interface", "getConformance", "The conformance classes", "Conformance", links.JSON),
        "/openapi": _get("interface", "getOpenapi", "This document", "Any", links.OPENAPI),
        "/collections": _get("records", "getCollections", "All collections", "Collections", links.JSON),
        "/collections/{collectionId}": _get(
            "records", "getCollection", "One collection", "Collection", links.CATALOG, [*one, "profile"], also=links.JSON
        ),
        "/collections/{collectionId}/queryables": _get(
            "records", "getQueryables", "What a filter may ask for", "Schema", links.SCHEMA, one
        ),
        "/collections/{collectionId}/sortables": _get(
            "records", "getSortables", "What records are sorted by", "Schema", links.SCHEMA, one
        ),
        "/collections/{collectionId}/facets": _get(
            "records", "getFacets", "What hits can be counted by", "Facets", links.JSON, one
        ),
        "/collections/{collectionId}/items": _get(
            "records", "getRecords", "Records of a collection: all, or those that are asked for", "Records", links.GEOJSON,
            [*one, *parameters.OF_ITEMS, languages.PARAMETER, "profile"], also=links.JSON,
        ),
        "/collections/{collectionId}/items/{recordId}": _get(
            "records", "getRecord", "One record", "Record", links.GEOJSON,
            [*one, "recordId", languages.PARAMETER, "profile"], also=links.JSON,
        ),
    }  # fmt: skip


def _get(
    tag: str, operation: str, summary: str, schema: str, media: str, names: list[str] | None = None, *, also: str = ""
) -> Node:
    """Return a path with the operation GET. `also`: another media type of the same answer."""
    names = names or []
    content = {each: {"schema": _ref("schemas", schema)} for each in (media, also) if each}
    refused = ["400", "406", "503"]
    if "collectionId" in names:
        refused.append("404")
    if "recordId" in names:
        refused.append("410")
    return {
        "get": {
            "tags": [tag],
            "operationId": operation,
            "summary": summary,
            "parameters": [_ref("parameters", name) for name in [*names, "f"]],
            "responses": {
                "200": {"description": summary, "content": content | {links.HTML: {"schema": _TEXT}}},
                "304": {"description": "Not changed: If-None-Match has the ETag of the answer"},
                **{status: _ref("responses", status) for status in sorted(refused)},
            },
        }
    }


def _ref(kind: str, name: str) -> Node:
    return {"$ref": f"#/components/{kind}/{name}"}


def _responses() -> Node:
    problem = {"schema": _ref("schemas", "Problem")}
    plain = {"schema": _TEXT}
    made: Node = {
        str(status): {"description": title, "content": {links.PROBLEM: problem, links.HTML: plain}}
        for status, title in problems.TITLES.items()
    }
    made["503"]["content"]["text/plain"] = plain
    return made


# --- Parameters -----------------------------------------------------------------------------------------


def _parameters() -> Node:
    limits = cql.LIMITS.in_force
    query = {
        "f": _one(
            "How the answer is written; it goes before the header Accept.", {"type": "string", "enum": ["json", "html"]}
        ),
        "q": _many(
            "Search terms, with commas between alternatives. Words with space between them stand so, next to one another, in a"
            " text of the record. One word finds its other forms, the words that it begins and the identifiers that it"
            " begins."
        ),
        "bbox": _many(
            "west,south,east,north in degrees; with heights, which are not compared, six numbers. west > east crosses the date"
            " line. A record is found if one of its boxes has a point in common with this one.",
            {"type": "number"},
            oneOf=[{"minItems": 4, "maxItems": 4}, {"minItems": 6, "maxItems": 6}],
        ),
        "datetime": _one(
            "A date, a date with a time, or an interval of them (RFC 3339), open by `..`: the time of the data has an instant in"
            " common with it."
        ),
        "ids": _many("Identifiers of records."),
        "externalIds": _many(
            f"Identifiers from outside, each `value`, `scheme:value` or `scheme:`; the schemes are"
            f" {parameters.FILE_IDENTIFIER} and {parameters.OAI_IDENTIFIER}."
        ),
        "type": _many("Kinds of resources, such as dataset.", {"type": "string", "maxLength": 64}),
        "limit": _one(
            f"The most records of a page; more than {parameters.MOST_RECORDS} are {parameters.MOST_RECORDS}.",
            {"type": "integer", "minimum": 1, "default": parameters.DEFAULT_LIMIT},
        ),
        "sortby": _many(
            "What records are sorted by: one of `sortables`, with - descending.",
            {"type": "string", "enum": list(parameters.ORDERS)},
            minItems=1,
            maxItems=1,
        ),
        "cursor": _one("Where a page begins: only from the link `next` of the page before."),
        "facets": _many("Count the hits by these facets.", {"type": "string", "enum": list(FACETS)}),
        "filter": _one(
            f"A condition in CQL2, of at most {limits.characters} characters, with at most {limits.brackets} brackets within one"
            " another.",
            {"type": "string", "maxLength": limits.characters},
        ),
        "filter-lang": _one(
            "The encoding of the filter.", {"type": "string", "enum": list(cql.LANGUAGES), "default": cql.TEXT}
        ),
        "filter-crs": _one(
            "The reference system of the filter.",
            {"type": "string", "format": "uri", "enum": [parameters.CRS84], "default": parameters.CRS84},
        ),
        "profile": _many("Profiles that are asked for; others than the interface has are passed over."),
        languages.PARAMETER: _one("Languages of the texts, best first, as in Accept-Language, before which it goes."),
        **{
            name: _many(
                f"{QUERYABLES[name].title}: any of these values, exactly. {QUERYABLES[name].description}".strip()
            )
            for name in parameters.OF_PROPERTIES
        },
    }
    made: Node = {name: {"name": name, "in": "query", "required": False, **rest} for name, rest in query.items()}
    for name, what in (("collectionId", "The id of a collection: its setSpec."), ("recordId", "The id of a record.")):
        made[name] = {"name": name, "in": "path", "required": True, "description": what, "schema": _TEXT}
    return made


def _one(description: str, schema: Node | None = None) -> Node:
    return {"description": description, "schema": schema or _TEXT}


def _many(description: str, items: Node | None = None, **others: Any) -> Node:
    schema = {"type": "array", "items": items or _TEXT, **others}
    return {"description": description, "style": "form", "explode": False, "schema": schema}


# --- Schemas --------------------------------------------------------------------------------------------


def _object(required: list[str], **properties: Node) -> Node:
    made: Node = {"type": "object", "properties": properties}
    return made | ({"required": required} if required else {})


def _list(items: Node, **others: Any) -> Node:
    return {"type": "array", "items": items, **others}


def _schemas() -> Node:
    its_links = _list(_ref("schemas", "Link"))
    facet = _object(
        ["type", "property", "buckets", "isExact"],
        type={"type": "string", "enum": ["term"]},
        property=_TEXT,
        isExact={"type": "boolean"},
        buckets=_list(_object(["value", "count"], value=_TEXT, count={"type": "integer", "minimum": 0})),
    )
    return {
        "Any": {"type": "object"},
        "Problem": _object(
            ["title", "status", "detail"], type=_TEXT, title=_TEXT, status={"type": "integer"}, detail=_TEXT
        ),
        "Link": _object(
            ["href", "rel"], href=_TEXT, rel=_TEXT, type=_TEXT, title=_TEXT, hreflang=_TEXT, protocol=_TEXT
        ),
        "LandingPage": _object(["links"], title=_TEXT, description=_TEXT, links=its_links),
        "Conformance": _object(["conformsTo"], conformsTo=_TEXTS, links=its_links),
        "Collections": _object(
            ["links", "collections"], links=its_links, collections=_list(_ref("schemas", "Collection"))
        ),
        "Collection": _object(
            ["id", "type", "itemType", "links"],
            id=_TEXT,
            type={"type": "string", "enum": ["Collection"]},
            itemType={"type": "string", "enum": ["record"]},
            title=_TEXT,
            description=_TEXT,
            updated=_INSTANT,
            crs=_TEXTS,
            defaultSortOrder=_list(
                _object(["field", "direction"], field=_TEXT, direction={"type": "string", "enum": ["asc", "desc"]})
            ),
            links=its_links,
        ),
        "Schema": _object(
            ["$schema", "$id", "type", "properties"],
            **{"$schema": _TEXT, "$id": _TEXT, "type": _TEXT, "properties": {"type": "object"}},
        ),
        "Facets": _object(
            ["facets"],
            id=_TEXT,
            facets={
                "type": "object",
                "additionalProperties": _object(["type", "property"], type=_TEXT, property=_TEXT),
            },
            links=its_links,
        ),
        "Records": _object(
            ["type", "features", "links", "numberReturned"],
            type={"type": "string", "enum": ["FeatureCollection"]},
            features=_list(_ref("schemas", "Record")),
            links=its_links,
            numberMatched={"type": "integer", "minimum": 0, "description": "Not there if it is not known exactly."},
            numberMatchedEstimate={"type": "integer", "minimum": 0, "description": "There if numberMatched is not."},
            numberReturned={"type": "integer", "minimum": 0},
            facets={"type": "object", "additionalProperties": facet},
            notes=_TEXTS,
        ),
        "Record": _object(
            ["id", "type", "geometry", "time", "properties", "links"],
            id=_TEXT,
            type={"type": "string", "enum": ["Feature"]},
            geometry=_ref("schemas", "Geometry"),
            time=_ref("schemas", "Time"),
            properties=_ref("schemas", "Properties"),
            links=its_links,
        ),
        "Geometry": _object(
            ["type", "coordinates"],
            type={"type": "string", "enum": ["Polygon", "MultiPolygon"]},
            coordinates=_list(_list({}), minItems=1),
        )
        | {"nullable": True},
        "Time": _object([], timestamp=_INSTANT, interval=_list(_TEXT, minItems=2, maxItems=2)) | {"nullable": True},
        "Language": _object(["code"], code=_TEXT, name=_TEXT, alternate=_TEXT, dir=_TEXT),
        "Properties": _properties(),
    }


def _properties() -> Node:
    language = _ref("schemas", "Language")
    contact = _object(
        [],
        name=_TEXT,
        position=_TEXT,
        organization=_TEXT,
        emails=_list(_object(["value"], value=_TEXT)),
        roles=_list(_TEXT, minItems=1),
    ) | {"anyOf": [{"required": ["name"]}, {"required": ["organization"]}]}
    theme = _object(["concepts", "scheme"], scheme=_TEXT, concepts=_list(_object(["id"], id=_TEXT), minItems=1))
    texts = (
        *("organisations", "categories", "accessConstraints", "useConstraints", "lineage", "resolutions"),
        *("updateFrequencies", "status", "dataIdentifiers", "keywords"),
    )
    plain = ("type", "title", "description", "license", "rights", "dataPolicy", "centre", "purpose", "parentIdentifier")
    return _object(
        ["title", "updated", "externalIds"],
        **dict.fromkeys(plain, _TEXT),
        **dict.fromkeys(texts, _TEXTS),
        created=_INSTANT,
        updated=_INSTANT,
        language=language,
        languages=_list(language),
        themes=_list(theme, minItems=1),
        formats=_list(_object(["name"], name=_TEXT)),
        contacts=_list(contact),
        externalIds=_list(_object(["value"], scheme=_TEXT, value=_TEXT)),
        dates=_list(_object(["event", "date"], event=_TEXT, date=_TEXT)),
    )
