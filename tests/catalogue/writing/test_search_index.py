"""Terms and words are stored with the record, whoever stores it, and made later where they are missing."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import psycopg2
import pytest
from django.db import connection, transaction
from django.test import Client

from catalogue import tasks
from catalogue.documents import search_terms
from catalogue.models import Description, Record, Word
from catalogue.reading import stats
from catalogue.reading.query import search
from catalogue.reading.query.conditions import During
from catalogue.reading.query.search import Query, Search
from catalogue.writing import search_index, store, vocabulary
from gisc import embedded
from tests.support.paths import ROOT
from tests.support.threads import TIMEOUT_S, threads
from tests.support.world import bury, in_time, iso_record, own_set, put


def found(text: str) -> list[str]:
    return sorted(search.records(text).values_list("identifier", flat=True))


@pytest.mark.django_db
def test_a_changed_record_is_found_by_its_new_words_alone_and_a_withdrawn_one_by_none() -> None:
    put(iso_record("urn:a", title="Typhoons"))
    assert found("typhoon") == ["urn:a"]
    put(iso_record("urn:a", title="Buoys"))
    assert (found("typhoon"), found("buoy")) == ([], ["urn:a"])
    bury("urn:a")
    assert found("buoy") == []


@pytest.mark.django_db
def test_what_a_former_version_writes_is_found_after_the_next_tick() -> None:
    """It knows no terms: it inserts none, and changes the texts beside those that are there."""
    put(iso_record("urn:a", title="Typhoons"), iso_record("urn:b", title="Buoys"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('wis.makes_terms', '', true)")  # another transaction
        cursor.execute("UPDATE catalogue_description SET title = 'Waves' WHERE title = 'Typhoons'")
        cursor.execute("UPDATE catalogue_description SET terms = NULL, kind = '' WHERE title = 'Buoys'")
    Word.objects.all().delete()
    assert (found("typhoon"), found("buoy"), stats.count_waiting_for_search()) == ([], [], 2)
    tasks._make_search_terms()
    assert (found("typhoo"), found("buo"), stats.count_waiting_for_search()) == (["urn:a"], ["urn:b"], 0)


@pytest.mark.django_db
def test_monitors_see_how_many_records_wait_for_search(client: Client) -> None:
    put(iso_record("urn:a"), iso_record("urn:b"))
    assert "gisc_search_waiting 0.0" in client.get("/metrics").content.decode()
    Description.objects.filter(record__identifier="urn:a").update(terms=None)
    assert "gisc_search_waiting 1.0" in client.get("/metrics").content.decode()


@pytest.mark.django_db
def test_a_record_whose_texts_change_and_whose_words_do_not_stays_found() -> None:
    put(iso_record("urn:a", title="Typhoons, buoys"))
    put(iso_record("urn:a", title="Typhoons; buoys!"))
    assert (found("buoy"), stats.count_waiting_for_search()) == (["urn:a"], 0)


@pytest.mark.django_db
def test_a_restamp_does_not_unmake_terms() -> None:
    put(iso_record("urn:a", title="Typhoons"))
    before = Description.objects.get().terms
    Description.objects.update(title="Typhoons")
    assert before and Description.objects.get().terms == before


@pytest.mark.django_db
def test_a_damaged_payload_gets_the_terms_of_its_stored_texts_and_stops_no_other() -> None:
    put(*(iso_record(f"urn:{n}", title=f"Buoy number{n}") for n in range(3)))
    Record.objects.filter(key="urn:1").update(payload=b"damaged")
    Description.objects.update(terms=None)
    assert search_index.make_missing(seconds=60) == 3
    assert found("buoy") == ["urn:0", "urn:1", "urn:2"]


@pytest.mark.django_db
def test_the_times_of_a_record_are_read_again_with_its_terms_and_kept_where_it_cannot_be_read() -> None:
    whole, damaged = (in_time(iso_record(f"urn:{n}", title="Buoys"), "2001", "2016") for n in range(2))
    put(whole, damaged)
    begin, first = datetime(2001, 1, 1, tzinfo=UTC), datetime(2016, 1, 1, tzinfo=UTC)
    last = datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)
    Description.objects.update(terms=None, ends=first)  # as a former version has read it
    Record.objects.filter(key="urn:1").update(payload=b"damaged")
    search_index.make_missing(seconds=60)
    times = Description.objects.order_by("record__key").values_list("begins", "ends")
    assert list(times) == [(begin, last), (begin, first)]
    page = Search(Query(During(datetime(2016, 6, 1, tzinfo=UTC), None))).page(10)
    assert page.keys == [Record.objects.get(key="urn:0").pk]


@pytest.mark.django_db
def test_what_is_changed_while_its_terms_are_made_keeps_the_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    put(iso_record("urn:a", title="Typhoons"))
    Description.objects.update(terms=None)
    made = search_index._make

    def change_meanwhile(*row):
        found_before = made(*row)
        put(iso_record("urn:a", title="Buoys"))
        return found_before

    monkeypatch.setattr(search_index, "_make", change_meanwhile)
    search_index.make_missing(seconds=60)
    assert (found("typhoon"), found("buoy")) == ([], ["urn:a"])


@pytest.mark.django_db(transaction=True)
def test_writers_of_the_same_new_words_do_not_wait_for_one_another_in_a_circle_and_lose_none() -> None:
    own = own_set()
    words = [f"word{chr(97 + n)}{chr(97 + m)}" for n in range(12) for m in range(12)]

    def write(number: int) -> None:
        order = words if number % 2 else words[::-1]
        for start in range(0, len(order), 24):
            with transaction.atomic():  # two pages in one transaction, as a caller may
                for part in (order[start : start + 12], order[start + 12 : start + 24]):
                    documents = [iso_record(f"urn:{number}:{word}", title=f"{word} {' '.join(part)}") for word in part]
                    store.put_entries([store.prepare(document) for document in documents], into=own)

    with threads(4) as running:
        started = [running.start(write, number) for number in range(4)]
        for each in started:
            each.result(TIMEOUT_S)
    assert Record.objects.count() == 4 * len(words)
    stored = set(Word.objects.values_list("folded", flat=True))
    assert set(words) <= stored
    assert all(word.number == search_terms.checksum(word.stem) for word in Word.objects.all())


@pytest.mark.django_db(transaction=True)
def test_words_that_were_rolled_back_or_lost_with_their_table_are_added_again() -> None:
    own = own_set()
    for _ in range(2):
        with transaction.atomic():
            for name in ("urn:a", "urn:b"):  # the second page finds the words of the first, which are not committed
                store.put_entries([store.prepare(iso_record(name, title="Typhoons"))], into=own)
            transaction.set_rollback(True)
    for number in range(3):
        put(iso_record(f"urn:{number}", title="Typhoons"))
    assert len(found("typhoo")) == 3
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE catalogue_word")  # as a restore of an older copy may
    put(iso_record("urn:3", title="Typhoons"))
    assert len(found("typhoo")) == 4


def test_what_was_seen_committed_before_the_server_was_started_is_not_relied_on(tmp_path: Path) -> None:
    """A server may be put back to an earlier state while its clients go on: the words of later records would be lost for good."""

    def which() -> tuple[object, ...]:
        with embedded.database(tmp_path):
            session = psycopg2.connect(embedded.database_url(tmp_path))
            try:
                with session, session.cursor() as cursor:
                    cursor.execute("CREATE TABLE IF NOT EXISTS catalogue_word ()")
                    cursor.execute(vocabulary._WHICH)
                    return tuple(cursor.fetchone())
            finally:
                session.close()

    first, second = which(), which()
    assert first[1:] == second[1:], "the database and the table are the same"
    assert first != second


CHORE = """
import sys, django
from django.conf import settings
django.setup()
settings.DATABASES["default"]["NAME"] = sys.argv[1]
from catalogue.writing import search_index
search_index.make_missing(seconds=120)
"""


@pytest.mark.django_db(transaction=True)
def test_kill_9_in_the_middle_of_the_chore_leaves_whole_batches_and_the_next_finds_the_rest() -> None:
    number, left = 3_000, []
    put(*(iso_record(f"urn:{n:04d}", title=f"Sea buoy{n:04d}") for n in range(number)))
    Description.objects.update(terms=None)
    Word.objects.all().delete()

    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-c", CHORE, str(connection.settings_dict["NAME"])],
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "gisc.settings"},
            stderr=subprocess.PIPE,
        )

    for most in (number, number - 1_000):
        process = start()
        while stats.count_waiting_for_search() >= most:
            assert process.poll() is None, process.stderr.read().decode()
        process.kill()
        process.wait()
        left.append(stats.count_waiting_for_search())
        made = Description.objects.exclude(terms=None).count()
        assert len(found("sea")) == made == number - left[-1], "what has terms is found, also by the vocabulary"
    assert number > left[0] > left[1] > 0, "the kills fell into the middle"
    process = start()
    assert process.wait(120) == 0, process.stderr.read().decode()
    assert stats.count_waiting_for_search() == 0
    assert set(Word.objects.filter(folded__startswith="buoy").values_list("folded", flat=True)) == {
        f"buoy{n:04d}" for n in range(number)
    }
    assert found("buoy2999") == ["urn:2999"]
