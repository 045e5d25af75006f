"""Records in answers of OAI-PMH and CSW servers, and in series: each one a document, cut out as it stands."""

import io
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from catalogue.bulk import ingest
from catalogue.documents import iso19139, sources, wrapped, xml_tree
from catalogue.documents.sources import Document
from catalogue.models import Record
from catalogue.reasons import ReasonCode
from tests.support import provider, world
from tests.support.paths import shared

OAI = 'xmlns="http://www.openarchives.org/OAI/2.0/"'
CSW = 'xmlns:csw="http://www.opengis.net/cat/csw/2.0.2"'
OWS = 'xmlns:ows="http://www.opengis.net/ows"'
GMD = 'xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"'


def bare(identifier: str) -> str:
    """A record without a declaration of a namespace."""
    return (
        f"<gmd:MD_Metadata><gmd:fileIdentifier><gco:CharacterString>{identifier}</gco:CharacterString>"
        "</gmd:fileIdentifier></gmd:MD_Metadata>"
    )


def unprefixed(identifier: str) -> str:
    """A record that takes its default namespace from around it."""
    return bare(identifier).replace("gmd:", "")


WRAPPERS: dict[str, Callable[[str], str]] = {
    "OAI-PMH": lambda records: (
        f"<OAI-PMH {OAI} {GMD}><responseDate>2026-01-01T00:00:00Z</responseDate><ListRecords><record><header/>"
        f"<metadata>\n{records}</metadata></record></ListRecords></OAI-PMH>"
    ),
    "part of OAI-PMH": lambda records: (
        f"<o:metadata xmlns:o='http://www.openarchives.org/OAI/2.0/' {GMD}>{records}</o:metadata>"
    ),
    "CSW, many": lambda records: (
        f"<csw:GetRecordsResponse {CSW} {GMD}><csw:SearchResults>{records}</csw:SearchResults></csw:GetRecordsResponse>"
    ),
    "CSW, one": lambda records: f"<csw:GetRecordByIdResponse {CSW} {GMD}>{records}</csw:GetRecordByIdResponse>",
    "CSW 3": lambda records: (
        f"<csw:GetRecordByIdResponse xmlns:csw='http://www.opengis.net/cat/csw/3.0' {GMD}>{records}</csw:GetRecordByIdResponse>"
    ),
    "series": lambda records: (
        f"<gmd:DS_Series {GMD}><gmd:composedOf gco:nilReason='missing'/><gmd:seriesMetadata>{records}</gmd:seriesMetadata>"
        "</gmd:DS_Series>"
    ),
    "data set": lambda records: f"<gmd:DS_DataSet {GMD}><gmd:has>{records}</gmd:has></gmd:DS_DataSet>",
}


def documents(text: str | bytes, piece: int = 1 << 16) -> list[Document]:
    """What `sources` makes of a file with this text, read in pieces of this size."""
    data = text.encode() if isinstance(text, str) else text
    rest = io.BytesIO(data)
    beginning = rest.read(min(piece, wrapped.BEGINNING_BYTES))
    parts = wrapped.unpack(lambda most: rest.read(min(piece, most)), beginning)
    return [Document(f"a.xml[{part.place}]" if part.place else "a.xml", part.content, part.fault) for part in parts]


def names(found: list[Document]) -> list[str]:
    """The source and gmd:fileIdentifier of each document, or the code of its fault."""
    return [
        f"{each.source} {each.fault.code if each.fault else iso19139.read(each.content).identifier}" for each in found
    ]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("piece", [1, 7, 1 << 16])
def test_each_record_is_a_document_named_by_its_place(wrapper: str, piece: int) -> None:
    text = WRAPPERS[wrapper](bare("urn:a") + "<!-- between -->" + bare("urn:b"))
    assert wrapped.is_wrapper(text.encode()[: wrapped.BEGINNING_BYTES])
    assert names(documents(text, piece)) == ["a.xml[1] urn:a", "a.xml[2] urn:b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "utf-8-sig"])
@pytest.mark.parametrize("piece", [3, 1 << 16])
def test_an_answer_may_have_any_encoding(encoding: str, piece: int) -> None:
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = f'<?xml version="1.0" encoding="{declared}"?><!-- é -->' + WRAPPERS["CSW, one"](bare("é"))
    data = text.encode(encoding)
    assert wrapped.is_wrapper(data)
    assert names(documents(data, max(piece, 150))) == ["a.xml[1] é"]


def test_what_is_declared_around_a_record_goes_with_it_and_nothing_else_does() -> None:
    text = (
        f'<OAI-PMH {OAI} {GMD} xmlns:x="a?b&amp;c" xmlns:unused="u" xml:lang="fr"><ListRecords><record><metadata>'
        '<MD_Metadata xmlns="http://www.isotc211.org/2005/gmd" a="1" x:b="2"><fileIdentifier><gco:CharacterString>urn:a'
        "</gco:CharacterString></fileIdentifier></MD_Metadata></metadata></record></ListRecords></OAI-PMH>"
    )
    (found,) = documents(text)
    root = etree.fromstring(found.content)
    assert root.nsmap == {
        None: "http://www.isotc211.org/2005/gmd",
        "gco": "http://www.isotc211.org/2005/gco",
        "x": "a?b&c",
    }
    assert dict(root.attrib) == {"a": "1", "{a?b&c}b": "2"}


def test_a_default_namespace_from_around_is_kept_where_it_is_used() -> None:
    text = (
        '<DS_Series xmlns="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">'
        f"<seriesMetadata>{unprefixed('urn:a')}</seriesMetadata></DS_Series>"
    )
    (found,) = documents(text)
    assert iso19139.read(found.content).identifier == "urn:a"


@given(st.lists(st.sampled_from([bare("urn:a"), "<gmd:MD_Metadata/>", "\n"]), min_size=1), st.integers(1, 99))
def test_what_is_cut_out_is_what_a_parser_finds(records: list[str], piece: int) -> None:
    text = WRAPPERS["CSW, many"]("".join(records))
    expected = [
        etree.tostring(element, method="c14n", exclusive=True, with_tail=False)
        for element in etree.fromstring(text).iter("{*}MD_Metadata")
    ]
    found = [each for each in documents(text, piece) if each.fault is None]
    canonical = [etree.tostring(etree.fromstring(each.content), method="c14n", exclusive=True) for each in found]
    assert canonical == expected


# --- What is no record ------------------------------------------------------------------------------------


def test_a_deletion_in_an_answer_is_named_and_not_applied() -> None:
    header = provider.record("urn:gone", "2026-01-01T00:00:00Z", None)
    text = f"<OAI-PMH {OAI} {GMD}><ListRecords>{header}<record><metadata>{bare('urn:a')}</metadata></record></ListRecords></OAI-PMH>"
    deletion, record = documents(text)
    assert (deletion.source, deletion.fault.code) == ("a.xml[1]", ReasonCode.DELETED_HEADER)
    assert "'urn:gone'" in str(deletion.fault)
    assert "not applied" in str(deletion.fault)
    assert record.source == "a.xml[2]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'<OAI-PMH {OAI}><error code="badArgument">no such set</error></OAI-PMH>', "badArgument: no such set"),
        (
            f'<ows:ExceptionReport {OWS}><ows:Exception exceptionCode="NoCode"><ows:ExceptionText>away</ows:ExceptionText>'
            "</ows:Exception></ows:ExceptionReport>",
            "NoCode: away",
        ),
        (f"<OAI-PMH {OAI}><ListIdentifiers><header/></ListIdentifiers></OAI-PMH>", "has no metadata"),
        (f"<csw:Capabilities {CSW}/>", "outputSchema"),
        (f"<gmd:DS_Series {GMD}/>", "its root is DS_Series"),
    ],
)
def test_an_answer_without_records_says_what_it_is(text: str, expected: str) -> None:
    (found,) = documents(text)
    assert found.source == "a.xml"
    assert expected in str(found.fault)


def test_a_record_of_another_kind_is_refused_by_itself() -> None:
    other = "<csw:Record/>" + bare("urn:a")
    first, second = documents(WRAPPERS["CSW, many"](other))
    with pytest.raises(xml_tree.Unusable, match="outputSchema"):
        iso19139.read(first.content)
    assert names([second]) == ["a.xml[2] urn:a"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (WRAPPERS["CSW, many"](bare("urn:a") + "<gmd:MD_Metadata>"), ReasonCode.NOT_WELL_FORMED),
        (WRAPPERS["CSW, many"](bare("urn:a"))[:-5], ReasonCode.NOT_WELL_FORMED),
        (WRAPPERS["CSW, many"](bare("urn:a") + "<a>" * 300 + "</a>" * 300), ReasonCode.NOT_WELL_FORMED),
        (WRAPPERS["CSW, many"](bare("urn:a")).encode() + b"\xff", ReasonCode.NOT_WELL_FORMED),
    ],
)
def test_of_a_damaged_answer_the_records_before_the_damage_are_taken(text: str | bytes, code: ReasonCode) -> None:
    assert names(documents(text)) == ["a.xml[1] urn:a", f"a.xml {code}"]


def test_a_doctype_ends_a_file() -> None:
    text = '<!DOCTYPE x [<!ENTITY e "e">]>' + WRAPPERS["CSW, many"](bare("&e;"))
    assert names(documents(text)) == [f"a.xml {ReasonCode.DOCTYPE}"]


def test_one_record_that_is_too_large_costs_one_record() -> None:
    large = bare("urn:large").replace("<gmd:f", f"<!-- {'x' * (xml_tree.MAX_RECORD_BYTES + 500_000)} --><gmd:f", 1)
    many = bare("urn:long").replace("<gmd:f", f"{'<gmd:x>y</gmd:x>' * 700_000}<gmd:f", 1)
    found = documents(WRAPPERS["CSW, many"](bare("urn:a") + many + bare("urn:b")))
    assert names(found) == ["a.xml[1] urn:a", "a.xml[2] too-large", "a.xml[3] urn:b"]
    found = documents(WRAPPERS["CSW, many"](bare("urn:a") + large + bare("urn:b")))
    assert names(found) == ["a.xml[1] urn:a", "a.xml too-large"]  # one comment, which is kept as a whole


def test_a_long_comment_and_a_long_tag_late_in_a_file_cost_nothing() -> None:
    """Newer versions of expat wait with what comes in many chunks, and say no place meanwhile."""
    early = bare("urn:early").replace("<gmd:f", f"<!--{'x' * (xml_tree.MAX_RECORD_BYTES // 2)}--><gmd:f", 1)
    late = bare("urn:late").replace("<gmd:f", f"<!--{'x' * 500_000}--><gmd:x a='{'y' * 200_000}'/><gmd:f", 1)
    found = documents(WRAPPERS["CSW, many"](3 * early + late + bare("urn:a")))
    assert names(found) == [f"a.xml[{at}] urn:{name}" for at, name in enumerate(("early",) * 3 + ("late", "a"), 1)]


@pytest.mark.parametrize("number", [98_000, 99_998, 99_999, 100_000, 100_001, 300_000])
def test_a_record_of_too_many_elements_costs_one_record(number: int) -> None:
    """Whatever element of it is the one too many, its end is found."""
    inner = "<gmd:x>" + "<gmd:y><gmd:z/></gmd:y>" * (number // 2) + "</gmd:x><gmd:w/>"
    many = bare("urn:many").replace("<gmd:f", f"{inner}<gmd:f", 1)
    found = documents(WRAPPERS["CSW, many"](bare("urn:a") + many + bare("urn:b")))
    assert [each.source for each in found] == ["a.xml[1]", "a.xml[2]", "a.xml[3]"]
    assert found[1].content.decode().startswith("<gmd:MD_Metadata") and found[1].content.endswith(b"MD_Metadata>")
    assert names([found[0], found[2]]) == ["a.xml[1] urn:a", "a.xml[3] urn:b"]
    with pytest.raises(xml_tree.Unusable, match="tags"):
        iso19139.read(found[1].content)


@pytest.mark.parametrize("depth", [300, 240])
def test_elements_too_deep_in_a_record_of_too_many_elements_end_the_file(depth: int) -> None:
    inner = "<gmd:y/>" * 100_010 + "<gmd:x>" * depth + "</gmd:x>" * depth
    found = documents(WRAPPERS["CSW, many"](bare("urn:a") + bare("urn:b").replace("<gmd:f", f"{inner}<gmd:f", 1)))
    assert [str(each.fault.code) if each.fault else "" for each in found] == (
        ["", "ill-formed"] if depth == 300 else ["", ""]
    )


def test_an_answer_of_many_records_needs_the_memory_of_a_few() -> None:
    begin, end = WRAPPERS["CSW, many"]("|").split("|")
    record = bare("urn:a").replace("urn:a", "urn:" + "a" * 20_000)
    number = 2000  # 40 MB

    def chunks() -> Iterator[bytes]:
        yield begin.encode()
        for _ in range(number):
            yield record.encode()
        yield end.encode()

    rest = chunks()
    tracemalloc.start()
    try:
        found = sum(part.fault is None for part in wrapped.unpack(lambda _: next(rest, b""), next(rest)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == number
    assert peak < 2_000_000


# --- Ingest -------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_ingest_stores_the_records_of_an_answer_and_reports_each_by_its_place(tmp_path: Path) -> None:
    answer = tmp_path / "answers.xml"
    answer.write_text(WRAPPERS["CSW, many"](bare("urn:a") + bare("") + bare("{c}")))
    (tmp_path / "alone.xml").write_bytes(world.iso_record("urn:alone"))
    report = ingest.ingest(sources.documents([tmp_path]), into=world.own_set())
    assert [reject.source for reject in report.rejects] == [f"{answer}[2]"]
    assert sorted(Record.objects.values_list("identifier", "key")) == [
        ("urn:a", "urn:a"),
        ("urn:alone", "urn:alone"),
        ("{c}", "%7Bc%7D"),
    ]


@pytest.mark.django_db
def test_a_file_that_is_larger_than_a_record_may_be_is_read_if_it_is_an_answer(tmp_path: Path) -> None:
    number = xml_tree.MAX_RECORD_BYTES // 20_000 + 10
    records = "".join(bare(f"urn:{at}").replace("<gmd:f", f"<!--{'x' * 20_000}--><gmd:f", 1) for at in range(number))
    (tmp_path / "answers.xml").write_text(WRAPPERS["OAI-PMH"](records))
    (tmp_path / "large.xml").write_text(f"<!-- {'x' * xml_tree.MAX_RECORD_BYTES} -->{bare('urn:large')}")
    report = ingest.ingest(sources.documents([tmp_path]), into=world.own_set())
    assert report.counts == {"new": number, "rejected": 1}


def test_real_answers_give_their_records() -> None:
    found: dict[str, list[str]] = {}
    for each in sources.documents([shared("data", "awkward")]):
        file, _, place = Path(each.source).name.partition("[")
        if place:
            try:
                found.setdefault(file, []).append(iso19139.read(each.content).identifier)
            except xml_tree.Unusable as exc:
                found.setdefault(file, []).append(exc.reason.code)
    assert len(found) == 18
    assert {name: records for name, records in found.items() if not name.startswith("oai--eudat")} == {
        "oai--pycsw--get_GetRecord_iso.xml": ["urn:uuid:19887a8a-f6b0-4a63-ae56-7fba0e17801f"],
        "root--nasa-cmr--C1344056442-NSIDC_ECS.xml": ["L3_FT_P"],
        "wrapped--ckanext-geodatagov--sample3_getrecords2.xml": [
            "c540e08e-015c-11e5-853f-22000b8e85d8",
            "11ea3390-1143-11e5-8c2b-22000b8e85d8",
        ],
        "wrapped--pycsw--post_GetRecordById-full.xml": ["de53e931-778a-4792-94ad-9fe507aca483"],
        "wrapped--pycsw--post_GetRecordById-srv-brief.xml": ["not-iso19139"],
        "wrapped--pycsw--post_GetRecords-all-csw-output.xml": [
            "3e9a8c05",
            "366f6257-19eb-4f20-ba78-0698ac4aae77",
            "75a7eb5e-336e-453d-ab06-209b1070d396",
            "a7308c0a-b748-48e2-bab7-0a608a51d416",
            "0173e0d7-6ea9-4407-b846-f29d6bfa9903",
        ],
    }
    assert all(len(records) == 1 for name, records in found.items() if name.startswith("oai--eudat"))
