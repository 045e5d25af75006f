"""CSW 2.0.2, operation by operation: valid by the standard's schema, what was asked for, and an ExceptionReport for what cannot be."""

import random
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from lxml import etree

from catalogue import bootstrap
from catalogue.models import Record
from catalogue.pages import interfaces
from catalogue.payloads import payload
from gisc import public_pages
from tests.support import csw_answers
from tests.support.csw_answers import (
    CSW,
    DECLARED,
    GMD,
    NS,
    CswAnswer,
    comparison,
    envelope,
    get_records,
    needs_packages,
)
from tests.support.nodes import environment
from tests.support.paths import ROOT
from tests.support.world import bury, iso_record, put

pytestmark = [pytest.mark.django_db, needs_packages]
Ask = Callable[..., CswAnswer]
TITLE = "Wind <at> 10 m & more"


@pytest.fixture
def ask(client: Client, db: None) -> Ask:
    """Ask a node with three records by XML, or by parameters, which have service and version; and check the answer."""
    bootstrap.ensure_sets()
    put(
        iso_record("urn:x:1", title="Sea ice drift", keywords=["ice, sea", "snow"], box=(170, 40, -170, 60)),
        iso_record("urn:x:2", title="Sea temperature", keywords=["ocean"], translations={"fre": "Température"}),
        iso_record("urn:x:3", title=TITLE, abstract="The sea is rough.", metadata_date="2020-02-29"),
    )

    def send(body: str | bytes | None = None, kind: str = "text/xml", **given: object) -> CswAnswer:
        if body is None:
            answer = client.get("/csw", {"service": "CSW", "version": "2.0.2"} | given)
        else:
            answer = client.post("/csw", body, content_type=kind)
        assert (answer.status_code, answer["Content-Type"]) == (200, "application/xml; charset=utf-8")
        return csw_answers.read(answer.content)

    return send


def records_of(ask: Ask, **given: object) -> CswAnswer:
    return ask(request="GetRecords", typeNames="csw:Record", resultType="results", **given)


# --- Operations -----------------------------------------------------------------------------------------


def test_capabilities_say_what_there_is_and_nothing_else(ask: Ask, client: Client) -> None:
    answer = ask(request="GetCapabilities")
    assert answer.texts("//ows:Operation/@name") == ["GetCapabilities", "DescribeRecord", "GetDomain", "GetRecords", "GetRecordById"]  # fmt: skip
    assert answer.texts("//ows:Operation[@name='GetRecords']/ows:Parameter[@name='outputSchema']/ows:Value") == [
        GMD,
        CSW,
    ]
    assert set(answer.texts("//ows:Parameter[@name='outputFormat']/ows:Value")) == {"application/xml"}
    assert answer.texts("//ows:ServiceTypeVersion") == ["2.0.2"]
    assert answer.texts("//ogc:SpatialOperator/@name") == ["BBOX", "Intersects"]
    assert set(answer.texts("//ows:Get/@*[local-name()='href']")) == {"http://testserver/csw"}
    assert "missing" not in etree.tostring(answer.root, encoding="unicode")
    assert csw_answers.read(client.get("/csw").content).texts("//ows:ServiceType") == ["CSW"]
    document = f'<csw:GetCapabilities {DECLARED} service="CSW"><ows:Sections><ows:Section>ServiceProvider</ows:Section></ows:Sections></csw:GetCapabilities>'  # fmt: skip
    assert [etree.QName(each).localname for each in ask(document).root] == ["ServiceProvider", "Filter_Capabilities"]


def test_each_queryable_of_the_capabilities_is_in_the_documentation(ask: Ask) -> None:
    told = ask(request="GetCapabilities").texts("//ows:Constraint[starts-with(@name, 'Supported')]/ows:Value")
    text = (ROOT / "docs" / "csw.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+:.*?) \|", text, re.MULTILINE)
    assert sorted(told) == sorted(name for row in rows for name in re.findall(r"`([\w:]+)`", row))


def test_types_are_described_by_their_schemas(ask: Ask) -> None:
    answer = ask(request="DescribeRecord", typeName="csw:Record")
    assert answer.texts("csw:SchemaComponent/@targetNamespace") == [CSW]
    document = f'<csw:DescribeRecord {DECLARED} service="CSW" version="2.0.2"><csw:TypeName>gmd:MD_Metadata</csw:TypeName></csw:DescribeRecord>'  # fmt: skip
    assert set(ask(document).texts("csw:SchemaComponent/@targetNamespace")) == {GMD}


def test_a_domain_has_the_values_of_a_property_or_parameter(ask: Ask) -> None:
    answer = ask(request="GetDomain", propertyName="dc:subject,dc:title,nothing")
    assert answer.texts("csw:DomainValues/csw:PropertyName") == ["dc:subject", "dc:title", "nothing"]
    assert answer.texts("csw:DomainValues[1]//csw:Value") == ["ice, sea", "ocean", "snow"]
    assert answer.texts("csw:DomainValues[position() > 1]//csw:Value") == []
    answer = ask(request="GetDomain", parameterName="GetRecords.resultType")
    assert answer.texts("//csw:Value") == ["hits", "results", "validate"]


def test_records_come_in_the_schema_and_element_set_that_are_asked_for(ask: Ask) -> None:
    names = {"brief": "BriefRecord", "summary": "SummaryRecord", "full": "Record"}
    for elements, name in names.items():
        answer = ask(get_records(comparison("PropertyIsEqualTo", "dc:identifier", ["urn:x:1"]).join(("<ogc:Filter>", "</ogc:Filter>")), elements=elements))  # fmt: skip
        (record,) = answer.records
        assert etree.QName(record).localname == name
        assert record.findtext("ows:BoundingBox/ows:LowerCorner", namespaces=NS) == "40.0 170.0"
        assert record.findtext("ows:BoundingBox/ows:UpperCorner", namespaces=NS) == "60.0 -170.0"
        subjects = [each.text for each in record.iterfind("dc:subject", NS)]
        assert subjects[:2] == ([] if elements == "brief" else ["ice, sea", "snow"])
    full = records_of(ask, elementSetName="full", constraintLanguage="CQL_TEXT", constraint="dc:identifier = 'urn:x:3'")
    (record,) = full.records
    assert record.findtext("dc:title", namespaces=NS) == TITLE
    assert record.findtext("dct:modified", namespaces=NS) == "2020-02-29T00:00:00Z"
    assert record.findtext("dc:creator", namespaces=NS) == "Japan Meteorological Agency"


def test_records_of_iso_go_out_as_they_are_stored(ask: Ask, client: Client) -> None:
    stored = {row.identifier: payload.unpack(row.payload) for row in Record.objects.filter(deleted=False)}
    sent = get_records(schema=GMD, elements="brief")
    content = client.post("/csw", sent, content_type="application/xml").content
    assert len(stored) == 3 and all(each in content for each in stored.values())
    answer = csw_answers.read(content)
    assert answer.texts("csw:SearchResults/@elementSet") == ["full"]
    one = client.get("/csw", {"service": "CSW", "version": "2.0.2", "request": "GetRecordById", "id": "urn:x:2", "outputSchema": GMD})  # fmt: skip
    assert stored["urn:x:2"] in one.content


def test_records_are_got_by_their_identifiers(ask: Ask) -> None:
    answer = ask(request="GetRecordById", id="urn:x:2,urn:x:nowhere,urn:x:1", elementSetName="brief")
    assert answer.identifiers == ["urn:x:1", "urn:x:2"]
    document = (
        f'<csw:GetRecordById {DECLARED} service="CSW" version="2.0.2"><csw:Id>urn:x:3</csw:Id></csw:GetRecordById>'
    )
    assert ask(document).identifiers == ["urn:x:3"]
    bury("urn:x:3")
    assert ask(document).identifiers == []


def test_pages_are_counted_and_sorted(ask: Ask) -> None:
    first = records_of(ask, elementSetName="brief", maxRecords=2, sortBy="dc:identifier:D")
    assert (first.identifiers, first.matched, first.following) == (["urn:x:3", "urn:x:2"], 3, 3)
    sort = "<ogc:SortBy><ogc:SortProperty><ogc:PropertyName>Identifier</ogc:PropertyName><ogc:SortOrder>DESC</ogc:SortOrder></ogc:SortProperty></ogc:SortBy>"
    last = ask(get_records(start=3, most=2, sort=sort))
    assert (last.identifiers, last.returned, last.following) == (["urn:x:1"], 1, 0)
    beyond = ask(get_records(start=9))
    assert (beyond.identifiers, beyond.matched, beyond.following) == ([], 3, 0)
    hits = ask(get_records(result="hits"))
    assert (hits.records, hits.matched, hits.returned) == ([], 3, 0)
    assert etree.QName(ask(get_records(result="validate")).root).localname == "Acknowledgement"


def test_filters_are_read_as_clients_write_them(ask: Ask) -> None:
    def found(inside: str) -> list[str]:
        answer = ask(get_records(f"<ogc:Filter>{inside}</ogc:Filter>"))
        assert answer.codes == []
        return sorted(answer.identifiers)

    assert found('<ogc:FeatureId fid="urn:x:1"/><ogc:FeatureId fid="urn:x:3"/>') == ["urn:x:1", "urn:x:3"]
    assert found(f"<ogc:BBOX>{envelope(-179, 50, -178, 51)}</ogc:BBOX>") == ["urn:x:1"]
    polygon = "<gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>-175 45 -175 50 -172 50 -172 45 -175 45</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon>"
    point = '<gml:Point srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>50 -175</gml:pos></gml:Point>'
    for place in (polygon, point):
        inside = f"<ogc:PropertyName>BoundingBox</ogc:PropertyName>{place}"
        assert found(f"<ogc:Intersects>{inside}</ogc:Intersects>") == ["urn:x:1"]
    # As QGIS asks; with the escape of Filter Encoding 1.0; without any of the three.
    for attributes in (' wildCard="%" singleChar="_" escapeChar="\\"', ' wildCard="%" singleChar="_" escape="\\"', ""):
        assert found(comparison("PropertyIsLike", "csw:AnyText", ["%drift%"], attributes)) == ["urn:x:1"]
    assert found(comparison("PropertyIsLike", "csw:AnyText", ["%"])) == ["urn:x:1", "urn:x:2", "urn:x:3"]
    assert found(comparison("PropertyIsLike", "csw:AnyText", ["sea"])) == ["urn:x:1", "urn:x:2", "urn:x:3"]
    assert found(comparison("PropertyIsLike", "any/anytext", ["temperatu%"])) == ["urn:x:2"]
    for text in ("dc:title = 'Sea temperature'", "title like 'Sea t%'", "not (\"dc:title\" like '%i%')"):
        answer = records_of(ask, elementSetName="brief", constraintLanguage="CQL_TEXT", constraint=text)
        assert answer.identifiers == ["urn:x:2"], text


# --- What cannot be -------------------------------------------------------------------------------------

LEVELS = "".join(f'<!ENTITY a{number} "{f"&a{number - 1};" * 10}">' for number in range(1, 9))
BOMB = f'<!DOCTYPE a [<!ENTITY a0 "aaaaaaaaaa">{LEVELS}<!ENTITY a "&a8;">]>'
MERCATOR = ' srsName="EPSG:3857"'
FILE = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


def test_a_wrong_parameter_has_its_code(ask: Ask) -> None:
    usual = {"request": "GetRecords", "typeNames": "csw:Record", "resultType": "results"}
    for given, code, locator in (
        ({"request": ""}, "MissingParameterValue", "request"),
        ({"request": "GetRepositoryItem", "id": "urn:x:1"}, "InvalidParameterValue", "request"),
        ({"request": "Transaction"}, "OperationNotSupported", "request"),
        ({"request": "Harvest", "source": "http://127.0.0.1/"}, "OperationNotSupported", "request"),
        ({"service": "WMS"}, "InvalidParameterValue", "service"),
        ({"service": ""}, "MissingParameterValue", "service"),
        ({"version": "3.0.0"}, "InvalidParameterValue", "version"),
        ({"version": ""}, "MissingParameterValue", "version"),
        ({"request": "GetCapabilities", "acceptVersions": "3.0.0"}, "VersionNegotiationFailed", "acceptVersions"),
        ({"typeNames": ""}, "MissingParameterValue", "typenames"),
        ({"typeNames": "csw:Nothing"}, "InvalidParameterValue", "typeNames"),
        ({"outputSchema": "http://www.w3.org/2005/Atom"}, "InvalidParameterValue", "outputschema"),
        ({"outputFormat": "application/json"}, "InvalidParameterValue", "outputformat"),
        ({"resultType": "all"}, "InvalidParameterValue", "resulttype"),
        ({"elementSetName": "most"}, "InvalidParameterValue", "elementsetname"),
        ({"elementName": "dc:title"}, "OptionNotSupported", "elementname"),
        ({"responseHandler": "ftp://127.0.0.1/x"}, "OptionNotSupported", "responsehandler"),
        ({"startPosition": "0"}, "InvalidParameterValue", "startposition"),
        ({"startPosition": "99999999"}, "InvalidParameterValue", "startPosition"),
        ({"maxRecords": "-1"}, "InvalidParameterValue", "maxrecords"),
        ({"sortBy": "dc:title:A"}, "InvalidParameterValue", "sortBy"),
        ({"constraint": "dc:title = 'x'"}, "MissingParameterValue", "constraintlanguage"),
        ({"constraint": "x", "constraintLanguage": "SQL"}, "InvalidParameterValue", "constraintLanguage"),
        ({"request": "GetRecordById"}, "MissingParameterValue", "id"),
        ({"request": "GetRecordById", "id": ",".join("a" * 200)}, "InvalidParameterValue", "id"),
        ({"request": "GetDomain"}, "MissingParameterValue", "parametername"),
        ({"request": "GetDomain", "propertyName": "a b"}, "InvalidParameterValue", "propertyname"),
        ({"requestId": "%"}, "InvalidParameterValue", "requestid"),
        ({"request": "GetDomain", "propertyName": "a," * 30}, "InvalidParameterValue", "propertyname"),
        ({"request": "DescribeRecord", "typeName": "a:b"}, "InvalidParameterValue", "typeNames"),
    ):
        answer = ask(**(usual | given))
        told = list(zip(answer.codes, answer.texts("ows:Exception/@locator"), strict=True))
        assert told == [(code, locator)], given


def test_what_is_pycsws_own_is_not_reached(ask: Ask) -> None:
    for given in (
        {"config": "/etc/passwd"},
        {"mode": "opensearch"},
        {"mode": "oaipmh", "verb": "Identify"},
        {"mode": "sru"},
    ):
        assert ask(request="GetCapabilities", **given).texts("//ows:ServiceType") == ["CSW"]
        assert records_of(ask, **given).matched == 3
    assert ask(request="GetRecords", typeNames="csw:Record", q="drift", bbox="0,0,1,1", time="2020").matched == 3


def test_a_wrong_constraint_is_refused(ask: Ask) -> None:
    equal = comparison("PropertyIsEqualTo", "dc:title", ["x"])
    for inside in (
        "",
        "<ogc:PropertyIsEqualTo/>",
        equal * 2,
        f"<ogc:And>{equal * 101}</ogc:And>",
        f"{'<ogc:Not>' * 60}{equal}{'</ogc:Not>' * 60}",
        f"{'<ogc:Not>' * 300}{equal}{'</ogc:Not>' * 300}",
        comparison("PropertyIsEqualTo", "dc:coverage", ["x"]),
        comparison("PropertyIsLessThan", "dc:subject", ["x"]),
        comparison("PropertyIsEqualTo", "dct:modified", ["yesterday"]),
        comparison("PropertyIsLike", "csw:AnyText", ["the"]),
        comparison("PropertyIsLike", "dct:modified", ["2020%"]),
        comparison("PropertyIsLike", "dc:title", ["x"], ' wildCard="ab"'),
        comparison("Within", "ows:BoundingBox", []),
        f"<ogc:BBOX>{envelope(0, 0, 1, 91)}</ogc:BBOX>",
        f"<ogc:BBOX>{envelope(float('nan'), 0, 1, float('inf'))}</ogc:BBOX>",
        f"<ogc:BBOX>{envelope(0, 0, 1, 1, MERCATOR)}</ogc:BBOX>",
        f"<ogc:Within><ogc:PropertyName>ows:BoundingBox</ogc:PropertyName>{envelope(0, 0, 1, 1)}</ogc:Within>",
        "<ogc:PropertyIsEqualTo><ogc:Function name='upper'><ogc:PropertyName>dc:title</ogc:PropertyName></ogc:Function><ogc:Literal>X</ogc:Literal></ogc:PropertyIsEqualTo>",
        "<ogc:PropertyIsEqualTo><ogc:Add><ogc:Literal>1</ogc:Literal><ogc:Literal>1</ogc:Literal></ogc:Add><ogc:Literal>2</ogc:Literal></ogc:PropertyIsEqualTo>",
    ):
        codes = ask(get_records(f"<ogc:Filter>{inside}</ogc:Filter>")).codes
        # Elements that are within one another more than 256 times are no XML for the parser.
        assert codes == (["NoApplicableCode"] if inside.count("<ogc:Not>") > 200 else ["InvalidParameterValue"]), inside[:300]  # fmt: skip
    for text in ("", "x", "dc:title", "dc:title = ", "(" * 3000, "((((((((dc:title = 'x'))))))))", "dc:title = 'x' or " * 400, "f(dc:title) = 'x'", "BBOX(dc:title, 0, 0, 1, 1)", "S_WITHIN(ows:BoundingBox, POINT(0 0))"):  # fmt: skip
        answer = records_of(ask, constraintLanguage="CQL_TEXT", constraint=text or " ")
        assert answer.codes == ["InvalidParameterValue"], text[:99]
    for document, code in (("<a>", "NoApplicableCode"), ("<a/>", "InvalidParameterValue"), (f"{BOMB}<a>&a8;</a>", "NoApplicableCode")):  # fmt: skip
        assert records_of(ask, constraintLanguage="FILTER", constraint=document).codes == [code]


def test_a_wrong_document_is_refused(ask: Ask, client: Client) -> None:
    document = get_records()
    inside = get_records("<ogc:Filter>&a;</ogc:Filter>")
    for body, kind in (
        (b"", "text/xml"),
        (b"\0\xff", "text/xml"),
        (b"{}", "application/json"),
        (b"<a/>", "text/xml"),
        (b"--x\r\n", "multipart/form-data; boundary=x"),
        (f"{BOMB}{inside}".encode(), "text/xml"),
        (f"{BOMB}{inside}".encode("utf-16"), "text/xml"),
        (f"{FILE}{inside}".encode(), "text/xml"),
        (inside.encode(), "text/xml"),
        (document[:-9].encode(), "text/xml"),
        (document.replace("cat/csw/2.0.2", "cat/csw/3.0").encode(), "text/xml"),
        (document.replace('service="CSW"', "").encode(), "text/xml"),
        (document.replace("csw:Query", "csw:Other").encode(), "text/xml"),
        (document.encode() + b" " * 70_000, "text/xml"),
        (f"<s:Envelope xmlns:s='http://www.w3.org/2003/05/soap-envelope'><s:Body>{document}</s:Body></s:Envelope>".encode(), "application/soap+xml"),
        (f'<csw:Transaction {DECLARED} service="CSW" version="2.0.2"><csw:Insert/></csw:Transaction>'.encode(), "text/xml"),
        (("a=1&" * 1100).encode(), "application/x-www-form-urlencoded"),
    ):  # fmt: skip
        answer = ask(body, kind)
        assert len(answer.codes) == 1, body[:200]
        assert "root:" not in str(answer.texts("//ows:ExceptionText"))
    assert ask("service=CSW&version=2.0.2&request=GetRecords&typenames=csw:Record", "application/x-www-form-urlencoded").matched == 3  # fmt: skip
    assert client.put("/csw", b"").status_code == 405


def test_nothing_that_is_sent_is_answered_by_what_is_no_csw(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    chance = random.Random(3)
    values = ["", "1", "2.0.2", "sea", "csw:Record", "brief", "full", "results", "hits", GMD, CSW, "\x00", "\x07", "é氷\U0001f30a", "(" * 2000, "9" * 40, "-1", "<a/>", "%s%(x)s${HOME}", "a,b", "dc:type", "GetRecords.CONSTRAINTLANGUAGE", "CQL_TEXT", "FILTER"]  # fmt: skip
    names = ["sections", "typename", "outputFormat", "schemaLanguage", "propertyName", "parameterName", "typeNames", "elementSetName", "outputSchema", "resultType", "startPosition", "maxRecords", "constraintLanguage", "constraint", "sortBy", "requestId", "id", "updateSequence", "mode", "config", "hopCount"]  # fmt: skip
    codes: set[str] = set()
    for _ in range(300):
        operation = chance.choice(["GetCapabilities", "DescribeRecord", "GetDomain", "GetRecords", "GetRecordById"])
        base = {"request": operation, "typeNames": "csw:Record", "id": "urn:x:1", "propertyName": "dc:type"}
        given = base | {name: chance.choice(values) for name in chance.sample(names, chance.randint(0, 3))}
        codes |= set(ask(**given).codes)
    assert {"InvalidParameterValue", "MissingParameterValue"} <= codes <= {"InvalidParameterValue", "MissingParameterValue", "NoApplicableCode", "OptionNotSupported"}  # fmt: skip
    assert not [
        each for each in caplog.records if each.levelname == "ERROR" and each.name.startswith(("catalogue", "django"))
    ]


# --- As a part of the node ------------------------------------------------------------------------------


def test_it_is_switched_off_by_the_setting(client: Client, db: None, settings: Any) -> None:
    assert b"/csw" in client.get("/").content
    settings.GISC_INTERFACES_OFF = ["csw"]
    assert client.get("/csw?service=CSW&request=GetCapabilities").status_code == 404
    assert b"/csw" not in client.get("/").content


def test_a_node_without_its_packages_does_not_offer_it(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(interfaces._PACKAGES, interfaces.CSW, ("pycsw", "no_such_package"))
    assert client.get("/csw?service=CSW&request=GetCapabilities").status_code == 404
    assert b"/csw" not in client.get("/").content


def test_a_node_that_is_not_asked_loads_none_of_its_packages() -> None:
    code = (
        "import django, sys; django.setup(); from django.urls import resolve; resolve('/csw'); "
        "sys.exit(bool({'pycsw', 'pygeofilter', 'pygml', 'shapely', 'owslib'} & sys.modules.keys()))"
    )
    given = environment(DATABASE_URL="postgresql://nobody@/nothing", SECRET_KEY="x" * 50, ALLOWED_HOSTS="*")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=given | {"DJANGO_SETTINGS_MODULE": "gisc.settings"}, capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_who_has_to_wait_too_long_gets_503_with_a_report(rf) -> None:
    answer = public_pages._unavailable(rf.get("/csw"), public_pages.BUSY)
    assert answer.status_code == 503 and answer["Retry-After"] == "10"
    assert csw_answers.read(answer.content).codes == ["NoApplicableCode"]
