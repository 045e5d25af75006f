"""Sentences for operators: each code has one, and none fails whatever a row has; `docs/codes.md` has each code."""

import re
from enum import StrEnum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue.reasons import write_sentence
from harvester import messages
from harvester.errors import BrokenReply, HarvestError, Unreachable
from harvester.messages import ConnectionCode, FaultCode, OutcomeCode, RemarkCode, RepairCode, WarningCode
from tests.support.paths import ROOT

TABLES = {
    ConnectionCode: messages.CONNECTIONS,
    FaultCode: messages.FAULTS,
    OutcomeCode: messages.OUTCOMES,
    RemarkCode: messages.REMARKS,
    WarningCode: messages.WARNINGS,
    RepairCode: messages.REPAIRS,
}
HEADINGS = {
    ConnectionCode: "### Causes of connections that failed",
    FaultCode: "## Faults",
    OutcomeCode: "## Outcomes of runs",
    RemarkCode: "## Remarks on runs",
    WarningCode: "## Warnings",
    RepairCode: "### Repairs",
}
CODES = [(kind, code) for kind in TABLES for code in kind]
DESCRIBERS = [messages.describe_fault, messages.describe_outcome, messages.describe_remark, messages.describe_warning]

CAUSE = {"code": "http-error", "facts": {"status": 503, "reason": "Busy"}}
# Facts that each sentence finds what it needs in.
FACTS = {
    **{
        name: f"<{name}>" for name in ("url", "detail", "target", "host", "link", "password", "verb", "text", "version")
    },
    **{name: f"<{name}>" for name in ("identifier", "error", "beginning", "set", "granularity", "moved_to", "prefix")},
    "namespace": "<namespace>",
    "lists": 2,
    **dict.fromkeys(
        ("bytes", "announced", "limit", "limit_mib", "number", "limit_s", "records", "pages", "page", "listed"), 7
    ),
    **dict.fromkeys(("wait_s", "attempt", "max_attempts", "restart", "max_restarts", "days", "stored"), 7),
    **dict.fromkeys(
        (
            "rejected",
            "missing",
            "stale",
            "extra",
            "not_served",
            "changed",
            "vanished",
            "above_ceiling",
            "ceiling",
            "waiting",
        ),
        7,
    ),
    **dict.fromkeys(("crash", "crashes", "max_crashes"), 7),
    **dict.fromkeys(("records", "lateness_h", "seconds", "lacking", "different"), 7),
    "of": "tags",
    "status": 404,
    "reason": "too-many",
    "skew_s": -7.5,
    "is_alarm": True,
    "is_set_listed": False,
    "deleted_record": "no",
    "state": "missing",
    "content_type": "",
    "where": "after",
    "repairs": ["ampersands"],
    "found": ["ListSets"],
    "errors": [{"code": "badArgument", "text": "no"}],
    "iso_prefixes": ["iso"],
    "cause": CAUSE,
    "remarks": [{"code": "future-datestamps", "facts": {}}],
}
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()) | st.just(CAUSE)


@pytest.mark.parametrize(("kind", "code"), CODES)
def test_each_code_has_a_sentence(kind: type[StrEnum], code: StrEnum) -> None:
    sentence = write_sentence(TABLES[kind], code, FACTS)
    if code is OutcomeCode.RUNNING:
        assert sentence == "", "there is nothing to tell"
    else:
        assert sentence not in ("", str(code)) and not sentence.startswith(f"{code} ("), sentence
    assert not re.search(r"\{\w*\}", sentence)


@pytest.mark.parametrize(("kind", "code"), [pair for pair in CODES if pair[0] in (OutcomeCode, RemarkCode)])
def test_of_one_no_sentence_speaks_as_of_several(kind: type[StrEnum], code: StrEnum) -> None:
    several = ("status", "lists", "stored")  # are never one where they are said
    ones = {name: 1 if type(value) is int and name not in several else value for name, value in FACTS.items()}
    sentence = write_sentence(TABLES[kind], code, ones)
    assert not re.search(r"\b1 (entries|records|pages|days|runs|are|have|tries have)\b|1 of \d+ tries have", sentence)


@pytest.mark.parametrize("kind", TABLES)
def test_a_code_is_written_with_hyphens_and_found_by_who_searches_for_it(kind: type[StrEnum]) -> None:
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code) for code in kind)
    assert len(max(kind, key=len)) <= 40, "as many characters as the column has"


@pytest.mark.parametrize("kind", TABLES)
def test_no_sentence_is_left_without_a_code(kind: type[StrEnum]) -> None:
    assert set(TABLES[kind]) == set(kind)


@pytest.mark.parametrize("describe", DESCRIBERS)
def test_a_code_of_a_later_version_is_shown_with_its_facts(describe) -> None:
    assert describe("sun-spots", {"number": 7}).rstrip(".") == "sun-spots (number 7)"
    assert describe("sun-spots", {}).rstrip(".") == "sun-spots"


@settings(max_examples=1000, deadline=None)
@given(which=st.sampled_from(CODES), changed=st.dictionaries(st.sampled_from(sorted(FACTS)), VALUES, max_size=5))
def test_no_sentence_raises_whatever_the_facts_are(which: tuple[type[StrEnum], StrEnum], changed: dict) -> None:
    kind, code = which
    assert isinstance(write_sentence(TABLES[kind], code, FACTS | changed), str)
    assert isinstance(write_sentence(TABLES[kind], code, changed), str)


def test_a_cause_that_cannot_be_read_leaves_the_rest_of_the_sentence() -> None:
    data = {"cause": {"code": "sun-spots", "facts": {"number": 7}}, "pages": 2}
    assert messages.describe_outcome("failed", data).startswith("sun-spots (number 7). 2 pages stay stored")


@pytest.mark.parametrize(
    ("pages", "says"), [(0, "No page was stored"), (1, "1 page stays stored"), (2, "2 pages stay stored")]
)
def test_a_failure_says_how_many_pages_stay_stored(pages: int, says: str) -> None:
    data = {"cause": {"code": "sun-spots", "facts": {}}, "pages": pages}
    assert messages.describe_outcome("failed", data) == f"sun-spots. {says}; the next run begins where this one began."


def test_facts_can_be_stored_whatever_a_provider_sends() -> None:
    facts = {"text": "x" * 5000, "errors": [{"text": "\0\ud800"}] * 500, "status": 404}
    limited = messages.limit_facts(facts)
    assert limited["text"] == "x" * messages.MAX_CHARACTERS
    assert len(limited["errors"]) == 20
    assert limited["errors"][0] == {"text": "\ufffd?"}
    assert limited["status"] == 404
    assert messages.limit_facts(limited) == limited


def test_an_error_has_its_code_its_facts_and_its_sentence() -> None:
    error = Unreachable(FaultCode.HTTP_ERROR, {"status": 503, "reason": ""}, retry_after_s=300, status=503)
    assert str(error) == "the provider answered HTTP 503"
    assert error.to_json() == {"code": "http-error", "facts": {"status": 503, "reason": ""}}
    assert (error.status, error.retry_after_s) == (503, 300)
    assert str(BrokenReply(FaultCode.ANSWER_EMPTY)) == "the answer is empty"
    assert issubclass(Unreachable, HarvestError)


@pytest.mark.parametrize("kind", HEADINGS)
def test_the_page_of_codes_has_each_code_once_in_its_table(kind: type[StrEnum]) -> None:
    text = (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")
    _, _, section = text.partition(f"\n{HEADINGS[kind]}\n")
    table = re.split(r"^##", section, maxsplit=1, flags=re.MULTILINE)[0]
    assert re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE) == [str(code) for code in kind]
