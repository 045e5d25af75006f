"""Large documents are read in a process of their own, which the kernel ends when it costs too much."""

import pickle
import subprocess
import sys

import pytest

from catalogue import bootstrap, seams
from catalogue.bulk import ingest
from catalogue.documents.sources import Document
from catalogue.models import Record
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import read_apart, read_document
from harvester.models import Link, Reject, Run
from tests.support.paths import ROOT
from tests.support.provider import Provider, identifier
from tests.support.runs import counters, harvest
from tests.support.world import iso_record


def large(name: str, words: int = 400_000) -> bytes:
    """A record of two megabytes, or more: nothing is wrong with it."""
    return iso_record(name, abstract="word " * words)


def test_a_large_document_is_read_as_a_small_one_is() -> None:
    document = large("urn:x-wmo:md:int.wmo.wis::L")
    assert len(document) > read_apart.LIMITS.in_force.above_bytes
    assert read_apart.read(document) == read_document.read(document)
    digest = read_document.read(document).version.digest
    assert read_apart.read(document, digest) == read_document.read(document, digest), "stored already"


def test_why_a_large_document_cannot_be_stored_is_told_as_of_a_small_one() -> None:
    document = b"<other>" + b"word " * 400_000 + b"</other>"
    assert read_apart.read(document) == read_document.read_or_describe_fault(document, None)


@pytest.mark.parametrize("limits", [{"memory_bytes": 60 * 1024**2}, {"cpu_s": 0}], ids=["memory", "CPU time"])
def test_a_document_that_costs_too_much_is_refused_and_the_process_goes_on(limits: dict[str, int]) -> None:
    with read_apart.LIMITS.replaced(**limits):
        result = read_apart.read(large("urn:x-wmo:md:int.wmo.wis::L", words=1_900_000))

    assert isinstance(result, Reason) and result.code == ReasonCode.TOO_COSTLY
    assert "of CPU time or" in str(result)


def test_a_limit_that_is_stricter_already_stays() -> None:
    """A service manager's limit of the worker: only root may raise it, and to try would cost the run."""
    program = (
        "import resource\n"
        "from catalogue.writing import read_apart\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (8, 8))\n"
        "read_apart.confine(10, 2**30)\n"
        "print(resource.getrlimit(resource.RLIMIT_CPU), resource.getrlimit(resource.RLIMIT_AS))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(8, 8) (1073741824, 1073741824)"


def test_a_process_that_ends_for_another_reason_is_an_error_of_ours_and_no_fault_of_the_record() -> None:
    with read_apart.LIMITS.replaced(cpu_s="none"), pytest.raises(RuntimeError, match="a reading process ended with 1"):
        read_apart.read(large("urn:x-wmo:md:int.wmo.wis::L"))


@pytest.mark.django_db(transaction=True)
def test_it_costs_that_record_alone(link: Link, provider: Provider) -> None:
    for number in range(4):
        name = identifier(number)
        document = large(name) if number == 1 else iso_record(name)
        provider.entries[name] = ("2026-02-01T00:00:00Z", document)

    with read_apart.LIMITS.replaced(cpu_s=0):
        run = harvest(link)

    assert (run.state, counters(run)) == (Run.State.DONE, {"received": 4, "new": 3, "rejected": 1})
    assert (Reject.objects.get().identifier, Reject.objects.get().reason) == (identifier(1), "too-costly")


@pytest.mark.django_db(transaction=True)
def test_an_upload_loses_that_document_alone() -> None:
    bootstrap.ensure_sets()
    documents = [iso_record(identifier(1)), large(identifier(2)), iso_record(identifier(3))]
    with read_apart.LIMITS.replaced(cpu_s=0):
        report = ingest.ingest(
            [Document(f"{number}.xml", content) for number, content in enumerate(documents)], into=bootstrap.own_set()
        )
    assert (report.counts["new"], report.counts["rejected"]) == (2, 1)
    assert Record.objects.count() == 2


def test_no_process_is_started_for_ordinary_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seams, "run_program", lambda *_, **__: pytest.fail("a process was started"))
    results = read_apart.read_all([iso_record("urn:x-wmo:md:int.wmo.wis::S")], {})
    assert not isinstance(results[0], Reason)


def test_documents_read_together_are_read_as_each_of_them_is() -> None:
    """Small ones, a large one between them, one stored already, one that cannot be stored."""
    documents = [
        iso_record("urn:x-wmo:md:int.wmo.wis::A", abstract="waves of the ocean"),
        large("urn:x-wmo:md:int.wmo.wis::L"),
        b"<other/>",
        iso_record("urn:x-wmo:md:int.wmo.wis::STORED"),
        b"\xef\xbb\xbf" + iso_record("urn:x-wmo:md:int.wmo.wis::B", abstract="waves of the ocean"),
    ]
    stored = read_document.read(documents[3]).version.digest

    results = read_apart.read_all(documents, {3: stored})

    assert results == [
        read_document.read_or_describe_fault(document, stored if number == 3 else None)
        for number, document in enumerate(documents)
    ]
    assert [isinstance(result, Reason) for result in results] == [False, False, True, False, False]


def test_a_word_of_several_records_is_one_object_in_the_process_that_stores_them() -> None:
    """Which therefore computes its hash once, where it looks up which words are new."""
    documents = [iso_record(f"urn:x-wmo:md:int.wmo.wis::{name}", abstract="waves") for name in "AB"]

    first, second = (
        {id(word) for word in result.version.words if word == b"waves wave"}
        for result in pickle.loads(pickle.dumps(read_apart.read_all(documents, {})))
    )

    assert first == second != set()
