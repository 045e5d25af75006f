"""Codes of reasons: each has a sentence and a row in docs/codes.md, and is read back from what was stored."""

import pickle
import re
from enum import StrEnum

import pytest

from catalogue import reasons
from catalogue.documents import xml_tree
from catalogue.provenance import Origin, compare_versions
from catalogue.reasons import ActRefused, JournalCode, Reason, ReasonCode
from gisc.parts import reasons as part_reasons
from gisc.parts.reasons import PartCode
from gisc.problem_reasons import ADVICE, NAMES, PROBLEMS, ProblemCode
from harvester import reasons as harvester_reasons
from harvester.messages import FaultCode
from harvester.reasons import ActCode, EntryCode, SettlementCode
from oaiprovider.reasons import SENTENCES as INPUT_SENTENCES
from oaiprovider.reasons import InputCode
from tests.project.file_table import product_files
from tests.support.paths import ROOT

SENTENCES = {
    ReasonCode: reasons.SENTENCES,
    JournalCode: reasons.JOURNAL,
    EntryCode: harvester_reasons.ENTRIES,
    SettlementCode: harvester_reasons.SETTLEMENTS,
    ActCode: harvester_reasons.ACTS,
    InputCode: INPUT_SENTENCES,
    PartCode: part_reasons.PARTS,
    ProblemCode: PROBLEMS,
}
HEADINGS = {
    ReasonCode: "### Documents and records",
    JournalCode: "### The journal",
    EntryCode: "### Harvested entries",
    SettlementCode: "### Settlements",
    ActCode: "### Refused acts",
    InputCode: "### Refused input",
    PartCode: "## Parts of the node",
    ProblemCode: "## Problems",
}
REASON = {"code": "by-metadata-date", "facts": {}}
CAUSE = {"code": "http-error", "facts": {"status": 503, "reason": "Busy"}}
# Facts that each sentence finds what it needs in.
FACTS = {
    **{name: f"<{name}>" for name in ("act", "by", "characters", "date", "element", "encoding", "error", "header")},
    **{
        name: f"<{name}>"
        for name in (
            "host",
            "identifier",
            "link",
            "namespace",
            "oai_identifier",
            "offered",
            "old_host",
            "owner",
            "proposed",
        )
    },
    **{
        name: f"<{name}>"
        for name in ("other", "record", "root", "schema", "scheme", "set", "spelling", "stored", "text")
    },
    **{
        name: f"<{name}>"
        for name in ("data_directory", "directory", "end", "folder", "here", "own_set", "writer", "written")
    },
    **dict.fromkeys(("byte", "bytes", "deleted", "limit", "line", "listed", "number", "percent", "position"), 7),
    **dict.fromkeys(("all", "ceiling", "checked", "cpu_s", "going", "links", "memory_mib", "offset_s", "skew_s"), 7),
    **dict.fromkeys(("fault", "why", "reason"), REASON),
    **dict.fromkeys(("age_h", "age_s", "alive", "expected", "lag_s", "kept_mb", "limit_s", "wait_s", "waiting"), 7),
    **{name: f"<{name}>" for name in ("chores", "disabled", "kinds", "part", "settings")},
    **dict.fromkeys(
        ("added", "before", "extra", "failures", "grace_h", "missing", "not_served", "removed", "stale"), 7
    ),
    **{
        name: f"<{name}>"
        for name in ("doubts", "message", "password", "provider", "recipient", "sentence", "since", "url")
    },
    **{name: f"<{name}>" for name in ("most", "paths", "source", "time", "until", "wal", "who", "windows")},
    "free_mb": {"data": 7},
    "of": "members",
    "left_mb": 1,
    "needed_mb": 2,
    "tries": 5,
    "sets": ["<one>", "<two>"],
    "faults": ["<one>"],
    "repairs": ["ampersands"],
    "cause": CAUSE,
    "cause_after_repairs": CAUSE,
}
KINDS = list(SENTENCES)
CODES = [(kind, code) for kind in KINDS for code in kind]


@pytest.mark.parametrize(("kind", "code"), CODES)
def test_each_code_has_a_sentence(kind: type[StrEnum], code: StrEnum) -> None:
    sentence = reasons.write_sentence(SENTENCES[kind], code, FACTS)
    assert sentence and not sentence.startswith(f"{code} ("), sentence
    assert not re.search(r"\{\w*\}", sentence)


def test_each_problem_has_a_name_and_one_of_a_link_says_what_to_do() -> None:
    assert list(NAMES) == list(ProblemCode)
    assert set(ADVICE) == {code for code in ProblemCode if not code.startswith("part-")}
    assert all(reasons.write_sentence(ADVICE, code, {}).endswith(".") for code in ADVICE)


@pytest.mark.parametrize("kind", KINDS)
def test_a_code_is_written_with_hyphens_and_no_sentence_is_without_a_code(kind: type[StrEnum]) -> None:
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code) for code in kind)
    assert set(SENTENCES[kind]) == set(kind)


def test_a_code_of_a_reject_or_a_conflict_is_of_one_kind_only() -> None:
    codes = [str(code) for kind in (ReasonCode, EntryCode, FaultCode) for code in kind]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize(
    ("code", "facts", "clause"),
    [
        ("empty", {}, "the record is empty"),
        ("identifier-no-uri", {"identifier": "a b", "fault": REASON}, "the identifier 'a b' by gmd:dateStamp"),
        ("http-error", CAUSE["facts"], "the provider listed it, but the provider answered HTTP 503 Busy"),
        ("vanished", {}, "the provider no longer lists it, answers idDoesNotExist"),
        ("sun-spots", {"number": 7}, "sun-spots (number 7)"),
        ("is what an older version wrote", {}, "is what an older version wrote"),
    ],
)
def test_a_reason_of_any_origin_is_described_whoever_wrote_it(code: str, facts: dict, clause: str) -> None:
    assert harvester_reasons.describe_reason(code, facts).startswith(clause)


def test_a_disagreement_is_a_sentence_and_one_of_an_earlier_version_is_left_as_it_was() -> None:
    assert harvester_reasons.describe_disagreement("differs-from-owner", {"owner": "A"}) == (
        "The record differs from the version of A, which counts."
    )
    assert harvester_reasons.describe_disagreement("as-written", {"text": "as it was"}) == "as it was"
    assert harvester_reasons.describe_settlement("", {}) == ""


def test_a_reason_inside_a_reason_has_code_and_facts_of_its_own() -> None:
    _, why = compare_versions(Origin(), None, Origin(), None)
    reason = Reason(ReasonCode.DIFFERS_FROM_SOURCE, {"owner": "A", "why": why.to_json()})
    assert reason.to_json()["facts"]["why"] == {"code": "stored-first", "facts": {}}
    assert "which counts because it was stored first" in str(reason)


def test_reasons_and_their_errors_pass_between_processes() -> None:
    reason = Reason(EntryCode.OTHER_IDENTIFIER, {"header": "a", "record": "b"})
    assert pickle.loads(pickle.dumps(reason)) == reason
    for kind in (xml_tree.Unusable, ActRefused):
        error = pickle.loads(pickle.dumps(kind(reason)))
        assert (type(error), error.reason, str(error)) == (kind, reason, str(reason))


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_codes_has_each_code_once_in_its_table(kind: type[StrEnum]) -> None:
    text = (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")
    _, _, section = text.partition(f"\n{HEADINGS[kind]}\n")
    table = re.split(r"^##", section, maxsplit=1, flags=re.MULTILINE)[0]
    assert re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE) == [str(code) for code in kind]


# What may raise a bare ValueError: pure parsers, whose callers know the one thing that can be wrong.
PARSERS = {
    *("catalogue/datestamps.py", "catalogue/journal.py", "gisc/backup/archive.py"),
    "catalogue/reading/query/conditions.py",  # of what a caller has to check
    "catalogue/discovery/instants.py",  # becomes a Problem or a Diagnostic
    "catalogue/discovery/boxes.py",  # the same
    "catalogue/discovery/ogcapi/parameters.py",  # all become a Problem
}


def test_what_a_person_reads_or_a_program_reacts_to_is_an_error_with_a_code() -> None:
    raising = {file for file in product_files() if "raise ValueError" in (ROOT / file).read_text(encoding="utf-8")}
    assert raising == PARSERS
