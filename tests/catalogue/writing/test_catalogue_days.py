"""What changed in the catalogue on each day: counted by the database, whoever changes it."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue.models import CatalogueDay, Record
from catalogue.reading import stats
from tests.support.world import bury, iso_record, put, restamp

pytestmark = pytest.mark.django_db


def counts() -> tuple[int, int, int]:
    """New, updated and deleted, of all days together: a test may run at midnight."""
    days = CatalogueDay.objects.all()
    return sum(day.new for day in days), sum(day.updated for day in days), sum(day.deleted for day in days)


def test_each_change_is_counted_once_and_what_changes_nothing_is_not() -> None:
    put(iso_record("urn:0"), iso_record("urn:1"), iso_record("urn:2"))
    assert counts() == (3, 0, 0)
    put(iso_record("urn:0"), iso_record("urn:1", title="Another"))
    assert counts() == (3, 1, 0)
    bury("urn:1")
    bury("urn:1")
    assert counts() == (3, 1, 1)
    put(iso_record("urn:1", title="Again"))
    assert counts() == (4, 1, 1), "one that comes back is new"
    restamp("urn:0", "2001-02-03T04:05:06Z")
    Record.objects.update(audience=0)
    assert counts() == (4, 1, 1)
    with transaction.atomic():
        put(iso_record("urn:9"))
        transaction.set_rollback(True)
    assert counts() == (4, 1, 1)


def test_damage_that_is_found_or_passes_is_no_change_and_what_is_stored_in_its_place_is() -> None:
    put(iso_record("urn:0"))
    restamp("urn:0", "2001-02-03T04:05:06Z")
    digest = Record.objects.get().digest
    for found in (b"", digest, b""):
        Record.objects.update(digest=found)
        assert counts() == (1, 0, 0)
    put(iso_record("urn:0"))
    assert counts() == (1, 1, 0), "it goes to harvesters with a new datestamp"


def test_a_change_counts_on_the_day_of_its_datestamp_in_utc() -> None:
    put(iso_record("urn:0"))
    record = Record.objects.get()
    CatalogueDay.objects.all().delete()
    last, first = datetime(2024, 5, 31, 23, 59, 59, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)
    for stamp, digest in ((last, b"1"), (first, b"2"), (first + timedelta(hours=1), b"3")):
        Record.objects.filter(pk=record.pk).update(datestamp=stamp, digest=digest)
    found = {day: row.updated for day, row in stats.days_since(date(2024, 5, 31)).items()}
    assert found == {date(2024, 5, 31): 1, date(2024, 6, 1): 2}
    assert list(stats.days_since(date(2024, 6, 1))) == [date(2024, 6, 1)]


ACTS = st.lists(st.tuples(st.sampled_from(["put", "bury"]), st.integers(0, 3), st.integers(0, 1)), max_size=12)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ACTS)
def test_the_sums_are_those_of_a_book_kept_beside(acts: list[tuple[str, int, int]]) -> None:
    with transaction.atomic():
        before, book = counts(), [0, 0, 0]
        live: dict[int, int | None] = {}  # None: deleted
        for act, number, title in acts:
            identifier = f"urn:{number}"
            if act == "put":
                put(iso_record(identifier, title=f"Title {title}"))
                if live.get(number) is None:
                    book[0] += 1
                elif live[number] != title:
                    book[1] += 1
                live[number] = title
            elif live.get(number) is not None:
                bury(identifier)
                book[2] += 1
                live[number] = None
        assert tuple(after - first for after, first in zip(counts(), before, strict=True)) == tuple(book)
        transaction.set_rollback(True)
