"""What the catalogue takes out of a record: identifier, dates, texts, boxes and time extents."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue import oai
from catalogue.documents import iso19139, xml_tree
from catalogue.models import Description, Record
from catalogue.pages import display
from catalogue.reading.query import search
from catalogue.writing import store
from tests.support import world

NAMESPACES = (
    'xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gmi="http://www.isotc211.org/2005/gmi" '
    'xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:gmx="http://www.isotc211.org/2005/gmx" '
    'xmlns:xlink="http://www.w3.org/1999/xlink"'
)
IDENTIFIER = "<gmd:fileIdentifier><gco:CharacterString>urn:a</gco:CharacterString></gmd:fileIdentifier>"


def record(content: str = "", *, identifier: str = IDENTIFIER, root: str = "gmd:MD_Metadata") -> bytes:
    return f"<{root} {NAMESPACES}>{identifier}{content}</{root}>".encode()


def read(content: str = "", **options: str) -> iso19139.Metadata:
    return iso19139.read(xml_tree.root_element(record(content, **options)))


def read_details(content: str = "") -> iso19139.Details:
    return iso19139.read_details(xml_tree.root_element(record(content)))


def unusable(document: bytes) -> str:
    with pytest.raises(xml_tree.Unusable) as caught:
        store.prepare(document)
    return str(caught.value)


def utc(year: int, month: int = 1, day: int = 1, *clock: int) -> datetime:
    return datetime(year, month, day, *clock, tzinfo=UTC)


# --- Root and identifier ------------------------------------------------------------------------------


@pytest.mark.parametrize("root", ["gmd:MD_Metadata", "gmi:MI_Metadata"])
def test_both_roots_of_ISO_19139_are_read(root: str) -> None:
    assert read(root=root).identifier == "urn:a"


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (b"<html/>", "its root is html in the namespace (none); the catalogue stores gmd:MD_Metadata"),
        (b'<a xmlns="http://standards.iso.org/iso/19115/-3/mdb/1.0"/>', "19115/-3/mdb/1.0"),
        (b'<MI_Metadata xmlns="http://www.isotc211.org/2005/gmd"/>', "is not an ISO 19139 record"),
        (b'<gmd:DS_Series xmlns:gmd="http://www.isotc211.org/2005/gmd"/>', "its root is DS_Series"),
        (f'<record xmlns="{oai.OAI_NS}"/>'.encode(), "part of an OAI-PMH answer"),
        (f'<OAI-PMH xmlns="{oai.OAI_NS}"/>'.encode(), "part of an OAI-PMH answer"),
        (b'<c:GetRecordsResponse xmlns:c="http://www.opengis.net/cat/csw/2.0.2"/>', "answer of a CSW server"),
        (b'<c:GetRecordByIdResponse xmlns:c="http://www.opengis.net/cat/csw/3.0"/>', "answer of a CSW server"),
    ],
)
def test_another_root_is_refused_and_the_sentence_says_what_it_is(document: bytes, sentence: str) -> None:
    assert sentence in unusable(document)


@pytest.mark.spec("W3")
@pytest.mark.parametrize(
    "inside",
    [
        "<gco:CharacterString>urn:a</gco:CharacterString>",
        "\n  <gco:CharacterString>\n    urn:a\t </gco:CharacterString>\n",
        "<gco:CharacterString>\u00a0urn:a\u3000</gco:CharacterString>",
        '<gmx:Anchor xlink:href="http://example.org/a">urn:a</gmx:Anchor>',
        "<gco:CharacterString>urn:<!-- the rest -->a</gco:CharacterString>",
        "<gco:CharacterString><!-- fill in --> urn:a</gco:CharacterString><!-- x -->",
        "<gco:CharacterString>urn:<?x y?>a</gco:CharacterString>",
        "<gco:CharacterString><![CDATA[urn:a]]></gco:CharacterString>",
        "<gco:CharacterString>urn:&#97;</gco:CharacterString>",
        "urn:<gco:CharacterString>a</gco:CharacterString>",
        "<gco:CharacterString>urn:</gco:CharacterString>a",
        "<gco:CharacterString>urn:</gco:CharacterString><gco:CharacterString>a</gco:CharacterString>",
        "<gmx:Anchor xmlns:gmx='http://www.isotc211.org/2005/gmx'>urn:<b/>a</gmx:Anchor>",
        "urn:a",
    ],
)
def test_the_identifier_is_the_text_without_space_and_comments_around_it(inside: str) -> None:
    assert read(identifier=f"<gmd:fileIdentifier>{inside}</gmd:fileIdentifier>").identifier == "urn:a"


@pytest.mark.spec("W3")
@pytest.mark.parametrize(
    ("identifier", "sentence"),
    [
        ("", "has no gmd:fileIdentifier"),
        (f"<gmd:parent>{IDENTIFIER}</gmd:parent>", "has no gmd:fileIdentifier"),
        (IDENTIFIER * 2, "has 2 gmd:fileIdentifier"),
        ("<gmd:fileIdentifier/>", "has an empty gmd:fileIdentifier"),
        ("<gmd:fileIdentifier><gco:CharacterString> \n</gco:CharacterString></gmd:fileIdentifier>", "has an empty"),
        ('<gmd:fileIdentifier xmlns:gco="http://www.isotc211.org/2005/gco" gco:nilReason="missing"/>', "has an empty"),
        (IDENTIFIER.replace("urn:a", "x" * 2001), "xxx...', which is longer than 2000 bytes"),
        (IDENTIFIER.replace("urn:a", "{" * 700), "{{{...', which is longer than 2000 bytes"),
        (IDENTIFIER.replace("urn:a", "x" * 2001), "has the gmd:fileIdentifier"),
    ],
)
def test_a_record_without_one_usable_identifier_is_refused(identifier: str, sentence: str) -> None:
    assert sentence in unusable(record(identifier=identifier))


def test_a_sentence_stays_short_whatever_the_identifier_is() -> None:
    assert len(unusable(record(identifier=IDENTIFIER.replace("urn:a", "a b " * 100_000)))) < 500


def test_nesting_beyond_the_parsers_limit_is_refused() -> None:
    depth = 5000
    assert "is not well-formed XML" in unusable(record("<gmd:a>" * depth + "</gmd:a>" * depth))


def test_an_undefined_entity_and_a_text_over_the_parsers_limit_are_refused() -> None:
    assert "is not well-formed XML" in unusable(record("<gmd:a>&nbsp;</gmd:a>"))
    assert "is not well-formed XML" in unusable(record(f"<gmd:a>{'x' * 10_100_000}</gmd:a>"))


def test_very_many_attributes_and_elements_are_read() -> None:
    attributes = " ".join(f'a{number}="{number}"' for number in range(250))
    assert read(f"<gmd:a {attributes}/>" + "<gmd:b/>" * 99_000).identifier == "urn:a"


# --- Texts --------------------------------------------------------------------------------------------


def test_title_abstract_keywords_and_language_are_read() -> None:
    said = iso19139.read(
        xml_tree.root_element(
            world.iso_record(
                "urn:a",
                title="Wind  over\n Tōkyō",
                abstract="A & B <c>",
                keywords=["wind", "sea ice", ""],
                translations={"jpn": "東京の風"},
            )
        )
    )
    assert said.title == "Wind over Tōkyō"
    assert said.abstract == "A & B <c>"
    assert said.keywords == ("wind", "sea ice")
    assert said.language == "eng"


@pytest.mark.parametrize(
    ("content", "language"),
    [
        ("<gmd:language><gco:CharacterString>fra</gco:CharacterString></gmd:language>", "fra"),
        ('<gmd:language><gmd:LanguageCode codeList="x" codeListValue="jpn"/></gmd:language>', "jpn"),
        (
            '<gmd:language><gmd:LanguageCode codeList="x" codeListValue="jpn">Japanese</gmd:LanguageCode></gmd:language>',
            "Japanese",
        ),
        ("<gmd:language/>", ""),
        ("<gmd:language><!-- none --></gmd:language>", ""),
        ("", ""),
    ],
)
def test_a_property_is_a_string_a_code_or_nothing(content: str, language: str) -> None:
    assert read(content).language == language


def test_a_record_that_says_nothing_has_empty_fields() -> None:
    said = read()
    assert (said.title, said.abstract, said.keywords, said.boxes, said.language) == ("", "", (), (), "")
    assert said.categories == ()
    assert read_details() == iso19139.Details((), ())
    assert (said.metadata_date, said.begins, said.ends) == (None, None, None)


@pytest.mark.parametrize(
    ("value", "instant"),
    [
        ("<gco:Date>2024-03-01</gco:Date>", utc(2024, 3, 1)),
        ("<gco:DateTime>2024-03-01T10:20:30</gco:DateTime>", utc(2024, 3, 1, 10, 20, 30)),
        ("<gco:DateTime>2024-03-01T10:20:30.641360Z</gco:DateTime>", utc(2024, 3, 1, 10, 20, 30)),
        ("<gco:DateTime>2019-10-10T11:00:00-06:00</gco:DateTime>", utc(2019, 10, 10, 17)),
        ("<gco:Date> 2024-03-01\n</gco:Date>", utc(2024, 3, 1)),
        ("<gco:Date>2024</gco:Date>", utc(2024)),
        ("<gco:Date>2024-03</gco:Date>", utc(2024, 3)),
        ("<gco:CharacterString>2024-03-01</gco:CharacterString>", utc(2024, 3, 1)),
        ("<gco:Date>0001-01-01</gco:Date>", utc(1)),
        ("<gco:Date>9999-12-31</gco:Date>", utc(9999, 12, 31)),
        ("<gco:Date>0000</gco:Date>", None),
        ("<gco:Date>2024-13</gco:Date>", None),
        ("<gco:Date>2023-02-29</gco:Date>", None),
        ("<gco:Date>yesterday</gco:Date>", None),
        ("<gco:Date/>", None),
        ('<gco:Date gco:nilReason="unknown"/>', None),
        ("<gco:DateTime>0001-01-01T00:00:00+01:00</gco:DateTime>", None),
        ("<gco:DateTime>9999-12-31T23:59:59-01:00</gco:DateTime>", None),
        ("<gco:Date>99999-01-01</gco:Date>", None),
        ("", None),
    ],
)
def test_an_odd_metadata_date_is_read_as_far_as_it_can_be(value: str, instant: datetime | None) -> None:
    assert read(f"<gmd:dateStamp>{value}</gmd:dateStamp>").metadata_date == instant


# --- Categories ---------------------------------------------------------------------------------------

LIST = "http://wis.wmo.int/2012/codelists/WMOCodeLists.xml#WMO_CategoryCode"


def keywords(thesaurus: str, *terms: str) -> str:
    said = "".join(f"<gmd:keyword>{term}</gmd:keyword>" for term in terms)
    return f"<gmd:descriptiveKeywords><gmd:MD_Keywords>{said}{thesaurus}</gmd:MD_Keywords></gmd:descriptiveKeywords>"


def string(text: str) -> str:
    return f"<gco:CharacterString>{text}</gco:CharacterString>"


def named(inside: str, more: str = "") -> str:
    return (
        f"<gmd:thesaurusName><gmd:CI_Citation><gmd:title>{inside}</gmd:title>{more}</gmd:CI_Citation>"
        "</gmd:thesaurusName>"
    )


@pytest.mark.parametrize(
    "thesaurus",
    [
        named(string("WMO_CategoryCode")),
        named(string("WMO_CAtegoryCode")),
        named(string(" wmo category code ")),
        named(f'<gmx:Anchor xlink:href="{LIST}">WMO_CategoryCode</gmx:Anchor>'),
        named(f'<gmx:Anchor xlink:href="{LIST}">Categories</gmx:Anchor>'),
        named('<gmx:Anchor xlink:href="http://wis.wmo.int/2013/codelists/WMOCodeLists.xml#WMO_CategoryCode"/>'),
        named(string(f"WMO_CodeList dictionary [{LIST}]")),
        named(
            string("WMO code list"),
            f"<gmd:identifier><gmd:MD_Identifier><gmd:code>{string('WMO_CategoryCode')}</gmd:code></gmd:MD_Identifier>"
            "</gmd:identifier>",
        ),
        f'<gmd:thesaurusName xlink:href="{LIST}"/>',
    ],
)
def test_category_codes_are_told_from_other_keywords_however_the_list_is_named(thesaurus: str) -> None:
    said = read(
        keywords(thesaurus, string("meteorology"), string("aerology"), '<gmd:keyword gco:nilReason="unknown"/>', "")
        + keywords(named(string("GCMD")), string("WIND"))
        + keywords("", string("sea ice"), string("sea ice"))
    )
    assert said.categories == ("meteorology", "aerology")
    assert said.keywords == ("WIND", "sea ice")


def test_a_category_code_may_name_its_list_itself() -> None:
    anchor = f'<gmx:Anchor xlink:href="{LIST}_meteorology">meteorology</gmx:Anchor>'
    code = f'<gmd:Code codeList="{LIST}" codeListValue="hydrology"/>'
    said = read(keywords("", anchor, string("wind"), code))
    assert said.categories == ("meteorology", "hydrology")
    assert said.keywords == ("wind",)


def test_another_list_of_WMO_and_a_topic_category_are_no_categories() -> None:
    said = read(
        keywords(named(string("WMO_DistributionScopeCode")), string("GlobalExchange"))
        + "<gmd:MD_TopicCategoryCode>climatologyMeteorologyAtmosphere</gmd:MD_TopicCategoryCode>"
    )
    assert (said.categories, said.keywords) == ((), ("GlobalExchange",))


# --- Contacts and links -------------------------------------------------------------------------------


def party(names: str, role: str = "", email: str = "") -> str:
    mail = f"<gmd:electronicMailAddress>{string(email)}</gmd:electronicMailAddress>" if email else ""
    return (
        f"<gmd:CI_ResponsibleParty>{names}<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address>{mail}"
        "</gmd:CI_Address></gmd:address><gmd:onlineResource><gmd:CI_OnlineResource><gmd:linkage>"
        "<gmd:URL>http://home.example</gmd:URL></gmd:linkage></gmd:CI_OnlineResource></gmd:onlineResource>"
        f"</gmd:CI_Contact></gmd:contactInfo>{role}</gmd:CI_ResponsibleParty>"
    )


def role(code: str, text: str = "") -> str:
    return f'<gmd:role><gmd:CI_RoleCode codeList="x" codeListValue="{code}">{text}</gmd:CI_RoleCode></gmd:role>'


ORGANISATION = f"<gmd:organisationName>{string('JMA')}</gmd:organisationName>"
PERSON = f"<gmd:individualName>{string('A. Person')}</gmd:individualName>"
POSITION = f"<gmd:positionName>{string('Duty officer')}</gmd:positionName>"


@pytest.mark.parametrize(
    ("inside", "contact"),
    [
        (party(PERSON + ORGANISATION, role("owner", "Owner"), "a@b.example"), ("JMA", "owner", "a@b.example")),
        (party(PERSON + POSITION, role("owner")), ("A. Person", "owner", "")),
        (party(POSITION, role("", "custodian")), ("Duty officer", "custodian", "")),
        (party("<gmd:organisationName/>" + PERSON), ("A. Person", "", "")),
        (party("", "<gmd:role/>", "a@b.example"), ("", "", "a@b.example")),
        (party("", role("owner")), None),
        ("", None),
    ],
)
def test_a_contact_is_an_organisation_or_person_with_role_and_address(inside: str, contact: tuple | None) -> None:
    said = read_details(f"<gmd:contact>{inside}</gmd:contact>")
    assert said.contacts == ((iso19139.Contact(*contact),) if contact else ())


def test_contacts_come_from_record_data_and_distribution_once_each_and_not_from_a_thesaurus() -> None:
    def of(name: str) -> str:
        return party(f"<gmd:organisationName>{string(name)}</gmd:organisationName>")

    said = read_details(
        f"<gmd:contact>{of('a')}</gmd:contact><gmd:contact>{of('a')}</gmd:contact>"
        "<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation><gmd:citedResponsibleParty>"
        f"{of('b')}</gmd:citedResponsibleParty></gmd:CI_Citation></gmd:citation>"
        f"<gmd:pointOfContact>{of('c')}</gmd:pointOfContact>"
        + keywords(named(string("x"), f"<gmd:citedResponsibleParty>{of('nobody')}</gmd:citedResponsibleParty>"))
        + "</gmd:MD_DataIdentification></gmd:identificationInfo><gmd:distributionInfo><gmd:MD_Distribution>"
        f"<gmd:distributor><gmd:MD_Distributor><gmd:distributorContact>{of('d')}</gmd:distributorContact>"
        "</gmd:MD_Distributor></gmd:distributor></gmd:MD_Distribution></gmd:distributionInfo>"
    )
    assert [contact.name for contact in said.contacts] == ["a", "b", "c", "d"]
    assert said.links == ()


def online(url: str, more: str = "") -> str:
    return (
        f"<gmd:onLine><gmd:CI_OnlineResource><gmd:linkage>{url}</gmd:linkage>{more}</gmd:CI_OnlineResource>"
        "</gmd:onLine>"
    )


def distribution(*links: str) -> str:
    return (
        "<gmd:distributionInfo><gmd:MD_Distribution><gmd:transferOptions><gmd:MD_DigitalTransferOptions>"
        f"{''.join(links)}</gmd:MD_DigitalTransferOptions></gmd:transferOptions></gmd:MD_Distribution>"
        "</gmd:distributionInfo>"
    )


def test_links_are_read_with_name_and_protocol() -> None:
    more = f"<gmd:protocol>{string('WWW:LINK')}</gmd:protocol><gmd:name>{string('Cache')}</gmd:name>"
    said = read_details(
        distribution(
            online("<gmd:URL>\n https://a.example/x?y=1&amp;z=2 </gmd:URL>", more),
            online("<gmd:URL>javascript:alert(1)</gmd:URL>"),
            online("<gmd:URL/>", more),
            online(""),
            "<gmd:onLine/>",
        )
    )
    assert said.links == (
        iso19139.OnlineResource("https://a.example/x?y=1&z=2", "Cache", "WWW:LINK"),
        iso19139.OnlineResource("javascript:alert(1)", "", ""),
    )


def test_links_of_a_distributor_are_read() -> None:
    inside = distribution(online("<gmd:URL>ftp://a.example/</gmd:URL>"))
    inside = inside.replace("transferOptions>", "distributorTransferOptions>")
    inside = inside.replace("<gmd:MD_Distribution>", "<gmd:MD_Distribution><gmd:distributor><gmd:MD_Distributor>")
    inside = inside.replace("</gmd:MD_Distribution>", "</gmd:MD_Distributor></gmd:distributor></gmd:MD_Distribution>")
    assert [link.url for link in read_details(inside).links] == ["ftp://a.example/"]


def test_one_record_cannot_bloat_its_row() -> None:
    """What is over the chosen numbers is left out of the description; the record itself is kept whole."""
    many = [str(number) for number in range(1600)]
    long = "x" * 50_000
    content = (
        f"<gmd:language>{string(long)}</gmd:language>"
        + "".join(
            f"<gmd:contact>{party(f'<gmd:organisationName>{string(n)}</gmd:organisationName>')}</gmd:contact>"
            for n in [long, *many]
        )
        + keywords("", *map(string, [long, *many]))
        + keywords(named(string("WMO_CategoryCode")), *map(string, many))
        + distribution(*(online(f"<gmd:URL>http://{n}</gmd:URL>") for n in [long, *many]))
        + "".join(box(str(n / 100), "0", "90", "1") for n in range(1600))
    )
    said, more = read(content), read_details(content)
    assert (len(said.keywords), len(said.categories)) == (iso19139.MAX_KEYWORDS, iso19139.MAX_KEYWORDS)
    assert (len(more.contacts), len(more.links)) == (iso19139.MAX_CONTACTS, iso19139.MAX_ONLINE_RESOURCES)
    assert len(said.boxes) == iso19139.MAX_BOXES
    assert {len(said.keywords[0]), len(more.contacts[0].name)} == {iso19139.MAX_NAME}
    assert len(said.language) == iso19139.MAX_LANGUAGE
    assert all(len(link.url) <= iso19139.MAX_URL for link in more.links)


@pytest.mark.django_db
def test_the_description_holds_it_all_and_search_finds_categories_and_keywords() -> None:
    document = record(
        keywords(named(string("WMO_CategoryCode")), string("marineMeteorology"))
        + keywords("", string("wave \\ 'height'"))
        + f"<gmd:contact>{party(ORGANISATION, role('owner'), 'a@b.example')}</gmd:contact>"
        + distribution(online("<gmd:URL>http://a.example/\t\u00e9</gmd:URL>"))
    )
    world.put(document)
    held = Description.objects.get()
    assert (held.categories, held.keywords) == (["marineMeteorology"], ["wave \\ 'height'"])
    shown = display.details(held.record.payload)
    assert shown.contacts == (iso19139.Contact("JMA", "owner", "a@b.example"),)
    assert shown.links == (iso19139.OnlineResource("http://a.example/ \u00e9", "", ""),)
    for words in ("marinemeteorology", "wave height"):
        assert [found.identifier for found in search.records(words)] == ["urn:a"]
    world.put(record("<gmd:contact/>"))
    held.refresh_from_db()
    assert held.categories == []
    assert display.details(Record.objects.get().payload) == iso19139.Details()
    assert not search.records("marinemeteorology")


# --- Boxes --------------------------------------------------------------------------------------------


def box(west: str, south: str, east: str, north: str) -> str:
    sides = {
        "westBoundLongitude": west,
        "eastBoundLongitude": east,
        "southBoundLatitude": south,
        "northBoundLatitude": north,
    }
    return (
        "<gmd:EX_GeographicBoundingBox>"
        + "".join(f"<gmd:{side}><gco:Decimal>{value}</gco:Decimal></gmd:{side}>" for side, value in sides.items())
        + "</gmd:EX_GeographicBoundingBox>"
    )


@pytest.mark.parametrize(
    ("content", "boxes"),
    [
        (box("-10", "40", "10.5", "50"), [(-10, 40, 10.5, 50)]),
        (box("170", "-20", "-170", "20"), [(170, -20, -170, 20)]),
        (box("-180", "-90", "180", "90"), [(-180, -90, 180, 90)]),
        (box("0", "0", "360", "0"), [(0, 0, 360, 0)]),
        (box("5", "5", "5", "5") + box("5", "5", "5", "5") + box("6", "6", "6", "6"), [(5, 5, 5, 5), (6, 6, 6, 6)]),
        (box(" +1.0e1 ", "0", "20", "1"), [(10, 0, 20, 1)]),
        (box("0", "50", "10", "40"), []),
        (box("0", "-91", "10", "40"), []),
        (box("0", "0", "10", "90.1"), []),
        (box("NaN", "0", "10", "40"), []),
        (box("0", "0", "NaN", "40"), []),
        (box("0", "0", "INF", "40"), []),
        (box("1e308", "0", "-1e308", "40"), []),
        (box("-361", "0", "10", "40"), []),
        (box("0", "0", "360.5", "40"), []),
        (box("1,5", "0", "10", "40"), []),
        (box("", "0", "10", "40"), []),
        (box("1e400", "0", "10", "40"), []),
        ("<gmd:EX_GeographicBoundingBox/>", []),
        (box("x", "0", "10", "40") + box("1", "0", "10", "40"), [(1, 0, 10, 40)]),
    ],
)
def test_boxes_are_read_across_the_date_line_and_broken_ones_are_left_out(content: str, boxes: list[tuple]) -> None:
    assert list(read(content).boxes) == boxes


@given(st.lists(st.text("0123456789.-+eEnNaAiIfF_ ,", max_size=8), min_size=4, max_size=4))
def test_no_text_in_a_box_costs_the_record(sides: list[str]) -> None:
    for west, south, east, north in read(box(*sides)).boxes:
        assert -90 <= south <= north <= 90
        assert abs(west) <= 360 and abs(east) <= 360


# --- Time extents -------------------------------------------------------------------------------------

GML = ("http://www.opengis.net/gml", "http://www.opengis.net/gml/3.2")


def extent(gml: str, primitive: str) -> str:
    return f'<gmd:EX_TemporalExtent><gmd:extent xmlns:gml="{gml}">{primitive}</gmd:extent></gmd:EX_TemporalExtent>'


def period(begin: str, end: str) -> str:
    return f"<gml:TimePeriod>{position('begin', begin)}{position('end', end)}</gml:TimePeriod>"


def position(side: str, text: str) -> str:
    return f"<gml:{side}Position>{text}</gml:{side}Position>"


def around(side: str, text: str) -> str:
    return f"<gml:{side}><gml:TimeInstant><gml:timePosition>{text}</gml:timePosition></gml:TimeInstant></gml:{side}>"


@pytest.mark.parametrize("gml", GML)
@pytest.mark.parametrize(
    ("primitive", "begins", "ends"),
    [
        (period("2001-02-03", "2004-05-06T07:08:09Z"), utc(2001, 2, 3), utc(2004, 5, 6, 7, 8, 9)),
        (period("1958", "2024-06"), utc(1958), utc(2024, 6, 30, 23, 59, 59)),
        (period("1958-03", "2024-02Z"), utc(1958, 3), utc(2024, 2, 29, 23, 59, 59)),
        (period("2001-02-03Z", "2001-02-03+09:00"), utc(2001, 2, 3), utc(2001, 2, 3, 23, 59, 59)),
        (period("2001-02-03T00:00:00", "2001-02-03T00:00:00Z"), utc(2001, 2, 3), utc(2001, 2, 3)),
        (period("2001-13", "2001-02-30"), None, None),
        (period("2001-02-03", ""), utc(2001, 2, 3), None),
        (period("", "2001-02-03"), None, utc(2001, 2, 3, 23, 59, 59)),
        (period("", ""), None, None),
        (period("2001-02-03", "now"), utc(2001, 2, 3), None),
        (period("0001-01-01", "9999-12-31"), utc(1), utc(9999, 12, 31, 23, 59, 59)),
        ('<gml:TimePeriod><gml:beginPosition>2001</gml:beginPosition><gml:endPosition indeterminatePosition="now"/></gml:TimePeriod>', utc(2001), None),
        (f"<gml:TimePeriod>{around('begin', '2001')}{around('end', '2002')}</gml:TimePeriod>", utc(2001), utc(2002, 12, 31, 23, 59, 59)),
        (f"<gml:TimePeriod>{around('begin', '2001')}<gml:end/></gml:TimePeriod>", utc(2001), None),
        ("<gml:TimeInstant><gml:timePosition>2001-02-03</gml:timePosition></gml:TimeInstant>", utc(2001, 2, 3), utc(2001, 2, 3, 23, 59, 59)),
        (position("begin", "2001"), utc(2001), None),
        ("", None, None),
    ],
)  # fmt: skip
def test_time_extents_are_read_in_both_GML_namespaces(
    gml: str, primitive: str, begins: datetime | None, ends: datetime | None
) -> None:
    said = read(extent(gml, primitive))
    assert (said.begins, said.ends) == (begins, ends)


def test_several_time_extents_are_one_from_the_first_start_to_the_last_end() -> None:
    said = read(extent(GML[0], period("2001", "2002")) + extent(GML[1], period("1990", "1991")))
    assert (said.begins, said.ends) == (utc(1990), utc(2002, 12, 31, 23, 59, 59))


def test_one_open_end_leaves_the_whole_open() -> None:
    said = read(extent(GML[0], period("2001", "")) + extent(GML[1], period("1990", "1991")))
    assert (said.begins, said.ends) == (utc(1990), None)
