"""Records that are kept ready for gzip: they are what would be made anew, whatever has changed meanwhile."""

import gzip
import re
from typing import Any

import pytest
from django.test import Client

from catalogue import datestamps
from catalogue.models import MetadataSet, Record
from catalogue.reading import lists
from catalogue.reading.lists import ListRow, RowVersion, Window
from catalogue.writing import store
from oaiprovider import record_cache
from tests.support import asking, world

pytestmark = [pytest.mark.django_db, pytest.mark.spec("P115")]

LIST = "verb=ListRecords&metadataPrefix=iso19139"
_CHANGING = re.compile(rb"<responseDate>[^<]*</responseDate>|<resumptionToken.*</resumptionToken>")


def both(client: Client, query: str = LIST) -> bytes:
    """The answer, which is the same compressed and not, apart from what tells the time."""
    packed = gzip.decompress(client.get(f"/oai?{query}", headers={"accept-encoding": "gzip"}).content)
    plain = client.get(f"/oai?{query}").content
    assert _CHANGING.sub(b"", packed) == _CHANGING.sub(b"", plain)
    return plain


def hits() -> int:
    return record_cache.process_cache(5_000, "").hits


@pytest.fixture
def listed(client: Client) -> Client:
    """Four records, one of them deleted, that have been asked for twice, the second time from memory."""
    world.put(*(world.iso_record(f"urn:{letter}", title=f"{letter} of <these> & those") for letter in "abcd"))
    world.bury("urn:d")
    both(client)
    before = hits()
    both(client)
    assert hits() == before + 4
    return client


def test_a_changed_record_is_sent_as_it_is_now(listed: Client) -> None:
    world.put(world.iso_record("urn:b", title="Changed"))
    assert b"Changed" in both(listed)


def test_a_record_with_another_datestamp_is_sent_with_that(listed: Client) -> None:
    world.restamp("urn:b", "2025-01-01T00:00:00Z")
    assert b"<datestamp>2025-01-01T00:00:00Z</datestamp>" in both(listed)


def test_a_withdrawn_record_is_sent_as_deleted(listed: Client) -> None:
    world.bury("urn:b")
    assert both(listed).count(b'status="deleted"') == 2


def test_a_set_that_is_hidden_meanwhile_is_named_no_more(listed: Client) -> None:
    MetadataSet.objects.filter(spec=world.OUR_SPEC).update(public=False)
    assert world.OUR_SPEC.encode() not in both(listed)


def test_rights_are_told_as_they_are_now(listed: Client, settings) -> None:
    settings.GISC_RIGHTS_URL = "http://gisc.example.org/rights"
    assert both(listed).count(b"<rightsReference") == 3


def test_a_format_that_is_made_is_never_kept(listed: Client) -> None:
    before = hits()
    assert b"<dc:title" in both(listed, "verb=ListRecords&metadataPrefix=oai_dc")
    assert hits() == before


def test_a_list_of_more_records_than_are_kept_passes_them_by(listed: Client, settings) -> None:
    settings.GISC_PAGE_RECORDS, settings.GISC_READY_RECORDS = 1, 3
    pages = asking.walk(listed, coding="gzip", verb="ListRecords", metadataPrefix="iso19139")
    assert [header.identifier for header in asking.headers_of(pages)] == ["urn:a", "urn:b", "urn:c", "urn:d"]
    assert len(record_cache.process_cache(3, "")) == 2, "seen before the length of the list was known"


def test_what_is_kept_is_bounded(listed: Client, settings) -> None:
    settings.GISC_READY_RECORDS = 2
    for _ in range(2):
        both(listed)
    assert len(record_cache.process_cache(2, "")) == 2


def test_a_large_record_is_sent_and_not_kept(client: Client, settings) -> None:
    settings.GISC_READY_RECORDS = 7
    world.put(world.iso_record("urn:large", abstract="long " * 20_000))
    both(client)
    assert len(record_cache.process_cache(7, "")) == 0


def test_a_record_damaged_meanwhile_is_left_out(listed: Client) -> None:
    packed = bytes(Record.objects.get(identifier="urn:b").payload)
    Record.objects.filter(identifier="urn:b").update(payload=packed[:-4] + bytes(4))
    assert b"urn:b" not in both(listed)


@pytest.mark.parametrize("query", [LIST, f"{LIST}&set={world.OUR_SPEC}"])
def test_a_record_that_changes_while_its_page_is_read_is_sent_whole(client: Client, monkeypatch, query: str) -> None:
    """Between the two statements that a page is read by, one of its records is replaced, another one deleted."""
    world.put(*(world.iso_record(f"urn:{letter}") for letter in "abc"))
    then = datestamps.write(Record.objects.get(identifier="urn:c").datestamp)
    versioned = lists.page_with_versions
    calls: list[dict[str, Any]] = []

    def changing(window: Window, **options: Any) -> list[tuple[RowVersion, ListRow]]:
        calls.append(options)
        world.put(world.iso_record("urn:a", title="Changed meanwhile"))
        world.bury("urn:b")
        for changed in ("urn:a", "urn:b"):  # in the same second, or they are behind the end of this list
            world.restamp(changed, then)
        return versioned(window, **options)

    monkeypatch.setattr(lists, "page_with_versions", changing)
    answer = asking.raw_get(client, query, coding="gzip")
    assert calls
    assert sorted((header.identifier, header.deleted) for header in answer.headers) == [
        ("urn:a", False),
        ("urn:b", True),
        ("urn:c", False),
    ]
    assert b"Changed meanwhile" in answer.content
    monkeypatch.undo()
    both(client, query)


def test_a_list_of_a_set_says_what_that_set_says(listed: Client) -> None:
    """A record that has left the set is deleted there and lives on elsewhere."""
    peer = world.peer_set(world.TOULOUSE)
    world.put(world.iso_record("urn:e"), into=peer)
    store.put_entries([store.prepare(world.iso_record("urn:e"))], into=world.peer_set(world.OFFENBACH))
    for query in (LIST, f"{LIST}&set={peer.spec}", f"{LIST}&set={world.OFFENBACH.spec}"):
        both(listed, query)
    store.put_entries([store.prepare_deletion("urn:e")], into=peer)
    for query in (LIST, f"{LIST}&set={peer.spec}", f"{LIST}&set={world.OFFENBACH.spec}"):
        both(listed, query)
