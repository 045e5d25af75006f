"""What is read from the headers of a page, and what is raised for an answer from which no page can be parsed."""

import pytest

from catalogue import oai
from harvester.errors import BrokenReply, FaultCode, HarvestError, TokenLost
from harvester.header import ReceivedHeader
from harvester.protocol import answers


def raised_by(content: str) -> HarvestError:
    body = f'<OAI-PMH xmlns="{oai.OAI_NS}"><request/>{content}</OAI-PMH>'
    with pytest.raises(HarvestError) as raised:
        answers.parse_page(body.encode(), continued=True)
    return raised.value


@pytest.mark.spec("H22")
def test_an_error_without_a_time_is_reported_by_the_error() -> None:
    assert isinstance(raised_by('<error code="badResumptionToken"/>'), TokenLost)


def test_a_list_without_a_time_is_a_broken_answer() -> None:
    fault = raised_by("<ListRecords/>")
    assert isinstance(fault, BrokenReply) and fault.code == FaultCode.RESPONSE_DATE


# --- Headers ------------------------------------------------------------------------------------------

STAMP = "2024-01-01T00:00:00Z"
METADATA = '<metadata><a xmlns="urn:a"/></metadata>'
ORIGIN = (
    f'<about><provenance xmlns="{oai.PROVENANCE_NS}"><originDescription harvestDate="{STAMP}" altered="false">'
    f"<baseURL>http://a.example/</baseURL></originDescription></provenance></about>"
)


def entry_of(record: str) -> answers.ReceivedEntry:
    body = (
        f'<OAI-PMH xmlns="{oai.OAI_NS}"><responseDate>{STAMP}</responseDate><request/>'
        f"<ListRecords><record>{record}</record></ListRecords></OAI-PMH>"
    )
    (entry,) = answers.parse_page(body.encode(), continued=False).entries
    return entry


def header_of(inside: str) -> ReceivedHeader:
    return entry_of(f"<header>{inside}</header>{METADATA}").header


@pytest.mark.parametrize(
    "inside",
    [
        f"<identifier>urn:a</identifier><datestamp>{STAMP}</datestamp><setSpec>A</setSpec><setSpec>B</setSpec>",
        f"<setSpec>A</setSpec><datestamp>{STAMP}</datestamp><setSpec>B</setSpec><identifier>urn:a</identifier>",
        f"<identifier> urn:a\n</identifier><!-- x --><?x y?><datestamp>{STAMP}</datestamp><other/><setSpec> A</setSpec><setSpec>B</setSpec>",
        f"<identifier>urn:a</identifier><identifier>urn:b</identifier><datestamp>{STAMP}</datestamp><datestamp>x</datestamp>"
        "<setSpec>A</setSpec><setSpec>B</setSpec>",
        f"<identifier>urn:<b>a</b></identifier><dateStamp>{STAMP}</dateStamp><setSpec>A</setSpec><setSpec>B</setSpec>",
        f"<dateStamp>{STAMP}</dateStamp><identifier>urn:a</identifier><datestamp/><setSpec>A</setSpec><setSpec>B</setSpec>",
        f'<identifier xmlns="urn:x">urn:b</identifier><identifier>urn:a</identifier><datestamp>{STAMP}</datestamp>'
        "<setSpec>A</setSpec><setSpec>B</setSpec>",
    ],
)
def test_a_header_is_read_by_the_first_of_each_name_in_any_order(inside: str) -> None:
    header = header_of(inside)
    assert (header.identifier, header.datestamp, header.set_specs) == ("urn:a", STAMP, ("A", "B"))


def test_a_datestamp_counts_before_what_pycsw_calls_dateStamp() -> None:
    assert header_of(f"<dateStamp>x</dateStamp><datestamp>{STAMP}</datestamp>").datestamp == STAMP


def test_no_more_sets_of_a_header_are_kept_than_there_may_be() -> None:
    specs = "".join(f"<setSpec>s{number}</setSpec>" for number in range(answers.MAX_SET_SPECS + 1))
    header = header_of(f"{specs}<identifier>urn:a</identifier>")
    assert header.set_specs == tuple(f"s{number}" for number in range(answers.MAX_SET_SPECS))
    assert header.identifier == "urn:a"


@pytest.mark.parametrize("order", ["HMO", "OHM", "MOH", "HMHO", "HMEO"])
def test_the_parts_of_a_record_are_found_in_any_order(order: str) -> None:
    """The first header counts, and an origin in any of the abouts."""
    headers = (f"<header><identifier>urn:{name}</identifier></header>" for name in "ab")
    others = {"M": METADATA, "O": ORIGIN, "E": '<about><x xmlns="urn:x"/></about>'}
    entry = entry_of("".join(next(headers) if part == "H" else others[part] for part in order))
    assert entry.header.identifier == "urn:a" and entry.metadata == b'<a xmlns="urn:a"/>'
    assert entry.provenance is not None and entry.provenance.base_url == "http://a.example/"
