"""The testable requirements of the WMO Core Metadata Profile 1.3, each with a record that keeps it and ones that do not."""

from pathlib import Path

import pytest
from lxml import etree

from catalogue import oai
from catalogue.documents import wcmp, xml_tree
from tests.support.paths import ROOT

SAMPLES = sorted((ROOT / "catalogue" / "samples").rglob("*.xml"))
BULLETIN = next(file for file in SAMPLES if file.stem == "SMJP01RJTD").read_text(encoding="utf-8")  # exchanged globally
REGIONAL = next(file for file in SAMPLES if file.stem.endswith("GSM_GPV_GLOBAL_0P5DEG")).read_text(encoding="utf-8")
SERVICE = next(file for file in SAMPLES if "WMS_WARNUNGEN" in file.stem).read_text(encoding="utf-8")

TITLE = '<gmx:Anchor xlink:href="http://wis.wmo.int/2012/codelists/WMOCodeLists.xml#WMO_CategoryCode">WMO_CategoryCode</gmx:Anchor>'
THEME = '<gmd:MD_KeywordTypeCode codeList="WMOCodeLists.xml#MD_KeywordTypeCode" codeListValue="theme">theme</gmd:MD_KeywordTypeCode>'
CENTRE = THEME.replace("theme", "dataCentre")


def faults(text: str) -> dict[str, list[str]]:
    """The sentences about a document, by rule."""
    root = etree.fromstring(xml_tree.root_element(text.encode()), etree.XMLParser(remove_comments=True))
    found: dict[str, list[str]] = {}
    for fault in wcmp.check(root):
        found.setdefault(fault.rule, []).append(fault.text)
    return found


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def without(text: str, name: str) -> str:
    """The text without the first element of this name."""
    start, end = text.index(f"<gmd:{name}>"), text.index(f"</gmd:{name}>") + len(f"</gmd:{name}>")
    return text[:start] + text[end:]


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_the_samples_keep_every_rule(file: Path) -> None:
    assert faults(file.read_text(encoding="utf-8")) == {}


def test_there_are_samples_of_each_kind() -> None:
    assert len(SAMPLES) == 48
    assert "GlobalExchange" in BULLETIN
    assert "RegionalExchange" in REGIONAL
    assert "srv:SV_ServiceIdentification" in SERVICE


BLOCK = BULLETIN[BULLETIN.index("    <gmd:descriptiveKeywords>") :]
BLOCK = BLOCK[: BLOCK.index("</gmd:descriptiveKeywords>") + len("</gmd:descriptiveKeywords>")]
SCOPE = next(
    part + "</gmd:descriptiveKeywords>"
    for part in BULLETIN.split("</gmd:descriptiveKeywords>")
    if "GlobalExchange" in part
)
SCOPE = SCOPE[SCOPE.index("<gmd:descriptiveKeywords>") :]
TERMS = "".join(
    f"      <gmd:keyword><gco:CharacterString>{term}</gco:CharacterString></gmd:keyword>\n"
    for term in ("meteorology", "weatherObservations", "synopticMeteorology")
)
BOX = BULLETIN[BULLETIN.index("<gmd:geographicElement>") : BULLETIN.index("</gmd:geographicElement>")]
BOX += "</gmd:geographicElement>"
ESSENTIAL = "<gmd:otherConstraints><gco:CharacterString>WMOEssential</gco:CharacterString></gmd:otherConstraints>"
PRIORITY = "<gmd:otherConstraints><gco:CharacterString>GTSPriority2</gco:CharacterString></gmd:otherConstraints>"
ENDING = "::SMJP01RJTD</gco:CharacterString></gmd:fileIdentifier>"

BROKEN = {
    "6.1.2 row 5": ("6.1.2", without(BULLETIN, "topicCategory"), "needs a topicCategory"),
    "6.1.2 row 7": (
        "6.1.2",
        changed(BULLETIN, ("gmd:otherConstraints>", "gmd:useLimitation>")),
        "otherConstraints must say which (MD_LegalConstraints, line",
    ),
    "6.1.2 row 18": ("6.1.2", without(BULLETIN, "distributionFormat"), "needs at least one format"),
    "6.1.2 row 24": (
        "6.1.2",
        changed(
            BULLETIN,
            (
                "<gmd:organisationName><gco:CharacterString>Japan Meteorological Agency</gco:CharacterString></gmd:organisationName>",
                "",
            ),
        ),
        "A party needs the name",
    ),
    "6.2.1": (
        "6.2.1",
        changed(BULLETIN, ("<gmd:dateStamp>", '<dateStamp xmlns="http://www.isotc211.org/2005/gmd">'), ("</gmd:dateStamp>", "</dateStamp>")),
        "see dateStamp",
    ),
    "6.2.1 unused": ("6.2.1", changed(BULLETIN, ("<gmd:MD_Metadata ", '<gmd:MD_Metadata xmlns="urn:x" ')), "prefix"),
    "6.3.1": ("6.3.1", changed(BULLETIN, ("opengis.net/gml/3.2", "opengis.net/gml")), "is http://www.opengis.net/gml;"),
    "8.1.1 none": ("8.1.1", without(BULLETIN, "fileIdentifier"), "has no gmd:fileIdentifier"),
    "8.1.1 two": (
        "8.1.1",
        changed(BULLETIN, ("</gmd:fileIdentifier>", "</gmd:fileIdentifier><gmd:fileIdentifier/>")),
        "has 2 gmd:fileIdentifier",
    ),
    "8.2.1 no block": ("8.2.1", changed(BULLETIN, (BLOCK, "")), "No keyword is from the WMO_CategoryCode list"),
    "8.2.1 another list": ("8.2.1", changed(BULLETIN, (TITLE, "<gco:CharacterString>GCMD</gco:CharacterString>")), "No keyword"),
    "8.2.1 no term": ("8.2.1", changed(BULLETIN, (TERMS, "<gmd:keyword/>")), "is empty"),
    "8.2.1 wrong term": (
        "8.2.1",
        changed(BULLETIN, (TERMS, "<gmd:keyword><gco:CharacterString>Weather</gco:CharacterString></gmd:keyword>")),
        "Weather is no term",
    ),
    "8.2.2": ("8.2.2", BULLETIN.replace(THEME, THEME.replace("theme", "place"), 1), "of type place; it must be theme"),
    "8.2.2 no type": ("8.2.2", BULLETIN.replace(f"<gmd:type>{THEME}</gmd:type>", "", 1), "of type (none)"),
    "8.2.3": ("8.2.3", changed(BULLETIN, (BLOCK, BLOCK * 3)), "3 blocks have keywords of the thesaurus WMO_CategoryCode"),
    "8.2.4": ("8.2.4", changed(BULLETIN, (BOX, "")), "no geographic bounding box"),
    "8.2.4 service": (
        "8.2.4",
        changed(SERVICE, ("gmd:EX_GeographicBoundingBox", "gmd:EX_GeographicDescription")),
        "no geographic bounding box",
    ),
    "9.1.1 keyword missing": ("9.1.1", changed(BULLETIN, (SCOPE, "")), "is missing; add it"),
    "9.1.1 type": ("9.1.1", changed(BULLETIN, (CENTRE, THEME)), "of type theme; it must be dataCentre"),
    "9.1.1 thesaurus": ("9.1.1", changed(BULLETIN, ("WMO_DistributionScopeCode", "Scopes")), "thesaurus is WMO_Dist"),
    "9.2.1": ("9.2.1", changed(REGIONAL, ("RegionalExchange", "GlobalExchange")), "is not of the form"),
    "9.2.1 no uid": ("9.2.1", changed(BULLETIN, (ENDING, ENDING.replace("SMJP01RJTD", ""))), "is not of the form"),
    "9.3.1 none": ("9.3.1", changed(BULLETIN, (ESSENTIAL, "")), "No otherConstraints has a term of WMO_DataLicenseCode"),
    "9.3.1 two": (
        "9.3.1",
        changed(BULLETIN, (ESSENTIAL, ESSENTIAL + ESSENTIAL.replace("Essential", "Additional"))),
        "several terms of WMO_DataLicenseCode (WMOAdditional, WMOEssential)",
    ),
    "9.3.2 none": ("9.3.2", changed(BULLETIN, (PRIORITY, "")), "No otherConstraints has a term of WMO_GTSProductCat"),
    "9.3.2 two": (
        "9.3.2",
        changed(BULLETIN, (PRIORITY, PRIORITY + PRIORITY.replace("2", "3"))),
        "several terms of WMO_GTSProductCategoryCode (GTSPriority2, GTSPriority3)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_record_that_breaks_a_rule_is_told_so_in_a_sentence(case: str) -> None:
    rule, text, sentence = BROKEN[case]
    said = faults(text)
    assert any(sentence in one for one in said.get(rule, [])), said
    assert all(not one.endswith(".") and len(one) < 600 for ones in said.values() for one in ones)


def test_every_rule_has_a_record_that_breaks_it() -> None:
    assert {rule for rule, _, _ in BROKEN.values()} == set(wcmp.RULES)


ROW_FAULTS = {
    "4": ("<gmd:identificationInfo/>", "Table A.1, row 4"),
    "6": ("<gmd:MD_AggregateInformation/>", "(MD_AggregateInformation, line 1); ISO/TS 19139, Table A.1, row 6"),
    "8": ('<gmd:DQ_DataQuality><gmd:scope><gmd:DQ_Scope><gmd:level><gmd:C codeListValue="dataset"/></gmd:level></gmd:DQ_Scope></gmd:scope></gmd:DQ_DataQuality>', "row 8"),
    "9": ('<gmd:DQ_Scope><gmd:level><gmd:C codeListValue="tile"/></gmd:level></gmd:DQ_Scope>', "row 9"),
    "10": ("<gmd:LI_Lineage/>", "row 10 to 12"),
    "13": ("<gmd:LI_Source/>", "row 13, 14"),
    "15": ("<gmd:MD_Georectified><gmd:checkPointAvailability><gco:Boolean>true</gco:Boolean></gmd:checkPointAvailability></gmd:MD_Georectified>", "row 15"),
    "16": ("<gmd:MD_Band><gmd:maxValue/></gmd:MD_Band>", "row 16"),
    "17": ("<gmd:MD_Medium><gmd:density/></gmd:MD_Medium>", "row 17"),
    "23": ("<gmd:EX_Extent/>", "row 23"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROW_FAULTS)
def test_the_conditions_of_table_a1_are_told_by_row(row: str) -> None:
    inside, sentence = ROW_FAULTS[row]
    document = f'<gmd:MD_Metadata xmlns:gmd="{oai.GMD_NS}" xmlns:gco="http://www.isotc211.org/2005/gco">{inside}</gmd:MD_Metadata>'
    assert any(one.endswith(sentence) for one in faults(document)["6.1.2"])


@pytest.mark.parametrize("case", ["9.1.1 type", "9.3.1 none", "9.3.1 two", "9.3.2 none", "9.3.2 two"])
def test_rules_of_global_exchange_are_no_matter_to_other_records(case: str) -> None:
    rule, text, _ = BROKEN[case]
    assert rule in faults(text)
    assert not any(rule.startswith("9") for rule in faults(text.replace("GlobalExchange", "RegionalExchange")))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(changed(BULLETIN, (TITLE, "<gco:CharacterString>WMO_CategoryCode</gco:CharacterString>")), id="title"),
        pytest.param(changed(BULLETIN, (">WMO_CategoryCode</gmx:Anchor>", "/>")), id="anchor without text"),
        pytest.param(changed(BULLETIN, (THEME, THEME.replace('"theme"', '""', 1))), id="code as text"),
        pytest.param(changed(BULLETIN, (CENTRE, CENTRE.replace("Centre", "Center"))), id="dataCenter"),
        pytest.param(changed(BULLETIN, (ESSENTIAL, ESSENTIAL * 2)), id="one term twice"),
        pytest.param(
            changed(
                BULLETIN,
                ("<gco:CharacterString>WMOEssential</gco:CharacterString>", '<gmx:Anchor xlink:href="http://wis.wmo.int/x#WMO_DataLicenseCode_WMOEssential">essential</gmx:Anchor>'),
            ),
            id="term in an address",
        ),
        pytest.param(BULLETIN.replace('xmlns:gml="http://www.opengis.net/gml/3.2"', 'xmlns:g="http://www.opengis.net/gml/3.2"').replace("gml:", "g:"), id="another prefix"),
        pytest.param(changed(BULLETIN, (BOX, ""), ('"dataset">dataset', '"nonGeographicDataset">nonGeographicDataset'), ("<gmd:level>", "<gmd:levelDescription/><gmd:level>"), ("<gmd:contact>", "<gmd:hierarchyLevelName/><gmd:contact>")), id="not geographic"),
    ],
)  # fmt: skip
def test_other_ways_to_keep_a_rule_are_accepted(text: str) -> None:
    assert faults(text) == {}


def test_the_profiles_root_may_be_gmi() -> None:
    text = BULLETIN.replace("gmd:MD_Metadata", "gmi:MI_Metadata").replace(
        "xmlns:gco", 'xmlns:gmi="http://www.isotc211.org/2005/gmi" xmlns:gco'
    )
    assert faults(text) == {}


def test_many_faults_of_a_kind_are_counted_and_not_listed() -> None:
    said = faults(BULLETIN.replace("<gmd:contact>", "<gmd:x><gmd:EX_Extent/></gmd:x>" * 50 + "<gmd:contact>", 1))[
        "6.1.2"
    ]
    assert len(said) == wcmp.MAX_FAULTS + 1
    assert said[-1] == "and 40 faults of this kind more"


def test_a_check_that_fails_is_a_fault_and_the_other_rules_are_told_all_the_same(monkeypatch) -> None:
    def broken(_root: etree._Element) -> list[str]:
        raise RecursionError("too deep")

    monkeypatch.setitem(wcmp.RULES, "8.1.1", broken)
    said = faults(BROKEN["8.2.4"][1])
    assert said["8.1.1"] == ["This check failed on this record (RecursionError: too deep); please tell the developers"]
    assert "8.2.4" in said
