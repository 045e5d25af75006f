"""Long lists: pages are read, recognised and made ready beside the one that is stored, and nothing else differs."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from catalogue import seams
from catalogue.models import Description, Record
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.writing import store
from catalogue.writing.current import current_versions
from harvester import schedule
from harvester.models import Link, Run
from harvester.protocol import answers, unchanged
from harvester.rows import queue
from harvester.runs import lifecycle, prepare_entries, store_page
from harvester.runs.run_position import LoopMark
from tests.support.concurrency import CountedProcesses
from tests.support.provider import Provider, continued, fill, identifier, xml
from tests.support.runs import counters, go_on, harvest
from tests.support.world import iso_record

PAGE = schedule.LIMITS.in_force.worth_processes + 10
FULL = {"full": True}


def rows() -> dict[str, tuple[object, ...]]:
    """All that is held of each record, but for when and by which run."""
    held: dict[str, tuple[object, ...]] = {}
    for record in Record.objects.all():
        described = (
            Description.objects.filter(record=record).values_list("title", "abstract", "keywords", "boxes").first()
        )
        element = payload.unpack(record.payload) if record.payload else None
        held[record.identifier] = (record.digest and bytes(record.digest), element, record.metadata_date, described)
    return held


@pytest.mark.spec("H38", "W29")
def test_what_processes_make_of_a_long_list_is_what_threads_make_of_it(link: Link, provider: Provider) -> None:
    provider.page_size = PAGE
    fill(provider, range(2 * PAGE + 5))
    provider.entries[identifier(3)] = ("2026-02-01T00:00:00Z", iso_record(identifier(4)))  # misnamed
    provider.entries[identifier(PAGE + 3)] = ("2026-02-01T00:00:00Z", b"<?xml version='1.0'?>\n<nonsense/>")
    provider.entries[identifier(PAGE + 4)] = ("2026-02-01T00:00:00Z", None)
    processes = CountedProcesses()

    with seams.replaced(concurrency=processes):
        by_processes = harvest(link)
        held, reasons = rows(), list(by_processes.rejects.values_list("identifier", "reason", "reason_data"))
        assert len(processes.pools) == 1
        Record.objects.all().delete()
        with schedule.LIMITS.replaced(worth_processes=10**6):
            by_threads = harvest(link, **FULL)

    assert len(processes.pools) == 1
    assert counters(by_processes) == counters(by_threads)
    assert counters(by_processes) == {"received": 2 * PAGE + 5, "new": 2 * PAGE + 2, "deleted": 1, "rejected": 2}
    assert reasons == list(by_threads.rejects.values_list("identifier", "reason", "reason_data"))
    assert held == rows()


def test_a_list_of_one_page_starts_no_process(link: Link, provider: Provider) -> None:
    processes = CountedProcesses()
    provider.page_size = PAGE
    fill(provider, range(PAGE))

    with seams.replaced(concurrency=processes):
        assert counters(harvest(link)) == {"received": PAGE, "new": PAGE}

    assert processes.pools == []


@pytest.mark.django_db(transaction=True)
def test_what_came_byte_for_byte_as_it_is_held_is_not_made_canonical(link: Link, provider: Provider) -> None:
    provider.page_size = unchanged.MIN_RECORDS
    fill(provider, range(2 * unchanged.MIN_RECORDS))
    harvest(link)
    # A digest that no canonical XML has: who makes one of the record finds it changed.
    Record.objects.filter(identifier=identifier(3)).update(digest=bytes(32))

    again = harvest(link, **FULL)

    assert counters(again) == {"received": 40, "unchanged": 40}
    assert bytes(Record.objects.get(identifier=identifier(3)).digest or b"") == bytes(32)


@pytest.mark.django_db(transaction=True)
def test_white_space_and_order_of_attributes_alone_change_nothing(link: Link, provider: Provider) -> None:
    provider.page_size = unchanged.MIN_RECORDS
    fill(provider, range(2 * unchanged.MIN_RECORDS))
    harvest(link)
    before = {record.identifier: (record.datestamp, bytes(record.payload or b"")) for record in Record.objects.all()}
    stamp, document = provider.entries[identifier(3)]
    assert document is not None
    provider.entries[identifier(3)] = (stamp, document.replace(b"><gmd:", b">\n\t<gmd:"))
    provider.entries[identifier(4)] = (stamp, iso_record(identifier(4), title="Another"))

    again = harvest(link, **FULL)

    assert counters(again) == {"received": 40, "unchanged": 39, "updated": 1}
    after = {record.identifier: (record.datestamp, bytes(record.payload or b"")) for record in Record.objects.all()}
    assert {name for name in before if before[name] != after[name]} == {identifier(4)}


@pytest.mark.django_db(transaction=True)
def test_a_payload_that_cannot_be_read_back_is_no_version_to_compare_with(link: Link, provider: Provider) -> None:
    provider.page_size = unchanged.MIN_RECORDS
    fill(provider, range(2 * unchanged.MIN_RECORDS))
    harvest(link)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE catalogue_record SET payload = '\\x00' WHERE identifier = %s", [identifier(3)])

    assert counters(harvest(link, **FULL)) == {"received": 40, "unchanged": 40}, "by its digest"


def test_a_record_that_changed_after_it_was_recognised_is_stored_in_full(link: Link, provider: Provider) -> None:
    provider.page_size = unchanged.MIN_RECORDS
    fill(provider, range(unchanged.MIN_RECORDS))
    harvest(link)
    run = lifecycle.open_run(link, trigger="test", full=True)
    assert run is not None
    run = queue.claim(run.pk)
    assert run is not None
    body = provider.say({"verb": "ListRecords"})
    page = answers.parse_page(body, continued=False, load_stored=current_versions)
    assert all(entry.stored is not None for entry in page.entries)
    prepared = prepare_entries.prepare_page(
        page.entries, prepare_entries.source_of(run, page.response_date), page.versions or {}
    )
    other = store.prepare(iso_record(identifier(3), title="Other"), provenance=Provenance(link=link.name))
    store.put_entries([other], into=link.local_set, source=link.name)

    assert store_page.store_page(run, page, LoopMark("", b""), prepared)

    run.refresh_from_db()
    assert counters(run) == {"received": 20, "unchanged": 19, "updated": 1}
    title = Description.objects.get(record__identifier=identifier(3)).title
    assert title == "Product 3", "what the provider said last"


@pytest.mark.spec("H4", "H20")
def test_each_page_of_a_long_list_is_asked_for_once(link: Link, provider: Provider) -> None:
    fill(provider, range(21))

    assert counters(harvest(link)) == {"received": 21, "new": 21}

    tokens = [arguments.get("resumptionToken", "") for arguments in provider.lists]
    assert tokens == ["", *(f"/9/{after}" for after in range(2, 21, 2))]


@pytest.mark.spec("H21", "W29")
def test_what_came_before_a_fault_is_stored(link: Link, provider: Provider) -> None:
    fill(provider, range(21))
    provider.faults.append(
        lambda arguments: xml("", status=503) if arguments.get("resumptionToken") == "/9/14" else None
    )

    run = harvest(link)

    assert run.is_open and run.pages == 7 and counters(run) == {"received": 14, "new": 14}
    provider.faults.clear()
    assert counters(go_on(run)) == {"received": 21, "new": 21}


def test_pages_of_a_list_that_was_started_again_are_not_taken_for_those_of_the_new_one(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(9))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None

    def start_over(current: Run) -> None:
        if current.pages == 2 and not current.restarts:
            lifecycle.start_over(link)
            current.refresh_from_db()

    lifecycle.work(run.pk, progress=start_over)

    run.refresh_from_db()
    assert run.is_open and (run.pages, run.restarts, run.token) == (0, 1, "")
    after = go_on(run)
    assert after.state == Run.State.DONE and (after.pages, after.listed) == (5, 9)
    assert not any(continued(arguments) for arguments in provider.lists[-5:-4]), "asked for from its start"


def test_a_worker_of_celery_may_have_records_read_by_processes() -> None:
    program = (
        "import billiard\n"
        "from catalogue.bulk.pool import ReadPool\n"
        "def work(answers):\n"
        "    pool = ReadPool(1)\n"
        "    answers.send(pool.submit([b'<a/>'], {}).result())\n"
        "    pool.close()\n"
        "if __name__ == '__main__':\n"
        "    ours, theirs = billiard.Pipe()\n"
        "    worker = billiard.Process(target=work, args=(theirs,), daemon=True)\n"
        "    worker.start()\n"
        "    print(ours.recv() if ours.poll(60) else 'nothing came')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(settings.BASE_DIR), capture_output=True, text=True, timeout=120
    )
    assert "not-iso19139" in done.stdout, done.stderr
