"""Stored records are read back once a day: what is damaged is named, offered again it is mended, and nothing else is touched."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from catalogue import seams, tasks, validation
from catalogue.models import DamagedRecord, Description, Dictionary, ReadBackWalk, Record, Validation
from catalogue.payloads import dictionaries, payload, zstd
from catalogue.writing import read_back, search_index, store
from catalogue.writing.decisions import Action
from tests.support import asking, world
from tests.support.clock import SetClock
from tests.support.commands import printed

pytestmark = pytest.mark.django_db
DAY = read_back.LIMITS.in_force.every


@pytest.fixture
def records(db: None) -> None:
    world.put(*(world.iso_record(f"urn:{letter}") for letter in "abcde"))


def damage(identifier: str) -> None:
    """As a disk does that gives other bytes than were written."""
    packed = bytearray(Record.objects.get(identifier=identifier).payload)
    packed[len(packed) // 2] ^= 1
    Record.objects.filter(identifier=identifier).update(payload=bytes(packed))


def read_whole() -> None:
    read_back.read_back_some()
    while ReadBackWalk.objects.get().ended is None:
        read_back.read_back_some()


def known() -> list[str]:
    return list(read_back.damaged().values_list("record__identifier", flat=True))


def digest_of(identifier: str) -> bytes:
    return bytes(Record.objects.values_list("digest", flat=True).get(identifier=identifier))


def test_a_record_that_is_damaged_is_known_within_a_day_and_only_that(
    records: None, caplog: pytest.LogCaptureFixture
) -> None:
    digests = {letter: digest_of(f"urn:{letter}") for letter in "abcde"}
    stamps = dict(Record.objects.values_list("identifier", "datestamp"))
    clock = SetClock(seams.now())
    with seams.replaced(clock=clock):
        read_whole()
        assert known() == []
        damage("urn:b")
        read_back.read_back_some()
        assert known() == [], "the walk of this day is over"
        clock.move(DAY.total_seconds())
        with caplog.at_level(logging.ERROR, logger="catalogue"):
            read_whole()
            read_back.read_back_some()
        assert known() == ["urn:b"]
        assert [record.identifier for record in caplog.records] == ["urn:b"], "it is said once"
        assert DamagedRecord.objects.get().found == clock.now()
    assert {letter for letter in "abcde" if digest_of(f"urn:{letter}") != digests[letter]} == {"b"}
    assert dict(Record.objects.values_list("identifier", "datestamp")) == stamps


def test_the_ticks_read_back(records: None) -> None:
    damage("urn:b")
    tasks.tick()
    assert known() == ["urn:b"]


def test_offered_again_it_is_stored_and_comes_to_harvesters_with_a_new_datestamp(records: None, client: Client) -> None:
    damage("urn:b")
    read_whole()
    Record.objects.update(datestamp=F("datestamp") - DAY)
    (result,) = store.put_entries([store.prepare(world.iso_record("urn:b"))], into=world.own_set())
    assert result.action is Action.UPDATED
    assert Record.objects.latest("datestamp").identifier == "urn:b"
    read_back.read_back_some()
    assert known() == [] and not DamagedRecord.objects.exists()
    listed = asking.walk(client, verb="ListRecords", metadataPrefix="iso19139")
    assert {header.identifier for header in asking.headers_of(listed)} == {f"urn:{letter}" for letter in "abcde"}


def test_one_that_is_deleted_is_known_no_more(records: None) -> None:
    damage("urn:b")
    damage("urn:c")
    read_whole()
    store.withdraw(["urn:b"])
    assert known() == ["urn:c"]
    read_back.read_back_some()
    assert DamagedRecord.objects.count() == 1


@given(st.integers(1, 7), st.sets(st.sampled_from("abcdefgh")))
def test_each_record_is_read_back_in_slices_of_any_length(batch: int, broken: set[str]) -> None:
    Record.objects.all().delete()
    ReadBackWalk.objects.all().delete()
    world.put(*(world.iso_record(f"urn:{letter}") for letter in "abcdefgh"))
    store.withdraw(["urn:d"])
    for letter in broken - {"d"}:
        damage(f"urn:{letter}")
    with read_back.LIMITS.replaced(batch=batch, slice_s=0):
        read_whole()
    assert set(known()) == {f"urn:{letter}" for letter in broken - {"d"}}


@contextmanager
def unreadable(identifier: str, state: str) -> Iterator[None]:
    """As with a block of the disk that cannot be read: each statement that asks for or removes the payload of this record fails."""
    columns = [field.column for field in Record._meta.concrete_fields]
    shown = ", ".join(f"pg_temp.read(identifier, {name}) AS {name}" if name == "payload" else name for name in columns)
    with connection.cursor() as cursor:
        cursor.execute(f"""
            CREATE FUNCTION pg_temp.read(name text, packed bytea) RETURNS bytea LANGUAGE plpgsql STABLE AS $$ BEGIN
                IF name = '{identifier}' THEN RAISE 'invalid page in block 7' USING ERRCODE = '{state}'; END IF;
                RETURN packed;
            END $$;
            SET CONSTRAINTS ALL IMMEDIATE;
            CREATE TEMPORARY VIEW catalogue_record AS SELECT {shown} FROM public.catalogue_record;
            CREATE FUNCTION pg_temp.update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE public.catalogue_record SET payload = NEW.payload, digest = NEW.digest WHERE id = NEW.id;
                RETURN NEW;
            END $$;
            CREATE TRIGGER updates INSTEAD OF UPDATE ON pg_temp.catalogue_record
                FOR EACH ROW EXECUTE FUNCTION pg_temp.update()
        """)
        yield
        cursor.execute("DROP VIEW pg_temp.catalogue_record")


@pytest.mark.parametrize("state", ["XX001", "58030"])
def test_what_postgresql_cannot_read_costs_no_other_record(records: None, admin_client: Client, state: str) -> None:
    digest = digest_of("urn:b")
    damage("urn:d")
    with unreadable("urn:b", state):
        read_whole()
        assert known() == ["urn:b", "urn:d"] and digest_of("urn:d") == b""
        assert digest_of("urn:b") == digest, "nothing can be stored in its place, and so nothing is asked for"
        assert list(DamagedRecord.objects.order_by("pk").values_list("asked", flat=True)) == [True, False]
        assert "invalid page in block 7" in DamagedRecord.objects.get(record__identifier="urn:b").fault
        read_back.read_back_some()
        assert known() == ["urn:b", "urn:d"]
        assert [row.record.identifier for row in read_back.damaged()] == ["urn:b", "urn:d"], "asks for no payload"
        page = admin_client.get("/admin/catalogue/record/", {"checks": "damaged"})
        assert {record.identifier for record in page.context["cl"].result_list} == {"urn:b", "urn:d"}
    read_back.read_back_some()
    assert known() == ["urn:d"], "the disk gives it back again"
    assert digest_of("urn:b") == digest, "and nothing has to be stored anew"


def lose_dictionary() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE catalogue_dictionary DISABLE TRIGGER USER")
    Dictionary.objects.all().delete()
    payload.clear_cache()


def test_without_its_dictionary_no_record_is_called_damaged_and_no_list_leaves_it_out(
    records: None, client: Client
) -> None:
    """Nothing is wrong with the records; a list without them would be answered as if it were whole."""
    digests = {letter: digest_of(f"urn:{letter}") for letter in "abcde"}
    element = payload.unpack(Record.objects.get(identifier="urn:a").payload)
    Record.objects.filter(identifier="urn:a").update(payload=zstd.packer(None)(element))
    lose_dictionary()
    for act in (read_back.read_back_some, read_back.read_all_back, dictionaries.repack):
        with pytest.raises(payload.DictionaryDamaged, match="restore the table catalogue_dictionary"):
            act()
    assert not DamagedRecord.objects.exists()
    assert "restore the table catalogue_dictionary" in read_back.fault_of_dictionary()
    assert {letter: digest_of(f"urn:{letter}") for letter in "abcde"} == digests
    for coding in ("identity", "gzip"):
        answer = client.get(
            "/oai", {"verb": "ListRecords", "metadataPrefix": "iso19139"}, headers={"accept-encoding": coding}
        )
        assert (answer.status_code, answer["Retry-After"]) == (503, "30")


def test_without_its_dictionary_nothing_is_decided_about_a_record(records: None) -> None:
    """No tombstone for a version of another source that cannot be read, no label and no terms that would stay."""
    claimed = world.iso_record("urn:f")
    world.put(claimed, into=world.peer_set(world.OFFENBACH))
    store.put_entries([store.prepare(claimed)], into=world.peer_set(world.TOULOUSE), source="toulouse")
    Validation.objects.all().delete()
    Description.objects.update(terms=None)
    lose_dictionary()
    owners = world.peer_set(world.OFFENBACH)
    deletion = store.prepare_deletion("urn:f")
    acts: list[Callable[[], object]] = [
        lambda: store.put_entries([deletion], into=owners),
        lambda: validation.label_records(seconds=60, everything=True),
        lambda: search_index.make_missing(seconds=60),
    ]
    for act in acts:
        with pytest.raises(payload.DictionaryDamaged):
            act()
    assert not Record.objects.get(identifier="urn:f").deleted
    assert not Validation.objects.exists()
    assert not Description.objects.exclude(terms=None).exists()


def test_an_operator_reads_all_back_at_once(records: None) -> None:
    assert json.loads(printed("catalogue", "read-back", "--json")) == {"read": 5, "damaged": []}
    assert printed("catalogue", "read-back").strip() == "5 records read back"
    damage("urn:b")
    read_whole()
    assert known() == [], "of the walk that was ended just now"
    with pytest.raises(SystemExit) as ended:
        call_command("catalogue", "read-back", "--json")
    assert ended.value.code == 1 and known() == ["urn:b"]
    lose_dictionary()
    with pytest.raises(CommandError, match="restore the table"):
        call_command("catalogue", "read-back")


def test_the_list_of_records_of_the_administration_finds_them(records: None, admin_client: Client) -> None:
    damage("urn:b")
    read_whole()
    page = admin_client.get("/admin/catalogue/record/", {"checks": "damaged"})
    assert [record.identifier for record in page.context["cl"].result_list] == ["urn:b"]


def test_a_clock_that_was_set_back_does_not_stop_the_reading() -> None:
    world.put(world.iso_record("urn:b"))
    clock = SetClock(seams.now())
    with seams.replaced(clock=clock):
        read_whole()
        damage("urn:b")
        clock.move(-timedelta(days=400).total_seconds())
        read_whole()
        assert known() == ["urn:b"]
