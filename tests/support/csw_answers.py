"""Ask a node by CSW 2.0.2, and read its answers, each checked against the standard's schema."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from lxml import etree

from catalogue.pages import interfaces

CSW, GMD = "http://www.opengis.net/cat/csw/2.0.2", "http://www.isotc211.org/2005/gmd"
NS = {
    "csw": CSW,
    "gmd": GMD,
    "dc": "http://purl.org/dc/elements/1.1/",
    "dct": "http://purl.org/dc/terms/",
    "gco": "http://www.isotc211.org/2005/gco",
    "gml": "http://www.opengis.net/gml",
    "ogc": "http://www.opengis.net/ogc",
    "ows": "http://www.opengis.net/ows",
}
DECLARED = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NS.items())
needs_packages = pytest.mark.skipif(
    not interfaces.has_packages(interfaces.CSW), reason="the extra csw is not installed (requirements-csw.txt)"
)


@functools.cache
def _schema() -> etree.XMLSchema:
    """The schemas that pycsw brings: those of the OGC, with all that they import beside them."""
    spec = find_spec("pycsw")
    assert spec is not None and spec.origin is not None
    file = Path(spec.origin).parent / "core" / "schemas" / "ogc" / "csw" / "2.0.2" / "CSW-discovery.xsd"
    return etree.XMLSchema(etree.parse(file, etree.XMLParser(no_network=True)))


@dataclass(frozen=True, slots=True)
class CswAnswer:
    """An answer; `records`: the elements of its records."""

    root: etree._Element
    records: list[etree._Element]

    def texts(self, path: str) -> list[str]:
        return [str(found if isinstance(found, str) else found.text or "") for found in self.root.xpath(path, namespaces=NS)]  # fmt: skip

    @property
    def codes(self) -> list[str]:
        """The codes of an ExceptionReport."""
        return self.texts("/ows:ExceptionReport/ows:Exception/@exceptionCode")

    @property
    def identifiers(self) -> list[str]:
        paths = "dc:identifier | gmd:fileIdentifier/*"
        return [found.text.strip() for each in self.records for found in each.xpath(paths, namespaces=NS)]

    @property
    def matched(self) -> int:
        return int(self.texts("csw:SearchResults/@numberOfRecordsMatched")[0])

    @property
    def returned(self) -> int:
        return int(self.texts("csw:SearchResults/@numberOfRecordsReturned")[0])

    @property
    def following(self) -> int:
        return int(self.texts("csw:SearchResults/@nextRecord")[0])


def read(body: bytes) -> CswAnswer:
    """Read an answer. Fails if it is not valid."""
    root = etree.fromstring(body)
    records = list(root.xpath("csw:SearchResults/* | self::csw:GetRecordByIdResponse/*", namespaces=NS))
    for each in records:
        # Of ISO 19139, whose GML has the namespace of another one in these schemas: the node sends what it has stored.
        if etree.QName(each).namespace != CSW:
            each.getparent().remove(each)
    assert etree.QName(root).localname == "ExceptionReport" or root.nsmap.get("csw") == CSW
    _schema().assertValid(root)
    return CswAnswer(root, records)


def get_records(
    constraint: str = "", *, start: int = 1, most: int = 100, elements: str = "brief", schema: str = CSW, sort: str = "", result: str = "results"
) -> str:  # fmt: skip
    """Return a GetRecords in XML, with the inside of its csw:Constraint."""
    limited = f'<csw:Constraint version="1.1.0">{constraint}</csw:Constraint>' if constraint else ""
    return (
        f'<csw:GetRecords {DECLARED} service="CSW" version="2.0.2" resultType="{result}" startPosition="{start}" maxRecords="{most}"'
        f' outputSchema="{schema}"><csw:Query typeNames="csw:Record"><csw:ElementSetName>{elements}</csw:ElementSetName>'
        f"{limited}{sort}</csw:Query></csw:GetRecords>"
    )


def envelope(west: float, south: float, east: float, north: float, attributes: str = "") -> str:
    return (
        f"<gml:Envelope{attributes}><gml:lowerCorner>{west} {south}</gml:lowerCorner>"
        f"<gml:upperCorner>{east} {north}</gml:upperCorner></gml:Envelope>"
    )


def comparison(name: str, prop: str, literals: Iterable[str], attributes: str = "") -> str:
    inside = "".join(f"<ogc:Literal>{literal}</ogc:Literal>" for literal in literals)
    return f"<ogc:{name}{attributes}><ogc:PropertyName>{prop}</ogc:PropertyName>{inside}</ogc:{name}>"
