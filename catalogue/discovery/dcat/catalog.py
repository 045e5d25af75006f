"""Describe this catalogue as a `dcat:Catalog`: who keeps it, by which interfaces it can be asked, one page of its records."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.conf import settings
from django.urls import reverse

from catalogue.discovery.outputs import record_address
from catalogue.documents import dcat, rdf, xml_tree
from catalogue.documents.rdf import Iri, Literal, Node
from catalogue.models import Record
from catalogue.pages import interfaces
from catalogue.payloads import payload

_OAI_PMH = "http://www.openarchives.org/OAI/openarchivesprotocol.html"
_OGC_API = "http://www.opengis.net/spec/ogcapi-records-1/1.0"
_SRU = "http://www.loc.gov/standards/sru/"
_CSW = "http://www.opengis.net/cat/csw/2.0.2"


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the catalogue. Addresses in full; `next`: empty after the last."""

    address: str
    first: str
    next: str
    size: int
    number: int
    is_exact: bool


def describe(root: str, records: Sequence[Record], page: Page) -> list[Node]:
    """Return the catalogue with these records, and where the next page is. `root`: the address of the start page, no slash after it."""
    catalog = Node(
        ("dcat:Catalog",),
        (
            ("dct:title", Literal(settings.GISC_REPOSITORY_NAME)),
            (
                "dct:description",
                rdf.literal("Discovery metadata of the WMO Information System: weather, climate, water, ocean.", "en"),
            ),
            ("dct:publisher", _publisher()),
            ("foaf:homepage", Node(("foaf:Document",), (), f"{root}/")),
            *(("dcat:service", service) for service in _services(root)),
            *(("dcat:dataset", node) for node in (dataset(record, root) for record in records) if node is not None),
        ),
        f"{root}{reverse('catalogue:dcat')}#catalog",
    )
    return [catalog, _paging(page)]


def dataset(record: Record, root: str) -> Node | None:
    """Return a live record as a dataset; none if its stored metadata cannot be read, which is logged."""
    content = payload.unpack_or_log(record.payload, identifier=record.identifier) if record.payload else None
    try:
        return None if content is None else dcat.dataset(content, page=root + record_address(record.identifier))
    except xml_tree.Unusable:
        return None


def _publisher() -> Node:
    mail = settings.GISC_ADMIN_EMAIL
    properties = [("foaf:name", Literal(settings.GISC_REPOSITORY_NAME))]
    return Node(
        ("foaf:Agent",), (*properties, *([("foaf:mbox", Iri(f"mailto:{quote(mail, safe='@+')}"))] if mail else []))
    )


def _services(root: str) -> list[Node]:
    found = [("OAI-PMH", reverse("oai"), _OAI_PMH)]
    if interfaces.is_offered(interfaces.OGC_API):
        found.append(("OGC API - Records", reverse("catalogue:ogcapi"), _OGC_API))
    if interfaces.is_offered(interfaces.SRU):
        found.append(("SRU", reverse("catalogue:sru"), _SRU))
    if interfaces.is_offered(interfaces.CSW):
        found.append(("CSW", reverse("catalogue:csw"), _CSW))
    return [
        Node(
            ("dcat:DataService",),
            (
                ("dct:title", Literal(f"{name}: {settings.GISC_REPOSITORY_NAME}")),
                ("dcat:endpointURL", Iri(root + path)),
                ("dct:conformsTo", Node(("dct:Standard",), (), standard)),
            ),
            f"{root}{path}#service",
        )
        for name, path, standard in found
    ]


def _paging(page: Page) -> Node:
    """The page in the words of Hydra, of 2014 too, which harvesters of portals know."""
    following = [("hydra:next", Iri(page.next)), ("hydra:nextPage", Iri(page.next))] if page.next else []
    total = [("hydra:totalItems", Literal(str(page.number), datatype="xsd:integer"))] if page.is_exact else []
    return Node(
        ("hydra:PagedCollection", "hydra:PartialCollectionView"),
        (
            *total,
            ("hydra:itemsPerPage", Literal(str(page.size), datatype="xsd:integer")),
            ("hydra:first", Iri(page.first)),
            ("hydra:firstPage", Iri(page.first)),
            *following,
        ),
        page.address,
    )
