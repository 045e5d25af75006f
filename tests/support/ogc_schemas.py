"""The published schemas of OGC API - Records, where they are at hand (GISC_SHARED)."""

from functools import cache
from typing import Any

import yaml
from openapi_schema_validator import OAS30Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4

from tests.support.paths import shared

_DOCUMENT = "standards/ogcapi-records/core/openapi/ogcapi-records-1-example-all-in-one.yaml"


@cache
def _registry() -> Registry:
    contents = _mended(yaml.safe_load(shared(_DOCUMENT).read_text(encoding="utf-8")))
    # A record may be without a place (7.2, 7.9.2.2; RFC 7946, 3.2); the schema of features, which has to hold as well, forgets it.
    of_features = contents["components"]["schemas"]["featureGeoJSON"]["properties"]
    of_features["geometry"] = {"anyOf": [{"enum": [None]}, of_features["geometry"]]}
    return Registry().with_resource("urn:ogc", DRAFT4.create_resource(contents))


def _mended(node: Any) -> Any:
    """Replace "any object or null, or else this schema, but not both", which nothing can fulfil that fulfils the schema: the
    standard's own example of a record does not. It means: null, or this schema."""
    if isinstance(node, list):
        return [_mended(part) for part in node]
    if not isinstance(node, dict):
        return node
    made = {name: _mended(part) for name, part in node.items()}
    choices = made.get("oneOf", [])
    if {"type": "object", "nullable": True} in choices:
        made["anyOf"] = [{"enum": [None]}, *(choice for choice in choices if "nullable" not in choice)]
        del made["oneOf"]
    return made


def faults(name: str, value: Any) -> list[str]:
    """What is wrong with a value by the schema of this name. Skips the test where the schemas are absent."""
    validator = OAS30Validator({"$ref": f"urn:ogc#/components/schemas/{name}"}, registry=_registry())
    return [f"{'/'.join(map(str, fault.path))}: {fault.message[:300]}" for fault in validator.iter_errors(value)]
