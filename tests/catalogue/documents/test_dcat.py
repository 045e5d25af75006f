"""Records as datasets of GeoDCAT-AP: what becomes what, and that real records keep to its shapes."""

import pyshacl
import pytest
import rdflib
from rdflib import DCAT, DCTERMS, FOAF, RDF, RDFS, SKOS, XSD, Namespace, URIRef
from rdflib.compare import isomorphic

from catalogue.documents import dcat, rdf, xml_tree
from catalogue.documents.rdf import Node
from tests.support import world
from tests.support.paths import ROOT, shared

VCARD, PROV = Namespace("http://www.w3.org/2006/vcard/ns#"), Namespace("http://www.w3.org/ns/prov#")
EU = "http://publications.europa.eu/resource/authority"
INSPIRE = "http://inspire.ec.europa.eu/metadata-codelist"
ROOT_OF_NODE = "https://gisc.example.org"
FULL = """<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xlink="http://www.w3.org/1999/xlink">
<gmd:fileIdentifier><gco:CharacterString>urn:x-wmo:md:int.wmo.wis::FULL</gco:CharacterString></gmd:fileIdentifier>
<gmd:language><gmd:LanguageCode codeListValue="fre"/></gmd:language>
<gmd:parentIdentifier><gco:CharacterString>urn:x-wmo:md:int.wmo.wis::PARENT</gco:CharacterString></gmd:parentIdentifier>
<gmd:hierarchyLevel><gmd:MD_ScopeCode codeListValue="{kind}"/></gmd:hierarchyLevel>
<gmd:contact/>
<gmd:dateStamp><gco:Date>0987-05-01</gco:Date></gmd:dateStamp>
<gmd:identificationInfo><gmd:MD_DataIdentification>
<gmd:citation><gmd:CI_Citation><gmd:title><gco:CharacterString>Glace de mer</gco:CharacterString></gmd:title>
<gmd:date><gmd:CI_Date><gmd:date><gco:Date>2001-02</gco:Date></gmd:date><gmd:dateType><gmd:CI_DateTypeCode codeListValue="creation"/></gmd:dateType></gmd:CI_Date></gmd:date>
<gmd:date><gmd:CI_Date><gmd:date><gco:Date>2002</gco:Date></gmd:date><gmd:dateType><gmd:CI_DateTypeCode codeListValue="publication"/></gmd:dateType></gmd:CI_Date></gmd:date>
<gmd:date><gmd:CI_Date><gmd:date><gco:Date>2003-13-45</gco:Date></gmd:date><gmd:dateType><gmd:CI_DateTypeCode codeListValue="revision"/></gmd:dateType></gmd:CI_Date></gmd:date>
<gmd:identifier><gmd:MD_Identifier><gmd:code><gco:CharacterString>doi:10.5072/abc</gco:CharacterString></gmd:code></gmd:MD_Identifier></gmd:identifier>
</gmd:CI_Citation></gmd:citation>
<gmd:abstract><gco:CharacterString>Concentration.</gco:CharacterString></gmd:abstract>
{parties}
<gmd:resourceMaintenance><gmd:MD_MaintenanceInformation><gmd:maintenanceAndUpdateFrequency><gmd:MD_MaintenanceFrequencyCode codeListValue="daily"/></gmd:maintenanceAndUpdateFrequency></gmd:MD_MaintenanceInformation></gmd:resourceMaintenance>
<gmd:descriptiveKeywords><gmd:MD_Keywords><gmd:keyword><gco:CharacterString>glace</gco:CharacterString></gmd:keyword></gmd:MD_Keywords></gmd:descriptiveKeywords>
<gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:useLimitation><gco:CharacterString>Citez la source.</gco:CharacterString></gmd:useLimitation>
<gmd:accessConstraints><gmd:MD_RestrictionCode codeListValue="otherRestrictions"/></gmd:accessConstraints>
<gmd:otherConstraints><gmx:Anchor xlink:href="https://creativecommons.org/licenses/by/4.0/">CC BY</gmx:Anchor></gmd:otherConstraints>
<gmd:otherConstraints><gco:CharacterString>WMOEssential</gco:CharacterString></gmd:otherConstraints></gmd:MD_LegalConstraints></gmd:resourceConstraints>
<gmd:spatialResolution><gmd:MD_Resolution><gmd:distance><gco:Distance uom="km">1.5</gco:Distance></gmd:distance></gmd:MD_Resolution></gmd:spatialResolution>
<gmd:topicCategory><gmd:MD_TopicCategoryCode>oceans</gmd:MD_TopicCategoryCode></gmd:topicCategory>
<gmd:extent><gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicBoundingBox><gmd:westBoundLongitude><gco:Decimal>170</gco:Decimal></gmd:westBoundLongitude><gmd:eastBoundLongitude><gco:Decimal>-170</gco:Decimal></gmd:eastBoundLongitude><gmd:southBoundLatitude><gco:Decimal>-10</gco:Decimal></gmd:southBoundLatitude><gmd:northBoundLatitude><gco:Decimal>10.5</gco:Decimal></gmd:northBoundLatitude></gmd:EX_GeographicBoundingBox></gmd:geographicElement>
<gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent><gml:TimePeriod gml:id="t"><gml:beginPosition>2010-01-01</gml:beginPosition><gml:endPosition indeterminatePosition="now"/></gml:TimePeriod></gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement></gmd:EX_Extent></gmd:extent>
</gmd:MD_DataIdentification></gmd:identificationInfo>
<gmd:distributionInfo><gmd:MD_Distribution><gmd:distributionFormat><gmd:MD_Format><gmd:name><gco:CharacterString>GRIB</gco:CharacterString></gmd:name><gmd:version><gco:CharacterString>2</gco:CharacterString></gmd:version></gmd:MD_Format></gmd:distributionFormat><gmd:transferOptions><gmd:MD_DigitalTransferOptions>
{links}
</gmd:MD_DigitalTransferOptions></gmd:transferOptions></gmd:MD_Distribution></gmd:distributionInfo>
<gmd:dataQualityInfo><gmd:DQ_DataQuality><gmd:lineage><gmd:LI_Lineage><gmd:statement><gco:CharacterString>Satellites.</gco:CharacterString></gmd:statement></gmd:LI_Lineage></gmd:lineage></gmd:DQ_DataQuality></gmd:dataQualityInfo>
</gmd:MD_Metadata>"""


def party(role: str, organisation: str, email: str = "") -> str:
    mail = f"<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address><gmd:electronicMailAddress><gco:CharacterString>{email}</gco:CharacterString></gmd:electronicMailAddress></gmd:CI_Address></gmd:address></gmd:CI_Contact></gmd:contactInfo>"
    return f'<gmd:pointOfContact><gmd:CI_ResponsibleParty><gmd:organisationName><gco:CharacterString>{organisation}</gco:CharacterString></gmd:organisationName>{mail if email else ""}<gmd:role><gmd:CI_RoleCode codeListValue="{role}"/></gmd:role></gmd:CI_ResponsibleParty></gmd:pointOfContact>'


def link(url: str, function: str = "", name: str = "") -> str:
    code = f'<gmd:function><gmd:CI_OnLineFunctionCode codeListValue="{function}"/></gmd:function>' if function else ""
    return f"<gmd:onLine><gmd:CI_OnlineResource><gmd:linkage><gmd:URL>{url}</gmd:URL></gmd:linkage><gmd:name><gco:CharacterString>{name}</gco:CharacterString></gmd:name>{code}</gmd:CI_OnlineResource></gmd:onLine>"


def document(kind: str = "dataset", parties: str = "", links: str = "") -> bytes:
    return FULL.format(kind=kind, parties=parties, links=links).encode()


def graph(*nodes: Node) -> rdflib.Graph:
    return rdflib.Graph().parse(data=rdf.to_turtle(nodes), format="turtle")


def described(element: bytes) -> tuple[rdflib.Graph, URIRef]:
    node = dcat.dataset(element, page=f"{ROOT_OF_NODE}/record?id=1")
    return graph(node), URIRef(node.iri)


def values(found: rdflib.Graph, subject: rdflib.term.Node, *path: URIRef) -> list[str]:
    """The values at the end of a path, as texts."""
    subjects = [subject]
    for name in path:
        subjects = [value for each in subjects for value in found.objects(each, name)]
    return sorted(str(value) for value in subjects)


def test_what_a_record_says_is_said_of_the_dataset() -> None:
    parties = "".join(
        (
            party("pointOfContact", "Météo", "ice@meteo.example"),
            party("publisher", "First"),
            party("publisher", "Second"),
            party("author", "A. Author"),
            party("owner", "The owner"),
            party("custodian", "The custodian", "not an address"),
            party("unheardOf", "Nobody"),
        )
    )
    links = link("https://x.example/a b.grb", "download", "The file") + link("https://x.example/about", "information") + link("javascript:alert(1)")  # fmt: skip
    found, subject = described(document(parties=parties, links=links))

    assert str(subject) == "urn:x-wmo:md:int.wmo.wis::FULL"
    assert (subject, RDF.type, DCAT.Dataset) in found
    expected = {
        (DCTERMS.identifier,): ["urn:x-wmo:md:int.wmo.wis::FULL"],
        (DCTERMS.title,): ["Glace de mer"],
        (DCTERMS.description,): ["Concentration."],
        (DCTERMS.language,): [f"{EU}/language/FRA"],
        (DCAT.keyword,): ["glace"],
        (DCAT.theme,): [f"{EU}/data-theme/ENVI"],
        (DCTERMS.subject,): [f"{INSPIRE}/TopicCategory/oceans"],
        (DCTERMS.type,): [f"{INSPIRE}/ResourceType/dataset"],
        (DCTERMS.spatial, DCAT.bbox): [
            "MULTIPOLYGON(((170 -10,180 -10,180 10.5,170 10.5,170 -10)),((-180 -10,-170 -10,-170 10.5,-180 10.5,-180 -10)))"
        ],
        (DCTERMS.temporal, DCAT.startDate): ["2010-01-01T00:00:00+00:00"],
        (DCTERMS.temporal, DCAT.endDate): [],
        (DCAT.spatialResolutionInMeters,): ["1500"],
        (DCTERMS.created,): ["2001-02"],
        (DCTERMS.issued,): ["2002"],
        (DCTERMS.modified,): [],  # it is no date
        (DCAT.contactPoint, VCARD.fn): ["Météo"],
        (DCAT.contactPoint, VCARD.hasEmail): ["mailto:ice@meteo.example"],
        (DCTERMS.publisher, FOAF.name): ["First"],
        (DCTERMS.creator, FOAF.name): ["A. Author"],
        (DCTERMS.rightsHolder, FOAF.name): ["The owner"],
        (PROV.qualifiedAttribution, PROV.agent, FOAF.name): ["The custodian"],
        (PROV.qualifiedAttribution, PROV.agent, FOAF.mbox): [],
        (PROV.qualifiedAttribution, DCAT.hadRole): [f"{INSPIRE}/ResponsiblePartyRole/custodian"],
        (DCTERMS.accessRights, RDFS.label): ["otherRestrictions"],
        (DCTERMS.provenance, RDFS.label): ["Satellites."],
        (DCTERMS.accrualPeriodicity,): [f"{EU}/frequency/DAILY"],
        (URIRef("http://www.w3.org/ns/adms#identifier"), SKOS.notation): ["https://doi.org/10.5072/abc"],
        (DCTERMS.isPartOf,): ["urn:x-wmo:md:int.wmo.wis::PARENT"],
        (FOAF.isPrimaryTopicOf, DCTERMS.modified): ["0987-05-01T00:00:00+00:00"],
        (DCAT.landingPage,): [f"{ROOT_OF_NODE}/record?id=1"],
        (DCAT.distribution, DCAT.accessURL): ["https://x.example/a%20b.grb"],
        (DCAT.distribution, DCAT.downloadURL): ["https://x.example/a%20b.grb"],
        (DCAT.distribution, DCTERMS.title): ["The file"],
        (DCAT.distribution, DCTERMS.license): ["https://creativecommons.org/licenses/by/4.0/"],
        (DCAT.distribution, DCTERMS["format"], RDFS.label): ["GRIB 2"],
        (FOAF.page,): ["https://x.example/about"],
    }
    assert {path: values(found, subject, *path) for path in expected} == expected
    assert "Citez la source." in values(found, subject, DCTERMS.rights, RDFS.label)
    assert "WMOEssential" in values(found, subject, DCTERMS.rights, RDFS.label)
    assert [title.language for title in found.objects(subject, DCTERMS.title)] == ["fr"]
    assert {value.datatype for value in found.objects(subject, DCTERMS.issued)} == {XSD.gYear}
    assert "javascript" not in found.serialize()


def test_a_service_has_addresses_instead_of_distributions() -> None:
    found, subject = described(document("service", links=link("https://x.example/wms?a=1&amp;b=2")))
    assert (subject, RDF.type, DCAT.DataService) in found
    assert values(found, subject, DCAT.endpointURL) == ["https://x.example/wms?a=1&b=2"]
    assert not values(found, subject, DCAT.distribution)


@pytest.mark.parametrize(
    ("identifier", "iri"),
    [
        ("388FAB80-4f71-11db-8a85-000f207026fd", "urn:uuid:388fab80-4f71-11db-8a85-000f207026fd"),
        ("{388fab80-4f71-11db-8a85-000f207026fd}", "urn:uuid:388fab80-4f71-11db-8a85-000f207026fd"),
        ("urn:x-wmo:md:a::b c", "urn:x-wmo:md:a::b%20c"),
        ("no-scheme", ""),
    ],
)
def test_a_dataset_has_the_same_address_at_every_node_if_its_identifier_is_one(identifier: str, iri: str) -> None:
    assert dcat.iri_of_record(identifier) == iri
    page = f"{ROOT_OF_NODE}/record?id=x"
    assert dcat.dataset(world.iso_record(identifier), page=page).iri == (iri or page)


def test_titles_in_several_languages_are_told_in_each() -> None:
    found, subject = described(world.iso_record("urn:a", title="Ice", translations={"fre": "Glace", "eng": "Ice"}))
    assert {(str(title), title.language) for title in found.objects(subject, DCTERMS.title)} == {
        ("Ice", "en"),
        ("Glace", "fr"),
    }


def test_what_cannot_be_read_is_given_by_its_identifier() -> None:
    found = rdflib.Graph().parse(data=dcat.to_rdf_xml(b"<broken", "urn:a"), format="xml")
    assert values(found, URIRef("urn:a"), DCTERMS.identifier) == ["urn:a"]


# --- Real records -------------------------------------------------------------------------------------

# DCAT-AP 2.0.1: what is mandatory, by class.
MANDATORY = {
    DCAT.Dataset: (DCTERMS.title, DCTERMS.description),
    DCAT.DataService: (DCTERMS.title,),
    DCAT.Distribution: (DCAT.accessURL,),
    FOAF.Agent: (FOAF.name,),
    PROV.Attribution: (PROV.agent, DCAT.hadRole),
    DCAT.CatalogRecord: (DCTERMS.modified,),
}


def real_nodes(each: int) -> list[Node]:
    nodes: list[Node] = []
    for file in sorted(shared("data/iso19139").rglob("*.xml"))[::each]:
        try:
            nodes.append(dcat.dataset(xml_tree.root_element(file.read_bytes()), page=f"{ROOT_OF_NODE}/{len(nodes)}"))
        except xml_tree.Unusable:
            continue
    return nodes


def test_real_records_are_the_same_in_all_forms_and_have_what_is_mandatory() -> None:
    nodes = real_nodes(10)
    assert len(nodes) > 100
    for node in nodes:
        found = graph(node)
        assert isomorphic(found, rdflib.Graph().parse(data=rdf.to_xml([node]), format="xml")), node.iri
        assert isomorphic(found, rdflib.Graph().parse(data=rdf.to_json_ld([node]), format="json-ld")), node.iri
        for kind, names in MANDATORY.items():
            for subject in found.subjects(RDF.type, kind):
                assert all(values(found, subject, name) for name in names), (node.iri, subject, kind)


def test_real_records_and_samples_keep_to_the_shapes_of_geodcat_ap() -> None:
    shapes = rdflib.Graph().parse(shared("standards/geodcat-ap/geodcat-ap.shacl.ttl"), format="turtle")
    samples = [dcat.dataset(file.read_bytes()) for file in sorted((ROOT / "catalogue" / "samples").rglob("*.xml"))]
    found = graph(*real_nodes(20), *samples)
    assert len(set(found.subjects(RDF.type, DCAT.Dataset))) > 80
    conforms, _, report = pyshacl.validate(found, shacl_graph=shapes, do_owl_imports=False, advanced=False)
    assert conforms, report[:3000]
    # The shapes do find what is wrong.
    dataset = next(iter(found.subjects(RDF.type, DCAT.Dataset)))
    for text in ("yesterday", "tomorrow"):
        found.add((dataset, DCTERMS.created, rdflib.Literal(text)))
    conforms, _, report = pyshacl.validate(found, shacl_graph=shapes, do_owl_imports=False, advanced=False)
    assert not conforms
