"""Ingest in many processes: the report and the catalogue are those of one process, whatever was offered."""

import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings
from django.db import OperationalError, connection

from catalogue import oai, seams
from catalogue.bulk import ingest
from catalogue.documents import iso19139, sources, xml_tree
from catalogue.documents.sources import Document
from catalogue.models import Description, Dictionary, Membership, Record
from catalogue.payloads import dictionaries, payload, zstd
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import read_apart, read_document, store
from tests.support import world
from tests.support.concurrency import CountedProcesses
from tests.support.waiting import until

SAMPLES = sorted(sources.SAMPLES.glob("*/*.xml"))

pytestmark = pytest.mark.django_db(transaction=True)  # a bulk load has connections of its own


SMALL_BATCHES = ingest.IngestLimits(batch_records=5)
load = partial(ingest.ingest, limits=SMALL_BATCHES)


def samples_and_bad_ones() -> list[Document]:
    """All samples; among them what cannot be stored, one identifier three times, and one that comes again unchanged."""
    found = [Document(file.name, file.read_bytes()) for file in SAMPLES]
    found[3:3] = [Document("empty", b""), Document("cut", found[0].content[:-20])]
    found[17:17] = [Document("locked", fault=Reason(ReasonCode.UNREADABLE_FILE, {"error": "Permission denied"}))]
    found[30:30] = [Document("html", b"<html/>"), Document("no identifier", world.iso_record(""))]
    for title in ("One", "Two", "Three"):
        found.insert(11, Document(f"urn:same {title}", world.iso_record("urn:same", title=title)))
    return [*found, found[0], Document("latin", found[1].content.decode().encode("utf-16"))]


def catalogue() -> list[tuple[object, ...]]:
    """All that is held, but for datestamps and ids."""
    return [
        (
            record.identifier,
            record.deleted,
            record.set_specs,
            bytes(record.digest),
            payload.unpack(record.payload),
            record.metadata_date,
            Description.objects.values_list("title", "keywords", "boxes", "abstract").get(record=record),
        )
        for record in Record.objects.order_by("key")
    ]


def empty() -> None:
    Membership.objects.all().delete()
    Record.objects.all().delete()


def test_a_bulk_load_leaves_a_tidy_index_of_terms(caplog: pytest.LogCaptureFixture) -> None:
    """Else each search would read the words that were added last one by one; a wrong name of the index was not told."""
    load(samples_and_bad_ones(), into=world.own_set(), processes=2)
    assert "the search index was not tidied up" not in caplog.text
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('descriptions_by_terms')")
        assert cursor.fetchone() == (0,), "no page of the list of what is to be added was left"


def test_the_report_and_the_catalogue_are_those_of_one_process() -> None:
    alone = load(samples_and_bad_ones(), into=world.own_set())
    held = catalogue()
    empty()
    many = load(samples_and_bad_ones(), into=world.own_set(), processes=3)
    assert many.as_dict() == alone.as_dict()
    assert [reject.source for reject in many.rejects] == ["empty", "cut", "locked", "html", "no identifier"]
    assert catalogue() == held
    assert many.offered == len(samples_and_bad_ones())


def test_what_is_offered_again_is_unchanged_and_what_differs_is_updated() -> None:
    load(samples_and_bad_ones(), into=world.own_set(), processes=2)
    stamps = list(Record.objects.order_by("pk").values_list())
    again = [document for document in samples_and_bad_ones() if not document.source.startswith("urn:same")]
    report = load(again, into=world.own_set(), processes=2)
    assert report.counts == {"unchanged": 50, "rejected": 5}
    assert list(Record.objects.order_by("pk").values_list()) == stamps
    changed = Document("changed", SAMPLES[0].read_bytes().replace(b"</gmd:title>", b"<!-- --> </gmd:title>"))
    other = Document("other", SAMPLES[1].read_bytes().replace(b"CharacterString>", b"CharacterString>x", 1))
    report = load([*again, changed, other], into=world.own_set(), processes=2)
    assert report.counts["unchanged"] == 51 and report.counts["rejected"] == 5


def test_progress_is_told_batch_by_batch() -> None:
    told: list[int] = []
    load(samples_and_bad_ones(), into=world.own_set(), processes=2, advance=told.append)
    assert sum(told) == len(samples_and_bad_ones()) and max(told) == 5


def test_a_few_documents_start_no_processes() -> None:
    processes = CountedProcesses()
    with seams.replaced(concurrency=processes):
        report = load(samples_and_bad_ones()[:10], into=world.own_set(), processes=4)
        assert (report.offered, processes.pools) == (10, [])
        load(samples_and_bad_ones()[:11], into=world.own_set(), processes=4)
    assert processes.pools == [4]


def test_an_unchanged_record_is_neither_read_further_nor_packed() -> None:
    document = SAMPLES[0].read_bytes()
    said = iso19139.read(xml_tree.root_element(document))
    (made,) = read_apart.read_all([document], {0: said.digest})
    assert made[:4] == (said.identifier, oai.oai_identifier(said.identifier), said.digest, said.metadata_date)
    assert not made.row


def test_a_record_that_changes_between_the_look_and_the_store_is_stored_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was held when the digests were asked for is deleted by somebody else before the batch is stored."""
    document = Document("a", world.iso_record("urn:a"))
    world.put(document.content)
    put_entries = store.put_entries

    def after_somebody_else(entries, **options):
        monkeypatch.setattr(store, "put_entries", put_entries)
        world.bury("urn:a")
        return put_entries(entries, **options)

    monkeypatch.setattr(store, "put_entries", after_somebody_else)
    report = load([document, Document("b", world.iso_record("urn:b"))], into=world.own_set(), revives=True)
    assert report.counts == {"brought_back": 1, "new": 1}
    held = Record.objects.get(key="urn:a")
    assert not held.deleted and payload.unpack(held.payload) == xml_tree.root_element(document.content)
    assert held.description.title == "Surface observations"


def test_another_set_that_offers_the_same_content_gets_what_the_store_decides() -> None:
    documents = [Document("b", world.iso_record("urn:b"))]
    load(documents, into=world.peer_set(world.OFFENBACH))
    light = load(documents, into=world.peer_set(world.TOULOUSE))
    specs = sorted(Record.objects.get(key="urn:b").set_specs)
    empty_again = Record.objects.get(key="urn:b")
    assert payload.unpack(empty_again.payload) == xml_tree.root_element(documents[0].content)
    assert specs == sorted([world.OFFENBACH.spec, world.TOULOUSE.spec])
    assert light.offered == 1 and not light.rejects


@dictionaries.LIMITS.replaced(outgrown=((20, 40),))
def test_a_load_that_outgrows_its_dictionary_goes_on_and_trains_another() -> None:
    Dictionary.objects.update(trained_on=1)
    limits = replace(SMALL_BATCHES, training_check_records=30)
    report = load(samples_and_bad_ones(), into=world.own_set(), processes=2, limits=limits)
    assert report.counts["new"] == 49
    assert Dictionary.objects.count() == 2
    payload.clear_cache()
    assert all(payload.unpack(record.payload) for record in Record.objects.all())


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.name)
def test_the_identifier_that_is_guessed_is_that_of_the_sample(file: Path) -> None:
    document = file.read_bytes()
    said = iso19139.read(xml_tree.root_element(document))
    assert oai.oai_identifier(read_document.guess_identifier(document)) == oai.oai_identifier(said.identifier)


def test_the_processes_end_with_the_one_that_made_them(tmp_path: Path) -> None:
    """It is killed outright, as no `finally` can help against."""
    program = (
        "import multiprocessing, time\n"
        "from catalogue.bulk.pool import ReadPool\n"
        "if __name__ == '__main__':\n"
        "    pool = ReadPool(2)\n"
        "    pool.submit([], {}).result()\n"
        "    print(*[child.pid for child in multiprocessing.active_children()], flush=True)\n"
        "    time.sleep(600)\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(program)
    parent = subprocess.Popen(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(settings.BASE_DIR)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    children = [int(word) for word in parent.stdout.readline().split()]
    assert children
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    until(lambda: not any(_lives(child) for child in children), 30, "the processes have ended")
    parent.stdout.close()


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_tar_is_read_to_its_damaged_end_in_many_processes_too(tmp_path: Path) -> None:
    whole = BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        for file in SAMPLES:
            tar.add(file, arcname=file.name)
    cut = tmp_path / "cut.tar"
    cut.write_bytes(whole.getvalue()[: len(whole.getvalue()) // 2])
    report = load(sources.documents([cut]), into=world.own_set(), processes=2)
    assert report.counts["new"] == Record.objects.count() > 15
    assert [reject.source for reject in report.rejects] == [str(cut)]


def test_of_several_versions_in_several_batches_the_last_one_stands() -> None:
    """One batch is staged while the one before is merged, and what it is compared with is what that one leaves."""
    held = world.iso_record("urn:same", title="Zero")
    world.put(held)
    others = [Document(str(number), world.iso_record(f"urn:{number}")) for number in range(40)]
    versions = [Document(title, world.iso_record("urn:same", title=title)) for title in ("One", "Two", "Three")]
    offered = [*others[:4], *versions[:1], *others[4:8], *versions[1:2], *others[8:12], *versions[2:], *others[12:]]
    load([*offered, Document("zero", held)], into=world.own_set(), processes=2)
    assert Description.objects.get(record__key="urn:same").title == "Zero"
    load(offered, into=world.own_set(), processes=2)
    assert Description.objects.get(record__key="urn:same").title == "Three"
    assert Description.objects.count() == Record.objects.count() == 41


@contextmanager
def disk_full_at(key: str) -> Iterator[None]:
    """Let the database refuse a record as if its disk were full."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the disk is full' USING ERRCODE = 'disk_full'; END $$
            """
        )
        cursor.execute(
            "CREATE TRIGGER disk_full BEFORE INSERT ON catalogue_record FOR EACH ROW WHEN (NEW.key = %s)"
            " EXECUTE FUNCTION disk_full()",
            [key],
        )
        yield
        cursor.execute("DROP TRIGGER disk_full ON catalogue_record; DROP FUNCTION disk_full()")


def test_nothing_is_stored_behind_a_batch_that_failed() -> None:
    documents = [Document(str(number), world.iso_record(f"urn:{number}")) for number in range(40)]
    with disk_full_at("urn:12"), pytest.raises(OperationalError, match="disk is full"):
        load(documents, into=world.own_set(), processes=2)
    assert set(Record.objects.values_list("key", flat=True)) == {f"urn:{number}" for number in range(10)}


@dictionaries.LIMITS.replaced(outgrown=((10_000, 6000), (40, 60)))
def test_a_bulk_load_into_a_young_catalogue_learns_from_what_comes_first() -> None:
    Dictionary.objects.update(trained_on=1)
    limits = ingest.IngestLimits(batch_records=16)
    load(samples_and_bad_ones(), into=world.own_set(), processes=2, limits=limits)
    newest = Dictionary.objects.order_by("-created").first()
    assert newest is not None and newest.trained_on == 45  # of the first 48 three hold no whole element
    first = Record.objects.order_by("pk").first()
    assert first is not None and zstd.dictionary_id(first.payload) == newest.pk
