"""Describe a record as a dataset of GeoDCAT-AP 2: what portals for open data harvest. No Django.

Only what the record says is said; docs/dcat.md has the table of what becomes what. The description is made of the document alone, so a
record has the same one in OAI-PMH (`dcat_ap`) and at `/dcat/`, but for the addresses of this node that are added there.
"""

import logging
import re
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from catalogue import oai
from catalogue.documents import details, iso19139, languages, rdf, xml_tree
from catalogue.documents.details import RecordDetails
from catalogue.documents.iso19139 import Metadata, OnlineResource, Party
from catalogue.documents.rdf import Iri, Literal, Node, Value, literal
from catalogue.documents.web_addresses import may_be_followed

logger = logging.getLogger(__name__)

RDF_SCHEMA = "http://www.openarchives.org/OAI/2.0/rdf.xsd"  # what other repositories announce for RDF
REVISION = "1"  # raise it when this module gives something else of a record
Properties = Iterator[tuple[str, Value]]
_INSPIRE = "http://inspire.ec.europa.eu/metadata-codelist"
_EU = "http://publications.europa.eu/resource/authority"
# The themes of the European Union that a topic category of ISO 19115 belongs to. A record with a WMO category is of the environment.
_ENVIRONMENT = "ENVI"
_THEMES = {
    **dict.fromkeys(
        ("biota", "climatologyMeteorologyAtmosphere", "environment", "geoscientificInformation", "inlandWaters", "oceans"),
        _ENVIRONMENT,
    ),
    **dict.fromkeys(("boundaries", "location", "planningCadastre"), "REGI"),
    "farming": "AGRI", "economy": "ECON", "health": "HEAL", "society": "SOCI", "transportation": "TRAN",
}  # fmt: skip
_SERVICE = "service"
_RESOURCE_TYPES = ("dataset", "series", _SERVICE)
_DATES = {"creation": "dct:created", "publication": "dct:issued", "revision": "dct:modified"}
_FREQUENCIES = {
    "continual": "UPDATE_CONT", "daily": "DAILY", "weekly": "WEEKLY", "fortnightly": "BIWEEKLY", "monthly": "MONTHLY",
    "quarterly": "QUARTERLY", "biannually": "ANNUAL_2", "annually": "ANNUAL", "irregular": "IRREG", "unknown": "UNKNOWN",
}  # fmt: skip
_OTHER_FREQUENCIES = ("asNeeded", "notPlanned")
_CONTACT, _PUBLISHER, _OWNER = "pointOfContact", "publisher", "owner"
_CREATORS = ("author", "originator")
_ROLES = (
    "resourceProvider", "custodian", "user", "distributor", "principalInvestigator", "processor",
)  # fmt: skip
_TOPICS = frozenset(
    [
        "farming", "biota", "boundaries", "climatologyMeteorologyAtmosphere", "economy", "elevation", "environment",
        "geoscientificInformation", "health", "imageryBaseMapsEarthCover", "intelligenceMilitary", "inlandWaters", "location",
        "oceans", "planningCadastre", "society", "structure", "transportation", "utilitiesCommunication",
    ]
)  # fmt: skip
_EMAIL = re.compile(r"[\w.+'-]+@[\w-]+(\.[\w-]+)+", re.ASCII)
_DATE_TYPES = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"), "xsd:dateTime"),
    (re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"), "xsd:date"),
    (re.compile(r"\d{4}-(0[1-9]|1[0-2])"), "xsd:gYearMonth"),
    (re.compile(r"\d{4}"), "xsd:gYear"),
)
_METRES = re.compile(r"([0-9]+(?:\.[0-9]+)?) (m|metres?|meters?|km|kilometres?|kilometers?)", re.IGNORECASE)
_DOI = re.compile(r"(?:doi:|(?:https?://)?(?:dx\.)?doi\.org/)\s*(10\.\d{4,}/\S+)", re.IGNORECASE)
_UUID = re.compile(r"\{?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}?", re.IGNORECASE)


def to_rdf_xml(payload: bytes, identifier: str) -> bytes:
    """Describe a record as an `rdf:RDF` element (OAI format `dcat_ap`). Never fails: of what cannot be read, it gives the identifier."""
    try:
        node = dataset(payload)
    except xml_tree.Unusable:
        logger.exception("record cannot be described as a dataset", extra={"identifier": identifier})
        properties = (("dct:identifier", Literal(identifier)), ("dct:title", Literal(identifier)))
        node = Node(("dcat:Dataset",), properties, iri_of_record(identifier))
    return rdf.to_xml([node], RDF_SCHEMA)


def source() -> bytes:
    """Return what the content of the records depends on: when it changes, the datestamps of the format rise (P93).

    The sample records, as they are described: a change that none of them shows needs another REVISION.
    """
    samples = sorted((Path(__file__).parent.parent / "samples").rglob("*.xml"))
    return REVISION.encode() + b"".join(to_rdf_xml(sample.read_bytes(), sample.name) for sample in samples)


def iri_of_record(identifier: str) -> str:
    """Return the address of the dataset by its identifier, the same at every node; empty where it is no absolute URI."""
    named = _UUID.fullmatch(identifier)
    return f"urn:uuid:{uuid.UUID(named[1])}" if named else rdf.iri_of(oai.oai_identifier(identifier))


def dataset(payload: bytes, *, page: str = "") -> Node:
    """Describe a record as a `dcat:Dataset`, or a `dcat:DataService`. Raises xml_tree.Unusable.

    `page`: the address of its page at this node, which is its own where its identifier is no URI.
    """
    fields, said = iso19139.read(payload), details.read(payload)
    is_service = fields.kind == _SERVICE
    properties = (
        *_texts(fields, said),
        *_subjects(fields, said),
        *_extents(fields, said),
        *_dates(said),
        *_parties(said),
        *_rights(fields, said),
        *_further(fields, said),
        *([("dcat:landingPage", Node(("foaf:Document",), (), page))] if page else []),
        *(_endpoints(said) if is_service else _distributions(said)),
    )
    return Node(
        ("dcat:DataService" if is_service else "dcat:Dataset",), properties, iri_of_record(fields.identifier) or page
    )


def _texts(fields: Metadata, said: RecordDetails) -> Properties:
    tag = languages.language_tag(fields.language)
    yield "dct:identifier", Literal(fields.identifier)
    yield "dct:title", literal(fields.title or fields.identifier, tag)
    yield "dct:description", literal(fields.abstract or fields.title or fields.identifier, tag)
    for name, texts in (("dct:title", said.titles), ("dct:description", said.abstracts)):
        for language, text in (texts or {}).items():
            if (other := languages.language_tag(language)) not in (tag, "und"):
                yield name, literal(text, other)
    if code := languages.authority_code(fields.language):
        yield "dct:language", Node(("dct:LinguisticSystem",), (), f"{_EU}/language/{code}")
    for keyword in (*fields.keywords, *fields.categories):
        yield "dcat:keyword", literal(keyword, tag)


def _subjects(fields: Metadata, said: RecordDetails) -> Properties:
    themes = [_THEMES[topic] for topic in said.topics if topic in _THEMES]
    for theme in dict.fromkeys([*themes, *([_ENVIRONMENT] if fields.categories else [])]):
        yield "dcat:theme", Node(("skos:Concept",), (), f"{_EU}/data-theme/{theme}")
    for topic in said.topics:
        if topic in _TOPICS:
            yield "dct:subject", Node(("skos:Concept",), (), f"{_INSPIRE}/TopicCategory/{topic}")
    if fields.kind in _RESOURCE_TYPES:
        yield "dct:type", Node(("skos:Concept",), (), f"{_INSPIRE}/ResourceType/{fields.kind}")


def _extents(fields: Metadata, said: RecordDetails) -> Properties:
    for box in fields.boxes:
        wkt = Literal(_wkt(box), datatype="gsp:wktLiteral")
        yield "dct:spatial", Node(("dct:Location",), (("dcat:bbox", wkt), ("locn:geometry", wkt)))
    ends = [
        (name, Literal(_instant(instant), datatype="xsd:dateTime"))
        for name, instant in (("dcat:startDate", fields.begins), ("dcat:endDate", fields.ends))
        if instant is not None
    ]
    if ends:
        yield "dct:temporal", Node(("dct:PeriodOfTime",), tuple(ends))
    for resolution in said.resolutions:
        if found := _METRES.fullmatch(resolution):
            times = 1000 if found[2].lower().startswith("k") else 1
            metres = f"{float(found[1]) * times:f}".rstrip("0").rstrip(".")
            yield "dcat:spatialResolutionInMeters", Literal(metres, datatype="xsd:decimal")


def _wkt(box: tuple[float, float, float, float]) -> str:
    """Write a box as a polygon; one that crosses the date line as two."""
    west, south, east, north = box
    parts = [(west, east)] if west <= east else [(west, 180.0), (-180.0, east)]
    rings = [
        f"(({left:g} {south:g},{right:g} {south:g},{right:g} {north:g},{left:g} {north:g},{left:g} {south:g}))"
        for left, right in parts
    ]
    return f"POLYGON{rings[0]}" if len(rings) == 1 else f"MULTIPOLYGON({','.join(rings)})"


def _dates(said: RecordDetails) -> Properties:
    given = set()
    for each in said.dates:
        name = _DATES.get(each.kind)
        datatype = next((datatype for form, datatype in _DATE_TYPES if form.fullmatch(each.date)), "")
        if name and datatype and name not in given:  # at most one of each
            given.add(name)
            yield name, Literal(each.date, datatype=datatype)


def _parties(said: RecordDetails) -> Properties:
    has_publisher = False
    for party in said.parties:
        if not (party.organisation or party.person or party.position):
            continue
        match party.role:
            case role if role == _CONTACT:
                yield "dcat:contactPoint", _card(party)
            case role if role == _PUBLISHER and not has_publisher:  # at most one
                has_publisher = True
                yield "dct:publisher", _agent(party)
            case role if role in _CREATORS:
                yield "dct:creator", _agent(party)
            case role if role == _OWNER:
                yield "dct:rightsHolder", _agent(party)
            case role if role in _ROLES:
                had = Node(("dcat:Role",), (), f"{_INSPIRE}/ResponsiblePartyRole/{role}")
                attribution = (("prov:agent", _agent(party)), ("dcat:hadRole", had))
                yield "prov:qualifiedAttribution", Node(("prov:Attribution",), attribution)


def _agent(party: Party) -> Node:
    name = party.organisation or party.person or party.position
    return Node(("foaf:Agent", "prov:Agent"), (("foaf:name", Literal(name)), *_mail(party, "foaf:mbox")))


def _card(party: Party) -> Node:
    name = party.person or party.organisation or party.position
    kind = "vcard:Individual" if party.person else "vcard:Organization"
    organisation = [("vcard:organization-name", Literal(party.organisation))] if party.organisation else []
    return Node((kind, "vcard:Kind"), (("vcard:fn", Literal(name)), *organisation, *_mail(party, "vcard:hasEmail")))


def _mail(party: Party, name: str) -> Properties:
    if _EMAIL.fullmatch(party.email):
        yield name, Iri(f"mailto:{party.email}")


def _rights(fields: Metadata, said: RecordDetails) -> Properties:
    for code in said.constraints.access:
        yield "dct:accessRights", _statement(code)
    for text in (fields.policy, *said.constraints.limitations, *said.constraints.others):
        if text:
            yield "dct:rights", _statement(text)


def _statement(text: str) -> Node:
    return Node(("dct:RightsStatement",), (("rdfs:label", Literal(text)),))


def _further(fields: Metadata, said: RecordDetails) -> Properties:
    for text in said.lineage:
        yield "dct:provenance", Node(("dct:ProvenanceStatement",), (("rdfs:label", Literal(text)),))
    for code in said.frequencies:
        if code in _FREQUENCIES:
            yield "dct:accrualPeriodicity", Node(("dct:Frequency",), (), f"{_EU}/frequency/{_FREQUENCIES[code]}")
        elif code in _OTHER_FREQUENCIES:
            yield "dct:accrualPeriodicity", Node(("dct:Frequency",), (), f"{_INSPIRE}/MaintenanceFrequency/{code}")
    for identifier in said.identifiers:
        doi = _DOI.fullmatch(identifier)
        notation = f"https://doi.org/{doi[1]}" if doi else identifier
        yield "adms:identifier", Node(("adms:Identifier",), (("skos:notation", Literal(notation)),))
    if said.parent and (parent := iri_of_record(said.parent)) and said.parent != fields.identifier:
        yield "dct:isPartOf", Iri(parent)
    if fields.metadata_date is not None:
        stamp = Literal(_instant(fields.metadata_date), datatype="xsd:dateTime")
        yield "foaf:isPrimaryTopicOf", Node(("dcat:CatalogRecord",), (("dct:modified", stamp),))


def _instant(instant: datetime) -> str:
    return f"{instant.year:04}-{instant:%m-%dT%H:%M:%SZ}"


# --- Where the data are -------------------------------------------------------------------------------


def _links(said: RecordDetails) -> Iterator[tuple[OnlineResource, str]]:
    for link in said.links:
        if may_be_followed(link.url) and (address := rdf.iri_of(link.url)):
            yield link, address


def _distributions(said: RecordDetails) -> Properties:
    for link, address in _links(said):
        if link.function == "information":
            yield "foaf:page", Node(("foaf:Document",), tuple(_named(link)), address)
            continue
        is_file = link.function == "download" or "download" in link.protocol.lower()
        yield (
            "dcat:distribution",
            Node(
                ("dcat:Distribution",),
                (
                    ("dcat:accessURL", Iri(address)),
                    *([("dcat:downloadURL", Iri(address))] if is_file else []),
                    *_named(link),
                    *_licence(said),
                    *(("dct:format", _format(name)) for name in said.formats[:1]),
                    *(("dct:rights", _statement(text)) for text in said.constraints.limitations),
                ),
            ),
        )


def _endpoints(said: RecordDetails) -> Properties:
    for _link, address in _links(said):
        yield "dcat:endpointURL", Iri(address)
    yield from _licence(said)


def _named(link: OnlineResource) -> Properties:
    if link.name:
        yield "dct:title", Literal(link.name)
    if link.description:
        yield "dct:description", Literal(link.description)


def _licence(said: RecordDetails) -> Properties:
    """At most one: several are told as rights."""
    addresses = [rdf.iri_of(each) for each in said.constraints.licences if may_be_followed(each)]
    if len(addresses) == 1 and addresses[0]:
        yield "dct:license", Node(("dct:LicenseDocument",), (), addresses[0])


def _format(name: str) -> Node:
    return Node(("dct:MediaTypeOrExtent",), (("rdfs:label", Literal(name)),))
