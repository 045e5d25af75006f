"""Read a request of CSW 2.0.2, as parameters of an address or as XML: both become the parameters that pycsw is given.

Only those that are known go on. The rest, such as pycsw's own `config` and `mode`, is passed over, as the standard wants it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, QueryDict
from lxml import etree

from catalogue import oai
from catalogue.discovery.csw import filters, queryables
from catalogue.discovery.csw.reports import INVALID, MISSING, NO_CODE, OPERATION, OPTION, VERSION, Refused
from catalogue.documents import xml_tree
from catalogue.limits import Replaceable
from catalogue.reading.query import conditions
from catalogue.reading.query.conditions import Condition
from catalogue.reading.query.search import Order

CSW_NS, OGC_NS, OWS_NS = "http://www.opengis.net/cat/csw/2.0.2", filters.OGC_NS, "http://www.opengis.net/ows"
CSW, GMD = CSW_NS, oai.GMD_NS  # output schemas
_COMMON = ("service", "version")
KNOWN = {
    "GetCapabilities": ("acceptversions", "sections"),
    "DescribeRecord": ("typename", "outputformat", "schemalanguage"),
    "GetDomain": ("propertyname", "parametername"),
    "GetRecords": (
        *("typenames", "elementsetname", "elementname", "outputschema", "outputformat", "resulttype", "startposition"),
        *("maxrecords", "constraintlanguage", "constraint", "sortby", "requestid", "responsehandler"),
    ),
    "GetRecordById": ("id", "elementsetname", "outputschema", "outputformat"),
}
_TYPES = {"Record": "csw:Record", "MD_Metadata": "gmd:MD_Metadata"}
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_NAMES = 20  # of a GetDomain, chosen
# What goes out again as an xs:anyURI: names of properties and parameters, an identifier of a request.
_PLAIN = re.compile(r"[\w:/.,@+*=-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How large a request may be, and how much it may ask for (chosen). A page is found by counting, so it reads the ids of all before it."""

    bytes: int = 64 * 1024
    identifiers: int = 100
    records: int = 100
    position: int = 100_000


LIMITS = Replaceable(RequestLimits())


@dataclass(frozen=True, slots=True)
class Asked:
    """A request. `parameters`: for pycsw; `names`: the properties whose values GetDomain lists."""

    operation: str
    parameters: dict[str, str]
    condition: Condition = field(default_factory=conditions.All)
    order: Order = "relevance"
    start: int = 1
    most: int = 0
    schema: str = CSW
    identifiers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether records go out with all of their elements."""
        return self.parameters.get("elementsetname") == "full"


@dataclass(slots=True)
class _Given:
    """The parameters by their names in lower case, and what XML has in elements of its own."""

    parameters: dict[str, str]
    identifiers: Sequence[str] = ()
    constraint: etree._Element | None = None


def read(request: HttpRequest) -> Asked:
    """Read a request. Raises Refused."""
    given = _given(request)
    parameters = given.parameters
    operation = parameters.get("request", "")
    if operation not in KNOWN:
        if operation in ("Transaction", "Harvest"):
            raise Refused(OPERATION, "request", f"this catalogue has no {operation}: it is only read")
        _needed(parameters, "request")
        raise Refused(INVALID, "request", f"the operations are {', '.join(KNOWN)}")
    _check_service(parameters, operation)
    known = {name: parameters[name] for name in KNOWN[operation] if parameters.get(name)}
    known |= {"service": "CSW", "version": "2.0.2", "request": operation}
    for name in ("propertyname", "parametername", "requestid"):
        if not _PLAIN.fullmatch(known.get(name, "")):
            raise Refused(INVALID, name, "it has characters that no name has")
    match operation:
        case "GetRecords":
            return _get_records(known, given)
        case "GetRecordById":
            return _get_record_by_id(known, given)
        case "GetDomain":
            names = tuple(filter(None, known.get("propertyname", "").split(",")))
            if len(names) + known.get("parametername", "").count(",") > _NAMES:
                raise Refused(INVALID, "propertyname", f"a GetDomain asks for at most {_NAMES} names")
            return Asked(operation, known, names=names)
        case "DescribeRecord" if known.get("typename"):
            known["typename"] = ",".join(map(_type, known["typename"].split(",")))
    known.pop("acceptversions", None)
    return Asked(operation, known)


def _needed(parameters: Mapping[str, str], name: str) -> str:
    if not parameters.get(name):
        raise Refused(MISSING, name, f"the parameter {name} is missing")
    return parameters[name]


def _check_service(parameters: Mapping[str, str], operation: str) -> None:
    if _needed(parameters, "service") != "CSW":
        raise Refused(INVALID, "service", "this is a service CSW")
    if operation == "GetCapabilities":
        accepted = parameters.get("acceptversions") or parameters.get("version") or "2.0.2"
        if "2.0.2" not in (each.strip() for each in accepted.split(",")):
            raise Refused(VERSION, "acceptVersions", "the version is 2.0.2")
    elif _needed(parameters, "version") != "2.0.2":
        raise Refused(INVALID, "version", "the version is 2.0.2")


# --- Encodings ------------------------------------------------------------------------------------------


def _given(request: HttpRequest) -> _Given:
    if int(request.META.get("CONTENT_LENGTH") or 0) > LIMITS.in_force.bytes:
        raise Refused(NO_CODE, "", f"a request has at most {LIMITS.in_force.bytes} bytes")
    try:
        if request.method != "POST":
            return _Given(_of_query(request.GET))
        if request.content_type == "application/x-www-form-urlencoded":
            return _Given(_of_query(request.POST))
        return _of_xml(request.body)
    except SuspiciousOperation as exc:
        raise Refused(NO_CODE, "", "the request has too many parameters") from exc


def _of_query(arguments: QueryDict) -> dict[str, str]:
    """Return the parameters, whose names have no case. A request without any asks what there is."""
    found: dict[str, str] = {}
    for name, texts in arguments.lists():
        if name.lower() in found or len(texts) > 1:
            raise Refused(INVALID, name, "the parameter is given twice")
        found[name.lower()] = oai.NOT_XML.sub("\ufffd", str(texts[0]))  # which goes out again in answers
    return found or {"service": "CSW", "request": "GetCapabilities"}


def parse(document: bytes, locator: str) -> etree._Element:
    """Parse XML that somebody sent: without a DOCTYPE, and so without entities. Raises Refused."""
    try:
        text = xml_tree.to_utf8(document)
        if xml_tree.has_doctype(text):
            raise Refused(NO_CODE, locator, "the XML has a DOCTYPE")
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
        )
        return etree.fromstring(text, parser)
    except (etree.XMLSyntaxError, xml_tree.Unusable, ValueError) as exc:
        raise Refused(NO_CODE, locator, f"the XML is not well-formed: {exc}") from exc


def _of_xml(document: bytes) -> _Given:
    root = parse(document, "")
    name = etree.QName(root)
    if name.namespace != CSW_NS:
        raise Refused(INVALID, "request", f"the root element is one of {', '.join(KNOWN)} in {CSW_NS}")
    found = {str(key).lower(): str(value) for key, value in root.attrib.items()} | {"request": name.localname}
    given = _Given(found)

    def texts(path: str) -> list[str]:
        elements = root.iterfind(path, {"csw": CSW_NS, "ows": OWS_NS, "ogc": OGC_NS})
        return [(each.text or "").strip() for each in elements]

    found["acceptversions"] = ",".join(texts("ows:AcceptVersions/ows:Version"))
    found["sections"] = ",".join(texts("ows:Sections/ows:Section"))
    found["typename"] = ",".join(texts("csw:TypeName"))
    found["propertyname"], found["parametername"] = ",".join(texts("csw:PropertyName")), ",".join(texts("csw:ParameterName"))  # fmt: skip
    found["elementsetname"] = ",".join(texts("csw:ElementSetName") + texts("csw:Query/csw:ElementSetName"))
    found["elementname"] = ",".join(texts("csw:Query/csw:ElementName"))
    found["responsehandler"] = ",".join(texts("csw:ResponseHandler"))
    found["sortby"] = ",".join(
        f"{(each.findtext(f'{{{OGC_NS}}}PropertyName') or '').strip()}:{(each.findtext(f'{{{OGC_NS}}}SortOrder') or 'A').strip()[:1]}"
        for each in root.iterfind("csw:Query/ogc:SortBy/ogc:SortProperty", {"csw": CSW_NS, "ogc": OGC_NS})
    )
    query, given.identifiers = root.find(f"{{{CSW_NS}}}Query"), texts("csw:Id")
    if name.localname == "GetRecords":
        if query is None:
            raise Refused(MISSING, "Query", "a GetRecords has a csw:Query")
        found["typenames"] = ",".join((query.get("typeNames") or "").split())
        given.constraint = query.find(f"{{{CSW_NS}}}Constraint")
    return given


# --- GetRecords, GetRecordById --------------------------------------------------------------------------


def _get_records(known: dict[str, str], given: _Given) -> Asked:
    for name in ("responsehandler", "elementname"):
        if known.pop(name, None):
            raise Refused(
                OPTION, name, f"this catalogue has no {name}: ask for an elementSetName, and wait for the answer"
            )
    for each in _needed(known, "typenames").split(","):
        _type(each)
    limits = LIMITS.in_force
    start = _number(known, "startposition", 1, least=1)
    most = min(_number(known, "maxrecords", 10, least=0), limits.records)
    if start - 1 + most > limits.position:
        sentence = f"records are told up to position {limits.position}; narrow the filter, or harvest by OAI-PMH"
        raise Refused(INVALID, "startPosition", sentence)
    condition, order = _constraint(known, given), _order(known.pop("sortby", ""))
    known.pop("constraint", None), known.pop("constraintlanguage", None)
    known["resulttype"] = known.get("resulttype", "hits")
    known |= {"typenames": "csw:Record", "startposition": str(start), "maxrecords": str(most)}
    schema = _shape(known)
    return Asked("GetRecords", known, condition, order, start, most if known["resulttype"] == "results" else 0, schema)


def _get_record_by_id(known: dict[str, str], given: _Given) -> Asked:
    identifiers = tuple(filter(None, given.identifiers or known.get("id", "").split(",")))
    if not identifiers:
        raise Refused(MISSING, "id", "the parameter id is missing")
    if len(identifiers) > LIMITS.in_force.identifiers:
        raise Refused(INVALID, "id", f"a request has at most {LIMITS.in_force.identifiers} identifiers")
    known["id"] = "asked"  # pycsw only wants to see one
    return Asked("GetRecordById", known, schema=_shape(known), identifiers=identifiers)


def _shape(known: dict[str, str]) -> str:
    """Return the output schema. Records of ISO 19139 go out as they are stored: a part of one is no valid record."""
    schema = known.setdefault("outputschema", CSW)
    known.setdefault("elementsetname", "summary")
    if schema == GMD and known["elementsetname"] in ("brief", "summary"):
        known["elementsetname"] = "full"
    return schema


def _type(name: str) -> str:
    """Return the name of a type with the prefix that pycsw knows, whatever the request's own is."""
    found = _TYPES.get(re.split("[:}]", name.strip())[-1])
    if found is None:
        raise Refused(INVALID, "typeNames", f"the types are {' and '.join(_TYPES.values())}")
    return found


def _number(known: Mapping[str, str], name: str, usual: int, *, least: int) -> int:
    text = known.get(name, str(usual))
    if not _WHOLE_NUMBER.fullmatch(text) or int(text) < least:
        raise Refused(INVALID, name, f"it has to be a whole number from {least} on")
    return int(text)


def _order(text: str) -> Order:
    if not text:
        return "relevance"
    name, _colon, direction = text.rpartition(":")
    if "," in text or queryables.find(name, "sortBy") is not queryables.IDENTIFIER or direction not in ("A", "D"):
        raise Refused(INVALID, "sortBy", "records are sorted by dc:identifier:A or dc:identifier:D")
    return "id" if direction == "A" else "-id"


def _constraint(known: Mapping[str, str], given: _Given) -> Condition:
    if given.constraint is not None:
        parts = list(given.constraint)
        if len(parts) != 1:
            raise Refused(INVALID, "constraint", "a csw:Constraint has one ogc:Filter or one csw:CqlText")
        if parts[0].tag == f"{{{CSW_NS}}}CqlText":
            return filters.of_text(parts[0].text or "")
        return filters.of_element(parts[0])
    if "constraint" not in known:
        return conditions.All()
    language = _needed(known, "constraintlanguage")
    if language == "CQL_TEXT":
        return filters.of_text(known["constraint"])
    if language != "FILTER":
        raise Refused(INVALID, "constraintLanguage", "the languages are CQL_TEXT and FILTER")
    return filters.of_element(parse(known["constraint"].encode(errors="replace"), "constraint"))
