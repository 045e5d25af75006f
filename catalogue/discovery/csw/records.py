"""Find the records of a request, and what pycsw asks of each. What everybody may see, and nothing else."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from catalogue import datestamps
from catalogue.discovery.csw import queryables
from catalogue.discovery.csw.parameters import GMD, Asked
from catalogue.documents import details, xml_tree
from catalogue.documents.details import RecordDetails
from catalogue.documents.web_addresses import may_be_followed
from catalogue.models import Description, Record
from catalogue.payloads import payload, readable
from catalogue.reading.query import conditions
from catalogue.reading.query.search import Query, Search

MOST_VALUES = 100  # of a property that GetDomain lists: those that most records have (chosen)
_URI = re.compile(r"[\w:/.#-]*", re.ASCII)
_CREATORS = ("originator", "author", "principalInvestigator")


class _Several(str):
    """Texts, for pycsw, which wants one text with commas and divides it: the parts themselves may have commas."""

    parts: list[Any]

    @classmethod
    def of(cls, parts: Iterable[Any]) -> "_Several | None":
        made = cls(" ")
        made.parts = list(parts)
        return made if made.parts else None

    def split(self, *_: Any, **__: Any) -> list[Any]:
        return self.parts


@dataclass(slots=True)
class Entry:
    """A record as pycsw reads it, by the names of its core model. `stored`: to be put in the place of `xml`."""

    identifier: str
    xml: str = ""
    stored: bytes = b""
    boxes: Sequence[Sequence[float]] = ()
    typename: str = "csw:Record"
    schema: str = GMD
    title: str = ""
    type: str = ""
    keywords: _Several | None = None
    topicategory: str | None = None
    format: str | None = None
    links: _Several | None = None
    relation: str | None = None
    date_modified: str | None = None
    abstract: str | None = None
    date: str | None = None
    creator: str | None = None
    publisher: str | None = None
    contributor: str | None = None
    language: str | None = None
    accessconstraints: str | None = None
    wkt_geometry: None = None  # of pycsw's one box; `server` writes all


@dataclass(slots=True)
class Found:
    """What a request has found. `following`: the position of the next record, 0: there is none; `values`: by property."""

    number: int = 0
    following: int = 0
    entries: list[Entry] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)


def find(asked: Asked) -> Found:
    """Find what a request asks for. Raises QueryTooCostly."""
    match asked.operation:
        case "GetRecords" if asked.parameters["resulttype"] in ("hits", "results"):
            return _page(asked)
        case "GetRecordById":
            search = Search(Query(conditions.Among(asked.identifiers), "id"))
            # One identifier may be that of the metadata of one record, and of another one for OAI-PMH.
            return Found(entries=_entries(search.page(2 * len(asked.identifiers)).keys, asked))
        case "GetDomain":
            return Found(values={name: _values(name) for name in asked.names})
    return Found()


def _page(asked: Asked) -> Found:
    search = Search(Query(asked.condition, asked.order))
    wanted = asked.start - 1 + max(asked.most, 1)
    with search.bounded():
        page = search.page(wanted)
        # What a page without a following one has shown is all.
        number = len(page.keys) if not page.next and len(page.keys) < wanted else search.count().number
    keys = page.keys[asked.start - 1 :][: asked.most]
    end = asked.start - 1 + len(keys)
    has_more = bool(page.next) or end < len(page.keys)
    return Found(number, end + 1 if has_more else 0, _entries(keys, asked))


def _values(name: str) -> list[str]:
    """Return the values of a property; none for what is no property, or has too many."""
    found = queryables.BY_NAME.get(name)
    if found is None or not found.facets:
        return []
    counted = Search(Query()).facets(found.facets, MOST_VALUES).values
    return sorted({value for facet in found.facets for value, _number in counted[facet] if value.strip()})


def _entries(keys: Sequence[int], asked: Asked) -> list[Entry]:
    """Read the records of a page, in its order, without those that were withdrawn meanwhile or cannot be read."""
    rows = readable.by_key(Record.objects.select_related("description").defer("description__terms"), keys)
    live = [rows[key] for key in keys if key in rows and rows[key].payload is not None]
    read = ((row, payload.unpack_or_log(row.payload, identifier=row.identifier)) for row in live if row.payload is not None)  # fmt: skip
    make = _stored if asked.schema == GMD else _described
    return [make(row, content, asked) for row, content in read if content is not None]


def _stored(record: Record, content: bytes, _asked: Asked) -> Entry:
    return Entry(record.identifier, stored=xml_tree.to_splice(content), typename="gmd:MD_Metadata")


def _described(record: Record, content: bytes, asked: Asked) -> Entry:
    text = getattr(record, "description", None) or Description()
    made = Entry(record.identifier, boxes=text.boxes, title=text.title or record.identifier, type=text.kind)
    if asked.parameters["elementsetname"] == "brief":
        return made
    said = _details(content)
    made.keywords = _Several.of((*text.keywords, *text.categories, *said.topics))
    made.format = next(iter(said.formats), None)
    made.abstract = text.abstract
    made.date_modified = datestamps.write(record.metadata_date) if record.metadata_date else None
    if asked.is_whole:
        made.links = _Several.of(
            _Several.of((each.name, "", _as_uri(each.protocol), each.url))
            for each in said.links
            if may_be_followed(each.url)
        )
        made.relation, made.language = said.parent or None, text.language or None
        made.date = next((each.date for each in said.dates), None)
        made.accessconstraints = text.policy or None
        roles = {party.role: party.organisation for party in reversed(said.parties)}
        made.creator = next((roles[role] for role in _CREATORS if roles.get(role)), None) or next(iter(text.organisations), None)  # fmt: skip
        made.publisher, made.contributor = roles.get("publisher"), roles.get("contributor")
    return made


def _details(content: bytes) -> RecordDetails:
    try:
        return details.read(content)
    except xml_tree.Unusable:
        return RecordDetails()


def _as_uri(protocol: str) -> str:
    """Return what a record says of a link's protocol as the URI that csw:Record wants."""
    return (protocol if _URI.fullmatch(protocol) else quote(protocol, safe="")) or "WWW:LINK"
