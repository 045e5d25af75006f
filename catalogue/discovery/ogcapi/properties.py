"""The properties of records that can be asked for: in filters (CQL2), as query parameters, as facets, to sort by."""

from dataclasses import dataclass
from typing import Literal, cast

from catalogue.reading.query.conditions import CompareField, IsField

Kind = Literal["text", "instant", "list", "geometry", "interval"]


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a record. `field`: its name in `conditions`; `is_parameter`: a query parameter of its own asks for it."""

    kind: Kind
    title: str
    field: str = ""
    description: str = ""
    is_parameter: bool = False

    @property
    def compared(self) -> CompareField:
        return cast(CompareField, self.field)

    @property
    def listed(self) -> IsField:
        return cast(IsField, self.field)


QUERYABLES = {
    "id": Property("text", "Identifier", "id", "The gmd:fileIdentifier of the metadata."),
    "type": Property("text", "Kind of resource", "type", "The code of the hierarchy level, such as dataset or series."),
    "title": Property("text", "Title", "title"),
    "description": Property("text", "Description", "abstract"),
    "language": Property(
        "text",
        "Language",
        "language",
        "The language of the metadata. =, <> and IN find it by its tag, such as fr, however gmd:language is written there (fre, French);"
        " LIKE, < and > compare with what is written.",
    ),
    "dataPolicy": Property(
        "text", "WMO data policy", "policy", "A term of the WMO_DataLicenseCode list.", is_parameter=True
    ),
    "centre": Property(
        "text", "Centre", "centre", "The organisation that answers for the metadata.", is_parameter=True
    ),
    "organisations": Property("list", "Organisations", "organisation", is_parameter=True),
    "keywords": Property("list", "Keywords", "keyword", is_parameter=True),
    "categories": Property("list", "WMO categories", "category", "Terms of WMO_CategoryCode.", is_parameter=True),
    "created": Property("instant", "Date of the metadata", "created", "gmd:dateStamp, which the author writes."),
    "updated": Property("instant", "Last change", "updated", "When the record last changed in this catalogue."),
    "geometry": Property("geometry", "Geometry", description="The bounding boxes of the data."),
    "time": Property("interval", "Time of the data"),
}
FACETS = {
    "type": "type",
    "language": "language_tag",
    "dataPolicy": "policy",
    "centre": "centre",
    "organisations": "organisation",
    "keywords": "keyword",
    "categories": "category",
}
SORTABLES = {
    "updated": QUERYABLES["updated"],
    "id": QUERYABLES["id"],
    "relevance": Property(
        "text",
        "Relevance",
        description="How well a record has the words of q: those in its identifier first, then title, keywords, any text."
        " Only descending: sortby=-relevance. It is the default order; equals are sorted by the last change, the newest first.",
    ),
}
