"""ISO 19139 to oai_dc (P61, P67). No database."""

from pathlib import Path

import pytest
from lxml import etree

from catalogue.documents import dublin_core
from tests.support import schemas, world

DC = "{http://purl.org/dc/elements/1.1/}"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def values(document: bytes, name: str, identifier: str = "urn:a") -> list[str]:
    root = etree.fromstring(dublin_core.to_oai_dc(document, identifier))
    return [element.text for element in root.iterfind(f"{DC}{name}")]


def record(inside: str, *, root: str = "gmd:MD_Metadata") -> bytes:
    """A record with this inside its root, for what the builder of `world` does not make."""
    prefixes = {
        "gmd": "http://www.isotc211.org/2005/gmd",
        "gco": "http://www.isotc211.org/2005/gco",
        "gmx": "http://www.isotc211.org/2005/gmx",
        "gmi": "http://www.isotc211.org/2005/gmi",
        "gml": "http://www.opengis.net/gml/3.2",
        "gml0": "http://www.opengis.net/gml",
        "xlink": "http://www.w3.org/1999/xlink",
    }
    declared = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in prefixes.items())
    return f"<{root} {declared}>{inside}</{root}>".encode()


def info(inside: str) -> str:
    return f"<gmd:identificationInfo><gmd:MD_DataIdentification>{inside}</gmd:MD_DataIdentification></gmd:identificationInfo>"


def text(value: str) -> str:
    return f"<gco:CharacterString>{value}</gco:CharacterString>"


@pytest.mark.spec("P61", "P67", "P48")
def test_a_record_becomes_a_valid_oai_dc_element_that_declares_its_own_namespaces() -> None:
    schemas.require()
    document = world.iso_record(
        "urn:a",
        title="T\u014dky\u014d & \u6771\u4eac",
        keywords=["wind", "wind", "rain"],
        box=(139.0, 35.0, 140.0, 36.0),
        translations={"fre": "Observations", "jpn": "\u89b3\u6e2c"},
    )
    made = dublin_core.to_oai_dc(document, "urn:a")
    assert made.startswith(b"<oai_dc:dc ")
    root = etree.fromstring(made)
    schema = schemas.load("oai-pmh.xsd")
    assert schema.validate(root), schema.error_log
    assert root.get("{http://www.w3.org/2001/XMLSchema-instance}schemaLocation") == (
        "http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
    )
    assert [(etree.QName(child).localname, child.get(LANG), child.text) for child in root] == [
        ("title", "en", "T\u014dky\u014d & \u6771\u4eac"),
        ("title", "fr", "Observations"),
        ("title", "ja", "\u89b3\u6e2c"),
        ("subject", "en", "wind"),
        ("subject", "en", "rain"),
        ("subject", None, "climatologyMeteorologyAtmosphere"),
        ("description", "en", "SYNOP reports of one station."),
        ("contributor", None, "Japan Meteorological Agency"),
        ("date", None, "2020-01-01"),
        ("type", None, "dataset"),
        ("identifier", None, "urn:a"),
        ("language", None, "eng"),
        ("coverage", None, "northlimit=36.0; southlimit=35.0; westlimit=139.0; eastlimit=140.0"),
    ]


@pytest.mark.spec("P61")
@pytest.mark.parametrize(
    ("role", "element"),
    [
        ("author", "creator"),
        ("originator", "creator"),
        ("principalInvestigator", "creator"),
        ("owner", "creator"),
        ("publisher", "publisher"),
        ("resourceProvider", "publisher"),
        ("distributor", "publisher"),
        ("custodian", "contributor"),
        ("processor", "contributor"),
        ("pointOfContact", "contributor"),
        ("user", None),
    ],
)
def test_a_responsible_party_becomes_what_its_role_says(role: str, element: str | None) -> None:
    document = world.iso_record("urn:a", organisation="JMA", role=role)
    found = [name for name in ("creator", "publisher", "contributor") if values(document, name) == ["JMA"]]
    assert found == ([element] if element else [])


@pytest.mark.spec("P61")
def test_an_anchor_counts_as_text_and_gmi_as_gmd() -> None:
    citation = (
        "<gmd:citation><gmd:CI_Citation><gmd:title>"
        '<gmx:Anchor xlink:href="http://example.org/t">Anchored title</gmx:Anchor>'
        "</gmd:title></gmd:CI_Citation></gmd:citation>"
    )
    assert values(record(info(citation), root="gmi:MI_Metadata"), "title") == ["Anchored title"]


@pytest.mark.spec("P61")
@pytest.mark.parametrize("gml", ["gml", "gml0"])
def test_times_places_and_links_are_taken_over_from_both_versions_of_gml(gml: str) -> None:
    place = (
        f"<gmd:descriptiveKeywords><gmd:MD_Keywords><gmd:keyword>{text('Tokyo')}</gmd:keyword>"
        '<gmd:type><gmd:MD_KeywordTypeCode codeListValue="place"/></gmd:type></gmd:MD_Keywords></gmd:descriptiveKeywords>'
    )
    period = (
        "<gmd:extent><gmd:EX_Extent><gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent>"
        f"<{gml}:TimePeriod><{gml}:beginPosition>1981-01-01</{gml}:beginPosition>"
        f'<{gml}:endPosition indeterminatePosition="now"/></{gml}:TimePeriod>'
        "</gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement></gmd:EX_Extent></gmd:extent>"
    )
    link = (
        "<gmd:distributionInfo><gmd:MD_Distribution><gmd:transferOptions><gmd:MD_DigitalTransferOptions><gmd:onLine>"
        "<gmd:CI_OnlineResource><gmd:linkage><gmd:URL>http://example.org/data?a=1&amp;b=2</gmd:URL></gmd:linkage>"
        "</gmd:CI_OnlineResource></gmd:onLine></gmd:MD_DigitalTransferOptions></gmd:transferOptions>"
        "</gmd:MD_Distribution></gmd:distributionInfo>"
    )
    document = record(info(place + period) + link)
    assert values(document, "coverage") == ["Tokyo", "start=1981-01-01"]
    assert values(document, "subject") == ["Tokyo"]
    assert values(document, "identifier") == ["urn:a", "http://example.org/data?a=1&b=2"]


@pytest.mark.spec("P61")
def test_publication_is_the_date_else_revision_else_creation() -> None:
    def dated(*kinds: str) -> bytes:
        dates = "".join(
            f"<gmd:date><gmd:CI_Date><gmd:date><gco:Date>{kind}</gco:Date></gmd:date><gmd:dateType>"
            f'<gmd:CI_DateTypeCode codeListValue="{kind}"/></gmd:dateType></gmd:CI_Date></gmd:date>'
            for kind in kinds
        )
        return record(info(f"<gmd:citation><gmd:CI_Citation>{dates}</gmd:CI_Citation></gmd:citation>"))

    assert values(dated("creation", "revision", "publication"), "date") == ["publication"]
    assert values(dated("creation", "revision"), "date") == ["revision"]
    assert values(dated("creation"), "date") == ["creation"]


@pytest.mark.spec("P66")
@pytest.mark.parametrize("identifier", ["urn:a", "a'b\u00e9", "a\"'b"])
def test_what_the_stylesheet_cannot_treat_is_identifier_and_title(monkeypatch, identifier: str) -> None:
    schemas.require()

    def broken() -> etree.XSLT:
        raise etree.XSLTApplyError("no")

    monkeypatch.setattr(dublin_core, "_transform", broken)
    document = world.iso_record("urn:a", title="  Still   a title ", translations={"fre": "Toujours"})
    assert values(document, "title", identifier) == ["Still a title"]
    assert values(document, "identifier", identifier) == [identifier]
    unreadable = dublin_core.to_oai_dc(b"<a><b></a>", identifier)
    assert schemas.load("oai-pmh.xsd").validate(etree.fromstring(unreadable))
    assert values(b"<a><b></a>", "title", identifier) == [identifier]


@pytest.mark.spec("P61", "P66", "P67")
def test_every_sample_record_becomes_valid_oai_dc() -> None:
    """The 1,255 files of real and of awkward records: whatever they are, the result is valid."""
    schemas.require()
    schema = schemas.load("oai-pmh.xsd")
    files = sorted((schemas.SHARED / "data").rglob("*.xml"))
    if not files:
        pytest.skip(f"no sample records in {schemas.SHARED / 'data'}")
    for file in files:
        made = dublin_core.to_oai_dc(Path(file).read_bytes(), "urn:a")
        assert schema.validate(etree.fromstring(made)), (file, schema.error_log)
