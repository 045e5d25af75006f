"""Values to bytes: what every document must look like. No database, no Django."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from catalogue.oai import Entry, Header
from oaiprovider.protocol import errors, render
from tests.support import schemas

AT = datetime(2025, 3, 4, 9, 0, 0, 999999, tzinfo=UTC)
BASE = "http://gisc.example.org/oai"
PAYLOAD = (
    b'<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    b' xsi:schemaLocation="http://www.isotc211.org/2005/gmd http://www.isotc211.org/2005/gmd/gmd.xsd"\n  >'
    b"<gmd:x a='1'   b=\"2\"/><!-- as it is --></gmd:MD_Metadata>"
)
LIVE = Entry(Header("urn:a", "2025-03-01T00:00:00Z", ("WIS-CATALOGUE", "WIS-GISC-TOKYO")), PAYLOAD)
DELETED = Entry(Header("urn:b", "2025-03-02T11:15:00Z", ("WIS-CATALOGUE",), deleted=True))
FAULTS = errors.OaiFault.__subclasses__()


def document(body: render.Body, given: tuple[tuple[str, str], ...] = (("verb", "ListRecords"),)) -> bytes:
    return b"".join(render.document(at=AT, base_url=BASE, given=given, body=body))


def refusal(given: tuple[tuple[str, str], ...], *faults: errors.OaiFault) -> bytes:
    return b"".join(render.refusal(at=AT, base_url=BASE, given=given, faults=faults))


@pytest.mark.spec("P43", "P44")
def test_a_document_begins_with_the_declaration_and_the_bare_root() -> None:
    made = document(render.list_records([LIVE], None))
    assert made.startswith(
        b'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"'
    )
    root = etree.fromstring(made)
    assert not root.prefix
    assert dict(root.nsmap) == {
        None: "http://www.openarchives.org/OAI/2.0/",
        "xsi": "http://www.w3.org/2001/XMLSchema-instance",
    }
    assert dict(root.attrib) == {
        "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation": (
            "http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"
        )
    }


@pytest.mark.spec("P39")
def test_the_response_date_is_cut_off_not_rounded() -> None:
    assert b"<responseDate>2025-03-04T09:00:00Z</responseDate>" in document(b"<Identify/>")


@pytest.mark.spec("P48", "S36")
def test_a_payload_is_spliced_byte_for_byte() -> None:
    assert b"<metadata>" + PAYLOAD + b"</metadata>" in document(render.list_records([LIVE], None))


@pytest.mark.spec("P83", "P86")
def test_a_deleted_record_is_its_header_and_a_live_one_has_no_status() -> None:
    root = etree.fromstring(document(render.list_records([LIVE, DELETED], None)))
    live, deleted = root.iter("{*}record")
    assert "status" not in live[0].attrib
    assert [etree.QName(child).localname for child in deleted] == ["header"]
    assert deleted[0].get("status") == "deleted"


@pytest.mark.spec("P28", "P47")
@given(st.text(), st.text())
def test_any_text_from_outside_makes_a_well_formed_document(text: str, value: str) -> None:
    made = refusal((("verb", "ListRecords"), ("set", value)), errors.NoRecordsMatch(text))
    made.decode("utf-8")
    root = etree.fromstring(made)
    cleaned = render._clean(value)
    assert root[1].get("set") == cleaned
    assert (root[2].text or "") == render._clean(text)


@pytest.mark.spec("P26", "P27", "S27")
@pytest.mark.parametrize("fault", FAULTS)
def test_the_request_is_echoed_unless_verb_or_arguments_are_in_doubt(fault: type[errors.OaiFault]) -> None:
    schemas.require()
    given = (("verb", "ListRecords"), ("metadataPrefix", "marcxml"))
    made = refusal(given, fault("why"))
    root = etree.fromstring(made)
    bare = fault.code in ("badVerb", "badArgument")
    assert dict(root[1].attrib) == ({} if bare else dict(given))
    assert root[2].get("code") == fault.code
    assert schemas.envelope_faults(made) == []


@pytest.mark.spec("P22")
def test_the_codes_are_those_of_the_protocol() -> None:
    assert sorted(fault.code for fault in FAULTS) == [
        "badArgument",
        "badResumptionToken",
        "badVerb",
        "cannotDisseminateFormat",
        "idDoesNotExist",
        "noMetadataFormats",
        "noRecordsMatch",
        "noSetHierarchy",
    ]


@pytest.mark.spec("P26")
def test_one_bad_argument_among_other_errors_leaves_the_request_bare() -> None:
    faults = (errors.CannotDisseminateFormat("a"), errors.BadArgument("b"))
    root = etree.fromstring(refusal((("verb", "ListRecords"),), *faults))
    assert dict(root[1].attrib) == {}


@pytest.mark.spec("P96", "P104")
def test_the_token_element_of_a_middle_page_and_of_the_last() -> None:
    middle = render.Resumption("a.b", datetime(2025, 3, 5, 9, 0, 3, tzinfo=UTC), 175, 0)
    last = render.Resumption("", None, 175, 174)
    assert (
        b'<resumptionToken expirationDate="2025-03-05T09:00:03Z" completeListSize="175" cursor="0">a.b</resumptionToken>'
        in render.list_identifiers([LIVE.header], middle)
    )
    assert b'<resumptionToken completeListSize="175" cursor="174"></resumptionToken>' in render.list_identifiers(
        [LIVE.header], last
    )
    assert b"resumptionToken" not in render.list_identifiers([LIVE.header], None)


@pytest.mark.spec("P73", "P46", "E4")
def test_a_set_description_is_an_oai_dc_container() -> None:
    schemas.require()
    sets = [render.SetLine("a", "A & B"), render.SetLine("b", "B", ("Records <of> B\x00",))]
    made = document(render.list_sets(sets, None), (("verb", "ListSets"),))
    assert schemas.envelope_faults(made) == []
    root = etree.fromstring(made)
    assert root.xpath("string(//*[local-name()='description'])") == "Records <of> B\ufffd"
    assert len(root.findall(".//{*}setDescription")) == 1
