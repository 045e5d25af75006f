"""What is raised for an answer from which no page can be parsed."""

import pytest

from catalogue import oai
from harvester.errors import BrokenReply, FaultCode, HarvestError, TokenLost
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
