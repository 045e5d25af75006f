"""Have pycsw write an answer: its server, configured anew for each request, over a repository of what was found.

pycsw is given parameters that were read here, and no XML, no SQL and no database: it decides about output schemas and element
sets, and writes. Each request has a server, a configuration and a model of its own, so nothing of one is in another, whichever
thread has it. It is never given what makes it ask other hosts (`ResponseHandler`, federated catalogues) or read files
(`config`, `pycsw.wsgi`); its other protocols are not reached. Its log lines are switched off (`gisc.settings`).
"""

import logging
import re
import warnings
from configparser import ConfigParser
from typing import Any

from django.conf import settings
from lxml import etree

from catalogue.discovery.csw import filters, queryables
from catalogue.discovery.csw.parameters import CSW, LIMITS, OWS_NS, Asked
from catalogue.discovery.csw.records import Entry, Found
from catalogue.discovery.csw.reports import NO_CODE

warnings.filterwarnings("ignore", message="pkg_resources is deprecated")
from pycsw import server  # noqa: E402 (after the filter of its warning)

logger = logging.getLogger(__name__)
_PLACE = re.compile(rb'<gisc-record number="(\d+)"/>')  # no text of a record is such: `<` is escaped there
_CRS = "urn:x-ogc:def:crs:EPSG:6.11:4326"  # latitude first
_CONTACT = (
    *("contact_name", "contact_position", "contact_phone", "contact_fax", "contact_address", "contact_city"),
    *("contact_stateorprovince", "contact_postalcode", "contact_country", "contact_hours", "contact_instructions"),
    *("identification_fees", "identification_accessconstraints"),
)
_CAPABILITIES = f"""
<ogc:Filter_Capabilities xmlns:ogc="{filters.OGC_NS}" xmlns:gml="{filters.GML_NS}">
  <ogc:Spatial_Capabilities>
    <ogc:GeometryOperands>{
    "".join(f"<ogc:GeometryOperand>gml:{name}</ogc:GeometryOperand>" for name in ("Envelope", "Point", "Polygon"))
}</ogc:GeometryOperands>
    <ogc:SpatialOperators><ogc:SpatialOperator name="BBOX"/><ogc:SpatialOperator name="Intersects"/></ogc:SpatialOperators>
  </ogc:Spatial_Capabilities>
  <ogc:Scalar_Capabilities>
    <ogc:LogicalOperators/>
    <ogc:ComparisonOperators>{
    "".join(
        f"<ogc:ComparisonOperator>{name}</ogc:ComparisonOperator>"
        for name in (
            *("LessThan", "GreaterThan", "LessThanEqualTo", "GreaterThanEqualTo", "EqualTo", "NotEqualTo", "Like"),
            *("Between", "NullCheck"),
        )
    )
}</ogc:ComparisonOperators>
  </ogc:Scalar_Capabilities>
  <ogc:Id_Capabilities><ogc:EID/><ogc:FID/></ogc:Id_Capabilities>
</ogc:Filter_Capabilities>
"""


def write(asked: Asked, found: Found, address: str) -> bytes:
    """Return the answer to a request, of a node that is at `address`."""
    return _Csw(asked, found, address).write()


class Repository:
    """What pycsw takes for its database (`repository.source`): the records that were found for its server."""

    dbtype, fts = "gisc", False

    def __init__(self, context: Any, _filter: Any = None) -> None:
        self._found: Found = context.server.found
        every: dict[str, Any] = {}
        for described in context.model["typenames"].values():
            for some in described["queryables"].values():
                every |= some
        groups: dict[str, Any] = {
            "SupportedDublinCoreQueryables": {name: every[name] for name in queryables.BY_NAME if "apiso:" not in name},
            "SupportedISOQueryables": {name: every[name] for name in queryables.BY_NAME if "apiso:" in name},
        }
        self.queryables = groups | {"_all": every | context.md_core_model["mappings"]}
        self._values = {every[name]["dbcol"]: values for name, values in self._found.values.items() if values}

    def query(self, *_: Any, **__: Any) -> list[Any]:
        return [str(self._found.number), self._found.entries]

    def query_ids(self, _identifiers: Any) -> list[Entry]:
        return self._found.entries

    def query_domain(self, name: str, *_: Any) -> list[tuple[str]]:
        """Return the values of a column. Raises KeyError, which pycsw takes for: they are not listed."""
        return [(value,) for value in self._values[name]]


class _Csw(server.Csw):
    """pycsw's server with the operations, types and schemas that this node has."""

    def __init__(self, asked: Asked, found: Found, address: str) -> None:
        self._asked, self.found = asked, found
        super().__init__(_configuration(address), {"QUERY_STRING": ""}, "2.0.2")
        self.outputschemas: dict[str, Any] = {}  # of Atom, DIF, FGDC, GM03
        model = self.context.model
        model["operations_order"].remove("GetRepositoryItem")
        del model["operations"]["GetRepositoryItem"], model["constraints"]["XPathQueryables"]
        model["constraints"]["PostEncoding"]["values"] = ["XML"]
        model["parameters"]["version"]["values"] = ["2.0.2"]
        for operation in model["operations"].values():
            if "outputFormat" in operation["parameters"]:
                operation["parameters"]["outputFormat"]["values"] = ["application/xml"]

    def write(self) -> bytes:
        for number, entry in enumerate(self.found.entries):
            entry.xml = f'<gisc-record number="{number}"/>'
        self.requesttype, self.request, self.kvp = "GET", self.config.get("server", "url"), dict(self._asked.parameters)
        answer: bytes = self.dispatch()
        return answer

    def _write_response(self) -> bytes:
        """Correct what pycsw knows less of, and put the stored records in their places, byte for byte."""
        root = self.response
        if self.exception:
            self._log(root)
        elif self._asked.operation == "GetCapabilities":
            _correct_capabilities(root)
        elif self._asked.operation in ("GetRecords", "GetRecordById"):
            self._correct_records(root)
        if self._asked.operation != "DescribeRecord":  # whose schemas have prefixes in values of attributes
            etree.cleanup_namespaces(root, keep_ns_prefixes=self.context.keep_ns_prefixes)
        written: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
        return _PLACE.sub(lambda place: self.found.entries[int(place[1])].stored, written)

    def _correct_records(self, root: etree._Element) -> None:
        results = root.find(f"{{{CSW}}}SearchResults") if self._asked.operation == "GetRecords" else root
        if results is None:
            return  # an Acknowledgement
        if results is not root:
            results.set("numberOfRecordsReturned", str(len(results)))
            results.set("nextRecord", str(self.found.following))
        if self._asked.schema == CSW:
            for element, entry in zip(results, self.found.entries, strict=True):
                for west, south, east, north in entry.boxes:
                    box = etree.SubElement(element, f"{{{OWS_NS}}}BoundingBox", crs=_CRS, dimensions="2")
                    etree.SubElement(box, f"{{{OWS_NS}}}LowerCorner").text = f"{south} {west}"
                    etree.SubElement(box, f"{{{OWS_NS}}}UpperCorner").text = f"{north} {east}"

    def _log(self, root: etree._Element) -> None:
        """Log what pycsw could not do: what is wrong with a request has other codes."""
        for exception in root.iter(f"{{{OWS_NS}}}Exception"):
            if exception.get("exceptionCode") == NO_CODE:
                logger.error(
                    "CSW answer not written", extra={"reason": exception.findtext(f"{{{OWS_NS}}}ExceptionText")}
                )


def _configuration(address: str) -> ConfigParser:
    made = ConfigParser(interpolation=None)
    made.read_dict(
        {
            "server": {
                "url": address,
                "language": "en",
                "encoding": "UTF-8",
                "maxrecords": str(LIMITS.in_force.records),
                "profiles": "apiso",
            },
            "repository": {"source": f"{__name__}.Repository"},
            "metadata:main": dict.fromkeys(_CONTACT, "")
            | {
                "identification_title": settings.GISC_REPOSITORY_NAME,
                "identification_abstract": "Discovery metadata of WIS, ISO 19139",
                "identification_keywords": "WIS,WMO,catalogue,discovery",
                "identification_keywords_type": "theme",
                "provider_name": settings.GISC_REPOSITORY_NAME,
                "provider_url": address,
                "contact_email": settings.GISC_ADMIN_EMAIL,
                "contact_url": address,
                "contact_role": "pointOfContact",
            },
        }
    )
    return made


def _correct_capabilities(root: etree._Element) -> None:
    """Leave out what is not said, and say which filters there are."""
    root.attrib.pop("updateSequence", "")
    for name in ("ServiceIdentification", "ServiceProvider"):
        for part in root.iterfind(f"{{{OWS_NS}}}{name}"):
            for element in reversed(list(part.iterdescendants())):
                parent = element.getparent()
                if parent is not None and not len(element) and not (element.text or "").strip() and not element.attrib:
                    parent.remove(element)
    own = etree.fromstring(_CAPABILITIES, etree.XMLParser(remove_blank_text=True))
    for theirs in root.findall(f"{{{filters.OGC_NS}}}Filter_Capabilities"):
        root.replace(theirs, own)
