"""The properties that a filter of CSW may name, and what each is in the query layer."""

from dataclasses import dataclass
from typing import Literal, cast

from catalogue.discovery.csw.reports import INVALID, Refused
from catalogue.reading.query.conditions import CompareField, IsField, TextField

# anywhere: words of any text; text: compared as it stands; value: a text that has an index; several: a record has several
# values, of which words are found; instant; begin, end: of the time of the data; box.
Kind = Literal["anywhere", "text", "value", "several", "instant", "begin", "end", "box"]


@dataclass(frozen=True, slots=True)
class Queryable:
    """A property. `fields`: its names in the query layer; `words`: the field whose words are found; `facet`: its values for GetDomain."""

    kind: Kind
    names: tuple[str, ...]
    meaning: str
    fields: tuple[str, ...] = ()
    words: str = ""

    @property
    def compared(self) -> CompareField:
        return cast(CompareField, self.fields[0])

    @property
    def listed(self) -> tuple[IsField, ...]:
        return cast(tuple[IsField, ...], self.fields)

    @property
    def words_field(self) -> TextField:
        return cast(TextField, self.words)

    @property
    def facets(self) -> tuple[str, ...]:
        return self.fields if self.kind in ("value", "several") else ()


ALL = (
    Queryable("anywhere", ("csw:AnyText", "apiso:AnyText"), "any text of the record: words; or its identifier"),
    Queryable("text", ("dc:identifier", "apiso:Identifier"), "identifier of the metadata (gmd:fileIdentifier)", ("id",)),
    Queryable("text", ("dc:title", "apiso:Title"), "title", ("title",)),
    Queryable("text", ("dct:abstract", "apiso:Abstract"), "abstract", ("abstract",)),
    Queryable("value", ("dc:type", "apiso:Type"), "kind of resource (hierarchy level)", ("type",)),
    Queryable("value", ("dc:language", "apiso:Language"), "language of the metadata, as it is written there", ("language",)),
    Queryable("value", ("dc:rights",), "WMO data policy", ("policy",)),
    Queryable("several", ("dc:subject", "apiso:Subject"), "a keyword or WMO category", ("keyword", "category"), "subject"),
    Queryable(
        "several",
        ("dc:creator", "dc:publisher", "dc:contributor", "apiso:OrganisationName"),
        "an organisation that the record names",
        ("organisation",),
        "organisation",
    ),
    Queryable("instant", ("dct:modified", "apiso:Modified"), "date of the metadata (gmd:dateStamp)", ("created",)),
    Queryable("begin", ("apiso:TempExtent_begin",), "begin of the time of the data"),
    Queryable("end", ("apiso:TempExtent_end",), "end of the time of the data"),
    Queryable("box", ("ows:BoundingBox", "apiso:BoundingBox"), "the bounding boxes of the data"),
)  # fmt: skip
BY_NAME = {name: each for each in ALL for name in each.names}
# Without a prefix and in any case, as many clients write them; the first one has it.
_BY_SHORT_NAME = {name.partition(":")[2].lower(): each for name, each in reversed(BY_NAME.items())}
IDENTIFIER = BY_NAME["dc:identifier"]


def find(name: str, locator: str = "constraint") -> Queryable:
    """Return a queryable by its name, with a prefix or without. Raises Refused."""
    name = name.strip().rpartition("/")[2]
    found = BY_NAME.get(name) or _BY_SHORT_NAME.get(name.rpartition(":")[2].lower())
    if found is None:
        raise Refused(INVALID, locator, f"{name} is no queryable; GetCapabilities lists them")
    return found
