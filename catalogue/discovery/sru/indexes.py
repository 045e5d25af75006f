"""The indexes that a query in CQL may name, by context set, and what each is in the query layer."""

from dataclasses import dataclass
from typing import Literal, cast

from catalogue.reading.query.conditions import CompareField, IsField, TextField
from catalogue.reading.query.search import Order

# all: every record; anywhere: words of any text; words: of one field; value: whole values of one; identifier; instant; box;
# time: of the data; set.
Kind = Literal["all", "anywhere", "words", "value", "identifier", "instant", "box", "time", "set"]

CONTEXT_SETS = {
    "cql": "info:srw/cql-context-set/1/cql-v1.2",
    "dc": "info:srw/cql-context-set/1/dc-v1.1",
    "rec": "info:srw/cql-context-set/2/rec-1.1",
    "wis": "urn:x-gisc-catalogue-node:cql-context-set:wis:1",  # ours
}
ALIASES = {
    "info:srw/cql-context-set/1/cql-v1.1": "cql",
    "info:srw/cql-context-set/2/rec-1.0": "rec",
    "http://purl.org/dc/elements/1.1/": "dc",
}


@dataclass(frozen=True, slots=True)
class Index:
    """An index. `field`: its name in the query layer; `facet`: the facet whose values scan lists; `order`: what it sorts by."""

    kind: Kind
    title: str
    field: str = ""
    facet: str = ""
    order: Order | None = None

    @property
    def words_field(self) -> TextField:
        return cast(TextField, self.field)

    @property
    def value_field(self) -> IsField:
        return cast(IsField, self.field)

    @property
    def compare_field(self) -> CompareField:
        return cast(CompareField, self.field)

    @property
    def is_scanned(self) -> bool:
        return bool(self.facet) or self.kind == "identifier"


_ANYWHERE = Index("anywhere", "Any text of the record")
_IDENTIFIER = Index("identifier", "Identifier of the metadata", "id", order="id")
_ORGANISATION = Index("words", "Words of an organisation that the record names", "organisation")
_CHANGED = Index("instant", "Last change in this catalogue", "updated", order="updated")

# By name in lower case. The first name of an index is the one that explain gives with its title.
INDEXES = {
    "cql.allrecords": Index("all", "All records: cql.allRecords = 1"),
    "cql.serverchoice": _ANYWHERE,
    "cql.anywhere": _ANYWHERE,
    "cql.anyindexes": _ANYWHERE,
    "cql.keywords": _ANYWHERE,
    "dc.title": Index("words", "Words of the title", "title"),
    "dc.subject": Index("words", "Words of keywords and WMO categories", "subject"),
    "dc.description": Index("words", "Words of the abstract", "abstract"),
    "dc.creator": _ORGANISATION,
    "dc.publisher": _ORGANISATION,
    "dc.contributor": _ORGANISATION,
    "dc.type": Index("value", "Kind of resource (hierarchy level)", "type", facet="type"),
    "dc.language": Index("value", "Language of the metadata, as it is written there", "language", facet="language"),
    "dc.rights": Index("value", "WMO data policy", "policy", facet="policy"),
    "dc.identifier": _IDENTIFIER,
    "rec.identifier": _IDENTIFIER,
    "rec.creationdate": Index("instant", "Date of the metadata (gmd:dateStamp)", "created"),
    "rec.lastmodificationdate": _CHANGED,
    "wis.keyword": Index("value", "A whole keyword", "keyword", facet="keyword"),
    "wis.category": Index("value", "WMO category", "category", facet="category"),
    "wis.organisation": Index("value", "The whole name of an organisation", "organisation", facet="organisation"),
    "wis.centre": Index("value", "The organisation that answers for the metadata", "centre", facet="centre"),
    "wis.policy": Index("value", "WMO data policy", "policy", facet="policy"),
    "wis.set": Index("set", "setSpec of OAI-PMH", facet="set"),
    "wis.box": Index("box", "Bounding box of the data: west south east north, in degrees"),
    "wis.time": Index("time", "Time of the data: a date, or begin/end"),
}
# As they are written in explain.
SPELLED = {
    "cql.allrecords": "allRecords",
    "cql.serverchoice": "serverChoice",
    "cql.anyindexes": "anyIndexes",
    "rec.creationdate": "creationDate",
    "rec.lastmodificationdate": "lastModificationDate",
}


def spelled(name: str) -> str:
    """Return the name of an index without its context set, as the standard writes it."""
    return SPELLED.get(name, name.partition(".")[2])
