"""Links of OGC API - Records: relations, media types, and the addresses of this interface."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from django.http import HttpRequest
from django.urls import reverse

JSON, GEOJSON, HTML = "application/json", "application/geo+json", "text/html"
CATALOG, SCHEMA, PROBLEM = "application/ogc-catalog+json", "application/schema+json", "application/problem+json"
OPENAPI = "application/vnd.oai.openapi+json;version=3.0"
RECORD_PROFILE = "http://www.opengis.net/def/profile/OGC/0/ogc-record"
CATALOG_PROFILE = "http://www.opengis.net/def/profile/OGC/0/ogc-catalog"
CONFORMANCE_REL = "http://www.opengis.net/def/rel/ogc/1.0/conformance"
CATALOG_REL = "http://www.opengis.net/def/rel/ogc/1.0/ogc-catalog"
QUERYABLES_REL = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
SORTABLES_REL = "http://www.opengis.net/def/rel/ogc/1.0/sortables"
DATA_REL = "http://www.opengis.net/def/rel/ogc/1.0/data"

Link = dict[str, Any]


def link(rel: str, href: str, media: str = "", title: str = "", **others: Any) -> Link:
    """Return a link, without what is empty."""
    members = {"rel": rel, "href": href, "type": media, "title": title, **others}
    return {name: value for name, value in members.items() if value}


class Addresses:
    """Makes addresses of this interface, in full, as the client reaches it."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        self.root = request.build_absolute_uri("/")[:-1]
        self.home = self.root + reverse("catalogue:ogcapi")

    @property
    def own(self) -> str:
        """The address of the request."""
        return self._request.build_absolute_uri()

    @property
    def own_without_query(self) -> str:
        return self._request.build_absolute_uri(self._request.path)

    def page(self, name: str, *values: str) -> str:
        """Return the address of a page of the node."""
        return self.root + reverse(f"catalogue:{name}", args=values)

    def other(self, **changes: str) -> str:
        """Return the address of the request with other values of these parameters; an empty one is left out."""
        arguments = self._request.GET.dict() | changes
        query = urlencode({name: value for name, value in arguments.items() if value or name not in changes})
        return f"{self.own_without_query}?{query}" if query else self.own_without_query

    def collection(self, spec: str, part: str = "") -> str:
        return f"{self.home}collections/{quote(spec, safe='')}{f'/{part}' if part else ''}"

    def item(self, spec: str, identifier: str) -> str:
        return self.collection(spec, f"items/{quote(identifier, safe='')}")

    def of_representations(self, medias: Mapping[str, str]) -> list[Link]:
        """Return `self`, which is the first, and `alternate`: this resource in each media type, by the values of `f`."""
        chosen = next(iter(medias))
        made = [link("self", self.own, medias[chosen], "This document")]
        titles = {"json": "This document as JSON", "html": "This document as HTML"}
        return made + [
            link("alternate", self.other(f=form), media, titles[form])
            for form, media in medias.items()
            if form != chosen
        ]
